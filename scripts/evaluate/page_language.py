"""How often the language of a text is guessed rightly, by the number of its words.

    python -m scripts.evaluate.page_language [--data ../shared/data] [--texts TSV]

English: the first words of texts of ../shared/data, from lay to expert. Other languages: every
run of that many words of the texts of tests/pages/languages.tsv, written for this. A guess of
none counts as English when pages are scored, so it is told apart. At the end, the guess beside
what those pages claim that claim a language.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from understandability.errors import PageError
from understandability.inputs.page_tables import read_objects
from understandability.inputs.sources import read_pages
from understandability.text.language_guess import guess_language
from understandability.text.page import Failure
from understandability.text.parsed import parse_page

TEXTS = Path(__file__).parents[2] / "tests" / "pages" / "languages.tsv"
LENGTHS = (10, 20, 30, 50, 100, 200)
ENGLISH = (
    "labelled/clear",
    "labelled/medreadme_docs",
    "corpora/reddit_like",
    "corpora/consumer_nih",
    "corpora/wikipedia_med",
    "corpora/pubmed",
)
PAGES = ("html/health_pages/health_pages.tar.gz", "html/extraction_gold/pages.tar.gz")
_MOST = 2000  # texts of a source


def english(path: Path, length: int) -> Counter[str | None]:
    """What the first words of a source's texts are called."""
    guesses: Counter[str | None] = Counter()
    for row in islice(read_objects(str(path)), _MOST):
        words = str(row["text"]).split()
        if len(words) >= length:
            guesses[guess_language(" ".join(words[:length]))] += 1
    return guesses


def other_texts(path: Path) -> dict[str, str]:
    """By language, a text in it."""
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return {language: text for language, text in rows if language != "en"}


def runs(text: str, length: int) -> Iterator[str]:
    """All runs of so many words; of a script without spaces, of so many characters."""
    words, joint = (text.split(), " ") if text.count(" ") > 10 else (list(text), "")
    for start in range(len(words) - length + 1):
        yield joint.join(words[start : start + length])


def claimed(data: Path) -> Counter[tuple[str, str | None]]:
    """What pages claim, and what their text would be called."""
    pairs: Counter[tuple[str, str | None]] = Counter()
    for path in PAGES:
        for page in read_pages(str(data / path)):
            if isinstance(page, Failure):
                continue
            try:
                parsed = parse_page(page)
            except PageError:
                continue
            if parsed.declared_language:
                guess = replace(parsed, declared_language=None).language
                pairs[parsed.declared_language, guess] += 1
    return pairs


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--texts", type=Path, default=TEXTS)
    options = parser.parse_args(arguments)
    print("| English texts | words | texts | called en | none | another language |")
    print("|---|---|---|---|---|---|")
    for source in ENGLISH:
        for length in LENGTHS:
            guesses = english(options.data / f"{source}.jsonl.gz", length)
            total = max(1, guesses.total())
            wrong = total - guesses["en"] - guesses[None]
            print(
                f"| {source} | {length} | {guesses.total()} | {guesses['en'] / total:.1%} "
                f"| {guesses[None] / total:.1%} | {wrong / total:.2%} |"
            )
    texts = other_texts(options.texts)
    print(f"\n| {len(texts)} other languages: words | runs | right | none | called en | other |")
    print("|---|---|---|---|---|---|")
    for length in LENGTHS[:4]:
        guesses = Counter()
        missed: Counter[str] = Counter()
        for language, text in texts.items():
            for run in runs(text, length):
                guess = guess_language(run)
                guesses["right" if guess == language else guess] += 1
                missed[language] += guess in ("en", None)
        total = max(1, guesses.total())
        rest = total - guesses["right"] - guesses[None] - guesses["en"]
        print(
            f"| {length} | {total} | {guesses['right'] / total:.1%} | {guesses[None] / total:.1%} "
            f"| {guesses['en'] / total:.2%} | {rest / total:.1%} |"
        )
        if length >= LENGTHS[1] and +missed:
            print(f"  en or none: {dict(missed.most_common(8))}", file=sys.stderr)
    print("\n| pages claim | called | pages |\n|---|---|---|")
    for (claim, guess), number in claimed(options.data).most_common():
        print(f"| {claim} | {guess or 'none'} | {number} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
