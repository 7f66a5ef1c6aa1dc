"""Read the text of files that a writer drops into the editor.

DOCX, ODT and PDF files are read in a child process, which is killed if it takes too long, because a
file may be malicious.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import PurePosixPath
from typing import cast

from understandability.errors import InputError, UnderstandabilityError
from understandability.inputs.office import OFFICE_SUFFIXES, read_office, require_office_extra
from understandability.text.analysis import document_of_page
from understandability.text.page import HTML, TEXT, Failure, Page
from understandability.text.parsed import parse_source
from understandability.writers.markdown import markdown_of

_MOST_BYTES = 50_000_000
_LARGE = 500_000  # bytes of HTML; more are read apart, and not for long
_TEXTS = (".txt", ".md", ".text")
# A heading in the older form of Markdown: "Flu" over a line of = or -.
_UNDERLINED = re.compile(
    r"(?:\A|(?<=\n\n))(?![-*#|>\s])(.{1,200})\n(=+|-{2,})[ \t]*$", re.MULTILINE
)
_PAGES = (".html", ".htm", ".xhtml")


def text_of_file(
    content: bytes, name: str, seconds: float = 20.0, charset: str | None = None
) -> dict[str, str]:
    """Return the text and the title of a file, whose format follows from the suffix of its name.

    `charset` is the encoding that a web server stated, if the file was fetched.

    Raises `InputError` if the type of the file is not supported, if it has no text, or if reading
    takes longer than `seconds`, and `MissingExtraError` if the package that reads it is missing.

    >>> text_of_file(b"<title>Flu</title><p>You have flu.</p>", "flu.html")["title"]
    'Flu'
    """
    name = PurePosixPath(name.replace("\\", "/")).name[:200] or "the file"
    suffix = PurePosixPath(name.lower()).suffix
    if suffix in OFFICE_SUFFIXES:
        require_office_extra(suffix)
        text, title = _read_apart(content, name, suffix, seconds)
    elif suffix in _PAGES and len(content) > _LARGE:
        text, title = _read_apart(content, name, f"{suffix} {charset or ''}", min(seconds, 5.0))
    elif suffix in (*_TEXTS, *_PAGES):
        text, title = _read_page(content, name, suffix, charset)
    else:
        allowed = ", ".join((*_PAGES, *_TEXTS, *OFFICE_SUFFIXES))
        raise InputError(f"{name} cannot be read: unsupported file type; use {allowed}")
    if not text.strip():
        raise InputError(f"{name} holds no text that could be read; paste the text instead")
    return {"text": text, "title": title}


def _read_page(content: bytes, name: str, suffix: str, charset: str | None) -> tuple[str, str]:
    """Return the text and title of an HTML page or a plain text."""
    media_type = HTML if suffix in _PAGES else TEXT
    page = Page(name, name, content, media_type, charset)
    document = document_of_page(page)
    source = parse_source(page).text
    if media_type == HTML:
        return markdown_of(document.blocks, source), document.title

    def heading(match: re.Match[str]) -> str:
        return f"{'#' if match[2][0] == '=' else '##'} {match[1]}"

    return _UNDERLINED.sub(heading, source.replace("\r\n", "\n")), document.title


def _read_apart(content: bytes, name: str, media_type: str, seconds: float) -> tuple[str, str]:
    """Return the text and title of a document that `main` reads in a child process."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__, *media_type.split()],
            input=content,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"{name} was not read within {seconds:g} seconds; save it again, or paste the text"
        ) from error
    except ValueError as error:
        raise InputError(
            f"{name} could not be read: its reader ended early; paste the text"
        ) from error
    if "error" in answer:
        raise InputError(f"{name}: {answer['error']}")
    return answer["text"], answer.get("title", PurePosixPath(name).stem)


def main() -> None:
    """Read a file from standard input and write its text, or the error, as JSON."""
    suffix, *charset = sys.argv[1:]
    stream = cast(io.BufferedReader, io.BytesIO(sys.stdin.buffer.read()))
    try:
        if suffix in _PAGES:
            text, title = _read_page(stream.read(), "file", suffix, charset[0] if charset else None)
            print(json.dumps({"text": text, "title": title}))
            return
        page = read_office(suffix, stream, "file", "file", _MOST_BYTES)
    except UnderstandabilityError as error:
        page = Failure("file", "file", "read", str(error))
    if isinstance(page, Failure):
        print(json.dumps({"error": page.error}))
    else:
        print(json.dumps({"text": page.content}))


if __name__ == "__main__":
    main()
