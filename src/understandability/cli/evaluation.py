"""How results of evaluation leave a command: tables on the terminal, files, runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from understandability.cli.results import (
    File,
    Given,
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
from understandability.prompt import AtPrompt
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.evaluation.comparison import RunComparison, RunComparisons
    from understandability.evaluation.correlation import Correlations
    from understandability.evaluation.evaluate import Evaluation
    from understandability.evaluation.tradeoff import Tradeoff
    from understandability.inputs.run import Run


@dataclass(frozen=True, slots=True)
class Judged(Out):
    """Where a result of runs and labels goes, and whether what is unusual in these is told.

    Args:
        output: Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX), .md (Markdown), or, of
            evaluate, .eval for trec_eval lines; - is JSON on standard output.
        form: Format of the output: json, csv, tsv, jsonl, parquet, latex, markdown or trec_eval.
            Default: by suffix.
        quiet: Do not report what is unusual.
    """

    quiet: Quiet = False

    def of(self, call: Callable[[], Any]) -> Any:
        """The result of the call; what was unusual in labels and runs is told."""
        check_destination(self.output)
        found = call()
        if not self.quiet:
            for note in getattr(found, "notes", ()):
                say(f"understand: {note}")
        return found


_OUT = Judged()


def result(call: Given, *, out: Judged = _OUT) -> None:
    """A table on the terminal, or a result in a file."""
    found = out.of(call)
    if out.shows:
        show_table(found.table())
        if found.table().note:
            print(found.table().note)
    out.write(found.as_dict(), found.to_dicts, found.table)


def evaluated(
    call: Given,
    *,
    per_query: bool = False,
    wide: bool = False,
    test: Annotated[str, AtPrompt(choices="evaluation.comparison:ALL_TESTS")] = "t",
    correction: Annotated[str | None, AtPrompt(choices="evaluation.comparison:CORRECTIONS")] = None,
    out: Judged = _OUT,
) -> None:
    """The means of runs.

    Args:
        per_query: Add rows for single queries (JSON always has them).
        wide: Give each measure a column, not a row, in csv, tsv, jsonl and parquet.
        test: Test behind the marks † and ⋄ in LaTeX and Markdown: t, wilcoxon, randomisation,
            bootstrap.
        correction: Correction of that test for several runs: holm or bonferroni.
    """
    found: Evaluation = out.of(call)
    if out.shows:
        chosen = found.conventions
        preset = f"preset {chosen['preset']}, " if chosen["preset"] else ""
        print(
            f"{preset}order by {chosen['order']}, labels keyed on {chosen['keyed_on']}, "
            f"no label: {chosen['no_label']}, mean over {chosen['mean_over']} "
            f"({chosen['queries']} queries)"
        )
        show_table(found.table())
    marked = len(found.runs) > 1 and len(found.queries) > 1 and not per_query
    out.write(
        found.as_dict(),
        lambda: found.table(wide=wide, per_query=per_query).to_dicts(),
        lambda: (
            found.marked_table(test=test, correction=correction)
            if marked
            else found.table(per_query=per_query)
        ),
        lambda: trec_eval_lines(found, per_query),
    )


def trec_eval_lines(found: Evaluation, per_query: bool) -> str:
    """Lines as trec_eval prints them: measure, query or all, value to four digits."""
    lines: list[str] = []
    for run in found.runs:
        lines.append(f"{'runid':<22}\tall\t{run}")
        for query_place, query in enumerate(found.queries if per_query else ()):
            for place, measure in enumerate(found.measures):
                value = float(found.values[run][place][query_place])
                if value == value:
                    lines.append(f"{measure:<22}\t{query}\t{value:.4f}")
        for measure, mean in zip(found.measures, found.means[run].tolist(), strict=True):
            lines.append(f"{measure:<22}\tall\t{mean:.4f}")
    return "\n".join(lines) + "\n"


def runs_compared(
    call: Given,
    *,
    correction: Annotated[str, AtPrompt(choices="evaluation.comparison:CORRECTIONS")] = "holm",
    corrected: bool = False,
    out: Judged = _OUT,
) -> None:
    """Comparisons of runs, those with one reference together.

    Args:
        correction: Correction for the number of runs compared: holm, bonferroni.
        corrected: Mark by the corrected probabilities.
    """
    from understandability.evaluation.comparison import TESTS, RunComparisons

    usual = {"alpha": 0.05, "samples": 10_000, "seed": 0, "tests": tuple(TESTS)}
    given: dict[str, Any] = usual | call.keywords
    RunComparisons(()).marks(given["alpha"], correction=correction)  # refuses bad ones
    found: RunComparisons = out.of(call)
    applied = correction if corrected else None
    marks = found.marks(given["alpha"], test=given["tests"][0], correction=applied)
    if out.shows:
        _print_comparisons(found, marks, correction)
    rows = [row.as_dict() | {"mark": marks.get((row.measure, row.run), "")} for row in found]
    chosen = {name: given[name] for name in ("alpha", "samples", "seed")}
    chosen |= {"correction": applied or "none"}
    conventions = {**found.evaluation["conventions"], **chosen}
    document = {**found.evaluation, "conventions": conventions, "comparisons": rows}
    out.write(document, lambda: rows, found.table)


def _print_comparisons(
    found: RunComparisons, marks: dict[tuple[str, str], str], correction: str
) -> None:
    groups: dict[tuple[str, str, str], list[RunComparison]] = {}
    for row in found:
        groups.setdefault((row.measure, row.against, row.reference), []).append(row)
    columns = ("run", "mean", "difference", "95 % interval", "d", "interval of d", "queries", "t")
    for (measure, against, reference), rows in groups.items():
        one = {(measure, "first", reference), (measure, "best", reference)} <= groups.keys()
        if against == "best" and (one or len(rows) == 1):  # the table above has it
            continue
        mean = found.evaluation["runs"][reference][measure]
        which = f"the {against} run, " + "which is the best, " * one
        which = "" if against == "pairs" else which
        print(f"{measure}: against {which}{reference} ({mean:.4f})")
        tests = [name for test in rows[0].p for name in (f"p ({test})", correction.capitalize())]
        print_table((*columns, *tests), [_cells(row, marks, correction) for row in rows])
        print()
    print("queries: how many a t-test needs to find the effect d with a chance of .8")


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


def correlated(call: Given, *, out: Judged = _OUT) -> None:
    """The matrix of each coefficient, and who moves most."""
    found: Correlations = out.of(call)
    symmetric = call.keywords.get("symmetric", False)
    for remark in found.remarks:
        say(f"understand: {remark}")
    if out.shows:
        for name in found.matrices:
            direction = " (the row is the reference)" if name == "tau_ap" and not symmetric else ""
            print(f"{name}{direction}, {counted(len(found.runs), 'run')}")
            show_table(found.table(name))
            print()
        for other, runs in found.moved.items():
            print(f"what moves most from {found.measures[0]} to {other}")
            print_table(("run", "rank", "to"), [(run, f"{a:g}", f"{b:g}") for run, a, b in runs])
            print()
    document = found.as_dict()
    document["conventions"] = {**document["conventions"], "symmetric": symmetric}
    out.write(document, found.to_dicts, found.table)


def swept(call: Given, *, plot: OtherFile = None, out: Judged = _OUT) -> None:
    """The points of a trade-off, and their figure.

    Args:
        plot: Draw the trade-off as .png, .svg or .pdf (needs the extra plots).
    """
    from understandability.study.plots import check_figure, plot_tradeoff, write_figure

    if plot is not None:
        check_figure(plot)
    found: Tradeoff = out.of(call)
    if out.shows:
        show_table(found.table())
    document = found.as_dict()
    document["conventions"]["scores"] = call.keywords["scores"]
    out.write(document, found.to_dicts, found.table)
    if plot is not None:
        write_figure(plot_tradeoff(found.points), plot)


def drawn(call: Given, *, output: File) -> None:
    """A figure.

    Args:
        output: Write .png, .svg or .pdf.
    """
    from understandability.study.plots import check_figure, write_figure

    check_figure(output)
    write_figure(call(), output)


def made(
    call: Given, *, output: RunFile = "-", strict: StrictRuns = False, quiet: Quiet = False
) -> None:
    """A run made of runs and scores.

    Args:
        quiet: Show no remarks.
    """
    from understandability.evaluation.criteria import is_criterion, mixed_models
    from understandability.inputs.runs import write_run
    from understandability.inputs.writing import check_is_no_input

    given = call.keywords
    sources = given.get("sources") or [given["run"]]
    scores = given.get("scores") or [text for text in sources if is_criterion(text)]
    check_is_no_input(output, [part for text in sources for part in (text, text.partition(":")[0])])
    if not quiet and (mix := mixed_models(scores)):
        say(f"understand: {mix}")
    paths = [text for text in sources if text not in scores]
    runs = dict(zip(paths, read(paths, given.get("order", "rank"), strict, quiet), strict=True))
    listed: list[Any] = [runs.get(text, text) for text in sources]
    write_run(call(sources=listed) if "sources" in given else call(run=listed[0]), output)


def read(paths: Sequence[str], order: str, strict: bool, quiet: bool) -> list[Run]:
    """Read runs; what is unusual in them is told, or refused."""
    from understandability.evaluation.oddities import refuse_odd, run_oddities, told
    from understandability.inputs.runs import read_run

    runs = [read_run(path) for path in paths]
    oddities = {
        path: (*run.oddities, *run_oddities(run, order))
        for path, run in zip(paths, runs, strict=True)
    }
    if strict:
        refuse_odd(oddities)
    for line in () if quiet else told(oddities, "runs"):
        say(f"understand: {line}")
    return runs
