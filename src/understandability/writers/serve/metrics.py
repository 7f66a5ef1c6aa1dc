"""Counts and times of requests, in the text format of Prometheus."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds, upper limits
_PREFIX = "understandability"


class Metrics:
    """Counts the requests of one worker process by path and status, and their times in a histogram.

    >>> metrics = Metrics()
    >>> metrics.add("/v1/score", 200, 0.02)
    >>> print(metrics.text(waiting=3).splitlines()[-1])
    understandability_waiting_requests 3
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        # Path -> the number of requests in each bucket; the last one is without a limit.
        self._histograms: defaultdict[str, list[int]] = defaultdict(
            lambda: [0] * (len(BUCKETS) + 1)
        )

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests[path, status] += 1
        self._seconds[path] += seconds
        self._histograms[path][bisect_left(BUCKETS, seconds)] += 1

    def text(self, waiting: int) -> str:
        """Return all metrics; `waiting` is the number of requests in the queue."""
        return "\n".join([*self._counters(), *self._histogram(), *_gauge(waiting)]) + "\n"

    def _counters(self) -> list[str]:
        lines = [
            f"# HELP {_PREFIX}_requests_total Requests to process {os.getpid()} alone; every "
            "worker counts its own.",
            f"# TYPE {_PREFIX}_requests_total counter",
        ]
        lines += [
            f'{_PREFIX}_requests_total{{path="{path}",status="{status}"}} {count}'
            for (path, status), count in sorted(self._requests.items())
        ]
        lines.append(f"# TYPE {_PREFIX}_seconds_total counter")
        lines += [
            f'{_PREFIX}_seconds_total{{path="{path}"}} {total:.3f}'
            for path, total in sorted(self._seconds.items())
        ]
        return lines

    def _histogram(self) -> list[str]:
        name = f"{_PREFIX}_request_seconds"
        lines = [
            f"# HELP {name} Seconds from the whole request to its answer.",
            f"# TYPE {name} histogram",
        ]
        for path, counts in sorted(self._histograms.items()):
            limits = [*map(str, BUCKETS), "+Inf"]
            for limit, count in zip(limits, accumulate(counts), strict=True):
                lines.append(f'{name}_bucket{{path="{path}",le="{limit}"}} {count}')
            lines.append(f'{name}_sum{{path="{path}"}} {self._seconds[path]:.6f}')
            lines.append(f'{name}_count{{path="{path}"}} {sum(counts)}')
        return lines


def _gauge(waiting: int) -> list[str]:
    return [
        f"# HELP {_PREFIX}_waiting_requests Requests that are scored or wait for that.",
        f"# TYPE {_PREFIX}_waiting_requests gauge",
        f"{_PREFIX}_waiting_requests {waiting}",
    ]
