"""Map a bundle's output to the scale of a user's labels, without changing the order of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Unpack

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.evaluation.correlation import spearman
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.feature.table import batches
from understandability.keywords import keywords_of
from understandability.model.bundle import AnyBundle, Bundle, bundle_of
from understandability.model.calibration import calibrate_by_line
from understandability.training.duplicates import joined_groups
from understandability.training.labelled import (
    LabelColumns,
    LabelOptions,
    all_documents,
    read_sets,
    table_of_pairs,
)
from understandability.training.validation import (
    folds_of,
    interval,
    resamples_of_groups,
    rounded,
    trained_on,
)
from understandability.wording import counted

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Distance:
    """The root mean square difference between estimates and labels, in points of 0 to 100.

    `low` and `high` are the 95 % interval, from resampling groups.
    """

    scale: str
    distance: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class Rescaled(Tabular):
    """The result of `rescale`: the `bundle` on the scale of the labels, and the improvement.

    `before` is the root mean square difference between the bundle's own difficulties and the
    labels. `after` is the same for the new difficulties, cross-validated by group. The order of
    texts does not change, nor does their `spearman` correlation with the labels. `texts` and
    `groups` are counts. `guessed` has sentences that say which columns of the table were taken for
    texts and labels; `remarks` has sentences on the limits of the figures.
    """

    bundle: Bundle
    texts: int
    groups: int
    spearman: float
    before: Distance
    after: Distance
    guessed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def table(self, *, digits: int = 1) -> ResultTable:
        """Return the differences before and after as a table for a paper."""
        rows = tuple(
            (line.scale, line.distance, f"[{line.low:.{digits}f}, {line.high:.{digits}f}]")
            for line in (self.before, self.after)
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


@keywords_of(LabelColumns)
def rescale(
    bundle: str | AnyBundle,
    labels: Annotated[Sequence[str] | Any, Parameter(metavar="LABELS...")],
    values: Annotated[Any, Parameter(parse=False)] = None,
    *,
    licence: str = "that of its labels",
    name: Annotated[str, Parameter(parse=False)] = "own",
    random_state: Annotated[int, Parameter(parse=False)] = 0,
    **columns: Unpack[LabelOptions],
) -> Rescaled:
    """Give a bundle the scale of your labels: difficulties from 0 to 100 as your judges use them.

    The bundle still reads the same features and orders texts as before. Shows the distance of its
    difficulties from the labels before and after (out of fold, by group).

    Example: understand bundle rescale open ratings.csv:rating:harder -o my-bundle

    Args:
        bundle: Name or folder of a bundle.
        labels: Texts with a label: FILE[:COLUMN][:harder|easier], with the scales of the --labels
            of `understand train judged`. By range, the default, the lowest label is 0 and the
            highest 100.
        licence: Licence of the labels.

    In Python:
        `labels` and `values` are the same as for `train`, and `columns` are fields of
        `LabelColumns`; the default scale is ``range``. Labels are regressed on the bundle's raw
        output: the fitted line becomes the map, and the standard deviation of the residuals
        becomes the spread. The new
        bundle has no reader, because the threshold of a reader belongs to one scale.

    >>> easy = "You have flu. Rest, and drink water."
    >>> hard = "The drug can raise the risk of a clot in the lung."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> ratings = {"text": texts, "rating": [1 + i % 5 for i in range(60)]}
    >>> result = rescale("open", ratings, label="rating", direction="higher-harder")
    >>> result.after.distance < result.before.distance
    True
    """
    base = bundle_of(bundle)
    options: dict[str, Any] = {"scale": "range", **columns}
    if values is not None:
        labels, options = table_of_pairs(labels, values, "rescale", options, "bundle, ")
    sets = read_sets(labels, LabelColumns(**options))
    estimates = [
        estimate for batch in batches(all_documents(sets)) for estimate in base.estimate(batch)
    ]
    raw = np.array([estimate.raw for estimate in estimates])
    old = np.array([estimate.difficulty for estimate in estimates])
    targets = np.concatenate([labelled.targets for labelled in sets])
    usable = np.isfinite(raw) & np.isfinite(targets)
    groups = joined_groups(sets)[0][usable]
    raw, old, targets = raw[usable], old[usable], targets[usable]
    count = len(np.unique(groups))
    if count < _FOLDS:
        raise InputError(
            f"the labels have {counted(count, 'group')}; at least {_FOLDS} are needed to "
            "test the new scale on texts that it was not fitted to"
        )
    calibration = calibrate_by_line(raw, targets).on_own_scale()
    new = np.empty(len(raw))
    fold = folds_of(groups, _FOLDS, random_state)
    for number in range(_FOLDS):
        own = fold == number
        new[own] = calibrate_by_line(raw[~own], targets[~own]).of(raw[own])[0]
    samples = resamples_of_groups(groups, random_state)
    before = _distance(f"{base.name}, {base.scale}", old - targets, samples)
    after = _distance(f"{name}, {calibration.scale}", new - targets, samples)
    guessed = tuple(labelled.guessed for labelled in sets if labelled.guessed)
    remarks = tuple(
        remark for labelled in sets for remark in (*labelled.remarks, *trained_on(base, labelled))
    )
    result = Rescaled(
        base, len(raw), count, spearman(raw, targets), before, after, guessed, remarks
    )
    trained = base.card.get("training")
    earlier = [
        # Difficulties of labels are those of the former scale.
        {key: value for key, value in entry.items() if key != "labels_in_difficulty"}
        for entry in (trained if isinstance(trained, list) else [])
        if isinstance(entry, Mapping)
    ]
    card = {
        **base.card,
        "summary": f"{base.label} (see its own card for training and figures), with "
        f"difficulties on the scale of {', '.join(labelled.name for labelled in sets)}.",
        "cannot_know": f"what {base.name} cannot know; how other people would label texts, or "
        "the same people texts of other kinds",
        "training": [
            *earlier,
            *({"name": one.name, "use": "scale", **one.on_card(licence)} for one in sets),
        ],
        "figures": [rounded(asdict(line), 1) for line in (before, after)],
        "figures_note": result.table().note,
    }
    licences = f"{base.licence}; its scale under {licence}"
    rescaled = Bundle(name, licences, base.model, calibration, card)
    return replace(result, bundle=rescaled)


def _distance(scale: str, errors: Floats, samples: Sequence[Any]) -> Distance:
    resampled = [np.sqrt(np.mean(errors[sample] ** 2)) for sample in samples]
    return Distance(scale, float(np.sqrt(np.mean(errors**2))), *interval(resampled))
