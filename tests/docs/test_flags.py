"""Every flag that the code can raise is explained in the reference, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT

import understandability as ud

SOURCE = ROOT / "src" / "understandability"
REFERENCE = ROOT / "docs" / "reference" / "columns.md"


Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign


def mentions_flags(node: ast.AST) -> bool:
    """Whether an expression speaks of flags: a variable, an attribute, an argument."""
    return any(
        (isinstance(each, ast.Name) and each.id in ("flags", "raised"))
        or (isinstance(each, ast.Attribute) and each.attr == "flags")
        or (isinstance(each, ast.keyword) and each.arg == "flags")
        for each in ast.walk(node)
    )


def is_one_or_none(node: ast.AST) -> bool:
    """Whether an expression is one word or nothing, as ``("no_words",) if ... else ()``."""
    if not isinstance(node, ast.IfExp):
        return False
    one, none = node.body, node.orelse
    return (
        isinstance(one, ast.Tuple)
        and isinstance(none, ast.Tuple)
        and (len(one.elts), len(none.elts)) == (1, 0)
        and isinstance(one.elts[0], ast.Constant)
    )


def smallest(tree: ast.AST) -> Iterator[ast.AST]:
    """What is given to a name or an argument called flags, and what flags are chosen among."""
    for node in ast.walk(tree):
        if isinstance(node, Assignment) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Name) and t.id in ("flags", "raised") for t in targets):
                yield node.value
        elif isinstance(node, ast.keyword) and node.arg == "flags":
            yield node.value
        elif isinstance(node, ast.IfExp) and mentions_flags(node):
            yield node
        elif isinstance(node, ast.FunctionDef) and mentions_flags(node):
            yield from filter(is_one_or_none, ast.walk(node))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Flag":
            yield node.args[0]


def flags_in(path: Path, constants: dict[str, str]) -> set[str]:
    """The names of flags in one module: strings, and constants that hold them."""
    source = path.read_text("utf-8")
    if not re.search("flag|raised", source, re.IGNORECASE):
        return set()
    tree = ast.parse(source)
    found = set()
    for node in smallest(tree):
        for each in ast.walk(node):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                found.add(each.value)
            elif isinstance(each, ast.Name) and each.id in constants:
                found.add(constants[each.id])
    # Among them are the name of the column, and languages.
    words = {flag for flag in found if re.fullmatch("[a-z]+(_[a-z]+)*", flag)}
    return {word for word in words if len(word) > 2} - {"flags"}


def constants_in(path: Path) -> dict[str, str]:
    """Names in capitals that hold a string, also several in one line."""
    constants = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            names = target.elts if several else [target]  # type: ignore[attr-defined]
            values = node.value.elts if several else [node.value]  # type: ignore[attr-defined]
            for name, value in zip(names, values, strict=True):
                if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                    constants[name.id] = str(value.value)
    return {name: value for name, value in constants.items() if name.isupper()}


@pytest.mark.slow
def test_every_flag_is_explained() -> None:
    """A flag that is new in the code fails here until the reference has a row for it."""
    own = {path: constants_in(path) for path in SOURCE.rglob("*.py")}
    constants = {name: value for each in own.values() for name, value in each.items()}
    # A module's own constants first: another may use the same name.
    raised = set().union(*(flags_in(path, constants | own[path]) for path in own))
    section = REFERENCE.read_text("utf-8").split("## Flags")[1].split("\n## ")[0]
    explained = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
    assert len(explained) > 8
    assert raised == explained


def test_the_limits_that_the_readme_names_hold() -> None:
    """The ends of the scale in practice, and the texts that get a flag."""
    readme = (ROOT / "README.md").read_text("utf-8")
    ((low, high),) = re.findall(r"between (\d*\.?\d+) and (\d*\.?\d+)", readme)
    panel = ud.score(ROOT / "tests" / "panel").table
    difficulties, chances = (
        [value for value in panel[column].to_pylist() if value is not None]
        for column in ("difficulty", "p_understandable")
    )
    assert 0 < min(difficulties) < 10
    assert 95 < max(difficulties) < 100
    assert float(low) < min(chances) < max(chances) < float(high)
    goods = ["milk", "eggs", "bread", "two onions", "butter", "apples", "rice", "tea", "soap"]
    words = "the of and cat ran blue over is dog with happy to from at table was which in said up "
    poem = "Because I could not stop for Death\nHe kindly stopped for me\n"
    poem += "The Carriage held but just Ourselves\nAnd Immortality.\n"
    assert "few_sentences" in ud.score_text("\n".join(goods * 3))["flags"]
    assert "words_without_order" in ud.score_text(words * 3)["flags"]
    assert ud.score_text(poem)["flags"] == ""
