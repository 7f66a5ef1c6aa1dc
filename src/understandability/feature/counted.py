"""List the words that a feature counts in a document, with their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

import numpy as np

from understandability.errors import OptionError
from understandability.feature.batch import Array, Batch
from understandability.feature.word_counts import is_of_kind
from understandability.hooks import load

_LEXICON = "study.installed:lexicon"
# The document's index, and the word or term, of each occurrence, in the order of the text.
Occurrences = tuple[Array, list[str]]


@dataclass(frozen=True, slots=True)
class CountedWord:
    """A word or term that a feature counts in a document, and how often it counts it."""

    docno: str
    feature: str
    word: str
    count: int


def _words(batch: Batch, category: str) -> Occurrences:
    indexes = np.flatnonzero(is_of_kind(batch, category))
    strings = batch.word_types.strings
    words = [strings[id_] for id_ in batch.word_ids[indexes]]
    return np.searchsorted(batch.word_starts, indexes, side="right") - 1, words


def _terms(batch: Batch, name: str) -> Occurrences:
    vocabulary = load(_LEXICON)(name)
    if vocabulary is None:
        return np.empty(0, np.int64), []
    matches = batch.once(vocabulary.finder.find)
    strings = batch.token_types.strings
    terms = [
        " ".join(strings[id_] for id_ in batch.token_ids[start:end])
        for start, end in zip(matches.starts, matches.ends, strict=True)
    ]
    return matches.documents, terms


# For each feature that counts words or terms, the function that lists their occurrences.
WORD_LISTS: dict[str, Callable[[Batch], Occurrences]] = {
    **{
        category: partial(_words, category=category)
        for category in (
            "difficult_words",
            "polysyllables",
            "medical_prefixes",
            "medical_suffixes",
            "medical_acronyms",
        )
    },
    "chv_concepts": partial(_terms, name="chv"),
    "mesh_concepts": partial(_terms, name="mesh"),
    "icd_concepts": partial(_terms, name="icd10cm"),
    "drugbank_concepts": partial(_terms, name="drugbank"),
}


def counted_words(batch: Batch, names: Sequence[str] = ()) -> list[CountedWord]:
    """Return the words that features count in each document, the most frequent first.

    `names` are features of `WORD_LISTS`; default: all. The counts of a feature's words add up to
    its value. Words that differ only in capitals are merged and written as their first occurrence.
    A vocabulary that is not installed has no words.

    >>> from understandability.text.document import Document
    >>> text = ("Influenza", "is", "a", "virus.", "Is", "influenza", "dangerous?")
    >>> batch = Batch([Document("d", "", text, (0, 4))])
    >>> [(row.word, row.count) for row in counted_words(batch, ["polysyllables"])]
    [('Influenza', 2), ('dangerous', 1)]
    """
    unknown = [name for name in names if name not in WORD_LISTS]
    if unknown:
        raise OptionError(
            f"--words cannot list the words of {', '.join(unknown)}; leave out --words, or "
            f"choose from {', '.join(WORD_LISTS)}"
        )
    rows: list[tuple[int, CountedWord]] = []
    for name in names or WORD_LISTS:
        documents, words = WORD_LISTS[name](batch)
        keys = list(zip(documents.tolist(), map(str.lower, words), strict=True))
        first_spellings = dict(zip(reversed(keys), reversed(words), strict=True))
        for key, count in Counter(keys).most_common():
            docno = batch.documents[key[0]].docno
            rows.append((key[0], CountedWord(docno, name, first_spellings[key], count)))
    rows.sort(key=itemgetter(0))
    return [row for _, row in rows]
