"""Estimates on two scales are never compared unseen: each command refuses, in one sentence."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from tests.conftest import SAMPLES, Run

import understandability as ud
from understandability.errors import InputError
from understandability.inputs.tables import read_table, write_table

REFUSED = "estimates on different scales cannot be compared"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, understand: Run) -> Iterator[Path]:
    """Scores for two readers, scores that do not say their scale, a run, and relevance."""
    folder = tmp_path_factory.mktemp("scales")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        _write_files(folder, understand)
        yield folder


def _write_files(folder: Path, understand: Run) -> None:
    for name, reader in (("public", "public"), ("assessor", "assessor-2016")):
        understand("score", SAMPLES, "--reader", reader, "-o", f"{name}.csv", "--quiet", status=0)
    old = read_table("public.csv").drop_columns(["scale"])
    write_table(old, "old.csv")
    for name, columns in (
        ("old", ["docno", "p_understandable"]),
        ("public", ["docno", "difficulty", "scale"]),
        ("assessor", ["docno", "difficulty", "scale"]),
    ):
        write_table(read_table(f"{name}.csv").select(columns), f"slim_{name}.csv")
    docnos = ["easy.html", "hard.html", "medium.html"]
    listed = [(query, rank, docno) for query in "pq" for rank, docno in enumerate(docnos, 1)]
    run = "".join(f"{query} Q0 {docno} {rank} {9 - rank} a\n" for query, rank, docno in listed)
    (folder / "a.run").write_text(run)
    (folder / "qrels").write_text("".join(f"{query} 0 {docno} 1\n" for query, _, docno in listed))


def test_a_row_says_its_scale(files: Path) -> None:
    scales = [
        set(read_table(f"{name}.csv")["scale"].to_pylist()) for name in ("public", "assessor")
    ]
    assert scales == [{"readings.v1"}, {"assessors-2016.v1"}]
    assert ud.score_text("Rest, and drink water.")["scale"] == "readings.v1"


@pytest.mark.parametrize("other", ["assessor", "old"])
@pytest.mark.parametrize(
    "command",
    [
        "rerank a.run --scores public.csv:difficulty --scores OTHER:difficulty",
        "fuse a.run public.csv:p_understandable OTHER:difficulty",
        "evaluate a.run --qrels qrels -m RBPu --understandability public.csv --column difficulty "
        "--scale lower-easier:40 --dimension x=slim_OTHER --dimension-scale x=lower-easier:40",
        "tradeoff a.run --scores public.csv:difficulty --qrels qrels --understandability OTHER "
        "--column difficulty --scale lower-easier:40 --top 2 --weight 1",
    ],
    ids=lambda command: command.split()[0],
)
def test_two_scales_are_refused(understand: Run, files: Path, command: str, other: str) -> None:
    """Also quietly; the files of one scale are read."""
    for quiet in ([], ["--quiet"]) if "tradeoff" not in command else ([],):
        done = understand(*command.replace("OTHER", f"{other}.csv").split(), *quiet, status=2)
        assert REFUSED in done.stderr
        assert f"{other}.csv {'does not say' if other == 'old' else 'is on assess'}" in done.stderr
    understand(*command.replace("OTHER", "public.csv").split(), status=0)


def test_one_table_of_two_scales_is_refused(files: Path) -> None:
    tables = [
        read_table(f"{name}.csv").select(["docno", "difficulty", "scale"])
        for name in ("public", "assessor")
    ]
    joined = pa.concat_tables(tables)
    write_table(joined, "joined.csv")
    with pytest.raises(InputError, match=REFUSED):
        ud.rerank("a.run", "joined.csv:difficulty")
    with pytest.raises(InputError, match=REFUSED):
        ud.rerank("a.run", joined, column="difficulty")


def test_formulas_and_kept_columns_are_no_estimates(understand: Run, files: Path) -> None:
    """A formula is the same everywhere; a kept estimate has another name, and states nothing."""
    found = ud.rerank("a.run", ["public.csv:ari", "assessor.csv:ari"])
    assert len(found) == 6
    table = read_table("old.csv").append_column("text", [["A cat."] * 3])
    write_table(table, "again.csv")
    understand("score", "again.csv", "--keep", "difficulty", "-o", "kept.csv", "--quiet", status=0)
    assert "input_difficulty" in read_table("kept.csv").column_names


def test_labels_of_people_beside_estimates_are_no_mixture(files: Path) -> None:
    (files / "people.csv").write_text("docno,difficulty\neasy.html,10\nhard.html,90\n")
    ud.rerank("a.run", ["public.csv:difficulty", "people.csv:difficulty"])
