"""First wrong steps: each message says what to do next, where the user looks."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from tests.conftest import Run

from understandability.errors import InputError
from understandability.inputs.tables import read_table, write_table

ROWS = [{"docno": "1", "body": "You have flu.", "rating": 2}]


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.parquet"])
def test_a_column_that_is_not_there_is_told_on_the_terminal(
    name: str, tmp_path: Path, understand: Run
) -> None:
    """Every format names its columns, also if the rows go to a file."""
    write_table(pa.Table.from_pylist(ROWS), str(tmp_path / name))
    for option, column in (("--keep", "nope"), ("--id-column", "idd")):
        done = understand(
            "score", tmp_path / name, option, column, "-o", tmp_path / "out.jsonl", status=1
        )
        assert done.stderr.count(f"has no column '{column}'; it has docno, body, rating") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train mine.csv", "for example: understand train judged --labels"),
        ("train judged mine.csv", "for example: understand train judged --labels"),
        (
            "train judged --labels mine.csv -o b",
            "with --label-column and --direction higher-harder or",
        ),
        ("train judged --labels mine.csv --label-column rating -o b", "say higher-harder or"),
        ("calibrate answers.csv", "for example: understand calibrate answers.csv --scores"),
    ],
)
def test_a_wrong_first_step_leads_to_the_right_second(
    words: str, message: str, tmp_path: Path, understand: Run
) -> None:
    """A table with docno, rating and body becomes your own bundle and reader."""
    lines = (f"d{n},{n % 4},Page {n} says rest." for n in range(40))
    (tmp_path / "mine.csv").write_text("docno,rating,body\n" + "\n".join(lines))
    done = understand(*words.split(), cwd=tmp_path, status=2)
    assert message in done.stderr


def test_formulas_are_no_formulas_in_a_spreadsheet(tmp_path: Path) -> None:
    """A text of a page that would be one gets an apostrophe, and `read_table` takes it away."""
    texts = ["=1+1", "-2", "'=x", "flu", "@a", None, "+\tb"]
    table = pa.table({"docno": texts, "=kept": texts, "number": [-1.5] * len(texts)})
    for name in ("t.csv", "t.tsv"):
        write_table(table, str(tmp_path / name))
        with (tmp_path / name).open(newline="") as file:
            header, *rows = csv.reader(file, delimiter="," if name == "t.csv" else "\t")
        assert header == ["docno", "'=kept", "number"]
        assert not [cell for row in rows for cell in row[:2] if cell[:1] in ("=", "+", "-", "@")]
        assert {row[2] for row in rows} == {"-1.5"}
        back = read_table(str(tmp_path / name))
        assert back.column_names == table.column_names
        assert back["=kept"].to_pylist()[:5] == texts[:5]


def test_long_values_are_shortened_in_messages(tmp_path: Path, understand: Run) -> None:
    """Quotations are shortened, and so is a list of very many columns."""
    assert len(str(InputError(f"the value {'x' * 10**6} is no number; write one"))) < 300
    record = json.dumps({f"c{number}": 1 for number in range(2_000)})
    (tmp_path / "t.jsonl").write_text(record)
    done = understand("score", tmp_path / "t.jsonl")
    assert len(done.stderr) < 2_000
    assert "choose one with --id-column" in done.stderr
