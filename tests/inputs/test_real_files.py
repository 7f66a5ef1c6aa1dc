"""Files of real collections are read completely."""

import gzip
from collections import Counter
from pathlib import Path

import pytest
import zstandard

from understandability.inputs.runs import read_run
from understandability.inputs.sources import Sources
from understandability.study.queries import read_queries
from understandability.text.page import HTML, Page


def lines_of_run(path: Path, _: Path) -> int:
    return len(read_run(path))


def topics(path: Path, _: Path) -> int:
    return len(read_queries(path))


def pages(path: Path, _: Path) -> int:
    sources = Sources([path])
    number = Counter(type(page) for page in sources)
    assert number.keys() == {Page}
    assert not sources.skipped
    return number[Page]


def responses(path: Path, folder: Path) -> int:
    """The pages of a crawl, which are the same as gzip, plain and zstd."""
    plain = gzip.decompress(path.read_bytes())
    (folder / "a.warc").write_bytes(plain)
    (folder / "a.warc.zst").write_bytes(zstandard.compress(plain))
    first, *others = (
        [(page.docno, page.content) for page in Sources([copy]) if isinstance(page, Page)]
        for copy in (path, folder / "a.warc", folder / "a.warc.zst")
    )
    assert {page.media_type for page in Sources([path]) if isinstance(page, Page)} == {HTML}
    assert others == [first, first]
    return len(first)


@pytest.mark.parametrize(
    ("read", "name", "number"),
    [
        (topics, "clef/clef2015/topics.xml", 66),
        (topics, "clef/clef2016/topics.xml", 300),
        (pages, "html/health_pages/health_pages.tar.gz", 946),
        (responses, "html/health_pages/sample.warc.gz", 250),
        (lines_of_run, "clef", None),  # each ninth run of the manifest
    ],
)
def test_real_files_are_read_completely(
    read: object, name: str, number: int | None, shared_data: Path, tmp_path: Path
) -> None:
    """They have the number of topics, pages and lines that their documentation states."""
    path = shared_data / name
    assert callable(read)
    if number is not None:
        assert read(path, tmp_path) == number
        return
    rows = [line.split("\t") for line in (path / "MANIFEST.tsv").read_text().splitlines()[1:]]
    lines = {file: int(count) for file, _, count, _ in rows if "runs" in file}
    for file in sorted(lines)[::9]:
        assert read(path / file, tmp_path) == lines[file], file
