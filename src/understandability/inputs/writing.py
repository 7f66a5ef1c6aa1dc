"""Write files so that they appear complete or not at all, on a disk or behind a URL."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from understandability.errors import InputError
from understandability.inputs.streams import file_system, is_url

UNFINISHED = ".part"
# Errors of writing that reading cannot raise.
_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextmanager
def written(destination: str) -> Iterator[IO[bytes]]:
    """Open a file for writing; it appears at its path or URL if the context ends without an error.

    ``-`` is standard output; text that was printed before comes first.
    """
    if destination == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    if is_url(destination):
        with tempfile.TemporaryFile() as file:
            system, path = file_system(destination)
            yield file
            file.seek(0)
            with _errors_told(destination):
                system.makedirs(path.rpartition("/")[0], exist_ok=True)
                with system.open(path, "wb") as remote:
                    shutil.copyfileobj(file, remote, 1 << 20)
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
    """Yield a temporary name in the folder of a file; a file of that name is removed at the end."""
    temporary = _temporary_name(path)
    try:
        yield temporary
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _temporary_name(path: Path) -> Path:
    """Return a name next to a file that no other process uses."""
    return path.with_name(f".{path.name}.{socket.gethostname()}-{os.getpid()}{UNFINISHED}")


def _sync_names(folder: Path) -> None:
    """Flush the entries of a folder to the disk."""
    names = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(names)
    finally:
        os.close(names)


def to_disk(file: IO[bytes]) -> None:
    """Flush a file to the disk, so that after a power cut no name exists without its content."""
    file.flush()
    os.fsync(file.fileno())


def write_bytes(destination: str, data: bytes) -> None:
    """Write a file completely or not at all."""
    with written(destination) as file:
        file.write(data)


def write_text(destination: str, text: str) -> None:
    """Write a text file completely or not at all; ``-`` prints the text."""
    if destination == "-":
        print(text, end="")
    else:
        write_bytes(destination, text.encode())


def remove(destination: str) -> None:
    """Remove a file if it exists."""
    if is_url(destination):
        system, path = file_system(destination)
        with suppress(FileNotFoundError):
            system.rm_file(path)
    else:
        Path(destination).unlink(missing_ok=True)


def check_folder(destination: str) -> None:
    """Raise `InputError` if the folder of a file does not exist."""
    if not is_url(destination) and not Path(destination).absolute().parent.is_dir():
        raise InputError(
            f"{destination} cannot be written: its folder does not exist; make it first"
        )


def check_is_no_input(destination: str | None, inputs: Iterable[str]) -> None:
    """Raise `InputError` if an output file, or a file that is written next to it, is also an input.

    Links and different paths to the same file are detected.
    """
    if destination is None or destination == "-":
        return
    own = [destination, f"{destination}.errors.jsonl", f"{destination}.settings.json"]
    if is_url(destination):
        outputs = {file_system(output)[1]: output for output in own}
        matches = ((path, outputs.get(file_system(path)[1])) for path in inputs if is_url(path))
    else:
        by_identity = {_identity(output): output for output in own}
        by_identity.pop(None, None)
        matches = ((path, by_identity.get(_identity(path))) for path in inputs if by_identity)
    for path, output in matches:
        if output is not None:
            raise InputError(
                f"{output} is one of the inputs ({path}), which writing would destroy; name "
                "another file"
            )


def _identity(path: str) -> tuple[int, int] | None:
    """Return the device and inode of a file, which identify it; None if it does not exist."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


@contextmanager
def _errors_told(destination: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        ours = error.errno in _WRITING or UNFINISHED in str(error.filename) or is_url(destination)
        if not ours:
            raise
        check_folder(destination)
        raise InputError(f"{destination} cannot be written: {error.strerror or error}") from error


class LocalFolder:
    """A folder on a disk, created when the first file is written. File names are relative to it."""

    def __init__(self, path: str) -> None:
        self.url = path.rstrip("/") or "/"
        self.path = Path(path)

    def names(self, under: str) -> list[str]:
        """Return the sorted names of the files in a subfolder, without hidden ones."""
        return [name for name in self._all_names(under) if not name.startswith(".")]

    def open(self, name: str) -> IO[bytes]:
        """Open a file for reading; raise `FileNotFoundError` if it is missing. The file is
        seekable.
        """
        return (self.path / name).open("rb")

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write or replace a file; readers see either the old content or the whole new content."""
        with self._written(name, chunks) as temporary:
            temporary.replace(self.path / name)

    def stage(self, name: str, chunks: Iterable[bytes]) -> str:
        """Write a file under a temporary name, and return that name; `publish` renames it."""
        path = self.path / name
        with _folder_errors_told(self.url):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = _temporary_name(path)
            try:
                with temporary.open("wb") as file:
                    file.writelines(chunks)
                    to_disk(file)
            except BaseException:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
                raise
        return str(Path(name).with_name(temporary.name))

    def publish(self, temporary: str, name: str) -> None:
        """Rename a staged file; readers see either the old content or the whole new content."""
        path = self.path / name
        with _folder_errors_told(self.url):
            (self.path / temporary).replace(path)
            _sync_names(path.parent)

    def create(self, name: str, data: bytes) -> bool:
        """Write a file unless it exists; return True if it was written.

        Temporary files that killed processes left behind are removed.
        """
        path = self.path / name
        created = True
        with self._written(name, [data]) as temporary:
            try:
                path.hardlink_to(temporary)
            except FileExistsError:
                created = False
            except OSError:  # some network file systems have no links
                created = not path.exists()
                if created:
                    temporary.replace(path)
        # The file exists, so a process that is still writing its own finds that one.
        under, _, own = name.rpartition("/")
        with suppress(InputError):  # where an open file cannot be removed, it stays
            self.discard_unfinished(under, (f"{own}.",))
        return created

    def remove(self, name: str) -> None:
        """Remove a file if it exists."""
        with _folder_errors_told(self.url):
            (self.path / name).unlink(missing_ok=True)

    def discard_unfinished(self, under: str, beginnings: tuple[str, ...]) -> None:
        """Remove temporary files that killed processes left in a subfolder.

        Only files whose names start with one of `beginnings` are removed.
        """
        for name in self._all_names(under):
            unfinished = name.startswith(".") and name.endswith(UNFINISHED)
            if unfinished and name[1:].startswith(beginnings):
                self.remove(str(Path(under, name)))

    def _all_names(self, under: str) -> list[str]:
        try:
            return sorted(entry.name for entry in (self.path / under).iterdir())
        except FileNotFoundError:
            return []

    @contextmanager
    def _written(self, name: str, chunks: Iterable[bytes]) -> Iterator[Path]:
        """Yield the path of a temporary file with the content, flushed to the disk; it is removed
        at the end.
        """
        path = self.path / name
        with _folder_errors_told(self.url):
            path.parent.mkdir(parents=True, exist_ok=True)
            with unfinished(path) as temporary:
                with temporary.open("wb") as file:
                    file.writelines(chunks)
                    to_disk(file)
                yield temporary
                _sync_names(path.parent)


class RemoteFolder:
    """A folder in an object store, with the interface of `LocalFolder`.

    In an object store, an object becomes visible only when it is complete.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._system, self._path = file_system(self.url)

    def names(self, under: str) -> list[str]:
        self._system.invalidate_cache()
        try:
            entries = self._system.ls(f"{self._path}/{under}", detail=True)
        except FileNotFoundError:
            return []
        names = (entry["name"].rpartition("/")[2] for entry in entries if entry["type"] == "file")
        return sorted(name for name in names if name and not name.startswith("."))

    def open(self, name: str) -> IO[bytes]:
        file: IO[bytes] = self._system.open(f"{self._path}/{name}", "rb")
        return file

    def write(self, name: str, chunks: Iterable[bytes]) -> None:
        path = f"{self._path}/{name}"
        with _folder_errors_told(self.url):
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(path, b"".join(chunks))

    def stage(self, name: str, chunks: Iterable[bytes]) -> str:
        """Write an object under its final name, because it appears only when it is complete."""
        self.write(name, chunks)
        return name

    def publish(self, temporary: str, name: str) -> None:
        """Do nothing, because the object is visible already."""

    def create(self, name: str, data: bytes) -> bool:
        if self._system.exists(f"{self._path}/{name}"):
            return False
        self.write(name, [data])
        return True

    def remove(self, name: str) -> None:
        with _folder_errors_told(self.url), suppress(FileNotFoundError):
            self._system.rm_file(f"{self._path}/{name}")

    def discard_unfinished(self, under: str, beginnings: tuple[str, ...]) -> None:
        """Do nothing, because an interrupted upload leaves no object."""


Folder = LocalFolder | RemoteFolder


def open_folder(path: str) -> Folder:
    """Return the folder at a path or a URL; it need not exist yet."""
    path = path.removeprefix("file://")
    return RemoteFolder(path) if is_url(path) else LocalFolder(path)


@contextmanager
def _folder_errors_told(url: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{url} cannot be written to: {error.strerror or error}; fix that, then run the "
            "same command again"
        ) from error
