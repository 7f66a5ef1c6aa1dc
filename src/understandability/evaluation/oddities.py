"""What is unusual in a run, and between a run and its qrels: counted and named, never mended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.inputs.run import Labels, Oddity, Run

Ids = NDArray[np.int64]


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
    lowest, highest = rank[starts], rank[starts + counts - 1]
    found: list[Oddity | None] = []
    constant = (lowest == highest) & (counts > 1)
    found.append(_of_queries(run, "queries whose ranks are all the same", constant))
    found.append(_of_queries(run, "queries whose ranks start at 0", (lowest == 0) & ~constant))
    unusual = (lowest != 0) & (lowest != 1)
    found.append(
        _of_queries(run, "queries whose ranks start at neither 0 nor 1", unusual & ~constant)
    )
    same = query[1:] == query[:-1]
    twice = same & (rank[1:] == rank[:-1]) & ~constant[query[1:]]
    found.append(_of_lines(run, "ranks given twice", by_rank[1:][twice]))
    again = np.ones(len(run), dtype=bool)
    again[lines] = False
    found.append(_of_lines(run, "documents listed again", np.flatnonzero(again)))
    if order == "rank":
        score = run.scores[by_rank]
        against = same & (score[1:] > score[:-1])
        found.append(_of_lines(run, "scores above that of the rank before", by_rank[1:][against]))
    else:
        found.append(_of_lines(run, "lines with the score of another document", _tied(run)))
    return tuple(oddity for oddity in found if oddity is not None)


def unlabelled(run: Run, names: Iterable[str]) -> tuple[Oddity, ...]:
    """The dimensions of which no document of the run has a label: its gains are all 0.

    >>> [str(odd) for odd in unlabelled(Run.of("mine", {"q": [("a", 1.0)]}), ["u"])]
    ['runs without a document that has a label of u, so that all gains are 0: 1 (first: mine)']
    """
    return tuple(
        Oddity(
            f"runs without a document that has a label of {name}, so that all gains are 0",
            1,
            run.name,
        )
        for name in names
    )


def label_oddities(run: Run, qrels: Labels) -> tuple[Oddity, ...]:
    """Queries without labels, labelled queries without documents, and damaged document names.

    A name counts as damaged if no labelled name begins with its first letter, while the rest
    belongs to one.

    >>> run = Run.of("mine", {"q1": [("Fptod4830", 1.0)], "q3": [("d", 1.0)]})
    >>> qrels = Labels.of("qrels", {"q1": {"uptod4830": 1}, "q2": {"d": 1}})
    >>> [str(oddity) for oddity in label_oddities(run, qrels)]  # doctest: +NORMALIZE_WHITESPACE
    ['queries without labels, left out: 1 (first: q3)',
     'labelled queries without documents: 1 (first: q2)',
     'document names that differ from a labelled one in the first letter: 1
      (first: Fptod4830, labelled is uptod4830)']
    """
    known, given = set(qrels.queries), set(run.queries)
    unlabelled = [query for query in run.queries if query not in known]
    missing = [query for query in qrels.queries if query not in given]
    found: list[Oddity] = []
    if unlabelled:
        found.append(Oddity("queries without labels, left out", len(unlabelled), unlabelled[0]))
    if missing:
        found.append(Oddity("labelled queries without documents", len(missing), missing[0]))
    return (*found, *_damaged(run, qrels))


def _damaged(run: Run, qrels: Labels) -> tuple[Oddity, ...]:
    import pyarrow.compute as pc

    labelled_letters = np.zeros(256, dtype=bool)
    labelled_letters[_first_bytes(qrels.docnos)] = True
    strange = np.flatnonzero(~labelled_letters[_first_bytes(run.docnos)])
    if not len(strange):
        return ()
    names = run.docnos.take(strange)
    rests = pc.utf8_slice_codeunits(qrels.docnos, 1)
    places = pc.index_in(pc.utf8_slice_codeunits(names, 1), rests)
    damaged = names.filter(pc.is_valid(places))
    if not len(damaged):
        return ()
    labelled = qrels.docnos[places.drop_null()[0].as_py()]
    what = "document names that differ from a labelled one in the first letter"
    return (Oddity(what, len(damaged), f"{damaged[0]}, labelled is {labelled}"),)


def _first_bytes(names: Any) -> NDArray[np.uint8]:
    """The first byte of each name; 0 for an empty one."""
    if not len(names):
        return np.empty(0, dtype=np.uint8)
    _, offsets, data = names.buffers()
    starts = np.frombuffer(offsets, dtype=np.int32)[names.offset : names.offset + len(names)]
    return np.append(np.frombuffer(data, dtype=np.uint8), np.uint8(0))[starts]


def _tied(run: Run) -> Ids:
    """Lines whose score, in single precision, another document of the query has."""
    score = run.scores.astype(np.float32)
    order = np.lexsort((score, run.query_ids))
    query, score = run.query_ids[order], score[order]
    same = (query[1:] == query[:-1]) & (score[1:] == score[:-1])
    return np.sort(order[np.append(same, False) | np.insert(same, 0, False)])


def _of_queries(run: Run, what: str, which: NDArray[np.bool_]) -> Oddity | None:
    if not which.any():
        return None
    return Oddity(what, int(which.sum()), f"query {run.queries[int(np.argmax(which))]}")


def _of_lines(run: Run, what: str, lines: Ids) -> Oddity | None:
    if not len(lines):
        return None
    query = run.queries[int(run.query_ids[lines[0]])]
    document = run.docnos[int(run.docno_ids[lines[0]])]
    return Oddity(what, len(lines), f"query {query}, document {document}")
