"""What is proposed for a sentence: right English, the same meaning, and no harder text."""

from __future__ import annotations

import pytest

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text
from understandability.writers.hard_sentences import findings
from understandability.writers.plain_terms.offers import offers
from understandability.writers.plain_terms.tagged_sentences import tagged_sentences
from understandability.writers.proposals import changes, proposals
from understandability.writers.spelling import likely_word

SCORER = Scorer()


def proposed(sentence: str) -> dict[str, str]:
    """What rules make of a sentence, by kind, whatever a model says of it."""
    document = document_of_text(sentence)
    batch = Batch([document])
    (tagged,) = tagged_sentences(batch, [0], [document.pieces])
    size = len(document.pieces)
    made = changes(tagged, list(document.pieces), 0, size, findings(batch), (), "british")
    return {kind: text for kind, _, text in made}


@pytest.mark.usefixtures("every_plain_term")
def test_no_proposal_makes_the_text_harder() -> None:
    """Each is tried on the whole text; the largest gain comes first."""
    document = document_of_text(
        "Patients are advised to discontinue the medication prior to surgery. Rest well."
    )
    batch = Batch([document])
    made = proposals(document, 0, findings(batch), offers(batch)[0], SCORER, "british")
    assert {each.kind for each in made} >= {"plain", "you"}
    assert all(each.points >= -0.05 for each in made)
    assert [each.points for each in made] == sorted((each.points for each in made), reverse=True)


@pytest.mark.parametrize(
    ("sentence", "kind", "expected"),
    [
        ("The dose is checked by a nurse.", "active", "A nurse checks the dose."),
        ("Your blood pressure will be measured by the nurse before the operation.", "active",
         "The nurse will measure your blood pressure before the operation."),
        ("The operation was done by our surgeons.", "active", "Our surgeons did the operation."),
        ("Your wound will be checked by the doctor.", "active",
         "The doctor will check your wound."),
        ("The dressing must not be removed for two days.", "you",
         "You must not remove the dressing for two days."),
        ("Patients are advised to avoid alcohol.", "you", "You should avoid alcohol."),
        ("Care should be taken with hot drinks.", "you", "Take care with hot drinks."),
        ("Patients are advised to contact their general practitioner.", "you",
         "You should contact your general practitioner."),
        ("Patients should bring their medication list.", "you",
         "You should bring your medication list."),
        ("You will come to the ward in the morning and the nurse will check your blood pressure.",
         "cut", "You will come to the ward in the morning. The nurse will check your blood "
         "pressure."),
        ("You may have pain, swelling, bruising or a fever.", "list",
         "You may have:\n- pain\n- swelling\n- bruising or\n- a fever"),
    ],
)  # fmt: skip
def test_a_rule_that_is_sure_proposes(sentence: str, kind: str, expected: str) -> None:
    """Word by word."""
    assert proposed(sentence)[kind] == expected


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("The form should be completed by Friday.", "active"),
        ("The tube is put in by hand.", "active"),
        ("She was helped by the nurse and the doctor.", "active"),
        ("If you feel unwell in the night call the ward and the nurse will tell you what to do.",
         "cut"),
        ("We will tell you whether the drug works and the dose is right for you this time.", "cut"),
        ("Take the red tablets in the morning and the blue tablets in the late evening.", "cut"),
        ("It must not be swallowed.", "you"),
        ("Caution must be taken with hot drinks.", "you"),
        ("It may contain any traces of wheat, gluten, milk, egg, sugar, or starch.", "list"),
        ("Patients should ask their nurse if they are ready.", "you"),
        ("Patients should store tablets in their box.", "you"),
        ("The operation must be done soon.", "you"),
        ("You should eat well, sleep well and walk.", "list"),
        ("You may have - pain, swelling, bruising or a fever.", "list"),
        ("It causes trouble breathing, wheezing, or swelling of the head and neck.", "list"),
        ("They help with other conditions, such as diabetes, asthma, gout and cancer.", "list"),
        ("The womb has a muscular outer layer called the myometrium and an inner lining called "
         "the endometrium.", "cut"),
        ("You will have a CT scan (CAT scan) on the ward.", "in full"),
    ],
)  # fmt: skip
def test_a_rule_that_is_not_sure_says_nothing(sentence: str, kind: str) -> None:
    """No doer, two clauses that hang together, no reader, parts that are clauses."""
    assert kind not in proposed(sentence)


@pytest.mark.parametrize(
    ("word", "likely"),
    [("medicne", "medicine"), ("operaton", "operation"), ("Surgury", "Surgery"), ("dialysis", ""),
     ("enoxaparin", ""), ("mobilise", ""), ("haemorrhage", ""), ("NHSX", ""), ("crampy", "")],
)  # fmt: skip
def test_a_mistake_of_spelling_is_told_from_a_rare_word(word: str, likely: str) -> None:
    """Only where a word that many write is one letter away."""
    assert likely_word(word) == likely


def test_an_explanation_in_brackets_or_behind_a_dash_counts() -> None:
    """A hard word that the text explains is none to explain."""
    for text in (
        "You need haemofiltration (cleaning of the blood) now.",
        "You need haemofiltration – cleaning of the blood – now.",
    ):
        assert not findings(Batch([document_of_text(text)])).hard
    assert findings(Batch([document_of_text("You need haemofiltration now.")])).hard
    assert not findings(Batch([document_of_text("A step-by-step, stop-smoking plan.")])).hard
    assert findings(Batch([document_of_text("A nephron-sparing plan.")])).hard
