"""A bundle's model card as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understandability.models.bundle import Bundle

# Entries of the card that are sentences, with their headings.
_SENTENCES = {
    "intended_use": "Intended use",
    "cannot_know": "What it cannot know",
}


def card_lines(bundle: Bundle) -> Iterator[str]:
    """The lines of a bundle's card.

    >>> from understandability.models import load_bundle
    >>> next(card_lines(load_bundle("llr")))
    'llr (Apache-2.0)'
    """
    yield f"{bundle.name} ({bundle.licence})"
    if bundle.checksum:
        yield f"checksum {bundle.checksum[:16]}"
    if summary := bundle.card.get("summary"):
        yield str(summary)
    for entry, heading in _SENTENCES.items():
        if text := bundle.card.get(entry):
            yield f"{heading}: {str(text).rstrip('.')}."
    yield from _table("Trained on", bundle.card.get("training"), hidden=("sha256",))
    yield from _table("Figures", bundle.card.get("figures"))
    if note := bundle.card.get("figures_note"):
        yield f"  {note}"
    yield "Difficulty by the model's output, with its spread"
    for raw, difficulty, spread in bundle.calibration.examples():
        yield f"  {raw:8.3f} {difficulty:8.1f} ± {spread:.1f}"


def _table(heading: str, rows: Any, hidden: Sequence[str] = ()) -> Iterator[str]:
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows) or not rows:
        return
    names = [name for name in rows[0] if name not in hidden]
    cells = [names] + [[str(row.get(name, "")) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield heading
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield ("  " + "  ".join(padded)).rstrip()
