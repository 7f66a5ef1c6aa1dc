"""Word-frequency and language-model rows: hand-worked values, and numpy as a second opinion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.feature.conftest import document

from understandability.feature.batch import FloatArray
from understandability.feature.catalogue import COLUMNS
from understandability.feature.frequency import GENERAL_LIST, places_in, summaries
from understandability.feature.language_model import (
    CORPORA,
    MODELS,
    NO_WORD,
    UNKNOWN,
    WordStatistics,
    log_probabilities,
    normalised_ranks,
    word_statistics,
)
from understandability.feature.table import compute_features

FREQUENCY = [name for name, (row, _) in COLUMNS.items() if row.group == "word frequency"]
MODEL = [name for name, (row, _) in COLUMNS.items() if row.group == "language model"]


def values(text: str, *names: str) -> FloatArray:
    return compute_features([document([text])], names).values[0]


def test_there_are_20_rows_of_ranks_and_5_of_general_english() -> None:
    assert sum(name.startswith("rank_") for name in FREQUENCY) == 20
    assert sum(name.startswith("zipf_") for name in FREQUENCY) == 5


def test_summaries_of_a_document_worked_by_hand() -> None:
    """Four known words at 0, 10, 20 and 40, one unknown, one comma; then a comma alone."""
    values = np.array([0.0, 10.0, 20.0, 40.0])
    places = np.array([[3, 1, UNKNOWN, 0, NO_WORD, 2, NO_WORD]])
    figures = summaries(values, places, np.array([0, 6, 7, 7]))[:, 0]
    assert figures[0].tolist() == [7.5, 15.0, 25.0, 70 / 4, 70 / 5]
    assert np.isnan(figures[1:]).all()


@given(st.lists(st.lists(st.integers(-2, 9), max_size=12), min_size=1, max_size=5))
def test_summaries_agree_with_numpy(documents: list[list[int]]) -> None:
    values = np.cumsum(np.arange(10)) / 7
    starts = np.cumsum([0, *map(len, documents)])
    joined = np.array([place for each in documents for place in each], int)
    # A second scale on which nothing has a place leaves the first as it is.
    figures = summaries(values, np.stack([joined, np.minimum(joined, UNKNOWN)]), starts)[:, 0]
    for places, row in zip(documents, figures, strict=True):
        known = values[[place for place in places if place >= 0]]
        if not len(known):
            assert np.isnan(row[:4]).all()
            continue
        expected = [*np.percentile(known, [25, 50, 75]), known.mean()]
        expected.append(known.sum() / sum(place != NO_WORD for place in places))
        assert row == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_most_frequent_word_ranks_100_and_the_rarest_share_theirs() -> None:
    counts = word_statistics().counts
    for column in range(len(CORPORA)):
        ranks = normalised_ranks(counts[:, column])
        once = ranks[counts[:, column] == 1]
        assert np.nanmax(ranks) == 100
        assert np.ptp(once) == 0
        # The mean of the places 0 .. n-1 of n equally rare words, over the V - 1 steps.
        steps = np.count_nonzero(counts[:, column]) - 1
        assert once[0] == pytest.approx(100 * (len(once) - 1) / 2 / steps)


def test_case_and_punctuation_do_not_matter_and_numbers_go_by_shape() -> None:
    names = (*FREQUENCY, *MODEL)
    assert np.array_equal(
        values("heart 10 attack", *names), values("HEART, (31) “Attack”!", *names)
    )


def test_unknown_words_are_left_out_of_the_mean_and_count_as_0_in_the_other() -> None:
    names = ("rank_pubmed_mean", "rank_pubmed_mean_all", "zipf_mean", "zipf_mean_all")
    plain, mixed = values("heart", *names), values("heart xqzzzy", *names)
    assert mixed == pytest.approx(plain * [1, 0.5, 1, 0.5])


def test_zipf_is_the_scale_of_wordfreq() -> None:
    """wordfreq.zipf_frequency gives myocardial 2.93 and the 7.73 (wordfreq 3.1.1)."""
    assert values("myocardial", "zipf_mean")[0] == 2.93
    assert values("The", "zipf_mean")[0] == 7.73
    assert places_in(GENERAL_LIST).words == 321_180


def test_a_clitic_counts_as_its_word() -> None:
    assert values("don't", "zipf_mean") == values("do not", "zipf_mean")


def test_probabilities_sum_to_one_over_known_and_unknown_words() -> None:
    statistics = word_statistics()
    known, unknown = log_probabilities(statistics)
    total = np.exp(known).sum(axis=0) + statistics.dropped_types * np.exp(unknown)
    assert total == pytest.approx(np.ones(len(MODELS)))


def test_probabilities_of_a_small_vocabulary_worked_by_hand() -> None:
    """Two words, three corpora of 4, 2 and 2 known words, and a tenth of unknown ones."""
    statistics = WordStatistics(
        words=("heart", "cardiac"),
        counts=np.array([[4, 1, 0], [0, 1, 2]]),
        dropped_tokens=np.array([0, 0, 2]),
        dropped_types=2,
    )
    known, unknown = map(np.exp, log_probabilities(statistics, merged_weight=0.5))
    # Unknown: the mean of 0, 0 and 2/4 is 1/6; merged: 5/6 of (1 + 1/2 + 0)/3 = 5/12.
    assert known[:, 3] == pytest.approx([5 / 12, 5 / 12])
    assert known[0, :3] == pytest.approx([0.5 + 5 / 24, 0.25 + 5 / 24, 5 / 24])
    assert unknown == pytest.approx([1 / 24, 1 / 24, 1 / 24, 1 / 12])


def test_a_word_seen_nowhere_tells_nothing_about_the_corpus() -> None:
    assert values("xqzzzy", "log_likelihood_pubmed_reddit")[0] == 0


def test_research_prose_is_likelier_in_pubmed_and_a_post_in_reddit() -> None:
    name = "log_likelihood_pubmed_reddit"
    hard = "Patients randomized to metoprolol had significantly reduced cardiovascular mortality."
    easy = "My doctor told me I should stop worrying about my heart so much."
    assert values(hard, name)[0] > 1 > -1 > values(easy, name)[0]
