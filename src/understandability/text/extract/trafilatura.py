"""Text extraction by the library trafilatura, an optional extra."""

from __future__ import annotations

from understandability.text.document import Block
from understandability.text.parsed import ParsedPage


def trafilatura(parsed: ParsedPage) -> tuple[Block, ...]:
    """Return the lines of text that trafilatura extracts.

    All of them are kept, because trafilatura does not report what it drops.
    """
    import trafilatura as library

    text = library.extract(parsed.text, include_comments=False) if parsed.text.strip() else None
    lines = (line.removeprefix("- ").strip(" |") for line in (text or "").split("\n"))
    return tuple(Block(line, "p", True, "found by trafilatura") for line in lines if line)
