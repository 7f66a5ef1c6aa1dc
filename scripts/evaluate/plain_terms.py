"""How many hard medical words get a plain term, and a sample of offers to judge.

*Coverage*: of the hard medical words in passages of PDQ for professionals and of PubMed. Hard is a
word that is not among the 5,000 most frequent of wordfreq, in any form; medical, one in a medical
vocabulary. Names (capitals within a sentence) and drugs are counted apart. In tokens. A plain term
either fits in the place of the word, or is said in plain words, for a sentence to be rewritten.
*Sample*: `--sample FILE` writes offers in their sentences, at most two of a term, with the sentence
as the writer gets it. `how` is "in place" where the first plain term is put in. It is "in plain
words" where none fits, and "note" where there is none: then the term stays, its meaning behind it,
and only that is to be judged. Judged by language models that had not seen the tables:
`tests/report/plain_terms_judged.tsv` and, with the seeds 2026 and 2027,
`plain_terms_judged_2026.tsv` and `plain_terms_judged_2027.tsv`, 200 offers each, all to be put in
place; after each of them tables or rules were revised. `plain_terms_judged_2028.tsv`, 300 offers
(``--seed 2028 --passages 1200 --offers 300``), is of the tables and rules as they are.

    python -m scripts.evaluate.plain_terms ../shared/data [--sample sample.tsv]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from wordfreq import top_n_list

from understandability.feature.batch import Batch
from understandability.feature.inflection import one_spelling
from understandability.feature.terms import singular
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.writers.plain_terms.offers import Offer, offers

SOURCES = {"PDQ": "labelled/pdq_pages.jsonl.gz", "PubMed": "corpora/pubmed.jsonl.gz"}
_HEAD = [
    "number", "text", "list", "how", "term", "plain", "second", "note", "sentence", "rewritten",
    "judgement", "why",
]  # fmt: skip
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


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file, compressed or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as file:
        yield from file


def passages(path: Path, number: int, seed: int) -> list[Document]:
    """Passages from random places of random texts."""
    rows = map(json.loads, lines_of(path))
    texts = [str(row["text"]) for row in rows if row.get("label", 1) == 1]
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


def how(offer: Offer | None) -> str:
    """How a word is helped: "in place", "in plain words", by a "note", or by "nothing"."""
    if offer is None:
        return "nothing"
    return "in place" if offer.texts else "in plain words" if offer.plain else "note"


def coverage(documents: list[Document], data: Path) -> Counter[str]:
    """Hard medical words by kind, and what they get."""
    counts: Counter[str] = Counter()
    for document in documents:
        (found,) = offers(Batch([document]))
        offered = {place: offer for offer in found for place in range(offer.first, offer.last)}
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


def sampled(documents: dict[str, list[Document]], number: int, seed: int) -> Iterator[list[str]]:
    """Rows of offers to judge; the last two columns are for the judge, right or wrong and why."""
    every: list[tuple[str, Document, Offer]] = [
        (name, document, offer)
        for name, some in documents.items()
        for document in some
        for offer in offers(Batch([document]))[0]
    ]
    random.Random(seed).shuffle(every)
    times: Counter[str] = Counter()
    done = 0
    for name, document, offer in every:
        key = one_spelling(offer.term)
        if times[key] == 2 or done == number:
            continue
        ends = (*document.sentence_starts[1:], len(document.pieces))
        start, end = next(
            span
            for span in zip(document.sentence_starts, ends, strict=True)
            if span[0] <= offer.first < span[1]
        )
        if not 6 <= end - start <= 60:
            continue
        times[key] += 1
        done += 1
        before, behind = document.pieces[start : offer.first], document.pieces[offer.last : end]
        here = " ".join(document.pieces[offer.first : offer.last])
        plain, second = (*offer.plain, "", "")[:2]
        said = f"in plain words: {plain}" if plain else offer.note
        explained = here.replace(offer.term, f"{offer.term} ({said})", 1)
        shown = offer.texts[0] if offer.texts else explained
        yield [
            str(done), name.lower(), offer.kind, how(offer), offer.term, plain, second, offer.note,
            " ".join((*before, f"[{here}]", *behind)),
            " ".join((*before, f"[{shown}]", *behind)), "", "",
        ]  # fmt: skip


def main() -> None:
    """Print the coverage; write the sample where one is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--sample", type=Path, help="write offers to judge")
    parser.add_argument("--offers", type=int, default=200, help="how many")
    chosen = parser.parse_args()
    documents = {
        name: passages(chosen.data / path, chosen.passages, chosen.seed)
        for name, path in SOURCES.items()
    }
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
    if chosen.sample:
        rows = [_HEAD, *sampled(documents, chosen.offers, chosen.seed)]
        chosen.sample.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
