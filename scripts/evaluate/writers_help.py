"""Measure how much help the editor gives to writers, and how much of it is right.

    python -m scripts.evaluate.writers_help [--data ../shared/data] [--draw N] [--sheets FOLDER]

60 pages that no table or rule was written with: pages for patients of PDQ and MedQuAD, health pages
of the web, guidance on benefits, rights, finance and tax, and specialist pages (PDQ for
professionals). *Coverage*: of the words that the editor marks, the share with a click (a plain
term, an explanation in brackets, a spelling), and the hard sentences for each proposal. *Right*:
the share of 300 clicks and 100 proposals that a reader, a language model, called right
(`tests/writers/help_judged.jsonl`); the tables and rules were mended afterwards. `--sheets` writes
a new sheet to judge, blind, in two orders; `--development` uses other pages, for writing tables;
`--draw N` uses pages of a later draw, which no earlier draw or sheet holds, and `--pages FOLDER`
adds your own, a text file each.
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
from understandability.writers.hard_sentences import LONG_SENTENCE, findings, sentences
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import Offer, offers
from understandability.writers.proposals import proposals
from understandability.writers.sentence_edits import replaced, spans

JUDGED = ROOT / "tests" / "writers" / "help_judged.jsonl"
SEEN = ("offers_judged.jsonl", "words_marked.jsonl", "proposals_judged.jsonl")
_MOST_CHARACTERS, _LEAST_CHARACTERS = 9_000, 600  # at most about 1,500 words of a page
_CLICKS, _PROPOSALS, _OF_A_TERM = 300, 100, 2
_OPEN = ("benefits_veterans", "rights_disability_guidance", "consumer_finance_guidance",
         "tax_form_help", "benefits_visa_uk_guidance")  # fmt: skip
# The number of pages of each sort; pages are drawn by the hashes of their names.
PAGES = {"for patients": 26, "health, web": 8, "public guidance": 18, "for specialists": 8}


def texts(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the sort, the name and the text of every page."""
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


def eligible(data: Path, is_development: bool) -> dict[str, dict[str, str]]:
    """Return the texts of each sort by name: those to evaluate on, or others for table authors."""
    folder = JUDGED.parent
    seen = {row["page"] for name in SEEN for row in records(folder / name)}
    pages: dict[str, dict[str, str]] = {sort: {} for sort in PAGES}
    for sort, name, text in texts(data):
        number = crc32(f"help {name}".encode())
        if name in seen or len(text) < _LEAST_CHARACTERS or (number % 4 != 2) != is_development:
            continue
        beginning = text[:_MOST_CHARACTERS]
        if len(text) > _MOST_CHARACTERS:
            beginning = beginning.rpartition("\n")[0] or beginning
        pages[sort][name] = beginning
    return pages


def drawn(data: Path, is_development: bool, draw: int = 1) -> dict[str, list[Document]]:
    """Draw the pages of each sort: the first draw, or a later one without the earlier pages."""
    judged = {row["page"] for row in records(JUDGED)}
    documents = {}
    missing = 0  # pages of the web, which are few
    for sort, pages in reversed(eligible(data, is_development).items()):
        chosen: list[str] = []
        number_of_pages = PAGES[sort]
        if sort == "for patients" and draw > 1:
            number_of_pages += missing
        for number in range(1, draw + 1):
            pages = {name: text for name, text in pages.items() if name not in chosen}
            if number > 1:
                pages = {name: text for name, text in pages.items() if name not in judged}
            salt = "help" if number == 1 else f"help {number}"
            order = sorted(pages, key=lambda name: crc32(f"{salt} {name}".encode()), reverse=True)
            chosen = order[:number_of_pages]
        missing += number_of_pages - len(chosen)
        documents[sort] = [document_of_text(pages[name], name) for name in chosen]
    return {sort: documents[sort] for sort in PAGES}


def own_pages(folder: Path) -> list[Document]:
    """Read the text files of a folder."""
    paths = sorted(folder.glob("*.txt"))
    return [document_of_text(path.read_text("utf-8"), path.stem) for path in paths]


def marks(document: Document, offered: tuple[Offer, ...]) -> Counter[str]:
    """Count the editor's marks on words by the help that they offer."""
    issues = findings(Batch([document]))
    counts: Counter[str] = Counter()
    counted: set[int] = set()

    def add(category: str, positions: set[int]) -> None:
        if not counted & positions:
            counts[category] += 1
            counted.update(positions)

    for offer in offered:
        positions = set(range(offer.first, offer.last))
        if not offer.marked or (offer.is_explained and not offer.plain):
            counted |= positions
        elif offer.texts:
            add("plain term", positions)
        elif offer.in_brackets:
            add("in brackets", positions)
        else:
            add("own words", positions)
    for position in issues.misspelled:
        add("spelling", {position})
    for uses in issues.abbreviations.values():
        for position in uses:
            add("own words", {position})
    for position in issues.hard:
        add("own words", {position})
    return counts


def clicks(document: Document, offered: tuple[Offer, ...]) -> Iterator[dict[str, str]]:
    """Yield the possible clicks on a page, each with its sentence before and after."""
    bounds = spans(document)
    for offer in offered:
        text = offer.texts[0] if offer.texts else offer.in_brackets
        if text and offer.marked:
            first, last = next(span for span in bounds if offer.first < span[1])
            pieces = document.pieces[first:last]
            change = {offer.first: (offer.last, _marked(text))}
            yield {
                "kind": "plain term" if offer.texts else "in brackets",
                "term": offer.term.lower(),
                "before": " ".join(pieces),
                "after": " ".join(replaced(pieces, first, change)),
                "page": document.docno,
            }


def _marked(text: str) -> str:
    """Put square brackets around a text, but not around the punctuation after it."""
    inside = text.rstrip(".,;:?!")
    return f"[{inside}]{text[len(inside) :]}"


def page_help(
    document: Document, scorer: Scorer
) -> tuple[Counter[str], list[dict[str, str]], list[dict[str, str]]]:
    """Return the numbers of marks by category, the clicks, and the proposals of a page."""
    batch = Batch([document])
    english, issues = english_of(document.pieces), findings(batch)
    (offered,) = offers(batch, english)
    counts = marks(document, offered)
    changes = []
    for number, sentence in enumerate(sentences(document, batch, issues, scorer)):
        if sentence.shade == 0 and sentence.words <= LONG_SENTENCE:
            continue
        counts["hard sentences"] += 1
        best = proposals(document, number, issues, offered, scorer, english)[:1]
        counts["with a proposal"] += len(best)
        changes += [
            {
                "kind": proposal.kind,
                "before": " ".join(document.pieces[sentence.first : sentence.last]),
                "after": proposal.text,
                "page": document.docno,
            }
            for proposal in best
        ]
    return counts, list(clicks(document, offered)), changes


def sheet(rows: list[dict[str, str]], number: int) -> list[dict[str, str]]:
    """Draw up to `number` rows at random, with at most two rows of a term."""
    rows = list(rows)
    random.Random(55).shuffle(rows)
    times: Counter[str] = Counter()
    chosen: list[dict[str, str]] = []
    for row in rows:
        times[row.get("term", row["before"])] += 1
        if times[row.get("term", row["before"])] <= _OF_A_TERM and len(chosen) < number:
            chosen.append(row)
    return chosen


def verdicts(category: str, rows: list[dict[str, str]]) -> str:
    """The share of judged changes that were right, and how many wrong ones are still made."""
    judged = [row for row in records(JUDGED) if row["sheet"] == category]
    proposed = {(row["before"], row["after"]) for row in rows}
    wrong = [row for row in judged if not row["right"]]
    still = sum((row["before"], row["after"]) in proposed for row in wrong)
    share = 1 - len(wrong) / len(judged)
    return f"{category}s {share:.1%} of {len(judged)}, {still} of the wrong are still made"


def main() -> None:
    """Print the table in Markdown, or write the sheets."""
    parser = parser_of(__doc__)
    parser.add_argument("--sheets", type=Path, help="folder for the sheets to judge")
    parser.add_argument("--development", action="store_true", help="use other pages")
    parser.add_argument("--pages", type=Path, help="folder of text files to add")
    parser.add_argument("--draw", type=int, default=1, help="number of the draw of pages")
    chosen = parser.parse_args()
    scorer, rows = Scorer(), []
    every: Counter[str] = Counter()
    all_clicks: list[dict[str, str]] = []
    all_proposals: list[dict[str, str]] = []
    pages = drawn(chosen.data, chosen.development, chosen.draw)
    if chosen.pages:
        pages["own"] = own_pages(chosen.pages)
    for sort, documents in pages.items():
        counts: Counter[str] = Counter()
        for document in documents:
            more, of_page, proposed = page_help(document, scorer)
            counts += more
            all_clicks += of_page
            all_proposals += proposed
        every += counts
        rows.append(row_of(sort, len(documents), counts))
    rows.append(row_of("all", sum(int(row[1]) for row in rows), every))
    print(markdown(HEAD, rows))
    for category, changes in (("click", all_clicks), ("proposal", all_proposals)):
        print(f"Judged right: {verdicts(category, changes)}.")
    if chosen.sheets:
        chosen.sheets.mkdir(parents=True, exist_ok=True)
        for name, changes, most in (
            ("clicks", all_clicks, _CLICKS),
            ("proposals", all_proposals, _PROPOSALS),
        ):
            write_sheets(chosen.sheets, name, sheet(changes, most))


def write_sheets(folder: Path, name: str, rows: list[dict[str, str]]) -> None:
    """Write the key, and the rows for two readers in two orders with the same numbers."""
    key = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / f"{name}.jsonl").write_text("\n".join(key) + "\n", "utf-8")
    numbered = list(enumerate(rows, 1))
    for reader in "AB":
        random.Random(reader).shuffle(numbered)
        items = [
            f"{number}.\nBefore: {row['before']}\nAfter: {_on_one_line(row['after'])}\n"
            for number, row in numbered
        ]
        text = "\n".join([READING, *items])
        (folder / f"{name}-{reader}.md").write_text(text, "utf-8")


def _on_one_line(text: str) -> str:
    return text.replace("\n", " / ")


READING = """\
# Are these changes right?

You are a native English speaker who writes leaflets and letters for patients and the public. An
editor offers a change to a sentence. You see the sentence before and after the change; square
brackets show a word or phrase that one click has put in, and " / " is the end of a line in a list.
The rest of the page is not shown. The writer accepts or refuses the change alone, so do not ask
for other improvements, and judge mistakes of the original sentence as they are.

- right: a native health writer would accept it here: meaning, grammar and register.
- clumsy: the meaning is kept and the grammar holds, but a writer would reword it.
- wrong: the meaning is changed or lost, or the grammar is broken.
- harmful: it changes a dose, a time, a warning or what a patient does.

Answer each number in one line, and nothing else:
number TAB right|clumsy|wrong|harmful TAB reason (a few words; empty for right)
"""


HEAD = ["pages", "n", "marked words", "with a click", "hard sentences", "a proposal for each"]


def row_of(sort: str, number: int, counts: Counter[str]) -> list[str]:
    """Return a row of the table."""
    fixed = counts["plain term"] + counts["in brackets"] + counts["spelling"]
    marked = fixed + counts["own words"]
    per_proposal = counts["hard sentences"] / max(counts["with a proposal"], 1)
    share = f"{fixed / max(marked, 1):.0%}"
    hard = str(counts["hard sentences"])
    return [sort, str(number), str(marked), share, hard, f"{per_proposal:.1f}"]


if __name__ == "__main__":
    main()
