"""Train the bundle of languages other than English, ``resources/bundles/languages``.

    python -m scripts.train.parallel PACKAGES parallel.jsonl.gz
    python -m scripts.train.languages --parallel parallel.jsonl.gz [--output resources/bundles]

Learned: the level from the ratings of 1,000 German sentences (TextComplexityDE, complexity), put
on the scale of the levels that `open` gives to English passages; the difficulty from readings of
English passages. What brings the columns of a language to English are translations
(`scripts.train.parallel`); a line and an error for each language are of half of its readings
(`READ`), the other half judges (`scripts.evaluate.languages`). No label of French, Russian, Hindi
or Arabic is learned from.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scripts.shared import ROOT, parser_of, records
from scripts.train.page_texts import sha256

from understandability.arrays import Floats
from understandability.feature.plain_columns import COLUMNS, plain_columns
from understandability.feature.table import batches
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.languages import KnownLanguage, LanguagesModel
from understandability.model.predictors import Kernel, Network, Prepared
from understandability.model.readers import ReadingScale
from understandability.text.analysis import document_of, document_of_text, extract
from understandability.text.document import Document
from understandability.text.other_languages import LANGUAGES
from understandability.text.page import TEXT, Page
from understandability.text.parsed import parse_page

READ = ROOT / "readings" / "languages.jsonl.gz"
GERMAN = "languages/textcomplexity_de.jsonl.gz"
PASSAGES = "judged/passages.jsonl.gz"
# Sources of translations: the desktop's manual judges, so it sets no zero but that of Hindi, into
# which little else was translated.
JUDGES, ALONE = "gnome", ("hi",)
# Languages in which people judged texts that the model never saw; of German it saw sentences.
TESTED = ("de", "fr", "hi", "ru")
_CUT, _PENALTY, _VECTORS, _GAMMA, _DAMPING = 3.0, 0.5, 200, 0.01, 1.0
_WITHIN = 0.68  # of labels lie so near to the estimate, in errors of 1


def frequencies_of(language: str) -> str:
    return "large_en" if language == "en" else LANGUAGES[language].frequencies


def columns_of(texts: Iterable[str], language: str) -> Floats:
    """The mean columns of each text; NaN of one without words."""
    found = []
    for text in texts:
        document = document_in(text, language)
        columns, words = plain_columns(
            document.pieces, document.sentence_starts, frequencies_of(language)
        )
        found.append(
            (columns * words[:, None]).sum(axis=0) / words.sum()
            if len(words)
            else np.full(len(COLUMNS), np.nan)
        )
    return np.array(found)


def document_in(text: str, language: str) -> Document:
    """The document of a text whose language is known, however short it is."""
    parsed = replace(parse_page(Page("text", "", text, TEXT)), declared_language=language)
    blocks = extract(parsed, "main")
    return document_of(parsed, blocks, extractor="main", sentence_ends="force-period")


def mapped(
    columns: Floats, originals: Floats, weights: Floats, center: Floats
) -> tuple[Floats, Floats]:
    """What brings columns of translations to those of their originals: center, scale."""
    known = np.isfinite(columns[:, 0]) & np.isfinite(originals[:, 0])
    columns, originals, weights = columns[known], originals[known], weights[known]
    here, there = (np.average(each, axis=0, weights=weights) for each in (columns, originals))
    deviations = [
        np.sqrt(np.average((each - mean) ** 2, axis=0, weights=weights))
        for each, mean in ((columns, here), (originals, there))
    ]
    scale = np.clip(deviations[1] / np.maximum(deviations[0], 1e-9), 1 / 3, 3)
    # The center of the model's English stands for that of the originals.
    return here + (center - there) / scale, scale


def maps_of(pairs: Sequence[dict[str, Any]], center: Floats) -> dict[str, tuple[Floats, Floats]]:
    """For each language what brings its columns to English; sources count the same by root."""
    found = {}
    for language, row in LANGUAGES.items():
        if not row.frequencies:
            continue
        used = [
            pair
            for pair in pairs
            if language in pair["texts"] and (pair["source"] != JUDGES or language in ALONE)
        ]
        sources = np.array([pair["source"] for pair in used])
        counts = {source: (sources == source).sum() for source in sources}
        weights = np.array([counts[source] ** -0.5 for source in sources])
        found[language] = mapped(
            columns_of((pair["texts"][language] for pair in used), language),
            columns_of((pair["texts"]["en"] for pair in used), "en"),
            weights,
            center,
        )
    return found


def brought(columns: Floats, center: Floats, of: tuple[Floats, Floats]) -> Floats:
    """Columns of a language as they would stand in English."""
    return np.asarray(center + (columns - of[0]) * of[1])


def ridge(columns: Floats, labels: Floats) -> Prepared:
    """A linear function of standardised columns, with a penalty on its weights."""
    center, scale = columns.mean(axis=0), columns.std(axis=0)
    rows = np.clip((columns - center) / scale, -_CUT, _CUT)
    squares = rows.T @ rows / len(rows) + _PENALTY * np.eye(len(center))
    weights = np.linalg.solve(squares, rows.T @ (labels - labels.mean()) / len(rows))
    predictor = Network((weights[:, None],), (np.array([labels.mean()]),))
    return Prepared(center, center, scale, predictor, _CUT)


def bells(columns: Floats, labels: Floats) -> Prepared:
    """Kernel ridge regression with Nyström's approximation (Williams & Seeger 2001)."""
    center, scale = columns.mean(axis=0), columns.std(axis=0)
    rows = np.clip((columns - center) / scale, -_CUT, _CUT)
    vectors = rows[np.random.default_rng(0).choice(len(rows), _VECTORS, replace=False)]
    vectors = vectors.astype(np.float16).astype(np.float64)

    def near(values: Floats) -> Floats:
        squares = ((values[:, None] - vectors) ** 2).sum(axis=2)
        return np.asarray(np.exp(-_GAMMA * squares))

    bell, own = near(rows), near(vectors)
    damped = bell.T @ bell + _DAMPING * own + 1e-8 * np.eye(_VECTORS)
    weights = np.linalg.solve(damped, bell.T @ (labels - labels.mean()))
    predictor = Kernel(vectors, weights[:, None], np.array([labels.mean()]), _GAMMA)
    return Prepared(center, center, scale, predictor, _CUT)


def moved(function: Prepared, start: float, slope: float) -> Prepared:
    """A linear function whose output goes through a line."""
    network = function.predictor
    assert isinstance(network, Network)
    changed = Network((network.weights[0] * slope,), (network.biases[0] * slope + start,))
    return replace(function, predictor=changed)


def to_calibrate(row: dict[str, Any]) -> bool:
    """Whether a reading calibrates; those of one group, in all languages, stand on one side."""
    return bool(zlib.crc32(f"side {row['group']}".encode()) & 1)


class Learned:
    """What is learned but for the last steps, so that a script can leave texts out."""

    def __init__(self, data: Path, pairs: Sequence[dict[str, Any]]) -> None:
        read = list(records(data / PASSAGES))
        self.english = columns_of((row["text"] for row in read), "en")
        self.readings = np.array([row["difficulty"] for row in read])
        self.center = self.english.mean(axis=0)
        self.maps = maps_of(pairs, self.center)
        self.rows = list(records(data / GERMAN))
        german = columns_of((row["text"] for row in self.rows), "de")
        self.german = brought(german, self.center, self.maps["de"])
        self.complexity = np.array([row["complexity"] for row in self.rows])
        bundle, documents = load_bundle("open"), (document_of_text(row["text"]) for row in read)
        estimates = (each for batch in batches(documents) for each in bundle.estimate(batch))
        self.levels = np.array([each.level for each in estimates])
        self.assessors = bundle.assessors

    def level(self, used: Any) -> Prepared:
        """The function of the level, from the German sentences that are used."""
        function = ridge(self.german[used], self.complexity[used])
        said = function(self.english)[:, 0]
        # Level means what it means in English: the same mean and deviation over its passages.
        slope = self.levels.std() / said.std()
        return moved(function, float(self.levels.mean() - slope * said.mean()), float(slope))

    def out_of_fold(self) -> Floats:
        """The levels of the German sentences, each article left out."""
        groups = np.array([row["group"] for row in self.rows])
        found = np.empty(len(groups))
        for group in np.unique(groups):
            away = groups == group
            found[away] = self.level(~away)(self.german[away])[:, 0]
        return found


def known_languages(learned: Learned, level: Prepared, difficulty: Prepared) -> dict[str, Any]:
    """For each language its map, its line and its errors."""
    # Of passages: how far the level is from that of `open` in English.
    error = float(np.quantile(abs(level(learned.english)[:, 0] - learned.levels), _WITHIN))
    found = {}
    for language, (center, scale) in learned.maps.items():
        tested = language in TESTED
        numbers: dict[str, Any] = {
            "center": tuple(center.round(5).tolist()),
            "scale": tuple(scale.round(5).tolist()),
            # What nobody tested may be further off: a third more.
            "level_error": round(error * (1 if tested else 4 / 3), 3),
            "tested": tested,
        }
        rows = [row for row in records(READ) if row["language"] == language and to_calibrate(row)]
        if rows:
            columns = columns_of((row["text"] for row in rows), language)
            raw = difficulty(brought(columns, learned.center, (center, scale)))[:, 0]
            labels = np.array([row["difficulty"] for row in rows])
            slope, start = np.polyfit(raw, labels, 1)
            away = labels - start - slope * raw
            spread = float(np.sqrt((away**2).sum() / (len(rows) - 2)))
            numbers |= {
                "line": (round(float(start), 4), round(float(slope), 4)),
                "spread": round(spread, 2),
            }
        found[language] = KnownLanguage(**numbers)
    return found


def tests_of(languages: Mapping[str, KnownLanguage]) -> Iterator[dict[str, object]]:
    """The rows of a card that say on what each language was tested."""
    read = list(records(READ))
    for tag, known in languages.items():
        sides = [to_calibrate(row) for row in read if row["language"] == tag]
        yield {
            "language": LANGUAGES[tag].name,
            "level tested by": "people's labels" if known.tested else "nobody",
            "readings to calibrate": sum(sides),
            "readings to judge": len(sides) - sum(sides),
        }


def bundle_of(data: Path, learned: Learned) -> Bundle:
    """The bundle, with its card."""
    level = learned.level(np.ones(len(learned.rows), bool))
    difficulty = bells(learned.english, learned.readings)
    languages = known_languages(learned, level, difficulty)
    model = LanguagesModel(level, difficulty, learned.center, languages)
    read = list(records(READ))
    card = {
        "summary": "How hard texts in other languages than English are, from lengths, marks and "
        "word frequencies: level 1 to 6 as `open` gives it in English, and difficulty 0 to 100 "
        "where readings of the language calibrated it.",
        "intended_use": "whole pages and passages in "
        + ", ".join(LANGUAGES[tag].name for tag in languages),
        "cannot_know": "what words mean, whether a text is true, what a reader knows beforehand; "
        "readings are a language model's opinion of a hundred adults of the language, not a count "
        "of people; hard ideas in short words pass for easy",
        "training": [
            {
                "name": "textcomplexity_de",
                "use": "level",
                "records": len(learned.rows),
                "licence": "MIT",
                "source": "babaknaderi/TextComplexityDE",
                "sha256": sha256(data / GERMAN),
            },
            {
                "name": "readings",
                "use": "difficulty; scale of the level, by `open`",
                "records": len(learned.english),
                "licence": "the readings are ours; texts CC0, public domain, CC BY, CC BY-SA, MIT, "
                "Apache-2.0",
                "source": "English passages read twice by a language model",
                "sha256": sha256(data / PASSAGES),
            },
            {
                "name": "readings/languages",
                "use": "a line of difficulty for each language",
                "records": sum(map(to_calibrate, read)),
                "licence": "the readings are ours; texts CC0, CC BY, CC BY-SA, MPL-2.0, GPL-2+, "
                "public domain",
                "source": "passages of each language read twice by a language model",
                "sha256": sha256(READ) if READ.exists() else "",
            },
        ],
        "figures": list(tests_of(languages)),
        "figures_note": "What was known of each language; figures by scripts/evaluate/languages.py "
        "stand in docs/languages.md.",
    }
    return Bundle(
        "languages",
        "CC BY-SA 4.0",
        model,
        ReadingScale(),
        MappingProxyType(card),
        assessors=learned.assessors,
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--parallel", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    arguments = parser.parse_args()
    learned = Learned(arguments.data, list(records(arguments.parallel)))
    bundle_of(arguments.data, learned).save(arguments.output / "languages")


if __name__ == "__main__":
    main()
