"""Locks on the parts of a shared file: who dies lets go, and who is refused learns by whom."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from understandability.errors import InputError

# What file systems say that have no locks, such as Lustre where it is mounted without.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_SLOT = 64  # bytes of the file that are locked for each number, and hold its owner's name


class Lock:
    """Holds numbers, such as those of a crawl's inputs, against other processes.

    A context manager. Raises `InputError` where another process holds one of the `numbers`,
    naming it by its machine and process id. Works across machines where the file system's
    locks do (NFS: yes); where it has none, everybody is let in.
    """

    def __init__(self, path: Path, numbers: Iterable[int]) -> None:
        self._path, self._numbers = path, list(numbers)

    def __enter__(self) -> Self:
        try:
            import fcntl  # noqa: F401  # Windows has none
        except ImportError as error:
            raise InputError(
                f"{self._path.parent} is a crawl folder, which needs the file locks of Linux or "
                "macOS; score into one table instead: -o scores.parquet"
            ) from error
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError(f"{self._path} cannot be opened: {error.strerror}") from error
        try:
            for number in self._numbers:
                self._take(number)
            owner = f"process {os.getpid()} on {socket.gethostname()}".encode()[:_SLOT]
            for number in self._numbers:
                os.pwrite(self._file, owner.ljust(_SLOT), number * _SLOT)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(self._file)
                raise InputError(f"{self._path} cannot be locked: {error.strerror}") from error
        except InputError:
            os.close(self._file)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._file)

    def _take(self, number: int) -> None:
        import fcntl

        try:
            # Record locks, which belong to the process: none of its children inherits them.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, _SLOT, number * _SLOT)
        except (BlockingIOError, PermissionError) as error:
            owner = os.pread(self._file, _SLOT, number * _SLOT).decode("utf-8", "replace").strip()
            raise InputError(
                f"{self._path.parent} is being worked on by {owner or 'another process'}; wait "
                "for it, or stop it, then run the same command again"
            ) from error
