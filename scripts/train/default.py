"""Train ``resources/bundles/default`` and ``resources/bundles/open``.

    python -m scripts.train.default [--data ../shared/data] [--output resources/bundles]

The out-of-fold estimates of the training texts (5 folds by joined group) go to
``--estimates FILE.npz``; from them come the calibration and the figures of the card.
``scripts/evaluate/estimators.py`` prints the whole table.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr
from scripts.train.labelled_sets import (
    BY_ORIGIN,
    ORIGINS,
    SOURCES,
    Passages,
    Texts,
    judged,
    levels_of,
    load_passages,
    load_texts,
    weights_of,
)
from sklearn.metrics import roc_auc_score

from understandability.arrays import Floats
from understandability.models import Bundle
from understandability.models.calibration import SHORT, Calibration, calibrate_levels
from understandability.models.runtime.mixture import MixtureModel, text_columns
from understandability.models.training.mixture import Domain, fit_mixture, folds_of

FOLDS = 5


@dataclass(frozen=True)
class Recipe:
    """What a bundle is trained on.

    `domain_of` gives the domain of each labelled set; sets of one domain are learned as one.
    Spreads are calibrated on the sets `levelled`. `origin_weight` is what passages of known origin
    weigh in the estimate for texts of any kind; without them there is none. `reach` and `ridge`
    are those of the experts. `by_length` tells whether calibration learns from lengths.
    """

    domain_of: Mapping[str, str]
    levelled: tuple[str, ...]
    origin_weight: float
    domains: Mapping[str, Domain]
    licence: str
    summary: str
    reach: float = 0.2
    ridge: float = 0.3
    by_length: bool = True

    def calibrated(self, raw: Floats, levels: Floats, words: Floats, sets: Any) -> Calibration:
        """The calibration from out-of-fold outputs of texts of some sets."""
        return calibrate_levels(raw, levels, words if self.by_length else SHORT, weights_of(sets))


# The sets that people judged by CEFR level.
LEVELLED = ("medreadme", "medreadme_docs", "readmepp_en")
BUNDLES = {
    "default": Recipe(
        domain_of={
            "medreadme": "health",
            "medreadme_docs": "health",
            "readmepp_en": "general",
            "clear": "school",
            "onestop": "news",
        },
        levelled=LEVELLED,
        origin_weight=0.15,
        # Health and general texts were judged by sentences, which do not tell well what they are
        # from. Only school books are long enough and many enough to learn from letters.
        domains={
            "health": Domain(common=0.3),
            "general": Domain(common=0.3),
            "school": Domain(letters=0.05),
            "news": Domain(),
        },
        licence="research and non-commercial use (some training labels allow no other)",
        summary=(
            "Difficulty as people judged it: experts for health, general, school and news texts, "
            "a gate between them, boosted trees."
        ),
    ),
    # Few labels, none of health texts: smooth experts, and no corpora to take for difficulty.
    "open": Recipe(
        domain_of={"onestop": "rewritten", "wiki_simple_pairs": "rewritten"},
        levelled=("onestop",),
        origin_weight=0.0,
        domains={"rewritten": Domain()},
        licence="CC BY-SA 4.0",
        summary=(
            "As the default, but trained only on texts whose licences allow any use: news and "
            "encyclopedia rewritten to be easier, none of them judged, few of them on health. Its "
            "estimates lie close together: rank by them, do not compare them with a threshold."
        ),
        reach=0.02,
        ridge=0.6,
        by_length=False,  # all of its texts with levels are long
    ),
}


def out_of_fold(texts: Texts, recipe: Recipe, passages: Passages, random_state: int = 0) -> Floats:
    """The raw output for every text, from a model that saw nothing of its group.

    Sets that are not trained on get the mean of the models.
    """
    fold = folds_of(texts.groups, FOLDS, random_state)
    raw = np.zeros(len(fold))
    own = np.isin(texts.sets, list(recipe.domain_of))
    for number in range(FOLDS):
        model = fit(texts.where(fold != number), recipe, passages)
        here = own & (fold == number)
        raw[here] = outputs(model, texts.where(here))
        raw[~own] += outputs(model, texts.where(~own)) / FOLDS
    return np.where(np.isfinite(texts.inputs).all(axis=1), raw, np.nan)


def outputs(model: MixtureModel, texts: Texts) -> Floats:
    return model.predict(np.hstack([texts.inputs, texts.letters @ model.spelling.weights]))


def fit(texts: Texts, recipe: Recipe, passages: Passages) -> MixtureModel:
    rows = judged(texts, recipe.domain_of, passages, recipe.origin_weight)
    return fit_mixture(
        rows,
        text_columns(),
        recipe.domains,
        reach=recipe.reach,
        ridge=recipe.ridge,
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def figures(texts: Texts, raw: Floats, calibration: Calibration) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(texts.sets.tolist()):
        here = (texts.sets == name) & np.isfinite(raw)
        labels, values = texts.labels[here], raw[here]
        difficulty = calibration.apply(values, texts.words[here])[0]
        measures = (
            {"ROC AUC": roc_auc_score(labels, values)}
            if name in BY_ORIGIN
            else {
                "Pearson": pearsonr(values, labels).statistic,
                "Pearson of difficulty": pearsonr(difficulty, labels).statistic,
                "Spearman": spearmanr(values, labels).statistic,
            }
        )
        rows += [
            {"set": name, "measure": measure, "value": round(float(value), 4), "n": int(here.sum())}
            for measure, value in measures.items()
        ]
    return rows


def train(data: Path, name: str, texts: Texts, passages: Passages) -> tuple[Bundle, Floats]:
    recipe = BUNDLES[name]
    raw = out_of_fold(texts, recipe, passages)
    levelled = np.isin(texts.sets, recipe.levelled) & np.isfinite(raw)
    model = fit(texts, recipe, passages)
    calibration = recipe.calibrated(
        raw[levelled],
        levels_of(texts, levelled),
        texts.words[levelled],
        texts.sets[levelled],
    )
    card = {
        "summary": recipe.summary,
        "intended_use": (
            "English texts of 10 words or more, health texts above all; to rank pages, to compare "
            "collections, to simulate readers by a threshold."
        ),
        "cannot_know": (
            "whether a text is true, how a page is laid out, what pictures say, what a reader "
            "knows about the subject beforehand"
        ),
        "training": [
            {
                "name": source.name,
                "records": int((texts.sets == source.name).sum()),
                "licence": source.licence,
                "level": f"{source.start:g} + {abs(source.step):g} x label, harder = higher",
                "sha256": _sha256(data / "labelled" / f"{source.name}.jsonl.gz"),
            }
            for source in SOURCES
            if source.name in recipe.domain_of
        ]
        + [
            {
                "name": corpus,
                "records": int((passages.corpora == corpus).sum()),
                "licence": licence_of,
                "level": f"{level:g}, by origin, weighing little",
                "sha256": _sha256(data / "corpora" / f"{corpus}.jsonl.gz"),
            }
            for corpus, (level, _, licence_of) in ORIGINS.items()
            if recipe.origin_weight
        ],
        "figures": figures(texts, raw, calibration),
        "figures_note": (
            f"of the raw output, out of fold ({FOLDS} folds by joined group) for the sets trained "
            "on, whole for others; difficulty is a map of it that bends at levels B2 and C1, which "
            "keeps the order, but for a little by length, and not the straight line"
        ),
    }
    return Bundle(name, recipe.licence, model, calibration, MappingProxyType(card)), raw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--estimates", type=Path)
    parser.add_argument("--only", choices=list(BUNDLES))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    sets = (*(source.name for source in SOURCES), "cochrane_pls")
    texts = load_texts(arguments.data, sets, text_columns())
    passages = load_passages(arguments.data, text_columns())
    estimates = {}
    for name in [arguments.only] if arguments.only else BUNDLES:
        bundle, raw = train(arguments.data, name, texts, passages)
        bundle.save(arguments.output / name)
        estimates[name] = raw
        for row in bundle.card["figures"]:
            print(name, *row.values())
        if arguments.estimates:
            np.savez(
                arguments.estimates,
                sets=texts.sets,
                ids=texts.ids,
                labels=texts.labels,
                groups=texts.groups,
                splits=texts.splits,
                words=texts.words,
                formulas=texts.formulas,
                **estimates,
            )


if __name__ == "__main__":
    main()
