"""What the encoder of `neural-open` says of passages that nobody judged, for `open` to learn from.

    python -m scripts.train.teacher teacher.npz [--data ../shared/data] [--cache FOLDER]

The passages are two to five sentences of pages of NIH and PDQ (public domain), of Wikipedia and of
UD English EWT (CC BY-SA), the levels those of the straight line that `scripts.train.neural` learns
from the open labels; `open` has no part in them. Writes arrays `text` and `level`. Needs the
encoder (see there); two minutes of one core once the states of the labelled sets are in the cache.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scripts.train.neural import (
    RECIPES_OF_LINES,
    LineFit,
    across,
    read_of,
    states_of,
    states_of_sets,
)
from scripts.train.page_texts import (
    TEACHER,
    Table,
    Text,
    by_chance,
    labelled,
    labelled_table,
    records,
    written_on_the_web,
)

from understandability.text.analysis import document_of_text

CORPORA = ("consumer_nih", "wikipedia_med")
MOST = 1300
_OF_EACH = 3  # passages of a page of PDQ, and of a text of EWT
_FEWEST_WORDS, _MOST_IN_SENTENCE = 15, 100


def sources(data: Path) -> Iterator[Text]:
    """Texts to take a passage from."""
    for corpus in CORPORA:
        texts = [
            Text(TEACHER, f"{corpus}-{row['id']}", row["text"])
            for row in records(data / "corpora" / f"{corpus}.jsonl.gz")
        ]
        yield from sorted(texts, key=by_chance)[:MOST]
    for text in [*labelled(data, "pdq_pages"), *written_on_the_web(data)]:
        for number in range(_OF_EACH):
            yield Text(TEACHER, f"{text.id}-{number}", text.content)


def passages(data: Path) -> Iterator[Text]:
    """Two to five sentences from a random place of each."""
    for text in sources(data):
        chance = np.random.default_rng(zlib.crc32(text.id.encode()))
        sentences = document_of_text(str(text.content)).sentences
        size = int(chance.integers(2, 6))
        start = int(chance.integers(0, max(1, len(sentences) - 2)))
        part = sentences[start : start + size]
        words = [len(sentence) for sentence in part]
        if sum(words) >= _FEWEST_WORDS and max(words) <= _MOST_IN_SENTENCE:
            yield Text(TEACHER, text.id, " ".join(" ".join(each) for each in part))


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, help="keep what was read in this folder")
    chosen = parser.parse_args()
    table = labelled_table(chosen.data, chosen.cache)
    states = states_of_sets(chosen.data, table, chosen.cache)
    center, directions = across(table, states, "open")
    read = read_of(table, (states - center) @ directions)
    # On the scale of its labels: all levels are moved together, when `open` has learned.
    recipe = replace(RECIPES_OF_LINES["open"], level_from="")
    line = LineFit(read, recipe, np.ones(len(read), bool))
    # Of a short text every passage is the same.
    texts = list({text.content: text for text in passages(chosen.data)}.values())
    unjudged = Table.of(texts)
    rows = read_of(unjudged, (states_of(unjudged, texts) - center) @ directions).passages
    levels = rows.means(rows.columns @ line.theta[:-1] + line.theta[-1])
    contents = {text.id: str(text.content) for text in texts}
    known = np.isfinite(levels)
    np.savez(
        chosen.output,
        text=[contents[each] for each in unjudged.ids[known].tolist()],
        level=levels[known],
    )
    print(f"{known.sum()} passages, levels of {levels[known].mean():.2f} on average")


if __name__ == "__main__":
    main()
