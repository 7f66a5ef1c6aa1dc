"""The page of a study, in a real browser: by keyboard, on a phone, with hostile texts."""

from __future__ import annotations

import asyncio
import csv
import html
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import SAMPLES
from tests.writers.test_browser import ATTACKED, ATTACKS, HOSTILE

from understandability.errors import InputError, OptionError
from understandability.inputs.study_answers import Answers, parse_answers
from understandability.resources import resource_text
from understandability.training.study_texts import read_study_texts, study_digest
from understandability.writers.ask import LANGUAGES, ask

if TYPE_CHECKING:
    from scripts.browser import BrowserPage

_PATIENCE = 60
ROWS = [
    ["id", "text", "question_1", "choices_1", "question_2", "choices_2"],
    [
        "flu",
        "You have flu. Stay at home.\n\n- Rest.\n- Drink.",
        "How long?",
        "a day | *a week",
        "What to drink?",
        "*water | beer | wine",
    ],
    ["knee", "# Your knee\n\nYou can go home on Monday.", "When?", "*Monday | Friday", "", ""],
    ["eye", "The eye is red. See a doctor.", "", "", "", ""],
]


def table(folder: Path, rows: list[list[str]], name: str = "texts.csv") -> str:
    """The path of a table of texts."""
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def opened(browser: BrowserPage, folder: Path, page: str, **window: Any) -> Path:
    """The path of a page, which is open in the browser as on the first day."""
    path = folder / "study.html"
    path.write_text(page, "utf-8")
    browser.open(path)
    browser.evaluate("localStorage.clear()")
    browser.open(path, **window)
    return path


def saved(folder: Path) -> Answers:
    """The answers that the browser saved in a folder."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        for path in folder.glob("answers-*.json"):
            return parse_answers(path.read_bytes())
        time.sleep(0.05)
    raise AssertionError("nothing was saved")


def answer(browser: BrowserPage, message: str, choices: list[int], sure: int = 3) -> None:
    """Answer the text on the screen with the mouse, and go on."""
    browser.evaluate("find('message').focus()")
    browser.type(message)
    for number, choice in enumerate(choices):
        browser.evaluate(f"document.querySelectorAll('[name=question-{number}]')[{choice}].click()")
    browser.evaluate(f"document.querySelectorAll('[name=sure]')[{sure - 1}].click()")
    browser.evaluate("find('next').click()")


def text_on_screen(browser: BrowserPage) -> str:
    return str(browser.evaluate("currentText().id"))


def test_the_page_is_one_file_without_the_right_answers(tmp_path: Path) -> None:
    page = ask(table(tmp_path, ROWS), title="Our <leaflets>")
    assert "<h1>Our &lt;leaflets&gt;</h1>" in page
    assert not re.search(r"(?:src|href)=", page)
    policy = html.unescape(re.findall(r'Security-Policy" content="(.*?)"', page)[0])
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "connect-src 'none'" in policy
    assert "unsafe" not in page
    assert "a week" in page
    assert "*a week" not in page
    data = json.loads(re.findall(r'id="study">(.*?)</script>', page)[0])
    assert all(set(q) == {"text", "choices"} for text in data["texts"] for q in text["questions"])


def test_a_study_by_keyboard_on_a_phone(browser: BrowserPage, tmp_path: Path) -> None:
    """Tab, space, Enter and letters are enough, and the saved file has each answer."""
    texts = table(tmp_path, ROWS)
    opened(browser, tmp_path, ask(texts), width=390)
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.id") == "begin"
    browser.press("Enter", "\r")
    questions = {"flu": 2, "knee": 1, "eye": 0}
    order = []
    for number in range(3):
        assert browser.evaluate("find('heading').textContent") == f"Text {number + 1} of 3"
        assert browser.evaluate("document.activeElement.id") == "heading"
        order.append(text_on_screen(browser))
        browser.press("Tab")
        assert browser.evaluate("document.activeElement.id") == "message"
        assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        browser.type(f"It is about {order[-1]}.")
        for _ in range(questions[order[-1]] + 1):  # the questions, and how sure
            browser.press("Tab")
            browser.press(" ", " ")
        browser.press("Tab")
        assert browser.evaluate("document.activeElement.id") == "next"
        browser.press("Enter", "\r")
    assert browser.evaluate("document.activeElement.id") == "thanks"
    assert browser.evaluate("find('answered').textContent") == "Texts that you answered: 3 of 3."
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.id") == "save"
    browser.press("Enter", "\r")
    answers = saved(tmp_path)
    assert answers.study == study_digest(read_study_texts(texts)[0])
    assert [given.text for given in answers.answers] == order
    for position, given in enumerate(answers.answers, 1):
        assert given.position == position
        assert given.message == f"It is about {given.text}."
        assert given.choices == (0,) * questions[given.text]
        assert given.sure == 1
        assert 0 <= given.seconds < _PATIENCE


@pytest.mark.parametrize(("width", "dark"), [(390, False), (390, True), (1280, False)])
def test_each_screen_fits_and_is_accessible(
    browser: BrowserPage, tmp_path: Path, width: int, dark: bool
) -> None:
    (tmp_path / "consent.txt").write_text("We ask for your consent.", "utf-8")
    rows = [*ROWS, ["long", "w" * 300 + " is a long word.", "q" * 200, f"{'c' * 200} | *d", "", ""]]
    page = ask(table(tmp_path, rows), consent=str(tmp_path / "consent.txt"))
    opened(browser, tmp_path, page, width=width, dark=dark)

    def check() -> None:
        browser.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.serious() == []

    check()
    browser.evaluate("find('begin').click()")
    assert browser.evaluate("find('text').hidden"), "consent is needed first"
    browser.evaluate("find('agreed').click(); find('begin').click()")
    for _ in range(4):
        check()
        choices = browser.evaluate("currentText().questions.length")
        answer(browser, "word" * 100, [0] * choices)
    assert browser.evaluate("find('end').hidden") is False
    check()


def test_answers_are_kept_until_they_are_deleted(browser: BrowserPage, tmp_path: Path) -> None:
    path = opened(browser, tmp_path, ask(table(tmp_path, ROWS)))
    browser.evaluate("find('begin').click()")
    first = text_on_screen(browser)
    answer(browser, "one", [1] * browser.evaluate("currentText().questions.length"))
    second = text_on_screen(browser)
    browser.evaluate("find('message').focus()")
    browser.type("unfinished")
    participant = browser.evaluate("state.participant")
    browser.open(path)
    assert browser.evaluate("state.participant") == participant
    assert "1 of 3" in browser.evaluate("find('resume').textContent")
    browser.evaluate("find('begin').click()")
    assert text_on_screen(browser) == second
    assert browser.evaluate("find('message').value") == "unfinished"
    browser.evaluate("find('back').click()")
    assert text_on_screen(browser) == first
    assert browser.evaluate("find('message').value") == "one"
    browser.evaluate("find('stop').click()")
    assert browser.evaluate("find('answered').textContent") == "Texts that you answered: 1 of 3."
    assert browser.evaluate("result().answers.map(each => each.text)") == [first]
    browser.evaluate("find('delete').click()")
    assert browser.evaluate("localStorage.getItem(key)") is None
    assert browser.evaluate("state.participant") != participant
    assert browser.evaluate("find('start').hidden") is False


def test_a_question_needs_an_answer_and_may_be_not_known(
    browser: BrowserPage, tmp_path: Path
) -> None:
    opened(browser, tmp_path, ask(table(tmp_path, [ROWS[0], ROWS[1]])))
    browser.evaluate("find('begin').click(); find('next').click()")
    assert browser.evaluate("find('text').hidden") is False
    answer(browser, "", [2, 3])
    assert browser.evaluate("result().answers[0].choices") == [None, None]


@pytest.mark.parametrize(
    "stored",
    [
        "{",
        "null",
        "[]",
        '{"participant": "bbbbbbbbbbbb", "order": [0, 9, 1], "current": 0, "answers": {}}',
        '{"participant": "bbbbbbbbbbbb", "order": [0, 1, 1], "current": 0, "answers": {}}',
        '{"participant": "<img>", "order": [0, 1, 2], "current": 0, "answers": {}}',
        '{"participant": "bbbbbbbbbbbb", "order": [0, 1, 2], "current": 77, "answers": {}}',
        '{"participant": "bbbbbbbbbbbb", "order": [0, 1, 2], "current": 1, "answers": {"0": 3}}',
    ],
)
def test_what_another_page_stored_under_our_key_is_dropped(
    browser: BrowserPage, tmp_path: Path, stored: str
) -> None:
    path = opened(browser, tmp_path, ask(table(tmp_path, ROWS)))
    browser.evaluate(f"localStorage.setItem(key, {json.dumps(stored)})")
    browser.open(path)
    browser.evaluate("find('begin').click()")
    assert browser.evaluate("find('heading').textContent") == "Text 1 of 3"


def test_without_storage_the_page_says_so_and_works(browser: BrowserPage, tmp_path: Path) -> None:
    opened(browser, tmp_path, ask(table(tmp_path, [ROWS[0], ROWS[3]])))
    refuse = "Storage.prototype.setItem = () => { throw new Error('full'); }"
    browser.evaluate(refuse)
    browser.evaluate("find('begin').click()")
    assert "cannot keep your answers" in browser.evaluate("find('kept').textContent")
    answer(browser, "eye", [])
    assert browser.evaluate("result().answers[0].message") == "eye"


def test_the_order_differs_and_some_texts_are_drawn(browser: BrowserPage, tmp_path: Path) -> None:
    rows = [ROWS[0]] + [[f"t{n}", f"Text {n} is short.", "", "", "", ""] for n in range(8)]
    opened(browser, tmp_path, ask(table(tmp_path, rows), per_participant=5))
    orders = browser.evaluate("Array.from({length: 200}, () => fresh().order)")
    assert all(len(set(order)) == 5 for order in orders)
    counts = [sum(text in order for order in orders) for text in range(8)]
    assert sum(counts) == 1000
    assert 90 < min(counts) <= max(counts) < 160  # 125 each; 7 is a standard deviation
    assert len({order[0] for order in orders}) == 8
    participants = browser.evaluate("Array.from({length: 200}, () => fresh().participant)")
    assert len(set(participants)) == 200


@pytest.mark.parametrize("policy", ["kept", "removed"])
def test_nothing_of_a_hostile_study_runs(browser: BrowserPage, tmp_path: Path, policy: str) -> None:
    choices = [attack.replace("|", "/").lstrip("*") for attack in ATTACKS]
    rows = [
        ROWS[0],
        [HOSTILE, HOSTILE, HOSTILE, " | ".join(["*right", *choices[:10]]), "", ""],
        ["b", f"# {HOSTILE}\n\n- {HOSTILE}", HOSTILE, " | ".join(["*r", *choices[10:25]]), "", ""],
    ]
    for name in ("consent", "instructions"):
        (tmp_path / f"{name}.txt").write_text(HOSTILE.replace("\x00", ""), "utf-8")
    page = ask(
        table(tmp_path, rows),
        title=HOSTILE,
        consent=str(tmp_path / "consent.txt"),
        instructions=str(tmp_path / "instructions.txt"),
    )
    if policy == "removed":
        page, removed = re.subn(r"<meta http-equiv=.Content-Security-Policy.*?>", "", page)
        assert removed == 1
    opened(browser, tmp_path, page)
    browser.evaluate("find('agreed').click(); find('begin').click()")
    for _ in range(2):
        assert ATTACKED in browser.evaluate("find('reading').innerText")
        browser.evaluate("document.querySelectorAll('main *').forEach(each => each.focus?.())")
        answer(browser, HOSTILE[:500], [0])
    browser.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    browser.evaluate("new Promise(done => setTimeout(done, 200))")
    assert browser.evaluate("window.attacked === undefined")
    assert browser.evaluate("document.scripts.length") == 2
    assert browser.evaluate("performance.getEntriesByType('resource').length") == 0
    assert browser.evaluate("document.querySelector('img, iframe, object, base, link')") is None


def test_the_policy_allows_the_page_itself(browser: BrowserPage, tmp_path: Path) -> None:
    """Its style and script run under the policy, and nothing else can be loaded or sent."""
    opened(browser, tmp_path, ask(table(tmp_path, ROWS)))
    assert browser.evaluate("getComputedStyle(find('begin')).cursor") == "pointer"
    refused = "fetch('http://127.0.0.1:9/').then(() => 'sent', error => error.name)"
    assert browser.evaluate(refused) == "TypeError"
    inject = """(() => { const script = document.createElement('script');
        script.textContent = 'window.injected = 1'; document.body.append(script); })()"""
    browser.evaluate(inject)
    assert browser.evaluate("window.injected === undefined")


@contextmanager
def collecting(folder: Path, token: str, **limits: Any) -> Iterator[str]:
    """The address of a server in a thread that collects answers."""
    uvicorn = pytest.importorskip("uvicorn", reason="needs the extra serve")
    pytest.importorskip("fastapi", reason="needs the extra serve")
    from understandability.writers.serve.answers import collector

    app = collector(str(folder), token, **limits)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    deadline = time.monotonic() + _PATIENCE
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(_PATIENCE)


def test_the_page_posts_answers_from_a_disk(browser: BrowserPage, tmp_path: Path) -> None:
    """A wrong token is a message, and the answers can still be saved; the right one stores them."""
    texts = table(tmp_path, [ROWS[0], ROWS[3]])
    folder = tmp_path / "answers"
    with collecting(folder, "secret") as address:
        for token in ("wrong", "secret"):
            opened(browser, tmp_path, ask(texts, post=address, token=token))
            assert address.removeprefix("http://") in browser.evaluate("find('start').innerText")
            browser.evaluate("find('begin').click()")
            answer(browser, "The eye — «red» 😀", [])
            browser.evaluate("find('send').click()")
            said = browser.until("find('send').disabled ? '' : find('status').textContent")
            if token == "wrong":
                assert "not received (the token is missing or wrong" in said
                assert browser.evaluate("find('save').hidden") is False
            else:
                assert "were received" in said
    (path,) = folder.glob("*.json")
    answers = parse_answers(path.read_bytes())
    assert answers.participant == browser.evaluate("state.participant")
    assert answers.answers[0].message == "The eye — «red» 😀"
    browser.evaluate("find('send').click()")
    said = browser.until("find('send').disabled ? '' : find('status').textContent")
    assert "the server cannot be reached" in said


@pytest.mark.parametrize("script", ["kept", "removed"])
def test_without_its_script_the_page_says_what_it_needs(
    browser: BrowserPage, tmp_path: Path, script: str
) -> None:
    page = ask(table(tmp_path, ROWS))
    if script == "removed":
        page = page[: page.rindex("<script>")]
    opened(browser, tmp_path, page)
    assert browser.evaluate("document.getElementById('javascript').hidden") == (script == "kept")
    assert browser.evaluate("document.getElementById('start').hidden") == (script == "removed")


def test_items_and_headings_are_shown_as_such(browser: BrowserPage, tmp_path: Path) -> None:
    text = "# Flu\n\nDo this:\n\n- Rest.\n- Drink.\n\nThen this:\n\n- Sleep."
    opened(browser, tmp_path, ask(table(tmp_path, [["id", "text"], ["a", text]])))
    browser.evaluate("find('begin').click()")
    tags = browser.evaluate("[...find('reading').children].map(each => each.tagName)")
    assert tags == ["H3", "P", "UL", "P", "UL"]
    items = browser.evaluate("[...find('reading').querySelectorAll('li')].map(e => e.textContent)")
    assert items == ["Rest.", "Drink.", "Sleep."]


def placeholders(words: dict[str, str]) -> dict[str, list[str]]:
    return {name: sorted(re.findall(r"\{\w+\}", text)) for name, text in words.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_a_language(browser: BrowserPage, tmp_path: Path, language: str) -> None:
    """Every word is there, with the same values; each screen fits on a phone."""
    words = json.loads(resource_text("ask/words.json"))
    assert set(words) == set(LANGUAGES)
    assert placeholders(words[language]) == placeholders(words["en"])
    page = ask(table(tmp_path, ROWS), language=language)
    opened(browser, tmp_path, page, width=390)
    assert browser.evaluate("document.documentElement.lang") == language
    own = words[language]
    assert own["voluntary"] in browser.evaluate("find('start').innerText")
    assert own["holds_seconds"] in browser.evaluate("find('start').innerText")
    browser.evaluate("find('begin').click()")
    expected = own["number"].format(number=1, shown=3)
    assert browser.evaluate("find('heading').textContent") == expected
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    browser.evaluate("find('stop').click()")
    expected = own["answered"].format(count=0, shown=3)
    assert browser.evaluate("find('answered').textContent") == expected
    assert browser.serious() == []
    one = ask(table(tmp_path, ROWS[:2]), language=language, post="https://a.example", token="x")
    start = re.sub(r"\s+", " ", html.unescape(one.partition('<section id="text"')[0]))
    for name in ("purpose_one", "reads_one", "holds_seconds_one", "nothing_post", "stays_post"):
        assert own[name].format(host="a.example") in start
    assert own["purpose"] not in start


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("id,text,question_1", "a,b c,d", "'question_1' but no column 'choices_1'"),
        ("id,text,choices_1", "a,b c,d", "'choices_1' but no column 'question_1'"),
        ("id,text,question1,choices_1", "a,b c,d,e", "a column 'question1'; columns of questions"),
        ("id,text,question_1,choices_1", "a,b c,d,", "record 1: choices_1 is empty"),
        ("id,text,question_1,choices_1", "a,b c,,*x|y", "record 1: question_1 is empty"),
        ("id,text,question_1,choices_1", "a,b c,d,x|y", "0 right answers, expected one"),
        ("id,text,question_1,choices_1", "a,b c,d,*x|*y", "2 right answers, expected one"),
        ("id,text,question_1,choices_1", "a,b c,d,*x", "1 choices, expected 2 to 20"),
        ("id,text,question_1,choices_1", "a,b c,d,*x||y", "an empty choice, or one twice"),
        ("id,text,question_1,choices_1", "a,b c,d,*x|y|y", "an empty choice, or one twice"),
        ("id,text", "a,b c\na,d e", "two texts with the id 'a'"),
        ("id,text", "a,", "record 1: the record has no"),
        ("id,text", "a,b c\n,d e", "record 2: the record has no 'id'"),
        ("id,words", "a,b", "no column that would hold pages"),
        ("id,text", "", "has no texts"),
        ("id,file", "a,missing.txt", "missing.txt"),
        ("id,file", "a,", "record 1: the record has no 'file'"),
    ],
)
def test_a_malformed_row_is_one_sentence(
    tmp_path: Path, header: str, row: str, message: str
) -> None:
    (tmp_path / "texts.csv").write_text(f"{header}\n{row}\n" if row else f"{header}\n", "utf-8")
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        ask(str(tmp_path / "texts.csv"))
    assert "\n" not in str(caught.value)


def test_files_and_folders_are_read_like_those_of_score(tmp_path: Path) -> None:
    texts, _ = read_study_texts(str(SAMPLES))
    assert [text.id for text in texts] == ["easy.html", "hard.html", "medium.html"]
    (tmp_path / "a.txt").write_text("You have flu.", "utf-8")
    (tmp_path / "b.html").write_text("<h1>Flu</h1><p>Rest &amp; drink.</p>", "utf-8")
    rows = [["id", "file", "question_1", "choices_1"], ["one", "a.txt", "q", "*x|y"]]
    texts, _ = read_study_texts(table(tmp_path, [*rows, ["two", "b.html", "", ""]]))
    assert [(text.id, len(text.questions)) for text in texts] == [("one", 1), ("two", 0)]
    assert texts[1].blocks == [("h1", "Flu"), ("p", "Rest & drink.")]
    lines = [
        json.dumps({"docno": "a", "text": "One two."}),
        json.dumps({"docno": "b", "text": "x"}),
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines), "utf-8")
    assert [text.id for text in read_study_texts(f"{tmp_path}/t.jsonl")[0]] == ["a", "b"]
    (tmp_path / "t.csv").write_bytes("id;text\na;Ein schöner Tag.\n".encode("windows-1252"))
    assert "schöner" in read_study_texts(f"{tmp_path}/t.csv")[0][0].blocks[0][1]


def test_the_digest_is_of_what_participants_see(tmp_path: Path) -> None:
    def digest(choices: str, text: str = "b c") -> str:
        rows = [["id", "text", "question_1", "choices_1"], ["a", text, "q", choices]]
        return study_digest(read_study_texts(table(tmp_path, rows))[0])

    assert digest("*x|y") == digest("x|*y")  # an author may correct the right answer
    assert digest("*x|y") != digest("*x|z")
    assert digest("*x|y") != digest("*x|y", "b d")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"token": "x"}, "add --post"),
        ({"post": "example.org", "token": "x"}, "--post is an address"),
        ({"post": "https://a/; script-src *", "token": "x"}, "--post is an address"),
        ({"post": "javascript:alert(1)", "token": "x"}, "--post is an address"),
        ({"post": "https://a/answers"}, "give --token"),
        ({"per_participant": 4}, "from 1 to 3"),
        ({"per_participant": 0}, "from 1 to 3"),
        ({"language": "tlh"}, "choose one of en, de, es, fr, nl"),
    ],
)
def test_options_that_cannot_be_are_refused(
    tmp_path: Path, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNDERSTANDABILITY_TOKEN", raising=False)
    with pytest.raises(OptionError, match=re.escape(message)):
        ask(table(tmp_path, ROWS), **options)


def test_the_command_refuses_to_replace_its_input(
    understand: Callable[..., Any], tmp_path: Path
) -> None:
    texts = table(tmp_path, ROWS)
    assert "written as .html" in understand("ask", texts, "-o", texts, status=2).stderr
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n", "utf-8")
    done = understand("ask", texts, "--consent", empty, "-o", tmp_path / "s.html", status=2)
    assert "is empty; expected a short text" in done.stderr
    assert not (tmp_path / "s.html").exists()
