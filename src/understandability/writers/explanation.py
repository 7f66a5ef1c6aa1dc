"""`Explanation`: what a report says about a text: how hard it is, for whom, why, and what to
change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understandability.direction import Direction
from understandability.model.bundle import Estimate
from understandability.text.analysis import LITTLE_KEPT
from understandability.text.document import Document
from understandability.wording import plain_data
from understandability.writers.first_steps import FirstSteps
from understandability.writers.hard_sentences import (
    LONG_SENTENCE,
    Findings,
    Sentence,
)
from understandability.writers.levels import AIM, PERCENTS, level_of
from understandability.writers.plain_terms.offers import Offer
from understandability.writers.structure import Structure

GRADE_LIMIT = 8.0  # what guides for health texts recommend at most, in years of US schooling
SHORT_TEXT = 100  # words, below which a formula says little (Flesch 1948 samples 100)
FEW_SENTENCES = 30  # what SMOG was made for

# Formula -> what its readers call it, for those that reports show.
FORMULA_TITLES: Mapping[str, str] = {
    "flesch_kincaid": "Flesch-Kincaid",
    "gunning_fog": "Gunning Fog",
    "gunning_fog_plain": "Gunning Fog, plain",
    "smog": "SMOG",
    "coleman_liau": "Coleman-Liau",
    "ari": "ARI",
    "dale_chall": "Dale-Chall",
    "dale_chall_above_5": "Dale-Chall, 5 % rule",
    "dale_chall_cloze": "Dale-Chall, cloze",
    "flesch_reading_ease": "Flesch Reading Ease",
    "lix": "LIX",
}


@dataclass(frozen=True, slots=True)
class FormulaReading:
    """The value of a readability formula, and the US grade that corresponds to it, if any."""

    name: str
    title: str
    value: float
    unit: str
    direction: Direction | None
    source: str
    above_limit: bool
    warning: str


@dataclass(frozen=True, slots=True)
class ReaderChance:
    """How likely a type of reader is to understand the text, and how much too hard it is for them.

    `missing` is the number of points by which the difficulty would have to fall until the share
    `AIM` of such readers understands; 0 if it need not fall.
    """

    name: str
    description: str
    threshold: float
    p_understandable: float
    missing: float


@dataclass(frozen=True, slots=True)
class Place:
    """The rank of a text among real texts of one type: the share of them that are easier."""

    texts: str
    share_easier: float


@dataclass(frozen=True, slots=True)
class TermReading:
    """A term in a text with its plain terms or an explanatory note, and the number of its uses.

    At `in_place` of the `count` uses, a plain term can replace the term. At the other uses, `plain`
    only says what the term means, and the sentence has to be rewritten.
    """

    term: str
    plain: tuple[str, ...]
    note: str
    count: int
    in_place: int


@dataclass(frozen=True, slots=True)
class WordReading:
    """A hard word or an abbreviation, and the number of its uses."""

    word: str
    count: int


@dataclass(frozen=True, slots=True)
class SpellingReading:
    """A likely spelling mistake, the likely word, and the number of its uses."""

    word: str
    likely: str
    count: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """The content of a report about a text; `to_json` returns the same as data.

    `offers` and `sentences` refer to positions in ``document.pieces``. `hardest` holds the indexes
    of the hardest sentences. `hard_words` are words without a plain term.
    """

    document: Document
    estimate: Estimate
    settings: Mapping[str, Any]
    readers: tuple[ReaderChance, ...]
    places: tuple[Place, ...]
    sentences: tuple[Sentence, ...]
    hardest: tuple[int, ...]
    steps: FirstSteps
    offers: tuple[Offer, ...]
    terms: tuple[TermReading, ...]
    hard_words: tuple[WordReading, ...]
    misspelled: tuple[SpellingReading, ...]
    abbreviations: tuple[WordReading, ...]
    findings: Findings
    english: str
    structure: Structure
    formulas: tuple[FormulaReading, ...]
    hard_share: float
    words: int

    @property
    def remarks(self) -> tuple[str, ...]:
        """The flags of the estimate; and `LITTLE_KEPT` if the document has that flag."""
        return (*self.estimate.flags, *[LITTLE_KEPT] * (LITTLE_KEPT in self.document.flags))

    @property
    def place(self) -> str:
        """A sentence that compares the text with real texts; '' if none are known for the model."""
        shares = [
            f"{_share(reference.share_easier)} {reference.texts}" for reference in self.places
        ]
        return f"Harder than {', '.join(shares[:-1])} and {shares[-1]}." if shares else ""

    @property
    def range(self) -> tuple[float, float]:
        """The range that contains the true difficulty in two of three cases."""
        estimate = self.estimate
        low, high = estimate.difficulty - estimate.spread, estimate.difficulty + estimate.spread
        return max(low, 0.0), min(high, 100.0)

    @property
    def long_sentences(self) -> int:
        """The number of sentences with more than 20 words."""
        return sum(sentence.words > LONG_SENTENCE for sentence in self.sentences)

    def to_json(self) -> dict[str, Any]:
        """Return the content of the report as plain data; NaN is None."""
        issues, steps = self.findings, self.steps
        of_document = ("docno", "path", "url", "title", "language", "encoding", "pieces")
        own = (
            "words", "estimate", "range", "english", "settings", "readers", "places", "place",
            "sentences", "hardest", "offers", "terms", "hard_words", "misspelled",
            "abbreviations", "structure", "formulas",
        )  # fmt: skip
        result: dict[str, Any] = plain_data(
            {
                **{name: getattr(self.document, name) for name in of_document},
                **{name: getattr(self, name) for name in own},
                "flags": self.remarks,
                "level": level_of(self.estimate.level),
                "aim": AIM,
                "first_steps": steps.steps,
                "together": steps.together,
                "passives": issues.passives,
                "hard_places": issues.hard,
                "abbreviation_places": sum(issues.abbreviations.values(), ()),
                "misspelled_places": tuple(issues.misspelled),
            }
        )
        return result


def _share(share: float) -> str:
    """Format a share in words; near the ends of the scale only as a bound.

    >>> _share(0.05), _share(0.62), _share(0.95)
    ('hardly any', '62 % of', 'nearly all')
    """
    if share <= PERCENTS[0] / 100:
        return "hardly any"
    return "nearly all" if share >= PERCENTS[-1] / 100 else f"{share:.0%}".replace("%", " % of")
