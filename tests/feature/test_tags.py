"""Tags: accuracy, independence of the batch, and the stated map."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import CHARACTERS

from understandability.feature.tagger import TO_TWELVE, TWELVE, UNIVERSAL, default_tagger

SENTENCES = [
    ["The", "doctor", "said", "that", "the", "flu", "is", "caused", "by", "a", "virus", "."],
    ["Do", "n't", "take", "2.5", "mg", "twice", "a", "day", "!"],
    ["Dr.", "Mary", "Smith", "works", "in", "Boston", "."],
    ["Rest"],
]


def tags_of(tokens: list[str]) -> str:
    return " ".join(UNIVERSAL[tag] for tag in default_tagger().tag(tokens, np.array([0])))


@pytest.mark.parametrize(
    ("tokens", "tags"),
    [
        (SENTENCES[0], "DET NOUN VERB SCONJ DET NOUN AUX VERB ADP DET NOUN PUNCT"),
        (SENTENCES[1], "AUX PART VERB NUM NOUN ADV DET NOUN PUNCT"),
        (SENTENCES[2], "PROPN PROPN PROPN VERB ADP PROPN PUNCT"),
    ],
)
def test_plain_sentences_are_tagged_as_in_the_treebank(tokens: list[str], tags: str) -> None:
    """Words that are one part of speech here and another there come out by their neighbours."""
    assert tags_of(tokens) == tags


def test_twelve_tags_are_mapped_as_stated() -> None:
    """AUX is a verb, PROPN a noun, SCONJ a conjunction, INTJ and SYM are other."""
    renamed = {tag: TWELVE[TO_TWELVE[number]] for number, tag in enumerate(UNIVERSAL)}
    assert renamed["AUX"] == "VERB"
    assert renamed["PROPN"] == "NOUN"
    assert renamed["SCONJ"] == renamed["CCONJ"] == "CONJ"
    assert renamed["INTJ"] == renamed["SYM"] == renamed["X"] == "X"
    assert set(renamed.values()) == set(TWELVE)


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6), st.integers(0, 5))
def test_a_sentence_has_the_same_tags_in_any_batch(batch: list[list[str]], which: int) -> None:
    """Preceding and following sentences do not matter."""
    which %= len(batch)
    starts = np.cumsum([0, *map(len, batch[:-1])])
    together = default_tagger().tag([token for sentence in batch for token in sentence], starts)
    alone = default_tagger().tag(batch[which], np.array([0]))
    start = starts[which]
    assert together[start : start + len(alone)].tolist() == alone.tolist()


@pytest.mark.parametrize("size", [4095, 4096, 4097, 9000])
def test_large_batches_are_tagged_in_parts(size: int) -> None:
    """A batch is split between sentences, which does not change the tags."""
    tokens = (["Rest", "is", "good", "."] * size)[:size]
    starts = np.arange(0, size, 4)
    tagged = default_tagger().tag(tokens, starts)
    assert (tagged[: size // 4 * 4].reshape(-1, 4) == tagged[:4]).all()
    assert len(default_tagger().tag(tokens, np.array([0]))) == size


def test_nothing_gives_nothing() -> None:
    assert default_tagger().tag([], np.array([], int)).tolist() == []


@given(st.lists(st.text(CHARACTERS, min_size=1, max_size=80), max_size=30))
def test_any_tokens_are_tagged(tokens: list[str]) -> None:
    tagged = default_tagger().tag(tokens, np.arange(0, len(tokens), 3))
    assert len(tagged) == len(tokens)
    assert (tagged < len(UNIVERSAL)).all()
