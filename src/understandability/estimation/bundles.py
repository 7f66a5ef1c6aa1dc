"""A bundle: a trained model with all that is needed to use it, and to know what it is.

In memory a `Bundle`, on disk a folder of ``bundle.json`` and weights (`io.bundles`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import understandability
from understandability.errors import InputError
from understandability.estimation.calibration import Calibration
from understandability.estimation.models import ColumnModel, Model
from understandability.estimation.users import probability
from understandability.features import Batch
from understandability.io.bundles import BundleFiles, read_bundle, write_bundle
from understandability.records import Estimate

DEFAULT_BUNDLE = "default"


def _background(model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Model:
    from understandability.estimation.background import BackgroundModel

    return BackgroundModel.from_parts(model, weights)


def _mixture(model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Model:
    from understandability.estimation.mixture import MixtureModel

    return MixtureModel.from_parts(model, weights)


def _judged(model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Model:
    from understandability.estimation.judged import JudgedModel

    return JudgedModel.from_parts(model, weights)


# What makes a model of the entry ``model`` of ``bundle.json`` and the weights, by kind.
MODELS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, bytes]], Model]] = {
    "column": ColumnModel.from_parts,
    "background": _background,
    "judged": _judged,
    "mixture": _mixture,
}


@dataclass(frozen=True, slots=True)
class Bundle:
    """A model, its map to difficulty, and its card: what there is to know about it.

    `card` holds ``summary``, ``training``, ``figures``, ``intended_use`` and the like, as they
    stand in ``bundle.json``; `checksum` names the very weights ('' before it is written).
    """

    name: str
    licence: str
    model: Model
    calibration: Calibration
    card: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    checksum: str = ""

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
        without words has NaN for all four, and the flag ``no_words``.
        """
        raw = np.where(batch.words > 0, self.model.raw(batch), np.nan)
        difficulty, spread = self.calibration.apply(raw, batch.words)
        noise = spread if noise_scale is None and user == "calibrated" else noise_scale
        chance = probability(difficulty, threshold, user, noise_scale=noise)
        return tuple(
            Estimate(
                document.docno,
                float(chance[index]),
                float(difficulty[index]),
                float(spread[index]),
                float(raw[index]),
                () if batch.words[index] else ("no_words",),
            )
            for index, document in enumerate(batch.documents)
        )

    def save(self, folder: str | Path) -> None:
        """Write the bundle as a folder; the same bundle gives the same bytes."""
        model, weights = self.model.to_parts()
        description = {
            "name": self.name,
            "licence": self.licence,
            "toolkit": understandability.__version__,
            **self.card,
            "model": model,
            "calibration": self.calibration.to_json(),
        }
        write_bundle(folder, description, weights)


def load_bundle(name_or_path: str | Path) -> Bundle:
    """A bundle by the name of one that comes with the package, or by the path of its folder.

    Executes nothing that the bundle holds, and checks all of it before it is used; raises
    `InputError` where it is not there, damaged, altered, unsafe, newer than this version reads,
    or needs features that this version does not know.

    >>> load_bundle("llr").name
    'llr'
    """
    files = read_bundle(name_or_path)
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
    return Bundle(
        name,
        licence,
        MODELS[kind](model, files.weights),
        Calibration.from_json(knots),
        MappingProxyType(card),
        files.checksum,
    )
