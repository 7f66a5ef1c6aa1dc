"""What learning to rank learns: a gain from relevance R and understandability U, by expression.

U is the scale of CLEF eHealth 2016: 0 very easy, 100 very hard.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
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
COMBOS: Mapping[str, str] = MappingProxyType(
    {
        "combo1": "R",
        "combo2": "R",
        "combo3": "R * (100 - U) / 100",
        "combo4": "R if U <= 40 else 0",
        "combo5": "2 * R if U <= 40 else R",
    }
)
IR_ONLY = "combo1"  # learned from the IR features alone

_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType(
    {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide}
)
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Lt: np.less,
        ast.LtE: np.less_equal,
        ast.Gt: np.greater,
        ast.GtE: np.greater_equal,
        ast.Eq: np.equal,
        ast.NotEq: np.not_equal,
    }
)
_CALLS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {"min": np.minimum, "max": np.maximum}
)
Value = Callable[[Mapping[str, Floats]], Any]


@dataclass(frozen=True, slots=True)
class Gain:
    """An expression of R and perhaps U; call it with their values, one each a document."""

    expression: str
    uses_understandability: bool
    _compute: Value

    def __call__(self, relevance: Floats, understandability: Floats) -> Floats:
        """The gain of each document.

        Raises `InputError` where one is below 0 or not a number.
        """
        values = {"R": relevance, "U": understandability}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            gains = np.broadcast_to(self._compute(values), relevance.shape).astype(np.float64)
        wrong = ~(np.isfinite(gains) & (gains >= 0))
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InputError(
                f"the labels {self.expression!r} are {gains[at]:g} where R is {relevance[at]:g} "
                f"and U {understandability[at]:g}; a gain must be a number of 0 or more"
            )
        return gains


def parse_gain(text: str) -> Gain:
    """The gain of an expression, or of one of the `COMBOS` by its name; nothing is executed.

    It may have numbers, R, U, ``+ - * /``, comparisons, ``A if CONDITION else B``, ``min(A, B)``
    and ``max(A, B)``; `OptionError` where more is in it.

    >>> parse_gain("R * (100 - U) / 100")(np.array([2.0, 1.0]), np.array([25.0, 80.0])).tolist()
    [1.5, 0.2]
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
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return Gain(expression, "U" in names, _understood(tree, expression))


def _understood(node: ast.expr, expression: str) -> Value:
    """What computes a tree from the values of R and U; `OptionError` where more is in it."""

    def understood(*nodes: ast.expr) -> list[Value]:
        return [_understood(each, expression) for each in nodes]

    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            if not abs(number) <= 1e12:
                raise OptionError(f"a number in {expression!r} is too large")
            return lambda values: float(number)
        case ast.Name(id="R" | "U" as name):
            return lambda values: values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _applied(_ARITHMETIC[type(op)], *understood(left, right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _applied(np.negative, *understood(operand))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _applied(
                lambda test, body, other: np.where(np.asarray(test) != 0, body, other),
                *understood(test, body, other),
            )
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(
            type(op) in _COMPARISONS for op in ops
        ):
            compare = [_COMPARISONS[type(op)] for op in ops]

            def hold(*sides: Any) -> Any:
                pairs = zip(compare, sides, sides[1:], strict=False)
                holds = [holds(first, second) for holds, first, second in pairs]
                return np.logical_and.reduce(np.broadcast_arrays(*holds)).astype(np.float64)

            return _applied(hold, *understood(left, *rest))
        case ast.Call(func=ast.Name(id=name), args=[_, _] as both, keywords=[]) if name in _CALLS:
            return _applied(_CALLS[name], *understood(*both))
    found = ast.get_source_segment(expression, node) or expression
    raise OptionError(f"{found!r} is not allowed in an expression of labels; write {_ALLOWED}")


def _applied(function: Callable[..., Any], *parts: Value) -> Value:
    """A function of what each part computes."""
    return lambda values: function(*(part(values) for part in parts))
