"""Files that appear whole or not at all, on a disk or behind a URL."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from understandability.errors import InputError
from understandability.inputs.remote import file_system, is_url

UNFINISHED = ".part"
# What can go wrong with writing, and not with the reading of what is written.
_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextmanager
def written(destination: str) -> Iterator[IO[bytes]]:
    """A file to write to, which stands at a path or a URL once the context has ended well.

    Raises `InputError` in one sentence where it cannot be written.
    """
    if is_url(destination):
        with tempfile.TemporaryFile() as file:
            system, path = file_system(destination)
            yield file
            file.seek(0)
            with _errors_told(destination):
                system.makedirs(path.rpartition("/")[0], exist_ok=True)
                with system.open(path, "wb") as there:
                    shutil.copyfileobj(file, there, 1 << 20)
        return
    path_here = Path(destination)
    if path_here.is_dir():
        raise InputError(f"{destination} cannot be written: it is a folder; name a file in it")
    with unfinished(path_here) as temporary, _errors_told(destination):
        with temporary.open("wb") as file:
            yield file
            to_disk(file)
        temporary.replace(path_here)


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A name beside a file, for what is to become that file; nothing stays under it."""
    temporary = path.with_name(f".{path.name}.{socket.gethostname()}-{os.getpid()}{UNFINISHED}")
    try:
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def to_disk(file: IO[bytes]) -> None:
    """Bring a file to the disk: after a power cut there must not be a name without its content."""
    file.flush()
    os.fsync(file.fileno())


def write_bytes(destination: str, data: bytes) -> None:
    """Write a file, complete or not at all."""
    with written(destination) as file:
        file.write(data)


def write_text(destination: str, text: str) -> None:
    """Write a text file, complete or not at all."""
    write_bytes(destination, text.encode())


def remove(destination: str) -> None:
    """Remove a file if it is there."""
    if is_url(destination):
        system, path = file_system(destination)
        with suppress(FileNotFoundError):
            system.rm_file(path)
    else:
        Path(destination).unlink(missing_ok=True)


def check_is_no_input(destination: str | None, inputs: Iterable[str]) -> None:
    """Raise `InputError` where a file that would be written is one of those that are read.

    Whatever it is called: another path to it, or a link. What is written beside a table counts,
    too: its errors and its settings.
    """
    if destination is None or destination == "-":
        return
    own = [destination, f"{destination}.errors.jsonl", f"{destination}.settings.json"]
    if is_url(destination):
        taken = {file_system(each)[1]: each for each in own}
        found = ((path, taken.get(file_system(path)[1])) for path in inputs if is_url(path))
    else:
        known = {_identity(each): each for each in own}
        known.pop(None, None)
        found = ((path, known.get(_identity(path))) for path in inputs if known)
    for path, hit in found:
        if hit is not None:
            raise InputError(
                f"{hit} is one of the inputs ({path}), which writing would destroy; name another "
                "file"
            )


def _identity(path: str) -> tuple[int, int] | None:
    """What tells one file of a disk from another; None of what is not there."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


@contextmanager
def _errors_told(destination: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if error.filename is None or UNFINISHED not in str(error.filename):
            raise
        raise InputError(
            f"{destination} cannot be written: its folder does not exist; make it first"
        ) from None
    except OSError as error:
        ours = error.errno in _WRITING or UNFINISHED in str(error.filename) or is_url(destination)
        if not ours:
            raise
        raise InputError(f"{destination} cannot be written: {error.strerror or error}") from error
