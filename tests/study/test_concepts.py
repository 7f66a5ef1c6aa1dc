"""Finding terms, and what is counted of them; MetaMap's findings in rows of their own."""

import logging
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import CHARACTERS
from tests.feature.conftest import document
from tests.study.test_resources import ADAM, DRUGBANK, ICD_ORDER

from understandability.feature import table as table_module
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS, catalogue
from understandability.feature.table import compute_features
from understandability.study.install import install
from understandability.study.installed import installed
from understandability.study.terms import LONGEST, TermFinder, key_of, singular
from understandability.text.document import Document

CHV = """cui\tterm\tcombo_score
C1\theart attack\t0.9
C1\tmyocardial infarction\t0.3
C2\theart\t0.8
C3\tfever\t0.95
C4\tlung cancer\t
C5\ttherapy\t0.5
C6\tunit\t0.1
C6\tinfarct of unit\t
"""
STOP = "C0000005 therapy\n"
MESH = """descriptor\ttree_number
Myocardial Infarction\tC14.280.647.500
Myocardial Infarction\tC14.907
Lung Neoplasms\tC04.588.894
Fever\tC23.888.119.344
Heart\tA07.541
"""
DISEASES = "doid\tname\tresource\tresource_id\nDOID:1\tlung cancer\tUMLS\tC4\n"
SYMPTOMS = "symp_id\tname\tsynonyms\tumls_cuis\tparents\nSYMP:1\tfever\tpyrexia\tC3\t\n"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small vocabularies: every value below can be worked out from the tables above."""
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path / "resources"))
    for name, *contents in (
        ("chv", CHV, STOP.replace("C0000005", "C0000009")),
        ("mesh", MESH),
        ("disease-ontology", DISEASES),
        ("symptom-ontology", SYMPTOMS),
    ):
        files = []
        for number, content in enumerate(contents):
            path = tmp_path / f"{name}-{number}.tsv"
            path.write_text(content)
            files.append(str(path))
        install(name, files)
    return tmp_path


def found(terms: list[str], document: Document) -> list[str]:
    """The tokens of each match, and the term it is of."""
    finder = TermFinder(terms)
    batch = Batch([document])
    matches = finder.find(batch)
    strings = [batch.token_types.strings[number] for number in batch.token_ids]
    result = []
    for entry, start, end in zip(matches.entries, matches.starts, matches.ends, strict=True):
        term = terms[finder.entries.tolist().index(entry)]
        result.append(f"{' '.join(strings[start:end])} = {term}")
    return result


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (["heart", "heart attack"], "A heart attack.", ["heart attack = heart attack"]),
        (["heart attack"], "HEART ATTACKS hurt", ["heart attacks = heart attack"]),
        (["Heart Attacks"], "one heart attack", ["heart attack = Heart Attacks"]),
        (
            ["heart", "attack pain"],
            "heart attack pain",
            ["heart = heart", "attack pain = attack pain"],
        ),
        (["heart attack", "attack pain"], "heart attack pain", ["heart attack = heart attack"]),
        (["heart attack"], "of the heart. Attack is", []),
        (["heart attack"], "my heart, attack", []),
        (["heart attack"], "the heart\u00a0attack", ["heart attack = heart attack"]),
        (
            ["alzheimer disease"],
            "Alzheimer’s disease",
            ["Alzheimer ’s disease = alzheimer disease"],
        ),
        (["alzheimer's disease"], "Alzheimer disease", ["Alzheimer disease = alzheimer's disease"]),
        (["follow up"], "a follow-up visit", ["follow - up = follow up"]),
        (["vitamin b-12"], "vitamin B12", []),
        (["diabetes mellitus, type 2"], "diabetes mellitus type 2", ["diabetes mellitus type 2"]),
        (["aids"], "the aid", []),
        (["biopsy"], "two biopsies", ["biopsies = biopsy"]),
        (["a b c d e f g h i j k l m"], "a b c d e f g h i j k l m", []),
        ([], "heart", []),
    ],
)
def test_the_longest_terms_are_found(terms: list[str], text: str, expected: list[str]) -> None:
    results = found(terms, document(text))
    assert len(results) == len(expected)
    assert all(result.startswith(start) for result, start in zip(results, expected, strict=True))


def test_terms_end_where_sentences_and_documents_end() -> None:
    finder = TermFinder(["heart attack"])
    batch = Batch([document(["my heart", "attack"]), document("heart"), document("attack")])
    assert len(finder.find(batch).entries) == 0


def test_words_that_say_nothing_alone_are_no_terms() -> None:
    finder = TermFinder(["it", "cm", "12", "2019", "heart", "it is"], too_common={"it"})
    assert (finder.entries >= 0).tolist() == [False, False, False, False, True, True]


def test_terms_of_the_same_keys_are_one_entry() -> None:
    finder = TermFinder(["Heart attack", "heart attacks", "heart-attack", "heart"])
    assert finder.size == 2
    assert len(set(finder.entries[:3].tolist())) == 1


WORDS = st.sampled_from(["heart", "attack", "pain", "x", ",", "chest"])


@given(
    st.lists(st.lists(WORDS.filter(str.isalpha), min_size=1, max_size=4), max_size=6),
    st.lists(st.lists(WORDS, max_size=12), min_size=1, max_size=3),
)
def test_the_finder_agrees_with_a_plain_search(
    terms: list[list[str]], texts: list[list[str]]
) -> None:
    """The plain search tries all terms at each word, the longest first, and goes on behind it."""
    documents = [
        Document(str(i), "", tuple(text), (0,) if text else ()) for i, text in enumerate(texts)
    ]
    batch = Batch(documents)
    matches = TermFinder([" ".join(term) for term in terms]).find(batch)
    # A finder leaves out single words of one or two letters.
    known = {tuple(term) for term in terms if len(term) > 1 or len(term[0]) > 2}
    expected = []
    for index, text in enumerate(texts):
        place = 0
        while place < len(text):
            most = min(4, len(text) - place)
            sizes = [n for n in range(most, 0, -1) if tuple(text[place : place + n]) in known]
            if sizes:
                expected.append((index, place, place + sizes[0]))
            place += sizes[0] if sizes else 1
    offsets = batch.token_starts[matches.documents]
    rows = zip(
        matches.documents.tolist(),
        (matches.starts - offsets).tolist(),
        (matches.ends - offsets).tolist(),
        strict=True,
    )
    assert list(rows) == expected


@pytest.mark.slow
@given(st.text(CHARACTERS, max_size=12))
def test_any_token_has_a_key_and_keys_are_settled(token: str) -> None:
    key = key_of(token)
    assert key is None or isinstance(key, str)
    assert singular("") == ""


def test_terms_beyond_the_longest_are_left_out() -> None:
    words = [f"w{'a' * i}" for i in range(LONGEST + 1)]
    assert TermFinder([" ".join(words)]).entries.tolist() == [-1]
    assert TermFinder([" ".join(words[:-1])]).entries.tolist() == [0]


def values(document: Document, *names: str) -> dict[str, float]:
    table = compute_features([document], names)
    return dict(zip(names, table.values[0].tolist(), strict=True))


def test_concepts_of_a_text_worked_by_hand(small: Path) -> None:
    """Nine words: heart attack .9, lung cancer without a score, fever .95, heart .8."""
    text = document(["After a heart attack and lung cancer,", "fever; my heart!"])
    expected = {
        "chv_concepts": 4,
        "chv_score": (0.9 + 0.95 + 0.8) / 3,
        "chv_symptoms": 1,
        "chv_symptom_score": 0.95,
        # heart attack: another name of C1 is a disease in MeSH; lung cancer: by its UMLS code
        "chv_diseases": 2,
        "chv_disease_score": 0.9,
        "chv_concepts_per_word": 4 / 10,
        "chv_concepts_per_sentence": 2,
    }
    assert values(text, *expected) == pytest.approx(expected)


def test_depths_of_a_text_worked_by_hand(small: Path) -> None:
    """Myocardial infarction lies at 4 and 2: 3; fever at 4, heart at 2; neoplasm is a plural."""
    text = document("Fever of the heart with a lung neoplasm or myocardial infarctions.")
    expected = {
        "mesh_concepts": 4,
        "mesh_depth": (4 + 2 + 3 + 3) / 4,
        "mesh_symptoms": 1,
        "mesh_symptom_depth": 4,
        "mesh_diseases": 2,
        "mesh_disease_depth": 3,
    }
    assert values(text, *expected) == pytest.approx(expected)


def test_a_text_without_concepts_has_none_and_no_mean(small: Path) -> None:
    none = {"chv_concepts": 0, "mesh_concepts": 0}
    assert values(document("Nothing here."), *none) == none
    means = values(document("Nothing here."), "chv_score", "mesh_depth", "chv_disease_score")
    assert all(map(math.isnan, means.values()))


def test_stop_concepts_are_no_concepts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path / "resources"))
    terms = tmp_path / "terms.tsv"
    terms.write_text("cui\tterm\tcombo_score\nC0000005\ttherapy\t0.5\nC0000003\tfever\t0.9\n")
    stop = tmp_path / "stop.txt"
    stop.write_text(STOP)
    install("chv", [str(terms), str(stop)])
    assert values(document("fever therapy"), "chv_concepts") == {"chv_concepts": 1}


def test_no_value_depends_on_the_other_documents(small: Path) -> None:
    names = [name for name, (row, _) in COLUMNS.items() if row.needs]
    texts = ["A heart attack.", "", "Fever, fever, lung cancer therapy.", "unit"]
    documents = [document(text, str(index)) for index, text in enumerate(texts)]
    together = compute_features(documents, names).values
    alone = np.concatenate([compute_features([each], names).values for each in documents])
    assert np.array_equal(together, alone, equal_nan=True)


def test_a_vocabulary_installed_later_is_used_at_once(small: Path) -> None:
    text = document("heart attack")
    assert values(text, "mesh_concepts") == {"mesh_concepts": 1}
    path = small / "other.tsv"
    path.write_text("descriptor\ttree_number\nHeart\tA07\nAttack\tF01\n")
    install("mesh", [str(path)])
    assert values(text, "mesh_concepts") == {"mesh_concepts": 2}


def test_features_without_their_resource_are_nan_and_named_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "_named", set())
    names = ("chv_concepts", "chv_diseases", "openmedspel_words", "words")
    with caplog.at_level(logging.WARNING):
        values(document("lung"), *names)
        table = values(document("heart"), *names)
    assert np.isnan([table[name] for name in names[:3]]).all()
    assert table["words"] == 1
    assert [record.getMessage() for record in caplog.records] == [
        "not installed, so without a value: chv for chv_concepts; "
        "chv, mesh, disease-ontology, symptom-ontology for chv_diseases; "
        "openmedspel for openmedspel_words (see `understand resources list`)"
    ]


def test_many_features_without_their_resource_are_counted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_module, "_named", set())
    names = [row.name for row in catalogue() if "mesh" in row.needs]
    assert len(names) > 8
    with caplog.at_level(logging.WARNING):
        values(document("lung"), *names)
    (record,) = caplog.records
    assert f"{len(names)} features have no value" in record.getMessage()
    assert record.getMessage().count("mesh") == 1


def test_a_row_says_what_it_needs_and_has_a_value_where_that_is_there(small: Path) -> None:
    """All but those that need MetaMap's output on the documents at hand, or a trained model."""
    text = document(
        "The MRI of a patient with a heart attack, fever and lung cancer showed nothing; "
        "acetylsalicylic acid was given. Myocardial infarction is a disease."
    )
    names = [
        row.name
        for row, per in COLUMNS.values()
        if per == "document" and row.needs
        if "metamap" not in row.needs and row.group != "background models"
    ]
    assert len(names) == 26
    needed = {resource for name in names for resource in COLUMNS[name][0].needs}
    before = compute_features([text], names).values
    assert np.isnan(before).any()
    for name, file, content in (
        ("icd10cm", "icd10cm_order_2016.txt", ICD_ORDER),
        ("drugbank", "drugbank vocabulary.csv", DRUGBANK),
        ("adam", "adam_database", ADAM),
        *((resource, "list.txt", "the\nMRI\nheart\n") for resource in sorted(needed)),
    ):
        if name in needed and not installed(name):
            path = small / file
            path.write_text(content)
            install(name, [str(path)])
    values = compute_features([text], names).values
    assert not np.isnan(values).any(), [n for n, v in zip(names, values[0], strict=True) if v != v]


MMI = """d1|MMI|5.2|Infarct|C1|[dsyn]|["mi"-tx-1-"mi"]|TX|[0/5],[9/5]|C14.280.647.500;C14.907
d1|MMI|5.2|Fever|C3|[sosy]|["fever"-tx-1-"fever"]|TX|20/5|C23.888.119.344
d1|MMI|4.2|Doctor|C77|[prog]|["doctor"-tx-1-"doctor"]|TX|30/5|
d2|MMI|4.2|Doctor|C77|[prog]|["doctor"-tx-1-"doctor"]|TX|30/5|
"""


def test_metamap_rows_worked_by_hand(small: Path) -> None:
    """Two occurrences of C1 (best score .9, depth 3) and one of C3 (.95, depth 4)."""
    path = small / "out.mmi"
    path.write_text(MMI)
    install("metamap", [str(path)])
    names = (
        *("chv_concepts_metamap", "chv_score_metamap", "chv_symptoms_metamap"),
        *("chv_disease_score_metamap", "mesh_concepts_metamap", "mesh_depth_metamap"),
        *("mesh_diseases_metamap", "mesh_symptom_depth_metamap"),
    )
    documents = [document("Any text.", name) for name in ("d1", "d2", "d3")]
    table = compute_features(documents, names).values
    assert table[0].tolist() == pytest.approx([3, 2.75 / 3, 1, 0.9, 3, 10 / 3, 2, 4])
    assert np.array_equal(table[1], [0, np.nan, 0, np.nan, 0, np.nan, 0, np.nan], equal_nan=True)
    assert np.isnan(table[2]).all()
