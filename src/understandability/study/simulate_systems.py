"""Simulate systems whose topicality and understandability are set by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from cyclopts import Parameter

from understandability.errors import OptionError
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.judgements import Judgements
from understandability.evaluation.measures.names import own_measures
from understandability.evaluation.measures.values import values_of
from understandability.evaluation.options import Dimension
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.evaluation.scales import Scale, parse_scale
from understandability.inputs.run import Labels, Run
from understandability.keywords import read_by
from understandability.wording import numbers_in

if TYPE_CHECKING:
    import pandas as pd

PAPER_MEASURES = ("RBP(p=0.8)@10", "uRBP(p=0.8)@10", "RBPu(p=0.8)@10", "HRBP(p=0.8,wr=1,wu=1)@10")


@dataclass(frozen=True, slots=True)
class SimulationGrid:
    """The systems to simulate: every combination of topicality, and mean and deviation of labels.

    `scale` must state its ends, between which the labels are drawn.
    """

    topicality: tuple[float, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    documents: int
    runs: int
    scale: Scale

    def __post_init__(self) -> None:
        if not all(0 <= t <= 1 for t in self.topicality):
            raise OptionError("topicality is a probability: give numbers between 0 and 1")
        if not all(d >= 0 for d in self.deviation):
            raise OptionError("a standard deviation cannot be negative")
        if self.documents < 1 or self.runs < 2:
            raise OptionError("a simulation needs 1 or more documents and 2 or more runs")
        if self.scale.low is None or self.scale.high is None:
            raise OptionError(
                f"simulated labels need the ends of their scale; write {self.scale}:0..100"
            )


@dataclass(frozen=True, slots=True)
class SimulatedCell:
    """The mean and standard deviation of a measure over the runs of one type of simulated
    system.
    """

    topicality: float
    mean_label: float
    deviation: float
    measure: str
    mean: float
    standard_deviation: float


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(Tabular):
    """The result of `simulate`: one cell per type of system and measure, with the grid and the
    seed.

    `seed` is that of the random numbers.
    """

    grid: SimulationGrid
    cells: tuple[SimulatedCell, ...]
    seed: int = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The grid and the seed, which give the same numbers again."""
        return asdict(self.grid) | {"scale": str(self.grid.scale), "seed": self.seed}

    def rows(self) -> ResultTable:
        """Return a table with one row per cell, with mean and deviation as numbers."""
        return ResultTable(
            tuple(SimulatedCell.__dataclass_fields__), tuple(map(astuple, self.cells))
        )

    def table(self, *, digits: int = 3) -> ResultTable:
        """Return a table with one row per type of system and one column per measure: mean ±
        deviation.
        """
        rows: dict[tuple[float, float, float], list[str]] = {}
        for cell in self.cells:
            system = (cell.topicality, cell.mean_label, cell.deviation)
            text = f"{cell.mean:.{digits}f} ± {cell.standard_deviation:.{digits}f}"
            rows.setdefault(system, []).append(text)
        measures = dict.fromkeys(cell.measure for cell in self.cells)
        caption = (
            f"Mean ± standard deviation over {self.grid.runs:,} simulated runs of "
            f"{self.grid.documents:,} documents; T: the probability that a document is relevant; "
            f"mean and deviation: of the labels of understandability ({self.grid.scale})."
        )
        return ResultTable(
            ("T", "mean", "deviation", *measures),
            tuple((*(f"{number:g}" for number in system), *row) for system, row in rows.items()),
            caption=caption,
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return the `rows` as a pandas data frame."""
        return self.rows().to_pandas()


def simulate(
    topicality: Annotated[
        Sequence[float], read_by(numbers_in, name="--topicality", metavar="T,...")
    ] = (0.3, 0.4, 0.5, 0.6, 0.7),
    mean: Annotated[Sequence[float], read_by(numbers_in, name="--mean", metavar="M,...")] = (
        50.0,
        40.0,
        30.0,
    ),
    deviation: Annotated[
        Sequence[float], read_by(numbers_in, name="--deviation", metavar="S,...")
    ] = (40.0,),
    *,
    documents: int = 10,
    runs: int = 1_000,
    scale: str | Scale = "lower-easier:<=40:0..100",
    measures: Annotated[
        Sequence[str] | Iterable[object], Parameter(("--measure", "-m"), metavar="MEASURE")
    ] = PAPER_MEASURES,
    seed: int = 0,
) -> Simulation:
    """Simulate systems of a given topicality and understandability, and evaluate them.

    Each document is relevant with probability T; its understandability label is normal, clipped
    to the ends of the scale and rounded down. The table has mean ± standard deviation over the
    runs. The defaults are the synthetic systems of the H paper (Palotti et al. 2018).

    Example: understand simulate systems --topicality .5 --mean 50,30 -m 'uRBP(p=0.95)'
    -m 'HRBP(p=0.95)'

    Args:
        topicality: Probabilities that a document is relevant.
        mean: Means of the understandability labels.
        deviation: Standard deviations of the labels.
        documents: Documents in a ranking.
        runs: Rankings of each type of system.
        scale: Direction, threshold and ends of the labels.
        measures: Measures (RBP, uRBP, RBPu and HRBP with p=0.8 by default).
        seed: Seed of the random numbers; equal seeds return equal numbers.

    >>> simulation = simulate([1.0], [-500.0], runs=2, measures=["RBP(p=0.8)@10"])
    >>> round(simulation.cells[0].mean, 3)
    0.893
    """
    parsed_scale = parse_scale(scale) if isinstance(scale, str) else scale
    grid = SimulationGrid(
        tuple(topicality), tuple(mean), tuple(deviation), documents, runs, parsed_scale
    )
    generator = np.random.default_rng(seed)
    parsed = own_measures(measures)
    cells: list[SimulatedCell] = []
    # The queries of one run are the rankings of all simulated runs; each ranks d1, d2, ...
    ranking = [(f"d{rank}", float(-rank)) for rank in range(1, documents + 1)]
    run = Run.of("simulated", {str(query): ranking for query in range(runs)})
    for probability, centre, width in product(topicality, mean, deviation):
        relevant = (generator.random(len(run)) < probability).astype(np.float64)
        labels = generator.normal(centre, width, len(run))
        labels = np.floor(np.clip(labels, grid.scale.low, grid.scale.high))
        qrels = _labels(run, "relevance", relevant)
        under = Dimension(_labels(run, "understandability", labels), grid.scale)
        binary = Conventions(max_relevance=1.0)
        judgements = Judgements.read(qrels, dimensions={"u": under}, preset=binary)
        ranked = judgements.ranked(run)
        for measure in parsed:
            judgements.require(measure)
            values = values_of(measure, judgements, ranked)
            row = float(values.mean()), float(values.std(ddof=1))
            cells.append(SimulatedCell(probability, centre, width, str(measure), *row))
    return Simulation(grid, tuple(cells), seed)


def _labels(run: Run, name: str, values: np.typing.NDArray[np.float64]) -> Labels:
    return Labels(name, run.queries, run.docnos, run.query_ids, run.docno_ids, values)
