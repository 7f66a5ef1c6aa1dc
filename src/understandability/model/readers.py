"""Readers and user models, which convert difficulty to P(U|d); and the scales of difficulty.

A user has a threshold and a noise: ``P(U|d) = P(score + noise < threshold)``. The noise is 0
(step), or has a Cauchy (arctan) or normal distribution (calibrated).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, OptionError, check_choice
from understandability.inputs.streams import open_stream
from understandability.model.model import Reading

READINGS = "readings.v1"


@dataclass(frozen=True, slots=True)
class ReadingScale:
    """The scale of difficulty on which models of passages were trained.

    Labels were made by a language model, which was asked how adults of the public would understand
    a text that they read once. A child follows a text at 0 without effort; hardly anyone without
    training follows a text at 100.
    """

    scale: ClassVar[str] = READINGS

    def apply(self, reading: Reading) -> tuple[Floats, Floats]:
        """Return difficulty and its standard error, which are the model's output unchanged."""
        return reading.raw, reading.error

    def examples(self) -> list[tuple[float, float, float]]:
        """Return an empty list, because output and difficulty are equal."""
        return []

    def to_json(self) -> dict[str, Any]:
        """Return the name of the scale."""
        return {"scale": self.scale}


@dataclass(frozen=True, slots=True)
class AssessorScale:
    """A map from CEFR level to difficulty as the assessors of CLEF eHealth 2016 used 0 to 100.

    `mean` and `deviation` (standard deviation) describe the assessors' labels, and `correlation`
    is their correlation with the estimates. `level` and `level_deviation` are mean and standard
    deviation of the levels of the pages that they judged. If the level of a page is z deviations
    above the mean, its expected label is ``mean + correlation * deviation * z``, with the spread
    ``deviation * sqrt(1 - correlation**2)``. The error of the level is added to the spread. Large z
    are bent so that they stay within `reach`, the largest z of the pages that were judged. The
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
            raise InputError("its scale of assessors is damaged, or goes beyond 0 to 100")

    def apply(self, reading: Reading) -> tuple[Floats, Floats]:
        """Return the difficulty of a model's output and its spread; NaN stays NaN."""
        return self.of(reading.level, reading.level_error)

    def of(self, level: Floats, error: Floats) -> tuple[Floats, Floats]:
        """Return difficulty and spread for levels with these standard errors."""
        bent = np.tanh((level - self.level) / self.level_deviation / self.reach)
        step = self.correlation * self.deviation
        difficulty = self.mean + step * self.reach * bent
        level_spread = step / self.level_deviation * error
        label_spread = self.deviation * np.sqrt(1 - self.correlation**2)
        return difficulty, np.hypot(label_spread, level_spread)

    def level_of(self, difficulty: float) -> float:
        """Return the level whose expected difficulty is this; the inverse of `of`."""
        bent = (difficulty - self.mean) / (self.correlation * self.deviation * self.reach)
        if not -1 < bent < 1:
            raise InputError(f"no level has the difficulty {difficulty:g} on {self.scale}")
        return float(self.level + self.level_deviation * self.reach * np.arctanh(bent))

    def to_json(self) -> dict[str, float]:
        """Return the numbers of the scale, for ``bundle.json``."""
        return asdict(self)

    @classmethod
    def from_json(cls, numbers: object) -> Self:
        """Restore a scale from the result of `to_json`; raise `InputError` for anything else."""
        try:
            return cls(**{name: float(value) for name, value in dict(numbers).items()})  # type: ignore[call-overload]
        except (TypeError, ValueError) as error:
            raise InputError("it states no scale of assessors") from error


@dataclass(frozen=True, slots=True)
class UserModel:
    """A distribution of a user's noise: its name, cumulative distribution (`below`), default scale
    and source.
    """

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
    probabilities: Floats = 0.5 * _erfc(-margin / scale / math.sqrt(2.0))
    return probabilities


USERS = {
    user.name: user
    for user in (
        UserModel("step", _no_noise, 1.0, "P1 of Zuccon & Koopman 2014, Zuccon 2016"),
        UserModel("arctan", _cauchy, math.pi, "P2 of Zuccon & Koopman 2014, Zuccon 2016"),
        UserModel("calibrated", _normal, None, "the estimate's own standard error"),
    )
}


# Nodes and weights of Gauss-Hermite quadrature for a normal distribution:
# numpy.polynomial.hermite_e.hermegauss(9), whose module takes long to load.
_NODES = np.array(
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
    """A type of reader: a description, a user model with its parameters, and their source.

    `threshold` is a difficulty (0 to 100); half of these readers understand a page of that
    difficulty. `curve` holds pairs of a difficulty and the share of readers who understand; the
    calibrated user averages it over the estimate's own error. Only the public has a curve. Without
    a `noise_scale` the user model uses its default. `scale` names the scale of difficulty of the
    threshold, if known (`Bundle.scale`).
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
        """Return the scale of the threshold; if the reader names none, the scale of the bundle
        (`own`).

        A reader that comes with the package can use a custom bundle, whose only scale is its own.
        """
        if self.name in READERS and own not in (READINGS, AssessorScale.scale):
            return own
        return self.scale or own

    def understands(self, difficulty: ArrayLike, spread: ArrayLike) -> Floats:
        """Return P(U|d) for texts of these difficulties and standard errors.

        >>> READERS["public"].understands([10, 90], [8, 8]).round(1).tolist()
        [1.0, 0.1]
        """
        noise: ArrayLike | None = self.noise_scale
        if noise is None and self.user == "calibrated":
            if self.curve:
                # The mean of the curve over a normal distribution about each difficulty.
                middle, error = np.asarray(difficulty, float), np.asarray(spread, float)
                difficulties, shares = np.array(self.curve).T
                nodes = middle[..., None] + error[..., None] * _NODES
                # A matrix product would add in an order that depends on the batch.
                return np.asarray((np.interp(nodes, difficulties, shares) * _WEIGHTS).sum(axis=-1))
            noise = spread
        return probability(difficulty, self.threshold, self.user, noise_scale=noise)

    def to_json(self) -> dict[str, Any]:
        """Return the reader as the content of a file, which `from_json` reads."""
        return {"kind": "reader", **asdict(self)}

    @classmethod
    def from_json(cls, entries: object) -> Self:
        """Restore a reader from the result of `to_json`; raise `InputError` for anything else."""
        try:
            if not isinstance(entries, Mapping) or entries["kind"] != "reader":
                raise ValueError
            noise = entries["noise_scale"]
            reader = cls(
                name=str(entries["name"]),
                description=str(entries["description"]),
                threshold=float(entries["threshold"]),
                source=str(entries["source"]),
                user=str(entries["user"]),
                noise_scale=None if noise is None else float(noise),
                scale=str(entries.get("scale", "")),
                curve=tuple((float(at), float(share)) for at, share in entries.get("curve", ())),
            )
            probability(50.0, reader.threshold, reader.user, noise_scale=reader.noise_scale or 1.0)
        except (ValueError, KeyError, TypeError, OptionError) as error:
            raise InputError("it holds no reader, or a damaged one") from error
        return reader


# The public's curve and threshold are fitted to the share of adults who get the message, in
# readings of 3,400 passages (`scripts/train/pages.py`). The other thresholds come from papers, or
# are rounded difficulties of well-known pages on the scale of 2016, unchanged since version 0.2.
_SHARES = (0.995, 0.942, 0.755, 0.507, 0.191, 0.0)
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
READERS: Mapping[str, Reader] = {reader.name: reader for reader in _READERS}


def reader_names(_: object = None) -> tuple[str, ...]:
    """Return the names of the built-in readers, for completion in the shell."""
    return tuple(READERS)


DEFAULT_READER = "public"
_MOST_OF_A_READER = 100_000  # bytes


def reader_of(name: str) -> Reader:
    """Return the reader with this name, or read it from a JSON file of ``understand calibrate``.

    Raises `OptionError` for an unknown name, and `InputError` for a file without a reader.

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
        return Reader.from_json(json.loads(content))
    except (ValueError, RecursionError, InputError) as error:
        raise InputError(
            f"{name} holds no reader, or is damaged; write one with `understand calibrate`"
        ) from error


def probability(
    score: ArrayLike,
    threshold: float,
    user: str = "step",
    *,
    noise_scale: ArrayLike | None = None,
    direction: str = Direction.HARDER,
    normalise: Literal["integral"] | None = None,
) -> Floats:
    """Return P(U|d) of documents from their scores, for a reader with this threshold.

    `user` is one of `USERS`: ``step``, 1 below the threshold and 0 from it on; ``arctan``, ``1/2 -
    arctan((score - threshold) / s) / pi`` with ``s = noise_scale``: pi, the default, in Zuccon
    (2016), 1 in Zuccon & Koopman (2014); ``calibrated``, a normal distribution whose standard
    deviation is `noise_scale`, one number or one per score (the column ``spread`` of an estimate).

    `direction` is the meaning of a higher score (`Direction`). If it means easier (Flesch Reading
    Ease), the inequality is reversed. ``normalise="integral"`` divides the arctan form by its
    integral over the range of `score`, as both papers mention. The result is no longer a
    probability, but the order of documents and systems is unchanged. A score of NaN gives NaN.

    >>> probability([30, 40, 50], threshold=40).tolist()
    [1.0, 0.0, 0.0]
    >>> probability([30, 40, 50], threshold=40, user="arctan").round(3).tolist()
    [0.903, 0.5, 0.097]
    >>> probability([30, 40, 50], 40, "calibrated", noise_scale=10).round(3).tolist()
    [0.841, 0.5, 0.159]
    >>> probability([30, 90], threshold=60, direction="higher-easier").tolist()
    [0.0, 1.0]
    """
    check_choice("user model", user, USERS)
    model = USERS[user]
    scores = np.asarray(score, dtype=np.float64)
    scale = _scale(model, noise_scale)
    if not math.isfinite(threshold):
        raise OptionError(f"the threshold must be a finite number, not {threshold}")
    margin = (threshold - scores) * Direction.of(direction).sign
    p_understandable = np.where(np.isnan(margin + scale), np.nan, model.below(margin, scale))
    if normalise is None:
        return p_understandable
    if normalise != "integral" or model.name != "arctan" or scale.ndim:
        raise OptionError(
            "the only normalisation is normalise='integral', and only for user 'arctan'"
        )
    return p_understandable / _integral(margin, float(scale))


def _scale(model: UserModel, noise_scale: ArrayLike | None) -> Floats:
    if noise_scale is None and model.noise_scale is None:
        raise OptionError(
            f"user {model.name!r} needs a noise scale, such as the spread of each estimate"
        )
    scale = np.asarray(model.noise_scale if noise_scale is None else noise_scale, dtype=np.float64)
    unusable = (scale <= 0) | np.isinf(scale)
    # A single number must not be missing; in an array, such as spreads of estimates, some may be.
    if bool(unusable.any()) or (scale.ndim == 0 and bool(np.isnan(scale))):
        raise OptionError("the noise scale must be a finite number above 0")
    return scale


def _integral(margin: Floats, scale: float) -> float:
    """Return the integral of the arctan form over the range of the finite margins."""
    finite = margin[np.isfinite(margin)]
    if finite.size == 0 or float(np.ptp(finite)) == 0:
        raise OptionError("normalise='integral' needs scores with a range, not one same score")

    def antiderivative(x: float) -> float:
        z = x / scale
        return x / 2 + scale * (z * math.atan(z) - math.log1p(z * z) / 2) / math.pi

    return antiderivative(float(finite.max())) - antiderivative(float(finite.min()))
