"""Feed mutated and random pages to the compiled core, and compare it with its reference in Python.

    python -m scripts.faults.fuzz_core [--inputs 2000] [--seed 1] [--sanitize] [PAGES]

Read are PAGES (files, folders or archives), the hostile pages of `hostile_pages`, and pieces of
PAGES and random markup that are full of what loops over bytes get wrong: quotes, references,
comments and tags without an end, characters of several bytes. Compared are what is read from the
source, the blocks and the document by each extractor. The first page that differs is printed, and
the status is 1.

With --sanitize the core is built under gcc's address and undefined-behaviour sanitizers, which end
the process at the first wrong access to memory; nothing is compared then.
"""

from __future__ import annotations

import argparse
import os
import random
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from inspect import isroutine
from itertools import takewhile
from pathlib import Path
from typing import Any

from scripts.faults import fuzz_extraction, hostile_pages
from scripts.shared import parser_of

from understandability import _core
from understandability.errors import PageError
from understandability.inputs.sources import read_pages
from understandability.text.analysis import document_of_page
from understandability.text.page import HTML, TEXT, Page
from understandability.text.parsed import parse_source

ROOT = Path(__file__).parents[2]
COMPILED = {
    name: value for name, value in vars(_core).items() if isroutine(value) and name[0] != "_"
}
REFERENCE: dict[str, Any] = runpy.run_path(str(ROOT / "tests" / "reference" / "core.py"))
# The folder of a core under sanitizers, for a process that finds it before the usual one.
WATCHED = "UNDERSTANDABILITY_WATCHED_CORE"
WITH_WATCHED = f"""
import os, runpy, understandability
understandability.__path__.insert(0, os.environ["{WATCHED}"])
runpy.run_module("scripts.faults.fuzz_core", run_name="__main__")
"""
MOST = 300_000  # bytes of a hostile page; larger ones say no more and take long
# Without a form feed by its number: blank to libxml2 and no character of XML, here the latter.
PARTS = [
    *fuzz_extraction.TEXTS,
    *fuzz_extraction.MARKUP,
    *"<>\"'=/&;#-!? \n\t\r\xa0\u2003\u2028\u00ad—|.:",
    *("<!--", "-->", "--!>", "</", "<?", "<a href='", '<b class="', "=\"<a ='\"'", "<É>", "<p a=b"),
    *(
        "<script",
        "<SCRIPT >",
        "</script",
        "</Script>",
        "<style>",
        "</style x>",
        "<title",
        "</title>",
    ),
    *("&amp", "&nbsp;", "&#x", "&#10;", "&#x2028;", "&#133;", "&#xD800;", "&Tab;", "&a;b"),
    *("&nGt;" * 9, "&#999999999999;", f"&#{'1' * 5000};", "&notit;", "&NewLine;", "&copy 1", "&é;"),
    *(
        "<br>",
        "<br/>",
        "<br><br>",
        "<hr>",
        "<td>",
        "<li>",
        "</ul>",
        "<dd>",
        "<h2>",
        "</h2>",
        "<nav>",
    ),
    *("<a>", "</a>", "<select><option>", "</select>", "<svg>", "<noscript>", "<textarea", "<img>"),
    *("<div class='comments'>", "<P ID=sidebar>", "<DIV\nclass='a\tfooter'>", "<table id=menu>"),
    *("<html lang=fr>", "<HTML xml:lang='en-GB'>", "<body class=thread>", "<title>Flu</title>"),
    *(
        " Rest. Drink!",
        " e.g. this",
        "Dr. Lee said.",
        "(1.) ",
        "it--that",
        "[1]",
        '."',
        "3.5",
        ":-)",
    ),
    "The flu is what most of the people had, and it is what they were told that it would be. ",
]


def dense(chance: random.Random, _: list[bytes]) -> bytes:
    """Nothing but what is hard to read."""
    return "".join(chance.choices(PARTS, k=chance.randrange(80))).encode("utf-8", "replace")


def spoiled(chance: random.Random, pages: list[bytes]) -> bytes:
    """A piece of a page with some of it."""
    page = chance.choice(pages)
    start = chance.randrange(len(page) + 1)
    data = bytearray(page[start : start + chance.randrange(100, 6000)])
    for _part in range(chance.randrange(30)):
        place = chance.randrange(len(data) + 1)
        part = chance.choice(PARTS).encode("utf-8", "replace")
        data[place : place + chance.randrange(4)] = part
    return bytes(data)


def inputs(options: argparse.Namespace) -> Iterator[tuple[str, Page]]:
    """All pages, with their names."""
    pages = [page for page in read_pages(*options.pages) if isinstance(page, Page)]
    contents = []
    for page in pages:
        yield f"page {page.docno}", page
        contents.append(page.content if isinstance(page.content, bytes) else page.content.encode())
    for name, make in hostile_pages.PAGES.items():
        if len(content := make()) < MOST:
            yield f"hostile {name}", Page("d", "-", content)
    makers = (dense, dense, spoiled, spoiled, spoiled, fuzz_extraction.random_markup)
    for number in range(options.inputs):
        chance = random.Random(f"{options.seed} {number}")
        content = chance.choice(makers)(chance, contents)
        yield f"input {number}", Page("d", "-", content, HTML if number % 20 else TEXT)


def outcome(page: Page) -> str:
    """All that comes of a page, in words."""
    try:
        parsed = parse_source(page)
    except PageError as error:
        return str(error)
    parts: list[object] = [
        parsed.tape.pieces(),
        sorted(parsed.tags.items()),
        dict(parsed.hints),
        parsed.flags,
    ]
    parts += [parsed.flags, parsed.title, parsed.language, parsed.declared_language]
    for extractor in fuzz_extraction.EXTRACTORS:
        document = document_of_page(page, extractor=extractor)
        parts += [document.blocks, document.pieces, document.sentence_starts]
        parts += [document.flags, document.open_ends]
    return repr(parts)


def by_reference(page: Page) -> str:
    """The outcome where each function of the core is the one of the reference."""
    try:
        for name in COMPILED:
            setattr(_core, name, REFERENCE[name])
        return outcome(page)
    finally:
        for name, function in COMPILED.items():
            setattr(_core, name, function)


def sanitized(arguments: Sequence[str]) -> int:
    """The status of this script in a process with a core that is watched."""
    with tempfile.TemporaryDirectory() as folder:
        flags = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
        building = {**os.environ, "CFLAGS": flags, "LDFLAGS": "-fsanitize=address,undefined"}
        command = [sys.executable, str(ROOT / "hatch_build.py"), folder]
        subprocess.run(command, env=building, check=True)
        find = ["gcc", "-print-file-name=libasan.so"]
        library = subprocess.run(find, capture_output=True, text=True, check=True).stdout.strip()
        watched = {
            **os.environ,
            WATCHED: folder,
            "LD_PRELOAD": library,
            "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": "detect_leaks=0",
        }
        command = [sys.executable, "-c", WITH_WATCHED, *arguments]
        return subprocess.run(command, env=watched, check=False).returncode


def main() -> int:
    parser = parser_of(__doc__, data=False)
    parser.add_argument("pages", nargs="*", default=["resources/samples"])
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sanitize", action="store_true")
    options = parser.parse_args()
    is_watched = WATCHED in os.environ
    if options.sanitize and not is_watched:
        return sanitized(sys.argv[1:])
    number = 0
    for name, page in inputs(options):
        number += 1
        result = outcome(page)
        if not is_watched and result != (wanted := by_reference(page)):
            same = takewhile(lambda pair: pair[0] == pair[1], zip(result, wanted, strict=False))
            start = max(0, sum(1 for _ in same) - 200)
            print(f"{name}: {page.content!r:.2000}")
            print(
                f"wanted: …{wanted[start : start + 400]}…\nfound: …{result[start : start + 400]}…"
            )
            return 1
    what = "no wrong access" if is_watched else "as by the reference"
    print(f"{number:,} pages, {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
