"""How `understand validate --grid`, the study's main experiment, leaves the command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from understandability.cli.doors import say
from understandability.cli.outputs import check_destination, with_first_names, write_result
from understandability.cli.progress import ProgressLine
from understandability.cli.tables import print_table
from understandability.text.page import Failure

if TYPE_CHECKING:
    from understandability.study.grid import GridCell, StudyGrid
    from understandability.text.page import Page

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
    from understandability.crawls.score import Work
    from understandability.inputs.sources import Sources
    from understandability.inputs.writing import write_text
    from understandability.model.bundle import load_bundle
    from understandability.model.bundle_files import embedded_bundles
    from understandability.study.grid import assessors_in, report, run_grid
    from understandability.writers.charts import box_plot

    for destination in (output, plot and f"{plot}.json"):
        check_destination(destination)
    assessors = assessors_in(labels)
    models = [load_bundle(name) for name in bundles or embedded_bundles()]
    read = Sources(pages, limit=int(Work(limit_mb=limit_mb).limit_mb * 1e6))
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


def _with_progress(pages: Iterable[Page | Failure], quiet: bool) -> Iterator[Page | Failure]:
    count = errors = 0
    with ProgressLine(quiet) as progress:
        for page in pages:
            yield page
            count += 1
            errors += isinstance(page, Failure)
            progress.update(count, errors)


def _show(result: StudyGrid) -> None:
    print(f"{result.pages} labelled pages, {len(result.cells)} scores with their pipelines")
    for what, docnos in (
        ("pages without a label", result.unlabelled),
        ("labels without a page", result.absent),
    ):
        if docnos:
            print(with_first_names(what, docnos))
    for failure in result.failures:
        say(f"{failure.docno}: {failure.stage}: {failure.error}")
    if result.agreements:
        print("\nHow assessors agree")
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
    print("\nThe best of each category, * by which coefficient")
    print_table(
        ("category", "score", "extractor, sentence ends", "n", "Pearson", "Spearman", "Kendall"),
        [row for group, cells in result.best().items() for row in _best_rows(group, cells)],
        texts=3,
    )
    print("\nThe size of Spearman's correlation over all scores, by percentile")
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
