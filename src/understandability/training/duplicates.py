"""Find near-duplicates, so that no model is tested on a copy of a text it learned from.

MinHash with banding (Broder 1997): texts that share most of their runs of three words almost always
fall into the same bucket, and only texts in the same bucket are compared.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.training.labelled import LabelledTexts, all_documents

Hashes = NDArray[np.uint64]

_RUN = 3  # words
# Texts with this share of common runs (Jaccard) are near-duplicates.
_ALIKE = 0.7
_BANDS, _ROWS = 16, 4
_STEP = 1_000  # texts between two calls of `progress`
_MANY_RUNS = 500_000  # runs of words hashed at a time


def joined_groups(
    sets: Sequence[LabelledTexts],
    progress: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> tuple[NDArray[np.int64], int]:
    """Return the group of each text, and the number of texts whose group was merged into another.

    Groups are numbered from 0, across all sets. Groups that share near-duplicates are merged.
    `progress` is called with the name of the step, the number of finished texts, and the total.
    """

    def documents() -> Iterator[Document]:
        for done, document in enumerate(all_documents(sets)):
            if done % _STEP == 0:
                progress("comparing texts", done, len(names))
            yield document

    names = [group for labelled in sets for group in labelled.groups]
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    groups = np.array([numbers[name] for name in names], np.int64)
    pairs = near_duplicates(documents())
    parents = list(range(int(groups.max(initial=-1)) + 1))
    count = 0
    for one, other in pairs.tolist():
        first, second = _root(parents, int(groups[one])), _root(parents, int(groups[other]))
        if first != second:
            parents[max(first, second)] = min(first, second)
            count += 1
    roots = np.array([_root(parents, group) for group in range(len(parents))], np.int64)
    return np.unique(roots[groups], return_inverse=True)[1].astype(np.int64), count


def _root(parents: list[int], group: int) -> int:
    while parents[group] != group:
        parents[group] = parents[parents[group]]
        group = parents[group]
    return group


def near_duplicates(documents: Iterable[Document]) -> NDArray[np.int64]:
    """Return pairs of texts that share most of their runs of words, as indices; shape (pairs, 2).

    If a text has many copies, not every pair of them is returned, but a chain of pairs links each
    copy to every other.

    >>> from understandability.text.analysis import document_of_text
    >>> texts = ("Rest helps if you have the flu.", "See a doctor.", "Rest helps if you have flu.",
    ...          "Rest helps if you have the flu. Again.")
    >>> near_duplicates(map(document_of_text, texts)).tolist()
    [[0, 3]]
    """
    signatures: list[Hashes] = [np.empty((0, _BANDS * _ROWS), np.uint64)]
    runs: list[Hashes] = []
    for chunk in _chunks(documents):
        signatures.append(_signatures(chunk))
        runs += [np.unique(text) for text in chunk]
    table = np.concatenate(signatures)
    matches: set[tuple[int, int]] = set()
    for band in range(_BANDS):
        part = table[:, band * _ROWS : (band + 1) * _ROWS]
        order = np.lexsort(part.T[::-1])
        same = (part[order[1:]] == part[order[:-1]]).all(axis=1)
        candidates = np.stack([order[:-1][same], order[1:][same]], axis=1)
        candidates.sort(axis=1)
        for one, other in candidates.tolist():
            if (one, other) not in matches and _alike(runs[one], runs[other]):
                matches.add((one, other))
    return np.array(sorted(matches), np.int64).reshape(-1, 2)


def _alike(one: Hashes, other: Hashes) -> bool:
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common >= _ALIKE * (len(one) + len(other) - common)


def _chunks(documents: Iterable[Document]) -> Iterator[list[Hashes]]:
    chunk: list[Hashes] = []
    size = 0
    for document in documents:
        text = _runs([*filter(None, map(word_of, document.pieces))])
        chunk.append(text)
        size += len(text)
        if size > _MANY_RUNS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _runs(words: Sequence[str]) -> Hashes:
    """Hash each sequence of three words. Repetitions of a sequence get different hashes."""
    padding = [0] * (_RUN - 1)
    hashes = np.array([*padding, *(zlib.crc32(word.lower().encode()) for word in words)], np.uint64)
    result = np.zeros(max(len(words), 1), np.uint64)
    for offset in range(_RUN if words else 0):
        result = _mixed(result ^ hashes[offset : offset + len(words)])
    result.sort()
    # The number of equal preceding runs: for the sorted hashes a a a b it is 0 1 2 0.
    first = np.searchsorted(result, result, "left")
    return _mixed(result ^ _mixed((np.arange(len(result)) - first).astype(np.uint64)))


def _mixed(values: Hashes) -> Hashes:
    """Mix values, so that every bit depends on all bits (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _signatures(chunk: Sequence[Hashes]) -> Hashes:
    """Return the least hash of each text under each of 64 hash functions; shape (texts, 64)."""
    starts = np.cumsum([0, *map(len, chunk[:-1])])
    runs = np.concatenate(chunk)
    seeds = _mixed(np.arange(1, _BANDS * _ROWS + 1, dtype=np.uint64))
    return np.stack([np.minimum.reduceat(_mixed(runs ^ seed), starts) for seed in seeds], axis=1)
