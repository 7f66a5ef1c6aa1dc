"""The plain immutable values that pass between the stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

HTML = "text/html"
TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read: bytes (or text that a container had decoded already).

    `media_type` is `HTML` or `TEXT`; `charset` is the one of the HTTP header, where there was
    one; `source` says where the page came from (a path, a member of an archive, a record);
    `flags` are what the reader noticed, such as ``truncated``.
    """

    docno: str
    source: str
    content: bytes | str
    media_type: str = HTML
    charset: str | None = None
    url: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be scored: an error row, in the place of its score."""

    docno: str
    source: str
    stage: str
    error: str


@dataclass(frozen=True, slots=True)
class Block:
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
    elements of the page by name; a text has none.
    """

    docno: str
    source: str
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

    @property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The pieces of each sentence.

        >>> Document("d", "", ("I", "am.", "You", "are."), (0, 2)).sentences
        (('I', 'am.'), ('You', 'are.'))
        """
        ends = (*self.sentence_starts[1:], len(self.pieces))
        return tuple(
            self.pieces[start:end] for start, end in zip(self.sentence_starts, ends, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is estimated of one document.

    `difficulty` runs from 0 (very easy) to 100 (very hard), `spread` is its standard error on
    that scale (NaN where the bundle knows none), `p_understandable` is P(U|d) in [0, 1].
    All are NaN where nothing can be said (no words, a language that is not English).
    """

    docno: str
    p_understandable: float
    difficulty: float
    spread: float
    flags: tuple[str, ...] = ()
