"""`understand validate`: how well a bundle agrees with labels."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.groups import with_groups
from understandability.cli.labels import LabelOptions, show_validation
from understandability.cli.options import LimitMb, Quiet
from understandability.cli.outputs import ResultFile, check_destination, write_result
from understandability.errors import OptionError


@with_groups
def validate(
    bundle: Annotated[
        str | None,
        typer.Argument(metavar="BUNDLE", help="Name or folder of a bundle.", show_default=False),
    ] = None,
    labelled: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="LABELS...",
            help="Labelled texts: FILE[:COLUMN][:harder|easier], with the scales of the --labels "
            "of `understand train judged`.",
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
    *,
    columns: LabelOptions,
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

    Correlations come with 95 % intervals, by groups of texts; where labels are difficulties (cefr,
    difficulty), P(U|d) is judged at the threshold by Brier score, calibration error and ROC AUC.
    Use texts that the bundle was not trained on.

    With --grid, repeat the main experiment of Palotti, Zuccon & Hanbury (2019) on labelled pages.

    Example: understand validate default judged.csv --label-column rating --direction harder
    """
    if grid:
        if bundle is not None or not labels:
            raise OptionError(
                "--grid PAGES needs --labels FILE, and takes estimators as --bundle BUNDLE"
            )
        from understandability.cli.validate_grid import validate_grid

        validate_grid(
            grid, labels, _stated(columns.direction), bundles, plot=plot, limit_mb=limit_mb,
            quiet=quiet, output=output,
        )  # fmt: skip
        return
    if labels or bundles or plot:
        raise OptionError("--labels, --bundle and --plot belong to --grid PAGES; name the pages")
    if bundle is None or not labelled:
        raise OptionError(
            "there is nothing to compare; name a bundle and labelled texts, or --grid PAGES"
        )
    from understandability.api.validation import validate as compare
    from understandability.evaluation.criteria import mixed_models
    from understandability.model.bundle import load_bundle
    from understandability.training.validation import report

    check_destination(output)
    model = load_bundle(bundle)
    own = f"{model.label} on scale {model.scale}"
    if not quiet and (mix := mixed_models(labelled, own)):
        typer.echo(f"understand: {mix}", err=True)
    found = compare(
        model,
        labelled,
        **columns.chosen,
        threshold=threshold,
    )
    if output != "-":
        typer.echo(f"model {model.label}, scale {model.scale}")
        for each in found.sets:
            show_validation(each, f"P(U|d) at {threshold:g}")
    if output is not None:
        settings = {"model": model.label, "scale": model.scale, "threshold": threshold}
        document = {"settings": settings, "sets": report(found.sets)}
        write_result(output, document, lambda: list(found), table=found.table)


def _stated(direction: str | None) -> str:
    """The direction of labels, which nobody guesses."""
    if direction is None:
        raise OptionError(
            "--grid needs --direction higher-harder or higher-easier: what a higher label means"
        )
    return direction
