"""Tables of pages: chosen columns, guessed columns, and errors if neither is possible."""

import csv
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from understandability.crawls.local import fill_table
from understandability.crawls.outputs import InMemory
from understandability.crawls.plan import make_plan
from understandability.inputs.page_tables import TableColumns
from understandability.inputs.sources import Sources
from understandability.rows import TextRows
from understandability.scoring import Settings
from understandability.text.page import HTML, TEXT, Failure, Page

ROWS = {
    "url": ["http://a/", "http://b/"],
    "content": ["<p>You have flu.", "Rest, and drink water."],
    "lang": ["en", "de"],
    "depth": [3, 4],
}
Writer = Callable[[Path, dict[str, list[Any]]], None]


def write_jsonl(path: Path, rows: dict[str, list[Any]]) -> None:
    lines = [json.dumps(row) + "\n" for row in pa.table(rows).to_pylist()]
    path.write_text("".join(lines))


def write_csv(path: Path, rows: dict[str, list[Any]], delimiter: str = ",") -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))


def write_gzipped_tsv(path: Path, rows: dict[str, list[Any]]) -> None:
    write_csv(path, rows, "\t")
    path.write_bytes(gzip.compress(path.read_bytes()))


def write_stream(path: Path, rows: dict[str, list[Any]]) -> None:
    table = pa.table(rows)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Writer] = {
    "t.parquet": lambda path, rows: pq.write_table(pa.table(rows), path),
    "t.jsonl": write_jsonl,
    "t.csv": write_csv,
    "t.tsv.gz": write_gzipped_tsv,
    "t.feather": lambda path, rows: pa.feather.write_feather(pa.table(rows), path),
    "t.arrow": write_stream,
}
every = pytest.mark.parametrize("name", WRITERS)


def read(
    path: Path, limit: int = 10_000_000, **columns: Any
) -> tuple[list[Page], list[Failure], list[str]]:
    sources = Sources([path], limit=limit, columns=TableColumns(**columns))
    result = list(sources)
    pages = [each for each in result if isinstance(each, Page)]
    return pages, [each for each in result if isinstance(each, Failure)], sources.remarks


@every
def test_columns_are_guessed_and_told(tmp_path: Path, name: str) -> None:
    """`url` and `content`, as in many crawls; tags decide if the content is HTML."""
    WRITERS[name](tmp_path / name, ROWS)
    pages, failures, remarks = read(tmp_path / name)
    assert failures == []
    assert [(page.docno, page.url, page.media_type) for page in pages] == [
        ("http://a/", "http://a/", HTML),
        ("http://b/", "http://b/", TEXT),
    ]
    assert [page.path for page in pages] == [f"{tmp_path / name}#1", f"{tmp_path / name}#2"]
    assert remarks == [
        f"{tmp_path / name}: columns guessed: id = url, content = content (HTML if it contains "
        "tags), language = lang"
    ]


@every
def test_columns_are_chosen(tmp_path: Path, name: str) -> None:
    """Then there is nothing to remark; others are kept as they are."""
    WRITERS[name](tmp_path / name, ROWS)
    pages, _, remarks = read(tmp_path / name, id="lang", text="content", keep=("depth", "lang"))
    assert [(page.docno, page.media_type) for page in pages] == [("en", TEXT), ("de", TEXT)]
    kept = [tuple(map(str, page.kept)) for page in pages]
    assert kept == [("3", "en"), ("4", "de")]
    assert remarks == []


def test_kept_columns_stand_beside_ours_of_the_same_name(tmp_path: Path) -> None:
    """FineWeb has a language and a URL of its own, and may have columns that we name so."""
    rows = {"id": ["a"], "text": ["Rest."], "url": ["http://a/"], "language": ["en"]}
    pq.write_table(pa.table({**rows, "input_url": ["b"]}), tmp_path / "t.parquet")
    keep = ("language", "language", "url", "input_url")
    plan = make_plan(
        Sources([tmp_path / "t.parquet"], columns=TableColumns(keep=keep)), TextRows(Settings())
    )
    assert plan.kept.names == ["input_language", "input_input_url", "input_url"]
    assert len(plan.source.remarks) == 2
    output = InMemory()
    list(fill_table(plan, output))
    assert output.tables[0].select(plan.kept.names).to_pylist() == [
        {"input_language": "en", "input_input_url": "http://a/", "input_url": "b"}
    ]


@every
@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ({"name": ["a"] * 300, "text": ["x"] * 300}, "no column that would name its documents"),
        ({"id": ["a"] * 300, "words": ["x"] * 300}, "no column that would hold pages"),
    ],
)
def test_a_table_of_something_else_is_one_sentence(
    tmp_path: Path, name: str, rows: dict[str, list[Any]], sentence: str
) -> None:
    """One error names the columns; not every row repeats it."""
    WRITERS[name](tmp_path / name, rows)
    pages, (failure,), _ = read(tmp_path / name)
    assert pages == []
    assert sentence in failure.error
    assert f"it has {', '.join(rows)}; choose one with --" in failure.error


@every
def test_a_chosen_column_that_is_missing(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    _, (failure,), _ = read(tmp_path / name, id="docid")
    assert failure.error.endswith("has no column 'docid'; it has url, content, lang, depth")


def test_bad_rows_of_csv_cost_themselves(tmp_path: Path) -> None:
    """Cells that are too few, no name, no text; quoted text may have line breaks."""
    (tmp_path / "t.csv").write_text(
        'id,text\na,"Rest.\nDrink, please."\nb\n,No name.\nc,\nd,"End.""\n"\n', "utf-8"
    )
    pages, failures, _ = read(tmp_path / "t.csv")
    assert [(page.docno, page.content) for page in pages] == [
        ("a", "Rest.\nDrink, please."),
        ("d", 'End."\n'),
    ]
    assert [(failure.path.rpartition("#")[2], failure.error) for failure in failures] == [
        ("2", "line 4 has 1 cells, but the header has 2"),
        ("3", "the record has no 'id' (text or a whole number)"),
        ("4", "the record has no 'text'"),
    ]


@pytest.mark.parametrize(
    ("lines", "good", "message"),
    [
        ('b,"You have fl', "a", "lines 3 to 3 are not CSV: unexpected end of data"),
        ('b,"You have\nflu', "a", "lines 3 to 4 are not CSV: unexpected end of data"),
        ('b,"You have flu.\0\nc,Rest.\nd,"Flu, again."\ne,x\n', "ae", "lines 3 to 5 are not CSV"),
        ('"b" or c,"Flu\n', "a", "lines 3 to 3 are not CSV: "),
    ],
)
def test_a_quote_that_stays_open_is_told(
    tmp_path: Path, lines: str, good: str, message: str
) -> None:
    """A cut file, or a lost closing quote: the cell does not become a page."""
    (tmp_path / "t.csv").write_text(f'id,text\na,"Rest."\n{lines}')
    pages, (failure,), _ = read(tmp_path / "t.csv")
    assert [page.docno for page in pages] == list(good)
    assert message in failure.error


def test_quotes_within_a_line_of_csv_cost_nothing(tmp_path: Path) -> None:
    """Some writers of tables do not use quotes."""
    (tmp_path / "t.tsv").write_text('id\ttext\na\t"Flu" is a virus.\nb\tA "virus".\n')
    pages, failures, _ = read(tmp_path / "t.tsv")
    assert [page.content for page in pages] == ["Flu is a virus.", 'A "virus".']
    assert failures == []


@pytest.mark.slow
def test_a_quote_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    """The cell ends at the longest that a page may be."""
    (tmp_path / "t.csv").write_text('id,text\na,Rest.\nb,"' + "no end\n" * 200_000)
    pages, failures, _ = read(tmp_path / "t.csv", 1_000_000)
    assert [page.docno for page in pages] == ["a"]
    assert "not CSV: field larger than field limit" in failures[0].error


def test_a_damaged_arrow_file_gives_what_was_before(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    with pa.ipc.new_stream(path, pa.schema({"id": pa.string(), "text": pa.string()})) as writer:
        for number in range(3):
            writer.write_batch(pa.RecordBatch.from_pydict({"id": [str(number)], "text": ["x"]}))
    path.write_bytes(path.read_bytes()[:-100])
    pages, failures, _ = read(path)
    assert [page.docno for page in pages] == ["0", "1"]
    assert "damaged Arrow file" in failures[0].error


def test_tables_of_other_things_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    """A list of labels next to pages is no error; it is read if columns are chosen."""
    (tmp_path / "a.html").write_text("<p>Rest.")
    (tmp_path / "labels.tsv").write_text("docno\tlabel\na\t1\n")
    sources = Sources([tmp_path])
    assert [page.docno for page in sources if isinstance(page, Page)] == ["a.html"]
    assert sources.skipped == {f"files with the suffix .tsv, such as {tmp_path}/labels.tsv": 1}
    result = list(Sources([tmp_path], columns=TableColumns(text="label")))
    assert [(type(each), each.docno) for each in result] == [(Page, "a.html"), (Page, "a")]


def write_batches(path: Path) -> None:
    """An Arrow file of three batches of ten rows, or a stream where it is called so."""
    schema = pa.schema({"id": pa.string(), "text": pa.string()})
    new = pa.ipc.new_stream if path.stem == "stream" else pa.ipc.new_file
    with new(path, schema) as writer:
        for start in (0, 10, 20):
            names = [f"d{number}" for number in range(start, start + 10)]
            writer.write_batch(pa.RecordBatch.from_pydict({"id": names, "text": ["Rest."] * 10}))


both = pytest.mark.parametrize("name", ["stream.arrow", "file.arrow"])


@both
def test_offsets_out_of_bounds_of_an_arrow_file_cost_their_batch(tmp_path: Path, name: str) -> None:
    """Arrow follows them without looking, and the process ends."""
    path = tmp_path / name
    write_batches(path)
    offsets = np.arange(0, 55, 5, dtype=np.int32).tobytes()  # of "Rest.", ten times
    damaged = offsets[:16] + b"\xff\xff\xff\x7f" + offsets[20:]
    first, second, third, *rest = path.read_bytes().split(offsets)
    path.write_bytes(offsets.join([first, second + damaged + third, *rest]))
    pages, (failure,), _ = read(path)
    assert [page.docno for page in pages] == [f"d{i}" for i in (*range(10), *range(20, 30))]
    assert "damaged Arrow file: rows 11 to 20: " in failure.error


@both
def test_zeros_where_a_batch_begins_do_not_end_an_arrow_file_in_silence(
    tmp_path: Path, name: str
) -> None:
    """They also mark its end."""
    path = tmp_path / name
    write_batches(path)
    schema, first, second, *rest = re.split(b"(?=\xff{4})", path.read_bytes())[1:]
    path.write_bytes(b"".join([schema, first, b"\0" * 4, second[4:], *rest]))
    pages, (failure,), _ = read(path)
    assert [page.docno for page in pages] == [f"d{number}" for number in range(10)]
    assert "bytes after its end mark are not read" in failure.error


def test_an_arrow_file_without_its_index_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "file.arrow"
    write_batches(path)
    path.write_bytes(path.read_bytes()[:-20])
    pages, (failure,), _ = read(path)
    assert len(pages) == 30
    assert failure.error == "damaged Arrow file: the file ends without its index"
