"""Answers of readers beside P(U|d): counted by hand, hostile files, marks, and the way round."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ROOT, Run

from understandability.errors import InputError, OptionError
from understandability.inputs.study_answers import MOST_BYTES, SCHEMA, parse_answers
from understandability.training.agreement import (
    ScoredAnswers,
    agreement_of,
    score_answers,
    wilson,
)
from understandability.training.calibrate import UnfittedError, calibrate
from understandability.training.study_texts import read_study_texts, study_digest
from understandability.writers.charts import agreement_chart, standalone

EXAMPLE = ROOT / "docs" / "howto" / "ask"
TEXTS = """id,text,question_1,choices_1,question_2,choices_2
a,You have flu. Rest in bed for a week.,q,*x|y,r,x|*y|z
b,Drink water. Then call the nurse on the ward.,q,x|*y,,
c,The eye is red. Go and see a doctor today.,,,,
"""
NAMES = [f"{first}{second}bbbbbbbbbb" for first, second in product("bcd", repeat=2)]


class Study:
    """A folder of answers to three texts, and the estimates of these texts."""

    estimates: ClassVar = {
        "a": {"difficulty": 20.0, "p_understandable": 0.9},
        "b": {"difficulty": 60.0, "p_understandable": 0.5},
        "c": {"difficulty": 80.0, "p_understandable": 0.2},
    }

    def __init__(self, folder: Path) -> None:
        self.texts = str(folder / "texts.csv")
        Path(self.texts).write_text(TEXTS, "utf-8")
        self.digest = study_digest(read_study_texts(self.texts)[0])
        self.folder = folder / "answers"
        self.folder.mkdir()
        self.marks = str(folder / "marks.csv")

    def add(self, participant: str, name: str = "", **answers: Any) -> None:
        """Write answers: for each text the choices, or the message, or both."""
        entries = []
        for position, (text, answer) in enumerate(answers.items(), 1):
            message, choices = answer if isinstance(answer, tuple) else ("", answer)
            entries.append(
                {
                    "text": text,
                    "position": position,
                    "message": message,
                    "choices": choices,
                    "sure": 3,
                    "seconds": 10 * position,
                }
            )
        content = {
            "schema": SCHEMA,
            "study": self.digest,
            "participant": participant,
            "answers": entries,
        }
        (self.folder / f"{name or participant}.json").write_text(json.dumps(content), "utf-8")

    def scored(self, **options: Any) -> ScoredAnswers:
        return score_answers(
            str(self.folder), self.texts, estimates=self.estimates, scale="test", **options
        )


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def test_answers_are_counted_as_by_hand(study: Study) -> None:
    """Text a: 2 of 4 have both right, and 6 of 8 answers are right; text b: 1 of 3."""
    study.add(NAMES[0], a=[0, 1], b=[1])
    study.add(NAMES[1], a=[0, 1], b=[0])
    study.add(NAMES[2], a=[0, 0], b=[None])
    study.add(NAMES[3], a=[1, 1])
    agreement = agreement_of(study.scored())
    a, b, c = agreement.texts
    assert (a.understood, a.participants, a.right) == (2, 4, 0.75)
    assert (b.understood, b.participants) == (1, 3)
    assert b.right == pytest.approx(1 / 3)
    assert (c.participants, math.isnan(c.share), math.isnan(c.right)) == (0, True, True)
    assert (a.seconds, b.seconds, a.sure) == (10, 20, 3)
    assert (agreement.participants, agreement.answers) == (4, 7)
    # |.9 - 2/4| = .4 and |.5 - 1/3| = .1667.
    assert agreement.distance.value == pytest.approx((0.4 + 1 / 6) / 2)
    # Two of .01, two of .81; three of .25.
    assert agreement.brier.value == pytest.approx((2 * 0.01 + 2 * 0.81 + 3 * 0.25) / 7)
    assert math.isnan(agreement.correlation.value)  # of two texts it says nothing
    low, high = agreement.distance.interval
    assert low < agreement.distance.value < high


def test_half_of_the_questions_can_be_enough(study: Study) -> None:
    study.add(NAMES[0], a=[0, 0], b=[0])
    assert study.scored().understood.tolist()[0][:2] == [0, 0]
    assert study.scored(pass_share=0.5).understood.tolist()[0][:2] == [1, 0]


def test_figures_agree_with_numpy_and_their_intervals_hold_the_truth() -> None:
    """Of 40 studies with a true P(U|d), the intervals of the Brier score hold its mean in 34."""
    chances = np.linspace(0.05, 0.95, 12)
    expected = float((chances * (1 - chances)).mean())
    held = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        understood = (rng.random((25, 12)) < chances).astype(float)
        understood[rng.random((25, 12)) < 0.3] = np.nan
        agreement = agreement_of(scored_of(understood, chances))
        low, high = agreement.brier.interval
        held += low <= expected <= high
    assert held >= 34
    shares = np.nanmean(understood, axis=0)
    assert agreement.correlation.value == pytest.approx(np.corrcoef(chances, shares)[0, 1])
    assert agreement.distance.value == pytest.approx(np.abs(chances - shares).mean())
    errors = (chances - understood) ** 2
    assert agreement.brier.value == pytest.approx(np.nanmean(errors))
    simulated = [
        np.abs(chances - rng.binomial(17, chances) / 17).mean() for _ in range(2000)
    ]  # 17 or 18 answers a text
    assert agreement.chance == pytest.approx(np.mean(simulated), rel=0.1)


def scored_of(understood: Any, chances: Any) -> ScoredAnswers:
    none = np.full(understood.shape, np.nan)
    texts = tuple(f"t{n}" for n in range(understood.shape[1]))
    return ScoredAnswers(
        texts, understood, none, none, none, 100 * (1 - chances), chances, "", "", ()
    )


def test_the_interval_of_a_share_is_wilsons() -> None:
    """By statsmodels: proportion_confint(8, 10, method="wilson") and (0, 5)."""
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-5)
    assert wilson(0, 5) == pytest.approx((0.0, 0.434482), abs=1e-5)


def test_own_words_are_listed_marked_and_counted(study: Study) -> None:
    """The table has each answer once; marks decide, and answers that come later are added."""
    study.add(NAMES[0], a=("=cmd|'/c calc'!A1", [0, 0]), c=("See a doctor.", []))
    study.add(NAMES[1], a=("", [0, 1]), c=("", []))
    scored = study.scored(marks=study.marks)
    assert "2 answers in own words without questions are not scored" in " ".join(scored.remarks)
    with Path(study.marks).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["text"], row["participant"]) for row in rows] == [
        ("a", NAMES[0]),
        ("c", NAMES[0]),
        ("c", NAMES[1]),
    ]
    assert rows[0]["answer"].startswith("'=")  # no spreadsheet runs it
    assert [row["understood"] for row in rows] == [""] * 3
    for row, mark in zip(rows, ("1", "yes", " 0 "), strict=True):
        row |= {"understood": mark, "remark": f"by Ann; {mark}"}  # a column of the author's own
    with Path(study.marks).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    before = Path(study.marks).read_bytes()
    understood = study.scored(marks=study.marks).understood
    assert Path(study.marks).read_bytes() == before
    # The mark of text a decides against the wrong answer of its second question.
    assert understood[:, [0, 2]].tolist() == [[1, 1], [1, 0]]
    study.add(NAMES[2], c=("Nothing.", []))
    study.scored(marks=study.marks)
    with Path(study.marks).open(newline="", encoding="utf-8") as file:
        again = list(csv.DictReader(file))
    assert again[:3] == rows
    assert (again[3]["answer"], again[3]["understood"]) == ("Nothing.", "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
)
ENTRIES = {"text": "a", "position": 1, "message": "", "choices": [0], "sure": 1, "seconds": 1}
FILE = {"schema": SCHEMA, "study": "0" * 16, "participant": "b" * 12, "answers": [ENTRIES]}


@given(st.sampled_from([*FILE, *ENTRIES]), JSON)
def test_any_value_anywhere_is_read_or_refused(name: str, value: Any) -> None:
    """What is read is written again as the same answers."""
    entries = {**ENTRIES, name: value} if name in ENTRIES else ENTRIES
    file = {**FILE, "answers": [entries]}
    if name in FILE:
        file[name] = value
    try:
        answers = parse_answers(json.dumps(file).encode())
    except InputError:
        return
    assert parse_answers(answers.to_text().encode()) == answers


def test_a_study_of_own_words_only_says_what_to_do_next(study: Study) -> None:
    study.add(NAMES[0], c=("See a doctor.", []))
    with pytest.raises(InputError, match=r"1 answer .*--marks marks.csv\), mark .* run the same"):
        study.scored()
    with pytest.raises(InputError, match=r"marks.csv lists 1 answer in own words: write 1 or 0"):
        study.scored(marks=study.marks)
    content = Path(study.marks).read_text("utf-8")
    Path(study.marks).write_text(content.replace("doctor.,", "doctor.,perhaps"), "utf-8")
    with pytest.raises(InputError, match="record 1: 'understood' is 'perhaps', expected 1 or 0"):
        study.scored(marks=study.marks)
    Path(study.marks).write_text("text,understood\nc,1\n", "utf-8")
    with pytest.raises(InputError, match="has no column 'participant'"):
        study.scored(marks=study.marks)


def test_hostile_files_are_one_sentence_each_and_the_others_count(
    study: Study, tmp_path: Path
) -> None:
    study.add(NAMES[0], a=[0, 1], b=[1])
    good = json.loads((study.folder / f"{NAMES[0]}.json").read_text("utf-8"))
    hostile = {
        "huge.json": b" " * (MOST_BYTES + 1),
        "deep.json": b"[" * 500_000,
        "digits.json": b'{"schema": ' + b"9" * 10_000 + b"}",
        "empty.json": b"",
        "binary.json": bytes(range(256)),
        "list.json": b"[]",
        "other.json": json.dumps({**good, "study": "f" * 16}).encode(),
        "notes.txt": b"{}",
        "new\nline\x1b[2J.json": b"{",
        "half.json": json.dumps({**good, "participant": "\ud800" * 12}).encode(),
    }
    for name, content in hostile.items():
        (study.folder / name).write_bytes(content)
    (study.folder / "renamed.txt").write_bytes(
        b"\xef\xbb\xbf" + json.dumps({**good, "participant": NAMES[1]}).encode()
    )  # by a mail program or an editor
    expected = {*hostile, "folder.json", "gone.json"} - {"new\nline\x1b[2J.json"}
    expected.add("new?line?[2J.json")
    (study.folder / "folder.json").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(study.folder / "pipe.json")
        expected.add("pipe.json")
    (study.folder / "gone.json").symlink_to(tmp_path / "nowhere")
    (study.folder / ".DS_Store").write_bytes(b"x")
    scored = study.scored()
    assert scored.understood[:, :2].tolist() == [[1, 1], [1, 1]]
    named = [re.match(r".*/(\S+) is ignored: .", remark) for remark in scored.remarks]
    assert {match[1] for match in named if match} == expected
    assert all("\n" not in remark and len(remark) < 600 for remark in scored.remarks)


def test_an_answer_to_something_else_is_ignored_alone(study: Study) -> None:
    study.add(NAMES[0], a=[0, 1], other=[1], b=[0, 1, 0])
    scored = study.scored()
    assert np.nan_to_num(scored.understood, nan=9).tolist() == [[1, 9, 9]]
    assert sum("is ignored" in remark for remark in scored.remarks) == 2


def test_of_two_files_of_a_participant_the_fuller_counts(study: Study) -> None:
    study.add(NAMES[0], "1", a=[0, 1], b=[1])
    study.add(NAMES[0], "2", a=[1, 1])
    study.add(NAMES[1], "3", a=[1, 1])
    study.add(NAMES[1], "4", a=[0, 1])  # of equal ones the last
    scored = study.scored()
    assert scored.understood[:, 0].tolist() == [1, 1]
    assert [re.findall(r"(\d).json", remark) for remark in scored.remarks] == [
        ["2", "1"],
        ["3", "4"],
    ]


def test_a_folder_without_answers_or_texts_is_one_sentence(study: Study) -> None:
    with pytest.raises(InputError, match="holds no answers to the texts of"):
        study.scored()
    with pytest.raises(OptionError, match=r"--texts TEXTS.csv, the table"):
        calibrate(str(study.folder))
    with pytest.raises(OptionError, match="--texts belongs to a folder of answers"):
        calibrate(study.texts, texts=study.texts)


def test_too_few_answers_for_a_reader_are_still_compared(study: Study) -> None:
    study.add(NAMES[0], a=[0, 1], b=[1])
    scores = {
        "docno": ["a", "b", "c"],
        "difficulty": [20.0, 60.0, 80.0],
        "p_understandable": [0.9, 0.5, 0.2],
    }
    with pytest.raises(UnfittedError, match="2 answers on documents") as caught:
        calibrate(str(study.folder), scores, texts=study.texts)
    assert caught.value.agreement.answers == 2


def test_the_chart_has_a_point_and_an_interval_for_each_text(study: Study) -> None:
    study.add(NAMES[0], a=[0, 1], b=[1])
    chart = agreement_chart(agreement_of(study.scored()).texts)
    assert chart.count("<circle") == 2
    assert "a: 1 of 1 understood (21 to 100 %), P(U|d) 90 %." in chart
    alone = standalone(chart)
    assert "var(" not in alone
    assert alone.count("<rect") == chart.count("<rect") + 1


def test_the_invented_example_is_counted_and_its_reader_scores(
    understand: Run, tmp_path: Path
) -> None:
    """From the page to P(U|d) for the participants, with the example of the documentation."""
    understand("ask", EXAMPLE / "texts.csv", "-o", tmp_path / "study.html", status=0)
    page = (tmp_path / "study.html").read_text("utf-8")
    digest = study_digest(read_study_texts(str(EXAMPLE / "texts.csv"))[0])
    files = sorted((EXAMPLE / "answers").iterdir())
    answers = [json.loads(path.read_text("utf-8")) for path in files]
    assert f'"digest": "{digest}"' in page
    assert {each["study"] for each in answers} == {digest}
    # They are marked as invented, wherever they are seen.
    assert all("invented" in path.name for path in files)
    assert all(each["participant"].startswith("invented") for each in answers)
    with (EXAMPLE / "texts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    right = {
        row["id"]: [c.strip()[0] for c in row["choices_1"].split("|")].index("*") for row in rows
    }
    counts = {
        text: sum(
            given["choices"] == [index]
            for each in answers
            for given in each["answers"]
            if given["text"] == text
        )
        for text, index in right.items()
    }
    assert list(counts.values()) == [10, 10, 9, 8, 5, 3, 2, 1]
    done = understand(
        "calibrate",
        EXAMPLE / "answers",
        "--texts",
        EXAMPLE / "texts.csv",
        "-o",
        tmp_path / "ours.json",
        "--plot",
        tmp_path / "plot.svg",
        status=0,
    )
    for text, count in counts.items():
        assert re.search(rf"^{text} +10 +{count / 10:.2f} ", done.stdout, re.MULTILINE)
    assert "from 80 answers" in done.stdout
    assert (tmp_path / "plot.svg").read_text("utf-8").count("<circle") == 8
    reader = json.loads((tmp_path / "ours.json").read_text("utf-8"))
    assert reader["agreement"]["participants"] == 10
    understand(
        "score", EXAMPLE / "texts.csv", "--reader", tmp_path / "ours.json", "-o",
        tmp_path / "scores.csv", status=0,
    )  # fmt: skip
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        chances = {row["docno"]: float(row["p_understandable"]) for row in csv.DictReader(file)}
    distance = np.mean([abs(chances[text] - count / 10) for text, count in counts.items()])
    assert distance < 0.12  # the reader is fitted to these answers
