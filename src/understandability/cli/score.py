"""`understand score`: pages to P(U|d)."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.groups import PageOptions, ReaderOptions, TextOptions, with_groups
from understandability.cli.options import AnyLanguage, Inputs, RowsOutput
from understandability.cli.work import FolderWork, make

# Column of the rows -> its heading on a terminal.
_SHOWN = {
    "docno": "docno",
    "p_understandable": "P(U|d)",
    "difficulty": "difficulty",
    "dale_chall": "Dale-Chall",
    "gunning_fog": "FOG",
    "words": "words",
    "flags": "flags",
}


@with_groups
def score(
    inputs: Inputs,
    output: RowsOutput = None,
    *,
    text: TextOptions,
    model: ReaderOptions,
    features: Annotated[bool, typer.Option("--features", help="Add every feature.")] = False,
    any_language: AnyLanguage = False,
    pages: PageOptions,
    work: FolderWork,
) -> None:
    """Score pages: how likely a reader is to understand each of them.

    Each document gets a row: docno, path, url, P(U|d), difficulty (0 very easy to 100 very hard)
    with its spread, the readability formulas, words, sentences, language, encoding, extractor,
    flags. Documents that cannot be scored go to FILE.errors.jsonl.

    With -o FOLDER/, worker processes fill a crawl folder. Stop them at any time; the same command
    goes on from there.

    Examples: understand score crawl.warc.gz -o scores.parquet

    understand score pages.parquet --id-column url --html-column content --keep lang -o s.parquet

    understand score crawl/*.warc.gz -o scores/ --workers 8
    """
    from understandability.scoring import Scorer, Settings

    settings = Settings(**text.chosen, **model.chosen, features=features, any_language=any_language)
    scorer = Scorer(settings)
    title = f"for {scorer.reader.description}; bundle {scorer.bundle.name}, {text.title}"
    if scorer.remark and not work.quiet:
        typer.echo(f"understand: {scorer.remark}", err=True)
    make(pages.sources(inputs), scorer, output, work, title=title, shown=_SHOWN)
