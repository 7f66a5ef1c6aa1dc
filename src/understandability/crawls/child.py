"""A process of its own for what may crash or hang."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

_DYING = 5.0  # seconds that a process may take to end after its socket
# `-P`: no module of the folder that a crawl is started in comes before Python's own.
# One thread each: the machine's cores are shared out by the number of workers.
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Child:
    """One process with a socket of its own, whose death is told and costs nothing else."""

    def __init__(self, program: str) -> None:
        self.connection, theirs = Pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **_THREADS, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        theirs.close()

    def send(self, message: object) -> None:
        """Send a message, pickled: both ends are this program, and no file is ever unpickled."""
        with suppress(OSError):  # of one that has died; receiving will tell
            self.connection.send_bytes(pickle.dumps(message))

    def receive(self, seconds: float | None = None) -> bytes | None:
        """The next message; None from a process that has died, or sends none for so long."""
        try:
            return self.connection.recv_bytes() if self.connection.poll(seconds) else None
        except (EOFError, OSError):
            return None

    @property
    def has_ended(self) -> bool:
        """Whether the process or its socket has ended; one that sends nothing may hang."""
        return self._process.poll() is not None or self.connection.poll()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self.connection.close()

    def exit_status(self) -> int:
        """What the process ended with, whose socket has; negative for a signal."""
        try:
            return self._process.wait(_DYING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def cause_of_death(self) -> str:
        """How the process ended, whose socket has."""
        status = self.exit_status()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"


@contextmanager
def parent() -> Iterator[Connection]:
    """In such a process, the socket to its parent; the context ends where that has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which closes
    arrow_without_pandas()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        yield Connection(int(sys.argv[1]))


class _NoPandas:
    """What finds no pandas, in the way that Python asks for modules."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def arrow_without_pandas() -> None:
    """Keep Arrow from importing pandas, which would nearly double what a process takes to start.

    Arrow does so to ask of the first value that it is given whether it is one of pandas; no process
    of ours is given one. Whoever else imports pandas gets it.
    """
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_NoPandas)
