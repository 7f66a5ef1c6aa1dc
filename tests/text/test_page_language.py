"""The language of a text is detected by its function words and n-grams."""

import math
from pathlib import Path
from unicodedata import normalize

import pytest

import understandability as ud
from understandability.errors import WrongTypeError
from understandability.scoring import Settings, document_under, score_text
from understandability.text.analysis import document_of_page
from understandability.text.language import detect_language
from understandability.text.page import Page
from understandability.text.stop_words import STOP_LISTS

TEXTS = dict(
    line.split("\t")
    for line in Path(__file__).with_name("languages.tsv").read_text("utf-8").splitlines()
)


def test_a_poem_that_says_a_few_words_again_and_again_is_english() -> None:
    """What it repeats is frequent in Croatian, too."""
    again = "What do I do? What do I know? "
    assert detect_language(again * 6 + "The aunt has no time, and when is that to grow?") == "en"


@pytest.mark.parametrize("language", TEXTS)
def test_a_few_sentences_are_enough(language: str) -> None:
    """In each of 32 languages; the texts were written for this."""
    assert detect_language(TEXTS[language]) == language


def test_runs_of_thirty_words() -> None:
    """Are not called English where they are not, nor something else where they are."""
    for language, text in TEXTS.items():
        words = text.split()
        for start in range(len(words) - 29):
            guess = detect_language(" ".join(words[start : start + 30]))
            assert (guess == "en") == (language == "en"), (language, words[start])


@pytest.mark.parametrize(
    "text",
    [
        # Chats, names and lists share words with Czech, Danish, Catalan, Hungarian.
        "hi i am 20 and i have had a cp child since may. i completed my nursing course at a "
        "college in june and currently i wish to learn driving? i have no car",
        "Barrett's esophagus (British English: Barrett's oesophagus), sometimes called Barrett "
        "syndrome, Barrett esophagus, or columnar epithelium lined lower oesophagus, refers to "
        "an abnormal change (metaplasia)",
        "On the way we saw our friends. Ah! Football! I said. I wanted to play too. I said to my "
        "brother, let us ask if we can play with them.",
    ],
)
def test_english_with_few_english_words(text: str) -> None:
    assert detect_language(text) == "en"


ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("language_table.tsv").read_text("utf-8").splitlines()[1:]
]


@pytest.mark.parametrize(
    ("kind", "least"), [("20 words", 0.95), ("whole", 0.99), ("verse", 1), ("clinical", 1),
                        ("names", 1), ("romanised Hindi", 1)]
)  # fmt: skip
def test_the_table_of_short_and_whole_texts(kind: str, least: float) -> None:
    """Twelve languages; what is told of nothing counts as English, as scoring takes it."""
    rows = [row for row in ROWS if row[0] == kind]
    right = [
        detect_language(text) in ((language, None) if language == "en" else (language,))
        for _, language, text in rows
    ]
    assert sum(right) >= least * len(rows) > 0


SENTENCES = [
    line.split("\t")
    for line in Path(__file__).with_name("language_sentences.tsv").read_text("utf-8").splitlines()
][1:]


def test_sentences_of_three_to_fifteen_words() -> None:
    """In 15 languages, and English of awkward kinds: verse, shorthand, code, price lists, chat."""
    foreign = [row for row in SENTENCES if row[0] != "en"]
    english = [row for row in SENTENCES if row[0] == "en"]
    assert len({row[0] for row in foreign}) == 15
    assert len(foreign) >= 1500
    right = sum(detect_language(text) == language for language, _, text in foreign)
    assert right >= 0.97 * len(foreign)
    refused = [text for _, _, text in english if detect_language(text) != "en"]
    assert len(refused) <= 0.005 * len(english)


@pytest.mark.parametrize("row", [row for row in ROWS if row[0].startswith("lying")])
def test_a_page_whose_lang_lies_is_in_the_language_of_its_text(row: list[str]) -> None:
    kind, language, text = row
    page = Page("p", "", f"<html lang={kind[-2:]}><p>{text}".encode())
    document = document_of_page(page)
    assert document.language == language
    assert "wrong_lang" in document.flags


@pytest.mark.parametrize("row", [row for row in ROWS if row[0] == "half and half"])
def test_a_page_in_two_languages_is_flagged(row: list[str]) -> None:
    """Whichever of them it is taken for."""
    found = score_text(row[2])
    assert "two_languages" in found["flags"], found["language"]


def test_romanised_hindi_has_no_estimate() -> None:
    text = next(text for kind, _, text in ROWS if kind == "romanised Hindi")
    found = score_text(text)
    assert math.isnan(found["difficulty"])
    assert math.isnan(found["level"])
    assert "not_english" in found["flags"]


def test_every_stop_list_exists() -> None:
    """For all languages of the table but three, which jusText has no list of."""
    assert {language for language in TEXTS if language not in STOP_LISTS} == {"ja", "th", "zh"}


SPANISH = "Descanse en casa y beba mucha agua. Llame a la enfermera si se siente mal. " * 6


@pytest.mark.parametrize(
    "html",
    [
        "<html lang=en><nav>Home News Contact</nav><main lang=es>{}</main>",
        "<html lang=en><body><MAIN id=top LANG='es-MX'>{}</MAIN>",
        "<html><body><article class=a lang=spa>{}</article>",
        '<html lang="en-GB"><div id=m role="main" xml:lang="es">{}</div>',
        "<html lang=en><article lang=es>{}</article><article lang=es><p>Vuelva.</article>",
        "<html lang=spa>{}",
        "<html lang=und>{}",
        "<html lang=x-none>{}",
        "<html lang=zxx><body lang=mul>{}",
        "{}",
    ],
)
def test_the_language_of_the_main_part_counts(html: str) -> None:
    """What it claims, in any spelling of the tag; tags of no language claim nothing."""
    document = document_of_page(Page("p", "", html.format(f"<p>{SPANISH}")))
    assert document.language == "es"
    assert "wrong_lang" not in document.flags


@pytest.mark.parametrize(
    ("text", "stated", "language"),
    [
        ("Nimm eine Tablette am Tag.", "de", "de"),
        ("Nimm eine Tablette am Tag.", "deu", "de"),
        ("Nimm eine Tablette am Tag.", "de-AT", "de"),
        ("Nimm eine Tablette am Tag.", "und", "de"),
        ("Paracetamol 500 mg", "fr", "fr"),  # believed, as nothing contradicts it
        ("У меня есть собака.", "en", "ru"),  # the script contradicts it
        ("Take one tablet a day.", "ru", "en"),
    ],
)
def test_a_stated_language_is_believed_unless_the_script_contradicts_it(
    text: str, stated: str, language: str
) -> None:
    assert score_text(text, language=stated)["language"] == language
    page = Page("p", "", f"<p>{text}", language=stated)
    assert document_of_page(page).language == language


def test_arabic_letters_in_the_shapes_of_a_pdf_are_arabic() -> None:
    """They have the same estimate as plain letters."""
    shaped = "ﺍﻟﺴﻼﻡ ﻋﻠﻴﻜﻢ ﻭﺭﺣﻤﺔ ﺍﷲ"
    assert detect_language(shaped) == detect_language(normalize("NFKC", shaped)) == "ar"
    assert score_text(shaped)["level"] == score_text(normalize("NFKC", shaped))["level"]


FRENCH = "Prenez un comprimé par jour avec un grand verre d'eau et reposez-vous à la maison. " * 5


@pytest.mark.parametrize(
    ("html", "claimed", "stated", "language", "flagged"),
    [
        ("<p>une jeune fille skiant", "fr", None, "fr", False),
        ("<html lang=de><p>Grippe", "fr", None, "de", False),
        (f"<p>{FRENCH}", "de", None, "fr", True),
        ("<p>Du sollst ruhen, mein Kind.", "fr", "de", "de", False),
        ("<p>У меня есть собака.", "fr", None, "ru", True),
        ("<p>Rest at home and drink plenty of water.", "zxx", None, "en", False),
    ],
)
def test_a_header_claims_a_language_after_the_markup_and_the_user(
    html: str, claimed: str, stated: str | None, language: str, flagged: bool
) -> None:
    page = Page("p", "", html, claimed_language=claimed)
    document = document_under(page, Settings(language=stated))
    assert document.language == language
    assert ("wrong_lang" in document.flags) == flagged


def test_a_column_states_the_language_of_each_text() -> None:
    """A text without one has that of the call; what names no language counts as none."""
    table = {
        "text": ["Toma agua.", "Trink Wasser.", "Drink water.", "Drink water."],
        "lang": ["es", "deu", None, "COBOL"],
    }
    assert ud.score_table(table, text="text")["language"] == ["es", "de", "en", "en"]
    assert ud.score_table(table, text="text", language="nl")["language"][2:] == ["nl", "nl"]
    table["sprache"] = ["pt", "pt", "pt", "pt"]
    assert ud.score_table(table, text="text", lang="sprache")["language"] == ["pt"] * 4
    with pytest.raises(WrongTypeError, match="no column 'langue'"):
        ud.score_table(table, text="text", lang="langue")


@pytest.mark.parametrize("text", ["xqz kvw prt bnm", "Ibuprofen", "zzz zzz zzz zzz"])
def test_an_uncertain_language_has_no_estimate(text: str) -> None:
    row = score_text(text)
    assert row["language"] == "und"
    assert "language_uncertain" in row["flags"]
    assert "not_english" not in row["flags"]
    assert math.isnan(row["p_understandable"])
    assert not math.isnan(score_text(text, any_language=True)["difficulty"])
