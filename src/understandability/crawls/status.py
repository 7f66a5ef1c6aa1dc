"""The state of a crawl folder, input by input."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from understandability.crawls.folder import CrawlFolder, Facts, complete_inputs


@dataclass(frozen=True, slots=True)
class InputStatus:
    """An input, whether it is complete, and what is counted of its finished parts."""

    name: str
    is_complete: bool
    facts: Facts


@dataclass(frozen=True, slots=True)
class Status:
    """A whole crawl; `without` are the files that were given up."""

    inputs: tuple[InputStatus, ...]
    without: tuple[str, ...] = ()

    @property
    def facts(self) -> Facts:
        return sum((each.facts for each in self.inputs), Facts())

    @property
    def complete(self) -> int:
        return sum(each.is_complete for each in self.inputs)


def status(folder: str | Path) -> Status:
    """Show which inputs are complete, and count documents, errors by stage, and difficulties.

    Example: understand crawl status scores/

    Args:
        folder: The crawl folder that understand score -o FOLDER/ filled.
    """
    return status_of(CrawlFolder(str(folder)))


def status_of(folder: CrawlFolder) -> Status:
    """Count the finished parts of a crawl, input by input."""
    description, parts = folder.description_and_parts()
    complete = complete_inputs(parts)
    facts: dict[int, Facts] = defaultdict(Facts)
    for part in parts:
        facts[part.input] += folder.facts(part)
    return Status(
        tuple(
            InputStatus(each["files"][0][1], number in complete, facts[number])
            for number, each in enumerate(description["inputs"])
        ),
        tuple(folder.given_up()),
    )


def text_histogram(counts: Sequence[int], width: int = 50) -> list[str]:
    """Numbers of documents by difficulty, from 0 to 100, as lines of text.

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
