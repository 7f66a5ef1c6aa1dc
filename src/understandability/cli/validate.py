"""`understand validate`: how well a bundle agrees with labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import LimitMb, Quiet
from understandability.cli.outputs import ResultFile, check_destination, named, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.evaluation.validation import Validation


def validate(
    bundle: Annotated[
        str | None,
        typer.Argument(metavar="BUNDLE", help="Name or folder of a bundle.", show_default=False),
    ] = None,
    labelled: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE[:FIELD][:harder|easier][:rank|cefr|difficulty]",
            help="Labelled texts, as for `understand train judged`.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="The difficulty below which the reader understands.")
    ] = 40.0,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PAGES",
            help="Pages, as for `understand score`: compare every feature and bundle under three "
            "extractors and three kinds of sentence ends with --labels. May be repeated.",
            show_default=False,
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE[:COLUMN]",
            help="With --grid: labels by docno, a table or a TREC label file; each column of "
            "numbers and each file is an assessor. May be repeated.",
            show_default=False,
        ),
    ] = None,
    direction: Annotated[
        str, typer.Option(help="With --grid: what a higher label means, harder or easier.")
    ] = "harder",
    bundles: Annotated[
        list[str] | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="With --grid: an estimator; all that come with the package by default. "
            "May be repeated.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="With --grid: draw the spread under each pipeline as SVG.",
            show_default=False,
        ),
    ] = None,
    limit_mb: LimitMb = 10.0,
    quiet: Quiet = False,
    output: ResultFile = None,
) -> None:
    """Compare a bundle, the eight formulas and the corpus ratio with labels of texts.

    Correlations come with 95 % intervals; where labels are difficulties (cefr, difficulty), P(U|d)
    is judged at the threshold by Brier score, calibration error and ROC AUC. Use texts that the
    bundle was not trained on.

    With --grid, repeat the main experiment of Palotti, Zuccon & Hanbury (2019) on labelled pages.

    Example: understand validate default judged.jsonl.gz:rating:harder:cefr
    """
    if grid:
        if bundle is not None or not labels:
            raise OptionError(
                "--grid PAGES needs --labels FILE, and takes estimators as --bundle BUNDLE"
            )
        from understandability.cli.validate_grid import validate_grid

        validate_grid(
            grid, labels, direction, bundles, plot=plot, limit_mb=limit_mb, quiet=quiet,
            output=output,
        )  # fmt: skip
        return
    if labels or bundles or plot:
        raise OptionError("--labels, --bundle and --plot belong to --grid PAGES; name the pages")
    if bundle is None or not labelled:
        raise OptionError(
            "there is nothing to compare; name a bundle and labelled texts, or --grid PAGES"
        )
    from understandability.evaluation.validation import report, score_rows
    from understandability.evaluation.validation import validate as compare
    from understandability.models import load_bundle
    from understandability.models.training.labelled import LabelSource, read_labelled

    check_destination(output)
    if not math.isfinite(threshold):
        raise OptionError(f"--threshold must be a finite number, not {threshold}")
    sources = [LabelSource.parse(each) for each in labelled]
    model = load_bundle(bundle)
    results = [compare(model, read_labelled(source), threshold=threshold) for source in sources]
    if output != "-":
        for result in results:
            _show(result, threshold)
    if output is not None:
        settings = {"bundle": model.name, "checksum": model.checksum, "threshold": threshold}
        sets = report(results)
        write_result(output, {"settings": settings, "sets": sets}, lambda: score_rows(results))


def _show(result: Validation, threshold: float) -> None:
    typer.echo(f"\n{result.set}: {result.records} records")
    for reason, docnos in result.left_out.items():
        typer.echo(named(f"left out, {reason}", docnos))
    print_table(
        ("score", "n", "Pearson", "Spearman", "Kendall"),
        [
            (
                row.name,
                str(row.scored),
                *(
                    f"{row.correlations[name]:.3f} [{low:.3f}, {high:.3f}]"
                    for name, (low, high) in row.intervals.items()
                ),
            )
            for row in result.agreements
        ],
    )
    if result.chances:
        typer.echo(
            f"P(U|d) at {threshold:g}: "
            + ", ".join(
                f"{name.replace('_', ' ')} {value:.3f}" for name, value in result.chances.items()
            )
        )
