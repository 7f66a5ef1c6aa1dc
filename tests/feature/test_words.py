"""Listed words add up to the count, and each word has the right counts."""

import numpy as np
import pytest
from tests.feature.conftest import document

from understandability.errors import OptionError
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.counted import WORD_LISTS, counted_words
from understandability.feature.language_model import word_statistics
from understandability.feature.table import compute_features
from understandability.feature.word_counts import (
    KINDS,
    computed_kinds,
    count,
    is_of_kind,
    kinds_of_word,
)
from understandability.text.analysis import document_of_text

TEXT = (
    "Hypertension is dangerous. Untreated hypertension and arthritis harm the heart; an MRI in "
    "Vienna showed it. Hypertension!"
)


def test_words_are_counted_in_each_document() -> None:
    """The most frequent first, capitals aside; names are no difficult words."""
    batch = Batch([document(TEXT, "a"), document("Rest."), document("Arthritis hurts.", "c")])
    rows = counted_words(batch, ["difficult_words", "polysyllables"])
    assert [(row.docno, row.feature, row.word, row.count) for row in rows] == [
        ("a", "difficult_words", "Hypertension", 3),
        ("a", "difficult_words", "Untreated", 1),
        ("a", "difficult_words", "arthritis", 1),
        ("a", "polysyllables", "Hypertension", 3),
        ("a", "polysyllables", "dangerous", 1),
        ("a", "polysyllables", "Untreated", 1),
        ("a", "polysyllables", "arthritis", 1),
        ("a", "polysyllables", "MRI", 1),
        ("a", "polysyllables", "Vienna", 1),
        ("c", "difficult_words", "Arthritis", 1),
        ("c", "polysyllables", "Arthritis", 1),
    ]


@pytest.mark.parametrize("feature", WORD_LISTS)
def test_counts_add_up_to_the_feature(feature: str) -> None:
    texts = [
        document(TEXT),
        document("Insulin for Diabetes Mellitus, type 2 diabetes and gastritis."),
    ]
    (first, second), *_ = [compute_features(texts, [feature]).column(feature)]
    for text, value in zip(texts, (first, second), strict=True):
        total = sum(row.count for row in counted_words(Batch([text]), [feature]))
        assert total == value or value != value, "NaN without its vocabulary"


def test_features_without_words_are_refused() -> None:
    with pytest.raises(OptionError, match=r"of smog; .*choose from difficult_words"):
        counted_words(Batch([]), ["smog"])


SENTENCES = "Influenza hurts. Doctor Nakamura says MRI helps against arthritis, said Nakamura."
FLAGS = [kind for kind in KINDS if kind not in ("characters", "syllables")]


@pytest.fixture
def batch() -> Batch:
    return Batch([document_of_text(SENTENCES), document_of_text("..."), document_of_text("Rest!")])


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


def test_the_kinds_of_frequent_words_are_what_is_computed() -> None:
    """The table by ``scripts/train/word_kinds.py`` agrees with the current lists and code."""
    words = word_statistics().words
    np.testing.assert_array_equal(kinds_of_word(words), computed_kinds(words))
