"""Reports in a real browser: nothing of a page runs, and everybody can read and use them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import SAMPLES

from understandability.crawls.folder import CrawlFolder
from understandability.errors import InputError
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_page
from understandability.text.document import Block, Document
from understandability.text.page import Page
from understandability.writers.audit import audited
from understandability.writers.explain import explain_document
from understandability.writers.explanation import WordReading
from understandability.writers.first_steps import FirstSteps, Step
from understandability.writers.marks import HARD, KINDS, TERM
from understandability.writers.page_report import page_report
from understandability.writers.templates import printed

if TYPE_CHECKING:
    from scripts.browser import BrowserPage

ATTACKED = "window.attacked = (window.attacked || 0) + 1"
# Each runs its payload where a browser takes it for markup.
ATTACKS = tuple(
    attack.replace("PAYLOAD", ATTACKED)
    for attack in (
        "<script>PAYLOAD</script>",
        "</script><script>PAYLOAD</script>",
        "</style><script>PAYLOAD</script>",
        "</title><script>PAYLOAD</script>",
        "--><script>PAYLOAD</script><!--",
        "]]></desc></svg><script>PAYLOAD</script>",
        "</textarea></noscript></select><script>PAYLOAD</script>",
        '"><img src=x onerror="PAYLOAD">',
        "'><img src=x onerror='PAYLOAD'>",
        "<svg onload='PAYLOAD'>",
        "<svg><animate onbegin='PAYLOAD' attributeName=x dur=1s>",
        "<math><mtext></form><form><mglyph><style></math><img src onerror='PAYLOAD'>",
        "<noscript><p title='</noscript><img src=x onerror=\"PAYLOAD\">'>",
        "<details open ontoggle='PAYLOAD'>",
        "<input autofocus onfocus='PAYLOAD'>",
        '" autofocus tabindex=0 onfocus="PAYLOAD" x="',
        "<iframe srcdoc='<script>parent.PAYLOAD</script>'></iframe>",
        "<iframe src='javascript:parent.PAYLOAD'></iframe>",
        "<object data='data:text/html,<script>PAYLOAD</script>'></object>",
        "<meta http-equiv=refresh content='0;url=javascript:PAYLOAD'>",
        "<base href='https://attacker.example/'>",
        "<link rel=stylesheet href='https://attacker.example/a.css'>",
        "<style>@import url('https://attacker.example/a.css')</style>",
        "<form action='javascript:PAYLOAD'><button>x</button></form>",
        "+ADw-script+AD4-PAYLOAD+ADw-/script+AD4-",
        "\x00<scr\x00ipt>PAYLOAD</scr\x00ipt>",
        "&lt;script&gt;PAYLOAD&lt;/script&gt;",
        "{{ self.__init__.__globals__ }}{% for x in y %}",
        "\u2028<script>PAYLOAD</script>\u2029",
    )
)
HOSTILE = " ".join(ATTACKS)
SCORER = Scorer()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the hard sample page, with blocks that were dropped."""
    page = Page("hard.html", "", (SAMPLES / "hard.html").read_bytes())
    document = document_of_page(page)
    dropped = Block("Home | About us | Contact", "li", kept=False, reason="navigation")
    document = document.replace(blocks=(*document.blocks, dropped))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page_report([explain_document(document, SCORER)]), "utf-8")
    return path


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a rewrite."""
    documents = [
        document_of_page(Page(name, "", (SAMPLES / name).read_bytes()))
        for name in ("hard.html", "easy.html")
    ]
    path = tmp_path_factory.mktemp("report") / "comparison.html"
    path.write_text(
        page_report([explain_document(each, SCORER) for each in documents], comparing=True)
    )
    return path


@pytest.fixture(scope="module")
def crawl(understand: Callable[..., Any], tmp_path_factory: Any) -> Path:
    """The report of a crawl of the sample pages and of a file that is empty."""
    folder = tmp_path_factory.mktemp("crawl")
    for name in ("easy", "medium", "hard"):
        site = folder / "in" / f"a-rather-long-name-of-a-site-{name}.health.example"
        site.mkdir(parents=True)
        (site / "index.html").write_bytes((SAMPLES / f"{name}.html").read_bytes())
    (folder / "in" / "empty.html").write_bytes(b"")
    assert understand("score", folder / "in", "-o", f"{folder}/run/").returncode == 0
    path: Path = folder / "crawl.html"
    path.write_text(audited(CrawlFolder(f"{folder}/run/")).html(), "utf-8")
    return path


def hostile_report(comparing: bool) -> str:
    """A report all of whose texts attack: page, docno, title, blocks, reasons, lay terms."""
    kept = Block("A patient with hypertension " + HOSTILE, 'p" onclick="x')
    dropped = Block(HOSTILE, HOSTILE, kept=False, reason=HOSTILE)
    document = Document(
        docno=HOSTILE,
        path=HOSTILE,
        pieces=tuple(kept.text.split()),
        sentence_starts=(0,),
        blocks=(kept, dropped),
        title=HOSTILE,
        url="javascript:" + ATTACKED,
        language="en",
        encoding=HOSTILE,
        extractor=HOSTILE,
        sentence_ends="none",
        flags=(HOSTILE,),
    )
    explanation = explain_document(document, SCORER)
    (offer, *_) = explanation.offers
    (term, *_) = explanation.terms
    (sentence, *_) = explanation.sentences
    hostile = WordReading(HOSTILE, 1)
    step = Step("x", HOSTILE, HOSTILE, 1.0, 2.0, 3.0, 0.5)
    explanation = replace(
        explanation,
        offers=(replace(offer, term=HOSTILE, plain=(HOSTILE,), note=HOSTILE),),
        terms=(replace(term, term=HOSTILE, plain=(HOSTILE,), note=HOSTILE),),
        hard_words=(hostile,),
        abbreviations=(hostile,),
        sentences=(replace(sentence, reasons=(HOSTILE,)), *explanation.sentences[1:]),
        steps=FirstSteps((step,), step),
        settings={**explanation.settings, "bundle": HOSTILE, "bundle_licence": HOSTILE},
    )
    return page_report([explanation, explanation], comparing=comparing)


@pytest.mark.parametrize("comparing", [False, True], ids=["report", "comparison"])
@pytest.mark.parametrize("policy", ["kept", "removed"])
def test_nothing_of_a_hostile_page_runs(
    browser: BrowserPage, tmp_path: Path, policy: str, comparing: bool
) -> None:
    """Not even where the report's own content security policy is taken away."""
    text = hostile_report(comparing)
    assert ATTACKED in text
    if policy == "removed":
        text, removed = re.subn(r"<meta http-equiv=.Content-Security-Policy.*?>", "", text)
        assert removed == 1
    path = tmp_path / "hostile.html"
    path.write_text(text, "utf-8")
    browser.open(path)
    everything = "document.querySelectorAll('*')"
    browser.evaluate(f"{everything}.forEach(each => {{ each.click?.(); each.focus?.(); }})")
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    assert browser.evaluate("window.attacked === undefined")
    assert browser.evaluate("location.pathname").endswith("/hostile.html")
    assert browser.evaluate("document.scripts.length") == 1
    assert browser.evaluate("performance.getEntriesByType('resource').length") == 0
    assert (
        browser.evaluate("document.querySelector('main img, iframe, object, form, base')") is None
    )
    handlers = f"[...{everything}].some(e => [...e.attributes].some(a => a.name.startsWith('on')))"
    assert browser.evaluate(handlers) is False
    # The page's text is all there, to read.
    assert browser.evaluate(f"document.body.innerText.includes({ATTACKED!r})")


def test_a_hostile_script_would_run_without_escaping(browser: BrowserPage, tmp_path: Path) -> None:
    """The marker of the test above does tell."""
    path = tmp_path / "raw.html"
    path.write_text(f"<!DOCTYPE html><title>x</title><p>{ATTACKS[0]}{ATTACKS[7]}", "utf-8")
    browser.open(path)
    assert browser.evaluate("window.attacked >= 1")


def test_hostile_names_of_a_crawl_run_nothing(
    browser: BrowserPage, understand: Callable[..., Any], tmp_path: Path
) -> None:
    """Identifiers and sites of documents come from strangers too."""
    text = (SAMPLES / "easy.html").read_text("utf-8")
    rows = [{"id": f"http://{attack}/{attack}", "html": text} for attack in ATTACKS]
    rows.append({"id": HOSTILE, "html": ""})
    source = tmp_path / "pages.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert understand("score", source, "-o", f"{tmp_path}/run/").returncode == 0
    path = tmp_path / "crawl.html"
    path.write_text(audited(CrawlFolder(f"{tmp_path}/run/")).html(), "utf-8")
    browser.open(path)
    assert browser.evaluate("window.attacked === undefined")
    assert browser.evaluate("document.scripts.length") == 1
    assert browser.evaluate(f"document.body.innerText.includes({ATTACKED!r})")


@pytest.mark.parametrize("kind", [TERM, HARD])
def test_a_switch_takes_its_marks_away_and_back(
    browser: BrowserPage, report: Path, kind: str
) -> None:
    """A click on each switch of the legend changes how its marks look, and only theirs."""
    browser.open(report)
    kinds = (TERM, HARD)
    look = """kind => {
        const style = getComputedStyle(document.querySelector('.text .' + kind));
        return [style.backgroundColor, style.textDecorationLine].join();
    }"""
    looks = {each: browser.evaluate(f"({look})({each!r})") for each in kinds}
    plain = browser.evaluate(f"({look})('block')")
    click = f"document.querySelector('input[data-kind={kind}]').click()"
    browser.evaluate(click)
    assert browser.evaluate(f"({look})({kind!r})") == plain != looks[kind]
    for other in kinds:
        if other != kind:
            assert browser.evaluate(f"({look})({other!r})") == looks[other]
    browser.evaluate(click)
    assert browser.evaluate(f"({look})({kind!r})") == looks[kind]


def test_the_shades_can_be_switched_off(browser: BrowserPage, report: Path) -> None:
    """With the levels that the sentences bear."""
    browser.open(report)
    shade = "getComputedStyle(document.querySelector('.text .shade-4')).backgroundColor"
    before = browser.evaluate(shade)
    browser.evaluate("document.querySelector('input[data-kind=shade]').click()")
    assert browser.evaluate(shade) == "rgba(0, 0, 0, 0)" != before
    level = "getComputedStyle(document.querySelector('.text .level')).display"
    assert browser.evaluate(level) == "none"


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1280, True)], ids=["light", "dark"])
@pytest.mark.parametrize("which", ["report", "comparison", "crawl"])
def test_reports_fit_and_are_accessible(
    browser: BrowserPage, request: pytest.FixtureRequest, which: str, width: int, dark: bool
) -> None:
    """With everything unfolded nothing is wider than the window, and axe-core finds nothing bad."""
    browser.open(request.getfixturevalue(which), width=width, dark=dark)
    browser.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert browser.evaluate("innerWidth") == width
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.serious() == []


def test_everything_can_be_reached_by_keyboard(browser: BrowserPage, report: Path) -> None:
    """Tab visits all that can be used, in order, and shows where it is; keys work the rest."""
    browser.open(report)
    usable = browser.evaluate("document.querySelectorAll('a, input, summary, [tabindex]').length")
    folded = browser.evaluate("document.querySelectorAll('details [tabindex]').length")
    seen = []
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.textContent") == "Skip to the report"
    for _ in range(usable - folded):
        assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        seen.append(browser.evaluate("document.activeElement.dataset.kind || ''"))
        if seen[-1] == "hard":
            browser.press(" ", " ")
        browser.press("Tab")
    assert [kind for kind in seen if kind] == ["shade", *KINDS]
    assert browser.evaluate("document.querySelectorAll('.hide-hard').length") == 1
    browser.evaluate("document.querySelector('summary').focus()")
    browser.press("Enter", "\r")
    assert browser.evaluate("document.querySelector('details').open")


def test_a_report_is_printed_whole(browser: BrowserPage, report: Path) -> None:
    """On paper nothing scrolls, no switch is drawn, and letters are dark whatever the screen."""
    browser.open(report, width=700)
    browser.emulate("print", dark=True)
    browser.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    cut = """[...document.querySelectorAll('.text, .scroll')].filter(
        e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).length"""
    assert browser.evaluate(cut) == 0
    assert browser.evaluate("document.documentElement.scrollWidth") <= 700
    assert browser.evaluate("getComputedStyle(document.body).color") == "rgb(28, 35, 41)"
    assert browser.evaluate("getComputedStyle(document.querySelector('input')).display") == "none"
    assert browser.pdf().startswith(b"%PDF")


def test_a_report_is_written_as_pdf(
    browser: BrowserPage, understand: Callable[..., Any], tmp_path: Path
) -> None:
    """By the browser that is there; without one the sentence says what to do."""
    understand("explain", SAMPLES / "easy.html", "-o", tmp_path / "r.pdf", status=0)
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_a_comparison_is_printed_on_few_pages(browser: BrowserPage, comparison: Path) -> None:
    """A page of figures, and the aligned sentences."""
    browser.open(comparison)
    browser.emulate("print")
    assert len(re.findall(rb"/Type\s*/Page\b", browser.pdf())) == 2


def test_without_a_browser_there_is_no_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/no/such/program")
    with pytest.raises(InputError, match=r"was not found; install one, .* or write .html"):
        printed("<p>x")
