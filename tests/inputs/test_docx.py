"""DOCX leaflets: their text, as written, and nothing else, whatever the file holds."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Run

from understandability.errors import MissingExtraError
from understandability.inputs.sources import Sources
from understandability.text.page import TEXT, Failure, Page
from understandability.writers import office as reader

docx = pytest.importorskip("docx", reason="needs the extra docx")


def leaflet() -> bytes:
    """A leaflet with a heading, a list, a table within a table, a link and a line break."""
    document = docx.Document()
    document.add_heading("Your knee operation", 1)
    document.add_paragraph("Do not eat after midnight.").add_run("\nDrink water.")
    document.add_paragraph("Bring your tablets.", style="List Bullet")
    table = document.add_table(1, 2)
    table.cell(0, 0).text = "Before"
    table.cell(0, 1).add_table(1, 1).cell(0, 0).text = "Wash your leg."
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def with_part(content: bytes, change: Callable[[str], str]) -> bytes:
    """The file with its main part changed."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w", 8) as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "word/document.xml":
                part = change(part.decode()).encode()
            new.writestr(name, part)
    return changed.getvalue()


def read(tmp_path: Path, content: bytes, limit: int = 10_000_000) -> Page | Failure:
    """The page of a file with this content."""
    path = tmp_path / "leaflet.docx"
    path.write_bytes(content)
    (record,) = Sources([path], limit=limit)
    return record


def test_every_paragraph_is_there_once_in_order(tmp_path: Path) -> None:
    """Headings, lists and cells; a break is white space."""
    page = read(tmp_path, leaflet())
    assert isinstance(page, Page)
    assert page.media_type == TEXT
    assert page.content == (
        "# Your knee operation\n\nDo not eat after midnight. Drink water.\n\n"
        "- Bring your tablets.\n\n| Before | Wash your leg. |"
    )


def test_text_boxes_and_insertions_are_read_once_and_deletions_are_not(tmp_path: Path) -> None:
    """A text box occurs twice in a file; crossed-out text is not part of the leaflet."""
    box = (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/'
        'markup-compatibility/2006"><mc:Choice Requires="wps"><w:txbxContent><w:p><w:r><w:t>In a '
        "box.</w:t></w:r></w:p></w:txbxContent></mc:Choice><mc:Fallback><w:p><w:r><w:t>In a box."
        "</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r></w:p>"
        '<w:p><w:ins w:id="1" w:author="x"><w:r><w:t>New.</w:t></w:r></w:ins>'
        '<w:del w:id="2" w:author="x"><w:r><w:delText>Old.</w:delText></w:r></w:del></w:p>'
    )
    page = read(
        tmp_path, with_part(leaflet(), lambda xml: xml.replace("<w:body>", "<w:body>" + box))
    )
    assert isinstance(page, Page)
    assert str(page.content).startswith("In a box.\n\nNew.\n\n# Your knee operation")


def test_external_entities_are_not_resolved(tmp_path: Path) -> None:
    """Neither a file of the reader's machine nor an entity of entities gets into the text."""
    (tmp_path / "secret").write_text("the secret")
    entities = (
        f'<!DOCTYPE x [<!ENTITY secret SYSTEM "{(tmp_path / "secret").as_uri()}">'
        '<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w:document '
    )

    def attack(xml: str) -> str:
        xml = xml.replace("<w:document ", entities, 1)
        return xml.replace("Bring your tablets.", "Bring &secret;&b; your<!-- five --> tablets.")

    page = read(tmp_path, with_part(leaflet(), attack))
    assert isinstance(page, Page)
    assert "the secret" not in page.content
    assert "lol" not in page.content
    assert "\n\n- Bring &secret;&b; your tablets.\n\n" in page.content  # all else is kept


def test_a_bomb_is_not_unfolded(tmp_path: Path) -> None:
    """A small file of much white space is refused before it is read."""
    content = with_part(
        leaflet(), lambda xml: xml.replace("<w:body>", "<w:body>" + " " * 50_000_000)
    )
    assert len(content) < 200_000
    failure = read(tmp_path, content)
    assert "longer than 10 MB" in failure.error


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 nothing", b"no zip at all", leaflet()[:5000], leaflet()[200:]]
)
def test_a_damaged_file_is_an_error_row(tmp_path: Path, content: bytes) -> None:
    """In one sentence; the run goes on."""
    failure = read(tmp_path, content)
    assert "not DOCX, or damaged" in failure.error


def test_any_byte_may_be_wrong(tmp_path: Path) -> None:
    content = leaflet()
    for index in range(0, len(content), 1999):
        damaged = bytearray(content)
        damaged[index] ^= 0xFF
        assert isinstance(read(tmp_path, bytes(damaged)), Page | Failure)


def test_the_extra_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once for a file that was named; an error row for one in a folder."""
    monkeypatch.setattr(reader, "find_spec", lambda name: None)
    (tmp_path / "leaflet.docx").write_bytes(leaflet())
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[docx\]'"):
        Sources([tmp_path / "leaflet.docx"])
    (failure,) = Sources([tmp_path])
    assert ".[docx]" in failure.error


def test_a_leaflet_is_explained(understand: Run, tmp_path: Path) -> None:
    (tmp_path / "leaflet.docx").write_bytes(leaflet())
    understand("explain", tmp_path / "leaflet.docx", "-o", tmp_path / "report.html", status=0)
    assert "Your knee" in (tmp_path / "report.html").read_text("utf-8")
    understand("score", "-", stdin=leaflet(), status=0)
