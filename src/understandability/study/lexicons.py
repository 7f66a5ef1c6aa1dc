"""Installed vocabularies as the features use them, loaded when a feature first needs one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from understandability.feature.batch import FloatArray, TypeTable
from understandability.feature.terms import TermFinder
from understandability.feature.word_lists import WordList, familiar_words, stop_words
from understandability.study.installed import Terms, installed, installed_folder, installed_terms
from understandability.study.vocabulary_files import DISEASE, STOP, SYMPTOM

Loaded = TypeVar("Loaded")

# What tells which concepts of the CHV are diseases and symptoms.
CHV_GROUPS = ("chv", "mesh", "disease-ontology", "symptom-ontology")


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The different terms of a vocabulary: what finds them, and what is known of each.

    `values` holds the score or depth of each term (NaN where there is none, the highest where
    several concepts share a name); `diseases` and `symptoms` say which terms name one.
    """

    finder: TermFinder
    values: FloatArray
    diseases: NDArray[np.bool_]
    symptoms: NDArray[np.bool_]


def word_list(name: str) -> WordList | None:
    """The installed list of that name, None where it is not installed."""
    return loaded(_word_list, (name,), (name,))


def lexicon(name: str) -> Lexicon | None:
    """The installed vocabulary of that name, None where it is not installed."""
    return loaded(_lexicon, (name,), (name,))


def grouped_chv() -> Lexicon | None:
    """The Consumer Health Vocabulary with its diseases and symptoms; None unless all is there."""
    return loaded(_grouped_chv, (), CHV_GROUPS)


def loaded(
    build: Callable[..., Loaded], arguments: tuple[str, ...], needs: tuple[str, ...]
) -> Loaded | None:
    """What `build` makes of installed resources; None where one of those it needs is missing.

    It is made once for a state of the folder of resources.
    """
    manifests = [installed(name) for name in needs]
    if None in manifests:
        return None
    state = (str(installed_folder()), *(str(manifest) for manifest in manifests))
    result: Loaded = _built(build, arguments, state)
    return result


@lru_cache(maxsize=64)
def _built(build: Callable[..., Any], arguments: tuple[str, ...], state: tuple[str, ...]) -> Any:
    return build(*arguments)


def _word_list(name: str) -> WordList:
    return WordList(installed_terms(name).texts)


def _lexicon(name: str) -> Lexicon:
    terms = _without_stop_concepts(installed_terms(name))
    texts, owners = _forms(terms.texts)
    # Names of drugs are also "Body", "Care" and "Better".
    finder = TermFinder(texts, familiar_words() if name == "drugbank" else stop_words())
    known = finder.entries >= 0
    values = np.full(finder.size, np.nan)
    np.fmax.at(values, finder.entries[known], terms.values[owners[known]])
    groups = terms.groups[owners]
    return Lexicon(
        finder,
        values,
        diseases=_entries_where(finder, groups == DISEASE),
        symptoms=_entries_where(finder, groups == SYMPTOM),
    )


def _entries_where(finder: TermFinder, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which entries of a finder have a term that is marked."""
    marks = np.zeros(finder.size, bool)
    marks[finder.entries[marked & (finder.entries >= 0)]] = True
    return marks


def _without_stop_concepts(terms: Terms) -> Terms:
    """The terms but for those of concepts that the CHV marks as too general."""
    stopped = {terms.concepts[index] for index in np.flatnonzero(terms.groups == STOP)}
    kept = np.array([concept not in stopped for concept in terms.concepts], bool)
    return Terms(
        tuple(compress(terms.texts, kept)),
        tuple(compress(terms.concepts, kept)),
        terms.values[kept],
        terms.groups[kept],
    )


def _forms(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The texts and, of each like "Neoplasms, Lung", also "Lung Neoplasms"; and whose they are."""
    inverted = [index for index, text in enumerate(texts) if text.count(",") == 1 and ", " in text]
    turned = [" ".join(reversed(texts[index].split(", "))) for index in inverted]
    return [*texts, *turned], np.array([*range(len(texts)), *inverted], np.int64)


def _grouped_chv() -> Lexicon:
    """The CHV with its diseases and symptoms.

    A concept is a disease or a symptom if a cross reference of the ontologies to the UMLS says
    so, or if one of its names is the name of one in the Disease Ontology, the Symptom Ontology
    or MeSH (trees C and C23.888). Of what would be both, MeSH's symptoms are symptoms (fever),
    and those of the Symptom Ontology are diseases (it lists pneumonia and hypertension).
    """
    chv = _without_stop_concepts(installed_terms("chv"))
    others = [installed_terms(name) for name in CHV_GROUPS[1:]]
    size = len(chv.texts)
    concepts = TypeTable()
    concept = concepts.number([*chv.concepts, *chain.from_iterable(o.concepts for o in others)])
    group = np.concatenate([np.full(size, ""), *(other.groups for other in others)])
    from_mesh = np.arange(len(group)) < size + len(others[0].texts)
    texts, owners = _forms([*chv.texts, *chain.from_iterable(other.texts for other in others)])
    names = TermFinder(texts)
    groups = np.full(size, "", group.dtype)
    for named in (group == SYMPTOM, group == DISEASE, (group == SYMPTOM) & from_mesh):
        has_name = (names.entries >= 0) & _entries_where(names, named[owners])[names.entries]
        is_concept = np.zeros(len(concepts), bool)
        is_concept[concept[named]] = True
        is_concept[concept[owners[has_name]]] = True
        groups[is_concept[concept[:size]]] = group[named][0]
    plain = lexicon("chv")
    assert plain is not None  # `loaded` has seen to it
    groups = groups[_forms(chv.texts)[1]]
    return replace(
        plain,
        diseases=_entries_where(plain.finder, groups == DISEASE),
        symptoms=_entries_where(plain.finder, groups == SYMPTOM),
    )
