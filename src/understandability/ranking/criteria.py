"""Scores to rank by, each with the direction in which documents get harder."""

from __future__ import annotations

from dataclasses import dataclass

from understandability.errors import InputError, OptionError
from understandability.features import COLUMNS
from understandability.formats.runs import TABLE_SUFFIXES, read_labels
from understandability.records import Labels, Run

# The words that state a direction, and whether the higher of two values is the harder.
DIRECTIONS = {
    "higher-harder": True,
    "lower-harder": False,
    "lower-easier": True,
    "higher-easier": False,
}
# Columns of score tables that are no features of the catalogue.
_COLUMNS = {"difficulty": True, "p_understandable": False}


@dataclass(frozen=True, slots=True, eq=False)
class Criterion:
    """Values of documents, and whether the higher of two is the harder document.

    >>> difficulty = Labels.of_documents("difficulty", {"flu": 20.0, "cold": 45.0})
    >>> Criterion(difficulty, higher_is_harder=True).labels.name
    'difficulty'
    """

    labels: Labels
    higher_is_harder: bool

    def check(self, run: Run) -> None:
        """Raise `InputError` where not one line of the run has a value."""
        if not (self.labels.lines_of(run) >= 0).any():
            first = run.docnos[0].as_py() if len(run) else "none"
            other = self.labels.docnos[0].as_py() if len(self.labels) else "none"
            raise InputError(
                f"the run {run.name} (document {first}, ...) and the scores {self.labels.name} "
                f"(document {other}, ...) have no document in common; give scores of the same "
                "collection"
            )


def is_criterion(text: str) -> bool:
    """Whether an argument names a column of scores (``FILE:COLUMN``), not a run.

    >>> is_criterion("scores.parquet:difficulty"), is_criterion("bm25.run.gz")
    (True, False)
    """
    return _split(text)[1] is not None or _split(text)[2] is not None or _is_table(text)


def read_criterion(text: str) -> Criterion:
    """The scores that ``FILE[:COLUMN][:DIRECTION]`` names.

    FILE is a score table or a label file; COLUMN may be left out where it is the only column of
    numbers. The direction of ``difficulty``, ``p_understandable`` and of features of the
    catalogue is known, of all else it has to be said, with one of `DIRECTIONS`.
    """
    path, column, direction = _split(text)
    labels = read_labels(path, "understandability", column)
    return Criterion(labels, _stated(direction, column, text))


def column_direction(text: str) -> tuple[str, bool]:
    """The column that ``COLUMN[:DIRECTION]`` names, and whether its higher values are harder.

    >>> column_direction("difficulty"), column_direction("mine:higher-easier")
    (('difficulty', True), ('mine', False))
    """
    column, _, last = text.rpartition(":")
    if not column:
        column, last = text, ""
    return column, _stated(DIRECTIONS.get(last), column, text)


def _stated(direction: bool | None, column: str | None, text: str) -> bool:
    """The direction that is said, or known of the column; never a guess."""
    if direction is None:
        direction = _COLUMNS.get(column or "")
    if direction is None and column in COLUMNS:
        direction = {"higher": True, "lower": False}.get(COLUMNS[column][0].harder)
    if direction is None:
        raise OptionError(
            f"{text} does not say whether higher or lower values are harder to understand; write "
            f"{text}:DIRECTION with one of {', '.join(DIRECTIONS)}"
        )
    return direction


def _split(text: str) -> tuple[str, str | None, bool | None]:
    """The path, the column and the direction."""
    path, _, last = text.rpartition(":")
    direction = DIRECTIONS.get(last) if path else None
    if direction is not None:
        text = path
    path, _, column = text.rpartition(":")
    return (path, column, direction) if _is_table(path) else (text, None, direction)


def _is_table(path: str) -> bool:
    return path.lower().removesuffix(".gz").removesuffix(".zst").endswith(TABLE_SUFFIXES)
