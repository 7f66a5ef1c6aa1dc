"""`ud.explain`: what makes a text or a page hard, from whatever a caller has in hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Unpack

from understandability.errors import InputError, OptionError, WrongTypeError, check_choice
from understandability.inputs.fetching import FetchLimits, is_address
from understandability.inputs.fetching import fetch as get_page
from understandability.inputs.page_tables import media_type_of
from understandability.inputs.sources import Sources, is_path
from understandability.inputs.writing import write_text
from understandability.prompt import AtPrompt
from understandability.scoring import (
    Settings,
    SettingsOptions,
    document_or_failure,
    document_under,
    scorer_with,
)
from understandability.text.page import HTML, Failure, Page
from understandability.wording import kind_of
from understandability.writers.audit import Audit, audited
from understandability.writers.comparison import compare as compare_pages
from understandability.writers.explanation import Explanation
from understandability.writers.explanation import explain as explain_document
from understandability.writers.levels import AIM, checked_aim
from understandability.writers.page_report import page_report
from understandability.writers.plain_terms.english import ENGLISHES


class PageExplanation(Explanation):
    """The result of `explain`: what makes a page hard. A notebook displays it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.document.docno}, {self.words} words, difficulty "
            f"{self.estimate.difficulty:.1f}; .to_html(path) writes the report, .terms and "
            ".hard_words are what to replace>"
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one HTML file that needs no network; written to a `path`, if any."""
        text = page_report([self])
        if path is not None:
            write_text(str(path), text)
        return text

    def _repr_html_(self) -> str:
        from html import escape

        # In a frame of its own, the notebook's styles and the report's do not mix.
        source = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="700" style="border:0"></iframe>'


def explain(
    content: str | bytes | Path, url: str | None = None, **settings: Unpack[SettingsOptions]
) -> PageExplanation:
    """Explain what makes a text or page hard.

    `content` is plain text, HTML, or the `Path` of a file. Raises `PageError` if it has no
    usable text.

    >>> explanation = explain("He had a myocardial infarction.")
    >>> [(each.term, each.plain[0]) for each in explanation.terms]
    [('myocardial infarction', 'heart attack')]
    >>> explanation.to_html()[:15]
    '<!DOCTYPE html>'
    """
    if isinstance(content, Path):
        (page,) = Sources([content])
        if isinstance(page, Failure):
            raise WrongTypeError(f"{page.path}: {page.error}")
    elif isinstance(content, str | bytes):
        media_type = HTML if isinstance(content, bytes) else media_type_of(content)
        if isinstance(content, str) and is_path(content):
            raise WrongTypeError(
                f"explain takes text, HTML or a Path, and {content!r} is the name of a file; "
                f"give Path({content!r})"
            )
        page = Page(url or "text", url or "", content, media_type, url=url)
    else:
        raise WrongTypeError(f"explain takes text, HTML or a Path, not {kind_of(content)}")
    scorer = scorer_with(**settings)
    result = explain_document(document_under(page, scorer.settings), scorer)
    return PageExplanation(*(getattr(result, field.name) for field in fields(result)))


@dataclass(frozen=True)
class Reported:
    """The explanations of some pages; of a comparison the second is a rewrite of the first."""

    explanations: tuple[Explanation, ...]
    is_comparison: bool = False

    def html(self) -> str:
        """The report as one HTML file that needs no network."""
        return page_report(self.explanations, comparing=self.is_comparison)

    def to_json(self) -> dict[str, Any]:
        """The content of the report as plain data."""
        data: dict[str, Any] = {
            "pages": [explanation.to_json() for explanation in self.explanations]
        }
        if self.is_comparison:
            data["comparison"] = compare_pages(*self.explanations).to_json()
        return data


def reported(
    inputs: Annotated[Sequence[str], AtPrompt(list[str], "INPUT", value="INPUT...")] = (),
    *,
    compare: bool = False,
    crawl: Annotated[str | None, AtPrompt(str, value="FOLDER")] = None,
    aim: Annotated[float | None, AtPrompt(value="SHARE", convert="wording:share_in")] = None,
    english: Annotated[
        str | None, AtPrompt(str, choices="writers.plain_terms.english:ENGLISHES")
    ] = None,
    limit_mb: float = 10.0,
    fetch: bool = False,
    fetch_private: bool = False,
    tell: Annotated[Callable[[str], None], AtPrompt(None)] = lambda sentence: None,
    **choices: Annotated[Any, AtPrompt((Settings,))],
) -> Reported | Audit:
    """Explain what makes pages hard, with their words and sentences, as one HTML file.

    Example: understand explain page.html -o report.html

    In Python, `choices` are fields of `Settings`; `tell` is called with each remark.

    Raises `InputError` where no page is left, and `OptionError` for options that do not fit.

    Args:
        inputs: Files, folders, archives and addresses, as for `score`; also DOCX, ODT and PDF.
        compare: Show what changed between the first page and the second.
        crawl: Audit the site of this crawl folder instead: how many pages reach an aim, by section,
            the worst pages, method and limits; as .html, .csv, or JSON.
        aim: With --crawl: the chance P(U|d) that a page should reach, from 0 to 1. Default: 0.8.
        english: The English of plain terms: american or british. Default: by the spelling of
            each text.
        limit_mb: Longest document in MB.
        fetch: Fetch addresses from the network.
        fetch_private: With --fetch: also from this machine and its network.

    >>> from understandability.resources import resource
    >>> made = reported([str(resource("samples/easy.html"))])
    >>> made.explanations[0].long_sentences
    2
    """
    if bool(inputs) == bool(crawl):
        raise OptionError("name pages to explain, or a crawl folder with --crawl")
    if english is not None:
        check_choice("english", english, ENGLISHES)
    if limit_mb <= 0:
        raise OptionError("--limit-mb is a number above 0")
    if crawl:
        from understandability.crawls.folder import CrawlFolder

        return audited(CrawlFolder(crawl), checked_aim(AIM if aim is None else aim, "--aim"))
    if aim is not None:
        raise OptionError("--aim needs --crawl; for texts, use `understand check --aim`")
    scorer = scorer_with(**choices)
    if scorer.remark:
        tell(scorer.remark)
    if fetch_private and not fetch:
        raise OptionError("--fetch-private says where --fetch may go; add --fetch")
    limits = FetchLimits(int(limit_mb * 1e6), private=fetch_private) if fetch else None
    explanations = []
    for page in _pages(inputs, limit_mb, limits):
        result = page if isinstance(page, Failure) else document_or_failure(page, scorer.settings)
        if isinstance(result, Failure):
            tell(f"{result.path}: {result.stage}: {result.error}")
        else:
            explanations.append(explain_document(result, scorer, english=english))
    if not explanations:
        raise InputError("there is no page left to explain; see the errors above")
    if compare and len(explanations) != 2:
        raise OptionError(f"--compare takes two pages, not {len(explanations)}")
    return Reported(tuple(explanations), compare)


def _pages(
    inputs: Sequence[str], limit_mb: float, limits: FetchLimits | None
) -> Iterator[Page | Failure]:
    """Yield the pages of all inputs in order; addresses are fetched only if there are `limits`."""
    for path in inputs:
        if not is_address(path):
            yield from Sources([path], limit=int(limit_mb * 1e6))
        elif limits is None:
            raise OptionError(f"{path} is on the network; add --fetch to fetch it")
        else:
            yield get_page(path, limits).page()
