"""A model trained on a user's labels, on top of the bundle `open`: a line plus a correction.

The *prior* is a linear function of the base model's difficulty and level. Learners read the columns
of passages (`passage_columns`) and the base model's three outputs. Direct learners estimate the
label; the other learners estimate its difference from the prior. One direct learner reads the
spelling of the words instead. The *correction* is the weighted mean difference over all learners.
The estimate is ``prior + share * correction``. With a share of 0, it is the base model's output on
the scale of the labels.

`training.blend` fits prior and learners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.background import expected_label
from understandability.model.estimators import ESTIMATORS
from understandability.model.model import Reading, check_estimator
from understandability.model.passage_model import PassageModel
from understandability.model.passages import passage_columns
from understandability.model.predictors import MOST, Predictor, predictor_files, predictor_of
from understandability.model.spelling import Spelling

BLEND = "blend"
# Outputs of the base model that the learner reads, following the columns of passages.
BASE_OUTPUTS = ("base_difficulty", "base_level", "base_message")
SPELLING = "spelling"  # the name of the estimate by spelling, an input of the correction
_MAX_LEARNERS = 4
_SPELLING_FILE = "spelling.npz"


@cache
def blend_columns() -> tuple[str, ...]:
    """Return the names of the learners' inputs: the columns of passages, then `BASE_OUTPUTS`."""
    return (*passage_columns(), *BASE_OUTPUTS)


def blend_inputs(base: PassageModel, batch: Batch) -> Floats:
    """Compute the learners' inputs, (documents, columns); NaN for a document without passages.

    Columns are means over the document's passages, weighted by words.
    """
    reading = batch.once(base.read)
    outputs = np.stack([reading.raw, reading.level, reading.message], axis=1)
    return np.concatenate([base.inputs(batch), outputs], axis=1)


@dataclass(frozen=True, slots=True)
class Prior:
    """A linear function of the base model's difficulty and level; neither slope is negative.

    >>> Prior(10.0, 0.5, 0.0).of(np.array([[40.0, 3.0]])).tolist()
    [30.0]
    """

    start: float
    difficulty: float
    level: float

    def __post_init__(self) -> None:
        numbers = (self.start, self.difficulty, self.level)
        if not (max(map(abs, numbers)) <= MOST and min(self.difficulty, self.level) >= 0):
            raise InputError("its prior is not a line that rises with difficulty and level")

    def of(self, outputs: Floats) -> Floats:
        """Return the prior of each text, given the base model's outputs.

        The first two columns of `outputs` are difficulty and level.
        """
        return np.asarray(self.start + self.difficulty * outputs[:, 0] + self.level * outputs[:, 1])


def distances_of(
    prior: Floats,
    rows: Floats,
    direct: Sequence[Predictor],
    corrections: Sequence[Predictor],
    labels: tuple[float, ...] = (),
) -> Floats:
    """Return the difference from the prior that each learner estimates; (texts, learners).

    Direct learners come first. `labels` are the difficulties of a classifier's classes.
    """
    distances = [expected_label(learner(rows), labels) - prior for learner in direct]
    distances += [learner(rows)[:, 0] for learner in corrections]
    return np.stack(distances, axis=1)


@dataclass(frozen=True, eq=False)
class BlendModel:
    """A base model, a linear function of its outputs (the prior), and learners of a correction.

    Attributes:
        estimator: ``blend``, or the name in `ESTIMATORS` of a single learner without a prior.
        base: The base model.
        prior: The line over its difficulty and level.
        direct: Learners of the label.
        corrections: Learners of the distance between label and prior.
        share: The weight of the correction, from 0 to 1.
        center: The mean of each input over the training texts.
        weights: The weights of the learners in the correction: direct ones, corrections, spelling.
        labels: The difficulties of a classifier's classes; empty for regressors.
        spelling: A learner of the label that reads the spelling of words.
    """

    estimator: str
    base: PassageModel
    prior: Prior
    direct: tuple[Predictor, ...]
    corrections: tuple[Predictor, ...]
    share: float
    center: tuple[float, ...]
    weights: tuple[float, ...] = (1.0,)
    labels: tuple[float, ...] = ()
    spelling: Spelling | None = None

    def __post_init__(self) -> None:
        columns = len(blend_columns())
        learners = (*self.direct, *self.corrections)
        if not (
            0 < len(learners) <= _MAX_LEARNERS
            and all(learner.inputs == columns for learner in learners)
            and len(self.center) == len(self.names)
        ):
            raise InputError("its learners do not read the columns of passages")
        if not 0 <= self.share <= 1:
            raise InputError("the share of its correction is not between 0 and 1")
        count = len(learners) + (self.spelling is not None)
        if not (len(self.weights) == count and all(0 <= weight <= 1 for weight in self.weights)):
            raise InputError("the weights of its learners are not numbers from 0 to 1")
        outputs = (1, max(1, len(self.labels)))
        if any(learner(np.zeros((1, columns))).shape != outputs for learner in learners):
            raise InputError("its labels and its learners do not fit together")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return (*blend_columns(), *[SPELLING] * (self.spelling is not None))

    @property
    def typical(self) -> Floats:
        """The mean of each input over the training texts."""
        return np.array(self.center)

    def inputs(self, batch: Batch) -> Floats:
        """Compute the inputs of each document; shape (documents, names).

        They are the columns of passages, the outputs of the base model, and, if the blend has such
        a learner, the estimate by spelling.
        """
        inputs = blend_inputs(self.base, batch)
        if self.spelling is None:
            return inputs
        return np.concatenate([inputs, self.spelling(batch)[:, None]], axis=1)

    def predict(self, inputs: Floats) -> Floats:
        """Return the raw output for each row of inputs; NaN if the base model has no estimate."""
        result = np.full(len(inputs), np.nan)
        has_inputs = np.isfinite(inputs).all(axis=1)
        if not has_inputs.any():
            return result
        rows = inputs[has_inputs, : len(blend_columns())]
        raw = self.prior.of(rows[:, -len(BASE_OUTPUTS) :])
        if self.share:
            distances = distances_of(raw, rows, self.direct, self.corrections, self.labels)
            if self.spelling is not None:
                by_spelling = inputs[has_inputs, -1:] - raw[:, None]
                distances = np.concatenate([distances, by_spelling], axis=1)
            raw += self.share * np.einsum("ij,j->i", distances, self.weights)
        result[has_inputs] = raw
        return result

    def read(self, batch: Batch) -> Reading:
        """Return the blend's output for each document, with the base model's level and flags."""
        raw = self.predict(self.inputs(batch))
        reading = batch.once(self.base.read)
        return replace(reading, raw=raw, message=raw, error=np.full(len(raw), np.nan))

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model: its entry in ``bundle.json``, and the contents of weight files by
        name.

        The entry holds the prior. The base model and each learner have their own files.
        """
        base, base_files = self.base.to_parts()
        files = {f"base-{name}": content for name, content in base_files.items()}
        for name, learners in (("direct", self.direct), ("correction", self.corrections)):
            for number, learner in enumerate(learners):
                [content] = predictor_files(learner).values()
                files[f"{name}-{number}.npz"] = content
        if self.spelling is not None:
            files[_SPELLING_FILE] = self.spelling.to_bytes()
        model = {
            "kind": BLEND,
            "estimator": self.estimator,
            "base": base,
            "prior": [self.prior.start, self.prior.difficulty, self.prior.level],
            "share": self.share,
            "weights": list(self.weights),
            "direct": len(self.direct),
            "corrections": len(self.corrections),
            "center": list(self.center),
            "labels": list(self.labels),
        }
        return model, files

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """Restore a model from the result of `to_parts`."""
        estimator, base = model.get("estimator"), model.get("base")
        if estimator != BLEND:
            estimator = check_estimator(estimator).name
        if not isinstance(base, dict):
            raise InputError("it has no base model")
        counts: list[int] = []
        for name in ("direct", "corrections"):
            count = model.get(name)
            if not (isinstance(count, int) and 0 <= count <= _MAX_LEARNERS):
                raise InputError("it states no numbers of learners")
            counts.append(count)
        own = {
            name.removeprefix("base-"): content
            for name, content in weights.items()
            if name.startswith("base-")
        }
        try:
            prior = Prior(*map(float, model["prior"]))
            share = float(model["share"])
            center, labels, learner_weights = (
                tuple(map(float, model[name])) if isinstance(model[name], list) else (np.nan,)
                for name in ("center", "labels", "weights")
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError("it states no prior, share, weights, center and labels") from error
        if not all(abs(number) <= MOST for number in (*center, *labels)):
            raise InputError(f"its center and labels are not numbers up to {MOST:g}")
        direct, corrections = (
            tuple(predictor_of(weights, f"{name}-{number}") for number in range(count))
            for name, count in zip(("direct", "correction"), counts, strict=True)
        )
        classifies = estimator != BLEND and ESTIMATORS[estimator].classifies
        if classifies != (len(labels) > 1) or len(labels) == 1:
            raise InputError("its labels and its estimator do not fit together")
        return cls(
            estimator,
            PassageModel.from_parts(base, own),
            prior,
            direct,
            corrections,
            share,
            center,
            learner_weights,
            labels,
            Spelling.from_files(weights, _SPELLING_FILE) if _SPELLING_FILE in weights else None,
        )
