"""How much help writers get, and how much of it is right, in one table.

    python -m scripts.evaluate.writers_help [--data ../shared/data] [--sheets FOLDER] [--development]

60 pages that no table or rule was written with: pages for patients of PDQ and MedQuAD, health pages
of the web, guidance on benefits, rights, finance and tax, and specialist pages (PDQ for
professionals). *Coverage*: of the words that the editor marks, the share with a click (a plain term,
an explanation in brackets, a spelling), and the proposals for each hard sentence. *Right*: the share
of clicks and proposals that two readers, language models that worked apart, both called right; their
verdicts are in `tests/writers/help_judged.jsonl`. `--sheets` writes 300 clicks and 100 proposals to
judge; `--development` uses other pages, for writing tables.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from scripts.shared import ROOT, markdown, parser_of, records

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.writers.hard_sentences import findings, sentences
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import Offer, offers
from understandability.writers.proposals import proposals
from understandability.writers.sentence_edits import replaced, spans

JUDGED = ROOT / "tests" / "writers" / "help_judged.jsonl"
SEEN = ("offers_judged.jsonl", "words_marked.jsonl", "proposals_judged.jsonl")
_MOST_CHARACTERS, _LEAST_CHARACTERS = 9_000, 600  # of a page: 1,500 words at most
_CLICKS, _PROPOSALS, _OF_A_TERM = 300, 100, 2
_OPEN = ("benefits_veterans", "rights_disability_guidance", "consumer_finance_guidance",
         "tax_form_help", "benefits_visa_uk_guidance")  # fmt: skip
# Pages of each sort; the draw is by the hash of their names.
PAGES = {"for patients": 24, "health, web": 12, "public guidance": 16, "for specialists": 8}


def texts(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield sort, name and text of every page."""
    for row in records(data / "labelled/pdq_pages.jsonl.gz"):
        yield ("for specialists" if row["label"] else "for patients"), row["id"], row["text"]
    for row in records(data / "corpora/consumer_nih.jsonl.gz"):
        if row["source"] not in ("nih_gard", "nih_ghr"):
            yield "for patients", row["id"], row["text"]
    for row in records(data / "judged/pages.jsonl.gz"):
        if row["kind"] in ("page sondhi", "page schwarz", "medlineplus"):
            yield "health, web", row["id"], row["text"]
    for row in records(data / "open_texts/texts.jsonl.gz"):
        if row["kind"] in _OPEN:
            yield "public guidance", row["id"], row["text"]


def drawn(data: Path, is_development: bool) -> dict[str, list[Document]]:
    """The pages of each sort: 60 to evaluate on, or others to write tables with."""
    folder = JUDGED.parent
    seen = {row["page"] for name in SEEN for row in records(folder / name)}
    pages: dict[str, list[tuple[int, str, str]]] = {sort: [] for sort in PAGES}
    for sort, name, text in texts(data):
        number = crc32(f"help {name}".encode())
        if name in seen or len(text) < _LEAST_CHARACTERS or (number % 4 > 0) != is_development:
            continue
        beginning = text[:_MOST_CHARACTERS]
        if len(text) > _MOST_CHARACTERS:
            beginning = beginning.rpartition("\n")[0] or beginning
        pages[sort].append((number, name, beginning))
    return {
        sort: [document_of_text(text, name) for _, name, text in sorted(rows)[: PAGES[sort]]]
        for sort, rows in pages.items()
    }
