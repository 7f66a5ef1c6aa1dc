"""Documents as arrays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from understandability.features import Batch, ratio
from understandability.features.batch import sum_segments


def words_of(batch: Batch) -> list[str]:
    return [batch.word_types.strings[number] for number in batch.word_ids]


def test_words_tokens_and_sentences_of_each_document(document) -> None:
    """Offsets say what belongs to which document, also beside empty ones."""
    batch = Batch([document("Flu? Rest."), document(""), document("Drink, and don't worry.")])
    assert words_of(batch) == ["Flu", "Rest", "Drink", "and", "don't", "worry"]
    assert batch.word_starts.tolist() == [0, 2, 2, 6]
    assert batch.words.tolist() == [2, 0, 4]
    assert batch.sentences.tolist() == [2, 0, 1]
    assert batch.sentence_starts.tolist() == [0, 1, 2]
    assert [batch.token_types.strings[number] for number in batch.token_ids] == [
        "Flu", "?", "Rest", ".", "Drink", ",", "and", "do", "n't", "worry", ".",
    ]  # fmt: skip
    assert batch.token_starts.tolist() == [0, 4, 4, 11]
    assert batch.token_sentence_starts.tolist() == [0, 2, 4]


def test_a_sentence_without_a_word_does_not_count(document) -> None:
    """A row of stars is no sentence."""
    batch = Batch([document(["Rest now.", "* * *", "Then eat.", "!"])])
    assert batch.sentences.tolist() == [2]
    assert batch.sentence_starts.tolist() == [0, 2]


def test_names_are_capitalised_within_a_sentence_or_so_elsewhere(document) -> None:
    """A capital at the beginning of a sentence says nothing unless the word has it elsewhere."""
    batch = Batch(
        [
            document(["Vienna is old.", "He saw Vienna.", "Patients say (Hello).", "— Rest now."]),
            document(["Vienna is old."]),
        ]
    )
    names = [word for word, name in zip(words_of(batch), batch.is_name, strict=True) if name]
    assert names == ["Vienna", "Vienna", "Hello"]


def test_sums_of_segments_do_not_depend_on_the_others() -> None:
    """Each sum is that of the segment alone, to the last bit; empty segments give 0."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=1000)
    starts = np.array([0, 0, 300, 300, 999, 1000, 1000])
    sums = sum_segments(values, starts)
    for (start, end), total in zip(pairwise(starts), sums, strict=True):
        part = values[start:end]
        assert sum_segments(part, np.array([0, len(part)]))[0] == total
        np.testing.assert_allclose(part.sum(), total)


def test_a_ratio_of_nothing_is_nan_without_a_warning() -> None:
    """0 of 0, and 5 of 0, are NaN."""
    np.testing.assert_array_equal(ratio([0.0, 5.0, 1.0], [0, 0, 2]), [np.nan, np.nan, 0.5])


def test_what_rows_share_is_computed_once(document) -> None:
    """`once` remembers a function's result for the batch."""
    calls = []

    def shared(batch: Batch) -> int:
        calls.append(batch)
        return len(batch)

    batch = Batch([document("Rest.")])
    assert (batch.once(shared), batch.once(shared), len(calls)) == (1, 1, 1)
