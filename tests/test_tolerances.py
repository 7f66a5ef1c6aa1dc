"""No test compares more than six significant digits of a float: the seventh is the processor's."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
LEAST = 1e-6
# Keywords that are a tolerance, in pytest.approx, math.isclose and numpy.testing.
TOLERANCES = {"rel", "abs", "rel_tol", "abs_tol", "rtol", "atol"}
CALLS = {"approx", "isclose", "allclose", "assert_allclose"}
FILES = sorted(TESTS.rglob("*.py"))


def digits_of(number: float) -> int:
    """The number of significant digits, of the shortest form that is the same number."""
    mantissa = f"{abs(number):e}" if number == float(f"{number:.6e}") else repr(abs(number))
    return len(mantissa.partition("e")[0].replace(".", "").strip("0"))


def too_exact(tree: ast.AST) -> Iterator[str]:
    """Yield the line and the reason of each comparison that is too exact."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            for keyword in node.keywords if name in CALLS else ():
                value = keyword.value
                is_tolerance = keyword.arg in TOLERANCES and isinstance(value, ast.Constant)
                if is_tolerance and 0 < float(value.value) < LEAST:
                    yield f"line {node.lineno}: {keyword.arg}={value.value}"
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            for side in (node.left, *node.comparators):
                number = side.value if isinstance(side, ast.Constant) else None
                if isinstance(number, float) and digits_of(number) > 6:
                    yield f"line {node.lineno}: == {number}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TESTS)))
def test_no_comparison_has_more_than_six_digits(path: Path) -> None:
    assert not [*too_exact(ast.parse(path.read_text("utf-8")))]


@pytest.mark.parametrize(
    "statement",
    [
        "assert x == pytest.approx(1, rel=1e-9)",
        "np.testing.assert_allclose(x, y, rtol=1e-12)",
        "assert math.isclose(x, y, abs_tol=1e-14)",
        "assert x == 3.2930242",
    ],
)
def test_such_a_comparison_is_reported(statement: str) -> None:
    assert [*too_exact(ast.parse(statement))]


def test_an_allowed_comparison_is_not_reported() -> None:
    allowed = "assert x == approx(1.25, rel=1e-6)\nassert y == approx(1)\nassert z == 0.25"
    assert not [*too_exact(ast.parse(allowed))]
