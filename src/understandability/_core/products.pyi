"""Products of rows with a matrix."""

from typing import Any

from numpy.typing import NDArray

PRODUCT_WIDTH: int
"""The number of columns of a block."""

def multiply(rows: NDArray[Any], blocks: NDArray[Any], out: NDArray[Any]) -> None:
    """Set `out` to the products of rows with a matrix. A row gives the same bits in any company.

    Args:
        rows: (rows, inputs), float32 or float64.
        blocks: (blocks, inputs, `PRODUCT_WIDTH`), of the same type: the columns of the matrix.
        out: (rows, outputs), float64; further columns of the matrix are ignored.

    Raises:
        ValueError: The shapes do not match.
    """
