"""Sentences written to break the rules: no click, meaning or proposal may say what is wrong."""

from functools import cache
from typing import NamedTuple

import pytest
from tests.writers.tables import rows

from understandability.feature.batch import Batch
from understandability.resources import resource_lines
from understandability.text.analysis import document_of_text
from understandability.writers.hard_sentences import findings
from understandability.writers.plain_terms.offers import offers
from understandability.writers.plain_terms.tagged_sentences import tagged_sentences
from understandability.writers.proposals import changes, together
from understandability.writers.sentence_edits import replaced, spans


class Results(NamedTuple):
    """What the editor shows for a text: the text after each click or proposal, and meanings."""

    changed: tuple[str, ...]
    meanings: tuple[str, ...]


@cache
def results(text: str) -> Results:
    """Each click and proposal done, and the meanings of terms."""
    document = document_of_text(text)
    batch = Batch([document])
    (offered,) = offers(batch, "british")
    issues = findings(batch)
    changed: list[str] = []
    for offer in offered:
        for instead in filter(None, (*offer.texts, offer.in_brackets)):
            pieces = replaced(document.pieces, 0, {offer.first: (offer.last, instead)})
            changed.append(" ".join(pieces))
    parts = [document.pieces[first:last] for first, last in spans(document)]
    for number, (first, last) in enumerate(spans(document)):
        (sentence,) = tagged_sentences(batch, [number], parts)
        pieces = list(parts[number])
        made = changes(sentence, pieces, first, last, issues, offered, "british")
        changed += [proposal for _, _, proposal in made]
        if whole := together(pieces, "british"):
            changed.append(whole[1])
    meanings = tuple(plain for offer in offered for plain in offer.plain)
    return Results(tuple(dict.fromkeys(changed)), meanings)


@pytest.mark.parametrize(("style", "sentence", "verdict", "expected"), rows("probes_judged.tsv"))
def test_each_change_of_a_probe_was_judged(
    style: str, sentence: str, verdict: str, expected: str
) -> None:
    """A new change has to be read: write it into the table, with its verdict."""
    changed = " | ".join(results(sentence).changed).replace("\n", " / ")
    assert changed == expected, (style, verdict)


def test_few_changes_of_probes_are_wrong_and_none_is_harmful() -> None:
    """Of 400 sentences that were written to break the rules at most 4 % have a wrong change.

    Harmful is what would make a reader do something else. A language model judged.
    """
    verdicts = [verdict for _, _, verdict, _ in rows("probes_judged.tsv")]
    assert set(verdicts) <= {"right", "wrong"}
    assert len(verdicts) + len(rows("probes.tsv")) >= 400
    assert verdicts.count("wrong") <= 0.04 * len(verdicts)


@pytest.mark.parametrize(("style", "sentence", "never", "wanted"), rows("probes.tsv"))
def test_no_probe_gets_a_wrong_result(style: str, sentence: str, never: str, wanted: str) -> None:
    """`never` holds texts that no result may contain, `wanted` texts that some result must."""
    shown = [text for texts in results(sentence) for text in texts]
    for wrong in filter(None, never.split(" | ")):
        assert not [text for text in shown if wrong.lower() in text.lower()], style
    for right in filter(None, wanted.split(" | ")):
        assert [text for text in shown if right.lower() in text.lower()], (style, shown)


@pytest.mark.parametrize(("sentence", "expected"), rows("sure_placed.tsv"))
def test_sure_terms_are_put_in_place(sentence: str, expected: str) -> None:
    """With the right article, form and place, or not at all."""
    document = document_of_text(sentence)
    (offered,) = offers(Batch([document]), "american")
    instead = {offer.first: (offer.last, offer.texts[0]) for offer in offered if offer.texts}
    assert " ".join(replaced(document.pieces, 0, instead)) == expected


def test_sure_terms_are_many_and_clear() -> None:
    """At least 600 medical ones; no plain term has a plain term itself; flags that exist."""
    rows_of_table = [line.split("\t") for line in resource_lines("plain_terms/sure.tsv")[1:]]
    terms = {(term, part) for term, part, *_ in rows_of_table}
    assert len(terms) == len(rows_of_table)
    assert sum(part in ("noun", "adjective") for _, part in terms) >= 600
    for term, part, plain, flags in rows_of_table:
        assert (plain, part) not in terms, term
        assert set(flags.split()) <= {
            "mass",
            "count",
            "modifier",
            "alone",
            "after",
            "ruled",
            "det",
        }, term
        assert plain != term


def test_what_the_tool_recommends_is_not_marked() -> None:
    """After a writer has used the plain terms, they are no hard words and no terms."""
    text = "Take painkillers and a blood thinner. The clot in the vein or the bowel hurts tissue."
    document = document_of_text(text)
    batch = Batch([document])
    (offered,) = offers(batch)
    assert not findings(batch).hard
    assert not [offer.term for offer in offered]


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
