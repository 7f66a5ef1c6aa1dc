"""What the end of an extracted field means for sentences.

Palotti, Zuccon & Hanbury (2015) found that this choice changes readability scores more than
the extractor does: without a period at the end of a heading or list item, sentences run on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from understandability import _core
from understandability.errors import OptionError
from understandability.text.document import Block

# Sentence punctuation, possibly followed by closing quotes and brackets.
_MARKS, _CLOSING = ".!?…。！？", "\"'”’»)]"
_LAST = 8  # characters that are looked at


def none(texts: list[str]) -> list[str]:
    """A field boundary is white space and nothing more."""
    return [" ".join(texts)] if texts else []


def force_period(texts: list[str]) -> list[str]:
    """Every field ends with a period, unless it ends in sentence punctuation already."""
    return [
        text if is_ended else text + "."
        for text, is_ended in zip(texts, _core.ended(texts, _MARKS, _CLOSING, _LAST), strict=True)
    ]


def force_period_always(texts: list[str]) -> list[str]:
    """Every field gets a period, as the code of the study of 2015 did."""
    return [text + "." for text in texts]


SENTENCE_ENDS: dict[str, Callable[[list[str]], list[str]]] = {
    "none": none,
    "force-period": force_period,
    "force-period-always": force_period_always,
}


def fields(blocks: Iterable[Block], sentence_ends: str = "force-period") -> list[str]:
    """The kept text as strings between which no sentence runs on.

    >>> blocks = (Block("Flu", "h1"), Block("Ads", "div", kept=False), Block("A virus.", "p"))
    >>> [fields(blocks, name) for name in SENTENCE_ENDS]
    [['Flu A virus.'], ['Flu.', 'A virus.'], ['Flu.', 'A virus..']]
    """
    if sentence_ends not in SENTENCE_ENDS:
        raise OptionError(
            f"sentence ends {sentence_ends!r} do not exist; choose one of "
            f"{', '.join(SENTENCE_ENDS)}"
        )
    return SENTENCE_ENDS[sentence_ends]([block.text for block in blocks if block.kept])


def open_fields(blocks: Iterable[Block], sentence_ends: str = "force-period") -> list[bool]:
    """Which of `fields` no sentence punctuation ends: headings, list items, cells.

    >>> open_fields((Block("Flu", "h1"), Block("A virus.", "p")))
    [True, False]
    """
    texts = [block.text for block in blocks if block.kept]
    texts = none(texts) if sentence_ends == "none" else texts
    return [not is_ended for is_ended in _core.ended(texts, _MARKS, _CLOSING, _LAST)]
