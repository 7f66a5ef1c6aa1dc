"""Pages that hang, crash, eat memory or raise, planted into worker processes by tests.

A process that starts with this folder on its path does to a page what the page's text says.
"""

import os
import resource
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from understandability import scoring
from understandability.inputs import arrow_files, sources
from understandability.text.document import Document
from understandability.text.page import Failure, Page

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
_document_or_failure = scoring.document_or_failure
_rows = scoring.Scorer.rows


def document_or_failure(page: Page, settings: scoring.Settings) -> Document | Failure:
    content = page.content if isinstance(page.content, bytes) else page.content.encode()
    if b"HANG" in content:
        while True:
            pass
    if b"SLEEP" in content:
        time.sleep(60)
    if b"CRASH" in content:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"EXIT" in content:
        os._exit(3)
    if b"EAT" in content:
        hoard = []
        while True:
            hoard.append(b"x" * 20_000_000)
            time.sleep(0.01)
    if b"STARVE-IF" in content:
        if Path(content.partition(b"STARVE-IF:")[2].partition(b":")[0].decode()).exists():
            raise MemoryError("planted")
    elif b"STARVE" in content:
        raise MemoryError("planted")
    if b"SLOW" in content:
        end = time.process_time() + float(content.partition(b"SLOW:")[2].partition(b":")[0])
        while time.process_time() < end:
            pass
    if b"LACK" in content:
        raise OSError(24, "Too many open files")
    if b"ONCE" in content:
        already = Path(content.partition(b"ONCE:")[2].partition(b":")[0].decode())
        if not already.exists():
            already.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return _document_or_failure(page, settings)


def rows(self: scoring.Scorer, documents: Sequence[Document]) -> Any:
    pieces = {piece for document in documents for piece in document.pieces}
    for piece in pieces:
        if "RAISE-IF:" in piece:
            if Path(piece.partition("RAISE-IF:")[2].partition(":")[0]).exists():
                raise ZeroDivisionError("planted")
        elif "RAISE" in piece:
            raise ZeroDivisionError("planted")
    if any("LINGER" in piece for piece in pieces):
        while True:
            pass
    return _rows(self, documents)


def read_arrow_pages(stream: Any, path: str, limit: int, tables: Any) -> Iterator[Page | Failure]:
    for record in arrow_files.read_arrow_pages(stream, path, limit, tables):
        content = str(getattr(record, "content", ""))
        if "READER-DIES" in content:
            os.kill(os.getpid(), signal.SIGSEGV)
        if "READER-HANGS" in content:
            time.sleep(600)
        already = Path(f"{path}.once")
        if "READER-ONCE" in content and not already.exists():
            already.touch()
            os._exit(3)
        yield record


def open_stream(path: str) -> Any:
    if Path(f"{path}.unreachable").exists():
        raise OSError(5, "Input/output error")
    return _open_stream(path)


def typed_columns(path: str) -> Any:
    if "schema-dies" in path:
        os.kill(os.getpid(), signal.SIGSEGV)
    return _typed_columns(path)


_typed_columns, sources.typed_columns = sources.typed_columns, typed_columns
_open_stream, sources.open_stream = sources.open_stream, open_stream
sources.TABLE_SUFFIXES[".arrow"] = read_arrow_pages
scoring.document_or_failure = document_or_failure
scoring.Scorer.rows = rows  # type: ignore[method-assign]
