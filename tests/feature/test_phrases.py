"""Entities and chunk trees, from tags written by hand."""

import numpy as np
import pytest

from understandability.feature.phrases import chunk_heights
from understandability.feature.tagger import UNIVERSAL, entity_starts


def numbers(tags: str) -> np.ndarray:
    return np.array([UNIVERSAL.index(tag) for tag in tags.split()])


@pytest.mark.parametrize(
    ("tags", "height"),
    [
        ("INTJ PUNCT", 2),  # Ouch !
        ("DET NOUN PUNCT", 3),  # [The heart] .
        ("ADP DET NOUN", 4),  # [in [the heart]]
        ("DET NOUN ADP DET NOUN", 5),  # [[a disease] [of [the heart]]]
        ("PRON VERB PUNCT", 3),  # [He] [coughs] .
        ("DET NOUN AUX DET NOUN PUNCT", 4),  # [The flu] [is [an infection]] .
        ("PRON VERB PART VERB PRON", 5),  # [He] [tries] [to [stop [it]]]
        ("VERB SCONJ PRON VERB SCONJ PRON VERB", 5),  # [Ask] [if [you] [think] [that [it] [hurts]]]
    ],
)
def test_heights_count_the_phrases_around_a_token(tags: str, height: int) -> None:
    """The sentence, the phrases one in another, and the token."""
    assert chunk_heights(numbers(tags), np.array([0])).tolist() == [height]


def test_sentences_of_a_batch_do_not_touch() -> None:
    tags = numbers("ADP DET NOUN")
    assert chunk_heights(tags, np.array([0, 1])).tolist() == [2, 3]
    assert chunk_heights(tags[:0], np.array([], int)).tolist() == []


def test_an_endless_sentence_is_chunked_in_no_endless_time() -> None:
    """Repetition is bounded in every rule: a hundred thousand words take a moment."""
    for tags in ("PRON", "ADJ", "SCONJ VERB", "PRON PRON VERB"):
        assert chunk_heights(np.tile(numbers(tags), 30_000), np.array([0])) < 40


def test_entities_are_maximal_runs_of_proper_nouns() -> None:
    """Mary Smith is one entity, and Boston another; a new sentence begins a new one."""
    tags = numbers("PROPN PROPN VERB ADP PROPN PROPN")
    assert entity_starts(tags, np.array([0])).sum() == 2
    assert entity_starts(tags, np.array([0, 5])).sum() == 3
