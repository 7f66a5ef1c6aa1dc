"""The documents tell the truth: their Python runs, their commands exist, their parts are fresh."""

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.browser import browser_path
from scripts.docs.search_words import ANSWERS, missed
from tests.conftest import ROOT

import understandability as ud
from understandability.cli import COMMANDS, GROUPS

DOCS = ROOT / "docs"
# What people read; sources of parts that scripts generate are among them.
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")]
each = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
WITH_EXAMPLES = [page for page in PAGES if ">>> " in page.read_text("utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_its_python_gives_what_stands_below_it(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted > 0
    assert results.failed == 0


def test_there_are_examples_in_the_readme_and_the_concepts() -> None:
    """Else the test above would hold nothing."""
    names = {page.name for page in WITH_EXAMPLES}
    assert {
        "README.md",
        "measures.md",
        "understanding.md",
        "extraction.md",
        "pipelines.md",
    } <= names


def heading_anchors(page: Path) -> set[str]:
    """The anchors that a host makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in kept}


@each
def test_its_links_lead_somewhere(page: Path) -> None:
    """Files that it names are there, with the headings."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for link, heading in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)]+))?\)", text):
        place = (page.parent / link).resolve() if link else page
        assert place.exists(), link
        if heading and place.suffix == ".md":
            assert heading in heading_anchors(place), f"{link}#{heading}"


def options_of_commands() -> dict[str, set[str]]:
    """The options of every command, and of groups such as ``understand crawl``, which have none."""
    options = {f"understand {group}": {"--help"} for group in GROUPS}
    for command in COMMANDS:
        names = {name for argument in command.arguments for name in argument.names}
        options[f"understand {command.name}"] = names | {"--help"}
    return options


@each
def test_its_commands_exist(page: Path) -> None:
    """With every option that is given to them."""
    helps = options_of_commands()
    text = page.read_text("utf-8")
    lines = re.findall(r"^    (understand (?:[^\\\n]|\\\n)*)", text, re.MULTILINE)
    for line in re.findall(r"`(understand [a-z]+ [a-z]+)`", text) * (page.stem != "CHANGELOG"):
        assert line in helps  # named within a sentence, a third word is no file
    for line in lines:
        words = shlex.split(line.replace("\\\n", " "))
        named = [" ".join(words[:count]) for count in (3, 2)]
        heading = next((name for name in named if name in helps), None)
        assert heading, line
        options = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
        assert options <= helps[heading], line


@each
def test_its_scripts_exist(page: Path) -> None:
    """Whatever is said to be measured can be measured again: what they import of us is there."""
    for name in set(re.findall(r"python -m (scripts(?:\.\w+)+)", page.read_text("utf-8"))):
        try:
            importlib.import_module(name)
        except ImportError as error:  # of a package that is not installed
            if str(error.name).partition(".")[0] in ("understandability", "scripts"):
                raise


@pytest.mark.slow
@pytest.mark.parametrize("name", ["update", "pictures"])
def test_what_scripts_made_is_not_stale(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts of documents that derive from the code, and what the pictures show."""
    monkeypatch.setattr(sys, "argv", [name, "--check"])
    importlib.import_module(f"scripts.docs.{name}").main()


def test_every_column_is_explained() -> None:
    from understandability.rows import FeatureRows, TextRows, WordRows
    from understandability.scoring import Scorer, Settings

    text = (DOCS / "reference" / "columns.md").read_text("utf-8")
    settings = Settings()
    makers = [
        Scorer(settings),
        FeatureRows(settings, ()),
        WordRows(settings, ()),
        TextRows(settings, explain=True),
    ]
    missing = {name for maker in makers for name in maker.schema.names if f"`{name}`" not in text}
    assert not missing


def test_every_column_of_evaluation_is_explained() -> None:
    runs = {name: {q: {"d1": i, "d2": 1.0} for q in "qrs"} for i, name in enumerate("ab")}
    relevance = {q: {"d1": 1, "d2": 0} for q in "qrs"}
    result = ud.evaluate(runs, relevance, measures=["RBP@10", "nDCG@10"])
    tables = [result.to_pandas(wide=False), result.compare().to_pandas()]
    tables.append(result.correlate().to_pandas())
    text = (DOCS / "reference" / "columns.md").read_text("utf-8")
    section = text.split("## Evaluation")[1].split("\n## ")[0]
    names = {re.sub("_(holm|bonferroni)$", "", name) for table in tables for name in table.columns}
    assert len(names) > 20
    assert not {name for name in names if f"`{name}`" not in section}


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "reference" / "python.md").read_text("utf-8")
    missing = [name for name in ud.__all__ if name != "__version__" and name not in text]
    assert not missing


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `.ci/run` builds it, without a warning; pages of source are left to that."""
    pytest.importorskip("myst_nb", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    extensions = "extensions=myst_nb,sphinx.ext.autodoc,sphinx.ext.napoleon"
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-D", extensions,
         "docs", str(folder)],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_pages_of_the_site_load_nothing_from_elsewhere(site: Path) -> None:
    """Formulas by MathJax, fonts and the like would."""
    loaded = re.compile(
        r"<(?:script|img|iframe)\b[^>]*\bsrc=.https?:|<link\b[^>]*\bstylesheet[^>]*https?:"
    )
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        assert not loaded.search(page.read_text("utf-8")), page


@pytest.mark.slow
def test_words_of_newcomers_lead_to_the_right_page(site: Path) -> None:
    """At least 55 of 60 within the first three hits, and to no page that is gone."""
    if browser_path() is None:
        pytest.skip("needs Chromium")
    assert len(ANSWERS) >= 60
    for right in ANSWERS.values():
        assert any((DOCS / f"{page}.md").exists() for page in right.split())
    wrong = dict(missed(site))
    assert len(ANSWERS) - len(wrong) >= 55, wrong


def test_no_page_is_long() -> None:
    for page in DOCS.rglob("*.md"):
        assert len(page.read_text("utf-8").split()) <= 6200, page
