"""`understand compare`: do runs differ beyond chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions, takes_evaluation_options
from understandability.cli.outputs import ResultFile, write_result
from understandability.cli.tables import print_table
from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.evaluation.evaluate import Evaluation
    from understandability.evaluation.statistics.significance import RunComparison

_COLUMNS = (
    "run",
    "mean",
    "difference",
    "95 % interval",
    "d",
    "t",
    "p (t)",
    "Holm",
    "p (randomisation)",
    "Holm",
    "p (bootstrap)",
    "Holm",
)


@takes_evaluation_options
def compare(
    options: EvaluationOptions,
    alpha: Annotated[float, typer.Option(help="The level of the marks † and ⋄.")] = 0.05,
    holm: Annotated[
        bool, typer.Option("--holm", help="Mark by the corrected probabilities.")
    ] = False,
    samples: Annotated[
        int, typer.Option(help="Samples of the randomisation test and of the bootstrap.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of both.")] = 0,
    output: ResultFile = None,
) -> None:
    """Compare runs with the first run and with the best one, query by query.

    Two-tailed paired t-test, randomisation test, bootstrap with its interval, effect size
    (Cohen's d of the differences), each probability also with Holm's correction for the runs
    compared. † marks a difference from the first run, ⋄ one from the best, by the t-test.

    Example: understand compare baseline.run mine.run --qrels qrels.txt -m 'RBP(p=0.8)@10'
    """
    from understandability.evaluation.statistics.significance import compare as compare_runs
    from understandability.evaluation.statistics.significance import marks

    if len(options.runs) < 2:
        raise OptionError("a comparison needs two runs or more, the first is the baseline")
    if not 0 < alpha < 1:
        raise OptionError(f"--alpha must lie between 0 and 1, not {alpha}")
    result = options.evaluate()
    comparisons = compare_runs(result, samples=samples, seed=seed)
    marked = marks(comparisons, alpha, corrected=holm)
    if output != "-":
        _print(result, comparisons, marked)
    if output is not None:
        document = result.as_dict(per_query=False)
        document["settings"] |= {"alpha": alpha, "holm": holm, "samples": samples, "seed": seed}
        rows = [
            asdict(row) | {"mark": marked.get((row.measure, row.run), "")} for row in comparisons
        ]
        write_result(output, document | {"comparisons": rows}, lambda: rows)


def _print(
    result: Evaluation, comparisons: Sequence[RunComparison], marked: dict[tuple[str, str], Any]
) -> None:
    for place, measure in enumerate(result.measures):
        for against in ("first", "best"):
            rows = [row for row in comparisons if (row.measure, row.against) == (measure, against)]
            if not rows:
                continue
            reference = rows[0].reference
            mean = result.means[reference][place]
            typer.echo(f"{measure}: against the {against} run, {reference} ({mean:.4f})")
            print_table(_COLUMNS, [_cells(row, marked) for row in rows])
            typer.echo("")


def _cells(row: RunComparison, marked: dict[tuple[str, str], Any]) -> tuple[str, ...]:
    probabilities = (
        row.p_t,
        row.p_t_holm,
        row.p_randomisation,
        row.p_randomisation_holm,
        row.p_bootstrap,
        row.p_bootstrap_holm,
    )
    return (
        row.run,
        f"{row.mean:.4f}{marked.get((row.measure, row.run), ''):<2}",
        f"{row.difference:+.4f}",
        f"{row.low:+.4f} {row.high:+.4f}",
        f"{row.effect_size:+.2f}",
        f"{row.t:+.2f}",
        *(f"{p:.4f}" for p in probabilities),
    )
