"""Documents as arrays; numbers of strings, and columns computed once for each."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from tests.feature.conftest import document

from understandability.feature import batch as batch_module
from understandability.feature.batch import Batch, PieceTable, TypeTable, ratio, sum_segments
from understandability.feature.table import batches, compute_features
from understandability.text.document import Document
from understandability.text.tokens import word_of


def words_of(batch: Batch) -> list[str]:
    return [batch.word_types.strings[number] for number in batch.word_ids]


def test_words_tokens_and_sentences_of_each_document() -> None:
    """Starts separate the documents, including empty ones."""
    batch = Batch([document("Flu? Rest."), document(""), document("Drink, and don't worry.")])
    assert words_of(batch) == ["Flu", "Rest", "Drink", "and", "don't", "worry"]
    assert batch.word_starts.tolist() == [0, 2, 2, 6]
    assert batch.words.tolist() == [2, 0, 4]
    assert batch.sentences.tolist() == [2, 0, 1]
    assert batch.sentence_starts.tolist() == [0, 1, 2]
    assert [batch.token_types.strings[number] for number in batch.token_ids] == [
        "Flu", "?", "Rest", ".", "Drink", ",", "and", "do", "n't", "worry", ".",
    ]  # fmt: skip
    assert batch.token_starts.tolist() == [0, 4, 4, 11]
    assert batch.token_sentence_starts.tolist() == [0, 2, 4]


def test_a_sentence_without_a_word_does_not_count() -> None:
    """A row of stars is no sentence."""
    batch = Batch([document(["Rest now.", "* * *", "Then eat.", "!"])])
    assert batch.sentences.tolist() == [2]
    assert batch.sentence_starts.tolist() == [0, 2]


def test_names_are_capitalised_within_a_sentence_or_so_elsewhere() -> None:
    """A capital at the beginning of a sentence says nothing unless the word has it elsewhere."""
    batch = Batch(
        [
            document(["Vienna is old.", "He saw Vienna.", "Patients say (Hello).", "— Rest now."]),
            document(["Vienna is old."]),
        ]
    )
    names = [word for word, name in zip(words_of(batch), batch.is_name, strict=True) if name]
    assert names == ["Vienna", "Vienna", "Hello"]


ABSTRACT = (
    "Hypertension predicts cardiovascular mortality among diabetic outpatients. "
    "We randomised 214 participants to lisinopril, placebo or behavioural counselling. "
    "Both interventions lowered systolic pressure; neither altered albuminuria. Rest helped."
)


def test_a_text_in_capitals_is_judged_by_its_words() -> None:
    """Its words are neither names nor acronyms; all values equal those in lower case."""
    texts = [document(ABSTRACT.upper()), document(ABSTRACT.lower())]
    capitals, small = compute_features(texts).values
    np.testing.assert_array_equal(capitals, small)


@pytest.mark.parametrize(
    ("sentence", "is_lowered"),
    [
        ("TAKE TWO TABLETS WITH WATER.", True),
        ("REST HELPS, says Vienna.", False),  # one long word of two
        ("MRI, CT and HIV.", False),  # short words may be acronyms, and say nothing
        ("The COVID pandemic began.", False),
        ("DIAGNOSIS", True),
        ("42", False),
    ],
)
def test_a_sentence_is_in_capitals_if_most_of_its_long_words_are(
    sentence: str, is_lowered: bool
) -> None:
    """Only words of five letters or more count; other sentences do not matter."""
    words = words_of(Batch([document([sentence, "He saw the WHO."])]))
    before = words_of(Batch([document([sentence])]))
    assert words == [*before, "He", "saw", "the", "WHO"]
    written = [word_of(piece) for piece in sentence.split()]
    assert before == ([word.lower() for word in written] if is_lowered else written)


def test_sums_of_segments_do_not_depend_on_the_others() -> None:
    """Each sum is bit-identical to the sum of the segment alone; empty segments have 0."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=1000)
    starts = np.array([0, 0, 300, 300, 999, 1000, 1000])
    sums = sum_segments(values, starts)
    for (start, end), total in zip(pairwise(starts), sums, strict=True):
        part = values[start:end]
        assert sum_segments(part, np.array([0, len(part)]))[0] == total
        np.testing.assert_allclose(part.sum(), total)


def test_a_ratio_of_nothing_is_nan_without_a_warning() -> None:
    np.testing.assert_array_equal(ratio([0.0, 5.0, 1.0], [0, 0, 2]), [np.nan, np.nan, 0.5])


def test_what_rows_share_is_computed_once() -> None:
    """`once` remembers a function's result for the batch."""
    calls = []

    def shared(batch: Batch) -> int:
        calls.append(batch)
        return len(batch)

    batch = Batch([document("Rest.")])
    assert (batch.once(shared), batch.once(shared), len(calls)) == (1, 1, 1)


def test_a_column_sees_every_string_once() -> None:
    """A column is computed once per distinct string."""
    seen: list[str] = []

    def lengths(strings: Sequence[str]) -> np.ndarray:
        seen.extend(strings)
        return np.array([len(string) for string in strings])

    table = TypeTable()
    table.number(["flu", "fever", "flu"])
    assert table.column(lengths).tolist() == [3, 5]
    table.number(["fever", "rash"])
    assert table.column(lengths).tolist() == [3, 5, 4]
    assert seen == ["flu", "fever", "rash"]


def test_columns_may_have_two_dimensions() -> None:
    """A column with a row of numbers for each string grows as others do."""

    def pairs(strings: Sequence[str]) -> np.ndarray:
        return np.array([[len(string), 1] for string in strings])

    table = TypeTable()
    for string in ("a", "bb", "ccc", "dddd"):
        table.number([string])
        assert table.column(pairs)[-1].tolist() == [len(string), 1]
    assert table.column(pairs).shape == (4, 2)


def test_pieces_know_their_word_and_tokens() -> None:
    """Words and tokens have separate tables of types; a piece without a word has -1."""
    table = PieceTable()
    ids = table.number(["\"Don't", "-", "panic."])
    assert table.word_types.strings == table.token_types.strings == []
    words = table.words(ids)
    assert words.tolist() == [0, -1, 1]
    assert table.word_types.strings == ["Don't", "panic"]
    tokens, sizes = table.tokens(ids)
    assert [table.token_types.strings[token] for token in tokens] == [
        '"', "Do", "n't", "-", "panic", ".",
    ]  # fmt: skip
    assert sizes.tolist() == [3, 1, 2]


@pytest.mark.parametrize(("limit", "value"), [("MAX_TYPES", 3), ("MAX_CHARACTERS", 10)])
def test_a_full_table_gives_way_to_an_empty_one_and_no_value_changes(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """The table of a process is bounded in types and in characters; values are not affected."""
    monkeypatch.setattr(batch_module, "_pieces", PieceTable())
    first = Document("a", "", ("Influenza", "makes", "you", "ill."), (0,))
    second = Document("b", "", ("You", "need", "rest."), (0,))
    together = compute_features([first, second]).values
    monkeypatch.setattr(batch_module, limit, value)
    batch = Batch([first])
    apart = [compute_features([each]).values[0] for each in (first, second)]
    assert len(batch_module.pieces()) == 0
    np.testing.assert_array_equal(together, apart)
    assert batch.words.tolist() == [4.0], "a batch keeps the table it was made with"


@pytest.mark.parametrize(("limit", "value"), [("_MAX_CACHED", 2), ("MAX_CHARACTERS", 9)])
def test_what_is_remembered_of_strings_is_bounded(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """In strings and in characters, for a crawl may hold words of a million letters."""

    def lengths(strings: Sequence[str]) -> np.ndarray:
        return np.array([len(string) for string in strings])

    monkeypatch.setattr(batch_module, limit, value)
    table = TypeTable()
    assert table.remembered(lengths, ["flu", "fever", "rash", "flu"]).tolist() == [3, 5, 4, 3]
    assert len(table) == 3
    assert table.remembered(lengths, ["ill"]).tolist() == [3]
    assert table.strings == ["ill"]


def test_many_new_strings_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of a million different words needs no memory for all at once."""
    requested = []

    def lengths(strings: Sequence[str]) -> np.ndarray:
        requested.append(len(strings))
        return np.array([len(string) for string in strings], np.int32)

    monkeypatch.setattr(batch_module, "_CHUNK", 2)
    table = TypeTable()
    assert table.column(lengths).tolist() == []
    table.number(["a", "bb", "ccc", "dddd", "eeeee"])
    assert table.column(lengths).tolist() == [1, 2, 3, 4, 5]
    assert requested == [0, 2, 2, 1]


def test_batches_of_endless_pieces_are_small() -> None:
    """A piece may hold a million tokens."""
    endless = Document("d", "", ("!?" * 60_000,), (0,))
    assert [len(batch) for batch in batches([endless] * 5)] == [3, 2]
