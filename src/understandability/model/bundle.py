"""A bundle: a trained model with all that is needed to use it, and to know what it is.

In memory a `Bundle`, on disk a folder of ``bundle.json`` and weights (`storage.bundle_files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from understandability._version import __version__
from understandability.errors import InputError, OptionError
from understandability.feature.background_rows import GROUP
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.needs import missing
from understandability.hooks import load
from understandability.model.bundle_files import BundleFiles, read_bundle, write_bundle
from understandability.model.calibration import Calibration
from understandability.model.estimate import Estimate
from understandability.model.model import Model
from understandability.model.pages import PageModel, PageScale
from understandability.model.readers import probability

if TYPE_CHECKING:
    from understandability.model.background import BackgroundModel

A1, C2 = 1.0, 6.0  # the ends of the scale of levels; `raw` may lie beyond them
DEFAULT_BUNDLE = "open"
# Other names of bundles that come with the package.
ALIASES = {"default": DEFAULT_BUNDLE}


FROM_SKLEARN = "training.portable:bundle_of"
# The kinds of model in ``bundle.json``, each with the hook of its class, loaded when a bundle needs
# it.
MODELS = {
    "column": "model.model:ColumnModel",
    "background": "model.background:BackgroundModel",
    "judged": "model.judged:JudgedModel",
    "pages": "model.pages:PageModel",
    "neural": "neural.neural_model:NeuralModel",
}


def _model(kind: str, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Model:
    made: Model = load(MODELS[kind]).from_parts(model, weights)
    return made


@dataclass(frozen=True, slots=True)
class Bundle:
    """A model, its map to difficulty, and its card: what there is to know about it.

    `card` holds ``summary``, ``training``, ``figures``, ``intended_use`` and the like, as they
    stand in ``bundle.json``; `checksum` names the very weights ('' before it is written).
    """

    name: str
    licence: str
    model: Model
    calibration: Calibration | PageScale
    card: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    checksum: str = ""

    def __repr__(self) -> str:
        return (
            f"<Bundle {self.label}, scale {self.scale}; .card says what is known of it, "
            ".save(folder) writes it>"
        )

    @property
    def scale(self) -> str:
        """The name of the scale of difficulty; scores on different scales must not be mixed."""
        return self.calibration.scale

    @property
    def label(self) -> str:
        """The name and the beginning of the checksum, which tell models apart."""
        return f"{self.name}@{self.checksum[:12]}" if self.checksum else self.name

    @property
    def missing_vocabularies(self) -> tuple[str, ...]:
        """The installable vocabularies that its features need and that are not installed."""
        # Models of pages read words, not columns of the catalogue.
        rows = [COLUMNS[name][0] for name in getattr(self.model, "columns", ())]
        needs = dict.fromkeys(need for row in rows if row.group != GROUP for need in row.needs)
        return missing(needs)

    def estimate(
        self,
        batch: Batch,
        *,
        threshold: float = 40.0,
        user: str = "calibrated",
        noise_scale: ArrayLike | None = None,
    ) -> tuple[Estimate, ...]:
        """P(U|d), difficulty, its standard error and the raw output of each document.

        `threshold`, `user` and `noise_scale` are those of `users.probability`; the calibrated
        user's noise is the estimate's own standard error where no other is given. A document
        without words has NaN for all four, and the flag ``no_words``; where vocabularies that the
        model reads are not installed, each has the flag ``missing_vocabulary``.
        """
        raw = np.where(batch.words > 0, self.model.raw(batch), np.nan)
        levels, evidence = np.full(len(batch), np.nan), batch.words
        flags: tuple[tuple[str, ...], ...] = ((),) * len(batch)
        if isinstance(self.model, PageModel):
            found = batch.once(self.model.levels)
            levels, flags = np.clip(raw, A1, C2), found.flags
            if isinstance(self.calibration, PageScale):
                evidence = found.error
        lacking = ("missing_vocabulary",) if self.missing_vocabularies else ()
        difficulty, spread = self.calibration.apply(raw, evidence)
        noise = spread if noise_scale is None and user == "calibrated" else noise_scale
        chance = probability(difficulty, threshold, user, noise_scale=noise)
        return tuple(
            Estimate(
                document.docno,
                float(chance[index]),
                float(difficulty[index]),
                float(spread[index]),
                float(raw[index]),
                float(levels[index]),
                (*flags[index], *lacking) if batch.words[index] else ("no_words",),
            )
            for index, document in enumerate(batch.documents)
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
        """A fitted pipeline of scikit-learn over columns of the feature catalogue, as a bundle.

        `inputs` (documents, columns) and `labels`, their difficulties from 0 to 100, are of texts
        that the pipeline was *not* fitted to: they give the map from its output to difficulty, and
        the spread, both along the straight line that fits best. A classifier's classes are
        difficulties. Raises `OptionError` for a pipeline that cannot be kept as plain arrays
        (`portable` names those that can), or that arrays do not give the numbers of.

        >>> from sklearn.linear_model import Ridge
        >>> grades = np.arange(12.0)[:, None]
        >>> fitted = Ridge(alpha=0.1).fit(grades[::2], 8 * grades[::2, 0])
        >>> bundle = Bundle.from_sklearn(
        ...     fitted, ["flesch_kincaid"], grades[1::2], 8 * grades[1::2, 0])
        >>> bundle.model.estimator
        'linear-regressor'
        """
        made: Self = load(FROM_SKLEARN)(pipeline, columns, inputs, labels, name, licence, card)
        return made

    def save(self, folder: str | Path) -> None:
        """Write the bundle as a folder; the same bundle gives the same bytes."""
        model, weights = self.model.to_parts()
        description = {
            "name": self.name,
            "licence": self.licence,
            "toolkit": __version__,
            **self.card,
            "model": model,
            "calibration": self.calibration.to_json(),
        }
        write_bundle(folder, description, weights)


def load_bundle(name_or_path: str | Path) -> Bundle:
    """A bundle by the name of one that comes with the package, or by the path of its folder.

    ``default`` is another name of the bundle `open`.

    Executes nothing that the bundle holds, and checks all of it before it is used; raises
    `InputError` where it is not there, damaged, altered, unsafe, newer than this version reads,
    or needs features that this version does not know.

    >>> load_bundle("llr").name
    'llr'
    """
    files = read_bundle(ALIASES.get(str(name_or_path), name_or_path))
    try:
        return _bundle(files)
    except InputError as error:
        raise InputError(f"{files.where} is refused: {error}") from error


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
    kind = model.get("kind")
    if not isinstance(kind, str) or kind not in MODELS:
        raise InputError(
            f"this version knows no model of kind {str(kind)[:40]!r}, only {', '.join(MODELS)}; "
            "upgrade it"
        )
    made = _model(kind, model, files.weights)
    # A page model has the scale of pages, unless labels of somebody's own gave it another.
    of_pages = isinstance(made, PageModel) and "raw" not in knots
    return Bundle(
        name,
        licence,
        made,
        (PageScale if of_pages else Calibration).from_json(knots),
        MappingProxyType(card),
        files.checksum,
    )


def load_background_models(names: Iterable[str | Path]) -> tuple[BackgroundModel, ...]:
    """The models of background bundles, for the rows of the catalogue that give their outputs.

    Raises `OptionError` for a bundle of another kind.

    >>> [model.estimator for model in load_background_models(["background-mlp"])]
    ['mlp-regressor']
    """
    from understandability.model.background import BackgroundModel

    models = []
    for name in names:
        model = load_bundle(name).model
        if not isinstance(model, BackgroundModel):
            raise OptionError(
                f"bundle {name} is not a background model, so its output cannot be a feature; "
                "name one that `understand train background` made"
            )
        models.append(model)
    return tuple(models)
