"""Frames of any package become Arrow's tables in one place, and go back to their kind."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from understandability.errors import InputError, WrongTypeError
from understandability.inputs.frames import in_kind_of, is_frame, table_of

ROWS = {"id": ["a", "b"], "label": [3, None]}


class Stream:
    """An object that only exports Arrow data, such as a relation of DuckDB."""

    columns = ("id", "label")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return pa.table(ROWS).__arrow_c_stream__(requested_schema)


def polars_frame(rows: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows)


@pytest.mark.parametrize(
    "make",
    [dict, pa.table, pa.RecordBatch.from_pydict, pd.DataFrame, polars_frame, lambda _: Stream()],
)
def test_each_kind_becomes_the_same_table(make: Any) -> None:
    """The values are in their order, without the index of a pandas frame."""
    frame = make(ROWS)
    table = table_of(frame)
    assert table.column_names == ["id", "label"]
    assert [value if value == value else None for value in table["label"].to_pylist()] == [3, None]
    assert is_frame(frame) != isinstance(frame, dict)
    back = in_kind_of(frame, table)
    assert type(back) is (pa.Table if isinstance(frame, Stream) else type(frame))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"id": ["a"], "label": [1, 2]}, InputError, "give columns of one length"),
        ({"label": ["a", 3]}, InputError, "each with values of one kind"),
        (
            pd.DataFrame({"label": ["a", 3]}),
            InputError,
            "the table cannot be read: .* column label",
        ),
        ({"id": "abc"}, WrongTypeError, "are lists of values"),
        ([1], WrongTypeError, "a table is a frame of pandas, .* not a list"),
    ],
)
def test_what_is_no_table_is_told(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        table_of(given)
