"""The study's main experiment: every score under every pipeline against labels."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import EASY, HARD, Run

from understandability.errors import InputError, OptionError
from understandability.feature.catalogue import COLUMNS
from understandability.inputs.run import Labels
from understandability.model.bundle import load_bundle
from understandability.study.grid import (
    BEST,
    ESTIMATORS,
    PIPELINES,
    StudyGrid,
    null_sizes,
    run_grid,
)
from understandability.text.page import Failure, Page

pytestmark = pytest.mark.slow

PAGES = 36


def page(number: int) -> Page:
    """The higher the number modulo 6, the more of the page is hard."""
    hard = number % 6
    paragraphs = [HARD] * hard + [EASY] * (6 - hard) + [f"This is number {number} of all pages."]
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return Page(f"p{number}", "", f"<html><body>{body}</body></html>".encode())


def labels(name: str, step: float = 1.0) -> Labels:
    return Labels.of_documents(name, {f"p{i}": step * (i % 6) for i in range(PAGES)})


@pytest.fixture(scope="module")
def grid() -> StudyGrid:
    pages = [*map(page, range(PAGES)), page(0), Page("extra", "", b"<p>Hi.</p>")]
    pages.append(Page("pdf", "", b"%PDF-1.7 ..."))
    one = {**{f"p{i}": float(i % 6) for i in range(PAGES)}, "pdf": 3.0}
    judged = {
        name: Labels.of_documents(name, values)
        for name, values in (("one", one), ("two", {"p1": 1, "p5": 4, "gone": 2}))
    }
    return run_grid([*pages, Failure("bad", "x", "read", "cut")], judged, [load_bundle("llr")])


def test_every_column_and_bundle_under_every_pipeline(grid: StudyGrid) -> None:
    """Three extractors by three kinds of sentence ends."""
    assert len(PIPELINES) == 9
    assert len(grid.cells) == 9 * (len(COLUMNS) + 1)
    names = {cell.name for cell in grid.cells if cell.pipeline == "justext, none"}
    assert names == {*COLUMNS, "llr"}
    assert {cell.n for cell in grid.cells if cell.name == "smog"} == {PAGES, 0}  # jusText: nothing


def test_correlations_are_those_of_the_values(grid: StudyGrid) -> None:
    """Difficulty rises with the label, Flesch's ease falls; what never varies has none."""
    of = {cell.name: cell for cell in grid.cells if cell.pipeline == "naive, force-period"}
    assert of["llr"].spearman > 0.9
    assert of["flesch_reading_ease"].kendall < -0.9
    assert np.isnan(of["html_table"].pearson)


def test_the_best_of_a_group_leads_by_some_coefficient(grid: StudyGrid) -> None:
    """Whatever the sign, and no score that most pages lack."""
    best = grid.best()
    assert {cell.group for cell in best["llr"]} == {ESTIMATORS}
    cells = [cell for cell in grid.cells if cell.group == "readability"]
    top = np.nanmax([abs(cell.spearman) for cell in cells])
    assert any(abs(cell.spearman) == top for cell in best["readability"])
    assert len(best["readability"]) <= 3
    assert "consumer vocabulary" not in best  # nothing is installed


def test_the_spread_has_the_sizes_of_one_pipeline(grid: StudyGrid) -> None:
    spread = grid.spread("kendall")
    assert list(spread) == [", ".join(pipeline) for pipeline in PIPELINES]
    for sizes in spread.values():
        assert ((sizes >= 0) & (sizes <= 1)).all()


def test_what_is_left_out_is_named(grid: StudyGrid) -> None:
    """Pages without a label, labels without a page, pages that cannot be read."""
    assert grid.pages == PAGES
    assert grid.unlabelled == ("extra",)
    assert grid.absent == ("gone",)
    assert [failure.docno for failure in grid.failures] == ["p0", "pdf", "bad"]


def test_the_null_line_is_what_the_best_of_noise_reaches(grid: StudyGrid) -> None:
    """Far above one correlation by chance; the values of a slow shuffle agree."""
    assert set(grid.null) == {"pearson", "spearman"}
    assert 0.4 < grid.null["spearman"] < 1
    assert "shuffled labels" in grid.tables()[BEST].to_markdown()
    generator = np.random.default_rng(3)
    noise, truth = generator.random((24, 300)), generator.random(24)
    noise[5, :100] = np.nan
    largest = []
    for _ in range(200):
        labels = generator.permutation(truth)
        sizes = []
        for column in noise.T:
            known = np.isfinite(column)
            sizes.append(abs(np.corrcoef(column[known], labels[known])[0, 1]))
        largest.append(max(sizes))
    assert null_sizes(noise, truth)["pearson"] == pytest.approx(
        np.percentile(largest, 95), abs=0.05
    )


def test_the_report_is_plain_data(grid: StudyGrid) -> None:
    plain = json.loads(json.dumps(grid.as_dict()))
    assert plain["pages"] == PAGES
    assert plain["unlabelled"] == ["extra"]
    assert len(plain["spread"]["pearson"]["naive, none"]) == 5


def test_assessors_are_compared_on_what_both_judged(grid: StudyGrid) -> None:
    (agreement,) = grid.agreements
    assert agreement.assessors == ("one", "two")
    assert agreement.n == 2
    assert agreement.pearson == pytest.approx(1)


def test_where_higher_is_easier_signs_turn() -> None:
    pages = [page(number) for number in range(PAGES)]
    turned = run_grid(pages, {"one": labels("one")}, direction="easier")
    plain = run_grid(pages, {"one": labels("one", -1.0)})
    assert turned.cells[0] == plain.cells[0]


@pytest.mark.parametrize(
    ("count", "values", "message"),
    [
        (9, range(36), "9 of the pages have a label; at least 10"),
        (36, range(9), "the labels are of 9 documents; at least 10"),
        (36, [1] * 36, "all labels are the same; they must differ"),
        (36, [1] * 36 + [2], "all labels of the pages are the same"),
    ],
)
def test_labels_that_tell_nothing_are_refused(count: int, values: list[int], message: str) -> None:
    given = Labels.of_documents("x", {f"p{i}": float(v) for i, v in enumerate(values)})
    with pytest.raises(InputError, match=message):
        run_grid(map(page, range(count)), {"x": given})


def test_a_direction_that_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionError, match="does not say whether higher or lower values are harder"):
        run_grid([], {"x": labels("x")}, direction="up")


def test_the_experiment_from_the_command_line(understand: Run, tmp_path: Path) -> None:
    """Two assessors in one table, a box plot, all correlations as a table."""
    folder = tmp_path / "pages"
    folder.mkdir()
    with (tmp_path / "labels.tsv").open("w") as file:
        file.write("docno\tann\tbob\n")
        for number in range(PAGES):
            (folder / f"p{number}.html").write_bytes(page(number).content)
            file.write(f"p{number}.html\t{number % 6}\t{number % 6 + number % 2}\n")
    done = understand(
        "grid", folder, "--labels", tmp_path / "labels.tsv", "--bundle", "llr",
        "--direction", "harder", "-o", tmp_path / "all.csv", "--plot", tmp_path / "spread.svg",
        status=0,
    )  # fmt: skip
    assert "labels.tsv:ann and" in done.stdout
    with (tmp_path / "all.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 9 * (len(COLUMNS) + 1)
    assert (tmp_path / "spread.svg").read_text().startswith("<svg")
