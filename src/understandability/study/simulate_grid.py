"""Simulate users, as in the uRBP papers, under every way of extracting text and ending
sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.crawls.features import features
from understandability.crawls.folder import CrawlFolder
from understandability.crawls.merge import merged_rows
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import MODELLED_USERS
from understandability.evaluation.correlation import kendall_tau_b
from understandability.evaluation.evaluate import evaluate
from understandability.evaluation.measures.measure import Base, Measure
from understandability.evaluation.measures.names import own_measures
from understandability.evaluation.options import Dimension, Qrels, Runs
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.evaluation.scales import Scale
from understandability.feature.catalogue import COLUMNS, check_columns
from understandability.inputs.runs import labels_from_table
from understandability.inputs.runs_and_labels import labels_of, runs_of
from understandability.inputs.sources import Sources
from understandability.study.grid import PIPELINES
from understandability.study.simulate_users import (
    Order,
    Thresholds,
    Users,
    biased,
    check_users,
    default_thresholds,
    readable_share,
    seen_by,
    threshold_of,
)


@dataclass(frozen=True, slots=True)
class UserGridRow:
    """The ranking of systems for one simulated user, one score and one way of reading pages.

    `tau` and `tau_ap` correlate the rankings of systems by the reference (RBP) and by the user's
    measure. `tau_reading` is Kendall's tau between the user's measure under this and under the
    first way of reading pages. A correlation is NaN if all systems are tied. `readable` is the
    share of relevant documents that the user understands, and `first` the best system.
    """

    extractor: str
    sentence_ends: str
    score: str
    user: str
    threshold: float
    reference: str
    tau: float
    tau_ap: float
    tau_reading: float
    readable: float
    first: str

    @property
    def pipeline(self) -> str:
        """The extractor and the sentence ends, such as ``naive, none``."""
        return f"{self.extractor}, {self.sentence_ends}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UserGrid(Tabular):
    """The result of `simulate_grid`; `scored` is the number of documents with a score, by
    pipeline.
    """

    rows: tuple[UserGridRow, ...]
    systems: tuple[str, ...]
    scored: Mapping[str, int]

    def table(self, *, digits: int = 3) -> ResultTable:
        """Return a table with one row per user, score and way of reading."""
        columns = tuple(UserGridRow.__dataclass_fields__)
        return ResultTable(columns, tuple(map(astuple, self.rows)), digits=digits, texts=4)


def simulate_grid(
    runs: Runs,
    qrels: Qrels,
    pages: Annotated[Sequence[str | Path], Parameter("--pages", metavar="INPUT")],
    folder: Annotated[str | Path, Parameter("--folder", metavar="FOLDER")],
    *,
    formulas: Annotated[Sequence[str], Parameter("--formula")] = ("fog", "dci"),
    extractors: Annotated[Sequence[str], Parameter("--extractor")] = (),
    sentence_ends: Annotated[Sequence[str], Parameter("--sentence-ends")] = (),
    thresholds: Thresholds = (),
    users: Users = MODELLED_USERS,
    measures: Annotated[Sequence[str], Parameter(("--measure", "-m"))] = ("RBP(p=0.8)",),
    workers: int | None = None,
    order: Order = None,
    progress: Annotated[Callable[[Any], None] | None, Parameter(parse=False)] = None,
) -> UserGrid:
    """Rank runs for simulated users under every extraction, sentence end, score and threshold.

    For each combination, the result has Kendall's tau and tau_AP between the rankings of systems by
    a measure (RBP) and by its understandability-biased form (uRBP). It also has the tau with the
    same measure under the first way of reading pages, the share of relevant documents that are
    readable, and the best system.

    The folder stores the scores, in one crawl folder per way of reading. Stop the command at any
    time; run it again to continue.

    Example: understand simulate grid runs/*.gz --qrels qrels.txt --pages crawl.warc.gz
    --folder grid --plot grid.svg

    Args:
        pages: The ranked pages; may be repeated.
        folder: The folder for the scores.
        formulas: A formula: fog, dci, or any other of the catalogue that has a direction; may be
            repeated. Default: fog and dci.
        extractors: A way to find the text; may be repeated. Default: naive, boilerpipe and
            justext, as in the study.
        sentence_ends: none, force-period or force-period-always; may be repeated. Default: all.
        measures: A measure of relevance with an understandability-biased form, such as nDCG@10;
            may be repeated. Default: RBP(p=0.8).
        workers: Worker processes. Default: one per core.

    >>> import tempfile
    >>> from understandability.resources import resource
    >>> easy, hard = {"easy.html": 2.0, "hard.html": 1.0}, {"easy.html": 1.0, "hard.html": 2.0}
    >>> runs, qrels = {"easy": {"q": easy}, "hard": {"q": hard}}, {"q": {"hard.html": 2}}
    >>> choices = {"extractors": ["naive"], "formulas": ["fog"], "users": ["step"], "workers": 1}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     grid = simulate_grid(runs, qrels, [resource("samples")], folder, **choices)
    >>> [(row.pipeline, row.threshold, row.readable) for row in grid.rows][:2]
    [('naive, none', 10.0, 0.0), ('naive, none', 15.0, 0.0)]
    """
    columns = check_columns(list(formulas))
    for formula, column in zip(formulas, columns, strict=True):
        if COLUMNS[column][0].direction is None:
            raise OptionError(f"nothing says whether higher values of {formula} are harder")
    check_users(users)
    references = own_measures(list(measures))
    if unfit := [measure for measure in references if not _has_u(measure)]:
        raise OptionError(f"{unfit[0]} has no understandability-biased form; take RBP(p=0.8)")
    readings = [
        (extractor, ends)
        for extractor in extractors or dict.fromkeys(name for name, _ in PIPELINES)
        for ends in sentence_ends or dict.fromkeys(name for _, name in PIPELINES)
    ]
    listed, labels = list(runs_of(runs)), labels_of(qrels)
    wanted = set().union(*(run.docnos.to_pylist() for run in listed))
    rows: list[UserGridRow] = []
    before: dict[tuple[Any, ...], Floats] = {}
    scored = {}
    for extractor, ends in readings:
        there = Path(folder, f"{extractor}-{ends}")
        features(
            Sources(pages, docnos=wanted),
            columns,
            f"{there}/",
            extractor=extractor,
            sentence_ends=ends,
            workers=workers,
            progress=progress,
        )
        tables = [rows for rows, _, _ in merged_rows(CrawlFolder(str(there)))]
        table = pa.concat_tables(part.select(["docno", *columns]) for part in tables)
        by_column = {column: labels_from_table(table, column, column) for column in columns}
        scored[f"{extractor}, {ends}"] = max(len(labels_.values) for labels_ in by_column.values())
        for formula, column in zip(formulas, columns, strict=True):
            scores, harder = by_column[column], COLUMNS[column][0].direction
            assert harder is not None
            if not len(scores.values):
                where = f"{extractor}, {ends}"
                raise InputError(f"no ranked page has the score {formula} under {where}")
            cells = [
                (reference, user, index, threshold_of(threshold, scores.values))
                for reference in references
                for user in users
                for index, threshold in enumerate(thresholds or default_thresholds(column))
            ]
            seen_as = [biased(reference, user, th) for reference, user, _, th in cells]
            result = evaluate(
                listed,
                labels,
                measures=[*references, *seen_as],
                dimensions={"u": Dimension(scores, Scale(harder))},
                order=order,
            )
            for (reference, user, index, threshold), measure in zip(cells, seen_as, strict=True):
                readable = readable_share(labels, scores, harder, threshold)
                seen = seen_by(result, reference, user, threshold, measure, readable)
                own = result.column(str(measure))
                first = before.setdefault((column, reference, user, index), own)
                flat = np.ptp(own) == 0 or np.ptp(first) == 0
                tau_reading = math.nan if flat else kendall_tau_b(first, own)
                cell = (extractor, ends, formula, user, threshold, str(reference))
                values = (seen.tau, seen.tau_ap, tau_reading, readable, seen.first)
                rows.append(UserGridRow(*cell, *values))
    return UserGrid(tuple(rows), tuple(run.name for run in listed), scored)


def _has_u(measure: Measure) -> bool:
    """Return True if a measure uses relevance alone and has an understandability-biased form."""
    return isinstance(measure.row, Base) and not measure.form and "u" in measure.row.forms
