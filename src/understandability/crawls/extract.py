"""The command `extract`: the text of each page, or every block with the reason to keep or drop
it.
"""

from __future__ import annotations

from typing import Unpack

from understandability.crawls.options import (
    Destination,
    ExtractOptions,
    Inputs,
    Work,
    split_choices,
)
from understandability.crawls.rows import Rows, rows_of
from understandability.keywords import keywords_of
from understandability.rows import TextRows
from understandability.scoring import Extraction


@keywords_of(Extraction, Work)
def extract(
    inputs: Inputs = (),
    output: Destination = None,
    *,
    explain: bool = False,
    **choices: Unpack[ExtractOptions],
) -> Rows:
    """Extract the text of pages: a line for each heading, paragraph or list item.

    With --explain, one line for each block: kept or not, why, its element, its text. With -o FILE,
    the rows also hold the blocks, as JSON.

    Example: understand extract page.html --explain

    Args:
        inputs: Pages as `understand score` takes them.
        output: A folder (ends in /) gets a text file for each document; a file one row for each:
            .jsonl, .csv, .tsv (also .gz, .zst), .parquet; - is JSON Lines.
        explain: Show every block, kept or dropped, and why.

    >>> extract({"flu": "<h1>Flu</h1><p>Rest."}).table["text"].to_pylist()
    ['Flu.\\nRest.\\n']
    """
    settings, work = split_choices(choices)
    return rows_of(Rows, inputs, TextRows(settings, explain), output, work)
