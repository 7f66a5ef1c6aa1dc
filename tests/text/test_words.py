"""Pieces, words and tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import CHARACTERS

from understandability.text.tokens import _WHOLE, split_pieces, tokenize, word_of

WORDS = ["rest", "Dr", "approx", "Sept", "A", "b", "hospital", "3", "1918", "naïve", "x²", "D"]
PARTS = [
    *"(\"“)]”,;:!?.-'’=@/_[",
    "[12]",
    "..",
    ":-)",
    "non",
    "Re",
    "ſemi",
    "com",
    "s",
    "'s",
    "’S",
    "www",
]
PARTS += WORDS


def test_dashes_between_words_stand_alone() -> None:
    """An em dash or a double hyphen separates; a hyphen does not; a rule stays one piece."""
    assert split_pieces("well-being--and rest—now ----- 5–10") == (
        ["well-being", "--", "and", "rest", "—", "now", "-----", "5–10"]
    )


def test_marks_that_show_nothing_are_dropped() -> None:
    """A soft hyphen does not split a word, nor change it."""
    assert split_pieces("under\u00adstand\u200b it") == ["understand", "it"]


@pytest.mark.parametrize(
    ("piece", "word"),
    [
        ("don't", "don't"),
        ("well-being,", "well-being"),
        ("(3.5)", "3.5"),
        ("“Rest!”", "Rest"),
        ("patient(s),", "patient"),
        ("disease.[1][2]", "disease"),
        ("Tylenol®", "Tylenol"),
        ("-", ""),
        ("***", ""),
    ],
)
def test_words_lose_their_outer_punctuation(piece: str, word: str) -> None:
    """Inner marks stay; what has no letter or digit is no word."""
    assert word_of(piece) == word


@pytest.mark.parametrize(
    ("piece", "tokens"),
    [
        ("can't", "ca n't"),
        ("patient's", "patient 's"),
        ("I'll", "I 'll"),
        ("(see", "( see"),
        ("follow-up.", "follow - up ."),
        ("non-smoker", "non-smoker"),
        ("and/or", "and / or"),
        ("e.g.,", "e.g. ,"),
        ("Dr.", "Dr."),
        ("50%", "50 %"),
        ("11/28/2000", "11/28/2000"),
        ("http://www.nih.gov/flu.", "http://www.nih.gov/flu ."),
        ("wait...", "wait ..."),
    ],
)
def test_tokens_are_those_of_the_treebank(piece: str, tokens: str) -> None:
    """Punctuation and clitics split, hyphenated compounds too; addresses and dates do not."""
    assert " ".join(tokenize(piece)) == tokens


@given(
    st.text(CHARACTERS, min_size=1, max_size=300)
    .map(lambda text: "".join(text.split()))
    .filter(bool)
)
def test_tokens_are_the_piece_cut_up(piece: str) -> None:
    """Nothing is lost, nothing is added, and every piece has a token."""
    assert "".join(tokenize(piece)) == piece
    assert word_of(piece) in piece.replace("(s)", "").replace("(es)", "") or "[" in piece


@pytest.mark.slow
def test_endless_pieces_take_linear_time() -> None:
    """Brackets that look like references, and chains that look like addresses, took minutes."""
    assert word_of("a" + "[,]" * 100_000 + "b") == "a" + "[,]" * 100_000 + "b"
    assert word_of("a[1][2][3]" + "." * 9) == "a"
    assert len(tokenize("a-" * 100_000)) == 200_000
    assert list(map(len, tokenize("a" * 450))) == [200, 200, 50]


@pytest.mark.parametrize("mark", [*",;:!?).", "..", "'"])
@pytest.mark.parametrize("word", WORDS)
def test_a_word_with_one_mark_is_cut_as_the_pattern_cuts_it(word: str, mark: str) -> None:
    """Most pieces are of this form and take a shorter way."""
    assert tokenize(word + mark) == tuple(found.group() for found in _WHOLE.finditer(word + mark))


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join))
def test_any_piece_is_cut_as_the_pattern_cuts_it(piece: str) -> None:
    """Words between marks, with hyphens and the numbers of references."""
    assert tokenize(piece) == tuple(found.group() for found in _WHOLE.finditer(piece))
