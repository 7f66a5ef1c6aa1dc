"""`understand features`: pages to numbers, and the list of what there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from understandability._version import __version__
from understandability.cli.options import (
    Docnos,
    Engine,
    Extractor,
    InputsIfAny,
    LimitMb,
    Output,
    Quiet,
    SentenceEnds,
    Strict,
    sources,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from understandability.scoring import Documents

TAGGERS = ("built-in", "nltk")


def features(
    inputs: InputsIfAny = None,
    output: Output = None,
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
        bool, typer.Option("--list", help="Show what features there are; no pages are read.")
    ] = False,
    words: Annotated[
        bool, typer.Option("--words", help="Show the words behind the counts, and how often.")
    ] = False,
    bundles: Annotated[
        list[str] | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="A background model, for the row of its estimator. May be repeated.",
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
) -> None:
    """Compute features of pages: formulas, counts of words, vocabulary, grammar and markup.

    One row a document: docno and the values. With --words, one row for each word that a count
    counts. Documents that cannot be read go to FILE.errors.jsonl.

    Example: understand features crawl.warc.gz --only dale_chall,gunning_fog_plain -o fog.tsv
    """
    from understandability.cli.rows import write_rows
    from understandability.errors import OptionError
    from understandability.features import batches, features_of, select_columns
    from understandability.language.nltk_backend import NltkTagger
    from understandability.models.bundle import load_background_models
    from understandability.scoring import Documents, Settings

    names, chosen_groups = _split(only), _split(groups)
    if list_:
        _show_list(names, chosen_groups, output)
        return
    if not inputs:
        raise OptionError("there is nothing to read; name pages, folders or archives, or --list")
    if tagger not in TAGGERS:
        raise OptionError(f"--tagger {tagger!r} does not exist; choose from {', '.join(TAGGERS)}")
    settings = Settings(extractor=extractor, sentence_ends=sentence_ends, engine=engine)
    documents = Documents(sources(inputs, docnos, limit_mb), settings)
    if words:
        tables = _word_rows(documents, names)
        shown: tuple[str, ...] = ("docno", "feature", "word", "count")
        title = f"the words that features count, {extractor}, {sentence_ends}"
    else:
        columns = select_columns(names, chosen_groups, _split(per))
        models = load_background_models(bundles or ())
        every = batches(documents, NltkTagger() if tagger == "nltk" else None)
        tables = (features_of(batch, columns, models).to_arrow() for batch in every)
        shown = ("docno", *columns)
        title = f"{len(columns)} features, {extractor}, {sentence_ends}"
    write_rows(
        documents,
        tables,
        output,
        settings={
            "understandability": __version__,
            "extractor": extractor,
            "sentence_ends": sentence_ends,
            "engine": engine,
            "tagger": tagger,
            "bundles": bundles or [],
        },
        title=title,
        shown={name: name for name in shown},
        strict=strict,
        quiet=quiet,
    )


def _word_rows(documents: Documents, names: list[str]) -> Iterator[pa.Table]:
    import pyarrow as pa

    from understandability.features import batches
    from understandability.features.words.counted import counted_words

    schema = pa.schema(
        {"docno": pa.string(), "feature": pa.string(), "word": pa.string(), "count": pa.int64()}
    )
    for batch in batches(documents):
        yield pa.Table.from_pylist([asdict(row) for row in counted_words(batch, names)], schema)


def _split(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def _show_list(names: list[str], groups: list[str], output: str | None) -> None:
    import pyarrow as pa

    from understandability.cli.rows import show
    from understandability.features.catalogue import COLUMNS, describe, select_columns
    from understandability.storage.tables import write_table

    rows = [describe(COLUMNS[name][0]) for name in select_columns(names, groups)]
    if output:
        write_table(pa.Table.from_pylist(rows), output)
    else:
        show(rows, {name: name for name in rows[0]})
