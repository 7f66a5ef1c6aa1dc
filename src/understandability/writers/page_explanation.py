"""The explanation of one page as a call gives it: it writes its report; notebooks display it."""

from __future__ import annotations

from html import escape
from pathlib import Path

from understandability.inputs.writing import write_text
from understandability.writers.explanation import Explanation
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
        # In a frame of its own, the notebook's styles and the report's do not mix.
        source = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="700" style="border:0"></iframe>'
