"""ZIP archives of pages: each member is a page, and damage is reported."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from tests.inputs.test_hostile_containers import errors_in, found_in

from understandability.inputs.sources import Sources
from understandability.text.page import Failure, Page


def zipped(**members: str) -> bytes:
    """An archive of members by name (``_`` stands for the dot)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return out.getvalue()


def test_the_pages_of_a_zip_archive(tmp_path: Path) -> None:
    """By their path in the archive; in a named folder, after the name of the archive."""
    (tmp_path / "p.zip").write_bytes(zipped(a_html="<p>Flu.", b_txt="Rest.", c_css="p {}"))
    sources = Sources([tmp_path / "p.zip"])
    pages = [page for page in sources if isinstance(page, Page)]
    assert [(page.docno, page.content) for page in pages] == [
        ("a.html", b"<p>Flu."),
        ("b.txt", b"Rest."),
    ]
    assert pages[0].path.endswith("p.zip!a.html")
    assert sources.skipped == {"archive members with the suffix .css": 1}
    assert [page.docno for page in Sources([tmp_path])] == ["p.zip!a.html", "p.zip!b.txt"]


def test_a_damaged_member_of_a_zip_archive_is_one_error(tmp_path: Path) -> None:
    """Its checksum shows it; the following members are read."""
    data = bytearray(zipped(a_html="<p>Flu is a virus. It is common.", b_txt="Rest."))
    data[data.index(b"a.html") + 12] ^= 0xFF
    a, b = found_in(tmp_path / "p.zip", bytes(data))
    assert isinstance(a, Failure)
    assert (a.docno, b.docno) == ("a.html", "b.txt")


@pytest.mark.parametrize("damage", ["cut", "list"])
def test_a_zip_archive_without_its_list_is_an_error(tmp_path: Path, damage: str) -> None:
    """A cut archive, and one whose directory swallows the entries after one."""
    data = bytearray(zipped(a_html="<p>Flu.", b_txt="Rest."))
    if damage == "cut":
        del data[-30:]
    else:
        entry = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
        data[entry + 32 : entry + 34] = (60).to_bytes(2, "little")  # the length of its comment
    result = found_in(tmp_path / "p.zip", bytes(data))
    assert "damaged archive" in result[-1].error  # type: ignore[union-attr]  # a failure


def test_a_zip_archive_that_is_compressed_again_is_told(tmp_path: Path) -> None:
    """A ZIP archive is read from its end."""
    [error] = errors_in(tmp_path / "p.zip.gz", gzip.compress(zipped(a_html="<p>Flu.")))
    assert "not compressed again" in error
