"""Exceptions whose message is one sentence: what was wrong, where, what is allowed, what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class UnderstandabilityError(Exception):
    """Base of all errors that a user can fix; the command prints its text and exits with 2.

    The text is one sentence: the fault, the position (file, line, record), the allowed values and
    the remedy. Long quotations are shortened in the middle.
    """

    def __str__(self) -> str:
        return shortened(super().__str__())


def shortened(text: str) -> str:
    """Shorten very long words, and a very long text, by leaving out their middle.

    >>> len(shortened("the id " + "x" * 10**6 + " is too long"))
    222
    """
    words = re.sub(r"\S{300,}", lambda match: f"{match[0][:150]}...{match[0][-50:]}", text)
    return words if len(words) <= 1500 else f"{words[:1000]} ... {words[-400:]}"


def in_one_line(error: Exception) -> str:
    r"""Return the message of an exception in one line; some libraries write several lines.

    >>> in_one_line(OSError("Invalid data\nDeserializing failed.\n"))
    'Invalid data Deserializing failed.'
    """
    return " ".join(str(error).split())


class InputError(UnderstandabilityError):
    """An input as a whole cannot be used: a missing path, a broken archive, a damaged bundle."""


class OptionError(UnderstandabilityError):
    """The value of an option does not exist, or two options exclude each other."""


class WrongTypeError(OptionError, TypeError):
    """An argument has the wrong type; the message names a function that accepts it."""


class MissingExtraError(UnderstandabilityError, ImportError):
    """An optional package that is needed is not installed; the message says how to install it."""


@contextmanager
def needing(what: str, package: str) -> Iterator[None]:
    """Turn an `ImportError` in the block into an error that says how to install the missing
    package.

    `what` says what needs the package.

    >>> with needing("figures need matplotlib", "matplotlib"):
    ...     import a_package_that_is_not_there
    Traceback (most recent call last):
    understandability.errors.MissingExtraError: figures need matplotlib: pip install matplotlib
    """
    try:
        yield
    except ImportError as error:
        requirement = f"'{package}' in the source folder" if package.startswith(".") else package
        raise MissingExtraError(f"{what}: pip install {requirement}") from error


class PageError(UnderstandabilityError):
    """One page cannot be scored. It becomes a row of the errors, and scoring continues.

    `stage` is the step that failed: ``read``, ``decode``, ``extract`` or ``score``.
    """

    def __init__(self, stage: str, message: str) -> None:
        super().__init__(message)
        self.stage = stage


def check_choice(name: str, choice: str, choices: Iterable[str]) -> None:
    """Raise `OptionError` if a choice does not exist; `name` says in words what is chosen.

    >>> check_choice("fusion", "sum", ["rrf", "borda"])
    Traceback (most recent call last):
    understandability.errors.OptionError: fusion 'sum' does not exist; choose one of rrf, borda
    """
    if choice not in choices:
        raise OptionError(f"{name} {choice!r} does not exist; choose one of {', '.join(choices)}")


def check_range(least: float, most: float = math.inf, /, **numbers: float) -> None:
    """Raise `OptionError` for the first of some numbers that is less than `least` or more than
    `most`.

    >>> check_range(2, folds=1)
    Traceback (most recent call last):
    understandability.errors.OptionError: folds (--folds) must be 2 or more, not 1
    """
    allowed = f"from {least:,} to {most:,}" if math.isfinite(most) else f"{least:,} or more"
    for name, number in numbers.items():
        if not least <= number <= most:
            option = f"--{name.replace('_', '-')}"
            raise OptionError(f"{name} ({option}) must be {allowed}, not {number:g}")
