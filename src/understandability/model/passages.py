"""A page in passages of about a hundred words, and what the model reads of each.

People judged sentences and short passages, so a page is read as passages too. A passage is a run
of sentences, headings and list items; all columns are means over its words, its tokens or its
sentences, so that none of them grows with the page. The words of headings and items count like
others, but they are no sentences: how long sentences are is told by prose alone, and by nothing
where a passage has none. What stood on the page before is left out: a text that is repeated stays
what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import Batch, sum_rows, sum_segments
from understandability.feature.language_model import NO_WORD
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.feature.word_counts import KINDS, kinds_of_word
from understandability.model.word_columns import (
    DIMENSIONS,
    STYLE_KINDS,
    kinds_of_token,
    known_of,
    word_complexity,
)
from understandability.resources import resource_arrays
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
    "difficult_words", "characters", "words_longer_6", "words_longer_10", "syllables",
    "polysyllables", "words_over_3_syllables", "medical_prefixes", "medical_suffixes",
    "medical_acronyms", "stop_words", "oov",
)  # fmt: skip
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
_NAMED = len(_TOKEN_COLUMNS)
_ZIPF_QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5)
_COMPLEXITY_QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99)
_LENGTHS = (10, 20, 30)
# So many passages are summed at once, that the sums of their sentences take little memory.
_AT_ONCE = 256
# What is a mean over words or tokens, counted by sentence of prose too.
_BY_SENTENCE_OF_WORDS = ("syllables", "polysyllables")
_BY_SENTENCE_OF_TOKENS = ("comma", "relative", "complexity_over_0.3", "complexity_over_0.4")
_WORDS_BY_SENTENCE = [_WORD_KINDS.index(name) for name in _BY_SENTENCE_OF_WORDS]
_TOKENS_BY_SENTENCE = [_TOKEN_COLUMNS.index(name) for name in _BY_SENTENCE_OF_TOKENS]
_VERB = TWELVE.index("VERB")


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
    if token.isalpha():
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


# Zipf frequency, complexity, whether a word, capitalised, of capitals, without a vector.
_RARITIES = 6


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
    document = np.repeat(np.arange(count), np.diff(first))
    lengths = np.diff(batch.word_bounds).astype(np.float64)
    tags = _tag_counts(batch)
    has_verb = tags[:, _VERB] > 0
    sentences = (lengths >= _LEAST_WORDS) & has_verb
    whole = sentences & ~(is_open & (lengths < _LONG))
    verbal = sentences | (has_verb & ~is_open & (lengths > 1))  # "Do not smoke." too
    once = _first_of_each(batch)
    foreign = sum_segments(batch.word_values(_foreign), batch.word_bounds) > _FOREIGN * lengths
    order = sentence_order(batch)
    kinds = np.column_stack([whole, sentences, once, once & verbal, once & foreign])
    sums = sum_segments(
        np.column_stack([kinds * lengths[:, None], lengths, order * once[:, None]]), first
    )
    of_whole, of_sentences, in_once, in_verbal, in_foreign, in_all = sums[:, :6].T
    in_all, in_some = np.where(in_all > 0, in_all, np.nan), np.where(in_once > 0, in_once, np.nan)
    prose = np.where((of_whole >= _LEAST_SHARE * of_sentences)[document], whole, sentences)
    numbers = np.flatnonzero(once & (lengths > 0))
    begins, words = _parts(document[numbers], lengths[numbers], count)
    ends = np.append(begins[1:], len(numbers))[: len(begins)]
    read = _Read(numbers, lengths[numbers], prose[numbers], begins, ends)
    documents = document[numbers[begins]]
    spans = np.stack([numbers[begins], numbers[ends - 1] + 1], axis=1)
    cut, disordered = order_flags(sums[:, 6:])
    return Passages(
        np.searchsorted(documents, np.arange(count + 1)),
        _columns(batch, read, tags, order),
        words,
        spans - first[documents][:, None],
        in_verbal / in_some,
        1 - in_once / in_all,
        in_foreign / in_some,
        cut,
        disordered,
    )


def _tag_counts(batch: Batch) -> NDArray[np.int64]:
    """How many tokens of each of `TWELVE` each sentence has."""
    cells = batch.sentence_of_token * len(TWELVE) + TO_TWELVE[batch.tags]
    shape = len(batch.token_bounds) - 1, len(TWELVE)
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def _first_of_each(batch: Batch) -> NDArray[np.bool_]:
    """Which sentences did not stand in their document before."""
    tokens, bounds = batch.token_ids.tobytes(), (4 * batch.token_bounds).tolist()
    found = np.zeros(len(bounds) - 1, bool)
    firsts = batch.first_sentences.tolist()
    for first, end in pairwise(firsts):
        seen: dict[bytes, int] = {}
        for sentence in range(first, end):
            seen.setdefault(tokens[bounds[sentence] : bounds[sentence + 1]], sentence)
        found[list(seen.values())] = True
    return found


def _parts(
    documents: NDArray[np.int64], lengths: Floats, count: int
) -> tuple[NDArray[np.int64], Floats]:
    """Where each passage begins among the sentences that are read, and its words.

    A document is cut where its sentences come nearest to equal parts of about `WORDS` words.
    """
    total = np.bincount(documents, lengths, count)
    parts = np.maximum(1, np.rint(total / WORDS))
    before = np.cumsum(lengths) - lengths
    middle = before - (np.cumsum(total) - total)[documents] + lengths / 2
    part = np.floor(middle * parts[documents] / total[documents])
    number = (np.cumsum(parts) - parts)[documents] + np.minimum(part, parts[documents] - 1)
    begins = np.flatnonzero(np.diff(number, prepend=-1))
    return begins, np.diff(np.append(before[begins], total.sum()))


# -- how words follow each other -------------------------------------------------------------------

STEP = 0.05  # of the whole numbers that are kept
# Ordinary text has a mean of .5 to 1.1 a pair, its words in any order -.6 to -.1.
_LEAST_ORDER = 0.15
_LEAST_PAIRS = 30
# A sentence ends with a word that so seldom does; ordinary text has less than one in ten of those.
_NO_END, _MOST_CUT, _LEAST_SENTENCES = -1.8, 0.15, 4


@cache
def _order_table() -> tuple[dict[str, int], Floats]:
    arrays = resource_arrays("word_order.npz")
    words = bytes(arrays["words"]).decode().split()
    return dict(zip(words, range(len(words)), strict=True)), arrays["scores"] * STEP


def _frequent(tokens: Sequence[str]) -> NDArray[np.int16]:
    """The number of each frequent word, -1 of others."""
    numbers = _order_table()[0]
    return np.fromiter((numbers.get(token.lower(), -1) for token in tokens), np.int16, len(tokens))


def classes_of(frequent: NDArray[Any], tags: NDArray[Any], words: int) -> NDArray[np.int64]:
    """The class of each token: its word, or its part of speech; the last class is a boundary."""
    return np.where(frequent >= 0, frequent, words + TO_TWELVE[tags]).astype(np.int64)


def sentence_order(batch: Batch) -> Floats:
    """How words follow each other in each sentence, (sentences, 4).

    The sum of the scores of its pairs of words, the number of pairs, whether it ends where none
    can, and whether it has an end.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "The cat was cold and it wanted milk from the kitchen."
    >>> batch = Batch([document_of_text(each) for each in (text, "The cat was cold and the.")])
    >>> sentence_order(batch)[:, 1:].tolist()
    [[10.0, 0.0, 1.0], [5.0, 1.0, 1.0]]
    """
    numbers, scores = _order_table()
    classes = classes_of(batch.token_values(_frequent), batch.tags, len(numbers))
    kept = np.flatnonzero(classes != len(numbers) + TWELVE.index("PUNCT"))
    sentence, classes = batch.sentence_of_token[kept], classes[kept]
    within = sentence[1:] == sentence[:-1]
    pairs = scores.take(classes[:-1] * scores.shape[1] + classes[1:]) * within
    is_last = np.append(~within, True)[: len(sentence)] & ~batch.is_open[sentence]
    ending = sentence[is_last]
    is_cut = scores[classes[is_last], -1] < _NO_END
    count = len(batch.token_bounds) - 1
    return np.column_stack(
        [
            np.bincount(sentence[1:], pairs, count),
            np.bincount(sentence[1:], within, count),
            np.bincount(ending, is_cut, count),
            np.bincount(ending, minlength=count),
        ]
    )


def order_flags(order: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether sentences are cut, and whether words have no order, by sums of `sentence_order`."""
    scores, pairs, cut, ends = order.T
    return (
        (ends >= _LEAST_SENTENCES) & (cut > _MOST_CUT * ends),
        (pairs >= _LEAST_PAIRS) & (scores < _LEAST_ORDER * pairs),
    )


# -- the columns -----------------------------------------------------------------------------------


class _Read(NamedTuple):
    """The sentences, headings and items that are read, in passages.

    `numbers` run through all sentences of the batch, `words` is how many words each has, `prose`
    whether it is a sentence, and those of passage ``i`` are ``begins[i]:ends[i]`` among them.
    """

    numbers: NDArray[np.int64]
    words: Floats
    prose: NDArray[np.bool_]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def parts(self) -> Iterator[_Read]:
        """Runs of some passages."""
        for start in range(0, len(self.begins), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            begins, ends = self.begins[some], self.ends[some]
            own = slice(begins[0], ends[-1])
            sentences = self.numbers[own], self.words[own], self.prose[own]
            yield _Read(*sentences, begins - begins[0], ends - begins[0])


def _columns(batch: Batch, read: _Read, tags: NDArray[np.int64], order: Floats) -> Floats:
    """What `passage_columns` names, of each passage; NaN for what a passage tells nothing about."""
    parts = [_columns_of_part(batch, part, tags, order) for part in read.parts()]
    return np.concatenate([np.empty((0, len(passage_columns()))), *parts])


def _columns_of_part(batch: Batch, read: _Read, tags: NDArray[np.int64], order: Floats) -> Floats:
    """Sums over each sentence first, and over the sentences of each passage."""
    words, tokens = _word_sums(batch, read), _token_sums(batch, read)
    hardest, of_rarity = _rarity_columns(batch, read)
    of_tags, order, lengths = tags[read.numbers], order[read.numbers], read.words
    log_words, over = np.log1p(lengths), lengths[:, None] - _LENGTHS
    in_prose = np.column_stack(
        [
            words[:, _WORDS_BY_SENTENCE],
            tokens[:, _TOKENS_BY_SENTENCE],
            of_tags[:, _VERB],
            lengths,
            log_words,
            np.maximum(over, 0),
            (over[:, 1:] > 0) * lengths[:, None],
            hardest,
            log_words**2,
            np.ones(len(lengths)),
        ]
    )
    rows = [words, tokens, of_tags, order, in_prose * read.prose[:, None]]
    rows.append(np.column_stack([lengths, lengths < _LEAST_WORDS, np.ones(len(lengths))]))
    every = np.arange(len(lengths), dtype=np.int32)
    sums = sum_rows(np.hstack(rows), every, read.begins, read.ends)
    ends = np.cumsum([each.shape[1] for each in rows])[:-1]
    words, tokens, counts, order, in_prose, others = np.split(sums, ends, axis=1)
    length, short, sentences = others.T
    prose_words = in_prose[:, _PROSE_LENGTH]
    of_prose = in_prose[:, :-1] / np.where(in_prose[:, -1:] > 0, in_prose[:, -1:], np.nan)
    mean_log, mean_square = of_prose[:, _PROSE_LENGTH + 1], of_prose[:, -1]
    marks, counted, vectors, weight = np.split(tokens, [_NAMED, _NAMED + 1, -1], axis=1)
    return np.hstack(
        [
            words / np.maximum(length, 1)[:, None],
            of_prose[:, :2],
            marks / np.maximum(counted, 1),
            of_prose[:, 2:6],
            vectors / np.maximum(weight, 0.5),
            counts / np.maximum(counts.sum(axis=1), 1)[:, None],
            of_prose[:, 6:7],
            of_rarity[:, :-DIMENSIONS],
            of_prose[:, _PROSE_LENGTH:-1],
            np.column_stack(
                [
                    np.sqrt(np.maximum(mean_square - mean_log**2, 0)),
                    prose_words / np.maximum(length, 1),
                    short / sentences,
                ]
            ),
            of_rarity[:, -DIMENSIONS:],
            order[:, [0, 2]] / np.maximum(order[:, [1, 3]], 1),
        ]
    )


# Where the words of a sentence stand among what is summed in prose.
_PROSE_LENGTH = len(_BY_SENTENCE_OF_WORDS) + len(_BY_SENTENCE_OF_TOKENS) + 1


def _word_sums(batch: Batch, read: _Read) -> Floats:
    """What the words of each sentence add up to, difficult words without names."""
    table, bounds = batch.word_types.column(_of_words), batch.word_bounds
    begins, ends = bounds[read.numbers], bounds[read.numbers + 1]
    sums = sum_rows(table[:, :-1], batch.word_ids, begins, ends)
    names = np.flatnonzero(batch.is_name[begins[0] : ends[-1]]) + begins[0]
    difficult, capitals = table[batch.word_ids[names]][:, [_DIFFICULT, -1]].T
    of_names = np.searchsorted(begins, names, side="right") - 1
    inside = names < ends[of_names]
    hidden = np.where(capitals == 0, difficult, 0) * inside
    sums[:, _DIFFICULT] -= np.bincount(of_names, hidden, len(begins))
    return sums


def _token_sums(batch: Batch, read: _Read) -> Floats:
    """What the tokens of each sentence add up to, but for `_RARITIES`."""
    table, bounds = batch.token_types.column(_of_tokens), batch.token_bounds
    begins, ends = bounds[read.numbers], bounds[read.numbers + 1]
    return sum_rows(table[:, :-_RARITIES], batch.token_ids, begins, ends)


def _rarity_columns(batch: Batch, read: _Read) -> tuple[Floats, Floats]:
    """How hard the hardest word of each sentence is; how rare the rarest of each passage are.

    Of rare words that are no names also what they are about, and whether they return.
    """
    table, bounds = batch.token_types.column(_of_tokens), batch.token_bounds
    sizes = np.diff(bounds)[read.numbers]
    starts = np.cumsum(sizes) - sizes  # among the tokens that are read
    ids = batch.token_ids[np.repeat(bounds[read.numbers] - starts, sizes) + np.arange(sizes.sum())]
    zipf, complexity, is_word, capitalised, capitals, strange = table[ids, -_RARITIES:].T
    count = len(read.begins)
    begins = starts[read.begins]
    ends = np.append(begins[1:], len(ids))
    passage = np.repeat(np.arange(count), ends - begins)
    within = np.ones(len(ids), bool)
    within[starts] = False
    is_word = is_word > 0
    is_name = (capitalised > 0) & within & (capitals == 0)
    words = np.flatnonzero(is_word & ~is_name)
    of_words = passage[words]
    sizes = np.bincount(of_words, minlength=count)
    full = np.maximum(sizes, 1)

    def mean(values: NDArray[Any]) -> Floats:
        return np.asarray(np.bincount(of_words, values[words], count) / full)

    def quantiles(values: NDArray[np.float32], shares: Sequence[float]) -> Floats:
        # Numbers of 0 or more are in the order of their bits, so one sort of whole numbers does.
        bits = (values[words] + np.float32(0)).view(np.uint32)
        ranked = np.sort(of_words << 32 | bits).astype(np.uint32).view(np.float32)
        last = np.cumsum(sizes)
        places = (last - sizes)[:, None] + np.rint(np.outer(np.maximum(sizes - 1, 0), shares))
        found = np.append(ranked, np.nan)[np.minimum(places.astype(np.int64), len(ranked))]
        return np.where((sizes > 0)[:, None], found, np.nan)

    # A rare word that comes back is a term; one that does not is only a word.
    rare = words[(zipf[words] < _RARE) & (capitalised[words] == 0)]
    terms, times = np.unique(passage[rare] * len(table) + ids[rare], return_counts=True)
    of_term = terms // len(table)
    different = np.bincount(of_term, minlength=count)
    again = np.bincount(of_term, times * (times > 1), count)
    every = np.maximum(np.bincount(passage[is_word], minlength=count), 1)
    rarity = (np.maximum(_KNOWN - zipf, 0) * (is_word & ~is_name)).astype(np.float32)
    about = sum_rows(table[:, _NAMED + 1 : -_RARITIES - 1], ids, begins, ends, rarity)
    weight = np.bincount(passage, rarity, count)
    columns = [
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
    return np.maximum.reduceat(complexity, starts), np.column_stack(columns)
