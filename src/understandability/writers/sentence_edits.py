"""Look up and replace sentences of a document."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from understandability.text.document import Document

Sentences = list[list[str]]
Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")

_MOST_KNOWN = 20_000  # sentences, some 20 MB


def spans(document: Document) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of a document, as positions of pieces."""
    return list(pairwise((*document.sentence_starts, len(document.pieces))))


def remembered(
    cache: dict[Key, Found], keys: Sequence[Key], find: Callable[[Sequence[int]], Iterable[Found]]
) -> list[Found]:
    """Look up values for keys in a cache, and compute those that are missing.

    `find` computes the values for the keys at some indices. A full cache is emptied. (While
    somebody types, only one sentence of a text changes, so most values are in the cache.)

    >>> remembered({"a": 1}, ["a", "bb"], lambda indices: [2 for _ in indices])
    [1, 2]
    """
    if len(cache) > _MOST_KNOWN:
        cache.clear()
    missing = {key: index for index, key in enumerate(keys) if key not in cache}
    if missing:
        cache.update(zip(missing, find([*missing.values()]), strict=True))
    return [cache[key] for key in keys]


def replaced(
    pieces: Sequence[str], first: int, instead: Mapping[int, tuple[int, str]]
) -> list[str]:
    """Replace some of the pieces; the first piece has the index `first` in the document.

    >>> replaced(["a", "big", "dog"], 10, {11: (13, "cat")})
    ['a', 'cat']
    """
    result: list[str] = []
    position = first
    while position < first + len(pieces):
        last, text = instead.get(position, (position + 1, pieces[position - first]))
        result += text.split()
        position = last
    return result


def rebuilt(document: Document, sentences: Sequence[Sentences]) -> Document:
    """Return the document with new sentences: `sentences` has, for each old one, the list that
    replaces it.

    The list is empty for a sentence that is dropped.
    """
    pieces: list[str] = []
    starts: list[int] = []
    open_ends: list[int] = []
    was_open = set(document.open_ends)
    for number, parts in enumerate(sentences):
        for part in parts:
            starts.append(len(pieces))
            pieces += part
        if number in was_open and parts:
            open_ends.append(len(starts) - 1)
    ends = tuple(open_ends)
    return document.replace(
        pieces=tuple(pieces), sentence_starts=tuple(starts), open_ends=ends, blocks=()
    )
