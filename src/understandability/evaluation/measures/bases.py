"""The tables of measures. To add a base measure, add a row with its two functions to `_BASES`."""

from __future__ import annotations

from collections.abc import Mapping

from understandability.evaluation.measures import values
from understandability.evaluation.measures.measure import Base, Compound

_GAIN = ("rel", "graded", "max")
_LABELLED = ("", "DIM")
# fmt: off
_BASES = (
    Base("RBP", "rank-biased precision: (1 - p) times the sum of p^(rank - 1) gain",
        "Moffat & Zobel 2008",
        gain=values.share_gain, value=values.rbp, parameters=("p",), relevance=_GAIN),
    Base("INST", "mean gain for a user who wants a gain of T, and reads on longer the less has "
        "been gained; there is no gain below the ranking",
        "Moffat, Bailey, Scholer & Thomas 2015",
        gain=values.share_gain, value=values.inst, parameters=("T",), relevance=_GAIN),
    Base("CWL", "mean gain under your own discount; its weights are divided by their sum",
        "Moffat, Bailey, Scholer & Thomas 2017 (C/W/L)",
        gain=values.share_gain, value=values.cwl, parameters=("discount",), relevance=_GAIN),
    Base("nDCG", "discounted cumulative gain, discount 1 / log2(rank + 1), divided by the best "
        "that the labels allow",
        "Järvelin & Kekäläinen 2002; gain 2^grade - 1 (exp-log2): Burges et al. 2005",
        gain=values.dcg_gain, value=values.ndcg, relevance=("dcg",), with_u=("ideal",)),
    Base("ERR", "expected reciprocal rank at which a reader stops, satisfied by a document with "
        "probability (2^grade - 1) / 2^max, max 4 as in gdeval",
        "Chapelle et al. 2009; gain-discount: Zuccon 2016",
        gain=values.stop_gain, value=values.err, parameters=("form",), relevance=("max",),
        defaults=(("max", "err_max"),)),
    Base("Judged", "share of the documents that carry a label",
        "ir_measures (MacAvaney et al. 2022)",
        gain=None, value=values.judged_share, forms=_LABELLED),
    Base("PoolDepth", "rank down to which every document carries a label",
        "Spärck Jones & van Rijsbergen 1975, as a pool of that depth leaves it",
        gain=None, value=values.pool_depth, forms=_LABELLED),
)
_COMPOUNDS = (
    Compound("H", "weighted harmonic mean of any measures, 0 if one of them is 0",
        "Palotti et al. 2018", values.harmonic, ("w", "of")),
    Compound("residual", "what an RBP could still gain from documents without a label",
        "Moffat & Zobel 2008", values.residual, ("tail",)),
)
# fmt: on
BASES: Mapping[str, Base] = {row.name: row for row in _BASES}
COMPOUNDS: Mapping[str, Compound] = {row.name: row for row in _COMPOUNDS}
