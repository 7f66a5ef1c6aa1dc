"""`understand simulate`: synthetic systems, to see what measures make of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.outputs import ResultFile, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from understandability.evaluation.simulation import SimulatedCell, SimulationGrid


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
) -> None:
    """Simulate systems of a given topicality and understandability, and evaluate them.

    Each document is relevant with probability T; its understandability label is normal, clipped
    to the ends of the scale and rounded down. The table has mean ± standard deviation over the
    runs. The defaults are the synthetic systems of the H paper (Palotti et al. 2018).

    Example: understand simulate --topicality .5 --mean 50,30 -m 'uRBP(p=0.95)' -m 'HRBP(p=0.95)'
    """
    from understandability.evaluation.scales import parse_scale
    from understandability.evaluation.simulation import PAPER_MEASURES, SimulationGrid
    from understandability.evaluation.simulation import simulate as simulate_grid

    grid = SimulationGrid(
        _numbers(topicality, "--topicality"),
        _numbers(mean, "--mean"),
        _numbers(deviation, "--deviation"),
        documents,
        runs,
        parse_scale(scale),
    )
    cells = simulate_grid(grid, measures or PAPER_MEASURES, seed)
    if output != "-":
        _print(cells)
    if output is not None:
        rows = [asdict(cell) for cell in cells]
        write_result(output, {"settings": _settings(grid, seed), "cells": rows}, lambda: rows)


def _print(cells: Sequence[SimulatedCell]) -> None:
    columns = list(dict.fromkeys(cell.measure for cell in cells))
    table: dict[tuple[float, float, float], list[str]] = {}
    for cell in cells:
        key = (cell.topicality, cell.mean_label, cell.deviation)
        table.setdefault(key, []).append(f"{cell.mean:.3f} ± {cell.standard_deviation:.3f}")
    print_table(
        ("T", "mean", "deviation", *columns),
        [(*(f"{number:g}" for number in key), *values) for key, values in table.items()],
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
