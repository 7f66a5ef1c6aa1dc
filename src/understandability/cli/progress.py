"""ProgressLine of a run over documents, on standard error, for what takes more than a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

_AFTER = 1.0
_EVERY = 0.2


class ProgressLine:
    """One line: documents, rate, errors. Silent where standard error is no terminal."""

    def __init__(self, quiet: bool) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._start = self._last = time.monotonic()

    def update(self, documents: int, errors: int) -> None:
        """Show how many `documents` and `errors` there have been."""
        now = time.monotonic()
        if self._shown and now - self._start > _AFTER and now - self._last > _EVERY:
            self._last = now
            rate = documents / (now - self._start)
            sys.stderr.write(f"\r{documents} documents, {rate:.0f}/s, {errors} errors \x1b[K")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
