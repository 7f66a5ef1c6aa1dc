"""The model of whole pages: the level of each passage, and of the page their mean.

A passage goes into the columns of `passages`, from there to sums of Gaussian bells around passages
that it learned from (kernel ridge regression, Nyström approximation: Williams & Seeger 2001). The
sets that it learned from contradict each other, so some have a function of their own, which is
added as far as a passage is like theirs (Daumé III 2007, with soft domains). The function that all
share reads every text; those of the sets are 0 on the average of their own texts, so that they
change the order of texts and leave the level to it. The level of a page is the mean over its
passages, weighted by their words; since the same holds in training, a judged sentence is a page of
one passage. The scale is that of CEFR, 1 (A1) to 6 (C2). `PageScale` makes of a level what the
assessors of 2016 would say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.arrays import LINKS
from understandability.model.passages import Passages, passage_columns, passages
from understandability.model.predictors import Kernel, Prepared
from understandability.model.weights import array_bytes, predictor_of

# Below this share of a page's words in sentences it is flagged.
_LEAST_PROSE = 0.25
UNLIKE_JUDGED, FEW_SENTENCES = "unlike_judged", "few_sentences"


@dataclass(frozen=True, slots=True)
class Error:
    """How far the level of a text of `words` words is from what people say, as a standard error.

    The squared error is ``floor + per_word / words``. It grows with how unlike the texts that were
    judged a text is: `usual` and `usual_per_word` give the mean square of the standardised columns
    of judged texts of that many words, and `limit` what one judged text of 200 exceeds, as a
    multiple of that.
    """

    floor: float
    per_word: float
    usual: float
    usual_per_word: float
    limit: float

    def __post_init__(self) -> None:
        values = list(asdict(self).values())
        if not (np.isfinite(values).all() and min(values) >= 0 and self.floor > 0 < self.usual):
            raise InputError("its errors are not numbers of 0 or more")

    def unlikeness(self, squares: Floats, words: Floats) -> Floats:
        """How many times the usual distance; 1 is that of a judged text as long."""
        return np.asarray(squares / (self.usual + self.usual_per_word / np.maximum(words, 1)))

    def of(self, words: Floats, unlikeness: Floats, prose: Floats) -> Floats:
        """The standard error in levels; twice as large where little of a text is sentences."""
        squared = self.floor + self.per_word / np.maximum(words, 1)
        fragments = np.where(prose < _LEAST_PROSE, 2.0, 1.0)
        return np.asarray(np.sqrt(squared * np.maximum(unlikeness, 1)) * fragments)


@dataclass(frozen=True, slots=True)
class PageLevels:
    """What a `PageModel` says of some documents; arrays are (documents,) unless said otherwise.

    `of_passages` is the level of each of `passages`; `error` the standard error of `level`.
    """

    level: Floats
    error: Floats
    flags: tuple[tuple[str, ...], ...]
    passages: Passages
    of_passages: Floats


def shares(odds: Floats, least: float) -> Floats:
    """How far a passage is of each kind, from the log-odds of each to no kind; (passages, kinds).

    Its chance of that kind, counted from `least`: at `least` or below 0, at certainty 1.

    >>> shares(np.log([[2.0, 1.0]]), 0.0).round(2).tolist()
    [[0.5, 0.25]]
    >>> shares(np.log([[2.0, 1.0]]), 0.25).round(2).tolist()
    [[0.33, 0.0]]
    """
    chances = LINKS["softmax"](np.pad(odds, ((0, 0), (1, 0))))[:, 1:]
    return np.asarray(np.maximum(chances - least, 0) / (1 - least))


def with_kinds(functions: Floats, of_kinds: Floats) -> Floats:
    """The shared function, the first column, and those of the kinds as far as a passage is of them.

    `functions` is (passages, 1 + kinds), `of_kinds` what `shares` says.
    """
    return np.asarray(functions[:, 0] + (functions[:, 1:] * of_kinds).sum(axis=1))


@dataclass(frozen=True, eq=False)
class PageModel:
    """A kernel on the columns of passages, and its error; see the module.

    The outputs of `kernel` are the function of every text, that of each kind, and the log-odds of
    each kind to none; `least` is what `shares` needs.
    """

    kernel: Prepared
    error: Error
    least: float

    def __post_init__(self) -> None:
        kernel = self.kernel.predictor
        if not (
            isinstance(kernel, Kernel)
            and kernel.inputs == len(passage_columns())
            and kernel.link == "identity"
            and len(kernel.biases) % 2
        ):
            raise InputError("its kernel does not fit the columns of passages")
        if not 0 <= self.least < 1:
            raise InputError("the least chance of a kind is not between 0 and 1")

    @property
    def functions(self) -> int:
        """One, and one for each kind."""
        assert isinstance(self.kernel.predictor, Kernel)
        return len(self.kernel.predictor.biases) // 2 + 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of a passage."""
        return passage_columns()

    @property
    def typical(self) -> Floats:
        """The mean of the passages that it learned from."""
        return self.kernel.center

    def of_passages(self, batch: Batch) -> Floats:
        """What it reads of each passage; (passages, names)."""
        return batch.once(passages).columns

    def inputs(self, batch: Batch) -> Floats:
        """The mean of what it reads over each document's passages."""
        return batch.once(passages).means(batch.once(self.of_passages))

    def predict(self, inputs: Floats) -> Floats:
        """The level for each row of columns."""
        return with_kinds(*self.read(inputs))

    def read(self, inputs: Floats) -> tuple[Floats, Floats]:
        """What each function says of rows of columns, and how far they are of each kind."""
        functions, odds = np.split(self.kernel(inputs), [self.functions], axis=1)
        return functions, shares(odds, self.least)

    def levels(self, batch: Batch) -> PageLevels:
        """Level, error and flags of each document, and the levels of its passages."""
        found = batch.once(passages)
        return self.levels_of(found, self.predict(batch.once(self.of_passages)))

    def levels_of(self, found: Passages, of_passages: Floats) -> PageLevels:
        """The same from passages that were read before, and the level of each of them."""
        squares = (self.kernel.prepared(found.means(found.columns)) ** 2).mean(axis=1)
        words = found.totals
        unlikeness = self.error.unlikeness(squares, words)
        raised = {
            UNLIKE_JUDGED: unlikeness > self.error.limit,
            FEW_SENTENCES: found.prose < _LEAST_PROSE,
        }
        flags = tuple(
            tuple(name for name, where in raised.items() if where[index])
            for index in range(len(words))
        )
        level = found.means(of_passages)
        error = np.where(np.isnan(level), np.nan, self.error.of(words, unlikeness, found.prose))
        return PageLevels(level, error, flags, found, of_passages)

    def raw(self, batch: Batch) -> Floats:
        """The level of each document."""
        return batch.once(self.levels).level

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Vectors as float16, as training used them."""
        arrays = self.kernel.to_arrays()
        arrays["vectors"] = arrays["vectors"].astype(np.float16)
        model: dict[str, Any] = {"kind": "pages", "columns": list(passage_columns())}
        model |= {"error": asdict(self.error), "functions": self.functions, "least": self.least}
        return model, {"kernel.npz": array_bytes(arrays)}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """The model that `to_parts` gave."""
        return cls(*parts_of(model, weights))


def parts_of(
    model: Mapping[str, Any], weights: Mapping[str, bytes]
) -> tuple[Prepared, Error, float]:
    """What `PageModel.to_parts` gave."""
    if model.get("columns") != list(passage_columns()):
        raise InputError("it reads other columns of passages than this version has")
    kernel = predictor_of(weights, "kernel")
    # Bundles of version 1.0 may state neither: they have one function.
    functions, least = model.get("functions", 1), model.get("least", 0.0)
    if not (
        isinstance(kernel, Prepared)
        and isinstance(kernel.predictor, Kernel)
        and isinstance(least, float)
        and len(kernel.predictor.biases) + 1 == 2 * functions
    ):
        raise InputError("its kernel is not what a page model has there")
    return kernel, _read(Error, model.get("error")), least


@dataclass(frozen=True, slots=True)
class PageScale:
    """From levels to difficulty, 0 (easy) to 100 (hard), as assessors of pages use that scale.

    Assessors' labels have the mean `mean` and the standard deviation `deviation`, and correlate
    with estimates by `correlation`. Pages of the kind that they judged have levels of the mean
    `level` and the standard deviation `level_deviation`. So of a page whose level lies z deviations
    from that mean, labels are expected at ``mean + correlation * deviation * z``, with the spread
    ``deviation * sqrt(1 - correlation**2)`` about it; the error of the level adds to that. Far out
    z is bent so that it stays within `reach`: no page of those was further away. The
    spread is not bent.

    >>> scale = PageScale(42.0, 25.0, 0.5, level=4.0, level_deviation=0.4, reach=3.0)
    >>> difficulty, spread = scale.apply(np.array([4.0, 4.4]), np.array([0.0, 0.0]))
    >>> difficulty.round(1).tolist(), spread.round(1).tolist()
    ([42.0, 54.1], [21.7, 21.7])
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

    def apply(self, level: Floats, error: Floats) -> tuple[Floats, Floats]:
        """Difficulty and its spread for levels with these standard errors; NaN stays NaN."""
        bent = np.tanh((level - self.level) / self.level_deviation / self.reach)
        step = self.correlation * self.deviation
        difficulty = self.mean + step * self.reach * bent
        of_level = step / self.level_deviation * error
        of_readers = self.deviation * np.sqrt(1 - self.correlation**2)
        return difficulty, np.hypot(of_readers, of_level)

    def examples(self) -> list[tuple[float, float, float]]:
        """Levels with their difficulty and spread, for a card."""
        levels = np.arange(1.0, 7.0)
        return list(
            zip(levels.tolist(), *(x.tolist() for x in self.apply(levels, 0 * levels)), strict=True)
        )

    def to_json(self) -> dict[str, float]:
        """Its numbers, for ``bundle.json``."""
        return asdict(self)

    @classmethod
    def from_json(cls, numbers: object) -> Self:
        """The scale that `to_json` gave; raises `InputError` for anything else."""
        scale: Self = _read(cls, numbers)
        return scale


def _read(kind: Any, numbers: object) -> Any:
    try:
        return kind(**{name: float(value) for name, value in dict(numbers).items()})  # type: ignore[call-overload]
    except (TypeError, ValueError) as error:
        raise InputError(f"it states no {kind.__name__}") from error
