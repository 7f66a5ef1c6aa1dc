"""Audit a site: how many of its pages reach the target, in which sections, and which miss it most.

The input is a crawl folder. The output is an HTML page to publish, CSV, or JSON in terms of
schema.org.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from understandability.wording import counted
from understandability.writers.charts import histogram
from understandability.writers.levels import AIM
from understandability.writers.templates import model_of, percent, render

if TYPE_CHECKING:
    from understandability.crawls.folder import CrawlFolder

LEAST_WORDS = 100  # a page of fewer is seldom what its score says
_NEAR = 0.1  # so near its aim a page may be on either side of it
_MOST = 20
_COLUMNS = ("docno", "path", "url", "difficulty", "p_understandable", "words", "flags")
_FIGURES = ("pages", "reaching", "share", "median_difficulty")
_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class AuditedPage:
    """A page with its section and its estimate; NaN for unknown values."""

    name: str
    section: str
    url: str
    p_understandable: float
    difficulty: float
    words: int
    flags: str


@dataclass(frozen=True, slots=True)
class Section:
    """Counted pages of a section: how many, how many reach the target, and their median
    difficulty.
    """

    name: str
    pages: int
    reaching: int
    median_difficulty: float

    @property
    def share(self) -> float:
        """The share of the pages that reach the target; NaN without pages."""
        return self.reaching / self.pages if self.pages else math.nan


@dataclass(frozen=True)
class Audit:
    """The pages of a crawled site with their estimates, in the order of the crawl folder.

    `errors` holds rows of stage, error, count and an example.
    """

    site: str
    aim: float
    settings: Mapping[str, Any]
    pages: tuple[AuditedPage, ...]
    errors: tuple[tuple[str, str, int, str], ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()

    @cached_property
    def counted(self) -> list[AuditedPage]:
        """The pages with an estimate and enough words for a reliable one."""
        return [
            page
            for page in self.pages
            if page.words >= LEAST_WORDS and not math.isnan(page.p_understandable)
        ]

    @cached_property
    def whole(self) -> Section:
        """All counted pages, as one section."""
        return self._section("", self.counted)

    @cached_property
    def sections(self) -> list[Section]:
        """The sections of the site, the largest first."""
        members: dict[str, list[AuditedPage]] = defaultdict(list)
        for page in self.counted:
            members[page.section].append(page)
        sections = [self._section(name, pages) for name, pages in members.items()]
        return sorted(sections, key=lambda section: (-section.pages, section.name))

    def _section(self, name: str, pages: Sequence[AuditedPage]) -> Section:
        reaching = sum(page.p_understandable >= self.aim for page in pages)
        difficulty = float(np.median([page.difficulty for page in pages])) if pages else math.nan
        return Section(name, len(pages), reaching, difficulty)

    @cached_property
    def worst(self) -> list[AuditedPage]:
        """The counted pages, those furthest from the target first."""
        return sorted(self.counted, key=lambda page: (page.p_understandable, page.name))

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        whole = self.whole
        is_public = "adult of the general public" in self.settings["reader_description"]
        readers = "adults" if is_public else "such readers"
        target = f"the target (understood by at least {percent(self.aim)} of {readers})"
        if not whole.pages:
            return "No page has enough text for an estimate."
        if not whole.reaching:
            subject = (
                "The page does not reach"
                if whole.pages == 1
                else (f"None of the {whole.pages} pages reaches")
            )
            return f"{subject} {target}."
        if whole.reaching == whole.pages:
            subject = "The page reaches" if whole.pages == 1 else f"All {whole.pages} pages reach"
            return f"{subject} {target}."
        verb = "reaches" if whole.reaching == 1 else "reach"
        pages = counted(whole.pages, "page")
        return f"{whole.reaching} of {pages} ({_share(whole)}) {verb} {target}."

    @property
    def method(self) -> list[str]:
        """The method of measurement, as a list of sentences."""
        chosen, whole = self.settings, self.whole
        short = sum(page.words < LEAST_WORDS for page in self.pages)
        unknown = len(self.pages) - short - whole.pages
        near = sum(abs(page.p_understandable - self.aim) < _NEAR for page in self.counted)
        return [
            f"A page reaches the target if at least {percent(self.aim)} of readers are estimated "
            f"to understand it. The reader is {chosen['reader_description']}.",
            f"Only the main text of each page was read (extraction {chosen['extractor']}), not "
            "menus, pictures or documents that it links to.",
            f"Pages counted: {whole.pages}. Left out: {short} of fewer than {LEAST_WORDS} words, "
            f"and {unknown} without an estimate, as in a language that no model knows.",
            f"{near} page{' is' if near == 1 else 's are'} close to the target (within "
            f"{100 * _NEAR:.0f} percentage points), and could fall on either side.",
        ]

    @property
    def sentence(self) -> str:
        """A sentence about the result that others can quote."""
        whole, chosen = self.whole, self.settings
        verb = "was" if whole.reaching == 1 else "were"
        return (
            f"Of {counted(whole.pages, 'page')}, {whole.reaching} ({_share(whole)}) {verb} "
            f"estimated to be understood by at least {percent(self.aim)} of readers. The reader is "
            f"{chosen['reader_description']} ({model_of(chosen)}). The model is trained on "
            "judgements by a language model."
        )

    @property
    def limits(self) -> list[str]:
        """The limits of the figures, as a list of sentences."""
        return [
            "No readers were asked. The model is trained on the judgements of a language model: "
            "how many of a hundred adults would get the main message of a text.",
            "It does not say whether a page is true, complete, easy to find, or accessible.",
            "A page of names, lists or tables gets a rough estimate. One page says little; a "
            "section with many pages says more.",
        ]

    def html(self) -> str:
        """Return the page to publish, as one HTML file that loads nothing from the network."""
        from markupsafe import Markup

        shares = [100 * page.p_understandable for page in self.counted]
        chart = histogram(shares, "Pages by the share of readers who understand them, %", bins=10)
        return render(
            "audit.html.jinja",
            heading=f"How many pages of {self.site} are easy to understand?",
            audit=self,
            aim=percent(self.aim),
            rows=[
                (section.name or "(no folder)", _share(section), section.pages, section.reaching,
                 section.median_difficulty)
                for section in self.sections[:_MOST]
                if self.whole.pages > len(self.sections) > 1
            ],
            worst=[
                (page.name, page.url or page.name, percent(page.p_understandable),
                 page.difficulty, page.words)
                for page in self.worst[:_MOST]
                if page.p_understandable < self.aim
            ],
            chart=Markup(chart),
            share=_share(self.whole),
            median=percent(float(np.median(shares)) / 100 if shares else math.nan),
            sentence=self.sentence,
            made_by=f"Made by {model_of(self.settings)}.",
        )  # fmt: skip

    def csv(self) -> str:
        """Return CSV with a row for the whole site, for each section and for each page."""
        text = io.StringIO()
        of_page = ("url", "section", "p_understandable", "difficulty", "words", "flags")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("kind", "name", *_FIGURES, *of_page))
        for level, row in [("site", self.whole), *(("section", s) for s in self.sections)]:
            figures = [getattr(row, name) for name in _FIGURES]
            rows.writerow([level, row.name or self.site, *map(_cell, figures), *[""] * 6])
        for page in self.pages:
            own = [_cell(getattr(page, name)) for name in of_page]
            rows.writerow(["page", page.name, *[""] * 4, *own])
        return text.getvalue()

    def to_json(self) -> dict[str, Any]:
        """Return the audit as a Dataset of schema.org, whose parts are sections and pages; NaN is
        None.
        """
        sections: list[dict[str, Any]] = [
            {
                "@type": "Dataset",
                "name": section.name,
                "variableMeasured": _values(section, _FIGURES),
            }
            for section in self.sections
        ]
        columns = ("p_understandable", "difficulty", "words", "flags")
        pages = [
            {"@type": "WebPage", "name": page.name, **({"url": page.url} if page.url else {}),
             "isPartOf": page.section, "additionalProperty": _values(page, columns)}
            for page in self.pages
        ]  # fmt: skip
        return {
            "@context": "https://schema.org",
            "@type": "Dataset",
            "name": f"Understandability of {self.site}",
            "measurementTechnique": " ".join(self.method),
            "disambiguatingDescription": " ".join(self.limits),
            "creator": {
                "@type": "SoftwareApplication",
                "name": "understandability",
                "softwareVersion": self.settings["understandability"],
            },
            "variableMeasured": [
                {"@type": "PropertyValue", "name": "aim", "value": self.aim},
                *_values(self.whole, _FIGURES),
            ],
            "hasPart": [*sections, *pages],
        }


def _share(section: Section) -> str:
    """Format the share of a section's pages; unlike an estimate, it may be 0 or 100 %."""
    return f"{100 * section.share:.0f}\N{NO-BREAK SPACE}%" if section.pages else "not known"


def _cell(value: object) -> object:
    if isinstance(value, float):
        return "" if math.isnan(value) else round(value, 4)
    return value


def _values(record: object, names: Sequence[str]) -> list[dict[str, Any]]:
    values = [(name, _cell(getattr(record, name))) for name in names]
    return [
        {"@type": "PropertyValue", "name": name, "value": None if value == "" else value}
        for name, value in values
    ]


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def audited(folder: CrawlFolder, aim: float = AIM) -> Audit:
    """Audit the pages of a crawl folder. `aim` is the target for P(U|d), from 0 to 1."""
    description = folder.description()
    rows: list[dict[str, Any]] = []
    errors: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    skipped: Counter[str] = Counter()
    for part in folder.parts():
        rows += folder.scores(part, list(_COLUMNS)).to_pylist()
        skipped.update(folder.facts(part).skipped)
        for failure in folder.failures(part):
            # "longer than 12 MB" and "longer than 13 MB" are one kind of error.
            key = (failure.stage, _NUMBER.sub("N", failure.error))
            errors[key] += 1
            examples.setdefault(key, failure.docno)
    locations = [_location(row["url"] or row["docno"], row["path"]) for row in rows]
    top, sections = sections_of(locations)
    pages = [
        AuditedPage(
            row["docno"], section, row["url"] or "", _or_nan(row["p_understandable"]),
            _or_nan(row["difficulty"]), row["words"], row["flags"],
        )
        for row, section in zip(rows, sections, strict=True)
    ]  # fmt: skip
    listed = [(*key, count, examples[key]) for key, count in errors.most_common(_MOST)]
    settings, passed = description["settings"], tuple(skipped.most_common())
    return Audit(top or "this site", aim, settings, tuple(pages), tuple(listed), passed)


def _location(address: str, path: str) -> tuple[str, ...]:
    """Return the host and the folders of a URL, the folders of a path, or the archive of a page."""
    if "://" in address:
        try:
            there = urlsplit(address)
            return (there.netloc, *[folder for folder in there.path.split("/")[:-1] if folder])
        except ValueError:  # a bracket that does not belong in an address
            return (address,)
    folders = address.split("/")[:-1]
    archive = path.rpartition("#")[0].rpartition("/")[2]
    return tuple(folders or filter(None, [archive]))


def sections_of(locations: Sequence[tuple[str, ...]]) -> tuple[str, list[str]]:
    """Return the common beginning of all locations, and the section of each page.

    >>> sections_of([("a.org", "flu"), ("a.org", "flu", "for-doctors"), ("a.org",)])
    ('a.org', ['a.org/flu', 'a.org/flu', 'a.org'])
    """
    ends = (min(locations), max(locations)) if locations else ()
    same = takewhile(lambda parts: len({*parts}) == 1, zip(*ends, strict=False))
    common = [parts[0] for parts in same]
    return "/".join(common), ["/".join(parts[: len(common) + 1]) for parts in locations]
