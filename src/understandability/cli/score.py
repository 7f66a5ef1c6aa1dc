"""`understand score`: pages to P(U|d)."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import (
    AnyLanguage,
    Bundle,
    Docnos,
    Engine,
    Extractor,
    HtmlColumn,
    IdColumn,
    Inputs,
    Keep,
    LimitMb,
    NoiseScale,
    Quiet,
    Reader,
    RowsOutput,
    SentenceEnds,
    Strict,
    TextColumn,
    Threshold,
    UrlColumn,
    User,
    columns_of,
    number,
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


def score(
    inputs: Inputs,
    output: RowsOutput = None,
    extractor: Extractor = "main",
    sentence_ends: SentenceEnds = "force-period",
    engine: Engine = "fast",
    bundle: Bundle = "open",
    reader: Reader = "public",
    threshold: Threshold = None,
    user: User = None,
    noise_scale: NoiseScale = None,
    features: Annotated[bool, typer.Option("--features", help="Add every feature.")] = False,
    any_language: AnyLanguage = False,
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

    work = Work(output, strict, quiet, workers, limit_seconds, worker_mb, shard, runner, address)
    columns = columns_of(id_column, html_column, text_column, url_column, keep)
    pages = sources(inputs, docnos, limit_mb, columns=columns)
    settings = Settings(
        extractor=extractor,
        sentence_ends=sentence_ends,
        engine=engine,
        bundle=bundle,
        reader=reader,
        threshold=threshold,
        user=user,
        noise_scale=number(noise_scale, "--noise-scale"),
        features=features,
        any_language=any_language,
    )
    scorer = Scorer(settings)
    title = (
        f"for {settings.who.description}; bundle {scorer.bundle.name}, {extractor}, {sentence_ends}"
    )
    make(pages, scorer, work, title=title, shown=_SHOWN)
