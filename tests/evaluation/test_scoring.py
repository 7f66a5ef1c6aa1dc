"""Every measure by hand, on one small ranking; and what must hold for any ranking.

The ranking of query q, with labels of relevance (0 to 2), understandability (below 40 is easy)
and trust (50 and above is good):

    position  document  relevance  understandability  trust
    1         d1        1          10                 80
    2         d2        0          20                 90
    3         d3        -          -                  -
    4         d4        2          80                 10
    5         d5        1          39                 50

Document d6 (relevance 2, understandability 5, trust 70) is not retrieved; query r has
labels (d1: 1) but no documents.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import atan, log2, pi
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import understandability as ud
from understandability.errors import InputError, OptionError
from understandability.evaluation.conventions import Conventions, conventions
from understandability.evaluation.evaluate import Evaluation, evaluate
from understandability.evaluation.judgements import Judgements, Ranked
from understandability.evaluation.measures import values
from understandability.evaluation.measures.bases import BASES
from understandability.evaluation.measures.measure import Base, Measure
from understandability.evaluation.measures.names import parse_measure
from understandability.evaluation.options import Dimension
from understandability.evaluation.scales import parse_gains, parse_scale
from understandability.inputs.run import Labels, Run

RUN = Run.of("mine", {"q": [(f"d{i}", float(-i)) for i in range(1, 6)]})
RELEVANCE = Labels.of("qrels", {"q": {"d1": 1, "d2": 0, "d4": 2, "d5": 1, "d6": 2}, "r": {"d1": 1}})
EASE = Labels.of(
    "qunder", {"q": {"d1": 10, "d2": 20, "d4": 80, "d5": 39, "d6": 5}, "r": {"d1": 90}}
)
TRUST = Labels.of(
    "qtrust", {"q": {"d1": 80, "d2": 90, "d4": 10, "d5": 50, "d6": 70}, "r": {"d1": 0}}
)
DIMENSIONS = {
    "u": Dimension(EASE, parse_scale("lower-easier:40:0..100")),
    "trust": Dimension(TRUST, parse_scale("higher-better:50:0..100")),
}


def evaluated(
    *measures: str, dimensions: Mapping[str, Dimension] = DIMENSIONS, run: Run = RUN, **choices: Any
) -> Evaluation:
    return evaluate(run, RELEVANCE, measures=measures, dimensions=dimensions, **choices)


def value(measure: str, query: str = "q", **options: Any) -> float:
    result = evaluated(measure, **options)
    return float(result.values["mine"][0, result.queries.index(query)])


# The document at the threshold is d1; `user=step` without th reads the edge as the scale does.
@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("higher-easier:2", 1.0),
        ("higher-easier:>2", 0.0),
        ("lower-easier:2", 0.0),
        ("lower-easier:<=2", 1.0),
    ],
)
@pytest.mark.parametrize("measure", ["RBP{}@1", "uRBP{}@1", "HRBP{}@1", "unDCG{}@1", "nDCG{}@1"])
@pytest.mark.parametrize("dimension", ["u", "trust", "clarity"])
def test_a_step_user_without_a_threshold_has_that_of_the_scale(
    scale: str, expected: float, measure: str, dimension: str
) -> None:
    if dimension != "u" and measure[0] in "uH":
        pytest.skip("the user of these belongs to understandability")
    form = "" if measure[0] in "uH" else dimension
    labels = {dimension: Dimension(Labels.of(dimension, {"q": {"d1": 2}}), parse_scale(scale))}
    qrels = {"q": {"d1": 1}}
    of_user, of_scale = (
        ud.evaluate(RUN, qrels, dimensions=labels, measures=measure.format(form + user))
        for user in ("(user=step)", "")
    )
    assert of_user.values["mine"].tolist() == of_scale.values["mine"].tolist()
    assert (of_user.values["mine"][0, 0] > 0) == bool(expected)
    if form in ("", "u"):
        chosen = ud.evaluate(
            RUN, qrels, dimensions=labels, measures=measure.format(form), user="step"
        )
        assert chosen.values["mine"].tolist() == of_scale.values["mine"].tolist()


def test_a_stated_threshold_is_exclusive() -> None:
    """P(U|d) = P(label + noise beyond the threshold): at the threshold itself it is 0."""
    labels = {"u": Dimension(Labels.of("u", {"q": {"d1": 2}}), parse_scale("higher-easier:2"))}
    qrels = {"q": {"d1": 1}}
    stated = ud.evaluate(RUN, qrels, dimensions=labels, measures="RBPu(user=step,th=2)@1")
    chosen = ud.evaluate(
        RUN, qrels, dimensions=labels, measures="RBPu@1", user="step", threshold=2.0
    )
    assert stated.values["mine"][0, 0] == chosen.values["mine"][0, 0] == 0.0


# Half of every RBP(p=0.5) weight: 1/2, 1/4, 1/8, 1/16, 1/32.
IDEAL = 3 / log2(2) + 3 / log2(3) + 1 / log2(4) + 1 / log2(5)

# Compared with the published implementation of C/W/L in test_cwl.py.
TESTED_ELSEWHERE = ("INST", "CWL", "PoolDepth")

WORKED = {
    "RBP(p=0.5)": 1 / 2 + 1 / 16 + 1 / 32,
    "RBP(p=0.5)@4": 1 / 2 + 1 / 16,
    "RBP(p=0.5,rel=2)": 1 / 16,
    "RBP(p=0.5,graded=True)": 1 / 4 + 1 / 16 + 1 / 64,
    "RBP(p=0.5,graded=True,max=4)": 1 / 8 + 1 / 32 + 1 / 128,
    "RBP(p=0.5,judged_only=True)": 1 / 2 + 1 / 8 + 1 / 16,
    "RBP(p=0.5,judged_only=True)@3": 1 / 2 + 1 / 8,
    "uRBP(p=0.5)": 1 / 2 + 1 / 32,
    "uRBPgr(p=0.5)": 0.9 / 2 + 0.2 / 16 + 0.61 / 32,
    "uRBP(p=0.5,user=graded)": 0.9 / 2 + 0.2 / 16 + 0.61 / 32,
    "uRBP(p=0.5,user=step,th=39)": 1 / 2,
    "uRBP(p=0.5,user=arctan,th=40,s=1)": sum(
        (0.5 - atan(u - 40) / pi) * w for u, w in ((10, 1 / 2), (80, 1 / 16), (39, 1 / 32))
    ),
    "uRBP(p=0.5,user=arctan,th=40)": sum(
        (0.5 - atan((u - 40) / pi) / pi) * w for u, w in ((10, 1 / 2), (80, 1 / 16), (39, 1 / 32))
    ),
    "uRBP(p=0.5,dims=[u,trust])": 1 / 2 + 1 / 32,
    "uRBP(p=0.5,dims=[trust])": 1 / 2 + 1 / 32,
    "uRBPgr(p=0.5,dims=[u,trust])": 0.9 * 0.8 / 2 + 0.2 * 0.1 / 16 + 0.61 * 0.5 / 32,
    "RBPu(p=0.5)": 1 / 2 + 1 / 4 + 1 / 32,
    "RBPtrust(p=0.5)": 1 / 2 + 1 / 4 + 1 / 32,
    "RBPtrust(p=0.5,user=step,th=80)": 1 / 4,
    "HRBP(p=0.5,wr=1,wu=1)": 2 / (1 / (19 / 32) + 1 / (25 / 32)),
    "HRBP(p=0.5,wr=1,wu=3)": 4 / (1 / (19 / 32) + 3 / (25 / 32)),
    "HRBP(p=0.5,wr=1,wu=1,wtrust=1)": 3 / (1 / (19 / 32) + 2 / (25 / 32)),
    "H(RBP(p=0.5),nDCGu@1,w=[1,2])": 3 / (1 / (19 / 32) + 2),
    "nDCG(dcg='exp-log2')": (1 + 3 / log2(5) + 1 / log2(6)) / IDEAL,
    "nDCG(dcg='exp-log2')@4": (1 + 3 / log2(5)) / IDEAL,
    "nDCG": (1 + 2 / log2(5) + 1 / log2(6)) / (2 + 2 / log2(3) + 1 / 2 + 1 / log2(5)),
    "nDCG(dcg='exp-log2',judged_only=True)": (1 + 3 / log2(4) + 1 / log2(5)) / IDEAL,
    "unDCG(dcg='exp-log2')": (1 + 1 / log2(6)) / (3 + 1 / log2(3) + 1 / 2),
    "unDCG(dcg='exp-log2',ideal=relevance)": (1 + 1 / log2(6)) / IDEAL,
    "unDCG": (1 + 1 / log2(6)) / (2 + 1 / log2(3) + 1 / 2),
    "unDCG(ideal=relevance)": (1 + 1 / log2(6)) / (2 + 2 / log2(3) + 1 / 2 + 1 / log2(5)),
    "unDCGgr(dcg='exp-log2')": (0.9 + 3 * 0.2 / log2(5) + 0.61 / log2(6))
    / (3 * 0.95 + 0.9 / log2(3) + 0.61 / log2(4) + 0.6 / log2(5)),
    "nDCGu": (1 + 1 / log2(3) + 1 / log2(6)) / (1 + 1 / log2(3) + 1 / 2 + 1 / log2(5)),
    "ERR(max=2)": 1 / 4 + 3 / 4 * 3 / 4 / 4 + 3 / 4 * 1 / 4 * 1 / 4 / 5,
    "ERR(max=2)@4": 1 / 4 + 3 / 4 * 3 / 4 / 4,
    "ERR(form=gain-discount,max=2)": 1 / 4 + 3 / 4 / 4 + 1 / 4 / 5,
    "ERR": 1 / 16 + 15 / 16 * 3 / 16 / 4 + 15 / 16 * 13 / 16 * 1 / 16 / 5,
    "ERR(max=3)": 1 / 8 + 7 / 8 * 3 / 8 / 4 + 7 / 8 * 5 / 8 * 1 / 8 / 5,
    "uERR(max=2)": 1 / 4 + 3 / 4 * 1 / 4 / 5,
    "uERR(form=gain-discount,max=2)": 1 / 4 + 1 / 4 / 5,
    "Judged": 4 / 5,
    "Judged@3": 2 / 3,
    "Judgedu@2": 1.0,
    "residual(RBP(p=0.5))": 1 / 8,
    "residual(RBP(p=0.5)@2)": 0.0,
    "residual(RBP(p=0.5)@4,tail=True)": 1 / 8 + 1 / 16,
    "residual(RBP(p=0.5),tail=True)": 1 / 8 + 1 / 32,
    "residual(uRBP(p=0.5))": 1 / 8,
    # f(T u) instead of f(T) u: understandability shrinks the grade, not the gain.
    "uRBPgr(p=0.5,joint=True)": 0.0,
    "uRBPgr(p=0.5,joint=True,rel=0.9)": 1 / 2,
    "uRBPgr(p=0.5,joint=True,graded=True)": 0.45 / 2 + 0.2 / 16 + 0.305 / 32,
    "unDCG(dcg='exp-log2',joint=True)": (1 + 1 / log2(6)) / (3 + 1 / log2(3) + 1 / 2),
}


@pytest.mark.parametrize("base", BASES)
def test_a_new_base_needs_an_example(base: str) -> None:
    """Otherwise nothing would notice a wrong gain or discount."""
    tested = {parse_measure(measure).base for measure in (*WORKED, *TESTED_ELSEWHERE)}
    assert base in tested, f"{base} has no example: add one to WORKED, computed by hand"


def test_a_new_base_needs_its_gain() -> None:
    """No other measure's gain is taken in its place."""
    with pytest.raises(TypeError, match="gain"):
        Base("RR", "reciprocal rank", "Voorhees 1999", value=values.rbp)  # type: ignore[call-arg]
    reciprocal = replace(BASES["RBP"], name="RR", gain=values.share_gain, value=_reciprocal_rank)
    judgements = Judgements.read(RELEVANCE, dimensions=DIMENSIONS)
    ranked = judgements.ranked(Run.of("second", {"q": [("d2", 2.0), ("d4", 1.0)]}))
    found = values.values_of(Measure(reciprocal), judgements, ranked)
    assert found.tolist() == [0.5, 0.0]


def _reciprocal_rank(measure: Measure, judgements: Judgements, ranked: Ranked) -> Any:
    relevant = values.gain(measure, judgements, ranked) > 0
    best = np.full(len(ranked.returned), np.inf)
    np.minimum.at(best, ranked.query[relevant], ranked.position[relevant] + 1.0)
    return 1 / best


def test_mm_is_another_name_of_h() -> None:
    """As in Palotti, Zuccon & Hanbury (2018); the name stays as it was written."""
    assert parse_measure("MM(RBP@10,RBPu@10)") == parse_measure("H(RBP@10,RBPu@10)")
    assert parse_measure("MMRBP(p=0.5)") == parse_measure("HRBP(p=0.5)")
    assert str(parse_measure("MMRBP(p=0.5)")) == "MMRBP(p=0.5)"
    assert value("MMRBP(p=0.5,wr=1,wu=1)") == value("HRBP(p=0.5,wr=1,wu=1)")


@pytest.mark.parametrize("measure", WORKED)
def test_worked_examples(measure: str) -> None:
    assert value(measure) == pytest.approx(WORKED[measure], rel=1e-6, abs=1e-6)


def test_how_deep_the_labels_go() -> None:
    """To the first document without one; the share of labelled ones is `Judged`."""
    run = {"r": {"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}}
    qrels = {"q": {"d1": 0, "d2": 1, "d4": 1}}
    found = evaluate(run, qrels, measures=["PoolDepth", "PoolDepth@1", "Judged@4"])
    assert found.means["r"].tolist() == [2.0, 1.0, 0.75]


def test_joint_gains_of_ndcg_are_exponential_in_the_product() -> None:
    """2^(T u) - 1."""
    gains = {"d1": 2**0.9 - 1, "d4": 2**0.4 - 1, "d5": 2**0.61 - 1, "d6": 2**1.9 - 1}
    dcg = gains["d1"] + gains["d4"] / log2(5) + gains["d5"] / log2(6)
    best = gains["d6"] + gains["d1"] / log2(3) + gains["d5"] / 2 + gains["d4"] / log2(5)
    assert value("unDCGgr(dcg='exp-log2',joint=True)") == pytest.approx(
        dcg / best, rel=1e-6, abs=1e-6
    )


def test_a_query_without_documents_counts_as_zero() -> None:
    """The mean is over the queries of the qrels, or over those of the run."""
    assert value("RBP(p=0.5)", "r") == 0.0
    over_qrels = evaluated("RBP(p=0.5)", "HRBP(p=0.5)", "Judged", "residual(RBP(p=0.5),tail=True)")
    assert over_qrels.means["mine"][:3] == pytest.approx(
        np.array([WORKED["RBP(p=0.5)"], WORKED["HRBP(p=0.5,wr=1,wu=1)"], 0.8]) / 2
    )
    assert over_qrels.means["mine"][3] == pytest.approx(
        (WORKED["residual(RBP(p=0.5),tail=True)"] + 1) / 2
    )
    over_run = evaluated("RBP(p=0.5)", mean_over="run")
    assert over_run.means["mine"][0] == pytest.approx(WORKED["RBP(p=0.5)"])
    assert list(over_run.as_dict()["per_query"]["mine"]["RBP(p=0.5)"]) == ["q"]


def test_queries_without_labels_are_left_out() -> None:
    run = Run.of("mine", {"x": [("d1", 1.0)], **RUN.by_query()})
    result = evaluated("RBP(p=0.5)", run=run)
    assert result.means["mine"] == evaluated("RBP(p=0.5)").means["mine"]
    assert "queries without labels, left out: 1 (first: x)" in map(str, result.oddities["mine"])


def test_the_order_of_the_run_is_a_choice() -> None:
    run = Run.of("mine", {"q": [("d2", 1.0), ("d1", 2.0)]})
    assert value("RBP(p=0.5)", run=run) == 1 / 4
    assert value("RBP(p=0.5)", run=run, order="score") == 1 / 2


def test_labels_beside_relevance_may_hold_for_the_document() -> None:
    """Its first line in the file wins."""
    run = Run.of("mine", {"r": [("d1", 1.0)]})
    assert value("uRBP(p=0.5)", "r", run=run) == 0.0  # 90 for the pair
    assert value("uRBP(p=0.5)", "r", run=run, keyed_on="document") == 1 / 2  # 10 for query q


def test_documents_without_labels_may_be_ignored() -> None:
    """Which is the condensed form of every measure that does not say otherwise."""
    assert value("RBP(p=0.5)", no_label="ignored") == value("RBP(p=0.5,judged_only=True)")
    assert value("RBP(p=0.5,judged_only=False)", no_label="ignored") == value("RBP(p=0.5)")
    assert value("residual(RBP(p=0.5))", no_label="ignored") == 0.0


@pytest.mark.parametrize(
    ("choice", "measure", "same_as"),
    [
        ({"relevant": 2.0}, "RBP(p=0.5)", "RBP(p=0.5,rel=2)"),
        ({"max_relevance": 3.0}, "ERR", "ERR(max=3)"),
        ({"dcg": "exp-log2"}, "nDCG", "nDCG(dcg='exp-log2')"),
        ({"err_max": 2.0}, "ERR", "ERR(max=2)"),
        ({"joint": True}, "uRBPgr(p=0.5)", "uRBPgr(p=0.5,joint=True)"),
        ({"ideal": "relevance"}, "unDCG", "unDCG(ideal=relevance)"),
        ({"err": "gain-discount", "max_relevance": 2.0}, "ERR", "ERR(form=gain-discount,max=2)"),
        ({"user": "graded"}, "uRBP(p=0.5)", "uRBPgr(p=0.5)"),
        ({"user": "step", "threshold": 39.0}, "uRBP(p=0.5)", "uRBP(p=0.5,user=step,th=39)"),
        (
            {"user": "arctan", "threshold": 40.0, "noise_scale": 1.0},
            "uRBP(p=0.5)",
            "uRBP(p=0.5,user=arctan,th=40,s=1)",
        ),
        (
            {"no_label": "ignored", "dcg": "exp-log2"},
            "nDCG",
            "nDCG(dcg='exp-log2',judged_only=True)",
        ),
    ],
)
def test_a_convention_stands_for_a_parameter_left_out(
    choice: dict[str, Any], measure: str, same_as: str
) -> None:
    """And changes the number as the parameter does."""
    assert value(measure, **choice) == pytest.approx(WORKED[same_as], rel=1e-6, abs=1e-6)
    assert value(measure, **choice) != pytest.approx(value(measure), rel=1e-6, abs=1e-6)


def test_h_is_the_mean_of_h_or_the_h_of_means() -> None:
    relevance, ease = (value(m) for m in ("RBP(p=0.5)", "RBPu(p=0.5)"))
    run = Run.of("mine", {**RUN.by_query(), "r": [("d1", 1.0)]})
    means = evaluated("HRBP(p=0.5)", "HRBP(p=0.5,of=means)", run=run).means["mine"]
    # Query r: RBP 1/2, RBPu 0, so H 0.
    assert means[0] == pytest.approx(WORKED["HRBP(p=0.5,wr=1,wu=1)"] / 2)
    both = (relevance + 1 / 2) / 2, ease / 2
    assert means[1] == pytest.approx(2 / (1 / both[0] + 1 / both[1]))
    assert evaluated("HRBP(p=0.5)", run=run, h="means").means["mine"][0] == means[1]


def test_the_arctan_form_divided_by_its_integral_changes_no_order() -> None:
    """All values of a measure shrink by one factor."""
    measures = ("uRBP(p=0.5,user=arctan,th=40)", "uRBP(p=0.5,user=arctan,th=40)@1")
    plain = evaluated(*measures).means["mine"]
    divided = evaluated(*measures, norm="integral").means["mine"]
    assert divided[0] / plain[0] == pytest.approx(divided[1] / plain[1])
    assert 0 < divided[0] < plain[0]


def test_the_threshold_of_the_scale_serves_a_user_without_one() -> None:
    """`--scale lower-easier:15 --user step` needs no second threshold."""
    assert value("uRBP(p=0.5,user=step)") == WORKED["uRBP(p=0.5)"]
    none = {"u": Dimension(EASE, parse_scale("lower-easier"))}
    with pytest.raises(OptionError, match="needs the threshold of its step user"):
        value("uRBP(p=0.5,user=step)", dimensions=none)
    # The threshold of the conventions is one of understandability, not of trust.
    assert value("RBPtrust(p=0.5,user=step)", threshold=40.0) == WORKED["RBPtrust(p=0.5)"]
    none = {"trust": Dimension(TRUST, parse_scale("higher-better"))}
    with pytest.raises(OptionError, match="needs the threshold of its step user"):
        value("RBPtrust(p=0.5,user=step)", dimensions=none, threshold=40.0)


def test_simulated_understandability_takes_any_score() -> None:
    """Scores are of documents; where higher is easier the inequality turns."""
    fog = Labels.of_documents("fog", {"d1": 9.0, "d4": 12.0, "d5": 20.0})
    flesch = Labels.of_documents("flesch", {"d1": 90.0, "d4": 70.0, "d5": 10.0})
    for scores, scale, threshold in ((fog, "lower-easier", 15.0), (flesch, "higher-easier", 60.0)):
        dimensions = {"u": Dimension(scores, parse_scale(scale))}
        simulated = value("uRBP(p=0.5)", dimensions=dimensions, user="step", threshold=threshold)
        assert simulated == 1 / 2 + 1 / 16


def test_labels_that_are_needed_and_missing_are_told() -> None:
    for measure, option in (
        ("uRBP@10", "--understandability FILE --scale SCALE"),
        ("H(RBP,RBPtrust)", "--trust FILE --trust-scale SCALE"),
        ("nDCGbeauty", "--dimension beauty=FILE --dimension-scale beauty=SCALE"),
    ):
        with pytest.raises(OptionError) as error:
            value(measure, dimensions={})
        assert f"give {option}" in str(error.value)


def test_a_grade_above_the_highest_is_refused() -> None:
    """A probability would pass 1."""
    with pytest.raises(InputError, match=r"qrels \(document d4\): label 2 is above .* grade 1"):
        value("ERR(max=1)")
    with pytest.raises(InputError, match="above the highest grade 1"):
        value("RBP(graded=True)", max_relevance=1.0)


def test_grades_of_any_size_are_computed_or_refused() -> None:
    """Two to the power of 2000 is no float: ERR never needs it, and nDCG says so."""
    qrels = Labels.of("qrels", {"q": {"d1": 2000, "d2": 1999}})
    result = evaluate(RUN, qrels, measures=["ERR(max=2000)@1", "nDCG@1"])
    assert result.means["mine"] == pytest.approx([1, 1])
    assert value("ERR(max=2000)") == 0
    with pytest.raises(InputError, match=r"above the highest grade 1000 of nDCG.*choose dcg=log2"):
        evaluate(RUN, qrels, measures=["nDCG(dcg=exp-log2)"])


def test_negative_grades_gain_nothing() -> None:
    """As in trec_eval."""
    qrels = Labels.of("qrels", {"q": {"d1": -2, "d2": 1}})
    result = evaluate(RUN, qrels, measures=["nDCG", "RBP(p=0.5)", "ERR(max=1)"])
    assert result.means["mine"] == pytest.approx([1 / log2(3), 1 / 4, 1 / 4])


def test_a_query_without_relevant_documents_has_no_ideal() -> None:
    result = evaluate(RUN, {"q": {"d1": 0}}, measures=["nDCG", "ERR"])
    assert result.means["mine"].tolist() == [0.0, 0.0]


def test_runs_that_cannot_be_evaluated_are_told() -> None:
    """Without a query of the qrels, with the first queries; two of one name."""
    with pytest.raises(InputError, match=r"no query in common \(101 against q, r\)"):
        evaluated("RBP", run=Run.of("mine", {"101": [("d1", 1.0)]}))
    with pytest.raises(InputError, match="two runs are called mine"):
        evaluate([RUN, RUN], RELEVANCE)


def test_the_header_tells_all_that_the_numbers_depend_on() -> None:
    """Choices, label files, scales, and every parameter of every measure."""
    gains = replace(parse_scale("higher-easier:2"), gains=parse_gains("0:0,1:.4"))
    dimensions = {"u": Dimension(Labels.of("qunder", {"q": {"d1": 1}}), gains)}
    header = evaluated("uRBP@10", dimensions=dimensions, preset="ubire").conventions
    assert header["preset"] == "ubire"
    chosen = [header[name] for name in ("order", "keyed_on", "dcg", "ideal", "err")]
    assert chosen == ["rank", "document", "log2", "relevance", "gain-discount"]
    assert header["measures"] == {
        "uRBP@10": "uRBP(p=0.8,dims=[u],user=binary,joint=False,rel=1,graded=False,max=2,"
        "judged_only=False)@10"
    }
    assert header["dimensions"]["u"] == {
        "labels": "qunder",
        "scale": "higher-easier:2",
        "gains": {0.0: 0.0, 1.0: 0.4},
    }


def test_presets_set_every_choice_at_once_and_options_go_before_them() -> None:
    ubire, trec = conventions("ubire"), conventions("trec_eval")
    chosen = (ubire.order, ubire.keyed_on, ubire.mean_over, ubire.dcg)
    assert chosen == ("rank", "document", "qrels", "log2")
    assert (trec.order, trec.keyed_on, trec.mean_over, trec.dcg) == ("score", "pair", "run", "log2")
    assert conventions("ubire", order="score").order == "score"
    assert conventions() == Conventions()
    with pytest.raises(
        OptionError, match="preset 'galago' does not exist; choose one of ubire, trec_eval"
    ):
        conventions("galago")
    with pytest.raises(OptionError, match="order must be rank or score, not 'random'"):
        conventions(order="random")


graded = st.lists(
    st.tuples(st.none() | st.integers(0, 2), st.floats(0, 100)), min_size=1, max_size=12
)
documents = graded.filter(lambda rows: any(grade is not None for grade, _ in rows))


def collection(rows: list[tuple[int | None, float]]) -> tuple[Run, Labels, Labels]:
    """A ranking of documents with a grade (or none) and a difficulty."""
    run = Run.of("mine", {"q": [(f"d{i}", float(-i)) for i in range(len(rows))]})
    grades = {f"d{i}": float(grade) for i, (grade, _) in enumerate(rows) if grade is not None}
    ease = {f"d{i}": difficulty for i, (grade, difficulty) in enumerate(rows) if grade is not None}
    grades["elsewhere"], ease["elsewhere"] = 2.0, 0.0
    return run, Labels.of("qrels", {"q": grades}), Labels.of("qunder", {"q": ease})


@given(documents, st.floats(0.05, 0.95))
def test_what_holds_for_any_ranking(rows: list[tuple[int | None, float]], p: float) -> None:
    """Measures lie in [0, 1]; u takes away; value and residual share 1; nothing below 0."""
    run, qrels, qunder = collection(rows)
    names = [
        f"RBP(p={p!r})", f"uRBP(p={p!r})", f"uRBPgr(p={p!r})", f"residual(RBP(p={p!r}),tail=True)",
        f"residual(RBP(p={p!r}))", "nDCG", "unDCG", "unDCGgr", "ERR", "uERR", "Judged",
        f"HRBP(p={p!r})", f"RBPu(p={p!r})",
    ]  # fmt: skip
    dimensions = {"u": Dimension(qunder, parse_scale("lower-easier:40:0..100"))}
    result = evaluate(run, qrels, measures=names, dimensions=dimensions)
    values = dict(zip(names, result.means["mine"].tolist(), strict=True))
    assert all(0 <= v <= 1 + 1e-12 for v in values.values()), values
    rbp = values[names[0]]
    assert values[names[1]] <= rbp + 1e-12
    assert values[names[2]] <= rbp + 1e-12
    assert values["uERR"] <= 1
    assert rbp + values[names[3]] <= 1 + 1e-12
    assert values[names[4]] <= values[names[3]] + 1e-12
    low, high = sorted((rbp, values[f"RBPu(p={p!r})"]))
    assert low - 1e-12 <= values[f"HRBP(p={p!r})"] <= high + 1e-12


@given(documents)
def test_when_everybody_understands_everything_measures_are_the_plain_ones(
    rows: list[tuple[int | None, float]],
) -> None:
    """U = 1 turns uRBP into RBP, unDCG into nDCG, uERR into ERR."""
    run, qrels, qunder = collection(rows)
    dimensions = {"u": Dimension(qunder, parse_scale("lower-easier:<=100"))}
    for plain, biased in (("RBP", "uRBP"), ("nDCG@5", "unDCG@5"), ("ERR", "uERR"),
                          ("nDCG", "unDCG(joint=True)")):  # fmt: skip
        means = evaluate(run, qrels, measures=[plain, biased], dimensions=dimensions).means["mine"]
        assert means[0] == pytest.approx(means[1], rel=1e-6, abs=1e-6)


@given(documents)
def test_condensed_and_plain_agree_where_all_is_judged(
    rows: list[tuple[int | None, float]],
) -> None:
    run, qrels, qunder = collection([(grade or 0, difficulty) for grade, difficulty in rows])
    dimensions = {"u": Dimension(qunder, parse_scale("lower-easier:40"))}
    for name in ("RBP(p=0.8)", "uRBP(p=0.8)", "RBPu(p=0.8)"):
        names = [name, name.replace(")", ",judged_only=True)"), f"residual({name})"]
        result = evaluate(run, qrels, measures=names, dimensions=dimensions)
        plain, condensed, residual = result.means["mine"]
        assert (plain, residual) == (condensed, 0.0)
