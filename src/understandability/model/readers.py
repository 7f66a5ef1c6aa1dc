"""From a model's output to difficulty, 0 (very easy) to 100 (very hard), and on to P(U|d).

A scale maps a model's output; a reader tells who understands. A user is a threshold and a noise,
``P(U|d) = P(score + noise < threshold)``: none (step), Cauchy (arctan) or normal (calibrated).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, OptionError
from understandability.inputs.streams import open_stream
from understandability.model.model import Reading
from understandability.model.predictors import MOST

EASIEST, HARDEST = 0.0, 100.0
# In words: up to here a text is as short as can be (most sentences are), and from there as long
# (few documents that people judged by level are longer).
SHORT, _LONG = 50, 300

# Where the labels of background corpora stand: the easiest, and the hardest, spaced evenly
# between; with three labels 20, 50, 80: CEFR B1, C1, C2.
_EASIEST_LABEL, _HARDEST_LABEL = 20.0, 80.0


# The scale of bundles that state none: those of the first versions, and two in the package.
LABELS = "labels.v1"


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone map by straight lines between knots, and the standard error along it.

    `raw` ascends, `difficulty` does not descend; both have one entry a knot, as has `spread`,
    which is that of a text of up to 50 words. It falls with the words to the power of `-shrink`,
    up to 300 words: a longer text tells more. For each time that it is e times as long, `lean` is
    taken off its raw output: people may judge it easier. Outside the knots the difficulty stays
    that of the nearest. `scale` names the scale of the difficulties.

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
        """Difficulty and its standard error; NaN stays NaN."""
        return self.of(reading.raw, reading.words)

    def of(self, raw: ArrayLike, words: ArrayLike = SHORT) -> tuple[Floats, Floats]:
        """The same of raw outputs of texts of so many words."""
        longer = _longer(words)
        values = np.asarray(raw, np.float64) - self.lean * longer
        spread = np.interp(values, self.raw, self.spread) * np.exp(-self.shrink * longer)
        return np.interp(values, self.raw, self.difficulty), spread

    def on_own_scale(self) -> Self:
        """The same map under a name of scale that no other map has.

        >>> Calibration((1.0, 3.0), (20.0, 80.0), (5.0, 15.0)).on_own_scale().scale
        'own-396e0c61'
        """
        knots = json.dumps([self.raw, self.difficulty, self.spread])
        return replace(self, scale=f"own-{hashlib.sha256(knots.encode()).hexdigest()[:8]}")

    def examples(self) -> list[tuple[float, float, float]]:
        """Raw outputs with their difficulty and spread, for a card: the knots."""
        return list(zip(self.raw, self.difficulty, self.spread, strict=True))

    def to_json(self) -> dict[str, Any]:
        """The knots, for ``bundle.json``; a scale of its own by name."""
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
        """The calibration that `to_json` gave; raises `InputError` for anything else."""
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


READINGS = "readings.v1"


@dataclass(frozen=True, slots=True)
class ReadingScale:
    """The scale of readings, on which models of passages learned: nothing is to be mapped.

    0 is a text that a child follows without effort, 100 one that hardly anyone follows without
    training; an adult of the public is meant, who reads it once.
    """

    scale: ClassVar[str] = READINGS

    def apply(self, reading: Reading) -> tuple[Floats, Floats]:
        """Difficulty, from 0 to 100, and its standard error; NaN stays NaN."""
        return np.clip(reading.raw, EASIEST, HARDEST), reading.error

    def examples(self) -> list[tuple[float, float, float]]:
        """None: output and difficulty are the same."""
        return []

    def to_json(self) -> dict[str, Any]:
        """Its name."""
        return {"scale": self.scale}


@dataclass(frozen=True, slots=True)
class AssessorScale:
    """From levels to difficulty as assessors of CLEF eHealth 2016 used the scale, 0 to 100.

    Assessors' labels have the mean `mean` and the standard deviation `deviation`, and correlate
    with estimates by `correlation`. Pages of the kind that they judged have levels of the mean
    `level` and the standard deviation `level_deviation`. So of a page whose level lies z deviations
    from that mean, labels are expected at ``mean + correlation * deviation * z``, with the spread
    ``deviation * sqrt(1 - correlation**2)`` about it; the error of the level adds to that. Far out
    z is bent so that it stays within `reach`: no page of those was further away. The
    spread is not bent.

    >>> scale = AssessorScale(42.0, 25.0, 0.5, level=4.0, level_deviation=0.4, reach=3.0)
    >>> difficulty, spread = scale.of(np.array([4.0, 4.4]), np.array([0.0, 0.0]))
    >>> difficulty.round(1).tolist(), spread.round(1).tolist()
    ([42.0, 54.1], [21.7, 21.7])
    >>> round(scale.level_of(42.0), 6)
    4.0
    """

    mean: float
    deviation: float
    correlation: float
    level: float
    level_deviation: float
    reach: float

    scale: ClassVar[str] = "assessors-2016.v1"

    def __post_init__(self) -> None:
        values = list(asdict(self).values())
        if not (
            np.isfinite(values).all()
            and min(self.deviation, self.level_deviation, self.reach) > 0
            and 0 < self.correlation < 1
            and self.mean - self.correlation * self.deviation * self.reach >= 0
            and self.mean + self.correlation * self.deviation * self.reach <= 100
        ):
            raise InputError("its scale leaves 0 to 100, or is none")

    def apply(self, reading: Reading) -> tuple[Floats, Floats]:
        """Difficulty and its spread; NaN stays NaN."""
        return self.of(reading.level, reading.level_error)

    def of(self, level: Floats, error: Floats) -> tuple[Floats, Floats]:
        """The same for levels with these standard errors."""
        bent = np.tanh((level - self.level) / self.level_deviation / self.reach)
        step = self.correlation * self.deviation
        difficulty = self.mean + step * self.reach * bent
        of_level = step / self.level_deviation * error
        of_readers = self.deviation * np.sqrt(1 - self.correlation**2)
        return difficulty, np.hypot(of_readers, of_level)

    def level_of(self, difficulty: float) -> float:
        """The level whose expected difficulty this is."""
        bent = (difficulty - self.mean) / (self.correlation * self.deviation * self.reach)
        if not -1 < bent < 1:
            raise InputError(f"no level has the difficulty {difficulty:g} on {self.scale}")
        return float(self.level + self.level_deviation * self.reach * np.arctanh(bent))

    def to_json(self) -> dict[str, float]:
        """Its numbers, for ``bundle.json``."""
        return asdict(self)

    @classmethod
    def from_json(cls, numbers: object) -> Self:
        """The scale that `to_json` gave; raises `InputError` for anything else."""
        try:
            return cls(**{name: float(value) for name, value in dict(numbers).items()})  # type: ignore[call-overload]
        except (TypeError, ValueError) as error:
            raise InputError("it states no scale of assessors") from error


def _longer(words: ArrayLike) -> Floats:
    """How much longer than short texts, by the logarithm."""
    return np.log(np.clip(np.asarray(words, np.float64), SHORT, _LONG) / SHORT)


def calibrate_by_corpora(raw: ArrayLike, labels: ArrayLike) -> Calibration:
    """The calibration of a model of background corpora, from documents it was not trained on.

    The median document of the easiest label has difficulty 20, that of the hardest 80, those
    between are spaced evenly; beyond them the outer lines go on to 0 and 100. This is a stated
    construction, not a judgement of people. The spread is the root mean square distance of
    documents from the difficulty of their own label.

    >>> calibrate_by_corpora([0, 1, 2, 4, 5, 6], [1, 1, 1, 2, 2, 2]).difficulty
    (0.0, 20.0, 80.0, 100.0)
    """
    values, numbers = np.asarray(raw, np.float64), np.asarray(labels, np.float64)
    classes = np.unique(numbers)
    medians = [float(np.median(values[numbers == label])) for label in classes]
    difficulty = np.linspace(_EASIEST_LABEL, _HARDEST_LABEL, len(classes))
    if len(classes) < 2 or bool((np.diff(medians) <= 0).any()):
        raise InputError(
            "the model does not tell the labels apart: the median of its output does not rise "
            f"from label to label ({', '.join(f'{median:.4g}' for median in medians)}); "
            "train it on more documents, or on corpora that differ more"
        )
    below = medians[0] - difficulty[0] * (medians[1] - medians[0]) / (difficulty[1] - difficulty[0])
    above = medians[-1] + (HARDEST - difficulty[-1]) * (medians[-1] - medians[-2]) / (
        difficulty[-1] - difficulty[-2]
    )
    knots = (below, *medians, above)
    difficulties = (EASIEST, *difficulty.tolist(), HARDEST)
    away = np.interp(values, knots, difficulties) - np.interp(numbers, classes, difficulty)
    spread = float(np.sqrt(np.mean(away**2)))
    return Calibration(knots, difficulties, (max(spread, 1.0),) * len(knots))


def calibrate_by_line(raw: ArrayLike, difficulties: ArrayLike) -> Calibration:
    """The calibration along the straight line of difficulty (0 to 100) over raw output.

    The outputs are those for texts that the model was not trained on. The spread is the standard
    deviation of the difficulties around the line. Raises `InputError` where it does not rise.

    >>> np.round(calibrate_by_line([1, 2, 3], [20, 40, 60]).raw, 6) + 0.0
    array([0., 5.])
    """
    values, labels = np.asarray(raw, np.float64), np.asarray(difficulties, np.float64)
    slope, start = np.polyfit(values, labels, 1) if np.ptp(values) > 0 else (0.0, 0.0)
    if slope <= 0:
        raise InputError(
            "the model's estimates of these texts do not rise with the labels; check the labels' "
            "direction"
        )
    spread = max(float(np.std(labels - (slope * values + start))), 0.5)
    ends = (float((EASIEST - start) / slope), float((HARDEST - start) / slope))
    return Calibration(ends, (EASIEST, HARDEST), (spread, spread))


# CEFR levels 1 (A1) to 6 (C2), and where they stand.
CEFR_LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
CEFR_DIFFICULTIES = (0.0, 10.0, 20.0, 30.0, 50.0, 80.0)


def difficulty_of_level(level: ArrayLike) -> Floats:
    """The difficulty of CEFR levels, 1 (A1) to 6 (C2); straight lines between them.

    >>> difficulty_of_level([1, 4.5, 6]).tolist()
    [0.0, 40.0, 80.0]
    """
    return np.interp(np.asarray(level, np.float64), CEFR_LEVELS, CEFR_DIFFICULTIES)


@dataclass(frozen=True, slots=True)
class UserModel:
    """A noise: its name, how likely it lies below a margin, its usual scale, its source."""

    name: str
    below: Callable[[Floats, Floats], Floats]
    noise_scale: float | None
    source: str


_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _no_noise(margin: Floats, scale: Floats) -> Floats:
    return (margin > 0).astype(np.float64)


def _cauchy(margin: Floats, scale: Floats) -> Floats:
    return 0.5 + np.arctan(margin / scale) / math.pi


def _normal(margin: Floats, scale: Floats) -> Floats:
    # Importing scipy.special for its ndtr takes longer than scoring a hundred pages.
    chance: Floats = 0.5 * _erfc(-margin / scale / math.sqrt(2.0))
    return chance


USERS = MappingProxyType(
    {
        user.name: user
        for user in (
            UserModel("step", _no_noise, 1.0, "P1 of Zuccon & Koopman 2014, Zuccon 2016"),
            UserModel("arctan", _cauchy, math.pi, "P2 of Zuccon & Koopman 2014, Zuccon 2016"),
            UserModel("calibrated", _normal, None, "the estimate's own standard error"),
        )
    }
)


# Where a normal distribution is looked at, and what each place weighs (Gauss and Hermite):
# numpy.polynomial.hermite_e.hermegauss(9), whose module takes long to load.
_PLACES = np.array(
    [-4.512745863399783, -3.20542900285647, -2.07684797867783, -1.0232556637891326, 0.0,
     1.0232556637891326, 2.07684797867783, 3.20542900285647, 4.512745863399783]
)  # fmt: skip
_WEIGHTS = np.array(
    [5.601272441031135e-05, 0.0069913404977412184, 0.12512187656567714, 0.6118617025232779,
     1.0185664100087874, 0.6118617025232779, 0.12512187656567714, 0.0069913404977412184,
     5.601272441031135e-05]
)  # fmt: skip
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Reader:
    """A kind of person: what they are, which user model stands for them, and where that is from.

    `threshold` is a difficulty (0 to 100); half of such readers understand a page of that
    difficulty. For the public, `curve` says what share understands at difficulties from 0 to 100,
    and the calibrated user averages it over the estimate's own error. Without a `noise_scale` the
    user model has its own. `scale` names the scale of difficulty that the threshold is on, where it
    is known (`Bundle.scale`).
    """

    name: str
    description: str
    threshold: float
    source: str
    user: str = "calibrated"
    noise_scale: float | None = None
    scale: str = ""
    curve: tuple[tuple[float, float], ...] = ()

    def scale_of(self, own: str) -> str:
        """The scale that its threshold is on; that of a bundle, `own`, where none is stated.

        A reader in the package is read as one of a bundle of somebody's own, which has its scale.
        """
        if self.name in READERS and own not in (READINGS, AssessorScale.scale):
            return own
        return self.scale or own

    def understands(self, difficulty: ArrayLike, spread: ArrayLike) -> Floats:
        """P(U|d) for texts of this difficulty, known with these standard errors.

        >>> READERS["public"].understands([10, 90], [8, 8]).round(1).tolist()
        [1.0, 0.1]
        """
        noise: ArrayLike | None = self.noise_scale
        if noise is None and self.user == "calibrated":
            if self.curve:
                return self._share(np.asarray(difficulty, float), np.asarray(spread, float))
            noise = spread
        return probability(difficulty, self.threshold, self.user, noise_scale=noise)

    def _share(self, difficulty: Floats, spread: Floats) -> Floats:
        """The mean of the curve over a normal distribution about each difficulty."""
        difficulties, shares = np.array(self.curve).T
        places = difficulty[..., None] + spread[..., None] * _PLACES
        # A product of matrices would add in an order that depends on the batch.
        return np.asarray((np.interp(places, difficulties, shares) * _WEIGHTS).sum(axis=-1))

    def to_json(self) -> dict[str, Any]:
        """What `reader_of` reads from a file."""
        return {"kind": "reader", **asdict(self)}


# The public's curve and threshold fit the share of adults who get the message, by readings of
# 3,400 passages (`scripts/train/pages.py`). The other thresholds are those of papers, or places of
# well-known pages on the scale of 2016, as version 0.2 had them, rounded.
_SHARES = (0.985, 0.935, 0.809, 0.524, 0.155, 0.006)
_PUBLIC = tuple(zip(range(0, 101, 20), _SHARES, strict=True))
_READERS = (
    Reader("public", "an adult of the general public", 60.0,
           "readings of 3,418 passages by a language model that imagined a hundred adults",
           scale=READINGS, curve=_PUBLIC),
    Reader("assessor-2016",
           "a member of the public looking for health information, as an assessor of 2016", 40.0,
           "assessors of CLEF eHealth 2016, understandable below 40 (Zuccon et al. 2016)",
           scale=AssessorScale.scale),
    Reader("plain-language",
           "a reader of plain language, as guides ask for it (US grades 6 to 8)", 25.0,
           "the median difficulty of pages of Flesch-Kincaid grades 6 to 8 "
           "(health pages, MedlinePlus)", scale=AssessorScale.scale),
    Reader("well-read", "a well-read adult without schooling in health", 58.0,
           "nine in ten pages of ordinary health sites are easier (Sondhi et al. 2012)",
           scale=AssessorScale.scale),
    Reader("health-student", "a student of a health profession", 69.0,
           "half of PDQ's pages for health professionals are easier", scale=AssessorScale.scale),
)  # fmt: skip
READERS: Mapping[str, Reader] = MappingProxyType({each.name: each for each in _READERS})
DEFAULT_READER = "public"
_MOST_OF_A_READER = 100_000  # bytes


def reader_of(name: str) -> Reader:
    """The reader of that name, or of a JSON file (``understand calibrate``).

    `OptionError` for any other name, `InputError` for a file that holds no reader.

    >>> reader_of("assessor-2016").threshold
    40.0
    """
    if name in READERS:
        return READERS[name]
    if not name.endswith(".json"):
        raise OptionError(
            f"no reader is named {name!r}; choose one of {', '.join(READERS)}, or a FILE.json that "
            "`understand calibrate` wrote"
        )
    with open_stream(name) as stream:
        content = stream.read(_MOST_OF_A_READER)
    try:
        entries = json.loads(content)
        if entries["kind"] != "reader":
            raise ValueError
        noise = entries["noise_scale"]
        reader = Reader(
            name=str(entries["name"]),
            description=str(entries["description"]),
            threshold=float(entries["threshold"]),
            source=str(entries["source"]),
            user=str(entries["user"]),
            noise_scale=None if noise is None else float(noise),
            scale=str(entries.get("scale", "")),
            curve=tuple((float(at), float(share)) for at, share in entries.get("curve", ())),
        )
        probability(50.0, reader.threshold, reader.user, noise_scale=noise or 1.0)
    except (ValueError, KeyError, TypeError, RecursionError, OptionError) as error:
        raise InputError(
            f"{name} holds no reader, or is damaged; write one with `understand calibrate`"
        ) from error
    return reader


def probability(
    score: ArrayLike,
    threshold: float,
    user: str = "step",
    *,
    noise_scale: ArrayLike | None = None,
    direction: str = Direction.HARDER,
    normalise: Literal["integral"] | None = None,
) -> Floats:
    """P(U|d) of documents from their scores, for a reader who copes with less than `threshold`.

    `user` is one of `USERS`:
    ``step``, 1 below the threshold and 0 from it on;
    ``arctan``, ``1/2 - arctan((score - threshold) / s) / pi`` with ``s = noise_scale``: pi, the
    default, in Zuccon (2016), 1 in Zuccon & Koopman (2014);
    ``calibrated``, a normal distribution whose standard deviation is `noise_scale`, one number
    or one for each score (the column ``spread`` of an estimate).

    `direction` says what a higher score means (`Direction`); where it is easier (Flesch Reading
    Ease) the inequality turns. ``normalise="integral"`` divides the arctan form by its integral
    over the range of the scores given, as both papers mention: the result is no longer a
    probability, but orders documents and systems as before. A score that is NaN gives NaN.

    >>> probability([30, 40, 50], threshold=40).tolist()
    [1.0, 0.0, 0.0]
    >>> probability([30, 40, 50], threshold=40, user="arctan").round(3).tolist()
    [0.903, 0.5, 0.097]
    >>> probability([30, 40, 50], 40, "calibrated", noise_scale=10).round(3).tolist()
    [0.841, 0.5, 0.159]
    >>> probability([30, 90], threshold=60, direction="higher-easier").tolist()
    [0.0, 1.0]
    """
    if user not in USERS:
        raise OptionError(f"there is no user model {user!r}; choose one of {', '.join(USERS)}")
    model = USERS[user]
    scores = np.asarray(score, dtype=np.float64)
    scale = _scale(model, noise_scale)
    if not math.isfinite(threshold):
        raise OptionError(f"the threshold must be a finite number, not {threshold}")
    margin = (threshold - scores) * Direction.of(direction).sign
    chance = np.where(np.isnan(margin + scale), np.nan, model.below(margin, scale))
    if normalise is None:
        return chance
    if normalise != "integral" or model.name != "arctan" or scale.ndim:
        raise OptionError(
            "normalise='integral' is the one normalisation there is, and for user 'arctan' only"
        )
    return chance / _integral(margin, float(scale))


def _scale(model: UserModel, noise_scale: ArrayLike | None) -> Floats:
    if noise_scale is None and model.noise_scale is None:
        raise OptionError(
            f"user {model.name!r} needs a noise scale, such as the spread of each estimate"
        )
    scale = np.asarray(model.noise_scale if noise_scale is None else noise_scale, dtype=np.float64)
    unusable = (scale <= 0) | np.isinf(scale)
    # One number must be there; of many, such as the spreads of estimates, some may be missing.
    if bool(unusable.any()) or (scale.ndim == 0 and bool(np.isnan(scale))):
        raise OptionError("the noise scale must be a finite number above 0")
    return scale


def _integral(margin: Floats, scale: float) -> float:
    """The integral of the arctan form over the range of the finite margins."""
    finite = margin[np.isfinite(margin)]
    if finite.size == 0 or float(np.ptp(finite)) == 0:
        raise OptionError("normalise='integral' needs scores with a range, not one same score")

    def antiderivative(x: float) -> float:
        z = x / scale
        return x / 2 + scale * (z * math.atan(z) - math.log1p(z * z) / 2) / math.pi

    return antiderivative(float(finite.max())) - antiderivative(float(finite.min()))
