"""Tables: every format reads back what was written, and a file is complete or not there."""

import gzip
import json
import math
from pathlib import Path

import pyarrow as pa
import pytest

from understandability.errors import InputError, OptionError
from understandability.inputs.tables import (
    TableWriter,
    read_table,
    settings_of,
    table_format,
    write_table,
)

ROWS = pa.table({"docno": ["a", 'Grüße, "x"\t\''], "difficulty": [12.5, math.nan], "words": [3, 0]})
READ = [
    {"docno": "a", "difficulty": 12.5, "words": 3},
    {"docno": 'Grüße, "x"\t\'', "difficulty": None, "words": 0},
]
SUFFIXES = [".jsonl", ".jsonl.gz", ".csv", ".csv.zst", ".tsv", ".tsv.gz", ".parquet"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_reads_back(tmp_path: Path, suffix: str) -> None:
    """Values, NaN as null, and the settings."""
    path = str(tmp_path / f"t{suffix}")
    with TableWriter(path, settings={"threshold": 40}) as writer:
        writer.write(ROWS.slice(0, 1))
        writer.write(ROWS.slice(1))
    assert read_table(path).to_pylist() == READ
    assert read_table(path, ["words"]).column_names == ["words"]
    assert settings_of(path) == {"threshold": 40}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    """No time stamp, no name of the file in it."""
    for name in ("a", "b"):
        write_table(ROWS, str(tmp_path / f"{name}{suffix}"))
    one, two = (tmp_path / f"{name}{suffix}" for name in ("a", "b"))
    assert one.read_bytes() == two.read_bytes()


def test_a_half_written_file_never_appears(tmp_path: Path) -> None:
    """After an error, no new file remains, and an older one is unchanged."""
    path = tmp_path / "t.csv"
    path.write_text("older")
    with pytest.raises(AttributeError), TableWriter(str(path)) as writer:
        writer.write("no table")  # type: ignore[arg-type]
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]
    assert path.read_text() == "older"


@pytest.mark.parametrize("name", ["scores", "scores.xls", "scores.parquet.gz", "x.gz"])
def test_other_suffixes_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match=r"name a \.jsonl, \.csv, \.tsv"):
        table_format(name)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """No other file remains."""
    (tmp_path / "out.jsonl").mkdir()
    with pytest.raises(InputError, match="it is a folder; name a file in it"):
        write_table(ROWS, str(tmp_path / "out.jsonl"))
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    """Before any work is done."""
    with pytest.raises(InputError, match=r"its folder does not exist; make it first"):
        TableWriter(str(tmp_path / "none/t.csv"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", b"not json"),
        ("t.parquet", b"PAR1"),
        ("t.csv", b"a,b\n1\n"),
        ("t.jsonl.gz", gzip.compress(b'{"a": 1}', mtime=0)[:-4]),
        ("t.jsonl", b'{"a": 1}\n{"a":' + b"[" * 20_000),  # ended the process
        ("t.jsonl", b'{"a":' * 20_000),
        ("t.csv", b"a," * 100_000 + b"b\n"),  # took a gigabyte
    ],
)
def test_damaged_tables_are_told(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=name.replace(".", r"\.")):
        read_table(str(tmp_path / name))


def test_a_missing_column_is_told(tmp_path: Path) -> None:
    write_table(ROWS, str(tmp_path / "t.tsv"))
    with pytest.raises(InputError, match="has no column 'fog'; it has docno, difficulty, words"):
        read_table(str(tmp_path / "t.tsv"), ["fog"])


def test_docnos_stay_text(tmp_path: Path) -> None:
    """A docno of digits is no number, in any format."""
    for suffix in SUFFIXES:
        write_table(pa.table({"docno": ["007", "12"]}), str(tmp_path / f"t{suffix}"))
        assert read_table(str(tmp_path / f"t{suffix}"))["docno"].to_pylist() == ["007", "12"]


def test_jsonl_is_plain_json(tmp_path: Path) -> None:
    """One object a line, NaN as null."""
    write_table(ROWS, str(tmp_path / "t.jsonl"))
    lines = (tmp_path / "t.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == READ
