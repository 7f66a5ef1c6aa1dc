"""Which part of a run holds a document: an index for looking up, and the looking up."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.crawl.folder import Part, RunFolder
from understandability.errors import InputError

Keys = NDArray[np.uint64]
Row = dict[str, Any]

_INDEX = "index.keys"
_KEY = np.dtype("<u8")


def write_index(folder: RunFolder) -> None:
    """Write the index of the parts that are finished: 8 bytes for each document.

    These are their keys, part by part; then come the name of each part and its number of
    documents as an object of JSON, and the length of that in 8 bytes.
    """
    folder.write_file(_INDEX, _index(folder))


def _index(folder: RunFolder) -> Iterator[bytes]:
    sizes = {}
    for part in folder.parts():
        keys = _keys(folder.docnos(part))
        sizes[part.name] = len(keys)
        yield keys.tobytes()
    contents = json.dumps(sizes, separators=(",", ":")).encode()
    yield contents
    yield np.array([len(contents)], _KEY).tobytes()


def look_up(folder: RunFolder, docnos: Iterable[str]) -> dict[str, Row | None]:
    """The row of each document; of one without a score that of its error; None if not there.

    The row of an error has docno, source, stage and error. Of equal docnos the first that was
    read counts, as in `merge`. Parts that are not in the index yet are searched one by one.
    """
    rows: dict[str, Row | None] = dict.fromkeys(docnos)
    with ExitStack() as stack:
        index = _Index(folder, stack)
        for part in folder.parts():
            wanted = [docno for docno, row in rows.items() if row is None or _is_unread(row)]
            here = index.find(part, wanted) if part.name in index else _find(folder, part, wanted)
            for row in _rows(folder, part, here) if here else ():
                before = rows[row["docno"]]
                if before is None or _is_unread(before):
                    rows[row["docno"]] = row
    return rows


class _Index:
    """The index of a run, of which what is asked for is read; empty where there is none yet."""

    def __init__(self, folder: RunFolder, stack: ExitStack) -> None:
        self._places: dict[str, tuple[int, int]] = {}
        file = folder.open_file(_INDEX)
        if file is None:
            return
        self._file = stack.enter_context(file)
        try:
            sizes = self._contents()
        except ValueError as error:
            raise InputError(
                f"{folder.path}/{_INDEX} is damaged: {error}; remove it, then give the same "
                "'understand score' command again to make it anew"
            ) from error
        place = 0
        for name, size in sizes.items():
            self._places[name] = place, size
            place += size

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def find(self, part: Part, docnos: Sequence[str]) -> list[str]:
        """Which documents are in a part, or have the same key as one that is."""
        place, size = self._places[part.name]
        self._file.seek(place * _KEY.itemsize)
        held = np.frombuffer(self._file.read(size * _KEY.itemsize), _KEY)
        found = np.isin(_keys(docnos), held)
        return [docno for docno, is_found in zip(docnos, found, strict=True) if is_found]

    def _contents(self) -> dict[str, int]:
        """The name of each part and its number of documents."""
        end = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(end - _KEY.itemsize, 0))
        length = int.from_bytes(self._file.read(), "little")
        if length > end - _KEY.itemsize:
            raise ValueError("it has lost its end")
        self._file.seek(end - _KEY.itemsize - length)
        sizes: dict[str, int] = json.loads(self._file.read(length))
        if end != _KEY.itemsize * (sum(sizes.values()) + 1) + length:
            raise ValueError("it has another length than it says")
        return sizes


def _find(folder: RunFolder, part: Part, docnos: Sequence[str]) -> list[str]:
    """Which documents are in a part that is not in the index."""
    in_part = set(folder.docnos(part))
    return [docno for docno in docnos if docno in in_part]


def _rows(folder: RunFolder, part: Part, docnos: Sequence[str]) -> Iterator[Row]:
    """The rows of documents in a part, first those that count."""
    scores, wanted = folder.scores(part), frozenset(docnos)
    for row, docno in enumerate(scores["docno"].to_pylist()):
        if docno in wanted:
            yield scores.slice(row, 1).to_pylist()[0]
    failed = [asdict(each) for each in folder.failures(part) if each.docno in wanted]
    yield from sorted(failed, key=_is_unread)


def _is_unread(row: Row) -> bool:
    """Whether a row is that of a document which was never seen: unreadable, or seen before."""
    return row.get("stage") == "read"


def _keys(docnos: Sequence[str]) -> Keys:
    """64 bits that stand for each docno."""
    digests = [blake2b(docno.encode(), digest_size=8).digest() for docno in docnos]
    return np.frombuffer(b"".join(digests), _KEY)
