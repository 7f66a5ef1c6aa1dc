"""What measures there are, as tables: a base (`BASES`) in a form (`FORMS`).

``RBP`` is topical, ``uRBP`` multiplies its gains by understandability, ``RBPu`` looks at
understandability alone, ``HRBP`` is the harmonic mean of both; ``gr`` makes it graded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from understandability.evaluation.conventions import MODELLED_USERS, Conventions
from understandability.evaluation.measures.parameters import PARAMETERS, parameter_text

RELEVANCE = "relevance"
UNDERSTANDABILITY = "u"


@dataclass(frozen=True, slots=True)
class Base:
    """What a measure does with gains; `parameters` are its own."""

    name: str
    meaning: str
    source: str
    parameters: tuple[str, ...] = ()
    relevance: tuple[str, ...] = ()  # parameters that say how relevance becomes a gain
    forms: tuple[str, ...] = ("", "u", "DIM", "H")


@dataclass(frozen=True, slots=True)
class Form:
    """Which dimensions of relevance the gains of a base come from."""

    name: str
    meaning: str
    source: str
    parameters: tuple[str, ...] = ()


_USER = ("user", "th", "s", "norm")
_GAIN = ("rel", "graded", "max")
_LABELLED = ("", "DIM")
# fmt: off
_BASES = (
    Base("RBP", "rank-biased precision: (1 - p) times the sum of p^(rank - 1) gain",
        "Moffat & Zobel 2008", ("p",), _GAIN),
    Base("INST", "mean gain for a user who wants a gain of T, and reads on longer the less is "
        "found; below the ranking there is no gain",
        "Moffat, Bailey, Scholer & Thomas 2015", ("T",), _GAIN),
    Base("CWL", "mean gain under your own discount; its weights are divided by their sum",
        "Moffat, Bailey, Scholer & Thomas 2017 (C/W/L)", ("discount",), _GAIN),
    Base("nDCG", "discounted cumulative gain, discount 1 / log2(rank + 1), divided by the best "
        "that the labels allow",
        "Järvelin & Kekäläinen 2002; gain 2^grade - 1 (exp-log2): Burges et al. 2005",
        relevance=("dcg",)),
    Base("ERR", "expected reciprocal rank at which a reader stops, satisfied by a document with "
        "probability (2^grade - 1) / 2^max, max 4 as in gdeval",
        "Chapelle et al. 2009; gain-discount: Zuccon 2016", ("form",), ("max",)),
    Base("Judged", "share of the documents that carry a label",
        "ir_measures (MacAvaney et al. 2022)", forms=_LABELLED),
    Base("PoolDepth", "rank down to which every document carries a label",
        "Spärck Jones & van Rijsbergen 1975, as a pool of that depth leaves it", forms=_LABELLED),
)
_FORMS = (
    Form("", "topical relevance", "as the base"),
    Form("u", "gains of relevance times those of the dimensions `dims`",
        "Zuccon & Koopman 2014; Zuccon 2016", ("dims", *_USER, "joint")),
    Form("DIM", "one dimension alone: `u` here, but also `trust` or any other that is given",
        "Palotti et al. 2018", _USER),
    Form("H", "weighted harmonic mean of the base over the dimensions",
        "Palotti et al. 2018", ("wr", "wu", "wtrust", *_USER, "of")),
)
_COMPOUNDS = (  # measures of measures
    Form("H", "weighted harmonic mean of any measures, 0 if one of them is 0",
        "Palotti et al. 2018", ("w", "of")),
    Form("residual", "what an RBP could still gain from documents without a label",
        "Moffat & Zobel 2008", ("tail",)),
)
# fmt: on
OF_LABELS = ("Judged", "PoolDepth")  # which look at whether there are labels, not at what they say
BASES: Mapping[str, Base] = {row.name: row for row in _BASES}
FORMS: Mapping[str, Form] = {row.name: row for row in _FORMS}
COMPOUNDS: Mapping[str, Form] = {row.name: row for row in _COMPOUNDS}
# The weights of a form H and the dimensions that they weigh.
HARMONIC_WEIGHTS = {"wr": RELEVANCE, "wu": UNDERSTANDABILITY, "wtrust": "trust"}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: base, form, the parameters that were stated, cut-off.

    `str` gives the name as it was `given`, or else as it is stated (parameters in the order of the
    table); `full` shows every parameter with the value that holds. `dimension` is the one dimension
    of a measure in the form ``DIM``; `parts` are what a compound is made of.
    """

    base: str
    form: str = ""
    graded: bool = False
    dimension: str = RELEVANCE
    stated: tuple[tuple[str, Any], ...] = ()
    cutoff: int | None = None
    parts: tuple[Measure, ...] = ()
    given: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The name before the parameters, such as ``uRBPgr``."""
        if self.parts:
            return self.base
        prefix = self.form if self.form in ("u", "H") else ""
        dimension = self.dimension if self.form == "DIM" else ""
        return f"{prefix}{self.base}{'gr' if self.graded else ''}{dimension}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters that the measure has."""
        if self.parts:
            return COMPOUNDS[self.base].parameters
        names = parameters_of(self.base, self.form)
        # What is called graded has no other user.
        return tuple(name for name in names if not (self.graded and name in _USER))

    def __str__(self) -> str:
        return self.given or self._written(dict(self.stated), [str(part) for part in self.parts])

    def full(self, conventions: Conventions) -> str:
        """The name with every parameter that counts, with the value it has under `conventions`."""
        values = {name: self.get(name, conventions) for name in self.parameters}
        user = values.get("user")
        if user not in MODELLED_USERS:
            values.pop("th", None)
        if user != "arctan":
            values.pop("s", None)
            values.pop("norm", None)
        parts = [part.full(conventions) for part in self.parts]
        return self._written({n: v for n, v in values.items() if v is not None}, parts)

    def _written(self, values: Mapping[str, Any], parts: Sequence[str]) -> str:
        stated = [
            f"{name}={parameter_text(name, values[name])}"
            for name in self.parameters
            if name in values
        ]
        inner = ",".join([*parts, *stated])
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{f'({inner})' if inner else ''}{cutoff}"

    def get(self, name: str, conventions: Conventions) -> Any:
        """The value of a parameter: as stated, else by convention, else the table's default."""
        stated = dict(self.stated)
        if name in stated:
            return stated[name]
        if name == "user" and self.graded:
            return "graded"
        if self.dimension not in (RELEVANCE, UNDERSTANDABILITY):
            # The user of the conventions is one of understandability.
            conventions = replace(conventions, user="binary", threshold=None)
        if name == "w":
            return (1.0,) * len(self.parts)
        if name == "max" and self.base == "ERR" and conventions.err_max is not None:
            return conventions.err_max
        return PARAMETERS[name].default(conventions)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions whose labels the measure uses."""
        if self.parts or self.form == "H":
            used = [d for part, _ in self.components() for d in part.dimensions]
            return tuple(dict.fromkeys(used))
        if self.form == "u":
            return (RELEVANCE, *self.get("dims", Conventions()))
        return (self.dimension,)

    def components(self) -> tuple[tuple[Measure, float], ...]:
        """The measures that a harmonic mean is made of, with their weights above 0."""
        if self.form == "H":
            parts = tuple(self._part(dimension) for dimension in HARMONIC_WEIGHTS.values())
            weights = tuple(self.get(name, Conventions()) for name in HARMONIC_WEIGHTS)
        else:
            parts, weights = self.parts, self.get("w", Conventions())
        return tuple((part, w) for part, w in zip(parts, weights, strict=True) if w > 0)

    def _part(self, dimension: str) -> Measure:
        """The measure of one dimension that a form ``H`` contains, with the same parameters."""
        form = "" if dimension == RELEVANCE else "DIM"
        wanted = parameters_of(self.base, form)
        stated = {name: value for name, value in self.stated if name in wanted}
        if dimension != UNDERSTANDABILITY:
            # A user model is one of understandability.
            stated = {name: value for name, value in stated.items() if name not in _USER}
        elif self.graded:
            stated["user"] = "graded"
        order = tuple((name, stated[name]) for name in wanted if name in stated)
        return Measure(self.base, form, False, dimension, order, self.cutoff)


def parameters_of(base: str, form: str) -> tuple[str, ...]:
    """The names of all parameters of a base in a form."""
    if base in OF_LABELS:
        return ()
    row = BASES[base]
    relevance = () if form == "DIM" else row.relevance
    ideal = ("ideal",) if base == "nDCG" and form == "u" else ()
    return (*row.parameters, *FORMS[form].parameters, *relevance, *ideal, "judged_only")
