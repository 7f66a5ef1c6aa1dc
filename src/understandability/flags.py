"""The names of flags: what is unusual about a page or its estimate.

``docs/reference/columns.md`` explains each of them. A name that is missing here is an error of
types wherever the code raises it, and a name without an explanation fails a test.
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
