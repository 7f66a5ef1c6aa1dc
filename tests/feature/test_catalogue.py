"""One contract for every row of the catalogue, whatever group it belongs to."""

import pickle
import re
from types import MappingProxyType

import numpy as np
import pytest
from scripts.docs import update
from tests.feature.conftest import document

from understandability.direction import Direction
from understandability.errors import OptionError
from understandability.feature.batch import Batch
from understandability.feature.catalogue import (
    COLUMNS,
    all_groups,
    catalogue,
    check_columns,
    select_columns,
)
from understandability.feature.row import Feature
from understandability.feature.table import compute_features
from understandability.text.document import Document

ODD_TEXTS = {
    "empty": "",
    "one word": "Flu",
    "no sentence end": "flu is a virus and so is the common cold",
    "only punctuation": "?! ... -- * * * (!) —",
    "one long word": "a" * 200_000,
    "one long row of stops": "." * 20_000,
    "one long number": "7" * 20_000,
    "one long compound": "a-" * 10_000,
    "one long address": "a.b" * 6_000,
    "right to left": "الإنفلونزا مرض معد. שפעת היא מחלה זיהומית.",
    "nuls": "\x00 flu\x00 is \x00\x00. Rest\x00!",
    "no letters known": "流感是一種病毒。 😷 ½ ² ⅷ ١٢٣",
    "lone surrogates": "flu \ud800 is \udfff bad.",
}

WORDLESS = ("empty", "only punctuation", "one long row of stops")
OF_WORDS = ("readability", "word frequency", "language model")


@pytest.fixture(scope="module")
def odd_documents() -> list[Document]:
    return [document(text, docno=name) for name, text in ODD_TEXTS.items()]


@pytest.fixture(scope="module")
def odd_values(odd_documents: list[Document]) -> dict[str, dict[str, float]]:
    table = compute_features(odd_documents)
    return {
        docno: dict(zip(table.names, row, strict=True))
        for docno, row in zip(table.docnos, table.values, strict=True)
    }


@pytest.mark.parametrize("feature", catalogue(), ids=lambda feature: feature.name)
def test_a_row_says_all_there_is_to_say(feature: Feature) -> None:
    """Name, group, unit, direction, meaning and source; and it can be sent to another process."""
    assert feature.name.isidentifier()
    assert feature.name == feature.name.lower()
    assert feature.meaning
    assert feature.source
    assert feature.unit
    assert feature.direction is None or isinstance(feature.direction, Direction)
    assert feature.per[0] == "document"
    batch = Batch([Document("d", "", ("Rest", "and", "drink", "water."), (0,))])
    restored = pickle.loads(pickle.dumps(feature))
    np.testing.assert_array_equal(restored.compute(batch), feature.compute(batch))


def test_names_of_columns_are_distinct() -> None:
    assert len(COLUMNS) == sum(len(feature.per) for feature in catalogue())


@pytest.mark.parametrize("feature", catalogue(), ids=lambda feature: feature.name)
def test_every_row_copes_with_every_text(feature: Feature, odd_values) -> None:
    """A number or NaN, never infinite; without words every ratio and formula is NaN."""
    for text, values in odd_values.items():
        for per in feature.per:
            value = values[feature.column(per)]
            assert not np.isinf(value), text
            if text in WORDLESS and (per != "document" or feature.group in OF_WORDS):
                assert np.isnan(value), text
            if text == "empty":
                assert np.isnan(value) or value == 0


def test_a_value_depends_on_its_own_document_only(odd_documents: list[Document]) -> None:
    """The same to the last bit in a batch of many, alone, and in another order."""
    documents = [document for document in odd_documents if document.docno != "one long word"]
    together = compute_features(documents).values
    backwards = compute_features(documents[::-1]).values[::-1]
    alone = np.concatenate([compute_features([document]).values for document in documents])
    np.testing.assert_array_equal(backwards, together)
    np.testing.assert_array_equal(alone, together)


def test_texts_without_words_are_flagged(odd_documents: list[Document]) -> None:
    table = compute_features(odd_documents, ["words"])
    flagged = {docno for docno, flags in zip(table.docnos, table.flags, strict=True) if flags}
    assert flagged == set(WORDLESS)
    marked = Document("d", "", (), (), flags=("truncated",))
    assert compute_features([marked], ["words"]).flags == (("truncated", "no_words"),)


def test_no_documents_give_a_table_without_rows() -> None:
    table = compute_features([])
    assert table.values.shape == (0, len(COLUMNS))
    assert Batch([]).words.tolist() == []


def test_elements_are_counted_by_name() -> None:
    """Bold is b and strong, headings are h1 to h6, lists dl, ul and ol; a text has none."""
    tags = MappingProxyType({"b": 1, "strong": 2, "h1": 1, "h3": 4, "ul": 2, "ol": 1, "p": 9})
    page = Document("page", "", ("Rest.",), (0,), tag_counts=tags)
    text = Document("text", "", ("Rest.",), (0,))
    names = ["html_bold", "html_headings", "html_h3", "html_lists", "html_p", "html_table"]
    assert compute_features([page, text], names).values.tolist() == [
        [3, 5, 4, 3, 9, 0],
        [0, 0, 0, 0, 0, 0],
    ]


def test_columns_are_chosen_by_name_by_group_and_by_form() -> None:
    """Raw values always, those by word and sentence where asked for, each column once."""
    assert select_columns(["syllables", "smog"]) == ("syllables", "smog")
    assert select_columns(["syllables_per_word"], per=["sentence"]) == ("syllables_per_word",)
    assert select_columns(["syllables"], per=["word", "sentence"]) == (
        "syllables",
        "syllables_per_word",
        "syllables_per_sentence",
    )
    assert select_columns(["words"], groups=["components"])[:2] == ("words", "characters")
    assert set(select_columns(per=["word", "sentence"])) == set(COLUMNS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["fogg", "smog", "lixx"]}, "'fogg'.*, 'lixx' .did you mean lix"),
        ({"groups": ["htm"]}, "no group is named 'htm'; choose from .*html"),
        ({"per": ["page"]}, "no form .* is named 'page'; choose from word, sentence"),
    ],
)
def test_all_wrong_names_are_told_at_once(arguments, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        select_columns(**arguments)


def test_a_missing_column_of_a_table_is_named() -> None:
    table = compute_features([], ["words"])
    with pytest.raises(OptionError, match="no column 'smog'; it has words"):
        table.column("smog")


def test_the_page_of_features_has_an_entry_for_each() -> None:
    """Written from the catalogue, under the heading of its group."""
    sections = re.split(r"^### (.+)$", update.features(), flags=re.MULTILINE)
    assert [heading.lower() for heading in sections[1::2]] == [g.lower() for g in all_groups()]
    for group, entries in zip(all_groups(), sections[2::2], strict=True):
        names = re.findall(r"^- `(\w+)`: ", entries, re.MULTILINE)
        assert names == [row.name for row in catalogue() if row.group == group]
    assert check_columns(list(COLUMNS)) == tuple(COLUMNS)
