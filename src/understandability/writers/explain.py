"""`ud.explain`: what makes a text or a page hard, from whatever a caller has in hand."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from understandability.errors import WrongTypeError
from understandability.inputs.frames import kind_of
from understandability.inputs.page_tables import media_type_of
from understandability.inputs.sources import Sources, is_path
from understandability.inputs.writing import write_text
from understandability.scoring import Settings, document_under, scorer_of
from understandability.text.page import HTML, Failure, Page
from understandability.writers.explanation import Explanation
from understandability.writers.explanation import explain as explain_document
from understandability.writers.page_report import page_report


class PageExplanation(Explanation):
    """What `explain` gives: what makes a page hard. A notebook displays it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.document.docno}, {self.words} words, difficulty "
            f"{self.estimate.difficulty:.1f}; .to_html(path) writes the report, .terms and "
            ".hard_words are what to replace>"
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one HTML file that needs no network; written to a `path`, if any."""
        text = page_report([self])
        if path is not None:
            write_text(str(path), text)
        return text

    def _repr_html_(self) -> str:
        from html import escape

        # In a frame of its own, the notebook's styles and the report's do not mix.
        source = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="700" style="border:0"></iframe>'


def explain(
    content: str | bytes | Path, url: str | None = None, **settings: Any
) -> PageExplanation:
    """What makes a text or a page hard: `content` is plain text, HTML, or the `Path` of a file.

    Raises `PageError` where it cannot be used.

    >>> explanation = explain("He had a myocardial infarction.")
    >>> [(each.term, each.plain[0]) for each in explanation.terms]
    [('myocardial infarction', 'heart attack')]
    >>> explanation.to_html()[:15]
    '<!DOCTYPE html>'
    """
    if isinstance(content, Path):
        (page,) = Sources([content])
        if isinstance(page, Failure):
            raise WrongTypeError(f"{page.path}: {page.error}")
    elif isinstance(content, str | bytes):
        kind = HTML if isinstance(content, bytes) else media_type_of(content)
        if isinstance(content, str) and is_path(content):
            raise WrongTypeError(
                f"explain takes text, HTML or a Path, and {content!r} is the name of a file; "
                f"give Path({content!r})"
            )
        page = Page(url or "text", url or "", content, kind, url=url)
    else:
        raise WrongTypeError(f"explain takes text, HTML or a Path, not {kind_of(content)}")
    scorer = scorer_of(Settings(**settings))
    found = explain_document(document_under(page, scorer.settings), scorer)
    return PageExplanation(*(getattr(found, each.name) for each in fields(found)))
