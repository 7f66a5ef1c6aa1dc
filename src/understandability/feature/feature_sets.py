"""Expand the names of sets and groups of features to columns of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from understandability.errors import OptionError
from understandability.feature.catalogue import COLUMNS, all_groups, catalogue, check_columns
from understandability.feature.row import DOCUMENT

# Groups of features that do not depend on the length or the page of a text.
_GROUPS = (
    "readability", "components", "medical vocabulary", "natural language", "word frequency",
    "language model",
)  # fmt: skip


def text_columns() -> tuple[str, ...]:
    """Return the columns of the set ``text``: ratios that need no vocabulary to be installed.

    Published estimators read them by default.
    """
    return tuple(
        row.column(per)
        for row in catalogue()
        if row.group in _GROUPS
        if not row.needs and not row.name.endswith("_readcalc")
        for per in row.per
        if (per != DOCUMENT or len(row.per) == 1) and row.name != "sentences"
    )


# Suffixes of the names of rows that belong to the study's groups, but not to its Table 2: variants
# of a formula, other word lists, another matcher of concepts.
_NOT_IN_STUDY = (
    "_above_5", "_cloze", "_plain", "_readcalc", "_metamap", "_indri", "_terrier",
    "words_over_3_syllables", "adam_abbreviations",
)  # fmt: skip
_STUDY_GROUPS = (
    "readability", "components", "medical vocabulary", "consumer vocabulary", "expert vocabulary",
    "natural language", "html", "word frequency",
)  # fmt: skip


def study_columns() -> tuple[str, ...]:
    """Return the features of Table 2 of Palotti, Zuccon & Hanbury (2019), in all their forms.

    The forms are raw, per word and per sentence. Table 2 also has the outputs of background models,
    which are added with the bundles of such models. If the study used its own word list, the
    feature with our list is included too.
    """
    return tuple(
        column
        for row in catalogue()
        if row.group in _STUDY_GROUPS
        if not row.name.endswith(_NOT_IN_STUDY) and not row.name.startswith("zipf_")
        for column in row.columns
    )


# Sets of features by name, in addition to the groups and the columns of the catalogue.
FEATURE_SETS = {"text": text_columns, "study2018": study_columns}


def columns_named(names: Sequence[str], *, all_forms: bool = True) -> tuple[str, ...]:
    """Expand names of sets (`FEATURE_SETS`), groups, features and columns to distinct columns.

    A set or a group expands to all forms of its features: raw, per word, per sentence. The name of
    a feature expands to all forms too, or to the raw form only if `all_forms` is False.

    >>> columns_named(["smog", "syllables"])
    ('smog', 'syllables', 'syllables_per_word', 'syllables_per_sentence')
    """
    chosen: list[str] = []
    for name in names:
        group = name.replace("-", " ").replace("_", " ").lower()
        if name in FEATURE_SETS:
            chosen += FEATURE_SETS[name]()
        elif group in all_groups():
            chosen += [
                column for row in catalogue() if row.group == group for column in row.columns
            ]
        else:
            try:
                [column] = check_columns([name])
            except OptionError as error:
                raise OptionError(
                    f"{error}; sets and groups are {', '.join((*FEATURE_SETS, *all_groups()))}"
                ) from error
            row, form = COLUMNS[column]
            chosen += row.columns if all_forms and form == DOCUMENT else [column]
    return tuple(dict.fromkeys(chosen))
