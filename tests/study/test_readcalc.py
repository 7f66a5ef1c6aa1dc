"""The rows `*_readcalc` beside the formulas of the original study's code, written anew.

The reference below follows readcalc/readcalc.py of joaopalotti/readability_calculator: Treebank
tokens of the whole text, pyphen's hyphenation, the study's word list; its sentences are given.
"""

import hashlib
import math
import re

import numpy as np
import pyphen
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer
from tests.conftest import PANEL
from tests.feature.conftest import document

from understandability.feature.batch import Batch
from understandability.feature.table import compute_features
from understandability.feature.word_lists import familiar_words
from understandability.study import readcalc
from understandability.study.readcalc import ROWS, count_hyphens, study_counts
from understandability.text.document import Document

NAMES = [row.name for row in ROWS]
HYPHENS = pyphen.Pyphen(lang="en")
CLITICS_AND_MARKS = (
    "can't cannot. don't don't. gonna wanna wanna. 'tis d'ye it's 'em rock'n'roll e.g. U.S.A. 3.5 "
    "well-being \"quoted\" ''twice'' Dogs' _ snake_case más"
)
EXTRA = {"bluejay", "cooky", "dalf", "ma", "tho", "tis"}


def reference_words(document: Document) -> list[str]:
    tokens = TreebankWordTokenizer().tokenize(" ".join(document.pieces))
    return [word for word in (re.sub(r"\W", "", token.strip().lower()) for token in tokens) if word]


def reference(document: Document, familiar: frozenset[str] | set[str]) -> dict[str, float]:
    words = reference_words(document)
    sentences = sum(any(map(str.isalnum, "".join(each))) for each in document.sentences)
    if not sentences:
        return dict.fromkeys(NAMES, math.nan)
    n = len(words)
    characters = sum(map(len, words))
    each = [len(HYPHENS.inserted(word).split("-")) for word in words]
    syllables, poly = sum(each), sum(count >= 3 for count in each)
    difficult = sum(word not in familiar for word in words)
    long = sum(len(word) > 6 for word in words)
    return {
        "flesch_reading_ease_readcalc": 206.835 - 1.015 * n / sentences - 85.6 * syllables / n,
        "flesch_kincaid_readcalc": 0.39 * n / sentences + 11.8 * syllables / n - 15.59,
        "coleman_liau_readcalc": 5.89 * characters / n - 30.0 * sentences / n - 15.8,
        "gunning_fog_readcalc": 0.4 * (n / sentences + 100.0 * poly / n),
        "smog_readcalc": 1.043 * math.sqrt(poly * 30.0 / sentences) + 3.1291,
        "ari_readcalc": 4.71 * characters / n + 0.5 * n / sentences - 21.43,
        "lix_readcalc": n / sentences + 100.0 * long / n,
        "dale_chall_readcalc": 0.1579 * (difficult / n * 100) + 0.0496 * n / sentences,
    }


def check(documents: list[Document], familiar: frozenset[str] | set[str]) -> None:
    table = compute_features(documents, NAMES)
    for each, values in zip(documents, table.values, strict=True):
        expected = reference(each, familiar)
        np.testing.assert_allclose(values, [expected[name] for name in NAMES], atol=1e-6)


def test_equal_to_the_study_on_texts_of_many_kinds() -> None:
    """To six decimals, on the texts of the panel."""
    paths = sorted(PANEL.glob("*.txt"))
    assert len(paths) > 30
    check([document(path.read_text("utf-8")) for path in paths], familiar_words() | EXTRA)


def test_the_study_s_list_has_six_words_more() -> None:
    """The list of textstat and six words are the 2,947 words of the list of the study's code."""
    words = sorted(familiar_words() | EXTRA)
    assert len(words) == 2947
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    assert digest == "e4f4058a9f4fe4998846e5853390f453faac51b0ccdd25ae74c3f164107f4dcf"


@given(
    st.lists(
        st.text("aBcé0_.,:'’\"!?()[]<>&$%*-;`", min_size=1, max_size=7)
        | st.sampled_from(CLITICS_AND_MARKS.split()),
        max_size=12,
    )
)
def test_equal_to_the_study_on_any_text(pieces: list[str]) -> None:
    """Clitics, quotes, brackets, and the end of the text, where alone a period is cut off."""
    document = Document("d", "", tuple(pieces), (0,) if pieces else ())
    check([document, document], familiar_words() | EXTRA)


def test_words_are_the_study_s() -> None:
    """A clitic is a word, a hyphen none, and what is no letter, digit or underscore is dropped."""
    text = document("I can't say well-being costs 3.5 dollars. Don't!")
    assert reference_words(text) == (
        ["i", "ca", "nt", "say", "wellbeing", "costs", "35", "dollars", "do", "nt"]
    )
    assert study_counts(Batch([text]))[0, 0] == 10


@pytest.mark.parametrize("word", ["", "a", "ab", "hyphenation", "x" * 300, "naïve", "a0b1", "日本"])
def test_hyphens_are_those_of_pyphen(word: str) -> None:
    assert count_hyphens([word]) == HYPHENS.inserted(word).count("-")


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz", max_size=25), max_size=5))
def test_hyphens_of_any_letters_are_those_of_pyphen(words: list[str]) -> None:
    """Also where no word looks so, and whatever stands beside it."""
    expected = [HYPHENS.inserted(word).count("-") for word in words]
    assert count_hyphens(words).tolist() == expected


def test_endless_words_are_hyphenated_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns that reach over the end of a part are found all the same."""
    words = ["hyphenation", "understandability", "flu", "hypertension"]
    whole = count_hyphens(words).tolist()
    for at_once in (1, 2, 3, 7):
        monkeypatch.setattr(readcalc, "_AT_ONCE", at_once)
        assert count_hyphens(words).tolist() == whole


def test_marks_are_no_words_and_need_no_tokenizer() -> None:
    """Millions of them took a tokenizer minutes."""
    text = document("Rest... " + "!?" * 100_000 + " - Now?")
    assert study_counts(Batch([text]))[0].tolist() == [2, 7, 2, 0, 0, 0]
