"""Train the bundle of languages other than English, ``resources/bundles/languages``.

    python -m scripts.train.parallel PACKAGES parallel.jsonl.gz
    python -m scripts.train.languages --parallel parallel.jsonl.gz [--output resources/bundles]

The *level* is learned from human ratings of 821 German sentences (TextComplexityDE, complexity),
from the levels that `open` estimates for English sentences, from readings of English passages, and
from readings of 160 more German sentences (`SENTENCES`). For English words, complexity and meaning
are known; words of other languages get those of their English equivalents
(`scripts.train.translations`).

The *difficulty* is learned from readings of English passages.

The columns of a language are mapped to the scale of English columns with translated texts
(`scripts.train.parallel`). Half of the readings in a language (`READ`) calibrate its difficulty by
a line; the other half is for the evaluation (`scripts.evaluate.languages`). No labels of French,
Russian, Hindi or Arabic texts are used for training.
"""

import random
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scripts.shared import ROOT, parser_of, records
from scripts.train.page_texts import sha256
from scripts.train.parallel import RARE

from understandability.arrays import Floats
from understandability.feature.table import batches
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.language_columns import COLUMNS, COMPLEXITY, MEANING, language_columns
from understandability.model.languages import KnownLanguage, LanguagesModel
from understandability.model.passage_model import PassageModel
from understandability.model.predictors import Kernel, Network, Prepared
from understandability.model.readers import ReadingScale
from understandability.text.analysis import document_of, document_of_text, extract
from understandability.text.document import Document
from understandability.text.other_languages import LANGUAGES
from understandability.text.page import TEXT, Page
from understandability.text.parsed import parse_page

READ = ROOT / "readings" / "languages.jsonl.gz"
SENTENCES = ROOT / "readings" / "german_sentences.jsonl"
EQUIVALENTS = ROOT / "readings" / "equivalents"
GERMAN = "languages/textcomplexity_de.jsonl.gz"
PASSAGES = "judged/passages.jsonl.gz"
# The GNOME manual is a test set, so its translations are not used to map columns; except for
# languages into which little else was translated (`RARE`).
JUDGES = "gnome"
# Languages with human labels of texts that the model never saw (for German it saw other sentences).
TESTED = ("ar", "de", "fr", "hi", "ru")
_CUT, _VECTORS, _GAMMA, _DAMPING = 4.0, 400, 0.005, 1.0
# The ridge penalties of the columns for each source of the level. `_PLAIN` are all columns except
# those of complexity and meaning. Frequencies of words predict human labels less well than lengths
# do, so they get a higher penalty.
_PLAIN = [COLUMNS.index(name) for name in COLUMNS if name not in {*COMPLEXITY, *MEANING}]
_MEANING = [COLUMNS.index(name) for name in MEANING]
_LENGTHS = [
    COLUMNS.index(name)
    for name in (
        "log_words_of_sentence", "letters_of_word", "long_words", "commas",
        "log_letters_of_sentence", "root_letters_of_sentence",
    )
]  # fmt: skip
_COMPLEXITY = [COLUMNS.index(name) for name in COMPLEXITY]
_OF_GERMAN = dict.fromkeys(_PLAIN, 2.0) | dict.fromkeys(_LENGTHS, 0.1)
_OF_ENGLISH = (
    dict.fromkeys(_LENGTHS, 0.05) | dict.fromkeys(_COMPLEXITY, 0.05) | dict.fromkeys(_MEANING, 0.5)
)
_OF_READINGS = dict.fromkeys([*_PLAIN, *_COMPLEXITY], 0.05) | dict.fromkeys(_MEANING, 0.5)
_OF_SENTENCES = (
    dict.fromkeys(_PLAIN, 1.0)
    | dict.fromkeys(_COMPLEXITY, 0.3)
    | dict.fromkeys(_MEANING, 5.0)
    | dict.fromkeys(_LENGTHS, 0.1)
)
# The weights of the four: German ratings, English levels, English readings, German readings.
_WEIGHTS = (0.7, 0.3, 0.15, 0.1)
# The weight of the columns of meaning in the kernel for difficulty, relative to other columns.
_FAINT = 0.3
# The sentences per English passage, and their least and greatest number of words.
_SENTENCES, _LEAST, _MOST = 2, 3, 60
_WITHIN = 0.68  # the share of labels within one error of the estimate


def frequencies_of(language: str) -> str:
    return "large_en" if language == "en" else LANGUAGES[language].frequencies


def columns_of(texts: Iterable[str], language: str) -> Floats:
    """Return the mean columns of each text, weighted by words; NaN for a text without words."""
    means = []
    for text in texts:
        document = document_in(text, language)
        columns, words = language_columns(
            document.pieces, document.sentence_starts, language, frequencies_of(language)
        )
        means.append(
            (columns * words[:, None]).sum(axis=0) / words.sum()
            if len(words)
            else np.full(len(COLUMNS), np.nan)
        )
    return np.array(means)


def document_in(text: str, language: str) -> Document:
    """Return the document of a text in a known language, even if it is too short to guess it."""
    parsed = replace(parse_page(Page("text", "", text, TEXT)), declared_language=language)
    blocks = extract(parsed, "main")
    return document_of(parsed, blocks, extractor="main", sentence_ends="force-period")


def mapped(
    columns: Floats, originals: Floats, weights: Floats, center: Floats
) -> tuple[Floats, Floats]:
    """Fit the map from columns of translations to columns of their originals: center and scale.

    The means and standard deviations of both become equal. See `brought`.
    """
    usable = np.isfinite(columns[:, 0]) & np.isfinite(originals[:, 0])
    columns, originals, weights = columns[usable], originals[usable], weights[usable]
    mean, original_mean = (
        np.average(values, axis=0, weights=weights) for values in (columns, originals)
    )
    deviation, original_deviation = (
        np.sqrt(np.average((values - center_) ** 2, axis=0, weights=weights))
        for values, center_ in ((columns, mean), (originals, original_mean))
    )
    scale = np.clip(original_deviation / np.maximum(deviation, 1e-9), 1 / 3, 3)
    # The map is relative to the center of the English training texts.
    return mean + (center - original_mean) / scale, scale


def maps_of(pairs: Sequence[dict[str, Any]], center: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Fit the map of each language to English.

    The total weight of a source of translations is the square root of its size.
    """
    maps = {}
    for language in LANGUAGES:
        used = [
            pair
            for pair in pairs
            if language in pair["texts"] and (pair["source"] != JUDGES or language in RARE)
        ]
        sources = np.array([pair["source"] for pair in used])
        counts = {source: (sources == source).sum() for source in sources}
        weights = np.array([counts[source] ** -0.5 for source in sources])
        maps[language] = mapped(
            columns_of((pair["texts"][language] for pair in used), language),
            columns_of((pair["texts"]["en"] for pair in used), "en"),
            weights,
            center,
        )
    return maps


def brought(columns: Floats, center: Floats, language_map: tuple[Floats, Floats]) -> Floats:
    """Map columns of a language to the scale of English columns."""
    return np.asarray(center + (columns - language_map[0]) * language_map[1])


def ridge(rows: Floats, labels: Floats, penalties: Mapping[int, float]) -> Floats:
    """Return the weights of a ridge regression; columns without a penalty are not used."""
    used = list(penalties)
    rows, labels = rows[:, used] - rows[:, used].mean(axis=0), labels - labels.mean()
    squares = rows.T @ rows / len(rows) + np.diag(list(penalties.values()))
    weights = np.zeros(len(COLUMNS))
    weights[used] = np.linalg.solve(squares, rows.T @ labels / len(rows))
    return weights


def bells(columns: Floats, labels: Floats) -> Prepared:
    """Fit kernel ridge regression with Nyström's approximation (Williams & Seeger 2001)."""
    center, scale = columns.mean(axis=0), columns.std(axis=0)
    scale[_MEANING] /= _FAINT
    rows = np.clip((columns - center) / scale, -_CUT, _CUT)
    vectors = rows[np.random.default_rng(0).choice(len(rows), _VECTORS, replace=False)]
    vectors = vectors.astype(np.float16).astype(np.float64)

    def kernel(values: Floats) -> Floats:
        squares = ((values[:, None] - vectors) ** 2).sum(axis=2)
        return np.asarray(np.exp(-_GAMMA * squares))

    bell, own = kernel(rows), kernel(vectors)
    damped = bell.T @ bell + _DAMPING * own + 1e-8 * np.eye(_VECTORS)
    weights = np.linalg.solve(damped, bell.T @ (labels - labels.mean()))
    predictor = Kernel(vectors, weights[:, None], np.array([labels.mean()]), _GAMMA)
    return Prepared(center, center, scale, predictor, _CUT)


def to_calibrate(row: dict[str, Any]) -> bool:
    """Return True for readings that calibrate, False for those that evaluate.

    A group is on the same side in all languages.
    """
    return bool(zlib.crc32(f"side {row['group']}".encode()) & 1)


def levels_by_open(texts: Iterable[str]) -> Floats:
    """Return the level that `open` estimates for each English text, without its brevity term.

    `open` lowers the level of texts below eight words. A linear function of lengths would extend
    this drop to longer texts.
    """
    bundle = load_bundle("open")
    assert isinstance(bundle.model, PassageModel)
    bundle = replace(bundle, model=replace(bundle.model, off_if_brief=0.0))
    estimates = (
        estimate
        for batch in batches(map(document_of_text, texts))
        for estimate in bundle.estimate(batch)
    )
    return np.array([estimate.level for estimate in estimates])


def sentences_of(text: str) -> list[str]:
    """Draw sentences of a passage at random; the passage is the seed."""
    document = document_of_text(text)
    ends = [*document.sentence_starts[1:], len(document.pieces)]
    sentences = [
        " ".join(document.pieces[start:end])
        for start, end in zip(document.sentence_starts, ends, strict=True)
        if _LEAST <= end - start <= _MOST
    ]
    chance = random.Random(zlib.crc32(text.encode()))
    return chance.sample(sentences, min(_SENTENCES, len(sentences)))


class Learned:
    """The training data of the bundle; `level` fits the level, optionally without some texts."""

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
        read_german = list(records(SENTENCES))
        columns = columns_of((row["text"] for row in read_german), "de")
        self.read_german = brought(columns, self.center, self.maps["de"])
        self.readings_of_german = np.array([row["difficulty"] for row in read_german])
        self.levels = levels_by_open(row["text"] for row in read)
        sentences = [text for row in read for text in sentences_of(row["text"])]
        columns, levels = columns_of(sentences, "en"), levels_by_open(sentences)
        usable = np.isfinite(columns).all(axis=1) & np.isfinite(levels)
        self.sentences, self.sentence_levels = columns[usable], levels[usable]
        self.assessors = load_bundle("open").assessors

    def level(self, used: Any) -> Prepared:
        """Fit the level to the German ratings in the mask `used` and all of the other sources."""
        scale = self.english.std(axis=0)

        def rows(columns: Floats) -> Floats:
            return np.clip((columns - self.center) / scale, -_CUT, _CUT)

        sources = (
            (self.german[used], self.complexity[used], _OF_GERMAN),
            (self.sentences, self.sentence_levels, _OF_ENGLISH),
            (self.english, self.readings, _OF_READINGS),
            (self.read_german, self.readings_of_german, _OF_SENTENCES),
        )
        fitted = [ridge(rows(columns), labels, penalties) for columns, labels, penalties in sources]
        weights = sum(
            weight * slopes / (rows(self.sentences) @ slopes).std()
            for weight, slopes in zip(_WEIGHTS, fitted, strict=True)
        )
        # Scale levels to the mean and standard deviation of the levels of English passages.
        raw = rows(self.english) @ weights
        slope = self.levels.std() / raw.std()
        start = self.levels.mean() - slope * raw.mean()
        predictor = Network((slope * weights[:, None],), (np.array([start]),))
        return Prepared(self.center, self.center, scale, predictor, _CUT)

    def out_of_fold(self) -> Floats:
        """Estimate the levels of the German sentences, leaving out one article at a time."""
        groups = np.array([row["group"] for row in self.rows])
        estimates = np.empty(len(groups))
        for group in np.unique(groups):
            held_out = groups == group
            estimates[held_out] = self.level(~held_out)(self.german[held_out])[:, 0]
        return estimates


def known_languages(learned: Learned, level: Prepared, difficulty: Prepared) -> dict[str, Any]:
    """Return the map, the calibration line and the errors of each language."""
    # The error of the level is its difference from the level by `open` on English passages.
    error = float(np.quantile(abs(level(learned.english)[:, 0] - learned.levels), _WITHIN))
    languages = {}
    for language, (center, scale) in learned.maps.items():
        tested = language in TESTED
        numbers: dict[str, Any] = {
            "center": tuple(center.round(5).tolist()),
            "scale": tuple(scale.round(5).tolist()),
            # Without a test, assume an error that is a third larger.
            "level_error": round(error * (1 if tested else 4 / 3), 3),
            "tested": tested,
        }
        rows = [row for row in records(READ) if row["language"] == language and to_calibrate(row)]
        if rows:
            columns = columns_of((row["text"] for row in rows), language)
            raw = difficulty(brought(columns, learned.center, (center, scale)))[:, 0]
            labels = np.array([row["difficulty"] for row in rows])
            slope, start = np.polyfit(raw, labels, 1)
            residuals = labels - start - slope * raw
            spread = float(np.sqrt((residuals**2).sum() / (len(rows) - 2)))
            numbers |= {
                "line": (round(float(start), 4), round(float(slope), 4)),
                "spread": round(spread, 2),
            }
        languages[language] = KnownLanguage(**numbers)
    return languages


def tests_of(languages: Mapping[str, KnownLanguage]) -> Iterator[dict[str, object]]:
    """Yield rows for the card: the data on which each language was tested."""
    read = list(records(READ))
    for tag, parameters in languages.items():
        sides = [to_calibrate(row) for row in read if row["language"] == tag]
        yield {
            "language": LANGUAGES[tag].name,
            "level tested by": "people's labels" if parameters.tested else "nobody",
            "readings to calibrate": sum(sides),
            "readings to judge": len(sides) - sum(sides),
        }


def bundle_of(data: Path, learned: Learned) -> Bundle:
    """Build the bundle with its card."""
    level = learned.level(np.ones(len(learned.rows), bool))
    difficulty = bells(learned.english, learned.readings)
    languages = known_languages(learned, level, difficulty)
    model = LanguagesModel(level, difficulty, learned.center, languages)
    read = list(records(READ))
    card = {
        "summary": "How hard texts in other languages than English are, from lengths, marks, "
        "word frequencies, and what English equivalents say of words: level 1 to 6 as `open` gives "
        "it in English, and difficulty 0 to 100 where readings of the language calibrated it.",
        "intended_use": "whole pages and passages in "
        + ", ".join(LANGUAGES[tag].name for tag in languages),
        "cannot_know": "what a sentence means, whether a text is true, what a reader knows "
        "beforehand; readings are a language model's opinion of a hundred adults of the "
        "language, not a count of people; hard ideas in short words pass for easy",
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
                "use": "difficulty; level; scale of the level, by `open`",
                "records": len(learned.english),
                "licence": "the readings are ours; texts CC0, public domain, CC BY, CC BY-SA, MIT, "
                "Apache-2.0",
                "source": "English passages read twice by a language model",
                "sha256": sha256(data / PASSAGES),
            },
            {
                "name": "readings/german_sentences",
                "use": "level",
                "records": len(learned.read_german),
                "licence": "the readings are ours; texts CC BY-SA 3.0, CC BY 4.0",
                "source": "German sentences read twice by a language model",
                "sha256": sha256(SENTENCES),
            },
            {
                "name": "readings/equivalents",
                "use": "complexity and meaning of words",
                "records": sum(
                    len(path.read_text("utf-8").splitlines()) for path in EQUIVALENTS.glob("*.tsv")
                ),
                "licence": "CC0",
                "source": "English equivalents of frequent words, by a language model",
                "sha256": "",
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
    parser = parser_of(__doc__, output="resources/bundles")
    parser.add_argument("--parallel", type=Path, required=True)
    arguments = parser.parse_args()
    learned = Learned(arguments.data, list(records(arguments.parallel)))
    bundle_of(arguments.data, learned).save(arguments.output / "languages")


if __name__ == "__main__":
    main()
