"""The calls at the top of the package: what people have in hand in, what they use out."""

import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from tests.conftest import PANEL, SAMPLES, Python

import understandability as ud
from understandability.errors import OptionError, WrongTypeError
from understandability.feature.batch import Batch
from understandability.scoring import Scorer, Settings
from understandability.text.analysis import document_of_text
from understandability.text.page import Page

TEXT = "You have flu. Rest, and drink water."
PAGE = "<html lang=en><body><p>" + f"{TEXT} See a doctor if you do not feel well in a week. " * 6


def test_the_package_goes_to_another_process() -> None:
    """Ray, Spark and Dask pickle what their functions name: the package, not its contents."""
    assert pickle.loads(pickle.dumps(ud.score)) is ud.score


def test_everything_public_is_there() -> None:
    """Each name of ``__all__``, and no other that the package would have to import."""
    for name in ud.__all__:
        assert getattr(ud, name) is not None
    assert dir(ud) == ud.__all__
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        _ = ud.scores


def test_importing_the_package_imports_nothing_heavy(python: Python) -> None:
    """The import takes milliseconds; other modules are loaded when they are used."""
    program = "import sys, understandability; print(*sys.modules)"
    assert not {"numpy", "pyarrow", "cyclopts", "lxml"} & set(python(program).split())


def test_one_text_and_one_page() -> None:
    """A row as a dictionary; settings are keywords."""
    row = ud.score_text(TEXT)
    assert (row["words"], row["sentences"]) == (7, 2)
    assert 0 <= row["p_understandable"] <= 1
    assert ud.score_text(TEXT, threshold=0, user="step")["p_understandable"] == 0
    page = ud.score_html(PAGE.encode(), url="http://a/")
    assert (page["docno"], page["url"], page["language"]) == ("http://a/", "http://a/", "en")
    with pytest.raises(OptionError, match="extractor 'x' does not exist"):
        ud.score_html(PAGE, extractor="x")


def test_a_whole_number_is_the_same_setting() -> None:
    """30 and 30.0 are equal, so that what is remembered for one must be written as the other."""
    for given in (30, 30.0):
        settings = Settings(threshold=given, noise_scale=2)
        assert repr((settings.threshold, settings.noise_scale)) == "(30.0, 2.0)"
        assert "threshold 30.0" in settings.who.description


def test_pages_of_any_origin() -> None:
    files = sorted(SAMPLES.glob("*.html"))
    pages = [Page(path.name, str(path), path.read_bytes()) for path in files]
    expected = ud.score(SAMPLES)
    assert expected.table["docno"].to_pylist() == [path.name for path in files]
    assert expected.table["path"].to_pylist() == [str(path) for path in files]
    for inputs in (str(SAMPLES), files, [str(path) for path in files], pages, iter(pages)):
        assert ud.score(inputs).table.equals(expected.table)
    texts = ud.score({path.name: path.read_text() for path in files})
    numbers = ["docno", "difficulty", "words"]
    assert texts.table.select(numbers).equals(expected.table.select(numbers))
    assert len(expected) == 3
    assert [row["docno"] for row in expected] == expected.table["docno"].to_pylist()
    assert expected.to_pandas()["words"].tolist() == expected.table["words"].to_pylist()
    with pytest.raises(KeyError):
        expected["none.html"]


@pytest.mark.slow
def test_workers_give_the_same_rows(tmp_path: Path) -> None:
    """In the order of the inputs; what cannot be read is a failure of one place."""
    (tmp_path / "bad.html").write_bytes(b"%PDF-1.7 \x00")
    alone = ud.score([SAMPLES, tmp_path])
    shared = ud.score([SAMPLES, tmp_path], workers=2)
    assert shared.table.equals(alone.table)
    assert [failure.docno for failure in shared.failures] == ["bad.html"]
    assert shared.failures == alone.failures


@pytest.mark.parametrize(
    ("inputs", "advice"),
    [
        ("You have flu.", "'You have flu.' is not a path, and looks like text; use score_text"),
        (["You have flu."], "use score_text"),
        (b"<p>You have flu.", "not a bytes; use score_html"),
        (Page("d", "", TEXT), r"not a Page; put it in a list: score\(\[page\]\)"),
        (pd.DataFrame({"a": [1]}), "not a DataFrame; use score_table"),
        (pa.table({"a": [1]}), "not a Table; use score_table"),
        ({"a": 3}, "the text of 'a' is an int"),
        ([3], "there is an int among what was given"),
        (7, "not an int; use score_text for a text, score for files"),
        (None, "not a NoneType; use score_text"),
    ],
)
def test_a_wrong_type_names_the_right_call(inputs: Any, advice: str) -> None:
    """In one sentence, and not what Python says of an attribute."""
    with pytest.raises(WrongTypeError, match=advice):
        ud.score(inputs)
    with pytest.raises(TypeError):
        ud.score(inputs)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda: ud.score_text(b"<p>"), "score_text takes a text .*; use score_html"),
        (lambda: ud.score_text(Path("a.txt")), "use score for files and folders"),
        (lambda: ud.score_html([PAGE]), r"use score for several documents"),
        (lambda: ud.readability(["a"]), "use score for several"),
        (lambda: ud.features("a text"), r"put it in a list: features\(\[text\]\)"),
        (lambda: ud.explain(3), "explain takes text, HTML or a Path, not an int"),
        (lambda: ud.explain(str(SAMPLES)), "is the name of a file; give Path"),
        (lambda: ud.score_table({"a": ["x"]}), "the name of one column, text= or html=.* has a"),
        (lambda: ud.score_table({"a": ["x"]}, text="b"), "no column 'b'; it has a"),
        (lambda: ud.score_table({"a": "x"}, text="a"), "for a dictionary of texts use score"),
        (lambda: ud.score_table([1], text="a"), "score_table takes a table of pandas"),
    ],
)
def test_other_calls_say_what_they_take(call: Any, advice: str) -> None:
    with pytest.raises(WrongTypeError, match=advice):
        call()


ROWS = {
    "url": ["http://b/", "http://a/", "http://a/"],
    "body": [TEXT, None, f"{TEXT} {TEXT}"],
    "lang": ["en", "de", "en"],
}


def as_dict(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pd.DataFrame):
        return {name: frame[name].tolist() for name in frame}
    return dict(frame if isinstance(frame, dict) else frame.to_pydict())


@pytest.mark.parametrize(
    "make",
    [dict, pa.table, pa.RecordBatch.from_pydict, pd.DataFrame],
    ids=("dict", "table", "batch", "frame"),
)
def test_a_table_keeps_its_kind_order_and_length(make: Any) -> None:
    """Names may come again; a row without text has an error and no scores."""
    frame = make(ROWS)
    scored = ud.score_table(frame, text="body", id="url", keep=["lang"])
    assert type(scored) is type(frame)
    columns = as_dict(scored)
    assert columns["docno"] == ROWS["url"]
    assert columns["lang"] == ROWS["lang"]
    assert [None if pd.isna(n) else int(n) for n in columns["words"]] == [7, None, 14]
    assert columns["error"][1] == "the row has no 'body'"
    assert pd.isna(columns["difficulty"][1])
    assert list(columns)[:3] == ["docno", "lang", "p_understandable"]
    assert "path" not in columns
    empty = ud.score_table({"body": []}, text="body")
    assert next(iter(empty)) == "docno"
    assert all(values == [] for values in empty.values())


def test_a_kept_column_never_takes_the_place_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    """The copied column gets a new name, and one remark says so, also in a scored table."""
    frame = {"url": ["a"], "body": ["You have flu."], "p_understandable": [7.0], "error": ["x"]}
    for _ in range(2):
        scored = ud.score_table(frame, text="body", url="url", keep=["url", *list(frame)[2:]])
    assert (scored["url"], scored["input_url"]) == (["a"], ["a"])
    assert scored["input_p_understandable"] == [7.0]
    assert scored["p_understandable"][0] < 1
    assert (scored["error"], scored["input_error"]) == ([None], ["x"])
    assert caplog.text.count("the column error of the input is kept as input_error") == 1


def test_a_frame_keeps_its_index_and_a_batch_its_types() -> None:
    """A batch without errors has the columns and types of one that has some."""
    frame = pd.DataFrame(ROWS, index=[7, 8, 9])
    scored = ud.score_table(frame, text="body", url="url")
    assert scored.index.tolist() == [7, 8, 9]
    assert scored["docno"].tolist() == ["0", "1", "2"]
    assert scored["url"].tolist() == ROWS["url"]
    good, bad = frame.iloc[[0]], frame.iloc[[1]]
    types = [ud.score_table(each, text="body").dtypes.to_dict() for each in (good, bad)]
    assert types[0] == types[1]


def test_a_table_of_polars() -> None:
    polars = pytest.importorskip("polars")
    scored = ud.score_table(polars.DataFrame(ROWS), text="body", id="url")
    assert isinstance(scored, polars.DataFrame)
    assert scored["docno"].to_list() == ROWS["url"]
    assert ud.score({"a": TEXT}).to_polars()["docno"].to_list() == ["a"]


def test_features_by_name() -> None:
    table = ud.features({"a": TEXT, "b": "Rest."}, ["words", "syllables_per_word"]).to_pandas()
    assert table.columns.tolist() == ["docno", "words", "syllables_per_word"]
    assert table["words"].tolist() == [7, 1]
    with pytest.raises(OptionError, match="did you mean smog"):
        ud.features([TEXT], ["smogg"])


def test_a_report(tmp_path: Path) -> None:
    """Rows can be shown as text, as a file and as a frame in a notebook."""
    explanation = ud.explain("He had a myocardial infarction.")
    html = explanation.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == html
    assert "heart attack" in html
    shown = explanation._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "<script" not in shown
    page = ud.explain(SAMPLES / "hard.html")
    assert page.words == ud.explain((SAMPLES / "hard.html").read_bytes()).words > 100


@pytest.mark.parametrize("features", [False, True])
def test_rows_have_the_columns_of_their_schema(features: bool) -> None:
    """The schema is known before there are rows; columns of tables are matched by position."""
    scorer = Scorer(Settings(features=features))
    columns = scorer._columns(Batch([document_of_text("A text.")]))
    assert list(columns) == scorer.schema.names


# Different words in each, so that no text nearly repeats another.
_WORDS = sorted({word for path in PANEL.glob("a*.txt") for word in path.read_text("utf-8").split()})
TEXTS = [
    f"You have flu. Rest{', and drink water' * (n % 5)}. {' '.join(_WORDS[9 * n : 9 * n + 9])}"
    for n in range(40)
]
LABELS = {"text": TEXTS, "label": [n % 5 for n in range(40)]}


@pytest.mark.usefixtures("few_resamples")
def test_a_result_is_a_line_that_says_what_to_call_next() -> None:
    runs = {"mine": {"q": {"d": 2.0}}, "other": {"q": {"e": 1.0}}}
    trained = ud.train(
        LABELS, direction="harder", estimator="linear-regressor", features=["components"], folds=2
    )
    for shown, begins, calls in (
        (ud.score({"a": TEXTS[0]}), "<Scores, documents: 1, failures: 0;", ".to_pandas()"),
        (ud.features(TEXTS, ["words"]), "<Rows, documents: 40,", ".to_arrow()"),
        (ud.explain(TEXTS[0]), "<Explanation of text, ", ".to_html(path)"),
        (ud.load_bundle("open"), "<Bundle open@", ".save(folder)"),
        (
            ud.evaluate(runs, {"q": {"d": 1}}),
            "<Evaluation, runs: 2, queries: 1, measures: 1",
            ".to_markdown()",
        ),
        (trained, "<Trained, bundle: judged, texts: 40,", ".figures"),
    ):
        text = repr(shown)
        assert text.startswith(begins)
        assert calls in text
        assert len(text) < 250
        assert "\n" not in text
    assert repr(trained.figures) == trained.figures.to_markdown()
