"""Bundles against labels of texts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understandability.errors import OptionError
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.inputs.page_tables import TableColumns
from understandability.model.bundle import Bundle, load_bundle
from understandability.training.labelled import read_sets
from understandability.training.validation import CORRELATIONS, Validation, score_rows
from understandability.training.validation import validate as validate_set

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Validated(Tabular):
    """How scores agree with the labels of one or more `sets`: a table with a row for each score."""

    sets: tuple[Validation, ...]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each row: set, score, n, correlations and their 95 % intervals."""
        yield from score_rows(self.sets)

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self))

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, where pandas is installed."""
        return self.to_arrow().to_pandas()

    def table(self, *, digits: int = 3) -> ResultTable:
        """A table for a paper: one row for each score, each correlation with its interval."""
        return ResultTable(
            ("set", "score", "texts", *(name.capitalize() for name in CORRELATIONS)),
            tuple(
                (
                    row["set"],
                    row["score"],
                    row["n"],
                    *(
                        f"{row[name]:.{digits}f} "
                        f"[{row[f'{name}_low']:.{digits}f}, {row[f'{name}_high']:.{digits}f}]"
                        for name in CORRELATIONS
                    ),
                )
                for row in self
            ),
            note="Correlations with the labels; in brackets 95 % intervals by resampling groups.",
        )


def validate(
    bundle: Bundle | str | Path,
    labels: Any,
    *,
    label: str | None = None,
    direction: str | None = None,
    scale: str | None = None,
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    text: str | None = None,
    html: str | None = None,
    group: str | None = None,
    threshold: float = 40.0,
) -> Validated:
    """Compare a bundle and the eight formulas with labels of texts it was not trained on.

    `labels` and their columns are those of `train`. Intervals are by resampling groups.

    >>> easy, hard = "The cat sat on a mat.", "Pharmacokinetic heterogeneity complicates it."
    >>> texts = [" ".join([hard] * (i % 5) + [easy] * (5 - i % 5)) + f" {i}." for i in range(60)]
    >>> labels = {"text": texts, "ease": [-(i % 5) for i in range(60)]}
    >>> found = validate("llr", labels, label="ease", direction="higher-easier")
    >>> [row["score"] for row in found][:2]
    ['llr', 'llr, raw output']
    """
    if not math.isfinite(threshold):
        raise OptionError(f"the threshold must be a finite number, not {threshold}")
    model = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
    sets = read_sets(labels, label, direction, scale, TableColumns(id, html, text), group)
    return Validated(tuple(validate_set(model, each, threshold=threshold) for each in sets))
