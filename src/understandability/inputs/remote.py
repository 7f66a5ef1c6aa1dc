"""Paths that may be URLs (``s3://``, ``gs://``, ...), which fsspec reads and writes."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from understandability.errors import InputError, MissingExtraError

# The extra that brings the package for a kind of URL; others need theirs by hand.
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}


def is_url(path: str) -> bool:
    """Whether a path is for fsspec.

    >>> is_url("s3://bucket/crawl"), is_url("crawl/0.warc.gz")
    (True, False)
    """
    return "://" in path


def file_system(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it.

    Raises `MissingExtraError` where a package is missing, `InputError` for an unknown kind.
    """
    kind = url.partition("://")[0]
    try:
        import fsspec.core

        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        package = f"'understandability[{_EXTRAS[kind]}]'" if kind in _EXTRAS else "fsspec"
        raise MissingExtraError(
            f"{url} needs a package that is not installed ({error}); pip install {package}"
        ) from error
    except ValueError as error:
        raise InputError(f"{url} is of an unknown kind: {error}") from error
    return system, path


def open_file(path: str) -> IO[bytes]:
    """Open a file or a URL for reading; raises `InputError` where that cannot be done."""
    try:
        if is_url(path):
            system, path_there = file_system(path)
            file: IO[bytes] = system.open(path_there, "rb")
            return file
        return Path(path).open("rb")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
