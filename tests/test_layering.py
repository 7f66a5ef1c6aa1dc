"""The layout is the data flow: a module imports from earlier stages only, and io opens files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "understandability"
STAGES = (
    "errors",
    "records",
    "io",
    "pages",
    "extraction",
    "language",
    "documents",
    "features",
    "estimation",
    "scoring",
    "evaluation",
    "retrieval",
    "integrations",
    "crawl",
    "report",
    "cli",
)
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE) + [
    PACKAGE / f"{stage}.py" for stage in STAGES if (PACKAGE / f"{stage}.py").exists()
]
OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}


def stage_of(path: Path) -> str:
    """The stage that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_stages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The stages that a module imports, wherever in it, with the line."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            stage = rest.partition(".")[0]
            if package == "understandability" and stage in STAGES:
                yield node.lineno, stage


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_from_earlier_stages_only(path: Path) -> None:
    """A stage knows those before it, never those behind."""
    own = STAGES.index(stage_of(path))
    for line, stage in imported_stages(ast.parse(path.read_text("utf-8"))):
        assert STAGES.index(stage) <= own, f"{path}:{line} imports {stage}"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if stage_of(path) != "io"],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_io_opens_files(path: Path) -> None:
    """Other modules take bytes, text, arrays or records."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            opens = name == "open" or (name.rpartition(".")[2] in OPENING and "." in name)
            assert not opens or name == "os.open", f"{path}:{node.lineno} calls {name}"


def test_every_module_belongs_to_a_stage() -> None:
    """A new subpackage has its place in the flow."""
    for path in PACKAGE.rglob("*.py"):
        assert path.name in ("__init__.py", "__main__.py") or stage_of(path) in STAGES
