"""Views of training commands: they write and print bundles, readers and their figures."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from understandability.cli.progress import ProgressLine
from understandability.cli.results import (
    File,
    LimitMb,
    OtherFile,
    Out,
    Quiet,
    ResultFile,
    check_destination,
    print_table,
    say,
    show,
    show_table,
    with_first_names,
)
from understandability.errors import OptionError
from understandability.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from understandability.model.bundle import Bundle
    from understandability.training.agreement import StudyAgreement
    from understandability.training.calibrate import FittedReader
    from understandability.training.rescale import Rescaled
    from understandability.training.train import Trained
    from understandability.training.validation import Validated, Validation

NewBundle = Annotated[str, Parameter(("--output", "-o"), metavar="FOLDER")]


def _say_labels(bundle: Bundle) -> None:
    """Print the mean difficulty of the texts with each label, which helps to choose a threshold."""
    for entry in bundle.card.get("training", ()):
        if labels := entry.get("labels_in_difficulty"):
            say(
                f"Labels of {entry['name']} as difficulty: {labels}. For `--threshold T`, give "
                "the difficulty of the lowest label that is too hard."
            )


def trained(
    call: Callable[..., Trained],
    *,
    output: NewBundle,
    out_of_fold: OtherFile = None,
    quiet: Quiet = False,
) -> None:
    """Write the trained bundle into a folder, and show its figures on the terminal.

    Args:
        output: Folder of the new bundle.
        out_of_fold: Write the estimates: judged texts out of fold, the others by the whole model.
    """
    from understandability.inputs.tables import write_table
    from understandability.model.bundle_files import check_bundle_folder

    check_bundle_folder(output)
    with ProgressLine(quiet) as line:
        result = call(name=Path(output).name, progress=line.step)
    action = "replaced" if Path(output).exists() else "written"
    result.save(output)
    if out_of_fold:
        write_table(result.estimates, out_of_fold)
    if quiet:
        return
    for validation in result.figures.sets:
        _show_validation(validation, f" ({result.folds} folds by group)")
    if result.curve:
        print("\nlearning curve, out of fold")
        print_table(
            ("share", "texts", "Spearman"),
            [
                (f"{p.share:g}", str(p.texts), f"{p.spearman:.3f} [{p.low:.3f}, {p.high:.3f}]")
                for p in result.curve
            ],
            texts=0,
        )
    for remark in result.remarks:
        say(remark)
    _say_labels(result.bundle)
    say(
        f"{output} is {action}; the figures above are of held-out texts. For texts from elsewhere: "
        f"understand validate {shlex.quote(output)} OTHER_FILE {result.options}"
    )


def background(
    call: Callable[..., Bundle],
    *,
    output: NewBundle,
    corpus: Annotated[list[str], Parameter("--corpus", metavar="LABEL=INPUT")],
    limit_mb: LimitMb = 10.0,
    quiet: Quiet = False,
) -> None:
    """Write the trained background model into a folder.

    Args:
        output: Folder of the new bundle.
        corpus: A corpus and its label, a number (higher is harder). Give it once for each input.
    """
    from understandability.crawls.options import Work
    from understandability.inputs.sources import Sources, with_progress
    from understandability.model.bundle_files import check_bundle_folder
    from understandability.model.predictors import MOST
    from understandability.scoring import Settings, documents_of

    check_bundle_folder(output)
    inputs: dict[float, list[str]] = {}
    for source in corpus:
        label, equals, path = source.partition("=")
        try:
            inputs.setdefault(float(label), []).append(path)
        except ValueError:
            equals = ""
        if not equals or not path or not abs(float(label)) <= MOST:
            raise OptionError(f"--corpus is LABEL=INPUT, such as 1=posts.jsonl.gz, not {source!r}")
    limit = Work(limit_mb=limit_mb).limit
    with ProgressLine(quiet) as line:
        corpora = {
            label: documents_of(with_progress(Sources(paths, limit=limit), line.update), Settings())
            for label, paths in inputs.items()
        }
        call(corpora=corpora, name=Path(output).name).save(output)
    if not quiet:
        say(f"{output}: understand bundle show {output}")


def validated(
    call: Callable[[], Validated],
    *,
    labels: Sequence[str],
    output: ResultFile = None,
    quiet: Quiet = False,
) -> None:
    """Show how well a bundle agrees with labels, on the terminal or in a file."""
    from understandability.evaluation.criteria import mixed_models

    check_destination(output)
    result = call()
    model, scale, threshold = result.settings.values()
    if not quiet and (mix := mixed_models(labels, f"{model} on scale {scale}")):
        say(f"understand: {mix}")
    if output != "-":
        print(f"model {model}, scale {scale}")
        for validation in result.sets:
            _show_validation(validation, threshold=threshold)
    Out(output).write(result.as_dict(), lambda: list(result), result.table)


def _show_validation(result: Validation, note: str = "", threshold: float = 0.0) -> None:
    """Print the figures of one labelled set; `note` says how they were measured."""
    from understandability.training.validation import heading

    texts, groups = counted(result.records, "text"), counted(result.groups, "group")
    print(f"\n{result.set}: {texts} in {groups}{note}")
    for reason, docnos in result.left_out.items():
        print(with_first_names(f"left out, {reason}", docnos))
    measures = result.measures
    print_table(
        ("score", "n", *map(heading, measures)),
        [
            (row.name, str(row.scored), *row.in_words(measures=measures))
            for row in result.agreements
        ],
    )
    if result.chances:
        chances = result.chances.items()
        figures = (f"{name.replace('_', ' ')} {value:.3f}" for name, value in chances)
        print(f"P(U|d), if below {threshold:g} is understood: {', '.join(figures)}")
    for remark in (*[result.guessed] * bool(result.guessed), *result.remarks):
        say(remark)


def calibrated(
    call: Callable[..., FittedReader],
    *,
    answers: str,
    texts: str | None = None,
    marks: str | None = None,
    output: Annotated[str, Parameter(("--output", "-o"), metavar="FILE.json")],
    plot: Annotated[str | None, Parameter(metavar="FILE.svg")] = None,
    quiet: Quiet = False,
) -> None:
    """Write the fitted reader to a file, and show its threshold and noise on the terminal.

    Args:
        output: Where to write the reader.
        plot: For a folder: write a plot of P(U|d) and the share that understood, with intervals.
    """
    from understandability.inputs.writing import check_folder, check_is_no_input
    from understandability.model.bundle import DEFAULT_BUNDLE
    from understandability.model.bundle_files import embedded_bundles
    from understandability.training.calibrate import UnfittedError

    if not output.endswith(".json"):
        raise OptionError(f"a reader is written as .json, not as {output}; name a FILE.json")
    check_destination(output)
    if plot is not None:
        if not Path(answers).is_dir():
            raise OptionError("--plot belongs to a folder of answers from `understand ask`")
        if not plot.endswith(".svg"):
            raise OptionError(f"the plot is written as .svg, not as {plot}; name a FILE.svg")
        check_folder(plot)
    for name in filter(None, (output, plot)):
        check_is_no_input(name, [name for name in (answers, texts, marks) if name])
    try:
        result = call(name=Path(output).stem)
    except UnfittedError as error:
        _show_agreement(error.agreement, plot, quiet=quiet)
        raise
    if result.agreement is not None:
        _show_agreement(result.agreement, plot, quiet=quiet)
    result.save(output)
    if quiet:
        return
    reader = result.reader
    for name, value, (low, high) in (
        ("threshold", reader.threshold, result.threshold_interval),
        ("noise", reader.noise_scale, result.noise_interval),
    ):
        print(f"{name} {value:g} [{low:g}, {high:g}], from {result.answers} answers")
    for remark in result.remarks:
        say(remark)
    own = result.bundle not in ("", *embedded_bundles())
    bundle = f" --bundle {'FOLDER' if own else result.bundle}"
    where = f" (FOLDER is the folder of {result.bundle})" if own else ""
    bundle = "" if result.bundle in ("", DEFAULT_BUNDLE) else bundle
    say(f"Next: understand score PAGES --reader {output}{bundle}{where}")


def rescaled(call: Callable[..., Rescaled], *, output: NewBundle, quiet: Quiet = False) -> None:
    """Write the rescaled bundle into a folder, and show how far its estimates are from the labels.

    Args:
        output: Where to write the bundle.
    """
    from understandability.model.bundle_files import check_bundle_folder

    check_bundle_folder(output)
    result = call(name=Path(output).name)
    result.save(output)
    if quiet:
        return
    show_table(result.table())
    for remark in (*result.guessed, *result.remarks):
        say(remark)
    _say_labels(result.bundle)
    say(
        f"{output} is written. Thresholds belong to a scale: choose one on yours "
        f"(understand score PAGES --bundle {output} --threshold T), or find it from answers "
        "(understand calibrate)."
    )


def _show_agreement(agreement: StudyAgreement, plot: str | None, *, quiet: bool) -> None:
    """Print the answers to each text next to P(U|d), and write the plot."""
    if plot is not None:
        from understandability.inputs.writing import write_text
        from understandability.writers.charts import agreement_chart, standalone

        write_text(plot, standalone(agreement_chart(agreement.texts)))
    if quiet:
        return
    rows = [
        {
            "text": text.text,
            "n": text.participants,
            "share": text.share,
            "interval": "-" if not text.participants else "[{:.2f}, {:.2f}]".format(*text.interval),
            "p_understandable": text.p_understandable,
            "right": text.right,
            "sure": text.sure,
            "seconds": text.seconds,
        }
        for text in agreement.texts
    ]
    headings = {
        "text": "text",
        "n": "participants",
        "share": "understood",
        "interval": "95 % interval",
        "p_understandable": "P(U|d)",
        "right": "right answers",
        "sure": "sure (1-4)",
        "seconds": "seconds",
    }
    show(rows, headings)
    for name, figure in (
        ("correlation of P(U|d) with the share that understood", agreement.correlation),
        ("mean |P(U|d) - share|", agreement.distance),
        ("Brier score", agreement.brier),
    ):
        if not math.isnan(figure.value):
            print("{} {:.2f} [{:.2f}, {:.2f}]".format(name, figure.value, *figure.interval))
    if not math.isnan(agreement.chance):
        print(
            f"if P(U|d) were exactly right, {counted(agreement.answers, 'answer')} would still "
            f"give a mean |P(U|d) - share| of {agreement.chance:.2f}"
        )
    for remark in agreement.remarks:
        say(remark)


def bundles_shown(call: Callable[[], Iterable[Bundle]]) -> None:
    """Print the licence and a summary of each bundle."""
    for bundle in call():
        print(f"{bundle.name}\n    {bundle.licence}\n    {bundle.card.get('summary', '')}")


def card_shown(call: Callable[[], str]) -> None:
    """Print the text of a model card."""
    print(call(), end="")


def probabilities_written(
    call: Callable[[], pa.Table],
    *,
    scores: str,
    threshold: float,
    user: str,
    noise_scale: str | float | None,
    direction: str,
    normalise: str | None,
    output: File = "-",
) -> None:
    """Write the table with P(U|d) to a file, together with the settings.

    Args:
        output: Table to write; - is standard output.
    """
    from understandability.inputs.tables import write_table
    from understandability.inputs.writing import check_is_no_input

    check_is_no_input(output, [scores])
    table = call()
    settings = {
        "scores": scores,
        "column": table.column_names[1],
        "user": user,
        "threshold": threshold,
        "noise_scale": noise_scale,
        "direction": direction,
        "normalise": normalise,
    }
    write_table(table, output, settings=settings)
