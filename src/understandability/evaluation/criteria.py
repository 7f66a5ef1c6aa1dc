"""Scores to rank documents by, with their direction: whether a higher score is harder or easier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understandability.arrays import Floats
from understandability.direction import WORDS, Direction
from understandability.errors import InputError, OptionError
from understandability.inputs.frames import is_frame, table_of
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import is_table_name, read_labels
from understandability.inputs.runs_and_labels import labels_of
from understandability.inputs.tables import settings_of
from understandability.model.probabilities import scales_of

# Columns of score tables that are not features of the catalogue.
_COLUMNS = {"difficulty": Direction.HARDER, "p_understandable": Direction.EASIER}


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """Scores of documents, and the meaning of a higher score."""

    labels: Labels
    direction: Direction

    def hardness(self, run: Run) -> Floats:
        """Return a value for each line of the run: the lower, the easier the document; NaN without
        a score.

        Raises `InputError` if no line has a score.
        """
        if not (self.labels.lines_of(run) >= 0).any():
            first = run.docnos[0].as_py() if len(run) else "none"
            scored = self.labels.docnos[0].as_py() if len(self.labels) else "none"
            raise InputError(
                f"the run {run.name} (document {first}, ...) and the scores {self.labels.name} "
                f"(document {scored}, ...) have no document in common; give scores of the same "
                "collection"
            )
        return self.labels.of_lines(run) * self.direction.sign


def criterion(scores: Any, direction: str | None = None, *, column: str | None = None) -> Criterion:
    """Return scores to rank documents by, with their direction.

    `scores` are ``FILE[:COLUMN][:DIRECTION]`` (a score table or a label file; the column may be
    omitted if only one holds numbers), a dictionary by document, a frame (with its `column`), or
    labels. The direction of ``difficulty``, ``p_understandable`` and the features of the catalogue
    is known. Other scores require a `direction`, such as ``higher-harder``.

    >>> criterion({"flu": 20.0, "cold": 45.0}, "higher-harder").direction
    <Direction.HARDER: 'higher-harder'>
    """
    if isinstance(scores, Criterion):
        return scores
    if isinstance(scores, str | Path):
        text = ":".join(filter(None, (str(scores), column, direction)))
        path, file_column, file_direction = _split(text)
        return Criterion(
            read_labels(path, "understandability", file_column),
            _known_direction(file_direction, file_column, text),
        )
    if direction is None and column is None:
        raise OptionError(
            "the scores do not say whether higher or lower values are harder to understand; give "
            "direction='higher-harder' or 'higher-easier'"
        )
    parsed = Direction.of(direction) if direction else column_direction(str(column))[1]
    return Criterion(labels_of(scores, column or "score", column), parsed)


def is_criterion(text: str) -> bool:
    """Return True if an argument names a column of scores (``FILE:COLUMN``), rather than a run."""
    path, column, direction = _split(text)
    return column is not None or direction is not None or is_table_name(path)


def mixed_models(sources: Sequence[Any], bundle: str = "", *, column: str | None = None) -> str:
    """Return a warning if scores were estimated by different models, otherwise an empty string.

    Score tables (``FILE:COLUMN``, or in memory with their `column`) record their model in their
    settings. `bundle` names one more model, whose scale is compared, too. Raises `InputError` if
    `sources` are estimates on different scales. A table that does not record its scale counts as
    one with a scale of its own.
    """
    models = {bundle: "the bundle"} if bundle else {}
    scales: dict[str, str] = {}
    for source in sources:
        is_path = isinstance(source, str | Path)
        name, score_column, _ = (
            _split(str(source)) if is_path else ("a table in memory", column, None)
        )
        table = table_of(source) if is_frame(source) else name
        is_readable = table is not name or (is_table_name(name) and Path(name).is_file())
        if not is_readable or score_column not in (None, *_COLUMNS):
            continue
        for scale in scales_of(table):
            scales[scale] = f"{name} {f'is on {scale}' if scale else 'does not say on which scale'}"
        settings = settings_of(table)
        if "model" in settings and "scale" in settings:
            models.setdefault(f"{settings['model']} on scale {settings['scale']}", name)
    if len(scales) > 1:
        raise InputError(
            f"estimates on different scales cannot be compared: {'; '.join(scales.values())}; "
            "score all documents with one bundle and reader"
        )
    if len(models) < 2:
        return ""
    sources_by_model = "; ".join(f"{path} is by {model}" for model, path in models.items())
    return f"estimates of several models must not be mixed: {sources_by_model}"


def column_direction(text: str) -> tuple[str, Direction]:
    """Parse ``COLUMN[:DIRECTION]`` into the column and its direction.

    >>> column_direction("mine:higher-easier")
    ('mine', <Direction.EASIER: 'higher-easier'>)
    """
    column, _, last = text.rpartition(":")
    if not column:
        column, last = text, ""
    return column, _known_direction(WORDS.get(last), column, text)


def _known_direction(direction: Direction | None, column: str | None, text: str) -> Direction:
    """Return the stated direction, or that of a known column; raise `OptionError` rather than
    guess.
    """
    result = direction or _COLUMNS.get(column or "")
    if result is None:
        from understandability.feature.catalogue import COLUMNS

        result = COLUMNS[column][0].direction if column and column in COLUMNS else None
    if result is None:
        raise OptionError(
            f"{text} does not say whether higher or lower values are harder to understand; write "
            f"{text}:DIRECTION with one of {', '.join(WORDS)}"
        )
    return result


def _split(text: str) -> tuple[str, str | None, Direction | None]:
    """Split ``FILE[:COLUMN][:DIRECTION]`` into its three parts."""
    path, _, last = text.rpartition(":")
    direction = WORDS.get(last) if path else None
    if direction is not None:
        text = path
    path, _, column = text.rpartition(":")
    return (path, column, direction) if is_table_name(path) else (text, None, direction)
