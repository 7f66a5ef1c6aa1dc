"""The columns of the study's lists, against an independent count by the rules of its code."""

from pathlib import Path

import numpy as np
import pytest
from tests.conftest import PANEL
from tests.feature.conftest import document

from understandability.feature.batch import Batch
from understandability.feature.table import compute_features
from understandability.study.install import install
from understandability.text.document import Document

# Lists as short as they can be: each has entries that the rules of the study ignore.
ENTRIES = {
    "medical_prefixes_study": {"an", "chol", "chole", "cholecyst", "card", "hyper"},
    "medical_suffixes_study": {"ia", "itis", "ectomy", "pathy", "logy"},
    "medical_acronyms_study": {"AACOM", "COPD", "MRI", "aHUS"},
    "icd_words_study": {"eye", "bone", "Heart", "disease", "blood", "skin"},
    "drugbank_words_study": {"gel", "Ibuprofen", "water", "iron", "oil"},
    "mesh_words_study": {"A1", "DNA", "Bone", "bones", "Children", "Hormones", "Cell"},
}


def counted(name: str, words: list[str]) -> int:
    """The rule of the study: affixes of four letters, in words of four; listed words of four."""
    entries = ENTRIES[name]
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


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lists of `ENTRIES` are installed."""
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path / "resources"))
    for name, entries in ENTRIES.items():
        path = tmp_path / name
        path.write_text("\n".join(entries) + "\n", "utf-8")
        install(name.removeprefix("medical_").replace("_", "-"), [str(path)])


def test_texts_count_as_in_the_study() -> None:
    """Each of the six columns, text by text."""
    documents = [document(path.read_text("utf-8")) for path in sorted(PANEL.glob("*.txt"))]
    values = compute_features(documents, list(ENTRIES)).values
    totals = dict.fromkeys(ENTRIES, 0)
    for row, text in zip(values.tolist(), documents, strict=True):
        words = words_of(text)
        for name, value in zip(ENTRIES, row, strict=True):
            expected = counted(name, words)
            assert value == expected, name
            totals[name] += expected
    assert all(totals.values()), totals


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
def test_counts_by_hand(name: str, text: str, count: int) -> None:
    assert counted(name, text.replace(",", "").split()) == count
    assert compute_features([document(text)], [name]).values[0, 0] == count


def test_a_list_that_is_not_installed_gives_nan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path))
    assert np.isnan(compute_features([document("some text")], list(ENTRIES)).values).all()
