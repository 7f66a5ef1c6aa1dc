"""Merging a run: each document once, the first of equal names, in bounded memory."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.crawls.conftest import commit, described, errors_of

from understandability.crawls import merge as merging
from understandability.crawls.folder import CrawlFolder, Part
from understandability.crawls.merge import Merged, merge
from understandability.crawls.status import look_up
from understandability.errors import InputError
from understandability.text.page import SEEN_BEFORE

Begun = Callable[[int], CrawlFolder]


def told_in(output: Path) -> list[tuple[str, str]]:
    """Names and messages of the errors."""
    return [(row["docno"], row["error"]) for row in errors_of(output)]


def test_the_first_of_equal_names_wins(tmp_path: Path, begun: Begun) -> None:
    """Even if the first document is an error; an unreadable record claims no name."""
    run = begun(3)
    commit(run, Part(0, 0), ["a", "b"], [("bad", "decode"), ("cut", "read")])
    commit(run, Part(0, 1, True), ["c"])
    commit(run, Part(1, 0, True), ["d", "a", "bad", "cut"])
    commit(run, Part(2, 0, True), ["a", "e"])
    output = tmp_path / "scores.parquet"
    assert merge(run, str(output)) == Merged(scored=6, failed=5, repeated=3)
    table = pq.read_table(output)
    assert table["docno"].to_pylist() == ["a", "b", "c", "d", "cut", "e"]
    assert table["path"].to_pylist()[0] == "input0#0"
    assert [*table.schema.metadata] == [b"understandability"]  # and no counts of the first part
    assert told_in(output) == [
        ("bad", "told"),
        ("cut", "told"),
        ("a", SEEN_BEFORE),
        ("bad", SEEN_BEFORE),
        ("a", SEEN_BEFORE),
    ]


def test_a_repeated_name_is_one_error_whatever_becomes_of_its_page(
    tmp_path: Path, begun: Begun
) -> None:
    """A later failed page of the same name is reported as repeated, as by `score` alone."""
    run = begun(3)
    commit(run, Part(0, 0, True), ["a"], [("bad", "decode"), ("cut", "read")])
    commit(run, Part(1, 0, True), ["b"], [("a", "extract"), ("bad", "decode"), ("cut", "read")])
    commit(run, Part(2, 0, True), [], [("b", "score"), ("new", "decode")])
    output = tmp_path / "scores.parquet"
    assert merge(run, str(output)) == Merged(scored=2, failed=7, repeated=3)
    assert pq.read_table(output)["docno"].to_pylist() == ["a", "b"]
    assert told_in(output) == [
        ("bad", "told"),
        ("cut", "told"),
        ("a", SEEN_BEFORE),
        ("bad", SEEN_BEFORE),
        ("cut", "told"),
        ("b", SEEN_BEFORE),
        ("new", "told"),
    ]


def test_an_unfinished_run_is_merged_on_demand_only(tmp_path: Path, begun: Begun) -> None:
    """A table that lacks documents must not come about by oversight."""
    run = begun(2)
    with pytest.raises(InputError, match=r"0 of 2 inputs .* it has no parts to merge$"):
        merge(run, str(tmp_path / "s.jsonl"), partial=True)
    commit(run, Part(0, 0, True), ["a"])
    with pytest.raises(InputError, match=r"1 of 2 inputs are complete; .* or merge with --partial"):
        merge(run, str(tmp_path / "s.jsonl"))
    assert merge(run, str(tmp_path / "s.jsonl"), partial=True) == Merged(1, 0, 0)


def test_equal_names_in_different_inputs_are_two_documents(tmp_path: Path) -> None:
    """The later has the name of its input before its own; what is repeated in there is not."""
    run = CrawlFolder(str(tmp_path / "run"))
    description = described(3)
    for each, name in zip(description["inputs"], ["a.jsonl", "b", "b"], strict=True):
        each["given"] = name
    run.begin(description)
    commit(run, Part(0, 0, True), ["d"], [("bad", "decode")])
    commit(run, Part(1, 0, True), ["d", "e"], [("bad", "decode"), ("cut", "read")])
    commit(run, Part(2, 0, True), ["e", "d"])
    output = tmp_path / "scores.parquet"
    assert merge(run, str(output)) == Merged(scored=3, failed=5, repeated=2)
    assert pq.read_table(output)["docno"].to_pylist() == ["d", "b/d", "e"]
    assert told_in(output) == [
        ("bad", "told"),
        ("b/bad", "told"),
        ("cut", "told"),
        ("e", SEEN_BEFORE),
        ("d", SEEN_BEFORE),
    ]
    result = look_up(run, ["b/d", "d", "c/d"])
    assert result["b/d"] == {"docno": "b/d", "path": "input1#0", "difficulty": 0.0}
    assert result["d"] == {"docno": "d", "path": "input0#0", "difficulty": 0.0}
    assert result["c/d"] is None


names = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)


@settings(max_examples=15)
@given(inputs=st.lists(st.tuples(names, names), min_size=1, max_size=5))
def test_merging_on_disk_is_merging_in_memory(inputs: list[tuple[list[str], list[str]]]) -> None:
    """Cut into buckets of three documents, equal names still meet; looking up agrees."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_BUCKET_ROWS", 3)
        patch.setattr(merging, "_CHUNK_ROWS", 2)
        patch.setattr(merging, "_PARTS_TOGETHER", 2)
        run = CrawlFolder(f"{folder}/run")
        run.begin(described(len(inputs)))
        expected: dict[str, str] = {}
        seen: set[str] = set()
        for number, (scored, failed) in enumerate(inputs):
            failed = [docno for docno in failed if docno not in scored]
            commit(run, Part(number, 0, True), scored, [(docno, "decode") for docno in failed])
            for index, docno in enumerate(scored):
                if docno not in seen:
                    expected[docno] = f"input{number}#{index}"
            seen |= {*scored, *failed}
        output = Path(folder, "scores.parquet")
        merged = merge(run, str(output))
        rows = pq.read_table(output).to_pylist()
        assert {row["docno"]: row["path"] for row in rows} == expected
        assert merged.scored == len(rows) == len(expected)
        result = look_up(run, "abcdefghi")
        assert {docno for docno, row in result.items() if row} == seen
        in_scores = {d: row["path"] for d, row in result.items() if row and "stage" not in row}
        assert in_scores == expected


def test_looking_up_finds_scores_before_errors(tmp_path: Path, begun: Begun) -> None:
    """A record that was unreadable or came again says nothing where the document has a score."""
    run = begun(1)
    commit(run, Part(0, 0), ["a"], [("a", "read"), ("b", "read"), ("c", "extract")])
    commit(run, Part(0, 1, True), ["b", "new"])
    rows = look_up(run, ["a", "b", "c", "new", "none"])
    assert {docno: row and row.get("stage") for docno, row in rows.items()} == {
        "a": None,
        "b": None,
        "c": "extract",
        "new": None,
        "none": None,
    }
    assert rows["none"] is None
    assert rows["a"] == {"docno": "a", "path": "input0#0", "difficulty": 0.0}
