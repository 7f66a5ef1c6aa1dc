"""Evaluation in one call each, from paths, dictionaries and frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from understandability.errors import OptionError
from understandability.evaluation.bounds import Bounds, pair_bounds
from understandability.evaluation.compare import RunComparisons
from understandability.evaluation.conventions import Conventions, conventions
from understandability.evaluation.correlation import Correlations
from understandability.evaluation.evaluate import Evaluation, evaluate_runs
from understandability.evaluation.joined import Dimension
from understandability.evaluation.scales import Scale, parse_gains, parse_scale
from understandability.evaluation.significance import TESTS
from understandability.inputs.given import labels_of, runs_of
from understandability.inputs.run import Labels

DEFAULT_MEASURES = ("RBP(p=0.8)@10",)
_COEFFICIENTS = ("tau_b", "tau_ap", "ubire-overlap", "rbo")


def dimension(
    labels: Any,
    scale: str | Scale | None,
    *,
    name: str = "u",
    column: str | None = None,
    gains: str | Mapping[float, float] | None = None,
    not_a_label: float | Sequence[float] = (),
) -> Dimension:
    """Labels of a dimension other than relevance, with what they mean.

    `labels` are a path, a dictionary, a frame or `Labels`; `scale` states the direction and the
    threshold (``lower-easier:40``, see `parse_scale`), `gains` those of grades (``0:0,1:.4,3:1``);
    labels of the value `not_a_label` mean "could not judge".

    >>> ease = dimension({"q1": {"d1": 90, "d2": 10}}, "lower-easier:40")
    >>> str(ease.scale)
    'lower-easier:40'
    """
    if scale is None:
        which = "understandability" if name == "u" else name
        raise OptionError(
            f"nothing says whether lower or higher labels of {which} are easier; give their scale "
            "(--scale, --trust-scale, --dimension-scale; scale= in Python), such as "
            "lower-easier:40 or higher-easier:2"
        )
    parsed = parse_scale(scale) if isinstance(scale, str) else scale
    if gains is not None:
        parsed = replace(
            parsed, gains=parse_gains(gains) if isinstance(gains, str) else dict(gains)
        )
    none = [not_a_label] if isinstance(not_a_label, int | float) else list(not_a_label)
    return Dimension(labels_of(labels, name, column).without(*none), parsed)


def evaluate(
    runs: Any,
    qrels: Any,
    understandability: Any = None,
    *,
    scale: str | Scale | None = None,
    measures: str | Iterable[object] = DEFAULT_MEASURES,
    column: str | None = None,
    gains: str | Mapping[float, float] | None = None,
    not_a_label: float | Sequence[float] = (),
    trust: Any = None,
    trust_scale: str | Scale | None = None,
    dimensions: Mapping[str, Dimension | tuple[Any, str]] | None = None,
    strict: bool = False,
    preset: str | None = None,
    **choices: Any,
) -> Evaluation:
    """Evaluate runs by measures of relevance and understandability.

    `runs`, `qrels` and labels are paths, dictionaries, frames or records (`runs_of`, `labels_of`).
    `scale`, `column`, `gains` and `not_a_label` belong to `understandability` as in `dimension`;
    `dimensions` are further ones by name, made by `dimension` or as (labels, scale). `measures` are
    names: ours, those of ir_measures and trec_eval. `choices` are conventions (``order="score"``),
    and `preset` sets them all. Names of queries are compared as text.

    >>> runs = {"mine": {"q1": {"d1": 2.0, "d2": 1.0}}}
    >>> qrels, ease = {"q1": {"d1": 1, "d2": 1}}, {"d1": 90, "d2": 10}
    >>> measures = ["RBP(p=0.8)@10", "uRBP(p=0.8)@10"]
    >>> result = evaluate(runs, qrels, ease, scale="lower-easier:40", measures=measures)
    >>> print(result.to_markdown(digits=2))
    | run | RBP(p=0.8)@10 | uRBP(p=0.8)@10 |
    |---|---:|---:|
    | mine | **0.36** | **0.16** |
    """
    inputs = _inputs(
        qrels,
        understandability,
        scale=scale,
        measures=measures,
        column=column,
        gains=gains,
        not_a_label=not_a_label,
        trust=trust,
        trust_scale=trust_scale,
        dimensions=dimensions,
        preset=preset,
        **choices,
    )
    return evaluate_runs(runs_of(runs), *inputs, strict=strict)


def _inputs(
    qrels: Any,
    understandability: Any,
    *,
    measures: str | Iterable[object],
    scale: str | Scale | None = None,
    column: str | None = None,
    gains: str | Mapping[float, float] | None = None,
    not_a_label: float | Sequence[float] = (),
    trust: Any = None,
    trust_scale: str | Scale | None = None,
    dimensions: Mapping[str, Dimension | tuple[Any, str]] | None = None,
    preset: str | None = None,
    **choices: Any,
) -> tuple[Labels, list[object], dict[str, Dimension], Conventions]:
    """Labels, measures and conventions, as `evaluate` takes them."""
    chosen = conventions(preset, **choices)
    wanted: list[object] = [measures] if isinstance(measures, str) else list(measures)
    labelled = _dimensions(dimensions or {})
    if understandability is not None:
        labelled["u"] = dimension(
            understandability, scale, column=column, gains=gains, not_a_label=not_a_label
        )
    elif scale is not None:
        raise OptionError("there is a scale but no labels of understandability; give both")
    if trust is not None:
        labelled["trust"] = dimension(trust, trust_scale, name="trust")
    return labels_of(qrels), wanted, labelled, chosen


def _dimensions(given: Mapping[str, Dimension | tuple[Any, str]]) -> dict[str, Dimension]:
    return {
        name: each if isinstance(each, Dimension) else dimension(*each, name=name)
        for name, each in given.items()
    }


def correlate(
    runs: Any,
    qrels: Any,
    understandability: Any = None,
    *,
    measures: Iterable[object],
    coefficients: Sequence[str] = _COEFFICIENTS,
    symmetric: bool = False,
    rbo_p: float = 0.9,
    count: int = 5,
    **how: Any,
) -> Correlations:
    """How alike two or more measures order the same runs; `how` is as in `evaluate`.

    `coefficients` are tau_b, tau_ap (`symmetric`: the mean of both directions), ubire-overlap, rbo
    (with the persistence `rbo_p`), pearson and spearman; `count` says how many of the runs that
    move most to name.

    >>> runs = {"a": {"q": {"d1": 2, "d2": 1}}, "b": {"q": {"d2": 2, "d1": 1}}}
    >>> found = correlate(
    ...     runs, {"q": {"d1": 1}}, {"d1": 10, "d2": 5}, scale="lower-easier:8",
    ...     measures=["RBP(p=0.8)@1", "RBPu(p=0.8)@1"], coefficients=["tau_b"],
    ... )
    >>> found.matrices["tau_b"].tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **how)
    return result.correlate(*coefficients, symmetric=symmetric, rbo_p=rbo_p, count=count)


def compare(
    runs: Any,
    qrels: Any,
    understandability: Any = None,
    *,
    measures: str | Iterable[object] = DEFAULT_MEASURES,
    tests: Sequence[str] = tuple(TESTS),
    pairs: bool = False,
    samples: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
    **how: Any,
) -> RunComparisons:
    """Test whether runs differ from the first run and from the best one, or all `pairs`.

    `how` is as in `evaluate`; tests are t, wilcoxon, randomisation and bootstrap, each with the
    corrections of Holm and Bonferroni; effect sizes have intervals, and the result says how many
    queries a test would need.

    >>> qrels = {f"q{i}": {"good": 1} for i in range(20)}
    >>> first = {q: {"bad": 2.0, "good": 1.0} for q in qrels}
    >>> best = {q: {"good": 1.0} for q in qrels} | {"q0": {"bad": 1.0}}
    >>> found = compare({"first": first, "best": best}, qrels, tests=["t", "wilcoxon"])
    >>> found.marks()
    {('RBP(p=0.8)@10', 'best'): '†', ('RBP(p=0.8)@10', 'first'): '⋄'}
    """
    result = evaluate(runs, qrels, understandability, measures=measures, **how)
    return result.compare(tests=tests, pairs=pairs, samples=samples, seed=seed, alpha=alpha)


def bounds(
    runs: Any,
    qrels: Any,
    understandability: Any = None,
    *,
    measures: str | Iterable[object] = DEFAULT_MEASURES,
    **how: Any,
) -> Bounds:
    """How far documents without a label could move the difference of every two runs.

    For RBP, uRBP and RBPu; `how` is as in `evaluate`. A document that both runs rank has one label
    in both, so the bounds are tighter than the residuals.

    >>> runs = {"first": {"q": {"new": 2.0, "good": 1.0}}, "second": {"q": {"good": 1.0}}}
    >>> found = bounds(runs, {"q": {"good": 1}}, measures="RBP(p=0.5)")
    >>> [(row.run, row.difference, row.low, row.high) for row in found.rows]
    [('second', 0.25, -0.25, 0.25)]
    """
    inputs = _inputs(qrels, understandability, measures=measures, **how)
    return pair_bounds(runs_of(runs), *inputs)
