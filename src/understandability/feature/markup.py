"""Features that count HTML elements. They are 0 for plain texts."""

from __future__ import annotations

from functools import partial

import numpy as np

from understandability.feature.batch import Batch, FloatArray
from understandability.feature.row import Feature

_SOURCE = "Palotti, Zuccon & Hanbury 2019"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = ("dl", "ul", "ol")
_ELEMENTS: dict[str, tuple[str, ...]] = {
    "abbr": ("abbr",),
    "a": ("a",),
    "blockquote": ("blockquote",),
    "bold": ("b", "strong"),
    "cite": ("cite",),
    "div": ("div",),
    "form": ("form",),
    **{heading: (heading,) for heading in _HEADINGS},
    "headings": _HEADINGS,
    "img": ("img",),
    "input": ("input",),
    "link": ("link",),
    **{tag: (tag,) for tag in _LISTS},
    "lists": _LISTS,
    "q": ("q",),
    "script": ("script",),
    "span": ("span",),
    "table": ("table",),
    "p": ("p",),
}


def count_elements(batch: Batch, tags: tuple[str, ...]) -> FloatArray:
    """Count the elements with these tag names on each page."""
    return np.array(
        [
            sum(document.tag_counts.get(tag, 0) for tag in tags) if document.tag_counts else 0
            for document in batch.documents
        ],
        np.float64,
    )


ROWS: tuple[Feature, ...] = tuple(
    Feature(
        f"html_{name}",
        "html",
        "elements",
        None,
        "elements " + ", ".join(tags),
        _SOURCE,
        partial(count_elements, tags=tags),
    )
    for name, tags in _ELEMENTS.items()
)
