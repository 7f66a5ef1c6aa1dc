"""A page as it was read, and what stands in the place of one that could not be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

HTML = "text/html"
TEXT = "text/plain"

SEEN_BEFORE = "an earlier document has this docno; only the first is scored"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read: bytes (or text that a container had decoded already).

    `media_type` is `HTML` or `TEXT`; `charset` is the one of the HTTP header, where there was one;
    `path` says where the page came from (a file, a URL, ``archive.tar!member``, ``file#number`` of
    a record); `flags` are what the reader noticed, such as ``truncated``; `kept` are the values of
    the columns that are copied into its row; `language` is the one that the source states (a
    column, a header), in lower case: a BCP 47 tag (``de-at``) or an ISO 639 code (``deu``).

    >>> Page("flu", "flu.html", b"<p>You have flu.").media_type
    'text/html'
    """

    docno: str
    path: str
    content: bytes | str
    media_type: str = HTML
    charset: str | None = None
    url: str | None = None
    flags: tuple[str, ...] = ()
    kept: tuple[Any, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be scored: an error row, in the place of its score.

    `path` is that of the page, `stage` where it happened, as in `PageError`.
    """

    docno: str
    path: str
    stage: str
    error: str
