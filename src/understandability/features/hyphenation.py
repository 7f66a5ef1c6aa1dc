"""Where pyphen hyphenates English words, at a tenth of its time."""

from __future__ import annotations

from functools import cache

_FROM_EDGE = 2


def count_hyphens(word: str) -> int:
    """How many hyphens ``pyphen.Pyphen(lang="en")`` inserts in a word of lower case.

    Its own search looks at every part of the word; here a part is looked at only while some
    pattern begins with it.

    >>> count_hyphens("hyphenation")
    3
    """
    patterns = _patterns()
    pointed = f".{word}."
    end = len(pointed)
    levels = [0] * (end + 1)
    for start in range(end - 1):
        for stop in range(start + 1, end + 1):
            pattern = patterns.get(pointed[start:stop])
            if pattern is None:
                break
            for position, level in pattern:
                if level > levels[start + position]:
                    levels[start + position] = level
    # Level i stands before the character i of the pointed word, which has a dot more.
    return sum(level & 1 for level in levels[_FROM_EDGE + 1 : len(word) - _FROM_EDGE + 2])


@cache
def _patterns() -> dict[str, tuple[tuple[int, int], ...]]:
    """Levels (position, level) by pattern; none for what only begins a pattern."""
    import pyphen

    patterns = pyphen.Pyphen(lang="en").hd.patterns
    begins = {pattern[:end]: () for pattern in patterns for end in range(1, len(pattern))}
    return begins | {
        pattern: tuple(enumerate(levels, offset)) for pattern, (offset, levels) in patterns.items()
    }
