"""A bundle's model card, as text or as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from understandability.model.bundle import ALIASES, Bundle, bundle_of, load_bundle
from understandability.model.bundle_files import embedded_bundles, folder_of
from understandability.wording import counted

# Entries of the card that hold a sentence, and their headings.
_SENTENCES = {"intended_use": "Intended use", "cannot_know": "What it cannot know"}
# Entries that hold a list of rows, and their headings.
_TABLES = {
    "training": "Trained on",
    "figures": "Figures",
    "learning_curve": "Learning curve (Spearman out of fold)",
}
_HIDDEN = ("sha256", "texts_sha256")


def bundles() -> tuple[Bundle, ...]:
    """List the bundles that come with the package, with licence and summary.

    Example: understand bundle list

    Examples:
        >>> "open" in [bundle.name for bundle in bundles()]
        True
    """
    return tuple(map(load_bundle, embedded_bundles()))


def card(bundle: Any, *, markdown: bool = False) -> str:
    """Show a bundle's model card: data, figures, intended use, what it cannot know, licences.

    The checksum identifies the weights; the column `model` of scores holds its start. To keep this
    model, copy its folder, and name the copy with --bundle.

    Example: understand bundle show open

    Args:
        bundle: Name or folder of a bundle.
        markdown: As Markdown, for a paper or a release.

    In Python:
        `bundle` may also be a `Bundle`, or the result of `train` or `rescale`.

    >>> card("llr").splitlines()[0], card("llr", markdown=True).splitlines()[0]
    ('llr (Apache-2.0)', '# Model card: llr')
    """
    if isinstance(bundle, str | Path):
        chosen = load_bundle(bundle)
        folder = folder_of(ALIASES.get(str(bundle), str(bundle)))
        lines = _lines(chosen, folder)
    else:
        chosen = bundle_of(bundle)
        lines = _lines(chosen, None)
    return _markdown(chosen) if markdown else "".join(f"{line}\n" for line in lines)


def _lines(bundle: Bundle, folder: Path | None) -> Iterator[str]:
    yield f"{bundle.name} ({bundle.licence})"
    if bundle.checksum:
        yield f"model {bundle.label}, checksum {bundle.checksum}"
    yield from [f"folder {folder}"] * bool(folder)
    yield f"scale {bundle.scale}"
    if summary := bundle.card.get("summary"):
        yield str(summary)
    for entry, heading in _SENTENCES.items():
        if text := bundle.card.get(entry):
            yield f"{heading}: {_sentence(text)}"
    for entry, heading in _TABLES.items():
        cells = _cells(bundle.card.get(entry))
        if cells:
            yield heading
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            yield ("  " + "  ".join(padded)).rstrip()
        if entry == "figures" and (note := bundle.card.get("figures_note")):
            yield f"  {note}"
    if missing := bundle.missing_vocabularies:
        yield f"Not installed, so its estimates are worse than its figures: {', '.join(missing)}"
    if examples := bundle.calibration.examples():
        yield "Difficulty by the model's output, with its spread"
    for raw, difficulty, spread in examples:
        yield f"  {raw:8.3f} {difficulty:8.1f} ± {spread:.1f}"


def _markdown(bundle: Bundle) -> str:
    """Format the card as Markdown, in the order of Mitchell et al. (2019), "Model cards".

    Markup in the texts of the card is escaped.
    """
    card = bundle.card
    vocabularies = ", ".join(bundle.missing_vocabularies)
    sections: dict[str, list[str]] = {
        "Model": [
            *([_escaped(str(card["summary"]))] if card.get("summary") else []),
            f"- Name and checksum: {_code(bundle.label)}\n- Licence: {_escaped(bundle.licence)}\n"
            f"- Scale of difficulty: {_code(bundle.scale)}, 0 (very easy) to 100 (very hard)\n"
            f"- Inputs: {counted(len(bundle.model.names), 'feature')}",
        ],
        "Intended use": [_escaped(_sentence(card.get("intended_use") or "Not stated"))],
        "Training data": [_markdown_table(_cells(card.get("training"))) or "Not stated."],
        "Figures": [
            _markdown_table(_cells(card.get("figures"))) or "None were measured.",
            *([_escaped(str(card["figures_note"]))] if card.get("figures_note") else []),
        ],
        _TABLES["learning_curve"]: [_markdown_table(_cells(card.get("learning_curve")))],
        "Limits": [
            f"It cannot know: {_escaped(_sentence(card.get('cannot_know') or 'not stated'))}",
            "A figure on texts that a model learned from says nothing about other texts; the "
            "interval of a figure says nothing about texts of another kind.",
            *([f"Not installed here: {vocabularies}."] if vocabularies else []),
        ],
        "Difficulty by the model's output": [
            _markdown_table(
                [
                    ["output", "difficulty", "spread"],
                    *(
                        [f"{raw:.3f}", f"{difficulty:.1f}", f"{spread:.1f}"]
                        for raw, difficulty, spread in examples
                    ),
                ]
            )
            if (examples := bundle.calibration.examples())
            else ""
        ],
    }
    parts = [f"# Model card: {_escaped(bundle.name)}"]
    for heading, paragraphs in sections.items():
        if filled := [paragraph for paragraph in paragraphs if paragraph]:
            parts += [f"## {heading}", *filled]
    return "\n\n".join(parts) + "\n"


def _sentence(text: Any) -> str:
    return f"{str(text).rstrip('.')}."


def _cells(rows: Any) -> list[list[str]]:
    """Return the header and the rows of a table in the card; empty if the entry is not a list of
    rows.
    """
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows) or not rows:
        return []
    names = [name for name in rows[0] if name not in _HIDDEN]
    return [names] + [[str(row.get(name, "")) for name in names] for row in rows]


def _markdown_table(cells: Sequence[Sequence[str]]) -> str:
    if not cells:
        return ""
    lines = [cells[0], ["---"] * len(cells[0]), *cells[1:]]
    escaped = ([_escaped(cell) for cell in line] for line in lines[2:])
    rows = [[_escaped(cell) for cell in lines[0]], lines[1], *escaped]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " "})


def _escaped(text: str) -> str:
    """Escape Markdown in a text of the card, so that it is shown literally: no HTML, links or
    images.
    """
    return re.sub(r"([\\\[\]|]|(?<!\w)!)", r"\\\1", text.translate(_HTML))


def _code(text: str) -> str:
    """Format a name as code; escape it instead if it contains unusual characters."""
    return f"`{text}`" if re.fullmatch(r"[\w@.,:+ -]*", text) else _escaped(text)
