"""Write the parts of the documents that derive from the code: run it after changing either.

Each part stands between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``. With ``--check``
nothing is written, and the status is 1 if a part is stale.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESOURCES = ROOT / "resources"


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


def measures() -> str:
    """Every measure and every parameter of evaluation."""
    from understandability.evaluation.names import markdown_table

    return markdown_table()


def feature_groups() -> str:
    """The groups of the catalogue: how many features and columns each has, and what they need."""
    from understandability.features import CATALOGUE, GROUPS

    lines = [
        "| group | features | columns | of them with an installed vocabulary |",
        "|---|--:|--:|--:|",
    ]
    for group in GROUPS:
        rows = [row for row in CATALOGUE if row.group == group]
        columns = sum(len(row.columns) for row in rows)
        needing = sum(len(row.columns) for row in rows if row.needs)
        lines.append(f"| {group} | {len(rows)} | {columns} | {needing or ''} |")
    return "\n".join(lines)


def features() -> str:
    """The whole catalogue."""
    from understandability.features.catalogue import markdown

    return "\n" + markdown()


def figures() -> str:
    """What the card of the default bundle says of its quality."""
    from understandability.estimation import load_bundle

    card = load_bundle("default").card
    rows = [
        f"| {row['set']} | {row['measure']} | {row['value']:.3f} | {row['n']} |"
        for row in card["figures"]
    ]
    head = ["| labelled set | measure | value | texts |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "", f"Figures are {card['figures_note']}."])


def checksums() -> str:
    """The SHA-256 sum of every embedded resource."""
    files = [path for path in sorted(RESOURCES.rglob("*")) if path.is_file()]
    lines = []
    for path in files:
        if path.name != "SOURCES.md":
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            lines.append(f"    {digest}  {path.relative_to(RESOURCES).as_posix()}")
    return "\n".join(["", *lines, ""])


# Document -> name of a part in it -> what makes it. Checksums first: others need the resources.
PARTS: dict[Path, dict[str, Callable[[], str]]] = {
    RESOURCES / "SOURCES.md": {"checksums": checksums},
    ROOT / "README.md": {
        "samples": samples,
        "commands": commands,
        "measures": measures,
        "feature-groups": feature_groups,
        "features": features,
        "figures": figures,
    },
}


def updated(document: Path) -> str:
    """The text of a document with every part made anew."""
    text = document.read_text("utf-8")
    for name, make in PARTS[document].items():
        pattern = re.compile(f"(<!-- begin: {name} -->\n).*?(<!-- end: {name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"{document.name} has no place for the part {name!r}")
        made = make()
        text = pattern.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", text)
    return text


def main() -> None:
    """Write the documents, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether one is stale")
    arguments = parser.parse_args()
    for document in PARTS:
        before, after = document.read_text("utf-8"), updated(document)
        if arguments.check and after != before:
            raise SystemExit(f"{document.name} is stale; run scripts/update_docs.py")
        document.write_text(after, "utf-8")


if __name__ == "__main__":
    main()
