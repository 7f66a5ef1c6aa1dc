"""What each extractor keeps and drops, with the reason; agreement with the libraries."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import LONG, Run

from understandability.errors import OptionError, PageError
from understandability.keywords import parameters_in
from understandability.scoring import Extraction
from understandability.text.analysis import BUILT_IN_EXTRACTORS, EXTRACTORS, extract
from understandability.text.document import Block
from understandability.text.page import TEXT, Page
from understandability.text.parsed import parse_page
from understandability.text.sentences import SENTENCE_ENDS, fields

ENGINES = ("fast", "reference")
PAGE = f"""<html lang=en><head><title>Flu - Health A to Z</title></head><body>
<ul><li><a href=/>Home</a></li><li><a href=/news>All the news</a></li></ul>
<h1>Flu</h1><p>{LONG} {LONG}</p><h2>Care</h2><p>{LONG} {LONG}</p>
<p>3 comments</p><p>{LONG} {LONG}</p><p>&copy; 2024</p></body></html>"""


def blocks(content: str, extractor: str, engine: str = "fast") -> tuple[Block, ...]:
    return extract(parse_page(Page("d", "", content)), extractor, engine)


def kept(content: str, extractor: str, engine: str = "fast") -> list[str]:
    return [block.text for block in blocks(content, extractor, engine) if block.kept]


@pytest.mark.parametrize("extractor", ["naive", "boilerpipe"])  # jusText reads no references there
def test_line_break_by_reference_in_an_iframe(extractor: str) -> None:
    """It is white space; what parsers leave unparsed is read without failing."""
    texts = [block.text for block in blocks(f"<p>{LONG}<iframe>a&#10;b</iframe>", extractor)]
    assert texts[0] == LONG
    assert all("\n" not in text for text in texts)


def test_naive_keeps_all_text() -> None:
    """Blocks are fields of their own, inline elements do not separate words."""
    content = "<title>Flu</title><style>p{}</style><p>H<sub>2</sub>O<p>a<br>b<td>c<td>d"
    assert kept(content, "naive") == ["Flu", "H2O", "a b", "c", "d"]
    assert kept("<h1>Flu</h1>Flu is<ul><li>a<li>b</ul>", "naive") == ["Flu", "Flu is", "a", "b"]
    assert kept("<a>Home</a><a>News</a>", "naive") == ["Home News"]


def test_boilerpipe_keeps_the_article() -> None:
    """And says why for each block; what follows the comments is dropped."""
    reasons = {block.text[:12]: (block.kept, block.reason) for block in blocks(PAGE, "boilerpipe")}
    assert reasons["Home"] == (False, "few words or many links")
    assert reasons["Flu"] == (True, "enough words, few links")
    assert reasons["All the news"] == (True, "stands before text")
    assert reasons["3 comments"] == (False, "after the end of the article")
    assert reasons["© 2024"] == (False, "after the end of the article")


def test_a_block_of_boilerpipe_has_a_token() -> None:
    """A full stop is one; a dash and an ampersand are none."""
    found = blocks("<p>&amp;<p>— —<p>...<p>Rest.", "boilerpipe")
    assert [block.text for block in found] == ["...", "Rest."]


def test_justext_keeps_good_paragraphs() -> None:
    """Headings before good text are good; short blocks at the edge are bad."""
    assert [text[:7] for text in kept(PAGE, "justext")][:3] == ["Flu", "The flu", "Care"]
    assert "© 2024" not in kept(PAGE, "justext")


@pytest.mark.parametrize("extractor", ["boilerpipe", "justext"])
def test_engines_agree_on_a_page(extractor: str) -> None:
    ours, theirs = kept(PAGE, extractor), kept(PAGE, extractor, "reference")
    assert " ".join(ours).split() == " ".join(theirs).split()


def test_text_behind_the_end_is_not_lost_silently() -> None:
    """jusText does not read it; it stands in a dropped block that says so."""
    last = blocks(f"{PAGE}<p>The end.", "justext")[-1]
    assert (last.text, last.kept, last.reason) == (
        "The end.", False, "after the end of the page",
    )  # fmt: skip


@pytest.mark.parametrize("extractor", BUILT_IN_EXTRACTORS)
@pytest.mark.parametrize("content", ["", " ", "<p>", "<script>a</script>", "<!-- a -->"])
def test_pages_without_text_have_no_blocks(content: str, extractor: str) -> None:
    for engine in ENGINES:
        assert blocks(content, extractor, engine) == ()


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_the_help_names_every_extractor(extractor: str) -> None:
    text = parameters_in(Extraction)["extractor"]
    assert extractor in text, f"name {extractor} in the docstring of Extraction, in scoring.py"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(OptionError, match="naive, boilerpipe, justext"):
        blocks(PAGE, "magic")
    with pytest.raises(OptionError, match="fast, reference"):
        blocks(PAGE, "naive", "slow")


def test_sentence_ends() -> None:
    """None runs on, force-period ends what has no end, -always ends all."""
    texts = [Block("Flu", "h1"), Block("Ads", "p", kept=False), Block('He said "no."', "p")]
    assert [fields(texts, policy) for policy in SENTENCE_ENDS] == [
        ['Flu He said "no."'],
        ["Flu.", 'He said "no."'],
        ["Flu.", 'He said "no.".'],
    ]


def test_plain_text_is_cut_into_paragraphs() -> None:
    """At blank lines and headings, not where an editor broke a line."""
    text = "Influenza\nThe flu is\ncaused by a virus.\n\n- one\n- two"
    page = parse_page(Page("d", "", text, TEXT))
    for extractor in BUILT_IN_EXTRACTORS:
        assert [block.text for block in extract(page, extractor)] == [
            "Influenza", "The flu is caused by a virus.", "- one", "- two",
        ]  # fmt: skip


MARKUP = [
    *("\x85", "\u2028", "\u3000", " ", LONG),
    *re.findall(
        r"\S+",
        "<p> </p> <b> </b> <a> </a> <br> <li> <h2> </h2> <nav> </nav> <td> <div> </div> <script> "
        "</script> <div/class=side> <svg> </svg> <button> <select> <option> </select> flu <!-- "
        "<!-- flu. &amp;",
    ),
]


@given(st.lists(st.sampled_from(MARKUP)))
def test_any_markup_gives_clean_blocks(parts: list[str]) -> None:
    """Without white space around or twice inside."""
    page = parse_page(Page("d", "", "".join(parts)))
    for extractor in BUILT_IN_EXTRACTORS:
        for block in extract(page, extractor):
            assert block.text == " ".join(block.text.split()) != ""
            assert extractor != "main" or block.kept == (block.reason == "main text")


def test_trafilatura_is_an_extra() -> None:
    pytest.importorskip("trafilatura")
    assert any("caused by a virus" in text for text in kept(PAGE, "trafilatura"))
    assert "Pomikálek" in EXTRACTORS["justext"].citation


def test_a_library_that_fails_is_an_error_of_the_page() -> None:
    """jusText runs out of stack where ours does not."""
    page = "<!DOCTYPE html>" + "<b>" * 250 + LONG
    try:
        kept(page, "justext", "reference")
    except PageError as error:
        assert error.stage == "extract"  # noqa: PT017
    assert kept(page, "justext") == [] or kept(page, "justext")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("The end.", "AttributeError"),
        ("<body>The end.", "AttributeError"),
        ("<![flu[ <p>The end.", "unknown status keyword"),
    ],
)
def test_boilerpy3_does_not_fail_silently(content: str, what: str) -> None:
    """It gives no blocks of such pages; the error says what happened."""
    with pytest.raises(PageError, match=what) as caught:
        blocks(content, "boilerpipe", "reference")
    assert caught.value.stage == "extract"


def test_boilerpy3_goes_on_behind_a_stray_end_tag(capfd: pytest.CaptureFixture[str]) -> None:
    """Such a page is none that it fails on, and it says nothing of its own."""
    page = f"<html><body></b></p></x><p>{LONG}<p><a href=x><a href=y>a</a></a></body></html></div>"
    assert kept(page, "boilerpipe", "reference")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        # On a sample: jusText on all, boilerpy3 on 89 in 100, each difference with a known cause.
        ("evaluate.extraction_agreement", "{0}/html/health_pages/health_pages.tar.gz "
         "{0}/html/extraction_gold/pages.tar.gz --every 20"),
        # The floors of gate.json, which refuse to be lowered without a reason.
        ("evaluate.extraction", "--check --data {0}"),
    ],
)  # fmt: skip
def test_extraction_of_real_pages(
    name: str, arguments: str, shared_data: Path, script: Run
) -> None:
    """Our engines agree with the libraries, and their F1 is not below its floor."""
    process = script(name, *arguments.format(shared_data).split())
    assert process.returncode == 0, process.stdout + process.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("100,000 nested div", "30,000 short paragraphs", "200,000 inline tags", "unclosed script",
         "UTF-16-LE without a byte order mark", "lone surrogates", "gzip", "empty", "plaintext"),
        # Scored by the part of their text that is analysed.
        ("11 MB of one paragraph", "a page address of a megabyte", "a megabyte of ?!",
         "9 MB of short sentences", "--score", "--extractor", "main"),
    ],
    ids=("extracted", "scored"),
)  # fmt: skip
def test_hostile_pages_within_limits(script: Run, arguments: tuple[str, ...]) -> None:
    """Text or an error, within 2 seconds of the processor and 600 MB; the script has many more."""
    process = script("faults.hostile_pages", *arguments)
    assert process.returncode == 0, process.stdout


def test_the_reference_ends_no_sentence_where_the_source_breaks_a_line() -> None:
    """boilerpy3 keeps the breaks of the source within a paragraph, and joins paragraphs by more."""
    text = "You have the flu, so you should rest for a week and\ndrink a lot of\r\nwater. " * 8
    page = parse_page(Page("p", "", f"<html><body><p>{text}</p><p>{text}</p></body></html>"))
    blocks = {engine: extract(page, "boilerpipe", engine) for engine in ENGINES}
    kept = {
        engine: [block.text for block in found if block.kept] for engine, found in blocks.items()
    }
    assert kept["reference"] == kept["fast"] == [" ".join(text.split())] * 2
