"""`understand score -o FOLDER/ --without PATH`: a begun crawl gives up an input."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.conftest import Run
from tests.crawls.conftest import errors_of

from understandability.crawls import plan
from understandability.crawls.merge import merge
from understandability.crawls.score import crawl
from understandability.crawls.status import status

pytestmark = pytest.mark.slow
TEXT = "You have flu. Rest and drink water. See a doctor if you do not get better."
QUICK = ("--workers", "1", "--extractor", "naive")


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three tables with four texts each, in parts of two, and a page."""
    monkeypatch.setattr(plan, "PART_RECORDS", 2)
    paths = [tmp_path / f"c{number}.jsonl" for number in range(3)]
    for path in paths:
        lines = [json.dumps({"id": f"{path.stem}-{i}", "text": f"{TEXT} {i}"}) for i in range(4)]
        path.write_text("\n".join(lines))
    page = tmp_path / "p.txt"
    page.write_text(TEXT)
    return [*paths, page]


def merged(folder: Path) -> tuple[dict[str, dict[str, object]], list[tuple[str, str]]]:
    """The rows of a crawl by docno, and its errors."""
    output = folder.with_suffix(".parquet")
    merge(folder, output)
    rows = {row["docno"]: row for row in pq.read_table(output).to_pylist()}
    return rows, [(row["path"], row["error"]) for row in errors_of(output)]


def lose_parts(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        (folder / "scores" / f"{name}.parquet").unlink()


def test_a_begun_crawl_gives_up_an_input(
    tmp_path: Path, inputs: list[Path], understand: Run
) -> None:
    """A vanished file keeps its finished part, all other rows stay, and every report names it."""
    run, lost = tmp_path / "run", inputs[1]
    assert understand("score", *inputs, "-o", f"{run}/", *QUICK).returncode == 0
    before = {str(row["docno"]): row for row in merge(run)}  # type: ignore[union-attr]
    lose_parts(run, ["0000001-00001-end", "0000002-00000", "0000002-00001-end"])
    lost.unlink()
    refused = understand("score", *inputs, "-o", f"{run}/", *QUICK)
    assert f"{lost} does not exist" in refused.stderr
    process = understand("score", *inputs, "-o", f"{run}/", *QUICK, "--without", lost, status=0)
    assert f"given up: {lost}" in process.stderr
    assert f"given up: {lost}" in understand("crawl", "status", run).stdout
    rows, errors = merged(run)
    assert rows == {name: row for name, row in before.items() if name not in ("c1-2", "c1-3")}
    assert errors == [(str(lost), "given up (--without)")]
    settings = pq.read_schema(run.with_suffix(".parquet")).metadata[b"understandability"]
    assert json.loads(settings)["without"] == [str(lost)]
    again = understand("score", *inputs, "-o", f"{run}/", *QUICK)
    assert "0 documents now" in again.stderr


def test_a_changed_input_of_a_folder_is_given_up_for_good(
    tmp_path: Path, inputs: list[Path]
) -> None:
    """The next run needs no option; parts that got lost since are failures, too."""
    run = tmp_path / "run"
    folder = inputs[0].parent / "crawl"
    folder.mkdir()
    for path in inputs:
        path.rename(folder / path.name)
    crawl(folder, run, workers=1, extractor="naive")
    lose_parts(run, ["0000001-00000"])
    (folder / "c1.jsonl").write_text("nonsense")
    crawl(folder, run, workers=1, extractor="naive", without=[folder / "c1.jsonl"])
    result = status(run)
    assert (result.complete, result.facts.scored, result.facts.failed.total()) == (4, 11, 1)
    lose_parts(run, ["0000001-00001-end", "0000000-00000"])
    assert crawl(folder, run, workers=1, extractor="naive").facts.scored == 9 + 2 - 2
    assert merged(run)[1] == [(f"{folder}/c1.jsonl", "given up (--without)")] * 2


def test_what_cannot_be_given_up(tmp_path: Path, inputs: list[Path], understand: Run) -> None:
    """Another file, a file of a crawl that is not begun, or of an output that is no folder."""
    run = f"{tmp_path}/run/"
    command = ("score", *inputs, *QUICK, "--without", inputs[0], "-o")
    assert "is not a crawl folder" in understand(*command, run).stderr
    assert "--without belongs to a crawl folder" in understand(*command, "s.parquet").stderr
    assert understand("score", *inputs, *QUICK, "-o", run).returncode == 0
    process = understand("score", *inputs, *QUICK, "-o", run, "--without", "c9.jsonl")
    assert f"--without c9.jsonl: the crawl in {run[:-1]} has no such file; it has" in process.stderr


def test_a_page_read_together_with_others(tmp_path: Path, inputs: list[Path]) -> None:
    """Its neighbours are read; if some have rows already, the message says what to do."""
    folder, run = tmp_path / "pages", tmp_path / "run"
    folder.mkdir()
    for i in range(5):
        (folder / f"{i}.txt").write_text(f"{TEXT} Page {i}.")
    crawl(folder, run, workers=1, extractor="naive")
    lose_parts(run, ["0000000-00001"])
    (folder / "3.txt").unlink()
    with pytest.raises(Exception, match=r"read together with 4 more files.* remove .*/0000000-\*"):
        crawl(folder, run, workers=1, extractor="naive", without=[f"{folder}/3.txt"])
    for part in (run / "scores").iterdir():
        part.unlink()
    result = crawl(folder, run, workers=1, extractor="naive", without=[f"{folder}/3.txt"])
    assert (result.complete, result.facts.scored, result.without) == (1, 4, (f"{folder}/3.txt",))
