"""Bytes to a page that is decoded and parsed once.

In: a `Page` as it was read. Out: a `ParsedPage`, with a guess of its language.

`decoding` finds the encoding, `encodings` are their names; `parsed` makes the page, `tape` is its
one parse as a flat list of tags and texts; `language_guess` guesses; `characters` finds what is not
ASCII.
"""

from __future__ import annotations

from understandability.pages.language_guess import stop_words
from understandability.pages.parsed import ParsedPage, parse_page, parse_source
from understandability.pages.tape import names, text_of_unparsed

__all__ = [
    "ParsedPage",
    "names",
    "parse_page",
    "parse_source",
    "stop_words",
    "text_of_unparsed",
]
