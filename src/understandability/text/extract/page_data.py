"""Texts that a page holds as data for other programs: articles and posts in JSON-LD.

Pages that a script builds have little text between their tags; many give it to search engines
in the terms of schema.org. The data is parsed, never run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from understandability.text.tape import without_references

MAX_CHARACTERS = 500_000  # of the scripts of a page, together
MAX_DEPTH = 40
_SCRIPT = re.compile(
    r"""<script\b[^<>]*\btype\s*=\s*["']?application/(?:ld\+)?json\b[^<>]*>([^<]*(?:<(?!/script)[^<]*)*)""",
    re.IGNORECASE,
)
# What holds a text, by the type of the thing it is of; "" stands for any.
_TEXTS = {
    "": ("articleBody",),
    "DiscussionForumPosting": ("headline", "text"),
    "SocialMediaPosting": ("headline", "text"),
    "Comment": ("text",),
    "Question": ("name", "text"),
    "Answer": ("text",),
    "Product": ("name", "description"),
}
_MARKS = tuple(f'"{name}"' for name in ("articleBody", *filter(None, _TEXTS)))
_END = re.compile(r"\n|<(?:br|/?(?:p|li|ul|ol|div|h[1-6]|blockquote|pre|tr))\b[^<>]*>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def data_texts(source: str) -> list[str]:
    """The paragraphs of the articles, posts, answers and products in a page's data.

    What is broken, too long or too deep is left alone.

    >>> data_texts('<script type="application/ld+json">{"@type": "Answer", "text": "Rest."}')
    ['Rest.']
    """
    if "/json" not in source and "+json" not in source:
        return []
    left = MAX_CHARACTERS
    paragraphs: dict[str, None] = {}  # the same thing may stand there twice
    for script in _SCRIPT.finditer(source):
        data = script[1]
        left -= len(data)
        if left < 0:
            break
        if not any(mark in data for mark in _MARKS):
            continue
        try:
            things = json.loads(data, strict=False)
        except (ValueError, RecursionError):
            continue
        for text in _texts(things):
            for paragraph in _END.split(without_references(text)):
                words = " ".join(_TAG.sub(" ", paragraph).split())
                if words:
                    paragraphs[words] = None
    return list(paragraphs)


def _texts(data: Any) -> Iterator[str]:
    """The texts in parsed JSON, in its order."""
    waiting, seen = [(data, 0)], False
    while waiting:
        thing, depth = waiting.pop()
        inner: list[Any] = []
        if isinstance(thing, dict):
            kinds = thing.get("@type")
            names = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind]
            if "Product" in names:  # others are variants of the first, or beside it
                names, seen = ([] if seen else names), True
            for kind in ["", *names]:
                for key in _TEXTS.get(kind, ()) if isinstance(kind, str) else ():
                    if isinstance(text := thing.get(key), str):
                        yield text
            inner = list(thing.values())
        elif isinstance(thing, list):
            inner = thing
        if depth < MAX_DEPTH:
            waiting += [(one, depth + 1) for one in reversed(inner) if isinstance(one, dict | list)]
