"""The server as a process of its own: slow clients, ports in use, several workers."""

import http.client
import json
import resource
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts.faults.server import killed_worker, serving

pytest.importorskip("uvicorn", reason="needs the extra serve")
pytest.importorskip("fastapi", reason="needs the extra serve")

pytestmark = pytest.mark.slow

_PATIENCE = 120


def call(port: int, path: str, message: Any = None) -> Any:
    """The JSON of a reply."""
    body = None if message is None else json.dumps(message).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=_PATIENCE) as reply:
        return json.loads(reply.read())


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server with little patience."""
    with serving("--limit-seconds", "10", "--limit-mb", "0.5") as server:
        yield server.port


def raw(port: int, content: bytes) -> socket.socket:
    """A connection that has sent this."""
    made = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
    made.sendall(content)
    return made


HEAD = b"POST /v1/score HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"


def test_a_slow_client_is_let_go_and_others_are_served(port: int) -> None:
    """Its body does not come, and it is told; meanwhile others have their answer."""
    slow = raw(port, HEAD % port + b"Content-Length: 100\r\n\r\n{")
    assert call(port, "/v1/score", {"text": "Rest well."})["rows"][0]["words"] == 2
    answer = slow.recv(65536).decode()
    assert " 408 " in answer.partition("\r\n")[0]
    assert "did not come within 10 seconds" in answer + slow.recv(65536).decode()
    slow.close()


def test_a_body_without_an_end_is_refused(port: int) -> None:
    """Chunks say no length beforehand; they are counted as they come."""
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    sending = raw(port, HEAD % port + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 12)
    assert b" 413 " in sending.recv(65536).partition(b"\r\n")[0]
    sending.close()


def test_a_long_body_is_refused_with_a_reason(port: int) -> None:
    """It is read and dropped, so that the client gets the answer instead of a reset."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    body = b'{"text": "' + b"a" * 3_000_000 + b'"}'
    connection.request("POST", "/v1/score", body, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    assert reply.status == 413
    assert "longer than" in json.load(reply)["error"]
    connection.close()


def test_a_client_that_leaves_harms_nobody(port: int) -> None:
    """Closed in the middle of a body, many times."""
    for _ in range(50):
        raw(port, HEAD % port + b"Content-Length: 100\r\n\r\n{").close()
    assert call(port, "/healthz")["status"] == "ok"


def test_many_connections(port: int) -> None:
    """Three hundred that send nothing do not keep others out."""
    idle = [raw(port, b"") for _ in range(300)]
    assert call(port, "/v1/score", {"text": "Rest well."})["rows"]
    for each in idle:
        each.close()


def test_an_idle_server_is_small() -> None:
    """It has loaded the models, and nothing that no request needs."""
    with serving() as server:
        assert server.idle_megabytes < 185


def test_a_port_in_use(port: int, understand: Callable[..., Any]) -> None:
    done = understand("serve", "--port", port, status=2)
    assert "choose another with --port" in done.stderr


def test_an_address_for_all_needs_a_token(understand: Callable[..., Any]) -> None:
    """What everybody reaches is not open to everybody."""
    done = understand("serve", "--host", "0.0.0.0", "--port", 0, status=2)
    assert "give a --token" in done.stderr


@pytest.fixture(scope="module")
def port_of_two() -> Iterator[int]:
    """A server of two processes."""
    with serving("--workers", "2") as server:
        yield server.port


def test_workers_give_the_same_rows(port_of_two: int) -> None:
    message = {"text": "You should rest, and drink a lot of water."}
    rows = [call(port_of_two, "/v1/score", message)["rows"] for _ in range(6)]
    assert all(row == rows[0] for row in rows)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the workers in /proc")
def test_a_killed_worker_is_replaced() -> None:
    """While others ask; every request has its answer in the end."""
    (line,) = killed_worker()
    assert "a new worker after" in line


def seconds_of_one(port: int, requests: int = 30) -> float:
    """The median time of an answer, one after another on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    times = []
    for _ in range(requests):
        begin = time.perf_counter()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        times.append(time.perf_counter() - begin)
    connection.close()
    return sorted(times)[requests // 2]


def test_small_answers_are_sent_at_once_by_two_workers(port_of_two: int) -> None:
    """Without TCP_NODELAY each waits for the 40 ms after which the client says what it has."""
    assert seconds_of_one(port_of_two) < 0.02


def test_connections_that_say_nothing_are_let_go(port: int) -> None:
    """More than the server takes; some begin their headers and never end them."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    idle = [
        raw(port, b"GET / HTTP/1.1\r\nHo"[: 20 * (n % 2)]) for n in range(min(3000, most - 500))
    ]
    begin = time.monotonic()
    while True:
        try:
            call(port, "/v1/score", {"text": "Rest well."})
            break
        except OSError:
            assert time.monotonic() - begin < 20
            time.sleep(0.5)
    assert time.monotonic() - begin < 20
    for each in idle:
        each.close()
