"""The text of a page: its blocks as an extractor sees them, its words and sentences."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from understandability._core import Numbers

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
class Blocks:
    """Blocks as columns, of which each is made when it is asked for: a page has hundreds.

    >>> list(Blocks(["Flu"], ["h1"], [True], [""]))
    [Block(text='Flu', tag='h1', kept=True, reason='')]
    """

    texts: Sequence[str] = ()
    tags: Sequence[str] = ()
    are_kept: Sequence[bool] = ()
    reasons: Sequence[str] = ()

    def __iter__(self) -> Iterator[Block]:
        columns = self.texts, self.tags, self.are_kept, self.reasons
        return map(Block._make, zip(*columns, strict=True))


class Uncut(NamedTuple):
    """Texts that are not cut into pieces and sentences yet, and the blocks that they are of.

    `add_to` takes a table of pieces, and adds to an array the number of each piece, to lists the
    places of those that start a sentence, and the numbers of the sentences that are open.
    """

    texts: list[str]
    add_to: Callable[[Numbers, array[int], list[int], list[int]], None]
    blocks: Iterable[Block] = ()

    def cut(self) -> tuple[tuple[Any, ...], ...]:
        """The pieces, the sentence starts and the open ends of a document of these texts."""
        table, numbers, found = Numbers(), array("i"), (list[int](), list[int]())
        self.add_to(table, numbers, *found)
        return tuple(map(table.strings.__getitem__, numbers)), *map(tuple, found)


class _Uncut:
    __slots__ = ("uncut",)
    uncut: Uncut | None  # None for a document that was given pieces and sentences


@dataclass(frozen=True, slots=True)
class Document(_Uncut):
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

    if not TYPE_CHECKING:  # or any name would be taken for one of its attributes

        def __getattr__(self, name: str) -> Any:
            if name == "uncut":
                return None
            if name == "blocks":
                object.__setattr__(self, name, tuple(self.uncut.blocks))
            elif name in OF_PIECES:
                for each, value in zip(OF_PIECES, self.uncut.cut(), strict=True):
                    object.__setattr__(self, each, value)
            else:
                raise AttributeError(f"a document has no {name!r}")
            return getattr(self, name)


# What is cut from the texts of a document that is `uncut`.
OF_PIECES = ("pieces", "sentence_starts", "open_ends")
