"""The layout is the data flow: imports go forward only, and few packages open files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "understandability"
# Modules and packages, from the first stage to the last.
STAGES = (
    "_version",
    "_core",
    "errors",
    "wording",
    "arrays",
    "direction",
    "records",
    "storage",
    "formats",
    "vocabularies",
    "pages",
    "extraction",
    "language",
    "documents",
    "features",
    "models",
    "scoring",
    "rows",
    "evaluation",
    "ranking",
    "crawl",
    "report",
    "api",
    "integrations",
    "serve",
    "cli",
)
# Only these touch files; a crawl folder is part of what a crawl is.
OPEN_FILES = ("storage", "formats", "vocabularies")
OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or path.stem not in ("__init__", "__main__")
}
MODULES["_core"] = PACKAGE / "_core.pyi"
each = pytest.mark.parametrize("name", MODULES)


@cache
def tree_of(name: str) -> ast.Module:
    """The parsed source of a module."""
    return ast.parse(MODULES[name].read_text("utf-8"))


def imported(name: str) -> Iterator[tuple[int, str, str]]:
    """What a module imports of the package, wherever in it: line, module, name or ``""``."""
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.ImportFrom) and node.module:
            package, _, module = node.module.partition(".")
            if package == "understandability":
                for alias in node.names:
                    whole = f"{module}.{alias.name}".lstrip(".")
                    yield node.lineno, *((whole, "") if whole in MODULES else (module, alias.name))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package, _, module = alias.name.partition(".")
                if package == "understandability":
                    yield node.lineno, module, ""


def origin(module: str, name: str) -> str:
    """The module that a name of a package is from: the package itself only hands it on."""
    for _, other, given in imported(module):
        if given == name and MODULES[module].name == "__init__.py":
            return origin(other, name)
    return module


@each
def test_a_module_imports_from_earlier_stages_only(name: str) -> None:
    """A stage knows those before it, never those behind."""
    own = STAGES.index(name.partition(".")[0])
    for line, module, _ in imported(name):
        stage = module.partition(".")[0]
        assert stage in STAGES, f"line {line} of {name} imports the package itself"
        assert STAGES.index(stage) <= own, f"line {line} of {name} imports {module}"


def test_no_modules_import_each_other() -> None:
    """Neither directly nor in a circle, not even inside functions."""
    graph = {
        name: {origin(module, given) for _, module, given in imported(name)} - {name}
        for name, path in MODULES.items()
        if path.name != "__init__.py"
    }
    assert len(list(TopologicalSorter(graph).static_order())) >= len(graph)


@pytest.mark.parametrize(
    "name", [name for name in MODULES if name.partition(".")[0] not in OPEN_FILES]
)
def test_few_packages_open_files(name: str) -> None:
    """Other modules take bytes, text, arrays or records."""
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            opens = called == "open" or (called.rpartition(".")[2] in OPENING and "." in called)
            assert not opens or called in ("os.open", "self._folder.open"), (
                f"line {node.lineno} calls {called}"
            )
