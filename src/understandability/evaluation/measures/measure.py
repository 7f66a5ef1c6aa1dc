"""A measure: a base such as RBP, in a form such as understandability-biased, with parameters.

``RBP`` is topical, ``uRBP`` multiplies its gains by understandability, ``RBPu`` looks at
understandability alone, ``HRBP`` is the harmonic mean of both; the suffix ``gr`` makes it graded.
The tables of bases are in `measures.bases`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from understandability.arrays import Floats
from understandability.evaluation.conventions import MODELLED_USERS, Conventions
from understandability.evaluation.measures.parameters import PARAMETERS, parameter_text

RELEVANCE = "relevance"
UNDERSTANDABILITY = "u"

Values = Callable[..., Floats]  # (measure, judgements, ranked) -> a value per query of the qrels
Gains = Callable[..., Floats]  # (measure, judgements, grades) -> a gain per document


@dataclass(frozen=True, slots=True)
class Base:
    """A base measure such as RBP: it turns the gains of ranked documents into one value per query.

    Args:
        name: The name of the form that uses relevance alone.
        meaning: One line for the reference.
        source: Author and year.
        gain: Turns grades of relevance into gains. None for a base that only uses whether documents
            have labels; such a base has no parameters.
        value: Computes the value of each query.
        parameters: The parameters of the base itself.
        relevance: The parameters of `gain`.
        with_u: Further parameters if the gains include understandability.
        forms: The names of its forms, from `FORMS`.
        defaults: For some parameters, the name of a convention that sets them instead of the usual
            one.
    """

    name: str
    meaning: str
    source: str
    gain: Gains | None
    value: Values
    parameters: tuple[str, ...] = ()
    relevance: tuple[str, ...] = ()
    with_u: tuple[str, ...] = ()
    forms: tuple[str, ...] = ("", "u", "DIM", "H")
    defaults: tuple[tuple[str, str], ...] = ()

    def parameters_in(self, form: str) -> tuple[str, ...]:
        """Return the names of all parameters of a form."""
        if self.gain is None:
            return ()
        relevance = () if form == "DIM" else self.relevance
        with_u = self.with_u if form == "u" else ()
        form_parameters = FORMS[form].parameters
        return (*self.parameters, *form_parameters, *relevance, *with_u, "judged_only")


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a base: the dimensions of relevance from which it takes its gains."""

    name: str
    meaning: str
    source: str
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compound:
    """A measure that is computed from other measures, such as a harmonic mean.

    `value` computes it for each query; `parameters` are the names of its own parameters.
    """

    name: str
    meaning: str
    source: str
    value: Values
    parameters: tuple[str, ...] = ()


_USER = ("user", "th", "s", "norm")
# fmt: off
_FORMS = (
    Form("", "topical relevance", "as the base"),
    Form("u", "gains of relevance times the gains of the dimensions `dims`",
        "Zuccon & Koopman 2014; Zuccon 2016", ("dims", *_USER, "joint")),
    Form("DIM", "one dimension alone: `u` here, but also `trust` or any other with labels",
        "Palotti et al. 2018", _USER),
    Form("H", "weighted harmonic mean of the base over the dimensions",
        "Palotti et al. 2018", ("wr", "wu", "wtrust", *_USER, "of")),
)
# fmt: on
FORMS: Mapping[str, Form] = {row.name: row for row in _FORMS}
# The weights of the form H, and the dimension that each weighs.
HARMONIC_WEIGHTS = {"wr": RELEVANCE, "wu": UNDERSTANDABILITY, "wtrust": "trust"}


@dataclass(frozen=True, slots=True)
class Measure:
    """A parsed measure: a row of the tables of bases or compounds, a form, parameters and a
    cut-off.

    `str` returns the name as it was written, or else with the stated parameters in the order of the
    table; `full` adds every parameter that has an effect.

    Args:
        row: The base, or the compound.
        form: A form of the base, of `FORMS`; empty for a compound.
        graded: True for names that end in ``gr``.
        dimension: The dimension of a measure that uses only one, such as ``u`` of ``RBPu``.
        stated: The parameters that the name states, with their values.
        cutoff: The rank of the last document that counts; None for all.
        parts: The measures that a compound is computed from.
        written: The name as the user wrote it.
    """

    row: Base | Compound
    form: str = ""
    graded: bool = False
    dimension: str = RELEVANCE
    stated: tuple[tuple[str, Any], ...] = ()
    cutoff: int | None = None
    parts: tuple[Measure, ...] = ()
    written: str = field(default="", compare=False)

    @property
    def base(self) -> str:
        """The name of the base or of the compound, such as ``RBP``."""
        return self.row.name

    @property
    def name(self) -> str:
        """The name without parameters, such as ``uRBPgr``."""
        if self.parts:
            return self.base
        prefix = self.form if self.form in ("u", "H") else ""
        dimension = self.dimension if self.form == "DIM" else ""
        return f"{prefix}{self.base}{'gr' if self.graded else ''}{dimension}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters that the measure has."""
        if isinstance(self.row, Compound):
            return self.row.parameters
        names = self.row.parameters_in(self.form)
        # A graded measure has no other user.
        return tuple(name for name in names if not (self.graded and name in _USER))

    def __str__(self) -> str:
        return self.written or self._text(dict(self.stated), [str(part) for part in self.parts])

    def full(self, conventions: Conventions) -> str:
        """Return the name with every parameter that has an effect, at its value under
        `conventions`.
        """
        values = {name: self.get(name, conventions) for name in self.parameters}
        user = values.get("user")
        if user not in MODELLED_USERS:
            values.pop("th", None)
        if user != "arctan":
            values.pop("s", None)
            values.pop("norm", None)
        parts = [part.full(conventions) for part in self.parts]
        return self._text({n: v for n, v in values.items() if v is not None}, parts)

    def _text(self, values: Mapping[str, Any], parts: Sequence[str]) -> str:
        stated = [
            f"{name}={parameter_text(name, values[name])}"
            for name in self.parameters
            if name in values
        ]
        inner = ",".join([*parts, *stated])
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}{f'({inner})' if inner else ''}{cutoff}"

    def get(self, name: str, conventions: Conventions) -> Any:
        """Return the value of a parameter: from the name, else from the conventions, else its
        default.
        """
        stated = dict(self.stated)
        if name in stated:
            return stated[name]
        if name == "user" and self.graded:
            return "graded"
        if self.dimension not in (RELEVANCE, UNDERSTANDABILITY):
            # The conventions describe a user of understandability, not of trust.
            conventions = replace(conventions, user="binary", threshold=None)
        if name == "w":
            return (1.0,) * len(self.parts)
        if isinstance(self.row, Base):
            convention = dict(self.row.defaults).get(name)
            if convention is not None and getattr(conventions, convention) is not None:
                return getattr(conventions, convention)
        return PARAMETERS[name].default(conventions)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions whose labels the measure uses."""
        if self.parts or self.form == "H":
            names = [name for part, _ in self.components() for name in part.dimensions]
            return tuple(dict.fromkeys(names))
        if self.form == "u":
            return (RELEVANCE, *self.get("dims", Conventions()))
        return (self.dimension,)

    def components(self) -> tuple[tuple[Measure, float], ...]:
        """The measures that a harmonic mean averages, with their weights; weights of 0 are
        skipped.
        """
        if self.form == "H":
            parts = tuple(self._part(dimension) for dimension in HARMONIC_WEIGHTS.values())
            weights = tuple(self.get(name, Conventions()) for name in HARMONIC_WEIGHTS)
        else:
            parts, weights = self.parts, self.get("w", Conventions())
        return tuple((part, w) for part, w in zip(parts, weights, strict=True) if w > 0)

    def _part(self, dimension: str) -> Measure:
        """Return the component of a harmonic mean for one dimension, with the same parameters."""
        assert isinstance(self.row, Base)
        form = "" if dimension == RELEVANCE else "DIM"
        names = self.row.parameters_in(form)
        stated = {name: value for name, value in self.stated if name in names}
        if dimension != UNDERSTANDABILITY:
            # A user model describes understanding, not relevance or trust.
            stated = {name: value for name, value in stated.items() if name not in _USER}
        elif self.graded:
            stated["user"] = "graded"
        in_order = tuple((name, stated[name]) for name in names if name in stated)
        return Measure(self.row, form, False, dimension, in_order, self.cutoff)
