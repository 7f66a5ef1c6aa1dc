"""`understand score` as a user runs it: rows, settings, errors, exit status."""

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.conftest import SAMPLES, Run

import understandability as ud

COLUMNS = [
    "docno", "path", "url", "p_understandable", "difficulty", "spread", "level", "level_error",
    "raw", "ari", "coleman_liau", "dale_chall", "flesch_kincaid", "flesch_reading_ease",
    "gunning_fog", "gunning_fog_plain", "lix", "smog", "words", "sentences", "language_formula",
    "language_formula_value", "language", "encoding", "extractor", "scale", "flags",
]  # fmt: skip


def rows_of(text: str) -> list[dict[str, object]]:
    """The rows of JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]


def test_the_sample_pages_come_out_in_order(understand: Run) -> None:
    """The first command of the README: a table, easier pages easier."""
    done = understand("score", SAMPLES, status=0)
    heading, *lines = [
        line for line in done.stdout.splitlines() if ".html" in line or "docno" in line
    ]
    headings = ["docno", "P(U|d)", "difficulty", "Dale-Chall", "FOG", "words", "flags"]
    assert heading.split() == headings
    table = {line.split()[0]: list(map(float, line.split()[1:6])) for line in lines}
    chance, difficulty, dale_chall, fog, _ = zip(
        *(table[name] for name in ("easy.html", "medium.html", "hard.html")), strict=True
    )
    assert list(chance) == sorted(chance, reverse=True)
    for harder in (difficulty, dale_chall, fog):
        assert list(harder) == sorted(harder)
    assert difficulty[2] - difficulty[0] > 30
    assert "3 documents, 0 errors" in done.stderr


def test_the_table_has_no_english_formulas_of_german(understand: Run, tmp_path: Path) -> None:
    """They are columns of the written rows, as the README says."""
    german = tmp_path / "de.txt"
    german.write_text("Das Auto ist rot. " + "Der Hund bellt laut im Garten des Hauses. " * 3)
    line = understand("score", german).stdout.splitlines()[-1].split()
    assert line[:5:4] == ["de.txt", "-"]
    assert line[3] == "-"


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv.gz", "parquet"])
def test_every_format_holds_the_same_rows_and_settings(
    understand: Run, tmp_path: Path, suffix: str
) -> None:
    """The settings are stored with the rows."""
    file = tmp_path / f"scores.{suffix}"
    done = understand("score", SAMPLES, "-o", file, "--threshold", "30", "--user", "step", status=0)
    assert "bundle" in done.stderr
    if suffix == "parquet":
        table = pq.read_table(file)
        names, docnos = table.column_names, table["docno"].to_pylist()
        settings = json.loads(table.schema.metadata[b"understandability"])
    else:
        data = file.read_bytes()
        text = (gzip.decompress(data) if suffix.endswith(".gz") else data).decode()
        if suffix == "jsonl":
            rows = rows_of(text)
        else:
            delimiter = "," if suffix == "csv" else "\t"
            rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter))  # type: ignore[arg-type]
        names, docnos = list(rows[0]), [row["docno"] for row in rows]
        settings = json.loads(Path(f"{file}.settings.json").read_text())
    assert names == COLUMNS
    assert docnos == ["easy.html", "hard.html", "medium.html"]
    assert (settings["threshold"], settings["user"]) == (30.0, "step")
    assert len(settings["bundle_checksum"]) >= 16


def test_a_mix_of_inputs_in_which_much_is_bad(understand: Run, tmp_path: Path) -> None:
    """Good documents are scored, each bad one is an error row that says where and why."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/good.html").write_bytes((SAMPLES / "easy.html").read_bytes())
    (tmp_path / "pages/empty.html").write_bytes(b"")
    (tmp_path / "pages/report.html").write_bytes(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
    (tmp_path / "notes.txt").write_text("Flu is a virus. Drink water and rest.\n")
    records = [
        {"id": "r1", "text": "Take one pill a day. Call us if you feel sick."},
        {"id": "r1", "text": "The same docno again."},
        {"text": "no id"},
        {"id": "r2"},
    ]
    lines = [json.dumps(record) for record in records] + ["not json"]
    with gzip.open(tmp_path / "docs.jsonl.gz", "wt") as file:
        file.write("\n".join(lines))
    done = understand(
        "score", "pages", "notes.txt", "docs.jsonl.gz", "-o", "scores.jsonl", cwd=tmp_path, status=0
    )
    rows = rows_of((tmp_path / "scores.jsonl").read_text())
    assert [row["docno"] for row in rows] == ["good.html", "notes.txt", "r1"]
    errors = rows_of((tmp_path / "scores.jsonl.errors.jsonl").read_text())
    assert all(list(error) == ["docno", "path", "stage", "error"] for error in errors)
    told = {error["docno"]: (error["stage"], error["error"]) for error in errors}
    lines = {"docs.jsonl.gz#3", "docs.jsonl.gz#5"}
    assert set(told) == {"empty.html", "report.html", "r1", "r2", *lines}
    assert "PDF" in told["report.html"][1]
    assert told["r1"][1] == "an earlier document has this docno; only the first is scored"
    assert "3 documents, 6 errors (in scores.jsonl.errors.jsonl)" in done.stderr
    understand("score", "notes.txt", "-o", "scores.jsonl", "--strict", cwd=tmp_path, status=0)
    assert not (tmp_path / "scores.jsonl.errors.jsonl").exists()


def test_strict_ends_with_1_if_there_was_an_error_row(understand: Run, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"")
    (tmp_path / "b.txt").write_text("Flu is a virus.")
    understand("score", tmp_path, "-o", tmp_path / "s.csv", "--strict", status=1)
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 2


@pytest.mark.slow
def test_a_full_disk_is_told_in_one_sentence() -> None:
    """The failure occurs during the run, not at the start."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "understandability", "score", str(SAMPLES), "-o", "-"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert done.returncode != 0
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_standard_input_is_told_by_its_content(understand: Run) -> None:
    page = (SAMPLES / "easy.html").read_bytes()
    record = json.dumps({"id": "r", "text": "Flu is a virus."}).encode()
    for data, docno in ((page, "-"), (gzip.compress(page), "-"), (record, "r")):
        (row,) = rows_of(understand("score", "-", "-o", "-", stdin=data).stdout)
        assert row["docno"] == docno
        assert row["difficulty"] is not None


def test_pages_in_other_languages(understand: Run, tmp_path: Path) -> None:
    """Languages of the bundle get an estimate; pages in other languages get a flag instead."""
    german = "<html lang='de'><p>" + "Die Grippe ist eine Krankheit der Atemwege. " * 20
    danish = "<html lang='da'><p>" + "Influenza er en sygdom, som man får af en virus. " * 20
    (tmp_path / "de.html").write_text(german)
    (tmp_path / "da.html").write_text(danish)
    rows = rows_of(understand("score", tmp_path, "-o", "-").stdout)
    found = {row["language"]: row for row in rows}
    assert found["da"]["difficulty"] is found["da"]["level"] is None
    assert "not_english" in str(found["da"]["flags"])
    assert found["da"]["gunning_fog"] is not None
    assert 0 < found["de"]["p_understandable"] < 1
    assert "not_english" not in str(found["de"]["flags"])
    assert found["de"]["language_formula"] == "amstad"
    (row,) = rows_of(understand("score", tmp_path / "da.html", "-o", "-", "--any-language").stdout)
    assert row["difficulty"] is not None
    assert "not_english" in str(row["flags"])


def test_the_model_of_other_languages_is_named(understand: Run, tmp_path: Path) -> None:
    """In the settings, where it may make rows, and in the title where it made one."""
    (tmp_path / "de.html").write_text(
        "<html lang='de'><p>" + "Die Grippe ist eine Krankheit der Atemwege. " * 20
    )
    assert "bundle open and languages, main" in understand("score", tmp_path / "de.html").stdout
    assert "bundle open, main" in understand("score", SAMPLES / "easy.html").stdout
    for options, named in (((), True), (("--any-language",), False), (("--bundle", "llr"), False)):
        understand("score", SAMPLES / "easy.html", "-o", tmp_path / "rows.csv", *options)
        settings = json.loads((tmp_path / "rows.csv.settings.json").read_text())
        label = ud.load_bundle("languages").label
        assert settings.get("languages_model", "") == label * named


def test_features_adds_every_column(understand: Run) -> None:
    done = understand("score", SAMPLES / "easy.html", "-o", "-", "--features")
    (row,) = rows_of(done.stdout)
    assert list(row)[: len(COLUMNS)] == COLUMNS
    assert {"syllables_per_word", "html_headings", "difficult_words"} <= set(row)


@pytest.mark.slow
def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    """`understand score ... -o - | head -1` ends quietly."""
    command = f"{sys.executable} -m understandability score {SAMPLES} -o - | true"
    done = subprocess.run(command, shell=True, capture_output=True, timeout=120, check=False)
    assert b"Traceback" not in done.stderr
