"""The columns of the study's lists, against an independent count by the rules of its code."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from tests.feature.conftest import document

from understandability.feature.batch import Batch
from understandability.feature.table import compute_features
from understandability.text.document import Document

NAMES = {
    "medical_prefixes_study": "medical_prefixes.txt",
    "medical_suffixes_study": "medical_suffixes.txt",
    "medical_acronyms_study": "acronyms.txt",
    "icd_words_study": "icd_word_bag.txt",
    "drugbank_words_study": "drugbank_word_bag.txt",
    "mesh_words_study": "mesh_word_bag.txt",
}


def counted(name: str, words: list[str], entries: set[str]) -> int:
    """The rule of the study: affixes of four letters, in words of four; listed words of four."""
    if name == "medical_acronyms_study":
        return sum(word in entries for word in words)
    if name.startswith("medical_"):
        affixes = [entry for entry in entries if len(entry) >= 4]
        cut = str.startswith if "prefixes" in name else str.endswith
        return sum(len(w) > 3 and cut(w.lower(), affix) for affix in affixes for w in words)
    lower = {entry.lower() for entry in entries}
    return sum(len(word) > 3 and word.lower() in lower for word in words)


def words_of(document: Document) -> list[str]:
    batch = Batch([document])
    table = batch.word_types
    return [table.strings[index] for index in batch.word_ids.tolist()]


@pytest.fixture
def entries(lexicons: Path, shared_data: Path) -> dict[str, set[str]]:
    folder = shared_data / "lexicons"
    return {
        name: {line.strip() for line in (folder / file).read_text("utf-8").splitlines()}
        for name, file in NAMES.items()
    }


def test_health_pages_count_as_in_the_study(
    entries: dict[str, set[str]], shared_data: Path
) -> None:
    """Each of the six columns, page by page."""
    with gzip.open(shared_data / "labelled" / "pdq_pages.jsonl.gz", "rt") as lines:
        texts = [json.loads(line)["text"] for line in lines][:40]
    documents = [document(text) for text in texts if text]
    values = compute_features(documents, list(NAMES)).values
    totals = dict.fromkeys(NAMES, 0)
    for row, page in zip(values.tolist(), documents, strict=True):
        words = words_of(page)
        for name, value in zip(NAMES, row, strict=True):
            expected = counted(name, words, entries[name])
            assert value == expected, name
            totals[name] += expected
    assert all(totals.values())


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("medical_prefixes_study", "cholecystitis", 3),  # chol, chole, cholecyst
        ("medical_prefixes_study", "anemia", 0),  # an is too short
        ("medical_suffixes_study", "arthritis", 1),
        ("medical_acronyms_study", "AACOMs and aacom", 0),
        ("medical_acronyms_study", "the COPD and then COPD or so", 2),
        ("icd_words_study", "the eye and its bone", 1),  # eye is listed, but short
        ("mesh_words_study", "DNA of Bone", 1),
        ("drugbank_words_study", "IBUPROFEN and a gel", 1),
    ],
)
def test_counts_by_hand(entries: dict[str, set[str]], name: str, text: str, count: int) -> None:
    assert counted(name, text.replace(",", "").split(), entries[name]) == count
    assert compute_features([document(text)], [name]).values[0, 0] == count


def test_a_list_that_is_not_installed_gives_nan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path))
    assert np.isnan(compute_features([document("some text")], list(NAMES)).values).all()
