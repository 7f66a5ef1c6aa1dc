"""Measure how P(U|d) changes if terms are explained, and if an easy list is appended.

    python -m scripts.evaluate.whole_texts

*Explained terms*: `readings/explained.jsonl` has 40 passages, each without and with an explanation
of its terms, which should raise P(U|d). *Dilution*: 40 hard texts of the open readings, of 120 to
320 words, each followed by a list of twenty easy items. P(U|d) should change by at most .05,
because a reader who fails at the hard part has not understood the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from scripts.shared import ROOT, records

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text

EXPLAINED = ROOT / "readings" / "explained.jsonl"
_HARD, _FEWEST_WORDS, _MOST_WORDS, _TEXTS = (45.0, 85.0), 120, 320, 40
MOST_MOVED = 0.05
_LISTS = (
    "milk, bread, butter, eggs, apples, pears, rice, soap, tea, coffee, sugar, salt, jam, fish, "
    "cheese, nuts, beans, soup, cake, juice",
    "a warm coat, a hat, two pairs of socks, your boots, a towel, a book, your phone, some water, "
    "a map, a torch, a blanket, a cup, a spoon, a plate, soap, a toothbrush, a pen, some paper, "
    "a ball, your keys",
    "Open the window, Wash your hands, Drink some water, Sit down, Take a deep breath, Call a "
    "friend, Go for a walk, Eat an apple, Feed the cat, Make the bed, Close the door, Turn off the "
    "light, Read a story, Sing a song, Water the plants, Write a letter, Clean the table, Help "
    "your mother, Play outside, Go to sleep",
    "The shop is open. The door is red. The bus stops here. Dogs are welcome. Children are free. "
    "Tea is one pound. Cake is two pounds. Soup is hot. The park is near. Bikes can stay outside. "
    "The garden is green. Toys are upstairs. Books are here. Water is free. Seats are soft. The "
    "music is quiet. We speak English. You can pay cash. We like rain. See you soon.",
)


def appended_lists() -> list[str]:
    """Return the easy lists, with one item per line."""
    return [
        "\n".join(f"- {item.strip(' .')}" for item in items.split(". " if ". " in items else ","))
        for items in _LISTS
    ]


def hard_texts() -> list[str]:
    """Select forty texts of suitable difficulty and length, from as many kinds as possible."""
    rows = [
        row
        for row in records(ROOT / "readings" / "readings.jsonl.gz")
        if row["text"]
        and _HARD[0] <= row["difficulty"] <= _HARD[1]
        and _FEWEST_WORDS <= len(row["text"].split()) <= _MOST_WORDS
    ]
    by_kind: dict[str, list[str]] = {}
    for row in rows:
        by_kind.setdefault(row["kind"], []).append(row["text"])
    rounds = zip_longest(*by_kind.values())
    return [text for texts in rounds for text in texts if text][:_TEXTS]


def probabilities(texts: list[str]) -> list[float]:
    """Return P(U|d) of each text."""
    documents = [document_of_text(text, str(number)) for number, text in enumerate(texts)]
    return [estimate.p_understandable for estimate in Scorer().estimates(Batch(documents))]


def explained() -> list[tuple[float, float]]:
    """Return P(U|d) of each passage, without and with the explanation."""
    pairs = list(records(EXPLAINED))
    names = ("without", "explained")
    without, explained = (probabilities([pair[name] for pair in pairs]) for name in names)
    return list(zip(without, explained, strict=True))


def diluted() -> list[tuple[float, float]]:
    """Return P(U|d) of each hard text, alone and followed by a list."""
    texts, lists = hard_texts(), appended_lists()
    after = [f"{text}\n\n{lists[number % len(lists)]}" for number, text in enumerate(texts)]
    return list(zip(probabilities(texts), probabilities(after), strict=True))


def rises(pairs: Sequence[tuple[float, float]]) -> int:
    """Count the pairs whose second value is higher."""
    return sum(after > before for before, after in pairs)


def held(pairs: Sequence[tuple[float, float]]) -> int:
    """Count the pairs that differ by at most `MOST_MOVED`."""
    return sum(abs(after - before) <= MOST_MOVED for before, after in pairs)


def main() -> None:
    pairs = explained()
    print(f"P rises with the explanation: {rises(pairs)} of {len(pairs)} (wanted: 34 of 40)")
    pairs = diluted()
    moved = [after - before for before, after in pairs]
    print(f"P moves by {MOST_MOVED} at most: {held(pairs)} of {len(pairs)} (wanted: 36 of 40)")
    print("largest changes:", ", ".join(f"{change:+.3f}" for change in sorted(moved, key=abs)[-8:]))


if __name__ == "__main__":
    main()
