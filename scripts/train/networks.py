"""Train ensembles of small networks; the output is the mean of the members.

Each member reads a random subset of the columns, so that the errors of members differ. Their spread
on a text indicates the uncertainty of the output.

`learn_apart` trains one member at a time with scikit-learn. `learn_together` trains all members at
once with the same method (Adam, rectified units), in single precision and a fifth of the time. Its
learning rate falls by half a cosine, so that the result does not depend on the last rows, and its
output is a logistic function, which keeps it between 0 and 100.
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
_KEEPS, _KEEPS_SQUARES = 0.9, 0.999  # the decay rates of Adam
_LEVEL = 3.5  # approximately the mean level


@dataclass(frozen=True)
class Shape:
    """The architecture and training of an ensemble.

    `shares` has an entry per member: the share of the columns that it reads. `units` is the size of
    the hidden layer, `rounds` the number of epochs. `shrink` is the L2 penalty (scikit-learn
    divides it by the batch size).
    """

    shares: tuple[float, ...]
    units: int
    rounds: int
    shrink: float


def learn_together(
    rows: Floats, targets: Floats, weights: Floats, shape: Shape, seed: int
) -> Network:
    """Train an ensemble that maps standardised rows to targets from 0 to 100; see the module."""
    chance = np.random.default_rng(seed)
    targets = targets.reshape(len(rows), -1) / 100
    members: list[list[Floats]] = [[] for _ in shape.shares]
    for share in sorted(set(shape.shares)):
        same = np.flatnonzero(np.array(shape.shares) == share)
        size = round(share * rows.shape[1])
        inputs = np.stack([np.sort(chance.permutation(rows.shape[1])[:size]) for _ in same])
        learned = _learned(rows, targets, weights, inputs, shape, chance)
        for number, columns, one, start, two, end in zip(same, inputs, *learned, strict=True):
            first = np.zeros((rows.shape[1], shape.units))
            first[columns] = one
            members[number] = [first, start[0], two, end[0]]
    return _side_by_side(members, "percent")


def learn_apart(rows: Floats, targets: Floats, weights: Floats, shape: Shape, seed: int) -> Network:
    """Train an ensemble for levels with scikit-learn, one member at a time.

    Its levels agree better with human labels than the levels by `learn_together`.
    """
    draws = np.random.default_rng(seed).random((len(shape.shares), rows.shape[1]))
    members = []
    for number, reads in enumerate(draws < np.array(shape.shares)[:, None]):
        member = MLPRegressor(
            hidden_layer_sizes=(shape.units,),
            alpha=shape.shrink,
            learning_rate_init=_RATE,
            batch_size=_BATCH,
            max_iter=shape.rounds,
            random_state=seed + number,
        ).fit(rows * reads, targets - _LEVEL, sample_weight=weights)
        (one, two), (start, end) = member.coefs_, member.intercepts_
        members.append([one * reads[:, None], start, two, end + _LEVEL])
    return _side_by_side(members)


def _side_by_side(members: Sequence[Sequence[Floats]], link: str = "identity") -> Network:
    """Join members, given as weights and biases, into one network.

    Its outputs are the means over the members, followed by the first output of each member.
    """
    first, starts, second, ends = zip(*members, strict=True)
    count = len(members)
    # Nearly all entries are 0, so a compressed file stays small.
    single = block_diag(*(two[:, :1] for two in second))
    last = np.append(np.mean(ends, axis=0), [end[0] for end in ends])
    return Network(
        (
            np.hstack(first).astype(np.float16).astype(np.float64),
            np.hstack([np.vstack(second) / count, single]).astype(np.float64),
        ),
        (np.concatenate(starts), last.astype(np.float64)),
        link,
    )


def _learned(
    rows: Floats,
    targets: Floats,
    weights: Floats,
    inputs: NDArray[np.int64],
    shape: Shape,
    chance: np.random.Generator,
) -> list[NDArray[np.float32]]:
    """Train members with the same number of inputs by Adam (Kingma & Ba 2015).

    `inputs` (members, inputs) are the columns that each member reads. Returns the weights and the
    biases of the first layer, then the weights and the biases of the second layer.
    """
    # (members, rows, inputs)
    own = np.ascontiguousarray(rows.astype(np.float32)[:, inputs].transpose(1, 0, 2))
    targets, weights = targets.astype(np.float32), weights.astype(np.float32)[:, None]
    count, n_inputs = inputs.shape
    parameters, means, squares = [], [], []
    for fan_in, fan_out in ((n_inputs, shape.units), (shape.units, targets.shape[1])):
        most = np.sqrt(6 / (fan_in + fan_out))
        for size in (fan_in, 1):
            drawn = chance.uniform(-most, most, (count, size, fan_out)).astype(np.float32)
            parameters.append(drawn)
            means.append(np.zeros_like(drawn))
            squares.append(np.zeros_like(drawn))
    one, start, two, end = parameters
    step, steps = 0, shape.rounds * -(-len(targets) // _BATCH)
    for _ in range(shape.rounds):
        order = chance.permutation(len(targets))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            values, weight = own[:, batch], weights[batch]
            hidden = np.maximum(values @ one + start, 0)
            outputs = 1 / (1 + np.exp(-(hidden @ two + end)))
            # The penalty was chosen for outputs in units of a quarter of the scale: 4 * 4 = 16.
            errors = 16 * (outputs - targets[batch]) * outputs * (1 - outputs)
            errors = errors * (weight / weight.sum())
            hidden_errors = (errors @ two.transpose(0, 2, 1)) * (hidden > 0)
            gradients = (
                values.transpose(0, 2, 1) @ hidden_errors + shape.shrink * one,
                hidden_errors.sum(axis=1, keepdims=True),
                hidden.transpose(0, 2, 1) @ errors + shape.shrink * two,
                errors.sum(axis=1, keepdims=True),
            )
            step += 1
            rate = _RATE * (1 + np.cos(np.pi * step / steps)) / 2
            rate *= np.sqrt(1 - _KEEPS_SQUARES**step) / (1 - _KEEPS**step)
            for parameter, gradient, mean, square in zip(
                parameters, gradients, means, squares, strict=True
            ):
                mean += (1 - _KEEPS) * (gradient - mean)
                square += (1 - _KEEPS_SQUARES) * (gradient**2 - square)
                parameter -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))
    return parameters
