"""Every flag is explained in the reference, and no other."""

import re

from tests.conftest import ROOT

import understandability as ud
from understandability.flags import FLAGS

REFERENCE = ROOT / "docs" / "reference" / "columns.md"


def test_every_flag_is_explained() -> None:
    """`FLAGS` has every flag: for another name, ``mypy --strict`` reports an error of types."""
    section = REFERENCE.read_text("utf-8").split("## Flags")[1].split("\n## ")[0]
    explained = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert sorted(explained) == sorted(FLAGS)
    assert list(FLAGS) == sorted(FLAGS)


def test_the_limits_that_the_readme_names_hold() -> None:
    """The ends of the scale in practice, and the texts that get a flag."""
    readme = (ROOT / "README.md").read_text("utf-8")
    ((low, high),) = re.findall(r"between (\d*\.?\d+) and (\d*\.?\d+)", readme)
    panel = ud.score(ROOT / "tests" / "panel").table
    difficulties, chances = (
        [value for value in panel[column].to_pylist() if value is not None]
        for column in ("difficulty", "p_understandable")
    )
    assert 0 < min(difficulties) < 10
    assert 95 < max(difficulties) < 100
    assert float(low) < min(chances) < max(chances) < float(high)
    goods = ["milk", "eggs", "bread", "two onions", "butter", "apples", "rice", "tea", "soap"]
    words = "the of and cat ran blue over is dog with happy to from at table was which in said up "
    poem = "Because I could not stop for Death\nHe kindly stopped for me\n"
    poem += "The Carriage held but just Ourselves\nAnd Immortality.\n"
    assert "few_sentences" in ud.score_text("\n".join(goods * 3))["flags"]
    assert "words_without_order" in ud.score_text(words * 3)["flags"]
    assert ud.score_text(poem)["flags"] == ""
