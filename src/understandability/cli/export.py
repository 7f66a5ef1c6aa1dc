"""`understand export`: scores to a search engine."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.wording import counted


def export(
    scores: Annotated[
        str, typer.Argument(metavar="SCORES", help="A score table, with docno and the column.")
    ],
    to: Annotated[
        str,
        typer.Option(
            help="elasticsearch, opensearch, solr, solr-file, vespa, anserini or pyterrier."
        ),
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FOLDER/", help="Folder to write.")
    ],
    column: Annotated[str, typer.Option(help="The column of the table.")] = "p_understandable",
    field: Annotated[
        str | None,
        typer.Option(help="Name of the field in the engine. Default: that of the column."),
    ] = None,
    index: Annotated[str, typer.Option(help="Name of the index in the engine.")] = "pages",
) -> None:
    """Write scores as files that a search engine loads, with the field to declare and a query.

    Documents without a value are left out, and counted.

    Example: understand export scores.parquet --to elasticsearch -o for-elasticsearch/
    """
    import math

    from understandability.errors import InputError
    from understandability.inputs.tables import read_table
    from understandability.inputs.writing import open_folder
    from understandability.integrations.search_engines import ENGINES
    from understandability.integrations.search_engines import export as export_to

    table = read_table(scores, ["docno", column])
    numbers = table[column].to_pylist()
    if any(isinstance(number, str) for number in numbers):
        raise InputError(f"column {column!r} of {scores} holds values that are not numbers")
    values = {
        docno: float(number)
        for docno, number in zip(table["docno"].to_pylist(), numbers, strict=True)
        if number is not None and math.isfinite(number)
    }
    folder = open_folder(output)
    for name, chunks in export_to(values, to, field=field or column, index=index):
        folder.write(name, chunks)
    left_out = table.num_rows - len(values)
    beside = f", {left_out:,} without a value or seen before left out" if left_out else ""
    told = f"{counted(len(values), 'document')} for {ENGINES[to].title} in {output}{beside}"
    typer.echo(told, err=True)
    typer.echo(f"Next: {ENGINES[to].load.replace('INDEX', index)}", err=True)
