"""What the packages offer by name is documented, with an example that runs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import understandability

# Without an example of their own, and why.
NO_EXAMPLE = {
    "Bundle": "what `load_bundle` gives, see there",
    "Comparison": "what `compare` gives, see there",
    "Explanation": "what `explain` gives, see there",
    "Extractor": "a row of the table `EXTRACTORS`",
    "Feature": "a row of the table `CATALOGUE`",
    "FeatureTable": "what `compute_features` gives, see there",
    "Flag": "part of a row of the table `CATALOGUE`",
    "ParsedPage": "what `parse_page` gives, see there",
    "Scores": "what `score` gives, see there",
    "crawl_report": "it needs a run folder; `tests/report` makes one",
}


def public_objects() -> Iterator[tuple[str, str]]:
    """Package and name of all that an ``__all__`` lists."""
    packages = [understandability.__name__]
    packages += [
        f"{understandability.__name__}.{module.name}"
        for module in pkgutil.iter_modules(understandability.__path__)
        if module.ispkg
    ]
    for package in packages:
        for name in getattr(importlib.import_module(package), "__all__", ()):
            yield package, name


NAMES = sorted(public_objects())


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
