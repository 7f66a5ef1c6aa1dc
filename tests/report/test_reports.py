"""Reports: what they say is right, complete, and safe whatever a page holds."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from lxml import etree, html

from understandability.documents import document_of_page, document_of_text
from understandability.features import COLUMNS
from understandability.formats.sources import read_pages
from understandability.models.contributions import THEMES, Contribution, Contributions
from understandability.records import Document, Page
from understandability.report import compare, explain, page_report
from understandability.report.charts import Reference, box_plot, grade_chart, histogram, scale_chart
from understandability.report.crawl_report import site_of
from understandability.report.influences import influences
from understandability.report.lay_terms import lay_terms
from understandability.report.marks import KINDS, LONG, marked_blocks, marked_pieces
from understandability.report.page_report import references
from understandability.scoring import Scorer

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"
HOSTILE = (
    b"<html><head><title>x</title><script>alert(1)</script></head><body>"
    b"<p>Take &lt;script&gt;alert(2)&lt;/script&gt; &lt;img src=x onerror=alert(3)&gt; daily. "
    b"&quot;&gt;&lt;svg onload=alert(4)&gt; infarction javascript:alert(5) and much more text "
    b"so that this paragraph is long enough to be taken for the content of the page.</p></body>"
)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    """A scorer with the default settings."""
    return Scorer()


@pytest.fixture(scope="module")
def samples() -> dict[str, Document]:
    """The documents of the sample pages."""
    pages = [page for page in read_pages(SAMPLES) if isinstance(page, Page)]
    return {page.docno: document_of_page(page) for page in pages}


def test_marked_text_is_the_text_of_the_document(samples: dict[str, Document]) -> None:
    """Every piece stands in one sentence of one kept block, in order, under every policy."""
    page = Page("p", "", (SAMPLES / "medium.html").read_bytes())
    policies = [
        document_of_page(page, extractor=extractor, sentence_ends=policy)
        for extractor in ("naive", "boilerpipe", "justext")
        for policy in ("none", "force-period", "force-period-always")
    ]
    for document in (*samples.values(), *policies):
        blocks = marked_blocks(document, marked_pieces(document))
        shown = [
            piece.text for block in blocks for each in block.sentences for piece in each.pieces
        ]
        assert tuple(shown) == document.pieces
        assert len(blocks) == len(document.blocks)


def test_marks_by_hand() -> None:
    """Each kind of mark on the words that a reader would mark."""
    text = "The doctor saw cardiomyopathy. " + "We walk and we eat and we rest well " * 4 + "now."
    document = document_of_text(text)
    pieces = marked_pieces(document)
    marks = {piece.text: piece.kinds for piece in pieces}
    assert marks["cardiomyopathy."] == ("difficult", "polysyllable", "medical")
    assert marks["walk"] == ()
    (block,) = marked_blocks(document, pieces)
    assert [sentence.is_long for sentence in block.sentences] == [False, True]


def test_an_explanation_says_all(scorer: Scorer, samples: dict[str, Document]) -> None:
    """Estimate, formulas, marks, words that cost, features; as JSON too, without NaN."""
    explanation = explain(samples["hard.html"], scorer)
    data = explanation.to_json()
    json.dumps(data, allow_nan=False)
    assert data["estimate"]["difficulty"] == pytest.approx(explanation.estimate.difficulty)
    assert {reading["name"] for reading in data["formulas"]} >= {"dale_chall", "smog"}
    shown = {row["name"] for row in data["features"]}
    needs_nothing = {name for name, (row, _) in COLUMNS.items() if not row.needs}
    assert shown == {name for name in needs_nothing if not name.endswith("_readcalc")}
    assert set(data["marks"]) == set(KINDS)
    assert data["marks"][LONG] >= 5
    assert 1 <= len(data["costly_words"]) <= 20
    points = [word["points"] for word in data["costly_words"]]
    assert points == sorted(points, reverse=True)
    assert min(points) > 0
    above = {row["name"] for row in data["formulas"] if row["above_limit"]}
    assert "flesch_kincaid" in above


def test_what_moved_the_estimate(scorer: Scorer, samples: dict[str, Document]) -> None:
    """In words and in points, the most first; what is left out is less than half a point each."""
    explanation = explain(samples["hard.html"], scorer)
    moved = explanation.influences
    points = [each.points for each in moved]
    assert points == sorted(points, key=abs, reverse=True)
    assert any(each.wording.startswith("difficult words: harder by ") for each in moved)
    change = explanation.estimate.difficulty - explanation.typical_difficulty
    assert sum(points) == pytest.approx(change, abs=0.5 * len(THEMES))
    assert explanation.to_json()["influences"][0]["points"] == points[0]


@pytest.mark.parametrize(
    ("part", "wording", "detail"),
    [
        (
            Contribution("length of sentences", 6.2, 31.0, 18.0),
            "long sentences: harder by 6",
            "31 words each, 18 in a typical text",
        ),
        (
            Contribution("length of sentences", -0.5, 31.0, 18.0),
            "length of sentences: easier by 1",
            "31 words each, 18 in a typical text",
        ),
        (
            Contribution("length of sentences", -3, 18.1, 18.0),
            "length of sentences: easier by 3",
            "",
        ),
        (Contribution("markup", -3, np.nan, np.nan), "markup: easier by 3", ""),
        (Contribution("medical words", 3, np.nan, 0.1), "medical words: harder by 3", ""),
    ],
)
def test_a_theme_is_named_by_what_the_text_is_like(
    part: Contribution, wording: str, detail: str
) -> None:
    """Sentences are called long only where they are longer, and that made the page harder."""
    (found,) = influences(Contributions("d", 40.0, 40 + part.points, (part,)))
    assert (found.wording, found.detail) == (wording, detail)


def test_the_default_bundle_has_references(scorer: Scorer) -> None:
    """Where typical texts lie is computed with the bundle itself: run the script again if not."""
    kinds = references(scorer.bundle.checksum)
    assert len(kinds) == 4, "run scripts/train/report_references.py"
    assert all(0 <= each.low <= each.median <= each.high <= 100 for each in kinds)
    medians = [each.median for each in kinds]
    assert medians[0] == min(medians), "posts are easiest"
    assert medians[-1] == max(medians), "papers are hardest"


def test_short_texts_are_warned_of(scorer: Scorer) -> None:
    """A formula out of its range says so."""
    explanation = explain(document_of_text("Rest well. Drink water."), scorer)
    smog = next(reading for reading in explanation.formulas if reading.name == "smog")
    assert "fewer than 100" in smog.warning
    assert "extrapolated" in smog.warning


def test_lay_terms_are_offered(scorer: Scorer) -> None:
    """An expert's term comes with the consumer's."""
    explanation = explain(document_of_text("He had a myocardial infarction last year."), scorer)
    assert "heart attack" in {word.lay_term for word in explanation.costly_words}
    assert "readers say: heart attack" in page_report([explanation])


def test_lay_terms_come_from_the_consumer_health_vocabulary(lexicons: Path) -> None:
    """Where it is installed, for what the project's own list lacks; the report says how."""
    document = document_of_text("She had cephalalgia, then epistaxis and myocardial infarction.")
    offered = {piece.term: piece.lay_term for piece in marked_pieces(document) if piece.term}
    assert offered == {
        "cephalalgia": "headache",
        "epistaxis": "nosebleed",
        "myocardial infarction": "heart attack",
    }
    assert "Consumer Health Vocabulary" in lay_terms().source


def test_a_site_is_found_in_any_identifier() -> None:
    """Even in one that is no address though it looks like one."""
    assert site_of("http://[x]]>/a", "") == "http://[x]]>/a"


def test_references_and_letters_are_not_costly_words(scorer: Scorer) -> None:
    """What no writer can say otherwise is not in the list of words to replace."""
    document = document_of_text("See http://a.example/b and p 0.05 of thrombolysis, b and c. " * 9)
    assert [word.word for word in explain(document, scorer).costly_words] == ["thrombolysis"]


class Scripts(HTMLParser):
    """Counts what could run in a report."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.handlers: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href")]


def test_a_hostile_page_runs_nothing(scorer: Scorer) -> None:
    """One script, ours; no handlers; no address but those within the report."""
    explanation = explain(document_of_page(Page("p<b>", "", HOSTILE, url="javascript:x")), scorer)
    seen = Scripts()
    seen.feed(page_report([explanation]))
    assert seen.scripts == 1
    assert seen.handlers == []
    assert all(address.startswith("#") for address in seen.addresses)


def test_the_report_is_well_formed(scorer: Scorer, samples: dict[str, Document]) -> None:
    """Unique ids, labelled tables and regions, one title, headings that do not skip a level."""
    explanations = [explain(document, scorer) for document in samples.values()]
    tree = html.fromstring(page_report(explanations))
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    for label in tree.xpath("//@aria-labelledby"):
        assert label in ids
    levels = [int(heading.tag[1]) for heading in tree.xpath("//h1|//h2|//h3")]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tree.xpath("//th[not(@scope)]") == []
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page_report(explanations[:1]))


def test_a_page_without_words_is_explained(scorer: Scorer) -> None:
    """The report says that nothing can be said."""
    text = page_report([explain(document_of_text("..."), scorer)])
    assert "There are no words in the text" in text


GERMAN = (
    b"<html lang=de><body><p>Die Grippe ist eine Krankheit, die durch Viren verursacht wird. "
    b"Sie sollten sich ausruhen und viel trinken, wenn Sie krank sind, und zum Arzt gehen."
)


def test_a_page_in_another_language_is_not_estimated(scorer: Scorer) -> None:
    """The report says why; what can be counted is there all the same."""
    document = document_of_page(Page("d", "", GERMAN))
    explanation = explain(document, scorer)
    assert np.isnan(explanation.estimate.p_understandable)
    assert "not_english" in explanation.estimate.flags
    assert explanation.costly_words == explanation.influences == ()
    text = page_report([explanation])
    assert "The page is not in English" in text
    assert "What moved the estimate" not in text
    everywhere = Scorer(replace(scorer.settings, any_language=True))
    assert explain(document, everywhere).estimate.difficulty > 0


def test_a_page_of_which_little_was_kept_is_remarked(scorer: Scorer) -> None:
    """Text that an extractor missed would make an estimate of something else."""
    link = b"<li><a href=x>Other pages</a></li>"
    text = b"<p>" + b"You have flu, should rest for a week, drink water, and not go to work. " * 5
    for links, remarked in ((1, False), (200, True)):
        page = Page("p", "", b"<body><ul>%b</ul>%b" % (link * links, text))
        report = page_report([explain(document_of_page(page), scorer)])
        assert ("Less than a quarter of the page" in report) == remarked


def test_an_endless_page_is_shown_in_part(scorer: Scorer) -> None:
    """Counts are of all that is analysed; the report is no larger than a browser can show."""
    words = 24_000
    text = "icterus " * (words - 1) + "a" * 1_000_000
    explanation = explain(document_of_text(text), scorer)
    assert explanation.words == explanation.mark_counts["difficult"] == words
    assert explanation.is_cut
    report = page_report([explanation])
    assert "this is its beginning" in report
    assert len(report) < 3_000_000
    blocks = b"".join(b"<div>A long block of text number %d.</div>" % i for i in range(3000))
    explanation = explain(document_of_page(Page("b", "", b"<body>" + blocks)), scorer)
    assert explanation.is_cut
    assert len(explanation.blocks) == 2000
    page = b"<title>%b</title><body><p>%b" % (b"b" * 1_000_000, b"a" * 1_000_000)
    longest = explain(document_of_page(Page("p", "", page), extractor="naive"), scorer)
    assert longest.words == 2
    assert len(page_report([longest])) < 200_000


def test_a_comparison_tells_what_changed(scorer: Scorer, samples: dict[str, Document]) -> None:
    """From hard to easy: easier, hard words gone, features moved the right way."""
    hard, easy = (explain(samples[name], scorer) for name in ("hard.html", "easy.html"))
    comparison = compare(hard, easy)
    assert comparison.after.difficulty < comparison.before.difficulty
    assert "aldosterone" in comparison.hard_words_gone
    assert "aldosterone" not in comparison.hard_words_new
    moved = {move.name: move.now for move in comparison.moved}
    assert moved["dale_chall"] == "easier"
    assert moved["flesch_reading_ease"] == "easier"
    assert "points easier" in page_report([hard, easy], comparing=True)
    assert not compare(hard, hard).moved


@pytest.mark.parametrize(
    "chart",
    [
        scale_chart(25.0, 8.0, 40.0, [Reference("posts & <b>", 10, 20, 30)]),
        scale_chart(99.0, np.nan, 40.0, []),
        grade_chart([("SMOG", 9.5), ("ARI", np.nan)], 8.0),
        grade_chart([("SMOG", np.nan)], 8.0),
        histogram([1, 2, 50, np.nan, 120], "Difficulty"),
        histogram([], "Nothing"),
        box_plot([("a", [1, 2, 3]), ("b", [])], "Sentences"),
    ],
)
def test_charts_are_svg_with_a_text_alternative(chart: str) -> None:
    """Well-formed XML with a title and a description."""
    root = etree.fromstring(chart)
    name = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{name}title")
    assert root.findtext(f"{name}desc")
    assert root.get("role") == "img"


def test_the_command(understand, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """One file from one page; the same as data; what cannot be read is told."""
    (tmp_path / "bad.html").write_bytes(b"")
    done = understand(
        "explain", SAMPLES / "easy.html", tmp_path / "bad.html", "-o", tmp_path / "r.html"
    )
    assert done.returncode == 0, done.stderr
    assert "the file is empty" in done.stderr
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    done = understand("explain", SAMPLES / "easy.html", "--json")
    assert json.loads(done.stdout)["pages"][0]["docno"].endswith("easy.html")
    done = understand("explain", SAMPLES, "--compare")
    assert done.returncode == 2
    assert "--compare takes two pages, not 3" in done.stderr


def test_the_report_of_a_crawl(understand, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Distribution, sites, errors, extremes, and the methods side by side."""
    (tmp_path / "in/a.example").mkdir(parents=True)
    for name in ("easy", "medium", "hard"):
        page = (SAMPLES / f"{name}.html").read_bytes()
        (tmp_path / "in/a.example" / f"{name}.html").write_bytes(page)
    (tmp_path / "in/empty.html").write_bytes(b"")
    run = f"{tmp_path}/run/"
    assert understand("score", tmp_path / "in", "-o", run, "--workers", "1").returncode == 0
    done = understand("explain", "--run", run, "-o", tmp_path / "r.html", "--sample", "3")
    assert done.returncode == 0, done.stderr
    tree = html.fromstring((tmp_path / "r.html").read_text("utf-8"))
    text = tree.text_content()
    assert "3 documents scored, 1 errors" in text
    assert "a.example" in text
    assert "the file is empty" in text
    easiest = tree.xpath("//section[@aria-labelledby='easiest']//tbody/tr/th/text()")
    assert easiest == [f"a.example/{name}.html" for name in ("easy", "medium", "hard")]
    methods = tree.xpath("//section[@aria-labelledby='methods']//tbody/tr/th/text()")
    assert len(methods) == 9
    done = understand("explain", "--run", run, "--json")
    assert done.returncode == 2
    assert "leave out --json" in done.stderr
    done = understand("explain")
    assert done.returncode == 2
    assert "name pages to explain, or a crawl folder with --run" in done.stderr
