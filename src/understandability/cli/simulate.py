"""`understand simulate`: simulated users of real runs, and synthetic systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import number
from understandability.cli.outputs import ResultFile, ResultFormat, show_table, write_result
from understandability.errors import OptionError
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.study.simulation import SimulationGrid


app = typer.Typer(
    help="Simulate the users of the uRBP papers over real runs, or whole systems.",
    no_args_is_help=True,
)


@app.command("users")
def users(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="TREC runs.", show_default=False)
    ],
    qrels: Annotated[str, typer.Option(metavar="FILE", help="Relevance labels.")],
    scores: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Scores of the documents: a table with --column, or labels.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="The column of the table.", show_default=False)
    ] = None,
    pages: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INPUT",
            help="The pages themselves, scored by the formula, instead of --scores; may be "
            "repeated.",
            show_default=False,
        ),
    ] = None,
    formula: Annotated[
        str, typer.Option(help="The formula: fog, dci, or any other of the catalogue.")
    ] = "fog",
    direction: Annotated[
        str | None,
        typer.Option(
            help="What a higher score means; needed if the score is not a formula.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="A user's threshold: a score, or a share of the documents such as 25%; may be "
            "repeated. Default: 10, 15 and 20 for FOG, else the quartiles.",
            show_default=False,
        ),
    ] = None,
    user: Annotated[
        list[str] | None, typer.Option(help="step or arctan. Default: both.", show_default=False)
    ] = None,
    noise_scale: Annotated[
        str, typer.Option(help="Noise of the arctan user: pi (ECIR 2016) or 1 (MedIR 2014).")
    ] = "pi",
    p: Annotated[float, typer.Option("-p", help="Persistence.")] = 0.8,
    cutoff: Annotated[
        int | None, typer.Option(help="How many documents of a ranking count.", show_default=False)
    ] = None,
    order: Annotated[str, typer.Option(help="Rankings by rank or by score.")] = "rank",
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Draw RBP against uRBP (.png, .svg, .pdf).", show_default=False
        ),
    ] = None,
    output: ResultFile = None,
    form: ResultFormat = None,
) -> None:
    """Rank runs by RBP and by the uRBP of simulated users: the experiment of the uRBP papers.

    A user with a threshold understands what a formula scores below it, as a step or with noise
    (arctan). For each user: Kendall's tau and tau_AP of the two rankings, the share of relevant
    documents that are readable, the best system, the one that moves most. The quantiles of the
    score help to choose thresholds.

    Example: understand simulate users runs/*.gz --qrels qrels.txt --pages crawl.warc.gz

    Example: understand simulate users runs/*.gz --qrels qrels.txt --scores features.parquet
    --column dale_chall --formula dci --threshold 25% --threshold 50% --plot users.svg
    """
    from understandability.evaluation.conventions import MODELLED_USERS
    from understandability.study.simulated_users import simulate_users

    if plot is not None:
        from understandability.cli.plot import check_figure

        check_figure(plot)  # before all pages are scored
    found = simulate_users(
        runs,
        qrels,
        scores,
        pages=pages,
        formula=formula,
        column=column,
        direction=direction,
        thresholds=[each if each.endswith("%") else _one(each) for each in threshold or ()],
        users=user or MODELLED_USERS,
        noise_scale=number(noise_scale, "--noise-scale") or math.pi,
        p=p,
        cutoff=cutoff,
        order=order,
    )
    if output != "-" and form is None:
        systems = counted(len(found.evaluation.runs), "run")
        typer.echo(f"{counted(found.documents, 'document')} with a score, {systems}")
        show_table(found.distribution())
        typer.echo("")
        show_table(found.table())
    for remark in found.remarks:
        typer.echo(f"understand: {remark}", err=True)
    if output is not None or form is not None:
        document = found.evaluation.as_dict(per_query=False)
        rows = found.table().to_dicts()
        quantiles = {f"{share:.0%}": value for share, value in found.quantiles.items()}
        write_result(
            output or "-",
            document | {"users": rows, "quantiles": quantiles, "remarks": list(found.remarks)},
            lambda: rows,
            table=found.table,
            stated=form,
            header="conventions",
        )
    if plot is not None:
        from understandability.cli.plot import write_figure
        from understandability.study.plots import plot_systems

        result = found.evaluation
        columns = {measure: result.column(measure) for measure in result.measures}
        write_figure(plot_systems(result.runs, columns), plot)


def _one(text: str) -> float:
    values = _numbers(text, "--threshold")
    if len(values) != 1:
        raise OptionError(f"--threshold takes one number; give it again for another, not {text!r}")
    return values[0]


@app.command("systems")
def systems(
    topicality: Annotated[
        str, typer.Option(metavar="T,...", help="Chances that a document is relevant.")
    ] = "0.3,0.4,0.5,0.6,0.7",
    mean: Annotated[
        str, typer.Option(metavar="M,...", help="Means of the understandability labels.")
    ] = "50,40,30",
    deviation: Annotated[
        str, typer.Option(metavar="S,...", help="Standard deviations of the labels.")
    ] = "40",
    documents: Annotated[int, typer.Option(help="Documents in a ranking.")] = 10,
    runs: Annotated[int, typer.Option(help="Rankings of each kind of system.")] = 1_000,
    scale: Annotated[
        str, typer.Option(help="Direction, threshold and ends of the labels.")
    ] = "lower-easier:<=40:0..100",
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            metavar="MEASURE",
            help="Measures (RBP, uRBP, RBPu and HRBP with p=0.8 by default).",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    output: ResultFile = None,
    form: ResultFormat = None,
) -> None:
    """Simulate systems of a given topicality and understandability, and evaluate them.

    Each document is relevant with probability T; its understandability label is normal, clipped
    to the ends of the scale and rounded down. The table has mean ± standard deviation over the
    runs. The defaults are the synthetic systems of the H paper (Palotti et al. 2018).

    Example: understand simulate systems --topicality .5 --mean 50,30 -m 'uRBP(p=0.95)'
    -m 'HRBP(p=0.95)'
    """
    from understandability.study.simulation import PAPER_MEASURES
    from understandability.study.simulation import simulate as simulate_systems

    found = simulate_systems(
        _numbers(topicality, "--topicality"),
        _numbers(mean, "--mean"),
        _numbers(deviation, "--deviation"),
        documents=documents,
        runs=runs,
        scale=scale,
        measures=measures or PAPER_MEASURES,
        seed=seed,
    )
    if output != "-" and form is None:
        show_table(found.table(), texts=1)
    if output is not None or form is not None:
        rows = found.rows().to_dicts()
        write_result(
            output or "-",
            {"settings": _settings(found.grid, seed), "cells": rows},
            lambda: rows,
            table=found.table,
            stated=form,
        )


def _settings(grid: SimulationGrid, seed: int) -> dict[str, object]:
    return {
        "topicality": list(grid.topicality),
        "mean": list(grid.mean),
        "deviation": list(grid.deviation),
        "documents": grid.documents,
        "runs": grid.runs,
        "scale": str(grid.scale),
        "seed": seed,
    }


def _numbers(text: str, option: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"{option} takes numbers with commas between them, not {text!r}"
        ) from None
