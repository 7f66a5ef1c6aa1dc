"""The size of a corpus, by hand."""

import json
from pathlib import Path

import pytest
from tests.conftest import Run

from understandability.study.corpus import corpus_size
from understandability.text.analysis import document_of_text

TEXTS = ("The cat saw the dog.", "Rest, dog!", "... --")


def test_counts_means_and_deviations_by_hand() -> None:
    """Words of 3, 3, 3, 3, 3 and 4, 3 letters: 15 and 7 characters in two documents."""
    size = corpus_size(map(document_of_text, TEXTS))
    assert (size.documents, size.without_words, size.words, size.unique_words) == (2, 1, 7, 5)
    assert size.words_per_document == (3.5, 1.5)
    assert size.characters_per_document == (11.0, 4.0)
    assert size.characters_per_word == pytest.approx((22 / 7, (6 / 49) ** 0.5))


def test_the_command_has_a_corpus_for_each_input(understand: Run, tmp_path: Path) -> None:
    for name, texts in (("easy", TEXTS), ("hard", TEXTS[:1])):
        lines = (json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    done = understand(
        "corpus", tmp_path / "easy.jsonl", tmp_path / "hard.jsonl", "-o", tmp_path / "t.jsonl",
        status=0,
    )  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    values = {(row["corpus"], row["statistic"]): row["value"] for row in rows}
    assert values["easy", "words"] == 7
    assert values["hard", "documents"] == 1
    assert "words per document" in done.stdout
