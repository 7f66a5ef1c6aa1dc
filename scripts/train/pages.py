"""Train the page models ``resources/bundles/open`` and ``resources/bundles/research``.

    python -m scripts.train.teacher teacher.npz
    python -m scripts.train.pages --teacher teacher.npz [--output resources/bundles]

What is learned and how is in `page_fit`. With one thread the texts take two minutes to read and the
models five to learn, in 3 GB. Two runs on one machine give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scripts.evaluate.intervals import Measured, auc, measured, pearson
from scripts.train.page_fit import LEVELLED, RECIPES, Fit, Recipe, out_of_fold
from scripts.train.page_texts import (
    REFERENCE,
    SETS,
    TEACHER,
    Table,
    cached,
    path_of,
    sha256,
    training_table,
    web_pages,
)

from understandability.arrays import Floats
from understandability.model.bundle import Bundle
from understandability.model.pages import Error, PageModel, PageScale


def error_of(table: Table, levels: Floats, fit: Fit) -> Error:
    """From out-of-fold levels of the sets with CEFR labels; see `Error`."""
    words = np.maximum(table.passages.totals, 1)
    judged = fit.used & np.isin(table.sets, LEVELLED) & np.isfinite(levels)
    start, step = np.zeros(len(table)), np.ones(len(table))
    for name, (begin, by) in fit.scales.items():
        start[table.sets == name], step[table.sets == name] = begin, by
    squared = (((table.labels - start) / step - levels) ** 2)[judged]
    floor, per_word = _line(1 / words[judged], squared)
    squares = fit.squares()
    known = fit.used & np.isfinite(squares)
    usual, usual_per_word = _line(1 / words[known], squares[known])
    ratio = squares[known] / (usual + usual_per_word / words[known])
    limit = float(np.quantile(ratio, 0.995))
    return Error(*(round(x, 4) for x in (max(floor, 0.02), per_word, usual, usual_per_word, limit)))


def _line(inverse: Floats, values: Floats) -> tuple[float, float]:
    """The line through values over 1 / words, each length class of texts counting the same."""
    classes = np.digitize(inverse, np.quantile(inverse, np.linspace(0, 1, 11)[1:-1]))
    points = [
        (inverse[classes == c].mean(), values[classes == c].mean()) for c in np.unique(classes)
    ]
    x, y = np.array(points).T
    slope = max(0.0, float(np.cov(x, y)[0, 1] / x.var(ddof=1)))
    return float(y.mean() - slope * x.mean()), slope


# How assessors' labels and levels correlate: the best estimators in print reach .46 with the
# labels of 2016 and .60 with those of 2015.
CORRELATION = 0.5
REACH = 3.0
_LABELS_2016 = "clef/clef2016/task2.qunder.gz"


def labels_2016(data: Path, *, unmoved: bool = False) -> tuple[float, float]:
    """Mean and standard deviation of the labels of CLEF eHealth 2016.

    A quarter is exactly 50, where the assessors' slider stood; these are left out, unless asked
    for with `unmoved`.
    """
    with gzip.open(data / _LABELS_2016, "rt") as lines:
        labels = np.array([float(line.split()[3]) for line in lines])
    used = labels if unmoved else labels[labels != 50]
    return float(used.mean()), float(used.std())


def scale_of(data: Path, levels: Floats) -> PageScale:
    """The scale of the assessors, from levels of pages of the kind and years they judged."""
    mean, deviation = labels_2016(data)
    known = levels[np.isfinite(levels)]
    return PageScale(
        round(mean, 2),
        round(deviation, 2),
        CORRELATION,
        level=round(float(known.mean()), 4),
        level_deviation=round(float(known.std()), 4),
        reach=REACH,
    )


# What else the estimates stand on: file, use, licence, source.
_OTHER = (
    (
        "lexicons/complex_words_in_context.tsv.gz",
        "complexity of words",
        "CC BY 4.0",
        "MMU-TDMLab/CompLex, in word_complexity.npz",
    ),
    (
        "lexicons/word_complexity_lexicon.tsv.gz",
        "complexity of words",
        "MIT",
        "mounicam/lexical_simplification, in word_complexity.npz",
    ),
    ("corpora/reddit_like.jsonl.gz", "counts of words only", "none stated", "medical Reddit"),
    ("corpora/wikipedia_med.jsonl.gz", "counts of words only", "CC BY-SA", "medical Wikipedia"),
    ("corpora/pubmed.jsonl.gz", "counts of words only", "MIT, GPL-3, none stated", "PubMed"),
    (
        _LABELS_2016,
        "mean and deviation only",
        "none stated",
        "CLEFeHealth/CLEFeHealth2016Task3, labels of assessors",
    ),
    (
        "html/health_pages/health_pages.tar.gz",
        "mean and deviation of levels only",
        "pages belong to their sites",
        "pages of Sondhi 2012 and Schwarz & Morris 2011",
    ),
)


def origin(data: Path, name: str) -> dict[str, str]:
    """Licence, source and checksum of a set."""
    if name == TEACHER:
        return {
            "licence": "texts in the public domain and under CC BY-SA 3.0 and 4.0; the encoder is "
            "Apache-2.0 according to its card",
            "source": "what the encoder all-MiniLM-L6-v2, with a line learned from the other open "
            "sets, says of passages from pages of NIH and PDQ, of Wikipedia and of UD English EWT",
        }
    return {
        "licence": SETS[name].licence,
        "source": SETS[name].source,
        "sha256": sha256(path_of(data, name)),
    }


def training(data: Path, table: Table, fit: Fit) -> Iterator[dict[str, object]]:
    """The rows of a card that say what was learned from."""
    for use, of in (("labels", fit.recipe.labels), ("pairs, order only", fit.recipe.pairs)):
        for name, weight in of.items():
            yield {
                "name": name,
                "use": use,
                "records": int((fit.used & (table.sets == name)).sum()),
                "weight": weight,
                **origin(data, name),
            }
    if name := fit.recipe.level_from:
        yield {"name": name, "use": "mean of labels only", **origin(data, name)}
    for file, use, licence, source in _OTHER:
        yield {
            "name": Path(file).name.partition(".")[0],
            "use": use,
            "licence": licence,
            "source": source,
            "sha256": sha256(data / file),
        }


def agreement(table: Table, name: str, values: Floats) -> tuple[str, Measured]:
    """How a score agrees with the labels of a set: the measure's name, and the measure."""
    here = table.sets == name
    measure, of = ("ROC AUC", auc) if SETS[name].by_origin else ("Pearson", pearson)
    return measure, measured(of, values[here], table.labels[here], table.groups[here])


def figures(table: Table, recipe: Recipe, levels: Floats) -> Iterator[dict[str, object]]:
    """The rows of a card that say how good it is."""
    for name in SETS:
        measure, found = agreement(table, name, levels)
        yield {
            "set": name,
            "seen": "other groups of it" if name in recipe.sets else "nothing of it",
            "measure": measure,
            "value": round(found.value, 3),
            "low": round(found.low, 3),
            "high": round(found.high, 3),
            "n": found.n,
        }


def train(data: Path, name: str, table: Table, reference: Table) -> Bundle:
    """The bundle of a recipe."""
    recipe = RECIPES[name]
    levels = out_of_fold(table, recipe)
    fit = Fit(table, recipe, np.ones(len(table), bool))
    model = PageModel(fit.kernel, error_of(table, levels, fit), recipe.least)
    columns = reference.passages.columns.astype(np.float64)
    of_pages = reference.passages.means(model.predict(columns))
    card: dict[str, Any] = {
        "summary": "How hard whole pages are, from their passages: level 1 to 6 as in the CEFR, "
        "difficulty 0 to 100 as the assessors of CLEF eHealth 2016 used that scale.",
        "intended_use": recipe.use,
        "cannot_know": "whether a text is true, how a page is laid out, what pictures say, what a "
        "reader knows beforehand; no page in training was judged as a whole by people, and no "
        "label is of the scale of difficulty",
        "training": list(training(data, table, fit)),
        "scales": {each: [round(x, 3) for x in found] for each, found in fit.scales.items()},
        "figures": list(figures(table, recipe, levels)),
        "figures_note": "Of the level, with 95 % intervals that resample groups. Five folds by "
        "joined groups (near-duplicates in one fold); of sets that it saw nothing of, texts and "
        "their copies are left out whole. Scales: label = first + second x level.",
    }
    return Bundle(name, recipe.licence, model, scale_of(data, of_pages), MappingProxyType(card))


def options(description: str | None) -> argparse.Namespace:
    """The options of training these models and the neural ones; `names` are what to train."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this folder")
    parser.add_argument(
        "--teacher", type=Path, required=True, help="what scripts.train.teacher made"
    )
    parser.add_argument(
        "--only",
        dest="names",
        nargs=1,
        choices=list(RECIPES),
        default=list(RECIPES),
        help="train one of the two",
    )
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    return chosen


def main() -> None:
    arguments = options(__doc__)
    table = training_table(arguments.data, arguments.teacher, arguments.cache)
    reference = cached(
        arguments.cache, "reference", lambda: Table.of(web_pages(arguments.data, REFERENCE))
    )
    for name in arguments.names:
        bundle = train(arguments.data, name, table, reference)
        bundle.save(arguments.output / name)
        print(name, bundle.calibration, *bundle.card["figures"], sep="\n")


if __name__ == "__main__":
    main()
