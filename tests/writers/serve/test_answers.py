"""The server that collects answers: what it stores, what it refuses, and that it tells nothing."""

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="needs the extra test")
pytest.importorskip("fastapi", reason="needs the extra serve")
pytest.importorskip("uvicorn", reason="needs the extra serve")

from tests.conftest import Run  # after the skips
from tests.writers.serve.test_api import called, sentence

from understandability.inputs.study_answers import MOST_BYTES, SCHEMA, parse_answers
from understandability.writers.serve.answers import collector

TOKEN = {"Authorization": "Bearer secret"}
ONE = {
    "text": "flu",
    "position": 1,
    "message": "Stay «at home».",
    "choices": [0, None],
    "sure": 3,
    "seconds": 12,
}
ANSWERS = {"schema": SCHEMA, "study": "0" * 16, "participant": "b" * 12, "answers": [ONE]}


def post(app: Any, message: Any, **options: Any) -> Any:
    """The reply to answers that are posted with the token."""
    return called(app, "POST", "/answers", json=message, **{"headers": TOKEN, **options})


def test_answers_become_a_file_with_a_name_of_ours(tmp_path: Path) -> None:
    app = collector(f"{tmp_path}/answers", "secret")
    for _ in range(2):
        reply = post(app, {**ANSWERS, "path": "../../evil", "more": [1, 2]})
        assert (reply.status_code, reply.json()) == (201, {"stored": 1})
    names = sorted(path.name for path in (tmp_path / "answers").iterdir())
    assert len(names) == 2
    assert all(re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{16}\.json", name) for name in names)
    content = (tmp_path / "answers" / names[0]).read_bytes()
    assert json.loads(content) == ANSWERS  # without what it does not know
    assert parse_answers(content).answers[0].choices == (0, None)


@pytest.mark.parametrize("origin", ["null", "https://hospital.example", "http://localhost"])
def test_pages_of_any_site_and_of_a_disk_may_post(tmp_path: Path, origin: str) -> None:
    app = collector(str(tmp_path), "secret")
    headers = {**TOKEN, "Origin": origin}
    asked = called(app, "OPTIONS", "/answers", headers={"Origin": origin})
    assert asked.status_code == 204
    for reply in (asked, post(app, ANSWERS, headers=headers)):
        assert reply.headers["access-control-allow-origin"] == origin
        assert "authorization" in reply.headers["access-control-allow-headers"]
    assert called(app, "GET", "/healthz", headers={"Origin": origin}).status_code in (200, 403)


def test_nothing_can_be_read_and_nothing_else_is_served(tmp_path: Path) -> None:
    app = collector(str(tmp_path), "secret")
    post(app, ANSWERS)
    (name,) = (path.name for path in tmp_path.iterdir())
    for path in ("/answers", f"/answers/{name}", f"/{name}", "/", "/docs", "/editor/editor.js"):
        reply = called(app, "GET", path, headers=TOKEN)
        assert reply.status_code in (404, 405), path
        assert "flu" not in reply.text
    for method in ("PUT", "DELETE", "PATCH"):
        assert called(app, method, "/answers", headers=TOKEN).status_code == 405
    assert called(app, "POST", "/v1/score", json={"text": "x"}, headers=TOKEN).status_code == 404
    assert called(app, "GET", "/healthz").json() == {"status": "ok"}


def test_the_token_is_needed(tmp_path: Path) -> None:
    app = collector(str(tmp_path), "secret")
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secrets"}):
        assert "the token is missing or wrong" in sentence(post(app, ANSWERS, headers=headers), 401)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "other"}, "expected answers with the schema"),
        ({"study": "../../../etc/pass"}, "'study' must be 16"),
        ({"participant": "B" * 12}, "'participant' must be 12"),
        ({"participant": ["b"] * 12}, "'participant' must be 12"),
        ({"answers": None}, "'answers' must be a list"),
        ({"answers": [ONE] * 2}, "two answers to one text"),
        ({"answers": [ONE] * 1001}, "at most 1,000 entries"),
        ({"answers": [3]}, "answer 1 is not an object"),
        ({"answers": [{**ONE, "text": 3}]}, "answer 1: 'text' must be a text"),
        ({"answers": [{**ONE, "message": "x" * 2001}]}, "at most 2,000 letters"),
        ({"answers": [{**ONE, "choices": [True]}]}, "'choices' must be a whole number"),
        ({"answers": [{**ONE, "choices": [-1]}]}, "'choices' must be a whole number"),
        ({"answers": [{**ONE, "choices": {"0": 1}}]}, "'choices' must be a list"),
        ({"answers": [{**ONE, "sure": 5}]}, "'sure' must be a whole number from 1 to 4"),
        ({"answers": [{**ONE, "sure": 2.5}]}, "'sure' must be a whole number from 1 to 4"),
        ({"answers": [{**ONE, "seconds": 1e300}]}, "'seconds' must be a whole number"),
        ({"answers": [{**ONE, "position": 0}]}, "'position' must be a whole number"),
    ],
)
def test_what_no_page_of_ours_would_send_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    app = collector(str(tmp_path), "secret")
    assert message in sentence(post(app, {**ANSWERS, **change}), 422)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"9" * 5000, b"null", b"[]", b"NaN"]
)
def test_a_body_that_is_no_json_is_refused(tmp_path: Path, body: bytes) -> None:
    app = collector(str(tmp_path), "secret")
    headers = {**TOKEN, "Content-Type": "application/json"}
    reply = called(app, "POST", "/answers", content=body, headers=headers)
    sentence(reply, 422)
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    app = collector(str(tmp_path), "secret")
    body = json.dumps({**ANSWERS, "answers": [{**ONE, "message": "\ud800 x"}]}).encode()
    headers = {**TOKEN, "Content-Type": "application/json"}
    assert called(app, "POST", "/answers", content=body, headers=headers).status_code == 201
    (path,) = tmp_path.iterdir()
    assert parse_answers(path.read_bytes()).answers[0].message == "? x"


def test_size_type_number_and_rate_are_limited(tmp_path: Path) -> None:
    app = collector(str(tmp_path), "secret", most_files=2, most_a_minute=5)
    long = called(app, "POST", "/answers", content=b" " * (MOST_BYTES + 1), headers={
        **TOKEN, "Content-Type": "application/json"
    })  # fmt: skip
    assert "longer than 1 MB" in sentence(long, 413)
    form = called(app, "POST", "/answers", data={"a": "b"}, headers=TOKEN)
    assert "must be application/json" in sentence(form, 415)
    replies = [post(app, ANSWERS) for _ in range(6)]
    assert [reply.status_code for reply in replies] == [201, 201, 507, 507, 507, 429]
    assert "is full" in replies[2].json()["error"]
    assert "in a minute" in replies[5].json()["error"]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file", "utf-8")
    app = collector(f"{tmp_path}/answers", "secret")
    assert "could not be stored" in sentence(post(app, ANSWERS), 507)


def test_options_that_exclude_each_other(understand: Run, tmp_path: Path) -> None:
    for option in (["--fetch"], ["--allow-origin", "https://a.example"]):
        done = understand("serve", "--answers", tmp_path / "a", *option, status=2)
        assert "--answers only collects answers" in done.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
def test_the_command_makes_a_token_and_collects(tmp_path: Path) -> None:
    """As a process: it prints the address, the token, and how to make the page."""
    import sys

    command = [sys.executable, "-m", "understandability", "serve", "--port", "0", "--answers"]
    environment = {k: v for k, v in os.environ.items() if k != "UNDERSTANDABILITY_TOKEN"}
    with subprocess.Popen(
        [*command, f"{tmp_path}/new/answers"], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            said = process.stdout.readline()
            match = re.search(r"--post (\S+) --token ([0-9a-f]{32}) ", said)
            assert match is not None, said
            request = urllib.request.Request(
                match[1],
                json.dumps(ANSWERS).encode(),
                {"Content-Type": "application/json", "Authorization": f"Bearer {match[2]}"},
            )
            with urllib.request.urlopen(request, timeout=60) as reply:
                assert reply.status == 201
            request.remove_header("Authorization")
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(request, timeout=60)
        finally:
            process.terminate()
    assert len(list((tmp_path / "new" / "answers").iterdir())) == 1
