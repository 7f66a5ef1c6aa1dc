"""The longest document, and the failure for a document that is not read."""

from __future__ import annotations

from understandability.text.decoding import MAX_SIZE
from understandability.text.page import Failure

DEFAULT_LIMIT = 10_000_000  # decoded bytes


def too_long(limit: int) -> str:
    """Return the message for a document over the limit."""
    told = f"the document is longer than {limit / 1e6:g} MB; raise --limit-mb to read it"
    return f"{told} (HTML and text: to at most {MAX_SIZE // 10**6})"


def unread(path: str, why: object, docno: str = "") -> Failure:
    """Return the failure for a document that is not read; its path may serve as docno."""
    return Failure(docno or path, path, "read", str(why))
