"""Which features lack an installed resource, said once."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from understandability.feature.row import Feature
from understandability.hooks import load

_log = logging.getLogger(__name__)
_named: set[str] = set()
_MOST_NAMED = 8
_INSTALLED = "study.installed:installed"  # what only rows of the study need


def missing(needs: Iterable[str]) -> tuple[str, ...]:
    """Those of the resources that are not installed."""
    return tuple(name for name in needs if load(_INSTALLED)(name) is None)


def name_missing(features: Iterable[Feature]) -> None:
    """Log a warning that names the features without a value, each once in a process.

    Many are counted, and only what they lack is named.
    """
    lacking: dict[str, list[str]] = {}
    for feature in features:
        if feature.name not in _named and (names := missing(feature.needs)):
            _named.add(feature.name)
            lacking.setdefault(", ".join(names), []).append(feature.name)
    count = sum(map(len, lacking.values()))
    if count > _MOST_NAMED:
        resources = dict.fromkeys(name for names in lacking for name in names.split(", "))
        _log.warning(
            "%d features are without a value, because this is not installed: %s (see "
            "`understand features --list` and `understand resources list`)",
            count,
            ", ".join(resources),
        )
    elif lacking:
        _log.warning(
            "not installed, so without a value: %s (see `understand resources list`)",
            "; ".join(f"{names} for {', '.join(rows)}" for names, rows in lacking.items()),
        )
