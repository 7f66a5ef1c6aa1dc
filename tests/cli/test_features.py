"""`understand features` as a user runs it."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.conftest import SAMPLES, Run

from understandability.feature.catalogue import COLUMNS, catalogue
from understandability.feature.tagger import UNIVERSAL
from understandability.study.nltk_backend import NltkTagger


def test_docno_and_values_of_the_features_asked_for(understand: Run, tmp_path: Path) -> None:
    """The input of simulated uRBP: one row per page, lower for easier pages."""
    understand(
        "features", SAMPLES, "--only", "gunning_fog_plain,dale_chall", "-o",
        tmp_path / "fog.tsv", status=0,
    )  # fmt: skip
    with (tmp_path / "fog.tsv").open() as file:
        rows = {row.pop("docno"): row for row in csv.DictReader(file, delimiter="\t")}
    assert list(rows["easy.html"]) == ["path", "url", "gunning_fog_plain", "dale_chall"]
    for name in ("gunning_fog_plain", "dale_chall"):
        easy, medium, hard = (
            float(rows[f"{level}.html"][name]) for level in ("easy", "medium", "hard")
        )
        assert easy < medium < hard


def test_groups_and_forms(understand: Run, tmp_path: Path) -> None:
    """--groups takes all of a group, --per adds the values by word and sentence."""
    output = tmp_path / "features.parquet"
    understand(
        "features", SAMPLES, "--groups", "components,html", "--per", "word", "-o", output, status=0
    )
    names = pq.read_schema(output).names
    assert {"docno", "syllables", "syllables_per_word", "html_p"} <= set(names)
    assert "syllables_per_sentence" not in names
    assert "smog" not in names


def test_everything_without_names(understand: Run) -> None:
    done = understand("features", SAMPLES / "easy.html", "-o", "-", "--quiet")
    (row,) = map(json.loads, done.stdout.splitlines())
    assert list(row) == ["docno", "path", "url", *(feature.name for feature in catalogue())]


def test_a_single_page_is_shown_with_a_line_for_each_feature(understand: Run) -> None:
    """A table of a hundred columns is turned on its side."""
    done = understand("features", SAMPLES / "easy.html", "--groups", "readability", "--quiet")
    lines = done.stdout.splitlines()
    assert any(line.split() == ["smog", "3.13"] or line.startswith("smog ") for line in lines)


def test_the_list_says_all_of_every_feature(understand: Run, tmp_path: Path) -> None:
    """Name, group, forms, unit, direction, formula, source, needs: on a terminal and as a table."""
    shown = understand("features", "--list", status=0)
    heading, *lines = shown.stdout.splitlines()
    assert heading.split() == "name group per unit direction meaning source needs".split()  # noqa: SIM905
    assert len(lines) == len(catalogue())
    name = next(iter(COLUMNS))
    assert understand("features", "--list", "--only", name).stdout.splitlines()[1].startswith(name)
    understand("features", "--list", "--groups", "html", "-o", tmp_path / "list.csv")
    with (tmp_path / "list.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["group"] for row in rows} == {"html"}


def test_words_show_why_a_number_is_what_it_is(understand: Run) -> None:
    done = understand("features", SAMPLES / "hard.html", "--words", "-o", "-")
    rows = list(map(json.loads, done.stdout.splitlines()))
    (values,) = map(
        json.loads,
        understand(
            "features", SAMPLES / "hard.html", "--only", "difficult_words", "-o", "-"
        ).stdout.splitlines(),
    )
    difficult = sum(row["count"] for row in rows if row["feature"] == "difficult_words")
    assert difficult == values["difficult_words"]
    assert set(rows[0]) == {"docno", "feature", "word", "count"}


def test_bad_pages_become_error_rows(understand: Run, tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text("<p>Rest and drink water.</p>")
    (tmp_path / "bad.html").write_bytes(b"%PDF-1.4 not a page")
    output = tmp_path / "out" / "words.jsonl"
    output.parent.mkdir()
    understand(
        *("features", tmp_path, "--only", "words", "--extractor", "naive"),
        *("-o", output, "--strict"),
        status=1,
    )
    (row,) = map(json.loads, output.read_text().splitlines())
    path = str(tmp_path / "good.html")
    assert row == {"docno": "good.html", "path": path, "url": None, "words": 4.0}
    (error,) = map(json.loads, Path(f"{output}.errors.jsonl").read_text().splitlines())
    assert error["docno"] == "bad.html"


def test_tags_and_entities_can_be_those_of_nltk(
    understand: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tagger that is named is used; its own tests need data that few have."""
    noun = UNIVERSAL.index("NOUN")
    monkeypatch.setattr(
        NltkTagger, "tag", lambda _, tokens, starts: np.full(len(tokens), noun, np.uint8)
    )
    monkeypatch.setattr(
        NltkTagger, "entity_starts", lambda _, tokens, starts: np.ones(len(tokens), bool)
    )
    command = ("features", SAMPLES / "hard.html", "--only", "entities,nouns,words", "-o", "-")
    ours, theirs = (
        json.loads(understand(*command, *more).stdout) for more in ((), ("--tagger", "nltk"))
    )
    assert theirs["words"] == ours["words"]
    assert theirs["nouns"] > 2 * ours["nouns"]
    assert theirs["entities"] > 3 * ours["entities"]
