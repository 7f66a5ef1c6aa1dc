"""One text explained to its writer: how hard, for whom, why, and what to do first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from understandability.direction import Direction
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import features_of
from understandability.model.bundle import Estimate
from understandability.model.readers import READERS, Reader
from understandability.scoring import NOT_ENGLISH, Scorer
from understandability.text.analysis import LITTLE_KEPT
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.wording import counted, plain_data
from understandability.writers.hard_sentences import (
    LONG_SENTENCE,
    Findings,
    Sentence,
    findings,
    hardest,
    sentences,
)
from understandability.writers.levels import AIM, PERCENTS, level_of, references
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import Offer, covered, offers
from understandability.writers.steps import FirstSteps, first_steps
from understandability.writers.structure import Structure, structure

GRADE_LIMIT = 8.0  # what guides for health texts recommend at most, in years of US schooling
SHORT_TEXT = 100  # words, below which a formula says little (Flesch 1948 samples 100)
FEW_SENTENCES = 30  # what SMOG was made for
_MOST_WORDS = 100  # that are listed

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
_COLUMNS = (*FORMULA_TITLES, "words", "sentences", "difficult_words_per_word")


@dataclass(frozen=True, slots=True)
class FormulaReading:
    """A formula's value, and the US grade that it stands for where it is one."""

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
    """A kind of reader, how likely the text is to be understood, and by how much it is too hard.

    `missing` are points of difficulty down to where the share `AIM` of such readers understands;
    0 where that is reached.
    """

    name: str
    description: str
    threshold: float
    p_understandable: float
    missing: float


@dataclass(frozen=True, slots=True)
class Place:
    """The share of a kind of real texts that are easier than this one."""

    texts: str
    share_easier: float


@dataclass(frozen=True, slots=True)
class TermReading:
    """A term with its plain terms or an explanatory note, and the number of its uses.

    A plain term fits at `in_place` of the `count` uses; elsewhere `plain` says what the term
    means, and the sentence has to be rewritten.
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

    `offers` and `sentences` hold positions in ``document.pieces``; `hardest` holds numbers of
    sentences. `hard_words` have no plain term.
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
        """The flags of the estimate, and `LITTLE_KEPT` where the document has it."""
        return (*self.estimate.flags, *[LITTLE_KEPT] * (LITTLE_KEPT in self.document.flags))

    @property
    def place(self) -> str:
        """The place among real texts as a sentence; '' where none are known."""
        shares = [f"{_share(kind.share_easier)} {kind.texts}" for kind in self.places]
        return f"Harder than {', '.join(shares[:-1])} and {shares[-1]}." if shares else ""

    @property
    def range(self) -> tuple[float, float]:
        """The range that holds the difficulty in two of three cases."""
        estimate = self.estimate
        low, high = estimate.difficulty - estimate.spread, estimate.difficulty + estimate.spread
        return max(low, 0.0), min(high, 100.0)

    @property
    def long_sentences(self) -> int:
        """The number of sentences with more than 20 words."""
        return sum(sentence.words > LONG_SENTENCE for sentence in self.sentences)

    def to_json(self) -> dict[str, Any]:
        """The content of the report as plain data; NaN is None."""
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


def explain(
    document: Document, scorer: Scorer, *, steps: bool = True, english: str | None = None
) -> Explanation:
    """Explain one document's estimate under the settings of a scorer.

    Without `steps`, the first steps are left out, in half the time. `english` is the English of
    plain terms, ``american`` or ``british``; by default it follows the spelling of the text.

    >>> from understandability.text.analysis import document_of_text
    >>> explanation = explain(document_of_text("He had a myocardial infarction."), Scorer())
    >>> [(each.term, each.plain[0]) for each in explanation.terms]
    [('myocardial infarction', 'heart attack')]
    """
    batch = Batch([document])
    (estimate,) = scorer.own_estimates(batch)
    table = features_of(batch, _COLUMNS)
    values = dict(zip(table.names, table.values[0].tolist(), strict=True))
    foreign = NOT_ENGLISH in estimate.flags  # nothing in this package describes such words
    issues = Findings((), (), {}, {}) if foreign else findings(batch)
    english = english or english_of(document.pieces)
    (offered,) = ((),) if foreign else offers(batch, english)
    every = sentences(document, batch, issues, scorer)
    if foreign:
        none = math.nan
        every = tuple(replace(s, level=none, difficulty=none, shade=0, reasons=()) for s in every)
    difficulty = estimate.difficulty
    is_known = not math.isnan(difficulty)
    described = scorer.described
    references_known = references(described["bundle_checksum"])
    first = FirstSteps((), None)
    if steps:
        first = first_steps(document, estimate, every, issues, offered, scorer)
    return Explanation(
        document,
        replace(estimate, flags=tuple(dict.fromkeys((*table.flags[0], *estimate.flags)))),
        described,
        _readers(scorer, batch) if is_known else (),
        tuple(
            Place(reference.name, reference.share_easier(difficulty))
            for reference in references_known
            if is_known
        ),
        every,
        hardest(every),
        first,
        offered,
        _terms(offered),
        _hard_words(document, issues, offered),
        _misspelled(document, issues),
        tuple(
            WordReading(name, len(positions))
            for name, positions in sorted(issues.abbreviations.items())
        ),
        issues,
        english,
        structure(document.blocks),
        _formulas(values, int(values["words"]), int(values["sentences"])),
        values["difficult_words_per_word"],
        int(values["words"]),
    )


def _share(share: float) -> str:
    """A share in words where it is no more than a bound.

    >>> _share(0.05), _share(0.62), _share(0.95)
    ('hardly any', '62 % of', 'nearly all')
    """
    if share <= PERCENTS[0] / 100:
        return "hardly any"
    return "nearly all" if share >= PERCENTS[-1] / 100 else f"{share:.0%}".replace("%", " % of")


def _readers(scorer: Scorer, batch: Batch) -> tuple[ReaderChance, ...]:
    """The result for each named reader, on the reader's own scale, in the order of `READERS`."""
    readers = []
    for reader in READERS.values():
        (estimate,) = scorer.bundle.estimate(batch, reader)
        readers.append(
            ReaderChance(
                reader.name, reader.description, reader.threshold, estimate.p_understandable,
                max(0.0, estimate.difficulty - _enough(reader, round(estimate.spread, 1))),
            )
        )  # fmt: skip
    return tuple(readers)


@lru_cache(256)
def _enough(reader: Reader, spread: float) -> float:
    """The difficulty at which the share `AIM` of such readers understands, by halving."""
    low, high = 0.0, 100.0
    while high - low > 0.1 and spread > 0:
        middle = (low + high) / 2
        chance = float(reader.understands(middle, spread))
        low, high = (middle, high) if chance >= AIM else (low, middle)
    return low


def _terms(offered: Sequence[Offer]) -> tuple[TermReading, ...]:
    """Each term once, the most frequent first; an offer that fits the sentence is preferred."""
    best: dict[str, Offer] = {}
    counts: Counter[str] = Counter()
    in_place: Counter[str] = Counter()
    for offer in offered:
        if offer.is_explained:
            continue
        term = offer.term if offer.term.isupper() else offer.term.lower()
        if term not in best or (offer.texts and not in_place[term]):
            best[term] = offer
        counts[term] += 1
        in_place[term] += bool(offer.texts)
    return tuple(
        TermReading(term, best[term].plain, best[term].note, count, in_place[term])
        for term, count in counts.most_common(_MOST_WORDS)
    )


def _hard_words(
    document: Document, issues: Findings, offered: Sequence[Offer]
) -> tuple[WordReading, ...]:
    covered_positions = covered(offered) | issues.misspelled.keys()
    counts = Counter(
        word_of(document.pieces[position]).lower()
        for position in issues.hard
        if position not in covered_positions
    )
    return tuple(WordReading(word, count) for word, count in counts.most_common(_MOST_WORDS))


def _misspelled(document: Document, issues: Findings) -> tuple[SpellingReading, ...]:
    counts = Counter((word_of(document.pieces[n]), word) for n, word in issues.misspelled.items())
    return tuple(SpellingReading(*words, n) for words, n in counts.most_common(_MOST_WORDS))


def _formulas(
    values: Mapping[str, float], words: int, sentences: int
) -> tuple[FormulaReading, ...]:
    readings = []
    for name, title in FORMULA_TITLES.items():
        feature, _ = COLUMNS[name]
        warnings = []
        if words < SHORT_TEXT:
            warnings.append(
                f"the text has {counted(words, 'word')}; fewer than {SHORT_TEXT} say little"
            )
        if name == "smog" and sentences < FEW_SENTENCES:
            made_for = f"SMOG was made for {FEW_SENTENCES} sentences"
            warnings.append(f"{made_for}; the text has {sentences}, and its value is extrapolated")
        above = feature.unit == "grade" and values[name] > GRADE_LIMIT
        readings.append(
            FormulaReading(
                name, title, values[name], feature.unit, feature.direction, feature.source, above,
                "; ".join(warnings),
            )
        )  # fmt: skip
    return tuple(readings)
