"""Workers that hang, crash, grow or are killed: it costs the guilty page, and no other."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import Python

from understandability.crawls.reading import Chunk, OpenPart, Scored
from understandability.crawls.workers import Limits, Workers
from understandability.errors import InputError, OptionError
from understandability.resources import resource
from understandability.scoring import Scorer, Settings
from understandability.text.page import HTML, Page

pytestmark = pytest.mark.slow

SETTINGS = Settings(extractor="naive")


def chunk_of(*texts: str, start: int = 0) -> Chunk:
    pages = tuple(
        Page(f"d{start + i}", "test", f"<p>Some words stand here. {text}".encode(), HTML)
        for i, text in enumerate(texts)
    )
    return Chunk(OpenPart(0, 0, wanted=True), tuple(range(start, start + len(texts))), pages)


def outcomes(
    chunks: list[Chunk], limits: Limits, workers: int = 1
) -> tuple[set[str], dict[str, tuple[str, str]]]:
    """The documents that were scored, and stage and error of the others."""
    scored: set[str] = set()
    failed: dict[str, tuple[str, str]] = {}
    with Workers(Scorer(SETTINGS), workers, limits) as pool:
        for each in pool.run(iter(chunks)):
            if each is not None:
                scored |= set(each.table["docno"].to_pylist()) if each.table else set()
                failed |= {f.docno: (f.stage, f.error) for _, f in each.failures}
    return scored, failed


def children() -> set[int]:
    """The processes that this one has started and that have not been waited for."""
    told = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    lines = (line.split() for line in told.stdout.splitlines())
    return {int(pid) for pid, name in lines if name != "ps"}


@pytest.mark.usefixtures("hazards")
def test_a_page_that_hangs_or_crashes_costs_itself_alone() -> None:
    """Its neighbours in the chunk are scored; its error says what happened, and where."""
    before = children()
    chunks = [
        chunk_of("one", "HANG", "two"),
        chunk_of("CRASH", "three", start=10),
        chunk_of("four", "EXIT", "RAISE", start=20),
        chunk_of("LINGER", "five", start=30),
    ]
    scored, failed = outcomes(chunks, Limits(seconds=1.5), workers=2)
    assert scored == {"d0", "d2", "d11", "d20", "d31"}
    too_long = (
        "the page took longer than 1.5 s and was stopped; raise --limit-seconds to wait for it"
    )
    assert failed == {
        "d1": ("extract", too_long),
        "d10": ("extract", "the page ended its process twice, the second time by SIGSEGV"),
        "d21": ("extract", "the page ended its process twice, the second time by exit status 3"),
        "d22": ("score", "ZeroDivisionError: planted"),
        "d30": ("score", too_long),
    }
    assert children() == before


@pytest.mark.usefixtures("hazards")
def test_a_page_that_waits_for_ever_is_stopped() -> None:
    """Time by the clock counts where a page takes no processor time; a busy machine's does not."""
    _, failed = outcomes([chunk_of("SLEEP")], Limits(seconds=0.3))
    assert failed["d0"][1].startswith("the page took longer than 0.3 s and was stopped")


@pytest.mark.usefixtures("hazards")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is told by /proc")
def test_a_page_that_eats_memory_is_stopped() -> None:
    """The worker does not grow far beyond its limit, and the other pages are scored."""
    scored, failed = outcomes([chunk_of("one", "EAT", "two")], Limits(megabytes=700))
    assert scored == {"d0", "d2"}
    assert failed["d1"] == (
        "extract",
        "the page needed more than 700 MB and was stopped; raise --worker-mb to allow it",
    )


@pytest.mark.usefixtures("hazards")
def test_a_page_whose_worker_was_killed_once_is_tried_again(tmp_path: Path) -> None:
    """The out-of-memory killer and operators kill workers whose page is innocent."""
    flag = tmp_path / "first"
    outcome = outcomes([chunk_of(f" ONCE:{flag}:", "one")], Limits())
    assert outcome == ({"d0", "d1"}, {})
    assert flag.exists()


def test_workers_killed_from_outside_cost_nothing() -> None:
    """Whether they are starting, idle or at work."""
    chunks = [chunk_of(*["words"] * 8, start=8 * i) for i in range(24)]

    def slowly() -> Iterator[Chunk | None]:
        for number, chunk in enumerate(chunks):
            if number % 8 == 7:
                for pid in children() - before:
                    os.kill(pid, signal.SIGKILL)
            yield chunk

    before = children()
    scored: list[str] = []
    with Workers(Scorer(SETTINGS), 2, Limits()) as pool:
        for each in pool.run(slowly()):
            if each is not None:
                assert not each.failures
                scored += each.table["docno"].to_pylist()
    assert sorted(scored) == sorted(page.docno for chunk in chunks for page in chunk.pages)
    assert children() == before


def test_reading_is_never_far_ahead_of_scoring() -> None:
    """At most one chunk waits for each worker, besides those that are being scored."""
    given = done = 0

    def counted() -> Iterator[Chunk | None]:
        nonlocal given
        for number in range(30):
            given += 1
            assert given - done <= 2 * 2 + 1
            yield chunk_of("words", start=number)

    with Workers(Scorer(SETTINGS), 2, Limits()) as pool:
        for each in pool.run(counted()):
            done += each is not None
    assert done == 30


@pytest.mark.usefixtures("hazards")
def test_workers_are_watched_while_nothing_is_read() -> None:
    """An input of errors, or of finished parts to be read past, does not hide what they do."""
    done = False

    def reading() -> Iterator[Chunk | None]:
        yield chunk_of("EAT")
        while not done:
            time.sleep(0.01)
            yield None

    with Workers(Scorer(SETTINGS), 1, Limits(megabytes=700)) as pool:
        turns = 0
        for each in pool.run(reading()):
            turns += 1
            done = done or each is not None
    assert each is None or each.failures
    assert turns > 10


def test_workers_take_no_module_of_the_folder_they_start_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl's folder may hold a file of any name, such as that of a module of Python."""
    (tmp_path / "logging.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert outcomes([chunk_of("one")], Limits()) == ({"d0"}, {})


def test_rows_are_those_of_the_scorer_itself() -> None:
    """A table comes back from a worker as `Scorer.rows` gives it."""
    from understandability.scoring import document_or_failure

    chunk = chunk_of("one", "two", "three")
    scorer = Scorer(SETTINGS)
    documents = [document_or_failure(page, SETTINGS) for page in chunk.pages]
    with Workers(Scorer(SETTINGS), 1, Limits()) as pool:
        (each,) = [each for each in pool.run(iter([chunk])) if isinstance(each, Scored)]
    assert each.table.equals(scorer.rows(documents))  # type: ignore[arg-type]


def test_workers_that_cannot_start_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run does not go on for ever starting processes in vain."""
    with (
        pytest.raises(OptionError, match="--worker-mb 20 is too little"),
        Workers(Scorer(SETTINGS), 1, Limits(megabytes=20)) as pool,
    ):
        list(pool.run(iter([chunk_of("one")])))
    monkeypatch.setattr("understandability.crawls.workers._PROGRAM", "raise SystemExit(5)")
    with (
        pytest.raises(InputError, match="worker processes end at their start, by exit status 5"),
        Workers(Scorer(SETTINGS), 1, Limits()) as pool,
    ):
        list(pool.run(iter([chunk_of("one")])))


def test_an_interrupted_run_leaves_no_process() -> None:
    before = children()

    def interrupted() -> Iterator[Chunk]:
        yield chunk_of("one")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Workers(Scorer(SETTINGS), 2, Limits()) as pool:
        list(pool.run(interrupted()))
    assert children() == before


@pytest.mark.usefixtures("hazards")
def test_a_worker_ends_with_its_time_limit_even_without_its_parent() -> None:
    """The kernel's timer ends a worker that hangs; one that does not sees its socket close."""
    from understandability.crawls.workers import _Worker

    worker = _Worker(Scorer(SETTINGS))
    assert worker.receive() == b""
    worker.give(chunk_of("HANG"), 0.5)
    time.sleep(0.1)
    worker.connection.close()  # what the kernel does when the parent dies
    worker._process.wait()
    assert worker.cause_of_death() == "its time limit"


def test_a_process_of_ours_starts_without_pandas(python: Python) -> None:
    """Arrow would import it; who asks for it by name gets it."""
    pytest.importorskip("pandas")
    program = """if True:
        import sys
        from understandability.crawls.child import arrow_without_pandas
        arrow_without_pandas()
        from understandability.scoring import Scorer
        Scorer().rows([])
        assert "pandas" not in sys.modules
        import pandas"""
    python(program)


def test_the_command_scores_without_pandas(python: Python) -> None:
    pytest.importorskip("pandas")
    program = f"""if True:
        import sys
        from understandability.cli import main
        sys.argv[1:] = ["score", {str(resource("samples/easy.html"))!r}]
        try:
            main()
        except SystemExit as end:
            assert not end.code
        assert "pandas" not in sys.modules"""
    python(program)
