"""`understand simulate`: synthetic systems, to see what measures make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.outputs import ResultFile, ResultFormat, show_table, write_result
from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.evaluation.simulation import SimulationGrid


def simulate(
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

    Example: understand simulate --topicality .5 --mean 50,30 -m 'uRBP(p=0.95)' -m 'HRBP(p=0.95)'
    """
    from understandability.api.evaluation import simulate as simulate_systems
    from understandability.evaluation.simulation import PAPER_MEASURES

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
        show_table(found.table(wide=True), texts=1)
    if output is not None or form is not None:
        rows = found.table().to_dicts()
        write_result(
            output or "-",
            {"settings": _settings(found.grid, seed), "cells": rows},
            lambda: rows,
            table=lambda: found.table(wide=True),
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
