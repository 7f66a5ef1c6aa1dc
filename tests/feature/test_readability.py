"""Formulas and their counts, worked by hand, and what must not change them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.feature.conftest import document

from understandability.feature import formulas as readability
from understandability.feature.catalogue import COLUMNS, catalogue
from understandability.feature.table import compute_features

# Counted by hand. Vienna is a name; Lee and Maria only begin sentences.
# 3.5 is read "three point five" (Flesch 1948: figures count as they are read).
SENTENCES = [
    "Lee said the medicine isn't dangerous.",
    "Maria was walking to Vienna, and diseases were treated.",
    "Use well-known immunization remedies 3.5 times!",
]
COUNTS = {
    "words": 6 + 9 + 6,
    "sentences": 3,
    "characters": 31 + 45 + 39,  # isn't: 4, well-known: 9, 3.5: 2
    "syllables": 11 + 17 + 15,
    "polysyllables": 8,  # medicine dangerous Maria Vienna diseases immunization remedies 3.5
    "words_over_3_syllables": 1,  # immunization
    "difficult_words": 5,  # Lee Maria diseases immunization remedies
    "words_longer_4": 11,  # the next eight, and Maria Vienna times
    "words_longer_6": 8,  # medicine dangerous walking diseases treated well-known and two
    "words_longer_10": 1,  # immunization
    "words_longer_13": 0,
}
FORMULAS = {
    "ari": 4.71 * 115 / 21 + 0.5 * 21 / 3 - 21.43,
    "coleman_liau": 0.0588 * (100 * 115 / 21) - 0.296 * (100 * 3 / 21) - 15.8,
    "dale_chall": 0.1579 * (100 * 5 / 21) + 0.0496 * 21 / 3 + 3.6365,
    "dale_chall_above_5": 0.1579 * (100 * 5 / 21) + 0.0496 * 21 / 3 + 3.6365,
    "dale_chall_cloze": 64 - 0.95 * (100 * 5 / 21) - 0.69 * 21 / 3,
    "flesch_kincaid": 0.39 * 21 / 3 + 11.8 * 43 / 21 - 15.59,
    "flesch_reading_ease": 206.835 - 1.015 * 21 / 3 - 84.6 * 43 / 21,
    "gunning_fog": 0.4 * (21 / 3 + 100 * 6 / 21),  # neither Vienna nor diseases
    "gunning_fog_plain": 0.4 * (21 / 3 + 100 * 8 / 21),
    "lix": 21 / 3 + 100 * 8 / 21,
    "smog": 1.043 * math.sqrt(8 * 30 / 3) + 3.1291,
    "eflaw": (21 + 7) / 3,  # Lee the was to and Use 3.5
    "forcast": 20 - 15 * 9 / 21,  # Lee said the was to and were Use times
    "linsear_write": (21 + 2 * 8) / 3 / 2 - 1,
    "reading_minutes": 21 / 238,
    "rix": 8 / 3,
    "spache_dale_chall": 0.141 * 21 / 3 + 0.086 * (100 * 5 / 21) + 0.839,
    # Five name 12: of 11.3 (flesch_kincaid) above, of 12.5 (smog) and 12.2 (coleman_liau) below
    # and nearest.
    "text_standard": 12,
}
# The study's words: is + n't for isn't. Difficult ones: lee nt maria walking vienna diseases
# treated wellknown immunization remedies 35 times. Syllables are hyphenation points and one:
# medi-cine dan-ger-ous Maria walk-ing Vi-enna dis-eases treat-ed well-known
# im-mu-niza-tion reme-dies times.
READCALC = {
    "ari_readcalc": 4.71 * 115 / 22 + 0.5 * 22 / 3 - 21.43,
    "coleman_liau_readcalc": 5.89 * 115 / 22 - 30.0 * 3 / 22 - 15.8,
    "dale_chall_readcalc": 0.1579 * (100 * 12 / 22) + 0.0496 * 22 / 3,
    "lix_readcalc": 22 / 3 + 100 * 8 / 22,
}


@pytest.mark.parametrize(("name", "value"), [*COUNTS.items(), *FORMULAS.items(), *READCALC.items()])
def test_counts_and_formulas_of_a_text_worked_by_hand(name: str, value: float) -> None:
    """Three sentences that a reader can count."""
    table = compute_features([document(SENTENCES)], [name])
    assert table.values[0, 0] == pytest.approx(value, rel=1e-6, abs=1e-6)


def test_every_formula_and_component_is_worked_by_hand() -> None:
    """A new row needs an example; other readcalc rows are compared in test_readcalc."""
    worked = {*COUNTS, *FORMULAS}
    groups = ("readability", "components", "other formulas")
    rows = {row.name for row in catalogue() if row.group in groups}
    assert {name for name in rows if not name.endswith("_readcalc")} == worked


def test_coleman_liau_of_the_abstract_of_its_paper() -> None:
    """639 letters, 119 words, 5 sentences: 14.5 (Coleman & Liau 1975; worked in Wikipedia)."""
    assert readability.coleman_liau(639, 119, 5) == pytest.approx(14.53, abs=0.005)


@pytest.mark.parametrize(
    ("formula", "counts", "value"),
    [
        # Gunning (1952) in Wikipedia's "Gunning fog index": none; by its definition, 10 + 10 %.
        (readability.fog, (10, 100, 10), 8.0),
        # McLaughlin (1969): 30 sentences with 49 polysyllables; 3.1291 + 1.043 * 7.
        (readability.smog, (49, 30), 10.4301),
        # Wikipedia's "Flesch-Kincaid": "The cat sat on the mat." has an ease of 116 (116.145).
        (readability.flesch, (6, 6, 1), 116.145),
        # The same sentence has the grade -1.45 (0.39 * 6 + 11.8 - 15.59).
        (readability.flesch_kincaid, (6, 6, 1), -1.45),
        # Wikipedia: "This sentence, taken as a reading passage unto itself, is being used to
        # prove a point." has an ease of 69 (24 syllables, 16 words).
        (readability.flesch, (24, 16, 1), 63.695),
        # McAlpine, after strainindex.wordpress.com (30 April 2009): "In relation to the selection
        # of a firm of consultants, we are at liberty to make a choice." has 18 words, 11 of them
        # miniwords; "The Marketing Team is authorised to select a consultancy firm." 10 and 4.
        (readability.eflaw, (11, 18, 1), 29),
        (readability.eflaw, (4, 10, 1), 14),
        # readabilityformulas.com on FORCAST: 80 words of one syllable in 150 are grade 12.
        (readability.forcast, (80, 150), 12),
        # Wikipedia's "Linsear Write": above 20 points a sentence their half, else 1 less.
        (readability.linsear_write, (5, 100, 5), 11.0),
        (readability.linsear_write, (0, 100, 5), 9.0),
    ],
)
def test_formulas_give_published_values(formula, counts, value: float) -> None:
    """Values that others print, or that follow from a source's own numbers."""
    assert formula(*counts) == pytest.approx(value, rel=1e-6, abs=1e-6)


def test_dale_chall_above_5_leaves_out_the_constant_of_easy_texts() -> None:
    """5 % is not above 5 %; `dale_chall` adds the constant always."""
    assert readability.dale_chall(5, 100, 10) == pytest.approx(0.7895 + 0.496 + 3.6365)
    assert readability.dale_chall_above_5(5, 100, 10) == pytest.approx(0.7895 + 0.496)
    assert readability.dale_chall_above_5(6, 100, 10) == pytest.approx(0.9474 + 0.496 + 3.6365)


def test_smog_is_flagged_below_30_sentences() -> None:
    """McLaughlin's formula was fitted on 30 sentences."""
    short, long = document(["Rest now."] * 29), document(["Rest now."] * 30)
    assert compute_features([short, long, document("")], ["smog"]).flags == (
        ("smog_extrapolated",),
        (),
        ("no_words",),
    )
    assert compute_features([short], ["ari"]).flags == ((),)


# --- properties

POOL = (
    "the patient Maria rest medicine diseases walking well-being immunization 3.5 tumours in "
    "treated Vienna drink dangerous hypertension and of"
)
WORDS = st.sampled_from(POOL.split())
SENTENCE = st.lists(WORDS, min_size=1, max_size=8).map(" ".join).map("{}.".format)
TEXT = st.lists(SENTENCE, min_size=1, max_size=6)
FORMULA_COLUMNS = [
    name
    for name, (row, per) in COLUMNS.items()
    if row.group in ("readability", "other formulas")
    or (row.group == "components" and per != "document")
    if name != "reading_minutes"  # which is all about length
]


@given(TEXT, st.integers(2, 4))
def test_a_text_repeated_has_the_same_formulas(sentences: list[str], times: int) -> None:
    """Formulas and ratios say nothing about length."""
    once, repeated = compute_features(
        [document(sentences), document(sentences * times)], FORMULA_COLUMNS
    ).values
    np.testing.assert_allclose(repeated, once, rtol=1e-6)


@given(TEXT, st.randoms(use_true_random=False))
def test_shuffled_sentences_have_the_same_formulas(sentences: list[str], random) -> None:
    shuffled = random.sample(sentences, len(sentences))
    before, after = compute_features(
        [document(sentences), document(shuffled)], FORMULA_COLUMNS
    ).values
    np.testing.assert_allclose(after, before, rtol=1e-6)


@given(TEXT)
def test_per_word_and_per_sentence_are_the_raw_count_divided(sentences: list[str]) -> None:
    table = compute_features([document(sentences)])
    value = dict(zip(table.names, table.values[0], strict=True))
    for row in catalogue():
        for per, count in (("word", "words"), ("sentence", "sentences")):
            if per in row.per:
                np.testing.assert_array_equal(
                    value[row.column(per)], value[row.name] / value[count], err_msg=row.name
                )


@given(TEXT, st.data())
def test_a_polysyllable_for_a_short_word_never_lowers_plain_fog(sentences: list[str], data) -> None:
    """FOG counts polysyllables, and nothing else of a word."""
    where = data.draw(st.integers(0, len(sentences) - 1))
    pieces = sentences[where].removesuffix(".").split()
    short = [index for index, piece in enumerate(pieces) if piece in ("the", "rest", "in", "and")]
    for index in short:
        harder = [*pieces[:index], "medicine", *pieces[index + 1 :]]
        changed = [*sentences[:where], " ".join(harder) + ".", *sentences[where + 1 :]]
        before, after = compute_features(
            [document(sentences), document(changed)], ["gunning_fog_plain"]
        ).values
        assert after > before
