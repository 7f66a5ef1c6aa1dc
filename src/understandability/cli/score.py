"""`understand score`: pages to P(U|d)."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.crawling import (
    Address,
    LimitSeconds,
    Runner,
    RunOptions,
    Shard,
    WorkerMb,
    Workers,
    run_folder,
    score_into_folder,
)
from understandability.cli.options import (
    AnyLanguage,
    Bundle,
    Docnos,
    Engine,
    Extractor,
    Inputs,
    LimitMb,
    NoiseScale,
    Output,
    Quiet,
    SentenceEnds,
    Strict,
    Threshold,
    User,
    number,
    sources,
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
    output: Output = None,
    extractor: Extractor = "main",
    sentence_ends: SentenceEnds = "force-period",
    engine: Engine = "fast",
    bundle: Bundle = "default",
    threshold: Threshold = 40.0,
    user: User = "calibrated",
    noise_scale: NoiseScale = None,
    features: Annotated[bool, typer.Option("--features", help="Add every feature.")] = False,
    any_language: AnyLanguage = False,
    docnos: Docnos = None,
    limit_mb: LimitMb = 10.0,
    strict: Strict = False,
    quiet: Quiet = False,
    workers: Workers = None,
    limit_seconds: LimitSeconds = None,
    worker_mb: WorkerMb = None,
    shard: Shard = None,
    runner: Runner = None,
    address: Address = None,
) -> None:
    """Score pages: how likely a reader is to understand each of them.

    One row a document: docno, source, P(U|d), difficulty (0 very easy to 100 very hard) with its
    standard error, the readability formulas, words, sentences, language, encoding, extractor,
    flags. Documents that cannot be scored go to FILE.errors.jsonl.

    With -o FOLDER/ worker processes write a run folder, which may be stopped and gone on with.

    Examples: understand score crawl.warc.gz -o scores.parquet

    understand score crawl/*.warc.gz -o run/ --workers 8
    """
    from understandability.cli.rows import write_rows
    from understandability.scoring import Documents, Scorer, Settings

    pages = sources(inputs, docnos, limit_mb)
    scorer = Scorer(
        Settings(
            extractor=extractor,
            sentence_ends=sentence_ends,
            engine=engine,
            bundle=bundle,
            threshold=threshold,
            user=user,
            noise_scale=number(noise_scale, "--noise-scale"),
            features=features,
            any_language=any_language,
        )
    )
    described = scorer.described
    title = (
        f"bundle {described['bundle']} ({described['bundle_licence']}), "
        f"{user} user, threshold {threshold:g}, {extractor}, {sentence_ends}"
    )
    options = RunOptions(workers, limit_seconds, worker_mb, shard, runner, address)
    if folder := run_folder(output, options):
        score_into_folder(folder, pages, scorer, options, title=title, strict=strict, quiet=quiet)
        return
    documents = Documents(pages, scorer.settings)
    write_rows(
        documents,
        scorer.score_all(documents),
        output,
        settings=described,
        title=title,
        shown=_SHOWN,
        strict=strict,
        quiet=quiet,
    )
