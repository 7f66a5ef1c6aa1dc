"""What a rewrite loses is reported; what it only says in other words is not."""

import json
from pathlib import Path

import pytest
from tests.conftest import Run
from tests.writers.tables import rows

from understandability.resources import resource_lines
from understandability.writers.facts import check_facts, facts_of


def lines(text: str) -> str:
    """A cell of the tables with its line breaks."""
    return text.replace(" / ", "\n")


@pytest.mark.parametrize(("before", "after", "expected"), rows("rewrites_lossy.tsv"))
def test_what_a_rewrite_loses_is_reported(before: str, after: str, expected: str) -> None:
    """40 rewrites, each of which loses or changes something that a reader needs."""
    check = check_facts(lines(before), lines(after))
    reported = " ".join(map(str, (*check.lost, *check.new)))
    assert expected.lower() in reported.lower()


@pytest.mark.parametrize(("before", "after"), rows("rewrites_faithful.tsv"))
def test_the_same_in_other_words_is_no_loss(before: str, after: str) -> None:
    check = check_facts(lines(before), lines(after))
    assert check.is_faithful, [*map(str, (*check.lost, *check.new))]


@pytest.mark.parametrize(("before", "after"), rows("rewrites_faithful.tsv"))
def test_each_text_keeps_its_own_facts(before: str, after: str) -> None:
    for text in (lines(before), lines(after)):
        assert check_facts(text, text).is_faithful
        assert facts_of(text)


@pytest.mark.parametrize(("before", "after", "_"), rows("rewrites_lossy.tsv"))
def test_an_empty_rewrite_loses_all(before: str, after: str, _: str) -> None:
    assert check_facts(lines(before), "Be well.").lost


def test_no_concept_is_listed_twice() -> None:
    names = [tuple(line.split("\t")[:2]) for line in resource_lines("plain_terms/concepts.tsv")[1:]]
    assert len(names) == len(set(names))


def test_the_command_reports_what_is_lost(understand: Run, tmp_path: Path) -> None:
    """Status 1 if anything is; the same as JSON."""
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text("Call 999 if you have chest pain, a rash or trouble breathing.\n")
    after.write_text("Call 999 if you have a rash or trouble breathing.\n")
    done = understand("rewrite", "--check", str(before), str(after))
    assert done.returncode == 1
    assert "- the symptom “chest pain”" in done.stdout
    data = json.loads(understand("rewrite", "--check", str(before), str(after), "--json").stdout)
    assert {"category": "symptom", "text": "chest pain", "note": ""} in data["lost"]
    assert understand("rewrite", "--check", str(before), str(before)).returncode == 0
    asked = understand("rewrite", str(before))
    assert asked.returncode
    assert "expected --model-url and --model" in asked.stderr
