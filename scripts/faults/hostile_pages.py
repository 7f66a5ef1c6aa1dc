"""Run every extractor over hostile pages, each time in a process of its own.

    python -m scripts.faults.hostile_pages [NAME ...] [--score] [--extractor NAME] [--seconds 2]

Prints the outcome of each page, the processor seconds and the peak memory.
Pages with text hold a word that must be in a block, kept or dropped, or the page must be refused.
The status is 1 if a limit was passed, the word lost, or a process died.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
import resource
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.shared import megabytes_of, parser_of

from understandability.crawls.processes import ChildProcess, connected_to_parent
from understandability.errors import PageError
from understandability.text.analysis import (
    BUILT_IN_EXTRACTORS,
    DEFAULT_SENTENCE_ENDS,
    document_of,
    document_of_text,
    extract,
    parse_for,
)
from understandability.text.page import HTML, TEXT, Page

if TYPE_CHECKING:
    from understandability.scoring import Scorer

WORD = "epistaxis"
SENTENCE = f"What most of the people call a nose bleed is {WORD} in the words of a doctor. "
PARAGRAPH = f"<p>{SENTENCE * 5}</p>\n"
MB = 1_000_000
_SECONDS = 120  # of a page, before it hangs


def _repeated(text: str, size: int) -> str:
    return text * (size // len(text))


# Name: the page, which holds PARAGRAPH (or SENTENCE) unless there is no text in it.
PAGES: dict[str, Callable[[], bytes | str]] = {
    "100,000 nested div": lambda: "<div>" * 100_000 + PARAGRAPH,
    "100,000 nested b": lambda: "<b>" * 100_000 + PARAGRAPH,
    "100,000 nested div, closed": lambda: (
        "<div>" * 100_000 + PARAGRAPH + "</div>" * 100_000 + PARAGRAPH
    ),
    "100,000 nested lists": lambda: "<ul><li>" * 100_000 + PARAGRAPH,
    "100,000 nested links": lambda: "<a href=x>" * 100_000 + PARAGRAPH,
    "30,000 short paragraphs": lambda: "<p>Ha.</p>" * 30_000 + PARAGRAPH,
    "30,000 short headings": lambda: "<h2>Ha.</h2>" * 30_000 + PARAGRAPH,
    "30,000 near good paragraphs": lambda: (
        "<p>This is what one of them said to the other of them in the house of the two.</p>"
        * 30_000
        + PARAGRAPH
    ),
    "200,000 inline tags": lambda: "<p>" + "<i>a</i> " * 200_000 + PARAGRAPH,
    "200,000 links": lambda: "<a href=x>a</a> " * 200_000 + PARAGRAPH,
    "200,000 line breaks": lambda: "a<br>" * 200_000 + PARAGRAPH,
    "200,000 options": lambda: "<select>" + "<option>a" * 200_000 + "</select>" + PARAGRAPH,
    "a million attributes": lambda: (
        "<p " + " ".join(f"a{number}" for number in range(1_000_000)) + ">" + PARAGRAPH
    ),
    "100,000 attributes": lambda: (
        "<p " + " ".join(f"a{number}" for number in range(100_000)) + ">" + PARAGRAPH
    ),
    "100,000 attributes with tags in them": lambda: (
        "<p " + " ".join(f'a{number}="<b>"' for number in range(100_000)) + ">" + PARAGRAPH
    ),
    "100,000 tags within each other's quotes": lambda: "<a" + "=\"<a ='\"'" * 100_000 + PARAGRAPH,
    "a script with 5,000 tags of 160 attributes": lambda: (
        PARAGRAPH
        + "<script>"
        + f"'</' <x {' '.join(f'a{number}' for number in range(160))}  " * 5_000
        + "</script>"
        + PARAGRAPH
    ),
    "a tag's name of a megabyte": lambda: "<" + "a" * MB + PARAGRAPH,
    "60,000 paragraphs in a heading": lambda: "<h1>" + "<p>a" * 60_000 + PARAGRAPH + "<p>a",
    "a million end tags": lambda: "</p>" * 1_000_000 + PARAGRAPH,
    "a million unknown end tags": lambda: "</x>" * 1_000_000 + PARAGRAPH,
    "100,000 open elements, and ends of others": lambda: (
        "<div>" * 100_000 + PARAGRAPH + "</section>" * 100_000
    ),
    "a million <": lambda: "<" * 1_000_000 + PARAGRAPH,
    "five million tags": lambda: "<b>" * 5_000_000 + PARAGRAPH,
    "a million comments": lambda: "<!---->" * 1_000_000 + PARAGRAPH,
    "a million entities": lambda: "<p>" + "&eacute; " * 1_000_000 + PARAGRAPH,
    "a million numeric entities": lambda: "<p>" + "&#8217;" * 1_000_000 + PARAGRAPH,
    "a million &lt;": lambda: "<p>" + "&lt;" * 1_000_000 + PARAGRAPH,
    "a bomb of entities": lambda: (
        '<!DOCTYPE x [<!ENTITY a "ha">'
        + "".join(
            f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        )
        + "]><p>&i;"
        + PARAGRAPH
    ),
    "50 MB of paragraphs": lambda: _repeated(PARAGRAPH, 50 * MB),
    "11 MB of paragraphs": lambda: _repeated(PARAGRAPH, 11 * MB),
    "11 MB of paragraphs with an emoji": lambda: _repeated(PARAGRAPH, 11 * MB) + "\U0001f912",
    "11 MB of one paragraph": lambda: "<p>" + _repeated(SENTENCE, 11 * MB),
    "11 MB of one paragraph with an emoji": lambda: (
        "<p>" + _repeated(SENTENCE, 11 * MB) + "\U0001f912"
    ),
    "11 MB of links": lambda: _repeated(f"<a href=/x>{SENTENCE}</a> and on. ", 11 * MB) + PARAGRAPH,
    "11 MB of tags": lambda: _repeated("<td>a</td>", 11 * MB) + PARAGRAPH,
    "10 MB on one line": lambda: "<p>" + "a" * (10 * MB) + PARAGRAPH,
    "10 MB of white space": lambda: "<p>" + " \n" * (5 * MB) + PARAGRAPH,
    "10 MB of full stops": lambda: "<p>" + "." * (10 * MB) + PARAGRAPH,
    "10 MB of nested tables": lambda: _repeated("<table><tr><td>", 10 * MB) + PARAGRAPH,
    "10 MB in an attribute": lambda: f'<p title="{"a" * (10 * MB)}">' + PARAGRAPH,
    "10 MB in a script": lambda: "<script>" + "a<b;" * (10 * MB // 4) + "</script>" + PARAGRAPH,
    "unclosed script": lambda: PARAGRAPH.replace(WORD, "it") + "<script>a < b;\n" + PARAGRAPH,
    "unclosed style": lambda: PARAGRAPH.replace(WORD, "it") + "<style>p { }\n" + PARAGRAPH,
    "unclosed comment": lambda: PARAGRAPH.replace(WORD, "it") + "<!-- begin\n" + PARAGRAPH,
    "unclosed title": lambda: "<title>Nose" + PARAGRAPH,
    "unclosed textarea": lambda: "<textarea>Nose" + PARAGRAPH,
    "unclosed iframe": lambda: "<iframe src=x>" + PARAGRAPH,
    "unclosed quote": lambda: '<p title="a>' + PARAGRAPH,
    "unclosed quote after text": lambda: (
        PARAGRAPH.replace(WORD, "it") + "<a href='x>more</a>" + PARAGRAPH * 3 + "<p>It isn't.</p>"
    ),
    "unclosed noscript": lambda: PARAGRAPH.replace(WORD, "it") + "<noscript>" + PARAGRAPH,
    "unclosed template": lambda: PARAGRAPH.replace(WORD, "it") + "<template>" + PARAGRAPH,
    "unclosed object": lambda: PARAGRAPH.replace(WORD, "it") + "<object>" + PARAGRAPH,
    "100,000 unclosed quotes": lambda: '<p title="a>' * 100_000 + PARAGRAPH,
    "100,000 unclosed objects": lambda: "<object>a" * 100_000 + PARAGRAPH,
    "100,000 unclosed scripts": lambda: "<script>a" * 100_000 + PARAGRAPH,
    "100,000 unclosed comments": lambda: "<!-- a" * 100_000 + PARAGRAPH,
    "plaintext": lambda: "<plaintext>" + PARAGRAPH,
    "text behind </html>": lambda: "<html><body>Hello.</body></html>" + PARAGRAPH,
    "two pages in one": lambda: f"<html><body>Hello.</body></html><html><body>{PARAGRAPH}",
    "no body": lambda: "<html>" + PARAGRAPH,
    "only a head": lambda: f"<head><title>{SENTENCE}</title>",
    "a frameset": lambda: f"<frameset><frame src=x></frameset><noframes>{PARAGRAPH}</noframes>",
    "NULs": lambda: PARAGRAPH.replace(" ", " \0").encode() * 2,
    "control characters": lambda: PARAGRAPH.replace("What", "\x01\x02What\x0c").encode(),
    "lone surrogates": lambda: "\ud83d" + PARAGRAPH + "\ude00",
    "UTF-16 with a byte order mark": lambda: PARAGRAPH.encode("utf-16"),
    "UTF-16-BE without a byte order mark": lambda: PARAGRAPH.encode("utf-16-be"),
    "UTF-16-LE without a byte order mark": lambda: PARAGRAPH.encode("utf-16-le"),
    "UTF-8 cut in a character": lambda: PARAGRAPH.encode() + "é".encode()[:1],
    "unknown charset": lambda: b'<meta charset="klingon">' + PARAGRAPH.encode(),
    "charset that is not ASCII": lambda: '<meta charset="ütf-8">'.encode() + PARAGRAPH.encode(),
    "UTF-7": lambda: b"<meta charset=utf-7>" + PARAGRAPH.encode(),
    "XML": lambda: f'<?xml version="1.0"?><feed><entry>{PARAGRAPH}</entry></feed>',
    "JSON": lambda: json.dumps({"text": [SENTENCE] * 5}),
    "PDF": lambda: b"%PDF-1.7\n" + PARAGRAPH.encode(),
    "PNG": lambda: b"\x89PNG\r\n\x1a\n" + zlib.compress(SENTENCE.encode()) * 50,
    "gzip": lambda: gzip.compress(PARAGRAPH.encode()),
    "a pickle": lambda: pickle.dumps(list(range(1000))),
    "empty": lambda: b"",
    "blank": lambda: b" \r\n\t" * 1000,
    "only a script": lambda: b"<script>document.write('Hello')</script>",
    "only an image": lambda: b"<img src=x>",
    "plain text, 11 MB on one line": lambda: "a " * (11 * MB // 2) + SENTENCE,
    "a page address of a megabyte": lambda: "<p>http://" + "a/" * (MB // 2) + " " + SENTENCE,
    "addresses of a thousand letters": lambda: (
        "<p>" + " ".join(f"http://{'a/' * 490}{number}" for number in range(9_000)) + PARAGRAPH
    ),
    "a megabyte of ?!": lambda: "<p>" + "?!" * (MB // 2) + " " + SENTENCE,
    "300,000 textareas": lambda: "<textarea>" * 300_000 + PARAGRAPH,
    "300,000 closed textareas": lambda: "<textarea>a</textarea>" * 300_000 + PARAGRAPH,
    "900,000 textareas": lambda: "<textarea>" * 900_000 + PARAGRAPH,
    "300,000 titles": lambda: "<title>" * 300_000 + PARAGRAPH,
    "9 MB of initials": lambda: "<p>" + "A. B. C. " * MB + PARAGRAPH,
    "9 MB of short sentences": lambda: "<p>" + SENTENCE + "Go. " * (9 * MB // 4),
    "a million different words": lambda: (
        "<p>" + SENTENCE + " ".join(f"w{number}x" for number in range(MB))
    ),
    "plain text, a million lines": lambda: "a\n" * 1_000_000 + SENTENCE,
    "plain text, a million blank lines": lambda: "\n \n" * 1_000_000 + SENTENCE,
}
# These have no text, or nothing that an extractor keeps.
WITHOUT_TEXT = {
    "PDF", "PNG", "gzip", "a pickle", "empty", "blank", "only a script", "only an image",
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """The outcome of one page with one extractor."""

    result: str
    seconds: float
    megabytes: float
    lost: bool


def measure(name: str, extractor: str, options: argparse.Namespace) -> Outcome:
    """Extract, or score, a page in a process of its own."""
    child = ChildProcess("from scripts.faults.hostile_pages import answer; answer()")
    child.send((options.megabytes, options.score))
    child.send((name, PAGES[name](), extractor))
    message = child.receive(_SECONDS)
    died = "" if message else child.cause_of_death() if child.has_ended else "it hangs"
    child.stop()
    return pickle.loads(message) if message else Outcome(f"died: {died}", 0.0, 0.0, True)


def answer() -> None:
    """Extract one page in this process, with no more memory than twice the limit."""
    with connected_to_parent() as connection:
        megabytes, score = pickle.loads(connection.recv_bytes())
        resource.setrlimit(resource.RLIMIT_AS, (2 * megabytes * MB,) * 2)
        scorer = None
        if score:
            from understandability.scoring import (
                Scorer,
            )  # no page that is only extracted waits for it

            scorer = Scorer()
            scorer.rows([document_of_text(SENTENCE)])  # loads what the first page would wait for
        name, content, extractor = pickle.loads(connection.recv_bytes())
        page = Page(name, "-", content, TEXT if name.startswith("plain text") else HTML)
        del content
        connection.send_bytes(pickle.dumps(measured(page, extractor, scorer)))
        connection.recv_bytes()  # until the other end goes


def measured(page: Page, extractor: str, scorer: Scorer | None) -> Outcome:
    """The outcome of a page."""
    start = time.process_time()
    lost = False
    try:
        parsed = parse_for(page, extractor)
        blocks = extract(parsed, extractor)
        words = sum(len(block.text.split()) for block in blocks if block.kept)
        result = f"{words:,} words"
        if scorer:
            document = document_of(
                parsed, blocks, extractor=extractor, sentence_ends=DEFAULT_SENTENCE_ENDS
            )
            row = scorer.rows([document]).to_pylist()[0]
            result += f", {row['words']:,} scored {row['flags']}"
        seconds = time.process_time() - start
        is_extracted = WORD in parsed.title or any(WORD in block.text for block in blocks)
        lost = not is_extracted and page.docno not in WITHOUT_TEXT
    except PageError as error:
        seconds = time.process_time() - start
        result = f"{error.stage}: {error}"
    return Outcome(result, seconds, megabytes_of("self", "VmHWM"), lost)


def main() -> int:
    parser = parser_of(__doc__, data=False, seconds=2.0, megabytes=600)
    parser.add_argument("names", nargs="*", help="pages by name; all")
    parser.add_argument("--score", action="store_true", help="score the text as well")
    parser.add_argument("--extractor", choices=BUILT_IN_EXTRACTORS, action="append", help="all")
    options = parser.parse_args()
    failed = 0
    print("| page | extractor | result | seconds | MB |\n|---|---|---|---|---|")
    for name in options.names or PAGES:
        for extractor in options.extractor or BUILT_IN_EXTRACTORS:
            outcome = measure(name, extractor, options)
            bad = (
                outcome.lost
                or outcome.seconds > options.seconds
                or outcome.megabytes > options.megabytes
            )
            failed += bad
            print(
                f"| {name} | {extractor} | {outcome.result}{' LOST' * outcome.lost} "
                f"| {outcome.seconds:.2f} | {outcome.megabytes:.0f} |{' FAILED' * bad}",
                flush=True,
            )
    print(f"\n{len(options.names or PAGES)} pages, {failed} failures")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
