"""The prose of the documents: short sentences, and the words that the house has agreed on.

`.ci/run` checks spelling (codespell) and choice of words (proselint) as well.
"""

import re
from pathlib import Path

import pytest
from tests.conftest import ROOT

from understandability.text.analysis import document_of_text

# `published` and `commands` are written by scripts; the first is a list of figures.
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if page.parent.name != "published"
)
each = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))

LONGEST = 40  # words
# What has to be read twice, and what to say.
INSTEAD = {
    r"anew": "again",
    r"mend(?:s|ed|ing)?": "fix",
    r"unfold(?:s|ed|ing)?": "expand",
    r"gone on with": "continued",
    r"run folder": "crawl folder",
    r"some (?:ten|twenty|thirty|forty|fifty|\d+)": "about",
    r"stands? beside": "is next to, or follows",
}


def prose(text: str) -> list[str]:
    """The paragraphs and list items of a page, without code, tables, options, headings and links.

    >>> prose("# Flu\\n\\n- Rest, [and drink](water.md) `water`.\\n\\n    a command\\n")
    ['Rest, and drink it.']
    """
    text = re.sub(r"<!-- begin: .*?<!-- end: [\w-]+ -->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(```|:::).*?^\1.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^- `[^`]+`[^:\n]*: .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "it", text)
    lines = [line for line in text.splitlines() if not re.match(r"    |\||#|:", line)]
    return [line.strip().lstrip("-*0123456789. ") for line in lines if line.strip()]


@each
def test_no_sentence_is_long(page: Path) -> None:
    paragraphs = prose(page.read_text("utf-8"))
    sentences = [each for line in paragraphs for each in document_of_text(line).sentences]
    long = [" ".join(sentence) for sentence in sentences if len(sentence) > LONGEST]
    assert not long


@each
def test_its_words_are_plain(page: Path) -> None:
    """None of those for which the house has a better one."""
    text = " ".join(prose(page.read_text("utf-8")))
    found = {
        match.group(): better
        for pattern, better in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
    }
    assert not found


def test_the_lists_hold_something() -> None:
    """Else the tests above would hold nothing."""
    assert len(PAGES) > 30
    assert sum(len(prose(page.read_text("utf-8"))) for page in PAGES) > 500
