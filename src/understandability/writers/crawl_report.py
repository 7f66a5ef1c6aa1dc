"""A crawl's report: how difficult its pages are, where, and how far methods disagree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from understandability.crawls.folder import CrawlFolder
from understandability.errors import InputError
from understandability.inputs.sources import Sources
from understandability.scoring import Scorer
from understandability.text.page import Failure, Page
from understandability.writers.charts import box_plot, histogram
from understandability.writers.methods import compare_methods
from understandability.writers.rendering import render

LEAST_WORDS = 100  # a page of fewer is seldom what its score says
_MOST = 20
_MOST_OPEN = 100
_COLUMNS = ("docno", "path", "url", "difficulty", "p_understandable", "words", "extractor")
_NUMBER = re.compile(r"\d[\d.,]*")


def crawl_report(folder: CrawlFolder, scorer: Scorer, *, sample: int = 100) -> str:
    """The report of a crawl folder as one HTML file.

    `sample` pages of the inputs, as far as they are still there, are read again to compare
    extraction methods, and estimated by `scorer`; 0 for none.
    """
    from markupsafe import Markup

    description = folder.description()
    parts = folder.parts()
    rows = _Rows()
    errors: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    skipped: Counter[str] = Counter()
    for part in parts:
        rows.add(folder.scores(part, list(_COLUMNS)).to_pydict())
        skipped.update(folder.facts(part).skipped)
        for failure in folder.failures(part):
            # "longer than 12 MB" and "longer than 13 MB" are one kind of error.
            key = (failure.stage, _NUMBER.sub("N", failure.error))
            errors[key] += 1
            examples.setdefault(key, failure.docno)
    difficulty = np.array(rows.difficulty)
    pages = list(islice(_pages(description), sample))
    methods = compare_methods(pages, scorer) if pages else []
    settings = description["settings"]
    return render(
        "crawl.html.jinja",
        heading=f"Crawl {folder.path}",
        scored=len(difficulty),
        failed=errors.total(),
        unknown=int(np.isnan(difficulty).sum()),
        skipped=skipped.most_common(),
        difficulty_chart=Markup(histogram(difficulty, "Documents by difficulty, 0 to 100")),
        chance_chart=Markup(
            histogram(rows.chance, "Documents by P(U|d), 0 to 1", high=1.0, bins=10)
        ),
        sites=rows.by(rows.sites),
        extractors=rows.by(rows.extractors),
        least_words=LEAST_WORDS,
        easiest=rows.extreme(1),
        hardest=rows.extreme(-1),
        errors=[
            (stage, error, count, examples[stage, error])
            for (stage, error), count in errors.most_common(_MOST)
        ],
        sampled=len(pages),
        methods=[[each.name, len(each.values), *each.medians()] for each in methods],
        sentences_chart=Markup(
            box_plot(
                [(each.name, each.column("sentences")) for each in methods],
                "Sentences in a document",
            )
        ),
        method_difficulty_chart=Markup(
            box_plot([(each.name, each.column("difficulty")) for each in methods], "Difficulty")
        ),
        made_by=(
            f"Made by understandability {settings['understandability']}, bundle "
            f"{settings['bundle']} ({settings['bundle_licence']})."
        ),
    )


class _Rows:
    """What is kept of each scored page."""

    def __init__(self) -> None:
        self.docnos: list[str] = []
        self.sites: list[str] = []
        self.extractors: list[str] = []
        self.difficulty: list[float] = []
        self.chance: list[float] = []
        self.words: list[int] = []

    def add(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.docnos += columns["docno"]
        self.sites += map(site_of, columns["docno"], columns["path"])
        self.extractors += columns["extractor"]
        self.difficulty += [np.nan if x is None else x for x in columns["difficulty"]]
        self.chance += [np.nan if x is None else x for x in columns["p_understandable"]]
        self.words += columns["words"]

    def by(self, names: Sequence[str]) -> list[tuple[str, int, float, float]]:
        """For the most frequent names: pages, median difficulty, mean P(U|d)."""
        members: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(names):
            if not np.isnan(self.difficulty[index]):
                members[name].append(index)
        most = sorted(members, key=lambda name: (-len(members[name]), name))[:_MOST]
        return [
            (
                name,
                len(members[name]),
                float(np.median([self.difficulty[index] for index in members[name]])),
                float(np.mean([self.chance[index] for index in members[name]])),
            )
            for name in most
        ]

    def extreme(self, sign: int) -> list[tuple[str, float, float, int]]:
        """The pages with the lowest (1) or the highest (-1) difficulty, of those long enough."""
        order = sorted(
            (
                index
                for index, words in enumerate(self.words)
                if words >= LEAST_WORDS and not np.isnan(self.difficulty[index])
            ),
            key=lambda index: (sign * self.difficulty[index], self.docnos[index]),
        )
        return [
            (self.docnos[index], self.difficulty[index], self.chance[index], self.words[index])
            for index in order[:_MOST]
        ]


def site_of(docno: str, source: str) -> str:
    """The host of an address, else the folder of a path, else the file it was read from.

    >>> site_of("http://a.example/b", "x"), site_of("wiki/flu.html", "x"), site_of("7", "c.warc#1")
    ('a.example', 'wiki', 'c.warc')
    """
    if "://" in docno:
        try:
            return urlsplit(docno).netloc or docno
        except ValueError:  # a bracket that does not belong in an address
            return docno
    folder, slash, _ = docno.rpartition("/")
    return folder if slash else source.rpartition("#")[0] or source


def _pages(description: Mapping[str, Any]) -> Iterator[Page | Failure]:
    """Pages of the crawl's inputs, one of each in turn, as far as they are still there."""
    files = [path for each in description["inputs"] for _, path, _ in each["files"]]
    limit = int(description["limit_mb"] * 1e6)
    readers = []
    for path in files[:: max(1, len(files) // _MOST_OPEN)]:
        try:
            readers.append(iter(Sources([path], limit=limit)))
        except InputError:  # it has gone since; the others are there
            continue
    while readers:
        for reader in list(readers):
            page = next(reader, None)
            if page is None:
                readers.remove(reader)
            else:
                yield page
