"""What is unusual in a run, and between a run and its qrels: counted and named, never mended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.inputs.run import Labels, Oddity, Run

Ids = NDArray[np.int64]

_CONSTANT_RANKS = "queries whose ranks are all the same"
# In the order of the file the best document may come last.
_ORDER_BY_SCORE = "documents keep the order of the file; use --order score to order by score"


def refuse_odd(oddities: Mapping[str, Sequence[Oddity]]) -> None:
    """Raise `InputError` for the first oddity of what is read strictly."""
    for name, found in oddities.items():
        if found:
            raise InputError(
                f"{name} is refused under --strict: {found[0]}; fix it, or leave out --strict"
            )


def told(oddities: Mapping[str, Sequence[Oddity]], kind: str) -> list[str]:
    """A line for each sort of oddity: how often, in how many files of a kind, where first.

    >>> told({"mine": [Oddity("ranks given twice", 2, "query q")], "yours": ()}, "runs")
    ['ranks given twice: 2 in 1 of 2 runs (first: mine, query q)']
    """
    lines: dict[tuple[str, str], tuple[int, int, str]] = {}
    for name, found in oddities.items():
        for each in found:
            key = (each.what, f"; {each.remedy}" if each.remedy else "")
            count, files, first = lines.get(key, (0, 0, f"{name}, {each.example}"))
            lines[key] = (count + each.count, files + 1, first)
    return [
        f"{what}: {count:,} in {files} of {len(oddities)} {kind} (first: {first}){remedy}"
        for (what, remedy), (count, files, first) in lines.items()
    ]


def run_oddities(run: Run, order: str = "rank", lines: Ids | None = None) -> tuple[Oddity, ...]:
    """What is unusual in the ranking itself, where it bears on the order that is used.

    Ranks that start at 0, are constant or given twice, documents listed again, and scores that
    do not follow the ranks; where the score is the order, tied scores. `lines` is
    ``run.line_order(order)``, where it is known already.

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
    same = query[1:] == query[:-1]
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
        odd_lines["scores above that of the rank before"] = above
    else:
        odd_lines["lines with the score of another document"] = _tied(run)
    return (
        *(
            Oddity(
                what,
                int(which.sum()),
                f"query {run.queries[int(np.argmax(which))]}",
                _ORDER_BY_SCORE if what == _CONSTANT_RANKS and order == "rank" else "",
            )
            for what, which in odd_queries.items()
            if which.any()
        ),
        *(
            Oddity(what, len(found), _place(run, found[0]))
            for what, found in odd_lines.items()
            if len(found)
        ),
    )


def label_oddities(run: Run, qrels: Labels) -> tuple[Oddity, ...]:
    """Queries without labels, and labelled queries without documents.

    >>> run = Run.of("mine", {"q1": [("d", 1.0)], "q3": [("d", 1.0)]})
    >>> qrels = Labels.of("qrels", {"q1": {"d": 1}, "q2": {"d": 1}})
    >>> [str(oddity) for oddity in label_oddities(run, qrels)]  # doctest: +NORMALIZE_WHITESPACE
    ['queries without labels, left out: 1 (first: q3)',
     'labelled queries without documents: 1 (first: q2)']
    """
    odd = {
        "queries without labels, left out": (run.queries, set(qrels.queries)),
        "labelled queries without documents": (qrels.queries, set(_answered(run))),
    }
    missing = {what: [q for q in queries if q not in of] for what, (queries, of) in odd.items()}
    return tuple(Oddity(what, len(found), found[0]) for what, found in missing.items() if found)


def _answered(run: Run) -> list[str]:
    """The queries for which the run has a document."""
    return [run.queries[query] for query in np.unique(run.query_ids).tolist()]


def _tied(run: Run) -> Ids:
    """Lines whose score, in single precision, another document of the query has."""
    score = run.scores.astype(np.float32)
    order = np.lexsort((score, run.query_ids))
    query, score = run.query_ids[order], score[order]
    same = (query[1:] == query[:-1]) & (score[1:] == score[:-1])
    return np.sort(order[np.append(same, False) | np.insert(same, 0, False)])


def _place(run: Run, line: int) -> str:
    query, document = run.query_ids[line], run.docno_ids[line]
    return f"query {run.queries[int(query)]}, document {run.docnos[int(document)]}"
