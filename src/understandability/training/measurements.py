"""Read all numbers of labelled texts that training needs, in one pass over the documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.feature.table import batches, features_of
from understandability.model.background import BackgroundModel
from understandability.model.blend import blend_columns, blend_inputs
from understandability.model.bundle import Bundle
from understandability.model.passage_model import PassageModel
from understandability.text.document import Document
from understandability.training.validation import BASELINES, harder_baselines


@dataclass(frozen=True, slots=True)
class Measurements:
    """Numbers of each text; all arrays have a row per document.

    `rows` are those of `blend_columns` in float32, `features` columns of the catalogue; either has
    no columns if it was not requested. `baselines` are formulas by name, higher = harder, `default`
    the difficulty and level of the default bundle.
    """

    rows: Floats
    features: Floats
    baselines: Mapping[str, Floats]
    default: Mapping[str, Floats]


def measure_texts(
    documents: Iterable[Document],
    count: int,
    default: Bundle,
    columns: Sequence[str],
    models: Sequence[BackgroundModel],
    with_passages: bool,
    tell: Callable[[str, int, int], None],
) -> Measurements:
    """Measure `count` documents; `columns` are those of the catalogue that are learned from."""
    base = default.model
    assert isinstance(base, PassageModel)
    width = len(blend_columns()) if with_passages else 0
    rows: Any = np.empty((count, width), np.float32)  # half the memory of float64
    features = np.empty((count, len(columns)))
    formulas = np.empty((count, len(BASELINES)))
    outputs = np.empty((count, 2))
    done = 0
    for batch in batches(documents):
        part = slice(done, done + len(batch))
        reading = batch.once(base.read)
        outputs[part] = np.stack([reading.raw, reading.level], axis=1)
        if with_passages:
            rows[part] = blend_inputs(base, batch)
        if columns:
            features[part] = features_of(batch, columns, models).values
        formulas[part] = features_of(batch, BASELINES).values
        done = part.stop
        tell("reading texts", done, count)
    difficulty, level = outputs.T
    return Measurements(
        rows, features, harder_baselines(formulas), {"difficulty": difficulty, "level": level}
    )
