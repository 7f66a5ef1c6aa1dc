"""`understand extract` as a user runs it."""

import gzip
import html
import io
import json
import sys
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.conftest import LONG, PANEL, Run

from understandability.text.analysis import BUILT_IN_EXTRACTORS

PAGE = f"""<html lang=en><head><title>Flu - Health A to Z</title></head><body>
<h1>Flu</h1><p>{LONG} {LONG}</p><h2>Care</h2><p>{LONG} {LONG}</p><p>&copy; 2024</p>
<ul><li><a href=/>Home</a></li></ul></body></html>"""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A folder with a page, a text, and what is neither."""
    folder = tmp_path / "pages"
    (folder / "sub").mkdir(parents=True)
    (folder / "flu.html").write_text(PAGE)
    (folder / "sub" / "note.txt").write_text("Rest\n\nDrink water.")
    (folder / "paper.html").write_bytes(b"%PDF-1.7")
    return folder


def test_text_on_the_terminal(understand: Run, pages: Path) -> None:
    """A line for each field that ends a sentence; what fails is told, and the rest goes on."""
    done = understand("extract", pages, status=0)
    assert done.stdout == (
        f"== flu.html\nFlu.\n{LONG} {LONG}\nCare.\n{LONG} {LONG}\n\n"
        "== sub/note.txt\nRest.\nDrink water.\n\n"
    )
    (line,) = done.stderr.splitlines()
    assert line.endswith("paper.html: decode: the content is PDF data, not HTML or plain text")


def test_strict_ends_with_1_where_a_page_failed(
    understand: Run, pages: Path, tmp_path: Path
) -> None:
    assert understand("extract", pages, "--strict").returncode == 1
    assert understand("extract", pages / "flu.html", "--strict").returncode == 0
    assert understand("extract", pages, "--strict", "-o", f"{tmp_path}/t/").returncode == 1
    output = tmp_path / "rows.jsonl"
    assert understand("extract", pages, "--strict", "-o", output).returncode == 1
    assert len(output.read_text().splitlines()) == 2


def test_a_folder_gets_a_file_for_each_document(
    understand: Run, pages: Path, tmp_path: Path
) -> None:
    """Under its docno; with --explain the blocks instead."""
    assert understand("extract", pages, "-o", f"{tmp_path}/texts/").returncode == 0
    texts = tmp_path / "texts"
    assert sorted(path.name for path in texts.rglob("*.txt")) == ["flu.html.txt", "note.txt.txt"]
    assert (texts / "sub" / "note.txt.txt").read_text() == "Rest.\nDrink water.\n"
    assert understand("extract", pages, "--explain", "-o", f"{tmp_path}/blocks/").returncode == 0
    *_, last = (tmp_path / "blocks" / "flu.html.txt").read_text().splitlines()
    assert last == "drop\tmostly links\tli\tHome"


def test_no_document_overwrites_another(understand: Run, tmp_path: Path) -> None:
    """Nor leaves the folder, whatever its docno; a long one is cut."""
    docnos = ["a b", "a_b", "A_b", "a_b-2", "../../c", "/d", "x", "x.txt/y", "//", "日本" * 90, "."]
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(json.dumps({"id": docno, "text": f"It is {docno}."}) + "\n" for docno in docnos)
    )
    done = understand("extract", rows, "-o", f"{tmp_path}/in/texts/")
    assert (done.returncode, done.stderr) == (0, "")
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path != rows]
    assert {path.read_text().strip() for path in files} == {f"It is {docno}." for docno in docnos}
    assert all(path.is_relative_to(tmp_path / "in" / "texts") for path in files)


def test_rows(understand: Run, pages: Path, tmp_path: Path) -> None:
    """A file gets rows, with files of errors and settings next to it; - is JSON Lines."""
    output = tmp_path / "rows.jsonl.gz"
    done = understand("extract", pages, "-o", output, status=0)
    assert "2 documents, 1 error " in done.stderr
    with gzip.open(output, "rt", encoding="utf-8") as lines:
        flu, note = map(json.loads, lines)
    assert flu["text"].startswith("Flu.\nThe flu is")
    assert (flu["docno"], flu["title"], flu["language"], flu["encoding"], flu["flags"]) == (
        "flu.html", "Flu - Health A to Z", "en", "utf-8", "",
    )  # fmt: skip
    assert (note["docno"], note["title"], note["language"]) == ("sub/note.txt", "", "en")
    (failure,) = map(json.loads, Path(f"{output}.errors.jsonl").read_text().splitlines())
    assert (failure["docno"], failure["stage"]) == ("paper.html", "decode")
    settings = json.loads(Path(f"{output}.settings.json").read_text())
    assert (settings["extractor"], settings["sentence_ends"]) == ("main", "force-period")
    done = understand("extract", pages / "flu.html", "-o", "-", "--quiet")
    assert done.stderr == ""
    assert json.loads(done.stdout)["text"] == flu["text"]


def test_blocks_in_rows(understand: Run, pages: Path, tmp_path: Path) -> None:
    """--explain adds every block, kept or dropped, with its element and the reason."""
    output = tmp_path / "rows.parquet"
    assert understand("extract", pages / "flu.html", "--explain", "-o", output).returncode == 0
    (row,) = pq.read_table(output).to_pylist()
    assert row["blocks"][-1] == {
        "text": "Home", "tag": "li", "kept": False, "reason": "mostly links",
    }  # fmt: skip
    kept = [block["text"] for block in row["blocks"] if block["kept"]]
    assert row["text"].splitlines() == ["Flu.", kept[1], "Care.", kept[3]]


def test_explain_on_the_terminal(understand: Run, pages: Path) -> None:
    done = understand("extract", pages / "flu.html", "--explain", "--extractor", "justext")
    assert f"keep\tgood\tp\t{LONG} {LONG}" in done.stdout.splitlines()
    assert any(line.startswith("drop\tbad\tp\t©") for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("extractor", "first"),
    [("naive", "Flu - Health A to Z"), ("boilerpipe", "Flu"), ("justext", "Flu")],
)
@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_extractors_and_engines(
    understand: Run, pages: Path, extractor: str, first: str, engine: str
) -> None:
    """Both engines read this page alike; the reference engine says nothing of its own."""
    done = understand(
        "extract", pages / "flu.html", "--extractor", extractor, "--engine", engine,
        "--sentence-ends", "force-period-always",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1] == f"{first}."
    assert f"{LONG}.\n" in done.stdout  # which ends already
    assert done.stdout.count(LONG) == 4
    assert ("© 2024" in done.stdout) == (extractor != "justext")
    assert ("Home" in done.stdout) == (extractor == "naive")


def test_a_page_that_defeats_a_library_is_an_error_row(understand: Run, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"No tag. {LONG}")
    (tmp_path / "b.html").write_text(PAGE)
    done = understand(
        "extract", tmp_path, "--extractor", "boilerpipe", "--engine", "reference", status=0
    )
    assert done.stdout.startswith("== b.html")
    (line,) = done.stderr.splitlines()
    assert "a.html: extract: boilerpipe failed on the page (AttributeError: " in line


@pytest.mark.parametrize("command", ["extract", "score"])
def test_trafilatura_that_is_not_installed(
    understand: Run, pages: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is told at once, not as an error of each page."""
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    done = understand(command, pages, "--extractor", "trafilatura")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "understand: extractor trafilatura is an extra; "
        "pip install '.[trafilatura]' in the source folder\n"
    )


def test_docnos_and_limit(understand: Run, pages: Path, tmp_path: Path) -> None:
    """Only the documents of a list; longer ones than the limit are errors."""
    (tmp_path / "docnos").write_text("sub/note.txt\n")
    done = understand("extract", pages, "--docnos", tmp_path / "docnos")
    assert (done.stdout, done.stderr) == ("== sub/note.txt\nRest.\nDrink water.\n\n", "")
    (pages / "flu.html").write_text(PAGE * 2)
    done = understand("extract", pages, "--limit-mb", "0.001")
    assert done.stdout.startswith("== sub/note.txt")
    assert "flu.html: read: " in done.stderr


def test_standard_input(understand: Run) -> None:
    done = understand("extract", "-", stdin=PAGE.encode("utf-16"), status=0)
    assert done.stdout.count(LONG) == 4


@pytest.mark.parametrize("extractor", BUILT_IN_EXTRACTORS)
def test_pages_of_many_kinds(understand: Run, extractor: str, tmp_path: Path) -> None:
    """Each page of an archive is a row, with text for nearly all, under every method."""
    files = sorted(PANEL.glob("*.txt"))[::3]
    with tarfile.open(tmp_path / "few.tar", "w") as archive:
        for path in files:
            paragraphs = path.read_text("utf-8").split("\n\n")
            body = "".join(f"<p>{html.escape(paragraph)}</p>" for paragraph in paragraphs)
            page = f"""<html lang=en><title>{path.stem}</title><ul><li><a href=/>Home</a><li><a
                href=/b>About</a></ul><h1>{path.stem}</h1>{body}<p>&copy; 2024</p>""".encode()
            member = tarfile.TarInfo(f"{path.stem}.html")
            member.size = len(page)
            archive.addfile(member, io.BytesIO(page))
    output = tmp_path / "out.jsonl"
    understand("extract", tmp_path / "few.tar", "--extractor", extractor, "-o", output, status=0)
    rows = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    errors = Path(f"{output}.errors.jsonl")
    failures = errors.read_text("utf-8").splitlines() if errors.exists() else []
    assert len(rows) + len(failures) == len(files) > 10
    assert sum(len(row["text"].split()) > 50 for row in rows) > 0.8 * len(files)
