"""Scores to rank by, each with the direction in which documents get harder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.errors import InputError, OptionError
from understandability.inputs.frames import is_frame, table_of
from understandability.inputs.given import labels_of
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import is_table_name, read_labels
from understandability.inputs.tables import settings_of
from understandability.model.probabilities import scales_of

# Columns of score tables that are no features of the catalogue.
_COLUMNS = {"difficulty": Direction.HARDER, "p_understandable": Direction.EASIER}


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """Scores of documents, and what a higher one means."""

    labels: Labels
    direction: Direction

    def hardness(self, run: Run) -> Floats:
        """The score of each line of the run, turned so that lower is easier; NaN for none.

        Raises `InputError` where not one line has a score.
        """
        if not (self.labels.lines_of(run) >= 0).any():
            first = run.docnos[0].as_py() if len(run) else "none"
            other = self.labels.docnos[0].as_py() if len(self.labels) else "none"
            raise InputError(
                f"the run {run.name} (document {first}, ...) and the scores {self.labels.name} "
                f"(document {other}, ...) have no document in common; give scores of the same "
                "collection"
            )
        return self.labels.of_lines(run) * self.direction.sign


def criterion(scores: Any, direction: str | None = None, *, column: str | None = None) -> Criterion:
    """Scores to rank by, with the direction in which documents get harder.

    `scores` are ``FILE[:COLUMN][:DIRECTION]`` (a score table or a label file; the column may be
    left out where it is the only one of numbers), a dictionary of documents, a frame (with its
    `column`), or labels. The direction of ``difficulty``, ``p_understandable`` and the features of
    the catalogue is known; for other scores `direction` gives it, as in ``higher-harder``.

    >>> criterion({"flu": 20.0, "cold": 45.0}, "higher-harder").direction
    <Direction.HARDER: 'higher-harder'>
    """
    if isinstance(scores, Criterion):
        return scores
    if isinstance(scores, str | Path):
        text = ":".join(filter(None, (str(scores), column, direction)))
        path, named, stated = _split(text)
        return Criterion(
            read_labels(path, "understandability", named), _stated(stated, named, text)
        )
    if direction is None and column is None:
        raise OptionError(
            "the scores do not say whether higher or lower values are harder to understand; give "
            "direction='higher-harder' or 'higher-easier'"
        )
    known = Direction.of(direction) if direction else column_direction(str(column))[1]
    return Criterion(labels_of(scores, column or "score", column), known)


def is_criterion(text: str) -> bool:
    """Whether an argument names a column of scores (``FILE:COLUMN``), not a run."""
    path, column, direction = _split(text)
    return column is not None or direction is not None or is_table_name(path)


def mixed_models(given: Sequence[Any], bundle: str = "", *, column: str | None = None) -> str:
    """A sentence, where estimates of several models are among scores; '' else.

    Score tables, ``FILE:COLUMN`` or in memory with their `column`, tell their model by their
    settings; `bundle` is the model and scale that they are compared with. Raises `InputError` where
    estimates on several scales are `given`; a table that does not say its scale counts as another.
    """
    made, scales = {bundle: "the bundle"} if bundle else {}, dict[str, str]()
    for each in given:
        is_path = isinstance(each, str | Path)
        where, named, _ = _split(str(each)) if is_path else ("a table in memory", column, None)
        table = table_of(each) if is_frame(each) else where
        is_there = table is not where or (is_table_name(where) and Path(where).is_file())
        if not is_there or named not in (None, *_COLUMNS):
            continue
        for scale in scales_of(table):
            scales[scale] = f"{where} {f'is on {scale}' if scale else 'does not say on which'}"
        settings = settings_of(table)
        if "model" in settings and "scale" in settings:
            made.setdefault(f"{settings['model']} on scale {settings['scale']}", where)
    if len(scales) > 1:
        raise InputError(
            f"estimates on different scales cannot be compared: {'; '.join(scales.values())}; "
            "score all documents with one bundle and reader"
        )
    told = "; ".join(f"{path} is by {model}" for model, path in made.items())
    return f"estimates of several models must not be mixed: {told}" if len(made) > 1 else ""


def column_direction(text: str) -> tuple[str, Direction]:
    """The column that ``COLUMN[:DIRECTION]`` names, and what its higher values mean.

    >>> column_direction("mine:higher-easier")
    ('mine', <Direction.EASIER: 'higher-easier'>)
    """
    column, _, last = text.rpartition(":")
    if not column:
        column, last = text, ""
    return column, _stated(WORDS.get(last), column, text)


def _stated(direction: Direction | None, column: str | None, text: str) -> Direction:
    """The direction that is said, or known of the column; never a guess."""
    found = direction or _COLUMNS.get(column or "")
    if found is None:
        from understandability.feature.catalogue import COLUMNS

        found = COLUMNS[column][0].direction if column and column in COLUMNS else None
    if found is None:
        raise OptionError(
            f"{text} does not say whether higher or lower values are harder to understand; write "
            f"{text}:DIRECTION with one of {', '.join(WORDS)}"
        )
    return found


def _split(text: str) -> tuple[str, str | None, Direction | None]:
    """The path, the column and the direction."""
    path, _, last = text.rpartition(":")
    direction = WORDS.get(last) if path else None
    if direction is not None:
        text = path
    path, _, column = text.rpartition(":")
    return (path, column, direction) if is_table_name(path) else (text, None, direction)
