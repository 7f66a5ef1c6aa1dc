"""Polarity of words, worked by hand."""

from __future__ import annotations

import numpy as np

from understandability.feature.table import compute_features
from understandability.feature.word_lists import polarity

NAMES = ["positive_words", "negative_words", "neutral_words", "words"]


def test_counts_of_a_sentence_worked_by_hand(document) -> None:
    """Happy is positive; worries and bad are negative; capitals do not matter."""
    text = document("The Happy doctor never worries about two bad colds.")
    assert compute_features([text], NAMES).values.tolist() == [[1, 2, 6, 9]]


def test_every_word_has_one_polarity(document) -> None:
    """Positive, negative and neutral words add up to the words."""
    texts = [
        document("A horrible, great pain!"),
        document("We don't hate 3.5 kidneys."),
        document(""),
    ]
    values = compute_features(texts, NAMES).values
    np.testing.assert_array_equal(values[:, :3].sum(axis=1), values[:, 3])


def test_what_the_lexicon_lacks_is_neutral() -> None:
    """Also no words at all."""
    assert polarity(["kidney", "excellent", "death"]).tolist() == [0, 1, -1]
    assert polarity([]).tolist() == []
