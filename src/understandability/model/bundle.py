"""`Bundle`: a trained model with everything needed to use it, and its model card.

In memory a `Bundle`, on disk a folder of ``bundle.json`` and weights (`model.bundle_files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from understandability._version import __version__
from understandability.errors import InputError, OptionError, WrongTypeError
from understandability.feature.background_rows import GROUP
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import missing_resources
from understandability.flags import FlagName
from understandability.hooks import load
from understandability.model.bundle_files import BundleFiles, read_bundle, write_bundle
from understandability.model.calibration import Calibration
from understandability.model.model import Model
from understandability.model.readers import (
    DEFAULT_READER,
    READERS,
    READINGS,
    AssessorScale,
    Reader,
    ReadingScale,
)
from understandability.wording import kind_of


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimates for one document; NaN means unknown.

    `difficulty` runs from 0 (very easy) to 100 (very hard). `spread` is its standard error on the
    same scale (NaN if the bundle does not know it). `p_understandable` is P(U|d), from 0 to 1.
    `raw` is the model's own output on the scale of its training labels (higher is harder). `level`
    is the CEFR level of the text, 1 (A1) to 6 (C2); NaN for bundles that learned no levels.
    `level_error` is its standard error, NaN if unknown. All are NaN without an estimate (no words,
    or a language that the bundle does not know). For a language without readings, only the level
    and its error have values.
    """

    docno: str
    p_understandable: float
    difficulty: float
    spread: float
    raw: float
    level: float = float("nan")
    level_error: float = float("nan")
    flags: tuple[FlagName, ...] = ()


if TYPE_CHECKING:
    from understandability.model.background import BackgroundModel

# The ends of the scale of levels; a model may report levels beyond them.
A1, C2 = 1.0, 6.0
DEFAULT_BUNDLE = "open"
# Other names of bundles that come with the package.
ALIASES = {"default": DEFAULT_BUNDLE}


FROM_SKLEARN = "training.portable:bundle_of"
# Entry ``kind`` of the model in ``bundle.json`` -> its class, imported when a bundle needs it.
MODELS = {
    "column": "model.model:ColumnModel",
    "background": "model.background:BackgroundModel",
    "judged": "model.feature_model:JudgedModel",
    "passages": "model.passage_model:PassageModel",
    "blend": "model.blend:BlendModel",
    "languages": "model.languages:LanguagesModel",
}


@dataclass(frozen=True, slots=True)
class Bundle:
    """A trained model, its map to difficulty, and its model card (data, figures, limits).

    `calibration` maps the model's output to difficulty. If the model also estimates a level,
    `assessors` maps that level to the scale on which the assessors of CLEF eHealth 2016 labelled
    pages, for readers whose threshold is on that scale. `card`
    holds ``summary``, ``training``, ``figures``, ``intended_use`` and further entries of
    ``bundle.json``. `checksum` identifies the weights ('' until the bundle is written). `reader` is
    the default reader for P(U|d), such as the one fitted to labels in training.
    """

    name: str
    licence: str
    model: Model
    calibration: Calibration | ReadingScale
    card: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""
    assessors: AssessorScale | None = None
    reader: Reader | None = None

    def __post_init__(self) -> None:
        if self.reader is not None and self.reader.scale != self.scale:
            raise InputError("its reader's threshold is not on its own scale")

    def __repr__(self) -> str:
        return (
            f"<Bundle {self.label}, scale {self.scale}; .card describes it, .save(folder) writes "
            "it>"
        )

    @property
    def scale(self) -> str:
        """The name of the scale of difficulty. Scores on different scales must not be mixed."""
        return self.calibration.scale

    @property
    def label(self) -> str:
        """The name and the start of the checksum, which identify the model in tables."""
        return f"{self.name}@{self.checksum[:12]}" if self.checksum else self.name

    @property
    def missing_vocabularies(self) -> tuple[str, ...]:
        """The vocabularies that the features of the model need but that are not installed."""
        # Models of passages read words, not columns of the catalogue.
        rows = [COLUMNS[name][0] for name in getattr(self.model, "columns", ())]
        needs = dict.fromkeys(need for row in rows if row.group != GROUP for need in row.needs)
        return missing_resources(needs)

    def calibration_for(self, scale: str) -> Calibration | ReadingScale | AssessorScale:
        """Return the map to difficulty on the scale of that name; '' is the bundle's own scale.

        Raises `OptionError` if the bundle has no map to that scale.
        """
        maps = (self.calibration, self.assessors)
        calibrations = {calibration.scale: calibration for calibration in maps if calibration}
        if scale and scale not in calibrations:
            raise OptionError(
                f"bundle {self.name} gives difficulties on {' and '.join(calibrations)}, and the "
                f"reader's threshold is on {scale!r}: name its own bundle (--bundle FOLDER), or "
                "calibrate it on scores of this one"
            )
        return calibrations[scale or self.scale]

    def estimate(self, batch: Batch, reader: Reader | None = None) -> tuple[Estimate, ...]:
        """Estimate P(U|d) for a reader, difficulty with its standard error, and level.

        Difficulty is on the reader's scale. The default reader is the bundle's own, or else an
        adult of the public. A document without words has NaN everywhere and the flag
        ``no_words``. If a vocabulary that the model reads is not installed, every estimate has the
        flag ``missing_vocabulary``.
        """
        reader = reader or self.reader or READERS[DEFAULT_READER]
        # Cached, because estimates for several readers share one reading.
        reading = batch.once(self.model.read)
        has_words = batch.words > 0
        calibration = self.calibration_for(reader.scale_of(self.scale))
        difficulty, spread = calibration.apply(reading)
        # A language without readings has only a level, whatever the scale.
        difficulty, spread = (
            np.where(np.isnan(reading.raw), np.nan, values) for values in (difficulty, spread)
        )
        of_message = replace(reading, raw=reading.message)
        message = calibration.apply(of_message)[0] if reader.curve else difficulty
        probability = reader.understands(message, spread)
        levels = np.clip(reading.level, A1, C2)
        bundle_flags = ("missing_vocabulary",) if self.missing_vocabularies else ()
        fields = (probability, difficulty, spread, reading.raw, levels, reading.level_error)
        numbers = np.where(has_words, fields, np.nan).T.tolist()
        own_flags = zip(reading.flags, has_words.tolist(), strict=True)
        flags = [(*own, *bundle_flags) if is_text else ("no_words",) for own, is_text in own_flags]
        rows = zip(batch.documents, numbers, flags, strict=True)
        return tuple(
            Estimate(document.docno, probability, difficulty, spread, raw, level, error, own)
            for document, (probability, difficulty, spread, raw, level, error), own in rows
        )

    @classmethod
    def from_sklearn(
        cls,
        pipeline: Any,
        columns: Sequence[str],
        inputs: ArrayLike,
        labels: ArrayLike,
        *,
        name: str = "own",
        licence: str = "that of its labels",
        card: Mapping[str, Any] = MappingProxyType({}),
    ) -> Self:
        """Convert a fitted scikit-learn pipeline over columns of the catalogue to a bundle.

        `inputs` (documents, columns) and `labels`, their difficulties from 0 to 100, come from
        texts that the pipeline was *not* fitted to. The line of best fit maps the pipeline's output
        to difficulty, and the standard deviation around it is the spread. The classes of a
        classifier are difficulties. Raises `OptionError` for a pipeline that cannot be converted to
        plain arrays (`portable` lists the supported estimators), or whose output the arrays do not
        reproduce.

        >>> from sklearn.linear_model import Ridge
        >>> grades = np.arange(12.0)[:, None]
        >>> fitted = Ridge(alpha=0.1).fit(grades[::2], 8 * grades[::2, 0])
        >>> bundle = Bundle.from_sklearn(
        ...     fitted, ["flesch_kincaid"], grades[1::2], 8 * grades[1::2, 0])
        >>> bundle.model.estimator
        'linear-regressor'
        """
        bundle: Self = load(FROM_SKLEARN)(pipeline, columns, inputs, labels, name, licence, card)
        return bundle

    def save(self, folder: str | Path) -> None:
        """Write the bundle as a folder; equal bundles are written as equal bytes."""
        model, weights = self.model.to_parts()
        description = {
            "name": self.name,
            "licence": self.licence,
            "toolkit": __version__,
            **self.card,
            "model": model,
            "calibration": self.calibration.to_json(),
        }
        if self.assessors:
            description["assessors"] = self.assessors.to_json()
        if self.reader:
            description["reader"] = self.reader.to_json()
        write_bundle(folder, description, weights)


def load_bundle(name_or_path: str | Path) -> Bundle:
    """Load a bundle by name, if it comes with the package, or by the path of its folder.

    ``default`` is another name for the bundle `open`. Nothing in the bundle is executed, and
    everything is checked before use.

    Raises:
        InputError: The bundle is missing, damaged, altered or unsafe, has a newer format, or needs
            features that this version does not know.

    >>> load_bundle("llr").name
    'llr'
    """
    files = read_bundle(ALIASES.get(str(name_or_path), name_or_path))
    try:
        return _bundle(files)
    except InputError as error:
        raise InputError(f"{files.where} is refused: {error}") from error


class HasBundle(Protocol):
    """The interface of results that contain a bundle, such as `Trained`."""

    @property
    def bundle(self) -> Bundle:
        """The bundle."""


AnyBundle = Bundle | HasBundle | str | Path


def bundle_of(bundle: AnyBundle) -> Bundle:
    """Return a bundle from a `Bundle`, a result that has a bundle, a name, or a folder."""
    return load_bundle(bundle) if isinstance(bundle, str | Path) else _held(bundle)


def _held(bundle: Bundle | HasBundle) -> Bundle:
    held = bundle if isinstance(bundle, Bundle) else getattr(bundle, "bundle", None)
    if not isinstance(held, Bundle):
        raise WrongTypeError(
            "bundle takes the name or folder of a bundle, a Bundle, or a result of train or "
            f"rescale, not {kind_of(bundle)}"
        )
    return held


# Bundles in memory that other processes needed, by their identity, and the folders they are in.
_FOLDERS: dict[int, tuple[Bundle, TemporaryDirectory[str]]] = {}


def stored_folder(bundle: AnyBundle) -> str:
    """Return the name or folder of a bundle, so that other processes can load it.

    A bundle that exists only in memory is written to a temporary folder, which is removed when the
    process ends.
    """
    if isinstance(bundle, str | Path):
        return str(bundle)
    held = _held(bundle)
    if id(held) not in _FOLDERS:
        folder = TemporaryDirectory(prefix="understandability-bundle-")
        held.save(folder.name)
        _FOLDERS[id(held)] = held, folder
    return _FOLDERS[id(held)][1].name


def _bundle(files: BundleFiles) -> Bundle:
    card = dict(files.description)
    for name in ("files", "format", "toolkit"):
        card.pop(name, None)
    name, licence, model, knots = (
        card.pop(key, None) for key in ("name", "licence", "model", "calibration")
    )
    if not (isinstance(name, str) and isinstance(licence, str)):
        raise InputError("it states no name and licence")
    if not (isinstance(model, dict) and isinstance(knots, dict)):
        raise InputError("it states no model and calibration")
    type_ = model.get("kind")
    if not isinstance(type_, str) or type_ not in MODELS:
        raise InputError(
            f"this version knows no model of kind {str(type_)[:40]!r}, only {', '.join(MODELS)}; "
            "upgrade it"
        )
    if knots.get("scale") == READINGS and type_ not in ("passages", "languages"):
        raise InputError(f"a model of kind {type_!r} cannot be on the scale {READINGS!r}")
    assessors, reader = card.pop("assessors", None), card.pop("reader", None)
    calibration: Calibration | ReadingScale = (
        ReadingScale() if knots.get("scale") == READINGS else Calibration.from_json(knots)
    )
    return Bundle(
        name,
        licence,
        load(MODELS[type_]).from_parts(model, files.weights),
        calibration,
        card,
        files.checksum,
        None if assessors is None else AssessorScale.from_json(assessors),
        None if reader is None else Reader.from_json(reader),
    )


def load_background_models(names: Iterable[AnyBundle]) -> tuple[BackgroundModel, ...]:
    """Load the models of background bundles, whose outputs become columns of the catalogue.

    Raises `OptionError` for a bundle whose model is not a background model.

    >>> [model.estimator for model in load_background_models(["background-mlp"])]
    ['mlp-regressor']
    """
    from understandability.model.background import BackgroundModel

    models = []
    for name in names:
        bundle = bundle_of(name)
        model = bundle.model
        if not isinstance(model, BackgroundModel):
            named = name if isinstance(name, str | Path) else bundle.name
            raise OptionError(
                f"bundle {named} is not a background model, so its output cannot be a feature; "
                "name one that `understand train background` made"
            )
        models.append(model)
    return tuple(models)
