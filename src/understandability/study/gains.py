"""Gains for learning to rank, written as expressions of relevance R and understandability U."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError

_LONGEST = 300
_ALLOWED = (
    "numbers, R (relevance), U (understandability, 0 very easy to 100 very hard), + - * /, "
    "comparisons, `A if CONDITION else B`, min(A, B) and max(A, B)"
)


# Palotti, Goeuriot, Zuccon & Hanbury (2016); Palotti, Zuccon & Hanbury (2019).
COMBOS: Mapping[str, str] = {
    "combo1": "R",
    "combo2": "R",
    "combo3": "R * (100 - U) / 100",
    "combo4": "R if U <= 40 else 0",
    "combo5": "2 * R if U <= 40 else R",
}
IR_ONLY = "combo1"  # learned from the IR features alone

# fmt: off
_Operation = Callable[[Any, Any], Any]
_ARITHMETIC: Mapping[type[ast.operator], _Operation] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
}
_COMPARISONS: Mapping[type[ast.cmpop], _Operation] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
    ast.Eq: np.equal, ast.NotEq: np.not_equal,
}
_CALLS: Mapping[str, _Operation] = {"min": np.minimum, "max": np.maximum}
# fmt: on


@dataclass(frozen=True, slots=True)
class Gain:
    """An expression of R and perhaps U, which is called with arrays (one value per document)."""

    expression: str
    uses_understandability: bool
    _tree: ast.expr

    def __call__(self, relevance: Floats, understandability: Floats) -> Floats:
        """Return the gain of each document.

        Raises `InputError` for a gain below 0 or not a number.
        """
        labels = {"R": relevance, "U": understandability}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = _value(self._tree, labels, self.expression)
        gains = np.broadcast_to(values, relevance.shape).astype(np.float64)
        wrong = ~(np.isfinite(gains) & (gains >= 0))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InputError(
                f"the labels {self.expression!r} are {gains[at]:g} where R is {relevance[at]:g} "
                f"and U {understandability[at]:g}; a gain must be a number of 0 or more"
            )
        return gains


def parse_gain(text: str) -> Gain:
    """Parse an expression, or the name of one of the `COMBOS`; nothing is executed.

    The expression may contain numbers, R, U, ``+ - * /``, comparisons, ``A if CONDITION else B``,
    ``min(A, B)`` and ``max(A, B)``; anything else raises `OptionError`.

    >>> parse_gain("combo5")(np.array([1.0, 1.0]), np.array([40.0, 41.0])).tolist()
    [2.0, 1.0]
    """
    expression = COMBOS.get(text, text)
    if len(expression) > _LONGEST:
        raise OptionError(f"an expression of labels has at most {_LONGEST} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise OptionError(
            f"{text!r} is neither one of {', '.join(COMBOS)} nor an expression of {_ALLOWED}"
        ) from None
    with np.errstate(all="ignore"):
        _value(tree, {"R": np.ones(1), "U": np.ones(1)}, expression)  # refuses what is not allowed
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return Gain(expression, "U" in names, tree)


def _value(node: ast.expr, values: Mapping[str, Floats], expression: str) -> Any:
    """Evaluate a syntax tree for values of R and U; raise `OptionError` for nodes that are not
    allowed.
    """

    def value_of(part: ast.expr) -> Any:
        return _value(part, values, expression)

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if not abs(number) <= 1e12:
                raise OptionError(f"a number in {expression!r} is too large")
            return np.float64(number)
        case ast.Name(id="R" | "U" as name):
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](value_of(left), value_of(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value_of(operand)
        case ast.IfExp(test=test, body=body, orelse=other):
            return np.where(np.asarray(value_of(test)) != 0, value_of(body), value_of(other))
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(
            type(op) in _COMPARISONS for op in ops
        ):
            sides = list(map(value_of, (left, *rest)))
            pairs = zip(ops, sides, sides[1:], strict=False)
            holds = [_COMPARISONS[type(op)](first, second) for op, first, second in pairs]
            return np.logical_and.reduce(np.broadcast_arrays(*holds)).astype(np.float64)
        case ast.Call(func=ast.Name(id=name), args=[one, other], keywords=[]) if name in _CALLS:
            return _CALLS[name](value_of(one), value_of(other))
    segment = ast.get_source_segment(expression, node) or expression
    raise OptionError(f"{segment!r} is not allowed in an expression of labels; write {_ALLOWED}")
