"""Raw bytes in; a decoded page with one shared parse, and a guess of its language, out.

`decoding` finds the encoding, `parsed` makes the page, `tape` is its one parse as a flat list of
tags and texts, `labels` are the encodings' names, `language` guesses, and
`characters` finds what is not ASCII.
"""

from __future__ import annotations

from understandability.pages.language_guess import stop_words
from understandability.pages.parsed import ParsedPage, parse_page
from understandability.pages.tape import Tape, names, text_of_unparsed

__all__ = ["ParsedPage", "Tape", "names", "parse_page", "stop_words", "text_of_unparsed"]
