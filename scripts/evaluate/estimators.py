"""How good the estimators are: out of fold, on sets never trained on, calibrated, beside baselines.

    python -m scripts.train.default --estimates estimates.npz
    python -m scripts.train.background_bundle --estimator all --output models
    python -m scripts.evaluate.estimators estimates.npz [--background models] [--refit] \\
        [--data ../shared/data] [--output docs/estimators.md]

Correlations are with the raw labels, turned to harder = higher, with 95 % intervals from 200
resamples. ``estimates.npz`` holds what the bundles' recipes say of texts whose group they did not
see (5 folds by joined group); cochrane_pls is trained on by none. ``--background`` adds background
models to the tables, ``--refit`` trains the default's recipe again, without medreadme and without
the original test splits.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.train.default import BUNDLES, LEVELLED, fit, outputs
from scripts.train.labelled_sets import (
    BY_ORIGIN,
    SOURCES,
    load_passages,
    load_texts,
    records,
)
from understandability.models.runtime.mixture import text_columns

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.documents import document_of_text
from understandability.evaluation.statistics.correlation import pearson, spearman
from understandability.evaluation.validation import (
    BASELINES,
    brier_score,
    calibration_error,
    roc_auc,
)
from understandability.features import COLUMNS, batches
from understandability.models import load_bundle
from understandability.models.calibration import difficulty_of_level
from understandability.models.readers import probability

THRESHOLD = 40.0
RESAMPLES = 200
SPLIT = ("medreadme", "readmepp_en")  # the sets that come with a test split
Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class Estimates:
    """The arrays of ``estimates.npz``: one row for each text, and the raw output of each bundle."""

    sets: NDArray[np.str_]
    labels: Floats
    groups: NDArray[np.int64]
    splits: NDArray[np.str_]
    words: NDArray[np.int64]
    formulas: Floats
    raw: Mapping[str, Floats]

    def parts(self) -> Iterator[tuple[str, Chosen]]:
        """Each set, and the original test splits."""
        with_words = np.isfinite(self.formulas).all(axis=1)
        for name in dict.fromkeys(self.sets.tolist()):
            here = (self.sets == name) & with_words
            yield name, here
            if name in SPLIT:
                yield f"{name}, test split", here & (self.splits == "test")


def read_estimates(path: Path) -> Estimates:
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    raw = {name: arrays[name] for name in BUNDLES if name in arrays}
    names = ("sets", "labels", "groups", "splits", "words", "formulas")
    return Estimates(*(arrays[name] for name in names), raw)


def interval(measure: Callable[[Floats, Floats], float], values: Floats, labels: Floats) -> str:
    """The measure with its interval, as ``.839 [.828, .850]``."""
    rng = np.random.default_rng(0)
    samples = [rng.integers(0, len(values), len(values)) for _ in range(RESAMPLES)]
    low, high = np.percentile([measure(values[s], labels[s]) for s in samples], [2.5, 97.5])
    return f"{_short(measure(values, labels))} [{_short(low)}, {_short(high)}]"


def _short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1)


def _auc(values: Floats, labels: Floats) -> float:
    return roc_auc(values, labels == 1)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [" | ".join(head), "|".join(["---", *["--:"] * (len(head) - 1)])]
    return "".join(f"| {line} |\n" for line in [*lines, *map(" | ".join, rows)])


def agreement_tables(estimates: Estimates, background: Mapping[str, Floats]) -> Iterator[str]:
    """Every score against every set."""
    scores = {}
    for name, raw in estimates.raw.items():
        scores[f"{name}, raw output"] = raw
        scores[f"{name}, difficulty"] = calibrated(estimates, name)[0]
    scores.update(background)
    for column, name in zip(estimates.formulas.T, BASELINES, strict=True):
        scores[name] = column * (COLUMNS[name][0].direction or Direction.HARDER).sign
    judged = [part for part in estimates.parts() if part[0] not in BY_ORIGIN]
    by_origin = [part for part in estimates.parts() if part[0] in BY_ORIGIN]
    for title, measure, parts in (
        ("Pearson", pearson, judged),
        ("Spearman", spearman, judged),
        ("ROC AUC, by the origin of texts", _auc, by_origin),
    ):
        rows = [
            [name, *(_cell(measure, values, estimates.labels, here) for _, here in parts)]
            for name, values in scores.items()
        ]
        head = ["score", *(f"{name} ({int(here.sum())})" for name, here in parts)]
        yield f"## {title}\n\n{markdown(head, rows)}"


def _cell(
    measure: Callable[[Floats, Floats], float], values: Floats, labels: Floats, here: Chosen
) -> str:
    known = here & np.isfinite(values)
    return interval(measure, values[known], labels[known])


def calibrated(estimates: Estimates, name: str) -> tuple[Floats, Floats]:
    """Difficulty and spread by a bundle, the calibration fitted on the other half of the groups."""
    raw = estimates.raw[name]
    difficulty, spread = np.full(len(raw), np.nan), np.full(len(raw), np.nan)
    half = estimates.groups % 2
    for side in (0, 1):
        taught = np.isin(estimates.sets, LEVELLED) & np.isfinite(raw) & (half != side)
        calibration = BUNDLES[name].calibrated(
            raw[taught], estimates.labels[taught], estimates.words[taught], estimates.sets[taught]
        )
        here = half == side
        difficulty[here], spread[here] = calibration.apply(raw[here], estimates.words[here])
    return difficulty, spread


def chances(estimates: Estimates) -> str:
    """P(U|d) of the calibrated user against the stated table of levels."""
    rows = []
    for name in estimates.raw:
        difficulty, spread = calibrated(estimates, name)
        for of in (*LEVELLED, "all three"):
            here = np.isin(estimates.sets, LEVELLED if of == "all three" else [of])
            here &= np.isfinite(difficulty)
            chance = probability(
                difficulty[here], THRESHOLD, "calibrated", noise_scale=spread[here]
            )
            truth = difficulty_of_level(estimates.labels[here]) < THRESHOLD
            measures = (brier_score, roc_auc)
            rows.append(
                [f"{name}, {of}", str(int(here.sum()))]
                + [_short(calibration_error(chance, truth)), perfect(chance)]
                + [_short(measure(chance, truth)) for measure in measures]
            )
    head = ["bundle, texts", "n", "calibration error", "if perfect", "Brier score", "ROC AUC"]
    return (
        f"## P(U\\|d) at {THRESHOLD:g}\n\nOf the calibrated user; calibrated on the other half of "
        "the groups; ten bins of equally many texts. If perfect: the error that chances which are "
        "true would have with so few texts, the mean of truths drawn by them and 95 % of these."
        f"\n\n{markdown(head, rows)}"
    )


def perfect(chance: Floats) -> str:
    """The calibration error of chances that are true, as ``.048 [.025, .074]``."""
    rng = np.random.default_rng(0)
    errors = [calibration_error(chance, rng.random(len(chance)) < chance) for _ in range(RESAMPLES)]
    low, high = np.percentile(errors, [2.5, 97.5])
    return f"{_short(float(np.mean(errors)))} [{_short(low)}, {_short(high)}]"


def background_outputs(data: Path, sets: Sequence[str], folder: Path) -> dict[str, Floats]:
    """The raw output of each background bundle of a folder for each text."""
    models = {
        path.parent.name: load_bundle(path.parent) for path in sorted(folder.glob("*/*.json"))
    }
    documents = (
        document_of_text(record["text"], record["id"])
        for name in sets
        for record in records(data, name)
    )
    outputs: dict[str, list[Floats]] = {name: [] for name in models}
    for batch in batches(documents):
        for name, bundle in models.items():
            outputs[name].append(bundle.model.raw(batch))
    return {f"background {name}": np.concatenate(each) for name, each in outputs.items()}


def refits(data: Path) -> str:
    """The default's recipe without medreadme, and without the groups of the test splits."""
    names = [source.name for source in SOURCES if source.name in BUNDLES["default"].domain_of]
    texts = load_texts(data, names, text_columns())
    passages = load_passages(data, text_columns())
    recipe = BUNDLES["default"]
    kept = {name: of for name, of in recipe.domain_of.items() if of != "health"}
    domains = {of: domain for of, domain in recipe.domains.items() if of != "health"}
    rest = replace(recipe, domain_of=kept, domains=domains)
    held_out = np.isin(texts.sets, SPLIT) & (texts.splits == "test")
    seen = ~np.isin(texts.groups, texts.groups[held_out])
    rows = []
    for what, model, parts in (
        (
            "without any medreadme record",
            fit(texts, rest, passages),
            {name: texts.sets == name for name in ("medreadme_docs", "medreadme")},
        ),
        (
            "without the original test splits",
            fit(texts.where(seen), recipe, passages),
            {f"{name}, test split": held_out & (texts.sets == name) for name in SPLIT},
        ),
    ):
        for part, here in parts.items():
            known = here & np.isfinite(texts.inputs).all(axis=1)
            values, labels = outputs(model, texts.where(known)), texts.labels[known]
            cells = [interval(measure, values, labels) for measure in (pearson, spearman)]
            rows.append([what, part, str(int(known.sum())), *cells])
    head = ["default's recipe, trained", "tested on", "n", "Pearson", "Spearman"]
    return f"## Trained without\n\n{markdown(head, rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("estimates", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--background", type=Path)
    parser.add_argument("--refit", action="store_true")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    estimates = read_estimates(arguments.estimates)
    background: dict[str, Floats] = {}
    if arguments.background:
        sets = list(dict.fromkeys(estimates.sets.tolist()))
        background = background_outputs(arguments.data, sets, arguments.background)
    parts = [
        "# How good the estimators are\n\nMade by `scripts/evaluate/estimators.py`: correlations "
        "with human labels, harder = higher, with 95 % intervals; in brackets how many texts. The "
        "bundles' estimates are out of fold (5 folds by joined group; texts of sets that a bundle "
        "is not trained on get the mean of its models), in the test splits too; background "
        "models and formulas saw none of the labels.\n",
        *agreement_tables(estimates, background),
    ]
    if estimates.raw:
        parts.append(chances(estimates))
    if arguments.refit:
        parts.append(refits(arguments.data))
    text = "\n".join(parts)
    if arguments.output:
        arguments.output.write_text(text, "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
