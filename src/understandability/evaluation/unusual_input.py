"""Find and count what is unusual in a run, or in a run compared with its qrels. Nothing is
changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.inputs.run import Labels, Oddity, Run

Ids = NDArray[np.int64]

_CONSTANT_RANKS = "queries whose ranks are all the same"
# In the order of the file the best document may come last.
_ORDER_BY_SCORE = "documents keep the order of the file; use --order score to order by score"


def refuse_oddities(oddities: Mapping[str, Sequence[Oddity]]) -> None:
    """Raise `InputError` for the first oddity; called if the user requests strict reading."""
    for name, of_file in oddities.items():
        if of_file:
            raise InputError(
                f"{name} is refused under --strict: {of_file[0]}; fix it, or leave out --strict"
            )


def summarise_oddities(oddities: Mapping[str, Sequence[Oddity]], files: str) -> list[str]:
    """Return one line per type of oddity: the number of cases and of files, and the first case.

    >>> oddity = Oddity("ranks given twice", 2, "query q")
    >>> summarise_oddities({"mine": [oddity], "yours": ()}, "runs")
    ['ranks given twice: 2 in 1 of 2 runs (first: mine, query q)']
    """
    lines: dict[tuple[str, str], tuple[int, int, str]] = {}
    for name, of_file in oddities.items():
        for oddity in of_file:
            key = (oddity.what, f"; {oddity.remedy}" if oddity.remedy else "")
            count, n_files, first = lines.get(key, (0, 0, f"{name}, {oddity.example}"))
            lines[key] = (count + oddity.count, n_files + 1, first)
    return [
        f"{what}: {count:,} in {n_files} of {len(oddities)} {files} (first: {first}){remedy}"
        for (what, remedy), (count, n_files, first) in lines.items()
    ]


def notes_on_runs(runs: Iterable[Run], order: str = "rank") -> tuple[str, ...]:
    """Return a line per type of oddity in some runs: in their files, and in their order.

    >>> notes_on_runs([Run.of("mine", {"q": [("a", 1.0), ("b", 0.5)]})])
    ()
    """
    oddities = {run.name: (*run.oddities, *run_oddities(run, order)) for run in runs}
    return tuple(summarise_oddities(oddities, "runs"))


def run_oddities(run: Run, order: str = "rank", lines: Ids | None = None) -> tuple[Oddity, ...]:
    """Return what is unusual in a run, if it matters for the chosen order of documents.

    With order by rank, these are ranks that start at 0, are constant or occur twice, and scores
    that do not follow the ranks. With order by score, these are tied scores. Documents listed twice
    are reported for both. `lines` is ``run.line_order(order)``, if the caller has computed it.

    >>> run = Run.of("tied", {"q": [("a", 1.0), ("b", 1.0), ("a", 0.5)]})
    >>> [str(oddity) for oddity in run_oddities(run, "score")]  # doctest: +NORMALIZE_WHITESPACE
    ['documents listed again: 1 (first: query q, document a)',
     'lines with the score of another document: 2 (first: query q, document a)']
    """
    if lines is None:
        lines = run.line_order(order)
    complete = order == "rank" and len(lines) == len(run)
    by_rank = lines if complete else np.lexsort((run.ranks, run.query_ids))
    query, rank = run.query_ids[by_rank].astype(np.int64), run.ranks[by_rank]
    counts = np.bincount(query, minlength=len(run.queries))
    starts = np.cumsum(counts) - counts
    lowest, highest = np.ones_like(counts), np.ones_like(counts)  # queries may have no documents
    ranked = counts > 0
    lowest[ranked] = rank[starts[ranked]]
    highest[ranked] = rank[starts[ranked] + counts[ranked] - 1]
    constant = (lowest == highest) & (counts > 1)
    same = query[1:] == query[:-1]  # as the line before
    twice = same & (rank[1:] == rank[:-1]) & ~constant[query[1:]]
    again = np.ones(len(run), dtype=bool)
    again[lines] = False
    odd_queries = {
        _CONSTANT_RANKS: constant,
        "queries whose ranks start at 0": (lowest == 0) & ~constant,
        "queries whose ranks start at neither 0 nor 1": (lowest != 0) & (lowest != 1) & ~constant,
    }
    odd_lines = {
        "ranks given twice": by_rank[1:][twice],
        "documents listed again": np.flatnonzero(again),
    }
    if order == "rank":
        score = run.scores[by_rank]
        above = by_rank[1:][same & (score[1:] > score[:-1])]
        odd_lines["scores above the score of the previous rank"] = above
    else:
        odd_lines["lines with the score of another document"] = _tied(run, lines)
    return (
        *(
            Oddity(
                what,
                int(mask.sum()),
                f"query {run.queries[int(np.argmax(mask))]}",
                _ORDER_BY_SCORE if what == _CONSTANT_RANKS and order == "rank" else "",
            )
            for what, mask in odd_queries.items()
            if mask.any()
        ),
        *(
            Oddity(what, len(lines_), _example(run, lines_[0]))
            for what, lines_ in odd_lines.items()
            if len(lines_)
        ),
    )


def label_oddities(run: Run, qrels: Labels) -> tuple[Oddity, ...]:
    """Report queries of a run without labels, and labelled queries without documents in the run.

    >>> run = Run.of("mine", {"q1": [("d", 1.0)], "q3": [("d", 1.0)]})
    >>> qrels = Labels.of("qrels", {"q1": {"d": 1}, "q2": {"d": 1}})
    >>> [str(oddity) for oddity in label_oddities(run, qrels)]  # doctest: +NORMALIZE_WHITESPACE
    ['queries without labels, left out: 1 (first: q3)',
     'labelled queries without documents: 1 (first: q2)']
    """
    pairs = {
        "queries without labels, left out": (run.queries, set(qrels.queries)),
        "labelled queries without documents": (qrels.queries, set(_answered(run))),
    }
    missing = {
        what: [query for query in queries if query not in others]
        for what, (queries, others) in pairs.items()
    }
    return tuple(
        Oddity(what, len(queries), queries[0]) for what, queries in missing.items() if queries
    )


def _answered(run: Run) -> list[str]:
    """Return the queries for which the run has documents."""
    return [run.queries[query] for query in np.unique(run.query_ids).tolist()]


def _tied(run: Run, lines: Ids) -> Ids:
    """Return the indices of lines whose score equals that of another document of the same query.

    Scores are compared in single precision, as trec_eval does. `lines` lists the lines by
    descending score, without repeated documents.
    """
    order = lines
    query, score = run.query_ids[order], run.scores[order].astype(np.float32)
    same = (query[1:] == query[:-1]) & (score[1:] == score[:-1])
    return np.sort(order[np.append(same, False) | np.insert(same, 0, False)])


def _example(run: Run, line: int) -> str:
    query, document = run.query_ids[line], run.docno_ids[line]
    return f"query {run.queries[int(query)]}, document {run.docnos[int(document)]}"
