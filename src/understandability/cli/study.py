"""How results of the rooms outside leave a command: resources, corpora, simulations, rankings."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from understandability.cli.evaluation import read
from understandability.cli.progress import ProgressLine
from understandability.cli.results import (
    MOST_NAMED,
    Given,
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
    from understandability.study.grid import StudyGrid
    from understandability.study.learn import Learned

_OUT = Out()
_MOST_SHOWN = 10


def exported(call: Given) -> None:
    """How many documents were written for a search engine, and what to do next."""
    found = call()
    title = found.engine.title
    told = f"{counted(found.documents, 'document')} for {title} in {call.keywords['output']}"
    if found.replaced:
        told += ", in the place of those there"
    counts = (found.left_out, len(found.refused))
    why = ("without a value or seen before", "whose names it cannot take")
    lacking = ", ".join(f"{n:,} {each}" for n, each in zip(counts, why, strict=True) if n)
    say(f"{told}; left out: {lacking}" if lacking else told)
    for docno in found.refused[:MOST_NAMED]:
        say(f"left out, as {title} cannot take it: {docno!r}")
    say(f"Next: {found.next}")


def resources(call: Given) -> None:
    """A line for each resource, and where it comes from."""
    from understandability.study.installed import installed_folder

    print(f"Folder: {installed_folder()}")
    for name, (resource, manifest) in call().items():
        state = f"{manifest.entries:,} entries" if manifest else "not installed"
        print(f"{name:22} {state:>16}  {resource.title}\n{'':39}  from {resource.origin}")


def vocabulary_installed(call: Given) -> None:
    """How many entries were installed."""
    from understandability.study.installed import installed_folder

    manifest = call()
    print(f"{manifest.name}: {manifest.entries:,} entries in {installed_folder() / manifest.name}")


def verified(call: Given) -> None:
    """A line for each installed resource; status 1 where one has changed."""
    found = call()
    for name, problem in found.items():
        print(f"{name} {problem or 'is unchanged'}")
    if not found:
        print("nothing is installed")
    if any(found.values()):
        raise SystemExit(1)


def corpora(call: Given, *, output: ResultFile = None) -> None:
    """The sizes of corpora as a table.

    Args:
        output: Write .json, .csv, .tsv, .jsonl or .parquet; - is JSON on standard output.
    """
    check_destination(output)
    found = call()
    rows = found.rows()
    for name, count in found.unreadable.items():
        if count:
            say(f"{name}: left out, because they cannot be read: {count:,}")
    if output != "-":
        cells = [
            (
                row["corpus"],
                row["statistic"],
                f"{row['value']:,.0f}" if row["sd"] is None else f"{row['value']:,.2f}",
                "" if row["sd"] is None else f"{row['sd']:,.2f}",
            )
            for row in rows
        ]
        print_table(("corpus", "statistic", "value", "sd"), cells, texts=2)
    document = {"settings": {"inputs": call.keywords["inputs"]}, "corpora": rows}
    Out(output).write(document, lambda: rows)


def simulated_users(call: Given, *, plot: OtherFile = None, out: Out = _OUT) -> None:
    """A row for each user, and the quantiles of the score.

    Args:
        plot: Draw RBP against uRBP (.png, .svg, .pdf).
    """
    if plot is not None:
        from understandability.study.plots import check_figure, plot_systems, write_figure

        check_figure(plot)  # before all pages are scored
    found = call()
    result = found.evaluation
    if out.shows:
        runs = counted(len(result.runs), "run")
        print(f"{counted(found.documents, 'document')} with a score, {runs}")
        show_table(found.distribution())
        print()
        show_table(found.table())
    for remark in found.remarks:
        say(f"understand: {remark}")
    rows = found.table().to_dicts()
    quantiles = {f"{share:.0%}": value for share, value in found.quantiles.items()}
    more = {"users": rows, "quantiles": quantiles, "remarks": list(found.remarks)}
    out.write(result.as_dict(per_query=False) | more, lambda: rows, found.table)
    if plot is not None:
        columns = {measure: result.column(measure) for measure in result.measures}
        write_figure(plot_systems(result.runs, columns), plot)


def user_grid(
    call: Given, *, plot: OtherFile = None, out: Out = _OUT, quiet: Quiet = False
) -> None:
    """A row for each cell of the grid.

    Args:
        plot: Draw Kendall's tau of each user over the ways of reading (.png, .svg, .pdf).
        quiet: Show no progress.
    """
    if plot is not None:
        from understandability.study.plots import check_figure, plot_user_grid, write_figure

        check_figure(plot)
    with ProgressLine(quiet) as line:
        found = call(progress=line.tell)
    if out.shows:
        for pipeline, count in found.scored.items():
            print(f"{pipeline}: {counted(count, 'document')} with a score")
        show_table(found.table())
    rows = found.table().to_dicts()
    document = {"systems": found.systems, "scored": dict(found.scored), "cells": rows}
    out.write(document, lambda: rows, found.table)
    if plot is not None:
        write_figure(plot_user_grid(found), plot)


def simulated(call: Given, *, out: Out = _OUT) -> None:
    """A row for each kind of system."""
    found = call()
    if out.shows:
        show_table(found.table())
    rows = found.rows().to_dicts()
    settings = asdict(found.grid) | {"scale": str(found.grid.scale)}
    settings["seed"] = call.keywords.get("seed", 0)
    out.write({"settings": settings, "cells": rows}, lambda: rows, found.table)


def indexed(call: Given, *, strict: Strict = False, quiet: Quiet = False) -> None:
    """How many pages were indexed."""
    with ProgressLine(quiet) as line:
        found = call(progress=line.update)
    errors = len(found.failures)
    if not quiet:
        where = f" (in {found.folder}.errors.jsonl)" if errors else ""
        say(
            f"{counted(found.documents, 'document')}, {counted(found.terms, 'term')}, "
            f"{counted(errors, 'error')}{where}"
        )
    if strict and errors:
        raise SystemExit(1)


def study_run(call: Given, *, output: RunFile = "-") -> None:
    """A new run."""
    from understandability.inputs.runs import write_run

    write_run(call(), output)


def learned(call: Given, *, strict: StrictRuns = False, quiet: Quiet = False) -> None:
    """What was learned from, and what each feature is worth to the ranker.

    Args:
        quiet: Show no remarks.
    """
    found: Learned = _with_run(call, strict, quiet)()
    if quiet:
        return
    run = found.examples.candidates.run
    names = found.examples.candidates.names
    say(
        f"{counted(len(run), 'candidate')}, {counted(len(names), 'feature')}; "
        f"{len(found.examples.useful)} of {len(run.queries)} queries have relevant candidates"
    )
    if found.ranker is not None:
        shares = list(found.ranker.importances.items())
        say("importance (share of what the splits gained):")
        for name, share in shares[:_MOST_SHOWN]:
            say(f"  {share:6.1%}  {name}")
        if len(shares) > _MOST_SHOWN:
            say(f"  and {len(shares) - _MOST_SHOWN} more, in bundle.json")


def applied(
    call: Given, *, output: RunFile = "-", strict: StrictRuns = False, quiet: Quiet = False
) -> None:
    """A new run of an old one.

    Args:
        quiet: Show no remarks.
    """
    study_run(_with_run(call, strict, quiet), output=output)


def _with_run(call: partial[Any], strict: bool, quiet: bool) -> partial[Any]:
    """The call with its run read; what is unusual in that is told, or refused."""
    sources = call.keywords.get("sources")
    order = sources.order if sources is not None else "rank"
    [run] = read([call.keywords["run"]], order, strict, quiet)
    return partial(call, run=run)


def study_grid(
    call: Given, *, plot: OtherFile = None, output: ResultFile = None, quiet: Quiet = False
) -> None:
    """The tables of the experiment.

    Args:
        plot: Draw the spread under each way of reading as SVG.
    """
    from understandability.inputs.writing import write_text
    from understandability.study.grid import BEST
    from understandability.writers.charts import box_plot

    for destination in (output, plot and f"{plot}.json"):
        check_destination(destination)
    with ProgressLine(quiet) as line:
        found: StudyGrid = call(progress=line.update)
    tables = found.tables()
    if output != "-":
        print(f"{found.pages} labelled pages, {len(found.cells)} scores with their pipelines")
        for what, docnos in (
            ("pages without a label", found.unlabelled),
            ("labels without a page", found.absent),
        ):
            if docnos:
                print(with_first_names(what, docnos))
        for title, table in tables.items():
            print(f"\n{title}")
            show_table(table)
    for failure in found.failures:
        say(f"{failure.docno}: {failure.stage}: {failure.error}")
    if plot is not None:
        write_text(
            plot, box_plot(list(found.spread().items()), "Spearman with the labels, its size")
        )
    Out(output).write(
        found.as_dict(), lambda: [asdict(cell) for cell in found.cells], lambda: tables[BEST]
    )
