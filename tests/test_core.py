"""The compiled core does what its reference in Python does, on pages of all kinds."""

import importlib
import random
import re
from array import array
from itertools import product
from pathlib import Path
from unittest.mock import patch
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scripts.faults import fuzz_core, hostile_pages
from scripts.train.word_lists import packed
from tests.conftest import CHARACTERS, SAMPLES

from understandability import _core
from understandability._core import layout
from understandability._core.layout import COHERENCE, names_of
from understandability.feature.batch import Batch
from understandability.feature.syllables import SyllableWeights
from understandability.inputs.sources import read_pages
from understandability.model.passages import passage_columns, passages, read_sentences
from understandability.model.sense import sense
from understandability.text.analysis import document_of_text
from understandability.text.page import Page
from understandability.text.parsed import parse_page, parse_source
from understandability.text.sentences import uncut

COHERENCE_FIT = names_of(COHERENCE).index("fit")


def assert_same(content: bytes | str) -> None:
    page = Page("d", "-", content)
    assert fuzz_core.outcome(page) == fuzz_core.by_reference(page)


def test_the_reference_has_the_whole_core() -> None:
    """Every compiled function has a test."""
    assert set(fuzz_core.COMPILED) <= set(fuzz_core.REFERENCE)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.html")), ids=lambda path: path.name)
def test_sample_pages(path: Path) -> None:
    assert_same(path.read_bytes())


def test_hostile_pages() -> None:
    """The small inputs: names without thousands."""
    large = re.compile("MB|megabyte|million|,000|thousand")
    small = [make() for name, make in hostile_pages.PAGES.items() if not large.search(name)]
    assert len(small) > 30
    for page in small:
        assert_same(page)


@pytest.mark.parametrize("text", ["", "\n", "a", "<p>"])
@pytest.mark.parametrize("marks", range(4))
def test_marks_of_the_order_of_bytes(marks: int, text: str) -> None:
    """One is taken off with the encoding; libxml2 leaves one out that is not alone."""
    assert_same("\ufeff" * marks + text)
    assert_same(("\ufeff" * marks + text).encode())


@given(st.lists(st.sampled_from(fuzz_core.PARTS) | st.text(CHARACTERS, max_size=8), max_size=60))
def test_generated_markup(parts: list[str]) -> None:
    """Texts that break loops over bytes; a failure is shrunk to the shortest text."""
    assert_same("".join(parts).encode("utf-8", "replace"))


@given(st.randoms(use_true_random=False))
def test_pieces_of_pages(chance: random.Random) -> None:
    page = (SAMPLES / "hard.html").read_bytes()
    assert_same(fuzz_core.spoiled(chance, [page]))


def test_bytes_of_utf8() -> None:
    """Each first byte, with what may just and just not follow it, and with less of it."""
    seconds = (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)
    for first, second, third, fourth in product(range(256), seconds, seconds[1:4], seconds[1:4]):
        for size in range(1, 5):
            content = b"eight or more of ASCII" + bytes((first, second, third, fourth))[:size]
            assert _core.is_utf8(content) == fuzz_core.REFERENCE["is_utf8"](content), content


def test_real_pages(shared_data: Path) -> None:
    """Each eighth; ``scripts/faults/fuzz_core.py`` takes them all."""
    archives = ("health_pages/health_pages.tar.gz", "extraction_gold/pages.tar.gz")
    pages = [*read_pages(*(shared_data / "html" / name for name in archives))]
    assert len(pages) > 1000
    for page in pages[::8]:
        assert isinstance(page, Page)
        fuzz_core.check(page)
        assert fuzz_core.outcome(page) == fuzz_core.by_reference(page), page.docno
        source, tree = parse_source(page), parse_page(page)  # without a tree, and with it
        assert (source.title, source.language) == (tree.title, tree.language), page.docno
        assert source.flags == tree.flags, page.docno


@given(st.lists(st.integers(-1, 2)))
def test_rows_of_weights(numbers: list[int]) -> None:
    """The row that each number names is added; the last number of a row is left as it is."""
    rows, weights = np.array(numbers, np.int32), np.arange(-3, 3, dtype=np.int8).reshape(-1, 2)
    tables = np.ones((2, len(rows), 3), np.int16)
    _core.add_rows(weights, rows, tables[0])
    fuzz_core.REFERENCE["add_rows"](weights, rows, tables[1])
    assert np.array_equal(*tables)


def test_rows_of_weights_that_are_not_there_are_refused() -> None:
    """In tables that are shorter than what is named, or of another width."""
    weights, table = np.ones((1, 2), np.int8), np.zeros((1, 3), np.int16)
    with pytest.raises(IndexError):
        _core.add_rows(weights, np.array([1], np.int32), table)
    for numbers, of_other_size in (([0, 0], table), ([0], table[:, 1:].copy())):
        with pytest.raises(ValueError, match="do not fit"):
            _core.add_rows(weights, np.array(numbers, np.int32), of_other_size)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(1, 3, 2), (6, 5, 32), (13, 40, 70)])
def test_products(dtype: type, rows: int, inputs: int, outputs: int) -> None:
    """Each output is the sum in the order of the inputs, up to rounding."""
    random = np.random.default_rng(outputs)
    width = _core.products.PRODUCT_WIDTH
    values = random.normal(size=(rows, inputs)).astype(dtype)
    blocks = random.normal(size=(outputs // width + 1, inputs, width)).astype(dtype)
    biases, products = random.normal(size=outputs), np.empty((2, rows, outputs))
    values[-1, 0] = np.nan  # stays what it is
    _core.multiply(values, blocks, biases, -1.0, products[0])
    fuzz_core.REFERENCE["multiply"](values, blocks, biases, -1.0, products[1])
    np.testing.assert_allclose(*products, atol=1e-5 if dtype == np.float32 else 1e-12)


def test_products_of_arrays_that_do_not_fit_are_refused() -> None:
    width = _core.products.PRODUCT_WIDTH
    fitting = {
        "rows": np.ones((2, 3)),
        "blocks": np.ones((1, 3, width)),
        "biases": np.ones(5),
        "least": 0.0,
        "out": np.ones((2, 5)),
    }
    _core.multiply(**fitting)
    for name, other in {
        "rows": np.ones((2, 4)),
        "blocks": np.ones((1, 3, width - 1)),
        "biases": np.ones(4),
        "out": np.ones((2, width + 1)),
    }.items():
        with pytest.raises(ValueError, match="do not fit"):
            _core.multiply(**{**fitting, name: other})
    with pytest.raises(ValueError, match="do not fit"):
        _core.multiply(**{**fitting, "out": np.ones((3, 5))})


_SHORT = st.text("aš\x01\0é’\ud800😀", max_size=3)
# Some as long as what is hashed by Python, and just shorter.
_STRINGS = _SHORT | st.builds(str.__mul__, _SHORT, st.sampled_from([21, 22, 31, 32, 33, 64, 65]))


@given(st.lists(_STRINGS | st.text("aé \u2028\x00", max_size=80)))
def test_words_by_spaces(texts: list[str]) -> None:
    assert _core.words_of_each(texts) == fuzz_core.REFERENCE["words_of_each"](texts)


@given(st.lists(_STRINGS), st.integers(0, 2000))
def test_numbers_of_strings(strings: list[str], more: int) -> None:
    """Distinct ones in order, in any script, whose bytes may be alike; the table grows."""
    table, wanted = _core.Numbers(), dict[str, int]()
    for some in (strings, [str(number) for number in range(more)], strings):
        out = np.empty(len(some), np.int32)
        table.number(some, out)
        assert out.tolist() == [wanted.setdefault(each, len(wanted)) for each in some]
    assert table.strings == list(wanted)
    for wrong in ([None], [b"a"]):
        with pytest.raises(TypeError):
            table.number(wrong, np.empty(1, np.int32))
    with pytest.raises(ValueError, match="one place for each"):
        table.number(["a"], np.empty(2, np.int32))


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([*fuzz_core.PARTS, *" \x1c\x85\u3000a\ud800"])), st.booleans()
        )
    )
)
def test_texts_that_are_cut_up(parts: list[tuple[list[str], bool]]) -> None:
    """At white space of any kind, into a table and arrays that hold something."""
    texts, are_open = ["".join(each) for each, _ in parts], [is_open for _, is_open in parts]
    found = []
    for cutter in (_core.SentenceCutter, fuzz_core.REFERENCE["SentenceCutter"]):
        table, arrays = _core.Numbers(), (array("i", [7]), [7], [])
        with patch.object(_core, "SentenceCutter", cutter):
            uncut(texts, are_open, "de").add_to(table, *arrays)
        found.append((table.strings, *arrays))
    assert found[0] == found[1]


def test_an_array_for_other_numbers_is_refused() -> None:
    """The pieces would be written outside the array."""
    with pytest.raises(ValueError, match="C integers"):
        uncut(["Rest."], [True], "en").add_to(_core.Numbers(), array("b"), [], [])


@given(st.lists(st.text("abcmsé'’", max_size=5)))
def test_syllables_of_strings(strings: list[str]) -> None:
    """Syllables follow from the patterns around each letter."""
    weights = SyllableWeights(
        {
            (1, "ba"): 3,
            (0, "a"): -2,
            (0, "a$"): 1,
            (2, "^ma"): 4,
            (1, "sm"): 1,
            (0, "c"): 1,
            (0, "'"): 1,
        }
    )
    with patch.object(_core, "nuclei", fuzz_core.REFERENCE["nuclei"]):
        by_reference = weights.nuclei(strings)
    assert weights.nuclei(strings) == by_reference


@given(st.lists(st.text("<flü’\ud800😀>", max_size=9)))
def test_hashes_of_runs(words: list[str]) -> None:
    """Any script is written; too little room raises an error."""
    found, wanted = np.zeros((2, 20 * len(words)), np.uint32)
    _core.hash_runs(words, found)
    fuzz_core.REFERENCE["hash_runs"](words, wanted)
    assert np.array_equal(found, wanted)
    with pytest.raises(IndexError):
        _core.hash_runs([*words, "<flu>"], found[: np.count_nonzero(found)])
    with pytest.raises(TypeError):
        _core.hash_runs([None], found)  # type: ignore[list-item]


@given(st.data())
def test_tags_of_tokens(data: st.DataObject) -> None:
    """In sentences of any lengths, by tables of any numbers."""
    chance = np.random.default_rng(data.draw(st.integers(0, 1000)))
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=8))
    tags, types = 17, 5
    side = tags + 1

    def numbers(*shape: int) -> NDArray[np.int8]:
        return chance.integers(-9, 9, shape).astype(np.int8)

    rows = numbers(types, 5 * tags + 1).astype(np.int16)
    rows[:, -1] = chance.integers(0, 2, types)
    ids = chance.integers(0, types, sum(sizes))
    starts = np.cumsum([0, *sizes[:-1]])
    tables = [numbers(5 * tags).astype(np.int16), numbers(side**2, tags), numbers(side**3, tags)]
    tables += [numbers(side**2, tags), numbers(2 * side**2, tags)]
    found, wanted = np.empty((2, len(ids)), np.uint8)
    _core.best_tags(rows, ids, starts, *tables, found)
    fuzz_core.REFERENCE["best_tags"](rows, ids, starts, *tables, wanted)
    assert found.tolist() == wanted.tolist()


@given(st.data())
def test_sums_of_rows(data: st.DataObject) -> None:
    """Segments may have any size; all or some columns are summed."""
    table = np.arange(20, dtype=np.int32).reshape(5, 4)[:, data.draw(st.integers(0, 3)) :]
    ids = np.array(data.draw(st.lists(st.integers(0, 4))), np.int32)
    starts = np.sort(data.draw(st.lists(st.integers(0, len(ids)), min_size=1)))
    sums = np.empty((2, len(starts) - 1, table.shape[1]))
    for core, out in zip((fuzz_core.COMPILED, fuzz_core.REFERENCE), sums, strict=True):
        core["sum_rows"](table, ids, starts, out)
    assert np.array_equal(*sums)


def test_sums_beyond_a_table_are_refused() -> None:
    """Rows and segments outside the table are refused."""
    table, out = np.ones((2, 3), np.int32), np.empty((1, 3))
    ids = np.array([0, 2], np.int32)
    for starts in ([0, 2], [0, 3]):
        with pytest.raises(IndexError):
            _core.sum_rows(table, ids, np.array(starts), out)
    with pytest.raises(IndexError):
        _core.sum_rows(table, ids - 1, np.array([0, 1]), out)
    with pytest.raises(ValueError, match="do not fit"):
        _core.sum_rows(table, ids, np.array([0, 1]), out[:, 1:].copy())


def test_a_core_compiled_from_another_layout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes and columns are compiled in, so one that moves needs a new build."""
    before = layout.as_cython()
    monkeypatch.setitem(layout.PASSAGE, "another", ("another",))
    assert layout.as_cython() != before
    monkeypatch.setattr(layout, "FINGERPRINT", crc32(layout.as_cython().encode()))
    with pytest.raises(ImportError, match=r"python hatch_build\.py"):
        importlib.reload(_core)


TEXTS = st.lists(
    st.sampled_from(
        ["It", "rests", "IBUPROFEN", "Rare", "stent", "stents", "2.5", "x_y", "is", "of"]
    )
    | st.sampled_from([".", "?\n\n", ",", "It rests.", "A b.", "the", "Foo", "however", "\n\n"]),
    max_size=60,
).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_columns_of_passages(texts: list[str]) -> None:
    """Any words in any sentences agree, also repeated sentences and empty texts."""
    found = passages(Batch([document_of_text(text) for text in texts]))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("read_sentences", "read_passages"):
            patch.setattr(_core, name, fuzz_core.REFERENCE[name])
        wanted = passages(Batch([document_of_text(text) for text in texts]))
    assert found.starts.tolist() == wanted.starts.tolist()
    for one, other, name in zip(found.columns.T, wanted.columns.T, passage_columns(), strict=True):
        assert one == pytest.approx(other, rel=1e-6, abs=1e-6, nan_ok=True), name
    assert found.cut.tolist() == wanted.cut.tolist()


@pytest.mark.parametrize("name", ["read_sentences", "read_passages"])
def test_numbers_out_of_the_tables_of_passages_are_refused(name: str) -> None:
    """Integers outside a table are refused, and tables with too few columns."""
    given: list[tuple[object, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, name, lambda *arguments: given.append(arguments))
        batch = Batch([document_of_text("The flu is what most of them had.")])
        (passages if name == "read_passages" else read_sentences)(batch)
    function = getattr(_core, name)
    function(*given[0])
    wrong = 0
    for place, argument in enumerate(given[0]):
        if name == "read_passages" and place == len(given[0]) - 3:
            continue  # a passage that starts after its end is empty
        if isinstance(argument, np.ndarray) and argument.ndim == 2:
            bad, error = [argument[:, 1:].copy()], ValueError
        elif isinstance(argument, np.ndarray) and argument.dtype.kind == "i":
            bad, error = [argument + 1_000_000], IndexError
            if name != "read_passages" or place != len(given[0]) - 2:  # such an end, too
                bad.append(argument - 1_000_000)
            if argument.dtype == np.int32:  # types of tokens and of words
                bad.append(-np.ones_like(argument))
        else:
            continue
        for each in bad:
            wrong += 1
            with pytest.raises(error):
                function(*given[0][:place], each, *given[0][place + 1 :])
    assert wrong > 6


def test_passages_of_sentences_that_overlap_are_refused() -> None:
    """The output of a passage has room for each token once."""
    with pytest.MonkeyPatch.context() as patch:
        given: list[tuple[object, ...]] = []
        patch.setattr(_core, "read_passages", lambda *arguments: given.append(arguments))
        passages(Batch([document_of_text("The flu is what most of them had. Rest and drink.")]))
    arguments = list(given[0])
    size = len(np.asarray(arguments[1]))
    arguments[2] = np.array([size, 0, size])
    arguments[11:15] = np.array([0, 1, 1]), np.ones(3, np.uint8), np.array([0]), np.array([3])
    with pytest.raises(IndexError, match="more tokens"):
        _core.read_passages(*arguments)


@given(
    st.text(CHARACTERS) | st.text("fluFLŭ’_3² \n\x1c\u2003").map(lambda text: text + "Flu \xa0fl")
)
def test_words_that_are_counted(text: str) -> None:
    """Any characters may separate the words."""
    listed = places_of({"flu": 1, "f": 1, "fl": 1, "ŭ": 1, "u": 0})
    assert _core.count_listed(text, listed) == fuzz_core.REFERENCE["count_listed"](text, listed)


@given(st.lists(st.sampled_from([*"<>/ a='\n", "<main", "<Article", " lang=es", "</", "\0"])))
def test_start_tags(parts: list[str]) -> None:
    """Tags with one of the names are found, whatever surrounds them."""
    source, names = "".join(parts).encode(), (b"main", b"article")
    assert _core.start_tags(source, names) == fuzz_core.REFERENCE["start_tags"](source, names)


@given(
    st.text(
        "ab \u0300\u036f\u0370\u0640\u0653\u0655\u0656\u1100\u1140\u11ff\u1200\u3098\u3099\u309aé’"
    )
)
def test_characters_that_combine(text: str) -> None:
    content = ("plain text " + text).encode()
    assert _core.may_combine(content) == fuzz_core.REFERENCE["may_combine"](content)


@given(st.lists(st.text("ab. \n", max_size=60).map(str.strip), min_size=1, max_size=4))
def test_coherence(texts: list[str]) -> None:
    """Each document is measured alone, and words that are not content words are left out."""
    words = {"a": "Drink", "b": "the"}
    documents = [
        document_of_text("".join(words.get(letter, letter) + " " for letter in text) * 40)
        for text in texts
    ]
    documents.append(document_of_text("The doctor gives you a tablet. Take it with cold water."))
    calls: list[tuple[object, ...]] = []

    def called(*arguments: object) -> None:
        fuzz_core.COMPILED["read_coherence"](*arguments)
        calls.append(arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_core, "read_coherence", called)
        sense(Batch(documents), np.arange(len(documents)) > 0)
    *arguments, out = calls[0]
    assert isinstance(out, np.ndarray)
    expected = np.empty_like(out)
    fuzz_core.REFERENCE["read_coherence"](*arguments, expected)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
    assert out[-1, COHERENCE_FIT] > 0
    assert out[0, COHERENCE_FIT] == 0


@given(st.lists(st.integers(0, 2**32 - 2) | st.integers(0, 5), max_size=32))
def test_hash_tables_of_pairs(pairs: list[int]) -> None:
    tables = np.zeros((2, 64), np.uint32)
    for function, table in zip(
        (_core.hash_pairs, fuzz_core.REFERENCE["hash_pairs"]), tables, strict=True
    ):
        function(np.array(pairs, np.uint32), table)
    assert np.array_equal(*tables)
    assert {*tables[0].tolist()} == {0, *(pair + 1 for pair in pairs)}


@pytest.mark.parametrize("slots", [0, 1, 3, 5, 7, 12])
def test_hash_tables_of_another_size_are_refused(slots: int) -> None:
    with pytest.raises(ValueError, match="slots"):
        _core.hash_pairs(np.arange(4, dtype=np.uint32), np.zeros(slots, np.uint32))


def test_tables_that_do_not_fit_are_refused() -> None:
    none = np.zeros((0, 3), np.int8)
    numbers = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        _core.best_tags(
            np.zeros((1, 16), np.int16), numbers, numbers, np.zeros(15, np.int16),
            none, none, none, none, np.zeros(1, np.uint8),
        )  # fmt: skip


def places_of(numbers: dict[str, int], *, are_sorted: bool = False) -> _core.Places:
    words = sorted(map(str.encode, numbers)) if are_sorted else list(map(str.encode, numbers))
    values = np.array([numbers[word.decode()] for word in words], np.uint16)
    return _core.Places(b"".join(packed(words)), values)


@given(st.dictionaries(st.text("abé", max_size=80), st.integers(0, 65_535), max_size=40))
def test_places_are_those_of_a_dictionary(known: dict[str, int]) -> None:
    for are_sorted in (False, True):
        places = places_of(known, are_sorted=are_sorted)
        assert {word: places.get(word, -1) for word in known} == known
        assert places.words == len(known)


def test_places_of_words_of_all_lengths_and_of_none() -> None:
    known = {"w" * length: length for length in range(256)}
    places = places_of(known, are_sorted=True)
    for word in [*known, "The", "w" * 256, "\ud800", "w\0"]:
        assert places.get(word, -1) == known.get(word, -1)
    assert places_of({}).get("", -1) == -1
    twice = _core.Places(b"\0flu\0flu\3", np.array([1, 2, 3], np.uint16))
    assert (twice.get("flu", -1), twice.words) == (3, 1)


@pytest.mark.parametrize(
    ("damaged", "words", "message"),
    [
        (b"flu", 0, "no word begins"),
        (b"\1flu", 1, "shares more bytes"),
        (b"\0flu\4", 2, "shares more bytes"),
        (b"\0flu", 2, "or fewer, than numbers"),
        (b"\0flu\3", 1, "more words"),
        (b"\0" + b"w" * 256, 1, "255 bytes"),
    ],
)
def test_a_damaged_list_of_words_is_refused(damaged: bytes, words: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.Places(damaged, np.zeros(words, np.uint16))
