"""Helpers for all scripts: paths of data, reading of files, arguments, tables in documents."""

import argparse
import gzip
import io
import os
import random
import re
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stdout
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("UNDERSTANDABILITY_DATA", ROOT.parent / "shared" / "data"))
# Recorded numbers have six significant digits, and the last digits depend on the processor. So
# frozen values and digests are compared with this relative tolerance, here and in tests/golden.
TOLERANCE = 2e-5
UNDERSTAND = (sys.executable, "-m", "understandability")


def parser_of(
    about: str | None, *, data: bool = True, cache: bool = False, output: str = "", **numbers: float
) -> argparse.ArgumentParser:
    """Return an argument parser whose help is the docstring of a script.

    Args:
        about: The docstring.
        data: Add ``--data``, the folder of the data.
        cache: Add ``--cache``, a folder that keeps the passages of texts between runs.
        output: Add ``--output``, with this file or folder of the repository as its default.
        numbers: Add an option per keyword, with its value as the default.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if data:
        parser.add_argument("--data", type=Path, default=DATA)
    if cache:
        parser.add_argument("--cache", type=Path, help="keep the passages of texts in this folder")
    if output:
        parser.add_argument("--output", type=Path, default=ROOT / output)
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=type(number), default=number)
    return parser


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSON Lines file, compressed or not."""
    from understandability.inputs.json_files import read_objects

    return read_objects(str(path))


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, compressed or not."""
    open_file = gzip.open if path.suffix == ".gz" else open
    with open_file(path, "rt", encoding="utf-8", errors="replace") as file:
        yield from file


def corpus(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a background corpus."""
    return records(data / "corpora" / f"{name}.jsonl.gz")


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file in a tar archive."""
    with tarfile.open(archive) as files:
        for member in files:
            file = files.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Damage bytes at random: flip a bit; overwrite, delete, insert or zero some; or truncate."""
    changed = bytearray(data)
    start, length = chance.randrange(len(data)), chance.choice((1, 2, 4, 16, 512))
    noise = chance.randbytes(length)
    match chance.randrange(6):
        case 0:
            changed[start] ^= 1 << chance.randrange(8)
        case 1:
            changed[start : start + length] = noise[: len(data) - start]
        case 2:
            del changed[start : start + length]
        case 3:
            changed[start:start] = noise
        case 4:
            changed[start : start + length] = bytes(min(length, len(data) - start))
        case 5:
            del changed[start:]
    return bytes(changed)


def output_of(*arguments: str | Path) -> str:
    """Run a command of the package in this process, and return its output."""
    from understandability.cli import status_of

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out), chdir(ROOT):
        status = status_of([*map(str, arguments)])
    assert status == 0, arguments
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]  # the BytesIO above


def megabytes_of(process: int | str, field: str = "VmRSS") -> float:
    """Read the memory of a process from Linux, in MB: the current or, with "VmHWM", the peak.

    The peak of getrusage is no alternative: it includes the memory of the parent before exec.
    """
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.partition(f"{field}:")[2].split()[0]) / 1000


def panel_words() -> list[str]:
    """Return the words of all texts of the panel, each with the white space that follows it."""
    paths = sorted((ROOT / "tests" / "panel").glob("*.txt"))
    return re.findall(r"\S+\s+", "\n\n".join(path.read_text("utf-8") for path in paths))


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is left-aligned, the others right-aligned."""
    lines = [" | ".join(head), "|".join(["---", *["--:"] * (len(head) - 1)])]
    return "".join(f"| {line} |\n" for line in [*lines, *map(" | ".join, rows)])


def stamp(checksum: str) -> str:
    """State when and with which version figures were measured, for `scripts.docs.update`."""
    from understandability import __version__

    return f"Measured on {date.today()} with version {__version__}, `open` {checksum[:16]}."


def filled(document: Path, parts: Mapping[str, str]) -> str:
    """Return a document with its parts replaced.

    The part NAME is the text between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``.
    """
    text = document.read_text("utf-8")
    for name, part in parts.items():
        before, begin, rest = text.partition(f"<!-- begin: {name} -->\n")
        _, end, after = rest.partition(f"<!-- end: {name} -->")
        if not (begin and end):
            raise SystemExit(f"{document} has no comments that mark the part {name!r}")
        text = f"{before}{begin}{part}{end}{after}"
    return text


def fill(document: Path, parts: Mapping[str, str]) -> None:
    """Write parts into a document, with a blank line before and after each part."""
    spaced = {name: f"\n{part.rstrip()}\n\n" for name, part in parts.items()}
    document.write_text(filled(document, spaced), "utf-8")
