"""Printed numbers beside ours, each with a verdict; tables of them as Markdown.

Printed values are read from a folder of tables (tab separated, ``ecir2016_section6.tsv`` and
others); what is kept in the repository are our numbers with their verdicts, in `docs/published`.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.shared import ROOT

PUBLISHED = Path(__file__).parent / "published"
PAGES = ROOT / "docs" / "published"
STEPS = (0.001, 0.005, 0.01, 0.02, 0.05)
EQUAL, DIFFERS, NOT_POSSIBLE = "equal", "differs", "not possible"


@dataclass(frozen=True)
class Row:
    """A printed number (as text, its digits count) beside ours; `ours` is None without data.

    `unit` is what one step of the scale is: 1 for shares and correlations, 100 for percent.
    """

    what: str
    printed: str
    ours: float | None
    why: str = ""
    unit: float = 1.0

    @property
    def digits(self) -> int:
        """The decimals of print."""
        return len(self.printed.partition(".")[2])

    @property
    def verdict(self) -> str:
        """Equal to print's digits, within some distance, different, or not possible."""
        if self.ours is None:
            return NOT_POSSIBLE
        if f"{self.ours:.{self.digits}f}" == self.printed:
            return EQUAL
        distance = abs(self.ours - float(self.printed)) / self.unit
        for step in STEPS:
            if distance <= step + 1e-9:
                return f"within {step * self.unit:g}"
        return DIFFERS

    @property
    def cells(self) -> tuple[str, ...]:
        """What, print, ours, difference, verdict, why."""
        if self.ours is None:
            return self.what, self.printed, "", "", self.verdict, self.why
        ours = f"{self.ours:.{self.digits}f}"
        difference = f"{self.ours - float(self.printed):+.{self.digits}f}"
        return self.what, self.printed, ours, difference, self.verdict, self.why


@dataclass(frozen=True)
class Table:
    """A printed table: its name, its rows, and what there is to say of it."""

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    def markdown(self) -> str:
        """The table under its heading, with a summary of the verdicts."""
        counts: dict[str, int] = {}
        for row in self.rows:
            counts[row.verdict] = counts.get(row.verdict, 0) + 1
        lines = [f"## {self.name}", ""]
        lines += ["; ".join(f"{verdict}: {n}" for verdict, n in counts.items()) + ".", ""]
        lines += ["| what | print | ours | difference | verdict | why |"]
        lines += ["|---|---:|---:|---:|---|---|"]
        lines += [f"| {' | '.join(row.cells)} |" for row in self.rows]
        lines += ["", *(f"- {note}" for note in self.notes)]
        return "\n".join(lines).rstrip() + "\n"


def printed(folder: Path, name: str) -> list[dict[str, str]]:
    """The rows of a table of printed values."""
    with (folder / f"{name}.tsv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def verdict_rows(tables: Sequence[Table]) -> Iterator[tuple[str, str, str]]:
    """Table, row, verdict."""
    for table in tables:
        for row in table.rows:
            yield table.name, row.what, row.verdict


def kept_verdicts() -> Iterator[tuple[str, str, str]]:
    """Table, row, verdict, as the pages of the documentation have them."""
    for page in sorted(PAGES.glob("*.md")):
        name = ""
        for line in page.read_text("utf-8").splitlines():
            name = line.removeprefix("## ") if line.startswith("## ") else name
            cells = line.removeprefix("| ").split(" | ", 5)
            if len(cells) == 6 and cells[:2] != ["what", "print"]:
                yield name, cells[0], cells[4]
