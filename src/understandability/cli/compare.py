"""`understand compare`: do runs differ beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions
from understandability.cli.groups import with_groups
from understandability.cli.options import names_of
from understandability.cli.outputs import ResultFile, ResultFormat, show_table, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.evaluation.comparison import RunComparison, RunComparisons
    from understandability.evaluation.evaluate import Evaluation


@with_groups
def compare(
    options: EvaluationOptions,
    test: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=names_of("evaluation.comparison", "TESTS"),
            help="t, wilcoxon, randomisation, bootstrap; may be repeated (all by default). The "
            "first sets the marks.",
            show_default=False,
        ),
    ] = None,
    correction: Annotated[
        str,
        typer.Option(
            autocompletion=names_of("evaluation.comparison", "CORRECTIONS"),
            help="Correction for the number of runs compared: holm, bonferroni.",
        ),
    ] = "holm",
    corrected: Annotated[
        bool, typer.Option("--corrected", help="Mark by the corrected probabilities.")
    ] = False,
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs", help="Compare all pairs of runs, not only with the first and the best."
        ),
    ] = False,
    bounds: Annotated[
        bool,
        typer.Option(
            "--bounds",
            help="Also say how far documents without a label could move each difference (RBP, "
            "uRBP).",
        ),
    ] = False,
    alpha: Annotated[float, typer.Option(help="The level of the marks † and ⋄.")] = 0.05,
    samples: Annotated[
        int, typer.Option(help="Samples of the randomisation test and of the bootstrap.")
    ] = 10_000,
    seed: Annotated[
        int, typer.Option(help="Seed of the randomisation test and of the bootstrap.")
    ] = 0,
    output: ResultFile = None,
    form: ResultFormat = None,
) -> None:
    """Compare runs with the first run and with the best one, query by query, or all pairs.

    Two-tailed paired t-test, Wilcoxon's signed ranks, randomisation test, bootstrap with its
    interval; effect size (Cohen's d of the differences) with its interval, and how many queries a
    t-test needs to find it with a chance of .8; each probability also with the corrections of Holm
    and Bonferroni for the runs compared. † marks a difference from the first run, ⋄ a difference
    from the best.

    Example: understand compare baseline.run mine.run --qrels qrels.txt -m 'RBP(p=0.8)@10'
    """
    from understandability.evaluation.comparison import CORRECTIONS, TESTS

    if len(options.runs) < 2:
        raise OptionError("a comparison needs at least two runs; the first is the baseline")
    if not 0 < alpha < 1:
        raise OptionError(f"--alpha must lie between 0 and 1, not {alpha}")
    if correction not in CORRECTIONS:
        raise OptionError(
            f"there is no correction {correction!r}; choose one of {', '.join(CORRECTIONS)}"
        )
    tests = test or list(TESTS)
    result = options.evaluate()
    found = result.compare(tests=tests, pairs=pairs, samples=samples, seed=seed, alpha=alpha)
    bounded = None
    if bounds:
        from understandability.evaluation.bounds import bounds as bounds_of

        arguments = options.arguments()
        del arguments["strict"]
        bounded = bounds_of(options.runs, **arguments).table()
    marked = found.marks(alpha, test=tests[0], correction=correction if corrected else None)
    if output != "-" and form is None:
        _print(result, found, marked, correction)
        if bounded is not None:
            typer.echo("")
            show_table(bounded, texts=3)
            typer.echo(bounded.note)
    if output is not None or form is not None:
        document = result.as_dict(per_query=False)
        document["conventions"] |= {
            "alpha": alpha,
            "correction": correction if corrected else "none",
            "samples": samples,
            "seed": seed,
        }
        rows = [row.as_dict() | {"mark": marked.get((row.measure, row.run), "")} for row in found]
        if bounded is not None:
            document["bounds"] = bounded.to_dicts()
        write_result(
            output or "-",
            document | {"comparisons": rows},
            lambda: rows,
            table=found.table,
            stated=form,
            header="conventions",
        )


def _print(
    result: Evaluation,
    found: RunComparisons,
    marked: dict[tuple[str, str], Any],
    correction: str,
) -> None:
    groups: dict[tuple[str, str, str], list[RunComparison]] = {}
    for row in found:
        groups.setdefault((row.measure, row.against, row.reference), []).append(row)
    columns = ("run", "mean", "difference", "95 % interval", "d", "95 % interval", "queries", "t")
    for (measure, against, reference), rows in groups.items():
        mean = result.means[reference][result.measures.index(measure)]
        which = "" if against == "pairs" else f"the {against} run, "
        typer.echo(f"{measure}: against {which}{reference} ({mean:.4f})")
        tests = [name for test in rows[0].p for name in (f"p ({test})", correction.capitalize())]
        print_table((*columns, *tests), [_cells(row, marked, correction) for row in rows])
        typer.echo("")
    typer.echo("queries: how many a t-test needs to find the effect d with a chance of .8")


def _cells(
    row: RunComparison, marked: dict[tuple[str, str], Any], correction: str
) -> tuple[str, ...]:
    probabilities = (
        p for test, raw in row.p.items() for p in (raw, row.corrected[correction][test])
    )
    return (
        row.run,
        f"{row.mean:.4f}{marked.get((row.measure, row.run), ''):<2}",
        f"{row.difference:+.4f}",
        f"{row.low:+.4f} {row.high:+.4f}",
        f"{row.effect_size:+.2f}",
        f"{row.effect_low:+.2f} {row.effect_high:+.2f}",
        "-" if row.queries_needed is None else str(row.queries_needed),
        f"{row.t:+.2f}",
        *(f"{p:.4f}" for p in probabilities),
    )
