"""The parameters that measures may have: what each takes, its default, its meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from understandability.evaluation.conventions import CONVENTIONS, Conventions


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, how its text is read, what is allowed, its default, its meaning.

    `read` raises ValueError; `default` takes the conventions, so that an option of the command
    line can stand for a parameter that a name leaves out. `quoted` values print in quotes, as
    ir_measures prints them.
    """

    name: str
    read: Callable[[str], Any]
    allowed: str
    default: Callable[[Conventions], Any]
    meaning: str
    quoted: bool = False

    @property
    def written(self) -> str:
        """The parameter with its default, where it has one of its own."""
        default = self.default(Conventions())
        return self.name if default is None else f"{self.name}={show(self.name, default)}"


def show(name: str, value: Any) -> str:
    """A value as it is written in a name.

    >>> show("s", math.pi), show("p", 0.80), show("w", (1.0, 2.0)), show("dcg", "log2")
    ('pi', '0.8', '[1,2]', "'log2'")
    """
    if isinstance(value, tuple):
        return f"[{','.join(show('', item) for item in value)}]"
    if isinstance(value, bool) or not isinstance(value, float | int):
        return f"'{value}'" if name in PARAMETERS and PARAMETERS[name].quoted else str(value)
    if value == math.pi:
        return "pi"
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _number(text: str) -> float:
    number = math.pi if text == "pi" else float(text)
    if "_" in text or not math.isfinite(number):
        raise ValueError(text)
    return number


def _checked(test: Callable[[float], bool]) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = _number(text)
        if not test(number):
            raise ValueError(text)
        return number

    return read


def _choice(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        bare = text[1:-1] if re.fullmatch(r"'[^']*'|\"[^\"]*\"", text) else text
        if bare not in choices:
            raise ValueError(text)
        return bare

    return read


def _flag(text: str) -> bool:
    return {"True": True, "False": False}[_choice("True", "False")(text)]


def _items(text: str) -> list[str]:
    match = re.fullmatch(r"\[(.+)\]", text, re.DOTALL)
    if match is None:
        raise ValueError(text)
    return [item.strip() for item in match[1].split(",")]


def _weights(text: str) -> tuple[float, ...]:
    return tuple(_checked(lambda w: w >= 0)(item) for item in _items(text))


def _names(text: str) -> tuple[str, ...]:
    names = tuple(_items(text))
    if len(set(names)) < len(names) or not all(re.fullmatch("[a-z][a-z0-9_]*", n) for n in names):
        raise ValueError(text)
    return names


def _fixed(
    name: str, read: Callable[[str], Any], allowed: str, default: Any, meaning: str
) -> Parameter:
    """A parameter that no convention stands for."""
    return Parameter(name, read, allowed, lambda _: default, meaning)


def _weight(name: str, default: float, of: str) -> Parameter:
    read = _checked(lambda number: number >= 0)
    return _fixed(name, read, "a number of 0 or more", default, f"weight of {of}")


# How the numbers of a convention are read where a measure states them.
_NUMBERS = MappingProxyType(
    {
        "rel": (_number, "a number"),
        "max": (_checked(lambda number: number > 0), "a number above 0"),
        "th": (_number, "a number"),
        "s": (_checked(lambda number: number > 0), "a number above 0, or pi"),
    }
)


def _of_convention(name: str) -> Parameter:
    """The parameter that a convention stands for, from the table of conventions."""
    row = next(row for row in CONVENTIONS.values() if row.metadata["parameter"] == name)
    choices, meaning = row.metadata["choices"], row.metadata["meaning"]
    read: Callable[[str], Any]
    if choices:
        read, allowed = _choice(*choices), " or ".join(choices)
    elif row.metadata["kind"] is bool:
        read, allowed = _flag, "True or False"
    else:
        read, allowed = _NUMBERS[name]
    default = attrgetter(row.name)
    return Parameter(name, read, allowed, default, meaning, quoted=name == "dcg")


PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {
        parameter.name: parameter
        for parameter in (
            _fixed(
                "p",
                _checked(lambda p: 0 < p < 1),
                "a number between 0 and 1, exclusive",
                0.8,
                "persistence",
            ),
            _of_convention("rel"),
            _fixed("graded", _flag, "True or False", False, "gain is grade / max, not 0 or 1"),
            _of_convention("max"),
            _of_convention("dcg"),
            _of_convention("form"),
            _fixed(
                "dims",
                _names,
                "names in brackets, as [u,trust]",
                ("u",),
                "dimensions that relevance is multiplied by",
            ),
            *map(_of_convention, ("user", "th", "s", "norm", "joint", "ideal")),
            _weight("wr", 1.0, "relevance"),
            _weight("wu", 1.0, "understandability"),
            _weight("wtrust", 0.0, "trust"),
            _fixed(
                "w",
                _weights,
                "numbers of 0 or more in brackets, as [1,1]",
                None,
                "weights, equal without it",
            ),
            _of_convention("of"),
            _fixed("tail", _flag, "True or False", False, "with the mass below the cut"),
            Parameter(
                "judged_only",
                _flag,
                "True or False",
                lambda conventions: conventions.no_label == "ignored",
                "documents without a label are removed first",
            ),
        )
    }
)
