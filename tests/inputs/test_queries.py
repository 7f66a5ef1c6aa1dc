"""Queries in the forms in which they are published."""

import gzip
from pathlib import Path

import pytest

from understandability.errors import InputError
from understandability.study.queries import read_queries

EXPECTED = {"101": "flu & fever", "102": "cold"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "clef2016.xml",
            "<queries>\n<query>\n <id>101</id><title>flu &amp; fever</title></query>\n"
            "<query><id>102</id><title> cold </title></query></queries>",
        ),
        (
            "clef2015.xml",
            "<topics><top><num>101</num><query>flu &amp; fever</query></top>"
            "<top><num>102</num><query>cold</query></top></topics>",
        ),
        (
            "trec.xml",
            "<topics><topic number='101'><query>flu &amp; fever</query></topic>"
            "<topic number='102'><query>cold</query></topic></topics>",
        ),
        ("lines.tsv", "101\tflu & fever\n\n102\tcold\n"),
        ("lines.txt", "\ufeff101\tflu & fever\r\n102\tcold\r\n"),
        ("q.jsonl", '{"query_id": "101", "text": "flu & fever"}\n{"qid": 102, "query": "cold"}\n'),
    ],
)
def test_every_form_is_read(tmp_path: Path, name: str, text: str) -> None:
    """Topics in XML, lines, JSON Lines; also compressed."""
    (tmp_path / name).write_bytes(text.encode())
    assert read_queries(tmp_path / name) == EXPECTED
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert read_queries(tmp_path / f"{name}.gz") == EXPECTED


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "has no queries"),
        ("a.xml", "<topics></topics>", "has no queries"),
        ("a.txt", "101 flu\n", "line 1 names no query"),
        ("a.txt", "101\tflu\n101\tcold\n", "has the query '101' twice"),
        ("a.jsonl", '{"text": "flu"}\n', "record 1 names no query"),
        ("a.jsonl", "flu\n", "line 1 is not JSON"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_queries(tmp_path / name)


@pytest.mark.slow
def test_topics_in_topics_take_linear_time(tmp_path: Path) -> None:
    """The text of all levels was joined for each of them."""
    topic = "<topic><id>1</id><text>flu</text></topic>"
    text = "<a>" * 250 + "<b>x</b>" * 300_000 + topic + "</a>" * 250
    (tmp_path / "q.xml").write_text(text)
    assert read_queries(tmp_path / "q.xml") == {"1": "flu"}


def test_an_entity_of_a_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "q.xml").write_text(
        f'<!DOCTYPE t [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
        "<t><top><num>1</num><query>flu &x;</query></top></t>"
    )
    assert "secret" not in read_queries(tmp_path / "q.xml")["1"]
