"""Feed mutated and random pages to the compiled core, and compare it with its reference in Python.

    python -m scripts.faults.fuzz_core [--inputs 2000] [--seed 1] [--sanitize] [PAGES]

Read are PAGES, pieces of them, the hostile pages of `hostile_pages`, random bytes, deep nests, and
markup full of what loops over bytes get wrong. Compared are what is read from the source, the
blocks and the document by each extractor; and rules hold that hold for any page. The documents are
read on to their passages; what sums and tags these is called again with its tables spoiled, and is
to refuse them or to answer. The first page that differs, or breaks a rule, is printed, and the
status is 1. With --sanitize the core is built under gcc's address and undefined-behaviour
sanitizers, and nothing is compared.
"""

import argparse
import os
import random
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from inspect import isroutine
from itertools import takewhile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scripts.faults import hostile_pages
from scripts.shared import ROOT, parser_of

from understandability import _core
from understandability.errors import PageError
from understandability.feature.batch import Batch
from understandability.feature.word_counts import count_all
from understandability.inputs.sources import read_pages
from understandability.model.passages import passages
from understandability.model.sense import sense
from understandability.text.analysis import BUILT_IN_EXTRACTORS, document_of_page, extract
from understandability.text.page import HTML, TEXT, Page
from understandability.text.parsed import parse_page, parse_source
from understandability.text.sentences import SENTENCE_ENDS, fields
from understandability.text.tape import names

# What the reference replaces: all functions, and the only class that has one.
COMPILED = {
    name: value
    for name, value in vars(_core).items()
    if (isroutine(value) and name[0] != "_") or name == "SentenceCutter"
}
CORE = Path(_core.__file__).parent
REFERENCE: dict[str, Any] = runpy.run_path(str(ROOT / "tests" / "reference" / "core.py"))
# The folder with the core under sanitizers, for a process that finds it before the usual one.
WATCHED = "UNDERSTANDABILITY_WATCHED_CORE"
WITH_WATCHED = f"""
import os, runpy, understandability
understandability.__path__.insert(0, os.environ["{WATCHED}"])
runpy.run_module("scripts.faults.fuzz_core", run_name="__main__")
"""
MOST = 300_000  # bytes of a hostile page; larger ones say no more and take long
NAMES = sorted(
    names(
        """a abbr applet b base body br button center code col dd div dl dt em embed font form frame
frameset h1 h2 h6 head hr html i iframe img input li link meta noembed noframes noscript object ol
option p param plaintext pre q script select span strong style sub sup svg table tbody td template
textarea th title tr ul x-y o:p xmp image mi math 1 é"""
    )
)
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "iso2022-jp")
# Texts, ends and beginnings of markup. Without a form feed by its number: blank to libxml2 and no
# character of XML, here the latter.
PARTS = [
    *("", " ", "\n", "\t\r\n ", "\xa0", "\x0c", "\x01", "\0"),
    *"\u00ad\u2003\u2028\ufeff<>\"'=/&;#-!?|.:—©é\U0001f912",
    *("a" * 90, "日本語", "comments", "3 comments", "Reuters", "...", "1.5", ":-)", "[1]", '."'),
    *(" Rest. Drink!", " e.g. this", "Dr. Lee said.", "(1.) ", "it--that", "&copy 1"),
    *("Flu is a virus, and it is what most of them had. ", f"&#{'1' * 5000};", "&nGt;" * 9),
    *sorted(
        names(
            """&copy &amp &amp; &lt;b&gt; &nbsp; &#0; &#10; &#133; &#x &#x110000; &#x2028; &#xD800;
&#999999999999; &nosuch; &notit; &Tab; &NewLine; &a;b &é; <!-- <!--> <!---> --> --!> ]]> </ <! <?
<br> <br/> </br> <br><br> <hr> <td> <li> </ul> <dd> <h2> </h2> <nav> <p> </p> <a> </a> </html>
</body> <select><option> </select> <svg> <noscript> <textarea <img> <script </script </Script>
<style> <title <É> <p> <script>a<b</script>"""
        )
    ),
    *("<SCRIPT >", "</style x>", "<br />", "<a href='", '<b class="', '<p a="', "<p a=b"),
    *("<!-- x -->", "<![CDATA[ x ]]>", "<?xml version='1.0'?>", "<p a='>'>", "<p <b>"),
    *("<!DOCTYPE html>", "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'>"),
    *("<a name=x />", "<meta charset=utf-16>", "<title>Flu | Health</title>", "=\"<a ='\"'"),
    *("<div class='comments'>", "<P ID=sidebar>", "<DIV\nclass='a\tfooter'>", "<table id=menu>"),
    *("<html lang=fr>", "<html lang=de>", "<HTML xml:lang='en-GB'>", "<body class=thread>"),
    "The flu is what most of the people had, and it is what they were told that it would be. ",
]


def random_bytes(chance: random.Random, _: list[bytes]) -> bytes:
    return chance.randbytes(chance.randrange(200))


def markup(chance: random.Random, _: list[bytes]) -> bytes:
    """Tags that match and tags that do not, texts of all kinds, in some encoding."""
    parts = []
    for _part in range(chance.randrange(1, 60)):
        draw, name = chance.random(), chance.choice(NAMES)
        if draw < 0.5:
            parts.append(chance.choice(PARTS))
        elif draw < 0.8:
            parts.append(f"<{name}{chance.choice(('', '', ' class=x', '/', ' lang=en'))}>")
        else:
            parts.append(f"</{name}>")
    encoding = "utf-8" if chance.random() < 0.8 else chance.choice(ENCODINGS)
    return "".join(parts).encode(encoding, "replace")


def nest(chance: random.Random, _: list[bytes]) -> bytes:
    """One element in itself, and some of its ends."""
    name, depth = chance.choice(NAMES), chance.randrange(3000)
    ends = f"</{name}>" * chance.randrange(depth + 1)
    return (f"<{name}>" * depth + "Flu." + ends + "It ends.").encode()


def dense(chance: random.Random, _: list[bytes]) -> bytes:
    """Nothing but what is hard to read."""
    return "".join(chance.choices(PARTS, k=chance.randrange(80))).encode("utf-8", "replace")


def spoiled(chance: random.Random, pages: list[bytes]) -> bytes:
    """A piece of a page with some of it."""
    page = chance.choice(pages)
    start = chance.randrange(len(page) + 1)
    data = bytearray(page[start : start + chance.randrange(100, 6000)])
    for _part in range(chance.randrange(30)):
        offset = chance.randrange(len(data) + 1)
        part = chance.choice(PARTS).encode("utf-8", "replace")
        data[offset : offset + chance.randrange(4)] = part
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
    makers = (*[dense] * 4, *[spoiled] * 6, *[markup] * 4, random_bytes, nest)
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
    parts: list[object] = [parsed.tape.pieces(), sorted(parsed.tags.items()), dict(parsed.hints)]
    parts += [parsed.flags, parsed.title, parsed.language, parsed.declared_language]
    for extractor in BUILT_IN_EXTRACTORS:
        document = document_of_page(page, extractor=extractor)
        parts += [document.blocks, document.pieces, document.sentence_starts]
        parts += [document.flags, document.open_ends]
    return repr(parts)


# What reads tables by numbers that are given.
OF_TABLES = (
    "best_tags",
    "nuclei",
    "read_coherence",
    "read_sentences",
    "read_passages",
    "sum_rows",
)


def calls_of(page: Page) -> list[tuple[str, tuple[Any, ...]]]:
    """How the passages and counts of words of a page's documents ask `OF_TABLES`, if it has any."""
    calls = []

    def recorded(name: str) -> Any:
        def function(*arguments: Any) -> Any:
            calls.append((name, arguments))
            return COMPILED[name](*arguments)

        return function

    with patch.multiple(_core, **{name: recorded(name) for name in OF_TABLES}):
        try:
            batch = Batch([document_of_page(page, extractor=name) for name in BUILT_IN_EXTRACTORS])
        except PageError:
            return []
        passages(batch)
        sense(batch)
        count_all(batch)
    return calls


def spoil(chance: random.Random, table: NDArray[Any]) -> NDArray[Any]:
    """A copy with some numbers out of all bounds, or with fewer of them."""
    spoiled = table.copy()
    if chance.random() < 0.2:
        return spoiled[: chance.randrange(len(table) + 1)].copy()
    limits = np.iinfo(table.dtype) if table.dtype.kind in "iu" else None
    numbers = (-1, len(table), 1 << 20, -(1 << 31), (1 << 31) - 1)
    for _ in range(chance.randrange(1, 4)):
        number: float = chance.choice(numbers)
        if limits:
            number = min(max(number, int(limits.min)), int(limits.max))
        elif chance.random() < 0.5:
            number = float("nan")
        if table.size:
            spoiled.flat[chance.randrange(table.size)] = number
    return spoiled


def ask_for_what_is_not_there(chance: random.Random, page: Page) -> None:
    """Call what reads tables with each of them spoiled; it may raise, and no more."""
    for name, arguments in calls_of(page):
        for index, table in enumerate(arguments):
            if isinstance(table, np.ndarray) and table.flags.c_contiguous:
                own = [
                    argument.copy() if isinstance(argument, np.ndarray) else argument
                    for argument in arguments
                ]
                own[index] = spoil(chance, table)
                with suppress(IndexError, ValueError):
                    COMPILED[name](*own)


def check(page: Page) -> None:
    """Raise `AssertionError` where a rule is broken that holds for any page."""
    try:
        parsed = parse_page(page)
    except PageError as error:
        if error.stage != "decode":
            raise
        return
    if parsed.is_html:
        assert len(parsed.tape.pieces()) % 2 == 1, "the tape does not alternate"
        assert all(parsed.tape.pieces()[1::2]), "a tag without a name"
        assert min(parsed.tag_counts.values(), default=1) > 0, "a tag that is not there"
    for extractor in BUILT_IN_EXTRACTORS:
        blocks = extract(parsed, extractor)
        for block in blocks:
            assert block.text, "an empty block"
            assert block.text == block.text.strip(), f"white space around {block.text!r}"
            assert "  " not in block.text, f"white space in {block.text!r}"
            assert "\n" not in block.text, f"a line break in {block.text!r}"
        for policy in SENTENCE_ENDS:
            assert all(fields(blocks, policy)), "an empty field"


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
        core = Path(folder, "_core")  # a copy of the package, with its modules under sanitizers
        shutil.copytree(CORE, core, ignore=shutil.ignore_patterns("*.so"))
        command = [sys.executable, str(ROOT / "hatch_build.py"), str(core)]
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
    parser = parser_of(__doc__, data=False, inputs=2000, seed=1)
    parser.add_argument("pages", nargs="*", default=["resources/samples"])
    parser.add_argument("--sanitize", action="store_true")
    options = parser.parse_args()
    is_watched = WATCHED in os.environ
    if options.sanitize and not is_watched:
        return sanitized(sys.argv[1:])
    number = 0
    for name, page in inputs(options):
        number += 1
        result = outcome(page)
        try:
            check(page)
            ask_for_what_is_not_there(random.Random(f"{options.seed} {name}"), page)
        except (AssertionError, PageError) as error:
            print(f"{name}: {error}: {page.content!r:.2000}")
            return 1
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
