"""Measure the benefit of the editor's advice: P(U|d) of twelve hard leaflets before and after.

    python -m scripts.evaluate.leaflets [--show]

A language model wrote the leaflets in `tests/leaflets/before` for the project. *Clicks alone*
applies the best proposal for each sentence until there are no more, and then each offer that does
not make the text harder. *A writer*, another language model, followed the advice of the editor
(`after`), and a second reader corrected the result.
"""

from pathlib import Path

from scripts.shared import ROOT, markdown, parser_of

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.writers.hard_sentences import findings
from understandability.writers.levels import AIM
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import offers
from understandability.writers.proposals import proposals
from understandability.writers.sentence_edits import rebuilt, replaced, spans

FOLDER = ROOT / "tests" / "leaflets"
_ROUNDS = 3
_GAIN = 0.15


def followed(document: Document, scorer: Scorer) -> Document:
    """Apply the best proposal for each sentence, for up to three rounds, and then the offers.

    The writer keeps a change only if it does not lower P(U|d).
    """
    english = english_of(document.pieces)
    before = chance(document, scorer)
    for _ in range(_ROUNDS):
        is_changed = False
        for number in reversed(range(len(document.sentence_starts))):
            batch = Batch([document])
            issues, (offered,) = findings(batch), offers(batch, english)
            best = proposals(document, number, issues, offered, scorer, english)[:1]
            if not best:
                continue
            sentences = [[[*document.pieces[first:last]]] for first, last in spans(document)]
            sentences[number] = [[*pieces] for pieces in document_of_text(best[0].text).sentences]
            new = rebuilt(document, sentences)
            after = chance(new, scorer)
            if after >= before:
                document, before, is_changed = new, after, True
        if not is_changed:
            break
    for is_bracket in (False, True):
        document = clicked(document, scorer, english, is_bracket=is_bracket)
    return document


def chance(document: Document, scorer: Scorer) -> float:
    """Estimate P(U|d)."""
    return scorer.estimates(Batch([document]))[0].p_understandable


def clicked(document: Document, scorer: Scorer, english: str, *, is_bracket: bool) -> Document:
    """Apply the plain terms, or the explanations in brackets, that do not make the text harder."""
    (offered,) = offers(Batch([document]), english)
    clicks = {}
    for offer in offered:
        text = offer.in_brackets if is_bracket else (offer.texts or ("",))[0]
        if text and offer.marked:
            clicks[offer.first] = (offer.last, text)
    accepted: dict[int, tuple[int, str]] = {}
    before = scorer.estimates(Batch([document]))[0].p_understandable
    for first, change in sorted(clicks.items()):
        after = scorer.estimates(Batch([with_clicks(document, {**accepted, first: change})]))[0]
        if after.p_understandable >= before:
            accepted[first], before = change, after.p_understandable
    return with_clicks(document, accepted)


def with_clicks(document: Document, clicks: dict[int, tuple[int, str]]) -> Document:
    """Return the document with some of its pieces replaced."""
    return rebuilt(
        document,
        [[replaced(document.pieces[first:last], first, clicks)] for first, last in spans(document)],
    )


def main() -> None:
    """Print the table in Markdown."""
    parser = parser_of(__doc__, data=False)
    parser.add_argument("--show", action="store_true", help="print the texts too")
    chosen = parser.parse_args()
    scorer, reached, rows = Scorer(), 0, []
    gained = clicked_to = 0
    names = sorted(path.name for path in (FOLDER / "before").iterdir())
    for name in names:
        before, after = (
            document_of_text((FOLDER / part / name).read_text("utf-8"))
            for part in ("before", "after")
        )
        by_clicks = followed(before, scorer)
        estimates = scorer.estimates(Batch([before, by_clicks, after]))
        chances = [estimate.p_understandable for estimate in estimates]
        reached += chances[-1] >= AIM
        gained += chances[1] >= chances[0] + _GAIN
        clicked_to += chances[1] >= AIM
        rows.append([Path(name).stem, *(f"{chance:.2f}" for chance in chances)])
        if chosen.show:
            print(" ".join(by_clicks.pieces) + "\n")
    print(markdown(["leaflet", "before", "clicks alone", "a writer"], rows))
    print(f"Clicks alone: {gained} gain {_GAIN} or more, {clicked_to} reach P >= {AIM}.")
    print(f"Of {len(names)}, {reached} reach P >= {AIM} by a writer.")


if __name__ == "__main__":
    main()
