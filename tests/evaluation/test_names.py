"""A measure is its name: read, checked, printed back; all bad names at once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understandability.errors import OptionError
from understandability.evaluation.conventions import Conventions
from understandability.evaluation.measures.bases import BASES, COMPOUNDS
from understandability.evaluation.measures.measure import Measure
from understandability.evaluation.measures.names import example_names, parse_measure, parse_measures
from understandability.evaluation.measures.parameters import PARAMETERS, parameter_text

NAMES = (
    "RBP(p=0.8)@10",
    "uRBP(p=0.8)@10",
    "uRBP(p=0.8,user=arctan,th=15,s=pi)",
    "uRBPgr(p=0.8)",
    "RBPu(p=0.8)@10",
    "HRBP(p=0.8,wr=1,wu=1)@10",
    "nDCG@10",
    "unDCG@10",
    "ERR@10",
    "uERR@10",
    "H(RBP(p=0.8)@10,RBPu(p=0.8)@10,RBPtrust(p=0.8)@10,w=[1,1,1])",
    "residual(RBP(p=0.8)@10)",
    "residual(uRBP(p=0.8),tail=True)",
    "Judged@10",
    "Judgedtrust@5",
    "nDCG(dcg='log2')@10",
    "unDCG(ideal=relevance)@10",
    "RBP(p=0.95,rel=2,graded=True,max=4,judged_only=True)",
    "uRBP(p=0.8,dims=[u,trust],joint=True)@10",
    "HRBPgr(p=0.8,wr=2,wu=0.5,wtrust=1,of=means)@10",
    "ERR(form=gain-discount,max=2)@10",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_prints_back_identically(name: str) -> None:
    """What is stated stays stated, nothing is dropped and nothing added."""
    measure = parse_measure(name)
    assert str(measure) == name
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize("name", NAMES)
def test_the_full_name_is_the_same_measure_with_every_parameter(name: str) -> None:
    """It is read back, and is full already."""
    conventions = Conventions(max_relevance=2.0, threshold=40.0, noise_scale=1.0)
    full = parse_measure(name).full(conventions)
    assert parse_measure(full).full(conventions) == full


def test_names_come_back_exactly_as_they_were_given() -> None:
    """Quotes, blanks, defaults and all; `full` spells every parameter out."""
    for name in ("RBP@10", "nDCG(dcg=log2)", " uRBP( s = 3.0 , p=.80,user='arctan' ) @ 10 "):
        assert str(parse_measure(name)) == name.strip()
    full = parse_measure("residual(uRBPgr)").full(Conventions(max_relevance=2.0))
    assert full.startswith("residual(uRBPgr(p=0.8,")


def test_blanks_and_ways_to_write_numbers_do_not_matter() -> None:
    """They are one measure, whatever its name; persistence has a default."""
    spaced = parse_measure(" uRBP( s = 3.0 , p=.80,user='arctan' ) @ 10 ")
    assert spaced == parse_measure("uRBP(p=0.8,user=arctan,s=3)@10")
    assert parse_measure("RBP@10") == parse_measure("RBP(p=0.8)@10")


@given(
    st.sampled_from([name for name in example_names() if name not in COMPOUNDS]),
    st.floats(0.001, 0.999),
    st.none() | st.integers(1, 1000),
)
def test_any_persistence_and_cut_survive(name: str, p: float, cutoff: int | None) -> None:
    """Parse and print agree on every number."""
    persistence = f"(p={p!r})" if "RBP" in name else ""
    written = f"{name}{persistence}{'' if cutoff is None else f'@{cutoff}'}"
    measure = parse_measure(written)
    assert measure.cutoff == cutoff
    assert parse_measure(str(measure)) == measure
    if persistence:
        assert dict(measure.stated)["p"] == p


@pytest.mark.parametrize("name", example_names())
def test_every_parameter_of_every_measure_can_be_stated(name: str) -> None:
    conventions = Conventions(max_relevance=2.0, threshold=40.0, noise_scale=1.0)
    inner = {"H": "RBP(p=0.8),RBPu(p=0.8),", "residual": "RBP(p=0.8),"}.get(name, "")
    bare = parse_measure(f"{name}({inner.rstrip(',')})" if inner else name)
    values = {n: bare.get(n, conventions) for n in bare.parameters} | {"th": 40.0}
    stated = ",".join(f"{n}={parameter_text(n, values[n])}" for n in bare.parameters)
    written = f"{name}({inner}{stated})" if inner or stated else name
    assert str(parse_measure(written)) == written


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RBP(p=0)", "p must be a number between 0 and 1, exclusive, not '0'"),
        ("RBP(p=1)", "p must be a number between 0 and 1, exclusive, not '1'"),
        ("RBP(p=2.0)", "p must be a number between 0 and 1, exclusive, not '2.0'"),
        ("RBP(p=nan)", "p must be a number between 0 and 1, exclusive, not 'nan'"),
        ("RBP(p=often)", "p must be a number between 0 and 1, exclusive, not 'often'"),
        ("RBP(q=0.8)", "has no parameter 'q'"),
        ("RBP(presistence=0.8)", "has no parameter 'presistence'"),
        ("RBP(0.8)", "write parameters as name=value, not '0.8'"),
        ("RBP(p=0.8,p=0.9)", "states p twice"),
        ("RBP(p=0.8", "is not a measure"),
        ("H(RBP,(RBPu)", "the brackets do not match"),
        ("H(" * 2000 + "RBP" + ")" * 2000, "more than 10 brackets within brackets"),
        ("AP(" * 2000 + ")" * 2000, "more than 10 brackets within brackets"),
        ("RBP@0", "the cut-off must be a whole number of 1 or more, not '0'"),
        ("RBP@ten", "the cut-off must be a whole number of 1 or more, not 'ten'"),
        ("nDCG(dcg=log10)", "dcg must be log2 or exp-log2, not 'log10'"),
        ("uRBP(user=nobody)", "user must be binary or graded or step or arctan, not 'nobody'"),
        ("uRBP(s=0)", "s must be a number above 0, or pi, not '0'"),
        ("uRBPgr(user=step)", "has no parameter 'user'"),
        ("RBPgr", "is not known"),
        ("HJudged", "is not known"),
        ("uRBPtrust", "is not known"),
        ("H(RBP)", "H takes two or more measures"),
        ("H(RBP,RBPu,w=[1])", "w must hold one weight for each of the 2 measures"),
        ("H(RBP,RBPu,w=[0,0])", "at least one of them above 0"),
        ("HRBP(wr=0,wu=0)", "at least one weight must be above 0"),
        ("H(RBP,RBPu)@10", "the cut-off belongs to the measures inside"),
        ("residual(nDCG@10)", "residual takes one measure, an RBP, uRBP or RBPu"),
        ("uRBP(dims=[u,u])", "dims must be names in brackets"),
        ("", "is not a measure"),
        ("RBP(p=0.8,)", "write parameters as name=value"),
    ],
)
def test_a_bad_name_is_told_in_one_sentence(name: str, message: str) -> None:
    with pytest.raises(OptionError) as error:
        parse_measure(name)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_all_bad_names_are_reported_together_with_the_nearest_good_ones() -> None:
    """A user mends them in one go."""
    with pytest.raises(OptionError) as error:
        parse_measures(["RPB@10", "RBP@10", "unDGC", "nDCG(dgc=log2)"])
    message = str(error.value)
    assert message.startswith("3 measures cannot be used: ")
    assert "'RPB@10' is not known (did you mean RBP" in message
    assert "'unDGC' is not known (did you mean unDCG" in message
    assert "has no parameter 'dgc' (did you mean dcg?)" in message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NERR8(p=.9)", "'NERR8(p=.9)' has no parameter 'p' (there are cutoff, min_rel, max_rel)"),
        ("NERR8@10", "'NERR8@10' needs the parameter 'max_rel', maximum relevance score"),
        ("urbp@10", "'urbp@10' is not known (did you mean uRBP"),
    ],
)
def test_what_ir_measures_would_not_say_is_said(name: str, message: str) -> None:
    pytest.importorskip("ir_measures")
    with pytest.raises(OptionError, match=re.escape(message)):
        parse_measures([name])


@pytest.mark.parametrize("name", ["P@10", "AP", "map", "P_10", "RR(rel=2)"])
def test_without_the_extra_its_measures_are_no_slips(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`P` is near to `RBP`, but nobody means that."""
    monkeypatch.setattr("understandability.evaluation.measures.names.is_installed", lambda: False)
    monkeypatch.setattr("understandability.evaluation.measures.foreign.is_installed", lambda: False)
    with pytest.raises(OptionError, match="is a measure of ir_measures, which needs pip") as error:
        parse_measures([name])
    assert "did you mean" not in str(error.value)


def test_the_same_name_twice_is_one() -> None:
    """Columns have distinct names, each as it was given."""
    assert list(map(str, parse_measures(["RBP@10", "RBP@10", "RBP(p=0.8)@10"]))) == [
        "RBP@10",
        "RBP(p=0.8)@10",
    ]


def test_a_harmonic_mean_is_made_of_its_dimensions() -> None:
    """A weight of 0 leaves a dimension out; user models are of understandability."""
    measure = parse_measure("HRBP(p=0.5,wr=0,wu=1,wtrust=2,user=step,th=9)@5")
    assert [(str(part), weight) for part, weight in measure.components()] == [
        ("RBPu(p=0.5,user=step,th=9)@5", 1.0),
        ("RBPtrust(p=0.5)@5", 2.0),
    ]
    assert measure.dimensions == ("u", "trust")


def test_every_parameter_belongs_to_a_measure() -> None:
    """The table has none that no name takes."""
    used = {n for base in BASES.values() for form in base.forms for n in base.parameters_in(form)}
    assert used | {n for form in COMPOUNDS.values() for n in form.parameters} == set(PARAMETERS)


def test_measures_are_values() -> None:
    assert parse_measure("nDCG@10") == Measure(BASES["nDCG"], cutoff=10)
    assert len({parse_measure("ERR"), parse_measure("ERR"), parse_measure("uERR")}) == 2
