"""`understand rank`: learn to rank, and rank by what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import Quiet, names_of
from understandability.cli.ranking import Order, RunFile, RunOutput, StrictRuns, Tag, read_runs
from understandability.errors import OptionError
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.study.candidates import Candidates
    from understandability.study.learn import Examples, Ranker

_MOST_SHOWN = 10

app = typer.Typer(
    help="Learn to rank by relevance and understandability, and apply what was learned.",
    no_args_is_help=True,
)

IndexIfAny = Annotated[
    str | None,
    typer.Option(
        "--index",
        metavar="FOLDER",
        help="An index of the documents: gives the 24 IR features.",
        show_default=False,
    ),
]
QueriesIfAny = Annotated[
    str | None,
    typer.Option("--queries", metavar="FILE", help="The texts of the queries.", show_default=False),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="TABLE",
        help="Numbers by docno (and query): from `understand features`, `understand score` or "
        "any table; may be repeated.",
        show_default=False,
    ),
]


@app.command("learn")
def learn(
    run: RunFile,
    qrels: Annotated[str, typer.Option(metavar="FILE", help="Relevance labels R.")],
    understandability: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Understandability labels U, from 0 (very easy) to 100 (very hard): a TREC label "
            "file, or a score table with --column.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(help="The column, if the labels are a score table.", show_default=False),
    ] = None,
    index: IndexIfAny = None,
    queries: QueriesIfAny = None,
    features: Features = None,
    labels: Annotated[
        str,
        typer.Option(
            autocompletion=names_of("study.gains", "COMBOS"),
            help="combo1 (R, IR features alone), combo2 (R), combo3 (R * (100 - U) / 100), combo4 "
            "(R if U <= 40 else 0), combo5 (2 * R if U <= 40 else R), or an expression of your "
            "own.",
        ),
    ] = "combo2",
    objective: Annotated[
        str | None,
        typer.Option(
            help="pairwise (as the study, by default for its combos) or lambdamart (by default for "
            "other labels).",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[int, typer.Option(help="How many trees.")] = 100,
    depth: Annotated[int, typer.Option(help="The depth of a tree.")] = 4,
    learning_rate: Annotated[float, typer.Option(help="Weight of each tree.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of the folds and of the trees.")] = 0,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="The new ranker, learned from all queries.",
            show_default=False,
        ),
    ] = None,
    out_of_fold: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write a run in which each query is ranked by what was learned from other "
            "queries.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of queries for --out-of-fold.")] = 5,
    order: Order = "rank",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Learn to rank the documents of a run: boosted trees (XGBoost) over their features.

    Documents without a relevance label count as R = 0, without an understandability label as
    U = 100. Gains that are not whole numbers are linear, whole ones exponential as in
    XGBoost's nDCG. Prints what each feature is worth to the ranker.

    Example: understand rank learn bm25.run --qrels qrels.txt --understandability qunder.txt
    --index crawl-index/ --queries topics.xml --features features.parquet --labels combo3
    --out-of-fold combo3.run -o combo3/
    """
    from understandability.inputs.runs import read_labels, write_run
    from understandability.study.learn import Recipe, examples, save_ranker
    from understandability.study.learn import learn as learn_from
    from understandability.study.learn import out_of_fold as run_out_of_fold

    if output is None and out_of_fold is None:
        raise OptionError("there is nothing to do; give -o FOLDER, --out-of-fold FILE, or both")
    recipe = Recipe(labels, objective, rounds, depth, learning_rate, seed)
    relevance = read_labels(qrels)
    ease = (
        read_labels(understandability, "understandability", column) if understandability else None
    )
    candidates = _candidates(run, index, queries, features, order, strict, quiet)
    learned_from = examples(candidates, recipe, relevance, ease)
    if not quiet:
        _describe(learned_from)
    if out_of_fold is not None:
        write_run(run_out_of_fold(learned_from, recipe, folds), out_of_fold)
    if output is not None:
        ranker = learn_from(learned_from, recipe)
        save_ranker(ranker, output)
        if not quiet:
            _show_importances(ranker)


@app.command("apply")
def apply(
    ranker: Annotated[
        str, typer.Argument(metavar="RANKER", help="The folder of a ranker.", show_default=False)
    ],
    run: RunFile,
    index: IndexIfAny = None,
    queries: QueriesIfAny = None,
    features: Features = None,
    order: Order = "rank",
    tag: Tag = None,
    output: RunOutput = "-",
    strict: StrictRuns = False,
    quiet: Quiet = False,
) -> None:
    """Rank the documents of a run with a ranker, from the same features.

    Example: understand rank apply combo3/ bm25.run --index crawl-index/ --queries topics.xml
    --features features.parquet -o easy.run
    """
    from understandability.inputs.runs import write_run
    from understandability.study.learn import load_ranker

    learned = load_ranker(ranker)
    candidates = _candidates(run, index, queries, features, order, strict, quiet)
    write_run(learned.rank(candidates, tag or "learned"), output)


def _candidates(
    run: str,
    index: str | None,
    queries: str | None,
    features: list[str] | None,
    order: str,
    strict: bool,
    quiet: bool,
) -> Candidates:
    """The documents of the run with all features that are given."""
    from understandability.inputs.tables import read_table
    from understandability.study.candidates import candidates_of
    from understandability.study.index import load_index
    from understandability.study.queries import read_queries

    if (index is None) != (queries is None):
        raise OptionError("--index and --queries belong together; give both")
    if index is None and not features:
        raise OptionError("there are no features; give --index and --queries, --features, or all")
    [read] = read_runs([run], order, strict, quiet)
    candidates = candidates_of(read, order)
    if index is not None and queries is not None:
        candidates = candidates.with_index(load_index(index), read_queries(queries))
    for table in features or ():
        candidates = candidates.with_table(read_table(table), table)
    return candidates


def _show_importances(ranker: Ranker) -> None:
    """The features that the trees gained most by; all stand in the bundle."""
    shown = list(ranker.importances.items())[:_MOST_SHOWN]
    typer.echo("importance (share of what the splits gained):", err=True)
    for name, share in shown:
        typer.echo(f"  {share:6.1%}  {name}", err=True)
    if rest := len(ranker.importances) - len(shown):
        typer.echo(f"  and {rest} more, in bundle.json", err=True)


def _describe(examples: Examples) -> None:
    run = examples.candidates.run
    useful = len(examples.useful)
    typer.echo(
        f"{counted(len(run), 'candidate')}, {counted(len(examples.candidates.names), 'feature')}; "
        f"{useful} of {len(run.queries)} queries have relevant candidates",
        err=True,
    )
