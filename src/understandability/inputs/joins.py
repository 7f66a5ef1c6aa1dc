"""Columns of names and numbers joined: what runs and labels share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Lines = NDArray[np.int64]


def freeze(*columns: NDArray[Any] | None) -> None:
    for column in columns:
        if column is not None:
            column.flags.writeable = False


def numpy_values(column: Any, dtype: Any) -> NDArray[Any]:
    """The numbers of a pyarrow array, not copied; what stands for null is any number.

    pyarrow's own conversion imports pandas where that is installed, which takes a second.
    """
    if not len(column):
        return np.empty(0, dtype=dtype)
    values = np.frombuffer(column.buffers()[1], dtype=dtype)
    return values[column.offset : column.offset + len(column)]


def indices(ids: Ids) -> Any:
    """Indexes as pyarrow takes them (its own conversion imports pandas, where installed)."""
    import pyarrow as pa

    buffer = pa.py_buffer(np.ascontiguousarray(ids))
    return pa.Array.from_buffers(pa.int32(), len(ids), [None, buffer])


def coded(names: list[str]) -> tuple[Any, Ids]:
    """The distinct names in order of appearance, and each name as an index into them."""
    import pyarrow as pa

    coded = pa.array(names, pa.string()).dictionary_encode()
    return coded.dictionary, numpy_values(coded.indices, np.int32)


def pairs_of(query_ids: NDArray[Any], docno_ids: NDArray[Any], documents: int) -> Lines:
    """One number for each pair of a query and a document."""
    pairs: Lines = query_ids.astype(np.int64) * documents + docno_ids
    return pairs


def sorted_lines(query_ids: Ids, key: NDArray[Any]) -> Lines:
    """The lines sorted by query and key, equal ones in the order of the file."""
    same, later = query_ids[1:] == query_ids[:-1], query_ids[1:] > query_ids[:-1]
    if (later | (same & (key[1:] >= key[:-1]))).all():
        return np.arange(len(key), dtype=np.int64)
    lines: Lines = np.lexsort((key, query_ids))
    return lines


def has_ties(query_ids: Ids, key: NDArray[Any]) -> bool:
    """Whether neighbours of sorted lines are equal."""
    return bool(((query_ids[1:] == query_ids[:-1]) & (key[1:] == key[:-1])).any())


def places_of(docnos: Any) -> Lines:
    """The place of each name in the order of bytes."""
    import pyarrow.compute as pc

    places = np.empty(len(docnos), dtype=np.int64)
    order = numpy_values(pc.array_sort_indices(docnos), np.uint64)
    places[order] = np.arange(len(docnos))
    return places


def first_of_each(lines: Lines, pairs: Lines) -> Lines:
    """The lines, in their order, without those whose pair has come before."""
    pairs = pairs[lines]
    in_order = np.sort(pairs)
    if (in_order[1:] != in_order[:-1]).all():
        return lines
    return lines[np.sort(np.unique(pairs, return_index=True)[1])]


def matched(docnos: Any, known: Any) -> Ids:
    """The index of each name among the known ones, -1 where it is not one of them.

    The smaller side is hashed: score tables have millions of documents.
    """
    import pyarrow.compute as pc

    if len(known) <= len(docnos):
        return _found(pc.index_in(docnos, known))
    matched = np.full(len(docnos), -1, dtype=np.int32)
    places = _found(pc.index_in(known, docnos))
    matched[places[places >= 0]] = np.flatnonzero(places >= 0)
    return matched


def _found(found: Any) -> Ids:
    """Indexes that pyarrow found, -1 for null."""
    import pyarrow as pa

    valid = numpy_values(found.is_valid().cast(pa.int8()), np.int8) == 1
    return np.where(valid, numpy_values(found, np.int32), np.int32(-1))
