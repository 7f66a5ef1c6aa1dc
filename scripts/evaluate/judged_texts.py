"""Collect the texts for the evaluation of `open`, with human labels or readings.

In addition to the labelled sets, these are whole pages with readings, pairs of a technical and a
plain text about the same study, the awkward list, and hard texts that were edited to look easy.
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from scripts.shared import ROOT, records
from scripts.train.page_texts import (
    OWN,
    READ_SENTENCES_FILE,
    READINGS,
    Text,
    as_read,
    labelled,
    readings,
    sentences_read,
)

PAGES, AWKWARD = "pages_read", "awkward_list"
PEOPLE = (
    "medreadme",
    "medreadme_docs",
    "readmepp_en",
    "clear",
    "cochrane_pls",
    "cefr_sp_wiki",
    "onestop",
)
# Name -> the kinds of the technical and of the plain text of a pair.
PAIRS = {
    "elife_pairs": ("elife_abstract", "elife_digest"),
    "plos_pairs": ("paper_abstract", "paper_plain_summary"),
}
HARD = 40  # the number of passages, and of pages, that are edited

# Words that are more frequent in easy texts than in others.
_EASY_WORDS = (
    "kettle wash uncle stole kid replied kids hat honey city anybody battery seats grass coffee "
    "beer click flu lion appointment station hurts phone lasts"
)
_WATER = " You need to drink water." * 30


def cut(text: str) -> str:
    """Cut a text into sentences of six words.

    >>> cut("We took no one who had a fever. They were sent home.")
    'We took no one who had. A fever They were sent home.'
    """
    words = re.sub(r"[.!?;:]+(?=\s|$)", "", text).split()
    parts = [" ".join(words[start : start + 6]) for start in range(0, len(words), 6)]
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)


def alphabetical(text: str) -> str:
    """Sort all words of a text alphabetically.

    >>> alphabetical("The cat sat. A dog ran.")
    'A cat dog ran sat The.'
    """
    return " ".join(sorted(re.sub(r"[.!?;:]+(?=\s|$)", "", text).split(), key=str.lower)) + "."


def shuffled(text: str) -> str:
    """Shuffle the words of each sentence; the same text gives the same result."""
    chance, sentences = random.Random(len(text)), []
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        words = sentence.rstrip(".!?").split()
        chance.shuffle(words)
        sentences.append(f"{' '.join(words)}.")
    return " ".join(sentences)


def watered(text: str) -> str:
    """Append an easy sentence thirty times."""
    return text + _WATER


def stuffed(text: str) -> str:
    """Append a line of easy words."""
    return f"{text}\n\n{_EASY_WORDS}."


EDITS: Mapping[str, Callable[[str], str]] = {
    "cuts": cut,
    "alphabetical": alphabetical,
    "shuffled": shuffled,
    "repetition": watered,
    "easy words": stuffed,
}


def awkward_list() -> list[Text]:
    """Return the forty awkward texts, which are not used for training."""
    rows = records(ROOT / "readings" / "awkward.jsonl")
    return [as_read(AWKWARD, {**row, "kind": row["case"]}) for row in rows]


def pairs(data: Path) -> Iterator[Text]:
    """Yield the texts of all pairs, with the label 1 for the technical and 0 for the plain text."""
    rows = sorted(records(data / "open_texts" / "texts.jsonl.gz"), key=lambda row: row["group"])
    for group, members in groupby(rows, key=lambda row: str(row["group"])):
        by_kind = {row["kind"]: row for row in members}
        for name, pair_kinds in PAIRS.items():
            if all(text_kind in by_kind for text_kind in pair_kinds):
                for label, text_kind in zip((1.0, 0.0), pair_kinds, strict=True):
                    row = by_kind[text_kind]
                    yield Text(name, row["id"], row["text"], label, group, text_kind)


def hard_texts(data: Path) -> list[Text]:
    """Return forty passages with a difficulty of at least 75, and the forty hardest pages."""
    passages = [
        text
        for text in labelled(data, READINGS)
        if text.label >= 75 and not text.kind.startswith(OWN)
    ]
    pages = sorted(readings(data, "pages"), key=lambda text: -text.label)[:HARD]
    return [*passages[:: len(passages) // HARD][:HARD], *pages]


def sentences_read_twice(data: Path) -> Iterator[Text]:
    """Return single sentences of open texts with two readings. They are also training data."""
    rows = records(READ_SENTENCES_FILE)
    twice = {row["id"] for row in rows if len(row["readings"]) == 2}
    return (text for text in sentences_read(data) if text.id in twice)


def judged_texts(data: Path) -> Iterator[Text]:
    """Yield all texts; set and id together identify a text."""
    for name in (READINGS, *PEOPLE):
        yield from labelled(data, name)
    yield from (replace(text, set=PAGES) for text in readings(data, "pages"))
    yield from pairs(data)
    yield from awkward_list()
    yield from sentences_read_twice(data)
    for edit, edited in {"unedited": str, **EDITS}.items():
        for text in hard_texts(data):
            yield replace(text, set=f"edit_{edit}", content=edited(str(text.content)))
