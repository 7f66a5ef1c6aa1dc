"""Evaluate `understand train judged` on held-out texts, by the number of training labels.

    python -m scripts.evaluate.own_labels [--cache FOLDER] [--draws 5] [--sets clear onestop]

In each draw, 30 % of the groups of a set are held out. Up to 50, 150, 500 and 1,500 labels of the
other groups are used for training. Figures are means over the draws of the Pearson correlation with
the held-out labels (ROC AUC for Cochrane).

The columns are the better output of `open` without training, the default estimator of version 0.3
(XGBoost on the features of texts, trained on ranks), and the blend (trained on the labels
themselves). The last column is the least gain of the blend over `open` in any draw. Fills in
``results/own_labels.md``.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.shared import fill, markdown, parser_of

from understandability.arrays import Floats
from understandability.feature.feature_sets import text_columns
from understandability.feature.table import batches, features_of
from understandability.model.blend import BASE_OUTPUTS, blend_inputs
from understandability.model.bundle import load_bundle
from understandability.model.estimators import estimator_row
from understandability.model.passage_model import PassageModel
from understandability.training.blend import fit_blend, prove
from understandability.training.labelled import (
    LabelColumns,
    percentile,
    read_labelled,
    rescaled_label,
)
from understandability.training.portable import portable
from understandability.training.spelling import SpelledTexts, SpellingReader
from understandability.training.validation import folds_of, pearson, roc_auc

SETS = {
    "clear": "higher-easier",
    "medreadme": "higher-harder",
    "readmepp_en": "higher-harder",
    "onestop": "higher-harder",
    "medreadme_docs": "higher-harder",
    "cochrane_pls": "higher-harder",
}
SIZES = (50, 150, 500, 1500)
HELD_OUT = 0.3
FOLDS = 10


def inputs_of(
    data: Path, name: str, cache: Path | None
) -> tuple[dict[str, NDArray[np.generic]], SpelledTexts]:
    """Return passage columns, features, labels (higher is harder), groups and words of a set.

    The words are read again from the texts, the rest from the cache.
    """
    path = cache / f"own_labels_{name}.npz" if cache else None
    texts = read_labelled(str(data / "labelled" / f"{name}.jsonl.gz"), LabelColumns(SETS[name]))
    spelling = SpellingReader()
    if path and path.exists():
        for batch in batches(texts.documents):
            spelling.add(batch)
        with np.load(path) as cached:
            return {key: cached[key] for key in cached.files}, spelling.texts()
    base = load_bundle("open").model
    assert isinstance(base, PassageModel)
    columns, rows, features = text_columns(), [], []
    for batch in batches(texts.documents):
        spelling.add(batch)
        rows.append(blend_inputs(base, batch))
        features.append(features_of(batch, columns).values)
    arrays = {
        "rows": np.concatenate(rows),
        "features": np.concatenate(features),
        "labels": texts.labels,
        "groups": np.unique(np.array(texts.groups), return_inverse=True)[1],
    }
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **arrays)
    return arrays, spelling.texts()


def agreement(name: str, values: Floats, labels: Floats) -> float:
    """Return the Pearson correlation with the labels, or ROC AUC for Cochrane's 0 and 1."""
    return roc_auc(values, labels > 0) if name == "cochrane_pls" else pearson(values, labels)


def drawn(groups: NDArray[np.int64], seed: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the training texts, in random order of groups, and a mask of the held-out texts."""
    order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    count = round(HELD_OUT * len(order))
    rank = np.argsort(order)[groups]  # the position of each text's group in the order
    held_out = rank < count
    learned = np.argsort(rank, kind="stable")[int(held_out.sum()) :]
    return learned, held_out


def figures_of(
    name: str,
    arrays: dict[str, NDArray[np.generic]],
    spelled: SpelledTexts,
    size: int,
    seed: int,
) -> Floats:
    """Return the agreement of `open`'s better output, the former default, and the blend."""
    rows, features, labels = (
        np.asarray(arrays[key], np.float64) for key in ("rows", "features", "labels")
    )
    groups = np.asarray(arrays["groups"], np.int64)
    learned, held_out = drawn(groups, seed)
    learned = learned[:size]
    truth, targets = labels[held_out], rescaled_label(labels[learned])
    outputs = rows[:, -len(BASE_OUTPUTS) :]
    untrained = max(agreement(name, outputs[held_out, i], truth) for i in (0, 1))
    former = portable(
        estimator_row("xgboost-regressor")
        .make(0)
        .fit(features[learned], percentile(labels[learned]))
    )(features[held_out])[:, 0]
    own = np.unique(groups[learned], return_inverse=True)[1]
    weights = np.ones(len(learned))
    fold = folds_of(own, min(FOLDS, int(own.max()) + 1), 0)
    of_learned = spelled.rows(learned)
    mixture = prove(rows[learned], of_learned, targets, weights, own, fold, 0).mixture()
    fitted = fit_blend(rows[learned], of_learned, targets, weights, 0)
    blend = mixture.of(*fitted.outputs(rows[held_out], spelled.rows(held_out)))
    return np.array(
        [untrained, agreement(name, former, truth), agreement(name, blend, truth), mixture.share]
    )


def table(data: Path, cache: Path | None, names: Sequence[str], draws: int) -> str:
    """Return a table with a row for each set and number of labels."""
    lines = []
    for name in names:
        arrays, spelled = inputs_of(data, name, cache)
        available = int(drawn(np.asarray(arrays["groups"], np.int64), 0)[1].size * (1 - HELD_OUT))
        sizes = [size for size in SIZES if size == SIZES[-1] or size < 0.9 * available]
        for size in sizes:
            figures = np.array(
                [figures_of(name, arrays, spelled, size, seed) for seed in range(draws)]
            )
            untrained, former, blend, share = figures.mean(axis=0)
            least = (figures[:, 2] - figures[:, 0]).min()
            label = f"all (up to {SIZES[-1]:,})" if size == SIZES[-1] else str(size)
            cells = [f"{value:.3f}" for value in (untrained, former, blend, share)]
            lines.append([name, label, *cells, f"{least:+.3f}"])
            print(" ".join(lines[-1]), flush=True)
    head = ["set", "labels", "`open`, untrained", "former", "blend", "share", "least gain"]
    return markdown(head, lines)


def main() -> None:
    parser = parser_of(__doc__, cache=True, output="results/own_labels.md", draws=5)
    parser.add_argument("--sets", nargs="+", choices=[*SETS], default=[*SETS])
    arguments = parser.parse_args()
    lines = table(arguments.data, arguments.cache, arguments.sets, arguments.draws)
    fill(arguments.output, {"own-labels": lines})


if __name__ == "__main__":
    main()
