"""Explanations as one HTML file that needs no network, and is safe whatever a page holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from understandability.model.readers import READERS
from understandability.text.language_guess import STOP_LISTS
from understandability.text.other_languages import LANGUAGES
from understandability.wording import counted
from understandability.writers.charts import grade_chart, scale_chart
from understandability.writers.comparison import EASIER, HARDER, PageComparison, compare, folded
from understandability.writers.explanation import GRADE_LIMIT, Explanation
from understandability.writers.levels import AIM, LEVELS, level_of
from understandability.writers.marks import KINDS, beginning, marked_blocks
from understandability.writers.references import references
from understandability.writers.rendering import percent, render

_SHOWN_WORDS = 40  # the rest is folded away


def page_report(explanations: Sequence[Explanation], *, comparing: bool = False) -> str:
    """The report of one page or several, as the text of one HTML file.

    `comparing` tells instead what changed from the first to the second.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.writers.explanation import explain
    >>> from understandability.scoring import Scorer
    >>> page_report([explain(document_of_text("Rest well."), Scorer())])[:15]
    '<!DOCTYPE html>'
    """
    settings = explanations[0].settings
    made_by = (
        f"Made by understandability {settings['understandability']}, model {settings['bundle']}@"
        f"{settings['bundle_checksum'][:12]}, extraction {settings['extractor']} with "
        f"{settings['sentence_ends']}."
    )
    pages = [_page(explanation) for explanation in explanations]
    if comparing:
        return render(
            "comparison.html.jinja",
            heading="Before and after",
            made_by=made_by,
            pages=pages,
            **_comparison(compare(*explanations)),
        )
    texts = "is this text" if len(pages) == 1 else f"are these {len(pages)} texts"
    return render("page.html.jinja", heading=f"How hard {texts}?", made_by=made_by, pages=pages)


def _page(explanation: Explanation) -> dict[str, Any]:
    from markupsafe import Markup

    document, estimate = explanation.document, explanation.estimate
    settings = explanation.settings
    known = not math.isnan(estimate.difficulty)
    blocks = marked_blocks(explanation)
    shown = sum(len(run.text.split()) for block in blocks
                for each in block.sentences for run in each.runs)  # fmt: skip
    # What is extrapolated stands beside the formula.
    flags = [flag for flag in explanation.remarks if not flag.endswith("_extrapolated")]
    together = explanation.steps.together
    pieces, passives = document.pieces, explanation.findings.passives
    return {
        "name": beginning(document.title or document.docno),
        "where": beginning(document.url or document.path or document.docno),
        "remarks": [
            _not_english(document.language or "")
            if flag == "not_english"
            else _REMARKS.get(flag, flag.replace("_", " "))
            for flag in flags
        ],
        "flags": [flag.replace("_", " ") for flag in flags],
        "estimated": known,
        "level": level_of(estimate.level),
        "reader": settings["reader_description"],
        "chance": percent(estimate.p_understandable),
        "difficulty": f"{estimate.difficulty:.0f}" if known else "not known",
        "spread": f"{estimate.spread:.0f}" if estimate.spread > 0 else "",
        "range": " to ".join(f"{each:.0f}" for each in explanation.range) if known else "",
        "aim": percent(AIM),
        "is_reached": estimate.p_understandable >= AIM,
        "place": explanation.place,
        # Charts escape the texts that they show.
        "scale_chart": Markup(
            scale_chart(
                estimate.difficulty,
                estimate.spread,
                settings["threshold"],
                references(settings["bundle_checksum"]),
            )
            if known
            else ""
        ),
        "readers": [
            (each.description, percent(each.p_understandable), round(each.missing))
            for each in explanation.readers  # chances of another scale cannot be compared
            if READERS[each.name].scale_of(settings["scale"]) == settings["scale"]
        ],
        "words": explanation.words,
        "sentence_count": len(explanation.sentences),
        "how": f"Read as {document.extractor} text, encoding {document.encoding}.",
        "hardest": [
            (
                level_of(each.level),
                beginning(" ".join(pieces[each.first : each.last])),
                each.reasons,
            )
            for each in (explanation.sentences[place] for place in explanation.hardest)
        ],
        "steps": [
            (step.action, step.how, _points(step.points), f"{step.difficulty:.0f}")
            for step in explanation.steps.steps
        ],
        "together": (
            (
                _points(together.points),
                f"{together.difficulty:.0f}",
                percent(together.p_understandable),
                together.points > sum(step.points for step in explanation.steps.steps),
            )
            if together
            else None
        ),
        "terms": explanation.terms,
        "shown_words": _SHOWN_WORDS,
        "hard_words": explanation.hard_words,
        "misspelled": explanation.misspelled,
        "abbreviations": explanation.abbreviations,
        "passives": len(passives),
        "passive": " ".join(pieces[slice(*passives[0])]).rstrip(".,;:") if passives else "",
        "long_sentences": explanation.long_sentences,
        "structure": explanation.structure,
        "legend": KINDS,
        "scale": LEVELS[1:],
        "blocks": blocks,
        "is_cut": shown < len(pieces) or len(blocks) < len(document.blocks),
        "dropped": [block for block in blocks if not block.kept],
        "formulas": explanation.formulas,
        "grade_chart": Markup(
            grade_chart(
                [(each.title, each.value) for each in explanation.formulas if each.unit == "grade"],
                GRADE_LIMIT,
            )
        ),
        # Grades are those of English formulas.
        "grade_limit": None if "not_english" in explanation.remarks else GRADE_LIMIT,
    }


def _points(points: float) -> str:
    """A fall in difficulty in words."""
    whole = round(points)
    return f"{counted(whole, 'point')} easier" if whole else "less than 1 point easier"


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


def _not_english(tag: str) -> str:
    if tag in LANGUAGES:
        who = "`understand score` estimates it; t" if LANGUAGES[tag].frequencies else ""
        name = LANGUAGES[tag].name
    else:
        who, name = "", STOP_LISTS.get(tag, "another language").replace("_", " ")
    return f"This text is in {name}. {who or 'T'}his report knows English only."


def _comparison(comparison: PageComparison) -> dict[str, Any]:
    before, after = comparison.before, comparison.after
    change = after.difficulty - before.difficulty
    return {
        "change": (
            f"{counted(round(abs(change)), 'point')} {HARDER if change > 0 else EASIER}"
            if round(abs(change))
            else "as hard as before"
        ),
        "chances": (percent(before.p_understandable), percent(after.p_understandable)),
        "gone": comparison.hard_words_gone,
        "new": comparison.hard_words_new,
        "changes": comparison.changes,
        "texts": [list(folded(text)) for text in (comparison.old_text, comparison.new_text)],
    }
