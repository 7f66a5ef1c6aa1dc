"""Explain what makes texts hard: `ud.explain`, the command `explain`, and `explain_document`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Unpack

from cyclopts import Parameter

from understandability.errors import InputError, OptionError, WrongTypeError, check_choice
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import features_of
from understandability.inputs.fetching import FetchLimits, is_address
from understandability.inputs.fetching import fetch as get_page
from understandability.inputs.page_tables import media_type_of
from understandability.inputs.sources import Sources, is_path
from understandability.inputs.writing import write_text
from understandability.keywords import keywords_of, read_by
from understandability.model.bundle import Bundle
from understandability.model.readers import READERS, Reader
from understandability.scoring import (
    NOT_ENGLISH,
    Scorer,
    Settings,
    SettingsOptions,
    document_or_failure,
    document_under,
    load_languages,
    scorer_with,
)
from understandability.text.document import Document
from understandability.text.page import HTML, Failure, Page
from understandability.text.tokens import word_of
from understandability.wording import counted, kind_of, share_in
from understandability.writers.audit import Audit, audited
from understandability.writers.comparison import compare as compare_pages
from understandability.writers.explanation import (
    FEW_SENTENCES,
    FORMULA_TITLES,
    GRADE_LIMIT,
    SHORT_TEXT,
    Explanation,
    FormulaReading,
    Place,
    ReaderChance,
    SpellingReading,
    TermReading,
    WordReading,
)
from understandability.writers.first_steps import FirstSteps, first_steps
from understandability.writers.hard_sentences import (
    Findings,
    findings,
    hardest,
    sentences,
)
from understandability.writers.levels import AIM, checked_aim, references
from understandability.writers.page_report import page_report
from understandability.writers.plain_terms.english import ENGLISHES, english_of
from understandability.writers.plain_terms.offers import Offer, covered, offers
from understandability.writers.structure import structure

_MOST_WORDS = 100  # that are listed
_COLUMNS = (*FORMULA_TITLES, "words", "sentences", "difficult_words_per_word")


class PageExplanation(Explanation):
    """An explanation that can write its report as HTML. Notebooks display it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.document.docno}, {self.words} words, difficulty "
            f"{self.estimate.difficulty:.1f}; .to_html(path) writes the report, .terms and "
            ".hard_words are what to replace>"
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """Return the report as one HTML file that loads nothing from the network.

        With a `path`, the report is also written there.
        """
        text = page_report([self])
        if path is not None:
            write_text(str(path), text)
        return text

    def _repr_html_(self) -> str:
        from html import escape

        # In a frame of its own, the notebook's styles and the report's do not mix.
        source = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="700" style="border:0"></iframe>'


@keywords_of(Settings)
def explain(
    content: str | bytes | Path, url: str | None = None, **settings: Unpack[SettingsOptions]
) -> PageExplanation:
    """Explain what makes a text or page hard.

    `content` is plain text, HTML, or the `Path` of a file. Raises `PageError` if it has no
    usable text.

    >>> explanation = explain("He had a myocardial infarction.")
    >>> [(reading.term, reading.plain[0]) for reading in explanation.terms]
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
    return explain_document(document_under(page, scorer.settings), scorer)


@dataclass(frozen=True)
class Reported:
    """The explanations of some pages. In a comparison, the second page is a rewrite of the
    first.
    """

    explanations: tuple[Explanation, ...]
    is_comparison: bool = False

    def html(self) -> str:
        """Return the report as one HTML file that loads nothing from the network."""
        return page_report(self.explanations, comparing=self.is_comparison)

    def to_json(self) -> dict[str, Any]:
        """Return the content of the report as plain data."""
        data: dict[str, Any] = {
            "pages": [explanation.to_json() for explanation in self.explanations]
        }
        if self.is_comparison:
            data["comparison"] = compare_pages(*self.explanations).to_json()
        return data


@keywords_of(Settings)
def reported(
    inputs: Annotated[Sequence[str], Parameter("INPUT", metavar="INPUT...")] = (),
    *,
    compare: bool = False,
    crawl: Annotated[str | None, Parameter(metavar="FOLDER")] = None,
    aim: Annotated[float | None, read_by(share_in, metavar="SHARE")] = None,
    english: Annotated[str | None, Parameter(choices=ENGLISHES)] = None,
    limit_mb: float = 10.0,
    fetch: bool = False,
    fetch_private: bool = False,
    tell: Annotated[Callable[[str], None], Parameter(parse=False)] = lambda sentence: None,
    **choices: Unpack[SettingsOptions],
) -> Reported | Audit:
    """Explain what makes pages hard, with their words and sentences, as one HTML file.

    Example: understand explain page.html -o report.html

    Args:
        inputs: Files, folders, archives and addresses, as for `score`; also DOCX, ODT and PDF.
        compare: Show what changed between the first page and the second.
        crawl: Audit the site of this crawl folder instead: how many pages reach the target, by
            section, the worst pages, method and limits; as .html, .csv, or JSON.
        aim: With --crawl: the target, the P(U|d) that a page should reach, from 0 to 1. Default:
            0.8.
        english: The English of plain terms: american or british. Default: by the spelling of
            each text.
        limit_mb: Longest document in MB.
        fetch: Fetch addresses from the network.
        fetch_private: With --fetch: also from this machine and its network.

    In Python:
        `choices` are fields of `Settings`; `tell` is called with each remark.

        Raises `InputError` if no page can be used, and `OptionError` for options that exclude each
        other.

    >>> from understandability.resources import resource
    >>> report = reported([str(resource("samples/easy.html"))])
    >>> report.explanations[0].long_sentences
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


def explain_document(
    document: Document, scorer: Scorer, *, steps: bool = True, english: str | None = None
) -> PageExplanation:
    """Explain one document's estimate under the settings of a scorer.

    A text in another language than English has an estimate if a bundle knows the language; its
    sentences and terms are not described. It has the flag ``not_english``.

    Without `steps`, the list of changes that would help most is not computed, which takes half the
    time. `english` is the English of plain terms, ``american`` or ``british``; by default it
    follows the spelling of the text.

    >>> from understandability.text.analysis import document_of_text
    >>> document = document_of_text("He had a myocardial infarction.")
    >>> explanation = explain_document(document, Scorer())
    >>> [(reading.term, reading.plain[0]) for reading in explanation.terms]
    [('myocardial infarction', 'heart attack')]
    """
    batch = Batch([document])
    (estimate,) = scorer.own_estimates(batch)
    table = features_of(batch, _COLUMNS)
    values = dict(zip(table.names, table.values[0].tolist(), strict=True))
    foreign = NOT_ENGLISH in estimate.flags  # nothing in this package describes such words
    by_own_bundle = not math.isnan(estimate.difficulty)
    bundle = scorer.bundle
    if foreign and not by_own_bundle:
        (estimate,) = scorer.estimates(batch)
        bundle = load_languages()
        estimate = replace(estimate, flags=(*estimate.flags, NOT_ENGLISH))
    issues = Findings((), (), {}, {}) if foreign else findings(batch)
    english = english or english_of(document.pieces)
    (offered,) = ((),) if foreign else offers(batch, english)
    every = sentences(document, batch, issues, scorer)
    if foreign:
        none = math.nan
        every = tuple(replace(s, level=none, difficulty=none, shade=0, reasons=()) for s in every)
    difficulty = estimate.difficulty
    is_known = not math.isnan(difficulty)
    described = scorer.described
    references_known = references(described["bundle_checksum"])
    first = FirstSteps((), None)
    if steps and by_own_bundle:
        first = first_steps(document, estimate, every, issues, offered, scorer)
    return PageExplanation(
        document,
        replace(estimate, flags=tuple(dict.fromkeys((*table.flags[0], *estimate.flags)))),
        described,
        _readers(bundle, batch) if is_known else (),
        tuple(
            Place(reference.name, reference.share_easier(difficulty))
            for reference in references_known
            if by_own_bundle
        ),
        every,
        hardest(every),
        first,
        offered,
        _terms(offered),
        _hard_words(document, issues, offered),
        _misspelled(document, issues),
        tuple(
            WordReading(name, len(positions))
            for name, positions in sorted(issues.abbreviations.items())
        ),
        issues,
        english,
        structure(document.blocks),
        _formulas(values, int(values["words"]), int(values["sentences"])),
        values["difficult_words_per_word"],
        int(values["words"]),
    )


def _readers(bundle: Bundle, batch: Batch) -> tuple[ReaderChance, ...]:
    """Return P(U|d) for each named reader, on the reader's own scale, in the order of `READERS`."""
    readers = []
    for reader in READERS.values():
        (estimate,) = bundle.estimate(batch, reader)
        readers.append(
            ReaderChance(
                reader.name, reader.description, reader.threshold, estimate.p_understandable,
                max(0.0, estimate.difficulty - _enough(reader, round(estimate.spread, 1))),
            )
        )  # fmt: skip
    return tuple(readers)


@lru_cache(256)
def _enough(reader: Reader, spread: float) -> float:
    """Return the difficulty at which the share `AIM` of such readers understands, by bisection."""
    low, high = 0.0, 100.0
    while high - low > 0.1 and spread > 0:
        middle = (low + high) / 2
        chance = float(reader.understands(middle, spread))
        low, high = (middle, high) if chance >= AIM else (low, middle)
    return low


def _terms(offered: Sequence[Offer]) -> tuple[TermReading, ...]:
    """Return each term once, the most frequent first; an offer that fits the sentence is
    preferred.
    """
    best: dict[str, Offer] = {}
    counts: Counter[str] = Counter()
    in_place: Counter[str] = Counter()
    for offer in offered:
        if offer.is_explained or not offer.marked:
            continue
        term = offer.term if offer.term.isupper() else offer.term.lower()
        if term not in best or (offer.texts and not in_place[term]):
            best[term] = offer
        counts[term] += 1
        in_place[term] += bool(offer.texts)
    return tuple(
        TermReading(term, best[term].plain, best[term].note, count, in_place[term])
        for term, count in counts.most_common(_MOST_WORDS)
    )


def _hard_words(
    document: Document, issues: Findings, offered: Sequence[Offer]
) -> tuple[WordReading, ...]:
    covered_positions = covered(offered) | issues.misspelled.keys()
    counts = Counter(
        word_of(document.pieces[position]).lower()
        for position in issues.hard
        if position not in covered_positions
    )
    return tuple(WordReading(word, count) for word, count in counts.most_common(_MOST_WORDS))


def _misspelled(document: Document, issues: Findings) -> tuple[SpellingReading, ...]:
    counts = Counter((word_of(document.pieces[n]), word) for n, word in issues.misspelled.items())
    return tuple(SpellingReading(*words, n) for words, n in counts.most_common(_MOST_WORDS))


def _formulas(
    values: Mapping[str, float], words: int, sentences: int
) -> tuple[FormulaReading, ...]:
    readings = []
    for name, title in FORMULA_TITLES.items():
        feature, _ = COLUMNS[name]
        warnings = []
        if words < SHORT_TEXT:
            warnings.append(
                f"the text has {counted(words, 'word')}; fewer than {SHORT_TEXT} say little"
            )
        if name == "smog" and sentences < FEW_SENTENCES:
            made_for = f"SMOG was made for {FEW_SENTENCES} sentences"
            warnings.append(f"{made_for}; the text has {sentences}, and its value is extrapolated")
        above = feature.unit == "grade" and values[name] > GRADE_LIMIT
        readings.append(
            FormulaReading(
                name, title, values[name], feature.unit, feature.direction, feature.source, above,
                "; ".join(warnings),
            )
        )  # fmt: skip
    return tuple(readings)
