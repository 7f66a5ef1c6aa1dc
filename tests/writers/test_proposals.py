"""What is proposed for a sentence: right English, the same meaning, and no harder text."""

import pytest
from tests.writers.tables import rows

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text
from understandability.writers.hard_sentences import findings, likely_word
from understandability.writers.plain_terms.offers import offers
from understandability.writers.plain_terms.tagged_sentences import tagged_sentences
from understandability.writers.proposals import changes, proposals

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


@pytest.mark.parametrize(("kind", "sentence", "expected"), rows("proposals.tsv"))
def test_a_rule_proposes_where_it_is_sure(kind: str, sentence: str, expected: str) -> None:
    """Not without a doer, nor for clauses that hang together, no reader, parts that are clauses."""
    assert proposed(sentence).get(kind, "").replace("\n", " / ") == expected


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
