"""Measure what re-ranking by understandability gains and costs, over depths and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Unpack

from cyclopts import Parameter

from understandability.errors import OptionError
from understandability.evaluation.conventions import Choices, conventions
from understandability.evaluation.criteria import criterion, mixed_models
from understandability.evaluation.evaluate import Evaluation, evaluate
from understandability.evaluation.options import (
    EvaluationOptions,
    LabelFile,
    Labelling,
    Measures,
    Qrels,
)
from understandability.evaluation.rerank import rerank
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.evaluation.unusual_input import notes_on_runs
from understandability.inputs.runs_and_labels import run_of
from understandability.keywords import keywords_of

# Re-ranking lowers the first and raises the others.
MEASURES = ("RBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8)@10")


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of a sweep: the depth of re-ranking and the weight of the score (0: not
    re-ranked).
    """

    top: int
    weight: float

    @property
    def name(self) -> str:
        """The name of the re-ranked run."""
        return f"top={self.top} w={self.weight:g}" if self.top else "as it is"


@dataclass(frozen=True, slots=True)
class Point:
    """A setting of a sweep with the mean of each measure and its mark of significance.

    † means different from the input run, ⋄ different from the best setting (paired t-test,
    two-tailed, p < .05).
    """

    setting: Setting
    means: Mapping[str, float]
    marks: Mapping[str, str]


@dataclass(frozen=True, slots=True, repr=False)
class Tradeoff(Tabular):
    """A sweep over depths and weights: its points, and their evaluation.

    `scores` names the score that the run was re-ranked by. `notes` say what is unusual in the
    labels and in the run.
    """

    points: tuple[Point, ...]
    evaluation: Evaluation
    scores: str = ""
    notes: tuple[str, ...] = ()

    def table(self, *, digits: int = 4) -> ResultTable:
        """Return a table with one row per setting and one column per measure, with marks of
        significance.
        """
        marks = {
            (row, measure): mark
            for row, point in enumerate(self.points)
            for measure, mark in point.marks.items()
        }
        rows = tuple((point.setting.name, *point.means.values()) for point in self.points)
        note = (
            "† differs from the original run, ⋄ from the best setting (paired t-test, two-tailed, "
            "p < .05)."
        )
        columns = ("setting", *self.evaluation.measures)
        return ResultTable(columns, rows, marks, note=note, digits=digits)

    def as_dict(self) -> dict[str, Any]:
        """Return the conventions and the points as plain dictionaries."""
        return {
            "conventions": {**self.evaluation.conventions, "scores": self.scores},
            "points": self.to_dicts(),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per setting and measure."""
        return [
            {"setting": p.setting.name, "top": p.setting.top, "weight": p.setting.weight}
            | {"measure": measure, "value": value, "marks": p.marks[measure]}
            for p in self.points
            for measure, value in p.means.items()
        ]


@keywords_of(Labelling, Choices)
def tradeoff(
    run: Any,
    scores: Annotated[Any, Parameter("--scores", metavar="FILE:COLUMN[:DIRECTION]")],
    qrels: Qrels,
    understandability: LabelFile = None,
    *,
    direction: Annotated[str | None, Parameter(parse=False)] = None,
    score_column: Annotated[str | None, Parameter(parse=False)] = None,
    tops: Annotated[Sequence[int], Parameter("--top")] = (5, 10, 15, 20, 50),
    weights: Annotated[Sequence[float], Parameter("--weight")] = (0.25, 0.5, 0.75, 1.0),
    measures: Measures = MEASURES,
    **options: Unpack[EvaluationOptions],
) -> Tradeoff:
    """Re-rank a run by a score to several depths and weights, and evaluate each.

    One row per setting; † marks a difference from the original run, ⋄ from the best setting
    (paired t-test, two-tailed, p < .05). Without measures: RBP, RBPu and HRBP at 10, p = .8.

    Example: understand tradeoff bm25.run --scores scores.parquet:difficulty --qrels qrels.txt
    --understandability qunder.txt --scale lower-easier:40 --plot tradeoff.svg

    Args:
        run: A TREC run (query Q0 document rank score tag), plain, .gz or .zst.
        scores: The score to re-rank by; DIRECTION is higher-harder or higher-easier.
        tops: The number of documents to re-rank; may be repeated (5, 10, 15, 20, 50 by default).
        weights: A weight of the score; may be repeated (0.25, 0.5, 0.75, 1 by default).

    In Python:
        `scores`, `direction` and `score_column` are as in `criterion`, `options` as in `evaluate`.

    >>> queries = [f"q{i}" for i in range(3)]
    >>> run = {q: {"hard": 2.0, "easy": 1.0} for q in queries}
    >>> qrels, labels = {q: {"hard": 1} for q in queries}, {"hard": 90, "easy": 5}
    >>> sweep = tradeoff(
    ...     run, labels, qrels, labels, direction="higher-harder", scale="lower-easier:40",
    ...     tops=[2], weights=[1.0], measures=["RBP(p=0.8)@1", "RBPu(p=0.8)@1"],
    ... )
    >>> [(p.setting.name, [round(v, 2) for v in p.means.values()]) for p in sweep.points]
    [('as it is', [0.2, 0.0]), ('top=2 w=1', [0.0, 0.2])]
    """
    if not tops or not weights:
        raise OptionError("a trade-off needs at least one depth and one weight")
    sweep = [Setting(top, weight) for top in sorted(set(tops)) for weight in sorted(set(weights))]
    settings = {setting.name: setting for setting in (Setting(0, 0.0), *sweep)}
    original, by = run_of(run), criterion(scores, direction, column=score_column)
    column = options.get("column")
    labels = f"{understandability}:{column}" if column else understandability
    mixed_models([f"{scores}:{score_column}" if score_column else scores, labels])
    order = conventions(options.get("preset"), order=options.get("order")).order
    runs = (
        rerank(original, by, top=setting.top or 1, weights=[setting.weight], order=order, name=name)
        for name, setting in settings.items()
    )
    result = evaluate(runs, qrels, understandability, measures=measures, **options)
    marked = result.compare(tests=["t"]).marks()
    points = tuple(
        Point(
            setting,
            dict(zip(result.measures, result.means[name].tolist(), strict=True)),
            {measure: marked.get((measure, name), "") for measure in result.measures},
        )
        for name, setting in settings.items()
    )
    name = str(scores) if isinstance(scores, str | Path) else by.labels.name
    notes = tuple(dict.fromkeys((*notes_on_runs([original], order), *result.notes)))
    return Tradeoff(points, result, name, notes)
