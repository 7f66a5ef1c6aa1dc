"""Commands where POSIX is missing, as on Windows: no fcntl, no alarms, no sysconf.

A system is imitated here, not tried: what a Windows machine does beyond this is not known.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import SAMPLES

pytestmark = pytest.mark.slow

# Remove what Python lacks on Windows, before the package is imported.
WITHOUT = """
import asyncio, os, signal, sys  # asyncio, which is another on Windows, asks for sysconf
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("SIGALRM", "SIGPROF", "SIGKILL", "SIGHUP", "SIGXCPU", "SIGUSR1", "setitimer",
             "ITIMER_PROF", "ITIMER_REAL", "alarm", "pthread_sigmask"):
    vars(signal).pop(name, None)
for name in ("sysconf", "fork", "geteuid", "getuid", "pread", "pwrite", "sched_getaffinity"):
    vars(os).pop(name, None)
"""
COMMANDS = """
from understandability.cli import status_of
for number, command in enumerate(sys.argv[1:]):
    status = status_of(command.split())
    print(f"\\n{number}: {status}", flush=True)
"""
SERVER = """
import asyncio, httpx
from understandability.writers.serve.app import create
async def words():
    transport = httpx.ASGITransport(create())
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        reply = await client.post("/v1/score", json={"text": "Rest well."})
        print(reply.json()["rows"][0]["words"])
asyncio.run(words())
"""


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A program in such a process."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT + program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_commands_run_and_a_crawl_says_what_it_needs(tmp_path: Path) -> None:
    """Commands answer as on other systems; a crawl ends with one sentence, not a traceback."""
    page = SAMPLES / "easy.html"
    commands = [f"explain {page} --json", f"score {page} -o -", f"features {page} -o -"]
    commands += ["evaluate --help", "serve --help", f"score {SAMPLES} -o {tmp_path}/crawl/"]
    done = run(COMMANDS, *commands)
    assert done.returncode == 0, done.stderr
    rest = done.stdout
    for number in range(5):
        told, _, rest = rest.partition(f"\n{number}: 0\n")
        assert told, done.stderr
    assert rest == "\n5: 2\n"
    assert "Traceback" not in done.stderr
    assert "Linux or macOS" in done.stderr


def test_the_server_is_made() -> None:
    """The modules of `understand serve` can be imported, and the server answers."""
    pytest.importorskip("fastapi", reason="needs the extra serve")
    done = run(SERVER)
    assert done.stdout.strip() == "2", done.stderr
