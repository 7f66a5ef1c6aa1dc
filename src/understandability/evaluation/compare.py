"""Runs compared with one another, query by query: differences, effects, tests, corrections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.evaluation.evaluated import Evaluated
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.evaluation.significance import (
    CORRECTIONS,
    TESTS,
    bootstrap,
    effect_interval,
    effect_size,
    mean_interval,
    paired_t,
    power,
    queries_needed,
)

BASELINE_MARK, BEST_MARK = "†", "⋄"
FIRST, BEST, PAIRS = "first", "best", "pairs"


@dataclass(frozen=True, slots=True)
class RunComparison:
    """A run against a reference under one measure.

    `against` says which: the ``first`` run, the ``best`` of the measure, or ``pairs``, one of all
    pairs. `difference` is the mean over `queries` of run less reference, `low` and `high` its
    interval of 95 %, by the bootstrap where that is one of the tests, else by Student's t.
    `effect_size` is Cohen's d of the paired differences, with its interval; `power` the chance that
    a t-test finds that effect with as many queries, `queries_needed` how many it takes for a chance
    of .8. `p` are two-tailed probabilities by test, `corrected` the same by correction and test,
    for the runs compared under the measure.
    """

    measure: str
    run: str
    reference: str
    against: str
    queries: int
    mean: float
    difference: float
    low: float
    high: float
    effect_size: float
    effect_low: float
    effect_high: float
    power: float
    queries_needed: int | None
    t: float
    p: Mapping[str, float]
    corrected: Mapping[str, Mapping[str, float]]

    def as_dict(self) -> dict[str, Any]:
        """The comparison as a flat row: ``p_t``, ``p_t_holm``, ``p_t_bonferroni`` ..."""
        row = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("p", "corrected")
        }
        for test, p in self.p.items():
            row[f"p_{test}"] = p
            row |= {f"p_{test}_{name}": of[test] for name, of in self.corrected.items()}
        return row


@dataclass(frozen=True, slots=True, repr=False)
class RunComparisons(Tabular, Sequence[RunComparison]):
    """All comparisons of an evaluation, in order: measure, reference, run."""

    rows: tuple[RunComparison, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __iter__(self) -> Iterator[RunComparison]:
        return iter(self.rows)

    def marks(
        self, alpha: float = 0.05, *, test: str = "t", correction: str | None = None
    ) -> dict[tuple[str, str], str]:
        """The marks of each measure and run, as in the tables of the study.

        † differs from the first run, ⋄ from the best, by the `test` at `alpha`; with a `correction`
        by the probabilities that it leaves.
        """
        if not 0 < alpha < 1:
            raise OptionError(f"alpha must lie between 0 and 1, not {alpha}")
        if correction is not None and correction not in CORRECTIONS:
            raise OptionError(
                f"there is no correction {correction!r}; choose one of {', '.join(CORRECTIONS)}"
            )
        marked: dict[tuple[str, str], str] = {}
        for row in self.rows:
            sign = {FIRST: BASELINE_MARK, BEST: BEST_MARK}.get(row.against)
            p = row.corrected[correction] if correction else row.p
            if test not in p:
                raise OptionError(f"{test!r} was not run; the tests are {', '.join(p)}")
            if sign and p[test] < alpha:
                key = (row.measure, row.run)
                marked[key] = marked.get(key, "") + sign
        return marked

    def table(self, *, digits: int = 4) -> ResultTable:
        """A row for each comparison, a column for each of its numbers."""
        rows = [row.as_dict() for row in self.rows]
        columns = tuple(rows[0]) if rows else ("measure", "run", "reference")
        return ResultTable(columns, tuple(tuple(row.values()) for row in rows), digits=digits)


def compare(
    evaluation: Evaluated,
    *,
    tests: Sequence[str] = tuple(TESTS),
    pairs: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
) -> RunComparisons:
    """Every run against the first run and the best one of each measure, or all `pairs` of runs.

    Over the queries that both runs count. Randomisation and bootstrap draw `samples` times from a
    generator with `seed`; `alpha` is the level of the power.
    """
    if samples < 100:
        raise OptionError(f"randomisation and bootstrap need 100 samples or more, not {samples}")
    if unknown := [test for test in tests if test not in TESTS]:
        raise OptionError(f"there is no test {unknown[0]!r}; choose one of {', '.join(TESTS)}")
    comparer = _Comparer(evaluation, tuple(tests), samples, seed, alpha)
    rows: list[RunComparison] = []
    for place, measure in enumerate(evaluation.measures):
        if pairs:
            rows += comparer.rows(
                place, PAIRS, [(b, a) for a, b in combinations(evaluation.runs, 2)]
            )
            continue
        means = {run: float(values[place]) for run, values in evaluation.means.items()}
        least = measure.startswith("residual")  # of what could not be judged less is better
        best = (min if least else max)(means, key=lambda run: means[run])
        for against, reference in ((FIRST, evaluation.runs[0]), (BEST, best)):
            others = [(run, reference) for run in evaluation.runs if run != reference]
            rows += comparer.rows(place, against, others)
    return RunComparisons(tuple(rows))


@dataclass(frozen=True, slots=True)
class _Comparer:
    evaluation: Evaluated
    tests: tuple[str, ...]
    samples: int
    seed: int
    alpha: float

    def rows(
        self, place: int, against: str, pairs: Sequence[tuple[str, str]]
    ) -> list[RunComparison]:
        """The comparisons of some pairs under one measure, corrected for their number."""
        differences = [self._differences(place, *pair) for pair in pairs]
        p = {
            test: [TESTS[test](d, self.samples, self.seed) for d in differences]
            for test in self.tests
        }
        corrected = {
            name: {test: correct(p[test]).tolist() for test in self.tests if differences}
            for name, correct in CORRECTIONS.items()
        }
        resampled = "bootstrap" in self.tests
        rows: list[RunComparison] = []
        for row, ((run, reference), d) in enumerate(zip(pairs, differences, strict=True)):
            interval = bootstrap(d, self.samples, self.seed)[1:] if resampled else mean_interval(d)
            effect = effect_size(d)
            rows.append(
                RunComparison(
                    self.evaluation.measures[place],
                    run,
                    reference,
                    against,
                    len(d),
                    float(self.evaluation.means[run][place]),
                    float(d.mean()),
                    *interval,
                    effect,
                    *effect_interval(d),
                    power(effect, len(d), self.alpha),
                    queries_needed(effect, self.alpha),
                    paired_t(d)[0],
                    {test: values[row] for test, values in p.items()},
                    {
                        name: {test: values[row] for test, values in of.items()}
                        for name, of in corrected.items()
                    },
                )
            )
        return rows

    def _differences(self, place: int, run: str, reference: str) -> Floats:
        values = self.evaluation.values
        differences: Floats = values[run][place] - values[reference][place]
        differences = differences[~np.isnan(differences)]
        if len(differences) < 2:
            raise InputError(f"runs {run} and {reference} have no two queries in common to compare")
        return differences
