"""Show the state of a crawl folder, and look up documents in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understandability.crawls.folder import CrawlFolder, Facts, complete_inputs

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class InputStatus:
    """The state of one input of a crawl; `facts` are the counts of its finished parts."""

    name: str
    is_complete: bool
    facts: Facts


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a whole crawl.

    `without` lists the files that the user gave up. `skipped` counts files that are not inputs, by
    type.
    """

    inputs: tuple[InputStatus, ...]
    without: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def facts(self) -> Facts:
        return sum((input_.facts for input_ in self.inputs), Facts())

    @property
    def complete(self) -> int:
        return sum(input_.is_complete for input_ in self.inputs)


def status(folder: str | Path) -> Status:
    """Show which inputs are complete, and count documents, errors and ranges of difficulty.

    Example: understand crawl status scores/

    Args:
        folder: The crawl folder that understand score -o FOLDER/ filled.
    """
    return status_of(CrawlFolder(str(folder)))


def status_of(folder: CrawlFolder) -> Status:
    """Return the state of a crawl: the counts of its finished parts, input by input."""
    description, parts = folder.description_and_parts()
    complete = complete_inputs(parts)
    facts: dict[int, Facts] = defaultdict(Facts)
    for part in parts:
        facts[part.input] += folder.facts(part)
    inputs: dict[str, InputStatus] = {}
    for number, input_ in enumerate(description["inputs"]):
        name = input_["files"][0][1]
        status = InputStatus(name, number in complete, facts[number])
        if name in inputs:  # another range of the same file
            before = inputs[name]
            is_complete = before.is_complete and status.is_complete
            status = InputStatus(name, is_complete, before.facts + status.facts)
        inputs[name] = status
    return Status(
        tuple(inputs.values()),
        tuple(folder.given_up()),
        Counter(description["skipped"]),
    )


def text_histogram(counts: Sequence[int], width: int = 50) -> list[str]:
    """Draw a histogram of difficulty, from 0 to 100, as lines of text.

    >>> for line in text_histogram([0, 1, 4, 2], width=8):
    ...     print(line)
      0-25           0
     25-50           1 ▇▇
     50-75           4 ▇▇▇▇▇▇▇▇
     75-100          2 ▇▇▇▇
    """
    step = 100 // len(counts)
    most = max(*counts, 1)
    return [
        f"{i * step:3}-{(i + 1) * step:<3} {count:10,} {'▇' * round(width * count / most)}".rstrip()
        for i, count in enumerate(counts)
    ]


def look_up(folder: str | Path | CrawlFolder, docnos: Iterable[str]) -> dict[str, Row | None]:
    """Print the row of each document as a line of JSON, or its error if it has no score.

    The exit status is 1 if a document is missing.

    Example: understand crawl lookup scores/ clueweb12-0000tw-00-00001

    Args:
        folder: The crawl folder that understand score -o FOLDER/ filled.
        docnos: Documents.

    In Python:
        Returns the rows by docno, with None for a missing document. The row of an error has docno,
        path, stage and error. Of equal docnos the first one counts; the others have the names that
        `merge` gives them. Reads the names of all documents, part by part.
    """
    if not isinstance(folder, CrawlFolder):
        folder = CrawlFolder(str(folder))
    rows: dict[str, Row | None] = dict.fromkeys(docnos)
    description, parts = folder.description_and_parts()
    for part in parts:
        named_path = description["inputs"][part.input]["given"]
        missing = [docno for docno, row in rows.items() if row is None or _is_unread(row)]
        requested = {
            docno.removeprefix(f"{named_path}/") if named_path else docno: docno
            for docno in missing
        }
        requested |= {docno: docno for docno in missing}
        for row in folder.rows(part, requested.keys()) if requested else ():
            docno = requested[row["docno"]]
            before = rows[docno]
            if before is None or _is_unread(before):
                rows[docno] = {**row, "docno": docno}
    return rows


def _is_unread(row: Row) -> bool:
    """Return True for the row of an unreadable or repeated document."""
    return row.get("stage") == "read"
