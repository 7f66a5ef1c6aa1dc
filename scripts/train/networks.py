"""Small networks that stand side by side and give one answer, the mean of theirs.

Each sees some of the columns, drawn by chance, so that they err apart: how far they are apart on a
text says how sure the answer is. They learn one after the other by scikit-learn (`learn_apart`), or
in the same way (Adam, rectified units) all together, in single precision (`learn_together`), which
takes a fifth of the time; there the steps get smaller along half a cosine, so that the end does not
depend on the last rows, and what they say is bent at the ends of a scale from 0 to 100, which no
text leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag
from sklearn.neural_network import MLPRegressor

from understandability.arrays import Floats
from understandability.model.predictors import Network

_BATCH, _RATE = 128, 2e-3
_KEEPS, _KEEPS_SQUARES = 0.9, 0.999  # of Adam
_LEVEL = 3.5  # about the mean of levels


@dataclass(frozen=True)
class Shape:
    """What networks look like.

    Each of `shares` is one network: the share of the columns that it sees. Each has so many
    `units`, learns for so many `rounds`, and its weights are drawn to 0 by `shrink` (scikit-learn
    divides it by the batch).
    """

    shares: tuple[float, ...]
    units: int
    rounds: int
    shrink: float


def learn_together(
    rows: Floats, wanted: Floats, weights: Floats, shape: Shape, seed: int
) -> Network:
    """A network from standardised rows to numbers from 0 to 100; see the module.

    Each part learns from its own columns alone.
    """
    chance = np.random.default_rng(seed)
    wanted = wanted.reshape(len(rows), -1) / 100
    parts: list[list[Floats]] = [[] for _ in shape.shares]
    for share in sorted(set(shape.shares)):
        same = np.flatnonzero(np.array(shape.shares) == share)
        size = round(share * rows.shape[1])
        sees = np.stack([np.sort(chance.permutation(rows.shape[1])[:size]) for _ in same])
        learned = _learned(rows, wanted, weights, sees, shape, chance)
        for number, seen, one, start, two, end in zip(same, sees, *learned, strict=True):
            first = np.zeros((rows.shape[1], shape.units))
            first[seen] = one
            parts[number] = [first, start[0], two, end[0]]
    return _side_by_side(parts, "percent")


def learn_apart(rows: Floats, wanted: Floats, weights: Floats, shape: Shape, seed: int) -> Network:
    """A network to levels by scikit-learn, one part after the other: nearer to people's."""
    sees = np.random.default_rng(seed).random((len(shape.shares), rows.shape[1]))
    parts = []
    for number, seen in enumerate(sees < np.array(shape.shares)[:, None]):
        part = MLPRegressor(
            hidden_layer_sizes=(shape.units,),
            alpha=shape.shrink,
            learning_rate_init=_RATE,
            batch_size=_BATCH,
            max_iter=shape.rounds,
            random_state=seed + number,
        ).fit(rows * seen, wanted - _LEVEL, sample_weight=weights)
        (one, two), (start, end) = part.coefs_, part.intercepts_
        parts.append([one * seen[:, None], start, two, end + _LEVEL])
    return _side_by_side(parts)


def _side_by_side(parts: Sequence[Sequence[Floats]], link: str = "identity") -> Network:
    """One network of parts, each its weights and biases: outputs are the means of the parts'.

    Behind them stands the first output of each part.
    """
    first, starts, second, ends = zip(*parts, strict=True)
    count = len(parts)
    # Nearly all of this is 0, and takes no room in a file.
    each = block_diag(*(two[:, :1] for two in second))
    last = np.append(np.mean(ends, axis=0), [end[0] for end in ends])
    return Network(
        (
            np.hstack(first).astype(np.float16).astype(np.float64),
            np.hstack([np.vstack(second) / count, each]).astype(np.float64),
        ),
        (np.concatenate(starts), last.astype(np.float64)),
        link,
    )


def _learned(
    rows: Floats,
    wanted: Floats,
    weights: Floats,
    sees: NDArray[np.int64],
    shape: Shape,
    chance: np.random.Generator,
) -> list[NDArray[np.float32]]:
    """Weights and biases of both layers of networks of which each `sees` as many columns."""
    # (networks, rows, columns)
    own = np.ascontiguousarray(rows.astype(np.float32)[:, sees].transpose(1, 0, 2))
    wanted, weights = wanted.astype(np.float32), weights.astype(np.float32)[:, None]
    count, inputs, outputs = *sees.shape, wanted.shape[1]
    numbers, means, squares = [], [], []
    for before, behind in ((inputs, shape.units), (shape.units, outputs)):
        most = np.sqrt(6 / (before + behind))
        for size in (before, 1):
            drawn = chance.uniform(-most, most, (count, size, behind)).astype(np.float32)
            numbers.append(drawn)
            means.append(np.zeros_like(drawn))
            squares.append(np.zeros_like(drawn))
    one, start, two, end = numbers
    step, steps = 0, shape.rounds * -(-len(wanted) // _BATCH)
    for _ in range(shape.rounds):
        order = chance.permutation(len(wanted))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            read, weight = own[:, batch], weights[batch]
            inner = np.maximum(read @ one + start, 0)
            said = 1 / (1 + np.exp(-(inner @ two + end)))
            # In units of a quarter of the scale, in which shrinking was chosen.
            away = 16 * (said - wanted[batch]) * said * (1 - said) * (weight / weight.sum())
            back = (away @ two.transpose(0, 2, 1)) * (inner > 0)
            slopes = (
                read.transpose(0, 2, 1) @ back + shape.shrink * one,
                back.sum(axis=1, keepdims=True),
                inner.transpose(0, 2, 1) @ away + shape.shrink * two,
                away.sum(axis=1, keepdims=True),
            )
            step += 1
            rate = _RATE * (1 + np.cos(np.pi * step / steps)) / 2
            rate *= np.sqrt(1 - _KEEPS_SQUARES**step) / (1 - _KEEPS**step)
            for number, slope, mean, square in zip(numbers, slopes, means, squares, strict=True):
                mean += (1 - _KEEPS) * (slope - mean)
                square += (1 - _KEEPS_SQUARES) * (slope**2 - square)
                number -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
    return numbers
