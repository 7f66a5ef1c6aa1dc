"""Names of measures: `uRBP(p=0.8)@10` is read, checked and printed back; all bad names at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from understandability.errors import OptionError
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.measures.bases import BASES, COMPOUNDS, RELEVANCE, Measure
from understandability.evaluation.measures.of_ir_measures import (
    EXTRA,
    ForeignMeasure,
    is_foreign,
    is_installed,
    parse_foreign,
)
from understandability.evaluation.measures.parameters import PARAMETERS

_ALIASES = {"max_rel": "max"}  # as ir_measures calls it
AnyMeasure = Measure | ForeignMeasure
_DEEPEST = 10  # of brackets within brackets; H(residual(RBP(p=0.8))) has three

_NAME = re.compile(rf"(?P<prefix>u|H)?(?P<base>{'|'.join(BASES)})(?P<suffix>[a-z][a-z0-9_]*)?")

# What people ask for first; without ir_measures nothing else tells these from slips of the pen.
_OF_IR_MEASURES = frozenset(
    {
        "p", "r", "ap", "map", "rr", "mrr", "recip", "rprec", "bpref", "infap", "success", "setp",
        "setr", "setf", "setap", "iprec", "numret", "numrel",
    }
)  # fmt: skip


def parse_measure(text: str) -> Measure:
    """The measure of a name; `OptionError` says what is wrong with it.

    `str` gives the name as it was given, `full` spells it out:

    >>> str(parse_measure("uRBP(p=.8, user=arctan, th=15, s=pi)"))
    'uRBP(p=.8, user=arctan, th=15, s=pi)'
    >>> parse_measure("nDCG@10").full(Conventions())
    "nDCG(dcg='log2',judged_only=False)@10"
    """
    text = text.strip()
    _check_depth(text)
    match = re.fullmatch(r"(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(\S+))?", text, re.DOTALL)
    if match is None:
        raise OptionError(f"{text!r} is not a measure; write NAME(parameter=value,...)@CUTOFF")
    name, inner, cut = match.groups()
    arguments = list(_arguments(inner or "", text))
    if cut is not None and not re.fullmatch(r"[1-9]\d*", cut):
        raise OptionError(f"{text!r}: the cut-off must be a whole number of 1 or more, not {cut!r}")
    cutoff = None if cut is None else int(cut)
    if name in COMPOUNDS:
        return _compound(name, arguments, cutoff, text)
    named = _named(name)
    if named is None:
        others = "" if is_installed() else f"; measures of ir_measures need {EXTRA}"
        if others and re.split(r"[@(_]", text)[0].lower() in _OF_IR_MEASURES:
            raise OptionError(f"{text!r} is a measure of ir_measures, which needs {EXTRA}")
        raise OptionError(f"{text!r} is not known{_near(name, example_names())}{others}")
    stated = _stated(arguments, named.parameters, text)
    if "p" in named.parameters and "p" not in dict(stated):
        # So that measures that state it and measures that do not are equal; it is the first.
        stated = (("p", PARAMETERS["p"].default(Conventions())), *stated)
    measure = replace(named, stated=stated, cutoff=cutoff, given=text)
    if measure.form == "H" and not measure.components():
        raise OptionError(f"{text!r}: at least one weight must be above 0")
    return measure


def parse_measures(measures: str | Iterable[object]) -> tuple[AnyMeasure, ...]:
    """The measures of some names, ours and those of ir_measures; all bad names are told together.

    Measures may stand in the place of names, those of ir_measures too. The same name twice is one.
    """
    parsed: dict[str, AnyMeasure] = {}
    errors: list[str] = []
    for given in [measures] if isinstance(measures, str) else measures:
        try:
            measure = _any_measure(given)
            parsed.setdefault(str(measure), measure)
        except OptionError as error:
            errors.append(str(error))
    if errors:
        count = "1 measure" if len(errors) == 1 else f"{len(errors)} measures"
        raise OptionError(f"{count} cannot be used: {'; '.join(errors)}")
    return tuple(parsed.values())


def own_measures(measures: str | Iterable[object]) -> tuple[Measure, ...]:
    """The measures of some names, where those of ir_measures cannot serve."""
    parsed = parse_measures(measures)
    own = tuple(measure for measure in parsed if isinstance(measure, Measure))
    if foreign := [str(measure) for measure in parsed if measure not in own]:
        raise OptionError(
            f"{', '.join(foreign)} cannot be used here: it is a measure of ir_measures; there are "
            f"{', '.join(example_names())}"
        )
    return own


def _any_measure(given: object) -> AnyMeasure:
    if isinstance(given, Measure | ForeignMeasure):
        return given
    if is_foreign(given):
        return ForeignMeasure(str(given), given)
    if not isinstance(given, str):
        raise OptionError(f"a measure is a name, such as 'uRBP(p=0.8)@10', not {given!r}")
    _check_depth(given)
    name = re.match(r"\w*", given.strip())
    if name and _named(name[0]) is None and name[0] not in COMPOUNDS:
        foreign = parse_foreign(given.strip())
        if foreign is not None:
            return foreign
    return parse_measure(given)


def _named(name: str) -> Measure | None:
    """The measure of a bare name; None where there is none."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    prefix, base, suffix = found["prefix"] or "", found["base"], found["suffix"]
    graded = suffix == "gr"
    form = prefix if suffix is None or graded else "DIM"
    if form not in BASES[base].forms or (graded and not prefix) or (prefix and form == "DIM"):
        return None
    return Measure(base, form, graded, suffix if form == "DIM" else RELEVANCE)


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
    return Measure(name, stated=stated, parts=parts, given=text)


def _check_depth(text: str) -> None:
    depths = accumulate((letter == "(") - (letter == ")") for letter in text)
    if max(depths, default=0) > _DEEPEST:
        raise OptionError(
            f"{text[:30]!r}... has more than {_DEEPEST} brackets within brackets; write "
            "NAME(parameter=value,...)@CUTOFF"
        )


def _arguments(inner: str, text: str) -> Iterator[str]:
    """What stands between the commas outside brackets."""
    depth, start = 0, 0
    for place, letter in enumerate(inner):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            yield inner[start:place].strip()
            start = place + 1
        if depth < 0:
            break
    if depth:
        raise OptionError(f"{text!r}: the brackets do not match")
    if inner[start:].strip() or start:
        yield inner[start:].strip()


def _stated(arguments: list[str], known: Sequence[str], text: str) -> tuple[tuple[str, Any], ...]:
    """The values of parameters, in the order of those that are known."""
    stated: dict[str, Any] = {}
    for argument in arguments:
        name, separator, value = (part.strip() for part in argument.partition("="))
        name = _ALIASES.get(name, name)
        if not separator:
            raise OptionError(f"{text!r}: write parameters as name=value, not {argument!r}")
        if name not in known:
            raise OptionError(f"{text!r} has no parameter {name!r}{_near(name, known)}")
        if name in stated:
            raise OptionError(f"{text!r} states {name} twice")
        try:
            stated[name] = PARAMETERS[name].read(value)
        except ValueError:
            raise OptionError(
                f"{text!r}: {name} must be {PARAMETERS[name].allowed}, not {value!r}"
            ) from None
    return tuple((name, stated[name]) for name in known if name in stated)


def _near(name: str, known: Sequence[str]) -> str:
    """A hint at the nearest good names, or at all of them."""
    like = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), like, n=3, cutoff=0.5)
    if near:
        return f" (did you mean {', '.join(like[each] for each in near)}?)"
    return f" (there are {', '.join(known)})" if known else ""


def example_names() -> tuple[str, ...]:
    """The names of measures over relevance, understandability and trust."""
    names: list[str] = []
    for base in BASES.values():
        for form in base.forms:
            if form == "DIM":
                names += [f"{base.name}u", f"{base.name}trust"]
            else:
                names += [form + base.name] + ([f"{form}{base.name}gr"] if form else [])
    return (*names, *COMPOUNDS)
