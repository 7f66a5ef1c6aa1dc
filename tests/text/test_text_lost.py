"""Text that public bug reports found lost: each fault with its siblings."""

import pytest

from understandability.text.analysis import document_of_page, document_of_text, extract
from understandability.text.extract.plain_text import plain_paragraphs
from understandability.text.page import Page
from understandability.text.parsed import parse_page

A = "The flu is an infection of the nose and throat, and most people get well in a week."
B = "Drink plenty of water, stay in bed, and call a doctor if it gets hard to breathe at night."
DE = "Die Grippe ist eine Infektion der Nase und des Halses, und die meisten werden gesund."
RU = "Грипп — это инфекция носа и горла, и большинство людей выздоравливает за одну неделю."
HI = "फ्लू नाक और गले का संक्रमण है, और अधिकांश लोग एक सप्ताह में ठीक हो जाते हैं, आराम करने से।"


def kept(content: str | bytes) -> list[str]:
    blocks = extract(parse_page(Page("d", "", content)), "main")
    return [block.text for block in blocks if block.kept]


@pytest.mark.parametrize("text", [A, DE, RU, HI])
@pytest.mark.parametrize(
    "anchor",
    [
        "<a name=top>",
        "<a name='top'/>",
        '<a id="content">',
        "<A NAME=main>",
        "<a>",
        "<a/>",
        '<a class="anchor" data-href="/x">',
        "<a name=top hreflang=en>",
        "<a\nname=top\n>",
        '<a href="#top">',  # never closed either: a link of nothing
        "<a href='#top' />",
    ],
)
def test_an_anchor_is_no_link(anchor: str, text: str) -> None:
    """An anchor that is never closed does not make the page one link."""
    assert kept(f"{anchor}<h1>Flu</h1><p>{text}</p><p>{B}</p>") == ["Flu", text, B]
    assert kept(f"<div>{anchor}<p>{text}<p>{B}</div><p><a href=x>More</a>")[:2] == [text, B]
    assert kept(f"<!-- {anchor}<h1>Flu</h1><p>{text}</p><p>{B}</p>")[-2:] == [text, B]


@pytest.mark.parametrize(
    "link", ["<a href=/flu/>", "<a title=x href='y'>", '<A\nHREF = "x">', "<a onclick='x()'>"]
)
def test_a_link_is_one(link: str) -> None:
    texts = kept(f"<p>{A}</p><p>{B}</p><div>{link}Colds, flu and other common illnesses</a></div>")
    assert texts == [A, B]


LONG_WITH_SIGN = [
    f"The parish hall was built by hand (© 2020 by the ward), and the families who gave money for "
    f"it still meet there each week to eat, sing and talk about their health. {A}",
    f"Das Krankenhaus zeigt eine Ausstellung mit Bildern von früher (© Stadtarchiv 1998), die "
    f"viele Menschen an ihre eigene Kindheit in der Stadt erinnert. {DE}",
    f"A logo with the © sign next to it belongs to somebody, so ask the owner before you print it "
    f"on the leaflets that you hand out at the door of your clinic. {B}",
    f"© 2019 was printed on each page of the old leaflet, which told its readers to stay at home. "
    f"{A} {B}",
    f"Больница показывает выставку (© Архив города, 1998), которая многим напоминает детство. {RU}",
]


@pytest.mark.parametrize("text", LONG_WITH_SIGN)
def test_a_paragraph_with_a_copyright_sign_is_kept(text: str) -> None:
    assert kept(f"<p>{A}</p><p>{text}</p><p>{B}</p>") == [A, text, B]


@pytest.mark.parametrize(
    "line",
    [
        "© 2024 Health A to Z. All rights reserved.",
        "Copyright © 2001-2024 NHS Trust",
        "Alle Rechte vorbehalten. © Klinikum 2020",
        "Site design © Smith & Sons, 12 High Street, Leeds. Company no. 123456.",
        "© Все права защищены, 2020",
    ],
)
def test_a_copyright_line_is_dropped(line: str) -> None:
    assert kept(f"<div><p>{A}</p><p>{B}</p><p>{line}</p></div>") == [A, B]


@pytest.mark.parametrize("tag", ["p", "div", "li", "h2", "blockquote", "dd"])
@pytest.mark.parametrize(("first", "second"), [(A, B), (DE, RU), (HI, A), ("Rest.", "Sit down.")])
def test_the_first_of_a_text_that_is_repeated_stays(tag: str, first: str, second: str) -> None:
    a, b = (f"<{tag}>{text}</{tag}>" for text in (first, second))
    end = f"<p>{B}!</p>"  # a heading of nothing is dropped
    assert first in kept(f"<div>{a * 3}{end}</div>")
    assert kept(f"<div>{a * 20}{b * 20}{end}</div>") == [first, second, f"{B}!"][tag == "h2" :]
    assert kept(f"<div>{(a + b) * 20}{end}</div>") == [first, second, f"{B}!"][tag == "h2" :]


LISTS = [
    ("1.", "2.", "3."),
    ("1)", "2)", "3)"),
    ("(1)", "(2)", "(3)"),
    ("a)", "b)", "c)"),
    ("(a)", "(b)", "(c)"),
    ("i.", "ii.", "iii."),
    ("(iv)", "(v)", "(vi)"),
    ("9.", "10.", "11."),
    ("A.", "B.", "C."),
    ("•", "•", "•"),
    ("◦", "◦", "◦"),
    ("а)", "б)", "в)"),
    ("I.", "II.", "III."),
    ("1.1", "1.2", "1.3"),
    ("2.4.", "2.5.", "2.6."),
    ("[1]", "[2]", "[3]"),
    ("1º", "2º", "3º"),
    ("1:", "2:", "3:"),
    ("1 -", "2 -", "3 -"),
    ("①", "②", "③"),
    ("Step 1:", "Step 2:", "Step 3:"),
    ("Schritt 1.", "Schritt 2.", "Schritt 3."),
]


@pytest.mark.parametrize("marks", LISTS, ids=" ".join)
@pytest.mark.parametrize(
    "items",
    [
        (
            "severe belly pain, pain that is getting worse or pain that does not go away",
            "bleeding from the vagina that soaks more than two sanitary pads in one hour",
            "a fever of more than 38 degrees that does not go down with paracetamol",
        ),
        (
            "Starke Bauchschmerzen, die schlimmer werden oder die nicht mehr weggehen",
            "Blutungen, die mehr als zwei Binden in einer Stunde durchnässen können",
            "Fieber von mehr als 38 Grad, das mit Paracetamol nicht heruntergeht",
        ),
        (
            "Сильная боль в животе, которая усиливается или совсем не проходит дома",
            "Кровотечение, при котором за час промокает больше двух прокладок подряд",
            "Температура выше 38 градусов, которая не снижается от парацетамола",
        ),
    ],
)
def test_each_item_of_a_list_in_text_is_a_sentence(
    marks: tuple[str, ...], items: tuple[str, ...]
) -> None:
    lines = [f"{mark} {item}" for mark, item in zip(marks, items, strict=True)]
    blocks = plain_paragraphs("Call us if you have:\n" + "\n".join(lines))
    assert [block.text for block in blocks] == ["Call us if you have:", *lines]
    assert len(document_of_text("\n".join(lines)).sentences) == 3


@pytest.mark.parametrize("mark", ["1. ", "1) ", "• ", "- ", "&nbsp;2. ", "– "])
def test_items_after_line_breaks_are_their_own(mark: str) -> None:
    page = (
        f"<p>Call us if you have<br>{mark}belly pain<br>{mark}a fever<br/>{mark}a rash that spreads"
    )
    document = document_of_page(Page("d", "", f"{page}<p>{A}<p>{B}"))
    assert len(document.sentences) == 6


@pytest.mark.parametrize(
    "text",
    [
        "The dose for most grown-ups was lowered last year from 25 to at most\n20. That is enough.",
        "The first report was written a long time ago by the well known\nA. Smith of Leeds.",
        "Nobody in the whole village had seen anything like it since the year\n1950. It was odd.",
        "The dose for most grown-ups was lowered last year from at most 2.5 to\n1.1 mg for a day.",
        "The doctor said that the best dose for most people is around\n1 - 2 tablets a day.",
    ],
)
def test_wrapped_lines_that_begin_with_a_number_go_on(text: str) -> None:
    assert len(plain_paragraphs(text)) == 1


CARDS = {
    "en": ("Install the client", "Set up the client on your own computer and log in."),
    "de": ("Termine", "Hier erfahren Sie, wann die Praxis geöffnet ist."),
    "ru": ("Прививки", "Здесь вы узнаете, какие прививки нужны вашему ребёнку."),
    "fr": ("Rendez-vous", "Prenez un rendez-vous avec un médecin de notre équipe."),
}


@pytest.mark.parametrize("language", CARDS)
@pytest.mark.parametrize(
    "card",
    [
        "<a href=/x><h3>{0}</h3><p>{1}</p></a>",
        "<div class=card><a href='/x'>\n   <h3>{0}</h3>\n   <p>{1}</p>\n</a></div>",
        "<li><h3><a href=/x>{0}</a></h3><p><a href=/x>{1}</a></p></li>",
        "<article><a href=/x><h4>{0}</h4><span>{1}</span></a></article>",
        "<h3><a href=/x>{0}</a></h3><p>{1}</p>",
    ],
)
def test_text_of_link_cards_is_kept(card: str, language: str) -> None:
    title, text = CARDS[language]
    cards = "".join(card.format(f"{title} {n}", f"{text[:-1]} {n}.") for n in range(6))
    page = f"<main><h1>Guide</h1><p>{A}</p><p>{B}</p><div>{cards}</div></main>"
    found = " ".join(kept(page))
    for n in range(6):
        assert f"{text[:-1]} {n}." in found
        assert f"{title} {n}" in found


@pytest.mark.parametrize("text", [A, DE, RU, HI])
def test_long_paragraphs_inside_a_link_are_kept(text: str) -> None:
    assert kept(f"<h1>Flu</h1><a href=/flu><p>{text}</p><p>{B}</p></a><p>{A}!</p>") == [
        "Flu",
        text,
        B,
        f"{A}!",
    ]


def test_lists_of_links_stay_out() -> None:
    links = "".join(f"<li><a href=/{n}>Common illnesses and their signs {n}</a>" for n in range(9))
    assert kept(f"<p>{A}</p><p>{B}</p><h2>More</h2><ul>{links}</ul>") == [A, B]


def test_headings_that_repeat_and_code_are_kept() -> None:
    """Parameters of each function; code has more than bars."""
    part = f"<h3>Parameters</h3><p>{A}"
    page = f"{part}</p>{part}!</p>{part}?</p><pre>a | b > c | d > e</pre><p>{B}"
    assert kept(page).count("Parameters") == 3
    assert "a | b > c | d > e" in kept(page)
