"""Which characters a text holds beside ASCII: few, so that it is fast to look for each."""

from __future__ import annotations

# Different ones that a text may have until one pattern for all is faster.
MANY_CHARACTERS = 100

_ASCII = bytes(range(0x80))


def not_ascii(text: str) -> set[str]:
    """The characters of a text that are not ASCII.

    >>> sorted(not_ascii("naïve – it’s naïve"))
    ['ï', '–', '’']
    """
    return set() if text.isascii() else set(text.encode().translate(None, _ASCII).decode())
