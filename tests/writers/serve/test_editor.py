"""The editor in a real browser: it answers while one types, for everybody, and runs nothing."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

uvicorn = pytest.importorskip("uvicorn", reason="needs the extra serve")
pytest.importorskip("fastapi", reason="needs the extra serve")

from understandability.scoring import Settings  # noqa: E402  # after the skips
from understandability.writers.serve.app import create  # noqa: E402

if TYPE_CHECKING:
    from scripts.browser import BrowserPage

pytestmark = pytest.mark.usefixtures("every_plain_term")
HARD = (
    "Preoperative optimisation of comorbidities is imperative to minimise perioperative morbidity. "
    "She had a myocardial infarction. Hypertension was treated. She has hypertension."
)
ATTACK = "window.attacked = (window.attacked || 0) + 1"
HOSTILE = (
    f"<script>{ATTACK}</script> <img src=x onerror='{ATTACK}'> </textarea><svg onload='{ATTACK}'> "
    f'"><iframe srcdoc="<script>parent.{ATTACK}</script>"></iframe> {{{{7*7}}}} ' + HARD
)
_PATIENCE = 60


@contextmanager
def serving(**options: Any) -> Iterator[str]:
    """The address of a server in a thread of this process."""
    app = create(Settings(), **options)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    deadline = time.monotonic() + _PATIENCE
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(_PATIENCE)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server as it starts without an option."""
    with serving() as address:
        yield address


def leave(browser: BrowserPage) -> None:
    """Empty the text, and what the browser keeps of it."""
    browser.evaluate("(e => { if (e) e.value = ''; })(document.getElementById('text'))")


def fresh(browser: BrowserPage, address: str, **window: Any) -> None:
    """The editor as on the first day."""
    forget = "import('/editor/work.js').then(desk => { desk.forget(); localStorage.clear(); })"
    for script in (forget, "localStorage.clear()"):
        leave(browser)
        browser.open(address, **window)
        browser.evaluate(script)


def written(browser: BrowserPage, address: str, text: str, **window: Any) -> None:
    """The editor with a text, once what to do first is there."""
    fresh(browser, address, **window)
    browser.evaluate("document.getElementById('text').focus()")
    browser.type(text)
    browser.until("document.querySelectorAll('#questions li').length")


def caret(browser: BrowserPage, place: int) -> None:
    """Put the caret before a character."""
    browser.evaluate(f"document.getElementById('text').setSelectionRange({place}, {place})")


def press_alt(browser: BrowserPage, key: str, code: int) -> None:
    """A key with Alt."""
    keys = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 1}
    browser.send("Input.dispatchKeyEvent", type="keyDown", **keys)


def text(browser: BrowserPage) -> str:
    """What stands in the editor."""
    return str(browser.evaluate("document.getElementById('text').value"))


def test_typing_brings_an_answer(browser: BrowserPage, address: str) -> None:
    """Level, shades, terms, steps; another key, another answer."""
    written(browser, address, HARD)
    level = browser.evaluate("document.getElementById('level').textContent")
    assert level.startswith(("Language level C1", "Language level C2"))
    assert "of adults get the message" in browser.evaluate(
        "document.getElementById('headline').textContent"
    )
    shaded = "document.querySelectorAll('#mirror .shade-3, #mirror .shade-4').length"
    assert browser.evaluate(shaded) >= 1
    assert "heart attack" in browser.evaluate("document.getElementById('terms').innerText")
    assert browser.evaluate("document.getElementById('mirror').textContent.trim()") == HARD
    browser.type(" We rest.")
    browser.until("document.getElementById('verdict').textContent.includes('5 sentences')")


def test_a_term_is_replaced_everywhere_and_undone(browser: BrowserPage, address: str) -> None:
    """By a click in the panel; the browser's own undo brings it back."""
    written(browser, address, HARD)
    browser.evaluate("document.querySelector(`.say[title*='“hypertension”']`).click()")
    assert text(browser).endswith("High blood pressure was treated. She has high blood pressure.")
    browser.evaluate("document.getElementById('undo').click()")
    assert text(browser) == HARD


def test_a_term_is_replaced_by_keyboard(browser: BrowserPage, address: str) -> None:
    """Alt and the down arrow open what to say; Enter takes it; Escape goes back."""
    written(browser, address, HARD)
    caret(browser, HARD.index("infarction"))
    press_alt(browser, "ArrowDown", 40)
    assert browser.evaluate("document.activeElement.textContent") == "heart attack"
    browser.press("Enter", "\r")
    assert "She had a heart attack." in text(browser)
    assert browser.evaluate("document.activeElement.id") == "text"


def test_a_term_that_nothing_fits_is_said_in_plain_words(
    browser: BrowserPage, address: str
) -> None:
    """A button explains it in brackets, none replaces it; the keyboard comes there and back."""
    sentence = "He had an incarcerated hernia. A hernia may hurt."
    written(browser, address, sentence)
    caret(browser, sentence.index("hernia"))
    press_alt(browser, "ArrowDown", 40)
    said = "in plain words: bulge through a muscle wall"
    assert browser.evaluate("!!document.activeElement.closest('#choices')")
    assert said in browser.evaluate("document.getElementById('meaning').textContent")
    buttons = (
        "[...document.querySelectorAll('#choices button:not(.quiet)')].map((b) => b.textContent)"
    )
    assert browser.evaluate(buttons) == ["Explain it: hernia (bulge through a muscle wall)"]
    browser.press("Escape")
    assert browser.evaluate("document.activeElement.id") == "text"
    # The other place takes it; the first is left to the writer.
    browser.evaluate("document.querySelector(`.say[title*='“hernia”']`).click()")
    assert text(browser) == "He had an incarcerated hernia. A bulge through a muscle wall may hurt."
    assert "1 left" in browser.evaluate("document.getElementById('status').textContent")
    browser.until(f"document.getElementById('terms').textContent.includes({said!r})")
    assert not browser.evaluate("document.querySelectorAll(`.say[title*='“hernia”']`).length")


def test_versions_are_kept_and_compared(browser: BrowserPage, address: str) -> None:
    """Side by side, with what changed marked, and brought back."""
    written(browser, address, HARD)
    browser.evaluate("document.getElementById('keep').click()")
    browser.evaluate("document.getElementById('text').select()")
    browser.type("She had a heart attack.")
    browser.evaluate("document.querySelector('#compare button').click()")
    browser.until("document.querySelectorAll('#comparison del').length")
    assert "easier" in browser.evaluate("document.getElementById('comparison').innerText")
    browser.until("document.getElementById('since').textContent.includes('Since “Version 1”')")
    browser.evaluate("document.querySelector('#version-list button').click()")
    assert text(browser) == HARD


def test_text_versions_and_answers_stay_until_they_are_deleted(
    browser: BrowserPage, address: str
) -> None:
    """In the browser's own storage; a named version keeps its name."""
    written(browser, address, HARD)
    browser.evaluate("document.getElementById('keep').click()")
    browser.evaluate(
        "(e => { e.value = 'For the ward'; e.dispatchEvent(new Event('change')); })"
        "(document.querySelector('#version-list input'))"
    )
    browser.evaluate("document.querySelector('#questions input').click()")
    browser.open(address)
    assert text(browser) == HARD
    name = "document.querySelector('#version-list input').value"
    assert browser.evaluate(name) == "For the ward"
    browser.until("document.querySelectorAll('#questions li').length")
    assert browser.evaluate("document.querySelector('#questions input').checked")
    browser.evaluate("window.confirm = () => true; document.getElementById('delete').click()")
    browser.open(address)
    assert text(browser) == ""
    assert browser.evaluate("document.getElementById('versions').hidden")


PASSIVE = "Patients are advised to avoid alcohol. Rest at home for some days and drink water."


def test_a_sentence_says_why_it_is_hard_and_takes_a_proposal(
    browser: BrowserPage, address: str
) -> None:
    """Alt and Enter open it, Enter takes the first proposal; undo brings the sentence back."""
    written(browser, address, PASSIVE)
    caret(browser, 4)
    press_alt(browser, "Enter", 13)
    browser.until("document.querySelectorAll('.proposal').length")
    assert "passive: “are advised”" in browser.evaluate(
        "document.getElementById('choices').innerText"
    )
    browser.until("document.activeElement.textContent === 'Use it'")
    assert browser.serious() == []
    browser.press("Enter", "\r")
    assert text(browser).startswith("You should avoid alcohol. Rest")
    browser.evaluate("document.getElementById('undo').click()")
    assert text(browser) == PASSIVE


def test_a_proposal_that_is_not_wanted_is_not_made_again(
    browser: BrowserPage, address: str
) -> None:
    """Nor is a word marked that the writer keeps, even after the page is opened again."""
    written(browser, address, HARD)
    caret(browser, HARD.index("infarction"))
    browser.evaluate("document.getElementById('text').click()")
    marked = (
        "[...document.querySelectorAll('#mirror u')].some(e => /infarction/.test(e.textContent))"
    )
    assert browser.evaluate(marked)
    browser.evaluate(
        "[...document.querySelectorAll('#choices button')].find(e => e.textContent === 'Not this "
        "one').click()"
    )
    assert not browser.evaluate(marked)
    browser.open(address)
    browser.until("document.querySelectorAll('#mirror u').length")
    assert not browser.evaluate(marked)


def test_marks_can_be_switched_off(browser: BrowserPage, address: str) -> None:
    """Each kind by its box, and it stays so."""
    written(browser, address, HARD)
    line = "getComputedStyle(document.querySelector('#mirror u.term')).textDecorationLine"
    assert browser.evaluate(line) == "underline"
    browser.evaluate("document.querySelector('#shown input[value=term]').click()")
    assert browser.evaluate(line) == "none"


def test_what_a_word_processor_copies_keeps_its_structure(
    browser: BrowserPage, address: str
) -> None:
    """Headings, lists, tables; no markup of it runs."""
    fresh(browser, address)
    html = (
        f"<h2>What is flu?</h2><img src=x onerror='{ATTACK}'><ul><li>rest<ol><li>at home</ol>"
        "</ul><table><tr><td>a<td>b</table><p class=MsoListParagraph>· drink</p><p>Call us.</p>"
    )
    made = browser.evaluate(
        f"import('/editor/work.js').then(desk => desk.markdownOfHtml({json.dumps(html)}))"
    )
    assert made == "## What is flu?\n\n- rest\n  1. at home\n\n| a | b |\n\n- drink\n\nCall us."
    assert browser.evaluate("window.attacked === undefined")


def test_a_phone_keeps_the_verdict_in_sight(browser: BrowserPage, address: str) -> None:
    """At the top, however far the text is scrolled."""
    written(browser, address, HARD * 20, width=390)
    browser.evaluate("scrollTo(0, 1500)")
    browser.until("document.getElementById('bar').classList.contains('away')")
    top = "document.getElementById('bar').getBoundingClientRect().top"
    assert browser.evaluate(top) == 0
    assert "of adults" in browser.evaluate("document.getElementById('bar').textContent")


def test_the_guide_is_accessible(browser: BrowserPage, address: str) -> None:
    for dark in (False, True):
        browser.open(f"{address}editor/guide.html", dark=dark)
        assert browser.serious() == []
        assert "A click mends it" in browser.evaluate("document.body.innerText")


def test_an_aim_says_what_is_missing(browser: BrowserPage, address: str) -> None:
    written(browser, address, HARD * 3)
    options = "[...document.querySelectorAll('#reader option')].map(e => e.value)"
    choose = """reader => {
        const select = document.getElementById('reader');
        select.value = reader;
        select.dispatchEvent(new Event('change'));
    }"""
    for reader in browser.evaluate(options):
        browser.evaluate(f"({choose})({reader!r})")
        said = browser.evaluate("document.getElementById('aim').textContent")
        assert "Below the target" in said or "is reached" in said


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_and_is_accessible(
    browser: BrowserPage, address: str, width: int, dark: bool
) -> None:
    """Nothing wider than the window; axe-core finds nothing serious."""
    written(browser, address, HARD, width=width, dark=dark)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.serious() == []


def test_the_text_lies_on_its_marks(browser: BrowserPage, address: str) -> None:
    """Both have the same lines: as high, as wide, in the same letters."""
    written(browser, address, HARD * 20, width=360)
    look = """id => {
        const e = document.getElementById(id), s = getComputedStyle(e);
        return [s.font, s.letterSpacing, s.padding, s.whiteSpaceCollapse, e.clientWidth].join();
    }"""
    assert browser.evaluate(f"({look})('text')") == browser.evaluate(f"({look})('mirror')")
    scrolls = "(e => e.scrollHeight - e.clientHeight)(document.getElementById('text'))"
    assert browser.evaluate(scrolls) <= 1


def test_nothing_of_a_hostile_text_runs(browser: BrowserPage, address: str) -> None:
    """Typed, kept, compared; and nothing is asked of any other server."""
    written(browser, address, HOSTILE)
    browser.evaluate("document.getElementById('keep').click()")
    browser.type(" " + HOSTILE)
    browser.evaluate("document.querySelector('#compare button').click()")
    browser.until("document.querySelectorAll('#comparison ins').length")
    assert browser.evaluate("window.attacked === undefined")
    assert browser.evaluate("document.querySelector('main img, iframe, object, svg') === null")
    loaded = browser.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert all(each.startswith((address, "data:")) for each in loaded)


def test_a_page_of_another_origin_reads_nothing(browser: BrowserPage, address: str) -> None:
    """Neither by a call nor by a script, nor can it frame the editor."""
    leave(browser)
    browser.open("data:text/html,<title>x</title>")
    for options in ("{}", "{method: 'POST', body: '{}'}", "{mode: 'no-cors'}"):
        read = f"fetch('{address}v1/score', {options}).then(r => r.text()).catch(() => '')"
        assert browser.evaluate(read) == ""
    script = f"""new Promise(done => {{ const s = document.createElement('script');
        s.onload = () => done('loaded'); s.onerror = () => done('refused');
        s.src = '{address}editor/editor.js'; document.head.append(s); }})"""
    assert browser.evaluate(script) == "refused"


def test_the_first_visit_shows_an_example_with_its_verdict(
    browser: BrowserPage, address: str
) -> None:
    """On a phone the verdict and three steps need no scrolling, and nothing destructive is there.

    The example is not kept, and goes when somebody starts with a text.
    """
    leave(browser)
    browser.open(f"{address}editor/guide.html")  # which stores nothing
    browser.evaluate("localStorage.clear()")
    browser.open(address, width=390)
    browser.until("document.querySelectorAll('#steps li').length >= 2")
    assert "colonoscopy" in text(browser)
    bottom = "document.getElementById('steps').getBoundingClientRect().bottom"
    assert browser.evaluate(bottom) < 844
    assert not browser.evaluate("document.getElementById('delete').checkVisibility()")
    kinds = "new Set([...document.querySelectorAll('#mirror u')].map(u => u.classList.item(1)))"
    assert browser.evaluate(f"[...{kinds}].sort().join()") == "fix,words"
    assert browser.evaluate("localStorage.length") == 0
    browser.evaluate("document.getElementById('own').click()")
    assert text(browser) == ""
    assert browser.evaluate("document.getElementById('example').hidden")


def test_the_term_can_stay_in_brackets(browser: BrowserPage, address: str) -> None:
    written(browser, address, HARD)
    caret(browser, HARD.index("infarction"))
    press_alt(browser, "ArrowDown", 40)
    browser.evaluate("document.querySelectorAll('#choices button')[1].click()")
    assert "She had a heart attack (myocardial infarction)." in text(browser)
