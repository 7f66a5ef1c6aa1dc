"""Labels in any kind of table, with named columns, a stated direction, and groups."""

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import EASY, HARD, own_words

from understandability.errors import InputError, OptionError
from understandability.training.duplicates import joined_groups
from understandability.training.labelled import LabelColumns, read_labelled, read_sets

ROWS = [
    {
        "key": f"00{i}",
        "body": f"{HARD if i % 2 else EASY}\n{own_words(i)}",
        "rating": i / 2,
        "pair": i // 2,
    }
    for i in range(40)
]
COLUMNS = LabelColumns("harder", "rating", id="key", text="body", group="pair")


def written(path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
        return path
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8-sig", newline="") as file:
        if ".jsonl" in path.suffixes:
            file.writelines(json.dumps(row) + "\n" for row in ROWS)
        else:
            rows = csv.DictWriter(
                file, list(ROWS[0]), delimiter="\t" if "tsv" in path.name else ","
            )
            rows.writeheader()
            rows.writerows(ROWS)
    return path


def read(path: Path | str, given: Any = None, **changes: Any) -> Any:
    return read_labelled(str(path), replace(COLUMNS, **changes), given)


def check(texts: Any) -> None:
    assert texts.docnos[:2] == ("000", "001")
    assert texts.groups[:3] == ("0", "0", "1")
    np.testing.assert_array_equal(texts.labels, np.arange(40) / 2)
    assert len(texts.documents) == 40


@pytest.mark.parametrize(
    "name", ["x.csv", "x.tsv", "x.csv.gz", "x.jsonl", "x.jsonl.gz", "x.parquet"]
)
def test_files_of_every_kind_hold_the_same(tmp_path: Path, name: str) -> None:
    """Texts run over lines, and ids keep their leading zeros."""
    check(read(written(tmp_path / name)))


def of_lists(rows: Any) -> Any:
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("make", [pd.DataFrame, pa.Table.from_pylist, of_lists])
def test_frames_hold_the_same(make: Any) -> None:
    check(read("the table", make(ROWS)))


def test_the_direction_is_asked_for_with_both_correlations() -> None:
    """A guess turned easier labels into a model that was wrong way round."""
    with pytest.raises(OptionError) as caught:
        read("x", pd.DataFrame(ROWS), direction=None)
    message = str(caught.value)
    assert "say higher-harder or higher-easier (--direction" in message
    assert "as higher-harder, and at -" in message
    assert "\n" not in message


def test_texts_without_ids_are_named_by_their_number() -> None:
    rows = [{"text": row["body"], "label": row["rating"]} for row in ROWS]
    texts = read("x", pd.DataFrame(rows), label="label", id=None, text=None, group=None)
    assert texts.docnos[0] == texts.groups[0] == "1"


def test_equal_texts_are_in_one_group() -> None:
    """Else a text is learned from in one fold and judged in another."""
    rows = [*ROWS, {"key": "again", "body": ROWS[0]["body"], "rating": 3, "pair": 99}]
    numbers, joined = joined_groups([read("x", pd.DataFrame(rows))])
    assert joined == 1
    assert numbers[0] == numbers[1] == numbers[-1] != numbers[2]


@pytest.mark.parametrize(
    ("content", "changes", "message"),
    [
        ("key,body,rating\na,b\n", {}, "line 2 has 2 cells, but the header has 3"),
        ("key,body,rating\n", {}, "has no rows"),
        (
            "key,words,rating,pair\na,b,4,1\n",
            {"id": None, "text": None},
            "it has key, words, rating, pair; choose one with --text-column",
        ),
        ("key,body,rating,pair\na,b,4,1\n", {"group": "site"}, "choose one with --group-column"),
        (
            'key,body,rating,pair\na,Hi.,4,1\nb,"Hi.\nYou."x,4,1\n',
            {},
            "cannot be read as CSV in UTF-8; the problem is after row 1",
        ),
    ],
)
def test_each_mistake_is_one_sentence(
    tmp_path: Path, content: str, changes: dict[str, Any], message: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        read(path, **changes)


def test_labels_by_range_run_from_0_to_100() -> None:
    difficulties = read("x", pd.DataFrame(ROWS), scale="range").targets
    np.testing.assert_allclose(difficulties, np.arange(40) / 39 * 100)


def test_a_table_as_excel_saves_it_in_europe_is_read(tmp_path: Path) -> None:
    rows = [f'{number};"Café – “{number}”. Rest.";{number},5' for number in range(40)]
    (tmp_path / "mine.csv").write_bytes("\r\n".join(["Nr;Text;Note", *rows]).encode("cp1252"))
    columns = LabelColumns("harder", "Note", text="Text")
    texts = read_labelled(str(tmp_path / "mine.csv"), columns)
    assert texts.labels[:2].tolist() == [0.5, 1.5]
    assert texts.documents[3].pieces[:3] == ("Café", "–", "“3”.")


@pytest.mark.parametrize("content", ["", "text,label\n"])
def test_a_table_without_rows_says_so(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.csv").write_text(content)
    with pytest.raises(InputError, match=r"mine\.csv has no rows$"):
        read_labelled(str(tmp_path / "mine.csv"), LabelColumns("harder"))


def test_a_list_of_rows_is_one_table() -> None:
    rows = [*ROWS, {"key": "last", "body": EASY, "rating": 1, "more": "x"}]
    [texts] = read_sets(rows, COLUMNS)
    assert texts.docnos[-1] == "last"
    assert len(texts.labels) == len(ROWS) + 1
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    assert len(read_sets([columns, columns], COLUMNS)) == 2
