"""Repeat Section 6 of Zuccon (ECIR 2016), and the organisers' means of the 2015 runs behind it.

The paper correlates RBP with uRBP and uRBPgr over the runs of CLEF eHealth 2015. The organisers
published the means of all 110 English runs, computed by UBIRE 0.1 (CLEFeHealth2015Task2 on
GitHub, evaluation/evals_html); they are in `published/clef2015_organisers.tsv`. 68 of the runs
themselves can be had.

    python -m scripts.reproduce.ecir2016 [--data ../shared/data]
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scripts.reproduce.tables import (
    Row,
    agreement,
    clef_folder,
    evaluated,
    print_rows,
    published_means,
    runs_of,
)

from understandability.evaluation.scales import parse_gains, parse_scale
from understandability.evaluation.statistics.correlation import kendall_tau_b, tau_ap, ubire_overlap
from understandability.records import Run

SCALE = replace(parse_scale("higher-easier:2"), gains=parse_gains("0:0,1:.4,2:.8,3:1"))
PRINTED = {"uRBP(p=0.8)": 0.8168, "uRBPgr(p=0.8)": 0.8866}


def as_ubire_numbers(run: Run) -> Run:
    """A run whose ranks are all 0 as UBIRE 0.1 numbers it: 1, 3, 4, ..., rank 2 empty."""
    if run.ranks.any():
        return run
    shifted = {
        query: [documents[0], ("(nothing)", np.nan), *documents[1:]]
        for query, documents in run.by_query().items()
    }
    return Run.of(run.name, shifted)


def main() -> None:
    folder = clef_folder(__doc__.partition("\n")[0]) / "clef2015"
    measures, published = published_means("clef2015_organisers.tsv")
    runs = list(runs_of(folder / "runs"))
    plain = evaluated(folder, runs, measures, {"u": SCALE}, preset="ubire")
    shifted = evaluated(folder, map(as_ubire_numbers, runs), measures, {"u": SCALE}, preset="ubire")
    others = [run.name for run in runs if run.ranks.any()]
    zero = [run.name for run in runs if not run.ranks.any()]
    rows = []
    for result, names, why in (
        (plain, others, "--preset ubire; the runs are cut at 100, which RBP(p=0.8) does not see"),
        (plain, zero, "their ranks are all 0: UBIRE 0.1 leaves rank 2 empty then"),
        (shifted, zero, "numbered as UBIRE 0.1 does"),
    ):
        agree, largest = agreement(result, published, names)
        what = f"runs equal in RBP, uRBP and uRBPgr to four digits, of {len(names)}"
        rows.append(Row(what, float(len(names)), agree, f"{why}; largest difference {largest:.4f}"))
    print_rows("Means of the 2015 runs, by the organisers with UBIRE 0.1", rows, digits=0)

    table = np.array(list(published.values())).T
    ours = {m: plain.column(m) for m in measures}
    rows = []
    for column, (measure, printed) in enumerate(PRINTED.items(), start=1):
        label = f"τ_AP of RBP and {measure}"
        rows += [
            Row(
                f"{label}, printed means of 110 runs",
                printed,
                ubire_overlap(table[0], table[column]),
                "ubire-overlap, which UBIRE prints as τ_AP; means have four digits, and ties go "
                "by a Java hash map there",
            ),
            Row(
                f"{label}, the 68 runs here",
                printed,
                ubire_overlap(ours[measures[0]], ours[measure]),
                "42 of the 110 runs cannot be had",
            ),
            Row(
                f"{label}, Yilmaz's own, printed means of 110 runs",
                printed,
                tau_ap(table[0], table[column]),
                "what the name stands for is another number",
            ),
            Row(
                f"Kendall τ_b of RBP and {measure}, printed means of 110 runs",
                "not to be had",
                kendall_tau_b(table[0], table[column]),
                "the paper's text could not be had",
            ),
        ]
    print_rows("ECIR 2016, Section 6", rows)


if __name__ == "__main__":
    main()
