"""The model of passages: it estimates difficulty and level of each passage, and averages them.

*Difficulty*, 0 to 100, is how hard the text is to understand for an adult of the public, learned
from readings. A small network computes it from the columns of a passage (`passages`). A second
output is the difficulty of the *message*, which may differ: in the minutes of a meeting, the words
are easier than the message. It is on the same scale: the usual difficulty of texts whose message is
understood by the same share of readers.

*Level*, 1 (A1) to 6 (C2) as in the CEFR, is a human rating of language; a second network learned
it. The data sets contradict each other, so some have a function of their own. It is added in
proportion to how much a passage resembles their texts (Daumé III 2007, with soft domains), and is a
sum of Gaussian bells around passages (kernel ridge regression with the Nyström approximation:
Williams & Seeger 2001). The mean of such a function over its own data set is 0, so it changes the
order of texts but not their mean level. A small part of the difficulty is added to the level.

A page is the mean of its passages, weighted by their words. The same holds in training, where a
rated sentence is a page of one passage. A hard page of several passages is a little harder than
their mean (`Hardening`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from understandability._core.layout import SHORT_TEXT
from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.flags import FlagName
from understandability.model.model import Reading
from understandability.model.passages import (
    Passages,
    passage_columns,
    passages,
    passages_without_lists,
)
from understandability.model.predictors import (
    LINKS,
    Kernel,
    Network,
    Prepared,
    array_bytes,
    predictor_of,
    within,
)

UNLIKE_JUDGED: Final = "unlike_judged"
FEW_SENTENCES: Final = "few_sentences"
CUT: Final = "cut_sentences"
NO_ORDER: Final = "words_without_order"
REPEATED: Final = "repeated"
TWO_LANGUAGES: Final = "two_languages"
# Below this share of a page's words in sentences it is flagged; above these shares too.
_LEAST_PROSE, _MOST_REPEATED, _MOST_FOREIGN = 0.25, 0.3, 0.1
# Each of these flags multiplies the standard error by this factor: the errors of rated texts with a
# flag are at most that much larger.
_WIDER = 1.2
_WIDENING: Final = (FEW_SENTENCES, CUT, NO_ORDER, REPEATED, TWO_LANGUAGES)


# The message of a page is that of its hardest passages, which make up this share of its words: a
# reader who fails at them has not understood the page, however easy a list that follows is. On
# whole pages, shares from .6 to .8 agree best with the readings.
MUST_BE_UNDERSTOOD = 2 / 3
# The number of passages up to which a text has their mean difficulty, and of a whole page.
_FEW, _MANY = 2, 4


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """The standard error of estimates, compared with human ratings.

    The squared error of a text is ``floor + per_word / words``. It is larger in the middle of the
    scale from `low` to `high` (by the share `bent`), because its ends are easier to recognise, and
    it grows towards `high`, by the factor ``exp(rising)`` from end to end.
    Disagreement between the parts of the network adds its square times `by_parts`. The squared
    error of a whole page is `of_pages` times as large, because a page has kinds of text, menus and
    lists that no passage has; a text of three passages is half a page. The error also
    grows for texts unlike the rated ones: ``usual + usual_per_word / words`` is the mean square of
    the standardised columns of rated texts, and one rated text in 200 exceeds `limit` times that.
    """

    floor: float
    per_word: float
    usual: float
    usual_per_word: float
    limit: float
    bent: float = 0.0
    low: float = 0.0
    high: float = 100.0
    by_parts: float = 0.0
    rising: float = 0.0
    of_pages: float = 1.0

    def __post_init__(self) -> None:
        values = list(asdict(self).values())
        if not (
            np.isfinite(values).all()
            and min(values) >= 0
            and self.floor > 0 < self.usual
            and self.low < self.high
        ):
            raise InputError("its errors must be finite numbers of at least 0")

    def unlikeness(self, squares: Floats, words: Floats) -> Floats:
        """Return how unlike the rated texts a text is; 1 is usual for a rated text of its
        length.
        """
        return np.asarray(squares / (self.usual + self.usual_per_word / np.maximum(words, 1)))

    def of(
        self, estimates: Floats, words: Floats, squares: Floats, apart: Floats, parts: Floats
    ) -> Floats:
        """Return the standard error of each estimate.

        Args:
            estimates: The difficulties or levels.
            words: The number of words of each text.
            squares: The mean square of its standardised columns.
            apart: The disagreement of the network's parts, see `apart`.
            parts: The effective number of passages, see `Passages.equal_parts`.
        """
        position = within((estimates - self.low) / (self.high - self.low), 0, 1)
        squared = self.floor + self.per_word / np.maximum(words, 1)
        squared = squared * (1 + self.bent * 4 * position * (1 - position))
        squared = squared * np.exp(self.rising * position) + self.by_parts * apart**2
        squared = squared * (1 + (self.of_pages - 1) * whole(parts))
        return np.asarray(np.sqrt(squared * np.maximum(self.unlikeness(squares, words), 1)))


def whole(parts: Floats) -> Floats:
    """Return the degree to which a text counts as a whole page, by the number of its passages.

    >>> whole(np.array([1.0, 2.0, 3.0, 4.0, 20.0])).tolist()
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    return within((parts - _FEW) / (_MANY - _FEW), 0, 1)


def apart(parts: Floats) -> Floats:
    """Return the standard deviation between the estimates by a network's parts, per text; 0 without
    parts.

    >>> apart(np.array([[53.0, 47.0], [50.0, 50.0]])).tolist()
    [3.0, 0.0]
    """
    # Contiguous, so that the sum of a row does not depend on the number of rows.
    rows = np.ascontiguousarray(parts)
    count = max(1, rows.shape[1])
    mean = np.einsum("ij->i", rows) / count
    return np.asarray(np.sqrt(np.maximum(np.einsum("ij,ij->i", rows, rows) / count - mean**2, 0)))


def shares(odds: Floats, least: float) -> Floats:
    """Return the share of each data set's function for each passage; (passages, data sets).

    The share is the probability that the passage is from the data set, rescaled linearly: `least`
    and lower probabilities become 0, and certainty stays 1. `odds` are the log-odds of each data
    set against none.

    >>> shares(np.log([[2.0, 1.0]]), 0.0).round(2).tolist()
    [[0.5, 0.25]]
    >>> shares(np.log([[2.0, 1.0]]), 0.25).round(2).tolist()
    [[0.33, 0.0]]
    """
    probabilities = LINKS["softmax"](np.hstack([np.zeros((len(odds), 1)), odds]))[:, 1:]
    return np.asarray(np.maximum(probabilities - least, 0) / (1 - least))


_BRIEF = 8  # words; a text of this many is not brief


def brevity(columns: Floats) -> Floats:
    """Return how brief passages are: 1 without words, 0 from eight words on.

    >>> brevity(np.full((1, len(passage_columns())), 0.9)).round(2).tolist()  # of six words
    [0.25]
    """
    shortness = columns[:, passage_columns().index("shortness")]
    return np.asarray(np.maximum(1 - SHORT_TEXT * (1 - shortness) / _BRIEF, 0))


# The difficulty from which `Hardening.of_passages` applies, about the mean of the readings.
_MIDDLE = 45.0


@dataclass(frozen=True, slots=True)
class Hardening:
    """The extra difficulty of a hard page, compared with the mean of its passages.

    The estimate of a hard passage is biased towards the middle, as any estimate from little
    evidence is; and a reader who is lost in one passage gets less from the next. So the part of the
    mean above `start` grows by the share `by`, on the logistic scale, on pages of four passages or
    more, and half as much on those of three. In texts of any length, the part above 45 grows by the
    share `of_passages`: texts of a kind that the model has not seen are harder than it says if they
    are hard.

    >>> Hardening(50.0, 0.5).of(np.array([80.0, 80.0, 80.0]), np.array([2, 3, 9])).round(1).tolist()
    [80.0, 85.0, 88.9]
    """

    start: float
    by: float
    of_passages: float = 0.0

    def __post_init__(self) -> None:
        if not (0 < self.start < 100 and 0 <= self.by <= 2 and 0 <= self.of_passages <= 2):
            raise InputError(
                "its hardening must be a difficulty from 0 to 100 and shares from 0 to 2"
            )

    def of(self, means: Floats, parts: Floats) -> Floats:
        """Return the difficulty of texts, given the mean and the number of their passages."""
        inside = within(means, 1, 99)
        odds = np.log(inside / (100 - inside))
        start, middle = (np.log(at / (100 - at)) for at in (self.start, _MIDDLE))
        odds = (
            odds
            + self.of_passages * np.maximum(odds - middle, 0)
            + self.by * whole(parts) * np.maximum(odds - start, 0)
        )
        return np.asarray(means - inside + 100 / (1 + np.exp(-odds)))


@dataclass(frozen=True, eq=False)
class PassageModel:
    """Networks and a kernel on the columns of passages, and models of their errors.

    Attributes:
        network: Its outputs are the difficulty and the difficulty of the message, both means over
            several networks; then the difficulty by each of these networks.
        kernel: Its outputs are the points that each data set adds to the level; then the log-odds
            of each data set.
        level: Its outputs are the level, the mean over several networks; then the level by each of
            these. It reads the same columns as `kernel`, as prepared by `kernel`.
        difficulty_error: The standard error of the difficulty.
        level_error: The standard error of the level.
        least: See `shares`.
        difficulty_in_level: What a point of difficulty adds to the level.
        off_if_brief: Levels subtracted from a text without words, see `brevity`.
        hardenings: The hardening of the difficulty, and of the message.
    """

    network: Prepared
    kernel: Prepared
    level: Network
    difficulty_error: ErrorModel
    level_error: ErrorModel
    least: float
    difficulty_in_level: float
    off_if_brief: float
    hardenings: tuple[Hardening, Hardening]

    def __post_init__(self) -> None:
        network, kernel, level = self.network.predictor, self.kernel.predictor, self.level
        columns = len(passage_columns())
        if not (
            isinstance(network, Network)
            and network.inputs == columns
            and network.link == "percent"
            and len(network.biases[-1]) >= 2
        ):
            raise InputError(
                "its network must read the columns of passages and output percentages, two or more"
            )
        if not (
            isinstance(kernel, Kernel)
            and level.inputs == kernel.inputs <= columns
            and kernel.link == level.link == "identity"
            and len(kernel.biases) % 2 == 0
        ):
            raise InputError("its kernel and its level do not fit the columns of passages")
        if not (0 <= self.least < 1 and 0 <= self.difficulty_in_level < 1):
            raise InputError("its least share and its difficulty in level must be from 0 to 1")
        if not 0 <= self.off_if_brief < 5:
            raise InputError("the level subtracted from brief texts must be from 0 to 5")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that the model reads of each passage, in order."""
        return passage_columns()

    @property
    def typical(self) -> Floats:
        """The mean of the passages in the training data."""
        return self.network.center

    def inputs(self, batch: Batch) -> Floats:
        """Compute the mean of the columns over each document's passages, weighted by words."""
        cut = batch.once(passages)
        return cut.means(np.where(np.isfinite(cut.columns), cut.columns, self.typical))

    def predict(self, inputs: Floats) -> Floats:
        """Return the difficulty of each row of columns."""
        means = self.network(inputs)[:, 0]
        return self.hardenings[0].of(means, np.ones(len(means)))

    def levels(self, columns: Floats, difficulties: Floats) -> Floats:
        """Return the level of each row of columns, and its parts, given their difficulties."""
        prepared = self.kernel.prepared(columns)
        outputs = self.kernel.predictor(prepared)
        sets = outputs.shape[1] // 2
        additions, odds = outputs[:, :sets], outputs[:, sets:]
        levels = self.level(prepared)
        levels[:, 0] += (additions * shares(odds, self.least)).sum(axis=1)
        levels[:, 0] += self.difficulty_in_level * difficulties
        levels[:, 0] -= self.off_if_brief * brevity(columns)
        return levels

    def read(self, batch: Batch) -> Reading:
        """Return difficulty, level, their errors, and flags of each document."""
        reading = self.read_passages(batch.once(passages))
        text = self._message(batch.once(passages_without_lists))
        return replace(reading, message=np.fmax(reading.message, text))

    def _message(self, cut: Passages) -> Floats:
        """Return the difficulty of the message of each document; NaN without passages."""
        messages = self.network(cut.columns)[:, 1]
        mean = cut.hardest(messages, MUST_BE_UNDERSTOOD)
        return self.hardenings[1].of(mean, cut.equal_parts)

    def read_passages(self, cut: Passages) -> Reading:
        """Return difficulty, level, their errors, and flags of each document, given its
        passages.
        """
        prepared = self.network.prepared(cut.columns)
        of_passages = self.network.predictor(prepared)
        levels = self.levels(cut.columns, of_passages[:, 0])
        means = cut.means(np.concatenate([of_passages, levels, prepared], axis=1))
        ends = np.cumsum([of_passages.shape[1], levels.shape[1]]).tolist()
        hard, levels = means[:, : ends[0]], means[:, ends[0] : ends[1]]
        level = levels[:, 0]
        squares = (means[:, ends[1] :] ** 2).mean(axis=1)
        words = cut.totals
        unlikeness = self.difficulty_error.unlikeness(squares, words)
        raised: dict[FlagName, NDArray[np.bool_]] = {
            UNLIKE_JUDGED: unlikeness > self.difficulty_error.limit,
            FEW_SENTENCES: cut.prose < _LEAST_PROSE,
            REPEATED: cut.repeated > _MOST_REPEATED,
            TWO_LANGUAGES: cut.foreign > _MOST_FOREIGN,
            CUT: cut.cut,
            NO_ORDER: cut.disordered,
        }
        wider = _WIDER ** np.sum([raised[name] for name in _WIDENING], axis=0)
        parts = cut.equal_parts
        difficulty = self.hardenings[0].of(hard[:, 0], parts)
        messages = cut.hardest(of_passages[:, 1], MUST_BE_UNDERSTOOD)
        message = self.hardenings[1].of(messages, parts)
        return Reading(
            difficulty,
            wider * self.difficulty_error.of(difficulty, words, squares, apart(hard[:, 2:]), parts),
            words,
            tuple(
                tuple(name for name, mask in raised.items() if mask[index])
                for index in range(len(words))
            ),
            level,
            wider * self.level_error.of(level, words, squares, apart(levels[:, 1:]), parts),
            message,
        )

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model as JSON values and weight files. Weights that training rounded are
        float16.
        """
        network, kernel = self.network.to_arrays(), self.kernel.to_arrays()
        level = self.level.to_arrays()
        for arrays, name in ((network, "weight_0"), (kernel, "vectors"), (level, "weight_0")):
            arrays[name] = arrays[name].astype(np.float16)
        model: dict[str, Any] = {
            "kind": "passages",
            "columns": list(passage_columns()),
            "difficulty_error": asdict(self.difficulty_error),
            "level_error": asdict(self.level_error),
            "least": self.least,
            "difficulty_in_level": self.difficulty_in_level,
            "off_if_brief": self.off_if_brief,
            "hardenings": [asdict(hardening) for hardening in self.hardenings],
        }
        files = {"network": network, "kernel": kernel, "level": level}
        return model, {f"{name}.npz": array_bytes(arrays) for name, arrays in files.items()}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """Restore a model from the result of `to_parts`."""
        if model.get("columns") != list(passage_columns()):
            raise InputError(
                "it was trained on other columns of passages than this version computes"
            )
        network, kernel, level = (
            predictor_of(weights, name) for name in ("network", "kernel", "level")
        )
        numbers: dict[str, Any] = {
            name: model.get(name) for name in ("least", "difficulty_in_level", "off_if_brief")
        }
        if not (
            isinstance(network, Prepared)
            and isinstance(kernel, Prepared)
            and isinstance(level, Network)
            and all(isinstance(number, float) for number in numbers.values())
        ):
            raise InputError("its weights are not the weights of a model of passages")
        of_difficulty, of_level = (
            _error_of(model.get(f"{name}_error")) for name in ("difficulty", "level")
        )
        try:
            one, two = (Hardening(**settings) for settings in model["hardenings"])
        except (TypeError, ValueError, KeyError) as error:
            raise InputError("its hardenings are missing or have another form") from error
        errors = of_difficulty, of_level
        return cls(network, kernel, level, *errors, **numbers, hardenings=(one, two))


def _error_of(numbers: object) -> ErrorModel:
    try:
        return ErrorModel(**{name: float(value) for name, value in dict(numbers).items()})  # type: ignore[call-overload]
    except (TypeError, ValueError) as error:
        raise InputError("it states no errors") from error
