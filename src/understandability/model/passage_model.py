"""The model of passages: difficulty and level of each, and of a page their means.

*Difficulty*, 0 to 100, is what readings say: how hard the text is to understand for an adult of the
public. A small network gives it from the columns of a passage (`passages`), and beside it how hard
it is to get the *message*: the difficulty that texts usually have of which as many get it. In the
minutes of a meeting the words are easier than the message.

*Level*, 1 (A1) to 6 (C2) as in the CEFR, is what people said about language; a network of its own
learned it. The sets that it learned from contradict each other, so some have a function of their
own, which is added as far as a passage is like theirs (Daumé III 2007, with soft domains): a sum of
Gaussian bells around passages (kernel ridge regression, Nyström approximation: Williams & Seeger
2001). The network reads every text; the functions of sets are 0 on the average of their own texts,
so that they change the order of texts and leave the level to it. A little of the difficulty is part
of the level.

A page is the mean of its passages, weighted by their words; since the same holds in training, a
judged sentence is a page of one passage. A hard page of several is a little harder than their
mean (`Hardening`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.model import Reading
from understandability.model.passages import Passages, passage_columns, passages
from understandability.model.predictors import (
    LINKS,
    Kernel,
    Network,
    Prepared,
    array_bytes,
    predictor_of,
    within,
)

UNLIKE_JUDGED = "unlike_judged"
FEW_SENTENCES = "few_sentences"
CUT, NO_ORDER = "cut_sentences", "words_without_order"
REPEATED, TWO_LANGUAGES = "repeated", "two_languages"
# Below this share of a page's words in sentences it is flagged; above these shares too.
_LEAST_PROSE, _MOST_REPEATED, _MOST_FOREIGN = 0.25, 0.3, 0.1
# By how much the error grows with each of these flags; texts that were read and have one lie at
# most so much further from estimates that were made without them.
_WIDER, _WIDENING = 1.2, (FEW_SENTENCES, CUT, NO_ORDER, REPEATED, TWO_LANGUAGES)


# Passages of texts whose difficulty is the mean of theirs, and of those that are whole pages.
_FEW, _MANY = 3, 5


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """How far an estimate of a text of `words` words is from what people say: a standard error.

    The squared error is ``floor + per_word / words``, times what `bent` adds in the middle of a
    scale from `low` to `high`, whose ends are told more surely. `by_parts` times the square of how
    far the parts of the network are apart is added. It grows with how unlike the texts that were
    judged a text is: `usual` and `usual_per_word` give the mean square of the
    standardised columns of judged texts of that many words, and `limit` what one judged text of
    200 exceeds, as a multiple of that.
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

    def __post_init__(self) -> None:
        values = list(asdict(self).values())
        if not (
            np.isfinite(values).all()
            and min(values) >= 0
            and self.floor > 0 < self.usual
            and self.low < self.high
        ):
            raise InputError("its errors are not numbers of 0 or more")

    def unlikeness(self, squares: Floats, words: Floats) -> Floats:
        """How many times the usual distance; 1 is that of a judged text as long."""
        return np.asarray(squares / (self.usual + self.usual_per_word / np.maximum(words, 1)))

    def of(self, estimates: Floats, words: Floats, squares: Floats, apart: Floats) -> Floats:
        """The standard error of estimates; see `unlikeness` for `squares`, `apart` for the last."""
        place = within((estimates - self.low) / (self.high - self.low), 0, 1)
        squared = self.floor + self.per_word / np.maximum(words, 1)
        squared = squared * (1 + self.bent * 4 * place * (1 - place)) + self.by_parts * apart**2
        return np.asarray(np.sqrt(squared * np.maximum(self.unlikeness(squares, words), 1)))


def apart(parts: Floats) -> Floats:
    """The standard deviation of what the parts of a network say of each text; 0 without parts.

    >>> apart(np.array([[53.0, 47.0], [50.0, 50.0]])).tolist()
    [3.0, 0.0]
    """
    rows = np.ascontiguousarray(parts)  # the sum of a row does not depend on how many there are
    count = max(1, rows.shape[1])
    mean = np.einsum("ij->i", rows) / count
    return np.asarray(np.sqrt(np.maximum(np.einsum("ij,ij->i", rows, rows) / count - mean**2, 0)))


def shares(odds: Floats, least: float) -> Floats:
    """How far a passage is of each kind, from the log-odds of each to no kind; (passages, kinds).

    Its chance of that kind, counted from `least`: at `least` or below 0, at certainty 1.

    >>> shares(np.log([[2.0, 1.0]]), 0.0).round(2).tolist()
    [[0.5, 0.25]]
    >>> shares(np.log([[2.0, 1.0]]), 0.25).round(2).tolist()
    [[0.33, 0.0]]
    """
    chances = LINKS["softmax"](np.hstack([np.zeros((len(odds), 1)), odds]))[:, 1:]
    return np.asarray(np.maximum(chances - least, 0) / (1 - least))


# The fewest words of a text that the column ``shortness`` calls long, and of one that is not brief.
_SHORT, _BRIEF = 60, 8


def brevity(columns: Floats) -> Floats:
    """How far passages have fewer than eight words: from 1 of none to 0.

    >>> brevity(np.full((1, len(passage_columns())), 0.9)).round(2).tolist()  # of six words
    [0.25]
    """
    shortness = columns[:, passage_columns().index("shortness")]
    return np.asarray(np.maximum(1 - _SHORT * (1 - shortness) / _BRIEF, 0))


@dataclass(frozen=True, slots=True)
class Hardening:
    """By how much a whole page is harder than the mean of its passages, if it is hard.

    What is told of a hard passage leans towards the middle, as any estimate from few signs, and a
    reader who is lost in one passage has less from the next. So what the mean is above `start`
    grows by the share `by`, on the logistic scale. Of texts of three passages nothing is added, for
    the texts that were learned from have two; of five and more all, as of the pages that were read.

    >>> Hardening(50.0, 0.5).of(np.array([80.0, 80.0, 80.0]), np.array([3, 4, 9])).round(1).tolist()
    [80.0, 85.0, 88.9]
    """

    start: float
    by: float

    def __post_init__(self) -> None:
        if not (0 < self.start < 100 and 0 <= self.by <= 2):
            raise InputError("what makes hard pages harder is not a point of the scale and a share")

    def of(self, means: Floats, parts: Floats) -> Floats:
        """The difficulty of texts of so many passages, whose mean difficulties are these."""
        inside = within(means, 1, 99)
        odds, start = np.log(inside / (100 - inside)), np.log(self.start / (100 - self.start))
        share = within((parts - _FEW) / (_MANY - _FEW), 0, 1)
        odds = odds + self.by * share * np.maximum(odds - start, 0)
        return np.asarray(means - inside + 100 / (1 + np.exp(-odds)))


@dataclass(frozen=True, eq=False)
class PassageModel:
    """A network and a kernel on the columns of passages, and their errors; see the module.

    `network` gives the difficulty, and that of the message; `level` gives the level. Both are means
    of several networks, and behind these stands what each part says. `kernel` gives what each kind
    adds to the level and the log-odds of each kind to none; it and `level` read the first of the
    columns, as they are prepared for `kernel`. `least` is what `shares` needs. A point of
    difficulty adds `difficulty_in_level` to the level, and `brevity` takes `off_if_brief` off.
    `hardenings` are those of the difficulty and of the message.
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
            raise InputError("its network does not go from the columns of passages to two numbers")
        if not (
            isinstance(kernel, Kernel)
            and level.inputs == kernel.inputs <= columns
            and kernel.link == level.link == "identity"
            and len(kernel.biases) % 2 == 0
        ):
            raise InputError("its kernel and its level do not fit the columns of passages")
        if not (0 <= self.least < 1 and 0 <= self.difficulty_in_level < 1):
            raise InputError("the least chance of a kind is not between 0 and 1")
        if not 0 <= self.off_if_brief < 5:
            raise InputError("what is taken off the level of brief texts is not from 0 to 5")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of a passage."""
        return passage_columns()

    @property
    def typical(self) -> Floats:
        """The mean of the passages that it learned from."""
        return self.network.center

    def inputs(self, batch: Batch) -> Floats:
        """The mean of what it reads over each document's passages."""
        found = batch.once(passages)
        return found.means(np.where(np.isfinite(found.columns), found.columns, self.typical))

    def predict(self, inputs: Floats) -> Floats:
        """The difficulty for each row of columns."""
        return self.network(inputs)[:, 0]

    def levels(self, columns: Floats, difficulties: Floats) -> Floats:
        """The level for each row of columns, whose difficulties are these, and its parts."""
        near = self.kernel.prepared(columns)
        of_sets = self.kernel.predictor(near)
        kinds = of_sets.shape[1] // 2
        of_kinds, odds = of_sets[:, :kinds], of_sets[:, kinds:]
        levels = self.level(near)
        levels[:, 0] += (of_kinds * shares(odds, self.least)).sum(axis=1)
        levels[:, 0] += self.difficulty_in_level * difficulties
        levels[:, 0] -= self.off_if_brief * brevity(columns)
        return levels

    def read(self, batch: Batch) -> Reading:
        """Difficulty, level, their errors, and flags of each document."""
        return self.read_passages(batch.once(passages))

    def read_passages(self, found: Passages) -> Reading:
        """The same of passages that were cut before."""
        prepared = self.network.prepared(found.columns)
        of_passages = self.network.predictor(prepared)
        levels = self.levels(found.columns, of_passages[:, 0])
        means = found.means(np.concatenate([of_passages, levels, prepared], axis=1))
        ends = np.cumsum([of_passages.shape[1], levels.shape[1]]).tolist()
        hard, levels = means[:, : ends[0]], means[:, ends[0] : ends[1]]
        level = levels[:, 0]
        squares = (means[:, ends[1] :] ** 2).mean(axis=1)
        words = found.totals
        unlikeness = self.difficulty_error.unlikeness(squares, words)
        raised = {
            UNLIKE_JUDGED: unlikeness > self.difficulty_error.limit,
            FEW_SENTENCES: found.prose < _LEAST_PROSE,
            REPEATED: found.repeated > _MOST_REPEATED,
            TWO_LANGUAGES: found.foreign > _MOST_FOREIGN,
            CUT: found.cut,
            NO_ORDER: found.disordered,
        }
        wider = _WIDER ** np.sum([raised[name] for name in _WIDENING], axis=0)
        difficulty, message = (
            harder.of(mean, found.equal_parts)
            for harder, mean in zip(self.hardenings, hard.T[:2], strict=True)
        )
        return Reading(
            difficulty,
            wider * self.difficulty_error.of(difficulty, words, squares, apart(hard[:, 2:])),
            words,
            tuple(
                tuple(name for name, where in raised.items() if where[index])
                for index in range(len(words))
            ),
            level,
            wider * self.level_error.of(level, words, squares, apart(levels[:, 1:])),
            message,
        )

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The first weights and the vectors as float16, as training used them."""
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
            "hardenings": [asdict(each) for each in self.hardenings],
        }
        files = {"network": network, "kernel": kernel, "level": level}
        return model, {f"{name}.npz": array_bytes(arrays) for name, arrays in files.items()}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """The model that `to_parts` gave."""
        if model.get("columns") != list(passage_columns()):
            raise InputError("it reads other columns of passages than this version has")
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
            raise InputError("its weights are not what a model of passages has there")
        of_difficulty, of_level = (
            _error_of(model.get(f"{name}_error")) for name in ("difficulty", "level")
        )
        try:
            one, two = (Hardening(**each) for each in model["hardenings"])
        except (TypeError, ValueError, KeyError) as error:
            raise InputError("it does not say by how much hard pages are harder") from error
        errors = of_difficulty, of_level
        return cls(network, kernel, level, *errors, **numbers, hardenings=(one, two))


def _error_of(numbers: object) -> ErrorModel:
    try:
        return ErrorModel(**{name: float(value) for name, value in dict(numbers).items()})  # type: ignore[call-overload]
    except (TypeError, ValueError) as error:
        raise InputError("it states no errors") from error
