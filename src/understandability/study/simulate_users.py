"""Simulate users with thresholds: the experiment of the uRBP papers (Zuccon & Koopman 2014; Zuccon
2016).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Unpack

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, OptionError, check_choice
from understandability.evaluation.conventions import MODELLED_USERS, Choices, caption_of
from understandability.evaluation.correlation import kendall_tau_b, movers, tau_ap
from understandability.evaluation.evaluate import Evaluation, evaluate
from understandability.evaluation.measures.measure import Measure
from understandability.evaluation.measures.names import own_measures, parse_measure
from understandability.evaluation.options import (
    Dimension,
    Qrels,
    Runs,
    UserConventions,
)
from understandability.evaluation.result_table import ResultTable, Tabular
from understandability.evaluation.scales import Scale
from understandability.feature.catalogue import COLUMNS, check_columns
from understandability.feature.table import compute_features
from understandability.inputs.run import Labels
from understandability.inputs.runs_and_labels import labels_of, runs_of
from understandability.inputs.sources import read_pages
from understandability.keywords import keywords_of, read_by
from understandability.scoring import Settings, documents_of
from understandability.wording import number_or_pi

# The parameters of both experiments, as the prompt has them.
_THRESHOLDS = (
    "A user's threshold: a score, or a share of the documents such as 25%; may be repeated. "
    "Default: 10, 15 and 20 for FOG, else the quartiles."
)
_USERS = "step or arctan. Default: both."
_ORDER = "Rankings by rank or by score."
Thresholds = Annotated[
    Sequence[str | float], Parameter("--threshold", metavar="SCORE", help=_THRESHOLDS)
]
Users = Annotated[Sequence[str], Parameter("--user", help=_USERS)]
Order = Annotated[str | None, Parameter(help=_ORDER)]

# The thresholds of the papers, which are grades of FOG.
FOG_THRESHOLDS = (10.0, 15.0, 20.0)
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
_QUARTILES = ("25%", "50%", "75%")  # where a score has no thresholds of its own


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """The ranking of systems for one simulated user.

    `tau` and `tau_ap` correlate the rankings of systems by RBP (the reference) and by uRBP. They
    are NaN if one of the two measures is constant, as a remark of `SimulatedUsers` explains.
    `readable` is the share of relevant documents that the user understands. `first` is the best
    system by uRBP, and `first_by_rbp` its rank by RBP (NaN if uRBP is constant). `mover` is the
    system whose rank changes most, with both ranks.
    """

    user: str
    threshold: float
    measure: str
    tau: float
    tau_ap: float
    readable: float
    first: str
    first_by_rbp: float
    mover: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SimulatedUsers(Tabular):
    """The result of `simulate_users`: one row per user, the evaluation, and the quantiles of the
    score.

    `quantiles` of the score over all scored documents help to choose thresholds. `remarks` explain
    missing numbers.
    """

    score: str
    users: tuple[SimulatedUser, ...]
    evaluation: Evaluation
    quantiles: Mapping[float, float]
    documents: int
    remarks: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on unusual labels and runs."""
        return self.evaluation.notes

    def table(self, *, digits: int = 4) -> ResultTable:
        """Return a table with one row per user."""
        columns = tuple(SimulatedUser.__dataclass_fields__)
        rows = []
        for user in self.users:
            name, threshold, *values = astuple(user)
            # Thresholds of the papers are whole numbers.
            written = int(threshold) if threshold.is_integer() else threshold
            rows.append((name, written, *values))
        caption = (
            f"Simulated users, whose difficulty of a document is its {self.score}. tau and tau_ap: "
            "agreement with RBP over the runs; readable: share of the relevant documents that the "
            "user understands; first: the best run, and its rank by RBP; mover: the run whose rank "
            f"changes most. {caption_of({'conventions': self.evaluation.conventions})}"
        )
        return ResultTable(
            columns, tuple(rows), note=" ".join(self.remarks), digits=digits, caption=caption
        )

    def distribution(self) -> ResultTable:
        """Return a table of the quantiles of the score."""
        columns = ("quantile", *(f"{share:.0%}" for share in self.quantiles))
        return ResultTable(columns, ((self.score, *self.quantiles.values()),), digits=2)


@keywords_of(Choices, are_options=False)
def simulate_users(
    runs: Runs,
    qrels: Qrels,
    scores: Annotated[Any, Parameter(metavar="FILE")] = None,
    *,
    pages: Annotated[Sequence[str] | Any, Parameter(metavar="INPUT")] = None,
    formula: str = "fog",
    column: str | None = None,
    direction: str | None = None,
    thresholds: Thresholds = (),
    users: Users = MODELLED_USERS,
    noise_scale: Annotated[float, read_by(number_or_pi, metavar="NUMBER")] = math.pi,
    p: Annotated[float, Parameter("-p")] = 0.8,
    cutoff: int | None = None,
    order: Order = None,
    **conventions: Unpack[UserConventions],
) -> SimulatedUsers:
    """Rank runs by RBP and by the uRBP of simulated users: the experiment of the uRBP papers.

    A user understands documents that a formula scores below a threshold, either exactly (step) or
    with noise (arctan). For each user, the result has Kendall's tau and tau_AP between the two
    rankings of systems, the share of relevant documents that are readable, the best system, and the
    system whose rank changes most. The quantiles of the score help to choose thresholds.

    Example: understand simulate users runs/*.gz --qrels qrels.txt --pages crawl.warc.gz

    Example: understand simulate users runs/*.gz --qrels qrels.txt --scores features.parquet
    --column dale_chall --formula dci --threshold 25% --threshold 50% --plot users.svg

    Args:
        scores: Scores of the documents: a table with a column, or labels.
        pages: The pages themselves, scored by the formula, instead of scores; may be repeated.
        formula: The formula: fog, dci, or any other of the catalogue.
        column: The column of the table.
        direction: What a higher score means; needed if the score is not a formula.
        noise_scale: Noise of the arctan user: pi (ECIR 2016) or 1 (MedIR 2014).
        p: Persistence.
        cutoff: The number of documents of a ranking that count.

    In Python:
        Runs, qrels and scores may also be dictionaries, frames or labels, and
        `conventions` are the fields of `Conventions`.

    >>> runs = {"hard": {"q": {"a": 2.0, "b": 1.0}}, "easy": {"q": {"b": 2.0, "a": 1.0}}}
    >>> experiment = simulate_users(runs, {"q": {"a": 2, "b": 1}}, {"a": 18.0, "b": 9.0})
    >>> [(user.user, user.threshold, user.first) for user in experiment.users][:2]
    [('step', 10.0, 'easy'), ('step', 15.0, 'easy')]
    """
    [formula_column] = check_columns([formula])
    if (scores is None) == (pages is None):
        raise OptionError(
            "give either scores of the documents, --scores FILE --column NAME (scores=, column=), "
            "or pages to score, --pages INPUT (pages=)"
        )
    harder = COLUMNS[formula_column][0].direction if direction is None else Direction.of(direction)
    if harder is None:
        raise OptionError(
            f"nothing says whether higher or lower values of {formula} are harder to understand; "
            "give direction='higher-harder' or 'higher-easier'"
        )
    listed, labels = list(runs_of(runs)), labels_of(qrels)
    if pages is not None:
        wanted = set().union(*(run.docnos.to_pylist() for run in listed))
        scored = _formula_of(pages, wanted, formula_column)
    else:
        scored = labels_of(scores, formula_column, column)
    finite = scored.values[np.isfinite(scored.values)]
    if not len(finite):
        raise InputError(f"{scored.name} holds no score; give scores of the ranked documents")
    check_users(users)
    cut = "" if cutoff is None else f"@{cutoff}"
    [rbp] = own_measures(f"RBP(p={p:g}){cut}")
    chosen = [
        threshold_of(threshold, finite)
        for threshold in thresholds or default_thresholds(formula_column)
    ]
    measures = {(user, th): biased(rbp, user, th, noise_scale) for user in users for th in chosen}
    easy = {"u": Dimension(scored, Scale(harder))}
    both = [rbp, *measures.values()]
    result = evaluate(listed, labels, measures=both, dimensions=easy, order=order, **conventions)
    readable = {th: readable_share(labels, scored, harder, th) for th in chosen}
    remarks = []
    if np.ptp(result.column(str(rbp))) == 0:
        remarks.append(f"The {rbp} of all systems is the same.")
    if none := [run.name for run in listed if not (scored.lines_of(run) >= 0).any()]:
        more = ", ..." if len(none) > 3 else ""
        remarks.append(
            f"{len(none)} of {len(listed)} runs ({', '.join(none[:3])}{more}) rank no document "
            f"that has a score in {scored.name}: their uRBP is 0."
        )
    if any(math.isnan(share) for share in readable.values()):
        remarks.append("No relevant document has a score, so that no share of them is readable.")
    rows = []
    for (user, th), measure in measures.items():
        rows.append(seen_by(result, rbp, user, th, measure, readable[th]))
        if np.ptp(result.column(str(measure))) == 0:
            remarks.append(_why_flat(result, str(measure), th, harder, finite))
    return SimulatedUsers(
        # A file of many columns does not say by its name which one was read.
        column if column and scores is not None else scored.name,
        tuple(rows),
        result,
        {share: float(np.quantile(finite, share)) for share in QUANTILES},
        len(finite),
        tuple(dict.fromkeys(remarks)),
    )


def _formula_of(pages: Any, wanted: Collection[str], formula: str) -> Labels:
    """Compute a formula for those pages whose docnos are wanted."""
    paths = [pages] if isinstance(pages, str | Path) else list(pages)
    documents = documents_of(read_pages(*paths, docnos=wanted), Settings())
    table = compute_features(documents, [formula])
    values = zip(table.docnos, table.column(formula).tolist(), strict=True)
    return Labels.of_documents(formula, {docno: v for docno, v in values if math.isfinite(v)})


def check_users(users: Sequence[str]) -> None:
    """Raise `OptionError` for a user model that cannot be simulated."""
    for user in users:
        check_choice("simulated user", user, MODELLED_USERS)


def biased(
    reference: Measure, user: str, threshold: float, noise_scale: float = math.pi
) -> Measure:
    """Return the understandability-biased form of a measure for a user; only arctan uses the
    noise.
    """
    noise = (("s", noise_scale),) if user == "arctan" else ()
    stated = (*reference.stated, ("user", user), ("th", threshold), *noise)
    return parse_measure(str(replace(reference, form="u", stated=stated, written="")))


def default_thresholds(column: str) -> Sequence[float | str]:
    """Return the papers' thresholds for Gunning's Fog index, or the quartiles for other scores."""
    return FOG_THRESHOLDS if column == check_columns(["fog"])[0] else _QUARTILES


def threshold_of(threshold: float | str, scores: Floats) -> float:
    """Return a threshold as a score; a percentage such as 25% becomes a quantile, to four
    digits.
    """
    try:
        if isinstance(threshold, str) and threshold.strip().endswith("%"):
            share = float(threshold.strip()[:-1]) / 100
            if 0 < share < 1:
                return float(f"{np.quantile(scores, share):.4g}")
        elif math.isfinite(float(threshold)):
            return float(threshold)
    except ValueError:
        pass
    raise OptionError(
        f"a threshold is a score, such as 15, or a share, such as 25%, not {threshold!r}"
    )


def seen_by(
    result: Evaluation,
    reference: Measure,
    user: str,
    threshold: float,
    measure: Measure,
    readable: float,
) -> SimulatedUser:
    """Compare the rankings of systems by the measure of one user and by the reference."""
    plain, own = result.column(str(reference)), result.column(str(measure))
    same = np.ptp(own) == 0
    flat = same or np.ptp(plain) == 0 or len(result.runs) < 2
    best = int(np.argmax(own))
    moved = movers(result.runs, plain, own, 1)
    return SimulatedUser(
        user,
        threshold,
        str(measure),
        math.nan if flat else kendall_tau_b(plain, own),
        math.nan if flat else tau_ap(plain, own),
        readable,
        "-" if same else result.runs[best],
        math.nan if same else 1 + int((plain > plain[best]).sum()),
        "-" if flat or not moved else f"{moved[0][0]} ({moved[0][1]:g} to {moved[0][2]:g})",
    )


def readable_share(qrels: Labels, scores: Labels, direction: Direction, threshold: float) -> float:
    """Return the share of relevant documents with a score that are on the easy side of the
    threshold.
    """
    names, docnos = qrels.docnos.to_pylist(), scores.docnos.to_pylist()
    relevant = {names[i] for i in np.unique(qrels.docno_ids[qrels.values >= 1]).tolist()}
    of_relevant = np.array([docnos[document] in relevant for document in scores.docno_ids.tolist()])
    values = scores.values[of_relevant] * direction.sign
    return float((values < threshold * direction.sign).mean()) if len(values) else math.nan


def _why_flat(
    result: Evaluation, name: str, threshold: float, direction: Direction, scores: Floats
) -> str:
    value = float(result.column(name)[0])
    if value:
        return f"All systems have the same {name} ({value:.4g}): it orders nothing."
    side = "below" if direction is Direction.HARDER else "above"
    return (
        f"All systems have 0 by {name}: none ranks a relevant document with a score {side} "
        f"{threshold:g} (scores run from {scores.min():.4g} to {scores.max():.4g}); it orders "
        "nothing."
    )
