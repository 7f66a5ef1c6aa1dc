"""A page as it was read, and the failure that replaces a page that could not be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from understandability.flags import FlagName

HTML = "text/html"
TEXT = "text/plain"
MARKDOWN = "text/markdown"

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,3}", re.I)

SEEN_BEFORE = "an earlier document has this docno; only the first is scored"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read: its bytes, or its text if a container had decoded it already.

    Attributes:
        docno: the id.
        path: where the page came from: a file, a URL, ``archive.tar!member``, or ``file#number``
            for a record.
        media_type: `HTML`, `TEXT` or `MARKDOWN`.
        charset: the encoding that the HTTP header names, if there was one.
        flags: what was unusual when the page was read, such as ``truncated``.
        kept: the values of the columns that are copied into the row of the page.
        language: the language that the user states (a column, an option), in lower case: a BCP 47
            tag (``de-at``) or an ISO 639 code (``deu``).
        claimed_language: the language that a header claims (``Content-Language``), in the same
            form. It counts only if neither the user nor the markup names a language.

    >>> Page("flu", "flu.html", b"<p>You have flu.").media_type
    'text/html'
    """

    docno: str
    path: str
    content: bytes | str
    media_type: str = HTML
    charset: str | None = None
    url: str | None = None
    flags: tuple[FlagName, ...] = ()
    kept: tuple[Any, ...] = ()
    language: str | None = None
    claimed_language: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be scored: an error row instead of a score.

    `path` is the path of the page, and `stage` the stage of the error, as in `PageError`.
    """

    docno: str
    path: str
    stage: str
    error: str


def stated_language(value: object) -> str | None:
    """Return a stated language in the form of `Page.language`; None if it is no language code.

    Of a list separated by commas, the first entry counts.

    >>> stated_language("de-AT"), stated_language("eng,fra"), stated_language("Python")
    ('de-at', 'eng', None)
    """
    if not isinstance(value, str):
        return None
    first = value.partition(",")[0].strip()
    return first.lower().replace("_", "-") if _LANGUAGE.fullmatch(first) else None
