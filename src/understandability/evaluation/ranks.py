"""Ranks within queries, and scores that tell every tool the same order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats

Ints = NDArray[np.int64]


def ranks_of(query_ids: NDArray[np.integer]) -> Ints:
    """The rank, from 1, of each line within its query; lines of a query stand together.

    >>> ranks_of(np.array([0, 0, 1, 1, 1])).tolist()
    [1, 2, 1, 2, 3]
    """
    lines = np.arange(len(query_ids))
    first = np.diff(query_ids, prepend=-1) != 0
    return lines - np.maximum.accumulate(np.where(first, lines, 0)) + 1


def strictly_falling(query_ids: NDArray[np.integer], scores: Floats) -> Floats:
    """The scores, each below the one before it within a query, in single precision too.

    A score that is not, such as infinity, becomes the next number of single precision below the
    one before it: trec_eval, which compares in single precision, then orders as the ranks do.

    >>> strictly_falling(np.array([0, 0, 0, 1]), np.array([1.0, 0.5, 0.5, 0.5])).tolist()
    [1.0, 0.5, 0.4999999701976776, 0.5]
    """
    # Single-precision numbers in order are whole numbers in order, once those below 0 turn.
    bits = scores.astype(np.float32).view(np.int32).astype(np.int64)
    keys = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    lines = np.arange(len(keys))
    apart = query_ids.astype(np.int64) << 34
    lowest = np.minimum.accumulate(keys + lines - apart) - lines + apart
    below = np.where(lowest < 0, -lowest | -0x80000000, lowest).astype(np.int32).view(np.float32)
    return np.where(lowest == keys, scores, below.astype(np.float64))
