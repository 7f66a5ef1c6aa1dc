"""Syllables and sentences of other languages than English."""

from pathlib import Path

import pytest

from understandability.errors import OptionError
from understandability.text.other_languages import LANGUAGES, other_language, syllables_of
from understandability.text.sentences import sentence_starts

LISTS = Path(__file__).parent / "syllables_of_languages.txt"


def words_of(language: str, part: str) -> dict[str, int]:
    """The words of a list, with their syllables counted by hand."""
    lines = LISTS.read_text("utf-8").splitlines()
    found = next(line for line in lines if line.startswith(f"{language} {part} "))
    return {word[:-1]: int(word[-1]) for word in found.split()[2:]}


@pytest.mark.parametrize("part", ["seen", "unseen"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nine_words_of_ten_have_the_syllables_that_are_spoken(language: str, part: str) -> None:
    """In Arabic eight of ten, because short vowels are not written."""
    least = 0.8 if language == "ar" else 0.9
    words = words_of(language, part)
    counts = syllables_of(list(words), LANGUAGES[language]).tolist()
    right = sum(map(int.__eq__, counts, words.values()))
    wrong = [each for each, count in zip(words.items(), counts, strict=True) if each[1] != count]
    assert right / len(words) >= least, wrong


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Wir fangen heute an.", "Am 3. Mai kommt Dr. Klein, z. B. mit Ideen.", "„Gut für."
                "“", "Ende."]),
        ("es", ["¿Le duele?", "El Sr. López toma 2 mg, p. ej. de noche.", "Descanse."]),
        ("fr", ["Bonjour !", "Mme. Petit a vu le Dr. Leroy.", "« Reposez-vous. »", "Fin."]),
        ("it", ["Il dott. Rossi parla.", "Perché?", "Beva molta acqua."]),
        ("nl", ["Dat is bijv. Griep.", "Wat nu?", "Rust uit."]),
        ("pl", ["Zażyj lek, np. Aspirynę.", "Idź do dr. Nowaka.", "Śpij."]),
        ("pt", ["O Sr. Silva tem febre.", "Beba água.", "É simples."]),
        ("ru", ["Это болезнь.", "Ул. Ленина далеко.", "Отдыхайте."]),
        # Abbreviations that are words, before what often begins a sentence.
        ("de", ["Ich mag Max.", "Er mag die Art.", "Die ist gut."]),
        ("ru", ["Он родился в 1990 г.", "Она из г. Омска."]),
        ("hi", ["राम घर गया |", "माँ ने खाना दिया |"]),
        ("ar", ["هل أنت مريض؟", "اشرب الماء؛ ثم نم.", "قال: «اجلس!»", "شكراً."]),
        ("el", ["Τι κάνεις;", "Ο κ. Παπάς ήρθε π.χ. Δευτέρα.", "«Πού πονάς;»", "Εδώ."]),
        ("sv", ["Ät t.ex. Äpplen.", "Varför?", "Ta 2 mg ca. Kl. åtta.", "Vila."]),
        ("tr", ["Dr. Yılmaz geldi.", "Neden?", "3. Selim öldü.", "Dinlen."]),
    ],
)  # fmt: skip
def test_sentences_start_by_the_rules_of_their_language(
    language: str, sentences: list[str]
) -> None:
    """Its abbreviations, ordinals and quotation marks; a short last word is no abbreviation."""
    pieces = [sentence.split() for sentence in sentences]
    starts = [sum(map(len, pieces[:index])) for index in range(len(pieces))]
    assert sentence_starts([piece for each in pieces for piece in each], language) == starts


def test_an_unknown_language_is_told() -> None:
    with pytest.raises(OptionError, match="language 'fi'; choose en, ar, de"):
        other_language("fi")
