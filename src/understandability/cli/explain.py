"""`understand explain`: what makes a page hard, as a report to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.groups import ReaderOptions, TextOptions, with_groups
from understandability.cli.options import (
    AnyLanguage,
    Fetch,
    FetchPrivate,
    InputsIfAny,
    LimitMb,
    sources,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from understandability.inputs.fetching import FetchLimits
    from understandability.text.page import Failure, Page


@with_groups
def explain(
    inputs: InputsIfAny = None,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The report, as .html or .pdf; - is standard output.",
        ),
    ] = "-",
    json_: Annotated[
        bool, typer.Option("--json", help="Write the content of the report as JSON.")
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Show what changed between the first page and the second."),
    ] = False,
    crawl: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Report on this crawl folder instead of pages."),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="With --crawl: how many pages to compare methods on.")
    ] = 100,
    *,
    text: TextOptions,
    model: ReaderOptions,
    any_language: AnyLanguage = False,
    limit_mb: LimitMb = 10.0,
    fetch: Fetch = False,
    fetch_private: FetchPrivate = False,
) -> None:
    """Explain pages: what makes them hard, which words, which sentences, as one HTML file.

    Example: understand explain page.html -o report.html
    """
    import json
    import sys

    from understandability.crawls.folder import CrawlFolder
    from understandability.errors import InputError, OptionError
    from understandability.inputs.fetching import FetchLimits
    from understandability.scoring import Scorer, Settings, document_or_failure
    from understandability.text.page import Failure
    from understandability.writers.comparison import compare as compare_pages
    from understandability.writers.crawl_report import crawl_report
    from understandability.writers.explanation import explain as explain_document
    from understandability.writers.page_report import page_report

    if bool(inputs) == bool(crawl):
        raise OptionError("name pages to explain, or a crawl folder with --crawl")
    if output == "-" and not json_ and sys.stdout.isatty():
        raise OptionError("the report is a page for a browser; name a file, such as -o report.html")
    if json_ and output.lower().endswith(".pdf"):
        raise OptionError("--json does not write a report; name a .json file")
    if crawl and (json_ or compare):
        raise OptionError("--crawl makes a report in HTML; leave out --json and --compare")
    scorer = Scorer(Settings(**text.chosen, **model.chosen, any_language=any_language))
    if scorer.remark:
        typer.echo(f"understand: {scorer.remark}", err=True)
    if crawl:
        _write(crawl_report(CrawlFolder(crawl), scorer, sample=sample), output)
        return
    if fetch_private and not fetch:
        raise OptionError("--fetch-private says where --fetch may go; add --fetch")
    limits = FetchLimits(int(limit_mb * 1e6), private=fetch_private) if fetch else None
    explanations = []
    for page in _pages(inputs or [], output, limit_mb, limits):
        found = page if isinstance(page, Failure) else document_or_failure(page, scorer.settings)
        if isinstance(found, Failure):
            typer.echo(f"{found.path}: {found.stage}: {found.error}", err=True)
        else:
            explanations.append(explain_document(found, scorer))
    if not explanations:
        raise InputError("there is no page left to explain; see the errors above")
    if compare and len(explanations) != 2:
        raise OptionError(f"--compare takes two pages, not {len(explanations)}")
    if json_:
        data: dict[str, object] = {"pages": [each.to_json() for each in explanations]}
        if compare:
            data["comparison"] = compare_pages(*explanations).to_json()
        report = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    else:
        report = page_report(explanations, comparing=compare)
    _write(report, output)


def _pages(
    inputs: list[str], output: str, limit_mb: float, limits: FetchLimits | None
) -> Iterable[Page | Failure]:
    """The pages of all inputs in order; addresses are asked where there are `limits` for that."""
    from itertools import chain

    from understandability.errors import OptionError
    from understandability.inputs.fetching import fetch, is_address
    from understandability.inputs.writing import check_is_no_input

    read: list[Iterable[Page | Failure]] = []
    for each in inputs:
        if not is_address(each):
            files = sources([each], None, limit_mb)
            check_is_no_input(output, (file.path for file in files.files))
            read.append(files)
        elif limits is None:
            raise OptionError(
                f"{each} is on the network, which is not asked; add --fetch to get it"
            )
        else:
            read.append([fetch(each, limits).page()])
    return chain.from_iterable(read)


def _write(text: str, output: str) -> None:
    from understandability.inputs.writing import write_bytes, write_text
    from understandability.writers.printing import printed

    if output == "-":
        typer.echo(text, nl=False)
    elif output.lower().endswith(".pdf"):
        write_bytes(output, printed(text))
    else:
        write_text(output, text)
