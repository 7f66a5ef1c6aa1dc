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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize
from scripts.evaluate.intervals import Measured, auc, measured
from scripts.shared import parser_of
from scripts.train.page_fit import (
    OF_DIFFICULTY,
    RECIPES,
    Fitted,
    KindsLeftOut,
    OutOfFold,
    Recipe,
    kinds_left_out,
    out_of_fold,
)
from scripts.train.page_texts import (
    READ_KINDS,
    READ_KINDS_FILE,
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
from understandability.model.passage_model import ErrorModel, Hardening, PassageModel, whole
from understandability.model.predictors import Network
from understandability.model.readers import READERS, AssessorScale, Reader, ReadingScale

# The difficulties at which the curve of the public reader has its points.
_KNOTS = tuple(range(0, 101, 20))
# A bound on how much smaller errors are at the ends of the scale. Without it, they would become 0.
_MOST_BENT = 4.0
# The same bound where kinds were left out: there, texts in the middle are off more often.
_MOST_BENT_ELSEWHERE = 12.0
# The weight of a text of each set for the error of texts from elsewhere. The further kinds were
# written to be unlike the sources, and there are few of them.
_ELSEWHERE = {READINGS: 1.0, READ_KINDS: 3.0, READ_PAGES: 1.0}
# By how much difficulties above the middle grow, and message difficulties. On texts of the further
# kinds, held out, the first takes half of the eleven points by which hard texts come out too easy,
# and leaves no bias on average; a larger second takes P(U|d) of other readings from their share.
_HARDER, _HARDER_MESSAGE = 0.3, 0.1
_READ_BY_ERRORS = ("estimates", "words", "squares", "apart", "parts")
# The sets with human labels that determine the error of the level, and their weights.
_PEOPLE = {"medreadme": 0.4, "medreadme_docs": 0.6, "readmepp_en": 1.0}


@dataclass(frozen=True)
class Sample:
    """The estimates and labels to which an error model is fitted; arrays have a row per text.

    Attributes:
        away: The residuals: label minus estimate.
        estimates: The estimates.
        words: The number of words.
        squares: The mean square of the standardised columns.
        apart: The disagreement of the network's parts.
        parts: The effective number of passages.
        weights: The weights of the texts.
    """

    away: Floats
    estimates: Floats
    words: Floats
    squares: Floats
    apart: Floats
    parts: Floats
    weights: Floats

    def where(self, mask: Mask) -> Sample:
        """Select the texts of a mask."""
        return Sample(*(values[mask] for values in vars(self).values()))

    def size(self, model: ErrorModel, share: float) -> float:
        """Return the number of standard errors that contains a weighted share of the residuals."""
        errors = model.of(self.estimates, self.words, self.squares, self.apart, self.parts)
        sizes = abs(self.away) / errors
        order = np.argsort(sizes)
        counted = np.cumsum(self.weights[order])
        return float(sizes[order][np.searchsorted(counted, share * counted[-1])])


def error_of(
    sample: Sample,
    ends: tuple[float, float],
    within: tuple[float, float],
    *,
    rises: bool = False,
) -> ErrorModel:
    """Fit an `ErrorModel` to estimates of held-out texts.

    `ends` are the ends of the scale. `within` is a share and a number of errors: this share of the
    labels must lie within this many errors of the estimate, for passages and for pages. If the
    error `rises`, it grows with the estimate, and pages have a factor of their own.
    """
    usual_squares = _line(1 / sample.words, sample.squares)
    ratio = sample.squares / (usual_squares[0] + usual_squares[1] / sample.words)
    limit = float(np.quantile(ratio, 0.995))
    weights = sample.weights / sample.weights.sum()
    is_page = whole(sample.parts) >= 0.5

    def model(numbers: Floats) -> ErrorModel:
        floor, per_word, bent, by_parts, of_pages = np.exp(numbers[:5])
        fixed = (*usual_squares, limit, bent, *ends, by_parts)
        if not rises:
            return ErrorModel(floor, per_word, *fixed)
        return ErrorModel(floor, per_word, *fixed, max(0.0, numbers[5]), of_pages)

    def unlikelihood(numbers: Floats) -> float:
        error = model(numbers)
        squared = error.of(*(getattr(sample, name) for name in _READ_BY_ERRORS)) ** 2
        return float(weights @ (np.log(squared) + sample.away**2 / squared))

    mean = float(weights @ sample.away**2)
    start = np.append(np.log([mean / 2, mean * 10, 0.5, 0.5, 1.5]), 0.5)
    most_bent = _MOST_BENT_ELSEWHERE if rises else _MOST_BENT
    bounds = [(None, None)] * 2 + [(None, np.log(most_bent))] + [(None, None)] * 3
    options = {"maxiter": 6000, "maxfev": 6000}
    fitted = model(
        minimize(unlikelihood, start, method="Nelder-Mead", bounds=bounds, options=options).x
    )
    share, errors = within
    size = (sample.where(~is_page if rises else is_page | True).size(fitted, share) / errors) ** 2
    scaled = {name: getattr(fitted, name) * size for name in ("floor", "per_word", "by_parts")}
    if rises:
        of_pages = (sample.where(is_page).size(fitted, share) / errors) ** 2
        scaled["of_pages"] = fitted.of_pages * of_pages / size
    numbers = {**asdict(fitted), **scaled}
    return ErrorModel(**{name: round(float(value), 4) for name, value in numbers.items()})


def difficulty_error(table: Table, left_out: KindsLeftOut, harder: Hardening) -> ErrorModel:
    """Fit the error of the difficulty to texts whose kind was held out.

    The hardening of pages is not applied, because it was learned from these pages: on other pages,
    it may be wrong by its full size.
    """
    left_out = replace(left_out, difficulties=harder.of(left_out.difficulties, np.ones(1)))
    weights = np.zeros(len(table.sets))
    for name, weight in _ELSEWHERE.items():
        weights[(table.sets == name) & np.isfinite(left_out.difficulties)] = weight
    sample = Sample(
        table.labels - left_out.difficulties,
        left_out.difficulties,
        np.maximum(table.passages.totals, 1),
        left_out.squares,
        left_out.apart,
        table.passages.equal_parts,
        weights,
    ).where(weights > 0)
    return error_of(sample, (0.0, 100.0), (0.68, 1.0), rises=True)


def spreads_of(table: Table, left_out: KindsLeftOut, error: ErrorModel) -> Floats:
    """Return the estimated error of each text whose kind was held out."""
    words, parts = np.maximum(table.passages.totals, 1), table.passages.equal_parts
    return error.of(left_out.difficulties, words, left_out.squares, left_out.apart, parts)


def level_error(table: Table, levels: Floats, apart: Floats, squares: Floats) -> ErrorModel:
    """Fit the error of the level to human labels of sets that it was not trained on."""
    weights = np.zeros(len(table.sets))
    for name, of_set in _PEOPLE.items():
        own = (table.sets == name) & np.isfinite(levels)
        weights[own] = of_set / max(1, own.sum())
    sample = Sample(
        table.labels - levels,
        levels,
        np.maximum(table.passages.totals, 1),
        squares,
        apart,
        table.passages.equal_parts,
        weights,
    ).where(weights > 0)
    return error_of(sample, (1.0, 6.0), (0.95, 1.96))


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
    means: Floats,
    parts: Floats,
    targets: Floats,
    output_of: Callable[[Floats], Floats],
    of_passages: float = 0.0,
) -> Hardening:
    """Fit a `Hardening` by least squares: `output_of` page difficulties should match `targets`."""

    def loss(numbers: Floats) -> float:
        try:
            harder = Hardening(*numbers, of_passages)
            return float(np.mean((output_of(harder.of(means, parts)) - targets) ** 2))
        except InputError:
            return np.inf

    start, by = minimize(loss, (50.0, 0.3), method="Nelder-Mead").x
    return Hardening(round(float(start), 4), round(float(by), 4), of_passages)


def hardening_of_difficulty(table: Table, left_out: KindsLeftOut) -> Hardening:
    """Fit the hardening of the difficulty to readings of whole pages."""
    read = (table.sets == READ_PAGES) & np.isfinite(left_out.difficulties)
    return hardening_of(
        left_out.difficulties[read],
        table.passages.equal_parts[read],
        table.labels[read],
        lambda values: values,
        _HARDER,
    )


def hardening_of_message(
    table: Table, left_out: KindsLeftOut, spreads: Floats, public: Reader
) -> Hardening:
    """Fit the hardening of the message to the shares of adults who get that of whole pages."""
    read = (table.sets == READ_PAGES) & np.isfinite(left_out.messages)
    spreads = spreads[read]
    return hardening_of(
        left_out.messages[read],
        table.passages.equal_parts[read],
        table.understand[read],
        lambda values: public.understands(values, spreads),
        _HARDER_MESSAGE,
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
    estimated = levels[np.isfinite(levels)]
    return AssessorScale(
        round(mean, 2),
        round(deviation, 2),
        CORRELATION,
        level=round(float(estimated.mean()), 4),
        level_deviation=round(float(estimated.std()), 4),
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


# Sets that were read by a language model: file, licence, source.
_READ = {
    READ_ONCE: (
        READ_ONCE_FILE,
        "the readings are CC0; texts CC0, MIT, BSD, Apache-2.0, ISC, PSF-2.0, MPL-2.0, "
        "PostgreSQL, CC BY 3.0, public domain, and those of open texts",
        "documentation of software, texts written for the set by a language model, and parts of "
        "open texts, read once by a language model; readings/once.jsonl.gz",
    ),
    READ_KINDS: (
        READ_KINDS_FILE,
        "CC0",
        "passages and pages of 162 more kinds, written for the set and read twice by language "
        "models; readings/kinds.jsonl.gz",
    ),
    READ_SENTENCES: (
        READ_SENTENCES_FILE,
        "the readings are CC0; texts as those of open texts and of documentation",
        "one to three sentences of open texts, NIH, PDQ, Wikipedia, documentation and texts "
        "written for the set, read by a language model, 440 of them twice; "
        "readings/sentences.jsonl.gz",
    ),
    READ_PAGES: (
        READ_PAGES_FILE,
        "the readings are CC0; pages belong to their sites",
        "beginnings of 165 pages of the modern web (WCXB) and of 141 health pages, read by a "
        "language model, 225 of them twice; readings/pages.jsonl",
    ),
}


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
    if name in _READ:
        path, licence, source = _READ[name]
    else:
        path, licence, source = path_of(data, name), SETS[name].licence, SETS[name].source
    return {"licence": licence, "source": source, "sha256": sha256(path)}


def training(data: Path, table: Table, recipe: Recipe, used: Mask) -> Iterator[dict[str, object]]:
    """Yield the rows of the card that list the training data."""
    uses = dict.fromkeys([*recipe.labels, *recipe.kinds, SENTENCES], "level")
    uses |= dict.fromkeys(OF_DIFFICULTY, "difficulty")
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
    left_out = kinds_left_out(table, recipe, teacher)
    harder = hardening_of_difficulty(table, left_out)
    errors = [
        difficulty_error(table, left_out, harder),
        level_error(table, estimates.levels, estimates.levels_apart, fit.difficulty.squares),
    ]
    spreads = spreads_of(table, left_out, errors[0])
    read = table.sets == READINGS
    curve = curve_of(left_out.messages[read], spreads[read], table.understand[read])
    public = replace(READERS["public"], curve=tuple(zip(_KNOTS, curve.tolist(), strict=True)))
    hardenings = harder, hardening_of_message(table, left_out, spreads, public)
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
