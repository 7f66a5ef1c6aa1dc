"""The rows of single documents of a crawl folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from understandability.crawls.folder import CrawlFolder

Row = dict[str, Any]


def look_up(folder: CrawlFolder, docnos: Iterable[str]) -> dict[str, Row | None]:
    """The row of each document; of one without a score that of its error; None if not there.

    The row of an error has docno, path, stage and error. Of equal docnos the first that was read
    counts, and the others are found by the names that `merge` gives them. Reads the names of
    all documents, part by part.
    """
    rows: dict[str, Row | None] = dict.fromkeys(docnos)
    description, parts = folder.description_and_parts()
    for part in parts:
        given = description["inputs"][part.input]["given"]
        missing = [docno for docno, row in rows.items() if row is None or _is_unread(row)]
        wanted = {docno.removeprefix(f"{given}/") if given else docno: docno for docno in missing}
        wanted |= {docno: docno for docno in missing}
        for row in folder.rows(part, wanted.keys()) if wanted else ():
            docno = wanted[row["docno"]]
            before = rows[docno]
            if before is None or _is_unread(before):
                rows[docno] = {**row, "docno": docno}
    return rows


def _is_unread(row: Row) -> bool:
    """Whether a row is that of a document which was never seen: unreadable, or seen before."""
    return row.get("stage") == "read"
