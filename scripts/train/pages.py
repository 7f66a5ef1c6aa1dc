"""Train ``resources/bundles/open``, the model of passages, and ``resources/word_difficulty.npz``.

    python -m scripts.train.teacher WHEEL states.npz
    python -m scripts.train.pages --states states.npz [--output resources/bundles]

`page_fit` describes the models. With one thread, reading the texts takes two minutes and training
twenty, in 4 GB of memory. The published `open` was trained with one thread; the number of threads
changes the bytes, and the third digit of figures.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize
from scripts.evaluate.intervals import Measured, auc, measured
from scripts.shared import parser_of
from scripts.train.page_fit import (
    RECIPES,
    Fitted,
    OutOfFold,
    Recipe,
    out_of_fold,
)
from scripts.train.page_texts import (
    READ_ONCE,
    READ_ONCE_FILE,
    READ_PAGES,
    READ_PAGES_FILE,
    READ_SENTENCES,
    READ_SENTENCES_FILE,
    READINGS,
    REFERENCE,
    SENTENCES,
    SETS,
    UNREAD,
    Mask,
    Table,
    cached,
    path_of,
    sha256,
    training_table,
    web_pages,
)
from scripts.train.teacher import Teacher
from scripts.train.word_difficulty import ByWords

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.evaluation.correlation import pearson
from understandability.model.bundle import Bundle
from understandability.model.passage_model import ErrorModel, Hardening, PassageModel
from understandability.model.predictors import Network
from understandability.model.readers import READERS, AssessorScale, Reader, ReadingScale

# The difficulties at which the curve of the public reader has its points.
_KNOTS = tuple(range(0, 101, 20))
# A bound on how much smaller errors are at the ends of the scale. Without it, they would become 0.
_MOST_BENT = 4.0
# The sets with human labels that determine the error of the level, and their weights.
_PEOPLE = {"medreadme": 0.4, "medreadme_docs": 0.6, "readmepp_en": 1.0}


def error_of(
    residuals: Floats,
    inputs: tuple[Floats, Floats, Floats, Floats],
    weights: Floats,
    ends: tuple[float, float],
    within: tuple[float, float],
) -> ErrorModel:
    """Fit an `ErrorModel` to the differences between labels and out-of-fold estimates.

    Args:
        residuals: Label minus estimate of each text.
        inputs: The estimates, the numbers of words, the mean squares of the texts' columns, and the
            spreads of the ensemble.
        weights: The weights of the texts.
        ends: The ends of the scale.
        within: A share and a number of errors: this share of the labels, by weight, must lie within
            this many errors of the estimate.
    """
    estimates, words, squares, parts = inputs
    usual = _line(1 / words, squares)
    ratio = squares / (usual[0] + usual[1] / words)
    limit = float(np.quantile(ratio, 0.995))
    weights = weights / weights.sum()

    def model(numbers: Floats) -> ErrorModel:
        floor, per_word, bent, by_parts = np.exp(numbers)
        return ErrorModel(floor, per_word, *usual, limit, bent, *ends, by_parts)

    def unlikelihood(numbers: Floats) -> float:
        squared = model(numbers).of(estimates, words, squares, parts) ** 2
        return float(weights @ (np.log(squared) + residuals**2 / squared))

    mean = float(weights @ residuals**2)
    start = np.log([mean / 2, mean * 10, 0.5, 0.5])
    bounds = [(None, None), (None, None), (None, np.log(_MOST_BENT)), (None, None)]
    options = {"maxiter": 4000}
    best = minimize(unlikelihood, start, method="Nelder-Mead", bounds=bounds, options=options).x
    share, errors = within
    sizes = abs(residuals) / model(best).of(estimates, words, squares, parts)
    order = np.argsort(sizes)
    size = float(sizes[order][np.searchsorted(np.cumsum(weights[order]), share)])
    size = (size / errors) ** 2
    floor, per_word, bent, by_parts = np.exp(best) * (size, size, 1, size)
    numbers = (floor, per_word, *usual, limit, bent, *ends, by_parts)
    return ErrorModel(*(round(float(number), 4) for number in numbers))


def errors_of(table: Table, estimates: OutOfFold, fit: Fitted) -> list[ErrorModel]:
    """Fit the errors of the difficulty (to readings) and of the level (to human labels).

    The human labels are of sets that the level was not trained on. MedReadMe and ReadMe++ have
    equal weights; texts of MedReadMe weigh more than its sentences, because pages are texts.
    """
    words, squares = np.maximum(table.passages.totals, 1), fit.difficulty.squares
    difficulties, levels = estimates.difficulties, estimates.levels
    errors = []
    for weights, values, parts, ends, within in (
        ({READINGS: 1.0}, difficulties, estimates.difficulties_apart, (0.0, 100.0), (0.68, 1.0)),
        (_PEOPLE, levels, estimates.levels_apart, (1.0, 6.0), (0.95, 1.96)),
    ):
        weight = np.zeros(len(values))
        for name, set_weight in weights.items():
            own = (table.sets == name) & np.isfinite(values)
            weight[own] = set_weight / max(1, own.sum())
        used = weight > 0
        inputs = values[used], words[used], squares[used], parts[used]
        errors.append(error_of((table.labels - values)[used], inputs, weight[used], ends, within))
    return errors


def _line(inverse: Floats, values: Floats) -> tuple[float, float]:
    """Fit a line to values over 1 / words; ten classes of length have equal weights."""
    classes = np.digitize(inverse, np.quantile(inverse, np.linspace(0, 1, 11)[1:-1]))
    points = [
        (inverse[classes == c].mean(), values[classes == c].mean()) for c in np.unique(classes)
    ]
    x, y = np.array(points).T
    slope = max(0.0, float(np.cov(x, y)[0, 1] / x.var(ddof=1)))
    return max(float(y.mean() - slope * x.mean()), 1e-3), slope


# The assumed correlation of assessors' labels with levels. The best published estimators reach .46
# with the labels of 2016, and .60 with the labels of 2015.
CORRELATION = 0.5
REACH = 3.0
_LABELS_2016 = "clef/clef2016/task2.qunder.gz"


def labels_2016(data: Path) -> tuple[float, float]:
    """Return the mean and the standard deviation of the labels of CLEF eHealth 2016.

    A quarter of the labels is exactly 50, the initial position of the assessors' slider. These are
    ignored.
    """
    with gzip.open(data / _LABELS_2016, "rt") as lines:
        labels = np.array([float(line.split()[3]) for line in lines])
    moved = labels[labels != 50]
    return float(moved.mean()), float(moved.std())


def hardening_of(
    means: Floats, parts: Floats, targets: Floats, output_of: Callable[[Floats], Floats]
) -> Hardening:
    """Fit a `Hardening` by least squares: `output_of` page difficulties should match `targets`."""

    def loss(numbers: Floats) -> float:
        try:
            return float(np.mean((output_of(Hardening(*numbers).of(means, parts)) - targets) ** 2))
        except InputError:
            return np.inf

    best = minimize(loss, (50.0, 0.3), method="Nelder-Mead").x
    return Hardening(*(round(float(number), 4) for number in best))


def hardenings_of(
    table: Table, estimates: OutOfFold, spreads: Floats, public: Reader
) -> tuple[Hardening, Hardening]:
    """Fit the hardening of the difficulty and of the message to readings of whole pages."""
    read = table.sets == READ_PAGES
    parts, spreads = table.passages.equal_parts[read], spreads[read]
    return (
        hardening_of(
            estimates.difficulties[read], parts, table.labels[read], lambda values: values
        ),
        hardening_of(
            estimates.messages[read],
            parts,
            table.understand[read],
            lambda values: public.understands(values, spreads),
        ),
    )


def curve_of(messages: Floats, spreads: Floats, understand: Floats) -> Floats:
    """Fit the curve of the public reader: its shares at the difficulties 0, 20 … 100.

    It minimises the mean absolute difference between P(U|d), by out-of-fold estimates, and the
    shares by readings. Shares must not increase with difficulty.
    """
    public = READERS["public"]
    columns = np.column_stack(
        [
            replace(public, curve=tuple(zip(_KNOTS, row, strict=True))).understands(
                messages, spreads
            )
            for row in np.eye(len(_KNOTS))
        ]
    )
    count, one = len(understand), np.eye(len(understand))
    falls = np.hstack([np.diff(np.eye(len(_KNOTS)), axis=0), np.zeros((len(_KNOTS) - 1, count))])
    solution = linprog(
        np.append(np.zeros(len(_KNOTS)), np.ones(count)),
        np.vstack([np.hstack([columns, -one]), np.hstack([-columns, -one]), falls]),
        np.concatenate([understand, -understand, np.zeros(len(_KNOTS) - 1)]),
        bounds=[(0, 1)] * len(_KNOTS) + [(0, None)] * count,
    )
    return np.asarray(solution.x[: len(_KNOTS)])


def scale_of(data: Path, levels: Floats) -> AssessorScale:
    """Return the scale of the assessors, given levels of pages like those that they judged."""
    mean, deviation = labels_2016(data)
    known = levels[np.isfinite(levels)]
    return AssessorScale(
        round(mean, 2),
        round(deviation, 2),
        CORRELATION,
        level=round(float(known.mean()), 4),
        level_deviation=round(float(known.std()), 4),
        reach=REACH,
    )


# Other data that the estimates are based on: file, use, licence, source.
_OTHER = (
    ("lexicons/complex_words_in_context.tsv.gz", "complexity of words", "CC BY 4.0",
     "MMU-TDMLab/CompLex, in word_complexity.npz"),
    ("lexicons/word_complexity_lexicon.tsv.gz", "complexity of words", "MIT",
     "mounicam/lexical_simplification, in word_complexity.npz"),
    ("corpora/reddit_like.jsonl.gz", "counts of words only", "none stated", "medical Reddit"),
    ("corpora/wikipedia_med.jsonl.gz", "counts of words only", "CC BY-SA", "medical Wikipedia"),
    ("corpora/pubmed.jsonl.gz", "counts of words only", "MIT, GPL-3, none stated", "PubMed"),
    (_LABELS_2016, "mean and deviation only", "none stated",
     "CLEFeHealth/CLEFeHealth2016Task3, labels of assessors"),
    ("html/health_pages/health_pages.tar.gz", "mean and deviation of levels only",
     "pages belong to their sites", "pages of Sondhi 2012 and Schwarz & Morris 2011"),
)  # fmt: skip


def origin(data: Path, name: str) -> dict[str, str]:
    """Return the licence, the source and the checksum of a set."""
    if name in (UNREAD, SENTENCES):
        return {
            "licence": "texts in the public domain, under CC0, CC BY, CC BY-SA, MIT, Apache-2.0; "
            "the encoder is Apache-2.0 according to its card",
            "source": "what a regression on the encoder all-MiniLM-L6-v2, learned from readings "
            "(difficulty of passages) and from CEFR-SP (level of sentences), says of open texts, "
            "NIH, PDQ and Wikipedia; a language model read some of the passages once "
            "(readings/open_passages.jsonl.gz)",
        }
    if name == READ_ONCE:
        return {
            "licence": "the readings are CC0; texts CC0, MIT, BSD, Apache-2.0, ISC, PSF-2.0, "
            "MPL-2.0, PostgreSQL, CC BY 3.0, public domain, and those of open texts",
            "source": "documentation of software, texts written for the set by a language model, "
            "and parts of open texts, read once by a language model; readings/once.jsonl.gz",
            "sha256": sha256(READ_ONCE_FILE),
        }
    if name == READ_SENTENCES:
        return {
            "licence": "the readings are CC0; texts as those of open texts and of documentation",
            "source": "one to three sentences of open texts, NIH, PDQ, Wikipedia, documentation "
            "and texts written for the set, read by a language model, 440 of them twice; "
            "readings/sentences.jsonl.gz",
            "sha256": sha256(READ_SENTENCES_FILE),
        }
    if name == READ_PAGES:
        return {
            "licence": "the readings are CC0; pages belong to their sites",
            "source": "beginnings of 165 pages of the modern web (WCXB) and of 141 health pages, "
            "read by a language model, 225 of them twice; readings/pages.jsonl",
            "sha256": sha256(READ_PAGES_FILE),
        }
    return {
        "licence": SETS[name].licence,
        "source": SETS[name].source,
        "sha256": sha256(path_of(data, name)),
    }


def training(data: Path, table: Table, recipe: Recipe, used: Mask) -> Iterator[dict[str, object]]:
    """Yield the rows of the card that list the training data."""
    uses = dict.fromkeys([*recipe.labels, *recipe.kinds, SENTENCES], "level")
    uses |= dict.fromkeys([READINGS, READ_ONCE, READ_SENTENCES, READ_PAGES, UNREAD], "difficulty")
    for name, use in uses.items():
        count = int((used & (table.sets == name)).sum())
        yield {"name": name, "use": use, "records": count, **origin(data, name)}
    for name in _PEOPLE:
        use = "mean of labels and " * (name in recipe.level_from) + "error of the level only"
        yield {"name": name, "use": use, **origin(data, name)}
    for file, use, licence, source in _OTHER:
        yield {
            "name": Path(file).name.partition(".")[0],
            "use": use,
            "licence": licence,
            "source": source,
            "sha256": sha256(data / file),
        }


def agreement(table: Table, name: str, values: Floats) -> tuple[str, Measured]:
    """Measure how a score agrees with the labels of a set; returns the measure's name and value."""
    own = table.sets == name
    measure, function = ("ROC AUC", auc) if SETS[name].by_origin else ("Pearson", pearson)
    return measure, measured(function, values[own], table.labels[own], table.groups[own])


def figures(table: Table, recipe: Recipe, estimates: OutOfFold) -> Iterator[dict[str, object]]:
    """Yield the rows of the card with the agreement of level and difficulty with each set."""
    for output, values in (("level", estimates.levels), ("difficulty", estimates.difficulties)):
        for name in SETS:
            measure, result = agreement(table, name, values)
            yield {
                "of": output,
                "set": name,
                "seen": "other groups of it" if name in recipe.sets else "nothing of it",
                "measure": measure,
                "value": round(result.value, 3),
                "low": round(result.low, 3),
                "high": round(result.high, 3),
                "n": result.n,
            }


def model_of(
    fit: Fitted, recipe: Recipe, errors: list[ErrorModel], hardenings: tuple[Hardening, Hardening]
) -> PassageModel:
    """Return the model for the bundle."""
    network = fit.level.network
    start, end = network.biases
    return PassageModel(
        fit.difficulty.network,
        fit.level.kernel,
        Network(network.weights, (start, end + fit.moved)),
        *errors,
        recipe.least,
        recipe.difficulty_in_level,
        recipe.off_if_brief,
        hardenings,
    )


def train(
    data: Path, name: str, table: Table, teacher: Teacher, reference: Table
) -> tuple[Bundle, ByWords]:
    """Train the bundle of a recipe; returns it with the difficulties of words."""
    recipe = RECIPES[name]
    estimates = out_of_fold(table, recipe, teacher)
    used = np.ones(len(table), bool)
    fit = Fitted.of(table, recipe, used, teacher)
    estimated = (table.sets == "cefr_sp_wiki") & np.isfinite(estimates.levels)
    start = float((table.labels - estimates.levels)[estimated].mean())
    errors = errors_of(table, estimates, fit)
    words, squares = np.maximum(table.passages.totals, 1), fit.difficulty.squares
    spreads = errors[0].of(estimates.difficulties, words, squares, estimates.difficulties_apart)
    read = table.sets == READINGS
    curve = curve_of(estimates.messages[read], spreads[read], table.understand[read])
    public = replace(READERS["public"], curve=tuple(zip(_KNOTS, curve.tolist(), strict=True)))
    hardenings = hardenings_of(table, estimates, spreads, public)
    model = model_of(fit, recipe, errors, hardenings)
    print("curve of the public reader", curve.round(3), *hardenings)
    page_levels = model.read_passages(fit.difficulty.read(reference)).level
    card: dict[str, Any] = {
        "summary": "How hard whole pages are, from their passages: difficulty 0 to 100 as readings "
        "say it of adults of the public, level 1 to 6 as in the CEFR.",
        "intended_use": recipe.use,
        "cannot_know": "whether a text is true, how a page is laid out, what pictures say, what a "
        "reader knows beforehand; readings are a language model's opinion of a hundred adults, "
        "not a count of people; a hard thought in plain words may pass for easy",
        "training": list(training(data, table, recipe, used)),
        "scales": {"cefr_sp_wiki": [round(start, 3), 1.0]},
        "figures": list(figures(table, recipe, estimates)),
        "figures_note": "With 95 % intervals that resample groups. Five folds by joined groups "
        "(near-duplicates in one fold); of sets that it saw nothing of, texts and their copies "
        "are left out whole. Scales: label = first + second x level.",
    }
    scale = scale_of(data, page_levels)
    bundle = Bundle(
        name, recipe.licence, model, ReadingScale(), MappingProxyType(card), assessors=scale
    )
    return bundle, fit.difficulty.by_words


def main() -> None:
    parser = parser_of(__doc__, cache=True)
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument(
        "--states", type=Path, required=True, help="the output of scripts.train.teacher"
    )
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)  # fail before the training, not after it
    table = training_table(arguments.data, arguments.cache)
    teacher = Teacher(table, arguments.states)
    reference = cached(
        arguments.cache, "reference", lambda: Table.of(web_pages(arguments.data, REFERENCE))
    )
    for name in RECIPES:
        bundle, by_words = train(arguments.data, name, table, teacher, reference)
        bundle.save(arguments.output / name)
        by_words.save(arguments.output.parent / "word_difficulty.npz")
        print(name, bundle.assessors, *bundle.card["figures"], sep="\n")


if __name__ == "__main__":
    main()
