"""The words behind a count add up to it."""

from __future__ import annotations

import pytest

from understandability.errors import OptionError
from understandability.feature.batch import Batch
from understandability.feature.counted import WORD_LISTS, counted_words
from understandability.feature.table import compute_features

TEXT = (
    "Hypertension is dangerous. Untreated hypertension and arthritis harm the heart; an MRI in "
    "Vienna showed it. Hypertension!"
)


def test_words_are_counted_in_each_document(document) -> None:
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
def test_counts_add_up_to_the_feature(document, feature: str) -> None:
    """What is shown is what is counted."""
    texts = [
        document(TEXT),
        document("Insulin for Diabetes Mellitus, type 2 diabetes and gastritis."),
    ]
    (first, second), *_ = [compute_features(texts, [feature]).column(feature)]
    for text, value in zip(texts, (first, second), strict=True):
        shown = sum(row.count for row in counted_words(Batch([text]), [feature]))
        assert shown == value or value != value, "NaN without its vocabulary"


def test_features_without_words_are_refused() -> None:
    """With what can be shown."""
    with pytest.raises(OptionError, match="no words to show of smog; choose from difficult_words"):
        counted_words(Batch([]), ["smog"])
