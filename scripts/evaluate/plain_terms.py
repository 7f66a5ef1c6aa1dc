"""Measure how many hard medical words get a plain term, and draw sheets of offers to judge.

    python -m scripts.evaluate.plain_terms [--data ../shared/data] [--sheets FOLDER] [--count]

*Coverage* is the share of hard medical words, in tokens of passages of PDQ for professionals and of
PubMed. A word is hard if no form of it is among the 5,000 most frequent words of wordfreq, and
medical if a medical vocabulary has it. Names (capitals inside a sentence) and drugs are counted
separately.

*Sheets*: `--sheets FOLDER --seed 1616` draws the beginnings of 60 pages for patients, of PDQ and of
MedQuAD without rare diseases. Pages of earlier sheets, and pages that the authors of the tables may
have seen, are excluded. The script writes two files with sentences before and after:
`offers.jsonl` has 300 offers, at most two of a term. `proposals.jsonl` has up to 200 proposals, of
these and of more pages: first those that are more than plain terms.

The column `how` of an offer is "in place" if the first plain term replaces the word, "in plain
words" if a plain term exists but does not fit, and "note" if there is only a note on the meaning,
which is shown next to the sentence, as in the editor. Verdicts on sheets of several seeds are in
`tests/writers/*_judged.jsonl`.

*Counts*: `--count` writes `resources/plain_terms/offered.tsv` from those verdicts.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from zlib import crc32

from scripts.shared import ROOT, lines_of, parser_of, records
from wordfreq import top_n_list

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.study.terms import singular
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.writers.hard_sentences import findings
from understandability.writers.inflection import one_spelling
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import EXPLAINED, Offer, offers
from understandability.writers.plain_terms.term_tables import GENERAL, index
from understandability.writers.proposals import PLAIN, proposals
from understandability.writers.sentence_edits import spans

SOURCES = {"PDQ": "labelled/pdq_pages.jsonl.gz", "PubMed": "corpora/pubmed.jsonl.gz"}
JUDGED = ROOT / "tests" / "writers" / "offers_judged.jsonl"
MARKED = JUDGED.with_name("words_marked.jsonl")
OFFERED = ROOT / "resources" / "plain_terms" / "offered.tsv"
_PAGES, _OFFERS, _PROPOSALS = 60, 300, 200
_MORE = 500  # additional pages for proposals
_MEDQUAD, _RARE = "corpora/consumer_nih.jsonl.gz", ("nih_gard", "nih_ghr")
_LEAST = 600  # characters of a page
_BEGINNING = 18_000  # characters of the beginning of a page, about 3,000 words
_SENTENCES = 7  # consecutive sentences in a passage, about 150 words
# Files of medical vocabularies, and the column that holds the words.
_VOCABULARIES = (
    ("mesh_word_bag.txt", 0),
    ("icd_word_bag.txt", 0),
    ("openmedspel_en_us.txt", 0),
    ("nci_dictionary.tsv.gz", 0),
    ("chv_flat.tsv.gz", 1),
)
_NO_DRUGS = {"water", "glucose", "insulin", "cholesterol", "nitrogen", "oxygen"}


def passages(path: Path, number: int, seed: int) -> list[Document]:
    """Draw passages at random positions in random texts."""
    texts = [str(row["text"]) for row in records(path) if row.get("label", 1) == 1]
    chance = random.Random(seed)
    documents = []
    for _ in range(number):
        sentences = re.split(r"(?<=[.!?])\s+", chance.choice(texts))
        start = chance.randrange(max(1, len(sentences) - _SENTENCES))
        documents.append(document_of_text(" ".join(sentences[start : start + _SENTENCES])))
    return documents


@cache
def medical_words(data: Path) -> frozenset[str]:
    """Return the words of the medical vocabularies."""
    return frozenset(
        word
        for name, column in _VOCABULARIES
        for line in lines_of(data / "lexicons" / name)
        for word in re.findall(r"[a-z]+", line.lower().split("\t")[column])
    )


@cache
def drugs(data: Path) -> frozenset[str]:
    """Return the names of drugs that are a single word."""
    names = (
        line.split("\t")[1].lower().strip()
        for line in lines_of(data / "lexicons" / "drugbank_names.tsv.gz")
    )
    return frozenset(name for name in names if name.isalpha()) - _NO_DRUGS


@cache
def is_frequent(word: str) -> bool:
    """Return True if a word, or a possible base form, is among the 5,000 most frequent words."""
    frequent = frozenset(top_n_list("en", 5000))
    ends = (("", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("s", ""))
    forms = {word[: len(word) - len(end)] + new for end, new in ends if word.endswith(end)}
    return bool({singular(word), one_spelling(word), *forms} & frequent)


def offer_by_piece(document: Document) -> dict[int, Offer]:
    """Return the offers of a document by the indexes of their pieces."""
    (offered,) = offers(Batch([document]))
    return {index: offer for offer in offered for index in range(offer.first, offer.last)}


def help_by(offer: Offer | None) -> str:
    """Return the help for a word: "in place", "in plain words", "note" or "nothing"."""
    if offer is None:
        return "nothing"
    return "in place" if offer.texts else "in plain words" if offer.plain else "note"


def coverage(documents: list[Document], data: Path) -> Counter[str]:
    """Count hard medical words ("name", "drug", "word"), and the help that they get."""
    counts: Counter[str] = Counter()
    for document in documents:
        offered = offer_by_piece(document)
        starts = set(document.sentence_starts)
        for position, piece in enumerate(document.pieces):
            word = word_of(piece)
            low = word.lower()
            if len(low) < 3 or not low.isalpha() or low not in medical_words(data):
                continue
            if is_frequent(low):
                continue
            if word.isupper() or (word[0].isupper() and position not in starts):
                counts["name"] += 1
                continue
            category = "drug" if low in drugs(data) else "word"
            counts[category] += 1
            counts[f"{category} {help_by(offered.get(position))}"] += 1
    return counts


def patient_texts(data: Path) -> dict[str, str]:
    """Return the beginnings of pages for patients, by name."""
    rows = [row for row in records(data / SOURCES["PDQ"]) if not row["label"]]
    rows += [row for row in records(data / _MEDQUAD) if row["source"] not in _RARE]
    texts = {row["id"]: row["text"] for row in rows if len(row["text"]) >= _LEAST}
    return {
        name: text[:_BEGINNING].rpartition("\n")[0] if len(text) > _BEGINNING else text
        for name, text in texts.items()
    }


def is_for_tables(page: str) -> bool:
    """Return True for the half of all pages that the authors of the tables may look at."""
    return crc32(page.encode()) % 2 == 0


def patient_pages(data: Path, seed: int, number: int) -> list[Document]:
    """Draw pages for patients that no other sheet contains, and no author of tables saw."""
    seen = {row["page"] for row in records(JUDGED) if row["seed"] != seed}
    texts = patient_texts(data)
    unseen = sorted(texts.keys() - seen - {row["page"] for row in records(MARKED)})
    usable = [name for name in unseen if not is_for_tables(name)]
    random.Random(seed).shuffle(usable)
    return [document_of_text(texts[name], name) for name in usable[:number]]


def marked_pages(data: Path) -> list[Document]:
    """Return the pages on which judges marked words."""
    texts = patient_texts(data)
    names = dict.fromkeys(row["page"] for row in records(MARKED))
    return [document_of_text(texts[name], name) for name in names]


def of_marked(pages: list[Document]) -> Counter[str]:
    """Count the help for words that two independent judges both marked as too hard.

    Words in the category "told" have no note, but the editor marks them as hard or unexplained.
    """
    counts: Counter[str] = Counter()
    named = {page.docno: page for page in pages}
    for row in records(MARKED):
        page = named[row["page"]]
        offered, marks = offer_by_piece(page), findings(Batch([page]))
        abbreviations = (index for indexes in marks.abbreviations.values() for index in indexes)
        marked = {*marks.hard, *abbreviations}
        for word in sorted({*row["one"]} & {*row["two"]}):
            help_of_word = {
                "explained" if n in offered and offered[n].is_explained
                else help_by(offered[n]) if n in offered
                else "told" if n in marked
                else "nothing"
                for n in range(row["first"], row["last"])
                if word_of(page.pieces[n]).lower() == word
            }  # fmt: skip
            best_first = ("in place", "in plain words", "note", "explained", "told", "nothing")
            counts.update([name for name in best_first if name in help_of_word][:1])
    return counts


def helped(documents: list[Document]) -> Counter[str]:
    """Count the help for words that the editor marks as hard."""
    counts: Counter[str] = Counter()
    for document in documents:
        marks, offered = findings(Batch([document])), offer_by_piece(document)
        counts.update(help_by(offered.get(index)) for index in {*marks.hard} - {*marks.misspelled})
    return counts


def sheet_of_offers(documents: list[Document], seed: int) -> Iterator[dict[str, str]]:
    """Yield rows of offers in their sentences, at most two of a term."""
    candidates = [
        (document, offer) for document in documents for offer in offers(Batch([document]))[0]
    ]
    random.Random(seed).shuffle(candidates)
    times: Counter[str] = Counter()
    for document, offer in candidates:
        key = one_spelling(offer.term)
        start, end = next(span for span in spans(document) if offer.first < span[1])
        if times[key] == 2 or offer.note == EXPLAINED or not 6 <= end - start <= 60:
            continue
        times[key] += 1
        before, after = document.pieces[start : offer.first], document.pieces[offer.last : end]
        term = " ".join(document.pieces[offer.first : offer.last])
        meaning = f"{offer.term}: {' – '.join(filter(None, (*offer.plain[:1], offer.note)))}"
        replaced = " ".join((*before, f"[{offer.texts[0]}]", *after)) if offer.texts else ""
        yield {
            "sentence": " ".join((*before, f"[{term}]", *after)),
            "offer": replaced or meaning,
            "how": help_by(offer),
            "page": document.docno,
        }


def sheet_of_proposals(
    documents: list[Document], scorer: Scorer, seed: int
) -> Iterator[dict[str, str | float]]:
    """Yield rows of proposals, with P(U|d) of the page before and after."""
    candidates = []
    for document in documents:
        batch = Batch([document])
        english, marks = english_of(document.pieces), findings(batch)
        (offered,) = offers(batch, english)
        before = scorer.estimates(batch)[0].p_understandable
        for number, (start, end) in enumerate(spans(document)):
            if not 4 <= end - start <= 80:
                continue
            for proposal in proposals(document, number, marks, offered, scorer, english):
                row: dict[str, str | float] = {
                    "sentence": " ".join(document.pieces[start:end]),
                    "proposal": proposal.text,
                    "kind": proposal.kind,
                    "page": document.docno,
                    "p_before": round(before, 4),
                    "p_after": round(proposal.p_understandable, 4),
                }
                candidates.append(row)
    random.Random(seed).shuffle(candidates)
    # Most proposals are plain terms, which the other sheet covers, so take these last.
    candidates.sort(key=lambda row: row["kind"] == PLAIN)
    candidates = candidates[:_PROPOSALS]
    random.Random(seed).shuffle(candidates)
    yield from candidates


def verdicts_of_terms() -> dict[str, tuple[int, int]]:
    """Count the offers of each general term that all judges found right, and all judged offers."""
    forms, _ = index()
    right: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for row in records(JUDGED):
        verdicts = [row["right"]] if isinstance(row["right"], bool) else row["right"]
        for before, _ in row["changed"]:
            matches = forms.get(tuple(map(one_spelling, re.findall(r"\w+", before))), ())
            for term in {form.row.term for form in matches if form.row.vocabulary == GENERAL}:
                judged[term] += 1
                right[term] += all(verdicts)
    return {term: (right[term], judged[term]) for term in sorted(judged)}


def write_counts() -> None:
    """Write the table of the terms' verdicts."""
    lines = [f"{term}\t{right}\t{judged}" for term, (right, judged) in verdicts_of_terms().items()]
    OFFERED.write_text("\n".join(("term\tright\tjudged", *lines)) + "\n", "utf-8")


def write_sheets(folder: Path, data: Path, seed: int) -> None:
    """Write the two sheets, without verdicts."""
    scorer = Scorer()
    pages = patient_pages(data, seed, _PAGES + _MORE)
    documents, more = pages[:_PAGES], pages[_PAGES:]
    for name, rows in (
        ("offers", list(islice(sheet_of_offers(documents, seed), _OFFERS))),
        ("proposals", list(sheet_of_proposals([*documents, *more], scorer, seed))),
    ):
        lines = [json.dumps({"id": n, **row}, ensure_ascii=False) for n, row in enumerate(rows, 1)]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        print(f"{name}.jsonl: {len(lines)} rows of {len(documents)} pages")


def main() -> None:
    """Print the coverage, or write the sheets."""
    parser = parser_of(__doc__)
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--sheets", type=Path, help="folder for the sheets to judge")
    parser.add_argument("--count", action="store_true", help="write the counts of verdicts")
    chosen = parser.parse_args()
    if chosen.count:
        write_counts()
        return
    if chosen.sheets:
        write_sheets(chosen.sheets, chosen.data, chosen.seed)
        return
    documents = {
        name: passages(chosen.data / path, chosen.passages, chosen.seed)
        for name, path in SOURCES.items()
    }
    pages = marked_pages(chosen.data)
    for title, counted in (
        ("words that the editor marks", helped(pages)),
        ("words that two judges would mark", of_marked(pages)),
    ):
        shares = ", ".join(f"{name} {n / counted.total():.1%}" for name, n in counted.items())
        print(f"Pages for patients, {counted.total()} {title}: {shares}")
    for name, of_source in documents.items():
        counts = coverage(of_source, chosen.data)
        words, medicines = counts["word"], counts["drug"]
        in_place, in_words = counts["word in place"], counts["word in plain words"]
        print(
            f"{name}: {len(of_source)} passages, {words} hard medical words: a plain term for "
            f"{(in_place + in_words) / words:.1%} (in place for {in_place / words:.1%}, in plain "
            f"words for {in_words / words:.1%}), a note for {counts['word note'] / words:.1%}; "
            f"{medicines} names of drugs: a note for {counts['drug note'] / max(medicines, 1):.1%}"
        )


if __name__ == "__main__":
    main()
