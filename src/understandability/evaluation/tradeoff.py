"""What re-ranking by understandability gains and costs, over depths and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from understandability.errors import OptionError
from understandability.evaluation.compare import compare
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.evaluate import Evaluation
from understandability.evaluation.rerank import rerank
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.inputs.run import Run

# The first is what is given up, the others are what is gained.
MEASURES = ("RBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8)@10")


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of a sweep: how many documents were re-ranked, by what weight; 0 is the run."""

    top: int
    weight: float

    @property
    def name(self) -> str:
        """What the re-ranked run is called."""
        return f"top={self.top} w={self.weight:g}" if self.top else "as it is"


@dataclass(frozen=True, slots=True)
class Point:
    """A setting with the mean of each measure, and the marks beside it.

    † differs from the input run, ⋄ from the best setting (paired t-test, two-tailed, p < .05).
    """

    setting: Setting
    means: Mapping[str, float]
    marks: Mapping[str, str]


def settings_of(tops: Sequence[int], weights: Sequence[float]) -> tuple[Setting, ...]:
    """The input run, then every depth with every weight."""
    if not tops or not weights:
        raise OptionError("a trade-off needs at least one depth and one weight")
    sweep = (Setting(top, weight) for top in sorted(set(tops)) for weight in sorted(set(weights)))
    return (Setting(0, 0.0), *sweep)


def reranked(
    run: Run, criterion: Criterion, settings: Sequence[Setting], order: str = "rank"
) -> Iterator[Run]:
    """The run under each setting, one at a time."""
    for setting in settings:
        top, weight = (setting.top, setting.weight) if setting.top else (1, 0.0)
        yield rerank(run, [criterion], top, [weight], order, setting.name)


@dataclass(frozen=True, slots=True, repr=False)
class Tradeoff(Tabular):
    """A sweep over depths and weights: its points, and the evaluation that they are of."""

    points: tuple[Point, ...]
    evaluation: Evaluation

    def table(self, *, digits: int = 4) -> ResultTable:
        """A row for each setting, a column for each measure, with marks of significance."""
        marks = {
            (row, measure): point.marks[measure]
            for row, point in enumerate(self.points)
            for measure in point.means
        }
        rows = tuple((point.setting.name, *point.means.values()) for point in self.points)
        note = (
            "† differs from the run as it is, ⋄ from the best setting (paired t-test, two-tailed, "
            "p < .05)."
        )
        columns = ("setting", *self.evaluation.measures)
        return ResultTable(columns, rows, marks, note=note, digits=digits)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each setting and measure."""
        return [
            {"setting": p.setting.name, "top": p.setting.top, "weight": p.setting.weight}
            | {"measure": measure, "value": value, "marks": p.marks[measure]}
            for p in self.points
            for measure, value in p.means.items()
        ]


def tradeoff(evaluation: Evaluation, settings: Sequence[Setting]) -> Tradeoff:
    """The points of a sweep from the evaluation of its `reranked` runs, the input run first."""
    marked = compare(evaluation, tests=["t"]).marks()
    points = tuple(
        Point(
            setting,
            dict(zip(evaluation.measures, evaluation.means[setting.name].tolist(), strict=True)),
            {measure: marked.get((measure, setting.name), "") for measure in evaluation.measures},
        )
        for setting in settings
    )
    return Tradeoff(points, evaluation)
