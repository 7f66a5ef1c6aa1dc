"""Files as people have them: the JSON, CSV and TSV of known data sets and of spreadsheets."""

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.conftest import Run

from understandability.errors import OptionError
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import TableColumns
from understandability.inputs.sources import Sources, read_paths
from understandability.inputs.tables import read_table
from understandability.text.page import TEXT, Failure, Page

RECORDS = [{"id": "a", "text": "Rest."}, {"id": "b", "text": "Drink, and rest."}]
LINES = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


def read(path: Path, **columns: Any) -> tuple[list[Page], list[str], list[str]]:
    """The pages, the errors and the remarks of a file or a folder."""
    sources = Sources([path], columns=TableColumns(**columns))
    records = list(sources)
    return (
        [record for record in records if isinstance(record, Page)],
        [record.error for record in records if isinstance(record, Failure)],
        sources.remarks,
    )


def contents(pages: list[Page]) -> list[tuple[str, str | bytes]]:
    return [(page.docno, page.content) for page in pages]


@pytest.mark.parametrize("suffix", COMPRESSORS)
@pytest.mark.parametrize(
    "data",
    [
        LINES,
        b"\n" + LINES,
        b"\xef\xbb\xbf" + LINES,
        json.dumps(RECORDS).encode(),
        json.dumps(RECORDS, indent=2).encode(),
        b"\xef\xbb\xbf" + json.dumps(RECORDS, indent=1).encode(),
        "\n".join(json.dumps(record, indent=4) for record in RECORDS).encode(),
        json.dumps(RECORDS).encode("utf-16"),
    ],
)
def test_json_is_lines_or_an_array(tmp_path: Path, suffix: str, data: bytes) -> None:
    """C4, Dolma and RedPajama have lines in .json.gz; others have one array."""
    path = tmp_path / f"t.json{suffix}"
    path.write_bytes(COMPRESSORS[suffix](data))
    pages, errors, _ = read(path)
    assert errors == []
    assert contents(pages) == [("a", "Rest."), ("b", "Drink, and rest.")]
    assert {page.media_type for page in pages} == {TEXT}


@pytest.mark.parametrize("suffix", [suffix for suffix in COMPRESSORS if suffix])
def test_compressed_json_in_a_folder_is_read(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"part-0.json{suffix}").write_bytes(COMPRESSORS[suffix](LINES))
    assert [page.docno for page in read(tmp_path)[0]] == ["a", "b"]


def test_files_that_are_passed_over_have_an_example(tmp_path: Path) -> None:
    """JSON files next to pages are mostly settings; the message lets a user notice other ones."""
    (tmp_path / "a.html").write_text("<p>Rest.")
    for name in ("x.json", "y.json", "z.docm.gz", "README"):
        (tmp_path / name).write_bytes(LINES)
    sources = Sources([tmp_path])
    assert [page.docno for page in sources] == ["a.html"]
    assert sources.skipped == {
        f"files with the suffix .json, such as {tmp_path}/x.json": 2,
        f"files with the suffix .docm.gz, such as {tmp_path}/z.docm.gz": 1,
        f"files with the suffix (none), such as {tmp_path}/README": 1,
    }
    assert len(read(tmp_path, id="id", text="text")[0]) == 5


@pytest.mark.parametrize("command", ["score", "extract"])
def test_files_that_are_passed_over_are_never_lost_in_silence(
    tmp_path: Path, understand: Run, command: str
) -> None:
    """They are listed even with --quiet, and an error with --strict."""
    (tmp_path / "a.txt").write_text("Rest, and drink enough water.")
    (tmp_path / "b.json").write_bytes(LINES)
    label = f"passed over: files with the suffix .json, such as {tmp_path}/b.json: 1"
    done = understand(command, tmp_path, "-q", status=0)
    assert done.stderr.splitlines() == [label]
    done = understand(command, tmp_path, "-q", "--strict", status=1)
    assert done.stderr.splitlines() == [label]
    (tmp_path / "b.json").unlink()
    assert understand(command, tmp_path, "-q", "--strict", status=0).stderr == ""


@pytest.mark.parametrize(
    ("data", "docnos", "errors"),
    [
        (
            b'[{"id": "a", "text": "x"}, 7, {"id": "b", "text": "y"}]',
            "ab",
            ["item 2 is a JSON int"],
        ),
        (b'[{"id": "a", "text": "x"}, {"id": "b", "te', "a", ["item 2 is not JSON: "]),
        (b'[{"id": "a", "text": "x"} {"id": "b", "text": "y"}]', "a", ["neither a comma nor a br"]),
        (b'[{"id": "a", "text": "x"}', "a", ["the file ends within the JSON array"]),
        (b'[{"id": "a", "text": "x"}] [1]', "a", ["there is more after the end of the JSON arr"]),
        (b'[{"id": "a", "text": "x"}, {"id": "\xff"}]', "", ["can't decode byte 0xff"]),
        (b"[" * 100_000, "", ["item 1 is nested too deeply"]),
        (b'[{"id": [' + b"[]," * 1_100_000 + b"[]]}]", "", ["item 1 has more than 1000000 lists"]),
        (b'{\n"id": "a",\n"text": "x"\n}\n}', "a", ["item 2 is not JSON"]),
        (b"[]", "", ["there is no document in it"]),
    ],
)
def test_damaged_json_gives_what_was_before(
    tmp_path: Path, data: bytes, docnos: str, errors: list[str]
) -> None:
    (tmp_path / "t.json").write_bytes(data)
    pages, result, _ = read(tmp_path / "t.json")
    assert [page.docno for page in pages] == list(docnos)
    for error, expected in zip(result, errors, strict=True):
        assert expected in error


def test_an_array_of_any_size_is_read_object_by_object(tmp_path: Path) -> None:
    """Larger than what is read at once, with objects across the borders."""
    records = [{"id": str(n), "text": f"é{n}" * (n % 700)} for n in range(1, 1_000)]
    (tmp_path / "t.json").write_text(json.dumps(records, ensure_ascii=False))
    pages, errors, _ = read(tmp_path / "t.json")
    assert contents(pages) == [(record["id"], record["text"]) for record in records]
    assert errors == []


OSCAR = {
    "content": "Ruhen Sie sich aus.",
    "warc_headers": {
        "warc-record-id": "<urn:uuid:1>",
        "warc-target-uri": "http://a/",
        "content-length": 20,
    },
    "metadata": {"identification": {"label": "de", "prob": 0.9}, "quality_warnings": None},
}


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), path)


def write_arrow(path: Path, rows: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


WRITERS = {"t.jsonl": write_jsonl, "t.parquet": write_parquet, "t.arrow": write_arrow}
formats = pytest.mark.parametrize("name", WRITERS)


@formats
def test_oscar_has_its_ids_in_nested_columns(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name, [OSCAR])
    (page,), errors, remarks = read(tmp_path / name)
    assert errors == []
    assert (page.docno, page.url, page.language) == ("<urn:uuid:1>", "http://a/", "de")
    assert page.content == "Ruhen Sie sich aus."
    assert remarks == [
        f"{tmp_path / name}: columns guessed: id = warc_headers.warc-record-id, content = content "
        "(HTML if it contains tags), url = warc_headers.warc-target-uri, "
        "language = metadata.identification.label"
    ]


@formats
def test_nested_columns_are_chosen_by_dotted_names(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name, [OSCAR])
    keep = ("warc_headers.content-length", "metadata.identification")
    (page,), _, remarks = read(
        tmp_path / name, id="warc_headers.warc-target-uri", text="content", keep=keep
    )
    assert (page.docno, page.kept) == ("http://a/", (20, {"label": "de", "prob": 0.9}))
    assert remarks == []
    _, (error,), _ = read(tmp_path / name, id="warc_headers.nothing")
    assert "has no column 'warc_headers.nothing'" in error or "has no 'warc_headers" in error


@formats
def test_beir_has_titles_apart(tmp_path: Path, name: str) -> None:
    rows = [
        {"_id": "d1", "title": "Flu", "text": "Rest.", "metadata": {"url": "http://a/"}},
        {"_id": "d2", "title": "", "text": "Drink.", "metadata": {"url": "http://b/"}},
        {"_id": "d3", "title": "Cold", "text": "Cold is harmless.", "metadata": {"url": ""}},
    ]
    WRITERS[name](tmp_path / name, rows)
    pages, errors, (remark,) = read(tmp_path / name)
    assert errors == []
    assert contents(pages) == [
        ("d1", "Flu\n\nRest."),
        ("d2", "Drink."),
        ("d3", "Cold is harmless."),
    ]
    assert remark.endswith("columns guessed: id = _id, content = text, title = title")


def test_other_tables_with_titles_stay_as_they_were(tmp_path: Path) -> None:
    """Wikipedia's text repeats its title; whoever chooses the text gets the text."""
    write_jsonl(tmp_path / "t.jsonl", [{"id": "1", "title": "Flu", "text": "Rest."}])
    assert contents(read(tmp_path / "t.jsonl")[0]) == [("1", "Rest.")]
    assert contents(read(tmp_path / "t.jsonl", title="title")[0]) == [("1", "Flu\n\nRest.")]
    write_jsonl(tmp_path / "t.jsonl", [{"_id": "1", "title": "Flu", "text": "Rest."}])
    assert contents(read(tmp_path / "t.jsonl", text="text")[0]) == [("1", "Rest.")]


MSMARCO = 'D1\thttp://a/\tFlu\t"Rest is best\nD2\thttp://b/\t\tDrink "water".\n'


def test_ms_marco_has_no_header(tmp_path: Path) -> None:
    """The first row is a document; quotes are part of the text."""
    path = tmp_path / "msmarco-docs.tsv"
    path.write_text(MSMARCO)
    pages, errors, remarks = read(path, format="msmarco-docs")
    assert (errors, remarks) == ([], [])
    assert contents(pages) == [("D1", 'Flu\n\n"Rest is best'), ("D2", 'Drink "water".')]
    assert [page.url for page in pages] == ["http://a/", "http://b/"]
    numbered = read(path, no_header=True, id="1", text="4")[0]
    assert contents(numbered) == [("D1", '"Rest is best'), ("D2", 'Drink "water".')]
    path.write_text("1\tRest.\n2\tDrink.\n")
    assert contents(read(path, format="msmarco-passages")[0]) == [("1", "Rest."), ("2", "Drink.")]


def test_the_hint_for_a_table_without_header_keeps_its_first_row(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(MSMARCO)
    _, (error,), _ = read(path)
    assert "add --no-header and choose columns by number: --id-column 1 --text-column 2" in error
    path.write_text(MSMARCO.replace('"', ""))
    _, (error,), _ = read(path)
    assert "add --no-header and choose columns by number: --id-column 1 --text-column 4" in error
    assert "--id-column D1" not in error
    _, (error,), _ = read(path, no_header=True)
    assert "it has 1, 2, 3, 4; choose one with --id-column" in error


def test_an_unknown_format_is_one_sentence() -> None:
    with pytest.raises(OptionError, match="format 'trec' does not exist; choose one of msmarco-"):
        TableColumns(format="trec")


CSV = 'id;text\na;"Rest; and\ndrink, größer."\nb;Ende.\n'


@pytest.mark.parametrize(
    "data",
    [
        CSV.encode(),
        CSV.encode("utf-8-sig"),
        CSV.encode("utf-16"),
        ("\ufeff" + CSV).encode("utf-16-be"),
        CSV.encode("windows-1252"),
        ("sep=;\n" + CSV).encode(),
        CSV.replace("\n", "\r\n").encode(),
        CSV.replace("id;", "id,").replace("a;", "a,").replace("b;", "b,").encode(),
        CSV.replace("id;", "id\t").replace("a;", "a\t").replace("b;", "b\t").encode("utf-16"),
    ],
)
def test_csv_of_spreadsheets(tmp_path: Path, data: bytes) -> None:
    """Excel in Europe writes semicolons, in Windows-1252 or in UTF-16."""
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    pages, errors, _ = read(path)
    assert errors == []
    assert [(docno, str(text).replace("\r\n", "\n")) for docno, text in contents(pages)] == [
        ("a", "Rest; and\ndrink, größer."),
        ("b", "Ende."),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_labels_of_spreadsheets(tmp_path: Path, encoding: str, delimiter: str) -> None:
    """Tables of scores and of labels, too."""
    path = tmp_path / "t.csv"
    text = 'docno,words\na,3\n"b\nc",4\n'.replace(",", delimiter)
    path.write_bytes(text.encode(encoding))
    assert read_table(str(path)).to_pylist() == [
        {"docno": "a", "words": 3},
        {"docno": "b\nc", "words": 4},
    ]
    assert read_records(path) == [{"docno": "a", "words": "3"}, {"docno": "b\nc", "words": "4"}]


def test_a_large_csv_with_line_breaks_in_cells_is_a_table(tmp_path: Path) -> None:
    """Arrow cuts a file into blocks of a megabyte, and may cut within a cell."""
    rows = [{"docno": f"d{n}", "text": "Rest.\n\nDrink.\n" * 30, "label": n} for n in range(4_000)]
    path = tmp_path / "t.csv"
    out = io.StringIO("docno,text,label\n")
    out.seek(0, io.SEEK_END)
    for row in rows:
        out.write(f'{row["docno"]},"{row["text"]}",{row["label"]}\n')
    path.write_text(out.getvalue())
    assert path.stat().st_size > 1_500_000
    assert read_table(str(path)).to_pylist() == rows


def test_languages_that_are_stated(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "text": "x", "lang": "de_AT"},
        {"id": "2", "text": "x", "lang": "Python"},
        {"id": "3", "text": "x", "lang": None},
        {"id": "4", "text": "<p>x", "lang": "ENG"},
    ]
    write_jsonl(tmp_path / "t.jsonl", rows)
    pages, _, _ = read(tmp_path / "t.jsonl")
    assert [page.language for page in pages] == ["de-at", None, None, "eng"]
    write_jsonl(tmp_path / "t.jsonl", [{"id": "1", "text": "x", "sprache": "de"}])
    ((page,), _, _) = read(tmp_path / "t.jsonl", lang="sprache")
    assert page.language == "de"


@pytest.mark.parametrize("command", ["score", "extract", "features"])
def test_inputs_are_named_in_a_file(tmp_path: Path, understand: Run, command: str) -> None:
    """Such as warc.paths.gz of Common Crawl; other inputs may be named, too."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text("Rest, and drink enough water.")
    (tmp_path / "paths.gz").write_bytes(gzip.compress(b"a.txt\n\nb.txt\n"))
    options = ("--inputs-from", "paths.gz", "-o", "out.jsonl")
    understand(command, *options, cwd=tmp_path, status=0)
    assert [row["docno"] for row in read_records(tmp_path / "out.jsonl")] == ["a.txt", "b.txt"]
    understand(command, "c.txt", *options, cwd=tmp_path, status=0)
    assert len(read_records(tmp_path / "out.jsonl")) == 3
    (tmp_path / "paths.gz").write_bytes(gzip.compress(b"\n"))
    done = understand(command, *options, cwd=tmp_path, status=2)
    assert "paths.gz names no input; expected one path or URL a line" in done.stderr


def test_names_in_a_list_of_a_bucket_are_relative_to_it() -> None:
    """As in the lists of Common Crawl, at https://data.commoncrawl.org and s3://commoncrawl."""
    fsspec = pytest.importorskip("fsspec", reason="needs the extra s3")
    system = fsspec.filesystem("memory")
    lines = b"crawl-data/a.warc.gz\nmemory://other/b.warc.gz\n"
    system.pipe("/bucket/crawl-data/warc.paths.gz", gzip.compress(lines))
    paths = read_paths("memory://bucket/crawl-data/warc.paths.gz")
    assert paths == ["memory://bucket/crawl-data/a.warc.gz", "memory://other/b.warc.gz"]
