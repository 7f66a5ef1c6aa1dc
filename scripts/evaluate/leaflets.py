"""What following the editor's advice alone gives: P(U|d) of twelve hard texts before and after.

A stranger is imitated who takes, sentence by sentence, the proposal that gains most, and does
so again until nothing is proposed. Nothing else is changed, and nothing is
judged. The texts are of `tests/panel`, written for the project.

    python -m scripts.evaluate.leaflets [--show]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.writers.hard_sentences import findings, spans
from understandability.writers.levels import AIM
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import offers
from understandability.writers.proposals import proposals
from understandability.writers.rebuilding import rebuilt

PANEL = Path(__file__).parents[2] / "tests" / "panel"
LEAFLETS = (
    "arthroplasty_methods", "chlortalidone_trial_abstract", "colectomy_pathology_report",
    "data_regulation_recitals", "home_office_tax_instructions", "hypertension_guideline",
    "knee_mri_report", "metformin_prescribing_information", "residential_tenancies_statute",
    "tenancy_agreement_clauses", "travel_insurance_terms", "vaccine_trial_consent_form",
)  # fmt: skip
_ROUNDS = 3


def followed(document: Document, scorer: Scorer) -> tuple[Document, int]:
    """The text with the best proposal for each sentence, and how many were taken."""
    taken = 0
    english = english_of(document.pieces)
    for _ in range(_ROUNDS):
        batch = Batch([document])
        found, (offered,) = findings(batch), offers(batch, english)
        made, changed = [], 0
        for number, (first, last) in enumerate(spans(document)):
            best = proposals(document, number, found, offered, scorer, english)[:1]
            changed += len(best)
            old = [[*document.pieces[first:last]]]
            made.append(sentences_of(best[0].text) if best else old)
        if not changed:
            break
        taken += changed
        document = rebuilt(document, made)
    return document, taken


def sentences_of(text: str) -> list[list[str]]:
    """The sentences of a proposal, each in pieces."""
    document = document_of_text(text)
    return [[*document.pieces[a:b]] for a, b in spans(document)]


def main() -> None:
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print the texts too")
    chosen = parser.parse_args()
    scorer, reached = Scorer(), 0
    print("| text | P before | P after | proposals taken | aim |\n|---|--:|--:|--:|---|")
    for name in LEAFLETS:
        document = document_of_text((PANEL / f"{name}.txt").read_text("utf-8"))
        after, taken = followed(document, scorer)
        chances = [each.p_understandable for each in scorer.estimates(Batch([document, after]))]
        reached += chances[1] >= AIM
        state = "reached" if chances[1] >= AIM else f"{AIM - chances[1]:.2f} short"
        print(f"| {name} | {chances[0]:.2f} | {chances[1]:.2f} | {taken} | {state} |")
        if chosen.show:
            print("\n" + " ".join(after.pieces) + "\n")
    print(f"\n{reached} of {len(LEAFLETS)} reach P >= {AIM}.")


if __name__ == "__main__":
    main()
