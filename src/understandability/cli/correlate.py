"""`understand correlate`: how alike measures order the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions
from understandability.cli.groups import with_groups
from understandability.cli.options import names_of
from understandability.cli.outputs import ResultFile, ResultFormat, show_table, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.evaluation.correlation import Correlations


@with_groups
def correlate(
    options: EvaluationOptions,
    coefficient: Annotated[
        list[str] | None,
        typer.Option(
            "--coefficient",
            metavar="NAME",
            autocompletion=names_of("evaluation.correlation", "COEFFICIENTS"),
            help="tau_b, tau_ap, ubire-overlap, rbo (these four by default), pearson, spearman.",
            show_default=False,
        ),
    ] = None,
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="tau_ap as the mean of both directions.")
    ] = False,
    rbo_p: Annotated[float, typer.Option("--rbo-p", help="Persistence of RBO.")] = 0.9,
    most: Annotated[
        int, typer.Option("--movers", help="How many of the runs that move most to list.")
    ] = 5,
    output: ResultFile = None,
    form: ResultFormat = None,
) -> None:
    """Correlate the rankings of runs that two or more measures give.

    A matrix for each coefficient (Kendall's tau-b, the tau_ap of Yilmaz et al. with the row as
    the reference, the overlap that UBIRE prints as tau_ap, rank-biased overlap), and the runs
    whose ranks differ most from the first measure to each other one.

    Example: understand correlate runs/*.gz --qrels qrels.txt --understandability qunder.txt
    --scale higher-easier:2 -m 'RBP(p=0.8)' -m 'uRBP(p=0.8)'
    """
    if len(options.measures or ()) < 2:
        raise OptionError("a correlation needs at least two measures; give -m twice")
    if len(options.runs) < 2:
        raise OptionError("a correlation needs at least two runs")
    result = options.evaluate()
    found = result.correlate(*coefficient or (), symmetric=symmetric, rbo_p=rbo_p, count=most)
    if output != "-" and form is None:
        show_correlations(found, symmetric=symmetric)
    if output is not None or form is not None:
        document = result.as_dict(per_query=False)
        document["conventions"]["symmetric"] = symmetric
        write_result(
            output or "-",
            document | as_document(found),
            lambda: found.table().to_dicts(),
            table=found.table,
            stated=form,
            header="conventions",
        )


def show_correlations(found: Correlations, *, symmetric: bool = False) -> None:
    """The matrix of each coefficient, who moves most, and what there is to remark."""
    for name in found.matrices:
        direction = " (the row is the reference)" if name == "tau_ap" and not symmetric else ""
        typer.echo(f"{name}{direction}, {counted(len(found.runs), 'run')}")
        show_table(found.table(name))
        typer.echo("")
    for other, runs in found.moved.items():
        typer.echo(f"who moves most from {found.measures[0]} to {other}")
        print_table(("run", "rank", "to"), [(run, f"{a:g}", f"{b:g}") for run, a, b in runs])
        typer.echo("")
    for remark in found.remarks:
        typer.echo(f"understand: {remark}", err=True)


def as_document(found: Correlations) -> dict[str, Any]:
    """The correlations as plain dictionaries."""
    return {
        "correlations": {
            name: {
                row: dict(zip(found.measures, values, strict=True))
                for row, values in zip(found.measures, matrix.tolist(), strict=True)
            }
            for name, matrix in found.matrices.items()
        },
        "movers": {
            other: [{"run": run, "rank": a, "to": b} for run, a, b in runs]
            for other, runs in found.moved.items()
        },
        "remarks": list(found.remarks),
    }
