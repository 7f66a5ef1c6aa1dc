"""Zuccon, "Understandability Biased Evaluation for Information Retrieval" (ECIR 2016).

Section 6 correlates RBP with uRBP and uRBPgr over the runs of CLEF eHealth 2015. The organisers
published the means of all 110 English runs, computed by UBIRE 0.1 (CLEFeHealth2015Task2 on
GitHub, evaluation/evals_html); they are in `published/clef2015_organisers.tsv`. Only 68 of the runs
are available. Zuccon & Koopman (MedIR 2014) print Table 1 as well.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from scripts.reproduce.clef import agreement, evaluated, published_means, runs_of
from scripts.reproduce.verdicts import Row, Table, printed

from understandability.evaluation.correlation import kendall_tau_b, tau_ap, ubire_overlap
from understandability.evaluation.scales import parse_gains, parse_scale
from understandability.inputs.run import Run

SCALE = replace(parse_scale("higher-easier:2"), gains=parse_gains("0:0,1:.4,2:.8,3:1"))
NO_TEXT = "the runs of 2013 and the text of the pages, which FOG needs, are not public here"
SYSTEMS_2013 = 48


def tables(data: Path, published: Path) -> list[Table]:
    """Return Tables 1 and 2, Section 6, and the organisers' means."""
    return [
        simulated(published, "ECIR 2016, Table 1", "ecir2016_table1", NO_TEXT),
        simulated(
            published,
            "ECIR 2016, Table 2",
            "ecir2016_table2",
            "no text of the pages is public here, and no FOG of single documents",
        ),
        section6(data, published),
        organisers(data),
    ]


def simulated(published: Path, name: str, file: str, why: str) -> Table:
    """Return correlations with simulated uRBP. They cannot be computed without the pages' text."""
    rows = []
    for line in printed(published, file):
        what = f"{line['measure_b']}, th = {line['th']}"
        fits = ""
        if "2013" in line["collection"]:
            possible = "fits" if fits_systems(line["tau"], SYSTEMS_2013) else "does not fit"
            fits = f"; as a number it {possible} {SYSTEMS_2013} systems without ties"
        rows.append(Row(f"τ, {what}", line["tau"], None, why + fits))
        rows.append(Row(f"τ_AP, {what}", line["tau_ap"], None, why))
    notes = []
    if "2013" in printed(published, file)[0]["collection"]:
        notes = [
            "ECIR 2016 prints these numbers for p = .8, MedIR 2014 the same numbers for p = .95: "
            "both can hardly be right.",
            "The second user model has π within the arctan in ECIR 2016 (eq. 7: s = π here), not "
            "in MedIR 2014 (eq. 5: s = 1).",
        ]
    notes.append("`understand simulate users` repeats this experiment on any runs and pages.")
    return Table(name, tuple(rows), tuple(notes))


def fits_systems(tau: str, systems: int) -> bool:
    """Return True if the printed tau is possible for this number of systems without ties."""
    pairs = systems * (systems - 1) // 2
    digits = len(tau.partition(".")[2])
    nearest = round((1 - float(tau)) * pairs / 2)
    return any(
        f"{1 - 2 * discordant / pairs:.{digits}f}" == tau
        for discordant in (nearest - 1, nearest, nearest + 1)
    )


def section6(data: Path, published: Path) -> Table:
    """Return the correlations of RBP with uRBP and uRBPgr by human labels."""
    measures, means = published_means("clef2015_organisers.tsv")
    organisers_means = np.array(list(means.values())).T
    folder = data / "clef" / "clef2015"
    result = evaluated(folder, runs_of(folder / "runs"), measures, {"u": SCALE}, preset="ubire")
    rows = []
    for column, line in enumerate(printed(published, "ecir2016_section6"), start=1):
        pair = (organisers_means[0], organisers_means[column])
        what = line["measure_b"]
        here = (result.column(measures[0]), result.column(measures[column]))
        rows += [
            Row(f"Kendall's τ of RBP and {what}", line["tau"], kendall_tau_b(*pair),
                "τ_b of the organisers' means of all 110 runs"),
            Row(f"Kendall's τ of RBP and {what}, 68 runs", line["tau"], kendall_tau_b(*here),
                "42 of the 110 runs cannot be had"),
            Row(f"τ_AP of RBP and {what}", line["tau_ap"], ubire_overlap(*pair),
                "ubire-overlap, which UBIRE prints as τ_AP; the means have four digits, and ties "
                "go by a Java hash map there"),
            Row(f"τ_AP of RBP and {what}, Yilmaz's", line["tau_ap"], tau_ap(*pair),
                "what the name stands for is another number"),
        ]  # fmt: skip
    return Table("ECIR 2016, Section 6", tuple(rows))


def organisers(data: Path) -> Table:
    """Count the runs whose means equal the organisers'."""
    folder = data / "clef" / "clef2015"
    measures, means = published_means("clef2015_organisers.tsv")
    runs = list(runs_of(folder / "runs"))
    plain = evaluated(folder, runs, measures, {"u": SCALE}, preset="ubire")
    shifted = evaluated(folder, map(as_ubire_numbers, runs), measures, {"u": SCALE}, preset="ubire")
    others = [run.name for run in runs if run.ranks.any()]
    zero = [run.name for run in runs if not run.ranks.any()]
    rows = []
    for result, names, what, why in (
        (plain, others, "runs with ranks", "--preset ubire; the runs are cut at 100 here"),
        (plain, zero, "runs whose ranks are all 0", "UBIRE 0.1 leaves rank 2 empty then"),
        (shifted, zero, "the same, numbered as UBIRE 0.1 does", "1, 3, 4, ..."),
    ):
        agree, largest = agreement(result, means, names)
        why = f"{why}; largest difference {largest:.4f}"
        rows.append(Row(f"{what}: equal in RBP, uRBP, uRBPgr", str(len(names)), agree, why))
    return Table("CLEF eHealth 2015, the organisers' means of 68 runs", tuple(rows))


def as_ubire_numbers(run: Run) -> Run:
    """Renumber a run whose ranks are all 0 like UBIRE 0.1: 1, 3, 4, ..., with rank 2 empty."""
    if run.ranks.any():
        return run
    shifted = {
        query: [documents[0], ("(nothing)", np.nan), *documents[1:]]
        for query, documents in run.by_query().items()
    }
    return Run.of(run.name, shifted)
