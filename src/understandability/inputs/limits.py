"""The limit on the size of documents, and failures for documents that are not read."""

from __future__ import annotations

import errno

from understandability.errors import InputError
from understandability.text.decoding import MAX_SIZE
from understandability.text.page import Failure

DEFAULT_LIMIT = 10_000_000  # decoded bytes
# The stage of failures that are no fault of the page: a later run tries these pages again.
ENVIRONMENT = "environment"
# The errors of a machine that lacks memory, disk or files, and of disks and networks that fail.
_NAMES_OF_ERRORS = """
    ENOMEM ENOSPC EDQUOT EMFILE ENFILE EIO EREMOTEIO ENXIO ENODEV ESTALE EBUSY EAGAIN ENOLCK
    ENOENT EACCES EPERM ETIMEDOUT ENOTCONN ECONNRESET ECONNREFUSED ECONNABORTED EHOSTDOWN
    EHOSTUNREACH ENETDOWN ENETUNREACH ENETRESET
"""
_ERRORS = {getattr(errno, name, None) for name in _NAMES_OF_ERRORS.split()} - {None}
# Packages that read from the network, and raise errors of their own.
_CLIENTS = ("aiohttp", "botocore", "gcsfs", "requests", "urllib3")
_STOPPED = "reading stopped"


def too_long(limit: int) -> str:
    """Return the message for a document that is longer than the limit."""
    message = f"the document is longer than {limit / 1e6:g} MB; raise --limit-mb to read it"
    return f"{message} (HTML and text: to at most {MAX_SIZE // 10**6})"


def unread(path: str, why: object, docno: str = "") -> Failure:
    """Return the failure for a document that was not read; without a docno, its path is used."""
    return Failure(docno or path, path, "read", str(why))


def stopped(path: str, error: BaseException, docno: str) -> Failure:
    """Return the failure for an input that could not be read to its end, because the machine or the
    network failed.
    """
    reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return Failure(docno, path, ENVIRONMENT, f"{_STOPPED}: {reason}")


def has_stopped(failure: Failure) -> bool:
    """Return True for a failure made by `stopped`; reading again may yield more documents."""
    return failure.stage == ENVIRONMENT and failure.error.startswith(_STOPPED)


def is_environment_error(error: BaseException | None) -> bool:
    """Return True for an error of the machine or the network, for which no page or input is to
    blame.

    Also True if such an error is the cause of the given one.

    >>> is_environment_error(OSError(errno.EMFILE, "Too many open files"))
    True
    >>> is_environment_error(ValueError("damaged"))
    False
    """
    while error is not None:
        if isinstance(error, MemoryError | ConnectionError | TimeoutError | FileNotFoundError):
            return True
        if isinstance(error, OSError) and error.errno in _ERRORS:
            return True
        if type(error).__module__.partition(".")[0] in _CLIENTS:
            return True
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False
