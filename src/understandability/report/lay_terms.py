"""What readers say for an expert's term: "heart attack" for "myocardial infarction"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from understandability.features.words.familiar import unfamiliar
from understandability.features.words.installed import loaded
from understandability.features.words.terms import TermFinder
from understandability.features.words.word_lists import stop_words
from understandability.storage.resources import resource_lines
from understandability.vocabularies.installed import Terms, installed_terms

_OWN_SOURCE = "Readers' terms are from the project's own list of medical terms."
_CHV_SOURCE = (
    " For terms that it lacks they are from the Consumer Health Vocabulary: of the terms of the "
    "same concept whose words are all on the Dale-Chall list, the one with the highest combined "
    "score, of those with a score of their own."
)


@dataclass(frozen=True, slots=True)
class LayTerms:
    """What finds experts' terms; the term and the readers' for each entry; how they were chosen."""

    finder: TermFinder
    pairs: Mapping[int, tuple[str, str]]
    source: str


def lay_terms() -> LayTerms:
    """The project's own list, with the Consumer Health Vocabulary where that is installed.

    >>> ("myocardial infarction", "heart attack") in lay_terms().pairs.values()
    True
    """
    return loaded(_with_chv, (), ("chv",)) or _own()


@lru_cache(maxsize=1)
def _own() -> LayTerms:
    return _made(_own_pairs(), _OWN_SOURCE)


def _with_chv() -> LayTerms:
    # Its own terms come first and keep their readers' terms.
    pairs = {**_own_pairs(), **dict(_chv_pairs(installed_terms("chv"))), **_own_pairs()}
    return _made(pairs, _OWN_SOURCE + _CHV_SOURCE)


def _made(pairs: Mapping[str, str], source: str) -> LayTerms:
    finder = TermFinder(list(pairs), stop_words())
    of_entries: dict[int, tuple[str, str]] = {}
    for entry, pair in zip(finder.entries.tolist(), pairs.items(), strict=True):
        of_entries.setdefault(entry, pair)  # of two forms of one term the first
    return LayTerms(finder, of_entries, source)


def _own_pairs() -> dict[str, str]:
    rows = [line.split("\t") for line in resource_lines("medical/lay_terms.tsv")[1:]]
    return {row[0]: row[1] for row in rows}


def _chv_pairs(terms: Terms) -> Iterator[tuple[str, str]]:
    """Each expert's term of a concept that has a reader's term, with it."""
    words = sorted({word for text in terms.texts for word in text.split()})
    hard = {word for word, is_hard in zip(words, unfamiliar(words), strict=True) if is_hard}
    members: dict[str, list[int]] = {}
    for index in np.flatnonzero(~np.isnan(terms.values)).tolist():
        members.setdefault(terms.concepts[index], []).append(index)
    for indexes in members.values():
        # Terms that nobody was seen to use share the score of their concept.
        shared = Counter(terms.values[indexes].tolist())
        known = [i for i in indexes if shared[terms.values[i]] == 1]
        readers = [i for i in known if hard.isdisjoint(terms.texts[i].split())]
        if not readers:
            continue
        best = max(readers, key=lambda i: float(terms.values[i]))
        for i in indexes:
            if not hard.isdisjoint(terms.texts[i].split()):
                yield terms.texts[i], terms.texts[best].lower()
