"""A process that makes rows of pages; `main` is its program, and `workers` its parent.

A signal ends it when pages take too long: the kernel's timers need neither Python nor the parent to
be alive. Processor time counts, so that a busy machine gives the same rows as an idle one; time by
the clock ends a page that waits for ever.
"""

from __future__ import annotations

import logging
import pickle
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import pyarrow as pa

from understandability.crawls.child import parent
from understandability.text.page import Failure, Page

if TYPE_CHECKING:
    from understandability.scoring import RowMaker

READY = EXTRACTED = b""
# What a process ends by whose time is over; Windows has neither, and no crawl folders.
OUT_OF_TIME = tuple(
    getattr(signal, name) for name in ("SIGPROF", "SIGALRM") if hasattr(signal, name)
)
_BY_THE_CLOCK = 10  # times the limit of processor time


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of pages as an Arrow stream, and the failures with the numbers of their pages.

    Or, in the place of both, the `error` that scoring them together ended with.
    """

    rows: bytes = b""
    failures: tuple[tuple[int, Failure], ...] = ()
    error: str = ""


def main() -> None:
    """Answer until the socket closes."""
    for number in OUT_OF_TIME:
        signal.signal(number, signal.SIG_DFL)
    logging.disable(logging.WARNING)  # the parent has told what there is to tell of the settings
    with parent() as connection:
        from understandability.text.analysis import document_of_text

        maker: RowMaker = pickle.loads(connection.recv_bytes())
        maker.rows([document_of_text("A text.")])  # loads what the first page would wait for
        connection.send_bytes(READY)
        while True:
            pages, seconds = pickle.loads(connection.recv_bytes())
            answer = _answer(maker, pages, seconds, connection)
            _allow(0)
            connection.send_bytes(pickle.dumps(answer))


def _answer(
    maker: RowMaker, pages: Sequence[Page], seconds: float, connection: Connection
) -> Answer:
    """Make rows of pages; many have the time for each one's text, and again for all rows."""
    from understandability.scoring import document_or_failure
    from understandability.text.document import Document

    results = []
    for page in pages:
        _allow(seconds)
        results.append(document_or_failure(page, maker.settings))
    if len(pages) > 1:
        _allow(seconds)
    failures = tuple((i, each) for i, each in enumerate(results) if isinstance(each, Failure))
    connection.send_bytes(EXTRACTED)
    try:
        table = maker.rows([each for each in results if isinstance(each, Document)])
    except Exception as error:  # a page that scoring did not foresee costs that page alone
        return Answer(error=f"{type(error).__name__}: {error}")
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return Answer(stream.getvalue().to_pybytes(), failures)


def _allow(seconds: float) -> None:
    """End this process after so much processor time from now; never for 0."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _BY_THE_CLOCK * seconds)
