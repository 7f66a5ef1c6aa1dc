"""`--keep '*'`: all columns of tables, except id, content and URL."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import Run

from understandability.crawls.score import score
from understandability.inputs.page_tables import TableColumns

ROWS = [
    {
        "id": f"d{number}",
        "url": f"http://a/{number}",
        "text": "Rest well.",
        "lang": "en",
        "n": number,
    }
    for number in range(3)
]


def parquet(path: Path) -> Path:
    pq.write_table(pa.Table.from_pylist(ROWS), path / "t.parquet")
    return path / "t.parquet"


def jsonl(path: Path) -> Path:
    (path / "t.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return path / "t.jsonl"


def csv(path: Path) -> Path:
    lines = [",".join(ROWS[0]), *(",".join(map(str, row.values())) for row in ROWS)]
    (path / "t.csv").write_text("\n".join(lines))
    return path / "t.csv"


@pytest.mark.slow
@pytest.mark.parametrize("write", [parquet, jsonl, csv])
def test_all_columns_are_kept(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    """Typed as in Parquet, as text elsewhere."""
    rows = score(write(tmp_path), columns=TableColumns(keep=("*",)), extractor="naive")
    assert [str(row["n"]) for row in rows] == ["0", "1", "2"]
    assert {"id", "text"}.isdisjoint(rows.table.column_names)
    assert (rows.table.schema.field("n").type == pa.int64()) == (write is parquet)


@pytest.mark.slow
def test_columns_of_some_tables_are_named(tmp_path: Path, understand: Run) -> None:
    """Such columns cannot be kept; the command names them."""
    parquet(tmp_path)
    pq.write_table(pa.table({"id": ["x"], "text": ["Rest."], "n": [7]}), tmp_path / "u.parquet")
    output = tmp_path / "rows.parquet"
    inputs = sorted(tmp_path.glob("*.parquet"))
    process = understand(
        "score", *inputs, "--keep", "*", "-o", output, "--extractor", "naive", status=0
    )
    assert "only some tables have the columns lang, so they are not kept" in process.stderr
    assert pq.read_table(output)["n"].to_pylist() == [0, 1, 2, 7]
