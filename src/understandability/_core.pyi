"""The hot path from bytes to text, compiled from ``_core.pyx``.

Texts are `str`, sources are UTF-8. A *tape* alternates texts and tags, see
`understandability.text.tape`; an action says what a tag does, by the constants of the extractor
that walks. All functions are pure, take time and memory linear in what they are given, and raise
nothing but `MemoryError`, unless said otherwise.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from numpy.typing import NDArray

Paragraph = TypeVar("Paragraph")

def has_controls(content: bytes) -> bool:
    """Whether bytes below the space are there, other than tabs, line feeds and returns."""

def is_utf8(content: bytes) -> bool:
    """Whether bytes are text in UTF-8."""

def values(source: bytes, quote: bytes, length: int) -> list[tuple[int, int]]:
    """Stretches of at least `length` bytes (but at the end) without a quote: start, end of each.

    They begin right behind an equals sign and a quote, and end at the next or at the source's end.
    """

class Tape:
    """A page's markup: texts and the tags between them, packed.

    `names` are the different tags: ``p`` opens, ``/p`` closes, ``br/`` is an element without
    content, and ``""`` a comment, script or style. Made of a list that alternates texts and tags.
    """

    names: list[str]
    def __init__(self, pieces: list[str] = ...) -> None: ...
    def __len__(self) -> int:
        """The number of tags."""

    def tag(self, place: int) -> str:
        """The tag at a place; raises `IndexError` where none is."""

    def pieces(self) -> list[str]:
        """Texts (possibly empty) and tags in turn, as the tape is made of."""

    def counts(self) -> Counter[str]:
        """How often each tag is there."""

    def place_of(self, tag: str) -> int:
        """Where a tag comes first among the tags; -1 if it does not."""

    def text_behind(self, place: int) -> str:
        """The text behind a tag; raises `IndexError` for a place that no tag has."""

    def long_texts(self, least: int, enough: int, without: frozenset[str]) -> str:
        """Texts of at least so many characters behind tags that are not among some.

        With a space between, and up to the first with which they have `enough` characters.
        """

def cut(
    source: bytes,
    normal: Callable[[bytes], str],
    unescape: Callable[[str], str],
    sections: frozenset[str],
    hints_of: Mapping[str, str],
    mended: tuple[bytes, ...],
) -> tuple[Tape, dict[int, str], list[bytes]] | None:
    """The tape of a source, what the attributes of sections tell, those of each ``html``.

    `normal` gives the tag for one as it is written, `unescape` a text with its references resolved.
    Of a tag in `sections` that has a class or id, `hints_of` says what these tell; that comes by
    the place of the tag among the tags if it is not ``""``. None if a comment
    or one of the elements of `mended`, in small letters, is never closed, or if the quotes are a
    tangle that takes too long. Raises `UnicodeDecodeError` for what is not UTF-8.
    """

def read_tree(
    source: bytes,
    rule_of: Callable[[str], tuple[int, int, int, int, int]],
    resolve: Callable[[str], str],
) -> tuple[Tape, bytes] | None:
    """The tape of the tree that libxml2 2.14 makes of a source; the attributes of its root.

    `rule_of` tells of an element: its bit among those that others end (0 for none), the bits of
    those that its start ends, its level (0 to 7: an end tag ends none of a higher level), what it
    holds, and its role (see `understandability.text.tape`). `resolve` gives a text with its
    references resolved. None for a tree of more than 2,048 elements in each other. Raises
    `UnicodeDecodeError` for what is not UTF-8.
    """

def main_blocks(
    tape: Tape,
    rules: Mapping[str, tuple[int, str, int, int, int, str]],
    hints: dict[int, str],
    is_forum: Callable[[], bool],
    closing: Callable[[str], str | None],
    is_ended: Callable[[str], object],
    kept_as: str,
) -> tuple[list[str], list[str], list[bool], list[str], int]:
    """A tape as blocks, by steps 1 to 5 of `main`: texts, elements, which are kept, reasons.

    And how many characters are kept; the reason for that is `kept_as`. `rules` tells of a tag its
    action, the tag that ends it or that it ends, its bit among the elements that others end, the
    bits of those that it ends, what it is as a block (the level of a heading, 8 an item, 16 a
    cell, 32 a paragraph), and what it is called as a section, if `hints` (by the place of the tag,
    in their order) do not tell. `is_forum` tells whether a page says of itself that it is one,
    `closing` what follows a heading that ends the text (``posts``, ``links`` or another; None if
    it ends none), and `is_ended` whether a text ends as a sentence does.
    """

def naive_walk(
    tape: Tape, actions: dict[str, int], unparsed: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """The text of each field, and its element; `unparsed` gives the text of a ``noframes``."""

def boilerpipe_walk(
    tape: Tape, actions: dict[str, int], unparsed: Callable[[str], str], marks: str, without: int
) -> tuple[list[str], list[int], list[int], list[str]]:
    """Text, number of words, number of words in links, and element of each block.

    Words are runs of letters and digits that nothing but `marks` interrupts. `unparsed` gives the
    text of frames; the text behind the tag at `without` is left out (-1 for none).
    """

def justext_walk(
    tape: Tape,
    actions: dict[str, int],
    headings: dict[str, int],
    selects: dict[str, int],
    paragraph: Callable[[str, str, int, bool, bool], Paragraph],
    first: int,
    last: int,
) -> list[Paragraph]:
    """The paragraphs: of text, element, characters in links, in a heading, in a select.

    Walked are the tags from `first` up to `last`, with the text before the first; raises
    `IndexError` where that is not on the tape. `headings` and `selects` say by how much a tag
    changes how deep the walk is in those.
    """

def cut_up(
    ends_of: Mapping[str, str],
    starts_of: Mapping[str, str],
    may_end: bytes,
    before: dict[str, str],
    spaced: Callable[[str], str],
    texts: list[str],
    are_open: list[bool],
    table: Numbers,
    pieces: array[int],
    starts: list[int],
    open_ends: list[int],
) -> None:
    """Cut texts into pieces and sentences, of which none runs across the end of a text.

    Added are the numbers of the pieces in the table to `pieces` (int), the places there of those
    that begin a sentence to `starts`, and to `open_ends` the places there of the last sentences of
    texts that are open.

    `ends_of` and `starts_of` say how a piece ends and begins, in one character as in
    `understandability.text.sentences`; a piece may end a sentence if `may_end` has a 1 for its last
    byte, and does if `before` has, for its end, the beginning of the next. `spaced` gives a text
    with white space between all pieces.
    """

class Numbers:
    """Distinct strings, numbered in the order in which they come.

    `strings` has that of each number; all together they have so many `characters`.
    """

    strings: list[str]
    characters: int
    def number(self, strings: list[str], out: NDArray[Any], adds_new: bool = True) -> None:
        """Write the number of each string into `out` (int32).

        New strings get the next; -1 if they are not to be added.
        """

def words_of_each(texts: Iterable[str]) -> list[int]:
    """How many words each text has, by its spaces."""

def add_rows(weights: NDArray[Any], rows: NDArray[Any], table: NDArray[Any]) -> None:
    """Add to each row of `table`, but for its last number, the row of `weights` with its number.

    `weights` (…, columns) is int8, `table` (tokens, columns + 1) int16, `rows` (tokens,) int32,
    with -1 for nothing. Raises `ValueError` for tables that do not fit together, `IndexError` for
    rows out of them.
    """

def best_tags(
    rows: NDArray[Any],
    ids: NDArray[Any],
    starts: NDArray[Any],
    boundary: NDArray[Any],
    before: NDArray[Any],
    around: NDArray[Any],
    after: NDArray[Any],
    word_around: NDArray[Any],
    tags: NDArray[Any],
) -> None:
    """Write the tag of each token into `tags` (uint8), see `understandability.feature.tagger`.

    With T tags: `rows` (types, 5 T + 1; int16) is what each type adds to the scores at the five
    distances, and its class; `ids` (int64) are the types of the tokens, `starts` (int64) the
    tokens that begin a sentence, the first first. `boundary` (5 T) is int16; `before` and
    `after` ((T + 1)^2, T), `around` ((T + 1)^3, T), `word_around` (classes (T + 1)^2, T) are int8.
    Raises `ValueError` for tables that do not fit together, `IndexError` for numbers out of them.
    """

def nuclei(
    words: list[str],
    firsts: NDArray[Any],
    letters: NDArray[Any],
    codes: NDArray[Any],
    roots: NDArray[Any],
    weights: NDArray[Any],
) -> list[list[int]]:
    """Where in each word, between ``^`` and ``$``, the weights of all patterns sum to more than 0.

    Of the letters that may carry a syllable: a vowel, the m of *prism*, the c of *McDonald*, the
    apostrophe of *Max's*. Of a `Trie`, `letters` (uint8) has the code of each step; those of a node
    begin at `firsts` (int32); `codes` (int32) are those of ASCII, and last that of all else. The
    others are int64. From ``roots[i]`` go the patterns that begin `i` before a letter. Raises
    `IndexError` for a wrong step.
    """

def hash_runs(words: list[str], out: NDArray[Any]) -> None:
    """A hash of each run of 3, 4 and 5 characters, word by word, and of each longer word itself.

    `out` is uint32; raises `IndexError` for too few places.
    """

class Places:
    """Words with a whole number each.

    `packed` holds the words in UTF-8. Before each is a byte below 32: the number of bytes that it
    shares with the start of the word before it, which are left out. `numbers` is uint16, one entry
    per word; a word that occurs twice keeps its last number. Raises `ValueError` for a list of
    another form, or a word of more than 255 bytes. `words` is the number of distinct words.
    """

    words: int
    def __init__(self, packed: bytes | NDArray[Any], numbers: NDArray[Any]) -> None: ...
    def get(self, word: str, otherwise: int) -> int:
        """The number of a word, or another where it is not there."""

def sum_rows(
    table: NDArray[Any], ids: NDArray[Any], starts: NDArray[Any], out: NDArray[Any]
) -> None:
    """``out[i]``: the sum of the rows ``ids[starts[i]:starts[i + 1]]`` of a table.

    The table and `ids` are int32, `starts` int64. Raises `IndexError` for a row that is not there.
    """

def read_sentences(
    types: NDArray[Any],
    ids: NDArray[Any],
    bounds: NDArray[Any],
    tags: NDArray[Any],
    firsts: NDArray[Any],
    scores: NDArray[Any],
    no_end: int,
    out: NDArray[Any],
) -> None:
    """Write what `understandability.model.passages.read_sentences` says of each sentence.

    `types` are a `TOKEN` each, as bytes; `ids` (int32) are the types of the tokens, `bounds`
    (int64) where the tokens of each sentence begin, and those of the last end; `tags` (uint8) are
    of `TWELVE`, `firsts` (int64) the first sentence of each document. `scores` (int8) are of pairs
    of frequent words, tags and, last, a boundary; a sentence does not end where it has less than
    `no_end`. Raises `ValueError` for tables that do not fit together, `IndexError` for numbers out
    of them; so does the next.
    """

def read_passages(
    types: NDArray[Any],
    ids: NDArray[Any],
    bounds: NDArray[Any],
    kinds: NDArray[Any],
    word_ids: NDArray[Any],
    word_bounds: NDArray[Any],
    names: NDArray[Any],
    sentences: NDArray[Any],
    vectors: NDArray[Any],
    scale: NDArray[Any],
    by_sentence: NDArray[Any],
    numbers: NDArray[Any],
    prose: NDArray[Any],
    begins: NDArray[Any],
    ends: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write what `understandability.model.passages.passage_columns` names of each passage.

    The first three are those of `read_sentences`, and `sentences` what it wrote. `kinds` (int32)
    are what types of words add, and whether they are in capitals; `word_ids` and `word_bounds` are
    as those of tokens, and `names` (uint8) says which words are names. `vectors` (int8) times
    `scale` (float32) are of words. `by_sentence` (int32) has columns, and those where they are
    counted by sentence of prose. Passage ``i`` is the sentences ``numbers[begins[i]:ends[i]]``
    (int64), of which `prose` (uint8) says whether they are.
    """

def count_known(text: str, known: Places) -> tuple[int, list[int]]:
    """How many runs of letters a text has, and the numbers of the known ones, in order."""
