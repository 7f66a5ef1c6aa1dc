"""Pages that hang, crash or grow cost themselves, and no other page."""

import os
import pickle
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.conftest import Python

from understandability.crawls.page_process import IsolatedScorer, Limits
from understandability.crawls.parts import Chunk
from understandability.errors import InputError, OptionError
from understandability.resources import resource
from understandability.scoring import Scorer, Settings
from understandability.text.page import HTML, Page

pytestmark = pytest.mark.slow

SETTINGS = Settings(extractor="naive")
MAKER = pickle.dumps(Scorer(SETTINGS))


def chunk_of(*texts: str, start: int = 0) -> Chunk:
    pages = tuple(
        Page(f"d{start + i}", "test", f"<p>Some words stand here. {text}".encode(), HTML)
        for i, text in enumerate(texts)
    )
    return Chunk(tuple(range(start, start + len(texts))), pages)


def outcomes(chunks: list[Chunk], limits: Limits) -> tuple[set[str], dict[str, tuple[str, str]]]:
    """Score chunks; return the documents with rows, and stage and error of the others."""
    scored: set[str] = set()
    failed: dict[str, tuple[str, str]] = {}
    with IsolatedScorer(MAKER, limits) as score:
        for chunk in chunks:
            for result in score(chunk):
                scored |= set(result.table["docno"].to_pylist()) if result.table else set()
                failed |= {f.docno: (f.stage, f.error) for _, f in result.failures}
    return scored, failed


def children() -> set[int]:
    """The processes that this one has started and that have not been waited for."""
    ended = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    lines = (line.split() for line in ended.stdout.splitlines())
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
    scored, failed = outcomes(chunks, Limits(seconds=1.5))
    assert scored == {"d0", "d2", "d11", "d20", "d31"}
    too_long = (
        "the page took longer than 1.5 s in stage {} and was stopped; raise --limit-seconds to "
        "wait for it"
    )
    assert failed == {
        "d1": ("time", too_long.format("extract")),
        "d10": ("extract", "the page ended its process twice, the second time by SIGSEGV"),
        "d21": ("extract", "the page ended its process twice, the second time by exit status 3"),
        "d22": ("score", "ZeroDivisionError: planted"),
        "d30": ("time", too_long.format("score")),
    }
    assert children() == before


@pytest.mark.usefixtures("hazards")
def test_a_page_that_waits_for_ever_is_stopped() -> None:
    """Time by the clock counts if a page takes no processor time, ten times as long."""
    _, failed = outcomes([chunk_of("SLEEP")], Limits(seconds=0.3))
    assert failed["d0"][1].startswith("the page took longer than 0.3 s in stage extract")


@pytest.mark.usefixtures("hazards")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="requires /proc")
def test_a_page_that_eats_memory_is_stopped() -> None:
    """The process does not grow far beyond its limit, and the other pages are scored."""
    scored, failed = outcomes([chunk_of("one", "EAT", "two")], Limits(megabytes=700))
    assert scored == {"d0", "d2"}
    assert failed["d1"] == (
        "memory",
        "the page needed more than 700 MB in stage extract and was stopped; raise --worker-mb to "
        "allow it",
    )


@pytest.mark.usefixtures("hazards")
def test_a_machine_without_memory_is_no_fault_of_the_page() -> None:
    """`MemoryError` in a fresh process has a stage of its own, which a later run tries again."""
    scored, failed = outcomes([chunk_of("one", "STARVE", "LACK", "two")], Limits())
    assert scored == {"d0", "d3"}
    assert failed == {
        "d1": ("environment", "MemoryError: planted"),
        "d2": ("environment", "OSError: [Errno 24] Too many open files"),
    }


@pytest.mark.usefixtures("hazards")
def test_a_page_whose_process_was_killed_once_is_tried_again(tmp_path: Path) -> None:
    """The out-of-memory killer and operators kill processes whose page is innocent."""
    flag = tmp_path / "first"
    outcome = outcomes([chunk_of(f" ONCE:{flag}:", "one")], Limits())
    assert outcome == ({"d0", "d1"}, {})
    assert flag.exists()


def test_processes_killed_from_outside_cost_nothing() -> None:
    """They may be starting, idle or busy."""
    before = children()
    scored: list[str] = []
    with IsolatedScorer(MAKER, Limits()) as score:
        for number in range(12):
            if number % 3 == 2:
                for pid in children() - before:
                    os.kill(pid, signal.SIGKILL)
            for result in score(chunk_of(*["words"] * 8, start=8 * number)):
                assert not result.failures
                assert result.table is not None
                scored += result.table["docno"].to_pylist()
    assert scored == [f"d{i}" for i in range(96)]
    assert children() == before


def test_processes_take_no_module_of_the_folder_they_start_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a crawl may hold a file with the name of a module of Python."""
    (tmp_path / "logging.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    assert outcomes([chunk_of("one")], Limits()) == ({"d0"}, {})


def test_rows_are_those_of_the_scorer_itself() -> None:
    """A table comes back from the process as `Scorer.rows` returns it."""
    from understandability.scoring import document_or_failure

    chunk = chunk_of("one", "two", "three")
    scorer = Scorer(SETTINGS)
    documents = [document_or_failure(page, SETTINGS) for page in chunk.pages]
    with IsolatedScorer(MAKER, Limits()) as score:
        (result,) = score(chunk)
    assert result.table is not None
    assert result.table.equals(scorer.rows(documents))  # type: ignore[arg-type]


def test_processes_that_cannot_start_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run does not start processes in vain for ever."""
    with (
        pytest.raises(OptionError, match="--worker-mb 20 is too little"),
        IsolatedScorer(MAKER, Limits(megabytes=20)) as score,
    ):
        score(chunk_of("one"))
    monkeypatch.setattr("understandability.crawls.page_process._PROGRAM", "raise SystemExit(5)")
    with (
        pytest.raises(InputError, match="worker processes end at their start, by exit status 5"),
        IsolatedScorer(MAKER, Limits()) as score,
    ):
        score(chunk_of("one"))


def test_an_interrupted_run_leaves_no_process() -> None:
    before = children()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        IsolatedScorer(MAKER, Limits(), interrupt) as score,
    ):
        score(chunk_of("one"))
    assert children() == before


@pytest.mark.usefixtures("hazards")
def test_watching_stops_a_page_that_is_being_scored() -> None:
    """A worker whose parent has gone does not wait for its page."""
    calls = 0

    def watch() -> None:
        nonlocal calls
        calls += 1
        if calls > 60:  # some seconds
            raise EOFError

    with pytest.raises(EOFError), IsolatedScorer(MAKER, Limits(), watch) as score:
        score(chunk_of("HANG"))


@pytest.mark.usefixtures("hazards")
def test_a_process_ends_with_its_time_limit_even_without_its_parent() -> None:
    """The kernel's timer ends a process that hangs; any other sees its socket close."""
    from understandability.crawls.page_process import OUT_OF_TIME, _PageProcess

    process = _PageProcess(MAKER)
    assert process.receive() == b""
    process.send((chunk_of("HANG").pages, 0.5))
    time.sleep(0.1)
    process.connection.close()  # as the kernel does when the parent dies
    assert -process._process.wait() in OUT_OF_TIME


def test_a_process_of_ours_starts_without_pandas(python: Python) -> None:
    """Arrow would import it; other modules can."""
    pytest.importorskip("pandas")
    program = """if True:
        import sys
        from understandability.crawls.processes import arrow_without_pandas
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
