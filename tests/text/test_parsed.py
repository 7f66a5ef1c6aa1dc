"""A page's one parse: tape, tag counts, title, language; nothing is lost on the way."""

import pytest

from understandability.errors import PageError
from understandability.text.page import Page
from understandability.text.parsed import ParsedPage, parse_page


def parsed(content: str | bytes) -> ParsedPage:
    return parse_page(Page("d", "", content))


def text_of(page: ParsedPage) -> str:
    return "".join(page.tape.pieces()[0::2])


def test_tape_alternates_text_and_tags() -> None:
    """Attributes and comments are not on it, entities are characters."""
    page = parsed("<p class='a>b'>3 &lt; 4<!-- x --><br>&amp;lt;</p>")
    assert page.tape.pieces()[4:-4] == ["", "p", "3 < 4", "br/", "&lt;", "/p", ""]


@pytest.mark.parametrize("name", ["x<b", "x&lt;b", "x&amp;"])
def test_markup_in_the_name_of_a_tag(name: str) -> None:
    """Belongs to the name; texts and tags still alternate."""
    page = parsed(f"<p>a &lt; b</p><{name}>c</{name}>")
    assert page.tape.pieces()[4:-4] == ["", "p", "a < b", "/p", "", name, "c", f"/{name}", ""]
    assert page.tags[f"/{name}"] == 1


def test_xhtml_doctype_changes_nothing() -> None:
    """libxml2 would serialise such a page with other void elements and a meta of its own."""
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
    body = "<html><head></head><body><p>a<br />b</p></body></html>"
    assert parsed(doctype + body).tape.pieces() == parsed(body).tape.pieces()


def test_tags_are_counted() -> None:
    """Each element once, empty or not, by its name in lower case."""
    counts = parsed("<H1>a</H1><p>b<p><br><BR/><img src=x>").tag_counts
    assert (counts["h1"], counts["p"], counts["br"], counts["img"]) == (1, 2, 2, 1)


def test_text_far_behind_white_space_is_text() -> None:
    """A tree without any text is taken for none, however much white space it holds."""
    blank = "<b> </b>" * 1500
    assert [parsed(blank + text).flags for text in ("<p>Rest.", "")] == [(), ("no_tree",)]


@pytest.mark.parametrize("tag", ["div", "b", "ul", "table"])
def test_deep_nesting_loses_nothing(tag: str) -> None:
    """libxml2 gives up at a depth of 2,048; the page is read without a tree then."""
    page = parsed(f"<{tag}>" * 5000 + "the end")
    assert "the end" in text_of(page)
    assert page.flags == ("no_tree",)


@pytest.mark.parametrize(
    "content",
    [
        "<p>a<!-- b <p>the end",
        "<p>a<script>if (a < b) <p>the end",
        "<script>a<p>the end",
        "<title>a<p>the end",
        "<textarea>a<p>the end",
        '<p title="a>the end',
        '<p>a<a href="x>the end',
        '<p>a<a class=b href="x>the end' + "<p>Word." * 200 + '<a href="y">',
        "<p>a<a class='b' href='x>the end" + "<p>Word." * 200 + "<p>It isn't.",
        "<p>a</p></body></html>the end",
        "<html><body>a</body></html><html><body>the end</body></html>",
        "<plaintext>the end",
        "the end",
    ],
)
def test_broken_markup_loses_nothing(content: str) -> None:
    """Neither does what nobody closed swallow the rest, nor an end hide what follows."""
    assert "the end" in text_of(parsed(content))


@pytest.mark.parametrize(
    "value",
    [
        "x > y",
        "{ a: b > c, d: " + "<p>text" * 200 + "}",
        "<b>text</b>" * 200,
        "if (a > b) { return c; }" * 100,
        "x>" + "<b>short</b>",
    ],
)
def test_long_attributes_are_not_text(value: str) -> None:
    """Nor are those with a > in them, as long as they are closed."""
    page = parsed(f'<p>a<b title="?q=" class="{value}">c</b><i id="d">e</i>')
    assert text_of(page) == "ace"
    assert page.flags == ()


@pytest.mark.parametrize("name", ["noscript", "template", "object"])
def test_elements_that_are_left_out_end(name: str) -> None:
    """One that is never closed would take the rest of the page along."""
    page = parsed(f"<p>a<{name}>b</{name}><p>c<{name} id=x><p>d")
    assert page.tag_counts[name] == 1
    assert page.flags == ("unclosed_element",)
    assert parsed(f"<p>a<{name}><p>b</{name}>").flags == ()


@pytest.mark.parametrize("attribute", ["a{}", "a{}=x", 'a{}="<>"'])
def test_tags_full_of_attributes(attribute: str) -> None:
    """They take linear time, however many they are."""
    attributes = " ".join(map(attribute.format, range(100_000)))
    page = parsed(f"<p {attributes}>the end")
    assert "the end" in text_of(page)
    assert page.flags == ()


MANY = " ".join(f"a{number}" for number in range(300))
TOO_DEEP = "<i>" * 2_100 + "x"  # is read without a tree


@pytest.mark.parametrize(
    "content",
    [
        "<" + "a" * 1_000_000,
        "<textarea" + "'" * 1_000_000 + "</p>",
        TOO_DEEP + "<!--a" * 500_000 + "--!><p>x",
        f"<a href='{'x' * 500}'>b " * 7_000,
        "<p " + " ".join(f"b{number}=<" for number in range(200_000)) + ">x",
        "<p " + " ".join(f"b{number}=''<" for number in range(200_000)) + ">x",
        "<p " + " ".join(f"b{number} <" for number in range(200_000)) + ">x",
        "<p/" + "/".join(f"b{number}" for number in range(200_000)) + ">x",
        "<p " + " ".join(f"{MANY} b{number}='>'" for number in range(2_000)) + ">x",
        ("<p" + "=''" * 140 + "<") * 9_000,
        "<script>" + f"'</' <x {' '.join(f'a{number}' for number in range(160))} " * 5_000,
    ],
    ids=range(11),
)
def test_hostile_markup_takes_linear_time(content: str) -> None:
    """Each of these took minutes."""
    assert parsed(content).is_html


def test_comments_end_as_in_a_tree() -> None:
    """An empty comment ends at once, and an exclamation mark may stand before the end."""
    assert text_of(parsed(TOO_DEEP + "<!-->a<!-->b<!---->c<!--x--!>d<!--y-->e")) == "xabcde"


def test_a_number_without_end_is_no_character() -> None:
    """Python reads no number of more than 4,300 digits."""
    assert text_of(parsed(f"{TOO_DEEP}<p>a&#{'1' * 5000};b")) == "xa\ufffdb"


def test_script_at_the_end_is_not_text() -> None:
    """A script that is closed keeps its tags to itself."""
    page = parsed("<p>a</p><script>document.write('<p>b</p>')</script>")
    assert page.flags == ()
    assert page.tag_counts["p"] == 1


def test_too_many_tags_are_refused() -> None:
    """Before memory is taken."""
    with pytest.raises(PageError, match="1,000,001 tags"):
        parsed("<" * 1_000_001)


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ("<html lang=en-GB>x", "en"),
        ("<html lang=en_US>x", "en"),
        ("<html lang=''>x", "und"),
        ("<p>Die Grippe ist eine Krankheit, die durch ein Virus und nicht durch die Kälte "
         "ausgelöst wird, auch wenn viele das von ihr glauben und es so sagen.", "de"),
        ("<p>インフルエンザはウイルスによっておこる病気で、毎年冬に流行します。"
         "手洗いとうがいをしましょう。", "ja"),
        ("<p>Home | News | Contact", "en"),
        ("<p>1 + 1", None),
    ],
)  # fmt: skip
def test_language_of_the_page(content: str, language: str | None) -> None:
    """The language that the page claims, else the detected one; None without letters."""
    assert parsed(content).language == language


def test_title_is_the_pages_own() -> None:
    assert parsed("<title>\n Flu </title><svg><title>i</title></svg>").title == "Flu"
    assert parsed("<body><svg><title>icon</title></svg>").title == ""
