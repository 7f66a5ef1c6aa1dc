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
        ("header.tsv", "id\ttitle\n101\tflu & fever\n102\tcold\n"),
        ("q.csv", "qid,query\n101,flu & fever\n102,cold\n"),
        ("excel.csv", "\ufeffQuery ID;Text\r\n101;flu & fever\r\n102;cold\r\n"),
        ("more.csv", 'topic,notes,query\n101,"a, b",flu & fever\n102,,"cold"\n'),
        ("headless.csv", "101,flu & fever\n102,cold\n"),
        ("table.txt", "query_id,text\n101,flu & fever\n102,cold\n"),
        ("q.json", '[{"qid": 101, "query": "flu & fever"},\n {"qid": 102, "query": "cold"}]'),
        ("q.jsonl", '{"query_id": "101", "text": "flu & fever"}\n{"qid": 102, "query": "cold"}\n'),
    ],
)
def test_every_form_is_read(tmp_path: Path, name: str, text: str) -> None:
    """Topics in XML, lines, JSON Lines; also compressed."""
    (tmp_path / name).write_bytes(text.encode())
    assert read_queries(tmp_path / name) == EXPECTED
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert read_queries(tmp_path / f"{name}.gz") == EXPECTED


def test_tables_of_spreadsheets_are_read(tmp_path: Path) -> None:
    """In UTF-16, and with commas in texts that nobody quoted."""
    (tmp_path / "a.csv").write_bytes("qid,query\n101,flu & fever\n102,cold\n".encode("utf-16"))
    assert read_queries(tmp_path / "a.csv") == EXPECTED
    (tmp_path / "b.csv").write_text("qid,query\n1,fever, cough and cold\n")
    assert read_queries(tmp_path / "b.csv") == {"1": "fever, cough and cold"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "qid,query\n101\n", "line 2 names no query.*CSV with the columns query_id"),
        ("a.csv", 'qid,query\n101,"flu\n102,cold', "line 3 is not CSV"),
        ("a.csv", "qid,question\n", "columns qid, question; name the one"),
        ("a.json", '[{"qid": 1}]', "record 1 names no query"),
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


def test_a_query_in_place_of_a_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist; expected a file of queries: topics"):
        read_queries(tmp_path / "heart disease")
