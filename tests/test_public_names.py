"""Every public name, and every name that notebooks use, is documented with a running example."""

import ast
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT

import understandability

# Public names without an example of their own, and why.
NO_EXAMPLE = {
    "Block": "`extract` returns it and has an example",
    "Bundle": "`load_bundle` returns it and has an example",
    "Failure": "it is returned in place of a row",
    "ParsedPage": "`parse_page` returns it and has an example",
    "Feature": "CONTRIBUTING.md has an example that runs",
    "InputError": "an error",
    "OptionError": "an error",
    "Scores": "`score` returns it and has an example",
    "examples": "notebook 05 is its example",
    "out_of_fold": "notebook 05 is its example",
    "train_background": "notebook 03 is its example",
}

IMPORT = re.compile(r"^\s*(?:>>> )?(from understandability[\w.]* import [\w, ]+)$", re.MULTILINE)


def imports_of(code: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import from this package."""
    for statement in ast.walk(ast.parse(code)):
        module = getattr(statement, "module", None) or ""
        if isinstance(statement, ast.ImportFrom) and module.startswith(understandability.__name__):
            yield from ((module, alias.name) for alias in statement.names)


def public_objects() -> Iterator[tuple[str, str]]:
    """Yield module and name of all that an ``__all__``, a notebook or a page of documentation has.

    The documentation includes CONTRIBUTING.md, so that its recipes name what exists.
    """
    packages = [understandability.__name__]
    packages += [
        f"{understandability.__name__}.{module.name}"
        for module in pkgutil.iter_modules(understandability.__path__)
        if module.ispkg and not module.name.startswith("_")
    ]
    for package in packages:
        for name in getattr(importlib.import_module(package), "__all__", ()):
            yield package, name
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        yield from imports_of(
            "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        )
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        yield from imports_of("\n".join(IMPORT.findall(page.read_text("utf-8"))))


# Integrations need packages that may not be installed; tests/integrations has their examples.
NAMES = sorted(names for names in set(public_objects()) if ".integrations." not in names[0])


SOURCE = Path(understandability.__file__).parent
PACKAGES = sorted(path.parent for path in SOURCE.rglob("*/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_every_package_says_what_goes_in_and_out(package: Path) -> None:
    """Its docstring names both; the command takes a user's words instead."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    if package.name != "cli":
        assert re.search("[Tt]he input.* output", text, re.DOTALL)


def has_example(public: object) -> bool:
    """Return True if the docstring of an object, or of one of its members, has an example."""
    members = [member.__doc__ or "" for member in vars(public).values() if callable(member)]
    return ">>> " in "\n".join([inspect.getdoc(public) or "", *members])


@pytest.mark.parametrize(("package", "name"), NAMES, ids=map(".".join, NAMES))
def test_public_names_are_documented(package: str, name: str) -> None:
    """A function or class has a docstring of its own, and an example or a reason for none."""
    public = getattr(importlib.import_module(package), name)
    if not (inspect.isfunction(public) or inspect.isclass(public)):
        return  # a table, which its module explains
    text = inspect.getdoc(public) or ""
    assert text, "it has no docstring"
    assert not text.startswith(f"{name}("), "a dataclass describes itself by its fields only"
    assert name in NO_EXAMPLE or has_example(public), "it has no example"


@pytest.mark.parametrize("name", NO_EXAMPLE)
def test_exceptions_are_needed(name: str) -> None:
    """Each exception is for a public name that has no example."""
    found = [getattr(importlib.import_module(package), n) for package, n in NAMES if n == name]
    assert found, "no public name is called so; remove the exception"
    assert not all(map(has_example, found)), "it has an example now; remove the exception"
