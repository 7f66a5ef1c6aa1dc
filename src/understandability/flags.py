"""The names of the flags of a row, which say what is unusual about a page or its estimate.

``docs/reference/columns.md`` explains each flag. If code uses a name that is not listed here, mypy
reports it; if a listed name has no explanation, a test fails.
"""

from __future__ import annotations

from typing import Literal, get_args

FlagName = Literal[
    "cut_sentences",
    "few_sentences",
    "forcast_extrapolated",
    "language_uncertain",
    "language_untested",
    "list_of_links",
    "little_kept",
    "long_text",
    "missing_vocabulary",
    "no_sense",
    "no_tree",
    "no_words",
    "not_english",
    "repeated",
    "smog_extrapolated",
    "too_short",
    "truncated",
    "two_languages",
    "unclosed_element",
    "unlike_judged",
    "words_without_order",
    "wrong_lang",
]
FLAGS: tuple[FlagName, ...] = get_args(FlagName)
