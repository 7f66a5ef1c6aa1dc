"""Progress on standard error: one line on a terminal, otherwise one line per minute."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Self

from understandability.cli.results import say
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.crawls.plan import Progress
    from understandability.text.page import Failure

_AFTER, _EVERY_ON_TERMINAL, _EVERY = 1.0, 0.2, 60.0


class ProgressLine:
    """Shows documents, documents per second and errors in one line, cleared when the context
    ends.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._reported = quiet, 0
        self._progress: Progress | None = None
        self._terminal = sys.stderr.isatty()
        self._every = math.inf if quiet else _EVERY_ON_TERMINAL if self._terminal else _EVERY
        self._started = self._last = time.monotonic()

    def update(self, documents: int, errors: int) -> None:
        """Show the number of documents and errors, unless the line was updated a moment ago."""
        if self._is_time():
            self._show(f"{self._rate(documents)}, {counted(errors, 'error')}")

    def show_progress(self, progress: Progress) -> None:
        """Print new remarks, and show the progress unless the line was updated a moment ago."""
        self._progress = progress
        for remark in progress.remarks[self._reported :]:
            self._reported += 1
            if not self._quiet:
                self.clear()
                say(remark)
        if not self._is_time():
            return
        failed = progress.failed.total()
        stages = ", ".join(f"{stage} {count:,}" for stage, count in progress.failed.most_common())
        line = f"{self._rate(progress.documents)}, {counted(failed, 'error')}"
        line += f" ({stages})" if failed else ""
        number = min(progress.inputs_done + 1, progress.inputs)
        line += f", input {number} of {progress.inputs}: {progress.input}"
        # Finished parts are skipped quickly, so they do not count for the remaining time.
        now = progress.bytes_done - progress.bytes_passed
        if now > 0 and progress.documents:
            left = (progress.bytes - progress.bytes_done) * self._seconds / now
            line += f", about {duration(left)} left"
        self._show(line)

    def step(self, step: str, done: int, total: int) -> None:
        """Show the current step of a long computation, and its percentage if `total` is known."""
        if self._is_time():
            count = f" {done:,} of {total:,}" if total else ""
            self._show(f"{step}{count}, {duration(self._seconds)}")

    def first_failure(self) -> list[Failure]:
        """Return a list of the first failure; the list is empty if nothing failed."""
        failure = self._progress and self._progress.first_failure
        return [failure] if failure else []

    def _is_time(self) -> bool:
        now = time.monotonic()
        is_time = now - self._last >= self._every and now - self._started >= _AFTER
        if is_time:
            self._last = now
        return is_time

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def _rate(self, documents: int) -> str:
        return f"{counted(documents, 'document')}, {documents / self._seconds:.0f}/s"

    def _show(self, line: str) -> None:
        if self._terminal:
            sys.stderr.write(f"\r{line} \x1b[K")
        else:
            sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Clear the line, so that other text can be printed."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()


def duration(seconds: float) -> str:
    """Format a time in words.

    >>> duration(7.2), duration(3700)
    ('7 s', '1 h 2 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
