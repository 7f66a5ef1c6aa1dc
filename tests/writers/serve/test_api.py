"""The calls of the server: the rows of the command line, and one sentence for whatever is wrong."""

import asyncio
import gzip
import json
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import SAMPLES

httpx = pytest.importorskip("httpx", reason="needs the extra test")
pytest.importorskip("fastapi", reason="needs the extra serve")

from understandability.errors import InputError  # noqa: E402
from understandability.inputs.fetching import FetchLimits  # noqa: E402  # after the skips
from understandability.scoring import Settings  # noqa: E402
from understandability.writers.serve import RequestLimits  # noqa: E402
from understandability.writers.serve.app import create  # noqa: E402
from understandability.writers.serve.files import text_of_file  # noqa: E402

TEXT = (
    "Preoperative optimisation of comorbidities is imperative to minimise perioperative morbidity."
)
LIMITS = RequestLimits(megabytes=0.1, seconds=30.0, documents=5)

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def app() -> Any:
    """The server with small limits."""
    return create(Settings(), limits=LIMITS)


@pytest.fixture(scope="module")
def guarded() -> Any:
    """One that asks for a token."""
    return create(Settings(), token="secret", limits=LIMITS)


def called(app: Any, method: str, path: str, *, host: str = "localhost", **given: Any) -> Any:
    """The reply to one request."""

    async def call() -> Any:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return await client.request(method, path, **given)

    return asyncio.run(call())


def post(app: Any, path: str, message: Any, **given: Any) -> Any:
    """The reply to a message."""
    return called(app, "POST", path, json=message, **given)


def sentence(reply: Any, status: int) -> str:
    """The error of a reply of that status; one sentence as JSON."""
    assert reply.status_code == status, reply.text
    (error,) = reply.json().values()
    assert "\n" not in error
    assert list(reply.json()) == ["error"]
    return str(error)


def test_rows_are_those_of_the_command_line(app: Any, understand: Call, tmp_path: Path) -> None:
    """To the digit, alone and in a list."""
    names = ("easy", "medium", "hard")
    done = understand("score", *(SAMPLES / f"{name}.html" for name in names), "-o", "-", status=0)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    pages = {name: (SAMPLES / f"{name}.html").read_text("utf-8") for name in names}
    listed = [{"id": name, "html": text} for name, text in pages.items()]
    rows = post(app, "/v1/score", {"documents": listed}).json()["rows"]
    alone = [post(app, "/v1/score", {"html": text}).json()["rows"][0] for text in pages.values()]
    told = ("docno", "path", "encoding")  # a page that comes as text was decoded before
    for line, row, one in zip(lines, rows, alone, strict=True):
        for name, value in line.items():
            if name not in told:
                assert row[name] == value, name
                assert one[name] == value, name


def test_a_document_that_cannot_be_scored_is_told(app: Any) -> None:
    documents = [{"id": "a", "text": "Rest well."}, {"id": "b", "html": "%PDF-1.4"}]
    reply = post(app, "/v1/score", {"documents": documents}).json()
    assert [row["docno"] for row in reply["rows"]] == ["a"]
    assert [row["docno"] for row in reply["errors"]] == ["b"]


def test_an_explanation(app: Any) -> None:
    """Sentences, terms and steps; without steps where they are not wanted."""
    found = post(app, "/v1/explain", {"text": TEXT * 8}).json()["explanation"]
    assert found["first_steps"]
    assert found["hardest"]
    assert "explanation" in post(app, "/v1/explain", {"text": ""}).json()
    quick = post(app, "/v1/explain", {"text": TEXT * 8, "steps": False}).json()["explanation"]
    assert quick["first_steps"] == []
    assert quick["estimate"] == found["estimate"]


def test_a_reader_can_be_chosen(app: Any) -> None:
    """By name, or by threshold; the more a reader copes with, the higher the chance."""
    chances = [
        post(app, "/v1/score", {"text": TEXT, **choice}).json()["rows"][0]["p_understandable"]
        for choice in ({"reader": "plain-language"}, {}, {"reader": "health-student"})
    ]
    assert chances == sorted(chances)
    assert len(set(chances)) == 3
    step = post(app, "/v1/score", {"text": TEXT, "threshold": 1, "user": "step"}).json()
    assert step["rows"][0]["p_understandable"] == 0


def test_pages_are_got_from_the_network_only_where_the_server_may() -> None:
    """Otherwise it says how; addresses of its own network are refused all the same."""
    plain = create(Settings(), limits=LIMITS)
    assert called(plain, "GET", "/healthz").json()["fetch"] is False
    asked = {"url": "http://127.0.0.1:9/"}
    assert "start it with --fetch" in sentence(post(plain, "/v1/fetch", asked), 403)
    able = create(Settings(), limits=LIMITS, fetching=FetchLimits(seconds=2.0))
    assert called(able, "GET", "/healthz").json()["fetch"] is True
    assert "only public ones are fetched" in sentence(post(able, "/v1/fetch", asked), 422)
    assert "not the address of a page" in sentence(post(able, "/v1/fetch", {"url": "x"}), 422)


def test_documents_are_reranked(app: Any) -> None:
    """By hand: half the place between the scores, half the chance."""
    documents = [
        {"id": "hard", "score": 2.0, "p_understandable": 0.1},
        {"id": "middle", "score": 1.5, "p_understandable": 0.5},
        {"id": "easy", "score": 1.0, "p_understandable": 0.9},
        {"id": "text", "score": 1.0, "text": TEXT},
    ]
    reply = post(app, "/v1/rerank", {"documents": documents}).json()["documents"]
    scores = {row["id"]: row["score"] for row in reply}
    assert scores["hard"] == pytest.approx(0.55)
    assert scores["middle"] == pytest.approx(0.5)
    assert scores["easy"] == pytest.approx(0.45)
    assert [row["id"] for row in reply] == ["hard", "middle", "easy", "text"]
    assert [row["rank"] for row in reply] == [1, 2, 3, 4]
    alone = post(app, "/v1/rerank", {"documents": documents, "weight": 1}).json()["documents"]
    assert alone[0]["id"] == "easy"


def test_documents_of_one_id_are_reranked_each_by_its_own_text(app: Any) -> None:
    """As a search engine gives the passages of one document."""
    documents = [{"id": "a", "score": 1, "text": text} for text in (TEXT, "Rest at home.", TEXT)]
    first, second, third = post(app, "/v1/rerank", {"documents": documents}).json()["documents"]
    assert first["p_understandable"] > second["p_understandable"] + 0.3
    assert second == {**third, "rank": 2}


def test_scores_of_any_size_are_reranked(app: Any) -> None:
    """Their difference may be larger than any float; infinite ones are refused."""
    documents = [
        {"id": str(score), "score": score, "p_understandable": 0.5} for score in (-1e308, 0, 1e308)
    ]
    reply = post(app, "/v1/rerank", {"documents": documents}).json()["documents"]
    assert [(row["id"], row["score"]) for row in reply] == [
        ("1e+308", 0.75), ("0", 0.5), ("-1e+308", 0.25)
    ]  # fmt: skip
    endless = b'{"documents": [{"id": "a", "score": 1e999, "text": "x"}]}'
    kind = {"Content-Type": "application/json"}
    reply = called(app, "POST", "/v1/rerank", content=endless, headers=kind)
    assert "score: input should be a finite number" in sentence(reply, 422)


def test_versions_are_compared_and_reported(app: Any) -> None:
    message = {"before": TEXT, "after": "Get well before the operation."}
    changes = post(app, "/v1/compare", message).json()["comparison"]["changes"]
    assert changes[0]["now"] == "easier"
    report = post(app, "/v1/report", {"text": message["after"], "before": TEXT})
    assert report.headers["content-type"].startswith("text/html")
    assert "Side by side" in report.text
    assert "How hard is this text?" in post(app, "/v1/report", {"text": TEXT}).text


@pytest.mark.parametrize(
    ("path", "message", "said"),
    [
        ("/v1/score", {}, "give one of text, html and documents"),
        ("/v1/score", {"text": 3}, "text: input should be a valid string"),
        ("/v1/score", {"text": "a", "html": "b"}, "give one of text, html and documents"),
        (
            "/v1/score",
            {"texts": ["a"]},
            "texts: there is no such field; the fields are reader, threshold, user, noise_scale, "
            "text, html, documents",
        ),
        (
            "/v1/score",
            {"documents": [{"id": "a", "txet": "a"}]},
            "documents.0: txet: there is no such field; the fields are text, html, id, url",
        ),
        ("/v1/score", {"text": "a", "threshold": True}, "threshold: input should be a valid"),
        ("/v1/explain", {"text": "a", "steps": 1}, "steps: input should be a valid boolean"),
        ("/v1/score", {"text": "a", "threshold": 400}, "threshold: input should be less than"),
        ("/v1/explain", {"text": "a", "reader": "nobody"}, "reader: input should be 'public'"),
        ("/v1/rerank", {"documents": []}, "documents: list should have at least 1 item"),
        ("/v1/rerank", {"documents": [{"id": "a", "score": 1}]}, "give one of p_understandable"),
        ("/v1/score", [1], "nput should be a valid dictionary"),
    ],
)
def test_what_a_message_gets_wrong_is_one_sentence(
    app: Any, path: str, message: Any, said: str
) -> None:
    assert said in sentence(post(app, path, message), 422)


def test_a_body_that_is_no_message(app: Any) -> None:
    """No JSON, another type, too much, too many."""
    kind = {"Content-Type": "application/json"}
    for body in (b"", b"{", b"\xff", b'"\xff"', b'{"text": NaN}', b"[" * 5000, b"[" * 50_000):
        reply = called(app, "POST", "/v1/score", content=body, headers=kind)
        assert reply.status_code in (400, 422), body[:10]
        error = sentence(reply, reply.status_code)
        assert "the body is not JSON" in error or body in (b"", b'{"text": NaN}'), error
    form = called(app, "POST", "/v1/score", data={"text": "a"})
    assert "must be application/json" in sentence(form, 415)
    assert "longer than 0.1 MB" in sentence(post(app, "/v1/score", {"text": "a" * 200_000}), 413)
    many = {"documents": [{"id": str(n), "text": "a"} for n in range(6)]}
    assert "more than the 5" in sentence(post(app, "/v1/score", many), 413)


def test_paths_and_methods_that_are_not_there(app: Any) -> None:
    assert "described at /openapi.json" in sentence(called(app, "GET", "/nothing"), 404)
    sentence(called(app, "GET", "/editor/../app.py"), 404)
    sentence(called(app, "GET", "/editor/%2e%2e%2fSOURCES.md"), 404)
    for method, path, allowed in (("GET", "/v1/score", "POST"), ("POST", "/healthz", "GET")):
        refused = called(app, method, path)
        assert sentence(refused, 405) == f"{path} does not take {method}; use {allowed}"
        assert refused.headers["allow"] == allowed


@pytest.mark.parametrize(
    "host", ["attacker.example", "127.0.0.1.attacker.example", "localhost.attacker.example:8765"]
)
def test_a_name_that_was_bound_anew_is_refused(app: Any, host: str) -> None:
    """DNS rebinding: the browser sends the attacker's name."""
    assert "does not answer to the name" in sentence(called(app, "GET", "/", host=host), 421)
    assert "does not answer" in sentence(post(app, "/v1/score", {"text": "a"}, host=host), 421)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8765", "[::1]:8765", "LOCALHOST:1"])
def test_own_names_are_answered(app: Any, host: str) -> None:
    reply = called(app, "GET", "/healthz", headers={"Host": host})
    assert reply.json()["status"] == "ok"


@pytest.mark.parametrize(
    "origin", ["https://attacker.example", "null", "http://localhost:1", "file://"]
)
def test_pages_of_others_are_refused(app: Any, origin: str) -> None:
    """CSRF: whatever a hostile page sends, it is not answered; and nothing tells it may read."""
    reply = post(app, "/v1/explain", {"text": "a"}, headers={"Origin": origin})
    assert "pages of other sites" in sentence(reply, 403)
    before = called(
        app,
        "OPTIONS",
        "/v1/explain",
        headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
    )
    assert before.status_code == 403
    for each in (reply, before):
        assert not [name for name in each.headers if name.startswith("access-control")]
    own = post(app, "/v1/explain", {"text": "a"}, headers={"Origin": "http://localhost"})
    assert own.status_code == 200


def test_a_token_is_asked_for(guarded: Any) -> None:
    """By every call but those that tell nothing: the page itself, and that the server is there."""
    assert "the token is missing" in sentence(post(guarded, "/v1/score", {"text": "a"}), 401)
    for wrong in ("Bearer nosecret", "Bearer ", "secret2", "Bearer sécret"):
        reply = post(guarded, "/v1/score", {"text": "a"}, headers={"Authorization": wrong.encode()})
        assert reply.status_code == 401
    right = {"Authorization": "Bearer secret"}
    assert post(guarded, "/v1/score", {"text": "a"}, headers=right).status_code == 200
    assert called(guarded, "GET", "/metrics").status_code == 401
    for path in ("/", "/healthz", "/editor/editor.js"):
        assert called(guarded, "GET", path).status_code == 200


def test_every_reply_forbids_what_is_not_ours(app: Any) -> None:
    """The policy of the page, and the headers that keep others out."""
    for reply in (called(app, "GET", "/"), called(app, "GET", "/nothing")):
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_editor_loads_nothing_from_elsewhere(app: Any) -> None:
    """No address but its own files, all of which are there."""
    page = called(app, "GET", "/").text
    assert "://" not in page
    for name in ("editor.css", "editor.js", "marks.js", "panel.js", "server.js"):
        file = called(app, "GET", f"/editor/{name}")
        assert file.status_code == 200
        assert "://" not in file.text


def test_requests_are_counted(app: Any) -> None:
    """By path and status, as Prometheus reads them."""
    post(app, "/v1/score", {"text": "a"})
    text = called(app, "GET", "/metrics").text
    assert f"to process {os.getpid()} alone; every worker counts its own" in text
    assert 'understandability_requests_total{path="/v1/score",status="200"}' in text
    assert "attacker" not in text
    assert "understandability_waiting_requests 0" in text
    buckets = re.findall(r'_request_seconds_bucket{path="/v1/score",le="(.+?)"} (\d+)', text)
    assert [limit for limit, _ in buckets][-2:] == ["10.0", "+Inf"]
    counts = [int(count) for _, count in buckets]
    assert counts == sorted(counts)
    assert f'_request_seconds_count{{path="/v1/score"}} {counts[-1]}' in text
    assert counts[-1] >= 1


def test_a_page_describes_the_calls(app: Any, guarded: Any) -> None:
    """Without scripts and other sites; also where calls need a token."""
    page = called(app, "GET", "/docs").text
    assert "<code>POST /v1/score</code>" in page
    assert "<code>documents</code>" in page
    assert "://" not in page
    assert "<script" not in page
    assert called(guarded, "GET", "/docs").status_code == 200


def gzipped(app: Any, content: bytes, coding: str = "gzip") -> Any:
    headers = {"content-type": "application/json", "content-encoding": coding}
    return called(app, "POST", "/v1/score", content=content, headers=headers)


def test_bodies_may_be_gzip(app: Any) -> None:
    """Within the same limit once decoded; anything else is refused in a sentence."""
    body = json.dumps({"text": TEXT}).encode()
    expected = post(app, "/v1/score", {"text": TEXT}).json()
    assert gzipped(app, gzip.compress(body)).json() == expected
    assert gzipped(app, gzip.compress(body[:9]) + gzip.compress(body[9:])).json() == expected
    bomb = gzip.compress(b" " * 50_000_000)
    assert len(bomb) < 100_000
    assert "longer than 0.1 MB" in sentence(gzipped(app, bomb), 413)
    assert "the body is not gzip" in sentence(gzipped(app, body), 400)
    assert "ends too early" in sentence(gzipped(app, gzip.compress(body)[:-9]), 400)
    assert "may be plain or gzip, not 'br'" in sentence(gzipped(app, body, "br"), 415)


def test_the_description_names_every_call(app: Any, guarded: Any) -> None:
    """OpenAPI, with the messages, what a call answers, and the error."""
    described = called(app, "GET", "/openapi.json").json()
    assert set(described["paths"]) == {
        "/v1/score", "/v1/explain", "/v1/compare", "/v1/report", "/v1/rerank", "/v1/text",
        "/v1/fetch", "/v1/sentence", "/v1/save", "/v1/rewrite",
        "/healthz", "/metrics",
    }  # fmt: skip
    schemas = described["components"]["schemas"]
    assert "ErrorReply" in schemas
    # Needed is one of the texts.
    assert [each["required"] for each in schemas["ExplainRequest"]["oneOf"]] == [["text"], ["html"]]
    replies = described["paths"]["/v1/report"]["post"]["responses"]
    assert "text/html" in replies["200"]["content"]
    assert list(replies["422"]["content"]) == ["application/json"]
    # A token, if there is one, stands there too, so that clients made of it send one.
    assert "security" not in described
    headers = {"Authorization": "Bearer secret"}
    described = called(guarded, "GET", "/openapi.json", headers=headers).json()
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert described["security"] == [{"token": []}]


def upload(app: Any, name: str, content: bytes) -> Any:
    """The reply to a file that is dropped."""
    kind = {"Content-Type": "application/octet-stream"}
    return called(app, "POST", "/v1/text", params={"name": name}, content=content, headers=kind)


def test_a_file_becomes_text(app: Any) -> None:
    reply = upload(app, "a.HTML", b"<p>Rest well.</p>")
    assert reply.status_code == 200, reply.text
    assert reply.json()["text"] == "Rest well."


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.exe", b"MZ", "cannot be read: unsupported file type; use .html"),
        ("", b"x", "cannot be read: unsupported file type"),
        ("a.pdf", b"%PDF-1.4 broken", "not PDF, or damaged"),
        pytest.param("a.docx", b"PK nothing", "not DOCX, or damaged", marks=pytest.mark.slow),
        pytest.param("a.odt", b"nothing", "not ODT, or damaged", marks=pytest.mark.slow),
        ("a.txt", b"  ", "holds no text"),
        ("../../a.txt", b"", "a.txt holds no text"),
    ],
)
def test_files_that_cannot_be_read(app: Any, name: str, content: bytes, said: str) -> None:
    assert said in sentence(upload(app, name, content), 422)


def test_what_is_not_known_is_null(app: Any) -> None:
    """Of a language that no bundle knows, which the row says."""
    danish = "Influenza er en sygdom, som skyldes en virus, og den varer i lang tid for mange. "
    row = post(app, "/v1/score", {"text": danish * 5}).json()["rows"][0]
    assert row["p_understandable"] is None
    assert "not_english" in row["flags"]


def test_a_sentence_gets_proposals_and_a_text_is_saved(app: Any) -> None:
    """By its number; a number that there is not is one sentence."""
    asked = {"text": "Patients are advised to avoid alcohol. Rest.", "sentence": 0}
    (found,) = post(app, "/v1/sentence", asked).json()["proposals"]
    assert found["text"] == "You should avoid alcohol."
    assert "counted from 0" in sentence(post(app, "/v1/sentence", {**asked, "sentence": 9}), 422)
    saved = post(app, "/v1/save", {"text": "# Flu <b>\n- rest", "kind": "html"})
    assert "<h1>Flu &lt;b&gt;</h1>\n<ul>\n<li>rest</li>" in saved.text


def test_nothing_is_rewritten_without_a_model(app: Any) -> None:
    assert "--model-url" in sentence(post(app, "/v1/rewrite", {"text": "Rest."}), 403)


def test_pages_that_take_long_are_linear_or_refused() -> None:
    """Megabytes of items of one list, and of cells of one row, took time by their square."""
    for many, tail in (("<ul>" + "<li>word. " * 20_000, ""), ("<tr>" + "<td>a</td>" * 20_000, "")):
        begin = time.monotonic()
        html = f"<p>Rest, and drink plenty of water.</p><table>{many}{tail}".encode()
        with suppress(InputError):
            text_of_file(html, "x.html")
        assert time.monotonic() - begin < 5
