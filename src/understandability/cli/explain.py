"""`understand explain`: what makes a page hard, as a report to look at."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.options import (
    AnyLanguage,
    Bundle,
    Engine,
    Extractor,
    InputsIfAny,
    LimitMb,
    NoiseScale,
    SentenceEnds,
    Threshold,
    User,
    number,
    sources,
)


def explain(
    inputs: InputsIfAny = None,
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help="The report; - is standard output."),
    ] = "-",
    json_: Annotated[bool, typer.Option("--json", help="The same content as JSON data.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Show what changed from the first page to the second.")
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Report on the crawl in a run folder instead."),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="With --run: pages by which methods are compared.")
    ] = 100,
    extractor: Extractor = "main",
    sentence_ends: SentenceEnds = "force-period",
    engine: Engine = "fast",
    bundle: Bundle = "default",
    threshold: Threshold = 40.0,
    user: User = "calibrated",
    noise_scale: NoiseScale = None,
    any_language: AnyLanguage = False,
    limit_mb: LimitMb = 10.0,
) -> None:
    """Explain pages: what makes them hard, which words, which sentences, as one HTML file.

    Example: understand explain page.html -o report.html
    """
    import json

    from understandability.crawl.folder import RunFolder
    from understandability.errors import InputError, OptionError
    from understandability.report import compare as compare_pages
    from understandability.report import crawl_report, page_report
    from understandability.report import explain as explain_document
    from understandability.scoring import Documents, Scorer, Settings

    if bool(inputs) == bool(run):
        raise OptionError("name pages to explain, or a run folder with --run")
    if run and (json_ or compare):
        raise OptionError("--run reports on a crawl, in HTML; leave out --json and --compare")
    scorer = Scorer(
        Settings(
            extractor=extractor,
            sentence_ends=sentence_ends,
            engine=engine,
            bundle=bundle,
            threshold=threshold,
            user=user,
            noise_scale=number(noise_scale, "--noise-scale"),
            any_language=any_language,
        )
    )
    if run:
        _write(crawl_report(RunFolder(run), scorer, sample=sample), output)
        return
    documents = Documents(sources(inputs or [], None, limit_mb), scorer.settings)
    explanations = [explain_document(document, scorer) for document in documents]
    for failure in documents.failures:
        typer.echo(f"{failure.source}: {failure.stage}: {failure.error}", err=True)
    if not explanations:
        raise InputError("there is no page left to explain; see the errors above")
    if compare and len(explanations) != 2:
        raise OptionError(f"--compare takes two pages, not {len(explanations)}")
    if json_:
        data: dict[str, object] = {"pages": [each.to_json() for each in explanations]}
        if compare:
            data["comparison"] = compare_pages(*explanations).to_json()
        text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    else:
        text = page_report(explanations, comparing=compare)
    _write(text, output)


def _write(text: str, output: str) -> None:
    from understandability.storage.tables import write_text

    if output == "-":
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
