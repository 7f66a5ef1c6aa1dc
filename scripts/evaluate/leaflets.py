"""Measure the benefit of the editor's advice: P(U|d) of twelve hard leaflets before and after.

    python -m scripts.evaluate.leaflets [--show]

A language model wrote the leaflets in `tests/leaflets/before` for the project. *Rules alone*
applies the best proposal for each sentence until there are no more proposals. *A writer*, another
language model, followed the advice of the editor (`after`), and was corrected by a second reader.
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
from understandability.writers.sentence_edits import rebuilt, spans

FOLDER = ROOT / "tests" / "leaflets"
_ROUNDS = 3


def followed(document: Document, scorer: Scorer) -> Document:
    """Apply the best proposal for each sentence, for up to three rounds."""
    english = english_of(document.pieces)
    for _ in range(_ROUNDS):
        batch = Batch([document])
        marks, (offered,) = findings(batch), offers(batch, english)
        sentences, changed = [], False
        for number, (first, last) in enumerate(spans(document)):
            best = proposals(document, number, marks, offered, scorer, english)[:1]
            changed = changed or bool(best)
            old = [[*document.pieces[first:last]]]
            sentences.append(
                [[*pieces] for pieces in document_of_text(best[0].text).sentences] if best else old
            )
        if not changed:
            break
        document = rebuilt(document, sentences)
    return document


def main() -> None:
    """Print the table in Markdown."""
    parser = parser_of(__doc__, data=False)
    parser.add_argument("--show", action="store_true", help="print the texts too")
    chosen = parser.parse_args()
    scorer, reached, rows = Scorer(), 0, []
    names = sorted(path.name for path in (FOLDER / "before").iterdir())
    for name in names:
        before, after = (
            document_of_text((FOLDER / part / name).read_text("utf-8"))
            for part in ("before", "after")
        )
        by_rules = followed(before, scorer)
        estimates = scorer.estimates(Batch([before, by_rules, after]))
        chances = [estimate.p_understandable for estimate in estimates]
        reached += chances[-1] >= AIM
        rows.append([Path(name).stem, *(f"{chance:.2f}" for chance in chances)])
        if chosen.show:
            print(" ".join(by_rules.pieces) + "\n")
    print(markdown(["leaflet", "before", "rules alone", "a writer"], rows))
    print(f"Of {len(names)}, {reached} reach P >= {AIM} by a writer.")


if __name__ == "__main__":
    main()
