"""Tokens that take a shorter way are those of the pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.text.tokens import _WHOLE, tokenize

WORDS = ["rest", "Dr", "approx", "Sept", "A", "b", "hospital", "3", "1918", "naïve", "x²", "D"]
PARTS = [*"(\"“)]”,;:!?.-'’=@/_[", "[12]", "..", ":-)", "non", "Re", "ſemi", "com", "s", *WORDS]


@pytest.mark.parametrize("mark", [*",;:!?).", "..", "'"])
@pytest.mark.parametrize("word", WORDS)
def test_a_word_with_one_mark_is_cut_as_the_pattern_cuts_it(word: str, mark: str) -> None:
    """Most pieces are of this form and take a shorter way."""
    assert tokenize(word + mark) == tuple(found.group() for found in _WHOLE.finditer(word + mark))


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join))
def test_any_piece_is_cut_as_the_pattern_cuts_it(piece: str) -> None:
    """Words between marks, with hyphens and the numbers of references."""
    assert tokenize(piece) == tuple(found.group() for found in _WHOLE.finditer(piece))
