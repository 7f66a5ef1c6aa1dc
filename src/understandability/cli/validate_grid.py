"""`understand validate --grid`: the study's main experiment on labelled pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from understandability.cli.outputs import check_destination, named, write_result
from understandability.cli.progress import ProgressLine
from understandability.cli.tables import print_table
from understandability.errors import InputError

if TYPE_CHECKING:
    from understandability.inputs.run import Labels
    from understandability.study.grid import GridCell, StudyGrid
    from understandability.text.page import Failure, Page

_COEFFICIENTS = ("pearson", "spearman", "kendall")


def validate_grid(
    pages: list[str],
    labels: list[str],
    direction: str,
    bundles: list[str] | None,
    *,
    plot: str | None,
    limit_mb: float,
    quiet: bool,
    output: str | None,
) -> None:
    """Run the experiment, show it, and write what was asked for."""
    from understandability.cli.options import sources
    from understandability.inputs.writing import write_text
    from understandability.model.bundle import load_bundle
    from understandability.model.bundle_files import embedded_bundles
    from understandability.study.grid import report, run_grid
    from understandability.writers.charts import box_plot

    for destination in (output, plot and f"{plot}.json"):
        check_destination(destination)
    assessors = dict(_assessors(labels))
    models = [load_bundle(name) for name in bundles or embedded_bundles()]
    read = sources(pages, None, limit_mb)
    result = run_grid(_with_progress(read, quiet), assessors, models, direction=direction)
    if output != "-":
        _show(result)
    if plot is not None:
        spread = [(pipeline, sizes) for pipeline, sizes in result.spread().items()]
        write_text(plot, box_plot(spread, "Spearman with the labels, its size"))
    if output is not None:
        settings = {
            "pages": pages,
            "labels": list(assessors),
            "direction": direction,
            "bundles": {model.name: model.checksum for model in models},
        }
        write_result(
            output,
            {"settings": settings, **report(result)},
            lambda: [asdict(cell) for cell in result.cells],
        )


def _assessors(paths: list[str]) -> Iterator[tuple[str, Labels]]:
    """The labels of each column of numbers of tables, and of each label file."""
    from understandability.inputs.runs import numeric_columns, read_labels

    for text in paths:
        path, _, column = text.rpartition(":") if not Path(text).exists() else (text, "", "")
        path = path or text
        columns = [column] if column else numeric_columns(path)
        if columns is None:
            yield text, read_labels(path)
        elif not columns:
            raise InputError(f"{path} has no column of numbers other than docno")
        else:
            for name in columns:
                yield f"{path}:{name}", read_labels(path, column=name)


def _with_progress(pages: Iterable[Page | Failure], quiet: bool) -> Iterator[Page | Failure]:
    from understandability.text.page import Failure

    count = errors = 0
    with ProgressLine(quiet) as progress:
        for page in pages:
            yield page
            count += 1
            errors += isinstance(page, Failure)
            progress.update(count, errors)


def _show(result: StudyGrid) -> None:
    import numpy as np

    typer.echo(f"{result.pages} labelled pages, {len(result.cells)} scores with their pipelines")
    for what, docnos in (
        ("pages without a label", result.unlabelled),
        ("labels without a page", result.absent),
    ):
        if docnos:
            typer.echo(named(what, docnos))
    for failure in result.failures:
        typer.echo(f"{failure.docno}: {failure.stage}: {failure.error}", err=True)
    if result.agreements:
        typer.echo("\nHow assessors agree")
        print_table(
            ("assessors", "n", "Pearson", "Spearman", "Kendall"),
            [
                (
                    " and ".join(each.assessors),
                    str(each.n),
                    *(f"{getattr(each, name):.3f}" for name in _COEFFICIENTS),
                )
                for each in result.agreements
            ],
        )
    typer.echo("\nThe best of each category, * by which coefficient")
    print_table(
        ("category", "score", "extractor, sentence ends", "n", "Pearson", "Spearman", "Kendall"),
        [row for group, cells in result.best().items() for row in _best_rows(group, cells)],
        texts=3,
    )
    typer.echo("\nThe size of Spearman's correlation over all scores, by percentile")
    percentiles = (5, 25, 50, 75, 95, 100)
    print_table(
        ("extractor, sentence ends", *(f"{percentile} %" for percentile in percentiles)),
        [
            (pipeline, *(f"{size:.3f}" for size in np.percentile(sizes, percentiles)))
            for pipeline, sizes in result.spread().items()
            if len(sizes)
        ],
    )


def _best_rows(group: str, cells: tuple[GridCell, ...]) -> Iterator[tuple[str, ...]]:
    leaders = {
        name: max(cells, key=lambda cell: abs(getattr(cell, name))) for name in _COEFFICIENTS
    }
    for place, cell in enumerate(cells):
        yield (
            "" if place else group,
            cell.name,
            cell.pipeline,
            str(cell.n),
            *(
                f"{getattr(cell, name):.3f}{'*' if leaders[name] is cell else ' '}"
                for name in _COEFFICIENTS
            ),
        )
