"""Correlate the rankings of the same runs by two measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.distributions import ranks
from understandability.errors import InputError, OptionError, check_choice
from understandability.evaluation.conventions import caption_of
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.wording import counted

if TYPE_CHECKING:
    import pandas as pd


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: concordant minus discordant pairs, as a share corrected for ties (Kendall
    1945).

    NaN if `x` or `y` is constant.

    >>> round(kendall_tau_b([1, 2, 3, 4], [1, 3, 2, 4]), 3)
    0.667
    """
    first, second = _pair(x, y)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    order = np.lexsort((second, first))
    discordant = _inversions(second[order])
    pairs = len(first) * (len(first) - 1) // 2
    tied, other_tied = _tied_pairs(first), _tied_pairs(second)
    both = _tied_pairs(np.stack([first, second], axis=1))
    agreements = pairs - tied - other_tied + both - 2 * discordant
    return agreements / math.sqrt((pairs - tied) * (pairs - other_tied))


def _tied_pairs(rows: Floats) -> int:
    """Return the number of pairs of equal rows."""
    counts = np.unique(rows, axis=0, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _inversions(values: Floats) -> int:
    """Return the number of pairs whose earlier value is larger than the later one (Knight 1966).

    >>> _inversions(np.array([3.0, 1.0, 2.0]))
    2
    """
    codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
    positions, count, total = np.arange(len(codes)), len(codes), 0
    width = 1
    while width < count:
        # Each block of two halves: count the values of the left half above each of the right one.
        block, is_right = positions // (2 * width), positions // width % 2 == 1
        left = np.sort(block[~is_right] * count + codes[~is_right])
        right = block[is_right]
        ends = np.searchsorted(left, (right + 1) * count)
        total += int((ends - np.searchsorted(left, right * count + codes[is_right], "right")).sum())
        width *= 2
    return total


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's correlation (Pearson 1896); NaN if `x` or `y` is constant."""
    first, second = _pair(x, y)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    # Scaled first, so that squares of very small or very large values stay finite.
    first, second = ((column - column.mean()) / np.ptp(column) for column in (first, second))
    return float(np.clip((first @ second) / math.sqrt((first @ first) * (second @ second)), -1, 1))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation: Pearson's correlation of the ranks, where ties share their mean
    rank.

    >>> round(spearman([1, 2, 3], [1, 8, 9]), 3)
    1.0
    """
    return pearson(*map(ranks, _pair(x, y)))


def tau_ap(reference: ArrayLike, other: ArrayLike, *, symmetric: bool = False) -> float:
    """AP correlation: Kendall's tau with more weight on the top of the ranking.

    Pick at random a system in the ranking `other`, not its first, and another system above it. If c
    is the probability that `reference` ranks the two in the same order, AP correlation is ``2 c -
    1`` (Yilmaz, Aslam & Robertson 2008). `symmetric` averages the two values with either ranking as
    the reference. Ties are handled by the mean over all orders that break them in the same way in
    both rankings, so two systems that are tied in both agree.
    """
    if symmetric:
        return (tau_ap(reference, other) + tau_ap(other, reference)) / 2
    truth, scores = _pair(reference, other)
    n = len(scores)
    better = (truth[None, :] > truth[:, None]).astype(
        np.float64
    )  # the system of the column is better
    level = (truth[None, :] == truth[:, None]).astype(np.float64)
    above = scores[None, :] > scores[:, None]
    tied = (scores[None, :] == scores[:, None]) & ~np.eye(n, dtype=bool)
    before, ties = above.sum(axis=1), tied.sum(axis=1)
    certain, undecided = (better * above).sum(axis=1), (level * above).sum(axis=1)
    within = ((better + level) * tied).sum(axis=1)
    total = 0.0
    # A system tied with t others is ranked below r = 0 ... t of them with equal probability. A
    # system that only the reference ties with it is then above it with probability
    # (r + 1) / (t + 2).
    for r in range(int(ties.max()) + 1):
        among_ties = np.divide(r * within, ties, out=np.zeros(n), where=ties > 0)
        agreed = certain + undecided * (r + 1) / (ties + 2) + among_ties
        counted = (r <= ties) & (before + r > 0)
        probability = agreed[counted] / (before + r)[counted]
        total += float((probability / (ties[counted] + 1)).sum())
    return 2 * total / (n - 1) - 1


def ubire_overlap(x: ArrayLike, y: ArrayLike) -> float:
    """The value that the UBIRE tool prints as "tau_AP": ``2 mean(overlap at i / i) - 1`` over the
    ranks i < n.

    Tied systems keep the order of the input (in UBIRE, the order of a Java hash map).
    """
    x, y = _pair(x, y)
    shares = _overlaps(x, y)[:-1]
    return float(2 * shares.mean() - 1)


def rank_biased_overlap(x: ArrayLike, y: ArrayLike, p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings of the same systems (Webber, Moffat & Zobel 2010).

    This is the extrapolated form. `p` is the probability that a reader continues to the next rank.
    Tied systems keep the order of the input.
    """
    if not 0 < p < 1:
        raise OptionError(f"the persistence of RBO must lie between 0 and 1, not {p}")
    x, y = _pair(x, y)
    shares = _overlaps(x, y)
    n = len(shares)
    weights = (1 - p) * p ** np.arange(n)
    return float((weights * shares).sum() + p**n * shares[-1])


# By name. The first argument of tau_ap is the reference; the other coefficients are symmetric.
COEFFICIENTS: Mapping[str, Callable[[Floats, Floats], float]] = {
    "tau_b": kendall_tau_b,
    "tau_ap": tau_ap,
    "ubire-overlap": ubire_overlap,
    "rbo": rank_biased_overlap,
    "pearson": pearson,
    "spearman": spearman,
}
DEFAULT_COEFFICIENTS = ("tau_b", "tau_ap", "ubire-overlap", "rbo")


def correlation_matrix(
    columns: Sequence[Floats], coefficient: str, *, symmetric: bool = False, rbo_p: float = 0.9
) -> Floats:
    """Return one coefficient between every two columns of values.

    The row is the reference of `tau_ap`, unless `symmetric` requests its symmetric form. The
    coefficient is NaN for constant columns.
    """
    check_choice("coefficient", coefficient, COEFFICIENTS)
    options: dict[str, dict[str, Any]] = {"tau_ap": {"symmetric": symmetric}, "rbo": {"p": rbo_p}}
    compute = partial(COEFFICIENTS[coefficient], **options.get(coefficient, {}))
    flat = [np.ptp(column) == 0 for column in columns]
    return np.array(
        [
            [math.nan if flat[i] or flat[j] else compute(x, y) for j, y in enumerate(columns)]
            for i, x in enumerate(columns)
        ]
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlations(Tabular):
    """The correlations between the rankings of the runs by every two measures.

    ``matrices[name][i, j]`` has measure ``i`` as the reference. `moved` lists, by measure, the runs
    whose ranks differ most from their ranks by the first measure. `remarks` explain missing
    numbers. `evaluation` holds the conventions and means. `symmetric` is True if the symmetric form
    of tau_ap was used.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    matrices: Mapping[str, Floats]
    moved: Mapping[str, list[tuple[str, float, float]]]
    remarks: tuple[str, ...]
    evaluation: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    symmetric: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the correlations, the runs that move most, and the evaluation as plain
        dictionaries.
        """
        measures = self.measures
        return {
            **self.evaluation,
            "correlations": {
                name: {
                    row: dict(zip(measures, values, strict=True))
                    for row, values in zip(measures, matrix.tolist(), strict=True)
                }
                for name, matrix in self.matrices.items()
            },
            "movers": {
                other: [{"run": run, "rank": a, "to": b} for run, a, b in runs]
                for other, runs in self.moved.items()
            },
            "remarks": list(self.remarks),
        }

    def table(self, coefficient: str | None = None, *, digits: int = 4) -> ResultTable:
        """Return the matrix of one coefficient; without a name, one row per coefficient and pair of
        measures.
        """
        rows: tuple[tuple[Any, ...], ...]
        if coefficient is None:
            columns: tuple[str, ...] = ("coefficient", "reference", "measure", "value")
            pairs = list(product(self.measures, repeat=2))
            rows = tuple(
                (name, *pair, value)
                for name, matrix in self.matrices.items()
                for pair, value in zip(pairs, matrix.ravel().tolist(), strict=True)
            )
        elif coefficient in self.matrices:
            columns = (coefficient, *self.measures)
            matrix = self.matrices[coefficient].tolist()
            rows = tuple((name, *row) for name, row in zip(self.measures, matrix, strict=True))
        else:
            raise OptionError(
                f"{coefficient!r} was not computed; the table has {', '.join(self.matrices)}"
            )
        return ResultTable(columns, rows, note=" ".join(self.remarks), digits=digits)

    def shown(self, coefficient: str | None = None, *, digits: int = 4) -> ResultTable:
        """Return the table for Markdown and LaTeX: the matrix of one coefficient, or of each."""
        direction = "; tau_ap: the row is the reference" if not self.symmetric else ""
        caption = (
            f"Correlations of the orders of {counted(len(self.runs), 'run')} by two measures"
            f"{direction if 'tau_ap' in self.matrices else ''}. {caption_of(self.evaluation)}"
        ).strip()
        if coefficient is not None:
            return replace(self.table(coefficient, digits=digits), caption=caption)
        rows = tuple(
            (name, measure, *values)
            for name, matrix in self.matrices.items()
            for measure, values in zip(self.measures, matrix.tolist(), strict=True)
        )
        return ResultTable(
            ("coefficient", "measure", *self.measures),
            rows,
            note=" ".join(self.remarks),
            digits=digits,
            texts=2,
            caption=caption,
            subheads=1,
        )

    def to_pandas(self, coefficient: str | None = None, *, digits: int = 4) -> pd.DataFrame:
        """Return the table as a pandas data frame; accepts the arguments of `table`."""
        return self.table(coefficient, digits=digits).to_pandas()

    def to_markdown(self, coefficient: str | None = None, *, digits: int = 4) -> str:
        """Return the table in Markdown; accepts the arguments of `shown`."""
        return self.shown(coefficient, digits=digits).to_markdown()

    def to_latex(
        self, coefficient: str | None = None, *, split: bool = False, digits: int = 4
    ) -> str:
        """Return the table in LaTeX; accepts the arguments of `shown` and of
        `ResultTable.to_latex`.
        """
        return self.shown(coefficient, digits=digits).to_latex(split=split)


def correlate_measures(
    measures: tuple[str, ...],
    means: Mapping[str, Floats],
    *,
    coefficients: Sequence[str] = DEFAULT_COEFFICIENTS,
    symmetric: bool = False,
    rbo_p: float = 0.9,
    count: int = 5,
) -> Correlations:
    """Correlate every two measures, and find the `count` runs whose ranks by two measures differ
    most.

    `means` maps each run to an array with its mean by each measure. Raises `OptionError` for fewer
    than two measures or runs.
    """
    for what, names in (("measures", measures), ("runs", means)):
        if len(names) < 2:
            raise OptionError(f"a correlation needs at least two {what}")
    first, *others = columns = list(np.array(list(means.values())).T)
    runs = tuple(means)
    return Correlations(
        measures,
        runs,
        {
            name: correlation_matrix(columns, name, symmetric=symmetric, rbo_p=rbo_p)
            for name in coefficients
        },
        {
            name: movers(runs, first, column, count)
            for name, column in zip(measures[1:], others, strict=True)
        },
        tuple(
            f"All {len(column)} runs have the same {name} ({column[0]:.4g}), so it orders "
            "nothing and correlates with nothing."
            for name, column in zip(measures, columns, strict=True)
            if np.ptp(column) == 0
        ),
        symmetric=symmetric,
    )


def movers(
    systems: Sequence[str], before: ArrayLike, after: ArrayLike, count: int = 5
) -> list[tuple[str, float, float]]:
    """Return the `count` systems whose ranks by two measures differ most, with both ranks.

    The best system has rank 1; tied systems share their mean rank.
    """
    first, second = (ranks(-np.asarray(column)) for column in (before, after))
    most = np.argsort(-np.abs(first - second), kind="stable")[:count]
    moved = [(systems[i], float(first[i]), float(second[i])) for i in most.tolist()]
    return [row for row in moved if row[1] != row[2]]


def _overlaps(x: Floats, y: Floats) -> Floats:
    """Return, for the depths 1 to n, the share of systems that both rankings have above that
    depth.
    """
    n = len(x)
    position = np.empty((2, n), dtype=np.int64)
    for row, scores in zip(position, (x, y), strict=True):
        row[np.argsort(-scores, kind="stable")] = np.arange(n)
    # A system is in both rankings from the deeper of its two positions on.
    common = np.cumsum(np.bincount(position.max(axis=0), minlength=n))
    return common / np.arange(1, n + 1)


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(first) != len(second) or len(first) < 2:
        raise InputError("a correlation needs scores of the same systems, at least two")
    return first, second
