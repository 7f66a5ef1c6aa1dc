"""Parse names of measures such as `uRBP(p=0.8)@10`, and report all bad names together."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from understandability.errors import OptionError
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.measures.bases import BASES, COMPOUNDS
from understandability.evaluation.measures.foreign import (
    EXTRA,
    ForeignMeasure,
    is_foreign,
    is_installed,
    parse_foreign,
)
from understandability.evaluation.measures.measure import RELEVANCE, Measure
from understandability.evaluation.measures.parameters import PARAMETERS

_PARAMETER_ALIASES = {"max_rel": "max"}  # its name in ir_measures
# MM is the name of H in Palotti, Zuccon & Hanbury (2018), "MM: A new framework ...".
_NAME_ALIASES = {"MM": "H"}
AnyMeasure = Measure | ForeignMeasure
_MAX_DEPTH = 10  # of nested brackets; H(residual(RBP(p=0.8))) has three

_NAME = re.compile(rf"(?P<prefix>u|H|MM)?(?P<base>{'|'.join(BASES)})(?P<suffix>[a-z][a-z0-9_]*)?")
# Commas and blanks between measures, outside of parentheses.
_SEPARATED = re.compile(r"(?:\s*,\s*|\s+)(?![^()]*\))")

# Common measures of ir_measures. Without that package, a request for one of them must not be
# reported as a misspelling.
_OF_IR_MEASURES = frozenset(
    {
        "p", "r", "ap", "map", "rr", "mrr", "recip", "rprec", "bpref", "infap", "success", "setp",
        "setr", "setf", "setap", "iprec", "numret", "numrel",
    }
)  # fmt: skip


def parse_measure(text: str) -> Measure:
    """Parse the name of a measure; raise `OptionError` if it is invalid.

    `str` returns the name as it was written, `full` adds all parameters:

    >>> str(parse_measure("uRBP(p=.8, user=arctan, th=15, s=pi)"))
    'uRBP(p=.8, user=arctan, th=15, s=pi)'
    >>> parse_measure("nDCG@10").full(Conventions())
    "nDCG(dcg='log2',judged_only=False)@10"
    """
    text = text.strip()
    _check_depth(text)
    match = re.fullmatch(r"(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?", text, re.DOTALL)
    if match is None:
        several = _SEPARATED.split(text)
        if len(several) > 1 and all(several):
            raise OptionError(
                f"{text!r} is not a measure; give each one by itself: -m "
                f"{' -m '.join(several)} (in Python, a list)"
            )
        raise OptionError(f"{text!r} is not a measure; write NAME(parameter=value,...)@CUTOFF")
    name, inner, cut = match.groups()
    name = _NAME_ALIASES.get(name, name)
    arguments = list(_arguments(inner or "", text))
    if cut is not None and not re.fullmatch(r"[1-9]\d*", cut):
        if parts := re.fullmatch(r"(\d+)(\(.*\))", cut, re.DOTALL):
            raise OptionError(f"{text!r}: write the cut-off last, {name}{parts[2]}@{parts[1]}")
        raise OptionError(f"{text!r}: the cut-off must be a whole number of 1 or more, not {cut!r}")
    cutoff = None if cut is None else int(cut)
    if name in COMPOUNDS:
        return _compound(name, arguments, cutoff, text)
    bare = _bare_measure(name)
    if bare is None:
        others = "" if is_installed() else f"; measures of ir_measures need {EXTRA}"
        if others and re.split(r"[@(_]", text)[0].lower() in _OF_IR_MEASURES:
            raise OptionError(f"{text!r} is a measure of ir_measures, which needs {EXTRA}")
        raise OptionError(f"{text!r} is not known{_near(name, example_names())}{others}")
    stated = _stated(arguments, bare.parameters, text)
    if "p" in bare.parameters and "p" not in dict(stated):
        # RBP and RBP(p=0.8) are then equal. p is the first parameter.
        stated = (("p", PARAMETERS["p"].default(Conventions())), *stated)
    measure = replace(bare, stated=stated, cutoff=cutoff, written=text)
    if measure.form == "H" and not measure.components():
        raise OptionError(f"{text!r}: at least one weight must be above 0")
    return measure


def parse_measures(measures: str | Iterable[object]) -> tuple[AnyMeasure, ...]:
    """Parse names of our measures and of ir_measures; all invalid names are reported in one error.

    Measure objects are accepted too, also from ir_measures. Repeated names are dropped.
    """
    parsed: dict[str, AnyMeasure] = {}
    errors: list[str] = []
    for name in [measures] if isinstance(measures, str) else measures:
        try:
            measure = _any_measure(name)
            parsed.setdefault(str(measure), measure)
        except OptionError as error:
            errors.append(str(error))
    if errors:
        count = "1 measure" if len(errors) == 1 else f"{len(errors)} measures"
        raise OptionError(f"{count} cannot be used: {'; '.join(errors)}")
    return tuple(parsed.values())


def own_measures(measures: str | Iterable[object]) -> tuple[Measure, ...]:
    """Parse names of our own measures; raise `OptionError` for measures of ir_measures."""
    parsed = parse_measures(measures)
    own = tuple(measure for measure in parsed if isinstance(measure, Measure))
    if foreign := [str(measure) for measure in parsed if measure not in own]:
        raise OptionError(
            f"{', '.join(foreign)} cannot be used here, because it is a measure of ir_measures; "
            f"choose from {', '.join(example_names())}"
        )
    return own


def _any_measure(measure: object) -> AnyMeasure:
    if isinstance(measure, Measure | ForeignMeasure):
        return measure
    if is_foreign(measure):
        return ForeignMeasure(str(measure), measure)
    if not isinstance(measure, str):
        raise OptionError(f"a measure is a name, such as 'uRBP(p=0.8)@10', not {measure!r}")
    _check_depth(measure)
    match = re.match(r"\w*", measure.strip())
    name = match[0] if match else ""
    is_own = name in COMPOUNDS or name in _NAME_ALIASES or _bare_measure(name) is not None
    if not is_own and name:
        foreign = parse_foreign(measure.strip())
        if foreign is not None:
            return foreign
    return parse_measure(measure)


def _bare_measure(name: str) -> Measure | None:
    """Return the measure for a name without parameters, or None if the name is unknown."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    prefix, base, suffix = match["prefix"] or "", match["base"], match["suffix"]
    prefix = _NAME_ALIASES.get(prefix, prefix)
    graded = suffix == "gr"
    form = prefix if suffix is None or graded else "DIM"
    if form not in BASES[base].forms or (graded and not prefix) or (prefix and form == "DIM"):
        return None
    return Measure(BASES[base], form, graded, suffix if form == "DIM" else RELEVANCE)


def _compound(name: str, arguments: list[str], cutoff: int | None, text: str) -> Measure:
    if cutoff is not None:
        raise OptionError(f"{text!r}: the cut-off belongs to the measures inside {name}(...)")
    options = [argument for argument in arguments if re.match(r"\w+\s*=", argument)]
    stated = _stated(options, COMPOUNDS[name].parameters, text)
    parts = tuple(parse_measure(argument) for argument in arguments if argument not in options)
    if name == "residual":
        if len(parts) != 1 or parts[0].base != "RBP" or parts[0].form == "H":
            raise OptionError(f"{text!r}: residual takes one measure, an RBP, uRBP or RBPu")
    elif len(parts) < 2:
        raise OptionError(f"{text!r}: H takes two or more measures, as H(RBP@10,RBPu@10,w=[1,1])")
    weights = dict(stated).get("w")
    if weights is not None and (len(weights) != len(parts) or not any(weights)):
        raise OptionError(
            f"{text!r}: w must hold one weight for each of the {len(parts)} measures, "
            "at least one of them above 0"
        )
    return Measure(COMPOUNDS[name], stated=stated, parts=parts, written=text)


def _check_depth(text: str) -> None:
    depths = accumulate((letter == "(") - (letter == ")") for letter in text)
    if max(depths, default=0) > _MAX_DEPTH:
        raise OptionError(
            f"{text[:30]!r}... has more than {_MAX_DEPTH} brackets within brackets; write "
            "NAME(parameter=value,...)@CUTOFF"
        )


def _arguments(inner: str, text: str) -> Iterator[str]:
    """Split the arguments of a measure at the commas that are outside brackets."""
    depth, start = 0, 0
    for index, letter in enumerate(inner):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            yield inner[start:index].strip()
            start = index + 1
        if depth < 0:
            break
    if depth:
        raise OptionError(f"{text!r}: the brackets do not match")
    if inner[start:].strip() or start:
        yield inner[start:].strip()


def _stated(
    arguments: list[str], parameters: Sequence[str], text: str
) -> tuple[tuple[str, Any], ...]:
    """Return the parameters that a name states, with their values, in the order of `parameters`."""
    stated: dict[str, Any] = {}
    for argument in arguments:
        name, separator, value = (part.strip() for part in argument.partition("="))
        name = _PARAMETER_ALIASES.get(name, name)
        if not separator:
            raise OptionError(f"{text!r}: write parameters as name=value, not {argument!r}")
        if name not in parameters:
            raise OptionError(f"{text!r} has no parameter {name!r}{_near(name, parameters)}")
        if name in stated:
            raise OptionError(f"{text!r} states {name} twice")
        try:
            stated[name] = PARAMETERS[name].read(value)
        except ValueError:
            raise OptionError(
                f"{text!r}: {name} must be {PARAMETERS[name].allowed}, not {value!r}"
            ) from None
    return tuple((name, stated[name]) for name in parameters if name in stated)


def _near(name: str, valid_names: Sequence[str]) -> str:
    """Return a hint that suggests the closest valid names, or lists all of them."""
    by_lower = {valid.lower(): valid for valid in valid_names}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    if close:
        return f" (did you mean {', '.join(by_lower[lower] for lower in close)}?)"
    return f" (there are {', '.join(valid_names)})" if valid_names else ""


def example_names() -> tuple[str, ...]:
    """Return the names of all measures of relevance, understandability and trust."""
    names: list[str] = []
    for base in BASES.values():
        for form in base.forms:
            if form == "DIM":
                names += [f"{base.name}u", f"{base.name}trust"]
            else:
                names += [form + base.name] + ([f"{form}{base.name}gr"] if form else [])
    return (*names, *COMPOUNDS)
