"""Explanations as one HTML file that needs no network, and is safe whatever a page holds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from understandability.report.charts import Reference, grade_chart, scale_chart
from understandability.report.comparison import PageComparison, compare
from understandability.report.explanation import GRADE_LIMIT, Explanation
from understandability.report.marks import KINDS, beginning
from understandability.report.rendering import number, percent, render
from understandability.storage.resources import resource_text


def page_report(explanations: Sequence[Explanation], *, comparing: bool = False) -> str:
    """The report of one page or several, as the text of one HTML file.

    `comparing` tells what changed from the first to the second.

    >>> from understandability.documents import document_of_text
    >>> from understandability.report import explain
    >>> from understandability.scoring import Scorer
    >>> page_report([explain(document_of_text("Rest well."), Scorer())])[:15]
    '<!DOCTYPE html>'
    """
    pages = [_page(explanation) for explanation in explanations]
    comparison: Mapping[str, Any] | None = None
    if comparing:
        comparison = _comparison(compare(*explanations))
    if comparing:
        heading = "Before and after"
    elif len(pages) > 1:
        heading = f"How hard are these {len(pages)} pages to understand?"
    else:
        heading = "How hard is this page to understand?"
    settings = explanations[0].settings
    return render(
        "page.html.jinja",
        heading=heading,
        pages=pages,
        comparison=comparison,
        made_by=(
            f"Made by understandability {settings['understandability']}, bundle "
            f"{settings['bundle']} ({settings['bundle_licence']}), extraction "
            f"{settings['extractor']} with {settings['sentence_ends']}."
        ),
    )


def references(checksum: str) -> tuple[Reference, ...]:
    """Where typical texts lie on the scale of the bundle of that checksum; () if not known.

    >>> references("that of a bundle of my own")
    ()
    """
    rows = json.loads(resource_text("report/references.json"))
    return tuple(
        Reference(row["name"], *row["quartiles"]) for row in rows.get(checksum, {}).get("texts", [])
    )


def _page(explanation: Explanation) -> dict[str, Any]:
    from markupsafe import Markup

    document, estimate = explanation.document, explanation.estimate
    settings = explanation.settings
    known = not math.isnan(estimate.difficulty)
    typical = references(settings["bundle_checksum"])
    return {
        "name": beginning(document.title or document.docno),
        "where": beginning(document.url or document.source or document.docno),
        "remarks": [_REMARKS.get(flag, flag.replace("_", " ")) for flag in explanation.remarks],
        "estimated": known,
        "chance": percent(estimate.p_understandable) if known else "",
        "difficulty": f"{estimate.difficulty:.0f}" if known else "not known",
        "spread": f"{estimate.spread:.0f}" if estimate.spread > 0 else "",
        "threshold": f"{settings['threshold']:g}",
        # Charts escape the texts that they show.
        "scale_chart": Markup(
            scale_chart(estimate.difficulty, estimate.spread, settings["threshold"], typical)
            if known
            else ""
        ),
        "references": (
            "Bars are the middle half of texts of each kind, estimated by the same bundle."
            if typical
            else "Where typical texts lie is not known for this bundle."
        ),
        "words": explanation.words,
        "sentences": explanation.sentences,
        "how": f"Read as {document.extractor} text, encoding {document.encoding}.",
        "influences": explanation.influences,
        "typical_difficulty": explanation.typical_difficulty,
        "costly_words": explanation.costly_words,
        "lay_source": explanation.lay_source,
        "legend": [(kind, KINDS[kind], explanation.mark_counts[kind]) for kind in KINDS],
        "blocks": explanation.blocks,
        "is_cut": explanation.is_cut,
        "dropped": [block for block in explanation.blocks if not block.kept],
        "formulas": explanation.formulas,
        "grade_chart": Markup(
            grade_chart(
                [(each.title, each.value) for each in explanation.formulas if each.unit == "grade"],
                GRADE_LIMIT,
            )
        ),
        "grade_limit": GRADE_LIMIT,
        "features": explanation.features,
    }


_REMARKS = {
    "no_words": "There are no words in the text, so nothing can be said of it.",
    "not_english": "The page is not in English; the figures below do not hold for it.",
    "little_kept": (
        "Less than a quarter of the page's words was taken for its text. Look at what was left "
        "out, below the marked text; another --extractor may do better."
    ),
    "smog_extrapolated": "The text has fewer than 30 sentences: SMOG is extrapolated.",
    "forcast_extrapolated": "The text has fewer than 150 words: FORCAST is extrapolated.",
}


def _comparison(comparison: PageComparison) -> dict[str, Any]:
    before, after = comparison.before, comparison.after
    change = after.difficulty - before.difficulty
    return {
        "before": number(before.difficulty),
        "after": number(after.difficulty),
        "change": f"{abs(change):.1f} points {'harder' if change > 0 else 'easier'}",
        "chance_before": percent(before.p_understandable),
        "chance_after": percent(after.p_understandable),
        "gone": comparison.hard_words_gone,
        "new": comparison.hard_words_new,
        "moved": comparison.moved,
    }
