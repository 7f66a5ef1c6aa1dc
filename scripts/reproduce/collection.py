"""Construct a test collection with text from the background corpora, without human judgements.

The documents are all records of four corpora, as HTML pages with a title and paragraphs. The
queries are conditions in the titles of consumer_nih pages, if 10 to 400 documents, from all four
corpora, are about them. A document is relevant if its title (or, without a title, its first 20
words) contains the stemmed words of the condition consecutively. Such documents are easy to find,
which is fine because the experiments are about the order of relevant documents.
"""

import html
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scripts.shared import corpus

from understandability.inputs.run import Labels, Run
from understandability.study.index import Analyzer, split_words
from understandability.text.analysis import document_of_page
from understandability.text.document import Document
from understandability.text.page import Page

ORIGINS = ("reddit_like", "consumer_nih", "wikipedia_med", "pubmed")
HEADS = "consumer_nih"
FEWEST, MOST = 10, 400
_HEADING_WORDS = 20
_LONGEST = 8  # the most stems of a condition


@dataclass(frozen=True)
class Collection:
    """Pages, queries, and relevance labels."""

    pages: tuple[Page, ...]
    queries: dict[str, str]
    qrels: Labels

    def documents(self, runs: Iterable[Run]) -> Iterator[Document]:
        """Yield the pages that occur in any of the runs, read by the naive extractor."""
        ranked = set().union(*(run.docnos.to_pylist() for run in runs))
        for page in self.pages:
            if page.docno in ranked:
                yield document_of_page(page, extractor="naive")

    def describe(self) -> str:
        """Return the sizes of the collection in a sentence."""
        return (
            f"{len(self.pages):,} documents, {len(self.queries)} queries, {len(self.qrels):,} "
            f"relevant documents ({len(self.qrels) / len(self.queries):.0f} a query); constructed"
        )


def read_collection(data: Path) -> Collection:
    """Build the collection from the data folder."""
    records = [(origin, record) for origin in ORIGINS for record in corpus(data, origin)]
    stem = cache(Analyzer(stop_words="none").term)

    def stems(text: str) -> tuple[str, ...]:
        return tuple(filter(None, map(stem, split_words(text))))

    headings = [stems(_heading(record)) for _, record in records]
    names = {
        stems(record["title"]): record["title"] for origin, record in records if origin == HEADS
    }
    names.pop((), None)
    about: dict[tuple[str, ...], list[int]] = {condition: [] for condition in names}
    for number, heading in enumerate(headings):
        for condition in set(_runs_of(heading)) & about.keys():
            about[condition].append(number)
    queries: dict[str, str] = {}
    relevant: dict[str, dict[str, float]] = {}
    for condition, documents in about.items():
        origins = Counter(records[number][0] for number in documents)
        if len(origins) == len(ORIGINS) and FEWEST <= len(documents) <= MOST:
            query = f"c{len(queries) + 1:03d}"
            queries[query] = names[condition]
            relevant[query] = {records[number][1]["id"]: 1 for number in documents}
    return Collection(
        tuple(_page(record, origin) for origin, record in records),
        queries,
        Labels.of("relevance by heading", relevant),
    )


def _heading(record: dict[str, str]) -> str:
    return record.get("title") or " ".join(record["text"].split()[:_HEADING_WORDS])


def _runs_of(stems: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield every run of up to eight consecutive stems."""
    for start in range(len(stems)):
        for end in range(start + 1, min(start + _LONGEST, len(stems)) + 1):
            yield stems[start:end]


def _page(record: dict[str, str], origin: str) -> Page:
    title = record.get("title") or ""
    text = record["text"].removeprefix(title)
    paragraphs = "".join(f"<p>{html.escape(line)}" for line in text.split("\n") if line.strip())
    content = f"<html lang=en><title>{html.escape(title)}</title><body>{paragraphs}"
    return Page(record["id"], origin, content)
