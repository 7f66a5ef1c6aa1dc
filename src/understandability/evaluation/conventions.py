"""Every choice that changes published numbers, in one record; two presets set them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from understandability.errors import OptionError


@dataclass(frozen=True, slots=True)
class Conventions:
    """How runs, labels and measures are read; a measure's own parameters go before these.

    `order`: by ``rank`` column, as UBIRE, or by ``score``, as trec_eval.
    `keyed_on`: labels other than relevance hold for a ``pair`` of query and document, or for
    the ``document`` whatever the query, the first line of the file, as UBIRE.
    `no_label`: a document without a label gains ``zero``, or is ``ignored``, which is the
    condensed form of every measure.
    `mean_over`: means are over all queries of the ``qrels``, or over those of the ``run``.
    `relevant`: the lowest relevant grade. `max_relevance`: the highest grade there is, for ERR
    and graded RBP; without it, the highest in the qrels.
    `dcg`: ``exp-log2``, gain 2^grade - 1, or ``log2``, gain grade.
    `joint`: gains of several dimensions are f(T u), not f(T) u.
    `ideal`: the ideal ranking of unDCG sorts by the ``product`` of the gains, or is that of
    ``relevance`` alone, as UBIRE.
    `err`: the ``cascade`` of Chapelle et al., or ``gain-discount``, as the uRBP papers read it.
    `h`: H is the mean of the H of ``queries``, or the H of ``means``.
    `user`: understandability is ``binary`` or ``graded`` by its scale, or P(U|d) of a ``step``
    or ``arctan`` user with `threshold` and `noise_scale`; `norm` ``integral`` divides the
    arctan form by its integral over the labels.
    """

    preset: str | None = None
    order: str = "rank"
    keyed_on: str = "pair"
    no_label: str = "zero"
    mean_over: str = "qrels"
    relevant: float = 1.0
    max_relevance: float | None = None
    dcg: str = "exp-log2"
    joint: bool = False
    ideal: str = "product"
    err: str = "cascade"
    h: str = "queries"
    user: str = "binary"
    threshold: float | None = None
    noise_scale: float | None = None
    norm: str = "none"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise OptionError(
                    f"{name.replace('_', '-')} must be {' or '.join(choices)}, "
                    f"not {getattr(self, name)!r}"
                )

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, for the header of an output."""
        return asdict(self)


MODELLED_USERS = ("step", "arctan")  # those with a threshold on a score

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "order": ("rank", "score"),
        "keyed_on": ("pair", "document"),
        "no_label": ("zero", "ignored"),
        "mean_over": ("qrels", "run"),
        "dcg": ("exp-log2", "log2"),
        "ideal": ("product", "relevance"),
        "err": ("cascade", "gain-discount"),
        "h": ("queries", "means"),
        "user": ("binary", "graded", *MODELLED_USERS),
        "norm": ("none", "integral"),
    }
)

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "ubire": MappingProxyType(
            {
                "order": "rank",
                "keyed_on": "document",
                "no_label": "zero",
                "mean_over": "qrels",
                "relevant": 1.0,
                "dcg": "log2",
                "joint": False,
                "ideal": "relevance",
                "err": "gain-discount",
                "h": "queries",
                "noise_scale": 1.0,
                "norm": "none",
            }
        ),
        "trec_eval": MappingProxyType(
            {
                "order": "score",
                "keyed_on": "pair",
                "no_label": "zero",
                "mean_over": "run",
                "relevant": 1.0,
                "dcg": "log2",
                "joint": False,
                "ideal": "product",
                "err": "cascade",
                "h": "queries",
                "norm": "none",
            }
        ),
    }
)


def settings(preset: str | None = None, **choices: Any) -> Conventions:
    """The settings of a preset (or the defaults), with what is chosen beside it.

    A choice of None is none: the preset or the default holds.

    >>> settings("ubire", order="score", ideal=None).ideal
    'relevance'
    """
    if preset is not None and preset not in PRESETS:
        raise OptionError(f"there is no preset {preset!r}; choose one of {', '.join(PRESETS)}")
    known = {field.name for field in fields(Conventions)}
    if unknown := set(choices) - known:
        raise OptionError(f"there is no setting {sorted(unknown)[0]!r}; there are {sorted(known)}")
    base = Conventions(preset, **PRESETS[preset]) if preset else Conventions()
    return replace(base, **{name: value for name, value in choices.items() if value is not None})
