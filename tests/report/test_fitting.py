"""Which plain terms fit in a sentence, by examples for each rule; rows are made here."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from understandability.feature.batch import Batch
from understandability.feature.inflection import forms_of
from understandability.feature.terms import singular
from understandability.text.analysis import document_of_text
from understandability.writers.plain_terms.fitting import RULES, Plain, fits
from understandability.writers.plain_terms.placing import placed
from understandability.writers.plain_terms.tagged_sentences import (
    Match,
    TaggedSentence,
    tagged_sentences,
)
from understandability.writers.plain_terms.term_tables import (
    MEDICAL,
    PlainTerm,
    TermForm,
    plural_of,
)

HERE = Path(__file__).parent
EXAMPLES = {
    name: examples
    for name, *examples in (
        line.split("\t") for line in (HERE / "fit_rules.tsv").read_text("utf-8").splitlines()[1:]
    )
}
NO = ""  # does not fit


def tagged(text: str) -> tuple[list[str], list[str]]:
    """Words and tags of an example; a word without a tag is a noun."""
    pairs = [(word.rpartition("/")[0] or word, word) for word in text.split()]
    return [word for word, _ in pairs], [
        whole.rpartition("/")[2] if "/" in whole else "NOUN" for _, whole in pairs
    ]


def example(part: str, text: str) -> tuple[Match, Plain]:
    """The match and the plain term of a rule's example, as its tags say and no tagger.

    The term is in brackets, with its base form behind ``<`` where it is inflected; the plain term
    comes behind ``=``, or ``=>`` where it goes behind the noun; a word without a tag is a noun.
    """
    sentence, equals, plain = re.split(" (=>?) ", text)
    before, term, behind = re.split(r"[][]", sentence)
    term, _, base = term.partition("<")
    words, tags = zip(*map(tagged, (before, term, behind)), strict=True)
    start, end = len(words[0]), len(words[0]) + len(words[1])
    tokens = [word for part in words for word in part]
    places = list(range(len(tokens)))
    found = TaggedSentence(
        tokens,
        [tag for part in tags for tag in part],
        places,
        [0] * len(tokens),
        [*map(len, tokens)],
    )
    made = Plain(*map(tuple, tagged(plain)))
    part = part or "noun"
    row = PlainTerm(
        base or " ".join(words[1]), (made.text,), (plural_of(made.text),) * (part == "noun"), part,
        (), "", "own", equals == "=>", MEDICAL,
    )  # fmt: skip
    name = dict(forms_of(row.term, part))[" ".join(words[1])]
    return Match(TermForm(row, name), row.plain, found, start, end), made


@pytest.mark.parametrize(
    ("part", "rule"),
    [(part, rule) for part, rules in RULES.items() for rule in rules],
    ids=lambda each: each if isinstance(each, str) else each.__name__,
)
def test_a_rule_refuses_its_one_example_and_not_its_other(
    part: str, rule: Callable[[Match, Plain], bool]
) -> None:
    """By its own predicate; no tagger is asked."""
    refused, allowed = EXAMPLES[rule.__name__]
    assert rule(*example(part, refused))
    assert not rule(*example(part, allowed))


def text_in_place(sentence: str, term: str, part: str, plain: str) -> str:
    """The sentence with a plain term in place, or ``NO``; "behind ..." goes behind its noun."""
    behind = plain.startswith("behind ")
    plain = plain.removeprefix("behind ")
    plural = plain if singular(plain) != plain else plural_of(plain)
    plurals = (plural,) if part == "noun" else ()
    row = PlainTerm(term, (plain,), plurals, part, (), "", "own", behind, MEDICAL)
    document = document_of_text(sentence)
    pieces = document.pieces
    (found,) = tagged_sentences(Batch([document]), [0], [pieces])
    for form, name in forms_of(term, part):
        words = form.replace("-", " ").split()
        for start in range(len(found.tokens)):
            end = start + len(words)
            if [token.lower() for token in found.tokens[start:end]] == words:
                match = Match(TermForm(row, name), row.plain, found, start, end)
                if not fits(match, plain):
                    return NO
                put = placed(match, [plain], pieces)
                return " ".join((*pieces[: put.first], *put.texts, *pieces[put.last :]))
    raise AssertionError(f"no “{term}” in “{sentence}”")


@pytest.mark.parametrize(
    ("sentence", "term", "plain", "expected"),
    [
        ("She had a hernia.", "hernia", "bulge in the belly", "She had a bulge in the belly."),
        ("She had an incisional hernia.", "hernia", "bulge in the belly", NO),
        ("It is a skeletal metastasis.", "metastasis", "spread to bone", NO),
        ("We saw tumor metastases.", "metastasis", "spread to bone", NO),
        ("He had various relapses.", "relapse", "return of pain",
         "He had various returns of pain."),
        ("Healthy participants slept.", "participant", "person in the study",
         "Healthy people in the study slept."),
        ("A clinical pharmacist came.", "pharmacist", "person who prepares medicines", NO),
        ("It was a condylar fracture.", "fracture", "broken bone", NO),
        ("It was an open fracture.", "fracture", "broken bone", "It was an open broken bone."),
        ("It was an anticoagulation complication.", "complication", "further problem", NO),
        ("It was a childhood mutation.", "mutation", "gene change", NO),
        ("It was a new mutation.", "mutation", "gene change", "It was a new gene change."),
        ("The oral intake was high.", "intake", "drinking", NO),
        ("Significant inhibition of growth was seen.", "inhibition", "blocking",
         "Significant blocking of growth was seen."),
        ("Cancer predisposition syndromes are rare.", "predisposition", "tendency", NO),
        ("The predisposition is rare.", "predisposition", "tendency", "The tendency is rare."),
        ("The colonoscopy screening began.", "colonoscopy", "look into the bowel", NO),
        ("The highest prevalence was seen.", "prevalence", "how common it is", NO),
        ("The lining cells of the pleura died.", "pleura", "lining around the lungs",
         "The lining cells of the lining around the lungs died."),
        ("The conception of a baby is new.", "conception", "start of pregnancy", NO),
        ("The adaptive immunity was weak.", "immunity", "body's defence", NO),
        ("We took systolic and diastolic pressure readings.", "diastolic pressure", "low number",
         NO),
        ("Signs of ulceration were seen.", "ulceration", "open sore", NO),
        ("An ulceration was seen.", "ulceration", "open sore", "An open sore was seen."),
        ("In control groups it fell.", "control group", "comparison group",
         "In comparison groups it fell."),
        ("Fatigue was common.", "fatigue", "tiredness", "Tiredness was common."),
        ("Diarrhea was common.", "diarrhea", "loose stools", NO),
        ("The criteria were met.", "criteria", "standards", "The standards were met."),
        ("The 95% confidence interval [CI] was wide.", "confidence interval", "likely range", NO),
        ("The 95% confidence interval (95%) was given.", "confidence interval", "likely range",
         "The 95% likely range (95%) was given."),
    ],
)  # fmt: skip
def test_a_noun_fits(sentence: str, term: str, plain: str, expected: str) -> None:
    """Or not: behind adjectives and nouns, before nouns and "of", in number, with its letters."""
    assert text_in_place(sentence, term, "noun", plain) == expected


@pytest.mark.parametrize(
    ("sentence", "term", "plain", "expected"),
    [
        ("Many children develop asthma.", "develop", "get", "Many children get asthma."),
        ("They develop up to 20 tumors.", "develop", "get", "They get up to 20 tumors."),
        ("Effects may develop months after treatment.", "develop", "get", NO),
        ("Polyps, when developing into cancers, grow.", "develop", "get", NO),
        ("Findings demonstrate that it works.", "demonstrate", "show",
         "Findings show that it works."),
        ("The rate is increasing.", "increase", "raise", NO),
        ("It was seen and underwent a change.", "undergo", "go through",
         "It was seen and went through a change."),
        ("Hypothesised risks were seen.", "hypothesise", "think", NO),
        ("The rates declined by half.", "decline", "go down", NO),
        ("The rates declined by half.", "decline", "drop", "The rates dropped by half."),
        ("They underwent by choice.", "undergo", "go through", "They went through by choice."),
        ("He was intubated.", "intubate", "put a tube into", NO),
        ("They intubated the child.", "intubate", "put a tube into",
         "They put a tube into the child."),
        ("The mechanisms underlying pain differ.", "underlie", "be behind", NO),
        ("It was a randomized trial.", "randomize", "assign by chance", NO),
        ("It must be distinguished from other tumors.", "distinguish from", "tell apart from",
         "It must be told apart from other tumors."),
    ],
)  # fmt: skip
def test_a_verb_fits(sentence: str, term: str, plain: str, expected: str) -> None:
    """Or not: without an object, in the passive, as past or participle, before a noun."""
    assert text_in_place(sentence, term, "verb", plain) == expected


@pytest.mark.parametrize(
    ("sentence", "term", "part", "plain", "expected"),
    [
        ("It was a moderately emetogenic drug.", "emetogenic", "adjective", "vomiting-causing", NO),
        ("It was an emetogenic drug.", "emetogenic", "adjective", "vomiting-causing",
         "It was a vomiting-causing drug."),
        ("The lumbar spine hurt.", "lumbar", "adjective", "lower back",
         "The lower back spine hurt."),
        ("The thoracic wall was sore.", "thoracic", "adjective", "chest",
         "The chest wall was sore."),
        ("The hepatic artery ligation was done.", "hepatic", "adjective", "liver", NO),
        ("They saw parental difficulty of access.", "parental", "adjective", "parent", NO),
        ("The mean age of all was 40.", "mean", "adjective", "average",
         "The average age of all was 40."),
        ("We tested three bioactive compounds.", "bioactive", "adjective",
         "active in the body", NO),
        ("The neurological problems stayed.", "neurological", "adjective", "nerve and brain",
         "The nerve and brain problems stayed."),
        ("It is bioactive.", "bioactive", "adjective", "active in the body",
         "It is active in the body."),
        ("More extensive surgery was done.", "extensive", "adjective", "large", NO),
        ("An abnormal result came.", "abnormal", "adjective", "not normal", NO),
        ("The tumor was unresectable.", "unresectable", "adjective", "behind that stays",
         NO),
        ("The unresectable tumors grew.", "unresectable", "adjective", "behind that is fixed",
         "The tumors that are fixed grew."),
        ("Localized or regional disease was seen.", "localized", "adjective",
         "behind in one place", NO),
        ("It was surgically removed.", "surgically", "adverb", "by surgery", NO),
        ("It was removed surgically.", "surgically", "adverb", "by surgery",
         "It was removed by surgery."),
    ],
)  # fmt: skip
def test_an_adjective_or_adverb_fits(
    sentence: str, term: str, part: str, plain: str, expected: str
) -> None:
    """Or not: after a degree, without "the", behind its noun, before a verb."""
    assert text_in_place(sentence, term, part, plain) == expected
