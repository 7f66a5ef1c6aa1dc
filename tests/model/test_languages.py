"""The bundle of languages: a level of each, a difficulty where readings calibrated it."""

from pathlib import Path

import numpy as np
import pytest
from tests.conftest import Python

import understandability as ud
from understandability.errors import InputError
from understandability.feature.frequency import places_in
from understandability.model.language_columns import COLUMNS, language_columns
from understandability.model.languages import KnownLanguage, LanguagesModel
from understandability.model.translations import translations
from understandability.scoring import load_languages, score_html, score_text
from understandability.text.other_languages import LANGUAGES
from understandability.text.stop_words import STOP_LISTS

SYLLABLES = Path(__file__).parents[1] / "text" / "syllables_of_languages.txt"
EASY = "Ich habe einen Hund. Er ist klein. Wir gehen oft in den Wald. Dort ist es schön. " * 3
HARD = (
    "Die Verarbeitung personenbezogener Daten zu anderen Zwecken ist zulässig, soweit die "
    "Voraussetzungen des Absatzes 2 vorliegen, es sei denn, dass schutzwürdige Interessen der "
    "betroffenen Person an dem Ausschluss der Verarbeitung offensichtlich überwiegen. " * 3
)


def model() -> LanguagesModel:
    """Return the model of the bundle."""
    result = load_languages().model
    assert isinstance(result, LanguagesModel)
    return result


@pytest.mark.slow  # reads all words of a language
@pytest.mark.parametrize("tag", LANGUAGES)
def test_a_row_is_complete(tag: str) -> None:
    """Add what is missing; CONTRIBUTING says where."""
    row = LANGUAGES[tag]
    assert places_in(row.frequencies).words > 20_000
    assert row.abbreviations
    assert row.nuclei.pattern
    assert tag in STOP_LISTS
    assert len(translations(tag, row.frequencies).equivalents) > 10_000
    assert f"\n{tag} unseen " in SYLLABLES.read_text("utf-8")
    known = model().languages[tag]
    assert known.level_error > 0
    assert (len(known.line) == 2) == np.isfinite(known.spread)


def test_a_hard_text_is_harder() -> None:
    """English is read with the same columns and reader."""
    easy, hard = score_text(EASY), score_text(HARD)
    assert easy["language"] == hard["language"] == "de"
    for of in ("level", "difficulty"):
        assert easy[of] + 1 < hard[of]
    assert easy["p_understandable"] > 0.8 > hard["p_understandable"]
    assert easy["level_error"] > 0 < easy["spread"]


def test_what_nobody_tested_is_flagged_and_surer_of_less() -> None:
    """No judgements of people are there for Spanish."""
    spanish = score_text("Tengo un perro. Es muy pequeño. Vamos al bosque con los amigos. " * 3)
    assert "language_untested" in spanish["flags"]
    assert spanish["level_error"] > score_text(EASY)["level_error"]


def test_english_is_not_estimated_by_it(python: Python) -> None:
    """Nor is its list of words loaded for English, nor another for German."""
    program = (
        "import understandability as ud\n"
        "from understandability.feature.frequency import places_in\n"
        "from understandability.scoring import load_languages\n"
        "ud.score_text('You have flu. Rest, and drink plenty of water.')\n"
        "print(load_languages.cache_info().currsize, places_in.cache_info().currsize)\n"
        "ud.score_text('Ich habe einen Hund. Er ist klein. Wir gehen oft in den Wald. Gut.')\n"
        "print(load_languages.cache_info().currsize, places_in.cache_info().currsize)\n"
    )
    assert python(program).split() == ["0", "1", "1", "2"]


def test_a_language_that_is_not_listed_has_no_estimate() -> None:
    result = score_html("<html lang=fi><p>" + "Influenssa on viruksen aiheuttama tauti. " * 5)
    assert np.isnan([result["level"], result["difficulty"], result["p_understandable"]]).all()
    assert "not_english" in result["flags"]


def test_another_scale_has_no_estimate_of_it() -> None:
    """Scores of two scales must not be mixed."""
    assert np.isnan(score_text(EASY, bundle="llr")["difficulty"])


def test_a_reader_of_the_scale_of_2016() -> None:
    """Has a difficulty by the level, as in English."""
    result = score_text(HARD, reader="assessor-2016")
    assert 0 < result["p_understandable"] < 1
    assert result["difficulty"] != score_text(HARD)["difficulty"]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="do not fit its columns"):
        KnownLanguage((0.0,) * len(COLUMNS), (0.0,) * len(COLUMNS), 0.3)
    parts, weights = model().to_parts()
    with pytest.raises(InputError, match="no row for the language 'xx'"):
        LanguagesModel.from_parts({**parts, "languages": {"xx": parts["languages"]["de"]}}, weights)
    with pytest.raises(InputError, match="does not state the parameters"):
        LanguagesModel.from_parts({**parts, "languages": {"de": {}}}, weights)


def test_columns_of_a_text_by_hand() -> None:
    """Two sentences of three words and one; a text of marks alone has no passage."""
    columns, words = language_columns(
        ["Der", "Hund", "schläft,", "gut.", "Ja!"], [0, 4], "de", "large_de"
    )
    row = dict(zip(COLUMNS, columns[0], strict=True))
    assert words.tolist() == [5]
    assert row["log_words_of_sentence"] == pytest.approx(np.log(2.5))
    assert row["letters_of_word"] == pytest.approx((3 + 4 + 7 + 3 + 2) / 5)
    assert row["long_words"] == pytest.approx(1 / 5)
    assert row["commas"] == pytest.approx(np.log1p(1 / 2))
    assert row["questions"] == pytest.approx(1 / 2)
    assert len(language_columns(["–", "..."], [0], "de", "large_de")[1]) == 0


def test_complexity_and_meaning_of_words_by_hand() -> None:
    """They come from equivalents, else from frequency and length; names have no complexity."""
    german = translations("de", "large_de")
    hard, easy = german.complexity_of("verfassung", 400)[0], german.complexity_of("hund", 500)[0]
    assert easy < hard
    assert german.complexity_of("qqqqqqqqqqqqqqqq", 100)[1] == -1
    assert german.complexity_of("q" * 16, 100)[0] > german.complexity_of("q" * 4, 100)[0]
    named = language_columns(["le", "chien", "Qzwxl"], [0], "fr", "large_fr")[0][0]
    plain = language_columns(["le", "chien"], [0], "fr", "large_fr")[0][0]
    at = COLUMNS.index("hardest_words_of_sentence")
    assert named[at] == plain[at]


@pytest.mark.slow  # each word of English that has a vector is looked up
def test_the_same_words_of_other_languages_mean_the_same() -> None:
    """And are as hard."""
    german, english, french = (
        language_columns(text.split(), [0], tag, f"large_{tag}")[0][0][COLUMNS.index("meaning_0") :]
        for text, tag in (("Der Hund", "de"), ("The dog", "en"), ("Le chien", "fr"))
    )
    assert german == pytest.approx(english, rel=1e-6, abs=1e-6)
    assert french == pytest.approx(english, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("declared", "language", "text"),
    [
        (None, "hi", "कमल सुंदर है। गुलाब लाल है। आम मीठा है। पानी ठंडा है। दूध सफेद है। घर बड़ा है।"),
        (None, "it", "I bambini vanno a scuola in autobus. I maestri arrivano a scuola in auto. "
                     "I libri stanno in classe."),
        (None, "ru", "ВНИМАНИЕ! УВАЖАЕМЫЕ ПОКУПАТЕЛИ! МАГАЗИН ЗАКРЫТ НА РЕМОНТ. МЫ РАБОТАЕМ С "
                     "ПОНЕДЕЛЬНИКА. ПРИХОДИТЕ К НАМ СНОВА. СПАСИБО."),
        (None, "kk", "Мен мектепке барамын. Сен де мектепке барасың ба? Менің достарым жақсы."),
        ("nl", "nl", "Jan was in de tuin. Piet is in bed. Anna was in bad. Mama is in Rome. " * 4),
        ("it", "it", "I nonni vanno a Roma. I gatti vanno a letto. I cani in casa. A me no. " * 4),
        ("en", "ru", "У меня есть собака. Она маленькая. Мы часто ходим в лес."),
    ],
)  # fmt: skip
def test_easy_texts_are_told_by_few_words(declared: str | None, language: str, text: str) -> None:
    """Commands, a script in capitals; a declared language is trusted unless it is clearly wrong."""
    of = f" lang={declared}" if declared else ""
    assert score_html(f"<html{of}><p>{text}")["language"] == language


def test_two_languages_are_told_though_lists_of_words_hold_english() -> None:
    """jusText's German and Hindi lists contain English words; short runs are not evidence."""
    law = (
        "The owner of the land must tell the council about any use of the land that is not in it. "
    )
    assert "two_languages" in score_html(f"<html lang=de><p>{law}")["flags"]
    russian = "У меня есть собака. Она маленькая. Мы часто ходим в лес с друзьями. " * 5
    assert "two_languages" not in score_html(f"<html lang=ru><p>{russian} Мы спим.")["flags"]


def test_long_unknown_words_are_terms_and_no_names() -> None:
    """Nor does a word of many marks take its time by the square."""
    columns = {
        word: language_columns(["prende", word], [0], "it", "large_it")[0][0]
        for word in ("Qzwxlavia", "Levotiroxinazione", "a" + "\u0301\u0323" * 50_000)
    }
    at = COLUMNS.index("hardest_words_of_sentence")
    assert columns["Qzwxlavia"][at] < columns["Levotiroxinazione"][at]


def test_the_card_names_its_languages() -> None:
    rows = {row["language"]: row for row in load_languages().card["figures"]}
    assert len(rows) == len(LANGUAGES)
    assert rows["German"]["level tested by"] == "people's labels"
    assert rows["Spanish"]["level tested by"] == "nobody"
    assert ud.load_bundle("languages").licence == "CC BY-SA 4.0"
