"""Kinds of words: what a word adds to each sum, alone and in its document."""

from __future__ import annotations

import pytest

from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.word_counts import KINDS, count, is_of_kind, kinds_of_word
from understandability.text.analysis import document_of_text

TEXT = "Influenza hurts. Doctor Nakamura says MRI helps against arthritis, said Nakamura."
FLAGS = [kind for kind in KINDS if kind not in ("characters", "syllables")]


@pytest.fixture
def batch() -> Batch:
    return Batch([document_of_text(TEXT), document_of_text("..."), document_of_text("Rest!")])


@pytest.mark.parametrize("kind", FLAGS)
def test_a_count_is_the_number_of_words_of_that_kind(batch: Batch, kind: str) -> None:
    assert count(batch, kind).tolist() == batch.sum_words(is_of_kind(batch, kind)).tolist()


def test_names_are_not_difficult_though_their_letters_are_unknown(batch: Batch) -> None:
    strings = [batch.word_types.strings[number] for number in batch.word_ids]
    difficult = is_of_kind(batch, "difficult_words").tolist()
    chosen = {word for word, is_hard in zip(strings, difficult, strict=True) if is_hard}
    assert "arthritis" in chosen
    assert "Nakamura" not in chosen
    assert kinds_of_word(["Nakamura"])[0, KINDS.index("difficult_words")] == 1


def test_every_kind_but_that_of_the_fog_index_is_a_row_of_the_catalogue() -> None:
    assert set(KINDS) - set(COLUMNS) == {"hard_for_fog"}


def test_no_words_have_kinds_too() -> None:
    assert kinds_of_word([]).shape == (0, len(KINDS))
