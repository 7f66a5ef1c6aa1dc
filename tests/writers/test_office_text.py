"""Text of PDF and DOCX that public bug reports found misread: each fault with its siblings."""

import io
from pathlib import Path

import pytest

from understandability.inputs.sources import read_pages
from understandability.text.page import Page
from understandability.writers.office import _across_pages, pdf_paragraphs, without_furniture


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("Come to your follow-", "up visit.", "follow-up"),
        ("Book a check-", "up now.", "check-up"),
        ("It is a long-", "term illness.", "long-term"),
        ("Think of your well-", "being.", "well-being"),
        ("Take an anti-", "inflammatory drug.", "anti-inflammatory"),
        ("Choose a sugar-", "free drink.", "sugar-free"),
        ("Wear a 2-", "piece suit.", "2-piece"),
        ("You need an X-", "ray today.", "X-ray"),
        ("Keep it up-", "to-date.", "up-to-date"),
        ("Ask the mother-in-", "law.", "mother-in-law"),
        ("She has type-", "2 diabetes.", "type-2"),
        ("It is COVID-", "19 again.", "COVID-19"),
        ("You are over-", "weight.", "overweight"),
        ("Feel your heart-", "beat.", "heartbeat"),
        ("Stay out of sun-", "light.", "sunlight"),
        ("Drink wa-", "ter.", "water"),
        ("Take your medi-", "cation.", "medication"),
        ("Come to-", "day.", "today"),
        ("Go on-", "line.", "online"),
        ("Most wo-", "men do.", "women"),
        ("It is with-", "in reach.", "within"),
        ("Gehen Sie ins Kranken-", "haus.", "Krankenhaus"),
    ],
)
def test_hyphens_at_the_end_of_a_line(first: str, second: str, joined: str) -> None:
    (paragraph,) = pdf_paragraphs(f"{first}\n{second}")
    assert joined in paragraph.replace(".", "").split()


def test_a_dash_at_the_end_of_a_line_stays() -> None:
    (paragraph,) = pdf_paragraphs("Drink a lot of water -\nand rest at home.")
    assert paragraph == "Drink a lot of water - and rest at home."


@pytest.mark.parametrize(
    ("head", "foot"),
    [
        ("Having a knee operation", "{}"),
        ("Leeds Hospital - Page {} of 3", "Version 2, May 2020"),
        ("", "Page {}"),
        ("", "- {} -"),
        ("Grippe {}", "Seite {} von 3"),
        ("{}", "Call us on 0113 496 0000"),
    ],
)
def test_running_heads_and_page_numbers_are_removed(head: str, foot: str) -> None:
    texts = ["The flu spreads when people", "cough. Stay at home if you", "are ill. Drink water."]
    pages = [
        "\n".join(filter(None, (head.format(n), text, foot.format(n))))
        for n, text in enumerate(texts, start=1)
    ]
    (whole,) = _across_pages(without_furniture(pages), set())
    assert " ".join(pdf_paragraphs(whole)) == " ".join(texts)


def test_text_at_the_edge_of_a_page_stays() -> None:
    pages = ["Rest at home.\nTake 20 mg.", "Drink water.\nCall us.", "Sleep well.\nEat fruit."]
    assert without_furniture(pages) == pages
    assert without_furniture(["Rest."]) == ["Rest."]
    assert list(_across_pages(pages, set())) == pages


@pytest.mark.parametrize("hide", ["vanish", "webHidden"])
def test_hidden_text_of_docx_is_left_out(hide: str, tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    from docx.oxml import OxmlElement

    document = docx.Document()
    paragraph = document.add_paragraph("Drink water. ")
    run = paragraph.add_run("Nobody sees this. ")
    run._r.get_or_add_rPr().append(OxmlElement(f"w:{hide}"))
    shown = paragraph.add_run("Stay at home.")
    mark = OxmlElement(f"w:{hide}")
    mark.set("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}val", "0")
    shown._r.get_or_add_rPr().append(mark)
    stream = io.BytesIO()
    document.save(stream)
    (tmp_path / "a.docx").write_bytes(stream.getvalue())
    (page,) = read_pages(tmp_path / "a.docx")
    assert isinstance(page, Page)
    assert page.content == "Drink water. Stay at home."
