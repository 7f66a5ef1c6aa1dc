"""Crawl folders that somebody has meddled with: each fault is one sentence, never a wrong row."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.crawls.conftest import commit

import understandability as ud
from understandability.crawls.folder import CrawlFolder, Part
from understandability.crawls.merge import merge
from understandability.crawls.status import look_up, status_of
from understandability.errors import InputError


@pytest.fixture
def run(begun: Callable[[int], CrawlFolder]) -> CrawlFolder:
    """A finished run of two inputs with 400 documents each; half of them are errors."""
    run = begun(2)
    for number in range(2):
        scored = [f"d{number}-{i}" for i in range(200)]
        failed = [(f"e{number}-{i}", "decode") for i in range(200)]
        commit(run, Part(number, 0, last=True), scored, failed)
    return run


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting property name"),
        ("[]", "it is not a JSON object"),
        ("[" * 200_000, "recursion"),
        ('{"format": 1}', "there is no 'settings'"),
        ('{"format": 1, "settings": {}}', "there is no 'inputs'"),
        ('{"format": 1, "settings": [], "inputs": []}', "its settings are not an object"),
        ('{"format": 1, "settings": {}, "inputs": [[]]}', "list indices must be integers"),
        ('{"format": 1, "settings": {}, "inputs": [{}]}', "there is no 'files'"),
        (
            '{"format": 1, "settings": {}, "inputs": [{"given": "a", "files": [["a"]]}]}',
            "its inputs have no files",
        ),
        (
            '{"format": 1, "settings": {}, "inputs": [{"given": 1, "files": [["a", "a", 1]]}]}',
            "its inputs have no files",
        ),
        ('{"format": 1, "settings": {}, "inputs": [{"given": "a", "files": []}]}', "out of range"),
        ('{"format": 1, "settings": {}, "inputs": 3}', "not iterable"),
        ("\ufffe", ""),
    ],
)
def test_a_damaged_description_is_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "crawl.json").write_text(text)
    with pytest.raises(InputError, match=f"json is damaged: .*{re.escape(reason)}.*; restore"):
        CrawlFolder(str(tmp_path)).description()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-300])


def flip(path: Path) -> None:
    """Change a byte within the rows."""
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(bytes(content))


def replace_by_alien(path: Path) -> None:
    pq.write_table(pa.table({"docno": ["a", "b"]}), path)


def lose_rows(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("under", ["scores", "errors"])
@pytest.mark.parametrize(
    "damage", [truncate, flip, replace_by_alien, lose_rows, empty, replace_by_folder, Path.unlink]
)
def test_a_damaged_part_is_one_sentence(
    run: CrawlFolder, tmp_path: Path, damage: Callable[[Path], None], under: str
) -> None:
    """The error names the file and the remedy; a missing file of scores is made again."""
    name = Part(1, 0, last=True).name
    damage(tmp_path / "run" / under / name)
    if (damage, under) == (Path.unlink, "scores"):
        assert status_of(run).complete == 1
        return
    message = rf"run/{under}/{name} is damaged: .*; remove .*/run/scores/{name}, then run the same"
    with pytest.raises(InputError, match=message):
        merge(run, f"{tmp_path}/scores.parquet")
    assert not (tmp_path / "scores.parquet").exists()
    with pytest.raises(InputError, match=message):
        look_up(run, ["d1-3", "e1-3"])
    assert look_up(run, ["d0-3"]) == {"d0-3": run.scores(Part(0, 0, True)).to_pylist()[3]}


@pytest.mark.slow
@pytest.mark.parametrize("under", ["scores", "errors"])
@pytest.mark.parametrize("damage", [flip, lose_rows])
def test_the_same_command_makes_a_damaged_part_again(
    tmp_path: Path, damage: Callable[[Path], None], under: str
) -> None:
    """And does not say that all is complete while `merge` refuses."""
    lines = [f'{{"id": "d{n}", "text": "Rest."}}\n{{"id": "e{n}"}}\n' for n in range(40)]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    crawled = [tmp_path / "a.jsonl", tmp_path / "run"]
    ud.crawl(*crawled, workers=1)
    before = ud.merge(tmp_path / "run")
    (file,) = (tmp_path / "run" / under).iterdir()
    damage(file)
    ud.crawl(*crawled, workers=1)
    again = ud.merge(tmp_path / "run")
    assert again.table.equals(before.table)
    assert again.failures == before.failures
    damage(file)
    (remark,) = CrawlFolder(str(tmp_path / "run")).discard_unusable([0])
    assert remark.endswith(f"{file.name} was damaged and is made again")


def test_a_flipped_byte_of_a_footer_is_one_sentence(run: CrawlFolder, tmp_path: Path) -> None:
    """It holds names, types, settings and counts; if none of them changes, nothing is lost."""
    file = tmp_path / "run" / "scores" / Part(1, 0, last=True).name
    whole = file.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    reported = 0
    for index in range(start, len(whole), 29):
        damaged = bytearray(whole)
        damaged[index] ^= 1 << index % 8
        file.write_bytes(damaged)
        error = ""
        try:
            merged = merge(run, f"{tmp_path}/scores.parquet")
        except InputError as damage:
            error = str(damage)
        assert file.name in error if error else merged.scored == 400
        reported += error != ""
    assert reported > 20


def test_parts_of_other_runs_are_told(run: CrawlFolder, tmp_path: Path) -> None:
    """Copied in by hand, they are of an input that is not there, doubled, of other settings."""
    output = f"{tmp_path}/scores.parquet"
    for alien in (Part(1, 0), Part(1, 1), Part(1, 1, True)):
        commit(run, alien, ["c"])
        with pytest.raises(InputError, match=r"holds .* and .* not of one crawl; rem"):
            merge(run, output)
        (tmp_path / "run" / "scores" / alien.name).unlink()
    alien = Part(2, 0, True)
    commit(run, alien, ["b"])
    for use in (status_of, lambda run: merge(run, output)):
        with pytest.raises(InputError, match=r"2-00000-end.parquet does not belong to this"):
            use(run)
    (tmp_path / "run" / "scores" / alien.name).unlink()
    other = CrawlFolder(run.path, {"threshold": 30.0})
    other.commit(Part(1, 0, True), run.scores(Part(1, 0, True)), [], Counter())
    with pytest.raises(InputError, match=r"part 0000001-00000-end.parquet of .* other settings"):
        merge(run, output)


def test_other_files_in_the_folder_are_left_alone(run: CrawlFolder, tmp_path: Path) -> None:
    for name in ("notes.txt", "scores/.DS_Store", "scores/old.parquet", "errors/README"):
        (tmp_path / "run" / name).write_text("Not ours.")
    (tmp_path / "run" / "scores" / "link.parquet").symlink_to("nowhere")
    assert merge(run, f"{tmp_path}/scores.parquet").scored == 400
    assert status_of(run).complete == 2
    run.discard_unusable([0, 1])
    assert (tmp_path / "run" / "scores" / ".DS_Store").exists()
