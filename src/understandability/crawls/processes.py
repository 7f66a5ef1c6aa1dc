"""Child processes that may crash or hang, and the sockets that connect them to their parent."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from understandability.errors import InputError

_DYING = 5.0  # seconds that a process may take to end after its socket has closed
# Each process computes in one thread, because the number of workers shares out the cores. The
# command itself does so, too: a second thread of numpy costs it time and saves none.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Processes in a row that may be killed before they are ready.
MAX_FAILED_STARTS = 20
_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
_QUOTA = "/sys/fs/cgroup/cpu.max"


class ChildProcess:
    """A Python child process connected by a socket; its death is detected and harms nothing else.

    `program` is Python code. `descriptors` are open files that the process inherits; their numbers
    are its arguments, after the number of the socket.
    """

    def __init__(self, program: str, descriptors: Sequence[int] = ()) -> None:
        self.connection, child_end = Pipe()
        inherited = [child_end.fileno(), *descriptors]
        # -P keeps modules in the folder where a crawl is started from shadowing Python's modules.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, *map(str, inherited)],
            pass_fds=inherited,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        child_end.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, message: object) -> None:
        """Pickle and send a message; this is safe because both ends of the socket are this
        program.
        """
        self.send_pickled(pickle.dumps(message))

    def send_pickled(self, message: bytes) -> None:
        """Send a message that is pickled already."""
        with suppress(OSError):  # a dead process is reported when the answer is received
            self.connection.send_bytes(message)

    def receive(self, seconds: float | None = None) -> bytes | None:
        """Return the next message, or None if the process died or sent none within `seconds`."""
        try:
            return self.connection.recv_bytes() if self.connection.poll(seconds) else None
        except (EOFError, OSError):
            return None

    @property
    def has_ended(self) -> bool:
        """True if the process or its socket has ended; False for a process that hangs."""
        return self._process.poll() is not None or self.connection.poll()

    def kill(self) -> None:
        """Kill the process; whoever waits for a message sees its socket close."""
        self._process.kill()

    def stop(self) -> None:
        """Kill the process, wait until it has ended, and close the socket."""
        self._process.kill()
        self._process.wait()
        self.connection.close()

    def exit_status(self) -> int:
        """Return the exit status of an ended process; negative for a signal."""
        try:
            return self._process.wait(_DYING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def cause_of_death(self) -> str:
        """Describe the signal or the exit status that ended the process."""
        status = self.exit_status()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    @property
    def megabytes(self) -> float:
        """The resident memory in MB; 0 on systems other than Linux, which have no ``/proc``."""
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0.0
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def connected_to_parent() -> Iterator[Connection]:
    """Connect a child process to its parent; the context also ends, quietly, if the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the parent, which stops the others
    arrow_without_pandas()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        yield Connection(int(sys.argv[1]))


class IsolatedFunction:
    """A function that is called in a child process, because it may crash or hang.

    `name` is written ``module:function``. It is a context manager, which ends the process.

    >>> with IsolatedFunction("math:sqrt") as square_root:
    ...     square_root(4.0, seconds=30.0)
    2.0
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._child: ChildProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def __call__(self, argument: object, *, seconds: float) -> Any:
        """Call the function; return None if it raised `InputError`, died or took longer than
        `seconds`.
        """
        program = "from understandability.crawls.processes import serve_calls; serve_calls()"
        if self._child is None:
            self._child = ChildProcess(program)
            self._child.send(self._name)
        self._child.send(argument)
        message = self._child.receive(seconds)
        if message is None:
            self._stop()
        return message and pickle.loads(message)

    def _stop(self) -> None:
        if self._child is not None:
            self._child.stop()
            self._child = None


def serve_calls() -> None:
    """Run in the child process of an `IsolatedFunction`: answer calls until the socket closes."""
    with connected_to_parent() as connection:
        module, _, name = pickle.loads(connection.recv_bytes()).partition(":")
        function = getattr(importlib.import_module(module), name)
        while True:
            argument = pickle.loads(connection.recv_bytes())
            try:
                result = function(argument)
            except InputError:
                result = None
            connection.send_bytes(pickle.dumps(result))


class _NoPandas:
    """An import hook that pretends pandas is not installed."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> Any:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def arrow_without_pandas() -> None:
    """Prevent Arrow from importing pandas, which would nearly double the start-up time of a
    process.

    Arrow imports pandas to check whether the first value that it converts is a pandas object. These
    processes convert none. Other modules can still import pandas.
    """
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_NoPandas)


@cache
def physical_cores() -> int:
    """Return the number of physical cores that this process may use.

    Two hardware threads of a core count as one, because a second worker on a core adds little. The
    processor quota of a container is respected.
    """
    if not hasattr(os, "sched_getaffinity"):  # macOS
        return os.cpu_count() or 1
    processors = os.sched_getaffinity(0)
    cores = {_read(_SIBLINGS.format(processor)) or str(processor) for processor in processors}
    quota, _, period = _read(_QUOTA).partition(" ")
    if quota.isdigit() and period.isdigit():
        return max(1, min(len(cores), round(int(quota) / int(period))))
    return len(cores)


def _read(path: str) -> str:
    """Return the content of a file in ``/proc`` or ``/sys``; '' if it is missing."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
