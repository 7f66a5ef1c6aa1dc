"""What all tests share: where the real data is, and how the command is run."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from scripts.browser import BrowserPage

# The first example of a test may have to load a list of words.
# Each run has the same examples; `scripts.faults` and --hypothesis-profile=thorough look for new.
settings.register_profile("understandability", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("understandability")

# Arrays of tests are small: further threads would only wait, and take processor time for it.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "resources" / "samples"
PANEL = ROOT / "tests" / "panel"
# Tests with one of these start processes, a browser, or read the real data.
SLOW_FIXTURES = frozenset(
    ("understand_process", "python", "script", "shared_data", "lexicons", "hazards", "browser")
)
# Examples in docstrings that train, start workers, score a folder of pages for a grid, or look up
# each word of English that has a vector.
SLOW_EXAMPLES = (
    "model.language_columns.language_columns",
    "crawls.merge.merge",
    "crawls.score.crawl",
    "training.validation.validate",
    "training.train.train",
    "study.simulate_grid.simulate_grid",
)
# What `st.text` takes by itself, which it finds by encoding each character: that takes a second.
CHARACTERS = st.characters(exclude_categories=["Cs"])
Run = Callable[..., subprocess.CompletedProcess[str]]
Python = Callable[[str], str]


def own_words(number: int) -> str:
    """A sentence of words that no other text has, so that two texts are no near-duplicates."""
    return " ".join(f"word{number}x{index}" for index in range(60)) + "."


EASY = "The cat sat on a mat. It was hot. We had a drink of milk and went to bed."
HARD = (
    "Pharmacokinetic heterogeneity substantially complicates extrapolation of therapeutic "
    "concentrations across immunocompromised populations."
)
# A paragraph that any extractor keeps.
LONG = (
    "The flu is an illness that is caused by a virus, and most of the people who have it are "
    "well again after a week in which they stay at home and drink what they can."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--allow-skip",
        action="append",
        metavar="WORDS",
        help="fail on each skipped test whose reason contains none of these words",
    )
    parser.addoption("--perturb", action="store_true", help="change the seventh digit of estimates")


@pytest.fixture(scope="session", autouse=True)
def _perturbed_numbers(request: pytest.FixtureRequest) -> Iterator[None]:
    """With ``--perturb``, numbers are those of another processor."""
    from tests.perturbation import perturb

    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("perturb"):
            perturb(patch)
        yield


def is_allowed(report: pytest.TestReport | pytest.CollectReport, allowed: list[str] | None) -> bool:
    """Return True unless the report is of a skip that ``--allow-skip`` does not name."""
    if not report.skipped or allowed is None or hasattr(report, "wasxfail"):
        return True
    return any(words in str(report.longrepr) for words in allowed)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With ``--allow-skip``, a test that is skipped for another reason fails."""
    report = yield
    if not is_allowed(report, item.config.getoption("allow_skip")):
        report.outcome = "failed"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """And so does a file of tests."""
    report = yield
    if not is_allowed(report, collector.config.getoption("allow_skip")):
        report.outcome = "failed"
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow what uses one of `SLOW_FIXTURES`, so that ``-m "not slow"`` takes seconds."""
    for item in items:
        uses_slow = SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ()))
        if uses_slow or item.name.endswith(SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """What was loaded so far stays: the collector of garbage need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def script() -> Run:
    """Run a script of the repository, as ``script("evaluate.extraction", "--check")``."""

    def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", f"scripts.{name}", *map(str, arguments)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def python() -> Python:
    """What a program prints in a process of its own, in which nothing is loaded yet."""

    def run(program: str) -> str:
        command = [sys.executable, "-c", program]
        return subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=120, check=True
        ).stdout

    return run


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora, labels, pages and runs; tests that need it skip without it."""
    folder = Path(os.environ.get("UNDERSTANDABILITY_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the real data; {folder} is not there (set UNDERSTANDABILITY_DATA)")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _no_installed_resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests see none of the vocabularies that the user has installed."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("resources")
        patch.setenv("UNDERSTANDABILITY_RESOURCES", str(folder))
        yield


@pytest.fixture(scope="session")
def _real_lexicons(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every vocabulary of the real data is installed."""
    from understandability.study.install import INSTALLABLE, install

    folder = tmp_path_factory.mktemp("lexicons")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNDERSTANDABILITY_RESOURCES", str(folder))
        for name in INSTALLABLE.keys() - {"metamap", "nltk-data"}:
            install(name, [str(shared_data / "lexicons")])
        install("nltk-data", [str(shared_data / "nltk_data")])
    return folder


@pytest.fixture
def lexicons(_real_lexicons: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The real vocabularies, installed for one test; do not change them."""
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(_real_lexicons))
    return _real_lexicons


class _Every:
    """Trusts each plain term."""

    def get(self, *_: object) -> _Every:
        return self

    def __contains__(self, _: str) -> bool:
        return True


@pytest.fixture
def every_plain_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust all plain terms: what tables and rules do is tested apart from what judges saw."""
    from understandability.writers.plain_terms import offers

    monkeypatch.setattr(offers, "trusted_terms", _Every)
    monkeypatch.setattr(offers, "_OFFERED", {})


@pytest.fixture(scope="module")
def few_resamples() -> Iterator[None]:
    """Intervals of correlations come from 8 samples, not 200, where a module is not about them."""
    from understandability.training import validation

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "_RESAMPLES", 8)
        yield


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that is not told how many workers to take has one, as each start takes a second."""
    monkeypatch.setattr("understandability.crawls.rows.physical_cores", lambda: 1)


@pytest.fixture(scope="session")
def understand_process() -> Run:
    """Run the command as a user does, in a process of its own, with warnings as errors."""

    def run(
        *arguments: str | Path, stdin: bytes | None = None, **options: object
    ) -> subprocess.CompletedProcess[str]:
        process = subprocess.run(
            [sys.executable, "-W", "error", "-m", "understandability", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            timeout=300,
            check=False,
            **options,  # type: ignore[call-overload]
        )
        return subprocess.CompletedProcess(
            process.args, process.returncode, process.stdout.decode(), process.stderr.decode()
        )

    return run


@pytest.fixture(scope="session")
def understand() -> Run:
    """Run the command in this process, with warnings as errors, and give what it printed.

    With `status` it has to end with that one.
    What needs a process of its own (signals, pipes, limits) takes `understand_process`.
    """
    from understandability.cli import status_of

    def run(
        *arguments: str | Path,
        stdin: bytes | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        status: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        words = [*map(str, arguments)]
        out, err = (
            io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace", write_through=True)
            for _ in range(2)
        )
        with ExitStack() as stack:
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("error")
            patch.setattr(sys, "argv", ["understand", *words])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin or b""), "utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            if cwd is not None:
                patch.chdir(cwd)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            ended = status_of(words)
        told = [each.buffer.getvalue().decode() for each in (out, err)]  # type: ignore[attr-defined]
        assert status in (None, ended), f"{words} ended with {ended}: {told[1]}"
        return subprocess.CompletedProcess(words, ended, *told)

    return run


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """The address of a server on this machine that answers every request so."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def do_POST(self) -> None:
            # What is sent is read to its end; the client would be cut off in the middle of it.
            self.rfile = io.BytesIO(self.rfile.read(int(self.headers["Content-Length"])))
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients leave early
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserPage]:
    """A tab of headless Chromium; tests that need it skip where there is none."""
    pytest.importorskip("websockets.sync.client", reason="needs the extra test")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))  # scripts are no package of the wheel
        from scripts.browser import browser_path, browsing

    if browser_path() is None:
        pytest.skip("needs a browser; neither chromium nor google-chrome is installed")
    with browsing(tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file of tests that cannot be imported fails; only a module of optional extras is left out.

    Because of ``--doctest-ignore-import-errors``, pytest would pass over the whole file in silence.
    """
    if (
        report.skipped
        and report.nodeid.startswith("tests/")
        and "unable to import" in str(report.longrepr)
    ):
        report.outcome = "failed"
