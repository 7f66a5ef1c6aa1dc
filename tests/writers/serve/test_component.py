"""The component in a page of another origin: verdict, marks, changes; by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("uvicorn", reason="needs the extra serve")
pytest.importorskip("fastapi", reason="needs the extra serve")

from tests.conftest import answering
from tests.writers.serve.test_editor import HARD, serving  # after the skips

from understandability.errors import OptionError
from understandability.writers.serve.server import serve

if TYPE_CHECKING:
    from scripts.browser import BrowserPage

pytestmark = pytest.mark.usefixtures("every_plain_term")
PAGE = """<!DOCTYPE html><html lang="en"><title>A content system</title>
<meta name="viewport" content="width=device-width"><main><h1>Edit</h1>
<label>Text <textarea id="text">{text}</textarea></label>
<div id="rich" contenteditable role="textbox" aria-multiline="true" aria-label="Rich text">
<h2>Heart</h2><p>She had a <b>myocardial</b> infarction.</p>
<ul><li>Hypertension was treated.</li></ul></div></main>
<script type="module" src="{address}editor/component.js" data-fields="#text, #rich"></script>
"""
_PANELS = "[...document.querySelectorAll('.understandability')].map(each => each.shadowRoot)"
_READY = f"{_PANELS}.length === 2 && {_PANELS}.every(root => root.querySelector('li'))"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of another site, and the folder of its pages."""
    folder = tmp_path_factory.mktemp("site")

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.wfile.write((folder / handler.path[1:]).read_bytes())

    with answering(answer) as address:
        yield address, folder


@pytest.fixture(scope="module")
def address(site: tuple[str, Path]) -> Iterator[str]:
    """A server that allows the other site."""
    with serving(origins=[site[0]]) as address:
        yield address


@pytest.fixture
def page(browser: BrowserPage, site: tuple[str, Path], address: str) -> BrowserPage:
    """The page of the other site, once both fields have their marks."""
    (site[1] / "edit.html").write_text(PAGE.format(text=HARD, address=address), "utf-8")
    browser.open(f"{site[0]}/edit.html")
    browser.until(_READY)
    return browser


def clicked(page: BrowserPage, panel: int, label: str) -> None:
    """A click on a button of a panel."""
    buttons = f"[...{_PANELS}[{panel}].querySelectorAll('button')]"
    page.evaluate(f"{buttons}.find(each => each.textContent === {label!r}).click()")


def test_a_textarea_has_its_verdict_and_marks(page: BrowserPage) -> None:
    """A change by a click is the field's own, and can be undone."""
    verdict = page.evaluate(f"{_PANELS}[0].querySelector('[role=status]').textContent")
    assert "Chance" in verdict
    assert "aim 80 %" in verdict
    assert page.evaluate(f"{_PANELS}[0].querySelectorAll('.text u.term').length") >= 2
    clicked(page, 0, "heart attack")
    value = "document.getElementById('text').value"
    assert "She had a heart attack." in page.evaluate(value)
    page.evaluate("document.execCommand('undo')")
    assert page.evaluate(value) == HARD


def test_rich_text_keeps_its_elements(page: BrowserPage) -> None:
    """Marks are highlights, which add no element; a term across elements is replaced."""
    rich = "document.getElementById('rich')"
    assert page.evaluate("CSS.highlights.get('understand-term').size") >= 2
    assert page.evaluate(f"{rich}.querySelectorAll('u, span').length") == 0
    clicked(page, 1, "heart attack")
    page.until(f"{rich}.innerText.includes('She had a heart attack.')")
    assert page.evaluate(f"{rich}.querySelectorAll('h2, li').length") == 2


def test_by_keyboard(page: BrowserPage) -> None:
    """Alt and the down arrow lead to the word at the caret, Escape back to the text."""
    place = HARD.index("infarction")
    page.evaluate("document.getElementById('text').focus()")
    page.evaluate(f"document.activeElement.setSelectionRange({place}, {place})")
    key = "new KeyboardEvent('keydown', {{key: '{}', altKey: {}, bubbles: true, composed: true}})"
    page.evaluate(f"document.activeElement.dispatchEvent({key.format('ArrowDown', 'true')})")
    assert page.evaluate(f"{_PANELS}[0].activeElement.textContent") == "heart attack"
    page.evaluate(f"{_PANELS}[0].activeElement.dispatchEvent({key.format('Escape', 'false')})")
    assert page.evaluate("document.activeElement.id") == "text"


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_and_axe_finds_nothing(
    browser: BrowserPage, page: BrowserPage, site: tuple[str, Path], width: int
) -> None:
    browser.open(f"{site[0]}/edit.html", width=width)
    browser.until(_READY)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.serious() == []


_CALL = """(path => fetch(path, {
  method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"text": "Rest."}',
}).then(each => each.status, () => 'refused'))"""


def test_other_sites_and_calls_are_refused(
    browser: BrowserPage, site: tuple[str, Path], address: str
) -> None:
    """``localhost`` is another origin than ``127.0.0.1``; an allowed one gets no other call."""
    (site[1] / "other.html").write_text("<p>x", "utf-8")
    for host, path, status in (
        ("127.0.0.1", "explain", 200),
        ("127.0.0.1", "rewrite", "refused"),
        ("localhost", "explain", "refused"),
    ):
        browser.open(f"{site[0].replace('127.0.0.1', host)}/other.html")
        assert browser.evaluate(f"{_CALL}('{address}v1/{path}')") == status


@pytest.mark.parametrize("origin", ["*", "cms.example.org", "https://a.org/path"])
def test_origins_that_are_none(origin: str) -> None:
    with pytest.raises(OptionError, match="--allow-origin is a site"):
        serve(allow_origin=[origin])
