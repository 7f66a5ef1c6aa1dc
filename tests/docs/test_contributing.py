"""The recipes of CONTRIBUTING.md, followed literally in a copy of the project."""

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from tests.conftest import ROOT

from understandability import _core

pytestmark = pytest.mark.slow

FORMULA = '''

def strain(syllables: Counts, sentences: Counts) -> FloatArray:
    """Strain index (Nirmaldasan 2007): a tenth of the syllables in three sentences."""
    return 0.3 * syllables / sentences


Count = str |'''
FORMULA_ROW = """_ROWS: tuple[tuple[Any, ...], ...] = (
    ("strain", "score", HARDER, "0.3 syllables/sentences",
     "Nirmaldasan 2007", strain, ("syllables", "sentences")),"""
FORMULA_EXAMPLE = """FORMULAS = {
    "strain": 0.3 * 43 / 3,"""

VALUE = '''

def reciprocal_rank(measure: Measure, judgements: Judgements, ranked: Ranked) -> Floats:
    """1 / the rank of the first relevant document."""
    relevant = gain(measure, judgements, ranked) > 0
    best = np.full(len(ranked.returned), np.inf)
    np.minimum.at(best, ranked.query[relevant], ranked.position[relevant] + 1.0)
    return 1 / best


# Gains: f(T)'''
MEASURE_ROW = """_BASES = (
    Base("RR", "1 / the rank of the first relevant document", "Voorhees 1999",
        gain=values.share_gain, value=values.reciprocal_rank, relevance=_GAIN),"""
MEASURE_EXAMPLE = """WORKED = {
    "RR": 1.0,"""


EXTRACTOR = '''"""Keep only paragraphs."""

from understandability.text.document import Block
from understandability.text.extract.naive import naive
from understandability.text.parsed import ParsedPage


def paragraphs(parsed: ParsedPage) -> tuple[Block, ...]:
    """Return the blocks of a page; only paragraphs are kept."""
    return tuple(
        block._replace(kept=block.tag == "p", reason="" if block.tag == "p" else "no paragraph")
        for block in naive(parsed)
    )
'''
EXTRACTOR_ROW = """EXTRACTORS = {
    "paragraphs": Extractor("text.extract.paragraphs:paragraphs", "an example"),"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code and its tests; everything else is a link."""
    folder = tmp_path_factory.mktemp("project")
    for path in ROOT.iterdir():
        if path.name in ("src", "tests"):
            ignore = shutil.ignore_patterns("__pycache__", "*.c")
            shutil.copytree(path, folder / path.name, ignore=ignore)
        elif not path.name.startswith(".git"):
            (folder / path.name).symlink_to(path)
    # The compiled modules are next to their source only where that was built in place.
    for module in Path(_core.__file__).parent.glob(f"*{EXTENSION_SUFFIXES[0]}"):
        shutil.copy2(module, folder / "src" / "understandability" / "_core")
    return folder


def insert(path: Path, before: str, text: str) -> None:
    """Replace the only occurrence of a text in a file."""
    content = path.read_text("utf-8")
    assert content.count(before) == 1, f"{path.name} has {before!r} {content.count(before)} times"
    path.write_text(content.replace(before, text), "utf-8")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        check=False,
    )


def run_tests(folder: Path, file: str) -> subprocess.CompletedProcess[str]:
    """Run a file of tests on the copy."""
    return run(folder, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", file)


def test_a_formula(copy: Path) -> None:
    """A row and its function; the tests ask for an example, and accept it."""
    feature = copy / "src" / "understandability" / "feature"
    insert(feature / "formulas.py", "\n\nCount = str |", FORMULA)
    insert(feature / "formulas.py", "\n_ROWS: tuple[tuple[Any, ...], ...] = (", f"\n{FORMULA_ROW}")
    done = run_tests(copy, "tests/feature/test_readability.py")
    assert "strain" in done.stdout
    assert "test_every_formula_and_component_is_worked_by_hand" in done.stdout
    insert(copy / "tests" / "feature" / "test_readability.py", "FORMULAS = {", FORMULA_EXAMPLE)
    done = run_tests(copy, "tests/feature/test_readability.py")
    assert done.returncode == 0, done.stdout
    program = (
        "import understandability as ud\n"
        "print(ud.features(['You rest. We rest.'], ['strain']).table['strain'].to_pylist())"
    )
    assert run(copy, "-c", program).stdout == "[0.6]\n"  # 4 syllables in 2 sentences


def test_a_measure(copy: Path) -> None:
    """A value and a row; the tests ask for an example, and accept it."""
    measures = copy / "src" / "understandability" / "evaluation" / "measures"
    insert(measures / "values.py", "\n\n# Gains: f(T)", VALUE)
    insert(measures / "bases.py", "_BASES = (\n", f"{MEASURE_ROW}\n")
    done = run_tests(copy, "tests/evaluation/test_scoring.py")
    assert "RR has no example: add one to WORKED, computed by hand" in done.stdout
    insert(
        copy / "tests" / "evaluation" / "test_scoring.py", "\nWORKED = {", f"\n{MEASURE_EXAMPLE}"
    )
    done = run_tests(copy, "tests/evaluation/test_scoring.py")
    assert done.returncode == 0, done.stdout
    program = (
        "import understandability as ud\n"
        "runs = {'r': {'q': {'d1': 2.0, 'd2': 1.0}}}\n"
        "result = ud.evaluate(runs, {'q': {'d2': 1}}, measures='RR')\n"
        "print(result.means['r'].tolist())"
    )
    assert run(copy, "-c", program).stdout == "[0.5]\n"


def test_an_extractor(copy: Path) -> None:
    """A function, a row and a word of help; the tests say what is missing, and accept it."""
    text = copy / "src" / "understandability" / "text"
    (text / "extract" / "paragraphs.py").write_text(EXTRACTOR, "utf-8")
    insert(text / "analysis.py", "EXTRACTORS = {\n", f"{EXTRACTOR_ROW}\n")
    done = run_tests(copy, "tests/text/extract/test_extractors.py")
    assert "name paragraphs in the docstring of Extraction, in scoring.py" in done.stdout
    done = run_tests(copy, "tests/golden")
    assert "freeze new rows with `python -m scripts.freeze`: ['easy.html paragraphs" in done.stdout
    insert(text.parent / "scoring.py", "naive, boilerpipe,", "naive, paragraphs, boilerpipe,")
    done = run_tests(copy, "tests/text/extract/test_extractors.py")
    assert done.returncode == 0, done.stdout
    program = (
        "import understandability as ud\n"
        "page = {'a': '<h1>Flu</h1><p>A virus.'}\n"
        "print(ud.score(page, extractor='paragraphs')['a']['words'])"
    )
    assert run(copy, "-c", program).stdout == "2\n"
