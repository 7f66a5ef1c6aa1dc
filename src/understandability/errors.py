"""Errors with a message of one sentence: what was wrong, where, what is allowed, what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class UnderstandabilityError(Exception):
    """Base of all errors that a user can fix; the command prints its text and exits with 2.

    The text is one sentence: what was wrong, where (file, line, record), what is allowed,
    what to do. What it quotes is shortened in the middle.
    """

    def __str__(self) -> str:
        return shortened(super().__str__())


def shortened(text: str) -> str:
    """A text that can be read: the middle of very long words, and of very long texts, is left out.

    >>> len(shortened("the id " + "x" * 10**6 + " is too long"))
    222
    """
    words = re.sub(r"\S{300,}", lambda found: f"{found[0][:150]}...{found[0][-50:]}", text)
    return words if len(words) <= 1500 else f"{words[:1000]} ... {words[-400:]}"


def in_one_line(error: Exception) -> str:
    """What an error of a library says, whose text may run over several lines.

    >>> in_one_line(OSError("Invalid data\\nDeserializing failed.\\n"))
    'Invalid data Deserializing failed.'
    """
    return " ".join(str(error).split())


class InputError(UnderstandabilityError):
    """An input as a whole cannot be used: a missing path, a broken archive, a damaged bundle."""


class OptionError(UnderstandabilityError):
    """A choice does not exist, or two choices do not go together."""


class WrongTypeError(OptionError, TypeError):
    """A call got a value of another kind than it takes; the text names the call that takes it."""


class MissingExtraError(UnderstandabilityError, ImportError):
    """An optional package is needed that is not installed; the text names the extra."""


@contextmanager
def needing(what: str, package: str) -> Iterator[None]:
    """Tell of an import that fails what needs the package, and how to install it.

    >>> with needing("figures need matplotlib", "matplotlib"):
    ...     import a_package_that_is_not_there
    Traceback (most recent call last):
    understandability.errors.MissingExtraError: figures need matplotlib: pip install matplotlib
    """
    try:
        yield
    except ImportError as error:
        how = f"'{package}' in the source folder" if package.startswith(".") else package
        raise MissingExtraError(f"{what}: pip install {how}") from error


class PageError(UnderstandabilityError):
    """One page cannot be used; it becomes an error row and scoring goes on.

    `stage` is where it happened: ``read``, ``decode``, ``extract`` or ``score``.
    """

    def __init__(self, stage: str, message: str) -> None:
        super().__init__(message)
        self.stage = stage


def check_known(kind: str, name: str, known: Iterable[str]) -> None:
    """Raise `OptionError` for a name that is none of those known.

    >>> check_known("fusion", "sum", ["rrf", "borda"])
    Traceback (most recent call last):
    understandability.errors.OptionError: there is no fusion 'sum'; choose one of rrf, borda
    """
    if name not in known:
        raise OptionError(f"there is no {kind} {name!r}; choose one of {', '.join(known)}")


def check_choice(name: str, chosen: str, allowed: Iterable[str]) -> None:
    """Raise `OptionError` for a value of an option that is none of those allowed."""
    if chosen not in allowed:
        raise OptionError(f"{name} {chosen!r} does not exist; choose one of {', '.join(allowed)}")


def check_range(least: float, most: float = math.inf, /, **given: float) -> None:
    """Raise `OptionError` for the first number of those given, by name, that is less, or more.

    >>> check_range(2, folds=1)
    Traceback (most recent call last):
    understandability.errors.OptionError: folds (--folds) must be 2 or more, not 1
    """
    allowed = f"from {least:,} to {most:,}" if math.isfinite(most) else f"{least:,} or more"
    for name, number in given.items():
        if not least <= number <= most:
            option = f"--{name.replace('_', '-')}"
            raise OptionError(f"{name} ({option}) must be {allowed}, not {number:g}")
