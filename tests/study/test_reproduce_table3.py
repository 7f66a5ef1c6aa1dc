"""Table 3 of the study of 2018: cells from published values, and the reason for each other cell."""

import re
from pathlib import Path

import pytest
from scripts.reproduce import study2018


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "clef" / "clef2016"
    write(folder / "task2.qrels.gz", "1 0 a 1\n1 0 b 2\n2 0 b 0\n1 0 c 1\n1 0 d 0\n")
    write(folder / "task2.qunder.gz", "1 0 a 0\n1 0 b 1\n2 0 b 3\n1 0 c 3\n1 0 d 3\n")
    return tmp_path


def test_published_values_are_joined_with_mean_labels(data: Path) -> None:
    """Of relevant documents only; b has the mean of two labels, d is not relevant."""
    method = "CHV mean score for all concepts"
    assert study2018.values_of(data, "2016", method) is None
    file, column = study2018.PUBLISHED_VALUES["2016", method]
    path = data / "clef" / study2018.ANALYSER / file
    write(path, f"filename,other,{column}\na,9,0.5\nb,9,0.25\nd,9,0.125\n")
    found = study2018.values_of(data, "2016", method)
    assert found is not None
    values, labels, why = found
    assert values.tolist() == [0.5, 0.25]
    assert labels.tolist() == [0.0, 2.0]
    assert why.startswith("2 relevant documents")


def test_parts_of_a_file_joined_without_a_line_break_are_separated(data: Path) -> None:
    method = "Number of MeSH concepts"
    file, column = study2018.PUBLISHED_VALUES["2016", method]
    path = data / "clef" / study2018.ANALYSER / file
    prefix = study2018.PART_PREFIX
    write(path, f"filename,{column},depth\n{prefix}a,9,0.5{prefix}b,4,0.25\nc,1,0.125\n")
    found = study2018.values_of(data, "2016", method)
    assert found is not None
    assert found[0].tolist() == [9.0, 4.0, 1.0]


@pytest.mark.parametrize(
    ("method", "extraction", "ends", "reason"),
    [
        ("CHV mean score for all concepts", "Naive", "FP", r"clef2015_metamap_chv.txt .* of 2016"),
        ("SMOG Index", "Jst", "NFP", r"no published values .* \(jusText, no forced periods\)"),
        ("Number of P tags", "None", "", "needs the elements of the pages of 2015"),
    ],
)
def test_each_other_cell_has_its_reason(
    method: str, extraction: str, ends: str, reason: str
) -> None:
    line = {"year": "2015", "method": method, "extraction": extraction, "sentence_ends": ends}
    assert re.search(reason, study2018.missing(line))


def test_pronouns_of_2016_are_published_of_another_pipeline() -> None:
    line = {
        "year": "2016",
        "method": "Number of pronouns",
        "extraction": "Boi",
        "sentence_ends": "FP",
    }
    reason = study2018.missing(line)
    assert "clef2016_nltk_jst_nfp.txt" in reason
    assert reason.endswith("print counts them with boilerpipe, forced periods")
