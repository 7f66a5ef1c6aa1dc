"""Syllables: a hand-divided list of medical terms, the dictionary, numbers and capitals."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import CHARACTERS

from understandability.feature.syllables import count_syllables

MEDICAL = [
    line
    for line in (Path(__file__).parent / "medical_syllables.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def test_medical_terms_are_counted_as_spoken() -> None:
    """At least 97 % of 200 terms divided by hand; none is wrong by more than one."""
    differences = [count_syllables(term.replace("-", "")) - term.count("-") - 1 for term in MEDICAL]
    assert len(MEDICAL) == 200
    assert differences.count(0) >= 194
    assert set(differences) <= {-1, 0, 1}


@pytest.mark.parametrize(
    ("word", "syllables"),
    [
        # Inflected, British and accented forms count as spoken.
        *(("the", 1), ("rhythm", 2), ("Asthma", 2), ("people's", 2), ("don't", 1), ("create", 2)),
        *(("walked", 1), ("wanted", 2), ("boxes", 2), ("haemorrhage", 3), ("café", 2)),
        # Hyphens and slashes separate words.
        *(("long-term", 2), ("and/or", 2), ("follow-up-examination", 2 + 1 + 5)),
        # Numbers are read out, as Flesch (1948) counts them.
        ("7", 2),  # se-ven
        ("1918", 4),  # nine-teen eigh-teen, Flesch's own example
        ("2000", 3),  # two thou-sand
        ("2005", 4),  # two thou-sand five
        ("1,500", 6),  # one thou-sand five hun-dred
        ("0.05", 6),  # ze-ro point ze-ro five
        *(("3rd", 1), ("20th", 3), ("24/7", 5)),
        # Capitals are spelled where they make no English word.
        *(
            ("HIV", 3),
            ("MRIs", 3),
            ("HPV16", 5),
            ("COPD", 4),
            ("WWW", 9),
            ("AIDS", 1),
            ("HEART", 1),
        ),
    ],
)
def test_syllables_are_those_that_are_spoken(word: str, syllables: int) -> None:
    assert count_syllables(word) == syllables


@given(st.text(CHARACTERS, max_size=30))
def test_any_text_has_a_syllable(text: str) -> None:
    """No input fails, and none has less than one."""
    assert count_syllables(text) >= 1
