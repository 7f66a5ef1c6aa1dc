"""Every keyword of evaluation is known to mypy, at run time, and to help()."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import understandability as ud
from understandability.errors import OptionError
from understandability.evaluation.conventions import CONVENTIONS
from understandability.evaluation.judgements import Judgements
from understandability.evaluation.options import EvaluationOptions, Labelling

RUNS = {"a": {"q": {"d": 1.0}, "r": {"d": 1.0}}, "b": {"q": {"d": 1.0}, "r": {"e": 1.0}}}
QRELS = {"q": {"d": 1}, "r": {"d": 1}}
CALLS: dict[str, Callable[..., Any]] = {
    "evaluate": ud.evaluate,
    "compare": ud.compare,
    "correlate": ud.correlate,
    "bounds": ud.bounds,
}


def test_the_keywords_are_the_fields_of_both_tables() -> None:
    names = {field.name for field in fields(Labelling)} | {*CONVENTIONS, "preset"}
    assert set(get_type_hints(EvaluationOptions)) == names


@pytest.mark.parametrize("name", CALLS)
def test_a_misspelt_keyword_is_refused(name: str) -> None:
    with pytest.raises((OptionError, TypeError), match="treshold"):
        CALLS[name](RUNS, QRELS, measures=["RBP", "RBP@5"], treshold=4)
    with pytest.raises(OptionError, match="treshold"):
        Judgements.read(QRELS, treshold=4)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", CALLS)
def test_help_lists_the_keywords(name: str) -> None:
    assert set(get_type_hints(EvaluationOptions)) <= set(inspect.signature(CALLS[name]).parameters)


def test_mypy_refuses_a_misspelt_keyword(tmp_path: Path) -> None:
    """And accepts the right ones."""
    pytest.importorskip("mypy")
    calls = "\n".join(
        f"ud.{name}({{}}, {{}}, measures='RBP', {keyword}=4)"
        for name in CALLS
        for keyword in ("treshold", "threshold")
    )
    path = tmp_path / "misspelt.py"
    path.write_text(f"import understandability as ud\n{calls}\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(path)],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == len(CALLS), done.stdout
    assert all('"treshold"' in line for line in errors)


def test_texts_of_the_command_line_are_valid_in_python(tmp_path: Path) -> None:
    """Lists of texts mean the same as dictionaries by dimension."""
    path = tmp_path / "trust.qrels"
    path.write_text("q 0 d 2\nr 0 d 1\n")
    texts = Labelling(
        scale="higher-easier:2",
        gains=["0:0,1:.4,2:1", "trust=0:0,1:.5,2:1"],
        not_a_label=["3", "trust=9"],
        dimensions=[f"trust={path}"],
        dimension_scales=["trust=higher-better:1"],
    )
    dictionaries = Labelling(
        scale="higher-easier:2",
        gains={"u": "0:0,1:.4,2:1", "trust": "0:0,1:.5,2:1"},
        not_a_label={"": [3.0], "trust": [9.0]},
        dimensions={"trust": str(path)},
        dimension_scales={"trust": "higher-better:1"},
    )
    labels = {"q": {"d": 2, "e": 3}, "r": {"d": 1}}
    first, second = texts.read(labels), dictionaries.read(labels)
    assert first.keys() == second.keys() == {"u", "trust"}
    for name, dimension in first.items():
        assert dimension.scale == second[name].scale
        assert dimension.labels.values.tolist() == second[name].labels.values.tolist()
    assert first["u"].labels.values.tolist() == [2.0, 1.0]
