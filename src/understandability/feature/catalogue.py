"""All features, one row each; every list of them derives from here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from understandability.errors import OptionError
from understandability.feature import background_rows as background
from understandability.feature import (
    components,
    frequency,
    grammar,
    language_model,
    markup,
    other_formulas,
    polarity,
    vocabulary,
)
from understandability.feature import formulas as readability
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.study import concepts, metamap, readcalc

CATALOGUE: tuple[Feature, ...] = (
    *readability.ROWS,
    *readcalc.ROWS,
    *components.ROWS,
    *vocabulary.ROWS,
    *concepts.ROWS,
    *metamap.ROWS,
    *grammar.ROWS,
    *polarity.ROWS,
    *markup.ROWS,
    *frequency.ROWS,
    *language_model.ROWS,
    *background.ROWS,
    *other_formulas.ROWS,
)

# Column name to (row, by what the value is given).
COLUMNS: dict[str, tuple[Feature, str]] = {
    feature.column(per): (feature, per) for feature in CATALOGUE for per in feature.per
}

# What the papers call formulas, in small letters: FOG is that of the uRBP papers (every
# polysyllable counts), DCI the index of Dale & Chall 1948 (`dale_chall_readcalc` is what the
# study's code computed).
ALIASES = {
    "fog": "gunning_fog_plain",
    "dci": "dale_chall",
    "dale_chall_index": "dale_chall",
    "fre": "flesch_reading_ease",
    "fkgl": "flesch_kincaid",
    "cli": "coleman_liau",
    "smog_index": "smog",
    "lix_index": "lix",
}

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(feature.group for feature in CATALOGUE))


def select_columns(
    names: Sequence[str] = (), groups: Sequence[str] = (), per: Sequence[str] = ()
) -> tuple[str, ...]:
    """The columns of features or columns by name, and of groups; of all features without either.

    `per` (``word``, ``sentence``) adds the forms divided by words or sentences.

    >>> select_columns(["smog", "syllables"], per=["word"])
    ('smog', 'syllables', 'syllables_per_word')
    """
    _check("form to give a feature in", per, (WORD, SENTENCE))
    _check("group", groups, GROUPS)
    rows = [feature for feature in CATALOGUE if feature.group in groups]
    chosen = check_columns(names) + tuple(row.name for row in rows)
    if not names and not groups:
        chosen = tuple(feature.name for feature in CATALOGUE)
    forms = (DOCUMENT, *per)
    columns: dict[str, None] = {}
    for name in chosen:
        feature, own = COLUMNS[name]
        for form in forms if own == DOCUMENT else (own,):
            if form in feature.per:
                columns[feature.column(form)] = None
    return tuple(columns)


def check_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The names, if all are columns or `ALIASES`; an error that names every one that is not.

    >>> check_columns(["smog", "syllables_per_word", "FOG"])
    ('smog', 'syllables_per_word', 'gunning_fog_plain')
    >>> check_columns(["smug"])
    Traceback (most recent call last):
    ...
    understandability.errors.OptionError: no feature is named 'smug' (did you mean smog?); ...
    """
    meant = tuple(ALIASES.get(name.lower(), name) for name in names)
    unknown = [name for name in meant if name not in COLUMNS]
    if unknown:
        raise OptionError(
            f"no feature is named {', '.join(map(_with_neighbour, unknown))}; "
            "`understand features --list` shows all"
        )
    return tuple(dict.fromkeys(meant))


def _with_neighbour(name: str) -> str:
    """The name with the nearest column, or with those that hold a part of it."""
    near = get_close_matches(name, [*COLUMNS, *ALIASES], 1)
    parts = [part for part in re.split(r"[\W_]+", name.lower()) if len(part) > 2]
    near = near or [column for column in COLUMNS if any(part in column for part in parts)][:3]
    return f"{name!r} (did you mean {', '.join(near)}?)" if near else repr(name)


def _check(what: str, names: Sequence[str], allowed: Sequence[str]) -> None:
    unknown = [name for name in names if name not in allowed]
    if unknown:
        raise OptionError(
            f"no {what} is named {', '.join(map(repr, unknown))}; choose from {', '.join(allowed)}"
        )


def describe(feature: Feature) -> dict[str, str]:
    """What a listing says of a row: its columns, unit, direction, meaning, source, needs."""
    return {
        "name": feature.name,
        "group": feature.group,
        "per": ", ".join(form for form in feature.per if form != DOCUMENT),
        "unit": feature.unit,
        "direction": feature.direction or "",
        "meaning": feature.meaning,
        "source": feature.source,
        "needs": ", ".join(feature.needs),
    }


def markdown(features: Sequence[Feature] = CATALOGUE) -> str:
    """The catalogue as a Markdown table."""
    rows = [describe(feature) for feature in features]
    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
    lines += [" | ".join(row.values()) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)
