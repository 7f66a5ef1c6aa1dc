"""Reports: what they say is right, complete, and safe whatever a page holds."""

import csv
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from lxml import etree, html
from tests.conftest import PANEL, SAMPLES, Run

from understandability.feature.batch import Batch
from understandability.model.bundle import load_bundle
from understandability.model.bundle_files import embedded_bundles
from understandability.model.readers import READERS
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_page, document_of_text
from understandability.text.document import Document
from understandability.text.page import Page
from understandability.writers.audit import Audit, AuditedPage, _location, sections_of
from understandability.writers.charts import box_plot, grade_chart, histogram, scale_chart
from understandability.writers.comparison import compare
from understandability.writers.explain import explain_document
from understandability.writers.explanation import Explanation
from understandability.writers.first_steps import REWRITE
from understandability.writers.hard_sentences import findings
from understandability.writers.levels import Reference, references
from understandability.writers.marks import ABBREVIATION, HARD, TERM, marked_blocks
from understandability.writers.page_report import page_report

HOSTILE = (
    b"<html><head><title>x</title><script>alert(1)</script></head><body>"
    b"<p>Take &lt;script&gt;alert(2)&lt;/script&gt; &lt;img src=x onerror=alert(3)&gt; daily. "
    b"&quot;&gt;&lt;svg onload=alert(4)&gt; infarction javascript:alert(5) and much more text "
    b"so that this paragraph is long enough to be taken for the content of the page.</p></body>"
)


NAMES = ("easy.html", "medium.html", "hard.html")
SCORER = Scorer()


def sample(name: str) -> Document:
    """The document of a sample page."""
    return document_of_page(Page(name, "", (SAMPLES / name).read_bytes()))


def explained(text: str) -> Explanation:
    """The explanation of a text."""
    return explain_document(document_of_text(text), SCORER)


@pytest.mark.slow
def test_marked_text_is_the_text_of_the_document() -> None:
    """Every piece stands in one sentence of one kept block, in order, under every policy."""
    page = Page("p", "", (SAMPLES / "medium.html").read_bytes())
    policies = [
        document_of_page(page, extractor=extractor, sentence_ends=policy)
        for extractor in ("naive", "boilerpipe", "justext")
        for policy in ("none", "force-period", "force-period-always")
    ]
    for document in (*map(sample, NAMES), *policies):
        blocks = marked_blocks(explain_document(document, SCORER, steps=False))
        shown = [
            piece
            for block in blocks
            for each in block.sentences
            for run in each.runs
            for piece in run.text.split()
        ]
        assert tuple(shown) == document.pieces
        assert len(blocks) == len(document.blocks)


@pytest.mark.usefixtures("every_plain_term")
def test_marks_by_hand() -> None:
    """Each kind of mark on the words that a writer would look at."""
    text = "The doctor saw a myocardial infarction. The SGLT dose is supraphysiological."
    explanation = explained(text)
    assert explanation.terms[0].plain == ("heart attack",)
    assert "say: heart attack" in page_report([explanation])
    (block,) = marked_blocks(explanation)
    marks = {run.text: (run.kind, run.note) for each in block.sentences for run in each.runs}
    assert marks["a myocardial infarction."] == (TERM, "say: heart attack")
    assert marks["SGLT"] == (ABBREVIATION, "")
    assert marks["supraphysiological."] == (HARD, "")
    assert marks["The doctor saw"] == ("", "")


def test_an_explanation_says_all() -> None:
    """Estimate, readers, sentences, words, steps, formulas; as JSON too, without NaN."""
    explanation = explain_document(sample("hard.html"), SCORER)
    data = explanation.to_json()
    json.dumps(data, allow_nan=False)
    assert data["estimate"]["difficulty"] == pytest.approx(explanation.estimate.difficulty)
    assert data["level"]["name"] in ("C1", "C2")
    assert [row["name"] for row in data["readers"]] == list(READERS)
    public = next(each for each in explanation.readers if each.name == "public")
    assert public.threshold == SCORER.settings.who.threshold
    assert public.p_understandable == pytest.approx(explanation.estimate.p_understandable)
    report = page_report([explanation])
    assert READERS["public"].description in report
    assert READERS["well-read"].description not in report  # on another scale
    assert f"model open@{data['settings']['bundle_checksum'][:12]}" in report
    assert {row["name"] for row in data["formulas"]} >= {"dale_chall", "smog"}
    above = {row["name"] for row in data["formulas"] if row["above_limit"]}
    assert "flesch_kincaid" in above
    assert len(data["hardest"]) == 5
    levels = [data["sentences"][number]["level"] for number in data["hardest"]]
    assert levels == sorted(levels, reverse=True)
    for offer in data["offers"]:
        assert offer["term"] in " ".join(data["pieces"][offer["first"] : offer["last"]])


def test_steps_gain_what_the_model_says_of_the_changed_text() -> None:
    """Largest first; the text without its hardest sentences is estimated here again."""
    document = sample("hard.html")
    explanation = explain_document(document, SCORER)
    steps = explanation.steps.steps
    assert 1 <= len(steps) <= 4
    points = [step.points for step in steps]
    assert points == sorted(points, reverse=True)
    for step in steps:
        assert step.difficulty == pytest.approx(explanation.estimate.difficulty - step.points)
    worst = set(explanation.hardest[:3])
    kept = [each for number, each in enumerate(document.sentences) if number not in worst]
    rest = document_of_text("\n\n".join(" ".join(each) for each in kept))
    (estimate,) = SCORER.estimates(Batch([rest]))
    for step in steps:
        if step.kind == REWRITE:  # among the three, or gains less
            assert step.difficulty == pytest.approx(estimate.difficulty, abs=1.0)


def test_all_steps_together_gain_more_than_the_first() -> None:
    """And the report says so if they gain more than the steps do apart."""
    explanation = explained((PANEL / "chlortalidone_trial_abstract.txt").read_text("utf-8"))
    points = [step.points for step in explanation.steps.steps]
    together = explanation.steps.together
    assert together is not None
    assert together.points > points[0]
    told = "That is more than these gains added up" in page_report([explanation])
    assert told == (together.points > sum(points))


def test_reasons_of_a_sentence_by_hand() -> None:
    text = (
        "The dose of the NSAID was carefully increased by the nurse until the swelling of the knee "
        "went away, and then it was slowly reduced to zero."
    )
    (sentence,) = explained(text).sentences
    assert "27 words long" in sentence.reasons
    assert "passive: “was carefully increased”" in sentence.reasons
    assert "passive: “was slowly reduced”" in sentence.reasons
    assert "NSAID is never explained" in sentence.reasons
    (short,) = explained("Rest until the knee feels well.").sentences
    assert short.reasons == ()


@pytest.mark.parametrize(
    ("text", "unexplained"),
    [
        ("The MRI showed it.", ["MRI"]),
        ("Magnetic resonance imaging (MRI) showed it. The MRI is loud.", []),
        ("An MRI (a scan with magnets) showed it.", []),
        ("THE MRI SHOWED A SMALL SHADOW", []),  # set in capitals, so nothing can be told
        ("Part II is for US readers.", []),
        ("The cancer is at stage IIIB now.", []),
        ("Two MRIs were done.", ["MRI"]),
    ],
)
def test_abbreviations_that_are_never_explained(text: str, unexplained: list[str]) -> None:
    """Brackets around it or after it explain it; everyday ones and numbers need none."""
    assert list(findings(Batch([document_of_text(text)])).abbreviations) == unexplained


def test_a_long_sentence_is_found_hard_and_a_short_one_has_no_level() -> None:
    """Fewer than five words tell no level."""
    text = "Call us. Comorbidities are imperative to optimise perioperatively."
    short, long = explained(text).sentences
    assert np.isnan(short.level)
    assert short.shade == 0
    assert long.level > 4
    assert long.shade >= 2


@pytest.mark.parametrize("name", sorted({*embedded_bundles()} - {"languages"}))
def test_each_bundle_has_references(name: str) -> None:
    """Where typical texts lie is computed with the bundle itself: run the script again if not."""
    kinds = references(load_bundle(name).checksum)
    assert len(kinds) == 4, "run scripts/train/report_references.py"
    for kind in kinds:
        assert list(kind.percentiles) == sorted(kind.percentiles)
    medians = [each.quartiles[1] for each in kinds]
    assert medians[-1] == max(medians), "papers are hardest"


def test_short_texts_are_warned_of() -> None:
    """A formula out of its range says so, and a report of a page without words."""
    explanation = explained("Rest well. Drink water.")
    smog = next(reading for reading in explanation.formulas if reading.name == "smog")
    assert "fewer than 100" in smog.warning
    assert "extrapolated" in smog.warning
    assert "There are no words in the text" in page_report([explained("...")])


@pytest.mark.usefixtures("every_plain_term")
def test_a_term_that_nothing_fits_is_said_in_plain_words() -> None:
    """In the list, at its mark and as data; where it fits elsewhere the list says that."""
    text = "She had a reducible hernia."
    explanation = explained(text)
    (term,) = (each for each in explanation.terms if each.term == "hernia")
    assert (term.plain, term.count, term.in_place) == (("bulge through a muscle wall",), 1, 0)
    assert all(each["texts"] == [] for each in explanation.to_json()["offers"])
    report = page_report([explanation])
    assert report.count("in plain words: bulge through a muscle wall") == 2
    assert "rewrite the sentence" in report
    terms = explained(f"{text} A hernia may hurt.").terms
    (term,) = (each for each in terms if each.term == "hernia")
    assert (term.count, term.in_place) == (2, 1)


def test_a_hostile_page_runs_nothing() -> None:
    """One script, ours; no handlers; no address but those within the report."""
    explanation = explain_document(
        document_of_page(Page("p<b>", "", HOSTILE, url="javascript:x")), SCORER
    )
    tree = html.fromstring(page_report([explanation]))
    assert len(tree.xpath("//script")) == 1
    assert tree.xpath("//@*[starts-with(name(), 'on')]") == []
    assert all(address.startswith("#") for address in tree.xpath("//@src|//@href"))


def test_the_report_is_well_formed() -> None:
    """Unique ids, labelled tables and regions, one title, headings that do not skip a level."""
    explanations = [explain_document(document, SCORER) for document in map(sample, NAMES)]
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


GERMAN = (
    b"<html lang=de><body><p>Die Grippe ist eine Krankheit, die durch Viren verursacht wird. "
    b"Sie sollten sich ausruhen und viel trinken, wenn Sie krank sind, und zum Arzt gehen."
)


DANISH = (
    b"<html lang=da><body><p>Influenza er en sygdom, som man bliver smittet med af en virus. "
    b"Du skal hvile dig og drikke meget, hvis du er syg, og tale med din egen l\xc3\xa6ge."
)


def test_a_page_in_a_language_without_a_model_is_not_estimated() -> None:
    """The report says why."""
    explanation = explain_document(document_of_page(Page("d", "", DANISH)), SCORER)
    assert np.isnan(explanation.estimate.p_understandable)
    assert "not_english" in explanation.estimate.flags
    assert explanation.readers == explanation.steps.steps == ()
    text = page_report([explanation])
    assert "This text is in Danish. No model estimates it" in text
    assert "Not estimated" in text


def test_a_page_in_another_language_is_estimated_and_not_described() -> None:
    """The report says what is left out; what can be counted is there all the same."""
    document = document_of_page(Page("d", "", GERMAN))
    explanation = explain_document(document, SCORER)
    (estimate,) = SCORER.estimates(Batch([document]))
    assert explanation.estimate.p_understandable == estimate.p_understandable > 0
    assert "not_english" in explanation.estimate.flags
    assert len(explanation.readers) == len(READERS)
    assert explanation.steps.steps == ()
    text = page_report([explanation])
    assert "This text is in German. Its sentences, terms and first steps are left out" in text
    assert "adults would understand it" in text
    assert "CEFR, for learners." in text
    assert explanation.terms == explanation.hard_words == explanation.misspelled == ()
    assert all(each.shade == 0 and np.isnan(each.level) for each in explanation.sentences)
    assert "Sentences by level" not in text
    assert "Passives" not in text
    assert "They were made for English" in text
    assert "Guides for health texts recommend" not in text
    assert "US grades</title>" not in text
    assert "What to do first" not in text
    everywhere = Scorer(replace(SCORER.settings, any_language=True))
    assert explain_document(document, everywhere).estimate.difficulty > 0


def test_a_page_of_which_little_was_kept_is_remarked() -> None:
    """Text that an extractor missed would make an estimate of something else."""
    link = b"<li><a href=x>Other pages</a></li>"
    text = b"<p>" + b"You have flu, should rest for a week, drink water, and not go to work. " * 5
    for links, remarked in ((1, False), (200, True)):
        page = Page("p", "", b"<body><ul>%b</ul>%b" % (link * links, text))
        report = page_report([explain_document(document_of_page(page), SCORER)])
        assert ("Less than a quarter of the page" in report) == remarked


@pytest.mark.slow
def test_an_endless_page_is_shown_in_part() -> None:
    """Counts are of all that is analysed; the report is no larger than a browser can show."""
    words = 21_000
    text = "ileus. " * (words - 1) + "a" * 1_000_000
    explanation = explained(text)
    assert explanation.words == words
    report = page_report([explanation])
    assert "this is its beginning" in report
    assert len(report) < 3_000_000
    blocks = b"".join(b"<div>A long block of text number %d.</div>" % i for i in range(3000))
    explanation = explain_document(document_of_page(Page("b", "", b"<body>" + blocks)), SCORER)
    assert "this is its beginning" in page_report([explanation])
    assert len(marked_blocks(explanation)) == 2000
    page = b"<title>%b</title><body><p>%b" % (b"b" * 1_000_000, b"a" * 1_000_000)
    longest = explain_document(document_of_page(Page("p", "", page), extractor="naive"), SCORER)
    assert longest.words == 2
    assert len(page_report([longest])) < 200_000


def test_a_comparison_tells_what_changed() -> None:
    """From hard to easy: easier, hard words gone, readings moved the right way, texts whole."""
    hard, easy = (explain_document(sample(name), SCORER) for name in ("hard.html", "easy.html"))
    comparison = compare(hard, easy)
    assert comparison.after.difficulty < comparison.before.difficulty
    assert "aldosterone" in comparison.hard_words_gone
    assert "aldosterone" not in comparison.hard_words_new
    now = {change.name: change.now for change in comparison.changes}
    assert now["Difficulty, 0 to 100"] == "easier"
    assert now["Flesch Reading Ease"] == "easier"
    assert now["Words"] == ""
    shown = [piece for each in comparison.new_text for run in each for piece in run.text.split()]
    bare = [piece.rstrip(".") for piece in easy.document.pieces]  # headings got a full stop
    assert [piece.rstrip(".") for piece in shown] == bare
    assert "points easier" in page_report([hard, easy], comparing=True)
    danish = explain_document(document_of_page(Page("d", "", DANISH)), SCORER)
    assert "not known" in page_report([danish, easy], comparing=True)
    same = compare(hard, hard)
    assert not any(change.now for change in same.changes)
    assert not any(run.is_changed for each in same.old_text for run in each)


@pytest.mark.parametrize(
    "chart",
    [
        scale_chart(25.0, 8.0, 40.0, [Reference("posts & <b>", tuple(range(5, 100, 5)))]),
        scale_chart(99.0, np.nan, 40.0, []),
        grade_chart([("SMOG", 9.5), ("ARI", np.nan)], 8.0),
        grade_chart([("SMOG", np.nan)], 8.0),
        histogram([1, 2, 50, np.nan, 120], "Difficulty"),
        histogram([], "Nothing"),
        box_plot([("a", [1, 2, 3]), ("b", [])], "Sentences"),
    ],
)
def test_charts_are_svg_with_a_text_alternative(chart: str) -> None:
    root = etree.fromstring(chart)
    name = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{name}title")
    assert root.findtext(f"{name}desc")
    assert root.get("role") == "img"


def test_the_command(understand: Run, tmp_path: Path) -> None:
    """One file from one page; the same as data; what cannot be read is told."""
    (tmp_path / "bad.html").write_bytes(b"")
    done = understand(
        "explain", SAMPLES / "easy.html", tmp_path / "bad.html", "-o", tmp_path / "r.html", status=0
    )
    assert "the file is empty" in done.stderr
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    done = understand("explain", SAMPLES / "easy.html", "--json")
    assert json.loads(done.stdout)["pages"][0]["docno"].endswith("easy.html")
    done = understand("explain", SAMPLES, "--compare", status=2)
    assert "--compare takes two pages, not 3" in done.stderr
    for name, told in (("r.docx", "is .html or .pdf"), ("r.html", "needs --crawl")):
        done = understand(
            "explain", SAMPLES / "easy.html", "-o", tmp_path / name, "--aim", "0.9", status=2
        )
        assert told in done.stderr


def test_the_audit_of_a_site(understand: Run, tmp_path: Path) -> None:
    """Share, sections, worst pages, method and limits: one page, and the same as CSV and JSON."""
    for name, section in (("easy", "flu"), ("medium", "heart"), ("hard", "heart")):
        folder = tmp_path / "in/a.example" / section
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.html").write_bytes((SAMPLES / f"{name}.html").read_bytes())
    (tmp_path / "in/a.example/flu/short.html").write_text("<p>Rest, and drink water.", "utf-8")
    (tmp_path / "in/empty.html").write_bytes(b"")
    run = f"{tmp_path}/run/"
    assert understand("score", tmp_path / "in", "-o", run, "--workers", "1").returncode == 0
    done = understand("explain", "--crawl", run, "-o", tmp_path / "r.html", status=0)
    tree = html.fromstring((tmp_path / "r.html").read_text("utf-8"))
    text = " ".join(tree.text_content().split())
    assert "How many pages of a.example are easy to understand?" in text
    assert "2 of 3 pages (67\xa0%) reach the target" in text.replace("67 %", "67\xa0%")
    assert "1 of fewer than 100 words" in text
    assert "The median page is understood by" in text
    assert "Of 3 pages, 2 (67" in text
    assert "quartiles" not in text  # of three pages
    assert "the file is empty" in text
    cells = "//section[@aria-labelledby='{}']//tbody/tr/{}/text()"
    assert tree.xpath(cells.format("sections", "th")) == ["a.example/heart", "a.example/flu"]
    assert tree.xpath(cells.format("worst", "th")) == ["a.example/heart/hard.html"]
    assert understand("explain", "--crawl", run, "-o", tmp_path / "r.csv").returncode == 0
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text("utf-8").splitlines()))
    shares = [(row["kind"], row["name"], row["share"]) for row in rows[:3]]
    assert shares == [
        ("site", "a.example", "0.6667"),
        ("section", "a.example/heart", "0.5"),
        ("section", "a.example/flu", "1.0"),
    ]
    assert [row["kind"] for row in rows[3:]] == ["page"] * 4
    done = understand("explain", "--crawl", run, "--json", "--aim", "0.9")
    data = json.loads(done.stdout)
    assert (data["@type"], data["@context"]) == ("Dataset", "https://schema.org")
    values = {each["name"]: each["value"] for each in data["variableMeasured"]}
    assert (values["aim"], values["pages"], values["reaching"]) == (0.9, 3, 1)
    for options in (["-o", tmp_path / "b.csv", "--json"], ["--aim", "2"], ["--compare"]):
        assert understand("explain", "--crawl", run, *options).returncode == 2
    done = understand("explain", status=2)
    assert "name pages to explain, or a crawl folder with --crawl" in done.stderr


def test_sections_of_places_that_look_like_addresses() -> None:
    assert _location("http://[x]]>/a", "") == ("http://[x]]>/a",)
    assert _location("7", "/home/me/c.warc#1") == ("c.warc",)
    assert _location("a.txt", "/home/me/a.txt") == ()
    assert sections_of([(), ()]) == ("", ["", ""])
    assert sections_of([]) == ("", [])


def test_the_share_of_adults_leads_and_the_level_of_language_contradicts_nothing() -> None:
    """The level has a sentence of its own, without a kind of texts that most people can read."""
    text = page_report([explained((PANEL / "organoid_grant_summary.txt").read_text("utf-8"))])
    assert re.search(r'class="headline">\d+\s% of adults would understand it<', text)
    assert re.search(r"The language is of level [ABC][12] \(", text)
    assert "newspaper" not in text


@pytest.mark.parametrize(
    ("shares", "headline"),
    [
        ([], "No page has enough text for an estimate."),
        ([0.2], "The page does not reach the target"),
        ([0.2, 0.3], "None of the 2 pages reaches the target"),
        ([0.9, 0.3], "1 of 2 pages (50\xa0%) reaches the target"),
        ([0.9, 0.8, 0.3], "2 of 3 pages (67\xa0%) reach the target"),
        ([0.9], "The page reaches the target"),
        ([0.9, 0.8], "All 2 pages reach the target"),
    ],
)
def test_the_headline_of_an_audit_is_true(shares: list[float], headline: str) -> None:
    """It never says of pages that miss the target that they are understood."""
    pages = [AuditedPage(str(n), "", "", share, 50.0, 200, "") for n, share in enumerate(shares)]
    settings = {"reader_description": "a typical adult of the general public"}
    audit = Audit("a.org", 0.8, settings, tuple(pages))
    assert audit.headline.startswith(headline)
    assert not shares or "(understood by at least 80\xa0% of adults)." in audit.headline


def test_a_comparison_aligns_sentences() -> None:
    """A heading keeps its form; a sentence is next to what it became, though it was cut in two."""
    before = "## Your scan\n\nRest well. You must fast for six hours and the nurse will call you."
    after = "## Your scan\n\nRest well. Do not eat for six hours. The nurse will call you. Sleep."
    texts = [explain_document(document_of_text(text), SCORER) for text in (before, after)]
    comparison = compare(*texts)
    assert comparison.rows[:2] == (((0,), (0,)), ((1,), (1,)))
    assert comparison.rows[2] == ((2,), (2, 3))
    assert comparison.rows[3] == ((), (4,))
    words = " ".join(run.text for run in comparison.old_text[0])
    assert words == "## Your scan"[-len(words) :]
    assert not words.endswith(".")
    changed = [run.text for run in comparison.new_text[3] if run.is_changed]
    assert "nurse will call" not in " ".join(changed)
    assert len(list(comparison.changed_rows)) == 2
