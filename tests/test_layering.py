"""Imports follow the data flow, and the core imports none of the outer packages."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from tests.conftest import Python

from understandability.hooks import load

PACKAGE = Path(__file__).parents[1] / "src" / "understandability"
# Modules and packages that pages, runs and labelled texts need, in the order of the stages.
CORE = (
    "_version",
    "_core",
    "errors",
    "wording",
    "keywords",
    "arrays",
    "distributions",
    "direction",
    "flags",
    "hooks",
    "resources",
    "text",
    "inputs",
    "feature",
    "model",
    "scoring",
    "rows",
    "evaluation",
    "crawls",
    "training",
)
ROOMS = ("study", "writers", "integrations")  # outside; the core imports none of them
STAGES = (*CORE, "study", "writers", "integrations", "cli")
# Modules of the core that name objects of later stages, loaded on demand.
HOOKS = (
    "feature.catalogue",
    "feature.counted",
    "feature.table",
    "inputs.office",
    "model.bundle",
    "rows",
)
# Of the core, only these touch files.
OPEN_FILES = ("inputs", "resources", "model.bundle_files", "crawls.processes")
OPENING = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
    if path.parent != PACKAGE or path.stem not in ("__init__", "__main__")
}
OF_CORE = [name for name in MODULES if name.partition(".")[0] in CORE]


def stage_of(name: str) -> str:
    """The package, or the module of the first level."""
    return name.partition(".")[0]


@cache
def tree_of(name: str) -> ast.Module:
    """The parsed source of a module."""
    return ast.parse(MODULES[name].read_text("utf-8"))


@cache
def nodes_of(name: str) -> dict[type[ast.AST], list[ast.AST]]:
    """All nodes of that source, by their kind."""
    nodes: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in ast.walk(tree_of(name)):
        nodes[type(node)].append(node)
    return nodes


@cache
def imported(name: str) -> list[tuple[int, str, str]]:
    """Imports from the package, anywhere in a module: line, module, and name or ``""``."""
    nodes = nodes_of(name)
    return [*_imported([*nodes[ast.ImportFrom], *nodes[ast.Import]])]


def _imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str, str]]:
    for node in nodes:
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


def hooks_of(name: str) -> list[str]:
    """The strings of a module that name something of a later stage, for `hooks.load`."""
    later = "|".join(STAGES[STAGES.index(stage_of(name)) + 1 :])
    strings = [str(node.value) for node in nodes_of(name)[ast.Constant]]  # type: ignore[attr-defined]
    return [text for text in strings if re.fullmatch(rf"({later})\.[\w.]+(:\w+)?", text)]


def origin(module: str, name: str) -> str:
    """The module that a name of a package is from: the package itself only hands it on."""
    for _, other, given in imported(module):
        if given == name and MODULES[module].name == "__init__.py":
            return origin(other, name)
    return module


def wrong(names: Iterable[str], allowed: Callable[[str, str], bool]) -> list[str]:
    """Each import of these modules that is not allowed, given the importing and the imported."""
    return [
        f"line {line} of {name} imports {module or 'the package itself'}"
        for name in names
        for line, module, _ in imported(name)
        if not (module and allowed(name, module))
    ]


def test_a_module_imports_from_earlier_stages_only() -> None:
    """A stage imports from earlier stages only."""
    place = {stage: number for number, stage in enumerate(STAGES)}
    assert not wrong(MODULES, lambda name, module: place[stage_of(module)] <= place[stage_of(name)])


def test_the_core_imports_no_room_outside() -> None:
    """No import, not even in a function; objects of the outer packages are loaded by `HOOKS`."""
    outside = (*ROOMS, "cli")
    assert not wrong(OF_CORE, lambda _, module: stage_of(module) not in outside)
    assert not [name for name in OF_CORE if name not in HOOKS and hooks_of(name)]


def test_rooms_outside_are_reached_when_they_are_needed() -> None:
    """The command line imports the outer packages in functions, or only for types."""
    above = [name for name in MODULES if stage_of(name) == "cli"]
    assert not [
        f"line {line} of {name} imports {module}"
        for name in above
        for line, module, _ in _imported(tree_of(name).body)
        if stage_of(module) in ROOMS
    ]


@pytest.mark.parametrize("name", HOOKS)
def test_hooks_name_what_is_there(name: str) -> None:
    """Each hook can be loaded; a hook without a colon names a module."""
    hooks = hooks_of(name)
    assert hooks
    for hook in hooks:
        assert load(hook if ":" in hook else f"{hook}:ROWS")


@pytest.mark.slow
def test_scoring_a_page_loads_no_room_outside(python: Python) -> None:
    """Nor what crawls, evaluates and trains."""
    program = (
        "import sys, understandability as ud\n"
        "ud.score_text('You have flu. Rest, and drink plenty of water.')\n"
        "print(*sys.modules)"
    )
    modules = [each for each in python(program).split() if each.startswith("understandability.")]
    stages = {stage_of(each.removeprefix("understandability.")) for each in modules}
    assert "text" in stages
    assert not stages & {*ROOMS, "crawls", "evaluation", "training", "cli"}
    assert len(modules) <= 66


def test_no_modules_import_each_other() -> None:
    """Neither directly nor in a circle, not even inside functions."""
    graph = {
        name: {origin(module, given) for _, module, given in imported(name)} - {name}
        for name, path in MODULES.items()
        if path.name != "__init__.py"
    }
    assert len(list(TopologicalSorter(graph).static_order())) >= len(graph)


def test_few_packages_open_files() -> None:
    """Other modules of the core take bytes, text, arrays or records."""
    calls = [
        (f"line {node.lineno} of {name}", ast.unparse(node.func))  # type: ignore[attr-defined]
        for name in OF_CORE
        if not name.startswith(OPEN_FILES)
        for node in nodes_of(name)[ast.Call]
    ]
    assert not [
        f"{where} calls {called}"
        for where, called in calls
        if (called == "open" or (called.rpartition(".")[2] in OPENING and "." in called))
        and called not in ("os.open", "self._folder.open")
    ]


def test_no_two_public_classes_have_one_name() -> None:
    """A reader who meets a name knows which class it is."""
    names = Counter(
        node.name
        for name in MODULES
        if stage_of(name) != "_core"
        for node in tree_of(name).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []
