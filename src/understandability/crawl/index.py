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

_INDEX = "index.arrow"
_PARTS = b"parts"


def write_index(folder: RunFolder) -> None:
    """Write the index of the parts that are finished: 8 bytes for each document."""
    import pyarrow as pa

    parts = folder.parts()
    schema = pa.schema([("key", pa.uint64())], {_PARTS: json.dumps([part.name for part in parts])})
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, schema) as writer:
        for part in parts:
            keys = np.sort(_keys(folder.docnos(part)))
            writer.write_batch(pa.record_batch([pa.array(keys)], schema=schema))
    folder.write_file(_INDEX, stream.getvalue().to_pybytes())


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
            places = np.searchsorted(
                held, np.array([keys[docno] for docno in open_ones], np.uint64)
            )
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
    import pyarrow as pa
    import pyarrow.compute as pc

    scores = folder.scores(part)
    yield from scores.filter(pc.is_in(scores["docno"], pa.array(docnos))).to_pylist()
    failed = [asdict(each) for each in folder.failures(part) if each.docno in docnos]
    yield from sorted(failed, key=_is_unread)


def _is_unread(row: Row) -> bool:
    """Whether a row is that of a document which was never seen: unreadable, or seen before."""
    return row.get("stage") == "read"


def _keys(docnos: Sequence[str]) -> Keys:
    """64 bits that stand for each docno."""
    digests = [blake2b(docno.encode(), digest_size=8).digest() for docno in docnos]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _read_index(folder: RunFolder) -> dict[str, Keys]:
    """The sorted keys of each part in the index, by the name of the part."""
    import pyarrow as pa

    content = folder.read_file(_INDEX)
    if content is None:
        return {}
    with pa.ipc.open_stream(content) as stream:
        names = json.loads(stream.schema.metadata[_PARTS])
        return {name: batch.column(0).to_numpy() for name, batch in zip(names, stream, strict=True)}
