"""What is estimated of a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is estimated of one document.

    `difficulty` runs from 0 (very easy) to 100 (very hard), `spread` is its standard error on that
    scale (NaN where the bundle knows none), `p_understandable` is P(U|d) in [0, 1], and `raw` the
    model's own output, on the scale of the labels that it learned from (higher is harder). `level`
    is how hard the text is on the scale of CEFR levels, 1 (A1) to 6 (C2); NaN for bundles whose
    labels are of another kind. `level_error` is its standard error, NaN where none is known. All
    are NaN if there is no estimate (no words, a language that no bundle knows); without readings of
    a language, all but the level and its error.
    """

    docno: str
    p_understandable: float
    difficulty: float
    spread: float
    raw: float
    level: float = float("nan")
    level_error: float = float("nan")
    flags: tuple[str, ...] = ()
