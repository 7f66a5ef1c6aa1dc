"""`understand score`: pages to P(U|d)."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import (
    Docnos,
    Engine,
    Extractor,
    Inputs,
    LimitMb,
    Output,
    Quiet,
    SentenceEnds,
    Strict,
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
    extractor: Extractor = "boilerpipe",
    sentence_ends: SentenceEnds = "force-period",
    engine: Engine = "fast",
    bundle: Annotated[str, typer.Option(help="Name or folder of the model.")] = "default",
    threshold: Annotated[
        float, typer.Option(help="The difficulty (0 to 100) below which the reader understands.")
    ] = 40.0,
    user: Annotated[
        str, typer.Option(help="How sharp the threshold is: calibrated, step, arctan.")
    ] = "calibrated",
    noise_scale: Annotated[
        str | None, typer.Option(help="Scale of the user's noise; `pi` is a number here.")
    ] = None,
    features: Annotated[bool, typer.Option("--features", help="Add every feature.")] = False,
    any_language: Annotated[
        bool, typer.Option("--any-language", help="Estimate pages that are not English, too.")
    ] = False,
    docnos: Docnos = None,
    limit_mb: LimitMb = 10.0,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Score pages: how likely a reader is to understand each of them.

    One row a document: docno, source, P(U|d), difficulty (0 very easy to 100 very hard) with its
    standard error, the readability formulas, words, sentences, language, encoding, extractor,
    flags. Documents that cannot be scored go to FILE.errors.jsonl.

    Example: understand score crawl.warc.gz -o scores.parquet
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
    documents = Documents(pages, scorer.settings)
    described = scorer.described
    write_rows(
        documents,
        scorer.score_all(documents),
        output,
        settings=described,
        title=(
            f"bundle {described['bundle']} ({described['bundle_licence']}), "
            f"{user} user, threshold {threshold:g}, {extractor}, {sentence_ends}"
        ),
        shown=_SHOWN,
        strict=strict,
        quiet=quiet,
    )
