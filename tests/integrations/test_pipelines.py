"""The recipes of docs/howto/pipelines.md and docs/howto/engines: `pytest -m pipelines`."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from tests.conftest import ROOT

import understandability as ud

pytestmark = [pytest.mark.pipelines, pytest.mark.slow]

PAGES = [ROOT / "docs" / "howto" / "pipelines.md", *(ROOT / "docs/howto/engines").glob("*.md")]
TEXT = "".join(page.read_text("utf-8") for page in PAGES)
RECIPES = dict(re.findall(r"<!-- recipe: (\w+) -->\n```\w+\n(.*?)```", TEXT, re.DOTALL))
EASY = "You have flu. Rest, and drink water. See a doctor if you do not feel well in a week. "
HARD = "Immunohistochemical characterisation of glomerulonephritides necessitates microscopy. "


def pages() -> pa.Table:
    """Twelve pages: every third is hard, one is missing, and only the last has a date."""
    texts = [(HARD if number % 3 == 0 else EASY) * (5 + number) for number in range(12)]
    html: list[str | None] = [f"<html lang=en><body><p>{text}</p></body></html>" for text in texts]
    html[7] = None
    urls = [f"http://a/{number}" for number in range(12)]
    dates = [None] * 11 + ["2026-01-01"]
    return pa.table({"url": urls, "content": html, "date": pa.array(dates, pa.string())})


def run(recipe: str, folder: Path) -> None:
    """Run a recipe in a folder, as a user would."""
    path = folder / ("recipe.sh" if recipe == "dolma" else "recipe.py")
    path.write_text(RECIPES[recipe], "utf-8")
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder),
        "RAY_ADDRESS": "local",  # else Ray joins the cluster of another program on this machine
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    program = ["bash", "-e"] if recipe == "dolma" else [sys.executable]
    for _ in range(4):
        done = subprocess.run(
            [*program, path.name],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        # Ray gives up on a node after 30 s, which a busy machine may exceed.
        if "timed out during startup" not in done.stderr:
            break
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def by_name(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["docno"]: row for row in table.to_pylist()}


def written(folder: Path) -> pa.Table:
    """Read the Parquet that a recipe wrote: one file, or the files of a folder."""
    single = folder / "scores.parquet"
    return (
        pq.read_table(single)
        if single.exists()
        else ds.dataset(sorted((folder / "scores").glob("*.parquet"))).to_table()
    )


@pytest.mark.parametrize("recipe", ["ray", "pyspark", "dask", "datasets", "polars", "duckdb"])
def test_a_table_has_the_rows_of_one_call(recipe: str, tmp_path: Path) -> None:
    """Every page, with equal values, kept columns and reasons."""
    pytest.importorskip("dask.dataframe" if recipe == "dask" else recipe)
    if recipe == "pyspark" and not (shutil.which("java") or "JAVA_HOME" in os.environ):
        pytest.skip("needs Java")
    pq.write_table(pages(), tmp_path / "pages.parquet", row_group_size=4)
    run(recipe, tmp_path)
    check(written(tmp_path))


def check(table: pa.Table) -> None:
    expected = ud.score_table(pages(), html="content", id="url", keep=["date"])
    assert table.num_rows == 12
    assert set(expected.column_names) <= set(table.column_names)
    rows = by_name(table)
    for docno, row in by_name(expected).items():
        # Numbers that are not known are null, or NaN where a package has no null.
        found = {name: rows[docno][name] for name in row}
        assert {n: None if v != v else v for n, v in found.items()} == row
    assert rows["http://a/7"]["error"] == "the row has no 'content'"


def test_a_delta_table(tmp_path: Path) -> None:
    """A Delta table in, another out; rows of an older version are not scored."""
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "pages", pages().slice(0, 3))
    deltalake.write_deltalake(tmp_path / "pages", pages(), mode="overwrite")
    run("deltalake", tmp_path)
    check(pa.table(deltalake.DeltaTable(tmp_path / "scores").to_pyarrow_table()))


def test_an_iceberg_table(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    catalogs = pytest.importorskip("pyiceberg.catalog")
    where = {"type": "sql", "uri": f"sqlite:///{tmp_path}/c.db", "warehouse": f"file://{tmp_path}"}
    lines = [f"    {name}: {value}" for name, value in where.items()]
    (tmp_path / ".pyiceberg.yaml").write_text("\n".join(["catalog:", "  default:", *lines]))
    catalog = catalogs.load_catalog("default", **where)
    catalog.create_namespace("web")
    catalog.create_table("web.pages", schema=pages().schema).append(pages())
    run("pyiceberg", tmp_path)
    check(catalog.load_table("web.scores").scan().to_arrow())


def test_a_step_and_a_filter_of_datatrove(tmp_path: Path) -> None:
    """Easy pages pass, hard ones and those that cannot be scored are dropped."""
    pytest.importorskip("datatrove")
    pq.write_table(pages(), tmp_path / "pages.parquet")
    run("datatrove", tmp_path)
    with gzip.open(tmp_path / "scores" / "00000.jsonl.gz", "rt") as stream:
        passed = list(map(json.loads, stream))
    expected = by_name(ud.score_table(pages(), html="content", id="url"))
    easy = [name for name, row in expected.items() if (row["p_understandable"] or 0) >= 0.5]
    assert 0 < len(easy) < 11
    assert [row["id"] for row in passed] == easy
    values = [expected[name]["p_understandable"] for name in easy]
    assert [row["p_understandable"] for row in passed] == pytest.approx(values)
    assert {row["error"] for row in passed} == {""}


def test_a_step_reports_documents_without_a_score() -> None:
    """They get NaN, empty text and the reason, so that each field has one type."""
    pytest.importorskip("datatrove")
    from datatrove.data import Document

    from understandability.integrations.datatrove import UnderstandabilityStep

    step = UnderstandabilityStep(["p_understandable", "words", "flags"], threshold=0.1, user="step")
    texts = [EASY, "%PDF-1.7 \x00\x01", EASY]
    documents = [Document(text=text, id=str(number)) for number, text in enumerate(texts)]
    scored = [document.metadata for document in step(iter(documents))]
    assert [row["p_understandable"] for row in scored][::2] == [0.0, 0.0]
    assert [row["words"] for row in scored][::2] == [19.0, 19.0]
    assert scored[1]["words"] != scored[1]["words"]
    assert scored[1]["flags"] == ""
    assert "PDF" in scored[1]["error"]
    assert scored[0]["error"] == ""
    assert step.stats["scored"].total == 2


def test_a_tagger_of_dolma(tmp_path: Path) -> None:
    """Attributes in a folder next to the documents, as its mixer expects; none without words."""
    pytest.importorskip("omegaconf")
    pytest.importorskip("dolma.cli", exc_type=ImportError)
    (tmp_path / "documents").mkdir()
    texts = [EASY * 5, HARD * 5, "?!"]
    lines = [
        json.dumps({"id": str(number), "text": text, "source": "test", "added": "", "created": ""})
        for number, text in enumerate(texts)
    ]
    with gzip.open(tmp_path / "documents" / "pages.jsonl.gz", "wt") as stream:
        stream.write("\n".join(lines) + "\n")
    run("dolma", tmp_path)
    [path] = (tmp_path / "attributes").rglob("*.gz")
    with gzip.open(path, "rt") as stream:
        rows = list(map(json.loads, stream))
    assert [row["id"] for row in rows] == ["0", "1", "2"]
    name = next(key for key in rows[0]["attributes"] if key.endswith("p_understandable"))
    for row, text in zip(rows[:2], texts, strict=False):
        p = ud.score_text(text)["p_understandable"]
        assert row["attributes"][name] == [[0, len(text), round(p, 5)]]
    assert rows[2]["attributes"][name] == []


def test_every_recipe_has_its_test() -> None:
    tested = {"deltalake", "pyiceberg", "datatrove", "dolma", "nemo_curator", "data_prep_kit"}
    tables: Callable[..., None] = test_a_table_has_the_rows_of_one_call
    [mark] = [m for m in tables.pytestmark if m.name == "parametrize"]  # type: ignore[attr-defined]
    assert RECIPES.keys() == tested | set(mark.args[1])


def test_a_stage_of_nemo_curator() -> None:
    """A batch has its scores; one that cannot be scored has none."""
    tasks = pytest.importorskip("nemo_curator.tasks")
    names: dict[str, Any] = {}
    exec(RECIPES["nemo_curator"], names)
    table = pa.table({"text": [EASY * 5, HARD * 5, ""]})
    batch = names["Understandability"]().process(tasks.DocumentBatch("web", table))
    easy, hard, none = batch.to_pyarrow()["p_understandable"].to_pylist()
    assert easy > hard
    assert none is None


def test_a_transform_of_data_prep_kit() -> None:
    """From the bytes of a Parquet file to those of another, as its runtimes call it."""
    pytest.importorskip("data_processing")
    names: dict[str, Any] = {}
    exec(RECIPES["data_prep_kit"], names)
    file = pa.BufferOutputStream()
    pq.write_table(pa.table({"contents": [EASY * 5, HARD * 5, ""]}), file)
    transform = names["UnderstandabilityTransform"]({})
    ((content, suffix),), facts = transform.transform_binary(
        "a.parquet", file.getvalue().to_pybytes()
    )
    easy, hard, none = pq.read_table(pa.BufferReader(content))["p_understandable"].to_pylist()
    assert easy > hard
    assert none is None
    assert (suffix, facts["scored"]) == (".parquet", 2)
