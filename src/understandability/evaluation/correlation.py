"""How alike two measures order the same systems.

Each function takes what two measures say of the same systems, in the same order of systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.evaluated import Evaluated
from understandability.evaluation.result_table import ResultTable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: its name, its function of reference and other scores, its source.

    `symmetric` is false where the first argument is the reference.
    """

    name: str
    compute: Callable[[Floats, Floats], float]
    source: str
    symmetric: bool = True


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-b: concordant less discordant pairs, corrected for ties.

    >>> round(kendall_tau_b([1, 2, 3, 4], [1, 3, 2, 4]), 3)
    0.667
    """
    from scipy.stats import kendalltau

    x, y = _varied(x, y)
    return float(kendalltau(x, y).statistic)


def tau_ap(reference: ArrayLike, other: ArrayLike) -> float:
    """AP correlation: Kendall's tau with more weight on the top of the ranking.

    The chance that `reference` agrees on a pair that `other` ranks, a system below its first
    and one above that, as ``2 chance - 1`` (Yilmaz, Aslam & Robertson 2008). Not symmetric.
    Where scores tie, the mean over all orders of the systems that break ties in both rankings
    alike: two systems tied in both agree.

    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 3), round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 3)
    (0.778, 0.333)
    """
    truth, scores = _pair(reference, other)
    n = len(scores)
    better = (truth[None, :] > truth[:, None]).astype(np.float64)  # the column system is better
    level = (truth[None, :] == truth[:, None]).astype(np.float64)
    above = scores[None, :] > scores[:, None]
    tied = (scores[None, :] == scores[:, None]) & ~np.eye(n, dtype=bool)
    before, ties = above.sum(axis=1), tied.sum(axis=1)
    sure, open_ = (better * above).sum(axis=1), (level * above).sum(axis=1)
    within = ((better + level) * tied).sum(axis=1)
    total = 0.0
    # A system tied with t others stands below r = 0 ... t of them, each equally often; one that
    # only the reference ties with it then stands above it with chance (r + 1) / (t + 2).
    for r in range(int(ties.max()) + 1):
        of_ties = np.divide(r * within, ties, out=np.zeros(n), where=ties > 0)
        agreed = sure + open_ * (r + 1) / (ties + 2) + of_ties
        counted = (r <= ties) & (before + r > 0)
        chance = agreed[counted] / (before + r)[counted]
        total += float((chance / (ties[counted] + 1)).sum())
    return 2 * total / (n - 1) - 1


def symmetric_tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """The mean of `tau_ap` with either one as the reference.

    >>> round(symmetric_tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 3)
    0.778
    """
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def ubire_overlap(x: ArrayLike, y: ArrayLike) -> float:
    """What the UBIRE tool prints as tau_AP: the mean overlap of the first 1 ... n - 1 systems.

    ``2 mean(overlap at i / i) - 1``. Tied systems keep the order they are given in (UBIRE: that
    of a Java hash map).

    >>> round(ubire_overlap([4, 3, 2, 1], [4, 3, 1, 2]), 3)
    0.778
    """
    x, y = _pair(x, y)
    shares = _overlaps(x, y)[:-1]
    return float(2 * shares.mean() - 1)


def rank_biased_overlap(x: ArrayLike, y: ArrayLike, p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings of the same systems (Webber, Moffat & Zobel 2010).

    The extrapolated form; `p` is the persistence of who reads down both rankings. Tied systems
    keep the order they are given in.

    >>> round(rank_biased_overlap([4, 3, 2, 1], [4, 3, 2, 1]), 12)
    1.0
    """
    if not 0 < p < 1:
        raise OptionError(f"the persistence of RBO must lie between 0 and 1, not {p}")
    x, y = _pair(x, y)
    shares = _overlaps(x, y)
    n = len(shares)
    weights = (1 - p) * p ** np.arange(n)
    return float((weights * shares).sum() + p**n * shares[-1])


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's correlation of the scores themselves.

    >>> round(pearson([1, 2, 3], [2, 4, 6]), 3)
    1.0
    """
    from scipy.stats import pearsonr

    x, y = _varied(x, y)
    return float(pearsonr(x, y).statistic)


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's correlation: Pearson's of the ranks, tied ones sharing their mean rank.

    >>> round(spearman([1, 2, 3], [1, 8, 9]), 3)
    1.0
    """
    from scipy.stats import spearmanr

    x, y = _varied(x, y)
    return float(spearmanr(x, y).statistic)


COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {
        coefficient.name: coefficient
        for coefficient in (
            Coefficient("tau_b", kendall_tau_b, "Kendall 1945"),
            Coefficient("tau_ap", tau_ap, "Yilmaz, Aslam & Robertson 2008", symmetric=False),
            Coefficient("ubire-overlap", ubire_overlap, "UBIRE 0.1, printed there as tau_AP"),
            Coefficient("rbo", rank_biased_overlap, "Webber, Moffat & Zobel 2010"),
            Coefficient("pearson", pearson, "Pearson 1896"),
            Coefficient("spearman", spearman, "Spearman 1904"),
        )
    }
)


def correlation_matrix(
    columns: Sequence[Floats], coefficient: str, *, symmetric: bool = False, rbo_p: float = 0.9
) -> Floats:
    """One coefficient between every two columns of scores; the row is the reference.

    `symmetric` takes the symmetric form of tau_ap. NaN where a column does not vary.

    >>> correlation_matrix([np.array([1.0, 2, 3]), np.array([3.0, 2, 1])], "tau_b").tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if coefficient not in COEFFICIENTS:
        raise OptionError(
            f"there is no coefficient {coefficient!r}; choose one of {', '.join(COEFFICIENTS)}"
        )
    compute = COEFFICIENTS[coefficient].compute
    if coefficient == "tau_ap" and symmetric:
        compute = symmetric_tau_ap
    if coefficient == "rbo":

        def compute(x: Floats, y: Floats) -> float:
            return rank_biased_overlap(x, y, rbo_p)

    flat = [np.ptp(column) == 0 for column in columns]
    return np.array(
        [
            [
                math.nan if flat[i] or flat[j] else compute(row, column)
                for j, column in enumerate(columns)
            ]
            for i, row in enumerate(columns)
        ]
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlations:
    """How alike each two measures order the runs, by each coefficient.

    ``matrices[name][i, j]`` has measure ``i`` as the reference; `moved` are, by measure, the runs
    whose ranks differ most from those by the first measure (`movers`); `remarks` say in a
    sentence why a number is missing.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    matrices: Mapping[str, Floats]
    moved: Mapping[str, list[tuple[str, float, float]]]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        """The table as at a prompt, with the sentences on what is missing below it."""
        return self.to_markdown()

    def table(self, coefficient: str | None = None, *, digits: int = 4) -> ResultTable:
        """The matrix of one coefficient, or without it a row for each coefficient and pair."""
        note = " ".join(self.remarks)
        if coefficient is not None:
            if coefficient not in self.matrices:
                raise OptionError(
                    f"{coefficient!r} was not computed; the table has {', '.join(self.matrices)}"
                )
            matrix = zip(self.measures, self.matrices[coefficient].tolist(), strict=True)
            rows = tuple((measure, *row) for measure, row in matrix)
            return ResultTable((coefficient, *self.measures), rows, note=note, digits=digits)
        rows = tuple(
            (name, row, column, float(matrix[i, j]))
            for name, matrix in self.matrices.items()
            for i, row in enumerate(self.measures)
            for j, column in enumerate(self.measures)
        )
        columns = ("coefficient", "reference", "measure", "value")
        return ResultTable(columns, rows, note=note, digits=digits)

    def to_pandas(self, coefficient: str | None = None) -> pd.DataFrame:
        """The matrix of one coefficient as a frame, or all in the long form."""
        return self.table(coefficient).to_pandas()

    def to_markdown(self, coefficient: str | None = None, *, digits: int = 4) -> str:
        """The matrix of one coefficient as Markdown, or all in the long form."""
        return self.table(coefficient, digits=digits).to_markdown()

    def to_latex(self, coefficient: str | None = None, *, digits: int = 4) -> str:
        """The matrix of one coefficient as LaTeX, or all in the long form."""
        return self.table(coefficient, digits=digits).to_latex()


def correlate(
    evaluation: Evaluated,
    coefficients: Sequence[str] = ("tau_b", "tau_ap", "ubire-overlap", "rbo"),
    *,
    symmetric: bool = False,
    rbo_p: float = 0.9,
    count: int = 5,
) -> Correlations:
    """The correlations between all measures of an evaluation, and the `count` runs that move most.

    Raises `OptionError` where there are less than two measures or runs.
    """
    if len(evaluation.measures) < 2:
        raise OptionError("a correlation needs at least two measures")
    if len(evaluation.runs) < 2:
        raise OptionError("a correlation needs at least two runs")
    table = np.array([evaluation.means[run] for run in evaluation.runs])
    columns = list(table.T)
    first, *others = columns
    return Correlations(
        evaluation.measures,
        evaluation.runs,
        {
            name: correlation_matrix(columns, name, symmetric=symmetric, rbo_p=rbo_p)
            for name in coefficients
        },
        {
            name: movers(evaluation.runs, first, column, count)
            for name, column in zip(evaluation.measures[1:], others, strict=True)
        },
        tuple(
            f"All {len(column)} runs have the same {name} ({column[0]:.4g}), so that it orders "
            "nothing and correlates with nothing."
            for name, column in zip(evaluation.measures, columns, strict=True)
            if np.ptp(column) == 0
        ),
    )


def movers(
    systems: Sequence[str], before: ArrayLike, after: ArrayLike, count: int = 5
) -> list[tuple[str, float, float]]:
    """The systems whose ranks two measures differ in most, with both ranks.

    1 is the best; tied systems share their mean rank.

    >>> movers(["a", "b", "c"], [0.3, 0.2, 0.1], [0.1, 0.2, 0.3], 2)
    [('a', 1.0, 3.0), ('c', 3.0, 1.0)]
    """
    from scipy.stats import rankdata

    first, second = (rankdata(-np.asarray(column)) for column in (before, after))
    most = np.argsort(-np.abs(first - second), kind="stable")[:count]
    moved = [(systems[i], float(first[i]), float(second[i])) for i in most.tolist()]
    return [row for row in moved if row[1] != row[2]]


def _overlaps(x: Floats, y: Floats) -> Floats:
    """The share of systems that the first 1, 2, ... n of both rankings have in common."""
    n = len(x)
    place = np.empty((2, n), dtype=np.int64)
    for row, scores in zip(place, (x, y), strict=True):
        row[np.argsort(-scores, kind="stable")] = np.arange(n)
    # A system is common to both from the deeper of its two places on.
    common = np.cumsum(np.bincount(place.max(axis=0), minlength=n))
    return common / np.arange(1, n + 1)


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(first) != len(second) or len(first) < 2:
        raise InputError("a correlation needs scores of the same systems, at least two")
    return first, second


def _varied(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Both columns; NaNs where one does not vary, which no correlation is defined for."""
    first, second = _pair(x, y)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.full(len(first), np.nan), np.full(len(first), np.nan)
    return first, second
