"""The catalogue of features, with one row per feature. Every list of features is derived from
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache

from understandability.errors import OptionError
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.hooks import load

# The tables of rows, in the order of the catalogue. The tables of the study are outside the core,
# and are loaded only if one of their rows is requested or all rows are listed.
TABLES = (
    "feature.formulas:ROWS",
    "study.readcalc:ROWS",
    "feature.word_counts:ROWS",
    "study.vocabulary_rows:ROWS",
    "feature.grammar:ROWS",
    "feature.markup:ROWS",
    "feature.frequency:ROWS",
    "feature.language_model:ROWS",
    "feature.background_rows:ROWS",
    "feature.formulas:OTHER_ROWS",
    "feature.diversity:ROWS",
)


@cache
def _columns_of(table: str) -> dict[str, tuple[Feature, str]]:
    rows: tuple[Feature, ...] = load(table)
    return {row.column(per): (row, per) for row in rows for per in row.per}


class CatalogueColumns(Mapping[str, tuple[Feature, str]]):
    """A mapping from the name of each column to its feature and form, in the order of `TABLES`.

    The form is ``document``, ``word`` or ``sentence``: what the feature is divided by. A name is
    looked up in the tables of the core first, so that the tables of the package `study` are
    imported only if they are needed.

    >>> row, per = COLUMNS["syllables_per_word"]
    >>> row.name, per
    ('syllables', 'word')
    """

    def __getitem__(self, name: str) -> tuple[Feature, str]:
        for table in sorted(TABLES, key=lambda table: not table.startswith("feature.")):
            if name in _columns_of(table):
                return _columns_of(table)[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for table in TABLES:
            yield from _columns_of(table)

    def __len__(self) -> int:
        return sum(len(_columns_of(table)) for table in TABLES)


COLUMNS = CatalogueColumns()

# The names of formulas in papers, in lower case. FOG is the variant of the uRBP papers, in which
# every polysyllable counts; DCI is the index of Dale & Chall 1948 (`dale_chall_readcalc` is the
# variant in the study's code).
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


@cache
def catalogue() -> tuple[Feature, ...]:
    """Return all rows of the catalogue."""
    return tuple(row for table in TABLES for row in load(table))


def all_groups() -> tuple[str, ...]:
    """Return the names of all groups of features."""
    return tuple(dict.fromkeys(row.group for row in catalogue()))


def select_columns(
    names: Sequence[str] = (),
    groups: Sequence[str] = (),
    per: Sequence[str] = (),
    *,
    only_available: bool = False,
) -> tuple[str, ...]:
    """Return the columns of the named features and groups; without names, of all features.

    `per` (``word``, ``sentence``) adds the forms divided by words or sentences. With
    `only_available`, features that nobody named are left out if their extra is not installed.

    >>> select_columns(["smog", "syllables"], per=["word"])
    ('smog', 'syllables', 'syllables_per_word')
    """
    _check("form of a feature", per, (WORD, SENTENCE))
    _check("group", groups, all_groups() if groups else ())
    rows = [row for row in catalogue() if row.group in groups] if groups else []
    if not names and not groups:
        rows = [*catalogue()]
    chosen = check_columns(names) + tuple(
        row.name for row in rows if not only_available or row.is_available()
    )
    forms = (DOCUMENT, *per)
    columns: dict[str, None] = {}
    for name in chosen:
        feature, own = COLUMNS[name]
        for form in forms if own == DOCUMENT else (own,):
            if form in feature.per:
                columns[feature.column(form)] = None
    return tuple(columns)


def check_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Resolve names and `ALIASES` to columns; one error lists all unknown names.

    >>> check_columns(["smog", "syllables_per_word", "FOG"])
    ('smog', 'syllables_per_word', 'gunning_fog_plain')
    >>> check_columns(["smug"])
    Traceback (most recent call last):
    ...
    understandability.errors.OptionError: no feature is named 'smug' (did you mean smog?); ...
    """
    columns = tuple(ALIASES.get(name.lower(), name) for name in names)
    unknown = [name for name in columns if name not in COLUMNS]
    if unknown:
        raise OptionError(
            f"no feature is named {', '.join(map(_with_neighbour, unknown))}; "
            "`understand features --list` shows all"
        )
    return tuple(dict.fromkeys(columns))


def _with_neighbour(name: str) -> str:
    """Return a name followed by the most similar column, or by columns that share a part of the
    name.
    """
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
    """Return a feature as a dictionary of texts, for a listing."""
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
