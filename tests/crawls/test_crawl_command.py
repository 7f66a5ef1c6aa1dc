"""`understand score -o FOLDER/` and `understand crawl` as a user gives them."""

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.conftest import Run
from tests.crawls.conftest import errors_of

TEXTS = (
    "You have flu. Rest and drink water. See a doctor if you do not get better.",
    "Influenza is an acute respiratory infection caused by orthomyxoviruses.",
    "Neuraminidase inhibitors attenuate symptomatic duration in immunocompromised patients.",
)


pytestmark = pytest.mark.slow
QUICK = ("--extractor", "naive")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three inputs with 24 records; 5 of them are no documents or are repeated."""
    folder = tmp_path_factory.mktemp("inputs") / "crawl"
    folder.mkdir()
    for number in range(2):
        records = [
            {"id": f"d{number}-{i}", "html": f"<html lang=en><p>{TEXTS[i % 3]} <p>Page {i}."}
            for i in range(10)
        ]
        records[3]["id"] = "d0-0"  # in the first input again, in the second input too
        records[4]["html"] = "%PDF-1.7 \x00\x01"
        lines = [json.dumps(record) for record in records]
        (folder / f"c{number}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    for name in ("p.html", "q.html", "r.txt"):
        (folder / name).write_text(f"<p>{TEXTS[0]}" if name != "r.txt" else TEXTS[1])
    (folder / "z.exe").write_bytes(b"MZ")
    (folder / "empty.html").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def alone(crawl: Path, understand: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of the crawl in one file, by one process."""
    path = tmp_path_factory.mktemp("alone") / "alone.parquet"
    assert understand("score", crawl, "-o", path, *QUICK).returncode == 0
    return path


@pytest.fixture(scope="module")
def told(
    crawl: Path, understand: Run, tmp_path_factory: pytest.TempPathFactory
) -> subprocess.CompletedProcess[str]:
    """The messages of a run with two workers into the folder `run`, next to its working folder."""
    folder = tmp_path_factory.mktemp("finished")
    return understand("score", crawl, "-o", f"{folder}/run/", "--workers", 2, *QUICK, status=0)


@pytest.fixture
def run(told: subprocess.CompletedProcess[str], tmp_path: Path) -> Path:
    """The folder of that run, to do with what one likes."""
    return Path(shutil.copytree(told.args[3], tmp_path / "run"))


def rows(path: Path) -> list[dict[str, object]]:
    return sorted(pq.read_table(path).to_pylist(), key=lambda row: row["docno"])


def test_a_merged_run_is_what_one_process_writes(
    tmp_path: Path, run: Path, alone: Path, understand: Run
) -> None:
    """The same rows and errors, with workers, batches and parts in between."""
    merged = tmp_path / "merged.parquet"
    told = understand("crawl", "merge", run, "-o", merged, status=0)
    assert rows(merged) == rows(alone)
    assert sorted(map(str, errors_of(merged))) == sorted(map(str, errors_of(alone)))
    assert "1 document came a second time" in told.stderr
    assert (
        pq.read_schema(merged).metadata[b"understandability"]
        == (pq.read_schema(alone).metadata[b"understandability"])
    )


def test_a_run_tells_what_came_of_it(
    tmp_path: Path, crawl: Path, told: subprocess.CompletedProcess[str], understand: Run
) -> None:
    """At its end and on request: documents, errors by stage, difficulties."""
    run = told.args[3]
    status = understand("crawl", "status", run)
    for each in (told.stderr, status.stdout):
        assert f"{run[:-1]}: 24 documents of 3 of 3 inputs, 20 scored, 4 errors" in each
        assert "errors in read: 2" in each
        assert "errors in decode: 2" in each
        assert "\n 90-100 " in each
        assert "passed over: files with the suffix .exe, such as " in each
    assert "passed over: files with the suffix .exe, such as " in told.stderr
    assert "bundle " in told.stderr
    quiet = understand(
        "score", crawl, "-o", f"{tmp_path}/run2/", "--workers", 1, *QUICK, "--quiet", "--strict"
    )
    assert (quiet.returncode, quiet.stdout) == (1, "")
    (line,) = quiet.stderr.splitlines()  # nothing may be lost in silence
    assert line.startswith("passed over: files with the suffix .exe, such as ")


def test_an_interrupted_run_goes_on(crawl: Path, run: Path, understand: Run) -> None:
    """Finished parts stay, missing ones are made, and a finished run does nothing."""
    command = ("score", crawl, "-o", f"{run}/", "--workers", 1, *QUICK)
    parts = sorted((run / "scores").iterdir())
    before = {part.name: part.stat().st_mtime_ns for part in parts}
    content = parts[1].read_bytes()
    parts[1].unlink()
    assert understand(*command).returncode == 0
    after = {part.name: part.stat().st_mtime_ns for part in sorted((run / "scores").iterdir())}
    assert {name for name in before if before[name] != after[name]} == {parts[1].name}
    assert parts[1].read_bytes() == content
    assert "0 documents now" in understand(*command).stderr


def test_another_run_in_the_same_folder_is_refused(crawl: Path, run: Path, understand: Run) -> None:
    """The difference is named: a setting, a limit, an input that has changed."""
    command = ("score", crawl, "-o", f"{run}/", *QUICK)
    for options, difference in (
        (("--threshold", "30"), "threshold was 60.0 and is now 30.0"),
        (("--features", "--limit-mb", "5"), "limit mb was 10.0 and is now 5.0; features was False"),
    ):
        told = understand(*command, *options, status=2)
        assert f"{run} holds another crawl: {difference}" in told.stderr
    page = crawl / "p.html"
    before = page.read_text()
    page.write_text("Another text.")
    try:
        told = understand(*command)
    finally:
        page.write_text(before)
    assert "p.html" in told.stderr
    assert told.returncode == 2


def test_shards_make_one_run(tmp_path: Path, crawl: Path, alone: Path, understand: Run) -> None:
    """Without a coordinator; the last one completes the folder."""
    run = f"{tmp_path}/run/"
    for i in (1, 2, 3):
        understand("score", crawl, "-o", run, "--shard", f"{i}/3", "--workers", 1, *QUICK, status=0)
        unfinished = understand("crawl", "merge", run, "-o", f"{tmp_path}/m.parquet")
        assert unfinished.returncode == (0 if i == 3 else 2)
    assert "not finished" not in unfinished.stderr
    assert rows(tmp_path / "m.parquet") == rows(alone)
    wrong = understand("score", crawl, "-o", run, "--shard", "4/3")
    assert "--shard takes I/N with I from 1 to N, such as 2/8, not '4/3'" in wrong.stderr


def test_fewer_inputs_than_shards_are_told_of(tmp_path: Path, understand: Run) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in "ab":
        (pages / f"{name}.txt").write_text("You have flu. Rest, and drink water.")
    told = [
        understand(
            "score", pages, "-o", f"{tmp_path}/run/", "--shard", shard, "--workers", 1, *QUICK
        )
        for shard in ("1/1", "1/2")
    ]
    assert [each.returncode for each in told] == [0, 0]
    warning = "there are fewer inputs (1) than shards (2), so some shards have nothing to do"
    assert [warning in each.stderr for each in told] == [False, True]


def test_looking_documents_up(crawl: Path, run: Path, understand: Run) -> None:
    told = understand("crawl", "lookup", run, "d1-7", "d0-4", "d9", status=1)
    assert told.stderr == f"d9 is not in {run}\n"
    result, failed = map(json.loads, told.stdout.splitlines())
    assert 0 <= result["p_understandable"] <= 1
    assert (failed["docno"], failed["stage"]) == ("d0-4", "decode")
    assert "is not a crawl folder" in understand("crawl", "lookup", str(crawl), "d1-7").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shard", "1/2"], "--shard belongs to a crawl folder, which the terminal is not"),
        (["-o", "scores"], "is not in a supported table format"),
        (
            ["-o", "s.parquet", "--shard", "1/2"],
            "--shard belongs to a crawl folder, which s.parquet",
        ),
        (["-o", "run/", "--runner", "slurm"], "runner 'slurm' does not exist; choose one of local"),
        (["-o", "run/", "--address", "auto"], "give --runner ray as well"),
        (["-o", "run/", "--limit-seconds", "inf"], "--limit-seconds"),
        (["-o", "run/", "--limit-mb", "inf"], "--limit-mb"),
        (["-o", "run/", "--limit-seconds", "nan"], "--limit-seconds"),
        (["-o", "run/", "--workers", "0"], "--workers"),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path, crawl: Path, understand: Run, arguments: list[str], message: str
) -> None:
    told = understand("score", crawl, *arguments, cwd=tmp_path, status=2)
    assert message in told.stderr
    assert not (tmp_path / "run").exists()


def test_names_that_no_table_can_hold(tmp_path: Path, understand: Run) -> None:
    """Half a character from JSON, from a file name: escaped, and the run goes on."""
    lines = ['{"id": "half \\ud800", "text": "Some words."}', '{"id": "x", "text": "More words."}']
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "caf\udce9.html").write_text("<p>Words.")
    for output in ("run/", "alone.parquet"):
        understand(
            "score", "d.jsonl", "pages", "-o", output, "--workers", 1, *QUICK, cwd=tmp_path,
            status=0,
        )  # fmt: skip
    scores = pq.read_table(tmp_path / "run" / "scores")
    assert sorted(scores["docno"].to_pylist()) == ["caf\\udce9.html", "half \\ud800", "x"]
    result = understand("crawl", "lookup", "run", "caf\udce9.html", cwd=tmp_path)
    assert json.loads(result.stdout)["docno"] == "caf\\udce9.html"
    for part in (tmp_path / "run" / "scores").iterdir():
        part.unlink()
    status = understand("crawl", "status", "run", cwd=tmp_path, status=0)
    assert "not complete: pages/caf\\udce9.html" in status.stdout
