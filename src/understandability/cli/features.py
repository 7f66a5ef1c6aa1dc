"""`understand features`: pages to numbers, and the list of what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import (
    Docnos,
    Engine,
    Extractor,
    HtmlColumn,
    IdColumn,
    InputsIfAny,
    Keep,
    LimitMb,
    Quiet,
    RowsOutput,
    SentenceEnds,
    Strict,
    TextColumn,
    UrlColumn,
    columns_of,
    names_in,
    sources,
)
from understandability.cli.work import (
    Address,
    LimitSeconds,
    Runner,
    Shard,
    Work,
    WorkerMb,
    Workers,
    make,
)


def features(
    inputs: InputsIfAny = None,
    output: RowsOutput = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Features by name, such as dale_chall,smog."),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="GROUP,...", help="All features of these groups.")
    ] = None,
    per: Annotated[
        str | None,
        typer.Option(metavar="word,sentence", help="Add the values by word, by sentence or both."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the features; read no pages.")
    ] = False,
    words: Annotated[
        bool,
        typer.Option(
            "--words", help="Write the words behind the counts, and how often each occurs."
        ),
    ] = False,
    bundles: Annotated[
        list[str] | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="A background model; its estimate becomes a feature. May be repeated.",
            show_default=False,
        ),
    ] = None,
    tagger: Annotated[
        str,
        typer.Option(
            metavar="built-in|nltk",
            help="Parts of speech and named entities: our own, or NLTK's with its data.",
        ),
    ] = "built-in",
    extractor: Extractor = "main",
    sentence_ends: SentenceEnds = "force-period",
    engine: Engine = "fast",
    docnos: Docnos = None,
    limit_mb: LimitMb = 10.0,
    strict: Strict = False,
    quiet: Quiet = False,
    id_column: IdColumn = None,
    html_column: HtmlColumn = None,
    text_column: TextColumn = None,
    url_column: UrlColumn = None,
    keep: Keep = None,
    workers: Workers = None,
    limit_seconds: LimitSeconds = None,
    worker_mb: WorkerMb = None,
    shard: Shard = None,
    runner: Runner = None,
    address: Address = None,
) -> None:
    """Compute features of pages: formulas, counts of words, vocabulary, grammar and markup.

    One row a document: docno, path, url and the values. With --words, one row for each word behind
    a count. Documents that cannot be read go to FILE.errors.jsonl.

    Example: understand features crawl.warc.gz --only dale_chall,gunning_fog_plain -o fog.tsv
    """
    from understandability.errors import OptionError
    from understandability.features import select_columns
    from understandability.rows import TAGGERS, FeatureRows, WordRows
    from understandability.scoring import RowMaker, Settings

    names, chosen_groups = names_in(only), names_in(groups)
    if list_:
        _show_list(names, chosen_groups, output)
        return
    if not inputs:
        raise OptionError("there is nothing to read; name pages, folders or archives, or --list")
    if tagger not in TAGGERS:
        raise OptionError(f"--tagger {tagger!r} does not exist; choose from {', '.join(TAGGERS)}")
    work = Work(output, strict, quiet, workers, limit_seconds, worker_mb, shard, runner, address)
    settings = Settings(extractor=extractor, sentence_ends=sentence_ends, engine=engine)
    maker: RowMaker
    if words:
        if keep or work.is_folder:
            what = "--keep" if keep else "a crawl folder"
            raise OptionError(
                f"--words writes many rows for each document; it cannot be combined with {what}"
            )
        maker = WordRows(settings, tuple(names))
        shown: tuple[str, ...] = ("docno", "feature", "word", "count")
        title = f"the words that features count, {extractor}, {sentence_ends}"
    else:
        columns = tuple(select_columns(names, chosen_groups, names_in(per)))
        maker = FeatureRows(settings, columns, tuple(bundles or ()), tagger)
        shown = ("docno", *columns)
        title = f"{len(columns)} features, {extractor}, {sentence_ends}"
    maker.rows([])  # tells at once what cannot be
    chosen = columns_of(id_column, html_column, text_column, url_column, keep)
    pages = sources(inputs, docnos, limit_mb, columns=chosen)
    make(pages, maker, work, title=title, shown={name: name for name in shown})


def _show_list(names: list[str], groups: list[str], output: str | None) -> None:
    import pyarrow as pa

    from understandability.cli.tables import show
    from understandability.features.catalogue import COLUMNS, describe, select_columns
    from understandability.storage.tables import write_table

    rows = [describe(COLUMNS[name][0]) for name in select_columns(names, groups)]
    if output:
        write_table(pa.Table.from_pylist(rows), output)
    else:
        show(rows, {name: name for name in rows[0]})
