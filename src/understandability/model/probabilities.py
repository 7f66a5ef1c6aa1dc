"""The command `probability`: convert any column of scores to P(U|d)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.errors import InputError, OptionError
from understandability.inputs.tables import read_table, settings_of
from understandability.model.readers import USERS, probability
from understandability.wording import number_or_pi

_NO_SCORES = ("docno", "path", "url", "scale", "flags")


def probabilities(
    scores: Any,
    *,
    threshold: Annotated[float, Parameter("--threshold")],
    column: str | None = None,
    user: Annotated[str, Parameter(choices=USERS)] = "step",
    noise_scale: str | float | None = None,
    direction: str = "harder",
    normalise: Literal["integral"] | None = None,
) -> Any:
    """Turn a column of scores into P(U|d).

    Example: understand probability fog.tsv --column gunning_fog_plain --user arctan --threshold 15
    --noise-scale pi -o p.tsv

    Args:
        scores: A table with docno and a column of scores.
        threshold: The score below which the reader understands.
        column: The column of scores, if the table has several.
        user: How sharp the threshold is: step, arctan, calibrated.
        noise_scale: Scale of the user's noise: a number, pi, or a column of the table.
        direction: What a higher score means: harder, or easier.
        normalise: integral: divide the arctan form by its integral over the scores.

    In Python:
        `scores` is a path or an Arrow table. Returns an Arrow table of docnos, the scores and
        ``p_understandable``. `probability` of `model.readers` takes the numbers themselves, and
        explains the user models.

        Raises `InputError` if a column is missing or contains values that are not numbers, and
        `OptionError` if the table has several columns of scores and none is chosen.

    >>> import pyarrow as pa
    >>> fog = pa.table({"docno": ["a", "b"], "fog": [9.5, 17.0]})
    >>> probabilities(fog, threshold=15)["p_understandable"].to_pylist()
    [1.0, 0.0]
    """
    import pyarrow as pa

    where = str(scores) if isinstance(scores, str | Path) else "the table"
    table = read_table(where) if isinstance(scores, str | Path) else scores
    if "docno" not in table.column_names:
        raise InputError(f"{where} has no column docno; it has {', '.join(table.column_names)}")
    if column is None:
        names = [name for name in table.column_names if name not in _NO_SCORES]
        if len(names) != 1:
            raise OptionError(
                f"{where} has the columns {', '.join(names)}; choose one with --column"
            )
        [column] = names
    noise: Floats | float | None
    if isinstance(noise_scale, str):
        is_column = noise_scale in table.column_names
        noise = _numbers(table, noise_scale, where) if is_column else number_or_pi(noise_scale)
    else:
        noise = noise_scale
    values = _numbers(table, column, where)
    p_understandable = probability(
        values, threshold, user, noise_scale=noise, direction=direction, normalise=normalise
    )
    return pa.table({"docno": table["docno"], column: values, "p_understandable": p_understandable})


def _numbers(table: Any, name: str, where: str) -> Floats:
    if name not in table.column_names:
        raise InputError(f"{where} has no column {name!r}; it has {', '.join(table.column_names)}")
    try:
        numbers = np.array(table[name].to_pylist(), np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"column {name!r} of {where} holds values that are not numbers") from None
    if np.isinf(numbers).any():
        raise InputError(f"column {name!r} of {where} holds numbers that are not finite")
    return numbers


def scales_of(table: Any) -> tuple[str, ...]:
    """Return the names of the scales of the estimates in a score table, in a file or in memory.

    They are read from the column ``scale`` or from the settings. A table of P(U|d) that names no
    scale has the scale ''; any other table has no scales.

    >>> import pyarrow as pa
    >>> scales_of(pa.table({"p_understandable": [0.5]})), scales_of(pa.table({"label": [1]}))
    (('',), ())
    """
    rows = read_table(str(table)) if isinstance(table, str | Path) else table
    names = getattr(rows, "column_names", ())
    if "scale" in names and "difficulty" in names:
        return tuple(sorted({str(scale) for scale in rows["scale"].unique().to_pylist()}))
    scale = settings_of(table).get("scale")
    return (str(scale),) if scale else ("",) * ("p_understandable" in names)
