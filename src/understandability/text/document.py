"""The text of a page: its blocks as an extractor sees them, its words and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

MOSTLY_LINKS = "mostly links"  # the reason for which lists of links are dropped


class Block(NamedTuple):
    """A piece of a page's text as one extractor sees it, kept or dropped, with the reason.

    `tag` is the element that the text stands in (``p``, ``li``, ``h1``, ``title``, ...).
    """

    text: str
    tag: str
    kept: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A page's text, analysed once and never altered; a feature is a function of it.

    `pieces` are what stands between white space in the kept text, in order; sentence ``i`` is
    ``pieces[sentence_starts[i]:sentence_starts[i + 1]]`` (the last one runs to the end).
    Words and tokens are derived from pieces, once per distinct piece. `tag_counts` counts the
    elements of the page by name; a text has none. `open_ends` are the numbers of the sentences
    that no punctuation ends, only their field (a heading, a list item, a cell).
    """

    docno: str
    path: str
    pieces: tuple[str, ...]
    sentence_starts: tuple[int, ...]
    tag_counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    blocks: tuple[Block, ...] = ()
    title: str = ""
    url: str | None = None
    language: str | None = None
    encoding: str | None = None
    extractor: str = ""
    sentence_ends: str = ""
    flags: tuple[str, ...] = ()
    open_ends: tuple[int, ...] = ()

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The pieces of each sentence.

        >>> Document("d", "", ("I", "am.", "You", "are."), (0, 2)).sentences
        (('I', 'am.'), ('You', 'are.'))
        """
        bounds = pairwise((*self.sentence_starts, len(self.pieces)))
        return tuple(self.pieces[start:end] for start, end in bounds)
