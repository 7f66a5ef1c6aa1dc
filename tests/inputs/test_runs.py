"""Runs and labels: all formats give the same, oddities are reported, faults are one sentence."""

import gzip
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import InputError, OptionError, UnderstandabilityError
from understandability.inputs import trec
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import (
    labels_from_rows,
    labels_from_table,
    read_labels,
    read_run,
    read_runs,
    run_name,
    write_run,
)
from understandability.inputs.tables import write_table

RUN = "q1 Q0 d7 1 3.5 tag\nq1 Q0 d2 2 1.25 tag\nq2 Q0 d2 1 -4 tag\n"
RANKINGS = {"q1": [("d7", 3.5), ("d2", 1.25)], "q2": [("d2", -4.0)]}


def written(folder: Path, content: str | bytes, name: str = "mine.run") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("KISTI_EN_RUN.1.run.gz", "KISTI_EN_RUN.1"),
        ("terrier_BM25_cli.out.run.gz", "terrier_BM25_cli.out"),
        ("IELAB_01.txt", "IELAB_01"),
        ("CUNI_EN_Run.3.dat", "CUNI_EN_Run.3"),
        ("a.b.run.txt", "a.b.run"),
        ("plain", "plain"),
        (".run", ".run"),
    ],
)
def test_a_run_is_called_by_its_file_name(file: str, name: str) -> None:
    """Without .gz and one last .run, .txt or .dat."""
    assert run_name(Path("folder") / file) == name


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.rstrip("\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  "),
        RUN.replace("\n", "\r\n"),
        "\n" + RUN.replace("\n", "\n\n"),
        RUN.replace(" 1 ", " 1.0 "),
        RUN.replace(" tag", " my own tag"),
        "\ufeff" + RUN,
        gzip.compress(RUN.encode(), mtime=0),
        zstandard.compress(RUN.encode()),
    ],
)
def test_every_way_to_write_a_run_reads_the_same(tmp_path: Path, content: str | bytes) -> None:
    """Tabs, spare blanks, CRLF, blank lines, byte order mark, gzip, zstd."""
    run = read_run(written(tmp_path, content))
    assert run.by_query() == RANKINGS
    assert run.queries == ("q1", "q2")
    assert run.ranks.tolist() == [1, 2, 1]


def test_what_is_unusual_is_counted_and_named(tmp_path: Path) -> None:
    """Blanks, encodings and long tags are reported, with the first line."""
    odd = RUN.replace("Q0 d7", "Q0\td7").replace("d2 2 1.25 tag", "d2 2 1.25 two words")
    run = read_run(written(tmp_path, odd.encode() + "q2 Q0 dé 2 -5 tag\n".encode("latin-1")))
    assert [str(oddity) for oddity in run.oddities] == [
        "files not in UTF-8, read as Latin-1: 1 (first: line 4)",
        "lines with tabs or spare blanks between columns: 1 (first: line 1)",
        "lines with more than one word as tag: 1 (first: line 2)",
    ]
    assert run.by_query()["q2"][1][0] == "dé"
    assert read_run(written(tmp_path, RUN)).oddities == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("q1 0 d1 1\n", "line 1: this looks like qrels or other labels (4 columns)"),
        (
            RUN + "q2 Q0 d9 2 1.0\n",
            "line 4: expected 6 columns (query Q0 document rank score tag), found 5",
        ),
        ("q1 Q0 d1 first 1.0 tag\n", "line 1: the rank must be a whole number, not 'first'"),
        ("q1 Q0 d1 1.5 1.0 tag\n", "line 1: the rank must be a whole number, not '1.5'"),
        (RUN + "q2 Q0 d1 2 high tag\n", "line 4: the score must be a number, not 'high'"),
        ("q1 Q0 d1 1 nan tag\n", "line 1: the score must be a number, not 'nan'"),
        ("q1 Q0 d1 1_0 1.0 tag\n", "line 1: the rank must be a whole number, not '1_0'"),
        ("q1,d1,1,1.0\n", "found 1; separate the columns by blanks"),
        ("q1 Q0 d1 x 1 1.0 tag\n", "not 'x'; ids must not contain blanks"),
        ("", "is empty; a run has 6 columns"),
        ("\n \n", "is empty; a run has 6 columns"),
        (gzip.compress(RUN.encode() * 99, mtime=0)[:-20], "cannot be read"),
    ],
)
def test_a_file_that_is_no_run_is_refused_with_its_place(
    tmp_path: Path, content: str | bytes | None, message: str
) -> None:
    """One sentence: file, line (if there is one), what was found, what is allowed."""
    path = tmp_path / "none.run" if content is None else written(tmp_path, content)
    with pytest.raises(InputError) as error:
        read_run(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (RUN, r"line 1: this looks like a run \(6 columns\)"),
        ("q 0 d1 1\n\nq 0 d2 hard\n", "line 3: the label must be a number, not 'hard'"),
    ],
)
def test_a_file_that_is_no_labels_is_refused_with_its_place(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_labels(written(tmp_path, content, "qrels.txt"))


def test_the_first_of_equal_pairs_counts(tmp_path: Path) -> None:
    """A pair that is labelled again keeps its first label, which is reported."""
    labels = read_labels(written(tmp_path, "q 0 a 1\nq 0 b 0\nq 0 a 2\nr 0 a 3\n", "qrels"))
    assert labels.values.tolist() == [1, 0, 3]
    assert [str(oddity) for oddity in labels.oddities] == [
        "labels given again: 1 (first: document a)"
    ]


def test_labels_know_where_they_stood(tmp_path: Path) -> None:
    """Line numbers survive blank lines and labels left out."""
    path = written(tmp_path, "q 0 a 1\n\nq 0 b 7\nq 0 c 3\n", "qunder")
    labels = read_labels(path, "u").without(1)
    assert labels.where(0) == f"{path}, line 3 (document b)"
    assert labels.where(1) == f"{path}, line 4 (document c)"


@pytest.mark.parametrize(
    ("documents", "by_rank", "by_score"),
    [
        # Equal scores go by document, the last first.
        ([("b", 2.0), ("a", 2.0), ("c", 2.0), ("d", 9.0)], "bacd", "dcba"),
        # Scores are compared in single precision, as by trec_eval.
        ([("a", 1.0000000001), ("b", 1.0)], "ab", "ba"),
        # A repeated document counts at its first position in the order that is used.
        ([("a", 1.0), ("b", 3.0), ("a", 5.0)], "ab", "ab"),
        ([("a", 4.0), ("b", 3.0), ("a", 2.0)], "ab", "ab"),
        ([("a", 1.0), ("b", 3.0), ("c", 4.0), ("a", 3.5)], "abc", "cab"),
    ],
)
def test_lines_are_ordered_by_rank_or_by_score(
    documents: list[tuple[str, float]], by_rank: str, by_score: str
) -> None:
    run = Run.of("r", {"q": documents})
    for order, expected in (("rank", by_rank), ("score", by_score)):
        assert [docno for docno, _ in run.by_query(order)["q"]] == list(expected)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # Constant ranks keep the order of the file; the lines of a query may be apart.
        ("q Q0 b 0 1 t\nq Q0 a 0 2 t\nq Q0 c 0 3 t\n", {"q": "bac"}),
        ("q Q0 b 2 1 t\nr Q0 x 1 1 t\nq Q0 a 1 2 t\n", {"q": "ab", "r": "x"}),
    ],
)
def test_a_run_is_ranked_by_its_ranks(tmp_path: Path, lines: str, expected: dict[str, str]) -> None:
    result = read_run(written(tmp_path, lines)).by_query()
    assert {query: "".join(d for d, _ in of) for query, of in result.items()} == expected


def test_runs_and_labels_cannot_be_written_to() -> None:
    """Evaluating never alters its input, because nothing can."""
    run = Run.of("r", {"q": [("a", 1.0)]})
    labels = Labels.of("l", {"q": {"a": 1.0}})
    for column in (run.scores, run.ranks, run.query_ids, labels.values, labels.docno_ids):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(OptionError, match="'rank' or by 'score', not by 'random'"):
        Run.of("r", {"q": [("a", 1.0)]}).line_order("random")


def test_labels_find_the_lines_of_a_run() -> None:
    """By pair, or by document if the labels belong to documents."""
    run = Run.of("r", {"q": [("a", 2.0), ("b", 1.0)], "x": [("a", 1.0)], "r": [("c", 1.0)]})
    labels = Labels.of("u", {"r": {"a": 9.0}, "q": {"b": 5.0, "z": 1.0}})
    np.testing.assert_array_equal(labels.of_lines(run), [math.nan, 5, math.nan, math.nan])
    np.testing.assert_array_equal(labels.by_document().of_lines(run), [9, 5, 9, math.nan])
    np.testing.assert_array_equal(labels.without(5.0, 9.0).of_lines(run), [math.nan] * 4)


names = st.text(st.characters(categories=("L", "N"), include_characters="-._"), min_size=1)
lines = st.lists(
    st.tuples(
        names, names, st.integers(-5, 2000), st.floats(allow_nan=False, allow_infinity=False)
    ),
    min_size=1,
    max_size=30,
)


@given(lines)
def test_the_fast_reader_agrees_with_the_careful_one(
    rows: list[tuple[str, str, int, float]],
) -> None:
    """The reader line by line reads the same as pyarrow."""
    data = "".join(f"{q} Q0 {d} {r} {s!r} t\n" for q, d, r, s in rows).encode()
    fast = trec._read_fast(data, trec.RUN)
    slow, oddities = trec._read_line_by_line("file", data, trec.RUN)
    assert oddities == ()
    assert fast is not None
    for column in ("query", "document", "rank", "score"):
        assert fast[column].to_pylist() == slow[column].to_pylist()


@given(lines)
def test_writing_and_reading_a_run_keeps_it(rows: list[tuple[str, str, int, float]]) -> None:
    rankings: dict[str, dict[str, float]] = {}
    for query, document, _, score in rows:
        rankings.setdefault(query, {}).setdefault(document, score)
    run = Run.of("mine", {q: list(documents.items()) for q, documents in rankings.items()})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mine.run.gz"
        write_run(run, path)
        again = read_run(path)
    assert again.by_query() == run.by_query()
    assert again.name == "mine"


def test_a_written_run_has_ranks_from_one_in_its_order(tmp_path: Path) -> None:
    """The tag is the name of the run."""
    run = Run.of("my run", {"q": [("a", 1.0), ("b", 2.0)]})
    write_run(run, tmp_path / "x.run", order="score")
    assert (tmp_path / "x.run").read_text() == "q Q0 b 1 2.0 my_run\nq Q0 a 2 1.0 my_run\n"


def test_qrels_may_be_called_tsv(tmp_path: Path) -> None:
    """A first line that is a label is no heading of a table."""
    path = written(tmp_path, "1\t0\td7\t1\n1\t0\td8\t0\n", "qrels.dev.tsv")
    assert read_labels(path).values.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".jsonl", ".parquet"])
def test_score_tables_are_labels_of_documents(tmp_path: Path, suffix: str) -> None:
    """Tables of `understand features` and `understand score`; a missing number is no label."""
    table = pa.table({"docno": ["d1", "d2", "d3"], "gunning_fog": [9.5, None, 12.0]})
    write_table(table, str(tmp_path / f"fog{suffix}"))
    labels = read_labels(tmp_path / f"fog{suffix}", "u")
    assert labels.query_ids is None
    assert labels.docnos.to_pylist() == ["d1", "d3"]
    assert labels.values.tolist() == [9.5, 12.0]


def test_the_column_of_a_score_table_is_never_guessed() -> None:
    table = pa.table({"docno": ["d"], "fog": [1.0], "lix": [2.0], "flags": [""]})
    with pytest.raises(OptionError, match="2 columns of numbers; choose one of fog, lix"):
        labels_from_table(table, "scores")
    with pytest.raises(OptionError, match="no column of numbers 'flags'"):
        labels_from_table(table, "scores", "flags")
    assert labels_from_table(table, "scores", "lix").values.tolist() == [2.0]


def test_a_score_table_may_hold_queries() -> None:
    table = pa.table({"query": ["1", "2"], "docno": ["d", "d"], "label": [3, 0]})
    labels = labels_from_table(table, "mine")
    assert labels.queries == ("1", "2")
    assert labels.values.tolist() == [3.0, 0.0]


def test_a_table_without_docno_is_refused() -> None:
    with pytest.raises(InputError, match=r"no column 'docno' \(or .*\); it has id, fog"):
        labels_from_table(pa.table({"id": ["d"], "fog": [1.0]}), "scores")


class LocalFile:
    """Files as ir_datasets streams them, without a download."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def stream(self) -> Any:
        return self.path.open("rb")


def test_label_frames_of_ir_datasets_hold_all_dimensions(tmp_path: Path) -> None:
    """Its own class for CLEF eHealth labels, over files of our own."""
    datasets = pytest.importorskip("ir_datasets.datasets.clueweb12", reason="needs ir_datasets")
    files = []
    for name, label in (("qrels", 2), ("qtrust", 50), ("qunder", 7)):
        files.append([LocalFile(written(tmp_path, f"101 0 clueweb12-a {label}\n", name))])
    qrels = datasets.EhealthQrels(*files, datasets.EHEALTH_QREL_DEFS)
    for dimension, value in (("relevance", 2.0), ("u", 7.0), ("trust", 50.0)):
        labels = labels_from_rows(qrels.qrels_iter(), "clef", dimension)
        assert labels.queries == ("101",)
        assert labels.values.tolist() == [value]
    with pytest.raises(InputError, match="no field 'beauty'; they have query_id"):
        labels_from_rows(qrels.qrels_iter(), "clef", "beauty")


def test_runs_are_read_in_order_and_errors_come_in_place(tmp_path: Path) -> None:
    """Reading ahead changes nothing for who reads."""
    paths = [written(tmp_path, RUN, f"{i}.run") for i in range(5)]
    assert [run.name for run in read_runs(paths)] == ["0", "1", "2", "3", "4"]
    runs = read_runs([paths[0], tmp_path / "none.run"])
    assert next(runs).name == "0"
    with pytest.raises(UnderstandabilityError, match=r"none\.run"):
        next(runs)


def test_files_in_utf_16_are_read(tmp_path: Path) -> None:
    """As editors on Windows write them."""
    assert read_run(written(tmp_path, RUN.encode("utf-16"))).by_query() == RANKINGS
    qrels = written(tmp_path, "q1 0 d7 2\n".encode("utf-16"), "qrels.txt")
    assert read_labels(qrels).by_query() == {"q1": {"d7": 2.0}}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "qid,docno,label\n007,d1,2\n008,d1,0\n"),
        ("a.csv", "query_id;doc_id;relevance\n007;d1;2\n008;d1;0\n"),
        ("a.csv", "topic,docid,notes,grade\n007,d1,none,2\n008,d1,,0\n"),
        ("a.tsv", "qid\tdocument\trel\n007\td1\t2\n008\td1\t0\n"),
        (
            "a.jsonl",
            '{"qid": "007", "docno": "d1", "rel": 2}\n{"qid": "008", "docno": "d1", "rel": 0}\n',
        ),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_tables_of_labels_may_have_the_names_of_other_tools(
    tmp_path: Path, name: str, content: str, encoding: str
) -> None:
    """Labels belong to the query of their row, whose id is a text, also if it has only digits."""
    if name == "a.jsonl" and encoding != "utf-8":
        return
    path = written(tmp_path, content.encode(encoding), name)
    assert read_labels(path).by_query() == {"007": {"d1": 2.0}, "008": {"d1": 0.0}}


def test_a_column_of_labels_may_follow_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "docno,difficulty,spread\nd1,20,3\n", "scores.csv")
    assert read_labels(f"{path}:difficulty").values.tolist() == [20.0]
    with pytest.raises(OptionError, match="did you mean difficulty"):
        read_labels(f"{path}:dificulty")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "q1,0,d1,1\nq1,0,d2,0\n", "first line must name the columns.*'q1,0,d1,1'"),
        ("a.csv", "qid,docno,label\nq1,d1,1\nq1,d2,\n", "row 2: the label must be .* missing"),
        ("a.txt", "q1 0 d1 1 3\n", "expected 4 columns .*, found 5; write one file for each"),
        ("a.txt", "q1;0;d1;1\n", "found 1; .* write CSV with a header"),
    ],
)
def test_the_message_about_labels_names_the_fix(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_labels(written(tmp_path, content, name))


def test_a_folder_in_place_of_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; name its files"):
        read_run(tmp_path)
