"""Measure the recipes of docs/howto/pipelines.md: pages per second, and memory of a worker.

    python -m scripts.benchmark.pipelines [--data ../shared/data] [--recipes polars duckdb]

Every recipe whose package is installed runs as it stands on the page, on few health pages and on
many: the difference leaves starting out. Only processes that score are watched. dolma takes no
HTML: it gets the text of the same pages.
"""

import contextlib
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from importlib.metadata import PackageNotFoundError, version
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from scripts.faults.crawls import health_pages
from scripts.shared import ROOT, megabytes_of, parser_of

from understandability.scoring import Settings, document_under
from understandability.text.page import Page

RECIPE = re.compile(r"<!-- recipe: (\w+) -->\n```\w+\n(.*?)```", re.DOTALL)
ALONE = """\
import pyarrow.parquet as pq
import understandability as ud

pages = pq.read_table("pages.parquet")
pq.write_table(ud.score_table(pages, html="content", id="url", keep=["date"]), "scores.parquet")
"""
# Their input is a table of theirs, read by the lines of `polars` and others else.
LEFT_OUT = ("deltalake", "pyiceberg")
SCORES = "/lxml/etree."  # what only a process that scores has loaded
MARK = "UNDERSTANDABILITY_BENCHMARK"
POLL = 0.1


class Cost(NamedTuple):
    """The workers of a run: their processor seconds, and the largest memory of one in MB."""

    seconds: float
    megabytes: float


def processes(mark: str, seen: set[Path]) -> set[Path]:
    """Return the user's processes with the mark in their environment, and their children.

    Ray gives its workers names of their own, which stand where the environment was.
    """
    result = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if Path("/proc", parent) in seen or mark.encode() in (folder / "environ").read_bytes():
                result.add(folder)
        except OSError:  # ended meanwhile, or another user's
            continue
    return result


def spent(folder: Path) -> tuple[float, float]:
    """Processor seconds of a process, and its most memory in MB; 0 of one that scores nothing."""
    if SCORES not in (folder / "maps").read_text():
        return 0.0, 0.0
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK"), megabytes_of(folder.name, "VmHWM")


def cost(program: list[str], folder: Path) -> Cost:
    """Run a program in a folder, watching its processes."""
    value = str(uuid.uuid4())
    bin_folder = str(Path(sys.executable).parent)
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    seen: dict[Path, tuple[float, float]] = {}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            program, cwd=folder, stdout=log, stderr=log,
            env={**os.environ, "PATH": path, MARK: value},
        )  # fmt: skip
        while process.poll() is None:
            for folder_of_process in processes(f"{MARK}={value}", set(seen)):
                with contextlib.suppress(OSError):  # it ended meanwhile
                    seen[folder_of_process] = max(
                        seen.get(folder_of_process, (0.0, 0.0)), spent(folder_of_process)
                    )
            time.sleep(POLL)
    if process.returncode:
        raise SystemExit(f"{program}: {(folder / 'log').read_text('utf-8', 'replace')[-3000:]}")
    return Cost(sum(s for s, _ in seen.values()), max(m for _, m in seen.values()))


def prepare(folder: Path, pages: list[bytes], count: int, recipe: str) -> None:
    """Write pages in the format of the recipe, repeated under other names."""
    chosen = [page.decode("utf-8", "replace") for page in islice(cycle(pages), count)]
    urls = [f"http://a/{index}" for index in range(count)]
    table = pa.table({"url": urls, "content": chosen, "date": ["2026-01-01"] * count})
    pq.write_table(table, folder / "pages.parquet", row_group_size=100)
    if recipe != "dolma":
        return
    (folder / "documents").mkdir()
    with gzip.open(folder / "documents" / "pages.jsonl.gz", "wt", compresslevel=1) as lines:
        for url, page in zip(urls, chosen, strict=True):
            text = " ".join(document_under(Page(url, "", page), Settings()).pieces)
            lines.write(json.dumps({"id": url, "text": text, "source": "health"}) + "\n")


def measure(recipe: str, text: str, pages: list[bytes], few: int, many: int) -> str:
    """The line of a recipe in the table."""
    costs = []
    for count in (few, many):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder, pages, count, recipe)
            path = folder / ("recipe.sh" if recipe == "dolma" else "recipe.py")
            path.write_text(text, "utf-8")
            program = ["bash", "-e"] if recipe == "dolma" else [sys.executable, "-W", "ignore"]
            costs.append(cost([*program, path.name], folder))
    first, second = costs
    a_page = (second.seconds - first.seconds) / (many - few)
    try:
        title = f"{recipe} {version(recipe)}"
    except PackageNotFoundError:
        title = recipe
    return f"| {title} | {1 / a_page:.0f} | {second.megabytes:.0f} |"


def main() -> None:
    parser = parser_of(__doc__, few=50, many=350)
    parser.add_argument("--recipes", nargs="*")
    arguments = parser.parse_args()
    howto = ROOT / "docs" / "howto"
    files = [howto / "pipelines.md", *sorted((howto / "engines").glob("*.md"))]
    text = "".join(file.read_text("utf-8") for file in files)
    recipes = {"ud.score_table": ALONE, **dict(RECIPE.findall(text))}
    pages = health_pages(arguments.data)
    print("| recipe | pages/s of a worker | memory of a worker, MB |\n|---|--:|--:|")
    for recipe, text in recipes.items():
        wanted = arguments.recipes is None or recipe in arguments.recipes
        if not wanted or recipe in LEFT_OUT:
            continue
        if recipe != "ud.score_table":
            try:
                version(recipe)
            except PackageNotFoundError:
                continue
        print(measure(recipe, text, pages, arguments.few, arguments.many), flush=True)


if __name__ == "__main__":
    main()
