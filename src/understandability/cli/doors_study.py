"""How results of the rooms outside leave a command: resources, corpora, simulations, rankings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from understandability.cli.doors import MOST_NAMED, Given, Quiet, say
from understandability.prompt import AtPrompt
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.study.learn import Learned

Output = Annotated[str | None, AtPrompt(str, "--output", "-o", value="FILE")]
Form = Annotated[str | None, AtPrompt(str, "--format", value="FORMAT")]
RunOutput = Annotated[str, AtPrompt(str, "--output", "-o", value="FILE")]
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


def corpora(call: Given, *, output: Output = None) -> None:
    """The sizes of corpora as a table.

    Args:
        output: Write .json, .csv, .tsv, .jsonl or .parquet; - is JSON on standard output.
    """
    from understandability.cli.outputs import check_destination, write_result
    from understandability.cli.tables import print_table

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
    if output is not None:
        document = {"settings": {"inputs": call.keywords["inputs"]}, "corpora": rows}
        write_result(output, document, lambda: rows)


def simulated_users(
    call: Given,
    *,
    plot: Annotated[str | None, AtPrompt(str, value="FILE")] = None,
    output: Output = None,
    form: Form = None,
) -> None:
    """A row for each user, and the quantiles of the score.

    Args:
        plot: Draw RBP against uRBP (.png, .svg, .pdf).
        output: Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX) or .md (Markdown); - is
            JSON on standard output.
        form: Format of the output: json, csv, tsv, jsonl, parquet, latex or markdown. Default: by
            suffix.
    """
    from understandability.cli.outputs import show_table, write_result

    if plot is not None:
        from understandability.study.plots import check_figure, plot_systems, write_figure

        check_figure(plot)  # before all pages are scored
    found = call()
    result = found.evaluation
    if output != "-" and form is None:
        runs = counted(len(result.runs), "run")
        print(f"{counted(found.documents, 'document')} with a score, {runs}")
        show_table(found.distribution())
        print()
        show_table(found.table())
    for remark in found.remarks:
        say(f"understand: {remark}")
    if output is not None or form is not None:
        rows = found.table().to_dicts()
        quantiles = {f"{share:.0%}": value for share, value in found.quantiles.items()}
        more = {"users": rows, "quantiles": quantiles, "remarks": list(found.remarks)}
        write_result(
            output or "-",
            result.as_dict(per_query=False) | more,
            lambda: rows,
            table=found.table,
            stated=form,
            header="conventions",
        )
    if plot is not None:
        columns = {measure: result.column(measure) for measure in result.measures}
        write_figure(plot_systems(result.runs, columns), plot)


def user_grid(
    call: Given,
    *,
    plot: Annotated[str | None, AtPrompt(str, value="FILE")] = None,
    output: Output = None,
    form: Form = None,
    quiet: Quiet = False,
) -> None:
    """A row for each cell of the grid.

    Args:
        plot: Draw Kendall's tau of each user over the ways of reading (.png, .svg, .pdf).
        output: Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX) or .md (Markdown); - is
            JSON on standard output.
        form: Format of the output: json, csv, tsv, jsonl, parquet, latex or markdown. Default: by
            suffix.
        quiet: Show no progress.
    """
    from understandability.cli.outputs import show_table, write_result
    from understandability.cli.progress import ProgressLine

    if plot is not None:
        from understandability.study.plots import check_figure, plot_user_grid, write_figure

        check_figure(plot)
    with ProgressLine(quiet) as line:
        found = call(progress=line.tell)
    if output != "-" and form is None:
        for pipeline, count in found.scored.items():
            print(f"{pipeline}: {counted(count, 'document')} with a score")
        show_table(found.table())
    if output is not None or form is not None:
        rows = found.table().to_dicts()
        document = {"systems": found.systems, "scored": dict(found.scored), "cells": rows}
        write_result(output or "-", document, lambda: rows, table=found.table, stated=form)
    if plot is not None:
        write_figure(plot_user_grid(found), plot)


def simulated(call: Given, *, output: Output = None, form: Form = None) -> None:
    """A row for each kind of system.

    Args:
        output: Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX) or .md (Markdown); - is
            JSON on standard output.
        form: Format of the output: json, csv, tsv, jsonl, parquet, latex or markdown. Default: by
            suffix.
    """
    from dataclasses import asdict

    from understandability.cli.outputs import show_table, write_result

    found = call()
    if output != "-" and form is None:
        show_table(found.table())
    if output is not None or form is not None:
        rows = found.rows().to_dicts()
        settings = asdict(found.grid) | {"scale": str(found.grid.scale)}
        settings["seed"] = call.keywords.get("seed", 0)
        document = {"settings": settings, "cells": rows}
        write_result(output or "-", document, lambda: rows, table=found.table, stated=form)


def indexed(call: Given, *, strict: bool = False, quiet: Quiet = False) -> None:
    """How many pages were indexed.

    Args:
        strict: End with status 1 if any document failed.
        quiet: Show no progress and no remarks.
    """
    from understandability.cli.progress import ProgressLine

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


def study_run(call: Given, *, output: RunOutput = "-") -> None:
    """A new run.

    Args:
        output: The new TREC run, also .gz; - is standard output.
    """
    from understandability.inputs.runs import write_run

    write_run(call(), output)


def learned(call: Given, *, strict: bool = False, quiet: Quiet = False) -> None:
    """What was learned from, and what each feature is worth to the ranker.

    Args:
        strict: Refuse a run with anything unusual, such as a document listed twice.
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
    call: Given, *, output: RunOutput = "-", strict: bool = False, quiet: Quiet = False
) -> None:
    """A new run of an old one.

    Args:
        output: The new TREC run, also .gz; - is standard output.
        strict: Refuse a run with anything unusual, such as a document listed twice.
        quiet: Show no remarks.
    """
    study_run(_with_run(call, strict, quiet), output=output)


def _with_run(call: partial[Any], strict: bool, quiet: bool) -> partial[Any]:
    """The call with its run read; what is unusual in that is told, or refused."""
    from understandability.cli.doors_evaluation import read

    sources = call.keywords.get("sources")
    order = sources.order if sources is not None else "rank"
    [run] = read([call.keywords["run"]], order, strict, quiet)
    return partial(call, run=run)
