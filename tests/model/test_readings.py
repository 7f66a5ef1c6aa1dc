"""The published readings: rows that can be used, and what may be learned from."""

from pathlib import Path

import numpy as np
import pytest
from scripts.evaluate.readings_set import may_be_shipped
from scripts.shared import ROOT, records
from scripts.train.page_texts import (
    OPEN_PASSAGES_FILE,
    READ_KINDS_FILE,
    READ_ONCE_FILE,
    READ_PAGES_FILE,
    READ_SENTENCES_FILE,
    SENTENCES,
    UNREAD,
    sentences_read,
    unread,
)

# Nonsense has a layperson's share, and explained terms have nothing, in place of readings.
NOT_READ = {ROOT / "readings" / "nonsense.jsonl", ROOT / "readings" / "explained.jsonl"}
FILES = sorted(set((ROOT / "readings").glob("*.jsonl*")) - NOT_READ)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_rows_have_a_name_of_their_own_and_stay_on_the_scales(path: Path) -> None:
    rows = list(records(path))
    names = [row.get("id") or row["source_id"] for row in rows]
    assert len(set(names)) == len(rows) > 0
    assert all(0 <= row[name] <= 100 for row in rows for name in ("difficulty", "understand"))


def test_documentation_is_moved_by_how_much_easier_it_had_been_read() -> None:
    """The correction comes from second readings, mixed with passages that have two readings."""
    again = list(records(ROOT / "readings" / "again.jsonl"))

    def moved(reader: int, name: str, number: int) -> float:
        rows = [r for r in again if r["reader"] == reader and name in (r["set"], r["kind"])]
        value = ("difficulty", "understand")[number]
        return float(np.mean([row[value] - row["before"][number] for row in rows]))

    shifts = [
        np.mean(
            [moved(reader, "technology", i) - moved(reader, "readings", i) for reader in (1, 2)]
        )
        for i in (0, 1)
    ]
    assert np.round(shifts, 1).tolist() == [3.4, -2.8]
    for row in records(READ_ONCE_FILE):
        if row["kind"] == "technology":
            [[difficulty, understand]] = row["readings"]
            assert row["difficulty"] == pytest.approx(min(difficulty + 3.4, 99))
            assert row["understand"] == pytest.approx(max(understand - 2.8, 1))


# By how much readers gave hidden passages more than two readings had given them: difficulty and
# share, of each reader, or of the mean of both. In the order of the file.
KINDS_READ_BY = (
    (620, ((-3.18, 2.94), (-3.13, 1.35))),
    (340, ((3.79,), (-2.11,))),
    (90, ((-2.28, -3.74), (-0.12, -1.77))),
)


def test_further_kinds_are_moved_in_the_middle_of_the_scale() -> None:
    """By what their readers gave hidden passages more than two readings had given them."""
    rows = list(records(READ_KINDS_FILE))
    assert len(rows) == sum(count for count, _ in KINDS_READ_BY)
    assert len({row["kind"] for row in rows}) == 162
    readers = [moves for count, moves in KINDS_READ_BY for _ in range(count)]
    for row, moves in zip(rows, readers, strict=True):
        for name, values, moved_by in zip(
            ("difficulty", "understand"), np.transpose(row["readings"]), moves, strict=True
        ):
            given = values if len(moved_by) == 2 else np.mean(values, keepdims=True)
            moved = given - np.array(moved_by) * 4 * given / 100 * (1 - given / 100)
            assert row[name] == pytest.approx(np.clip(moved.mean(), 0, 100), abs=0.06)


def test_a_page_that_was_read_twice_has_the_mean_of_both() -> None:
    """225 of the 306 pages have two readings; the others have one."""
    rows = list(records(READ_PAGES_FILE))
    twice = [row for row in rows if "readings" in row]
    assert (len(rows), len(twice)) == (306, 225)
    for row in twice:
        mean = np.mean(row["readings"], axis=0).tolist()
        assert [row["difficulty"], row["understand"]] == mean, row["source_id"]


@pytest.mark.slow
@pytest.mark.parametrize("file", [OPEN_PASSAGES_FILE, READ_SENTENCES_FILE], ids=lambda p: p.name)
def test_texts_that_were_read_are_those_of_their_sources(file: Path, shared_data: Path) -> None:
    """Texts, groups and readings agree; texts are included only if the licence allows it."""
    sources = {row["id"]: row for row in records(shared_data / "open_texts" / "texts.jsonl.gz")}
    are_sentences = file == READ_SENTENCES_FILE
    text_set = SENTENCES if are_sentences else UNREAD
    texts = {text.id: text for text in unread(shared_data) if text.set == text_set}
    read = {text.id: text for text in sentences_read(shared_data)} if are_sentences else texts
    for row in records(file):
        text = read[row["id"]]
        assert text.label == row["difficulty"]
        if are_sentences and row["of"] != row["id"]:
            continue  # a sentence of a text that another file has
        assert row["text"] in (None, texts[row["id"]].content)
        assert text.content == texts[row["id"]].content
        if not are_sentences:
            assert (text.group, text.kind) == (row["group"], row["kind"])
        source = sources.get(row["source_id"])
        assert row["text"] is None or not source or may_be_shipped(source)


def test_sentences_that_were_read_stand_in_the_texts_that_they_name() -> None:
    """The sentences of documentation and of awkward texts occur in the texts that they name."""
    texts = {row["id"]: row["text"] for row in records(READ_ONCE_FILE)}
    parts = [row for row in records(READ_SENTENCES_FILE) if row["of"] != row["id"]]
    assert len(parts) == 1110
    assert all(row["text"] in " ".join(texts[row["of"]].split("\n")) for row in parts)
