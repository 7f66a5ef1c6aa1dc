"""Feed random pages to decoding, parsing and all extractors, and watch for what must not be.

    python -m scripts.faults.fuzz_extraction [--inputs 100000] [--seed 1] [PAGES]

Inputs are random bytes, random sequences of markup, and pieces of PAGES (files or folders) that
are cut, joined, and damaged. Each must end in blocks or in a refusal while decoding; no other
exception, no text with white space left in it, no tape that does not alternate. Every tenth is
also read by jusText itself (nothing that nests deeper than it can read); pages that it reads
otherwise are counted. The first input that breaks a rule is printed and ends the run with
status 1.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

from scripts.shared import parser_of

from understandability.errors import PageError
from understandability.inputs.sources import read_pages
from understandability.text.extract.extractors import extract
from understandability.text.page import HTML, TEXT, Page
from understandability.text.parsed import ParsedPage, parse_page
from understandability.text.sentences import SENTENCE_ENDS, fields
from understandability.text.tape import names

EXTRACTORS = ("main", "naive", "boilerpipe", "justext")
NAMES = sorted(
    names(
        """a abbr applet b base body br button center code col dd div dl dt em embed font form frame
frameset h1 h2 h6 head hr html i iframe img input li link meta noembed noframes noscript object ol
option p param plaintext pre q script select span strong style sub sup svg table tbody td template
textarea th title tr ul x-y o:p xmp image mi math 1 é"""
    )
)
TEXTS = [
    " ",
    "",
    "\n",
    "\t\r\n ",
    "\xa0",
    "Flu is a virus, and it is what most of them had. ",
    "a" * 90,
    "comments",
    "3 comments",
    "©",
    "&copy",
    "&amp;",
    "&lt;b&gt;",
    "&#0;",
    "&#x110000;",
    "&nosuch;",
    "]]>",
    "-->",
    "\u2028",
    "\u00ad",
    "\ufeff",
    "é",
    "日本語",
    "\U0001f912",
    "\x0c",
    "\x01",
    "\0",
    "<",
    ">",
    "</",
    "<!",
    "<?",
    "'",
    '"',
    "=",
    "/",
    "Reuters",
    "|",
    "...",
    "1.5",
]
MARKUP = [
    "<!-- x -->",
    "<!--",
    "<!-->",
    "<!--->",
    "--!>",
    "<![CDATA[ x ]]>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE html>",
    "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'>",
    "<br/>",
    "<br />",
    "</br>",
    "</p>",
    "</html>",
    "</body>",
    "<a name=x />",
    "<p <b>",
    "<p a='>'>",
    '<p a="',
    "<script>a<b</script>",
    "<html lang=de>",
    "<meta charset=utf-16>",
    "<title>Flu | Health</title>",
]
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "iso2022-jp")

# Characters that a reference may name (&#16;) and that are U+FFFD in our texts.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b]")

Make = Callable[[random.Random, list[bytes]], bytes]


def random_bytes(chance: random.Random, _: list[bytes]) -> bytes:
    return chance.randbytes(chance.randrange(200))


def random_markup(chance: random.Random, _: list[bytes]) -> bytes:
    """Tags that match and tags that do not, texts of all kinds, in some encoding."""
    parts = []
    for _part in range(chance.randrange(1, 60)):
        kind = chance.random()
        name = chance.choice(NAMES)
        if kind < 0.35:
            parts.append(chance.choice(TEXTS))
        elif kind < 0.65:
            parts.append(f"<{name}{chance.choice(('', '', ' class=x', '/', ' lang=en'))}>")
        elif kind < 0.85:
            parts.append(f"</{name}>")
        else:
            parts.append(chance.choice(MARKUP))
    encoding = "utf-8" if chance.random() < 0.8 else chance.choice(ENCODINGS)
    return "".join(parts).encode(encoding, "replace")


def random_nesting(chance: random.Random, _: list[bytes]) -> bytes:
    name = chance.choice(NAMES)
    depth = chance.randrange(3000)
    ends = f"</{name}>" * chance.randrange(depth + 1)
    return (f"<{name}>" * depth + "Flu." + ends + "It ends.").encode()


def damaged_page(chance: random.Random, pages: list[bytes]) -> bytes:
    """Pieces of real pages, with bytes changed, doubled, left out."""
    data = bytearray()
    for _piece in range(chance.randrange(1, 4)):
        page = chance.choice(pages)
        start = chance.randrange(len(page) + 1)
        data += page[start : start + chance.randrange(1, 3000)]
    for _damage in range(chance.randrange(8)):
        place = chance.randrange(len(data) + 1)
        data[place : place + chance.randrange(3)] = chance.choice(
            (b"", b"<", b">", b'"', b"\0", b"&", b"/", chance.randbytes(2))
        )
    return bytes(data)


def check(content: bytes, media_type: str, with_library: bool) -> str:
    """Read one input; the outcome in a word. Raises `AssertionError` where a rule is broken."""
    try:
        parsed = parse_page(Page("fuzz", "-", content, media_type))
    except PageError as error:
        if error.stage == "decode":
            return "refused"
        raise
    if parsed.is_html:
        assert len(parsed.tape.pieces()) % 2 == 1, "the tape does not alternate"
        assert all(parsed.tape.pieces()[1::2]), "a tag without a name"
        assert min(parsed.tag_counts.values(), default=1) > 0, "a tag that is not there"
    _ = parsed.title, parsed.language
    for extractor in EXTRACTORS:
        blocks = extract(parsed, extractor)
        for block in blocks:
            assert block.text == block.text.strip(), f"white space around {block.text!r}"
            assert block.text, "an empty block"
            assert "  " not in block.text, f"white space in {block.text!r}"
            assert "\n" not in block.text, f"a line break in {block.text!r}"
        for policy in SENTENCE_ENDS:
            assert all(fields(blocks, policy)), "an empty field"
    if parsed.is_html and with_library and not parsed.flags:
        # Of a page that does not begin like one, the library reads what lies in <body> alone.
        whole = parse_page(Page("fuzz", "-", f"<!DOCTYPE html>{parsed.text}"))
        if whole.tag_counts["html"] < 2 and not _agree(whole):  # it reads nothing behind </html>
            return "html that jusText reads otherwise"
    return "html" if parsed.is_html else "text"


def _agree(parsed: ParsedPage) -> bool:
    """Whether jusText finds the same paragraphs and classes, or cannot read the page."""
    try:
        theirs = extract(parsed, "justext", "reference")
    except PageError:
        return True
    ours = [block for block in extract(parsed, "justext") if not block.reason.startswith("behind")]
    return [(block.text, block.kept) for block in ours] == [
        (_CONTROL.sub("\ufffd", block.text), block.kept) for block in theirs
    ]


def main() -> int:
    parser = parser_of(__doc__, data=False)
    parser.add_argument("pages", nargs="*", default=["resources/samples"])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pages = [
        page.content.encode() if isinstance(page.content, str) else page.content
        for page in read_pages(*options.pages)
        if isinstance(page, Page)
    ]
    makers: tuple[Make, ...] = (
        random_bytes,
        *[random_markup] * 5,
        random_nesting,
        *[damaged_page] * 3,
    )
    outcomes: Counter[str] = Counter()
    start = time.monotonic()
    for number in range(options.inputs):
        chance = random.Random(f"{options.seed} {number}")
        make = chance.choice(makers)
        content = make(chance, pages)
        media_type = HTML if chance.random() < 0.95 else TEXT
        try:
            outcomes[
                check(content, media_type, number % 10 == 0 and make is not random_nesting)
            ] += 1
        except Exception as error:
            print(f"input {number} of seed {options.seed}: {content!r}")
            print(f"{type(error).__name__}: {error}")
            return 1
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    print(f"{options.inputs:,} inputs in {time.monotonic() - start:.0f} s: {counts}; no failure")
    return 0


if __name__ == "__main__":
    sys.exit(main())
