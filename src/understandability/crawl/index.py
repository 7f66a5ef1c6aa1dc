"""Which part of a run holds a document: an index for looking up, and the looking up."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.io.run_folder import Part, RunFolder

Keys = NDArray[np.uint64]
Row = dict[str, Any]

_INDEX = "index.keys"
_KEY = np.dtype("<u8")


def write_index(folder: RunFolder) -> None:
    """Write the index of the parts that are finished: 8 bytes for each document.

    A line of JSON with the name of each part and its number of documents, then their keys,
    sorted part by part.
    """
    parts = folder.parts()
    keys = [np.sort(_keys(folder.docnos(part))) for part in parts]
    sizes = [(part.name, len(each)) for part, each in zip(parts, keys, strict=True)]
    head = json.dumps(sizes, separators=(",", ":")).encode() + b"\n"
    folder.write_file(_INDEX, head + b"".join(each.tobytes() for each in keys))


def look_up(folder: RunFolder, docnos: Iterable[str]) -> dict[str, Row | None]:
    """The row of each document; of one without a score that of its error; None if not there.

    The row of an error has docno, source, stage and error. Of equal docnos the first that was
    read counts, as in `merge`. Parts that are not in the index yet are searched one by one.
    """
    rows: dict[str, Row | None] = dict.fromkeys(docnos)
    keys = dict(zip(rows, _keys(list(rows)).tolist(), strict=True))
    index = _read_index(folder)
    for part in folder.parts():
        open_ones = [docno for docno, row in rows.items() if row is None or _is_unread(row)]
        if part.name in index:
            held = index[part.name]
            places = np.searchsorted(held, np.array([keys[docno] for docno in open_ones], _KEY))
            here = [
                docno
                for docno, place in zip(open_ones, places, strict=True)
                if place < len(held) and held[place] == keys[docno]
            ]
        else:
            in_part = set(folder.docnos(part))
            here = [docno for docno in open_ones if docno in in_part]
        for row in _rows(folder, part, here) if here else ():
            before = rows[row["docno"]]
            if before is None or _is_unread(before):
                rows[row["docno"]] = row
    return rows


def _rows(folder: RunFolder, part: Part, docnos: Sequence[str]) -> Iterator[Row]:
    """The rows of documents in a part, first those that count."""
    scores = folder.scores(part)
    for row, docno in enumerate(scores["docno"].to_pylist()):
        if docno in docnos:
            yield scores.slice(row, 1).to_pylist()[0]
    failed = [asdict(each) for each in folder.failures(part) if each.docno in docnos]
    yield from sorted(failed, key=_is_unread)


def _is_unread(row: Row) -> bool:
    """Whether a row is that of a document which was never seen: unreadable, or seen before."""
    return row.get("stage") == "read"


def _keys(docnos: Sequence[str]) -> Keys:
    """64 bits that stand for each docno."""
    digests = [blake2b(docno.encode(), digest_size=8).digest() for docno in docnos]
    return np.frombuffer(b"".join(digests), _KEY)


def _read_index(folder: RunFolder) -> dict[str, Keys]:
    """The sorted keys of each part in the index, by the name of the part."""
    head, _, body = (folder.read_file(_INDEX) or b"[]").partition(b"\n")
    sizes = json.loads(head)
    keys = np.frombuffer(body, _KEY)
    ends = np.cumsum([size for _, size in sizes], dtype=np.int64)
    return {name: keys[end - size : end] for (name, size), end in zip(sizes, ends, strict=True)}
