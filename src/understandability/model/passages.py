"""A page in passages of about a hundred words, and what the page model reads of each.

People judged sentences and short passages, so a page is read as passages too. A passage is a run of
whole sentences; all columns are means over its words, its tokens or its sentences, so that none of
them grows with the page. What is left out, so that it cannot make a page easy or hard:

- fragments: sentences under five words or without a verb, and fields that no punctuation ends
  (headings, list items, cells), unless the page has little else;
- sentences that stood on the page before: a text that is repeated stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import Batch, starts_of, sum_segments
from understandability.feature.language_model import log_probabilities_of
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.feature.word_counts import KINDS, kinds_of_word
from understandability.feature.word_statistics import NO_WORD, statistics_numbers
from understandability.model.style import STYLE_KINDS, kinds_of_token
from understandability.model.word_complexity import complexities, zipf_of
from understandability.model.word_vectors import dimensions, vectors_of

# Passages of 60 to 150 words, and sentences alone, rank texts the same to .005.
WORDS = 100
_LEAST_WORDS = 5
# A field that no punctuation ends is a sentence all the same if it is as long as this.
_LONG = 25
# Fragments with a verb are read too where other sentences hold less than this share of the words.
_LEAST_SHARE = 0.5

_WORD_KINDS = (
    "difficult_words",
    "characters",
    "words_longer_6",
    "words_longer_10",
    "syllables",
    "polysyllables",
    "words_over_3_syllables",
    "medical_prefixes",
    "medical_suffixes",
    "medical_acronyms",
    "stop_words",
    "oov",
)
_PICKED = [KINDS.index(kind) for kind in _WORD_KINDS]
_DIFFICULT, _CHARACTERS = KINDS.index("difficult_words"), KINDS.index("characters")
_WORD_COLUMNS = (*_WORD_KINDS, "characters_squared")
_ZIPF_LIMITS = np.array([3.0, 4.0, 5.0])
_COMPLEXITY_LIMITS = np.array([0.3, 0.4])
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
)
_OF_NAMES = [
    _TOKEN_COLUMNS.index(name)
    for name in ("complexity", "complexity_over_0.3", "capitalised", "capitals")
]
_NOT_NAMES = ("complexity_not_names", "complexity_over_0.3_not_names")
_LENGTHS = (10, 20, 30)
# Of so many passages the rows of all tokens stay in the processor's cache while they are summed:
# a quarter of the time.
_AT_ONCE = 4
_SENTENCE_COLUMNS = (
    "sentence_words",
    "sentence_log_words",
    *(f"sentence_words_over_{limit}" for limit in _LENGTHS),
    *(f"words_in_sentences_over_{limit}" for limit in _LENGTHS[1:]),
    "sentence_hardest_word",
)
# What is a sum over words, counted by sentence too.
_BY_SENTENCE = (
    "syllables",
    "polysyllables",
    "comma",
    "relative",
    *(f"complexity_over_{limit:g}" for limit in _COMPLEXITY_LIMITS),
    "tag_VERB",
)
_TAGS = tuple(f"tag_{tag}" for tag in TWELVE)
_SUMMED = (*_WORD_COLUMNS, *_TOKEN_COLUMNS, *_TAGS)


@cache
def passage_columns() -> tuple[str, ...]:
    """The names of the columns of a passage."""
    return (
        *_SUMMED,
        *_NOT_NAMES,
        *_SENTENCE_COLUMNS,
        *(f"{name}_per_sentence" for name in _BY_SENTENCE),
        *(f"word_vector_{number}" for number in range(dimensions())),
    )


def _capitals(words: Sequence[str]) -> NDArray[np.bool_]:
    return np.fromiter((len(word) > 1 and word.isupper() for word in words), bool, len(words))


def _of_tokens(tokens: Sequence[str]) -> NDArray[np.float32]:
    """What each token adds to `_TOKEN_COLUMNS`, whether it is counted, then its vector."""
    style = kinds_of_token(tokens).astype(np.float64)
    has_letter = style[:, -1]
    zipf, unlisted = zipf_of(tokens)
    rarer = _ZIPF_LIMITS - zipf[:, None]
    reddit, wikipedia, pubmed, merged = log_probabilities_of(tokens).T
    over_reddit = pubmed - reddit
    complexity = complexities(tokens)
    beyond = complexity[:, None] - _COMPLEXITY_LIMITS
    columns = [
        style[:, :-1],
        unlisted * has_letter,
        np.maximum(rarer, 0) * has_letter[:, None],
        (rarer > 0) * has_letter[:, None],
        merged,
        over_reddit,
        pubmed - wikipedia,
        wikipedia - reddit,
        np.maximum(over_reddit, 0),
        np.maximum(over_reddit - 1, 0),
        np.maximum(wikipedia - reddit, 0),
        complexity,
        np.maximum(beyond, 0),
        beyond > 0,
        statistics_numbers(tokens) != NO_WORD,
        vectors_of(tokens),
    ]
    return np.column_stack(columns).astype(np.float32)


@dataclass(frozen=True, slots=True)
class ReadSentences:
    """The sentences that the passages of some documents hold.

    `numbers` run through all sentences of the documents, `words` is how many words each has, and
    those of passage ``i`` begin at ``numbers[begins[i]]``. `documents` is the document of each
    passage, `prose` as in `Passages`.
    """

    numbers: NDArray[np.int64]
    words: Floats
    begins: NDArray[np.int64]
    documents: NDArray[np.int64]
    prose: Floats

    @property
    def ends(self) -> NDArray[np.int64]:
        """Behind the last sentence of each passage."""
        return np.append(self.begins[1:], len(self.numbers))[: len(self.begins)]

    def means(self, values: Floats) -> Floats:
        """The mean of values of these sentences for each passage, weighted by words."""
        return _sums(values * self.words, self.begins) / _sums(self.words, self.begins)


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of some documents.

    Those of document ``i`` are ``starts[i]:starts[i + 1]``; `columns` is (passages, columns),
    `words` how many each has, `sentences` the numbers of the first sentence of each among the
    sentences of its document and of the one behind its last. `prose` is the share of a document's
    words that stand in sentences with a verb, which are no short fields; NaN without words.
    """

    starts: NDArray[np.int64]
    columns: Floats
    words: Floats
    sentences: NDArray[np.int64]
    prose: Floats

    def means(self, values: Floats) -> Floats:
        """The mean of values of passages for each document, weighted by words; NaN without any."""
        weights = self.words if values.ndim == 1 else self.words[:, None]
        sums, total = sum_segments(values * weights, self.starts), self.totals
        full = np.where(total > 0, total, np.nan)
        return np.asarray(sums / (full if values.ndim == 1 else full[:, None]))

    @property
    def totals(self) -> Floats:
        """The words of all passages of each document."""
        return sum_segments(self.words, self.starts)


def _chosen(
    batch: Batch, lengths: Floats, first: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which sentences are read, and which are prose: with a verb, and long or ended by punctuation.

    "Do not smoke." is prose, though a passage may do without it. `first` is where each document's
    sentences begin.
    """
    documents = np.repeat(np.arange(len(batch)), np.diff(first))
    verbs = TO_TWELVE[batch.tags] == TWELVE.index("VERB")
    has_verb = sum_segments(verbs, _token_bounds(batch)) > 0
    is_open = np.zeros(len(lengths), bool)
    for number, document in enumerate(batch.documents):
        if document.open_ends:
            is_open[first[number] + np.array(document.open_ends)] = True
    sentences = (lengths >= _LEAST_WORDS) & has_verb
    whole = sentences & ~(is_open & (lengths < _LONG))
    in_whole, in_sentences = (sum_segments(lengths * kind, first) for kind in (whole, sentences))
    choice = np.where(in_whole >= _LEAST_SHARE * in_sentences, 0, 1)
    choice = np.where(in_sentences > 0, choice, 2)[documents]
    is_prose = sentences | (has_verb & ~is_open & (lengths > 1))
    return np.choose(choice, [whole, sentences, lengths > 0]).astype(bool), is_prose


def _token_bounds(batch: Batch) -> NDArray[np.int64]:
    return np.append(batch.token_sentence_starts, len(batch.token_ids))


def _first_of_each(batch: Batch, documents: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which sentences did not stand in their document before."""
    starts = np.append(batch.token_sentence_starts, len(batch.token_ids))
    sentence = np.repeat(np.arange(len(documents)), np.diff(starts))
    place = (np.arange(len(batch.token_ids)) - starts[sentence]).astype(np.uint64)
    # A number for each sentence, by which two that differ are as good as never taken for one.
    mixed = (batch.token_ids.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * (
        place * np.uint64(0xBF58476D1CE4E5B9) | np.uint64(1)
    )
    mixed ^= mixed >> np.uint64(32)
    numbers = np.zeros(len(documents), np.uint64)
    full = starts[1:] > starts[:-1]
    if full.any():
        numbers[full] = np.add.reduceat(mixed, starts[:-1][full])
    pairs = np.stack([documents.astype(np.uint64), numbers], axis=1)
    _, first = np.unique(pairs, axis=0, return_index=True)
    found = np.zeros(len(documents), bool)
    found[first] = True
    return found


def read_sentences(batch: Batch) -> ReadSentences:
    """The sentences that are read, in passages. Use `Batch.once`."""
    first = _first_sentences(batch)
    lengths = np.diff(_word_bounds(batch)).astype(np.float64)
    of_sentence = np.repeat(np.arange(len(batch)), np.diff(first))
    once = _first_of_each(batch, of_sentence)
    chosen, is_prose = _chosen(batch, lengths, first)
    read = once & chosen
    passage, documents = _parts(of_sentence[read], lengths[read], len(batch))
    begins = np.flatnonzero(np.diff(passage, prepend=-1))
    every = sum_segments(lengths * once, first)
    in_prose = sum_segments(lengths * (once & is_prose), first)
    prose = np.divide(in_prose, every, out=np.full(len(batch), np.nan), where=every > 0)
    return ReadSentences(np.flatnonzero(read), lengths[read], begins, documents, prose)


def passages(batch: Batch) -> Passages:
    """The passages of each document. Use `Batch.once`.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "Flu is a virus that spreads in winter. Rest and drink water. "
    >>> once, twice = passages(Batch([document_of_text(text), document_of_text(text * 2)])).columns
    >>> bool((once == twice).all())
    True
    """
    read = batch.once(read_sentences)
    spans = np.stack([read.numbers[read.begins], read.numbers[read.ends - 1] + 1], axis=1)
    return Passages(
        np.searchsorted(read.documents, np.arange(len(batch) + 1)),
        _columns(batch, read),
        _sums(read.words, read.begins),
        spans - _first_sentences(batch)[read.documents][:, None],
        read.prose,
    )


def _first_sentences(batch: Batch) -> NDArray[np.int64]:
    return starts_of([len(document.sentence_starts) for document in batch.documents])


def _word_bounds(batch: Batch) -> NDArray[np.int64]:
    return np.append(batch._sentence_word_starts, len(batch.word_ids))


def _parts(
    documents: NDArray[np.int64], lengths: Floats, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of the passage of each sentence, and the document of each passage.

    A document is cut where its sentences come nearest to equal parts of about `WORDS` words.
    """
    starts = np.searchsorted(documents, np.arange(count + 1))
    total = sum_segments(lengths, starts)
    parts = np.maximum(1, np.rint(total / WORDS)).astype(np.int64)
    before = np.append(0.0, np.cumsum(lengths))
    middle = before[:-1] - before[starts[:-1]][documents] + lengths / 2
    part = np.minimum(
        (middle * parts[documents] / total[documents]).astype(np.int64), parts[documents] - 1
    )
    numbers, passage = np.unique(starts_of(parts)[documents] + part, return_inverse=True)
    return passage, np.searchsorted(starts_of(parts), numbers, side="right") - 1


def _sums(values: NDArray[Any], begins: NDArray[np.int64]) -> Floats:
    """Sums of segments that begin there, none of which is empty."""
    if not len(begins):
        return np.empty((0, *values.shape[1:]))
    # Tables are float32, in which a hundred words add up to six digits, and int32, which holds more
    # characters than a page: half of the time.
    exact = values.dtype if values.dtype in (np.float32, np.int32) else np.float64
    return np.add.reduceat(values, begins, axis=0, dtype=exact).astype(np.float64)


def _sums_of_types(
    of_types: NDArray[Any], ids: NDArray[np.int32], begins: NDArray[np.int64]
) -> Floats:
    """`_sums` of what a table of types has for each of `ids`."""
    ends = np.append(begins[1:], len(ids))
    sums = np.empty((len(begins), of_types.shape[1]))
    for start in range(0, len(begins), _AT_ONCE):
        own = begins[start : start + _AT_ONCE]
        rows = of_types.take(ids[own[0] : ends[start : start + _AT_ONCE][-1]], axis=0)
        sums[start : start + _AT_ONCE] = _sums(rows, own - own[0])
    return sums


def _columns(batch: Batch, of: ReadSentences) -> Floats:
    """The columns of each passage."""
    lengths, begins = of.words, of.begins
    word_bounds, token_bounds = _word_bounds(batch), _token_bounds(batch)
    read = np.zeros(len(word_bounds) - 1, bool)
    read[of.numbers] = True
    word_sizes, token_sizes = np.diff(word_bounds), np.diff(token_bounds)
    chosen = np.repeat(read, word_sizes)
    word_begins = starts_of(word_sizes[read])[begins]
    ids = batch.word_ids[chosen]
    kinds = batch.word_types.column(kinds_of_word)
    of_kinds = _sums_of_types(kinds, ids, word_begins)
    is_name = batch.is_name[chosen] & ~batch.word_types.column(_capitals).take(ids)
    of_kinds[:, _DIFFICULT] -= _sums(kinds[ids, _DIFFICULT] * is_name, word_begins)
    squares = _sums(kinds[ids, _CHARACTERS].astype(np.float64) ** 2, word_begins)
    in_words = np.column_stack([of_kinds[:, _PICKED], squares])

    chosen = np.repeat(read, token_sizes)
    sentence_begins = starts_of(token_sizes[read])
    token_begins = sentence_begins[begins]
    of_types, ids = batch.token_types.column(_of_tokens), batch.token_ids[chosen]
    summed = _sums_of_types(of_types, ids, token_begins)
    named = len(_TOKEN_COLUMNS)
    in_tokens, counted, in_vectors = np.split(summed, [named, named + 1], axis=1)
    tokens = np.maximum(counted, 1)
    cells = np.repeat(np.arange(len(begins)), np.diff(np.append(token_begins, len(ids))))
    cells = cells * len(TWELVE) + TO_TWELVE[batch.tags[chosen]]
    tags = np.bincount(cells, minlength=len(begins) * len(TWELVE)).reshape(-1, len(TWELVE))

    complexity, over, capitalised, capitals = (of_types[ids, column] for column in _OF_NAMES)
    begins_sentence = np.zeros(len(ids), bool)
    begins_sentence[sentence_begins[:-1][token_sizes[read] > 0]] = True
    no_name = ((capitalised == 0) | begins_sentence | (capitals > 0)) & (complexity > 0)
    not_names = _sums(np.column_stack([complexity, over]) * no_name[:, None], token_begins)
    not_names /= np.maximum(_sums(no_name, token_begins), 1)[:, None]
    hardest = _sums_of_hardest(complexity, sentence_begins[:-1])

    limits = np.array(_LENGTHS)
    beyond = lengths[:, None] - limits
    of_sentences = np.column_stack(
        [
            lengths,
            np.log1p(lengths),
            np.maximum(beyond, 0),
            (beyond[:, 1:] > 0) * lengths[:, None],
            hardest,
        ]
    )
    sentences = np.diff(np.append(begins, len(lengths)))[:, None]
    words = np.maximum(_sums(lengths, begins), 1)[:, None]
    every = np.hstack([in_words, in_tokens, tags])
    by_sentence = every[:, [_SUMMED.index(name) for name in _BY_SENTENCE]] / sentences
    weights = np.maximum(in_vectors[:, -1:], 0.5)
    return np.hstack(
        [
            in_words / words,
            in_tokens / tokens,
            tags / tokens,
            not_names,
            _sums(of_sentences, begins) / sentences,
            by_sentence,
            in_vectors[:, :-1] / weights,
        ]
    )


def _sums_of_hardest(values: Floats, begins: NDArray[np.int64]) -> Floats:
    """The highest value of each sentence."""
    return np.maximum.reduceat(values, begins) if len(begins) else np.empty(0)
