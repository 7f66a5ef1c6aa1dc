"""Sentences, words and letters that public bug reports found misread: each with its siblings."""

import string
import unicodedata

import pytest

import understandability as ud
from understandability.feature.syllables import count_syllables
from understandability.text.analysis import document_of_page, document_of_text
from understandability.text.page import Page
from understandability.text.tokens import spaced


@pytest.mark.parametrize(
    "text",
    [
        "Take 20 mg. | Drink water.",
        "Walk 5 km. | Rest well.",
        "Take 2.5 ml. | Paracetamol helps.",
        "Wait 10 min. | Eat something.",
        "Lose 2 kg. | Keep going.",
        "It weighs 8 oz. | Babies grow.",
        "Sleep for 8 hrs. | Avoid coffee.",
        "Drink 2 l. | Water is best.",
        "It is 6 ft. | Measure it.",
        "Ft. Lauderdale is warm.",
        "Her pulse was 60 bpm. | Doctors were pleased.",
        "Mgr. & Dir. Smith met her.",
        "Step 1. Wash your hands. | Step 2. Dry them.",
        "Schritt 1. Waschen Sie die Hände. | Schritt 2. Trocknen Sie sie.",
        "Figure 2. The heart has four rooms.",
        "Read chapter 3. | Then rest.",
        "Add 5 g. | Stir well.",
        "Run 100 m. | Breathe out.",
        "Take 20mg. | Drink water.",
        "Drink 330 kcal. | Walk home.",
        "Nehmen Sie 20 mg. | Trinken Sie Wasser.",
        "Gehen Sie 5 km. | Ruhen Sie sich aus.",
        "Prenez 20 mg. | Buvez un verre.",
        "Marchez 5 km. | Reposez-vous bien.",
        "Tome 20 mg. | Beba agua con la comida.",
        "Prenda 5 ml. | Beva molta acqua.",
        "Neem 20 mg. | Drink een glas water.",
        "Принимайте 20 мг. | Пейте больше воды.",
        "Пройдите 5 км. | Отдохните дома.",
        # Not the end, if it goes on.
        "Take 20 mg. once a day.",
        "The mg. Tablets are white.",
        "W. Smith came.",
        # Labels and joined abbreviations.
        "See art. 4. | Stop.",
        "See sec. 12 and art. 7 first.",
        "Read app. 2. | Then sign.",
        "He likes art. | She paints.",
        "Eng. & Adm.",
        "Smith et al. & Co. came.",
        "Dept. & Univ. staff.",
        "Siehe Art. 4 und Abs. 2.",
        # A letter that is a name.
        "You lack vitamin C. | Eat fruit.",
        "It is hepatitis B. | Wash your hands.",
        "She has influenza A. | Keep away.",
        "Go to ward D. | Ask a nurse.",
        "He has type O. | Donors are rare.",
        "Sie brauchen Vitamin D. | Gehen Sie raus.",
        "Il manque de vitamine C. | Mangez des fruits.",
        "Falta vitamina C. | Coma fruta.",
        "Нужен витамин C. | Ешьте фрукты.",
        "J. R. Smith came.",
        # Labels of questions and answers.
        "Q. Can I eat? | A. Yes, you can.",
        "Q. Is it safe? | A. It is.",
        "F. Darf ich essen? | A. Ja, das geht.",
        "Q1. What is flu? | A1. An illness.",
        "P. ¿Puedo comer? | R. Sí, claro.",
        "В. Можно есть? | О. Да, можно.",
        "1.2. The heart pumps blood. | 1.3. It rests.",
        "ii. The heart rests. | iii. It beats.",
        "She needs vitamin B12. | Eat eggs.",
        # Litres, and times of the day.
        "Drink 2 L. | Sleep well.",
        "It opens at 9 a.m. | Come early.",
        "Call before 5 p.m. | Go home then.",
        "We open at 9 a.m. Monday.",
        # A letter that follows a verb of being.
        "Your blood group is O. | Give blood.",
        "The answer is B. | Go on.",
        "The right option was C. | Turn the page.",
        "Ihre Blutgruppe ist B. | Spenden Sie Blut.",
        "Your doctor is A. Smith.",
        "Her name is J. Lee.",
        # Numbers of labels, where numbers are ordinals, and Roman numbers.
        "Siehe dazu Abb. 3. | Danach ruhen Sie sich bitte aus.",
        "Sie kommen am 3. Mai wieder zu uns.",
        "I. Wash your hands. | II. Dry them. | III. Go.",
        # Labels in words.
        "Question. Can I eat? | Answer. Yes, you can.",
        "Frage. Darf ich essen? | Antwort. Ja, das dürfen Sie.",
        "That is a good question. | Ask your doctor.",
    ],
)
def test_sentences_end_where_they_end(text: str) -> None:
    whole = text.replace("| ", "")
    found = [" ".join(sentence) for sentence in document_of_text(whole).sentences]
    assert found == text.split(" | ")


def test_a_leaflet_has_all_its_sentences() -> None:
    text = """Take 20 mg. Drink water. Wait 10 min. Eat something. Walk 5 km. Rest well. You lack
    vitamin C. Eat fruit. See art. 4. Stop smoking. Call us."""
    assert len(document_of_text(" ".join(text.split())).sentences) == 11


@pytest.mark.parametrize(
    ("word", "count"),
    [
        *(("1st", 1), ("2nd", 2), ("3rd", 1), ("12th", 1), ("20th", 3), ("22nd", 4), ("30th", 3)),
        *(("31ST", 3), ("90th", 3), ("100th", 3), ("112th", 4), ("80s", 2), ("20's", 2)),
        *(("1990s", 4), ("70s,", 3), ("60s", 2), ("6s", 2), ("A&E", 3), ("R&D", 3), ("Q&A", 3)),
        *(("B&B", 3), ("ileum", 3), ("ileal", 3), ("perineum", 4), ("museum", 3), ("corneal", 3)),
        *(("coeliac", 3), ("Coeliac", 3), ("oedema", 3), ("haemorrhage", 3), ("résumé", 3)),
        *(("ileus", 3), ("uveitis", 4), ("ileitis", 4), ("osteitis", 4), ("gluteus", 3)),
        *(("calcaneus", 4), ("uveal", 3), ("gastroenteritis", 6), ("myalgia", 3), ("ascites", 3)),
        *(("café", 2), ("fiancée", 3), ("exposé", 3), ("naïve", 2), ("re\u0301sume\u0301", 3)),
    ],
)
def test_syllables(word: str, count: int) -> None:
    """An ordinal as it is said; numbers of decades; British spellings and accents."""
    assert count_syllables(word) == count


PLAIN = (
    "Don't worry if you can't find the office. The flu is a well-known infection, and the staff "
    "will help you fill in the form for your first visit to the clinic. It's free."
)
LETTERS = string.ascii_uppercase + string.ascii_lowercase
FULL_WIDTH = {letter: chr(ord(letter) + 0xFEE0) for letter in LETTERS}
BOLD = {letter: chr(0x1D400 + number) for number, letter in enumerate(LETTERS)}
VARIANTS = {
    "ligatures": PLAIN.replace("fi", "ﬁ").replace("ffi", "ﬃ").replace("ff", "ﬀ").replace("fl", "ﬂ"),
    "soft hyphens": PLAIN.replace("infec", "in\u00adfec\u00ad").replace("office", "of\u00adfice"),
    "full width": PLAIN.replace("flu", "ｆｌｕ").replace("clinic", "ＣＬＩＮＩＣ".lower()),
    "zero-width joiners": PLAIN.replace("st", "s\u200dt").replace("in", "i\u200cn"),
    "zero-width spaces": PLAIN.replace("ll", "l\u200bl").replace("for", "\ufefffor\u2060"),
    "acute accents": PLAIN.replace("'", "´"),
    "grave accents": PLAIN.replace("'", "`"),
    "primes": PLAIN.replace("'", "′"),
    "modifier letters": PLAIN.replace("'", "\u02bc"),
    "bold type": "".join(map(BOLD.get, PLAIN, PLAIN)),
    "all in full width": "".join(map(FULL_WIDTH.get, PLAIN, PLAIN)),
    "variation selectors": PLAIN.replace("o", "o\ufe0f"),
    "grapheme joiners": PLAIN.replace("o", "o\u034f"),
    "isolates": PLAIN.replace("flu", "\u2066flu\u2069"),
    "embeddings": PLAIN.replace("flu", "\u202aflu\u202c"),
    "stress marks": PLAIN.replace("'", "ˈ"),
    "saltillos": PLAIN.replace("'", "\ua78c"),
    "figure dashes": PLAIN.replace("-", "\u2012"),
    "wide marks": PLAIN.replace(",", "\uff0c").replace(".", "\uff0e"),
    "hyphens": PLAIN.replace("-", "\u2011"),
    "other hyphens": PLAIN.replace("-", "\u2010"),
    "wide hyphens": PLAIN.replace("-", "\uff0d"),
    "small hyphens": PLAIN.replace("-", "\ufe63"),
    "minus signs": PLAIN.replace("-", "\u2212"),
    "opening quotes": PLAIN.replace("'", "‘"),
    "marks of direction": PLAIN.replace("The", "\u200eThe\u200f"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_letters_in_another_form_change_nothing(name: str) -> None:
    columns = ("difficulty", "p_understandable", "level")
    plain = ud.score_text(PLAIN)
    for text in (VARIANTS[name], f"{VARIANTS[name]}\n"):
        row = ud.score_text(text)
        assert [row[column] for column in columns] == [plain[column] for column in columns]
    page = document_of_page(Page("d", "", f"<p>{VARIANTS[name]}"))
    assert page.pieces == document_of_text(PLAIN).pieces


TEXTS = {
    "fr": "Les élèves ont été très malades à l'école, et les médecins ont décidé de les soigner.",
    "es": "El médico le dirá qué medicación necesita su corazón después de la operación de mañana.",
    "de": "Die Ärztin erklärt Ihnen, wie Sie die Übungen für den Rücken täglich zu Hause machen.",
    "it": "La città è più tranquilla perché non c'è nessuno, e così il medico può lavorare già.",
    "ko": "독감에 걸렸습니다. 물을 많이 마시고 집에서 쉬세요. 열이 나면 의사에게 전화하세요.",
    "ja": "インフルエンザです。水をたくさん飲んで、がんばらずに、ゆっくり休んでください。",
    "ar": "يجب أن تشرب الماء وأن تستريح في المنزل، وإذا آلمك رأسك فاتصل بالطبيب أو المستشفى.",
    "pt": "A criança não está bem, então vá ao médico amanhã de manhã e leve a medicação também.",
}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("page", ["{}", "<p>{}</p>", "<title>x</title><div><p>{}<p>{}</div>"])
def test_decomposed_letters_are_composed(language: str, page: str) -> None:
    text = TEXTS[language]
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    media_type = "text/html" if "<" in page else "text/plain"
    documents = [
        document_of_page(Page("d", "", content, media_type))
        for written in (text, decomposed)
        for content in (page.replace("{}", written), page.replace("{}", written).encode())
    ]
    if media_type == "text/html":  # as references, too
        references = decomposed.encode("ascii", "xmlcharrefreplace").decode()
        documents.append(document_of_page(Page("d", "", page.replace("{}", references))))
    assert {document.language for document in documents} == {language}
    assert len({document.pieces for document in documents}) == 1


@pytest.mark.parametrize("text", ["क्‍ष और नमस्ते", "می‌خواهم", "5′3″ tall", "`code`", "L´été"])
def test_marks_that_mean_something_stay(text: str) -> None:
    """Joiners of other scripts, primes of feet, and quotes."""
    assert spaced(text) == text.replace("L´", "L'")


@pytest.mark.parametrize(
    ("text", "pieces", "count"),
    [
        ("Rest.Drink water.", 2, 1),
        ("See www.nhs.uk/flu now.", 3, 1),
        ("Call 0113 496 0000 now.", 5, 1),
        ("How To Treat The Flu", 5, 1),
    ],
)
def test_matters_of_opinion(text: str, pieces: int, count: int) -> None:
    """As docs/concepts/extraction.md says."""
    document = document_of_text(text)
    assert (len(document.pieces), len(document.sentences)) == (pieces, count)
