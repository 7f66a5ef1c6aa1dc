"""The examples of CONTRIBUTING.md run: a feature, a measure, an extractor, a format, a language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)```", TEXT, re.DOTALL))


def test_there_is_an_example_for_each() -> None:
    """Of what people add most."""
    assert set(EXAMPLES) == {"feature", "measure", "extractor", "format", "language"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str) -> None:
    """With what it asserts."""
    assert "assert " in EXAMPLES[name]
    exec(compile(EXAMPLES[name], name, "exec"), {"__name__": name})
