"""What the packages offer by name, and notebooks use, is documented, with an example that runs."""

import ast
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import ROOT

import understandability

# Without an example of their own, and why.
NO_EXAMPLE = {
    "Block": "what an extractor gives, see `extract`",
    "Document": "what `document_of_text` gives, see there",
    "Estimate": "what a bundle gives, see `Bundle.estimate`",
    "Failure": "what stands in the place of a row",
    "numpy_values": "how columns of Arrow are read without pandas",
    "Bundle": "what `load_bundle` gives, see there",
    "PageComparison": "what `compare` gives, see there",
    "Explanation": "what `explain` gives, see there",
    "Extractor": "a row of the table `EXTRACTORS`",
    "Feature": "a row of the table `feature.catalogue`",
    "FeatureTable": "what `compute_features` gives, see there",
    "Flag": "part of a row of the table `feature.catalogue`",
    "ParsedPage": "what `parse_page` gives, see there",
    "Scores": "what `score` gives, see there",
    "InputError": "a kind of error",
    "OptionError": "a kind of error",
    "audited": "it needs a crawl folder; `tests/writers` makes one",
    "examples": "notebook 05 is its example",
    "out_of_fold": "notebook 05 is its example",
    "train_background": "notebook 03 is its example",
}


def public_objects() -> Iterator[tuple[str, str]]:
    """Module and name of all that an ``__all__`` lists or a notebook shows."""
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
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        for found in ast.walk(ast.parse(code)):
            if isinstance(found, ast.ImportFrom) and str(found.module).startswith(packages[0]):
                yield from ((str(found.module), name.name) for name in found.names)


NAMES = sorted(set(public_objects()))


SOURCE = Path(understandability.__file__).parent
PACKAGES = sorted(path.parent for path in SOURCE.rglob("*/__init__.py"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_every_package_says_what_goes_in_and_out(package: Path) -> None:
    """Its docstring names both; the command takes a user's words instead."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    if package.name != "cli":
        assert "In: " in text or "In and out: " in text
        assert "Out: " in text or "In and out: " in text


@pytest.mark.parametrize(("package", "name"), NAMES, ids=[".".join(each) for each in NAMES])
def test_what_is_public_is_documented(package: str, name: str) -> None:
    """A function or class has a docstring of its own, and an example or the reason for none."""
    found = getattr(importlib.import_module(package), name)
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        return  # a table, which its module explains
    text = inspect.getdoc(found) or ""
    assert text, "it has no docstring"
    assert not text.startswith(f"{name}("), "a dataclass describes itself by its fields only"
    if name not in NO_EXAMPLE:
        members = [member.__doc__ or "" for member in vars(found).values() if callable(member)]
        assert ">>> " in "\n".join([text, *members]), "it has no example"
