"""How many hard medical words get a plain term; sheets of offers and proposals to judge.

    python -m scripts.evaluate.plain_terms [--data ../shared/data] [--sheets FOLDER] [--count]

*Coverage*: of the hard medical words in passages of PDQ for professionals and of PubMed, in tokens.
Hard is a word that is not among the 5,000 most frequent of wordfreq, in any form; medical, one in a
medical vocabulary. Names (capitals within a sentence) and drugs are counted apart.
*Sheets*: `--sheets FOLDER --seed 1616` draws the beginnings of 60 pages for patients, of PDQ and of
MedQuAD without rare diseases, none that a sheet before drew or that the tables were written with.
It writes `offers.jsonl` (300, at most two of a term) and `proposals.jsonl` (up to 200, of these and
of more pages: all that are more than plain terms, the rest plain terms), each with the sentence as
the writer has it before and after.
`how` is "in place" where the first plain term is put in, "in plain words" where none fits, "note"
where there is none: then its meaning is shown beside the sentence, as in the editor. Verdicts on
sheets of several seeds are in `tests/writers/*_judged.jsonl`.
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
_MORE = 500  # pages, for proposals
_MEDQUAD, _RARE = "corpora/consumer_nih.jsonl.gz", ("nih_gard", "nih_ghr")
_LEAST, _BEGINNING = 600, 18_000  # characters of a page, and of its beginning: 3,000 words
_SENTENCES = 7  # in a row make a passage, about 150 words
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
    """Passages from random places of random texts."""
    texts = [str(row["text"]) for row in records(path) if row.get("label", 1) == 1]
    chance = random.Random(seed)
    made = []
    for _ in range(number):
        sentences = re.split(r"(?<=[.!?])\s+", chance.choice(texts))
        start = chance.randrange(max(1, len(sentences) - _SENTENCES))
        made.append(document_of_text(" ".join(sentences[start : start + _SENTENCES])))
    return made


@cache
def medical_words(data: Path) -> frozenset[str]:
    """The words of the medical vocabularies."""
    return frozenset(
        word
        for name, column in _VOCABULARIES
        for line in lines_of(data / "lexicons" / name)
        for word in re.findall(r"[a-z]+", line.lower().split("\t")[column])
    )


@cache
def drugs(data: Path) -> frozenset[str]:
    """Names of drugs that are one word."""
    names = (
        line.split("\t")[1].lower().strip()
        for line in lines_of(data / "lexicons" / "drugbank_names.tsv.gz")
    )
    return frozenset(name for name in names if name.isalpha()) - _NO_DRUGS


@cache
def is_frequent(word: str) -> bool:
    """Whether a word, or what it may be a form of, is among the 5,000 most frequent."""
    frequent = frozenset(top_n_list("en", 5000))
    ends = (("", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("s", ""))
    forms = {word[: len(word) - len(end)] + new for end, new in ends if word.endswith(end)}
    return bool({singular(word), one_spelling(word), *forms} & frequent)


def by_place(document: Document) -> dict[int, Offer]:
    """The offers of a document, by the numbers of their pieces."""
    (found,) = offers(Batch([document]))
    return {place: offer for offer in found for place in range(offer.first, offer.last)}


def how(offer: Offer | None) -> str:
    """How a word is helped: "in place", "in plain words", by a "note", or by "nothing"."""
    if offer is None:
        return "nothing"
    return "in place" if offer.texts else "in plain words" if offer.plain else "note"


def coverage(documents: list[Document], data: Path) -> Counter[str]:
    """Hard medical words by kind, and what they get."""
    counts: Counter[str] = Counter()
    for document in documents:
        offered = by_place(document)
        starts = set(document.sentence_starts)
        for place, piece in enumerate(document.pieces):
            word = word_of(piece)
            low = word.lower()
            if len(low) < 3 or not low.isalpha() or low not in medical_words(data):
                continue
            if is_frequent(low):
                continue
            if word.isupper() or (word[0].isupper() and place not in starts):
                counts["name"] += 1
                continue
            kind = "drug" if low in drugs(data) else "word"
            offer = offered.get(place)
            counts[kind] += 1
            counts[f"{kind} {how(offer)}"] += 1
    return counts


def patient_texts(data: Path) -> dict[str, str]:
    """How pages for patients begin, by name."""
    rows = [row for row in records(data / SOURCES["PDQ"]) if not row["label"]]
    rows += [row for row in records(data / _MEDQUAD) if row["source"] not in _RARE]
    texts = {row["id"]: row["text"] for row in rows if len(row["text"]) >= _LEAST}
    return {
        name: text[:_BEGINNING].rpartition("\n")[0] if len(text) > _BEGINNING else text
        for name, text in texts.items()
    }


def is_for_tables(page: str) -> bool:
    """Whether those who write the tables may look at a page: at every other, by its name."""
    return crc32(page.encode()) % 2 == 0


def patient_pages(data: Path, seed: int, number: int) -> list[Document]:
    """So many pages for patients at random, none that another sheet or a writer of tables saw."""
    seen = {row["page"] for row in records(JUDGED) if row["seed"] != seed}
    texts = patient_texts(data)
    unseen = sorted(texts.keys() - seen - {row["page"] for row in records(MARKED)})
    left = [name for name in unseen if not is_for_tables(name)]
    random.Random(seed).shuffle(left)
    return [document_of_text(texts[name], name) for name in left[:number]]


def marked_pages(data: Path) -> list[Document]:
    """The pages whose words were marked."""
    texts = patient_texts(data)
    names = dict.fromkeys(row["page"] for row in records(MARKED))
    return [document_of_text(texts[name], name) for name in names]


def of_marked(pages: list[Document]) -> Counter[str]:
    """What words get that two judges, who worked apart, would both mark as too hard.

    "told" is what the editor tells of a word without a note: hard, or never explained.
    """
    counts: Counter[str] = Counter()
    named = {page.docno: page for page in pages}
    for row in records(MARKED):
        page = named[row["page"]]
        at, found = by_place(page), findings(Batch([page]))
        told = {*found.hard, *(place for each in found.abbreviations.values() for place in each)}
        places = range(row["first"], row["last"])
        for word in sorted({*row["one"]} & {*row["two"]}):
            help_of = {
                "explained" if n in at and at[n].is_explained
                else how(at[n]) if n in at
                else "told" if n in told
                else "nothing"
                for n in places
                if word_of(page.pieces[n]).lower() == word
            }  # fmt: skip
            kinds = ("in place", "in plain words", "note", "explained", "told", "nothing")
            counts.update([each for each in kinds if each in help_of][:1])
    return counts


def helped(documents: list[Document]) -> Counter[str]:
    """Words that the editor marks as hard, and what they get."""
    counts: Counter[str] = Counter()
    for document in documents:
        found, at = findings(Batch([document])), by_place(document)
        counts.update(how(at.get(place)) for place in {*found.hard} - {*found.misspelled})
    return counts


def sheet_of_offers(documents: list[Document], seed: int) -> Iterator[dict[str, str]]:
    """Offers in their sentences, at most two of a term."""
    every = [(each, offer) for each in documents for offer in offers(Batch([each]))[0]]
    random.Random(seed).shuffle(every)
    times: Counter[str] = Counter()
    for document, offer in every:
        key = one_spelling(offer.term)
        start, end = next(span for span in spans(document) if offer.first < span[1])
        if times[key] == 2 or offer.note == EXPLAINED or not 6 <= end - start <= 60:
            continue
        times[key] += 1
        before, behind = document.pieces[start : offer.first], document.pieces[offer.last : end]
        here = " ".join(document.pieces[offer.first : offer.last])
        said = f"{offer.term}: {' – '.join(filter(None, (*offer.plain[:1], offer.note)))}"
        placed = " ".join((*before, f"[{offer.texts[0]}]", *behind)) if offer.texts else ""
        yield {
            "sentence": " ".join((*before, f"[{here}]", *behind)),
            "offer": placed or said,
            "how": how(offer),
            "page": document.docno,
        }


def sheet_of_proposals(
    documents: list[Document], scorer: Scorer, seed: int
) -> Iterator[dict[str, str | float]]:
    """Proposals for any sentence of any page, with the chance of the page before and after."""
    every = []
    for document in documents:
        batch = Batch([document])
        english, found = english_of(document.pieces), findings(batch)
        (offered,) = offers(batch, english)
        before = scorer.estimates(batch)[0].p_understandable
        for number, (start, end) in enumerate(spans(document)):
            if not 4 <= end - start <= 80:
                continue
            for made in proposals(document, number, found, offered, scorer, english):
                row: dict[str, str | float] = {
                    "sentence": " ".join(document.pieces[start:end]),
                    "proposal": made.text,
                    "kind": made.kind,
                    "page": document.docno,
                    "p_before": round(before, 4),
                    "p_after": round(made.p_understandable, 4),
                }
                every.append(row)
    random.Random(seed).shuffle(every)
    every.sort(key=lambda row: row["kind"] == PLAIN)  # which are most; offers are judged apart
    every = every[:_PROPOSALS]
    random.Random(seed).shuffle(every)
    yield from every


def verdicts_of_terms() -> dict[str, tuple[int, int]]:
    """Of general terms: how many judged offers every judge found right, and how many there were."""
    forms, _ = index()
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for row in records(JUDGED):
        said = [row["right"]] if isinstance(row["right"], bool) else row["right"]
        for before, _ in row["changed"]:
            found = forms.get(tuple(map(one_spelling, re.findall(r"\w+", before))), ())
            for term in {form.row.term for form in found if form.row.vocabulary == GENERAL}:
                every[term] += 1
                right[term] += all(said)
    return {term: (right[term], every[term]) for term in sorted(every)}


def write_counts() -> None:
    """The table of the terms' verdicts."""
    lines = [f"{term}\t{right}\t{of}" for term, (right, of) in verdicts_of_terms().items()]
    OFFERED.write_text("\n".join(("term\tright\tjudged", *lines)) + "\n", "utf-8")


def write_sheets(folder: Path, data: Path, seed: int) -> None:
    """The two sheets, without verdicts."""
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
    parser.add_argument("--sheets", type=Path, help="folder for what is to be judged")
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
    for what, counted in (
        ("words that the editor marks", helped(pages)),
        ("words that two judges would mark", of_marked(pages)),
    ):
        shares = ", ".join(f"{name} {n / counted.total():.1%}" for name, n in counted.items())
        print(f"Pages for patients, {counted.total()} {what}: {shares}")
    for name, some in documents.items():
        counts = coverage(some, chosen.data)
        words, medicines = counts["word"], counts["drug"]
        in_place, in_words = counts["word in place"], counts["word in plain words"]
        print(
            f"{name}: {len(some)} passages, {words} hard medical words: a plain term for "
            f"{(in_place + in_words) / words:.1%} (in place for {in_place / words:.1%}, in plain "
            f"words for {in_words / words:.1%}), a note for {counts['word note'] / words:.1%}; "
            f"{medicines} names of drugs: a note for {counts['drug note'] / max(medicines, 1):.1%}"
        )


if __name__ == "__main__":
    main()
