"""Reading may crash or hang: that costs one input."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from tests.conftest import Run
from tests.crawls.conftest import errors_of

from understandability.crawls import local
from understandability.crawls.folder import CrawlFolder
from understandability.crawls.score import crawl

HANGING = {"a": "READER-HANGS", "b": "Drink."}


def write(path: Path, texts: Sequence[str]) -> Path:
    """An Arrow file with a document for each text."""
    table = pa.table({"id": [f"{path.stem}{i}" for i in range(len(texts))], "text": texts})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.usefixtures("hazards")
def test_a_reader_that_dies_costs_one_input(tmp_path: Path, understand: Run) -> None:
    """Earlier rows stay, the error names the input, and the other inputs are read."""
    good = "You have flu. Rest and drink water."
    bad = write(tmp_path / "b.arrow", [good, "READER-DIES", good])
    inputs = [write(tmp_path / "a.arrow", [good]), bad, write(tmp_path / "c.arrow", [good])]
    run, output = f"{tmp_path}/run/", tmp_path / "m.parquet"
    process = understand(
        "score", *inputs, "-o", run, "--workers", 1, "--extractor", "naive", status=0
    )
    assert "3 documents scored" in process.stderr or "3 scored, 1 error" in process.stderr
    assert understand("crawl", "merge", run, "-o", output).returncode == 0
    (error,) = errors_of(output)
    assert (error["path"], error["stage"]) == (str(bad), "read")
    assert "reading stopped after 1 documents: the file ended its reader twice" in error["error"]
    assert "SIGSEGV" in error["error"]


@pytest.mark.usefixtures("hazards")
def test_a_reader_that_was_killed_once_loses_nothing(tmp_path: Path) -> None:
    """Another worker goes on after the documents that were read."""
    path = write(tmp_path / "a.arrow", ["Rest.", "You have flu.", "READER-ONCE", "Drink water."])
    facts = crawl(path, tmp_path / "run", workers=1, extractor="naive").facts
    assert (facts.scored, facts.failed.total()) == (4, 0)


def test_a_schema_that_ends_its_reader_costs_its_types(
    tmp_path: Path, understand_process: Run
) -> None:
    """`--keep` asks files for the types of columns: what dies there is not the program."""
    paths = [write(tmp_path / f"{name}.arrow", ["Rest."]) for name in ("a", "schema-dies", "z")]
    output = tmp_path / "scores.csv"
    hazards = os.pathsep.join([str(Path(__file__).parent / "hazards"), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": hazards}
    command = ["score", *paths, "-o", output, "--keep", "text", "--workers", "2"]
    ended = understand_process(*command, env=environment)
    assert ended.returncode == 0, ended.stderr
    assert output.read_text().count("Rest.") == 3


@pytest.mark.usefixtures("hazards")
def test_a_reader_that_hangs_costs_one_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that yields nothing for too long is ended, and the next input is read."""
    monkeypatch.setattr(local, "SILENT", 4.0)
    bad, good = (write(tmp_path / f"{n}.arrow", ["Rest.", t]) for n, t in HANGING.items())
    facts = crawl([bad, good], tmp_path / "run", workers=1, extractor="naive").facts
    assert (facts.scored, facts.failed.total()) == (3, 1)
    folder = CrawlFolder(str(tmp_path / "run"))
    (error,) = [
        each for part in folder.description_and_parts()[1] for each in folder.failures(part)
    ]
    assert error.path == str(bad)
    assert error.error.startswith("reading stopped after 1 documents: no document came for 4 s")
