"""Views of evaluation commands: results as tables on the terminal, as files, and as runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from understandability.cli.results import (
    File,
    OtherFile,
    Out,
    Quiet,
    RunFile,
    StrictRuns,
    check_destination,
    print_table,
    say,
    show_table,
)
from understandability.evaluation.comparison import ALL_TESTS, CORRECTIONS
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.evaluation.comparison import RunComparison, RunComparisons
    from understandability.evaluation.correlation import Correlations
    from understandability.evaluation.evaluate import Evaluation
    from understandability.evaluation.result_table import Tabular
    from understandability.evaluation.tradeoff import Tradeoff
    from understandability.inputs.run import Run


@dataclass(frozen=True, slots=True)
class Judged(Out):
    """The output options of commands that read runs and labels.

    Args:
        output: Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX), .md (Markdown), or, of
            evaluate, .eval for trec_eval lines; - is JSON on standard output.
        form: Format of the output: json, csv, tsv, jsonl, parquet, latex, markdown or trec_eval.
            Default: by suffix.
        quiet: Do not report what is unusual.
    """

    quiet: Annotated[bool, Parameter(("--quiet", "-q"))] = False

    def result_of(self, call: Callable[[], Any]) -> Any:
        """Call the function, and return its result after reporting what was unusual in labels and
        runs.
        """
        check_destination(self.output)
        result = call()
        if not self.quiet:
            for note in getattr(result, "notes", ()):
                say(f"understand: {note}")
        return result


_OUT = Judged()


def result(call: Callable[[], Tabular], *, out: Judged = _OUT) -> None:
    """Show a result as a table on the terminal, or write it to a file."""
    result_ = out.result_of(call)
    if out.shows:
        show_table(result_.table())
        if result_.table().note:
            print(result_.table().note)
    out.write(result_.as_dict(), result_.to_dicts, result_.table)


def evaluated(
    call: Callable[[], Evaluation],
    *,
    per_query: bool = False,
    wide: bool = False,
    test: Annotated[str, Parameter(choices=ALL_TESTS)] = "t",
    correction: Annotated[str | None, Parameter(choices=CORRECTIONS)] = None,
    letters: bool = False,
    out: Judged = _OUT,
) -> None:
    """Show the mean of each measure for each run.

    Args:
        per_query: Add rows for single queries (JSON always has them).
        wide: Give each measure a column, not a row, in csv, tsv, jsonl and parquet.
        test: Test for the marks † and ⋄ in LaTeX and Markdown: t, wilcoxon, randomisation,
            bootstrap.
        correction: Correction of that test for several runs: holm or bonferroni.
        letters: In LaTeX and Markdown, mark each mean with the letters of the runs that it is
            significantly better than, instead of † and ⋄.
    """
    evaluation: Evaluation = out.result_of(call)
    if out.shows:
        chosen = evaluation.conventions
        preset = f"preset {chosen['preset']}, " if chosen["preset"] else ""
        print(
            f"{preset}order by {chosen['order']}, labels keyed on {chosen['keyed_on']}, "
            f"no label: {chosen['no_label']}, mean over {chosen['mean_over']} "
            f"({chosen['queries']} queries)"
        )
        show_table(evaluation.table())
    out.write(
        evaluation.as_dict(),
        lambda: evaluation.table(wide=wide, per_query=per_query).to_dicts(),
        lambda: evaluation.shown(
            per_query=per_query, test=test, correction=correction, letters=letters
        ),
        lambda: trec_eval_lines(evaluation, per_query),
    )


def trec_eval_lines(evaluation: Evaluation, per_query: bool) -> str:
    """Return lines as trec_eval prints them: measure, query id or ``all``, value with four
    decimals.
    """
    lines: list[str] = []
    for run in evaluation.runs:
        lines.append(f"{'runid':<22}\tall\t{run}")
        for column, query in enumerate(evaluation.queries if per_query else ()):
            for row, measure in enumerate(evaluation.measures):
                value = float(evaluation.values[run][row][column])
                if value == value:
                    lines.append(f"{measure:<22}\t{query}\t{value:.4f}")
        for measure, mean in zip(evaluation.measures, evaluation.means[run].tolist(), strict=True):
            lines.append(f"{measure:<22}\tall\t{mean:.4f}")
    return "\n".join(lines) + "\n"


def runs_compared(
    call: Callable[[], RunComparisons],
    *,
    correction: Annotated[str, Parameter(choices=CORRECTIONS)] = "holm",
    corrected: bool = False,
    out: Judged = _OUT,
) -> None:
    """Show comparisons of runs, grouped by reference.

    Args:
        correction: Correction for the number of runs compared: holm, bonferroni.
        corrected: Mark by the corrected probabilities.
    """
    comparisons: RunComparisons = out.result_of(call)
    settings = comparisons.settings
    applied = correction if corrected else None
    marks = comparisons.marks(settings["alpha"], test=settings["tests"][0], correction=applied)
    if out.shows:
        _print_comparisons(comparisons, marks, correction)
    rows = [row.as_dict() | {"mark": marks.get((row.measure, row.run), "")} for row in comparisons]
    chosen = {name: settings[name] for name in ("alpha", "samples", "seed")}
    chosen |= {"correction": applied or "none"}
    conventions = {**comparisons.evaluation["conventions"], **chosen}
    document = {**comparisons.evaluation, "conventions": conventions, "comparisons": rows}
    out.write(
        document,
        lambda: rows,
        lambda: comparisons.shown(correction=correction, corrected=corrected),
    )


def _print_comparisons(
    comparisons: RunComparisons, marks: dict[tuple[str, str], str], correction: str
) -> None:
    columns = ("run", "mean", "difference", "95 % interval", "d", "interval of d", "queries", "t")
    for heading, rows in comparisons.groups().items():
        print(heading)
        tests = [name for test in rows[0].p for name in (f"p ({test})", correction.capitalize())]
        print_table((*columns, *tests), [_cells(row, marks, correction) for row in rows])
        print()
    print("queries: the number that a t-test needs to find the effect d with a power of .8")


def _cells(
    row: RunComparison, marks: dict[tuple[str, str], str], correction: str
) -> tuple[str, ...]:
    probabilities = (
        p for test, raw in row.p.items() for p in (raw, row.corrected[correction][test])
    )
    return (
        row.run,
        f"{row.mean:.4f}{marks.get((row.measure, row.run), ''):<2}",
        f"{row.difference:+.4f}",
        f"{row.low:+.4f} {row.high:+.4f}",
        f"{row.effect_size:+.2f}",
        f"{row.effect_low:+.2f} {row.effect_high:+.2f}",
        "-" if row.queries_needed is None else str(row.queries_needed),
        f"{row.t:+.2f}",
        *(f"{p:.4f}" for p in probabilities),
    )


def correlated(call: Callable[[], Correlations], *, out: Judged = _OUT) -> None:
    """Show a matrix of each correlation coefficient, and the runs whose rank changes most."""
    correlations: Correlations = out.result_of(call)
    symmetric = correlations.symmetric
    for remark in () if out.quiet else correlations.remarks:
        say(f"understand: {remark}")
    if out.shows:
        for name in correlations.matrices:
            direction = " (the row is the reference)" if name == "tau_ap" and not symmetric else ""
            print(f"{name}{direction}, {counted(len(correlations.runs), 'run')}")
            show_table(correlations.table(name))
            print()
        for other, runs in correlations.moved.items():
            print(f"what moves most from {correlations.measures[0]} to {other}")
            print_table(("run", "rank", "to"), [(run, f"{a:g}", f"{b:g}") for run, a, b in runs])
            print()
    document = correlations.as_dict()
    document["conventions"] = {**document["conventions"], "symmetric": symmetric}
    out.write(document, correlations.to_dicts, correlations.shown)


def swept(call: Callable[[], Tradeoff], *, plot: OtherFile = None, out: Judged = _OUT) -> None:
    """Show the points of a trade-off as a table, and draw them if requested.

    Args:
        plot: Draw the trade-off as .png, .svg or .pdf (needs the extra plots).
    """
    from understandability.study.plots import check_figure, plot_tradeoff, write_figure

    if plot is not None:
        check_figure(plot)
    sweep: Tradeoff = out.result_of(call)
    if out.shows:
        show_table(sweep.table())
    out.write(sweep.as_dict(), sweep.to_dicts, sweep.table)
    if plot is not None:
        write_figure(plot_tradeoff(sweep.points), plot)


def drawn(call: Callable[[], Any], *, output: File) -> None:
    """Write a figure to a file.

    Args:
        output: Write .png, .svg or .pdf.
    """
    from understandability.study.plots import check_figure, write_figure

    check_figure(output)
    write_figure(call(), output)
    say(f"{output}: written")


def reranked(
    call: Callable[..., Run],
    *,
    run: str,
    scores: Sequence[str],
    order: str,
    output: RunFile = "-",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Write the re-ranked run.

    Args:
        quiet: Show no remarks.
    """
    from understandability.inputs.runs import write_run

    _check_sources([run], scores, output, quiet)
    [run_] = read([run], order, strict, quiet)
    write_run(written := call(run=run_), output)
    say_written(written, output, quiet)


def fused(
    call: Callable[..., Run],
    *,
    sources: Sequence[str],
    order: str,
    output: RunFile = "-",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Write the run that was fused from runs and scores.

    Args:
        quiet: Show no remarks.
    """
    from understandability.evaluation.criteria import is_criterion
    from understandability.inputs.runs import write_run

    scores = [source for source in sources if is_criterion(source)]
    _check_sources(sources, scores, output, quiet)
    paths = [source for source in sources if source not in scores]
    runs = dict(zip(paths, read(paths, order, strict, quiet), strict=True))
    write_run(written := call(sources=[runs.get(source, source) for source in sources]), output)
    say_written(written, output, quiet)


def say_written(run: Run, output: str, quiet: bool = False) -> None:
    """Show the size of a new run, and which queries have no documents."""
    if quiet or output == "-":
        return
    by_query = run.by_query()
    empty = [query for query, documents in by_query.items() if not documents]
    queries = "1 query" if len(by_query) == 1 else f"{len(by_query):,} queries"
    without = ""
    if empty:
        names = ", ".join(empty[:3]) + (", ..." if len(empty) > 3 else "")
        without = f"; no documents for {len(empty):,} of them ({names})"
    say(f"{output}: {counted(len(run), 'document')} for {queries}{without}")


def _check_sources(sources: Sequence[str], scores: Sequence[str], output: str, quiet: bool) -> None:
    """Raise `OptionError` if the output file is also an input; warn about scores of several
    models.
    """
    from understandability.evaluation.criteria import mixed_models
    from understandability.inputs.writing import check_is_no_input

    check_is_no_input(output, [part for text in sources for part in (text, text.partition(":")[0])])
    if not quiet and (mix := mixed_models(scores)):
        say(f"understand: {mix}")


def read(paths: Sequence[str], order: str, strict: bool, quiet: bool) -> list[Run]:
    """Read runs, and report what is unusual in them; with `strict`, reject it."""
    from understandability.evaluation.unusual_input import (
        refuse_oddities,
        run_oddities,
        summarise_oddities,
    )
    from understandability.inputs.runs import read_run

    runs = [read_run(path) for path in paths]
    oddities = {
        path: (*run.oddities, *run_oddities(run, order))
        for path, run in zip(paths, runs, strict=True)
    }
    if strict:
        refuse_oddities(oddities)
    for line in () if quiet else summarise_oddities(oddities, "runs"):
        say(f"understand: {line}")
    return runs
