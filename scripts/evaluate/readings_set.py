"""Evaluate any system on the published readings, compared with the formulas.

    python -m scripts.evaluate.readings_set [mine.csv:score[:easier][:P_COLUMN] ...]
    python -m scripts.evaluate.readings_set --make [--cache FOLDER]

``mine.csv`` (or TSV, JSON Lines, Parquet) has a column `id`, as in ``readings/readings.jsonl.gz``,
and a column with a score per text; a higher score is harder, unless ``easier`` is added. A third
column may have P(U|d), 0 to 1. Missing texts get the mean of the scores, and P .5. ``--make``
writes the published file from the training data of the model. This takes some minutes with one
thread.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.evaluate.intervals import harder, measured, short
from scripts.shared import ROOT, markdown, parser_of, records
from scripts.train.page_texts import FOLDS, READINGS, folds_of, training_table

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.evaluation.correlation import pearson
from understandability.feature.table import batches, features_of
from understandability.inputs.frames import read_records
from understandability.text.analysis import document_of_text
from understandability.training.validation import EIGHT_FORMULAS

FILE = ROOT / "readings" / "readings.jsonl.gz"
PAGES, PASSAGES = "pages", "passages"
KIND_FOLDS = 10
_FREE_EVERYWHERE = ("file", "law")
# Sources whose texts are free without a licence statement: ours, and the US government's.
_FREE_SOURCES = ("written for the set", "NCI PDQ")


def may_be_shipped(row: Mapping[str, Any]) -> bool:
    """Return True if the text of a reading is free in the USA and in Europe."""
    free = row.get("stated") in _FREE_EVERYWHERE or row.get("source") in _FREE_SOURCES
    return free and "in the USA" not in row["licence"]


def published(data: Path, cache: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of the file: passages with their folds, then pages without their texts."""
    table = training_table(data, cache)
    own = table.sets == READINGS
    # Near-duplicates are in the same fold, even if their groups differ.
    folds = dict(
        zip(table.ids[own].tolist(), folds_of(table.groups, FOLDS)[own].tolist(), strict=True)
    )
    texts = {row["id"]: row for row in records(data / "open_texts" / "texts.jsonl.gz")}
    rows = list(records(data / "judged" / f"{PASSAGES}.jsonl.gz"))
    categories = sorted({row["kind"] for row in rows})
    dealt = np.random.default_rng(0).permutation(np.arange(len(categories)) % KIND_FOLDS)
    kind_fold = dict(zip(categories, dealt.tolist(), strict=True))
    for row in rows:
        origin = texts.get(row["source_id"], {})
        yield {
            "id": row["id"],
            "set": PASSAGES,
            "kind": row["kind"],
            "text": row["text"] if may_be_shipped(row) else None,
            "difficulty": row["difficulty"],
            "understand": row["understand"],
            "readings": row["readings"],
            "why": row["why"],
            "group": row["group"],
            "fold": folds[row["id"]],
            "kind_fold": kind_fold[row["kind"]],
            "title": origin.get("title"),
            "source": row["source"],
            "source_id": row["source_id"],
            "url_or_path": origin.get("url_or_path"),
            "licence": row["licence"],
        }
    for row in records(data / "judged" / f"{PAGES}.jsonl.gz"):
        names = ("id", "kind", "difficulty", "understand", "readings", "why", "source_id")
        yield {"set": PAGES, "text": None, **{name: row[name] for name in names}}


def make(data: Path, cache: Path | None) -> None:
    """Write the published file; the same data give the same bytes."""
    rows = list(published(data, cache))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    FILE.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))
    texts = sum(row["text"] is not None for row in rows)
    print(f"{len(rows):,} rows, {texts:,} with their text; {FILE.stat().st_size:,} bytes")


@dataclass(frozen=True)
class Readings:
    """The passages whose text is in the file; arrays have one entry per text."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    difficulty: Floats
    share: Floats
    groups: NDArray[np.str_]
    awkward: NDArray[np.bool_]

    @classmethod
    def read(cls, path: Path = FILE) -> Readings:
        """Read the passages of the file that have a text."""
        rows = [row for row in records(path) if row["text"] is not None]
        return cls(
            tuple(row["id"] for row in rows),
            tuple(row["text"] for row in rows),
            np.array([row["difficulty"] for row in rows], float),
            np.array([row["understand"] for row in rows], float) / 100,
            np.array([row["group"] for row in rows]),
            np.array([row["kind"].startswith("own:") for row in rows]),
        )


def row_of(readings: Readings, name: str, scores: Floats, chances: Floats | None) -> list[str]:
    """Return the row of a system: correlations with difficulty, and mean distances of P(U|d).

    Both are computed for the passages from sources and for the awkward ones.
    """
    has_score = np.isfinite(scores)
    if has_score.sum() < 2:
        raise InputError(
            f"{name} has no scores for the texts; its ids must be those of {FILE.name}"
        )
    filled = np.where(has_score, scores, scores[has_score].mean())
    cells = [name, f"{int(has_score.sum()):,}"]
    for half in (~readings.awkward, readings.awkward):
        result = measured(pearson, filled[half], readings.difficulty[half], readings.groups[half])
        cells.append(str(result))
    if chances is None:
        return [*cells, "", ""]
    distances = abs(np.where(np.isfinite(chances), chances, 0.5) - readings.share)
    return [
        *cells,
        *(short(float(distances[half].mean())) for half in (~readings.awkward, readings.awkward)),
    ]


def row_of_file(text: str, readings: Readings) -> list[str]:
    """Return the row of ``FILE:COLUMN[:easier][:P_COLUMN]``."""
    path, column, *rest = text.split(":")
    sign = -1.0 if rest[:1] == ["easier"] else 1.0
    chance = rest[-1] if rest and rest[-1] != "easier" else None
    rows = {str(row.get("id", row.get("docno"))): row for row in read_records(path)}

    def values(name: str) -> Floats:
        cells = [rows.get(id_, {}).get(name) for id_ in readings.ids]
        return np.array([np.nan if cell in (None, "") else float(cell) for cell in cells])

    return row_of(
        readings,
        f"{Path(path).stem}, {column}",
        sign * values(column),
        values(chance) if chance else None,
    )


def formulas(readings: Readings) -> Iterator[list[str]]:
    """Yield the rows of the eight formulas."""
    documents = (document_of_text(text) for text in readings.texts)
    values = np.concatenate(
        [features_of(batch, EIGHT_FORMULAS).values for batch in batches(documents)]
    )
    for name, column in zip(EIGHT_FORMULAS, harder(values, EIGHT_FORMULAS).T, strict=True):
        yield row_of(readings, name, column, None)


def table(systems: Sequence[str], readings: Readings) -> str:
    """Return the table of all systems and formulas."""
    rows = [*(row_of_file(system, readings) for system in systems), *formulas(readings)]
    sizes = [int((~readings.awkward).sum()), int(readings.awkward.sum())]
    head = [
        "system",
        "texts",
        *(f"{name} ({size:,})" for name, size in zip(("sources", "awkward"), sizes, strict=True)),
    ]
    return markdown([*head, "P, sources", "P, awkward"], rows)


def main() -> None:
    parser = parser_of(__doc__, cache=True)
    parser.add_argument("scores", nargs="*", help="FILE:COLUMN[:easier][:P_COLUMN]")
    parser.add_argument("--make", action="store_true", help="write the published file")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.data, arguments.cache)
    else:
        print(table(arguments.scores, Readings.read()))


if __name__ == "__main__":
    main()
