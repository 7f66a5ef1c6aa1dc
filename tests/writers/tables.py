"""Tables of examples beside the tests of reports."""

from pathlib import Path


def rows(name: str) -> list[list[str]]:
    """The rows of a table, without its head."""
    text = (Path(__file__).parent / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]
