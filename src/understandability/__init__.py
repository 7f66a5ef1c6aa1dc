"""How likely a reader is to understand a web page: P(U|d), from bytes to evaluation.

Bytes become a `Page`, a page becomes `Block`s of text, blocks become a `Document`, a document
becomes features, features become an `Estimate`; estimates re-rank and evaluate runs.
One subpackage per stage, each importing from earlier stages only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understandability.api.evaluation import (
        compare,
        correlate,
        dimension,
        evaluate,
        simulate,
    )
    from understandability.api.ranking import criterion, fuse, rerank, tradeoff
    from understandability.formats.runs import read_labels, read_run, write_run
    from understandability.formats.sources import read_pages
    from understandability.scoring import Scorer, Scores, Settings, score

from understandability._version import __version__

# Name -> module: imported when first used, so that importing the package costs nothing.
_PUBLIC = {
    "Scorer": "understandability.scoring",
    "Scores": "understandability.scoring",
    "Settings": "understandability.scoring",
    "read_pages": "understandability.formats.sources",
    "score": "understandability.scoring",
    # Evaluation and ranking of runs.
    "compare": "understandability.api.evaluation",
    "correlate": "understandability.api.evaluation",
    "criterion": "understandability.api.ranking",
    "dimension": "understandability.api.evaluation",
    "evaluate": "understandability.api.evaluation",
    "fuse": "understandability.api.ranking",
    "read_labels": "understandability.formats.runs",
    "read_run": "understandability.formats.runs",
    "rerank": "understandability.api.ranking",
    "simulate": "understandability.api.evaluation",
    "tradeoff": "understandability.api.ranking",
    "write_run": "understandability.formats.runs",
}

__all__ = [
    "Scorer",
    "Scores",
    "Settings",
    "__version__",
    "compare",
    "correlate",
    "criterion",
    "dimension",
    "evaluate",
    "fuse",
    "read_labels",
    "read_pages",
    "read_run",
    "rerank",
    "score",
    "simulate",
    "tradeoff",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PUBLIC[name]), name)
