"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with what it counts, as people write it; `noun` takes an s.

    >>> counted(1, "document"), counted(1200, "usable label")
    ('1 document', '1,200 usable labels')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"
