"""`understand evaluate`: runs and labels to measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.evaluating import EvaluationOptions
from understandability.cli.groups import with_groups
from understandability.cli.outputs import show_table, write_result

if TYPE_CHECKING:
    from understandability.evaluation.evaluate import Evaluation


@with_groups
def evaluate(
    options: EvaluationOptions,
    per_query: Annotated[
        bool,
        typer.Option("--per-query", help="Add rows for single queries (JSON always has them)."),
    ] = False,
    wide: Annotated[
        bool,
        typer.Option(
            "--wide/--long",
            help="Give each measure a column, not a row, in csv, tsv, jsonl and parquet.",
        ),
    ] = False,
    test: Annotated[
        str,
        typer.Option(
            help="Test behind the marks † and ⋄ in LaTeX and Markdown: t, wilcoxon, "
            "randomisation, bootstrap."
        ),
    ] = "t",
    correction: Annotated[
        str | None,
        typer.Option(
            help="Correction of that test for several runs: holm or bonferroni.", show_default=False
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write .json, .csv, .tsv, .jsonl, .parquet, .tex (LaTeX), .md (Markdown), or "
            ".eval for trec_eval lines; - is standard output.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Format of the output: json, csv, tsv, jsonl, parquet, latex, markdown or "
            "trec_eval. Default: by suffix.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Evaluate runs by understandability-biased measures, and by the usual ones.

    Prints a table of means; * marks the best of each column. Measures: RBP, nDCG, ERR, their
    understandability-biased forms uRBP, uRBPgr, unDCG, uERR, single dimensions (RBPu, RBPtrust),
    harmonic means (HRBP, H(...)), residual(...), Judged; see docs/reference/measures.md. All others
    are those of ir_measures (extra ir), by its names or trec_eval's: P@10, AP, RR, Bpref, map.

    Example: understand evaluate a.run b.run --qrels qrels.txt --understandability qunder.txt
    --scale lower-easier:40 -m 'RBP(p=0.8)@10' -m 'uRBP(p=0.8)@10' -o out.json

    Example: understand evaluate a.run b.run --qrels qrels.txt -m nDCG@10 -m P@10 --format latex
    """
    result = options.evaluate()
    if output != "-" and form is None:
        typer.echo(_title(result))
        show_table(result.table())
    if output is not None or form is not None:
        marked = len(result.runs) > 1 and len(result.queries) > 1 and not per_query
        write_result(
            output or "-",
            _document(result),
            lambda: result.table(wide=wide, per_query=per_query).to_dicts(),
            lines=lambda: trec_eval_lines(result, per_query),
            table=lambda: (
                result.marked_table(test=test, correction=correction)
                if marked
                else result.table(per_query=per_query)
            ),
            stated=form,
            header="conventions",
        )


def _title(result: Evaluation) -> str:
    chosen = result.conventions
    preset = f"preset {chosen['preset']}, " if chosen["preset"] else ""
    return (
        f"{preset}order by {chosen['order']}, labels keyed on {chosen['keyed_on']}, "
        f"no label: {chosen['no_label']}, mean over {chosen['mean_over']} "
        f"({chosen['queries']} queries)"
    )


def _document(result: Evaluation) -> dict[str, Any]:
    document = result.as_dict()
    document["oddities"] = {
        run: [str(oddity) for oddity in found] for run, found in result.oddities.items() if found
    }
    return document


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
