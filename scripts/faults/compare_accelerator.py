"""Read pages with the accelerator and without it, and compare all that comes of them.

    python -m scripts.faults.compare_accelerator [--inputs 2000] [--seed 1] [PAGES]

Read are PAGES (files, folders or archives), the hostile pages of `hostile_pages`, and pieces of
PAGES and random markup that are full of what loops over bytes get wrong: quotes, references,
comments and tags without an end, characters of several bytes. Compared are what is read from the
source, the blocks and the document by each extractor, and the scores of PAGES. Two processes do
the work. The status is 1 if anything differs, and the first page that does is printed.

A build that ends the process at the first wrong access to memory (many minutes):

    CFLAGS=-fsanitize=address,undefined pip install --target build/watched ./accelerator
    PYTHONMALLOC=malloc LD_PRELOAD=$(gcc -print-file-name=libasan.so) \\
        ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build/watched \\
        python -m scripts.faults.compare_accelerator
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence

from scripts.faults import fuzz_extraction, hostile_pages

from understandability.compiled import ACCELERATOR, VARIABLE
from understandability.errors import PageError
from understandability.inputs.sources import read_pages
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_page
from understandability.text.page import HTML, TEXT, Page
from understandability.text.parsed import parse_source

MOST = 2_000_000  # bytes of a hostile page; larger ones say no more and take long
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
    *("&amp", "&nbsp;", "&#x", "&#10;", "&#x2028;", "&#12;", "&#133;", "&#xD800;", "&Tab;", "&a;b"),
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


def outcome(page: Page, scorer: Scorer | None) -> str:
    """All that comes of a page, in words."""
    try:
        parsed = parse_source(page)
    except PageError as error:
        return str(error)
    parts: list[object] = [parsed.tape, dict(parsed.tags), parsed.hints, parsed.flags]
    parts += [parsed.title, parsed.language, parsed.declared_language]
    for extractor in fuzz_extraction.EXTRACTORS:
        document = document_of_page(page, extractor=extractor)
        parts += [document.blocks, document.pieces, document.sentence_starts]
        parts += [document.flags, document.open_ends]
        parts += scorer.rows([document]).to_pylist() if scorer else ()
    return repr(parts)


def work(options: argparse.Namespace) -> None:
    """Print whether the accelerator is used, and a checksum for each page."""
    print(json.dumps(ACCELERATOR is not None))
    scorer = Scorer()
    for name, page in inputs(options):
        if name == options.show:
            print(json.dumps([repr(page.content)[:2000], outcome(page, None)[:20_000]]))
        elif not options.show:
            result = outcome(page, scorer if name.startswith("page") else None)
            checksum = hashlib.sha256(result.encode("utf-8", "backslashreplace")).hexdigest()
            print(json.dumps([name, checksum]))


def outcomes(arguments: Sequence[str], switch: str) -> list[list[str]]:
    """What a process says of the pages with the accelerator, or with the switch set without."""
    process = subprocess.run(
        [sys.executable, "-m", "scripts.faults.compare_accelerator", "--work", *arguments],
        env={**os.environ, VARIABLE: switch},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    used, *lines = map(json.loads, process.stdout.splitlines())
    if used == bool(switch):
        raise SystemExit("the accelerator that is installed is one of another version")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pages", nargs="*", default=["resources/samples"])
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--show", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work:
        work(options)
        return 0
    if importlib.util.find_spec("understandability_accelerator") is None:
        print("the accelerator is not installed: pip install ./accelerator")
        return 1
    given = list(sys.argv[1:] if arguments is None else arguments)
    pure, fast = outcomes(given, "1"), outcomes(given, "")
    differ = [name for (name, one), (_, other) in zip(pure, fast, strict=True) if one != other]
    print(f"{len(pure):,} pages, {len(differ)} differ")
    if differ:
        for switch, what in (("1", "without"), ("", "with")):
            ((content, result),) = outcomes([*given, "--show", differ[0]], switch)
            print(f"{differ[0]} {what}: {content}\n{result}\n")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
