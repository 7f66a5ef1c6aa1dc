"""Learning to rank: candidates with features, and boosted trees over them (XGBoost)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from cyclopts import Parameter
from numpy.typing import NDArray

from understandability._version import __version__
from understandability.arrays import Floats
from understandability.errors import InputError, OptionError, check_choice, needing
from understandability.evaluation.rerank import chosen
from understandability.inputs.run import Labels, Run, strictly_falling
from understandability.inputs.runs import labels_from_table, number_columns, read_labels, write_run
from understandability.inputs.runs_and_labels import run_of
from understandability.inputs.tables import read_table
from understandability.model.bundle_files import read_bundle, write_bundle
from understandability.model.predictors import Forest, array_bytes, arrays_of
from understandability.study.gains import COMBOS, IR_ONLY, parse_gain
from understandability.study.index import Index, load_index
from understandability.study.queries import read_queries
from understandability.study.retrieval import IR_FEATURES, ir_features
from understandability.training.portable import forest_of
from understandability.training.validation import folds_of

Ints = NDArray[np.int64]

# Objectives by their common names: pairs in the wrong order (Burges et al. 2005), and such pairs
# weighted by the change of nDCG if they are swapped (LambdaMART, Burges 2010).
OBJECTIVES: Mapping[str, str] = {"pairwise": "rank:pairwise", "lambdamart": "rank:ndcg"}
# Documents without an understandability label count as very hard, because nothing says that they
# are easy.
NOT_KNOWN_EASY = 100.0
RANKER = "ranker"
_TREES = "ranker.npz"
_ROW = "row number"
_HIGHEST_EXPONENT = 31  # of the gains 2^label - 1 in XGBoost


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The ranked documents of a run, with features for learning to rank.

    `values` has one row per line of the run and one column per name; NaN for missing features.
    """

    run: Run
    names: tuple[str, ...]
    values: Floats

    def with_index(self, index: Index, queries: Mapping[str, str]) -> Candidates:
        """Return candidates with additional features computed from an index, the `IR_FEATURES`."""
        return self._with(IR_FEATURES, ir_features(index, queries, self.run), "the index")

    def with_table(self, table: pa.Table, name: str) -> Candidates:
        """Return candidates with the numeric columns of a table as additional features.

        The table has a column ``docno`` and perhaps ``query``. Raises `InputError` if it contains
        none of the documents, or a column with the name of an existing feature.
        """
        numeric = number_columns(table, "docno", "query")
        if not numeric:
            raise InputError(f"{name} has no column of numbers to learn from")
        keys = table.select([key for key in ("docno", "query") if key in table.column_names])
        numbers = pa.array(np.arange(table.num_rows, dtype=np.float64))
        rows = labels_from_table(keys.append_column(_ROW, numbers), name, _ROW).of_lines(self.run)
        in_table = ~np.isnan(rows)
        if not in_table.any():
            raise InputError(
                f"{name} and the run {self.run.name} have no document in common; compute the "
                "features of the documents of the run"
            )
        values = np.full((len(rows), len(numeric)), np.nan)
        for index, column in enumerate(numeric):
            cells = table[column].cast(pa.float64()).to_numpy(zero_copy_only=False)
            values[in_table, index] = cells[rows[in_table].astype(np.int64)]
        return self._with(numeric, values, name)

    def select(self, names: Sequence[str]) -> Candidates:
        """Return candidates with the named features only, in this order.

        Raises `InputError`, which names the missing features.
        """
        if missing := [name for name in names if name not in self.names]:
            first = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise InputError(
                f"the model was learned from {len(names)} features, and {len(missing)} of them are "
                f"not given ({first}); give the index, the queries and the tables of features that "
                "it was learned with"
            )
        columns = [self.names.index(name) for name in names]
        return Candidates(self.run, tuple(names), self.values[:, columns])

    def _with(self, names: Sequence[str], values: Floats, source: str) -> Candidates:
        if twice := [name for name in names if name in self.names]:
            raise InputError(f"{source} has a feature {twice[0]!r} that already exists")
        return Candidates(self.run, (*self.names, *names), np.hstack([self.values, values]))


def candidates_of(run: Run, order: str = "rank") -> Candidates:
    """Return the candidates of a run, without features, in the order of its ranks or scores.

    >>> run = Run.of("bm25", {"q1": [("flu", 7.5), ("cold", 3.0)]})
    >>> candidates_of(run).values.shape
    (2, 0)
    """
    once = chosen(run, run.line_order(order))
    return Candidates(once, (), np.empty((len(once), 0)))


@dataclass(frozen=True, slots=True)
class FeatureSources:
    """Where the features of a run's documents come from.

    Args:
        index: An index of the documents, for the 24 IR features.
        queries: The texts of the queries.
        features: Numbers by docno (and query): from `understand features`, `understand score` or
            any table; may be repeated.
        order: Order the run by its rank column, or by score as in trec_eval.
    """

    index: Annotated[str | None, Parameter(metavar="FOLDER")] = None
    queries: Annotated[str | None, Parameter(metavar="FILE")] = None
    features: Annotated[Sequence[str], Parameter(metavar="TABLE")] = ()
    order: str = "rank"

    def candidates(self, run: Run) -> Candidates:
        """Return the documents of a run with the features from all sources."""
        if (self.index is None) != (self.queries is None):
            raise OptionError("--index and --queries belong together; give both")
        if self.index is None and not self.features:
            raise OptionError(
                "there are no features; give --index and --queries, --features, or all"
            )
        candidates = candidates_of(run, self.order)
        if self.index is not None and self.queries is not None:
            candidates = candidates.with_index(load_index(self.index), read_queries(self.queries))
        for table in self.features:
            candidates = candidates.with_table(read_table(table), table)
        return candidates


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings for learning a ranker.

    Args:
        labels: combo1 (R, IR features alone), combo2 (R), combo3 (R * (100 - U) / 100), combo4
            (R if U <= 40 else 0), combo5 (2 * R if U <= 40 else R), or an expression of your own.
        objective: pairwise (as the study, by default for its combos) or lambdamart (by default for
            other labels).
        rounds: The number of trees.
        depth: The depth of a tree.
        learning_rate: Weight of each tree.
        seed: Seed of the folds and of the trees.

    >>> Recipe(labels="R * (100 - U)", rounds=30).learned_by
    'lambdamart'
    """

    labels: Annotated[str, Parameter(choices=COMBOS)] = "combo2"
    objective: Annotated[str | None, Parameter(choices=OBJECTIVES)] = None
    rounds: int = 100
    depth: int = 4
    learning_rate: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        parse_gain(self.labels)
        check_choice("objective", self.learned_by, OBJECTIVES)
        if self.rounds < 1 or self.depth < 1 or not 0 < self.learning_rate <= 1:
            raise OptionError(
                "rounds and depth must be 1 or more, and the learning rate between 0 and 1"
            )

    @property
    def learned_by(self) -> str:
        """The objective that is used: the chosen one, or the default for the labels."""
        return self.objective or ("pairwise" if self.labels in COMBOS else "lambdamart")


@dataclass(frozen=True, slots=True)
class Ranker:
    """A learned ranking function of named features; `card` records how it was learned."""

    features: tuple[str, ...]
    trees: Forest
    card: Mapping[str, Any]

    @property
    def importances(self) -> dict[str, float]:
        """The share of each feature in the total gain of the trees' splits, in descending order."""
        shares = self.card.get("importances", {})
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    def scores(self, candidates: Candidates) -> Floats:
        """Score each candidate, independently of the others; higher is better."""
        return self.trees(candidates.select(self.features).values)[:, 0]

    def rank(self, candidates: Candidates, name: str = "learned") -> Run:
        """Rank the candidates of each query, best first; ties keep the order of the run."""
        return ranked(candidates.run, self.scores(candidates), name)


def ranked(run: Run, scores: Floats, name: str) -> Run:
    """Return a run with its lines ranked by new scores within each query."""
    best = np.lexsort((-scores, run.query_ids))
    reranked = chosen(run, best)
    return replace(reranked, name=name, scores=strictly_falling(reranked.query_ids, scores[best]))


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Candidates for learning, with the gain of each."""

    candidates: Candidates
    gains: Floats

    @property
    def useful(self) -> Ints:
        """The ids of the queries whose candidates have different gains; only these can be learned
        from.
        """
        judged = ~np.isnan(self.gains)
        queries, gains = self.candidates.run.query_ids[judged], self.gains[judged]
        different = np.unique(np.column_stack([queries, gains]), axis=0)[:, 0].astype(np.int64)
        return np.flatnonzero(np.bincount(different) > 1)


def examples(
    candidates: Candidates, recipe: Recipe, qrels: Labels, understandability: Labels | None = None
) -> Examples:
    """Compute the gain of each candidate from its labels, by the expression of the recipe.

    A document without a relevance label has R = 0, as in evaluation. A document without an
    understandability label has U = 100. Candidates of queries without qrels have the gain NaN: they
    can be ranked, but not learned from.
    """
    gain = parse_gain(recipe.labels)
    if gain.uses_understandability and understandability is None:
        raise OptionError(
            f"the labels {recipe.labels!r} need understandability; give --understandability"
        )
    run = candidates.run
    relevance = np.nan_to_num(np.maximum(qrels.of_lines(run), 0))
    difficulty = np.full(len(run), NOT_KNOWN_EASY)
    if understandability is not None:
        labels = understandability.of_lines(run)
        difficulty = np.where(np.isnan(labels), NOT_KNOWN_EASY, labels)
        if gain.uses_understandability and ((difficulty < 0) | (difficulty > 100)).any():
            raise InputError(
                f"{understandability.name} has labels outside 0 (very easy) to 100 (very hard), "
                f"which U of {recipe.labels!r} means; rescale them"
            )
    judged = set(qrels.queries)
    is_judged = np.array([query in judged for query in run.queries])[run.query_ids]
    if not is_judged.any():
        raise InputError(
            f"the run {run.name} (query {run.queries[0]}, ...) and {qrels.name} (query "
            f"{qrels.queries[0]}, ...) have no query in common; give the qrels of this run"
        )
    if recipe.labels == IR_ONLY:
        names = [name for name in IR_FEATURES if name in candidates.names]
        if not names:
            raise OptionError(f"{recipe.labels} learns from the IR features; give the index")
        candidates = candidates.select(names)
    if not candidates.names:
        raise OptionError("there are no features to learn from; give an index, or a table")
    return Examples(candidates, np.where(is_judged, gain(relevance, difficulty), np.nan))


def learn(examples: Examples, recipe: Recipe, queries: Ints | None = None) -> Ranker:
    """Learn a ranker from some queries, by id; by default from all useful ones.

    Equal inputs produce equal rankers.
    """
    with needing("learning to rank needs XGBoost", ".[train]"):
        from xgboost import DMatrix, train

    queries = examples.useful if queries is None else queries
    if not len(queries):
        raise InputError(
            "there is nothing to learn: no query has a relevant document among its candidates; "
            "give a deeper run, or other labels"
        )
    names, run = examples.candidates.names, examples.candidates.run
    lines = np.flatnonzero(np.isin(run.query_ids, queries))
    gains = examples.gains[lines]
    whole = bool((gains == np.round(gains)).all() and gains.max() <= _HIGHEST_EXPONENT)
    data = DMatrix(examples.candidates.values[lines], label=gains, qid=run.query_ids[lines])
    parameters = {
        "objective": OBJECTIVES[recipe.learned_by],
        # Gains 2^label - 1 are for grades; other numbers are gains as they are.
        "ndcg_exp_gain": whole,
        "max_depth": recipe.depth,
        "learning_rate": recipe.learning_rate,
        "seed": recipe.seed,
        "nthread": 1,
    }
    booster = train(parameters, data, recipe.rounds)
    gained = np.zeros(len(names))
    for feature, gain in booster.get_score(importance_type="total_gain").items():
        gained[int(feature.removeprefix("f"))] = gain
    shares = gained / max(float(gained.sum()), 1e-300)
    trees = forest_of([booster])
    card = {
        "importances": {names[i]: float(shares[i]) for i in np.argsort(-shares, kind="stable")},
        "recipe": asdict(replace(recipe, objective=recipe.learned_by)),
        "gain": parse_gain(recipe.labels).expression,
        "exponential_gains": whole,
        "run": run.name,
        "queries": len(queries),
        "candidates": len(lines),
    }
    return Ranker(names, trees, card)


def held_out_run(examples: Examples, recipe: Recipe, count: int = 5, name: str = "learned") -> Run:
    """Rank every query with a ranker that was learned from the queries of the other folds.

    Raises `InputError` if no query to learn from has a relevant document.
    """
    run = examples.candidates.run
    queries = len(run.queries)
    if not 2 <= count <= queries:
        raise OptionError(f"{queries} queries make 2 to {queries} folds, not {count}")
    fold = folds_of(np.arange(queries), count, recipe.seed)
    useful = examples.useful
    scores = np.empty(len(run))
    for number in range(count):
        learned_from = useful[fold[useful] != number]
        if not len(learned_from):
            raise InputError(
                f"fold {number + 1} of {count} has no query to learn from: none of the other folds "
                "has a relevant document among its candidates; use fewer folds or a deeper run"
            )
        held_out = fold[run.query_ids] == number
        ranker = learn(examples, recipe, learned_from)
        scores[held_out] = ranker.scores(examples.candidates)[held_out]
    return ranked(run, scores, name)


out_of_fold = held_out_run  # its name until version 0.3


def save_ranker(ranker: Ranker, folder: str | Path) -> None:
    """Write a ranker as a bundle; equal rankers are written as equal bytes."""
    description = {
        "kind": RANKER,
        "name": Path(folder).name,
        "toolkit": __version__,
        **ranker.card,
        "features": list(ranker.features),
    }
    write_bundle(folder, description, {_TREES: array_bytes(ranker.trees.to_arrays())})


def load_ranker(folder: str | Path) -> Ranker:
    """Read a ranker; raise `InputError` if it is not one, or is damaged, unsafe or newer."""
    files = read_bundle(folder)
    card = dict(files.description)
    if card.pop("kind", None) != RANKER:
        raise InputError(
            f"{files.where} is an estimator, not a ranker; learn one with `understand rank learn`"
        )
    features = card.pop("features", None)
    for name in ("files", "format", "toolkit", "name"):
        card.pop(name, None)
    try:
        trees = Forest.from_arrays(arrays_of(files.weights, _TREES))
        if not isinstance(features, list) or not all(isinstance(name, str) for name in features):
            raise InputError("its features are not a list of names")
        if len(features) != trees.inputs:
            raise InputError(f"it names {len(features)} features for trees over {trees.inputs}")
    except InputError as error:
        raise InputError(f"{files.where} is refused: {error}") from error
    return Ranker(tuple(features), trees, card)


RunFile = str | Run


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of `learn_ranker`; results that were not requested are None."""

    examples: Examples
    ranker: Ranker | None
    held_out: Run | None


def learn_ranker(
    run: RunFile,
    *,
    qrels: Annotated[str, Parameter("--qrels", metavar="FILE")],
    understandability: Annotated[str | None, Parameter(metavar="FILE")] = None,
    column: str | None = None,
    sources: FeatureSources | None = None,
    recipe: Recipe | None = None,
    output: Annotated[str | None, Parameter(("--output", "-o"), metavar="FOLDER")] = None,
    out_of_fold: Annotated[str | None, Parameter(metavar="FILE")] = None,
    folds: int = 5,
) -> Learned:
    """Learn to rank the documents of a run: boosted trees (XGBoost) over their features.

    Documents without a relevance label count as R = 0, without an understandability label as
    U = 100. Gains that are not whole numbers are linear, whole ones exponential as in
    XGBoost's nDCG. Prints the importance of each feature.

    Example: understand rank learn bm25.run --qrels qrels.txt --understandability qunder.txt
    --index crawl-index/ --queries topics.xml --features features.parquet --labels combo3
    --out-of-fold combo3.run -o combo3/

    Args:
        run: A TREC run (query Q0 document rank score tag), plain, .gz or .zst.
        qrels: Relevance labels R.
        understandability: Understandability labels U, from 0 (very easy) to 100 (very hard): a TREC
            label file, or a score table with a column.
        column: The column, if the labels are a score table.
        sources: The sources of the features.
        recipe: The settings for learning.
        output: The new ranker, learned from all queries.
        out_of_fold: Write a run in which each query is ranked by a ranker that was learned from
            other queries.
        folds: Folds of queries for the run out of fold.
    """
    if output is None and out_of_fold is None:
        raise OptionError("there is nothing to do; give -o FOLDER, --out-of-fold FILE, or both")
    recipe = recipe or Recipe()
    relevance = read_labels(qrels)
    ease = (
        read_labels(understandability, "understandability", column) if understandability else None
    )
    candidates = (sources or FeatureSources()).candidates(run_of(run))
    labelled = examples(candidates, recipe, relevance, ease)
    held_out = ranker = None
    if out_of_fold is not None:
        held_out = held_out_run(labelled, recipe, folds)
        write_run(held_out, out_of_fold)
    if output is not None:
        ranker = learn(labelled, recipe)
        save_ranker(ranker, output)
    return Learned(labelled, ranker, held_out)


def apply_ranker(
    ranker: str,
    run: RunFile,
    *,
    sources: FeatureSources | None = None,
    tag: Annotated[str | None, Parameter(metavar="NAME")] = None,
) -> Run:
    """Rank the documents of a run with a ranker, from the same features.

    Example: understand rank apply combo3/ bm25.run --index crawl-index/ --queries topics.xml
    --features features.parquet -o easy.run

    Args:
        ranker: The folder of a ranker.
        run: A TREC run (query Q0 document rank score tag), plain, .gz or .zst.
        sources: The sources of the features.
        tag: The name of the new run.
    """
    learned = load_ranker(ranker)
    candidates = (sources or FeatureSources()).candidates(run_of(run))
    return learned.rank(candidates, tag or "learned")
