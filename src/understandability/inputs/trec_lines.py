"""The lines of TREC files, as columns.

A regular file goes through pyarrow's reader of delimited text; one with irregular blanks is
tidied first; one that this reader refuses is read line by line, which finds the first bad line
or accepts what is only unusual. What was unusual is counted and named (`Oddity`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understandability.errors import InputError
from understandability.inputs.joins import numpy_values
from understandability.inputs.run import Oddity
from understandability.inputs.streams import DamagedStreamError, open_stream
from understandability.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TrecColumns:
    """The columns of a kind of TREC file; `numbers` are those that might hold NaN."""

    kind: str
    columns: tuple[str, ...]
    numbers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.columns)} columns ({' '.join(self.columns)})"


RUN = TrecColumns("run", ("query", "Q0", "document", "rank", "score", "tag"), ("score",))
LABELS = TrecColumns("label file", ("query", "0", "document", "label"), ("label",))


def read_lines(path: str | Path, layout: TrecColumns) -> tuple[pa.Table, tuple[Oddity, ...]]:
    """The columns of a file, with the numbers of its lines where they do not just count up."""
    try:
        with open_stream(path) as stream:
            data = stream.read()
    except DamagedStreamError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if not data or data.isspace():
        raise InputError(f"{path} is empty; a {layout.kind} has {layout}")
    if (table := _read_fast(data, layout)) is not None:
        return table, ()
    data, oddities = _tidied(data)
    if (table := _read_fast(data, layout)) is None:
        table, unusual = _read_line_by_line(str(path), data, layout)
        oddities += unusual
    return table, oddities


def numbers_of(column: Any, dtype: Any) -> NDArray[Any]:
    """The numbers of a column without nulls."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks or [pa.array([], column.type)])
    return numpy_values(column, dtype)


def _tidied(data: bytes) -> tuple[bytes, tuple[Oddity, ...]]:
    """The same lines in UTF-8 with single blanks between columns, and what was otherwise."""
    oddities: list[Oddity] = []
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        oddities.append(Oddity("files not in UTF-8, read as Latin-1", 1, f"line {line}"))
        data = data.decode("latin-1").encode()
    data = re.sub(rb"\r(?!\n)", b"\n", data)  # as lines end where CR stands alone
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    tidy = [b" ".join(line.split()) for line in lines]
    odd = [n for n, (was, now) in enumerate(zip(lines, tidy, strict=True), 1) if was != now]
    if odd:
        what = "lines with tabs or spare blanks between columns"
        oddities.append(Oddity(what, len(odd), f"line {odd[0]}"))
    return b"\n".join(tidy), tuple(oddities)


def _read_fast(data: bytes, layout: TrecColumns) -> pa.Table | None:
    """What pyarrow reads of regular lines; None where any line is not regular."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as csv

    if b"\t" in data or b"\r" in data:
        return None
    coded = pa.dictionary(pa.int32(), pa.string())
    types = {"query": coded, "document": coded, "rank": pa.int64()}
    types |= {"score": pa.float64(), "label": pa.float64()}
    wanted = [column for column in layout.columns if column in types]
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
                include_columns=wanted,
                column_types={column: types[column] for column in wanted},
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    # Two blanks side by side leave an empty name, and NaN is no number to sort by.
    names = (chunk.dictionary for name in ("query", "document") for chunk in table[name].chunks)
    if any(pc.min(pc.binary_length(distinct)).as_py() == 0 for distinct in names):
        return None
    if any(np.isnan(numbers_of(table[name], np.float64)).any() for name in layout.numbers):
        return None
    # Labels are told by their line: a blank line would put the count of lines out.
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return None if layout is LABELS and table.num_rows != lines else table


def _read_line_by_line(
    path: str, data: bytes, layout: TrecColumns
) -> tuple[pa.Table, tuple[Oddity, ...]]:
    import pyarrow as pa

    readers: dict[str, Callable[[str], Any]] = {"rank": _whole, "score": _number, "label": _number}
    wanted = [(i, name) for i, name in enumerate(layout.columns) if name not in ("Q0", "0", "tag")]
    columns: dict[str, list[Any]] = {name: [] for _, name in wanted} | {"line": []}
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
        for i, name in wanted:
            try:
                columns[name].append(readers.get(name, str)(fields[i]))
            except ValueError:
                wants = "a whole number" if name == "rank" else "a number"
                raise InputError(
                    f"{path}, line {number}: the {name} must be {wants}, not {fields[i]!r}"
                ) from None
    oddities: tuple[Oddity, ...] = ()
    if long_tags:
        what = "lines with more than one word as tag"
        oddities = (Oddity(what, len(long_tags), f"line {long_tags[0]}"),)
    types = {"query": pa.string(), "document": pa.string(), "rank": pa.int64(), "line": pa.int64()}
    return pa.table(
        {name: pa.array(values, types.get(name, pa.float64())) for name, values in columns.items()}
    ), oddities


def _wrong_width(path: str, line: int, found: int, layout: TrecColumns) -> str:
    for other in (RUN, LABELS):
        if other is not layout and found == len(other.columns):
            kind = "qrels or other labels" if other is LABELS else "a run"
            return (
                f"{path}, line {line}: this looks like {kind} ({found} columns); "
                f"a {layout.kind} has {layout}"
            )
    return f"{path}, line {line}: a {layout.kind} has {layout}, here are {counted(found, 'column')}"


def _whole(text: str) -> int:
    value = float(_plain(text))
    if not value.is_integer() or abs(value) >= 2**53:
        raise ValueError(text)
    return int(value)


def _number(text: str) -> float:
    value = float(_plain(text))
    if math.isnan(value):
        raise ValueError(text)
    return value


def _plain(text: str) -> str:
    """The text of a number; Python's underscores between digits are none of a TREC file's."""
    if "_" in text:
        raise ValueError(text)
    return text
