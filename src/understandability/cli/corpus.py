"""`understand corpus`: how large corpora are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import (
    Docnos,
    HtmlColumn,
    IdColumn,
    Inputs,
    LimitMb,
    TextColumn,
    columns_of,
    sources,
)
from understandability.cli.outputs import ResultFile, check_destination, write_result
from understandability.cli.tables import print_table

if TYPE_CHECKING:
    from understandability.text.page import Failure, Page


def corpus(
    inputs: Inputs,
    together: Annotated[
        bool,
        typer.Option("--together", help="Count all inputs as one corpus, instead of one each."),
    ] = False,
    id_column: IdColumn = None,
    html_column: HtmlColumn = None,
    text_column: TextColumn = None,
    docnos: Docnos = None,
    limit_mb: LimitMb = 10.0,
    output: ResultFile = None,
) -> None:
    """Count documents, words and distinct words of corpora, with means and deviations.

    The statistics are those of Table 1 of Palotti, Zuccon & Hanbury (2019). Documents that cannot
    be read are left out, and counted.

    Example: understand corpus reddit.jsonl.gz wikipedia/ pubmed.parquet -o table1.csv
    """
    from pathlib import Path

    from understandability.scoring import Settings, documents_of
    from understandability.study.corpus import corpus_size

    check_destination(output)
    columns = columns_of(id_column, html_column, text_column, None, None)
    sizes = []
    for paths in [inputs] if together else [[each] for each in inputs]:
        unread: list[Failure] = []
        pages = _readable(sources(paths, docnos, limit_mb, columns=columns), unread)
        name = "all" if together else Path(paths[0]).name.partition(".")[0] or paths[0]
        sizes.append(corpus_size(documents_of(pages, Settings()), name))
        if unread:
            typer.echo(f"{name}: left out, because they cannot be read: {len(unread):,}", err=True)
    rows = [row for size in sizes for row in size.rows()]
    if output != "-":
        print_table(
            ("corpus", "statistic", "value", "sd"),
            [
                (
                    str(row["corpus"]),
                    str(row["statistic"]),
                    f"{row['value']:,.0f}" if row["sd"] is None else f"{row['value']:,.2f}",
                    "" if row["sd"] is None else f"{row['sd']:,.2f}",
                )
                for row in rows
            ],
            texts=2,
        )
    if output is not None:
        write_result(output, {"settings": {"inputs": inputs}, "corpora": rows}, lambda: rows)


def _readable(pages: Iterable[Page | Failure], unread: list[Failure]) -> Iterator[Page]:
    """The pages; what cannot be read goes into `unread`."""
    from understandability.text.page import Failure

    for page in pages:
        if isinstance(page, Failure):
            unread.append(page)
        else:
            yield page
