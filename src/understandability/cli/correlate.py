"""`understand correlate`: how alike measures order the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions, takes_evaluation_options
from understandability.cli.outputs import ResultFile, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from understandability.evaluation.evaluate import Evaluation

_COEFFICIENTS = ("tau_b", "tau_ap", "ubire-overlap", "rbo")


@takes_evaluation_options
def correlate(
    options: EvaluationOptions,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            metavar="NAME",
            help="tau_b, tau_ap, ubire-overlap, rbo (these four by default), pearson, spearman.",
            show_default=False,
        ),
    ] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="tau_ap as the mean of both directions.")
    ] = False,
    rbo_p: Annotated[float, typer.Option("--rbo-p", help="Persistence of RBO.")] = 0.9,
    most: Annotated[int, typer.Option("--movers", help="How many of the runs that move most.")] = 5,
    output: ResultFile = None,
) -> None:
    """Correlate the rankings of runs that two or more measures give.

    A matrix for each coefficient (Kendall's tau-b, the tau_ap of Yilmaz et al. with the row as
    the reference, the overlap that UBIRE prints as tau_ap, rank-biased overlap), and the runs
    whose ranks differ most from the first measure to each other one.

    Example: understand correlate runs/*.gz --qrels qrels.txt --understandability qunder.txt
    --scale higher-easier:2 -m 'RBP(p=0.8)' -m 'uRBP(p=0.8)'
    """
    from understandability.evaluation.statistics.correlation import correlation_matrix, movers

    if len(options.measures or ()) < 2:
        raise OptionError("a correlation needs two measures or more; give -m twice")
    if len(options.runs) < 2:
        raise OptionError("a correlation needs two runs or more")
    result = options.evaluate()
    columns = [result.column(measure) for measure in result.measures]
    matrices = {
        name: correlation_matrix(columns, name, symmetric=symmetric, rbo_p=rbo_p)
        for name in coefficient or _COEFFICIENTS
    }
    moved = {
        other: movers(result.runs, columns[0], column, most)
        for other, column in zip(result.measures[1:], columns[1:], strict=True)
    }
    if output != "-":
        _print(result, matrices, moved, symmetric)
    if output is not None:
        write_result(
            output, _document(result, matrices, moved, symmetric), lambda: _rows(result, matrices)
        )


def _print(
    result: Evaluation,
    matrices: dict[str, NDArray[np.float64]],
    moved: dict[str, list[tuple[str, float, float]]],
    symmetric: bool,
) -> None:
    for name, matrix in matrices.items():
        direction = " (the row is the reference)" if name == "tau_ap" and not symmetric else ""
        typer.echo(f"{name}{direction}, {len(result.runs)} runs")
        rows = zip(result.measures, matrix.tolist(), strict=True)
        print_table(
            ("", *result.measures), [(m, *(f"{value:.4f}" for value in row)) for m, row in rows]
        )
        typer.echo("")
    for other, runs in moved.items():
        typer.echo(f"who moves most from {result.measures[0]} to {other}")
        print_table(("run", "rank", "to"), [(run, f"{a:g}", f"{b:g}") for run, a, b in runs])
        typer.echo("")


def _document(
    result: Evaluation,
    matrices: dict[str, NDArray[np.float64]],
    moved: dict[str, list[tuple[str, float, float]]],
    symmetric: bool,
) -> dict[str, Any]:
    document = result.as_dict(per_query=False)
    document["settings"]["symmetric"] = symmetric
    document["correlations"] = {
        name: {
            row: dict(zip(result.measures, values, strict=True))
            for row, values in zip(result.measures, matrix.tolist(), strict=True)
        }
        for name, matrix in matrices.items()
    }
    document["movers"] = {
        other: [{"run": run, "rank": a, "to": b} for run, a, b in runs]
        for other, runs in moved.items()
    }
    return document


def _rows(result: Evaluation, matrices: dict[str, NDArray[np.float64]]) -> list[dict[str, Any]]:
    return [
        {"coefficient": name, "reference": row, "measure": column, "value": value}
        for name, matrix in matrices.items()
        for row, values in zip(result.measures, matrix.tolist(), strict=True)
        for column, value in zip(result.measures, values, strict=True)
    ]
