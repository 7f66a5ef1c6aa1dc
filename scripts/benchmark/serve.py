"""Measure how fast `understand serve` answers: keys in the editor, and calls over HTTP.

    python -m scripts.benchmark.serve [--keys 60] [--calls 500] [--workers 1 2]

*Keys* are pressed every 150 ms in a real Chromium, after texts of 100, 1,000 and 5,000 words; a
time runs to the moment when the page shows the answer to the text of that key. *Calls* post texts
of 300 words, from several threads for a rate, then from one for the median. The memory of one idle
process is printed first.
"""

import http.client
import json
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scripts.browser import BrowserPage, browsing
from scripts.faults.server import serving
from scripts.shared import panel_words, parser_of

SIZES = (100, 1000, 5000)
_PAUSE = 0.15  # seconds between keys
_THREADS = 16
# Notes when each text was typed, and when its answer was drawn.
_WATCH = """
window.typed = new Map(); window.times = [];
document.getElementById('text').addEventListener('input', (event) => {
  window.typed.set(event.target.value, performance.now());
}, true);
document.addEventListener('explained', ({detail}) => {
  const start = window.typed.get(detail.text);
  if (start === undefined || detail.steps) return;
  requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - start)));
});
"""


def keys(page: BrowserPage, address: str, size: int, number: int) -> list[float]:
    """Milliseconds from each key to its answer; keys that another key overtook have none."""
    page.open(address)
    page.evaluate(_WATCH)
    page.evaluate("document.getElementById('text').focus()")
    page.type("".join(panel_words()[:size]))
    time.sleep(3)
    page.evaluate("window.times.length = 0")
    for letter in ("and we rest well. " * number)[:number]:
        page.type(letter)
        time.sleep(_PAUSE)
    time.sleep(1)
    times: list[float] = page.evaluate("window.times")
    page.evaluate("document.getElementById('text').value = ''")  # no question on leaving
    return times


def calls(port: int, number: int, threads: int = _THREADS) -> list[float]:
    """Seconds of each call, made by several threads, each on a connection that it keeps."""
    every = panel_words()
    own = threading.local()

    def call(start: int) -> float:
        text = "".join(every[start % 5000 : start % 5000 + 300])
        if not hasattr(own, "connection"):
            own.connection = http.client.HTTPConnection("127.0.0.1", port)
        begin = time.perf_counter()
        body = json.dumps({"text": text}).encode()
        own.connection.request("POST", "/v1/score", body, {"Content-Type": "application/json"})
        assert len(json.load(own.connection.getresponse())["rows"]) == 1
        return time.perf_counter() - begin

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(call, range(0, 7 * number, 7)))


def main() -> None:
    """Print both."""
    parser = parser_of(__doc__, data=False, keys=60, calls=500)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    chosen = parser.parse_args()
    for index, workers in enumerate(chosen.workers):
        with serving("--workers", str(workers)) as server:
            if workers == 1:
                print(
                    f"{server.idle_megabytes:.0f} MB before the first request, "
                    f"{server.megabytes():.0f} MB after it"
                )
            if chosen.keys and not index:
                print_keys(server.address, chosen.keys)
            if chosen.calls:
                calls(server.port, 50)  # the first ones number words
                begin = time.perf_counter()
                seconds = calls(server.port, chosen.calls)
                rate = chosen.calls / (time.perf_counter() - begin)
                alone = calls(server.port, chosen.calls // 4, threads=1)
                print(
                    f"{workers} workers: {rate:.0f} texts of 300 words a second, p99 "
                    f"{1000 * np.percentile(seconds, 99):.0f} ms from {_THREADS} threads; p50 "
                    f"{1000 * np.percentile(alone, 50):.1f} ms on one connection that is kept"
                )


def print_keys(address: str, number: int) -> None:
    """The times of keys in texts of several lengths."""
    with tempfile.TemporaryDirectory() as folder, browsing(Path(folder)) as page:
        for size in SIZES:
            times = keys(page, address, size, number)
            median, high = np.percentile(times, [50, 95])
            print(
                f"{size:5} words: {len(times)} of {number} keys answered, "
                f"median {median:.0f} ms, p95 {high:.0f} ms"
            )


if __name__ == "__main__":
    main()
