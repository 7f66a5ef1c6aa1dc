"""What readability formulas are made of: characters, syllables, long and difficult words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from understandability.direction import Direction
from understandability.feature.batch import Batch, FloatArray
from understandability.feature.row import DOCUMENT, SENTENCE, WORD, Feature
from understandability.feature.word_counts import LONGER, count


def count_words(batch: Batch) -> FloatArray:
    return batch.words


def count_sentences(batch: Batch) -> FloatArray:
    return batch.sentences


def _row(
    name: str,
    unit: str,
    meaning: str,
    compute: Callable[[Batch], FloatArray] | None = None,
    source: str = "Palotti, Zuccon & Hanbury 2019",
    per: tuple[str, ...] = (DOCUMENT, WORD, SENTENCE),
) -> Feature:
    compute = compute or partial(count, kind=name)
    return Feature(name, "components", unit, Direction.HARDER, meaning, source, compute, per)


ROWS: tuple[Feature, ...] = (
    _row("characters", "characters", "letters and digits of all words"),
    _row(
        "difficult_words",
        "words",
        "words not on the Dale-Chall list; regular inflections, names and numerals are familiar",
        source="Dale & Chall 1948",
    ),
    *(
        _row(
            f"words_longer_{than}",
            "words",
            f"words of more than {than} letters and digits",
        )
        for than in LONGER
    ),
    _row("syllables", "syllables", "syllables of all words"),
    _row("polysyllables", "words", "words of three syllables or more"),
    _row("words_over_3_syllables", "words", "words of more than three syllables"),
    _row(
        "words",
        "words",
        "runs of characters between white space that have a letter or digit",
        count_words,
        "Flesch 1948",
        (DOCUMENT, SENTENCE),
    ),
    _row("sentences", "sentences", "sentences with a word", count_sentences, per=(DOCUMENT,)),
)
