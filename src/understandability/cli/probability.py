"""`understand probability`: any column of scores to P(U|d)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import number

if TYPE_CHECKING:
    import pyarrow as pa


def probability(
    scores: Annotated[
        str, typer.Argument(metavar="SCORES", help="A table with docno and a column of scores.")
    ],
    threshold: Annotated[float, typer.Option(help="The score below which the reader understands.")],
    column: Annotated[
        str | None,
        typer.Option(help="The column of scores, if the table has several."),
    ] = None,
    user: Annotated[
        str, typer.Option(help="How sharp the threshold is: step, arctan, calibrated.")
    ] = "step",
    noise_scale: Annotated[
        str | None,
        typer.Option(help="Scale of the user's noise: a number, pi, or a column of the table."),
    ] = None,
    direction: Annotated[
        str, typer.Option(help="What a higher score means: harder, or easier.")
    ] = "harder",
    normalise: Annotated[
        str | None,
        typer.Option(help="integral: divide the arctan form by its integral over the scores."),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Table to write; - is standard output."
        ),
    ] = "-",
) -> None:
    """Turn a column of scores into P(U|d).

    Example: understand probability fog.tsv --user arctan --threshold 15 --noise-scale pi -o p.tsv
    """
    from typing import Any, Literal, cast

    import numpy as np
    import pyarrow as pa

    from understandability.errors import InputError
    from understandability.inputs.tables import read_table, write_table
    from understandability.inputs.writing import check_is_no_input
    from understandability.model.readers import probability as chance_of

    check_is_no_input(output, [scores])
    table = read_table(scores)
    if "docno" not in table.column_names:
        raise InputError(f"{scores} has no column docno; it has {', '.join(table.column_names)}")
    chosen = column or _only_column(table, scores)

    def values(name: str) -> Any:
        if name not in table.column_names:
            raise InputError(
                f"{scores} has no column {name!r}; it has {', '.join(table.column_names)}"
            )
        try:
            numbers = np.array(
                [np.nan if value is None else float(value) for value in table[name].to_pylist()]
            )
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"column {name!r} of {scores} holds values that are not numbers"
            ) from None
        if np.isinf(numbers).any():
            raise InputError(f"column {name!r} of {scores} holds numbers that are not finite")
        return numbers

    scale = (
        values(noise_scale)
        if noise_scale is not None and noise_scale in table.column_names
        else number(noise_scale, "--noise-scale")
    )
    chance = chance_of(
        values(chosen),
        threshold,
        user,
        noise_scale=scale,
        direction=direction,
        normalise=cast(Literal["integral"] | None, normalise),
    )
    write_table(
        pa.table({"docno": table["docno"], chosen: values(chosen), "p_understandable": chance}),
        output,
        settings={
            "scores": scores,
            "column": chosen,
            "user": user,
            "threshold": threshold,
            "noise_scale": noise_scale,
            "direction": direction,
            "normalise": normalise,
        },
    )


def _only_column(table: pa.Table, scores: str) -> str:
    from understandability.errors import OptionError

    names = [name for name in table.column_names if name not in ("docno", "path", "url", "flags")]
    if len(names) != 1:
        raise OptionError(f"{scores} has the columns {', '.join(names)}; choose one with --column")
    return str(names[0])
