"""Write the parts of README.md that derive from the code: run it after changing either.

Each part stands between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``. With ``--check``
nothing is written, and the status is 1 if a part is stale.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def understand(*arguments: str) -> str:
    """What a command prints, as a block of text."""
    done = subprocess.run(
        [sys.executable, "-m", "understandability", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "\n".join(["```", *lines, "```"])


def samples() -> str:
    """The scores of the sample pages."""
    return understand("score", "resources/samples")


def commands() -> str:
    """Every command by task, with the first sentence of its help."""
    from understandability.cli import COMMANDS, summary

    tasks: dict[str, list[str]] = {}
    for name, module, task in COMMANDS:
        tasks.setdefault(task, []).append(f"| `understand {name}` | {summary(name, module)} |")
    parts = []
    for task, rows in tasks.items():
        parts += [f"| {task} | |", "|---|---|", *rows, ""]
    return "\n".join(parts).rstrip()


PARTS: dict[str, Callable[[], str]] = {"samples": samples, "commands": commands}


def updated(text: str) -> str:
    """The README with every part made anew."""
    for name, make in PARTS.items():
        pattern = re.compile(f"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"README.md has no place for the part {name!r}")
        made = make()
        text = pattern.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", text)
    return text


def main() -> None:
    """Write the README, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether it is stale")
    arguments = parser.parse_args()
    before = README.read_text("utf-8")
    after = updated(before)
    if arguments.check and after != before:
        raise SystemExit("README.md is stale; run scripts/update_readme.py")
    README.write_text(after, "utf-8")


if __name__ == "__main__":
    main()
