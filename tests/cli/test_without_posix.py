"""Commands where POSIX is missing, as on Windows: no fcntl, no alarms, no sysconf.

A system is imitated here, not tried: what a Windows machine does beyond this is not known.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"
pytestmark = pytest.mark.slow

# What a Windows Python lacks; runs before anything of the package is imported.
WITHOUT = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("SIGALRM", "SIGPROF", "SIGKILL", "SIGHUP", "SIGXCPU", "SIGUSR1", "setitimer",
             "ITIMER_PROF", "ITIMER_REAL", "alarm", "pthread_sigmask"):
    vars(signal).pop(name, None)
for name in ("sysconf", "fork", "geteuid", "getuid", "pread", "pwrite", "sched_getaffinity"):
    vars(os).pop(name, None)
from understandability.cli import main
main()
"""


def understand(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command in such a process."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain", SAMPLES / "easy.html", "--json"),
        ("score", SAMPLES / "easy.html", "-o", "-"),
        ("features", SAMPLES / "easy.html", "-o", "-"),
        ("evaluate", "--help"),
        ("serve", "--help"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_runs(arguments: tuple[object, ...]) -> None:
    """It answers as it does elsewhere."""
    done = understand(*arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_crawl_says_what_it_needs(tmp_path: Path) -> None:
    """One sentence, and no trace."""
    done = understand("score", SAMPLES, "-o", f"{tmp_path}/crawl/")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "Linux or macOS" in done.stderr


def test_the_server_is_made() -> None:
    """All that `understand serve` imports is there, and answers."""
    pytest.importorskip("fastapi", reason="needs the extra serve")
    text = WITHOUT.replace(
        "from understandability.cli import main\nmain()",
        "import asyncio, httpx\n"
        "from understandability.writers.serve.app import create\n"
        "async def words():\n"
        "    transport = httpx.ASGITransport(create())\n"
        "    async with httpx.AsyncClient(transport=transport, base_url='http://localhost') as c:\n"
        "        reply = await c.post('/v1/score', json={'text': 'Rest well.'})\n"
        "        print(reply.json()['rows'][0]['words'])\n"
        "asyncio.run(words())\n",
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.strip() == "2", done.stderr
