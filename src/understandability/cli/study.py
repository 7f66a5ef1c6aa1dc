"""Views of the commands of `study`: resources, corpora, simulations, rankers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from understandability.cli.evaluation import read, say_written
from understandability.cli.progress import ProgressLine
from understandability.cli.results import (
    MOST_NAMED,
    OtherFile,
    Out,
    Quiet,
    ResultFile,
    RunFile,
    Strict,
    StrictRuns,
    check_destination,
    print_table,
    say,
    show_table,
    with_first_names,
)
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.inputs.run import Run
    from understandability.integrations.export import Exported
    from understandability.study.corpus import CorpusSizes
    from understandability.study.grid import StudyGrid
    from understandability.study.index import Indexed
    from understandability.study.installed import Manifest
    from understandability.study.learn import FeatureSources, Learned
    from understandability.study.simulate_grid import UserGrid
    from understandability.study.simulate_systems import Simulation
    from understandability.study.simulate_users import SimulatedUsers

_OUT = Out()
_MOST_SHOWN = 10


def exported(call: Callable[[], Exported], *, output: str) -> None:
    """Show the number of documents exported for a search engine, and the next step for the user."""
    result = call()
    title = result.engine.title
    message = f"{counted(result.documents, 'document')} for {title} in {output}"
    if result.replaced:
        message += ", in the place of those there"
    counts = (result.left_out, len(result.refused))
    reasons = ("without a value or seen before", "whose names it cannot take")
    lacking = ", ".join(
        f"{count:,} {reason}" for count, reason in zip(counts, reasons, strict=True) if count
    )
    say(f"{message}; left out: {lacking}" if lacking else message)
    for docno in result.refused[:MOST_NAMED]:
        say(f"left out, as {title} cannot take it: {docno!r}")
    say(f"Next: {result.next}")


def resources(call: Callable[[], Mapping[str, Any]]) -> None:
    """Print one line for each resource, with its origin."""
    from understandability.study.installed import installed_folder

    print(f"Folder: {installed_folder()}")
    for name, (resource, manifest) in call().items():
        state = f"{manifest.entries:,} entries" if manifest else "not installed"
        print(f"{name:22} {state:>16}  {resource.title}\n{'':39}  from {resource.origin}")


def vocabulary_installed(call: Callable[[], Manifest]) -> None:
    """Show the number of entries of the vocabulary that was installed."""
    from understandability.study.installed import installed_folder

    manifest = call()
    print(f"{manifest.name}: {manifest.entries:,} entries in {installed_folder() / manifest.name}")


def verified(call: Callable[[], Mapping[str, str | None]]) -> None:
    """Print a line for each installed resource; exit with status 1 if one has changed."""
    result = call()
    for name, problem in result.items():
        print(f"{name} {problem or 'is unchanged'}")
    if not result:
        print("nothing is installed")
    if any(result.values()):
        raise SystemExit(1)


def corpora(call: Callable[[], CorpusSizes], *, output: ResultFile = None) -> None:
    """Show the sizes of corpora as a table.

    Args:
        output: Write .json, .csv, .tsv, .jsonl or .parquet; - is JSON on standard output.
    """
    check_destination(output)
    result = call()
    rows = result.rows()
    for name, count in result.unreadable.items():
        if count:
            say(f"{name}: left out, because they cannot be read: {count:,}")
    if output != "-":
        cells = [
            (
                str(row["corpus"]),
                str(row["statistic"]),
                f"{row['value']:,.0f}" if row["sd"] is None else f"{row['value']:,.2f}",
                "" if row["sd"] is None else f"{row['sd']:,.2f}",
            )
            for row in rows
        ]
        print_table(("corpus", "statistic", "value", "sd"), cells, texts=2)
    document = {"settings": {"inputs": list(result.inputs)}, "corpora": rows}
    Out(output).write(document, lambda: rows)


def simulated_users(
    call: Callable[[], SimulatedUsers], *, plot: OtherFile = None, out: Out = _OUT
) -> None:
    """Show a row for each simulated user, and the quantiles of the score.

    Args:
        plot: Draw RBP against uRBP (.png, .svg, .pdf).
    """
    if plot is not None:
        from understandability.study.plots import check_figure, plot_systems, write_figure

        check_figure(plot)  # before all pages are scored
    simulated = call()
    result = simulated.evaluation
    if out.shows:
        runs = counted(len(result.runs), "run")
        print(f"{counted(simulated.documents, 'document')} with a score, {runs}")
        show_table(simulated.distribution())
        print()
        show_table(simulated.table())
    for remark in (*simulated.notes, *simulated.remarks):
        say(f"understand: {remark}")
    rows = simulated.table().to_dicts()
    quantiles = {f"{share:.0%}": value for share, value in simulated.quantiles.items()}
    more = {"users": rows, "quantiles": quantiles, "remarks": list(simulated.remarks)}
    out.write(result.as_dict(per_query=False) | more, lambda: rows, simulated.table)
    if plot is not None:
        columns = {measure: result.column(measure) for measure in result.measures}
        write_figure(plot_systems(result.runs, columns), plot)


def user_grid(
    call: Callable[..., UserGrid],
    *,
    plot: OtherFile = None,
    out: Out = _OUT,
    quiet: Quiet = False,
) -> None:
    """Show a row for each simulated user and each way of turning pages into scores.

    Args:
        plot: Draw Kendall's tau of each user, a point for each way of turning pages into scores
            (.png, .svg, .pdf).
        quiet: Show no progress.
    """
    if plot is not None:
        from understandability.study.plots import check_figure, plot_user_grid, write_figure

        check_figure(plot)
    with ProgressLine(quiet) as line:
        result = call(progress=line.show_progress)
    if out.shows:
        for pipeline, count in result.scored.items():
            print(f"{pipeline}: {counted(count, 'document')} with a score")
        show_table(result.table())
    rows = result.table().to_dicts()
    document = {"systems": result.systems, "scored": dict(result.scored), "cells": rows}
    out.write(document, lambda: rows, result.table)
    if plot is not None:
        write_figure(plot_user_grid(result), plot)


def simulated(call: Callable[[], Simulation], *, out: Out = _OUT) -> None:
    """Show a row for each type of simulated system: its topicality, mean and deviation."""
    result = call()
    if out.shows:
        show_table(result.table())
    rows = result.rows().to_dicts()
    out.write({"settings": result.settings, "cells": rows}, lambda: rows, result.table)


def indexed(call: Callable[..., Indexed], *, strict: Strict = False, quiet: Quiet = False) -> None:
    """Show the number of indexed pages."""
    with ProgressLine(quiet) as line:
        result = call(progress=line.update)
    errors = len(result.failures)
    if not quiet:
        where = f" (in {result.folder}.errors.jsonl)" if errors else ""
        say(
            f"{counted(result.documents, 'document')}, {counted(result.terms, 'term')}, "
            f"{counted(errors, 'error')}{where}"
        )
    if strict and errors:
        raise SystemExit(1)


def study_run(call: Callable[[], Run], *, output: RunFile = "-") -> None:
    """Write the new run."""
    from understandability.inputs.runs import write_run

    write_run(run := call(), output)
    say_written(run, output)


def learned(
    call: Callable[..., Learned],
    *,
    run: str,
    sources: FeatureSources | None,
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Show the training data of a learned ranker, and the importance of its features.

    Args:
        quiet: Show no remarks.
    """
    result = call(run=_checked_run(run, sources, strict, quiet))
    if quiet:
        return
    candidates = result.examples.candidates
    say(
        f"{counted(len(candidates.run), 'candidate')}, "
        f"{counted(len(candidates.names), 'feature')}; {len(result.examples.useful)} of "
        f"{len(candidates.run.queries)} queries have relevant candidates"
    )
    if result.ranker is not None:
        shares = list(result.ranker.importances.items())
        say("importance (share of the gain of all splits):")
        for name, share in shares[:_MOST_SHOWN]:
            say(f"  {share:6.1%}  {name}")
        if len(shares) > _MOST_SHOWN:
            say(f"  and {len(shares) - _MOST_SHOWN} more, in bundle.json")


def applied(
    call: Callable[..., Run],
    *,
    run: str,
    sources: FeatureSources | None,
    output: RunFile = "-",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Write the run that a learned ranker has re-ranked.

    Args:
        quiet: Show no remarks.
    """
    study_run(partial(call, run=_checked_run(run, sources, strict, quiet)), output=output)


def _checked_run(run: str, sources: FeatureSources | None, strict: bool, quiet: bool) -> Run:
    """Read a run, and report what is unusual in it; with `strict`, reject it."""
    order = sources.order if sources is not None else "rank"
    [read_] = read([run], order, strict, quiet)
    return read_


def study_grid(
    call: Callable[..., StudyGrid],
    *,
    plot: OtherFile = None,
    output: ResultFile = None,
    quiet: Quiet = False,
) -> None:
    """Show the tables of the experiment.

    Args:
        plot: Draw the spread under each way of reading as SVG.
    """
    from understandability.inputs.writing import write_text
    from understandability.study.grid import BEST
    from understandability.writers.charts import box_plot

    for destination in (output, plot and f"{plot}.json"):
        check_destination(destination)
    with ProgressLine(quiet) as line:
        result = call(progress=line.update)
    tables = result.tables()
    if output != "-":
        print(f"{result.pages} labelled pages, {len(result.cells)} scores with their pipelines")
        for label, docnos in (
            ("pages without a label", result.unlabelled),
            ("labels without a page", result.absent),
        ):
            if docnos:
                print(with_first_names(label, docnos))
        for title, table in tables.items():
            print(f"\n{title}")
            show_table(table)
    for failure in result.failures:
        say(f"{failure.docno}: {failure.stage}: {failure.error}")
    if plot is not None:
        write_text(
            plot, box_plot(list(result.spread().items()), "Spearman with the labels, its size")
        )
    Out(output).write(
        result.as_dict(), lambda: [asdict(cell) for cell in result.cells], lambda: tables[BEST]
    )
