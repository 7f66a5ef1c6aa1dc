"""Sentences: what ends one and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import CHARACTERS

from understandability.text.sentences import _MARKS, _NONE, _end_of, sentence_starts
from understandability.text.tokens import split_pieces


def sentences(text: str) -> list[str]:
    pieces = split_pieces(text)
    starts = sentence_starts(pieces)
    ends = [*starts[1:], len(pieces)]
    return [" ".join(pieces[start:end]) for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(
    "text",
    [
        # One sentence each.
        "Dr. Lee and Prof. J. R. Smith saw Mrs. Jones.",
        "Take 2.5 mg b.i.d. with food.",
        "Fruit, e.g. Apples, i.e. food, is good vs. Cake.",
        "See Fig. 2 and Smith et al. 2019 for more.",
        "It costs $3.50 at 5 p.m. on Jan. 5 in St. Louis.",
        "Read www.cdc.gov/flu.html or http://nih.gov first.",
        "E. coli and S. aureus are bacteria.",
        "The U.S. Department of Health said so.",
        "“Does it hurt?” she asked.",
        "Well ... it may hurt.",
        "It rose by .5 to 3.5 percent.",
        # Abbreviations end one too, where the next word often begins a sentence.
        "Take 5 mg b.i.d. | The dose may change.",
        "He has diabetes, asthma etc. | It is hard.",
        "It hurts! | Does it? | yes, it does.",
        'He said "Stop." | Then he left.',
        "It is rare (see below.) | Most are well.",
        "Styles vary.[1][2] | The cause is unknown.",
        "She takes vitamin C. | It helps.",
        "We came in 2003. | We left in May. | All was well.",
        "1. Wash your hands. | 2. Dry them.",
        "It is over . | Go home .",
        "I feel fine. :) | Thanks.",
    ],
)
def test_sentences_end_where_they_end(text: str) -> None:
    """Not behind abbreviations, initials, decimals, addresses and quotations, if they go on."""
    assert sentences(text.replace("| ", "")) == text.split(" | ")


def test_pieces_are_not_cut_further() -> None:
    """A dash within one, or a mark that shows nothing, moves no index behind it."""
    pieces = ["Rest--now—or", "later.", "\u00ad", "Drink", "water.", "Eat."]
    assert sentence_starts(pieces) == [0, 2, 5]


def test_nothing_has_no_sentence() -> None:
    assert sentence_starts([]) == []


@given(st.lists(st.text(CHARACTERS, min_size=1).filter(lambda text: not text.isspace())))
def test_starts_rise_from_zero(pieces: list[str]) -> None:
    starts = sentence_starts(pieces)
    assert starts[:1] == [0][: len(pieces)]
    assert starts == sorted(set(starts))
    assert all(start < len(pieces) for start in starts)


def test_a_piece_without_end_takes_no_time_without_end() -> None:
    """A megabyte of full stops is read once."""
    assert sentence_starts(["." * 1_000_000 + "x", "The"]) == [0]


@given(
    st.text(alphabet="aDpx.?!…\"'”’»()[]}*^:;=-_1,–", min_size=1) | st.text(CHARACTERS, min_size=1)
)
def test_last_characters_that_end_no_sentence(piece: str) -> None:
    """Tell at once, and are right."""
    assert piece[-1] in _MARKS or _end_of(piece) == _NONE
