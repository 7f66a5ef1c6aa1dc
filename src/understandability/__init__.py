"""How likely a reader is to understand a web page: P(U|d), from bytes to evaluation.

    import understandability as ud

    ud.score_text("You have flu. Rest, and drink water.")
    ud.score(["crawl.warc.gz", "pages/"], workers=4).to_pandas()

Bytes become a `Page`, a page becomes `Block`s of text, blocks become a `Document`, a document
becomes features, features become an `Estimate`; estimates re-rank and evaluate runs.
One subpackage per stage, each importing from earlier stages only; `api` has the calls above.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from understandability.api.calibration import calibrate, rescale
    from understandability.api.scoring import (
        Scores,
        crawl,
        explain,
        features,
        merge,
        readability,
        score,
        score_html,
        score_table,
        score_text,
    )
    from understandability.api.training import train
    from understandability.api.validation import validate
    from understandability.evaluation.bounds import bounds
    from understandability.evaluation.criteria import criterion
    from understandability.evaluation.evaluate import compare, correlate, evaluate
    from understandability.evaluation.fuse import fuse
    from understandability.evaluation.judgements import dimension
    from understandability.evaluation.rerank import rerank
    from understandability.evaluation.tradeoff import tradeoff
    from understandability.inputs.page_tables import TableColumns
    from understandability.inputs.runs import read_labels, read_run, write_run
    from understandability.inputs.sources import read_pages
    from understandability.model.bundle import Bundle, load_bundle
    from understandability.scoring import Scorer, Settings
    from understandability.study.simulated_users import simulate_users
    from understandability.study.simulation import simulate

from understandability._version import __version__

# Module -> its names: imported when first used, so that importing the package costs nothing.
_PUBLIC = {
    "api.calibration": ("calibrate", "rescale"),
    "api.scoring": (
        "Scores",
        "crawl",
        "explain",
        "features",
        "merge",
        "readability",
        "score",
        "score_html",
        "score_table",
        "score_text",
    ),
    "api.training": ("train",),
    "api.validation": ("validate",),
    "evaluation.bounds": ("bounds",),
    "evaluation.criteria": ("criterion",),
    "evaluation.evaluate": ("compare", "correlate", "evaluate"),
    "evaluation.fuse": ("fuse",),
    "evaluation.judgements": ("dimension",),
    "evaluation.rerank": ("rerank",),
    "evaluation.tradeoff": ("tradeoff",),
    "inputs.runs": ("read_labels", "read_run", "write_run"),
    "inputs.sources": ("read_pages",),
    "inputs.page_tables": ("TableColumns",),
    "model.bundle": ("Bundle", "load_bundle"),
    "scoring": ("Scorer", "Settings"),
    "study.simulated_users": ("simulate_users",),
    "study.simulation": ("simulate",),
}

__all__ = [
    "Bundle",
    "Scorer",
    "Scores",
    "Settings",
    "TableColumns",
    "__version__",
    "bounds",
    "calibrate",
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
    "simulate_users",
    "tradeoff",
    "train",
    "validate",
    "write_run",
]


def __getattr__(name: str) -> Any:
    for module, names in _PUBLIC.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Module(ModuleType):
    """A package that other processes import again, when a pickled function names it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.__name__,)


class _Called(_Module):
    """A package that is also the call of its name: ``ud.crawl(...)``, ``ud.features(...)``."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return __getattr__(self.__name__.rpartition(".")[2])(*arguments, **options)


class _Package(_Module):
    """This package, in which Python puts subpackages in the place of calls of the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in __all__ and isinstance(value, ModuleType):
            value.__class__ = _Called
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return __all__
