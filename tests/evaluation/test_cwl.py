"""C/W/L: INST and a discount of one's own, by hand and against cwl-eval."""

import numpy as np
import pytest
from tests.evaluation.test_agreement import check_agreement, collection

import understandability as ud
from understandability.errors import OptionError

RUN = {"r": {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}}
QRELS = {"q": {"d1": 1, "d2": 0, "d3": 1}}


def value(measure: str) -> float:
    """The value of a measure of relevance."""
    return float(ud.evaluate(RUN, QRELS, measures=measure).column(measure)[0])


def test_a_discount_of_ones_own() -> None:
    """Weights are divided by their sum; documents below the list have none."""
    assert value("CWL(discount=[3,1])") == 0.75
    assert value("CWL(discount=flat)@3") == pytest.approx(2 / 3)
    assert value("CWL(discount=zipf)@3") == pytest.approx((1 + 1 / 3) / (1 + 1 / 2 + 1 / 3))
    assert value("CWL(discount=flat)") == pytest.approx(2 / 1000)
    with pytest.raises(OptionError, match="discount must be weights in brackets"):
        value("CWL(discount=steep)@3")


def test_inst_is_the_sum_of_its_definition() -> None:
    """W(i) goes as the product of the chances to go on, which depend on what was found."""
    goal, gains = 2.0, np.array([1.0, 0.0, 1.0] + [0.0] * 300_000)
    missing = goal - np.cumsum(gains)
    ranks = np.arange(1, len(gains) + 1)
    go_on = ((ranks + goal + missing - 1) / (ranks + goal + missing)) ** 2
    weights = np.append(1.0, np.cumprod(go_on[:-1]))
    by_definition = float((weights * gains).sum() / weights.sum())
    assert value("INST(T=2)") == pytest.approx(by_definition, rel=1e-4)


def test_they_agree_with_cwl_eval() -> None:
    """INST on long rankings, where its finite sum is near the whole; SDCG is the log2 discount."""
    pytest.importorskip("ir_measures", reason="needs the extra ir (ir_measures)")
    pytest.importorskip("cwl", reason="needs the extra ir (cwl-eval)")
    same = {"SDCG(max_rel=3)@10": "CWL(discount=log2,graded=True,max_rel=3)@10"}
    check_agreement(same, *collection(3), within=1e-9)
    same = {f"INST(T={t},max_rel=3)": f"INST(T={t},graded=True,max_rel=3)" for t in (1.0, 2.5)}
    check_agreement(same, *collection(3), within=2e-2)


def test_understandability_goes_into_them() -> None:
    """Gains are multiplied, as those of RBP are: graded labels may be chances of one's own."""
    labels = {"d1": 0.5, "d2": 1.0, "d3": 1.0}
    result = ud.evaluate(
        RUN, QRELS, labels, scale="higher-easier:0..1",
        measures=["uCWL(discount=[1,1,1],user=graded)"],
    )  # fmt: skip
    assert float(result.values["r"][0, 0]) == pytest.approx((0.5 + 1.0) / 3)
