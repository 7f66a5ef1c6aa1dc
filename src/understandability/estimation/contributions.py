"""What moved an estimate: the contributions of XGBoost's trees, by group of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from understandability.errors import OptionError
from understandability.estimation.boosting import Boosted
from understandability.estimation.bundles import Bundle
from understandability.estimation.judged import JudgedModel
from understandability.estimation.mixture import (
    MixtureModel,
    input_names,
    inputs_of,
    prepared,
    tree_inputs,
)
from understandability.estimation.style import STYLE_COLUMNS
from understandability.estimation.users import Floats
from understandability.features import COLUMNS, Batch, features_of

STYLE_GROUP, WORDS_GROUP = "style", "word choice"


@dataclass(frozen=True, slots=True)
class Contributions:
    """Why one document has its difficulty.

    `average` is the difficulty of a text of which nothing is known; it and what each group of
    features adds, in points of difficulty, make up the document's own (`difficulty`).
    """

    docno: str
    average: float
    difficulty: float
    groups: Mapping[str, float]


def contributions(bundle: Bundle, batch: Batch) -> tuple[Contributions, ...]:
    """The contributions of each document's features, largest first.

    They are those of the model's trees (Lundberg & Lee 2017), brought to points of difficulty by
    one factor a document, so that they add up to the estimate; where a model has other parts
    than trees, these are taken to be moved by the same. Groups are those of the catalogue,
    ``style`` and ``word choice``. Documents without words are left out.

    Raises `OptionError` for a bundle whose model has no trees of XGBoost.

    >>> from understandability.documents import document_of_text
    >>> from understandability.estimation import load_bundle
    >>> why, = contributions(load_bundle("default"), Batch([document_of_text("Rest and drink.")]))
    >>> round(why.average + sum(why.groups.values()) - why.difficulty, 6)
    0.0
    """
    names, trees, rows = _trees(bundle, batch)
    shares = trees.contributions(rows)
    groups = [_group(name) for name in names]
    difficulty, _ = bundle.calibration.apply(bundle.model.raw(batch))
    average, _ = bundle.calibration.apply(shares[:, -1])
    result = []
    for index, document in enumerate(batch.documents):
        if not batch.words[index]:
            continue
        sums = {
            group: float(sum(shares[index, i] for i, name in enumerate(groups) if name == group))
            for group in dict.fromkeys(groups)
        }
        moved = _in_points(sums, float(difficulty[index] - average[index]))
        ordered = dict(sorted(moved.items(), key=lambda item: -abs(item[1])))
        result.append(
            Contributions(
                document.docno,
                float(average[index]),
                float(difficulty[index]),
                MappingProxyType(ordered),
            )
        )
    return tuple(result)


def _in_points(sums: Mapping[str, float], points: float) -> dict[str, float]:
    """The sums times one factor, so that they add up to the points.

    Where the sums cancel, or point the other way, no factor does; then the rest is spread evenly
    over what was moved.
    """
    total, size = sum(sums.values()), sum(map(abs, sums.values()))
    if size > 0 and total * points > 0 and abs(total) > 0.1 * size:
        return {group: value * points / total for group, value in sums.items()}
    return {group: value + (points - total) / len(sums) for group, value in sums.items()}


def _trees(bundle: Bundle, batch: Batch) -> tuple[Sequence[str], Boosted, Floats]:
    """The names of the trees' inputs, the trees, and their inputs for each document."""
    model = bundle.model
    if isinstance(model, JudgedModel) and isinstance(model.predictor, Boosted):
        return model.columns, model.predictor, features_of(batch, model.columns).values
    if isinstance(model, MixtureModel):
        rows = prepared(inputs_of(batch, model.columns), model.center, model.scale)
        estimates = model.kernel(rows)[:, : len(model.domains)]
        names = (*input_names(model.columns), *model.domains)
        return names, model.trees, np.asarray(tree_inputs(rows, estimates), np.float64)
    raise OptionError(
        f"bundle {bundle.name} has no trees of XGBoost, whose contributions could be told; "
        "use the default bundle"
    )


def _group(name: str) -> str:
    if name in COLUMNS:
        return COLUMNS[name][0].group
    return STYLE_GROUP if name in STYLE_COLUMNS else WORDS_GROUP
