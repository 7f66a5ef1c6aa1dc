"""Quick versions of ``scripts/faults/crawl.py``: whatever happens, the rows are the same."""

from typing import Any

import pytest
from scripts.faults import crawl as faults

pytestmark = pytest.mark.slow
PAGES = [
    f"<html lang=en><title>Page {i}</title><p>{sentence} <p>Number {i} of many.".encode()
    for i in range(40)
    for sentence in (
        "You have flu. Rest and drink water, and see a doctor if you do not get better. " * 12,
        "Influenza is an acute infection caused by orthomyxoviruses of several types. " * 8,
    )
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A crawl of 3,000 small documents in two inputs of two parts, and its undisturbed rows."""
    work = tmp_path_factory.mktemp("faults")
    faults.build_crawl(work / "crawl", PAGES, 3000, files=2)
    # The cases test the run and not the scores, so the fastest settings will do.
    options = ("--workers", "1", "--bundle", "llr", "--extractor", "naive")
    return faults.Bench(work / "bench", work / "crawl", kills=2, options=options)


@pytest.mark.parametrize(
    "name",
    [
        "killed_as_a_whole",
        "killed_parent",
        "killed_workers",
        "full_disk",
        "read_only",
        "truncated_input",
        "moved_clock",
        "two_copies",
        "array_job",
        "terminated",
        "tables",
        "many_files",
    ],
)
def test_a_disturbed_run_ends_with_the_same_rows(bench: Any, name: str) -> None:
    """The case's docstring says what disturbs it."""
    try:
        faults.CASES[name](bench)
    except faults.NotHereError as reason:
        pytest.skip(str(reason))


def test_every_case_has_its_quick_version() -> None:
    """A case that is added to the script is added here."""
    [marker] = test_a_disturbed_run_ends_with_the_same_rows.pytestmark  # type: ignore[attr-defined]
    assert marker.args[1] == list(faults.CASES)
