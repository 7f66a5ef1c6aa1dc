"""Compute all numbers that training needs, such as features, in one pass over the documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.table import batches, features_of
from understandability.model.background import BackgroundModel
from understandability.model.blend import blend_columns, blend_inputs
from understandability.model.bundle import Bundle
from understandability.model.passage_model import PassageModel
from understandability.text.document import Document
from understandability.training.spelling import SpelledTexts, SpellingReader
from understandability.training.validation import BASELINES, harder_baselines


@dataclass(frozen=True, slots=True)
class Measurements:
    """The numbers that training needs; all arrays have one row per document.

    `rows` holds the inputs of the blend (`blend_columns`) in float32, and `features` holds columns
    of the catalogue. An array that was not requested has no columns. `baselines` are formulas by
    name (higher is harder). `default` holds the difficulty and the level estimated by the default
    bundle. `spelled` holds the words, if they were requested.
    """

    rows: Floats
    features: Floats
    baselines: Mapping[str, Floats]
    default: Mapping[str, Floats]
    spelled: SpelledTexts | None = None

    def among(self, measured: NDArray[np.bool_]) -> Measurements:
        """Return baselines and default with NaN for the texts that were not measured."""
        baselines, default = (
            {name: scattered(values, measured) for name, values in columns.items()}
            for columns in (self.baselines, self.default)
        )
        return replace(self, baselines=baselines, default=default)


def scattered(values: Floats, where: NDArray[np.bool_]) -> Floats:
    """Put values where the mask is true, and NaN elsewhere.

    >>> scattered(np.array([5.0]), np.array([False, True])).tolist()
    [nan, 5.0]
    """
    result = np.full(len(where), np.nan)
    result[where] = values
    return result


def measure_texts(
    documents: Iterable[Document],
    count: int,
    default: Bundle,
    columns: Sequence[str],
    models: Sequence[BackgroundModel],
    with_passages: bool,
    with_spelling: bool,
    progress: Callable[[str, int, int], None],
) -> Measurements:
    """Compute the numbers of `count` documents.

    `columns` are the columns of the catalogue to learn from. `progress` is called with the name of
    the step, the number of finished documents, and the total.
    """
    base = default.model
    assert isinstance(base, PassageModel)
    width = len(blend_columns()) if with_passages else 0
    rows: Any = np.empty((count, width), np.float32)  # half the memory of float64
    features = np.empty((count, len(columns)))
    formulas = np.empty((count, len(BASELINES)))
    outputs = np.empty((count, 2))
    spelling = SpellingReader()
    done = 0
    for batch in batches(documents):
        part = slice(done, done + len(batch))
        reading = batch.once(base.read)
        outputs[part] = np.stack([reading.raw, reading.level], axis=1)
        if with_passages:
            rows[part] = blend_inputs(base, batch)
        if with_spelling:
            spelling.add(batch)
        if columns:
            features[part] = features_of(batch, columns, models).values
        formulas[part] = features_of(batch, BASELINES).values
        done = part.stop
        progress("reading texts", done, count)
    difficulty, level = outputs.T
    return Measurements(
        rows,
        features,
        harder_baselines(formulas),
        {"difficulty": difficulty, "level": level},
        spelling.texts() if with_spelling else None,
    )
