"""All formulas of a text, in English and in other languages, worked by hand."""

import math
from pathlib import Path

import pytest

from understandability.errors import OptionError
from understandability.feature.catalogue import catalogue
from understandability.feature.formulas_of_languages import (
    LANGUAGE_FORMULAS,
    Counts,
    counts_in_language,
    readability,
)
from understandability.feature.table import compute_features
from understandability.text.analysis import document_of_text
from understandability.text.other_languages import LANGUAGES

# Two sentences in each language, counted by hand: letters, words, sentences, syllables, words of
# one syllable, of three or more, of four or more, of more than six letters.
TEXTS = {
    "de": (
        "Der Doktor hilft bei Krankheiten. Trinken Sie täglich viel Wasser mit Zitronensaft.",
        Counts(70, 12, 2, 21, 6, 2, 1, 4),
    ),
    "es": (
        "El médico receta pastillas. Beba mucho líquido todas las mañanas.",
        Counts(54, 10, 2, 23, 2, 5, 0, 3),
    ),
    "fr": (
        "Le docteur prescrit du repos. Buvez beaucoup pendant la fièvre.",
        Counts(52, 10, 2, 16, 4, 0, 0, 4),
    ),
    "it": (
        "Il dottore cura la febbre. Beva molto latte tutti i giorni.",
        Counts(47, 11, 2, 20, 3, 1, 0, 1),
    ),
    "nl": (
        "De dokter helpt bij ziekte. Drink elke dag veel water met honing.",
        Counts(52, 12, 2, 17, 7, 0, 0, 0),
    ),
    "pl": (
        "Lekarz pomaga chorym dzieciom. Temperatura szybko spada.",
        Counts(48, 7, 2, 18, 0, 2, 1, 2),
    ),
    "pt": (
        "O médico receita repouso. Beba muita água durante a febre.",
        Counts(47, 10, 2, 22, 2, 4, 0, 3),
    ),
    "ru": ("Врач лечит больных детей. Пейте много свежей воды.", Counts(41, 8, 2, 15, 1, 0, 0, 1)),
    "ar": ("الطبيب يكتب الدواء. اشرب الماء كثيرا.", Counts(30, 6, 2, 15, 0, 3, 0, 0)),
    "el": (
        "Ο γιατρός βοηθά τα παιδιά. Πίνετε πολύ νερό κάθε μέρα.",
        Counts(43, 10, 2, 20, 2, 2, 0, 1),
    ),
    "sv": (
        "Läkaren hjälper många sjuka barn. Drick mycket vatten varje dag.",
        Counts(53, 10, 2, 18, 3, 1, 0, 2),
    ),
    "tr": (
        "Doktor hasta çocuklara yardım eder. Her gün bol su için.",
        Counts(45, 10, 2, 18, 4, 1, 1, 1),
    ),
}
VALUES = {
    "de": {
        "amstad": 180 - 12 / 2 - 58.5 * 21 / 12,
        "wiener_sachtextformel_1": 0.1935 * 200 / 12
        + 0.1672 * 6
        + 0.1297 * 400 / 12
        - 0.0327 * 600 / 12
        - 0.875,
        "wiener_sachtextformel_2": 0.2007 * 200 / 12 + 0.1682 * 6 + 0.1373 * 400 / 12 - 2.779,
        "wiener_sachtextformel_3": 0.2963 * 200 / 12 + 0.1905 * 6 - 1.1144,
        "wiener_sachtextformel_4": 0.2744 * 200 / 12 + 0.2656 * 6 - 1.693,
        "lix": 6 + 400 / 12,
        "rix": 4 / 2,
    },
    "es": {
        "fernandez_huerta": 206.84 - 0.60 * 230 - 1.02 * 5,
        "szigriszt_pazos": 206.835 - 62.3 * 2.3 - 5,
        "gutierrez_polini": 95.2 - 9.7 * 5.4 - 0.35 * 5,
        "crawford": -0.205 * 20 + 0.049 * 230 - 3.407,
        "lix": 5 + 30,
        "rix": 3 / 2,
    },
    "fr": {"kandel_moles": 207 - 1.015 * 5 - 0.736 * 160, "lix": 5 + 40, "rix": 4 / 2},
    "it": {
        "gulpease": 89 - (100 * 47 / 11) / 10 + 3 * (100 * 2 / 11),
        "flesch_vacca": 217 - 1.3 * 5.5 - 0.6 * 2000 / 11,
        "lix": 5.5 + 100 / 11,
        "rix": 1 / 2,
    },
    "nl": {
        "flesch_douma": 206.84 - 0.93 * 6 - 0.77 * 1700 / 12,
        "brouwer": 195 - 2 * 6 - 2 / 3 * 1700 / 12,
        "lix": 6,
        "rix": 0,
    },
    "pl": {"fog_pl": 0.4 * (3.5 + 100 / 7), "lix": 3.5 + 200 / 7, "rix": 1},
    "pt": {"flesch_martins": 206.835 + 42 - 1.015 * 5 - 84.6 * 2.2, "lix": 5 + 30, "rix": 1.5},
    "ru": {"flesch_oborneva": 206.835 - 1.3 * 4 - 60.1 * 15 / 8, "lix": 4 + 12.5, "rix": 0.5},
    "ar": {"al_heeti": 4.414 * 5 - 13.468, "lix": 3, "rix": 0},
    "el": {"lix": 5 + 10, "rix": 0.5},
    "sv": {"lix": 5 + 20, "rix": 1},
    "tr": {"atesman": 198.825 - 2.61 * 5 - 40.175 * 1.8, "lix": 5 + 10, "rix": 0.5},
}


@pytest.mark.parametrize("language", TEXTS)
def test_texts_are_counted_as_by_hand(language: str) -> None:
    text, counts = TEXTS[language]
    assert counts_in_language(text.split(), LANGUAGES[language]) == counts


@pytest.mark.parametrize("language", TEXTS)
def test_every_formula_of_a_language_is_worked_by_hand(language: str) -> None:
    """A formula more needs a value more."""
    assert readability(TEXTS[language][0], f"{language}-AT") == pytest.approx(VALUES[language])
    # Hindi has those of every language only.
    assert VALUES.keys() == LANGUAGE_FORMULAS.keys() - {"hi"}


@pytest.mark.parametrize(
    ("language", "name", "theirs", "arguments"),
    [
        ("de", "amstad", "flesch_reading_ease", ()),
        *(("de", f"wiener_sachtextformel_{n}", "wiener_sachtextformel", (n,)) for n in range(1, 5)),
        ("es", "fernandez_huerta", "fernandez_huerta", ()),
        ("es", "gutierrez_polini", "gutierrez_polini", ()),
        ("es", "crawford", "crawford", ()),
        ("fr", "kandel_moles", "flesch_reading_ease", ()),
        ("it", "flesch_vacca", "flesch_reading_ease", ()),
        ("ru", "flesch_oborneva", "flesch_reading_ease", ()),
    ],
)
def test_equal_to_textstat_where_both_count_alike(
    language: str, name: str, theirs: str, arguments: tuple[int, ...]
) -> None:
    """In these texts, words have one hyphen less than syllables."""
    textstat = pytest.importorskip("textstat")
    text, counts = TEXTS[language]
    textstat.set_lang(language)
    try:
        assert textstat.syllable_count(text) == counts.syllables
        value = getattr(textstat, theirs)(text, *arguments)
    finally:
        textstat.set_lang("en_US")
    assert readability(text, language)[name] == pytest.approx(value, rel=1e-6, abs=1e-6)


def test_english_has_the_rows_of_the_catalogue() -> None:
    """All formulas except variants with the study's own counts, for texts and documents alike."""
    text = "Influenza is an infection. Rest, and drink plenty of water."
    values = readability(text)
    names = [
        row.name
        for row in catalogue()
        if row.group in ("readability", "other formulas") and not row.name.endswith("_readcalc")
    ]
    assert list(values) == names
    assert (
        list(values.values())
        == compute_features([document_of_text(text)], names).values[0].tolist()
    )
    assert readability(document_of_text(text), "en-GB") == values


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
def test_what_has_no_words_has_no_value(language: str) -> None:
    assert all(map(math.isnan, readability("?! ...", language).values()))


def test_a_language_without_formulas_is_told() -> None:
    with pytest.raises(OptionError, match="no formulas for the language 'fi'; choose en, ar, de"):
        readability("Vesi on hyvää.", "fi")


def test_the_page_of_formulas_names_all_of_them() -> None:
    """It lists the formulas of English and of all other languages."""
    page = (Path(__file__).parents[2] / "docs" / "readability_formulas.md").read_text("utf-8")
    names = [*readability("A text."), *(f.name for own in LANGUAGE_FORMULAS.values() for f in own)]
    assert [name for name in names if f"`{name}`" not in page] == []
