"""Readers from answers, and the scale of a bundle from labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.crawls.score import Rows
from understandability.errors import InputError
from understandability.evaluation.correlation import spearman
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.feature.table import batches
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import TableColumns
from understandability.inputs.tables import SETTINGS_KEY, read_settings
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.calibration import calibrate_by_line
from understandability.training.answers import FittedReader, fit_reader, read_answers
from understandability.training.judged_training import folds_of
from understandability.training.labelled import (
    LabelledTexts,
    all_documents,
    joined_groups,
    read_sets,
)
from understandability.training.validation import resamples_of_groups

_FOLDS = 5


def calibrate(
    answers: Any,
    scores: Any = None,
    *,
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    understood: str = "understood",
    column: str = "difficulty",
    name: str = "own",
) -> FittedReader:
    """Find a reader's threshold and noise from about fifty answers: understood, or not.

    `answers` are a path, a frame or a dictionary of lists, with a column of documents and one of
    yes or no (`understood`). Their difficulties come from `scores`, a score table (a path, a frame,
    or what `score` gave), or from a `column` of the answers.

    >>> difficulties = list(range(10, 70))
    >>> answers = {"difficulty": difficulties, "understood": [d + d % 7 < 45 for d in difficulties]}
    >>> round(calibrate(answers).reader.threshold)
    42
    """
    found: dict[str, float] | None = None
    scale = bundle = ""
    remarks: list[str] = []
    if scores is not None:
        table = scores.to_arrow() if isinstance(scores, Rows) else scores
        rows = read_records(table)
        if not rows or "docno" not in rows[0] or column not in rows[0]:
            raise InputError(f"the scores have no docno and no column {column!r}")
        found = {str(row["docno"]): row[column] for row in rows}
        settings = _settings_of(table) or {}
        scale, bundle = (str(settings.get(each, "")) for each in ("scale", "bundle"))
    where = str(answers) if isinstance(answers, str | Path) else "the table of answers"
    values, given, without = read_answers(
        read_records(answers), where, found, id=id, understood=understood, column=column
    )
    fitted = fit_reader(values, given, name, scale=scale)
    if not scale:
        remarks.append(
            "nothing says on which scale these difficulties are, so the reader is taken for every "
            "bundle: use it with the bundle that gave them, or calibrate with scores as "
            "`understand score` writes them (a .csv needs its .settings.json beside it)"
        )
    if without:
        some = ", ".join(without[:3])
        remarks.append(
            f"left out, because they have no difficulty: {len(without)} answers ({some})"
        )
    return replace(fitted, remarks=(*remarks, *fitted.remarks), bundle=bundle)


def _settings_of(table: Any) -> Mapping[str, Any] | None:
    """What a score table says of how it was made."""
    if isinstance(table, str | Path):
        return read_settings(str(table))
    metadata = getattr(getattr(table, "schema", None), "metadata", None) or {}
    text = metadata.get(SETTINGS_KEY)
    return dict(json.loads(text)) if text else None


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
    their `spearman` correlation with the labels stays. `texts` and `groups` are counts.
    """

    bundle: Bundle
    texts: int
    groups: int
    spearman: float
    before: Distance
    after: Distance

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
    bundle: Bundle | str | Path,
    labels: Any,
    *,
    label: str | None = None,
    direction: str | None = None,
    scale: str = "range",
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    text: str | None = None,
    html: str | None = None,
    group: str | None = None,
    name: str = "own",
    licence: str = "that of its labels",
    random_state: int = 0,
) -> Rescaled:
    """Give a bundle the scale of labels: what it estimates stays, what 0 to 100 means is theirs.

    `labels` and their columns are those of `train`; `scale` says how they become difficulties: by
    ``range`` (the lowest is 0, the highest 100), by ``cefr`` level, by ``rank``, or ``difficulty``,
    as they are. The map is the straight line of labels over the bundle's raw output, the spread
    that of labels about it. Thresholds of readers belong to a scale: find them anew.

    >>> easy = "You have flu. Rest, and drink water."
    >>> hard = "Pharmacokinetic heterogeneity complicates it."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> ratings = {"text": texts, "rating": [1 + i % 5 for i in range(60)]}
    >>> found = rescale("open", ratings, label="rating", direction="higher-harder")
    >>> found.after.distance < found.before.distance
    True
    """
    base = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
    sets = read_sets(labels, label, direction, scale, TableColumns(id, html, text), group)
    estimates = [each for batch in batches(all_documents(sets)) for each in base.estimate(batch)]
    raw = np.array([each.raw for each in estimates])
    old = np.array([each.difficulty for each in estimates])
    wanted = np.concatenate([each.difficulties for each in sets])
    known = np.isfinite(raw) & np.isfinite(wanted)
    raw, old, wanted, groups = raw[known], old[known], wanted[known], joined_groups(sets)[known]
    if len(set(groups.tolist())) < _FOLDS:
        raise InputError(
            f"the labels have {len(set(groups.tolist()))} groups; at least {_FOLDS} are needed to "
            "see how the new scale does on texts that it did not see"
        )
    calibration = calibrate_by_line(raw, wanted)
    new = np.empty(len(raw))
    fold = folds_of(groups, _FOLDS, random_state)
    for each in range(_FOLDS):
        own = fold == each
        new[own] = calibrate_by_line(raw[~own], wanted[~own]).apply(raw[own])[0]
    calibration = calibration.on_own_scale()
    samples = resamples_of_groups(groups, random_state)
    found = Rescaled(
        base,
        len(raw),
        len(set(groups.tolist())),
        spearman(raw, wanted),
        _distance(f"{base.name}, {base.scale}", old - wanted, samples),
        _distance(f"{name}, {calibration.scale}", new - wanted, samples),
    )
    made = Bundle(
        name,
        f"{base.licence}; its scale under {licence}",
        base.model,
        calibration,
        _rescaled_card(base, sets, found, licence),
    )
    return replace(found, bundle=made)


def _distance(scale: str, away: Floats, samples: Sequence[Any]) -> Distance:
    resampled = [np.sqrt(np.mean(away[sample] ** 2)) for sample in samples]
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Distance(scale, float(np.sqrt(np.mean(away**2))), float(low), float(high))


def _rescaled_card(
    base: Bundle, sets: tuple[LabelledTexts, ...], found: Rescaled, licence: str
) -> Mapping[str, Any]:
    """The card of the bundle, with the labels of its scale and what they changed."""
    named = ", ".join(each.source.name for each in sets)
    trained = base.card.get("training")
    table = found.table()
    return MappingProxyType(
        {
            **base.card,
            "summary": f"{base.label}, whose own card says how it was trained and judged, with "
            f"difficulties on the scale of {named}.",
            "cannot_know": f"what {base.name} cannot know; how other people would label texts, or "
            "the same people texts of other kinds",
            "training": [
                *(trained if isinstance(trained, list) else []),
                *(
                    {
                        "name": each.source.name,
                        "use": "scale",
                        "records": int(np.isfinite(each.labels).sum()),
                        "label": each.source.label,
                        "scale": each.source.scale,
                        "direction": each.source.direction,
                        "licence": licence,
                        "texts_sha256": each.checksum,
                    }
                    for each in sets
                ),
            ],
            "figures": [
                {
                    "scale": each.scale,
                    "distance": round(each.distance, 1),
                    "low": round(each.low, 1),
                    "high": round(each.high, 1),
                }
                for each in (found.before, found.after)
            ],
            "figures_note": table.note,
        }
    )
