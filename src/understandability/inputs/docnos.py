"""Which documents are asked for: a list of docnos, a qrels file or a run."""

from __future__ import annotations

from understandability.errors import InputError
from understandability.inputs.streams import bounded_lines, open_stream
from understandability.wording import counted

# Columns in a line -> the column with the docno: a list, TREC qrels, a TREC run.
_DOCNO_COLUMN = {1: 0, 4: 2, 6: 2}
_MOST_OF_A_LINE = 1_000_000


def read_docnos(path: str) -> frozenset[str]:
    """The docnos in a list (one a line), a qrels file or a run, plain or compressed.

    Raises `InputError`, naming file and line, where lines are of none of these kinds.
    """
    docnos = set()
    columns = 0
    with open_stream(path) as stream:
        for number, line in enumerate(bounded_lines(stream, _MOST_OF_A_LINE, f"{path}, "), 1):
            fields = line.decode("utf-8", "replace").split()
            if not fields:
                continue
            columns = columns or len(fields)
            if columns not in _DOCNO_COLUMN or len(fields) != columns:
                raise InputError(
                    f"{path}, line {number} has {counted(len(fields), 'column')}; a list "
                    "of docnos has 1 in every line, a qrels file 4, a run 6"
                )
            docnos.add(fields[_DOCNO_COLUMN[columns]])
    if not docnos:
        raise InputError(f"{path} names no document")
    return frozenset(docnos)
