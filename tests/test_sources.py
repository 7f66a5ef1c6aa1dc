"""Every embedded resource has its origin, licence and checksum written down, and is small."""

import hashlib
import re
from pathlib import Path

RESOURCES = Path(__file__).parents[1] / "resources"
TEXT = (RESOURCES / "SOURCES.md").read_text("utf-8")
FILES = sorted(
    path.relative_to(RESOURCES).as_posix()
    for path in RESOURCES.rglob("*")
    if path.is_file() and path.name != "SOURCES.md"
)


def test_every_resource_has_a_row() -> None:
    """Each file or its folder has an entry with origin, licence and script."""
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", TEXT, re.M)
    names = [row[0] for row in rows]
    for file in FILES:
        assert any(file == name or file.startswith(f"{name.rstrip('/')}/") for name in names), file
    for name in names:
        assert (RESOURCES / name).exists(), f"{name} is gone"


def test_the_checksums_are_those_of_the_files() -> None:
    """`scripts/docs/update.py` writes them."""
    listed = re.findall(r"^    ([0-9a-f]{64})  (\S+)$", TEXT, re.M)
    found = [(hashlib.sha256((RESOURCES / file).read_bytes()).hexdigest(), file) for file in FILES]
    assert sorted(listed) == sorted(found)


def test_the_resources_are_small() -> None:
    assert sum((RESOURCES / file).stat().st_size for file in FILES) <= 41_000_000
