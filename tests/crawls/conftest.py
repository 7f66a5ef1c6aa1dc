"""Small crawls for the tests."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from understandability.crawls.folder import CrawlFolder, Facts, Part
from understandability.text.page import Failure

collect_ignore = ["hazards"]


@pytest.fixture
def hazards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worker processes do to pages what their text says; see ``hazards/sitecustomize.py``."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "hazards"))


def commit(
    folder: CrawlFolder, part: Part, scored: Sequence[str], failed: Sequence[tuple[str, str]] = ()
) -> Facts:
    """Write a part with a row for each docno scored, and failures of (docno, stage)."""
    table = pa.table(
        {
            "docno": pa.array(scored, pa.string()),
            "path": [f"input{part.input}#{i}" for i in range(len(scored))],
            "difficulty": pa.array([10.0 * i for i in range(len(scored))], pa.float64()),
        },
        schema=pa.schema(
            [("docno", pa.string()), ("path", pa.string()), ("difficulty", pa.float64())]
        ),
    )
    failures = [Failure(docno, f"input{part.input}", stage, "told") for docno, stage in failed]
    there = CrawlFolder(folder.path, {"threshold": 40.0})
    return there.commit(part, table, failures, Counter(pictures=1))


def described(inputs: int, **settings: Any) -> dict[str, Any]:
    """A description of a crawl with a number of inputs."""
    files = [{"given": "crawl", "files": [[f"in{i}", f"in{i}", 100 + i]]} for i in range(inputs)]
    return {"settings": {"threshold": 40.0, **settings}, "limit_mb": 10.0, "inputs": files}


@pytest.fixture
def begun(tmp_path: Path) -> Callable[[int], CrawlFolder]:
    """A crawl folder of a number of inputs that has begun."""

    def of(inputs: int) -> CrawlFolder:
        folder = CrawlFolder(str(tmp_path / "run"))
        folder.begin(described(inputs))
        return folder

    return of


def errors_of(output: Path) -> list[dict[str, str]]:
    """The errors next to an output, in the order of the file."""
    return [*map(json.loads, Path(f"{output}.errors.jsonl").read_text().splitlines())]
