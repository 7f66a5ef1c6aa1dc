"""What scripts share: where the data lie, how files are read, arguments, tables in documents."""

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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("UNDERSTANDABILITY_DATA", ROOT.parent / "shared" / "data"))
# Recorded numbers have six significant digits, and the last ones depend on the processor: frozen
# values and digests are compared with this relative tolerance, here and in tests/golden.
TOLERANCE = 2e-5
UNDERSTAND = (sys.executable, "-m", "understandability")


def parser_of(
    about: str | None, *, data: bool = True, cache: bool = False, output: str = "", **numbers: float
) -> argparse.ArgumentParser:
    """A parser of arguments that shows all a script says of itself; ``--data`` is where data lie.

    ``--cache`` is a folder for the passages of texts, ``--output`` what is written, by default the
    file or folder of the repository that is given here. Each of `numbers` is an option, by default
    the number that is given here.
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
    """The rows of a file of JSON lines, compressed or not."""
    from understandability.inputs.json_files import read_objects

    return read_objects(str(path))


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file, compressed or not."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as file:
        yield from file


def corpus(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """The records of a background corpus."""
    return records(data / "corpora" / f"{name}.jsonl.gz")


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file in a tar archive."""
    with tarfile.open(archive) as files:
        for member in files:
            file = files.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The same bytes with a bit turned, some written over, removed, put in or zeroed, or cut."""
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


def told(*arguments: str | Path) -> str:
    """What a command of the package prints."""
    from understandability.cli import status_of

    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out), chdir(ROOT):
        status = status_of([*map(str, arguments)])
    assert status == 0, arguments
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]  # the BytesIO above


def megabytes_of(process: int | str, which: str = "VmRSS") -> float:
    """The memory that a process holds by Linux, or with "VmHWM" the most that it held.

    That of getrusage would count its parent's from before exec.
    """
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.partition(f"{which}:")[2].split()[0]) / 1000


def panel_words() -> list[str]:
    """The words of the texts of the panel, one text after another, with the space behind them."""
    paths = sorted((ROOT / "tests" / "panel").glob("*.txt"))
    return re.findall(r"\S+\s+", "\n\n".join(path.read_text("utf-8") for path in paths))


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is to the left."""
    lines = [" | ".join(head), "|".join(["---", *["--:"] * (len(head) - 1)])]
    return "".join(f"| {line} |\n" for line in [*lines, *map(" | ".join, rows)])


def filled(document: Path, parts: Mapping[str, str]) -> str:
    """A document with text between ``<!-- begin: NAME -->`` and ``<!-- end: NAME -->``."""
    text = document.read_text("utf-8")
    for name, part in parts.items():
        before, begin, rest = text.partition(f"<!-- begin: {name} -->\n")
        _, end, after = rest.partition(f"<!-- end: {name} -->")
        if not (begin and end):
            raise SystemExit(f"{document} has no place for the part {name!r}")
        text = f"{before}{begin}{part}{end}{after}"
    return text


def fill(document: Path, parts: Mapping[str, str]) -> None:
    """Write parts into a document, with a blank line before and behind each."""
    spaced = {name: f"\n{part.rstrip()}\n\n" for name, part in parts.items()}
    document.write_text(filled(document, spaced), "utf-8")
