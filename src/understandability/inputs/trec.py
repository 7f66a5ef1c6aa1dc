"""Read files in TREC's line formats: runs, label files, and lists of docnos."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from understandability.errors import InputError
from understandability.inputs.delimited import as_utf8
from understandability.inputs.run import Oddity, numpy_values
from understandability.inputs.streams import DamagedStreamError, bounded_lines, open_stream
from understandability.wording import counted

# Columns in a line -> the column with the docno: a list, TREC qrels, a TREC run.
_DOCNO_COLUMN = {1: 0, 4: 2, 6: 2}
_MOST_OF_A_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class TrecColumns:
    """The columns of a TREC format, such as a run or qrels."""

    name: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


RUN = TrecColumns("run", ("query", "Q0", "document", "rank", "score", "tag"))
LABELS = TrecColumns("label file", ("query", "0", "document", "label"))


def read_lines(path: str | Path, layout: TrecColumns) -> tuple[pa.Table, tuple[Oddity, ...]]:
    """Read the columns of a file; if lines are blank or missing, a column of line numbers is added.

    pyarrow parses the file. If it cannot, irregular blanks are normalised first, and at last the
    file is parsed line by line.
    """
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder; name its files, such as {Path(path) / '*'}")
    try:
        with open_stream(path) as stream:
            data = as_utf8(stream).read()
    except DamagedStreamError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if not data or data.isspace():
        raise InputError(f"{path} is empty; a {layout.name} has {layout}")
    if (table := _read_fast(data, layout)) is not None:
        return table, ()
    data, oddities = _tidied(data)
    if (table := _read_fast(data, layout)) is None:
        table, unusual = _read_line_by_line(str(path), data, layout)
        oddities += unusual
    return table, oddities


def _tidied(data: bytes) -> tuple[bytes, tuple[Oddity, ...]]:
    """Convert lines to UTF-8 with single blanks between columns; also return the oddities found."""
    oddities: list[Oddity] = []
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        oddities.append(Oddity("files not in UTF-8, read as Latin-1", 1, f"line {line}"))
        data = data.decode("latin-1").encode()
    data = re.sub(rb"\r(?!\n)", b"\n", data)  # CR alone ends a line, too
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    tidy = [b" ".join(line.split()) for line in lines]
    odd = [n for n, (was, now) in enumerate(zip(lines, tidy, strict=True), 1) if was != now]
    if odd:
        label = "lines with tabs or spare blanks between columns"
        oddities.append(Oddity(label, len(odd), f"line {odd[0]}"))
    return b"\n".join(tidy), tuple(oddities)


def _read_fast(data: bytes, layout: TrecColumns) -> pa.Table | None:
    """Parse regular lines with pyarrow; return None if any line is irregular."""
    if b"\t" in data or b"\r" in data:
        return None
    coded = pa.dictionary(pa.int32(), pa.string())
    types = {"query": coded, "document": coded, "rank": pa.int64()}
    types |= {"score": pa.float64(), "label": pa.float64()}
    selected = [column for column in layout.columns if column in types]
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            # One block, one thread: as fast as several, and a busy machine slows it less.
            csv.ReadOptions(
                column_names=layout.columns,
                block_size=min(len(data) + 1, 1 << 30),
                use_threads=False,
            ),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(
                include_columns=selected,
                column_types={column: types[column] for column in selected},
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    # Two blanks side by side leave an empty name, and NaN is no number to sort by.
    names = (chunk.dictionary for name in ("query", "document") for chunk in table[name].chunks)
    if any(pc.min(pc.binary_length(distinct)).as_py() == 0 for distinct in names):
        return None
    numbers = "label" if layout is LABELS else "score"
    if np.isnan(numpy_values(table[numbers], np.float64)).any():
        return None
    # Labels are reported by line number, which a blank line would shift.
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return None if layout is LABELS and table.num_rows != lines else table


def _read_line_by_line(
    path: str, data: bytes, layout: TrecColumns
) -> tuple[pa.Table, tuple[Oddity, ...]]:
    readers: dict[str, Callable[[str], Any]] = {"rank": _whole, "score": _number, "label": _number}
    fields_read = [
        (i, name) for i, name in enumerate(layout.columns) if name not in ("Q0", "0", "tag")
    ]
    columns: dict[str, list[Any]] = {name: [] for _, name in fields_read} | {"line": []}
    long_tags: list[int] = []
    width = len(layout.columns)
    for number, line in enumerate(data.split(b"\n"), start=1):
        fields = line.decode().split(" ")
        if fields == [""]:
            continue
        if len(fields) != width and not (layout is RUN and len(fields) > width):
            raise InputError(_wrong_width(path, number, len(fields), layout))
        if len(fields) > width:
            long_tags.append(number)
        columns["line"].append(number)
        for i, name in fields_read:
            try:
                columns[name].append(readers.get(name, str)(fields[i]))
            except ValueError:
                wants = "a whole number" if name == "rank" else "a number"
                advice = "; ids must not contain blanks" if len(fields) > width else ""
                raise InputError(
                    f"{path}, line {number}: the {name} must be {wants}, not {fields[i]!r}{advice}"
                ) from None
    oddities: tuple[Oddity, ...] = ()
    if long_tags:
        label = "lines with more than one word as tag"
        oddities = (Oddity(label, len(long_tags), f"line {long_tags[0]}"),)
    types = {"query": pa.string(), "document": pa.string(), "rank": pa.int64(), "line": pa.int64()}
    return pa.table(
        {name: pa.array(values, types.get(name, pa.float64())) for name, values in columns.items()}
    ), oddities


def _wrong_width(path: str, line: int, columns: int, layout: TrecColumns) -> str:
    other, looks = (RUN, "a run") if layout is LABELS else (LABELS, "qrels or other labels")
    where = f"{path}, line {line}"
    if columns == len(other.columns):
        return f"{where}: this looks like {looks} ({columns} columns); expected {layout}"
    if columns == 1:
        advice = "separate the columns by blanks"
        if layout is LABELS:
            advice += ", or write CSV with a header: query_id,doc_id,relevance in a file NAME.csv"
    elif columns > len(layout.columns) and layout is LABELS:
        advice = "write one file for each kind of label; ids must not contain blanks"
    else:
        advice = "ids must not contain blanks"
    return f"{where}: expected {layout}, found {columns}; {advice}"


def _whole(text: str) -> int:
    value = _number(text)
    if not value.is_integer() or abs(value) >= 2**53:
        raise ValueError(text)
    return int(value)


def _number(text: str) -> float:
    value = float(text)
    # Python allows underscores between digits, TREC does not.
    if math.isnan(value) or "_" in text:
        raise ValueError(text)
    return value


def read_docnos(path: str) -> frozenset[str]:
    """Read docnos from a list (one per line), a qrels file or a run; raise `InputError` for
    others.
    """
    docnos = set()
    columns = 0
    with open_stream(path) as stream:
        for number, line in enumerate(bounded_lines(stream, _MOST_OF_A_LINE, f"{path}, "), 1):
            fields = line.decode("utf-8", "replace").split()
            if not fields:
                continue
            columns = columns or len(fields)
            if columns not in _DOCNO_COLUMN or len(fields) != columns:
                raise InputError(
                    f"{path}, line {number} has {counted(len(fields), 'column')}; a list "
                    "of docnos has 1 in every line, a qrels file 4, a run 6"
                )
            docnos.add(fields[_DOCNO_COLUMN[columns]])
    if not docnos:
        raise InputError(f"{path} names no document")
    return frozenset(docnos)
