"""The parameters that measures may have: what each takes, its default, its meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from understandability.evaluation.conventions import CHOICES, Conventions


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its name, how its text is read, what is allowed, its default, its meaning.

    `read` raises ValueError; `default` takes the settings, so that an option of the command
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


def _allowed(choices: tuple[str, ...]) -> str:
    return " or ".join(choices)


_NON_NEGATIVE = _checked(lambda number: number >= 0)
_POSITIVE = _checked(lambda number: number > 0)

PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {
        parameter.name: parameter
        for parameter in (
            Parameter(
                "p",
                _checked(lambda p: 0 < p < 1),
                "a number between 0 and 1, exclusive",
                lambda settings: 0.8,
                "persistence",
            ),
            Parameter(
                "rel",
                _number,
                "a number",
                lambda settings: settings.relevant,
                "lowest relevant grade",
            ),
            Parameter(
                "graded",
                _flag,
                "True or False",
                lambda settings: False,
                "gain is grade / max, not 0 or 1",
            ),
            Parameter(
                "max",
                _POSITIVE,
                "a number above 0",
                lambda settings: settings.max_relevance,
                "highest grade; without it, that of the qrels",
            ),
            Parameter(
                "dcg",
                _choice(*CHOICES["dcg"]),
                _allowed(CHOICES["dcg"]),
                lambda settings: settings.dcg,
                "gain 2^grade - 1, or the grade",
                quoted=True,
            ),
            Parameter(
                "form",
                _choice(*CHOICES["err"]),
                _allowed(CHOICES["err"]),
                lambda settings: settings.err,
                "reading of ERR",
            ),
            Parameter(
                "dims",
                _names,
                "names in brackets, as [u,trust]",
                lambda settings: ("u",),
                "dimensions that relevance is multiplied by",
            ),
            Parameter(
                "user",
                _choice(*CHOICES["user"]),
                _allowed(CHOICES["user"]),
                lambda settings: settings.user,
                "how labels become gains",
            ),
            Parameter(
                "th",
                _number,
                "a number",
                lambda settings: settings.threshold,
                "threshold of the user; without it, that of the scale",
            ),
            Parameter(
                "s",
                _POSITIVE,
                "a number above 0, or pi",
                lambda settings: settings.noise_scale,
                "noise of the arctan user, pi without it",
            ),
            Parameter(
                "norm",
                _choice(*CHOICES["norm"]),
                _allowed(CHOICES["norm"]),
                lambda settings: settings.norm,
                "arctan form divided by its integral",
            ),
            Parameter(
                "joint",
                _flag,
                "True or False",
                lambda settings: settings.joint,
                "f(T u), not f(T) u",
            ),
            Parameter(
                "ideal",
                _choice(*CHOICES["ideal"]),
                _allowed(CHOICES["ideal"]),
                lambda settings: settings.ideal,
                "what the ideal ranking sorts by",
            ),
            Parameter(
                "wr",
                _NON_NEGATIVE,
                "a number of 0 or more",
                lambda settings: 1.0,
                "weight of relevance",
            ),
            Parameter(
                "wu",
                _NON_NEGATIVE,
                "a number of 0 or more",
                lambda settings: 1.0,
                "weight of understandability",
            ),
            Parameter(
                "wtrust",
                _NON_NEGATIVE,
                "a number of 0 or more",
                lambda settings: 0.0,
                "weight of trust",
            ),
            Parameter(
                "w",
                _weights,
                "numbers of 0 or more in brackets, as [1,1]",
                lambda settings: None,
                "weights, equal without it",
            ),
            Parameter(
                "of",
                _choice(*CHOICES["h"]),
                _allowed(CHOICES["h"]),
                lambda settings: settings.h,
                "mean of H over queries, or H of the means",
            ),
            Parameter(
                "tail",
                _flag,
                "True or False",
                lambda settings: False,
                "with the mass below the cut",
            ),
            Parameter(
                "judged_only",
                _flag,
                "True or False",
                lambda settings: settings.no_label == "ignored",
                "documents without a label are removed first",
            ),
        )
    }
)
