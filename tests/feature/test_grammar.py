"""Parts of speech and polarities, worked by hand."""

import numpy as np
import pytest
from tests.feature.conftest import document

from understandability.feature.batch import Batch
from understandability.feature.grammar import _PARTS_OF_SPEECH, count_tags
from understandability.feature.table import compute_features
from understandability.feature.tagger import TWELVE
from understandability.feature.word_lists import polarity

# The DET / old ADJ / doctor NOUN / is AUX / happy ADJ / , PUNCT / and CCONJ / she PRON /
# never ADV / looks VERB / at ADP / two NUM / bad ADJ / letters NOUN / . PUNCT
TEXT = "The old doctor is happy, and she never looks at two bad letters."
COUNTS = {
    "verbs": 2,
    "nouns": 2,
    "pronouns": 1,
    "adjectives": 3,
    "adverbs": 1,
    "adpositions": 1,
    "conjunctions": 1,
    "determiners": 1,
    "cardinals": 1,
    "particles": 0,
    "other_tokens": 0,
    "punctuation": 2,
    "entities": 0,
}


@pytest.mark.parametrize(("name", "value"), COUNTS.items())
def test_counts_of_a_sentence_worked_by_hand(name: str, value: float) -> None:
    """Fifteen tokens, thirteen words."""
    assert compute_features([document(TEXT)], [name]).values[0, 0] == value


def test_entities_are_runs_of_proper_nouns() -> None:
    """Marie Curie and Paris; a run ends with its sentence."""
    text = document(["The woman saw Marie Curie in Paris.", "John laughed."])
    assert compute_features([text], ["entities"]).values[0, 0] == 3


def test_chunk_heights_are_summed_over_sentences_with_a_word() -> None:
    """Per sentence it is their mean; a row of stars is no sentence."""
    texts = [["The flu is an infection."], ["Yes."], ["The flu is an infection.", "* * *", "Yes."]]
    table = compute_features(map(document, texts), ["chunk_height", "chunk_height_per_sentence"])
    alone = table.values[:2, 0]
    assert table.values[2].tolist() == [alone.sum(), alone.mean()]


def test_every_token_has_one_of_twelve_tags() -> None:
    """The twelve counts add up to the tokens, in each document."""
    batch = Batch([document(TEXT), document(""), document("Don't! Rest, and call me.")])
    np.testing.assert_array_equal(count_tags(batch).sum(axis=1), np.diff(batch.token_starts))
    assert [tag for _, tag, _ in _PARTS_OF_SPEECH] == list(TWELVE)


def test_polarities_of_a_sentence_worked_by_hand() -> None:
    """Happy is positive; worries and bad are negative; they and the neutral add up to the words."""
    texts = map(
        document, ["The Happy doctor never worries about two bad colds.", "3.5 kidneys", ""]
    )
    names = ["positive_words", "negative_words", "neutral_words", "words"]
    values = compute_features(texts, names).values
    assert values.tolist() == [[1, 2, 6, 9], [0, 0, 2, 2], [0, 0, 0, 0]]
    assert polarity(["kidney", "excellent", "death"]).tolist() == [0, 1, -1]
    assert polarity([]).tolist() == []
