"""The tape of a source without a tree: the same text, with what sections are named."""

import pickle
import time

import pytest

from understandability.text.page import TEXT, Page
from understandability.text.parsed import parse_page, parse_source
from understandability.text.tape import read_source


def text(source: str) -> str:
    return "".join(read_source(source.encode()).tape.pieces()[0::2])


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a<!-- <p>b</p> -->c", "ac"),
        ("a<!-->b", "ab"),
        ("a<script>'<p>b'</SCRIPT>c<style>p > b {}</style>d", "acd"),
        ("<p title='a > b'>c", "c"),
        ('<p title="a > b" class=x>c', "c"),
        ('<a href="x"">b</a><a href="y">c', "bc"),
        ("<p title=don't>it's", "it's"),
        ("<!DOCTYPE html><?xml a?>b", "b"),
        ("3 < 4 &lt; 5&nbsp;&#8211;\n6", "3 < 4 < 5 \u2013 6"),
    ],
)
def test_text_of_a_source(source: str, wanted: str) -> None:
    """Without comments, scripts and attributes, whatever stands in them."""
    assert text(source) == wanted


def test_hints_by_class_and_id() -> None:
    """However they are quoted; other attributes and elements tell nothing."""
    source = b"<DIV CLASS='site-footer'><p id=comments><b class=menu><p data-class='menu'><ul id=x>"
    assert read_source(source).hints == {0: "footer", 1: "comments"}


PARSERS = (parse_source, parse_page)


@pytest.mark.parametrize(
    "source", ["<p>a<!-- <p>b", "<p>a<script>b<p>c", "<p>a<noscript>b<p>c", "<p>a<textarea>b<p>c"]
)
def test_what_is_never_closed_is_mended(source: str) -> None:
    """As for a tree, with its flag and text; what sections are named is read, too."""
    page = Page("d", "", source.encode() + b"<div class=sidebar>")
    scripts = frozenset({"script"})
    texts = [parse(page).tape.long_texts(1, 999, scripts).split() for parse in PARSERS]
    assert texts[0] == texts[1]
    assert "sidebar" in parse_source(page).hints.values()
    assert parse_source(page).flags == ("unclosed_element",)


def test_counts_are_those_of_the_tree() -> None:
    """Also after a pickle; a text has none."""
    page = Page("d", "", b"<p>a<p>b<table><td>c")
    counts = pickle.loads(pickle.dumps(parse_source(page))).tag_counts
    assert dict(counts) == dict(parse_page(page).tag_counts)
    assert len(parse_source(Page("d", "", "a", TEXT)).tag_counts) == 0


def test_the_language_is_that_of_the_first_root_that_claims_one() -> None:
    """Pages that were saved by a mirror begin with a root of its own."""
    source = b"<HTML><!-- mirrored --><html class=a LANG='de'><html lang=en>"
    assert read_source(source).language == "de"


def test_tags_within_each_others_quotes_take_linear_time() -> None:
    """Each of them was read to the end of the page: minutes, for a megabyte."""
    source = b"<p>a</p><a" + b"=\"<a ='\"'" * 100_000 + b"<p>b</p>"
    started = time.process_time()
    assert "b" in read_source(source).tape.pieces()
    assert time.process_time() - started < 2
