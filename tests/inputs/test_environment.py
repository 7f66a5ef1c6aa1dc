"""A machine that fails while it reads: never the fault of an input, and never its end."""

import errno
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.inputs.test_parts import MAKERS

from understandability.inputs import streams
from understandability.inputs.limits import has_stopped, is_environment_error
from understandability.inputs.sources import Sources
from understandability.text.page import Failure

FAULTS: dict[str, Callable[[], BaseException]] = {
    "EIO": lambda: OSError(errno.EIO, "Input/output error"),
    "EMFILE": lambda: OSError(errno.EMFILE, "Too many open files"),
    "memory": lambda: MemoryError(),
    "timeout": lambda: TimeoutError("no answer"),
    "reset": lambda: ConnectionResetError("reset by peer"),
    "stale": lambda: OSError(errno.ESTALE, "Stale file handle"),
}
DAMAGED_FORMATS = ("t.jsonl", "t.warc.gz", "t.parquet", "t.arrow", "t.zip", "t.tar", "t.wacz")


class FailingFile(io.FileIO):
    """A file that cannot be read, from some call on."""

    def __init__(self, path: str, fault: Callable[[], BaseException], calls: int) -> None:
        super().__init__(path)
        self._fault, self._calls = fault, calls

    def _count(self) -> None:
        self._calls -= 1
        if self._calls < 0:
            raise self._fault()

    def read(self, size: int | None = -1, /) -> Any:
        self._count()
        return super().read(-1 if size is None else size)

    def readinto(self, buffer: Any, /) -> Any:
        self._count()
        return super().readinto(buffer)

    def readall(self) -> Any:
        self._count()
        return super().readall()


def failing(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[], BaseException], calls: int
) -> None:
    """Let all files that are opened from now on fail."""

    class FailingPath(type(Path())):  # type: ignore[misc]
        def open(self, *_: Any) -> Any:
            if calls < 0:
                raise fault()
            return io.BufferedReader(FailingFile(str(self), fault, calls))

    monkeypatch.setattr(streams, "Path", FailingPath)


@pytest.mark.parametrize("name", DAMAGED_FORMATS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_machine_that_fails_is_not_a_fault_of_the_input(
    tmp_path: Path, name: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault occurs when a file is opened, or at any later read."""
    path = tmp_path / name
    path.write_bytes(MAKERS[name]())
    sources = Sources([path])
    seen = set()
    for calls in range(-1, 30):
        failing(monkeypatch, FAULTS[fault], calls)
        failures = [page for page in sources if isinstance(page, Failure)]
        stopped = [failure for failure in failures if has_stopped(failure)]
        seen.add(len(stopped))
        own = [f for f in failures if f.stage != "environment" and "is not JSON" not in f.error]
        assert not own, f"{own[0].error} after {calls} reads"
    assert seen >= {1}


def test_a_table_that_fails_in_the_middle_keeps_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows before the fault stay, and one failure says that more may follow."""
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"id": {n}, "text": "{"x" * 900}"}}\n' for n in range(90)))
    sources = Sources([path])
    failing(monkeypatch, FAULTS["EIO"], 4)
    *pages, failure = sources
    assert 5 < len(pages) < 80
    assert isinstance(failure, Failure)
    assert failure.error == "reading stopped: OSError: [Errno 5] Input/output error"


@pytest.mark.parametrize(
    "error",
    [ValueError("damaged"), OSError("Couldn't deserialize thrift"), OSError(errno.EINVAL, "seek")],
)
def test_damage_is_a_fault_of_the_input(error: BaseException) -> None:
    """Arrow raises errors of the system's class, without a number."""
    assert not is_environment_error(error)
