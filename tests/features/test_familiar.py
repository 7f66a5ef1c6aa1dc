"""Dale and Chall's familiar words and what counts as one of their forms."""

from __future__ import annotations

import pytest

from understandability.feature.word_lists import familiar_words, is_familiar


def test_the_list_is_that_of_textstat() -> None:
    """2,941 words, in lower case."""
    assert len(familiar_words()) == 2941
    assert all(word == word.lower() for word in familiar_words())


@pytest.mark.parametrize(
    "word",
    [
        "medicine", "Medicine", "MEDICINE",  # on the list
        "walks", "boxes", "babies", "walked", "hoped", "hopped", "cried", "walking", "hoping",
        "hopping", "bigger", "nicest", "happiest",  # -s -es -ies -ed -ied -ing -er -est
        "child's", "child’s", "dogs'", "isn't", "they've", "doctor'll",  # clitics
        "well-known", "half-cooked",  # each part
        "7", "3.5", "10,000", "1990s", "3rd", "2-3", "50%", "1/2",  # numerals
    ],
)  # fmt: skip
def test_listed_words_their_inflections_and_numerals_are_familiar(word: str) -> None:
    """The forms that the 1948 instructions let pass."""
    assert is_familiar(word)


@pytest.mark.parametrize(
    "word",
    [
        "disease", "tumour", "remedies", "immunization",  # not on the list
        "walkable", "painless", "unafraid", "childhoodness",  # derived, not inflected
        "hoper's-bane", "well-calibrated",  # one part is unknown
        "B12", "5mg", "fiber", "pus", "e.g",  # no numerals, no forms of "fib", "pu"
    ],
)  # fmt: skip
def test_other_words_are_unfamiliar(word: str) -> None:
    """Derivations, compounds with an unknown part and codes are difficult."""
    assert not is_familiar(word)
