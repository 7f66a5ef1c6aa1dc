"""The scale of a bundle from labels: what it estimates stays, what 0 to 100 means is theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.evaluation.correlation import spearman
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.feature.table import batches
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.calibration import calibrate_by_line
from understandability.prompt import AtPrompt
from understandability.training.labelled import (
    LabelColumns,
    all_documents,
    joined_groups,
    read_sets,
)
from understandability.training.validation import folds_of, interval, resamples_of_groups, rounded

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Distance:
    """How far estimates are from labels, as the root mean square, in points of 0 to 100.

    `low` and `high` are the 95 % interval, by resampling groups.
    """

    scale: str
    distance: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class Rescaled(Tabular):
    """What `rescale` gives: the `bundle` on the scale of labels, and what that changed.

    `before` is the distance of the bundle's own difficulties from the labels, `after` that of the
    new ones, each by a map that did not see the text's group. The order of texts is the old one:
    their `spearman` correlation with the labels stays. `texts` and `groups` are counts; `guessed`
    are sentences on the columns of texts.
    """

    bundle: Bundle
    texts: int
    groups: int
    spearman: float
    before: Distance
    after: Distance
    guessed: tuple[str, ...] = ()

    def table(self, *, digits: int = 1) -> ResultTable:
        """The distances, before and after."""
        rows = tuple(
            (each.scale, each.distance, f"[{each.low:.{digits}f}, {each.high:.{digits}f}]")
            for each in (self.before, self.after)
        )
        note = (
            f"Root mean square distance from the labels of {self.texts} texts in {self.groups} "
            f"groups, in points of 0 to 100, with 95 % intervals by group; the second by {_FOLDS} "
            f"folds of groups. Spearman with the labels, before and after: {self.spearman:.3f}."
        )
        return ResultTable(("scale", "distance", "interval"), rows, note=note, digits=digits)

    def save(self, folder: str | Path) -> None:
        """Write the bundle as a folder."""
        self.bundle.save(folder)


def rescale(
    bundle: Annotated[Bundle | str | Path, AtPrompt(str)],
    labels: Annotated[Any, AtPrompt(list[str], value="LABELS...")],
    *,
    licence: str = "that of its labels",
    name: Annotated[str, AtPrompt(None)] = "own",
    random_state: Annotated[int, AtPrompt(None)] = 0,
    **columns: Annotated[Any, AtPrompt((LabelColumns,))],
) -> Rescaled:
    """Give a bundle the scale of your labels: difficulties from 0 to 100 as your judges use them.

    The bundle still reads the same features and orders texts as before. Shows how far its
    difficulties are from the labels before and after (out of fold, by group).

    Example: understand bundle rescale open ratings.csv:rating:harder -o my-bundle

    In Python, `labels` are those of `train`, and `columns` fields of `LabelColumns`, with the scale
    ``range``. The map is the straight line of labels over the bundle's raw output, the spread that
    of labels about it. Thresholds of readers belong to a scale: find them again.

    Args:
        bundle: Name or folder of a bundle.
        labels: Texts with a label: FILE[:COLUMN][:harder|easier], with the scales of the --labels
            of `understand train judged`. By range, the default, the lowest label is 0 and the
            highest 100.
        licence: Licence of the labels.

    >>> easy = "You have flu. Rest, and drink water."
    >>> hard = "The drug can raise the risk of a clot in the lung."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> ratings = {"text": texts, "rating": [1 + i % 5 for i in range(60)]}
    >>> found = rescale("open", ratings, label="rating", direction="higher-harder")
    >>> found.after.distance < found.before.distance
    True
    """
    base = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
    sets = read_sets(labels, LabelColumns(**{"scale": "range", **columns}))
    estimates = [each for batch in batches(all_documents(sets)) for each in base.estimate(batch)]
    raw = np.array([each.raw for each in estimates])
    old = np.array([each.difficulty for each in estimates])
    wanted = np.concatenate([each.targets for each in sets])
    known = np.isfinite(raw) & np.isfinite(wanted)
    raw, old, wanted, groups = raw[known], old[known], wanted[known], joined_groups(sets)[known]
    count = len(np.unique(groups))
    if count < _FOLDS:
        raise InputError(
            f"the labels have {count} groups; at least {_FOLDS} are needed to "
            "see how the new scale does on texts that it did not see"
        )
    calibration = calibrate_by_line(raw, wanted).on_own_scale()
    new = np.empty(len(raw))
    fold = folds_of(groups, _FOLDS, random_state)
    for each in range(_FOLDS):
        own = fold == each
        new[own] = calibrate_by_line(raw[~own], wanted[~own]).of(raw[own])[0]
    samples = resamples_of_groups(groups, random_state)
    before = _distance(f"{base.name}, {base.scale}", old - wanted, samples)
    after = _distance(f"{name}, {calibration.scale}", new - wanted, samples)
    guessed = tuple(each.guessed for each in sets if each.guessed)
    found = Rescaled(base, len(raw), count, spearman(raw, wanted), before, after, guessed)
    trained = base.card.get("training")
    card = {
        **base.card,
        "summary": f"{base.label}, whose own card says how it was trained and judged, with "
        f"difficulties on the scale of {', '.join(each.name for each in sets)}.",
        "cannot_know": f"what {base.name} cannot know; how other people would label texts, or "
        "the same people texts of other kinds",
        "training": [
            *(trained if isinstance(trained, list) else []),
            *({"name": each.name, "use": "scale", **each.on_card(licence)} for each in sets),
        ],
        "figures": [rounded(asdict(each), 1) for each in (before, after)],
        "figures_note": found.table().note,
    }
    licences = f"{base.licence}; its scale under {licence}"
    made = Bundle(name, licences, base.model, calibration, card)
    return replace(found, bundle=made)


def _distance(scale: str, away: Floats, samples: Sequence[Any]) -> Distance:
    resampled = [np.sqrt(np.mean(away[sample] ** 2)) for sample in samples]
    return Distance(scale, float(np.sqrt(np.mean(away**2))), *interval(resampled))
