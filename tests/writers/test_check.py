"""`understand check`: what is prose, what misses its aim, where, and in which formats."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path, PureWindowsPath
from typing import Any
from urllib.parse import unquote

import pytest
from tests.conftest import Run

import understandability as ud
from understandability.errors import InputError, OptionError
from understandability.text.prose import Prose
from understandability.writers import check as check_module
from understandability.writers.check import RULES, read_aims

EASY = "You have flu. Rest, and drink a lot of water. Call us if you feel worse.\n"
HARD = (
    "The patient had a myocardial infarction. The subsequent administration of anticoagulant "
    "pharmacotherapy necessitated continuous haemodynamic monitoring of coagulation parameters.\n"
)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an easy and a hard page, in which the test runs."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "easy.md").write_text(f"# Flu\n\n{EASY}", "utf-8")
    (tmp_path / "docs" / "hard.md").write_text(f"---\na: b\n---\n\n# Heart\n\n{HARD}", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "suffix", "text"),
    [
        ("---\ntitle: Flu\n---\nRest.", ".md", "Rest."),
        ("---\nRest.", ".md", "Rest."),
        ("Rest.\n\n```python\nx = 1\n```\n\nDrink.", ".md", "Rest. Drink."),
        ("Rest.\n\n    x = 1\n\nDrink.", ".md", "Rest. Drink."),
        ("- Rest\n\n    and sleep.", ".md", "- Rest and sleep."),
        ("```{note}\nRest.\n```\nDrink.", ".md", "Rest. Drink."),
        (":::{toctree}\na/b\n:::\nRest.", ".md", "Rest."),
        (":::{note}\nRest.\n:::", ".md", "Rest."),
        ("Run `ls -l` [now](https://a.org/b_(c) 'd') or [see][x].", ".md", "Run now or see."),
        ("![alt](a.png)**Rest** well.\n\n[x]: https://a.org", ".md", "Rest well."),
        ("<!-- no\nno --><b>Rest</b> {{< x >}} at https://a.org", ".md", "Rest at"),
        ("> Rest\n> well.", ".md", "Rest well."),
        ("Flu\n===\n\nRest ``x`` :ref:`here <a>`.\n", ".rst", "Flu Rest here."),
        (".. code:: python\n\n   x = 1\n\nRest.", ".rst", "Rest."),
        (".. note:: Rest\n   well.", ".rst", "Rest well."),
        ("Do this::\n\n  x = 1\n\n.. a comment\n\nRest.", ".rst", "Do this: Rest."),
        ("See `the guide <https://a.org>`_.\n\n.. _the: https://a.org", ".rst", "See the guide."),
        ("<style>p {}</style><p>R&amp;D <b>now</b></p>", ".html", "R&D now"),
    ],
)
def test_what_is_prose(source: str, suffix: str, text: str) -> None:
    """Code, front matter, addresses and directives are not; each character keeps its place."""
    prose = Prose(source, suffix)
    assert prose.text.split() == text.split()
    assert len(prose._masked) == len(source)


@pytest.mark.parametrize("suffix", [".md", ".rst", ".html"])
def test_hostile_sources_take_linear_time(suffix: str) -> None:
    """Open brackets, quotes and comments without end."""
    for each in ("<!--", "[", "`", "![a](", "<a ", "{{", "*", ":a:`", "<script", "http://", "\n"):
        start = time.process_time()
        Prose(each * (80_000 // len(each)), suffix)
        assert time.process_time() - start < 2, each


@pytest.mark.usefixtures("every_plain_term")
def test_a_miss_names_its_places(site: Path) -> None:
    """The file, its hardest sentence, and its terms, by line and column of the source."""
    (site / "docs" / "hard.html").write_text(f"<p>Easy.</p>\n<p>{HARD}</p>", "utf-8")
    files = {each.path: each for each in ud.check(["docs"]).files}
    assert list(files) == ["docs/easy.md", "docs/hard.html", "docs/hard.md"]
    assert not files["docs/easy.md"].misses
    for name, line, column in (("hard.md", 7, 1), ("hard.html", 2, 4)):
        found = files[f"docs/{name}"].findings
        (term,) = [each for each in found if "infarction”" in each.message]
        assert (term.line, term.column) == (line, column + len("The patient had "))
        assert term.text == "a myocardial infarction"
        assert term.instead[0] == "a heart attack."
        (hard,) = [each for each in found if each.text.startswith("The subsequent")]
        assert (hard.rule, hard.line) == ("hard-sentence", line)


@pytest.mark.usefixtures("every_plain_term")
def test_what_gains_most_comes_first(site: Path) -> None:
    """Gains are measured: a term replaced everywhere moves the chance by what was promised."""
    text = f"{EASY}{HARD}" * 3
    Path("long.md").write_text(text, "utf-8")
    (file,) = ud.check(["long.md"], aim=0.99).files
    for rule in ("hard-sentence", "plain-term"):
        found = [each.gain for each in file.findings if each.rule == rule]
        assert found == sorted(found, reverse=True)
        assert found[0] > 0
    (term,) = [each for each in file.findings if "infarction”" in each.message]
    Path("long.md").write_text(text.replace("a myocardial infarction.", term.instead[0]), "utf-8")
    (after,) = ud.check(["long.md"], aim=0.99).files
    assert after.p_understandable - file.p_understandable == pytest.approx(
        term.gain, rel=1e-6, abs=1e-6
    )


def test_files_of_windows(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are told with ``/``, as baselines and aims name them; line ends move no place."""

    class There(PureWindowsPath):
        def is_dir(self) -> bool:
            return "." not in self.name

    (site / "docs" / "windows.md").write_bytes(
        (site / "docs" / "hard.md").read_bytes().replace(b"\n", b"\r\n")
    )
    of_unix, of_windows = ud.check(["docs/hard.md", "docs/windows.md"]).files
    assert of_windows.p_understandable == of_unix.p_understandable
    places = [(each.line, each.column, each.end_column) for each in of_windows.findings]
    assert places == [(each.line, each.column, each.end_column) for each in of_unix.findings]
    monkeypatch.setattr(check_module, "Path", There)
    assert list(check_module._files("docs\\heart\\hard.md")) == ["docs/heart/hard.md"]
    walked = [("docs\\heart", [], ["a.md"])]
    monkeypatch.setattr("os.walk", lambda path: walked)
    assert list(check_module._files("docs")) == ["docs/heart/a.md"]


def test_what_cannot_be_read_hides_nothing(site: Path, understand: Run) -> None:
    (site / "docs" / "damaged.docx").write_bytes(b"PK\x03\x04")
    (site / "docs" / "picture.md").write_bytes(b"\x89PNG\r\n" + bytes(100))
    (site / "docs" / "code.py").write_text("x = 1", "utf-8")
    (site / "docs" / "none.md").write_text("```\nx\n```\n", "utf-8")
    done = understand("check", "docs", "gone.md", "docs/code.py", status=1)
    lines = [line for line in done.stdout.splitlines() if "cannot be read:" in line]
    assert [line.partition(":")[0] for line in lines] == [
        "docs/damaged.docx", "docs/picture.md", "gone.md", "docs/code.py"
    ]  # fmt: skip
    assert re.search(r"docs/hard\.md: \d+ % of readers, target \d+ %", done.stdout)
    assert "1 of 7 files miss their target, 4 cannot be read, 1 has no estimate" in done.stdout


def test_what_is_too_short_or_not_there_is_told(site: Path, understand: Run) -> None:
    """A text of a few words, a folder without texts, and a result that would be no text."""
    (site / "empty").mkdir()
    (site / "short.txt").write_text("Rest well and drink water.", "utf-8")
    done = understand("check", "empty", status=1)
    assert "no text was found in empty/" in done.stdout
    done = understand("check", "short.txt", status=0)
    assert "the file reaches its target, 1 is too short to judge" in done.stdout
    done = understand("check", "docs", "-o", "x.csv", status=2)
    assert "not x.csv" in done.stderr
    assert not (site / "x.csv").exists()


def test_docx_is_read(site: Path) -> None:
    """Its line is that of its text as Markdown."""
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("Heart", 1)
    document.add_paragraph(HARD)
    document.save(str(site / "a.docx"))
    (file,) = ud.check(["a.docx"]).files
    assert file.misses
    assert {each.line for each in file.findings} == {3}


def test_aims_by_folder(site: Path, understand: Run) -> None:
    """The innermost counts; an aim on the command line counts instead of all."""
    assert understand("check", "docs/easy.md").returncode == 0
    assert understand("check", "docs").returncode == 1
    (site / "pyproject.toml").write_text(
        "[tool.understandability]\naim = 0.9\n[tool.understandability.aims]\ndocs = 0.5\n"
        '"docs/hard.md" = 0\n',
        "utf-8",
    )
    assert understand("check", "docs").returncode == 0
    assert understand("check", "docs", "--aim", "0.8").returncode == 1
    aims = read_aims(site / "docs")
    assert [aims.target_of(path) for path in ("README.md", "docs/a/b.md", "docs/hard.md")] == [
        0.9,
        0.5,
        0,
    ]


def test_which_aims_are_read_is_told(site: Path, understand: Run) -> None:
    """The file, an aim of what is not there, a file in a checked folder, and a table too many."""
    (site / "docs" / "understandability.toml").write_text("aim = 0.1", "utf-8")
    (site / "understandability.toml").write_text("[aims]\ndocs = 0.2\ndosc = 0.5\n", "utf-8")
    told = understand("check", "docs", "--aim", "0%", status=0)
    assert "docs/understandability.toml is not read" in told.stderr.replace("\\", "/")
    told = understand("check", "docs")
    assert f"targets are read from {site / 'understandability.toml'}" in told.stderr
    assert "there is no dosc" in told.stderr
    (site / "understandability.toml").write_text("[tool.understandability]\naim = 0.5", "utf-8")
    assert "needs no [tool.understandability]" in understand("check", "docs").stderr


@pytest.mark.parametrize("text", ["aim = 2", "aim = true", "gaol = 1", "aims = 3", "aim ="])
def test_aims_that_are_none(site: Path, text: str) -> None:
    (site / "understandability.toml").write_text(text, "utf-8")
    with pytest.raises((OptionError, InputError), match=r"understandability\.toml"):
        ud.check(["docs"])


def test_a_baseline_forgives_what_was(site: Path, understand: Run) -> None:
    """A known miss passes until it gets harder; a new one does not."""
    file = "baseline.json"
    assert understand("check", "docs", "--write-baseline").returncode == 2
    assert understand("check", "docs", "--baseline", file).returncode == 2
    done = understand("check", "docs", "--baseline", file, "--write-baseline")
    assert done.returncode == 0
    assert "the baseline records 1 file below target" in done.stdout
    other = understand("check", "docs", "--baseline", file, "--reader", "assessor-2016", status=2)
    assert "it is for the reader public on readings.v1, not assessor-2016" in other.stderr
    assert list(json.loads(Path(file).read_text("utf-8"))["files"]) == ["docs/hard.md"]
    assert understand("check", "docs", "--baseline", file).returncode == 0
    (site / "docs" / "new.md").write_text(HARD, "utf-8")
    done = understand("check", "docs", "--baseline", file, status=1)
    assert re.search(r"docs/new\.md: \d+ % of readers", done.stdout)
    assert "docs/hard.md: " not in done.stdout


def _git(*words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


def test_what_a_change_makes_of_a_text(site: Path, understand: Run) -> None:
    """Changed, new and renamed files only, before and after, as a table in Markdown."""
    (site / "docs" / "same.md").write_text(HARD, "utf-8")
    _git("init", "-q")
    _git("add", ".")
    _git("commit", "-q", "-m", "one")
    (site / "docs" / "hard.md").write_text(EASY, "utf-8")
    (site / "docs" / "new|page.md").write_text(HARD, "utf-8")
    (site / "docs" / "easy.md").rename(site / "docs" / "moved.md")
    _git("add", ".")
    found = ud.check(["docs"], changed_from="HEAD")
    files = {each.path: each for each in found.files}
    assert set(files) == {"docs/hard.md", "docs/new|page.md", "docs/moved.md"}
    hard, moved, new = (files[f"docs/{n}.md"] for n in ("hard", "moved", "new|page"))
    assert hard.before < 0.5 < hard.p_understandable
    assert moved.before == pytest.approx(moved.p_understandable)
    assert new.before != new.before
    done = understand("check", "docs", "--changed-from", "HEAD", status=1)
    assert done.stdout.startswith("| file | before | after | difference | target | |")
    assert "| docs/new\\|page.md | – |" in done.stdout
    for revision in ("--output=x", "nothing", "HEAD:docs", "a b\0"):
        with pytest.raises(OptionError, match="knows no revision"):
            ud.check(["docs"], changed_from=revision)
    assert not Path("x").exists()


def test_sarif_has_what_its_schema_asks(site: Path, understand: Run) -> None:
    """The properties that SARIF 2.1.0 requires, and their kinds and bounds, by hand."""
    (site / "docs" / "hard page.md").write_text(HARD, "utf-8")
    log = json.loads(understand("check", "docs", "no.md", "--format", "sarif").stdout)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert isinstance(driver["name"], str)
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == list(RULES)
    assert all(isinstance(rule["shortDescription"]["text"], str) for rule in driver["rules"])
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert told["level"] in ("none", "note", "warning", "error")
    assert told["message"]["text"]
    assert {each["ruleId"] for each in run["results"]} == set(RULES)
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        uri = physical["artifactLocation"]["uri"]
        assert " " not in uri
        assert Path(unquote(uri)).is_file()
        region = physical["region"]
        assert all(isinstance(each, int) and each >= 1 for each in region.values())
        begin = region["startLine"], region["startColumn"]
        assert begin <= (region["endLine"], region["endColumn"])


def test_github_and_vale(site: Path, understand: Run) -> None:
    """Commands of workflows, escaped; alerts by file, whose spans are what matches."""
    (site / "docs" / "a,b:100%.md").write_text(HARD, "utf-8")
    done = understand("check", "docs", "--format", "github")
    first = done.stdout.splitlines()[0]
    assert first.startswith("::error file=docs/a%2Cb%3A100%25.md,line=1,endLine=1,col=1,")
    assert ",title=understandability%3A aim::misses its target: " in first
    assert sum(line.startswith("::warning ") for line in done.stdout.splitlines()) > 2
    alerts: dict[str, list[dict[str, Any]]]
    alerts = json.loads(understand("check", "docs", "--format", "vale").stdout)
    assert set(alerts) == {"docs/a,b:100%.md", "docs/hard.md"}
    for each in alerts["docs/hard.md"]:
        assert set(each) == {"Action", "Span", "Check", "Description", "Link", "Message",
                             "Severity", "Match", "Line"}  # fmt: skip
        line = (site / "docs" / "hard.md").read_text("utf-8").splitlines()[each["Line"] - 1]
        first_column, last_column = each["Span"]
        if each["Match"]:
            assert line[first_column - 1 : last_column] == each["Match"]
    assert understand("check", "docs", "--format", "html").returncode == 2


def test_the_hook_and_the_action(site: Path, understand_process: Run) -> None:
    """The hook's command takes files; the action's script runs as GitHub would run it."""
    yaml = pytest.importorskip("yaml")
    root = Path(__file__).parents[2]
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text("utf-8"))
    words = hook["entry"].split()[1:]
    assert understand_process(*words, "docs/easy.md").returncode == 0
    action = yaml.safe_load((root / "action.yml").read_text("utf-8"))
    script = action["runs"]["steps"][-1]
    assert set(script["env"]) == {"TEXTS", "AIM", "FROM"}
    _git("init", "-q")
    _git("commit", "-q", "--allow-empty", "-m", "none")
    _git("add", ".")
    (site / "understand").write_text('#!/bin/sh\nexec python3 -m understandability "$@"\n', "utf-8")
    (site / "understand").chmod(0o755)
    python = Path(sys.executable).parent
    given = {"TEXTS": "docs", "AIM": "0.7", "FROM": "HEAD", "GITHUB_STEP_SUMMARY": "summary.md"}
    path = f"{site}:{python}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script["run"]],
        env={**os.environ, **given, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "::error file=docs/hard.md" in done.stdout
    assert "| docs/hard.md | – |" in Path("summary.md").read_text("utf-8")


def test_a_text_in_another_language_is_judged_and_what_is_left_out_is_said(
    understand: Run, tmp_path: Path
) -> None:
    """Hard sentences and terms are found in English texts only."""
    law = (
        "Die Verarbeitung personenbezogener Daten zu anderen Zwecken ist zulässig, soweit die "
        "Voraussetzungen des Absatzes 2 vorliegen, es sei denn, dass schutzwürdige Interessen der "
        "betroffenen Person an dem Ausschluss der Verarbeitung offensichtlich überwiegen. "
    )
    (tmp_path / "gesetz.txt").write_text(law * 3, "utf-8")
    result = understand("check", tmp_path, status=1)
    assert (
        "1 of 1 file misses its target; sentences and terms are listed in English" in result.stdout
    )
    (file,) = json.loads(understand("check", tmp_path, "--format", "json", status=1).stdout)[
        "files"
    ]
    assert (file["language"], file["findings"]) == ("de", [])
