"""Files of writers are read as their authors meant: headings, lists, tables, questions."""

import io
import re
import zipfile

import pytest

from understandability.errors import InputError
from understandability.text.analysis import document_of_text
from understandability.writers.markdown import docx_of, html_of
from understandability.writers.serve.files import text_of_file
from understandability.writers.structure import structure

LEAFLET = """# Your knee operation

## What should I bring?

- your tablets
- a list of them
  - with doses

1. Wash your leg.
2. Sleep well.

| when | what |
| 8 am | water |

You may drink clear water until two hours before the operation starts."""
MEANT = (2, 1, 5, 4, 1)  # headings, of them questions, items, cells, paragraphs


def counted(text: str) -> tuple[int, int, int, int, int]:
    """What `MEANT` says, of a text."""
    found = structure(document_of_text(text).blocks)
    return found.headings, found.questions, found.list_items, found.cells, found.paragraphs


def odt(before: str = "", paragraphs: str = "") -> bytes:
    """The leaflet as LibreOffice saves it, with something before it and more paragraphs."""
    names = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    )

    def items(*texts: str) -> str:
        inside = "".join(
            f"<text:list-item>{text if text[0] == '<' else f'<text:p>{text}</text:p>'}"
            "</text:list-item>"
            for text in texts
        )
        return f"<text:list>{inside}</text:list>"

    def row(*texts: str) -> str:
        cells = (f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
        return f"<table:table-row>{''.join(cells)}</table:table-row>"

    body = (
        '<text:h text:outline-level="1">Your knee operation</text:h>'
        '<text:h text:outline-level="2">What should I bring?</text:h>'
        + items("your tablets", "a list of them", items("with doses"))
        + items("Wash your leg.", "Sleep well.")
        + f"<table:table>{row('when', 'what')}{row('8 am', 'water')}</table:table>"
        "<text:p>You may drink clear water until two hours before the operation starts.</text:p>"
        + paragraphs
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(
            "content.xml",
            f"{before}<office:document-content {names}>{body}</office:document-content>",
        )
    return made.getvalue()


HTML = b"""<title>Your knee operation</title><h1>Your knee operation</h1>
<h2>What should I bring?</h2><ul><li>your tablets<li>a list of them<ul><li>with doses</ul></ul>
<ol><li>Wash your leg.<li>Sleep well.</ol><table><tr><td>when<td>what<tr><td>8 am<td>water</table>
<p>You may drink clear water until two hours before the operation starts."""
# The same in other hands: what a word processor, an editor of the web or a habit makes of it.
ELSEWHERE = {
    "setext.md": LEAFLET.replace("# Your knee operation", "Your knee operation\n=====", 1).replace(
        "## What should I bring?", "What should I bring?\n-----"
    ),
    "stars.md": LEAFLET.replace("- ", "* "),
    "ruled.md": LEAFLET.replace("| 8 am", "|---|---|\n| 8 am"),
    "windows.md": LEAFLET.replace("\n", "\r\n"),
    "div.html": """<html><body><main><h1>Your knee operation</h1><section>
<h2>What should I bring?</h2><ul><li><p>your tablets</p></li><li><p>a list of them</p>
<ul><li><p>with doses</p></li></ul></li></ul>
<ol><li><p>Wash your leg.</p></li><li><p>Sleep well.</p></li></ol>
<table><thead><tr><th>when</th><th>what</th></tr></thead><tbody><tr><td>8 am</td><td>water</td></tr>
</tbody></table><p>You may drink clear water until two hours before the operation starts.</p>
</section></main></body></html>""",
}

WRITTEN = {
    "leaflet.txt": LEAFLET.encode(),
    "leaflet.md": LEAFLET.encode(),
    "leaflet.odt": odt(),
    "leaflet.html": HTML,
    "saved.html": html_of(LEAFLET, "Knee").encode(),
    **{name: text.encode() for name, text in ELSEWHERE.items()},
}


@pytest.mark.parametrize("name", [*WRITTEN, "leaflet.docx"])
def test_a_leaflet_is_read_as_it_was_meant(name: str) -> None:
    """Whatever the kind of file and whoever wrote it, also after it was saved."""
    if name == "leaflet.docx":
        pytest.importorskip("docx", reason="needs the extra docx")
    content = docx_of(LEAFLET, "Knee") if name == "leaflet.docx" else WRITTEN[name]
    text = text_of_file(content, name)["text"]
    assert counted(text) == MEANT, text
    assert "| 8 am | water |" in text
    is_nested = re.search("^  [-*] with doses", text, re.MULTILINE)
    assert is_nested or name in ("leaflet.docx", "saved.html")


def test_text_of_an_odt_that_a_reader_sees() -> None:
    """Neither deleted text nor remarks of reviewers; a line break divides words."""
    text = text_of_file(
        odt(
            paragraphs="<text:tracked-changes><text:p>Old.</text:p></text:tracked-changes>"
            "<text:p>Call<office:annotation><text:p>Check.</text:p></office:annotation>"
            " us<text:line-break/>at<text:tab/>eight<text:s/>or"
            "<text:note><text:p> later</text:p></text:note>.</text:p>"
        ),
        "leaflet.odt",
    )["text"]
    assert text.endswith("starts.\n\nCall us at eight or later.")


@pytest.mark.parametrize(
    "entities",
    [
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY a "lol">',
        '<!ENTITY b "lollollollol"><!ENTITY a "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">',
        '<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;',
        "",
    ],
)
def test_an_odt_with_a_document_type_is_refused(entities: str) -> None:
    """It could define entities: a file of this machine, or text that unfolds without end."""
    use = "<text:p>&a;</text:p>" if "ENTITY a" in entities else ""
    with pytest.raises(InputError, match="has a document type"):
        text_of_file(odt(f"<!DOCTYPE x [{entities}]>", use), "leaflet.odt")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ol><li>Rest<!-- remark --> well</li><!-- b --><li>Drink</ol>", "1. Rest well\n2. Drink"),
        ("<ol><li></li><li>Drink</ol>", "2. Drink"),
        ("</ul></li></td><ul><li>Rest</ul>", "- Rest"),
        ("<li>Rest<li>Drink", "- Rest\n- Drink"),
        ("<table><tr><td>8 am<td></td><td>water</table>", "| 8 am |  | water |"),
        ("<table><tr><td>8 am<td>water<tr></tr></table>", "| 8 am | water |"),
    ],
)
def test_lists_and_tables_of_odd_pages(html: str, expected: str) -> None:
    """Comments, empty items, missing lists and tags that close nothing."""
    page = f"<html lang=en><main><h1>Flu</h1><p>{'You have flu, so rest. ' * 9}</p>{html}</main>"
    assert text_of_file(page.encode(), "a.html")["text"].endswith(f"\n\n{expected}")


def pdf(*lines: tuple[int, str]) -> bytes:
    """A PDF of lines in letters of a size, written by hand."""
    drawn = "".join(
        f"BT /F1 {size} Tf 50 {700 - 30 * n} Td ({text}) Tj ET\n"
        for n, (size, text) in enumerate(lines)
    ).encode("cp1252")
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(made))
        made += b"%d 0 obj%s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(made)
    return made + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


def test_a_pdf_keeps_headings_and_bullets() -> None:
    """By the size of letters, and by the bullets that are drawn; of pictures alone it has none."""
    pytest.importorskip("pypdf", reason="needs the extra pdf")
    made = pdf(
        (20, "Your knee operation"), (11, "You may drink clear water until two hours before."),
        (11, "• your tablets"), (11, "• a list of them"),
    )  # fmt: skip
    text = text_of_file(made, "leaflet.pdf")["text"]
    assert text.splitlines()[0] == "## Your knee operation"
    assert "- your tablets\n- a list of them" in text
    assert counted(text) == (1, 0, 2, 0, 1)
    with pytest.raises(InputError, match="holds no text, only pictures"):
        text_of_file(pdf(), "scan.pdf")


def test_a_table_is_no_headings() -> None:
    """Two headings, two bullets and a table of six cells are counted as that."""
    text = "# A\n\n## B\n\n- one\n- two\n\n| a | b |\n| c | d |\n| e | f |"
    assert counted(text) == (2, 0, 2, 6, 0)
