"""Numbers of strings, and columns computed once for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from understandability.feature import batch as types
from understandability.feature.batch import Batch, PieceTable, TypeTable
from understandability.feature.table import batches, compute_features
from understandability.text.document import Document


def test_a_column_sees_every_string_once() -> None:
    """What depends on a string alone is computed once, however often the string comes."""
    seen: list[str] = []

    def lengths(strings: Sequence[str]) -> np.ndarray:
        seen.extend(strings)
        return np.array([len(string) for string in strings])

    table = TypeTable()
    table.number(["flu", "fever", "flu"])
    assert table.column(lengths).tolist() == [3, 5]
    table.number(["fever", "rash"])
    assert table.column(lengths).tolist() == [3, 5, 4]
    assert seen == ["flu", "fever", "rash"]


def test_columns_may_have_two_dimensions() -> None:
    """A column with a row of numbers for each string grows as others do."""

    def pairs(strings: Sequence[str]) -> np.ndarray:
        return np.array([[len(string), 1] for string in strings])

    table = TypeTable()
    for string in ("a", "bb", "ccc", "dddd"):
        table.number([string])
        assert table.column(pairs)[-1].tolist() == [len(string), 1]
    assert table.column(pairs).shape == (4, 2)


def test_pieces_know_their_word_and_tokens() -> None:
    """A piece has the type of its word, or -1, and those of its tokens, in tables of their own."""
    table = PieceTable()
    ids = table.number(["\"Don't", "-", "panic."])
    assert table.word_types.strings == table.token_types.strings == []
    words = table.words(ids)
    assert words.tolist() == [0, -1, 1]
    assert table.word_types.strings == ["Don't", "panic"]
    tokens, sizes = table.tokens(ids)
    assert [table.token_types.strings[token] for token in tokens] == [
        '"', "Do", "n't", "-", "panic", ".",
    ]  # fmt: skip
    assert sizes.tolist() == [3, 1, 2]


@pytest.mark.parametrize(("limit", "value"), [("MAX_TYPES", 3), ("MAX_CHARACTERS", 10)])
def test_a_full_table_gives_way_to_an_empty_one_and_no_value_changes(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """The table of a process is bounded in types and in characters; values are not affected."""
    monkeypatch.setattr(types, "_pieces", PieceTable())
    first = Document("a", "", ("Influenza", "makes", "you", "ill."), (0,))
    second = Document("b", "", ("You", "need", "rest."), (0,))
    together = compute_features([first, second]).values
    monkeypatch.setattr(types, limit, value)
    batch = Batch([first])
    apart = [compute_features([each]).values[0] for each in (first, second)]
    assert len(types.pieces()) == 0
    np.testing.assert_array_equal(together, apart)
    assert batch.words.tolist() == [4.0], "a batch keeps the table it was made with"


def test_many_new_strings_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of a million different words needs no memory for all at once."""
    asked = []

    def lengths(strings: Sequence[str]) -> np.ndarray:
        asked.append(len(strings))
        return np.array([len(string) for string in strings], np.int32)

    monkeypatch.setattr(types, "_AT_ONCE", 2)
    table = TypeTable()
    assert table.column(lengths).tolist() == []
    table.number(["a", "bb", "ccc", "dddd", "eeeee"])
    assert table.column(lengths).tolist() == [1, 2, 3, 4, 5]
    assert asked == [0, 2, 2, 1]


def test_batches_of_endless_pieces_are_small() -> None:
    """A piece may hold a million tokens."""
    endless = Document("d", "", ("!?" * 60_000,), (0,))
    assert [len(batch) for batch in batches([endless] * 5)] == [3, 2]
