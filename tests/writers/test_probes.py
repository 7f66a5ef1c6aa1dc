"""Sentences written to break the rules: no click, meaning or proposal may say what is wrong."""

from functools import cache

import pytest
from tests.writers.tables import rows

from understandability.feature.batch import Batch
from understandability.text.analysis import document_of_text
from understandability.writers.hard_sentences import findings
from understandability.writers.plain_terms.offers import offers
from understandability.writers.plain_terms.tagged_sentences import tagged_sentences
from understandability.writers.proposals import changes
from understandability.writers.rebuilding import replaced, spans


@cache
def results(text: str) -> tuple[str, ...]:
    """All that the editor would show for a text: each click done, meanings, and proposals."""
    document = document_of_text(text)
    batch = Batch([document])
    (offered,) = offers(batch, "british")
    found = findings(batch)
    shown = []
    for offer in offered:
        for plain in offer.texts:
            pieces = replaced(document.pieces, 0, {offer.first: (offer.last, plain)})
            shown.append(" ".join(pieces))
        shown += offer.plain
    parts = [document.pieces[first:last] for first, last in spans(document)]
    for number, (first, last) in enumerate(spans(document)):
        (sentence,) = tagged_sentences(batch, [number], parts)
        made = changes(sentence, list(parts[number]), first, last, found, offered, "british")
        shown += [proposal for _, _, proposal in made]
    return tuple(shown)


@pytest.mark.parametrize(("style", "sentence", "never", "wanted"), rows("probes.tsv"))
def test_no_probe_gets_a_wrong_result(style: str, sentence: str, never: str, wanted: str) -> None:
    """`never` holds texts that no result may contain, `wanted` texts that some result must."""
    shown = results(sentence)
    for wrong in filter(None, never.split(" | ")):
        assert not [text for text in shown if wrong.lower() in text.lower()], style
    for right in filter(None, wanted.split(" | ")):
        assert [text for text in shown if right.lower() in text.lower()], (style, shown)


@pytest.mark.parametrize(("sentence", "expected"), rows("passives.tsv"))
def test_passives(sentence: str, expected: str) -> None:
    """States are no passives, questions have some: "Was the form sent?"."""
    document = document_of_text(sentence)
    found = findings(Batch([document])).passives
    said = [" ".join(document.pieces[first:last]).rstrip(".?") for first, last in found]
    assert said == list(filter(None, expected.split(" | ")))


@pytest.mark.parametrize(
    "sentence",
    [
        "Tell us if you take midazolam or clarithromycin.",
        "Warfarin and clopidogrel thin the blood.",
        "You may be given ondansetron for sickness.",
        "Stop ramipril, bisoprolol and furosemide on the day.",
        "Metformin, empagliflozin and semaglutide lower sugar.",
        "We use fentanyl with propofol.",
    ],
)
def test_names_of_medicines_are_not_hard_words(sentence: str) -> None:
    """A writer cannot replace them."""
    document = document_of_text(sentence)
    assert not findings(Batch([document])).hard
