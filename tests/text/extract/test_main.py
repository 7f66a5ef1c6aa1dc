"""What `main` keeps of pages of all kinds, and the reason for each block that it drops."""

import json
import time

import pytest
from scripts.evaluate.extraction import words_of
from tests.conftest import LONG

from understandability.text.analysis import extract
from understandability.text.document import Block
from understandability.text.page import Page
from understandability.text.parsed import parse_page


def blocks(content: str | bytes) -> tuple[Block, ...]:
    return extract(parse_page(Page("d", "", content)), "main")


def kept(content: str | bytes) -> list[str]:
    return [block.text for block in blocks(content) if block.kept]


def reasons(content: str) -> dict[str, str]:
    return {block.text: block.reason for block in blocks(content)}


def test_article_among_named_sections() -> None:
    """What elements or names call a menu, sidebar or footer is dropped, and says so."""
    page = f"""<nav><ul><li>Home<li>News</ul></nav><div class=main><h1>Flu</h1><p>{LONG}</p>
    <h2>Care</h2><ul><li>Rest</li><li>Drink</li></ul><p>{LONG}</p></div>
    <div class="col siteFooter"><p>About us</p></div><div id=right-sidebar><p>Diets</p></div>"""
    assert kept(page) == ["Flu", LONG, "Care", "Rest", "Drink", LONG]
    dropped = {"News": "menu", "About us": "footer", "Diets": "beside the text"}
    assert dropped.items() <= reasons(page).items()
    assert [block.tag for block in blocks(page) if block.kept] == ["h1", "p", "h2", "li", "li", "p"]


LINK = "Colds, coughs and other common illnesses of children and adults"
POST = f"My flu is bad. {LONG}"
THREAD = f"<div><p>My flu is bad. {LONG * 6}"
SHORT = "short, before or after the text"


@pytest.mark.parametrize(
    ("page", "texts", "dropped"),
    [
        # Comments, where there is enough text beside them; but a thread keeps its posts.
        (f"<div><p>{LONG * 6}</div><div id=comments><p>{LONG}</div>", [LONG * 6],
         {LONG: "comments"}),
        (f"<div><p>{POST}</div><div id=comments><p>{LONG}<p>{LONG}!</div>",
         [POST, LONG, f"{LONG}!"], {}),
        (f"<body class=comments-page>{THREAD}</div><div id=comments><p>{LONG}</p></div>",
         [f"My flu is bad. {LONG * 6}", LONG], {}),
        # A section with most of the text is no sidebar; a shorter text beside a longer one is text
        # if the whole name of the other says that it is a sidebar.
        (f"<div class=page-with-sidebar><h1>Flu</h1><p>{LONG}</div>", ["Flu", LONG], {}),
        (f"<div class=side><p>{LONG}<p>{LONG * 2}<p>{LONG * 3}</div><div class=content><p>{POST}"
         "</div>", [POST], {}),
        # A page without a long line keeps its short ones.
        ("<h1>Flu</h1><p>Stay at home.<ul><li>Rest<li>Drink</ul><p>Call us if you get worse.",
         ["Flu", "Stay at home.", "Rest", "Drink", "Call us if you get worse."], {}),
        # References go up to the next heading of their level.
        (f"<h2>Flu</h2><p>{LONG}</p><h2>References</h2><ol><li>Lee 2019.</li></ol><h3>Books</h3>"
         f"<p>{LONG}!</p><h2>Care</h2><p>{LONG}</p>", ["Flu", LONG, "Care", LONG],
         {"Lee 2019.": "under a heading that ends the text"}),
        # A heading stays if text of its section does, also under a lower heading.
        (f"<h1>Flu</h1><h2>Care</h2><p>{LONG}!</p><h2>Links</h2><p><a href=x>{LINK}</a></p>",
         ["Flu", "Care", f"{LONG}!"],
         {"Links": "heading of nothing that is kept", LINK: "mostly links"}),
        # Before and after the text only headings, sentences, items and what stands beside it stay.
        (f"<div><div>Print</div><h1>Flu</h1><p>Age: 21<p>{LONG * 2}<table><td>1 in 5</table>"
         "<span>See a doctor.</span><div><div>Top</div></div></div><div>Shop</div>",
         ["Flu", "Age: 21", LONG * 2, "1 in 5", "See a doctor."],
         {"Print": SHORT, "Top": SHORT, "Shop": "outside the main section"}),
        # What is all the text that a page without frames has.
        (f"<frameset><frame src=a><noframes><p>{LONG}</noframes></frameset>", [LONG], {}),
    ],
)  # fmt: skip
def test_what_is_kept_and_why_the_rest_is_not(
    page: str, texts: list[str], dropped: dict[str, str]
) -> None:
    assert kept(page) == texts
    assert dropped.items() <= reasons(page).items()


def test_many_small_sections_are_no_menus() -> None:
    pieces = "".join(f"<div class=nav-item><p>{number}. {LONG}</div>" for number in range(9))
    assert len(kept(f"<div>{pieces}</div>")) == 9


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("© 2024 Health A to Z. All rights reserved.", "copyright line"),
        ("12 / 14", "no words"),
        ("Home » Illnesses » Flu", "labels between bars"),
        ('Text {"id":' + '"a","b":' * 30 + "1} and more.", "data of a program"),
    ],
)
def test_lines_that_are_no_text(line: str, reason: str) -> None:
    assert reasons(f"<p>{LONG}</p><p>{line}</p><p>{LONG}!</p>")[line] == reason


def test_labels_that_stand_there_again_and_again() -> None:
    """As beside each post of a thread: the first is kept; cells of a table may be the same."""
    label, cell = "<p>This post is archived.", "<td>Yes"
    page = f"<div><p>{LONG}{label}<p>{LONG}!{label}<p>{LONG}?{label}</div>"
    assert kept(page) == [LONG, "This post is archived.", f"{LONG}!", f"{LONG}?"]
    assert reasons(page)["This post is archived."] == "stands on the page three times"
    assert kept(f"<p>{LONG}<table><tr>{cell * 4}</table><p>{LONG}!").count("Yes") == 4


@pytest.mark.parametrize(
    "heading",
    [
        # Links in the middle of a text, in a box of their own and before prose beside them.
        "<div><h2>Related stories</h2><ul><li><a href=x>Colds</a></ul></div>",
        "<h2>Read more</h2><ul><li><a href=x>Colds</a></ul>",
        # What is dropped itself ends nothing.
        "<div class=share><h2>Comments</h2></div>",
    ],
)
def test_headings_in_the_middle_of_a_text(heading: str) -> None:
    """The text goes on behind them."""
    assert kept(f"<div><p>{LONG * 2}</p>{heading}<p>{LONG}</p></div>") == [LONG * 2, LONG]


def test_text_for_readers_without_scripts() -> None:
    """Counts where there is hardly another."""
    hidden = f"<noscript><h1>Flu</h1><p>{LONG * 2}</noscript>"
    assert kept(f"<div>Loading</div>{hidden}") == ["Flu", LONG * 2]
    assert kept(f"<p>{LONG * 4}</p>{hidden}") == [LONG * 4]


def script(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        ({"@graph": [{"@type": "NewsArticle", "articleBody": "Flu.\n\nRest."}]}, ["Flu.", "Rest."]),
        (
            {
                "@type": "QAPage",
                "mainEntity": {
                    "@type": ["Question"],
                    "name": "Is it flu?",
                    "text": "<p>I am ill &amp; hot.",
                    "acceptedAnswer": {"@type": "Answer", "text": "Yes."},
                },
            },
            ["Is it flu?", "I am ill & hot.", "Yes."],
        ),
        (
            {
                "@type": "DiscussionForumPosting",
                "text": "Ill.",
                "comment": [{"@type": "Comment", "text": "So am I."}],
            },
            ["Ill.", "So am I."],
        ),
        (
            [
                {"@type": "Product", "name": "Tea", "description": "Herbs."},
                {"@type": "Product", "description": "Others."},
            ],
            ["Tea", "Herbs."],
        ),
        ({"@type": "Organization", "name": "Clinic", "text": 1, "description": "Care."}, []),
    ],
)
def test_texts_in_data(data: object, texts: list[str]) -> None:
    """Stand behind the blocks of a page that has less text, once."""
    page = script(data) * 2
    assert kept(page) == texts
    assert {block.reason for block in blocks(page)} <= {"main text, in the page's data"}
    assert kept(f"<p>{LONG}</p>" + page) == [LONG]


@pytest.mark.parametrize(
    "data",
    [
        '{"articleBody": "Flu."',
        '{"articleBody": "Flu.", "n": ' + "9" * 5000 + "}",
        '{"a": ' * 50_000 + '{"articleBody": "Flu."}' + "}" * 50_000,
        '{"a": ' * 1000 + '{"articleBody": "Flu."}' + "}" * 1000,
        '{"articleBody": "' + "Flu. " * 300_000 + '"}',
        '{"articleBody": ["Flu."], "@type": [{}, 1, null]}',
    ],
)
def test_data_that_is_broken_deep_or_huge_is_left_alone(data: str) -> None:
    started = time.process_time()
    assert kept(f'<p>Home<script type="application/ld+json">{data}</script>') == ["Home"]
    assert time.process_time() - started < 1


def test_posts_of_what_says_that_it_is_a_thread() -> None:
    """Its comments are text, also under a heading."""
    page = f"""<div><p>My flu is bad. {LONG * 6}<h2>2 Comments</h2><div class=comment><p>{LONG}
    </div></div>"""
    assert LONG not in kept(page)
    assert LONG in kept(page + script({"@type": "DiscussionForumPosting"}))


@pytest.mark.parametrize(
    "page",
    [
        # The end of a section is not looked for from each block.
        f"<p>{LONG * 2}" + "<div><h2>Related texts</h2>a" * 20_000,
        # Each end was looked for among all elements that are open: minutes, for a megabyte.
        "<div>" * 50_000 + "<p>a" + "</section>" * 50_000,
    ],
    ids=("endings", "stray ends"),
)
def test_deep_pages_take_linear_time(page: str) -> None:
    started = time.process_time()
    assert blocks(page)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("tail", ["", "<div>" * 3000, "</div></ul></a>" * 10])
def test_broken_nesting(tail: str) -> None:
    """Pages too deep for a tree, and end tags of nothing."""
    assert f"{LONG}!" in kept(f"<div><p>{LONG}!</p></div>{tail}<p>{LONG}</p>")


def test_every_thread_keeps_its_own_text() -> None:
    """All of what people wrote in the body of a thread, also short; no sidebar, no form."""

    def post(number: int, text: str, replies: str = "") -> str:
        return f"""<div class="thing comment"><p class=tagline><a href=#>user{number}</a>
        {number} points {number} hours ago</p><form class=usertext><div class="usertext-body"><div
        class=md><p>{text}</p></div></div></form><ul class="flat-list buttons"><li><a
        href=#>permalink</a></li><li><a href=#>reply</a></li></ul><div class=child>{replies}</div>
        </div>"""

    texts = [f"Post {number}: {LONG}" for number in range(8)] + ["Same here.", "Get well soon!"]
    nested = ""
    for number, text in enumerate(reversed(texts[1:])):
        nested = post(number, text, nested) if number % 3 else nested + post(number, text)
    page = f"""<body><div class=side><div class=usertext-body><p>Rules: be kind. {LONG}</p></div>
    <ul><li><a href=#>health</a></li></ul></div><div class=content role=main>
    <div class="thing link"><a class=title href=#>My flu</a>
    <div class=usertext-body><p>{texts[0]}</p></div></div>
    <div class=commentarea><span>all 9 comments</span>{nested}</div></div>
    <div class=footer><a href=#>about</a></div></body>"""
    found = " ".join(kept(page))
    wanted = words_of(" ".join(texts))
    assert (words_of(found) & wanted).total() > 0.93 * wanted.total()
    assert (words_of(found) - wanted).total() < 40 + 0.05 * wanted.total()
    assert "Rules: be kind" not in found
