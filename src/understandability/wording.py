"""Format counts and values as text, and parse numbers, percentages and lists from text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from understandability.errors import OptionError


def counted(number: int, noun: str) -> str:
    """Return a count and its noun, as people write them; the plural ends in s.

    >>> counted(1, "document"), counted(1200, "usable label")
    ('1 document', '1,200 usable labels')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def near_miss(name: str, names: Iterable[str]) -> str:
    """Return a hint at the most similar of some names, or nothing if none is similar.

    >>> near_miss("dificulty", ["docno", "difficulty"])
    ' (did you mean difficulty?)'
    """
    near = get_close_matches(name, [*names], 1)
    return f" (did you mean {near[0]}?)" if near else ""


def kind_of(value: object) -> str:
    """Return the type of a value with its article, for messages: ``a list``, ``an int``."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def names_in(text: str | None) -> tuple[str, ...]:
    """Split a list at its commas.

    >>> names_in("lang, date")
    ('lang', 'date')
    """
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def numbers_in(text: str) -> tuple[float, ...]:
    """Parse numbers that are separated by commas.

    >>> numbers_in(".3,.5")
    (0.3, 0.5)
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"{text!r} is not a list of numbers with commas, such as .3,.5") from None


def share_in(text: str) -> float:
    """Parse a share of 1, which may be written as a percentage.

    >>> share_in("0.8"), share_in("80%")
    (0.8, 0.8)
    """
    try:
        number = float(text.rstrip(" %"))
    except ValueError:
        raise OptionError(f"{text!r} is not a share, such as 0.8 or 80%") from None
    return number / 100 if text.endswith("%") else number


def number_or_pi(text: str) -> float:
    """Parse a number; the word ``pi`` is accepted as well.

    >>> number_or_pi("pi")
    3.141592653589793
    """
    try:
        return math.pi if text.lower() == "pi" else float(text)
    except ValueError:
        raise OptionError(f"--noise-scale must be a number or pi, not {text!r}") from None


def plain_data(value: Any) -> Any:
    """Convert a value to data that JSON can hold: dataclasses become objects, NaN becomes None.

    >>> plain_data({"a": (1.5, math.nan)})
    {'a': [1.5, None]}
    """

    def content(record: Any) -> dict[str, Any]:
        if isinstance(record, Mapping):
            return dict(record)
        return {field.name: getattr(record, field.name) for field in fields(record)}

    return json.loads(json.dumps(value, default=content), parse_constant=lambda _: None)
