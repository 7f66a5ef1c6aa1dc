"""Read vocabularies that the user has installed: each is a folder with a manifest and terms.

Features load them as lists of words or as a `Lexicon`, when they first need one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, compress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.feature.batch import FloatArray, TypeTable
from understandability.feature.word_lists import WordList, familiar_words, stop_words
from understandability.study.study_lists import StudyList
from understandability.study.terms import TermFinder
from understandability.study.vocabulary_files import DISEASE, STOP, SYMPTOM

Loaded = TypeVar("Loaded")

FORMAT = 1
VARIABLE = "UNDERSTANDABILITY_RESOURCES"
_PLACES = ("LOCALAPPDATA", "XDG_DATA_HOME", "HOME")
MANIFEST = "manifest.json"
TABLE = "table.tsv"
# The vocabularies that identify diseases and symptoms among the concepts of the CHV.
CHV_GROUPS = ("chv", "mesh", "disease-ontology", "symptom-ontology")


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of an installed vocabulary: sources, number of entries, and SHA-256 of every
    file.
    """

    name: str
    sources: dict[str, str]
    entries: int
    files: dict[str, str]
    format: int = FORMAT


def installed_folder() -> Path:
    """Return the folder of installed vocabularies.

    It is the environment variable `UNDERSTANDABILITY_RESOURCES`, or the platform's data folder.
    """
    return _folder(sys.platform, *map(os.environ.get, (VARIABLE, *_PLACES)))


@lru_cache(maxsize=16)
def _folder(platform: str, chosen: str | None, *folders: str | None) -> Path:
    """Return the folder for certain values of environment variables.

    It is cached, because features call it dozens of times per page.
    """
    if chosen:
        return Path(chosen)
    local, data, _ = folders
    if platform == "win32":
        base = Path(local or Path.home() / "AppData/Local")
    elif platform == "darwin":
        base = Path.home() / "Library/Application Support"
    else:
        base = Path(data or Path.home() / ".local/share")
    return base / "understandability" / "resources"


def installed(name: str) -> Manifest | None:
    """Return the manifest of an installed vocabulary, or None."""
    path = os.path.join(installed_folder(), name, MANIFEST)  # noqa: PTH118  # as below
    try:
        stat = os.stat(path)  # noqa: PTH116  # a tenth of the time of Path.stat
    except OSError:
        return None
    return _manifest(Path(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=256)
def _manifest(path: Path, changed: int, size: int) -> Manifest:
    """Read a manifest. It is cached until its modification time or size changes.

    Features need it for every batch.
    """
    name = path.parent.name
    try:
        manifest = Manifest(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path} is damaged ({error}); install {name} again") from error
    if manifest.format != FORMAT:
        raise InputError(f"{path} was made by another version of the toolkit; install {name} again")
    return manifest


def nltk_folder() -> Path | None:
    """Return the installed folder of NLTK's data, or None if it is not installed."""
    return installed_folder() / "nltk-data" if installed("nltk-data") else None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a vocabulary as columns, one per field of `vocabulary_files.Term`."""

    texts: tuple[str, ...]
    concepts: tuple[str, ...]
    values: NDArray[np.float64]
    groups: NDArray[np.str_]


def installed_terms(name: str) -> Terms:
    """Load the terms of an installed vocabulary, or the words of a list; a missing value is NaN."""
    return Terms(*_columns(name, (tuple, tuple, _numbers, np.array)))


@dataclass(frozen=True, slots=True)
class Mappings:
    """The concepts that MetaMap found in documents, as columns: the fields of
    `vocabulary_files.Mapping`.
    """

    docnos: tuple[str, ...]
    concepts: tuple[str, ...]
    occurrences: NDArray[np.float64]
    groups: NDArray[np.str_]
    depths: NDArray[np.float64]


def installed_mappings() -> Mappings:
    """Load the concepts that MetaMap found in the user's documents; missing depths are NaN."""
    return Mappings(*_columns("metamap", (tuple, tuple, _numbers, np.array, _numbers)))


def _numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    return np.array([text or "nan" for text in texts], np.float64)


def _columns(name: str, converters: Sequence[Callable[[Sequence[str]], Any]]) -> list[Any]:
    """Read the columns of an installed table; each is converted by one of `converters`."""
    path = installed_folder() / name / TABLE
    try:
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
        columns = zip(*rows, strict=True)
        return [convert(texts) for convert, texts in zip(converters, columns, strict=True)]
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); install {name} again") from error


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """A vocabulary, ready to be matched with texts: its distinct terms and their data.

    `finder` finds the terms. `values` holds the score or depth of each term; NaN if it is missing,
    and the highest if several concepts share a name. `diseases` and `symptoms` are masks of the
    terms.
    """

    finder: TermFinder
    values: FloatArray
    diseases: NDArray[np.bool_]
    symptoms: NDArray[np.bool_]


def word_list(name: str) -> WordList | None:
    """Return an installed list of words; None if it is not installed."""
    return loaded(_word_list, (name,), (name,))


def study_list(name: str) -> StudyList | None:
    """Return an installed word list, with the matching rules of the study; None if it is not
    installed.
    """
    return loaded(_study_list, (name,), (name,))


def lexicon(name: str) -> Lexicon | None:
    """Return an installed vocabulary; None if it is not installed."""
    return loaded(_lexicon, (name,), (name,))


def grouped_chv() -> Lexicon | None:
    """Return the Consumer Health Vocabulary with its diseases and symptoms.

    None if it, or a vocabulary that identifies diseases and symptoms, is not installed.
    """
    return loaded(_grouped_chv, (), CHV_GROUPS)


def loaded(
    build: Callable[..., Loaded], arguments: tuple[str, ...], needs: tuple[str, ...]
) -> Loaded | None:
    """Call `build`, which reads installed resources; return None if one of `needs` is not
    installed.

    The result is cached until the folder of resources changes.
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


def _study_list(name: str) -> StudyList:
    return StudyList(installed_terms(name).texts)


def _word_list(name: str) -> WordList:
    return WordList(installed_terms(name).texts)


def _lexicon(name: str) -> Lexicon:
    terms = _without_stop_concepts(installed_terms(name))
    texts, owners = _forms(terms.texts)
    # Names of drugs are also "Body", "Care" and "Better".
    finder = TermFinder(texts, familiar_words() if name == "drugbank" else stop_words())
    is_entry = finder.entries >= 0
    values = np.full(finder.size, np.nan)
    np.fmax.at(values, finder.entries[is_entry], terms.values[owners[is_entry]])
    groups = terms.groups[owners]
    return Lexicon(
        finder,
        values,
        diseases=_entries_where(finder, groups == DISEASE),
        symptoms=_entries_where(finder, groups == SYMPTOM),
    )


def _entries_where(finder: TermFinder, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the entries of a finder that belong to a marked term."""
    marks = np.zeros(finder.size, bool)
    marks[finder.entries[marked & (finder.entries >= 0)]] = True
    return marks


def _without_stop_concepts(terms: Terms) -> Terms:
    """Drop the terms of concepts that the CHV marks as too general."""
    stopped = {terms.concepts[index] for index in np.flatnonzero(terms.groups == STOP)}
    specific = np.array([concept not in stopped for concept in terms.concepts], bool)
    return Terms(
        tuple(compress(terms.texts, specific)),
        tuple(compress(terms.concepts, specific)),
        terms.values[specific],
        terms.groups[specific],
    )


def _forms(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return all forms of some terms, and for each form the index of its term in `texts`.

    A term is a form of itself; an inverted one such as "Neoplasms, Lung" also has the form "Lung
    Neoplasms".
    """
    inverted = [index for index, text in enumerate(texts) if text.count(",") == 1 and ", " in text]
    turned = [" ".join(reversed(texts[index].split(", "))) for index in inverted]
    return [*texts, *turned], np.array([*range(len(texts)), *inverted], np.int64)


def _grouped_chv() -> Lexicon:
    """Load the Consumer Health Vocabulary (CHV), and determine which concepts are diseases or
    symptoms.

    A concept is a disease or a symptom if a cross reference of the ontologies to the UMLS says so,
    or if one of its names is the name of one in the Disease Ontology, the Symptom Ontology or MeSH
    (trees C and C23.888). If a concept would be both, it is a symptom if MeSH says so (fever),
    otherwise a disease, because the Symptom Ontology also lists pneumonia and hypertension.
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
