"""Tokens that take a shorter way are those of the pattern."""

from __future__ import annotations

import pytest

from understandability.text.tokens import _WHOLE, tokenize


@pytest.mark.parametrize("mark", [*",;:!?).", "..", "'"])
@pytest.mark.parametrize(
    "word", ["rest", "Dr", "approx", "Sept", "A", "b", "hospital", "3", "1918", "naïve", "x²", "D"]
)
def test_a_word_with_one_mark_is_cut_as_the_pattern_cuts_it(word: str, mark: str) -> None:
    """Most pieces are of this form and take a shorter way."""
    assert tokenize(word + mark) == tuple(found.group() for found in _WHOLE.finditer(word + mark))
