"""Products of rows with a matrix."""

from typing import Any

from numpy.typing import NDArray

PRODUCT_WIDTH: int
"""The number of columns of a block."""

def multiply(
    rows: NDArray[Any], blocks: NDArray[Any], biases: NDArray[Any], least: float, out: NDArray[Any]
) -> None:
    """Set `out` to the products of rows with a matrix, plus the biases, and to at least `least`.

    The result of a row has the same bits whatever the other rows are.

    Args:
        rows: (rows, inputs), float32 or float64.
        blocks: (blocks, inputs, `PRODUCT_WIDTH`), of the same type: the columns of the matrix.
        biases: (outputs,), float64.
        least: Smaller results are replaced by it. NaN stays NaN.
        out: (rows, outputs), float64; further columns of the matrix are ignored.

    Raises:
        ValueError: The shapes do not match.
    """
