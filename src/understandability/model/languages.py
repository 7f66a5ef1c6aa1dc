"""The model of languages other than English: level and difficulty from columns of any language.

The columns of a text are first mapped to the values that its English translation would have: the
`center` and `scale` of a language were measured on translations of the same English texts. So one
function serves all languages, and what it learned in one language applies to the others. The level
is linear in the columns. The difficulty is a sum of Gaussian bells, and a line maps it to the
readings of the language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.flags import FlagName
from understandability.model.language_columns import COLUMNS, language_columns
from understandability.model.model import Reading
from understandability.model.passage_model import TWO_LANGUAGES
from understandability.model.predictors import Kernel, Network, Prepared, array_bytes, predictor_of
from understandability.text.document import Document
from understandability.text.language import UNDETERMINED, contradicting_language
from understandability.text.other_languages import LANGUAGES
from understandability.text.stop_words import own_words_of

UNTESTED: Final = "language_untested"
_FEW_WORDS = 20
# A text is searched for another language in runs of this many pieces. It is mixed if more than
# this share of the runs is in another language.
_PIECES, _MOST_FOREIGN = 60, 0.1
_LEAST_WORDS = 12  # words that a run needs to show another language
_MARKS = ".,;:!?…()[]\"'“”„«»।"
_END = 5.0  # points at each end of the scale of readings


def _within_scale(values: Floats) -> Floats:
    """Squeeze difficulties into 0 to 100, keeping their order.

    Values beyond the scale are compressed into the last five points at each end.

    >>> _within_scale(np.array([-5.0, 50.0, 100.0, 110.0])).round(1).tolist()
    [0.7, 50.0, 98.2, 99.8]
    """
    above = np.maximum(values - (100 - _END), 0) / _END
    below = np.maximum(_END - values, 0) / _END
    beyond = (above + np.exp(-above)) - (below + np.exp(-below))
    return np.asarray(values - _END * beyond)


@dataclass(frozen=True, slots=True)
class KnownLanguage:
    """The parameters of one language in a `LanguagesModel`.

    `center` and `scale` map the columns to English: ``center_en + (x - center) * scale``.
    `level_error` is the standard error of the level of a passage. `line` maps the output to the
    readings of the language (start and slope; empty for a language without readings), and `spread`
    is the standard error of the result. `tested` is True if the model was tested on texts of the
    language with human labels, which it was not trained on.
    """

    center: tuple[float, ...]
    scale: tuple[float, ...]
    level_error: float
    line: tuple[float, ...] = ()
    spread: float = float("nan")
    tested: bool = False

    def __post_init__(self) -> None:
        numbers = (*self.center, *self.scale, self.level_error, *self.line)
        if not (
            len(self.center) == len(self.scale) == len(COLUMNS)
            and len(self.line) in (0, 2)
            and np.isfinite(numbers).all()
            and min(*self.scale, self.level_error) > 0
            and (not self.line or self.spread > 0)
        ):
            raise InputError("its parameters of a language do not fit its columns")


@dataclass(frozen=True, eq=False)
class LanguagesModel:
    """A model of level and difficulty for several languages, whose parameters are in `languages` by
    tag.

    `level` and `difficulty` read columns that were mapped to English; `center` is their mean.
    """

    level: Prepared
    difficulty: Prepared
    center: Floats
    languages: Mapping[str, KnownLanguage]

    def __post_init__(self) -> None:
        level, difficulty = self.level.predictor, self.difficulty.predictor
        if not (
            isinstance(level, Network)
            and isinstance(difficulty, Kernel)
            and level.inputs == difficulty.inputs == len(self.center) == len(COLUMNS)
            and level.biases[-1].shape == difficulty.biases.shape == (1,)
        ):
            raise InputError("its functions do not go from the columns of passages to one number")
        for tag in self.languages:
            if tag not in LANGUAGES:
                raise InputError(f"this version has no row for the language {tag[:20]!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that the model reads of each passage, in order."""
        return COLUMNS

    @property
    def typical(self) -> Floats:
        """The mean of each column over the training passages."""
        return self.center

    def passages(self, document: Document) -> tuple[Floats, Floats]:
        """Return the columns of each passage, mapped to English, and its number of words.

        Both arrays are empty for a language that the model does not know.
        """
        tag = document.language or ""
        if tag not in self.languages:
            return np.empty((0, len(COLUMNS))), np.empty(0)
        language = self.languages[tag]
        columns, words = language_columns(
            document.pieces, document.sentence_starts, tag, LANGUAGES[tag].frequencies
        )
        return self.center + (columns - np.array(language.center)) * np.array(language.scale), words

    def inputs(self, batch: Batch) -> Floats:
        """Compute the mean of the columns over each document's passages, weighted by words."""
        return np.array([_mean(*self.passages(document)) for document in batch.documents])

    def predict(self, inputs: Floats) -> Floats:
        """Return the difficulty for each row of columns, before the line of a language is
        applied.
        """
        return self.difficulty(inputs)[:, 0]

    def read(self, batch: Batch) -> Reading:
        """Return difficulty, level and their errors; NaN for a language that the model does not
        support.
        """
        rows: list[tuple[float, ...]] = []
        raised: list[tuple[FlagName, ...]] = []
        for document in batch.documents:
            columns, words = self.passages(document)
            if not len(words):
                rows.append((*[np.nan] * 4, 0.0))
                raised.append(())
                continue
            language = self.languages[document.language or ""]
            mixed = _is_mixed(document)
            # The passages of a page err in the same direction, so their errors do not average out:
            # the error of a page is the error of a passage.
            wider = (1.0 if words.sum() >= _FEW_WORDS else 1.5) * (1.5 if mixed else 1.0)
            level = _mean(self.level(columns), words)[0]
            raw = _mean(self.predict(columns)[:, None], words)[0]
            start, slope = language.line or (np.nan, np.nan)
            error, level_error = wider * language.spread, wider * language.level_error
            rows.append((start + slope * raw, error, level, level_error, float(words.sum())))
            flags: list[FlagName] = [] if language.tested else [UNTESTED]
            if mixed:
                flags += [TWO_LANGUAGES]
            raised.append(tuple(flags))
        raws, errors, levels, level_errors, totals = np.array(rows).reshape(len(rows), 5).T
        raws = _within_scale(raws)
        return Reading(raws, errors, totals, tuple(raised), levels, level_errors, raws)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Serialise the model: its entry in ``bundle.json`` with the languages, and the functions
        as arrays.
        """
        model = {
            "kind": "languages",
            "columns": list(COLUMNS),
            "center": self.center.tolist(),
            "languages": {
                tag: {key: value for key, value in asdict(language).items() if value == value}
                for tag, language in self.languages.items()
            },
        }
        parts = {"level.npz": self.level, "difficulty.npz": self.difficulty}
        return model, {name: array_bytes(part.to_arrays()) for name, part in parts.items()}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """Restore a model from the result of `to_parts`."""
        if model.get("columns") != list(COLUMNS):
            raise InputError("it reads other columns of passages than this version has")
        level, difficulty = (predictor_of(weights, name) for name in ("level", "difficulty"))
        try:
            center = np.array(model["center"], np.float64)
            languages = {
                str(tag): KnownLanguage(
                    tuple(map(float, parameters["center"])),
                    tuple(map(float, parameters["scale"])),
                    float(parameters["level_error"]),
                    tuple(map(float, parameters["line"])),
                    float(parameters.get("spread", np.nan)),
                    bool(parameters["tested"]),
                )
                for tag, parameters in model["languages"].items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError("it does not state the parameters of its languages") from error
        if not (
            isinstance(level, Prepared)
            and isinstance(difficulty, Prepared)
            and bool(np.isfinite(center).all())
        ):
            raise InputError("its weights are not the weights of a model of languages")
        return cls(level, difficulty, center, languages)


def _is_mixed(document: Document) -> bool:
    """Return True if more than a tenth of a text is in another language."""
    own = own_words_of(document.language or "")
    foreign = 0
    starts = range(0, len(document.pieces), _PIECES)
    for start in starts:
        run = [piece.lower().strip(_MARKS) for piece in document.pieces[start : start + _PIECES]]
        # If every fourth word is a frequent one of the language, nothing else needs checking.
        if 4 * sum(piece in own for piece in run) < len(run):
            latin = 3 * sum(map(str.isascii, run)) > 2 * len(run)
            if latin and 2 * sum(map(str.isascii, own)) < len(own):
                foreign += 1  # Latin letters in a language of another script
            else:
                language = contradicting_language(
                    " ".join(run), document.language or "", _LEAST_WORDS
                )
                foreign += language not in (None, UNDETERMINED)
    return foreign > _MOST_FOREIGN * len(starts)


def _mean(values: Floats, words: Floats) -> Floats:
    """Return the mean over passages, weighted by words; NaN without passages."""
    if not len(words):
        return np.full(values.shape[1], np.nan)
    return np.asarray((values * words[:, None]).sum(axis=0) / words.sum())
