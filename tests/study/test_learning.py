"""Learning to rank: what it learns from, that it learns it, and what it refuses."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from understandability.errors import InputError, OptionError
from understandability.inputs.run import Labels, Run, ranks_of
from understandability.model.bundle import load_bundle
from understandability.model.bundle_files import read_bundle, write_bundle
from understandability.model.predictors import array_bytes, arrays_of
from understandability.study.gains import COMBOS
from understandability.study.index import build_index
from understandability.study.learn import (
    OBJECTIVES,
    Candidates,
    Recipe,
    candidates_of,
    examples,
    learn,
    load_ranker,
    out_of_fold,
    ranked,
    save_ranker,
)
from understandability.study.retrieval import IR_FEATURES
from understandability.text.page import TEXT, Page

QUERIES, DEPTH = 20, 30


@pytest.fixture(scope="module")
def made() -> tuple[Candidates, Labels, Labels]:
    """Candidates whose features tell, with noise, how relevant and how difficult they are."""
    rng = np.random.default_rng(0)
    queries = [f"q{number}" for number in range(QUERIES)]
    run = Run.of("made", {q: [(f"{q}.{n}", -n) for n in range(DEPTH)] for q in queries})
    relevance = rng.normal(size=len(run))
    difficulty = rng.uniform(0, 100, len(run))
    relevant: dict[str, dict[str, float]] = {query: {} for query in queries}
    difficult: dict[str, dict[str, float]] = {query: {} for query in queries}
    for line in range(len(run)):
        query, docno = queries[line // DEPTH], f"{queries[line // DEPTH]}.{line % DEPTH}"
        relevant[query][docno] = float(np.clip(np.round(relevance[line]), 0, 2))
        difficult[query][docno] = float(difficulty[line])
    values = np.column_stack(
        [relevance + rng.normal(size=len(run)) / 3, difficulty + rng.normal(size=len(run)) * 5]
    )
    candidates = Candidates(candidates_of(run).run, ("page_bm25_terrier", "smog"), values)
    return candidates, Labels.of("qrels", relevant), Labels.of("qunder", difficult)


@pytest.fixture
def bundle(made, tmp_path: Path) -> Path:
    """The folder of a ranker."""
    candidates, qrels, _ = made
    recipe = Recipe("combo2", rounds=2)
    save_ranker(learn(examples(candidates, recipe, qrels), recipe), tmp_path / "ranker")
    return tmp_path / "ranker"


def top(run: Run, labels: Labels) -> float:
    """The mean label of the first 10."""
    return float(labels.of_lines(run)[ranks_of(run.query_ids) <= 10].mean())


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_what_is_learned_moves_as_the_labels_say(made, objective: str) -> None:
    """Relevance alone is highest for Combos 1 and 2; Combos 3 to 5 bring easier documents."""
    candidates, qrels, qunder = made
    relevance, difficulty = {}, {}
    for name in COMBOS:
        recipe = Recipe(name, objective, rounds=30)
        run = out_of_fold(examples(candidates, recipe, qrels, qunder), recipe)
        relevance[name], difficulty[name] = top(run, qrels), top(run, qunder)
    as_it_is = top(candidates.run, qrels)
    assert relevance["combo1"] > as_it_is + 0.3
    assert relevance["combo2"] > as_it_is + 0.3
    assert max(relevance, key=relevance.__getitem__) in ("combo1", "combo2")
    for name in ("combo3", "combo4", "combo5"):
        assert difficulty[name] < difficulty["combo2"] - 2
    assert difficulty["combo4"] < difficulty["combo5"]


def test_combo1_learns_from_ir_features_alone(made) -> None:
    """Other features are there, and left out."""
    candidates, qrels, _ = made
    recipe = Recipe("combo1", rounds=5)
    assert learn(examples(candidates, recipe, qrels), recipe).features == ("page_bm25_terrier",)
    only_smog = candidates.select(["smog"])
    with pytest.raises(OptionError, match="combo1 learns from the IR features; give the index"):
        examples(only_smog, recipe, qrels)


def test_learning_twice_gives_the_same_ranker(made, tmp_path: Path) -> None:
    candidates, qrels, qunder = made
    recipe = Recipe("combo3", rounds=10)
    learned_from = examples(candidates, recipe, qrels, qunder)
    for name in ("one", "two"):
        save_ranker(learn(learned_from, recipe), tmp_path / name)
    one, two = ((tmp_path / name / "ranker.npz").read_bytes() for name in ("one", "two"))
    assert one == two
    assert (
        out_of_fold(learned_from, recipe).by_query() == out_of_fold(learned_from, recipe).by_query()
    )


def test_a_loaded_ranker_ranks_as_the_one_that_was_saved(made, tmp_path: Path) -> None:
    """Through the bundle, and whatever else is ranked beside."""
    candidates, qrels, qunder = made
    recipe = Recipe("combo5", "pairwise", rounds=10)
    ranker = learn(examples(candidates, recipe, qrels, qunder), recipe)
    save_ranker(ranker, tmp_path / "ranker")
    loaded = load_ranker(tmp_path / "ranker")
    assert loaded.features == ranker.features
    assert loaded.rank(candidates).by_query() == ranker.rank(candidates).by_query()
    alone = Candidates(
        Run.of("one", {"q0": [("q0.0", 0.0)]}), candidates.names, candidates.values[:1]
    )
    assert loaded.scores(alone)[0] == loaded.scores(candidates)[0]
    card = json.loads((tmp_path / "ranker" / "bundle.json").read_text())
    assert card["kind"] == "ranker"
    assert card["gain"] == "2 * R if U <= 40 else R"
    assert card["recipe"]["objective"] == "pairwise"
    assert card["features"] == ["page_bm25_terrier", "smog"]


def test_features_are_found_by_name(made) -> None:
    """The order and further features do not matter; missing ones are named."""
    candidates, qrels, qunder = made
    recipe = Recipe("combo2", rounds=5)
    ranker = learn(examples(candidates, recipe, qrels, qunder), recipe)
    more = Candidates(
        candidates.run,
        ("lix", "smog", "page_bm25_terrier"),
        np.column_stack([np.zeros(len(candidates.values)), candidates.values[:, ::-1]]),
    )
    assert (ranker.scores(more) == ranker.scores(candidates)).all()
    with pytest.raises(InputError, match=r"learned from 2 features, and 1 of them .* \(smog\)"):
        ranker.scores(candidates.select(["page_bm25_terrier"]))


def test_what_has_no_label_counts_as_the_worst(made) -> None:
    """No relevance label: R = 0; no understandability label: U = 100; an unjudged query: NaN."""
    candidates, qrels, _ = made
    qrels = Labels.of("qrels", {"q0": {"q0.0": 2, "q0.1": 1}})
    qunder = Labels.of("qunder", {"q0": {"q0.0": 25}})
    gains = examples(candidates, Recipe("combo3"), qrels, qunder).gains
    assert gains[:3].tolist() == [1.5, 0.0, 0.0]
    assert np.isnan(gains[DEPTH:]).all()


def test_queries_without_qrels_are_ranked_not_learned_from(made) -> None:
    """They are in the out-of-fold run all the same."""
    candidates, qrels, _ = made
    some = dict(list(qrels.by_query().items())[1::2])
    recipe = Recipe("combo2", rounds=5)
    learned_from = examples(candidates, recipe, Labels.of("half", some))
    assert len(learned_from.useful) == QUERIES // 2
    run = out_of_fold(learned_from, recipe)
    assert len(run) == len(candidates.run)
    assert run.queries == candidates.run.queries


def test_gains_that_are_no_whole_numbers_are_linear(made) -> None:
    """Combo 3 is no grade; XGBoost takes it as it is, and the card says so."""
    candidates, qrels, qunder = made
    for labels, exponential in (("combo3", False), ("combo5", True), ("R * 40", False)):
        recipe = Recipe(labels, rounds=2)
        ranker = learn(examples(candidates, recipe, qrels, qunder), recipe)
        assert ranker.card["exponential_gains"] is exponential


def test_no_query_is_ranked_by_what_it_taught() -> None:
    """A feature that names the query's own relevant document teaches other queries nothing."""
    queries = [f"q{number}" for number in range(6)]
    run = Run.of("r", {q: [(f"{q}.a", 2.0), (f"{q}.b", 1.0)] for q in queries})
    # Each query has a feature of its own that is 1 for the document b, which is relevant.
    values = np.zeros((len(run), len(queries)))
    for number in range(len(queries)):
        values[2 * number + 1, number] = 1
    candidates = Candidates(run, tuple(f"f{number}" for number in range(6)), values)
    qrels = Labels.of("qrels", {q: {f"{q}.b": 1} for q in queries})
    recipe = Recipe("R", rounds=20)
    learned_from = examples(candidates, recipe, qrels)
    by_fold = out_of_fold(learned_from, recipe, count=6)
    assert all(documents[0][0].endswith(".a") for documents in by_fold.by_query().values())


def test_equal_scores_keep_the_order_of_the_run() -> None:
    """What the ranker does not tell apart stays as retrieved."""
    run = Run.of("r", {"q": [("a", 3.0), ("b", 2.0), ("c", 1.0)]})
    new = ranked(run, np.array([0.5, 1.0, 0.5]), "new")
    assert [docno for docno, _ in new.by_query()["q"]] == ["b", "a", "c"]
    assert new.by_query("score") == new.by_query("rank")


def test_nothing_relevant_is_refused(made) -> None:
    """Without a relevant candidate there is nothing to learn, in all or in a fold."""
    candidates, _, _ = made
    recipe = Recipe("combo2", rounds=2)
    none = examples(candidates, recipe, Labels.of("qrels", {"q0": {"q0.0": 0}}))
    with pytest.raises(InputError, match="there is nothing to learn: no query has a relevant"):
        learn(none, recipe)
    one = examples(candidates, recipe, Labels.of("qrels", {"q0": {"q0.0": 1}}))
    with pytest.raises(InputError, match=r"fold \d of 5 has no query to learn from"):
        out_of_fold(one, recipe)


def test_labels_of_other_queries_are_refused(made) -> None:
    candidates, _, _ = made
    with pytest.raises(InputError, match=r"run made \(query q0, ...\) and other \(query x, ...\)"):
        examples(candidates, Recipe(), Labels.of("other", {"x": {"d": 1}}))


def test_labels_that_need_understandability_say_so(made) -> None:
    candidates, qrels, _ = made
    with pytest.raises(OptionError, match="'combo3' need understandability"):
        examples(candidates, Recipe("combo3"), qrels)
    wrong = Labels.of_documents("eur", {"q0.0": 250})
    with pytest.raises(InputError, match="eur has labels outside 0"):
        examples(candidates, Recipe("combo3"), qrels, wrong)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"labels": "R ** 2"}, "is not allowed in an expression of labels"),
        ({"objective": "listwise"}, "choose one of pairwise, lambdamart"),
        ({"rounds": 0}, "must be 1 or more"),
        ({"depth": 0}, "must be 1 or more"),
        ({"learning_rate": 1.5}, "between 0 and 1"),
    ],
)
def test_an_impossible_recipe_is_refused(recipe: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Recipe(**recipe)  # type: ignore[arg-type]


def test_impossible_folds_are_refused(made) -> None:
    candidates, qrels, _ = made
    learned_from = examples(candidates, Recipe(), qrels)
    for count in (1, 21):
        with pytest.raises(OptionError, match=f"20 queries make 2 to 20 folds, not {count}"):
            out_of_fold(learned_from, Recipe(), count)


def test_tables_give_features_by_document_or_by_query() -> None:
    """Every column of numbers; what a table lacks is NaN; text is passed over."""
    run = Run.of("r", {"q1": [("a", 2.0), ("b", 1.0)], "q2": [("a", 1.0)]})
    of_documents = pa.table({"docno": ["a", "zz"], "words": [10, 20], "flags": ["", ""]})
    of_pairs = pa.table({"query": ["q2"], "docno": ["a"], "clicks": [0.5]})
    candidates = candidates_of(run).with_table(of_documents, "t").with_table(of_pairs, "p")
    assert candidates.names == ("words", "clicks")
    assert np.array_equal(
        candidates.values, [[10, np.nan], [np.nan, np.nan], [10, 0.5]], equal_nan=True
    )


def test_tables_that_do_not_fit_are_refused() -> None:
    """No document in common, no number, a feature that already exists."""
    candidates = candidates_of(Run.of("r", {"q": [("a", 1.0)]}))
    with pytest.raises(InputError, match="t and the run r have no document in common"):
        candidates.with_table(pa.table({"docno": ["z"], "words": [1]}), "t")
    with pytest.raises(InputError, match="t has no column of numbers"):
        candidates.with_table(pa.table({"docno": ["a"], "flags": ["x"]}), "t")
    with_words = candidates.with_table(pa.table({"docno": ["a"], "words": [1]}), "t")
    with pytest.raises(InputError, match="u has a feature 'words' that already exists"):
        with_words.with_table(pa.table({"docno": ["a"], "words": [2]}), "u")


def test_an_index_gives_the_ir_features() -> None:
    index, _ = build_index([Page("a", "", "flu", TEXT), Page("b", "", "cold", TEXT)])
    run = Run.of("r", {"q": [("b", 2.0), ("a", 1.0)]})
    candidates = candidates_of(run).with_index(index, {"q": "flu"})
    assert candidates.names == IR_FEATURES
    assert candidates.values[0, IR_FEATURES.index("page_tf_idf")] == 0
    assert candidates.values[1, IR_FEATURES.index("page_tf_idf")] > 0


def test_rankers_and_estimators_are_told_apart(bundle: Path) -> None:
    """The bundles of `understand train` and those of `understand rank learn`, either way."""
    with pytest.raises(InputError, match="bundle llr is an estimator, not a ranker"):
        load_ranker("llr")
    with pytest.raises(InputError, match="is refused"):
        load_bundle(bundle)


def test_crafted_trees_are_refused(bundle: Path) -> None:
    """A feature out of range is told, whatever the checksum says."""
    files = read_bundle(bundle)
    arrays = arrays_of(files.weights, "ranker.npz")
    arrays["feature"] += 100
    write_bundle(bundle, files.description, {"ranker.npz": array_bytes(arrays)})
    with pytest.raises(InputError, match=r"is refused: the arrays of its trees do not fit"):
        load_ranker(bundle)


def test_features_that_do_not_fit_the_trees_are_refused(bundle: Path) -> None:
    files = read_bundle(bundle)
    write_bundle(bundle, {**files.description, "features": ["smog"]}, files.weights)
    with pytest.raises(InputError, match="names 1 features for trees over 2"):
        load_ranker(bundle)


def test_the_combos_are_learned_by_pairs_as_in_the_study() -> None:
    """Labels of one's own by LambdaMART; what is stated goes before both."""
    assert Recipe("combo3").learned_by == "pairwise"
    assert Recipe("R * (100 - U)").learned_by == "lambdamart"
    assert Recipe("combo3", "lambdamart").learned_by == "lambdamart"


def test_the_importances_of_features_add_up_and_say_what_counts(made) -> None:
    """Relevance is learned from the feature that tells it."""
    candidates, qrels, qunder = made
    recipe = Recipe("combo2")
    ranker = learn(examples(candidates, recipe, qrels, qunder), recipe)
    assert list(ranker.importances) == ["page_bm25_terrier", "smog"]
    assert sum(ranker.importances.values()) == pytest.approx(1)
    assert ranker.importances["page_bm25_terrier"] > 0.6
    assert ranker.card["recipe"]["objective"] == "pairwise"
