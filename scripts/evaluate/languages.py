"""Evaluate the bundle `languages`, compared with formulas, and the detection of languages.

    python -m scripts.evaluate.languages --parallel parallel.jsonl.gz [--data ../shared/data]

- Human labels: estimates are out of fold for German; labels of other languages were not used for
  training.
- Readings: the half of the passages that was not used for calibration.
- Translations: the GNOME manual, which was not used to map columns.
- Speed: processor time for the same pages in English and in translation.

Intervals (95 %) resample groups.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scripts.evaluate.intervals import auc, measured, short
from scripts.shared import ROOT, markdown, parser_of, records
from scripts.train.languages import JUDGES, READ, SENTENCES, Learned, document_in, to_calibrate

from understandability.arrays import Floats
from understandability.crawls.score import score_table
from understandability.evaluation.correlation import pearson
from understandability.feature.batch import Batch
from understandability.feature.formulas_of_languages import readability
from understandability.model.readers import READERS
from understandability.scoring import Scorer, load_languages
from understandability.text.language import ROMANISED_HINDI, detect_language
from understandability.text.other_languages import LANGUAGES

TABLE = ROOT / "tests" / "text" / "language_table.tsv"
# Title, file, language, label, measure, target.
PEOPLE = (
    ("German complexity", "textcomplexity_de", "de", "complexity", pearson, 0.82),
    ("German understandability", "textcomplexity_de", "de", "label", pearson, 0.73),
    ("French levels", "readmepp_fr", "fr", "label", pearson, 0.78),
    ("Russian levels", "readmepp_ru", "ru", "label", pearson, 0.75),
    ("Hindi levels", "readmepp_hi", "hi", "label", pearson, 0.76),
    ("Arabic levels", "readmepp_ar", "ar", "label", pearson, 0.66),
    ("Wikipedia or Klexikon", "klexikon_docs", "de", "label", auc, 0.98),
    ("DEplain, C2 or A1", "deplain_docs", "de", "label", auc, 0.80),
    ("Wikipedia or Vikidia", "wivico_fr_pairs", "fr", "label", auc, 0.75),
    ("Italian, one edit", "simpitiki_it_pairs", "it", "label", auc, 0.0),
)


def levels_of(texts: Sequence[str], language: str) -> Floats:
    """Return the level of each text, as estimated by the bundle."""
    model, levels = load_languages().model, []
    for start in range(0, len(texts), 64):
        documents = [document_in(text, language) for text in texts[start : start + 64]]
        levels.append(model.read(Batch(documents)).level)
    return np.concatenate(levels)


def of_people(data: Path, pairs: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield rows on human labels: title, ours, best formula of the language, texts, target.

    Pages of which the bundle learned a sentence are left out.
    """
    learned = Learned(data, pairs)
    learned_groups = {row["group"] for row in records(SENTENCES)}
    for title, file, language, label, measure, target in PEOPLE:
        rows = [
            row
            for row in records(data / f"languages/{file}.jsonl.gz")
            if row["group"] not in learned_groups
        ]
        texts = [row["text"] for row in rows]
        labels = np.array([row[label] for row in rows], np.float64)
        groups = np.array([row["group"] for row in rows])
        german = file.startswith("textcomplexity")
        levels = learned.out_of_fold() if german else levels_of(texts, language)
        ours = measured(measure, levels, labels, groups)
        formulas = [readability(text, language) for text in texts]
        best_name, best = "", None
        for name in formulas[0]:
            values = np.array([row[name] for row in formulas])
            if measure(values, labels) < (0.5 if measure is auc else 0):
                values = -values
            result = measured(measure, values, labels, groups)
            if best is None or result.value > best.value:
                best_name, best = name, result
        yield [title, str(ours), f"{best} {best_name}", str(ours.n), short(target, 2)]


def of_readings() -> Iterator[list[str]]:
    """Yield rows on readings: correlation, best formula, mean distance, coverage, bias of P."""
    read = list(records(READ))
    bundle = load_languages()
    for language in LANGUAGES:
        rows = [row for row in read if row["language"] == language and not to_calibrate(row)]
        if not rows:
            continue
        labels = np.array([row["difficulty"] for row in rows])
        understood = np.array([row["understand"] for row in rows]) / 100
        batch = Batch([document_in(row["text"], language) for row in rows])
        estimates = bundle.estimate(batch, READERS["public"])
        difficulty = np.array([estimate.difficulty for estimate in estimates])
        chance = np.array([estimate.p_understandable for estimate in estimates])
        groups = np.array([row["group"] for row in rows])
        formulas = [readability(row["text"], language) for row in rows]
        best = max(
            (abs(pearson(np.array([values[name] for values in formulas]), labels)), name)
            for name in formulas[0]
        )
        spread = np.array([estimate.spread for estimate in estimates])
        within = abs(difficulty - labels) < spread
        yield [
            LANGUAGES[language].name,
            str(measured(pearson, difficulty, labels, groups)),
            f"{short(best[0])} {best[1]}",
            f"{abs(difficulty - labels).mean():.1f}",
            f"{within.mean():.0%}",
            f"{chance.mean() - understood.mean():+.2f}",
            str(len(rows)),
        ]


def of_translations(pairs: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield rows on translations: the median difference in level from the English original."""
    scorer = Scorer()
    used = [pair for pair in pairs if pair["source"] == JUDGES]
    batches = [Batch([document_in(pair["texts"]["en"], "en")]) for pair in used]
    originals = np.array([scorer.estimates(batch)[0].level for batch in batches])
    for language in LANGUAGES:
        translated = [number for number, pair in enumerate(used) if language in pair["texts"]]
        if len(translated) >= 10:
            texts = [used[number]["texts"][language] for number in translated]
            differences = levels_of(texts, language) - originals[translated]
            yield [
                LANGUAGES[language].name,
                f"{np.nanmedian(differences):+.2f}",
                f"{np.nanmedian(abs(differences)):.2f}",
                str(len(translated)),
            ]


def of_speed(pairs: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield rows on speed: the processor time for translated pages relative to the originals.

    Each language is tested on other pages, in blocks of ten; the first 40 pages fill the caches of
    words. Run this before the other evaluations: an English page that was scored before takes only
    a quarter of the time.
    """
    scorer = Scorer()
    for number, language in enumerate(("de", "fr", "ru")):
        usable = [p for p in pairs if p["source"] == JUDGES and {"de", "fr", "ru"} <= {*p["texts"]}]
        used = usable[number::3]
        ratios = []
        for start in range(0, len(used) - 9, 10):
            spent = []
            for tag in ("en", language):
                documents = [document_in(p["texts"][tag], tag) for p in used[start : start + 10]]
                before = time.process_time()
                scorer.rows(documents)
                spent.append(time.process_time() - before)
            if start >= 40:
                ratios.append(spent[1] / spent[0])
        yield [LANGUAGES[language].name, f"{np.median(ratios):.2f}", str(10 * len(ratios))]


def through_the_door(data: Path) -> Iterator[list[str]]:
    """Yield rows on human labels of sentences, by the public commands, as a table.

    In order: title, correlation of the level with no language stated, with the language stated,
    texts without an estimate, texts.
    """
    for title, file, language, label, measure, _ in PEOPLE:
        if not file.startswith("readmepp"):
            continue
        rows = list(records(data / f"languages/{file}.jsonl.gz"))
        labels = np.array([row[label] for row in rows], np.float64)
        groups = np.array([row["group"] for row in rows])
        table = {"text": [row["text"] for row in rows]}
        cells = []
        for stated in ({}, {"language": language}):
            levels = np.array(score_table(table, text="text", **stated)["level"], np.float64)
            missing = np.isnan(levels)
            levels[missing] = levels[~missing].mean()
            cells.append(str(measured(measure, levels, labels, groups)))
            if not stated:
                lost = int(missing.sum())
        yield [title, *cells, str(lost), str(len(rows))]


def of_guesses() -> Iterator[list[str]]:
    """Yield rows on language detection: kind of text, share of right guesses, number of texts.

    For English prose, no guess counts as right too.
    """
    counts: dict[str, list[bool]] = defaultdict(list)
    for line in TABLE.read_text("utf-8").splitlines()[1:]:
        category, language, text = line.split("\t")
        guess = detect_language(text)
        if "+" in language:
            continue
        if language == ROMANISED_HINDI:
            right = guess not in ("en", None)
        else:
            right = guess == language or (language == "en" and guess is None)
        title = "wrong lang attribute" if category.startswith("lying") else category
        counts[title].append(right)
    for title, results in counts.items():
        yield [title, f"{np.mean(results):.1%}", str(len(results))]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--parallel", type=Path, required=True)
    arguments = parser.parse_args()
    pairs = list(records(arguments.parallel))
    for head, rows in (
        ("language;processor time, English is 1;pages", of_speed(pairs)),
        ("kind of text;right;texts", of_guesses()),
        (
            "human labels;no language stated;language stated;lost;texts",
            through_the_door(arguments.data),
        ),
        (
            "readings of;Pearson;best formula;mean distance;within the spread;bias of P(U\\|d);"
            "passages",
            of_readings(),
        ),
        ("translations into;median difference;median distance;pages", of_translations(pairs)),
        ("human labels;`languages`;best formula;texts;target", of_people(arguments.data, pairs)),
    ):
        print(markdown(head.split(";"), rows))


if __name__ == "__main__":
    main()
