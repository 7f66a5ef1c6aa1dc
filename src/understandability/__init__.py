"""Estimate how likely a reader is to understand a web page, P(U|d), from bytes to evaluation.

    import understandability as ud

    ud.score_text("You have flu. Rest, and drink water.")
    ud.score(["crawl.warc.gz", "pages/"], workers=4).to_pandas()

Bytes become a `Page`, a page becomes `Block`s of text, blocks become a `Document`, a document
becomes features, features become an `Estimate`; estimates re-rank and evaluate runs.
One subpackage per stage, each importing from earlier stages only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understandability.crawls.features import features
    from understandability.crawls.merge import merge
    from understandability.crawls.options import Work
    from understandability.crawls.score import Scores, crawl, score, score_table
    from understandability.evaluation.bounds import bounds
    from understandability.evaluation.criteria import criterion
    from understandability.evaluation.evaluate import compare, correlate, evaluate
    from understandability.evaluation.fuse import fuse
    from understandability.evaluation.options import dimension
    from understandability.evaluation.rerank import rerank
    from understandability.evaluation.tradeoff import tradeoff
    from understandability.feature.formulas_of_languages import readability
    from understandability.inputs.page_tables import TableColumns
    from understandability.inputs.runs import read_labels, read_run, write_run
    from understandability.inputs.sources import read_pages
    from understandability.model.bundle import Bundle, load_bundle
    from understandability.scoring import Scorer, Settings, score_html, score_text
    from understandability.study.simulate_grid import simulate_grid
    from understandability.study.simulate_systems import simulate
    from understandability.study.simulate_users import simulate_users
    from understandability.training.calibrate import calibrate
    from understandability.training.labelled import LabelColumns
    from understandability.training.rescale import rescale
    from understandability.training.train import train
    from understandability.training.train_background import train_background
    from understandability.training.validation import validate
    from understandability.writers.check import check
    from understandability.writers.explain import explain

from understandability._version import __version__

# Module -> its names: imported when first used, so that importing the package costs nothing.
_PUBLIC = {
    "crawls.features": ("features",),
    "crawls.merge": ("merge",),
    "crawls.score": ("Scores", "crawl", "score", "score_table"),
    "crawls.options": ("Work",),
    "feature.formulas_of_languages": ("readability",),
    "writers.check": ("check",),
    "writers.explain": ("explain",),
    "evaluation.bounds": ("bounds",),
    "evaluation.criteria": ("criterion",),
    "evaluation.evaluate": ("compare", "correlate", "evaluate"),
    "evaluation.fuse": ("fuse",),
    "evaluation.options": ("dimension",),
    "evaluation.rerank": ("rerank",),
    "evaluation.tradeoff": ("tradeoff",),
    "inputs.runs": ("read_labels", "read_run", "write_run"),
    "inputs.sources": ("read_pages",),
    "inputs.page_tables": ("TableColumns",),
    "model.bundle": ("Bundle", "load_bundle"),
    "scoring": ("Scorer", "Settings", "score_html", "score_text"),
    "training.calibrate": ("calibrate",),
    "training.train_background": ("train_background",),
    "training.labelled": ("LabelColumns",),
    "training.rescale": ("rescale",),
    "training.train": ("train",),
    "training.validation": ("validate",),
    "study.simulate_users": ("simulate_users",),
    "study.simulate_systems": ("simulate",),
    "study.simulate_grid": ("simulate_grid",),
}

__all__ = [
    "Bundle",
    "LabelColumns",
    "Scorer",
    "Scores",
    "Settings",
    "TableColumns",
    "Work",
    "__version__",
    "bounds",
    "calibrate",
    "check",
    "compare",
    "correlate",
    "crawl",
    "criterion",
    "dimension",
    "evaluate",
    "explain",
    "features",
    "fuse",
    "load_bundle",
    "merge",
    "read_labels",
    "read_pages",
    "read_run",
    "readability",
    "rerank",
    "rescale",
    "score",
    "score_html",
    "score_table",
    "score_text",
    "simulate",
    "simulate_grid",
    "simulate_users",
    "tradeoff",
    "train",
    "train_background",
    "validate",
    "write_run",
]


def __getattr__(name: str) -> Any:
    for module, names in _PUBLIC.items():
        if name in names:
            value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
            globals()[name] = value  # the next access does not come here
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
