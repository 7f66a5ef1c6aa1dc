"""The rows of single documents in a crawl folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from understandability.crawls.folder import CrawlFolder
from understandability.prompt import AtPrompt

Row = dict[str, Any]


def look_up(
    folder: str | Path | CrawlFolder, docnos: Annotated[Iterable[str], AtPrompt(list[str])]
) -> dict[str, Row | None]:
    """Print the row of each document as a line of JSON, or its error if it has no score.

    The exit status is 1 if a document is missing.

    Example: understand crawl lookup scores/ clueweb12-0000tw-00-00001

    In Python, returns the rows by docno, with None for a missing document. The row of an error has
    docno, path, stage and error. Of equal docnos the first one counts; the others have the names
    that `merge` gives them. Reads the names of all documents, part by part.

    Args:
        folder: The crawl folder that understand score -o FOLDER/ filled.
        docnos: Documents.
    """
    if not isinstance(folder, CrawlFolder):
        folder = CrawlFolder(str(folder))
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
    """Return True for the row of an unreadable or repeated document."""
    return row.get("stage") == "read"
