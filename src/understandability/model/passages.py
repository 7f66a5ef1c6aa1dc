"""A page in passages of about a hundred words, and what the model reads of each.

People judged sentences and short passages, so a page is read as passages too. A passage is a run
of sentences, headings and list items; all columns are means over its words, its tokens or its
sentences, so that none of them grows with the page. The words of headings and items count like
others, but they are no sentences: how long sentences are is told by prose alone, and by nothing
where a passage has none. What stood on the page before is left out: a text that is repeated stays
what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability.arrays import Floats
from understandability.feature.batch import Batch, sizes_between, sum_segments
from understandability.feature.language_model import NO_WORD
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.feature.word_counts import KINDS, kinds_of_word
from understandability.model.word_columns import (
    DIMENSIONS,
    STYLE_KINDS,
    kinds_of_token,
    known_of,
    runs_of_letters,
    word_complexity,
    word_difficulty,
    words_and_vectors,
)
from understandability.resources import resource_arrays
from understandability.text.stop_words import foreign_words

# Passages of 60 to 150 words, and sentences alone, rank texts the same to .005.
WORDS = 100
_LEAST_WORDS = 5
# A field that no punctuation ends is a sentence all the same if it is as long as this.
_LONG = 25
# Fragments with a verb are prose too where other sentences hold less than this share of the words.
_LEAST_SHARE = 0.5
# A sentence with more words of another language than this is none of English.
_FOREIGN = 0.15
# Above this Zipf frequency a word is English, whatever else it is ("dog", Danish for "still").
_ENGLISH = 4.6

_WORD_KINDS = (
    "difficult_words", "characters", "words_longer_6", "words_longer_10", "syllables",
    "polysyllables", "words_over_3_syllables", "medical_prefixes", "medical_suffixes",
    "medical_acronyms", "stop_words", "oov",
)  # fmt: skip
_PICKED = [KINDS.index(kind) for kind in _WORD_KINDS]
# These and the other limits are those of `_core.read_passages`.
_ZIPF_LIMITS, _COMPLEXITY_LIMITS = (3.0, 4.0, 5.0), (0.3, 0.4)
_TOKEN_COLUMNS = (
    *STYLE_KINDS,
    "not_in_wordfreq",
    *(f"zipf_under_{limit:g}" for limit in _ZIPF_LIMITS),
    *(f"share_zipf_below_{limit:g}" for limit in _ZIPF_LIMITS),
    "log_probability_merged",
    "pubmed_over_reddit",
    "pubmed_over_wikipedia",
    "wikipedia_over_reddit",
    "towards_pubmed",
    "far_towards_pubmed",
    "towards_wikipedia",
    "complexity",
    *(f"complexity_over_{limit:g}" for limit in _COMPLEXITY_LIMITS),
    *(f"share_complexity_above_{limit:g}" for limit in _COMPLEXITY_LIMITS),
    "code",
    "single_letters",
    "no_letters",
)
_UNLISTED, _CODE, _SINGLE, _NO_LETTERS = map(
    _TOKEN_COLUMNS.index, ("not_in_wordfreq", "code", "single_letters", "no_letters")
)
_ZIPF_QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5)
_COMPLEXITY_QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99)
_LENGTHS = (10, 20, 30)
# What is a mean over words or tokens, counted by sentence of prose too.
_BY_SENTENCE_OF_WORDS = ("syllables", "polysyllables")
_BY_SENTENCE_OF_TOKENS = ("comma", "relative", "complexity_over_0.3", "complexity_over_0.4")
_VERB = TWELVE.index("VERB")


@cache
def passage_columns() -> tuple[str, ...]:
    """The names of the columns of a passage, in the order in which `_columns` gives them.

    The last are for difficulty alone: those of the vectors of rare words, of order, the mean of
    what the different words of the passage add by what readings say (`WordDifficulty`), and how
    short it is, from 60 words (0) to none (1): one odd sentence is less hard than five.
    """
    vectors = range(DIMENSIONS)
    return (
        *_WORD_KINDS,
        "characters_squared",
        *(f"{name}_per_sentence" for name in _BY_SENTENCE_OF_WORDS),
        *_TOKEN_COLUMNS,
        *(f"{name}_per_sentence" for name in _BY_SENTENCE_OF_TOKENS),
        *(f"word_vector_{number}" for number in vectors),
        *(f"tag_{tag}" for tag in TWELVE),
        "tag_VERB_per_sentence",
        *(f"zipf_at_{share:g}" for share in _ZIPF_QUANTILES),
        *(f"complexity_at_{share:g}" for share in _COMPLEXITY_QUANTILES),
        "complexity_not_names",
        "complexity_over_0.3_not_names",
        "without_vector",
        "names",
        "rare_words",
        "rare_words_again",
        "rare_word_times",
        "sentence_words",
        "sentence_log_words",
        *(f"sentence_words_over_{each}" for each in _LENGTHS),
        *(f"words_in_sentences_over_{each}" for each in _LENGTHS[1:]),
        "sentence_hardest_word",
        "sentence_log_words_deviation",
        "prose",
        "short_fields",
        *(f"rare_word_vector_{number}" for number in vectors),
        "word_order",
        "cut_sentences",
        "difficulty_by_words",
        "shortness",
    )


def _code_like(token: str) -> bool:
    """Whether a token is a name of a program, a path, a part number: letters mixed with others."""
    if token.isalpha():
        if token.islower():
            return False
        inside = token[1:]
        return not (inside.islower() or token.isupper() or inside.isupper()) and any(
            map(str.isupper, inside)
        )
    inside = token[1:]
    return (
        (not inside.isupper() and any(map(str.isupper, inside)) and not token.isupper())
        or any(mark in inside for mark in "_/\\@=")
        or (any(map(str.isdigit, token)) and any(map(str.isalpha, token)))
    )


# A token as `_core.read_passages` reads it: what it counts as by its place in `_TOKEN_COLUMNS`.
TOKEN = np.dtype(
    [
        ("zipf", "f4"),
        ("complexity", "f4"),
        ("difficulty", "f4"),
        ("logs", "f4", 4),
        ("weight", "f4"),
        ("vector", "i4"),
        ("frequent", "i2"),
        ("flags", "u1"),
        ("kinds", "u1", 8),
    ],
    align=True,
)
_HAS_LETTER, _CAPITALISED, _IN_CAPITALS, _COUNTED = 1, 2, 4, 8


def of_tokens(tokens: Sequence[str]) -> NDArray[np.uint8]:
    """A `TOKEN` of each token, as bytes; a column of types."""
    known = known_of(tokens)
    reddit, wikipedia, pubmed, merged = known.logs.T
    numbers = _order_table()[0]
    flags, kinds, frequent = bytearray(), [], []
    for token, unlisted in zip(tokens, known.unlisted.tolist(), strict=True):
        lower = token.lower()
        own = kinds_of_token(token, lower)
        letters = token.isalpha()
        has_letter = letters or any(map(str.isalpha, token))
        flag = _HAS_LETTER if has_letter else 0
        if not (letters and token == lower):
            if _code_like(token):
                own.append(_CODE)
            flag += _CAPITALISED * token[:1].isupper()
            flag += _IN_CAPITALS * (len(token) > 1 and token.isupper())
        if not has_letter:
            own.append(_NO_LETTERS)
        elif unlisted:
            own.append(_UNLISTED)
        if len(token) == 1 and has_letter and token not in "aAI":
            own.append(_SINGLE)
        kinds.append(bytes(own).ljust(8, b"\xff"))
        flags.append(flag)
        frequent.append(numbers.get(lower, -1))
    rows = np.empty(len(tokens), TOKEN)
    runs = runs_of_letters(tokens)
    rows["zipf"], rows["complexity"] = known.zipf, word_complexity()(tokens, known, runs)
    rows["difficulty"] = word_difficulty().of(known.ranks, runs)
    over = pubmed - reddit, pubmed - wikipedia, wikipedia - reddit
    rows["logs"] = np.stack([merged, *over], axis=1)
    rows["weight"], rows["vector"], rows["frequent"] = known.vectors[:, -1], known.ranks, frequent
    rows["flags"] = np.frombuffer(flags, np.uint8) + _COUNTED * (known.numbers != NO_WORD)
    rows["kinds"] = np.frombuffer(b"".join(kinds), np.uint8).reshape(-1, 8)
    return rows.view(np.uint8).reshape(len(rows), TOKEN.itemsize)


def _of_words(words: Sequence[str]) -> NDArray[np.int32]:
    """What each word adds to `_WORD_KINDS`, and whether it is in capitals."""
    capitals = [len(word) > 1 and word.isupper() for word in words]
    return np.column_stack([kinds_of_word(words)[:, _PICKED], capitals]).astype(np.int32)


def _foreign(words: Sequence[str]) -> NDArray[np.bool_]:
    lower = [word.lower() for word in words]
    known = foreign_words()
    found = np.fromiter((word in known for word in lower), bool, len(words))
    places = np.flatnonzero(found)
    found[places] = known_of([lower[place] for place in places]).zipf < _ENGLISH
    return found


@dataclass(frozen=True)
class Passages:
    """The passages of some documents.

    Those of document ``i`` are ``starts[i]:starts[i + 1]``; `columns` is (passages, columns),
    `words` how many each has, `sentences` the numbers of the first sentence of each among the
    sentences of its document and of the one behind its last. The others are shares of a document's
    words, NaN without any: `prose` stands in sentences with a verb, which are no short fields,
    `repeated` stood there before, `foreign` stands in sentences of another language. `cut` says
    whether many sentences end where none can, `disordered` whether words follow each other as in
    no text.
    """

    starts: NDArray[np.int64]
    columns: Floats
    words: Floats
    sentences: NDArray[np.int64]
    prose: Floats
    repeated: Floats
    foreign: Floats
    cut: NDArray[np.bool_]
    disordered: NDArray[np.bool_]

    def means(self, values: Floats) -> Floats:
        """The mean of values of passages for each document, weighted by words; NaN without any."""
        sums = sum_segments((values.T * self.words).T, self.starts)
        return np.asarray((sums.T / np.where(self.totals > 0, self.totals, np.nan)).T)

    @cached_property
    def totals(self) -> Floats:
        """The words of all passages of each document."""
        return sum_segments(self.words, self.starts)

    @cached_property
    def equal_parts(self) -> Floats:
        """As how many passages of one length those of each document count; 1 without any.

        The inverse of Simpson's index: two of the same length count as 2.
        """
        squares = sum_segments(self.words**2, self.starts)
        return np.asarray(np.where(squares > 0, self.totals**2 / np.maximum(squares, 1), 1.0))


def passages(batch: Batch) -> Passages:
    """The passages of each document. Use `Batch.once`.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "Flu is a virus that spreads in winter. Rest and drink water. "
    >>> once, twice = passages(Batch([document_of_text(text), document_of_text(text * 2)])).columns
    >>> bool((once == twice).all())
    True
    """
    first, is_open, count = batch.first_sentences, batch.is_open, len(batch.documents)
    document = np.repeat(np.arange(count), sizes_between(first))
    lengths = sizes_between(batch.word_bounds).astype(np.float64)
    read = batch.once(read_sentences)
    order, once = read[:, _ORDER], read[:, -1] > 0
    has_verb = read[:, _VERB] > 0
    sentences = (lengths >= _LEAST_WORDS) & has_verb
    whole = sentences & ~(is_open & (lengths < _LONG))
    verbal = sentences | (has_verb & ~is_open & (lengths > 1))  # "Do not smoke." too
    foreign = sum_segments(batch.word_values(_foreign), batch.word_bounds) > _FOREIGN * lengths
    counted = np.empty((len(lengths), 10))
    for column, kind in enumerate((whole, sentences, once, once & verbal, once & foreign)):
        counted[:, column] = kind * lengths
    counted[:, 5] = lengths
    counted[:, 6:] = order * once[:, None]
    sums = sum_segments(counted, first)
    of_whole, of_sentences, in_once, in_verbal, in_foreign, in_all = sums[:, :6].T
    in_all, in_some = np.where(in_all > 0, in_all, np.nan), np.where(in_once > 0, in_once, np.nan)
    prose = np.where((of_whole >= _LEAST_SHARE * of_sentences)[document], whole, sentences)
    numbers = np.flatnonzero(once & (lengths > 0))
    begins, words = _parts(document[numbers], lengths[numbers], count)
    begins, ends = begins[:-1], begins[1:]
    documents = document[numbers[begins]]
    spans = np.stack([numbers[begins], numbers[ends - 1] + 1], axis=1)
    scores, pairs, cut, ended = sums[:, 6:].T
    return Passages(
        np.searchsorted(documents, np.arange(count + 1)),
        _columns(batch, read, numbers, prose[numbers], begins, ends),
        words,
        spans - first[documents][:, None],
        in_verbal / in_some,
        1 - in_once / in_all,
        in_foreign / in_some,
        (ended >= _LEAST_SENTENCES) & (cut > _MOST_CUT * ended),
        (pairs >= _LEAST_PAIRS) & (scores < _LEAST_ORDER * pairs),
    )


def _parts(
    documents: NDArray[np.int64], lengths: Floats, count: int
) -> tuple[NDArray[np.int64], Floats]:
    """Where passages begin among the sentences that are read, and the last ends; words of each.

    A document is cut where its sentences come nearest to equal parts of about `WORDS` words.
    """
    total = np.bincount(documents, lengths, count)
    parts = np.maximum(1, np.rint(total / WORDS))
    before = np.cumsum(lengths) - lengths
    middle = before - (np.cumsum(total) - total)[documents] + lengths / 2
    part = np.floor(middle * parts[documents] / total[documents])
    number = (np.cumsum(parts) - parts)[documents] + np.minimum(part, parts[documents] - 1)
    begins = np.flatnonzero(sizes_between(np.concatenate([[-1], number, [np.inf]])))
    words_before = np.concatenate([before, [total.sum()]])
    return begins, sizes_between(words_before[begins])


# -- how words follow each other -------------------------------------------------------------------

STEP = 0.05  # of the whole numbers that are kept
# Ordinary text has a mean of .5 to 1.1 a pair, its words in any order -.6 to -.1.
_LEAST_ORDER = 0.15
_LEAST_PAIRS = 30
# A sentence ends with a word that so seldom does; ordinary text has less than one in ten of those.
_NO_END, _MOST_CUT, _LEAST_SENTENCES = -1.8, 0.15, 4


@cache
def _order_table() -> tuple[dict[str, int], NDArray[np.int8]]:
    arrays = resource_arrays("word_order.npz")
    words = bytes(arrays["words"]).decode().split()
    return dict(zip(words, range(len(words)), strict=True)), arrays["scores"]


def read_sentences(batch: Batch) -> Floats:
    """What is told of each sentence of a batch; (sentences, 17). Use `Batch.once`.

    How many tokens of each of `TWELVE` it has; the sum of the scores of its pairs of words, and the
    number of pairs; whether it ends where none can, and whether it has an end; whether it did not
    stand in its document before.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "The cat was cold and it wanted milk from the kitchen."
    >>> batch = Batch([document_of_text(each) for each in (text, "The cat was cold and the.")])
    >>> read_sentences(batch)[:, -4:].tolist()
    [[10.0, 0.0, 1.0, 1.0], [5.0, 1.0, 1.0, 1.0]]
    """
    scores, ids = _order_table()[1], batch.token_ids  # before the column: this may add types
    read = np.empty((batch.first_sentences[-1], len(TWELVE) + 5))
    tokens = batch.token_types.column(of_tokens), ids, batch.token_bounds
    tags, no_end = TO_TWELVE.take(batch.tags), round(_NO_END / STEP)
    _core.read_sentences(*tokens, tags, batch.first_sentences, scores, no_end, read)
    read[:, _ORDER.start] *= STEP
    read[batch.is_open, -3:-1] = 0
    return read


_ORDER = slice(len(TWELVE), len(TWELVE) + 4)


# -- the columns -----------------------------------------------------------------------------------


def _columns(
    batch: Batch,
    read: Floats,
    numbers: NDArray[np.int64],
    prose: NDArray[np.bool_],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Floats:
    """What `passage_columns` names, of each passage; NaN for what a passage tells nothing about.

    Passage ``i`` is the sentences ``numbers[begins[i]:ends[i]]``, of which some are prose.
    """
    columns = np.empty((len(begins), len(passage_columns())))
    tokens = batch.token_types.column(of_tokens), batch.token_ids, batch.token_bounds
    words = batch.word_types.column(_of_words), batch.word_ids, batch.word_bounds
    names, is_prose = batch.is_name.view(np.uint8), prose.view(np.uint8)
    tables = *words_and_vectors()[1:], _by_sentence()
    _core.read_passages(
        *tokens, *words, names, read, *tables, numbers, is_prose, begins, ends, columns
    )
    return columns


@cache
def _by_sentence() -> NDArray[np.int32]:
    """The columns that are counted by sentence of prose too, and the columns of that."""
    names, end = passage_columns(), "_per_sentence"
    found = [name.removesuffix(end) for name in names if name.endswith(end)]
    return np.array([(names.index(name), names.index(name + end)) for name in found], np.int32)
