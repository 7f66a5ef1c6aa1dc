"""Every command of the README runs, in order, on small files of the names that it uses."""

import gzip
import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.conftest import PANEL, ROOT, SAMPLES, Run
from tests.inputs.test_warc import record, response

README = (ROOT / "README.md").read_text("utf-8")
# In code blocks, in order; `pip install ... &&` before a command is another test's.
LINES = re.findall(
    r"^    (?:pip install \S+ && )?(understand (?:[^\\\n]|\\\n)*)", README, re.MULTILINE
)
COMMANDS = [shlex.split(line.replace("\\\n", " "))[1:] for line in LINES]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the README's commands read."""
    warc = b"".join(
        record(response(page.read_bytes()), WARC_Target_URI=f"https://example.org/{page.name}")
        for page in sorted(SAMPLES.glob("*.html"))
    )
    shutil.copytree(SAMPLES, tmp_path / "resources" / "samples")
    shutil.copytree(SAMPLES, tmp_path / "pages")
    (tmp_path / "crawl").mkdir()
    for name in ("crawl.warc.gz", "crawl/1.warc.gz"):
        (tmp_path / name).write_bytes(gzip.compress(warc))
    for name, page in zip(("leaflet", "before", "after"), ("medium", "hard", "easy"), strict=True):
        shutil.copy(SAMPLES / f"{page}.html", tmp_path / f"{name}.html")
    (tmp_path / "my.run").write_text("q Q0 d1 1 2.0 mine\nq Q0 d2 2 1.0 mine\n")
    (tmp_path / "qrels.txt").write_text("q 0 d1 1\nq 0 d2 1\n")
    (tmp_path / "qunder.txt").write_text("q 0 d1 90\nq 0 d2 10\n")
    texts = sorted(PANEL.glob("*.txt"))
    for name, chosen in (("mine.csv", texts[::2]), ("others.csv", texts[1::2])):
        rows = [f'"{text.stem}","{_text(text)}",{_rating(_text(text))}' for text in chosen]
        (tmp_path / name).write_text("\n".join(["id,text,rating", *rows]))
    return tmp_path


def _text(path: Path) -> str:
    return " ".join(path.read_text("utf-8").replace('"', "'").split())[:1500]


def _rating(text: str) -> int:
    """A label that rises with the length of words, so that it can be learned."""
    return round(len(text) / len(text.split()) * 2)


@pytest.mark.slow
@pytest.mark.usefixtures("few_resamples", "one_core")
def test_its_commands_run_in_order(understand: Run, folder: Path) -> None:
    """But for the server, which tests/writers/serve starts."""
    run = [command for command in COMMANDS if command[0] != "serve"]
    assert len(run) > 10
    for command in run:
        files = sorted(folder.glob("crawl/*.warc.gz"))
        words = [
            word
            for each in command
            for word in (map(str, files) if each == "crawl/*.warc.gz" else [each])
        ]
        understand(*words, cwd=folder, status=0)
    written = {path.name for path in folder.iterdir()}
    assert {"scores.parquet", "report.html", "rewrite.html", "my-bundle"} <= written
