"""Words on lists: embedded, from packages, installed."""

from pathlib import Path

import pytest
from tests.feature.conftest import document
from wordfreq import top_n_list

from understandability.feature.table import compute_features
from understandability.feature.word_lists import (
    WordList,
    embedded_list,
    familiar_words,
    is_familiar,
    stop_word_list,
    stop_words,
)
from understandability.resources import resource_lines
from understandability.study.install import install
from understandability.text.document import Document


def value(document: Document, name: str) -> float:
    return float(compute_features([document], [name]).values[0, 0])


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        # electrocardio- is no prefix of the list, cardio- is; "heart" has none.
        ("medical_prefixes", "Cardiology and gastroenteritis of the heart.", 2),
        ("medical_prefixes", "cardio", 0),
        ("medical_suffixes", "Hepatitis, a gastrectomy, and hypertension.", 2),
        ("medical_suffixes", "itis", 0),
        ("medical_acronyms", "MRIs show COPD, not copd or WOW.", 2),
        ("stop_words", "The heart is in the chest", 4),
        ("oov", "A heart with xqzzzy and well-xqzzzy in B12 don't 2019", 2),
    ],
)
def test_counts_of_embedded_lists_worked_by_hand(name: str, text: str, count: int) -> None:
    assert value(document(text), name) == count
    words = len(text.split())
    assert value(document(text), f"{name}_per_word") == pytest.approx(count / words)


@pytest.mark.parametrize("name", ["prefixes", "suffixes", "acronyms"])
def test_embedded_lists_are_sorted_without_repeats(name: str) -> None:
    lines = resource_lines(f"medical/{name}.txt")
    assert lines == sorted(set(lines))
    assert all(line.isalpha() for line in lines)


@pytest.mark.parametrize(("name", "most"), [("prefixes", 25), ("suffixes", 4)])
def test_affixes_are_not_those_of_everyday_words(name: str, most: int) -> None:
    """Of the 5,000 most frequent English words, few have a medical affix (cancer has none)."""
    frequent = [word for word in top_n_list("en", 6000) if word.isalpha()][:5000]
    column = embedded_list(name).begins if name == "prefixes" else embedded_list(name).ends
    assert column(frequent).sum() <= most


def test_no_familiar_word_has_a_medical_affix() -> None:
    """Of the Dale-Chall list, but for these."""
    words = sorted(familiar_words())
    marked = embedded_list("prefixes").begins(words) | embedded_list("suffixes").ends(words)
    assert [word for word, is_marked in zip(words, marked, strict=True) if is_marked] == []


def test_stop_words_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert stop_words() == ENGLISH_STOP_WORDS
    assert stop_word_list().contains(["The", "Heart"]).tolist() == [True, False]


def test_an_affix_needs_a_stem() -> None:
    words = WordList(["cardi", "itis"])
    assert words.begins(["cardi", "cardia", "cardiac"]).tolist() == [False, False, True]
    assert words.ends(["itis", "xitis", "colitis"]).tolist() == [False, False, True]


def test_typographic_apostrophes_are_read_as_straight_ones() -> None:
    assert WordList(["crohn's"]).contains(["Crohn’s"]).tolist() == [True]


@pytest.mark.parametrize(
    ("name", "resource", "entries", "text", "count"),
    [
        ("stop_words_study", "stopwords-study", "abaft the", "Abaft the heart", 2),
        ("stop_words_indri", "stopwords-indri", "the according to", "the heart according to", 3),
        ("stop_words_terrier", "stopwords-terrier", "yours x", "yours x heart", 2),
        ("openmedspel_words", "openmedspel", "abacavir", "abacavir and ABACAVIR for hearts", 2),
        ("medical_acronyms_study", "acronyms-study", "AACOM", "the AACOM and aacom", 1),
        ("medical_prefixes_study", "prefixes-study", "oesophago", "oesophagoscopy", 1),
        ("medical_suffixes_study", "suffixes-study", "acusis", "hyperacusis", 1),
        # Stems alone are listed: "stopped" is "stop", "babies" is "baby"; B12 is not asked for.
        (
            "oov_aspell",
            "aspell",
            "he stop baby and",
            "He stopped babies, xqzzzy's B12 and xqzzzy.",
            2,
        ),
    ],
)
def test_counts_of_installed_lists_worked_by_hand(
    name: str,
    resource: str,
    entries: str,
    text: str,
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path / "resources"))
    (tmp_path / "list.txt").write_text("\n".join(entries.split()) + "\n")
    install(resource, [str(tmp_path / "list.txt")])
    assert value(document(text), name) == count


def test_a_row_does_not_change_with_what_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = document("The heart of AACOM with abacavir and osteoarthritis")
    names = ["stop_words", "oov", "medical_acronyms", "medical_prefixes", "medical_suffixes"]
    before = compute_features([text], names).values.tolist()
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path / "resources"))
    for name in ("stopwords-study", "aspell", "acronyms-study", "prefixes-study", "suffixes-study"):
        path = tmp_path / name
        path.write_text("heart\nAACOM\nabac\n")
        install(name, [str(path)])
    assert compute_features([text], names).values.tolist() == before


def test_the_list_is_that_of_textstat() -> None:
    assert len(familiar_words()) == 2941
    assert all(word == word.lower() for word in familiar_words())


# The forms that the 1948 instructions let pass, and what is difficult.
FAMILIAR = (
    "medicine", "Medicine", "MEDICINE",  # on the list
    "walks", "boxes", "babies", "walked", "hoped", "hopped", "cried", "walking", "hoping",
    "hopping", "bigger", "nicest", "happiest",  # -s -es -ies -ed -ied -ing -er -est
    "child's", "child’s", "dogs'", "isn't", "they've", "doctor'll",  # clitics
    "well-known", "half-cooked",  # each part
    "7", "3.5", "10,000", "1990s", "3rd", "2-3", "50%", "1/2",  # numerals
)  # fmt: skip
DIFFICULT = (
    "disease", "tumour", "remedies", "immunization",  # not on the list
    "walkable", "painless", "unafraid", "childhoodness",  # derived, not inflected
    "hoper's-bane", "well-calibrated",  # one part is unknown
    "B12", "5mg", "fiber", "pus", "e.g",  # no numerals, no forms of "fib", "pu"
)  # fmt: skip


@pytest.mark.parametrize("word", FAMILIAR + DIFFICULT)
def test_listed_words_their_inflections_and_numerals_are_familiar(word: str) -> None:
    """Derivations, compounds with an unknown part and codes are not."""
    assert is_familiar(word) == (word in FAMILIAR)
