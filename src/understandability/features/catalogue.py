"""All features, one row each; every list of them derives from here."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from understandability.errors import OptionError
from understandability.features import (
    components,
    frequency,
    language_model,
    markup,
    readability,
    readcalc,
)
from understandability.features.feature import Feature

CATALOGUE: tuple[Feature, ...] = (
    *readability.ROWS,
    *readcalc.ROWS,
    *components.ROWS,
    *markup.ROWS,
    *frequency.ROWS,
    *language_model.ROWS,
)

# Column name to (row, by what the value is given).
COLUMNS: dict[str, tuple[Feature, str]] = {
    feature.column(per): (feature, per) for feature in CATALOGUE for per in feature.per
}

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(feature.group for feature in CATALOGUE))


def check_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The names, if all are columns; an error that names every one that is not.

    >>> check_columns(["smog", "syllables_per_word"])
    ('smog', 'syllables_per_word')
    >>> check_columns(["smug"])
    Traceback (most recent call last):
    ...
    understandability.errors.OptionError: no feature is named 'smug' (did you mean smog?); ...
    """
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise OptionError(
            f"no feature is named {', '.join(map(_with_neighbour, unknown))}; "
            "`understand features --list` shows all"
        )
    return tuple(names)


def _with_neighbour(name: str) -> str:
    near = get_close_matches(name, COLUMNS, 1)
    return f"{name!r} (did you mean {near[0]}?)" if near else repr(name)
