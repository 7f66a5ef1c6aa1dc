"""The accelerator: used where it fits, and then all results are those of Python."""

from __future__ import annotations

import ast
import hashlib
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from understandability import compiled

if TYPE_CHECKING:
    from tests.conftest import Run

ROOT = Path(__file__).parents[1]
# Of the functions that the accelerator repeats, as they were when it was last changed.
CHECKSUM = "a7ed9fcce5106ae0"


def test_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a word on what to do, as its results may be others."""
    module = ModuleType("understandability_accelerator")
    monkeypatch.delenv(compiled.VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.INTERFACE = compiled.INTERFACE  # type: ignore[attr-defined]
    assert compiled._accelerator() is module
    module.INTERFACE -= 1
    with pytest.warns(RuntimeWarning, match="pip install ./accelerator"):
        assert compiled._accelerator() is None
    monkeypatch.setenv(compiled.VARIABLE, "1")
    assert compiled._accelerator() is None


def test_functions_change_together_with_the_accelerator() -> None:
    """An older build must not be taken for one of this version."""
    checksum = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(decorator).startswith("compiled(") for decorator in node.decorator_list
            ):
                checksum.update(str(ast.get_source_segment(source, node)).encode())
    assert checksum.hexdigest()[:16] == CHECKSUM, (
        "repeat the change of the function in accelerator/, raise INTERFACE there and in "
        "understandability.compiled, run scripts.faults.compare_accelerator, and keep this checksum"
    )


def test_samples_hostile_pages_and_random_ones_have_the_same_results(script: Run) -> None:
    pytest.importorskip("understandability_accelerator")
    process = script("faults.compare_accelerator", "--inputs", "3000")
    assert process.returncode == 0, process.stdout


def test_real_pages_have_the_same_results(script: Run, shared_data: Path) -> None:
    pytest.importorskip("understandability_accelerator")
    for name in ("health_pages/health_pages.tar.gz", "extraction_gold/pages.tar.gz"):
        process = script("faults.compare_accelerator", "--inputs", "0", shared_data / "html" / name)
        assert process.returncode == 0, process.stdout
