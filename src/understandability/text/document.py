"""`Document`: the text of a page, with its blocks, sentences and words."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from understandability._core import Numbers
from understandability.flags import FlagName

MOSTLY_LINKS = "mostly links"  # the reason why lists of links are dropped


class Block(NamedTuple):
    """A block of a page's text, which an extractor keeps or drops, with the reason.

    `tag` is the element that holds the text (``p``, ``li``, ``h1``, ``title``, ...).
    """

    text: str
    tag: str
    kept: bool = True
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a page, stored as one list per field; a `Block` is created only when iterating.

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


class Cut(NamedTuple):
    """The result of splitting texts: pieces, positions of the pieces that start a sentence, open
    sentences.

    `open_ends` are the indexes of sentences that end without punctuation.
    """

    pieces: tuple[str, ...]
    sentence_starts: tuple[int, ...]
    open_ends: tuple[int, ...]


class Uncut(NamedTuple):
    """Texts that have not been split into pieces and sentences yet, and their blocks.

    `add_to` accepts a table of strings, an array and two lists. It appends the id of each piece to
    the array, the positions of the pieces that start a sentence to the first list, and the indexes
    of the open sentences to the second.
    """

    texts: list[str]
    add_to: Callable[[Numbers, array[int], list[int], list[int]], None]
    blocks: Iterable[Block] = ()

    def cut(self) -> Cut:
        """Split the texts into pieces and sentences."""
        table, ids = Numbers(), array("i")
        starts: list[int] = []
        open_ends: list[int] = []
        self.add_to(table, ids, starts, open_ends)
        pieces = tuple(map(table.strings.__getitem__, ids))
        return Cut(pieces, tuple(starts), tuple(open_ends))


class Document:
    """The text of a page, split into pieces and sentences. It is never changed. Features are
    computed from it.

    Documents can be compared, hashed, copied and pickled.

    Attributes:
        docno: the id.
        path: where the page came from.
        pieces: the kept text, split at white space, in order. Words and tokens are derived from
            pieces, once per distinct piece.
        sentence_starts: sentence ``i`` is ``pieces[sentence_starts[i]:sentence_starts[i + 1]]``
            (the last one runs to the end).
        tag_counts: the number of elements of the page by name; empty for plain text.
        blocks: all blocks that the extractor saw, kept and dropped.
        title: the title of the page; empty without one.
        url: the URL of the page, if known.
        language: the primary subtag (``en``); None if unknown.
        encoding: the encoding from which the page was decoded.
        extractor: the name of the extractor.
        sentence_ends: whether the end of a block ends a sentence, one of
            `text.sentences.SENTENCE_ENDS`.
        flags: the names of what was unusual about the page.
        open_ends: the indexes of the sentences that end without punctuation, at the end of their
            block (a heading, a list item, a cell).
        uncut: the texts that pieces and sentences are split from when they are first needed; None
            for a document that was created from its pieces.
    """

    docno: str
    path: str
    tag_counts: Mapping[str, int]
    title: str
    url: str | None
    language: str | None
    encoding: str | None
    extractor: str
    sentence_ends: str
    flags: tuple[FlagName, ...]
    uncut: Uncut | None

    def __init__(
        self,
        docno: str,
        path: str,
        pieces: tuple[str, ...] = (),
        sentence_starts: tuple[int, ...] = (),
        tag_counts: Mapping[str, int] = MappingProxyType({}),
        blocks: tuple[Block, ...] = (),
        title: str = "",
        url: str | None = None,
        language: str | None = None,
        encoding: str | None = None,
        extractor: str = "",
        sentence_ends: str = "",
        flags: tuple[FlagName, ...] = (),
        open_ends: tuple[int, ...] = (),
        uncut: Uncut | None = None,
    ) -> None:
        self.__dict__.update(
            docno=docno,
            path=path,
            tag_counts=tag_counts,
            title=title,
            url=url,
            language=language,
            encoding=encoding,
            extractor=extractor,
            sentence_ends=sentence_ends,
            flags=flags,
            uncut=uncut,
        )
        if uncut is None:
            self.__dict__.update(_cut=Cut(pieces, sentence_starts, open_ends), blocks=blocks)

    @cached_property
    def _cut(self) -> Cut:
        assert self.uncut is not None  # or `__init__` would have stored it
        return self.uncut.cut()

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(self.uncut.blocks) if self.uncut is not None else ()

    @property
    def pieces(self) -> tuple[str, ...]:
        return self._cut.pieces

    @property
    def sentence_starts(self) -> tuple[int, ...]:
        return self._cut.sentence_starts

    @property
    def open_ends(self) -> tuple[int, ...]:
        return self._cut.open_ends

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The sentences, each as a tuple of its pieces.

        >>> Document("d", "", ("I", "am.", "You", "are."), (0, 2)).sentences
        (('I', 'am.'), ('You', 'are.'))
        """
        bounds = pairwise((*self.sentence_starts, len(self.pieces)))
        return tuple(self.pieces[start:end] for start, end in bounds)

    def replace(self, **changes: Any) -> Document:
        """Return a copy with other values of some attributes.

        >>> Document("d", "", ("Rest.",), (0,)).replace(docno="e").docno
        'e'
        """
        return Document(**(self._values() | changes))

    def _values(self) -> dict[str, Any]:
        names = (
            "docno", "path", "pieces", "sentence_starts", "tag_counts", "blocks", "title", "url",
            "language", "encoding", "extractor", "sentence_ends", "flags", "open_ends",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def __getstate__(self) -> dict[str, Any]:
        return self._values() | {"tag_counts": dict(self.tag_counts)}

    def __setstate__(self, values: dict[str, Any]) -> None:
        Document.__init__(self, **values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.docno, self.path, self.pieces, self.sentence_starts, self.flags))

    def __repr__(self) -> str:
        return f"Document({', '.join(f'{name}={v!r}' for name, v in self._values().items())})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a document cannot be changed; use replace({name}=...)")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a document cannot be changed; use replace({name}=...)")
