"""The published readings: what may be shipped, frozen folds, and a system's row."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scripts.evaluate.judged_texts import alphabetical, awkward_list, cut, shuffled
from scripts.evaluate.must_hold import Estimates, Judged, _held, key_of, version_0_2
from scripts.evaluate.readers import explained, shift
from scripts.evaluate.readings_set import FILE, Readings, may_be_shipped, row_of, row_of_file
from scripts.shared import records

from understandability.errors import InputError

ROWS = list(records(FILE))
PASSAGES = [row for row in ROWS if row["set"] == "passages"]


def test_all_that_was_read_is_there_once() -> None:
    assert Counter(row["set"] for row in ROWS) == {"passages": 3418, "pages": 138}
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        difficulty, share = np.mean(row["readings"], axis=0)
        assert (row["difficulty"], row["understand"]) == pytest.approx((difficulty, share))


def test_no_text_is_shipped_that_may_not_be() -> None:
    """Those of unclear licence, free in the USA alone, and whole pages have none."""
    for row in ROWS:
        if row["text"] is not None:
            assert row["set"] == "passages"
            assert "in the USA" not in row["licence"]
            assert "StackExchange" not in row["source"]
            if row["licence"].startswith("CC BY"):
                assert row["source"]
                assert row["title"]
                assert row["url_or_path"]
    assert not may_be_shipped({"stated": "elsewhere", "licence": "CC BY 4.0", "source": "a"})
    assert not may_be_shipped({"stated": "file", "source": "a", "licence": "free in the USA"})
    assert may_be_shipped({"stated": "law", "source": "a", "licence": "public domain"})
    assert FILE.stat().st_size < 3_000_000


def test_folds_keep_groups_and_kinds_whole() -> None:
    folds: dict[str, set[int]] = {}
    kinds: dict[str, set[int]] = {}
    for row in PASSAGES:
        folds.setdefault(row["group"], set()).add(row["fold"])
        kinds.setdefault(row["kind"], set()).add(row["kind_fold"])
    assert all(len(each) == 1 for each in (*folds.values(), *kinds.values()))
    assert len(kinds) == 100
    assert {row["fold"] for row in PASSAGES} == set(range(5))


def test_the_awkward_list_is_apart() -> None:
    """Nothing may learn from it, so none of it is among what is learned from."""
    awkward = awkward_list()
    assert len(awkward) == 40
    assert not {str(text.content) for text in awkward} & {row["text"] for row in PASSAGES}


@pytest.fixture
def three() -> Readings:
    """Texts whose difficulties are 10, 50 and 90; two of one half."""
    return Readings(
        ("a", "b", "c", "d"),
        ("", "", "", ""),
        np.array([10.0, 50.0, 90.0, 70.0]),
        np.array([1.0, 0.5, 0.0, 0.25]),
        np.array(["1", "2", "3", "4"]),
        np.array([False, False, True, True]),
    )


def test_a_system_has_its_row(three: Readings, tmp_path: Path) -> None:
    """By hand: perfect order in both halves; P is off by .1 and 0, then by .2 and .25."""
    path = tmp_path / "mine.csv"
    path.write_text("id,ease,p\na,9,0.9\nb,5,0.5\nc,1,0.2\nd,3,\n")
    found = row_of_file(f"{path}:ease:easier:p", three)
    assert found[:2] == ["mine, ease", "4"]
    assert [cell[:5] for cell in found[2:4]] == ["1.000", "1.000"]
    assert found[4:] == [".050", ".225"]


def test_scores_of_other_texts_are_refused(three: Readings) -> None:
    with pytest.raises(InputError, match="its ids must be those of"):
        row_of(three, "mine", np.full(4, np.nan), None)


def test_edits_change_what_they_say() -> None:
    text = "We took no one who had a fever. They were sent home."
    assert cut(text) == "We took no one who had. A fever They were sent home."
    assert alphabetical("The cat sat. A dog ran.") == "A cat dog ran sat The."
    assert sorted(shuffled(text).replace(".", "").split()) == sorted(text.replace(".", "").split())
    assert shuffled(text) == shuffled(text) != text


def test_what_explains_answers_and_how_far_readers_are_shifted() -> None:
    """By hand: means of kinds explain all, or less than chance; guessing alone tells no shift."""
    right = np.array([0.0, 0.0, 1.0, 1.0])
    assert explained(right, np.array(["a", "a", "b", "b"])) == 1
    assert explained(right, np.array(["a", "b", "a", "b"])) == pytest.approx(-0.5)
    assert shift(0.6, 0.6, 30.0, 0.25) == 0
    assert shift(0.5, 0.6, 30.0, 0.25) > 5
    assert shift(0.5, 0.6, 30.0, 0.4) > shift(0.5, 0.6, 30.0, 0.25)
    assert np.isnan(shift(0.2, 0.6, 30.0, 0.25))


def test_what_version_0_2_said_is_kept() -> None:
    """Of each text of the awkward list, and of no set that it learned from."""
    found = version_0_2([key_of(text) for text in awkward_list()] + ["onestop/any"])
    assert np.isfinite(found.difficulty[:40]).sum() >= 30
    assert np.isnan(found.chance[40])
    assert 0 < np.nanmean(found.chance) < 1


def test_an_edit_fools_where_p_rises_without_a_flag() -> None:
    """By hand: of three edited texts one rises, one rises with a flag, one stays."""
    keys = [f"edit_{edit}/{name}" for edit in ("unedited", "cuts") for name in "abc"]
    nothing = np.full(6, np.nan)
    judged = Judged(
        np.array(keys), np.array(keys), np.array([""] * 6), nothing, nothing, np.array(keys)
    )
    said = Estimates(
        nothing,
        nothing,
        nothing,
        np.array([0.1, 0.1, 0.1, 0.4, 0.4, 0.1]),
        nothing,
        np.array(["x", "x", "x", "x", "x cut_sentences", "x"]),
    )
    assert _held(judged, said, "cuts", pages=False) == 2
