"""Maps from a model's raw output to difficulty (0 very easy, 100 very hard) and its spread."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.model.model import Reading
from understandability.model.predictors import MOST

EASIEST, HARDEST = 0.0, 100.0
# Words: up to SHORT a text is short (like most sentences). From _LONG on its length makes no
# difference, because few documents with human labels are longer.
SHORT, _LONG = 50, 300

# Difficulties of the easiest and the hardest background corpus; the labels between are spaced
# evenly. Three labels have the difficulties 20, 50 and 80: CEFR B1, C1, C2.
_EASIEST_LABEL, _HARDEST_LABEL = 20.0, 80.0

# The scale of bundles that name no scale: bundles of the first versions, and two in the package.
LABELS = "labels.v1"


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone piecewise linear map from raw output to difficulty, and its standard error.

    `raw`, `difficulty` and `spread` have one entry per knot. `raw` ascends, and `difficulty` never
    falls. Beyond the outer knots the difficulty is constant. `scale` names the scale of the
    difficulties.

    `spread` is the standard error for texts of up to 50 words. It falls in proportion to
    ``words ** -shrink`` up to 300 words, because longer texts carry more evidence. `lean` is
    subtracted from the raw output for every factor of e in length, because people may judge longer
    texts easier.

    >>> Calibration((1.0, 3.0), (20.0, 80.0), (5.0, 15.0)).of([0, 2, 2.5])
    (array([20., 50., 65.]), array([ 5. , 10. , 12.5]))
    >>> Calibration((1, 3), (20, 80), (5, 15), shrink=0.5).of([2], [200])
    (array([50.]), array([5.]))
    >>> longer = Calibration((1, 3), (20, 80), (5, 5), lean=0.1)
    >>> longer.of([2], [50 * np.e])[0].round(6)
    array([47.])
    """

    raw: tuple[float, ...]
    difficulty: tuple[float, ...]
    spread: tuple[float, ...]
    shrink: float = 0.0
    lean: float = 0.0
    scale: str = LABELS

    def __post_init__(self) -> None:
        raw, difficulty, spread = map(np.asarray, (self.raw, self.difficulty, self.spread))
        if not (
            len(raw) == len(difficulty) == len(spread) >= 2
            and bool((np.abs(np.concatenate([raw, difficulty])) <= MOST).all())
            and bool((np.diff(raw) > 0).all())
            and bool((np.diff(difficulty) >= 0).all())
            and difficulty[0] >= EASIEST
            and difficulty[-1] <= HARDEST
            and bool(((spread > 0) & (spread <= HARDEST)).all())
            and 0 <= self.shrink <= 1
            and -1 <= self.lean <= 1
        ):
            raise InputError(
                "a calibration needs two or more knots of rising raw output, with a difficulty "
                "from 0 to 100 that never falls and a spread above 0, up to 100"
            )

    def apply(self, reading: Reading) -> tuple[Floats, Floats]:
        """Return the difficulty of a model's output and its standard error; NaN stays NaN."""
        return self.of(reading.raw, reading.words)

    def of(self, raw: ArrayLike, words: ArrayLike = SHORT) -> tuple[Floats, Floats]:
        """Return difficulty and standard error for raw outputs and the lengths of the texts in
        words.
        """
        # Log of the length relative to a short text: 0 up to 50 words, 1 at 136 words.
        longer = np.log(np.clip(np.asarray(words, np.float64), SHORT, _LONG) / SHORT)
        values = np.asarray(raw, np.float64) - self.lean * longer
        spread = np.interp(values, self.raw, self.spread) * np.exp(-self.shrink * longer)
        return np.interp(values, self.raw, self.difficulty), spread

    def on_own_scale(self) -> Self:
        """Return this map with a new name for its scale, derived from its knots.

        >>> Calibration((1.0, 3.0), (20.0, 80.0), (5.0, 15.0)).on_own_scale().scale
        'own-396e0c61'
        """
        knots = json.dumps([self.raw, self.difficulty, self.spread])
        return replace(self, scale=f"own-{hashlib.sha256(knots.encode()).hexdigest()[:8]}")

    def examples(self) -> list[tuple[float, float, float]]:
        """The raw output, difficulty and spread of each knot, for the model card."""
        return list(zip(self.raw, self.difficulty, self.spread, strict=True))

    def to_json(self) -> dict[str, Any]:
        """Return the knots and the name of the scale, for ``bundle.json``."""
        knots: dict[str, Any] = {
            "raw": list(self.raw),
            "difficulty": list(self.difficulty),
            "spread": list(self.spread),
            "shrink": self.shrink,
            "lean": self.lean,
        }
        return knots if self.scale == LABELS else {**knots, "scale": self.scale}

    @classmethod
    def from_json(cls, knots: Mapping[str, Any]) -> Self:
        """Restore a calibration from the result of `to_json`; raise `InputError` for anything
        else.
        """
        try:
            raw, difficulty, spread = (
                tuple(map(float, knots[name])) for name in ("raw", "difficulty", "spread")
            )
            lean = float(knots.get("lean", 0.0))  # older bundles have none
            scale = knots.get("scale", LABELS)
            if not isinstance(scale, str):
                raise TypeError
            return cls(raw, difficulty, spread, float(knots["shrink"]), lean, scale)
        except (TypeError, ValueError, KeyError) as error:
            raise InputError("the calibration is not three lists of numbers and two") from error


def calibrate_by_corpora(raw: ArrayLike, labels: ArrayLike) -> Calibration:
    """Calibrate a model of background corpora on documents that it was not trained on.

    The median document of the easiest corpus gets difficulty 20, and of the hardest 80. Corpora in
    between are spaced evenly. Beyond them, the map continues with the same slopes to 0 and 100.
    This is a convention, not a human judgement. The spread is the root mean square distance of
    documents from the difficulty of their own label.

    Raises `InputError` if the medians do not rise from label to label.

    >>> calibrate_by_corpora([0, 1, 2, 4, 5, 6], [1, 1, 1, 2, 2, 2]).difficulty
    (0.0, 20.0, 80.0, 100.0)
    """
    values, numbers = np.asarray(raw, np.float64), np.asarray(labels, np.float64)
    classes = np.unique(numbers)
    medians = [float(np.median(values[numbers == label])) for label in classes]
    difficulty = np.linspace(_EASIEST_LABEL, _HARDEST_LABEL, len(classes))
    if len(classes) < 2 or bool((np.diff(medians) <= 0).any()):
        raise InputError(
            "the model does not separate the labels: the median of its output does not rise "
            f"from label to label ({', '.join(f'{median:.4g}' for median in medians)}); "
            "train it on more documents, or on corpora that differ more"
        )
    below = medians[0] - difficulty[0] * (medians[1] - medians[0]) / (difficulty[1] - difficulty[0])
    above = medians[-1] + (HARDEST - difficulty[-1]) * (medians[-1] - medians[-2]) / (
        difficulty[-1] - difficulty[-2]
    )
    knots = (below, *medians, above)
    difficulties = (EASIEST, *difficulty.tolist(), HARDEST)
    errors = np.interp(values, knots, difficulties) - np.interp(numbers, classes, difficulty)
    spread = float(np.sqrt(np.mean(errors**2)))
    return Calibration(knots, difficulties, (max(spread, 1.0),) * len(knots))


def calibrate_by_line(raw: ArrayLike, difficulties: ArrayLike) -> Calibration:
    """Calibrate a model by the line of best fit of difficulty (0 to 100) over raw output.

    `raw` are outputs for texts that the model was not trained on. The spread is the standard
    deviation of the difficulties around the line. Raises `InputError` if the line does not rise.

    >>> np.round(calibrate_by_line([1, 2, 3], [20, 40, 60]).raw, 6) + 0.0
    array([0., 5.])
    """
    values, labels = np.asarray(raw, np.float64), np.asarray(difficulties, np.float64)
    centred = values - values.mean()
    variance = float(centred @ centred)
    is_constant = float(np.ptp(values)) <= 1e-9 * float(np.abs(values).max())  # but for rounding
    slope = 0.0 if is_constant else float(centred @ labels) / variance
    start = float(labels.mean()) - slope * float(values.mean())
    if slope <= 0:
        raise InputError(
            "the model's estimates of these texts do not rise with the labels; check the labels' "
            "direction, or give more labels, above all of values that few texts have"
        )
    spread = max(float(np.std(labels - (slope * values + start))), 0.5)
    ends = (float((EASIEST - start) / slope), float((HARDEST - start) / slope))
    return Calibration(ends, (EASIEST, HARDEST), (spread, spread))


# CEFR levels, from 1 (A1) to 6 (C2), and their difficulties.
CEFR_LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
CEFR_DIFFICULTIES = (0.0, 10.0, 20.0, 30.0, 50.0, 80.0)


def difficulty_of_level(level: ArrayLike) -> Floats:
    """Convert CEFR levels, 1 (A1) to 6 (C2), to difficulties, by linear interpolation.

    >>> difficulty_of_level([1, 4.5, 6]).tolist()
    [0.0, 40.0, 80.0]
    """
    return np.interp(np.asarray(level, np.float64), CEFR_LEVELS, CEFR_DIFFICULTIES)
