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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import Batch, starts_of, sum_segments
from understandability.feature.language_model import NO_WORD
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.feature.word_counts import KINDS, kinds_of_word
from understandability.model.word_columns import (
    DIMENSIONS,
    STYLE_KINDS,
    kinds_of_token,
    known_of,
    order_flags,
    sentence_order,
    word_complexity,
)
from understandability.text.language_guess import only_foreign

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
_DIFFICULT = _WORD_KINDS.index("difficult_words")
_CHARACTERS = _WORD_KINDS.index("characters")
_ZIPF_LIMITS = np.array([3.0, 4.0, 5.0])
_COMPLEXITY_LIMITS = np.array([0.3, 0.4])
_RARE, _KNOWN = 4.0, 5.0  # Zipf frequencies
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
_ZIPF_QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5)
_COMPLEXITY_QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99)
_LENGTHS = (10, 20, 30)
# Of so many passages the rows of all tokens stay in the processor's cache while they are summed:
# a quarter of the time.
_AT_ONCE = 4
# What is a mean over words or tokens, counted by sentence of prose too.
_BY_SENTENCE_OF_WORDS = ("syllables", "polysyllables")
_BY_SENTENCE_OF_TOKENS = ("comma", "relative", "complexity_over_0.3", "complexity_over_0.4")


@cache
def passage_columns() -> tuple[str, ...]:
    """The names of the columns of a passage, in the order in which `_columns` gives them.

    The last, those of the vectors of rare words and of order, are for difficulty alone.
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
    )


def _code_like(token: str) -> bool:
    """Whether a token is a name of a program, a path, a part number: letters mixed with others."""
    inside = token[1:]
    return (
        (not inside.isupper() and any(map(str.isupper, inside)) and not token.isupper())
        or any(mark in inside for mark in "_/\\@=")
        or (any(map(str.isdigit, token)) and any(map(str.isalpha, token)))
    )


def _of_tokens(tokens: Sequence[str]) -> NDArray[np.float32]:
    """What each token adds to `_TOKEN_COLUMNS`, whether it is counted, its vector, `_RARITIES`."""
    style = kinds_of_token(tokens).astype(np.float64)
    has_letter = style[:, -1]
    known = known_of(tokens)
    rarer = _ZIPF_LIMITS - known.zipf[:, None]
    reddit, wikipedia, pubmed, merged = known.logs.T
    over_reddit = pubmed - reddit
    complexity = word_complexity()(tokens, known)
    beyond = complexity[:, None] - _COMPLEXITY_LIMITS
    columns = [
        style[:, :-1],
        known.unlisted * has_letter,
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
        [_code_like(token) for token in tokens],
        [len(token) == 1 and token.isalpha() and token not in "aAI" for token in tokens],
        1 - has_letter,
        known.numbers != NO_WORD,
        known.vectors,
        known.zipf,
        complexity,
        has_letter,
        [token[:1].isupper() for token in tokens],
        [len(token) > 1 and token.isupper() for token in tokens],
        known.vectors[:, -1] == 0,
    ]
    return np.column_stack(columns).astype(np.float32)


# Zipf frequency, complexity, whether a word, capitalised, of capitals, without a vector.
_RARITIES = 6


def _of_words(words: Sequence[str]) -> NDArray[np.int32]:
    """What each word adds to `_WORD_KINDS`, the square of its letters, whether it is capitals."""
    kinds = kinds_of_word(words)[:, _PICKED].astype(np.int32)
    capitals = [len(word) > 1 and word.isupper() for word in words]
    return np.column_stack([kinds, kinds[:, _CHARACTERS] ** 2, capitals]).astype(np.int32)


def _foreign(words: Sequence[str]) -> NDArray[np.bool_]:
    lower = [word.lower() for word in words]
    known = only_foreign()
    found = np.fromiter((word in known for word in lower), bool, len(words))
    places = np.flatnonzero(found)
    found[places] = known_of([lower[place] for place in places]).zipf < _ENGLISH
    return found


@dataclass(frozen=True, slots=True)
class ReadSentences:
    """The sentences, headings and items that the passages of some documents hold.

    `numbers` run through all sentences of the documents, `words` is how many words each has,
    `prose` whether it is a sentence, and those of passage ``i`` begin at ``numbers[begins[i]]``.
    `documents` is the document of each passage.
    """

    numbers: NDArray[np.int64]
    words: Floats
    prose: NDArray[np.bool_]
    begins: NDArray[np.int64]
    documents: NDArray[np.int64]

    @property
    def ends(self) -> NDArray[np.int64]:
        """Behind the last sentence of each passage."""
        return np.append(self.begins[1:], len(self.numbers))[: len(self.begins)]


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
        weights = self.words if values.ndim == 1 else self.words[:, None]
        sums, total = sum_segments(values * weights, self.starts), self.totals
        full = np.where(total > 0, total, np.nan)
        return np.asarray(sums / (full if values.ndim == 1 else full[:, None]))

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


# -- which sentences are read ----------------------------------------------------------------------


def _prose(batch: Batch) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which sentences tell how long sentences are, and which have a verb and are no short field.

    "Do not smoke." is one of the second. Use `Batch.once`.
    """
    first, lengths = batch.first_sentences, _lengths(batch)
    documents = np.repeat(np.arange(len(batch.documents)), np.diff(first))
    verbs = TO_TWELVE[batch.tags] == TWELVE.index("VERB")
    has_verb = sum_segments(verbs, _token_bounds(batch)) > 0
    is_open = batch.is_open
    sentences = (lengths >= _LEAST_WORDS) & has_verb
    whole = sentences & ~(is_open & (lengths < _LONG))
    sums = sum_segments(lengths[:, None] * np.column_stack([whole, sentences]), first)
    enough = (sums[:, 0] >= _LEAST_SHARE * sums[:, 1])[documents]
    return np.where(enough, whole, sentences), sentences | (has_verb & ~is_open & (lengths > 1))


def _token_bounds(batch: Batch) -> NDArray[np.int64]:
    return np.append(batch.token_sentence_starts, len(batch.token_ids))


def _word_bounds(batch: Batch) -> NDArray[np.int64]:
    return np.append(batch._sentence_word_starts, len(batch.word_ids))


def _lengths(batch: Batch) -> Floats:
    return np.diff(_word_bounds(batch)).astype(np.float64)


def _first_of_each(batch: Batch) -> NDArray[np.bool_]:
    """Which sentences did not stand in their document before."""
    documents = np.repeat(np.arange(len(batch.documents)), np.diff(batch.first_sentences))
    starts = _token_bounds(batch)
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
    alike = numbers.view(np.int64)
    order = np.lexsort((alike, documents))  # keeps the order of those that are alike
    found = np.zeros(len(documents), bool)
    found[order] = (np.diff(documents[order], prepend=-1) | np.diff(alike[order], prepend=0)) != 0
    return found


def read_sentences(batch: Batch) -> ReadSentences:
    """The sentences that are read, in passages. Use `Batch.once`."""
    first, lengths = batch.first_sentences, _lengths(batch)
    of_sentence = np.repeat(np.arange(len(batch.documents)), np.diff(first))
    read = batch.once(_first_of_each) & (lengths > 0)
    passage, documents = _parts(of_sentence[read], lengths[read], len(batch.documents))
    begins = np.flatnonzero(np.diff(passage, prepend=-1))
    prose, _ = batch.once(_prose)
    return ReadSentences(np.flatnonzero(read), lengths[read], prose[read], begins, documents)


def passages(batch: Batch) -> Passages:
    """The passages of each document. Use `Batch.once`.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "Flu is a virus that spreads in winter. Rest and drink water. "
    >>> once, twice = passages(Batch([document_of_text(text), document_of_text(text * 2)])).columns
    >>> bool((once == twice).all())
    True
    """
    read = batch.once(read_sentences)
    first, lengths, once = batch.first_sentences, _lengths(batch), batch.once(_first_of_each)
    spans = np.stack([read.numbers[read.begins], read.numbers[read.ends - 1] + 1], axis=1)
    _, verbal = batch.once(_prose)
    foreign = sum_segments(batch.word_values(_foreign), _word_bounds(batch))
    kinds = (once, once & verbal, once & (foreign > _FOREIGN * lengths), np.ones_like(once))
    sums = sum_segments(lengths[:, None] * np.column_stack(kinds), first)
    in_once, in_verbal, in_foreign, in_all = np.where(sums > 0, sums, np.nan).T
    cut, disordered = order_flags(sum_segments(batch.once(sentence_order) * once[:, None], first))
    return Passages(
        np.searchsorted(read.documents, np.arange(len(batch.documents) + 1)),
        _columns(batch, read),
        _sums(read.words, read.begins),
        spans - first[read.documents][:, None],
        np.nan_to_num(in_verbal) / in_once,
        1 - np.nan_to_num(in_once) / in_all,
        np.nan_to_num(in_foreign) / in_once,
        cut,
        disordered,
    )


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


# -- the columns -----------------------------------------------------------------------------------


def _sums(values: NDArray[Any], begins: NDArray[np.int64]) -> Floats:
    """Sums of segments that begin there, none of which is empty."""
    if not len(begins):
        return np.empty((0, *values.shape[1:]))
    # Tables are float32, in which a hundred words add up to six digits, and int32, which holds more
    # characters than a page: half of the time.
    exact = values.dtype if values.dtype in (np.float32, np.int32) else np.float64
    return np.add.reduceat(values, begins, axis=0, dtype=exact).astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Units:
    """The words or the tokens of the sentences that are read.

    `ids` are their types, `of` which of all units of the batch they are; `sentences` and `begins`
    are where those of each sentence and of each passage begin.
    """

    ids: NDArray[np.int32]
    of: NDArray[np.bool_]
    sentences: NDArray[np.int64]
    begins: NDArray[np.int64]

    @classmethod
    def read(cls, ids: NDArray[np.int32], bounds: NDArray[np.int64], of: ReadSentences) -> _Units:
        read = np.zeros(len(bounds) - 1, bool)
        read[of.numbers] = True
        sizes = np.diff(bounds)
        chosen = np.repeat(read, sizes)
        starts = starts_of(sizes[read])
        return cls(ids[chosen], chosen, starts[:-1], starts[of.begins])

    @property
    def passage(self) -> NDArray[np.int64]:
        """The passage of each unit."""
        ends = np.append(self.begins[1:], len(self.ids))
        return np.repeat(np.arange(len(self.begins)), (ends - self.begins)[: len(self.begins)])

    def sums(self, of_types: NDArray[Any]) -> Floats:
        """For each passage, what a table of types has for its units, summed."""
        ends = np.append(self.begins[1:], len(self.ids))
        sums = np.empty((len(self.begins), of_types.shape[1]))
        for start in range(0, len(self.begins), _AT_ONCE):
            own = self.begins[start : start + _AT_ONCE]
            rows = of_types.take(self.ids[own[0] : ends[start : start + _AT_ONCE][-1]], axis=0)
            sums[start : start + _AT_ONCE] = _sums(rows, own - own[0])
        return sums

    def in_prose(self, values: NDArray[Any], of: ReadSentences) -> Floats:
        """Sums of values of units over the sentences of prose of each passage."""
        sums = np.zeros((len(of.numbers), values.shape[1]))
        full = np.append(self.sentences[1:], len(self.ids)) > self.sentences
        sums[full] = _sums(values, self.sentences[full])
        return _sums(sums * of.prose[:, None], of.begins)


def _columns(batch: Batch, of: ReadSentences) -> Floats:
    """What `passage_columns` names, of each passage; NaN for what a passage tells nothing about."""
    words = _Units.read(batch.word_ids, _word_bounds(batch), of)
    tokens = _Units.read(batch.token_ids, _token_bounds(batch), of)
    of_rarity = _rarity_columns(batch, tokens)
    return np.hstack(
        [
            _word_columns(batch, of, words),
            _token_columns(batch, of, tokens),
            _tag_columns(batch, of, tokens),
            of_rarity[:, :-DIMENSIONS],
            _sentence_columns(batch, of, tokens),
            of_rarity[:, -DIMENSIONS:],
            _order_columns(batch, of),
        ]
    )


def _order_columns(batch: Batch, of: ReadSentences) -> Floats:
    """How usual it is that words follow each other so; the share of sentences that are cut."""
    scores, pairs, cut, ends = _sums(batch.once(sentence_order)[of.numbers], of.begins).T
    return np.column_stack([scores / np.maximum(pairs, 1), cut / np.maximum(ends, 1)])


def _sentences(of: ReadSentences) -> Floats:
    """The sentences of prose of each passage; NaN for none."""
    count = _sums(of.prose.astype(np.float64), of.begins)
    return np.asarray(np.where(count > 0, count, np.nan))


def _word_columns(batch: Batch, of: ReadSentences, words: _Units) -> Floats:
    """Means over words; difficult words without names."""
    table = batch.word_types.column(_of_words)
    sums = words.sums(table)[:, :-1]
    is_name = batch.is_name[words.of] & (table[words.ids, -1] == 0)
    difficult = table[words.ids, _DIFFICULT] * is_name
    sums[:, _DIFFICULT] -= _sums(difficult, words.begins)
    means = sums / np.maximum(_sums(of.words, of.begins), 1)[:, None]
    picked = [_WORD_KINDS.index(name) for name in _BY_SENTENCE_OF_WORDS]
    in_prose = words.in_prose(table[words.ids[:, None], picked], of)
    return np.hstack([means, in_prose / _sentences(of)[:, None]])


def _token_columns(batch: Batch, of: ReadSentences, tokens: _Units) -> Floats:
    """Means over tokens, and the mean vector of words."""
    table = batch.token_types.column(_of_tokens)
    named = len(_TOKEN_COLUMNS)
    sums, counted, vectors = np.split(
        tokens.sums(table)[:, :-_RARITIES], [named, named + 1], axis=1
    )
    picked = [_TOKEN_COLUMNS.index(name) for name in _BY_SENTENCE_OF_TOKENS]
    in_prose = tokens.in_prose(table[tokens.ids[:, None], picked], of)
    return np.hstack(
        [
            sums / np.maximum(counted, 1),
            in_prose / _sentences(of)[:, None],
            vectors[:, :-1] / np.maximum(vectors[:, -1:], 0.5),
        ]
    )


def _tag_columns(batch: Batch, of: ReadSentences, tokens: _Units) -> Floats:
    """Shares of the parts of speech; how likely words follow each other."""
    tags = TO_TWELVE[batch.tags[tokens.of]]
    cells = tokens.passage * len(TWELVE) + tags
    count = len(tokens.begins)
    counts = np.bincount(cells, minlength=count * len(TWELVE)).reshape(-1, len(TWELVE))
    verbs = tokens.in_prose((tags == TWELVE.index("VERB"))[:, None], of)[:, 0]
    return np.column_stack([counts / np.maximum(counts.sum(1), 1)[:, None], verbs / _sentences(of)])


def _rarity_columns(batch: Batch, tokens: _Units) -> Floats:
    """How rare the rarest words are that are no names, what they are about, whether they return."""
    table = batch.token_types.column(_of_tokens)
    zipf, complexity, is_word, capitalised, capitals, strange = table[tokens.ids, -_RARITIES:].T
    within = np.ones(len(tokens.ids), bool)
    within[tokens.sentences[tokens.sentences < len(within)]] = False
    is_name = (capitalised > 0) & within & (capitals == 0)
    words = np.flatnonzero((is_word > 0) & ~is_name)
    passage, count = tokens.passage, len(tokens.begins)
    sizes = np.bincount(passage[words], minlength=count)
    full = np.maximum(sizes, 1)

    def mean(values: NDArray[Any]) -> Floats:
        return np.asarray(np.bincount(passage[words], values[words], count) / full)

    def quantiles(values: NDArray[np.float32], shares: Sequence[float]) -> Floats:
        # Numbers of 0 or more are in the order of their bits, so one sort of whole numbers does.
        bits = (values[words] + np.float32(0)).view(np.uint32)
        ranked = np.sort(passage[words] << 32 | bits).astype(np.uint32).view(np.float32)
        ends = np.cumsum(sizes)
        places = (ends - sizes)[:, None] + np.rint(np.outer(np.maximum(sizes - 1, 0), shares))
        found = np.append(ranked, np.nan)[np.minimum(places.astype(np.int64), len(ranked))]
        return np.where((sizes > 0)[:, None], found, np.nan)

    # A rare word that comes back is a term; one that does not is only a word.
    rare = words[(zipf[words] < _RARE) & (capitalised[words] == 0)]
    types = len(table)
    terms, times = np.unique(passage[rare] * types + tokens.ids[rare], return_counts=True)
    of_term = terms // types
    different = np.bincount(of_term, minlength=count)
    again = np.bincount(of_term, times * (times > 1), count)
    every = np.maximum(np.bincount(passage[is_word > 0], minlength=count), 1)
    rarity = (np.maximum(_KNOWN - zipf, 0) * (is_word > 0) * ~is_name).astype(np.float32)
    kept = np.flatnonzero(rarity)
    about = np.zeros((count, DIMENSIONS))
    of_kept = np.bincount(passage[kept], minlength=count)
    if len(kept):
        begins = np.cumsum(of_kept) - of_kept
        vectors = table[tokens.ids[kept], len(_TOKEN_COLUMNS) + 1 : -_RARITIES - 1]
        rows = vectors * rarity[kept, None]
        about[of_kept > 0] = np.add.reduceat(rows, begins[of_kept > 0], axis=0)
    weight = np.bincount(passage[kept], rarity[kept], count)
    return np.column_stack(
        [
            quantiles(zipf, _ZIPF_QUANTILES),
            quantiles(complexity, _COMPLEXITY_QUANTILES),
            mean(complexity),
            mean(np.maximum(complexity - 0.3, 0)),
            mean(strange),
            1 - sizes / every,
            different / every,
            again / every,
            (np.bincount(of_term, times, count) + 1) / (different + 1),
            about / np.maximum(weight, 1)[:, None],
        ]
    )


def _sentence_columns(batch: Batch, of: ReadSentences, tokens: _Units) -> Floats:
    """How long sentences of prose are, how hard the hardest word of each is; the share of prose."""
    lengths, sentences = of.words, _sentences(of)
    words = np.maximum(_sums(lengths, of.begins), 1)
    hardest = np.zeros(len(lengths))
    full = np.append(tokens.sentences[1:], len(tokens.ids)) > tokens.sentences
    complexity = batch.token_types.column(_of_tokens)[tokens.ids, 1 - _RARITIES]
    if full.any():
        hardest[full] = np.maximum.reduceat(complexity, tokens.sentences[full])

    def mean(values: Floats) -> Floats:
        return np.asarray(_sums(values * of.prose, of.begins) / sentences)

    log_words = np.log1p(lengths)
    mean_log = mean(log_words)
    return np.column_stack(
        [
            mean(lengths),
            mean_log,
            *(mean(np.maximum(lengths - each, 0)) for each in _LENGTHS),
            *(mean((lengths > each) * lengths) for each in _LENGTHS[1:]),
            mean(hardest),
            np.sqrt(np.maximum(mean(log_words**2) - mean_log**2, 0)),
            _sums(lengths * of.prose, of.begins) / words,
            _sums((lengths < _LEAST_WORDS).astype(float), of.begins)
            / np.maximum(of.ends - of.begins, 1),
        ]
    )
