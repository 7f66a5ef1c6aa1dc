"""The model of languages other than English: level and difficulty from columns of any language.

The columns of a language are first brought to where they would stand in English: `center` and
`scale` of a language are those of texts whose English originals have those of the model. So one
function reads all languages, and what it learned of one holds for the others. The level is linear
in the columns; the difficulty a sum of bells, brought to the readings of the language by a line.
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
from understandability.model.passage_model import TWO_LANGUAGES
from understandability.model.plain_columns import COLUMNS, plain_columns
from understandability.model.predictors import Kernel, Network, Prepared, array_bytes, predictor_of
from understandability.text.document import Document
from understandability.text.language import UNDETERMINED, contradicting_language
from understandability.text.other_languages import LANGUAGES
from understandability.text.stop_words import own_words_of

UNTESTED = "language_untested"
_FEW_WORDS = 20
# A text is looked through by so many pieces; a part in another language makes it a mixed one.
_PIECES, _MOST_FOREIGN = 60, 0.1
_LEAST_WORDS = 12  # of a piece that can show another language
_MARKS = ".,;:!?…()[]\"'“”„«»।"
_END = 5.0  # points at each end of the scale of readings


def _within_scale(values: Floats) -> Floats:
    """Difficulties between 0 and 100, however far beyond a model's are.

    The last five points at each end hold all that lies beyond, so the harder of two texts stays
    the harder.

    >>> _within_scale(np.array([-5.0, 50.0, 100.0, 110.0])).round(1).tolist()
    [0.7, 50.0, 98.2, 99.8]
    """
    above = np.maximum(values - (100 - _END), 0) / _END
    below = np.maximum(_END - values, 0) / _END
    beyond = (above + np.exp(-above)) - (below + np.exp(-below))
    return np.asarray(values - _END * beyond)


@dataclass(frozen=True, slots=True)
class KnownLanguage:
    """The parameters of one language.

    `center` and `scale` bring the columns to English: ``center_en + (x - center) * scale``.
    `level_error` is the standard error of the level of a passage, `line` gives difficulty by the
    readings of the language (start and slope; none were read where it is empty) and `spread` its
    standard error. `tested` says whether people judged texts of the language, which it never saw.
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
            raise InputError("what it knows of a language does not fit its columns")


@dataclass(frozen=True, eq=False)
class LanguagesModel:
    """A level and a difficulty of documents in `languages`, by their tags; see the module.

    `level` and `difficulty` read columns of English or brought to it, whose center is `center`.
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
            if not (tag in LANGUAGES and LANGUAGES[tag].frequencies):
                raise InputError(f"this version has no row for the language {tag[:20]!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of a passage."""
        return COLUMNS

    @property
    def typical(self) -> Floats:
        """The mean of the passages that it learned from."""
        return self.center

    def passages(self, document: Document) -> tuple[Floats, Floats]:
        """The columns of each passage, brought to English, and its words; none if not known."""
        tag = document.language or ""
        if tag not in self.languages:
            return np.empty((0, len(COLUMNS))), np.empty(0)
        known = self.languages[tag]
        columns, words = plain_columns(
            document.pieces, document.sentence_starts, tag, LANGUAGES[tag].frequencies
        )
        return self.center + (columns - np.array(known.center)) * np.array(known.scale), words

    def inputs(self, batch: Batch) -> Floats:
        """The mean of its columns over each document's passages."""
        return np.array([_mean(*self.passages(each)) for each in batch.documents])

    def predict(self, inputs: Floats) -> Floats:
        """The difficulty of each row of columns, before the line of a language."""
        return self.difficulty(inputs)[:, 0]

    def read(self, batch: Batch) -> Reading:
        """Difficulty, level and their errors; NaN of a language that it does not know."""
        rows: list[tuple[float, ...]] = []
        flags: list[tuple[str, ...]] = []
        for document in batch.documents:
            columns, words = self.passages(document)
            if not len(words):
                rows.append((*[np.nan] * 4, 0.0))
                flags.append(())
                continue
            known, mixed = self.languages[document.language or ""], _is_mixed(document)
            # Errors of passages; those of a page all go one way, so that they do not average out.
            wider = (1.0 if words.sum() >= _FEW_WORDS else 1.5) * (1.5 if mixed else 1.0)
            level = _mean(self.level(columns), words)[0]
            raw = _mean(self.predict(columns)[:, None], words)[0]
            start, slope = known.line or (np.nan, np.nan)
            errors = wider * known.spread, wider * known.level_error
            rows.append((start + slope * raw, errors[0], level, errors[1], float(words.sum())))
            raised = (*[UNTESTED] * (not known.tested), *[TWO_LANGUAGES] * mixed)
            flags.append(raised)
        raw, error, level, level_error, total = np.array(rows).reshape(len(rows), 5).T
        raw = _within_scale(raw)
        return Reading(raw, error, total, tuple(flags), level, level_error, raw)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The parameters of each language for ``bundle.json``, the functions as arrays."""
        model = {
            "kind": "languages",
            "columns": list(COLUMNS),
            "center": self.center.tolist(),
            "languages": {
                tag: {key: value for key, value in asdict(known).items() if value == value}
                for tag, known in self.languages.items()
            },
        }
        parts = {"level.npz": self.level, "difficulty.npz": self.difficulty}
        return model, {name: array_bytes(part.to_arrays()) for name, part in parts.items()}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """Read the model that `to_parts` wrote."""
        if model.get("columns") != list(COLUMNS):
            raise InputError("it reads other columns of passages than this version has")
        level, difficulty = (predictor_of(weights, name) for name in ("level", "difficulty"))
        try:
            center = np.array(model["center"], np.float64)
            languages = {
                str(tag): KnownLanguage(
                    tuple(map(float, known["center"])),
                    tuple(map(float, known["scale"])),
                    float(known["level_error"]),
                    tuple(map(float, known["line"])),
                    float(known.get("spread", np.nan)),
                    bool(known["tested"]),
                )
                for tag, known in model["languages"].items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError("it does not say what it knows of its languages") from error
        if not (
            isinstance(level, Prepared)
            and isinstance(difficulty, Prepared)
            and bool(np.isfinite(center).all())
        ):
            raise InputError("its weights are not what a model of languages has there")
        return cls(level, difficulty, center, languages)


def _is_mixed(document: Document) -> bool:
    """True if more than a tenth of a text is in another language."""
    own = own_words_of(document.language or "")
    foreign = 0
    starts = range(0, len(document.pieces), _PIECES)
    for start in starts:
        run = [piece.lower().strip(_MARKS) for piece in document.pieces[start : start + _PIECES]]
        # If every fourth word is a frequent one of the language, nothing else needs checking.
        if 4 * sum(piece in own for piece in run) < len(run):
            latin = 3 * sum(map(str.isascii, run)) > 2 * len(run)
            if latin and 2 * sum(map(str.isascii, own)) < len(own):
                foreign += 1  # Latin letters, in a language of another script
            else:
                language = contradicting_language(
                    " ".join(run), document.language or "", _LEAST_WORDS
                )
                foreign += language not in (None, UNDETERMINED)
    return foreign > _MOST_FOREIGN * len(starts)


def _mean(values: Floats, words: Floats) -> Floats:
    """The mean over passages, weighted by words; NaN without any."""
    if not len(words):
        return np.full(values.shape[1], np.nan)
    return np.asarray((values * words[:, None]).sum(axis=0) / words.sum())
