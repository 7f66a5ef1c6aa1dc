"""Which plain terms fit in a sentence, by examples for each rule; rows are made here."""

import re
from collections.abc import Callable

import pytest
from tests.writers.tables import rows

from understandability.feature.batch import Batch
from understandability.study.terms import singular
from understandability.text.analysis import document_of_text
from understandability.writers.inflection import forms_of
from understandability.writers.plain_terms.fitting import RULES, Plain, fits, placed
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

EXAMPLES = {name: examples for name, *examples in rows("fit_rules.tsv")}
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
                first, last, _, texts = placed(match, [plain], pieces)
                return " ".join((*pieces[:first], *texts, *pieces[last:]))
    raise AssertionError(f"no “{term}” in “{sentence}”")


@pytest.mark.parametrize(("part", "term", "plain", "sentence", "expected"), rows("fitting.tsv"))
def test_a_term_fits_or_not(part: str, term: str, plain: str, sentence: str, expected: str) -> None:
    """Nouns in number and beside modifiers; verbs by object and form; modifiers by place."""
    assert text_in_place(sentence, term, part, plain) == expected
