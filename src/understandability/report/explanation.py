"""One page explained: the estimate, what moved it, the words that cost most, the marked text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from understandability.direction import Direction
from understandability.documents import LITTLE_KEPT
from understandability.features import COLUMNS, Batch, features_of
from understandability.features.needs import missing
from understandability.models.contributions import contributions
from understandability.records import Document, Estimate
from understandability.report.costly_words import CostlyWord, costly_words
from understandability.report.influences import Influence, influences
from understandability.report.lay_terms import lay_terms
from understandability.report.marks import (
    KINDS,
    LONG,
    LONG_SENTENCE,
    MarkedBlock,
    marked_blocks,
    marked_pieces,
)
from understandability.scoring import Scorer

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
class FeatureReading:
    """A feature of the page with its explanation from the catalogue."""

    name: str
    group: str
    value: float
    unit: str
    meaning: str
    direction: Direction | None
    source: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that a report says of a page; `to_json` gives the same as data."""

    document: Document
    estimate: Estimate
    settings: Mapping[str, Any]
    formulas: tuple[FormulaReading, ...]
    typical_difficulty: float
    influences: tuple[Influence, ...]
    costly_words: tuple[CostlyWord, ...]
    lay_source: str
    mark_counts: Mapping[str, int]
    blocks: tuple[MarkedBlock, ...]
    features: tuple[FeatureReading, ...]
    words: int
    sentences: int

    @property
    def remarks(self) -> tuple[str, ...]:
        """The flags of the estimate, and `LITTLE_KEPT` where the document has it."""
        return (*self.estimate.flags, *[LITTLE_KEPT] * (LITTLE_KEPT in self.document.flags))

    @property
    def is_cut(self) -> bool:
        """Whether the page is so long that `blocks` are its beginning only."""
        shown = sum(len(each.pieces) for block in self.blocks for each in block.sentences)
        return shown < len(self.document.pieces) or len(self.blocks) < len(self.document.blocks)

    def to_json(self) -> dict[str, Any]:
        """The content of the report as plain data; NaN is None."""
        document = self.document
        data = {
            "docno": document.docno,
            "source": document.source,
            "url": document.url,
            "title": document.title,
            "language": document.language,
            "encoding": document.encoding,
            "flags": self.remarks,
            "words": self.words,
            "sentences": self.sentences,
            "estimate": asdict(self.estimate),
            "settings": dict(self.settings),
            "formulas": [asdict(each) for each in self.formulas],
            "typical_difficulty": self.typical_difficulty,
            "influences": [asdict(each) for each in self.influences],
            "costly_words": [asdict(each) for each in self.costly_words],
            "lay_source": self.lay_source,
            "marks": dict(self.mark_counts),
            "is_cut": self.is_cut,
            "blocks": [asdict(each) for each in self.blocks],
            "features": [asdict(each) for each in self.features],
        }
        result: dict[str, Any] = without_nan(data)
        return result


def explain(document: Document, scorer: Scorer) -> Explanation:
    """Explain one document's estimate under the settings of a scorer.

    >>> from understandability.documents import document_of_text
    >>> explanation = explain(document_of_text("He had a myocardial infarction."), Scorer())
    >>> [(word.term, word.lay_term) for word in explanation.costly_words if word.term]
    [('myocardial infarction', 'heart attack')]
    """
    batch = Batch([document])
    estimate = scorer.estimates(batch)[0]
    known = not math.isnan(estimate.difficulty)
    why = contributions(scorer.bundle, batch) if known else ()
    columns = tuple(name for name in COLUMNS if _is_shown(name))
    table = features_of(batch, columns)
    values = dict(zip(table.names, table.values[0].tolist(), strict=True))
    words, sentences = int(values["words"]), int(values["sentences"])
    pieces = marked_pieces(document)
    blocks = marked_blocks(document, pieces)
    counts = Counter(kind for piece in pieces for kind in piece.kinds)
    counts[LONG] = int((batch.sentence_lengths > LONG_SENTENCE).sum())
    return Explanation(
        document,
        replace(estimate, flags=tuple(dict.fromkeys((*table.flags[0], *estimate.flags)))),
        scorer.described,
        _formulas(values, words, sentences),
        why[0].typical if why else math.nan,
        influences(why[0]) if why else (),
        costly_words(document, pieces, estimate.difficulty, scorer) if why else (),
        lay_terms().source,
        {kind: counts[kind] for kind in KINDS},
        blocks,
        _features(values),
        words,
        sentences,
    )


def _is_shown(column: str) -> bool:
    """Whether a column has a value for anybody who reads the report.

    One whose resource is not installed has none. Those of the 2019 study's own counts repeat
    others, for comparison with published figures only, and loading what they need takes longer
    than the whole report.
    """
    return not missing(COLUMNS[column][0].needs) and not column.endswith("_readcalc")


def _formulas(
    values: Mapping[str, float], words: int, sentences: int
) -> tuple[FormulaReading, ...]:
    readings = []
    for name, title in FORMULA_TITLES.items():
        feature, _ = COLUMNS[name]
        warnings = []
        if words < SHORT_TEXT:
            warnings.append(f"the text has {words} words; fewer than {SHORT_TEXT} say little")
        if name == "smog" and sentences < FEW_SENTENCES:
            warnings.append(
                f"SMOG was made for {FEW_SENTENCES} sentences; the text has {sentences}, and its "
                "value is extrapolated"
            )
        above = feature.unit == "grade" and values[name] > GRADE_LIMIT
        readings.append(
            FormulaReading(
                name,
                title,
                values[name],
                feature.unit,
                feature.direction,
                feature.source,
                above,
                "; ".join(warnings),
            )
        )
    return tuple(readings)


def _features(values: Mapping[str, float]) -> tuple[FeatureReading, ...]:
    return tuple(
        FeatureReading(
            name,
            feature.group,
            values[name],
            feature.unit,
            feature.meaning,
            feature.direction,
            feature.source,
        )
        for name, (feature, _) in COLUMNS.items()
        if name in values
    )


def without_nan(value: Any) -> Any:
    """The same data with None in place of NaN, which JSON does not know."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(each) for each in value]
    return value
