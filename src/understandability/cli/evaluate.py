"""`understand evaluate`: runs and labels to measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions, takes_evaluation_options
from understandability.cli.outputs import write_result
from understandability.cli.tables import print_table

if TYPE_CHECKING:
    from understandability.evaluation.evaluate import Evaluation


@takes_evaluation_options
def evaluate(
    options: EvaluationOptions,
    per_query: Annotated[
        bool,
        typer.Option("--per-query", help="Rows for single queries too (JSON has them always)."),
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write .json, .csv, .tsv, .jsonl, .parquet, or .eval for trec_eval lines; "
            "- is standard output.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="json, csv, tsv, jsonl, parquet or trec_eval, if not by suffix.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Evaluate runs by any measure, understandability-biased ones above all.

    A table of means, the best of each column marked *. Measures: RBP, nDCG, ERR, their
    understandability-biased forms uRBP, uRBPgr, unDCG, uERR, single dimensions (RBPu, RBPtrust),
    harmonic means (HRBP, H(...)), residual(...), Judged; see the table in the README.

    Example: understand evaluate a.run b.run --qrels qrels.txt --understandability qunder.txt
    --scale lower-easier:40 -m 'RBP(p=0.8)@10' -m 'uRBP(p=0.8)@10' -o out.json
    """
    result = options.evaluate()
    if output != "-" and form is None:
        typer.echo(_title(result))
        print_table(("run", *result.measures), _means(result))
    if output is not None or form is not None:
        write_result(
            output or "-",
            _document(result),
            lambda: _rows(result, per_query),
            lines=lambda: trec_eval_lines(result, per_query),
            stated=form,
        )


def _means(result: Evaluation) -> list[tuple[str, ...]]:
    """Runs by their first measure, best first; the best of each column is marked."""
    columns = zip(result.measures, zip(*result.means.values(), strict=True), strict=True)
    # Of what could not be judged less is better.
    best = [(min if name.startswith("residual") else max)(means) for name, means in columns]
    order = sorted(result.runs, key=lambda run: -result.means[run][0])
    return [
        (
            run,
            *(
                f"{mean:.4f}{'*' if mean == top else ' '}"
                for mean, top in zip(result.means[run], best, strict=True)
            ),
        )
        for run in order
    ]


def _title(result: Evaluation) -> str:
    settings = result.settings
    preset = f"preset {settings['preset']}, " if settings["preset"] else ""
    return (
        f"{preset}order by {settings['order']}, labels keyed on {settings['keyed_on']}, "
        f"no label: {settings['no_label']}, mean over {settings['mean_over']} "
        f"({settings['queries']} queries)"
    )


def _document(result: Evaluation) -> dict[str, Any]:
    document = result.as_dict()
    document["oddities"] = {
        run: [str(oddity) for oddity in found] for run, found in result.oddities.items() if found
    }
    return document


def _rows(result: Evaluation, per_query: bool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for run in result.runs:
        for place, measure in enumerate(result.measures):
            row = {"run": run, "query": "all", "measure": measure}
            rows.append(row | {"value": float(result.means[run][place])})
            if per_query:
                values = zip(result.queries, result.values[run][place].tolist(), strict=True)
                rows += [row | {"query": q, "value": v} for q, v in values if v == v]
    return rows


def trec_eval_lines(result: Evaluation, per_query: bool) -> str:
    """Lines as trec_eval prints them: measure, query or all, value to four digits."""
    lines: list[str] = []
    for run in result.runs:
        lines.append(f"{'runid':<22}\tall\t{run}")
        for query_place, query in enumerate(result.queries if per_query else ()):
            for place, measure in enumerate(result.measures):
                value = float(result.values[run][place][query_place])
                if value == value:
                    lines.append(f"{measure:<22}\t{query}\t{value:.4f}")
        for measure, mean in zip(result.measures, result.means[run].tolist(), strict=True):
            lines.append(f"{measure:<22}\tall\t{mean:.4f}")
    return "\n".join(lines) + "\n"
