"""Write explanations as one HTML file, which loads nothing and is safe whatever a page contains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from understandability.model.readers import READERS
from understandability.text.document import Document
from understandability.text.other_languages import LANGUAGES
from understandability.text.stop_words import STOP_LISTS
from understandability.writers.charts import grade_chart, scale_chart
from understandability.writers.comparison import compare
from understandability.writers.explanation import GRADE_LIMIT, Explanation
from understandability.writers.levels import AIM, LEVELS, level_of, references
from understandability.writers.marks import KINDS, beginning, marked_blocks
from understandability.writers.templates import model_of, percent, render

_SHOWN_WORDS = 40  # the rest is folded away


def page_report(explanations: Sequence[Explanation], *, comparing: bool = False) -> str:
    """Return the report of one or more pages as one HTML file.

    With `comparing`, the report shows the changes from the first page to the second.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.writers.explain import explain_document
    >>> from understandability.scoring import Scorer
    >>> page_report([explain_document(document_of_text("Rest well."), Scorer())])[:15]
    '<!DOCTYPE html>'
    """
    settings = explanations[0].settings
    made_by = (
        f"Made by {model_of(settings)}, extraction {settings['extractor']} with "
        f"{settings['sentence_ends']}."
    )
    pages = [_page(explanation) for explanation in explanations]
    if comparing:
        comparison = compare(*explanations)
        if pages[0]["name"] == pages[1]["name"]:  # two versions of a file
            pages = [{**page, "name": page["full"]} for page in pages]
        return render(
            "comparison.html.jinja",
            heading="Before and after",
            made_by=made_by,
            pages=pages,
            comparison=comparison,
            rows=list(comparison.changed_rows),
        )
    texts = "is this text" if len(pages) == 1 else f"are these {len(pages)} texts"
    return render(
        "page.html.jinja",
        heading=f"How hard {texts}?",
        made_by=made_by,
        pages=pages,
        aim=AIM,
        shown_words=_SHOWN_WORDS,
        legend=KINDS,
        scale=LEVELS[1:],
    )


def _page(explanation: Explanation) -> dict[str, Any]:
    from markupsafe import Markup

    document, estimate = explanation.document, explanation.estimate
    share = estimate.p_understandable
    settings = explanation.settings
    is_known = not math.isnan(estimate.difficulty)
    is_foreign = "not_english" in explanation.remarks
    blocks = marked_blocks(explanation)
    shown_words = sum(len(run.text.split()) for block in blocks
                for sentence in block.sentences for run in sentence.runs)  # fmt: skip
    # The formula shows its warning next to it.
    flags = [flag for flag in explanation.remarks if not flag.endswith("_extrapolated")]
    pieces, passives = document.pieces, explanation.findings.passives
    scale, grades = "", [(f.title, f.value) for f in explanation.formulas if f.unit == "grade"]
    if is_known:
        known_references = () if is_foreign else references(settings["bundle_checksum"])
        scale = scale_chart(
            estimate.difficulty, estimate.spread, settings["threshold"], known_references
        )
    return {
        "found": explanation,
        "name": beginning(document.title or document.docno),
        "where": _where(document),
        "full": beginning(document.url or "/".join(Path(document.path or "").parts[-2:]))
        or beginning(document.docno),
        "remarks": [
            _not_english(document.language or "", is_known)
            if flag == "not_english"
            else _REMARKS.get(flag, flag.replace("_", " "))
            for flag in flags
        ],
        "flags": [flag.replace("_", " ") for flag in flags],
        "known": is_known,
        "foreign": is_foreign,
        "level": level_of(estimate.level),
        "share": "" if math.isnan(share) else percent(share),
        "width": "0" if math.isnan(share) else f"{100 * share:.0f}",
        "reader": settings["reader_description"],
        "who": "adults" if settings["reader"] in (None, "public") else "such readers",
        "difficulty": f"{estimate.difficulty:.0f}" if is_known else "not known",
        "is_reached": estimate.p_understandable >= AIM,
        # Charts escape the texts that they show.
        "scale_chart": Markup(scale),
        "readers": [
            reader
            for reader in explanation.readers  # chances of another scale cannot be compared
            if READERS[reader.name].scale_of(settings["scale"]) == settings["scale"]
        ],
        "hardest": [
            (
                level_of(sentence.level),
                beginning(" ".join(pieces[sentence.first : sentence.last])),
                sentence,
            )
            for sentence in (explanation.sentences[number] for number in explanation.hardest)
        ],
        "steps": explanation.steps.steps,
        "passive": " ".join(pieces[slice(*passives[0])]).rstrip(".,;:") if passives else "",
        "blocks": blocks,
        "is_cut": shown_words < len(pieces) or len(blocks) < len(document.blocks),
        "grade_chart": Markup(grade_chart(grades, GRADE_LIMIT)),
        # Grades exist for English formulas only.
        "grade_limit": None if is_foreign else GRADE_LIMIT,
    }


def _where(document: Document) -> str:
    """Return the address of a page, or the path of a file unless its name is the title."""
    where = document.url or document.path or document.docno
    is_said = not document.url and Path(where).name == (document.title or document.docno)
    return beginning(document.title or document.docno) if is_said else beginning(where)


_REMARKS = {
    "no_words": "There are no words in the text, so there is nothing to report.",
    "little_kept": (
        "Less than a quarter of the page's words were taken as its text. Look at what was left "
        "out, below the marked text; another --extractor may do better."
    ),
    "few_sentences": "There are hardly any sentences: the estimate is a guess.",
    "unlike_judged": (
        "The text is unlike any that the model learned from; be careful with the estimate."
    ),
    "cut_sentences": "Many sentences are cut where none can end: the estimate is less certain.",
    "words_without_order": "The words do not follow each other as in text: this is less certain.",
    "repeated": "Much of the text is repeated; repeated sentences are read once.",
    "two_languages": "Part of the text is in another language: the estimate is less certain.",
}


def _not_english(tag: str, is_known: bool) -> str:
    if tag in LANGUAGES and is_known:
        left_out = "Its sentences, terms and first steps are left out: the report describes them"
        return f"This text is in {LANGUAGES[tag].name}. {left_out} in English texts only."
    name = STOP_LISTS.get(tag, "another language").replace("_", " ")
    return f"This text is in {name}. No model estimates it, and this report knows English only."
