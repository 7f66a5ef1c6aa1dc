"""A mistake in a command is answered with what would have worked."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import SAMPLES, Run

from understandability.cli import _command_of, _with_repeated_options


def test_a_page_in_the_place_of_a_command(understand: Run, tmp_path: Path) -> None:
    """The command to score it is written out, with the options that were given."""
    page = tmp_path / "a page.html"
    page.write_text("<p>You have flu.")
    done = understand(page, "--threshold", "30", status=2)
    assert f"write: understand score '{page}' --threshold 30" in done.stderr
    assert understand("-").returncode == 2


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("scoer page.html", '"score"'),
        ("score page.html --treshold 30", "--threshold"),
        ("score page.html --user nobody", "step, arctan, calibrated"),
        ("score --inputs page.html", "Unknown option --inputs (type INPUT without it)"),
        ("compare --run a.run", "Unknown option --run (type RUNS without it)"),
        ("evaluate a.run --latex", "Unknown option --latex (did you mean --format latex?)"),
        ("score none.html", "none.html does not exist; name a file, a folder, or - for standard "),
        ("score empty", "has no pages in it"),
        ("score x.xyz", "unsupported file type; inputs end in .html"),
        ("score page.html -o none/s.csv", "its folder does not exist; make it first"),
        ("score page.html -o s.xls", "s.xls is not in a supported table format"),
        ("score page.html --sentence-ends x", "sentence ends 'x' does not exist; choose one of"),
        ("score page.html --bundle nowhere", "nowhere"),
        ("score page.html --noise-scale many", "--noise-scale must be a number or pi, not 'many'"),
        ("score page.html --noise-scale -1", "noise scale must be a finite number above 0"),
        ("score page.html --noise-scale nan", "noise scale must be a finite number above 0"),
        ("score page.html --docnos none", "none cannot be read: No such file"),
        ("score page.html --threshold x", "--threshold"),
        ("score", "no input given; name pages, folders or archives"),
        ("features", "no input given; name pages"),
        ("features page.html --only smogg,fog_", "'smogg' (did you mean smog?), 'fog_'"),
        ("features page.html --groups htlm", "no group is named 'htlm'; choose from readability"),
        ("features page.html --per page", "choose from word, sentence"),
        ("features page.html --words --only smog", "--words cannot list the words of smog"),
        (
            "features page.html --words --only icd_words_study",
            "--words cannot list the words of icd_words_study; leave out",
        ),
        ("features page.html --extractor x", "extractor 'x' does not exist"),
        (
            "features page.html --tagger x",
            "tagger 'x' does not exist; choose one of built-in, nltk",
        ),
        ("extract page.html --extractor x", "extractor 'x' does not exist; choose one of main, "),
        (
            "extract page.html --engine x",
            "engine 'x' does not exist; choose one of fast, reference",
        ),
        ("extract page.html --sentence-ends x", "ends 'x' does not exist; choose one of none, "),
        ("extract page.html -o x.docx", "is not in a supported table format; name a .jsonl"),
        ("extract nothing.html", "nothing.html does not exist"),
        ("validate", "Missing argument BUNDLE"),
        ("search idx", "write: understand index search; see understand --help"),
        ("judged --labels a.csv", "write: understand train judged;"),
        ("evaluate a.run --qrels q -m uRBP,nDCG@10", "by itself: -m uRBP -m nDCG@10 "),
        ("evaluate a.run --qrels q -m 'RBP(p=0.8) P@5'", "by itself: -m RBP(p=0.8) -m P@5 "),
        ("validate default", "Missing argument LABELS"),
    ],
)
def test_a_mistake_gets_one_sentence(
    understand: Run, tmp_path: Path, command: str, message: str
) -> None:
    """On standard error, with status 2, before anything is written."""
    (tmp_path / "page.html").write_text("<p>You have flu.")
    (tmp_path / "x.xyz").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    done = understand(*shlex.split(command), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"page.html", "x.xyz", "empty"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_report_does_not_fill_a_terminal() -> None:
    """A report is a page for a browser; the message says to name a file with ``-o``."""
    import pty

    ours, terminal = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(terminal, "wb") as screen:
        done = subprocess.run(
            [sys.executable, "-m", "understandability", "explain", SAMPLES / "easy.html"],
            stdout=screen,
            stderr=subprocess.PIPE,
            timeout=300,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.decode().strip().endswith("name a file, such as -o report.html")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("resources install chv --from a b", "resources install chv --from a --from b"),
        ("resources install --from a b chv", "resources install --from a --from b chv"),
        ("resources install --from a chv", "resources install --from a chv"),
        ("resources install chv --from=a b -q", "resources install chv --from=a --from b -q"),
        ("resources install chv stray --from a", "resources install chv stray --from a"),
        ("train judged --labels a b -o c", "train judged --labels a --labels b -o c"),
        ("train judged --learning-curve stray", "train judged --learning-curve stray"),
        ("evaluate a b -m RBP uRBP --ci", "evaluate a b -m RBP -m uRBP --ci"),
        # Each further word could be a run.
        ("evaluate -m RBP a.run b.run", "evaluate -m RBP a.run b.run"),
        ("evaluate --ci a.run b.run", "evaluate --ci a.run b.run"),
    ],
)
def test_an_option_of_several_values_need_not_be_repeated(line: str, expected: str) -> None:
    command = _command_of(line.split())
    assert command is not None
    assert _with_repeated_options(command, line.split()) == expected.split()
