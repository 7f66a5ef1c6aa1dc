"""A page as it was read, and what stands in the place of one that could not be."""

from __future__ import annotations

from dataclasses import dataclass

HTML = "text/html"
TEXT = "text/plain"

SEEN_BEFORE = "a document of this docno came before; only the first is scored"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read: bytes (or text that a container had decoded already).

    `media_type` is `HTML` or `TEXT`; `charset` is the one of the HTTP header, where there was
    one; `source` says where the page came from (a path, a member of an archive, a record);
    `flags` are what the reader noticed, such as ``truncated``.

    >>> Page("flu", "flu.html", b"<p>You have flu.").media_type
    'text/html'
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
