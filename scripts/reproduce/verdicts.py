"""Compare printed numbers with ours, and give each a verdict.

Printed values are read from a folder of tables (tab separated, ``ecir2016_section6.tsv`` and
others). The repository has our numbers with their verdicts in `docs/published`, in a CSV file per
paper.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scripts.shared import ROOT

PUBLISHED = Path(__file__).parent / "published"
RESULTS = ROOT / "docs" / "published"
COLUMNS = ("table", "what", "print", "ours", "difference", "verdict", "why")
STEPS = (0.001, 0.005, 0.01, 0.02, 0.05)
EQUAL, WITHIN, DIFFERS, NOT_POSSIBLE = "equal", "within", "differs", "not possible"


@dataclass(frozen=True)
class Row:
    """A printed number (as text, because its digits matter) and ours; None without data.

    `unit` is the unit of the scale: 1 for shares and correlations, 100 for percentages.
    """

    what: str
    printed: str
    ours: float | None
    why: str = ""
    unit: float = 1.0

    @property
    def digits(self) -> int:
        """The number of printed decimals."""
        return len(self.printed.partition(".")[2])

    @property
    def verdict(self) -> str:
        """The verdict: all printed digits equal, within a distance, different, or not possible."""
        if self.ours is None:
            return NOT_POSSIBLE
        if f"{self.ours:.{self.digits}f}" == self.printed:
            return EQUAL
        distance = abs(self.ours - float(self.printed)) / self.unit
        for step in STEPS:
            if distance <= step + 1e-9:
                return f"{WITHIN} {step * self.unit:g}"
        return DIFFERS

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row, in the order of `COLUMNS` without the table."""
        if self.ours is None:
            return self.what, self.printed, "", "", self.verdict, self.why
        ours = f"{self.ours:.{self.digits}f}"
        difference = f"{self.ours - float(self.printed):+.{self.digits}f}"
        return self.what, self.printed, ours, difference, self.verdict, self.why


@dataclass(frozen=True)
class Table:
    """A printed table: its name, its rows, and notes on them."""

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    def counts(self) -> Counter[str]:
        """Count the rows by verdict, with all distances counted as `WITHIN`."""
        return Counter(
            WITHIN if row.verdict.startswith(WITHIN) else row.verdict for row in self.rows
        )


def printed(folder: Path, name: str) -> list[dict[str, str]]:
    """Read the rows of a table of printed values."""
    with (folder / f"{name}.tsv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def verdict_rows(tables: Sequence[Table]) -> Iterator[tuple[str, str, str]]:
    """Yield the table, the row and the verdict of each row."""
    for table in tables:
        for row in table.rows:
            yield table.name, row.what, row.verdict


def write_results(path: Path, tables: Sequence[Table]) -> None:
    """Write every row of a paper's tables as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((table.name, *row.cells) for table in tables for row in table.rows)


def stored_verdicts() -> Iterator[tuple[str, str, str]]:
    """Yield table, row and verdict from the files of the repository."""
    for path in sorted(RESULTS.glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                yield row["table"], row["what"], row["verdict"]
