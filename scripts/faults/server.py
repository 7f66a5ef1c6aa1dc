"""Stress `understand serve`; the status is 1 if a case fails.

    python -m scripts.faults.server [--requests 100000] [--connections 1000] [--schemathesis FILE]

Starts servers of its own and prints a line for each fault: bodies of 10 MB and beyond the limit;
fifty clients that send a byte a second; open connections that send nothing; one of two workers
killed while four threads ask; the memory after a tenth, the half and all of the requests (with
`--new-words` each has two words that no other has, so that the tables of words fill and begin
anew); and whether all answers are those that the OpenAPI description names, by schemathesis. Needs
the extra serve, and Linux for the memory.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scripts.shared import UNDERSTAND, megabytes_of, panel_words, parser_of

_PATIENCE = 300  # seconds, on a busy machine
_SLOW = 50
_THREADS = 4
_GROWTH = 1.10  # what the memory may grow by in the second half


class Server:
    """A server in other processes, and requests to it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        self.process = process
        self.port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
        self.address = f"http://127.0.0.1:{self.port}/"
        self.ask_until_answered("GET", "/healthz")
        self.idle_megabytes = self.megabytes()
        self.score("You should rest.")  # the first one loads the model

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Status and body of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask_until_answered(self, method: str, path: str, body: bytes | None = None) -> int:
        """Repeat a request until it is answered; return how often the connection was lost."""
        deadline = time.monotonic() + _PATIENCE
        lost = 0
        while True:
            try:
                status, content = self.ask(method, path, body)
                assert status == 200, content
                return lost
            except (OSError, http.client.HTTPException):
                lost += 1
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def score(self, text: str) -> float:
        """Seconds until a text has its row."""
        begin = time.perf_counter()
        status, content = self.ask("POST", "/v1/score", json.dumps({"text": text}).encode())
        assert status == 200, content
        assert len(json.loads(content)["rows"]) == 1
        return time.perf_counter() - begin

    def idle(self, number: int, content: bytes) -> list[socket.socket]:
        """Connections that have sent this, and no more."""
        connections = []
        for _ in range(number):
            connections.append(socket.create_connection(("127.0.0.1", self.port), _PATIENCE))
            connections[-1].sendall(content)
        return connections

    def workers(self) -> list[int]:
        """The processes that answer, where there are several."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        # multiprocessing has a process of its own that answers nothing
        return [
            int(process_id)
            for process_id in children.read_text().split()
            if b"spawn_main" in Path(f"/proc/{process_id}/cmdline").read_bytes()
        ]

    def megabytes(self) -> float:
        """The memory that the server holds."""
        return megabytes_of(self.process.pid)


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """A server; it ends with the context."""
    command = [*UNDERSTAND, "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Server(process)
        finally:
            process.terminate()


def bodies() -> Iterator[str]:
    """A text of nearly 10 MB is scored, or refused with a reason; a longer one is refused."""
    with serving("--limit-seconds", "120") as server:
        every = "".join(panel_words())
        for size, wanted in ((9_500_000, (200, 422, 504)), (10_500_000, (413,))):
            text = (every * (size // len(every) + 1))[:size]
            begin = time.perf_counter()
            status, content = server.ask("POST", "/v1/score", json.dumps({"text": text}).encode())
            assert status in wanted, (status, content[:200])
            seconds = time.perf_counter() - begin
            what = "" if status == 200 else f", {json.loads(content)['error']}"
            yield f"{size / 1e6:.1f} MB: status {status} after {seconds:.1f} s{what}"
        server.score("You should rest.")


def slow_clients() -> Iterator[str]:
    """Others are served while some send a byte a second."""
    with serving("--limit-seconds", "10") as server:
        head = b"POST /v1/score HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port
        head += b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        clients = server.idle(_SLOW, head)
        seconds = []
        for _ in range(8):
            for client in clients:
                client.sendall(b" ")
            seconds.append(server.score("You should rest, and drink a lot of water."))
            time.sleep(1)
        time.sleep(4)
        let_go = sum(b" 408 " in client.recv(1000).partition(b"\r\n")[0] for client in clients)
        assert let_go == _SLOW, let_go
        for client in clients:
            client.close()
    yield f"{_SLOW} slow clients: others waited {1000 * max(seconds):.0f} ms at most; all told 408"


def connections(number: int) -> Iterator[str]:
    """Others are served while many connections are open."""
    with serving() as server:
        before = server.megabytes()
        open_ones = server.idle(number, b"")
        seconds = [server.score("You should rest, and drink a lot of water.") for _ in range(20)]
        grown = server.megabytes() - before
        for connection in open_ones:
            connection.close()
    yield (
        f"{number} open connections: others waited {1000 * max(seconds):.0f} ms at most; "
        f"{grown:.0f} MB more"
    )


def killed_worker() -> Iterator[str]:
    """Every request has its answer in the end, and there are two workers again."""
    with serving("--workers", "2") as server:
        stop = threading.Event()
        every = panel_words()

        def asking(start: int) -> tuple[int, int]:
            answered = lost = 0
            while not stop.is_set():
                text = "".join(every[(start + answered) % 5000 :][:300])
                body = json.dumps({"text": text}).encode()
                lost += server.ask_until_answered("POST", "/v1/score", body)
                answered += 1
            return answered, lost

        before = set(server.workers())
        assert len(before) == 2, before
        with ThreadPoolExecutor(_THREADS) as threads:
            futures = [threads.submit(asking, 1000 * number) for number in range(_THREADS)]
            time.sleep(5)
            killed = min(before)
            os.kill(killed, signal.SIGKILL)
            begin = time.monotonic()
            while len(set(server.workers()) - {killed}) < 2:
                assert time.monotonic() - begin < _PATIENCE, "no new worker came"
                time.sleep(0.1)
            seconds = time.monotonic() - begin
            time.sleep(5)
            stop.set()
            answered, lost = np.sum([future.result() for future in futures], axis=0)
    yield (
        f"one of two workers killed: {answered} requests answered, {lost} of them asked again; a "
        f"new worker after {seconds:.1f} s"
    )


def memory(requests: int, *, new_words: bool) -> Iterator[str]:
    """The memory does not grow from the first half of the requests to the second."""
    every = panel_words()
    with serving() as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)
        memory_after = {}
        begin = time.perf_counter()
        for number in range(1, requests + 1):
            start = 7 * number % (len(every) - 40)
            text = "".join(every[start : start + 40])
            if new_words:
                text += f"There were {number} of word{number}."
            body = json.dumps({"text": text}).encode()
            connection.request("POST", "/v1/score", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            if number in (requests // 10, requests // 2, requests):
                memory_after[number] = server.megabytes()
        rate = requests / (time.perf_counter() - begin)
        connection.close()
    growth = ", ".join(f"{size:.0f} MB after {number:,}" for number, size in memory_after.items())
    texts = "with words that nobody wrote before" if new_words else "of texts of the panel"
    yield f"{requests:,} requests {texts}, {rate:.0f} a second: {growth}"
    _, half, whole = memory_after.values()
    assert new_words or whole <= _GROWTH * half, "the memory grew"


def description(program: Path) -> Iterator[str]:
    """Allowed requests get the described answers, and all other requests are refused."""
    with serving() as server:
        address = f"{server.address}openapi.json"
        # No description says which bytes are a readable file.
        for options in (
            ["--exclude-path", "/v1/text"],
            ["--include-path", "/v1/text", "--exclude-checks", "positive_data_acceptance"],
        ):
            done = subprocess.run(
                [program, "run", address, "--max-examples", "30", "--no-color", *options],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout[-4000:]
            yield f"schemathesis: {done.stdout.strip().splitlines()[-1].strip('= ')}"


def main() -> int:
    """Try all; print what came of each."""
    parser = parser_of(__doc__, data=False, requests=100_000, connections=1000)
    parser.add_argument("--new-words", action="store_true", help="in each of the requests")
    parser.add_argument("--schemathesis", type=Path, help="the program, where it is installed")
    chosen = parser.parse_args()
    faults: list[Any] = [
        bodies(), slow_clients(), connections(chosen.connections), killed_worker(),
        memory(chosen.requests, new_words=chosen.new_words) if chosen.requests else iter(()),
        description(chosen.schemathesis) if chosen.schemathesis else iter(()),
    ]  # fmt: skip
    failed = 0
    for fault in faults:
        try:
            for line in fault:
                print(line, flush=True)
        except AssertionError as error:
            failed = 1
            print(f"FAILED {fault.__name__}: {error}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
