"""Split pages into passages of about a hundred words, and compute numbers for each passage.

People judged sentences and short passages, so a page is split into passages too. A passage is a run
of sentences, headings and list items. All columns are means over its words, its tokens or its
sentences, so none of them grows with the length of the page. The words of headings and list items
count like other words, but they are not sentences: sentence length is measured on prose alone, and
is missing if a passage has no prose. Text that occurred on the page before is ignored, so repeating
a text does not change its numbers.

`understandability._core.layout` lists the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability._core.layout import (
    FIRST_TOKEN_KIND,
    MIN_SENTENCE_WORDS,
    NO_KIND,
    PASSAGE,
    SENTENCE,
    TOKEN_FIELDS,
    WORD_KINDS,
    TokenFlag,
    names_of,
)
from understandability.arrays import Floats
from understandability.feature.batch import Batch, sizes_between, sum_segments
from understandability.feature.language_model import NO_WORD
from understandability.feature.tagger import TO_TWELVE
from understandability.feature.word_counts import KINDS, kinds_of_word
from understandability.model.word_columns import (
    kinds_of_token,
    known_of,
    runs_of_letters,
    word_complexity,
    word_difficulty,
    words_and_vectors,
)
from understandability.resources import resource_arrays
from understandability.text.stop_words import foreign_words

# Passages of 60 to 150 words, and single sentences, rank texts equally well to within 0.005.
WORDS = 100
# A field without final punctuation is still a sentence if it has this many words.
_LONG_FIELD = 25
# Fragments with a verb count as prose if other sentences have less than this share of the words.
_MIN_WHOLE_SHARE = 0.5
# A sentence with a larger share of foreign words is not English.
_MAX_FOREIGN_SHARE = 0.15
# Above this Zipf frequency a word is English, whatever else it is ("dog" is Danish for "still").
_ENGLISH_ZIPF = 4.6

_PASSAGE_WORD_KINDS = [KINDS.index(category) for category in WORD_KINDS]
# The index of each statistic of a sentence.
_SENTENCE = {name: index for index, name in enumerate(names_of(SENTENCE))}


@cache
def passage_columns() -> tuple[str, ...]:
    """Return the names of the columns of a passage, in order.

    The last columns are read by the network of difficulty only: the vectors of rare words, word
    order, the mean difficulty of the distinct words (`WordDifficulty`), and shortness, from 0 (60
    words or more) to 1 (no words): one odd sentence is easier than five.
    """
    return names_of(PASSAGE)


def _looks_like_code(token: str) -> bool:
    """Return True for an identifier, a path or a part number: letters mixed with other signs."""
    inside = token[1:]
    if token.isalpha():
        if token.islower():
            return False
        is_plain = inside.islower() or token.isupper() or inside.isupper()
        return not is_plain and any(map(str.isupper, inside))
    return (
        (not inside.isupper() and any(map(str.isupper, inside)) and not token.isupper())
        or any(mark in inside for mark in "_/\\@=")
        or (any(map(str.isdigit, token)) and any(map(str.isalpha, token)))
    )


# A token type as the compiled core reads it.
TOKEN = np.dtype(
    [(name, type_) if count == 1 else (name, type_, count) for name, type_, count in TOKEN_FIELDS],
    align=True,
)
_KINDS_OF_TOKEN = TOKEN["kinds"].shape[0]
_UNLISTED, _CODE, _SINGLE_LETTER, _NO_LETTERS = (
    names_of(PASSAGE).index(name) - FIRST_TOKEN_KIND
    for name in ("not_in_wordfreq", "code", "single_letters", "no_letters")
)


def of_tokens(tokens: Sequence[str]) -> NDArray[np.uint8]:
    """Return one record of the structured dtype `TOKEN` per token, as bytes."""
    entries = known_of(tokens)
    reddit, wikipedia, pubmed, merged = entries.logs.T
    frequent_words = _order_table()[0]
    flags, kinds, frequent = bytearray(), [], []
    for token, is_unlisted in zip(tokens, entries.unlisted.tolist(), strict=True):
        lower = token.lower()
        token_kinds = kinds_of_token(token, lower)
        is_alphabetic = token.isalpha()
        has_letter = is_alphabetic or any(map(str.isalpha, token))
        flag = TokenFlag.HAS_LETTER.value if has_letter else 0
        if not (is_alphabetic and token == lower):
            if _looks_like_code(token):
                token_kinds.append(_CODE)
            flag += _CAPITALISED * token[:1].isupper()
            flag += _IN_CAPITALS * (len(token) > 1 and token.isupper())
        if not has_letter:
            token_kinds.append(_NO_LETTERS)
        elif is_unlisted:
            token_kinds.append(_UNLISTED)
        if len(token) == 1 and has_letter and token not in "aAI":
            token_kinds.append(_SINGLE_LETTER)
        kinds.append(bytes(token_kinds).ljust(_KINDS_OF_TOKEN, bytes([NO_KIND])))
        flags.append(flag)
        frequent.append(frequent_words.get(lower, -1))
    rows = np.empty(len(tokens), TOKEN)
    runs = runs_of_letters(tokens)
    rows["zipf"] = entries.zipf
    rows["complexity"] = word_complexity()(tokens, entries, runs)
    rows["difficulty"] = word_difficulty().of(entries.ranks, runs)
    ratios = pubmed - reddit, pubmed - wikipedia, wikipedia - reddit
    rows["logs"] = np.stack([merged, *ratios], axis=1)
    rows["weight"] = entries.vectors[:, -1]
    rows["vector"] = entries.ranks
    rows["frequent"] = frequent
    rows["flags"] = np.frombuffer(flags, np.uint8) + _COUNTED * (entries.numbers != NO_WORD)
    rows["kinds"] = np.frombuffer(b"".join(kinds), np.uint8).reshape(-1, _KINDS_OF_TOKEN)
    return rows.view(np.uint8).reshape(len(rows), TOKEN.itemsize)


_CAPITALISED = TokenFlag.CAPITALISED.value
_IN_CAPITALS = TokenFlag.IN_CAPITALS.value
_COUNTED = TokenFlag.COUNTED.value


def _counts_of_words(words: Sequence[str]) -> NDArray[np.int32]:
    """Return the counts of `layout.WORD` for each word. Called through `TypeTable.column`, a
    cache.
    """
    in_capitals = [len(word) > 1 and word.isupper() for word in words]
    counts = kinds_of_word(words)[:, _PASSAGE_WORD_KINDS]
    return np.column_stack([counts, in_capitals]).astype(np.int32)


def _is_foreign(words: Sequence[str]) -> NDArray[np.bool_]:
    """Return a mask of foreign words that are rare in English. Called through
    `TypeTable.column`.
    """
    lower = [word.lower() for word in words]
    foreign = foreign_words()
    mask = np.fromiter((word in foreign for word in lower), bool, len(words))
    indexes = np.flatnonzero(mask)
    mask[indexes] = known_of([lower[index] for index in indexes]).zipf < _ENGLISH_ZIPF
    return mask


@dataclass(frozen=True)
class Passages:
    """The passages of some documents, with what is known about each document as a whole.

    Attributes:
        starts: Document ``i`` has the passages ``starts[i]:starts[i + 1]``.
        columns: The values of `passage_columns`; shape (passages, columns).
        words: The number of words of each passage.
        sentences: (passages, 2). The first sentence of each passage and the one after its last,
            as indexes among the sentences of the document.
        prose: The share of a document's words in sentences with a verb, without short fields.
        repeated: The share of its words that occurred in it before.
        foreign: The share of its words in sentences of another language. These shares are NaN for
            a document without words.
        cut: A mask of the documents in which many sentences are cut off before their end.
        disordered: A mask of the documents whose order of words is unlike any real text.
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
        """Return the mean over each document's passages, weighted by words; NaN without any."""
        sums = sum_segments((values.T * self.words).T, self.starts)
        return np.asarray((sums.T / np.where(self.totals > 0, self.totals, np.nan)).T)

    def hardest(self, values: Floats, share: float) -> Floats:
        """Return the mean of the highest values in each document; NaN without passages.

        The passages with these values make up `share` of the document's words; the last of them
        counts in part.

        >>> others = [np.zeros(1)] * 6
        >>> cut = Passages(np.array([0, 2]), np.zeros((2, 1)), np.array([60.0, 40.0]), *others)
        >>> cut.hardest(np.array([80.0, 20.0]), 0.75).tolist()
        [68.0]
        """
        document = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        order = np.lexsort((-values, document))
        words = self.words[order]
        before = np.cumsum(words) - words
        firsts = np.minimum(self.starts[:-1], max(len(words) - 1, 0))
        before = before - before[firsts][document] if len(words) else before
        counted = np.clip(share * self.totals[document] - before, 0, words)
        sums = sum_segments(np.stack([values[order] * counted, counted]).T, self.starts)
        return np.asarray(sums[:, 0] / np.where(sums[:, 1] > 0, sums[:, 1], np.nan))

    @cached_property
    def totals(self) -> Floats:
        """The number of words in all passages of each document together."""
        return sum_segments(self.words, self.starts)

    @cached_property
    def equal_parts(self) -> Floats:
        """The effective number of passages per document; 1 without any.

        This is the inverse of Simpson's index (1949): two passages of the same length count as 2.
        """
        squares = sum_segments(self.words**2, self.starts)
        return np.asarray(np.where(squares > 0, self.totals**2 / np.maximum(squares, 1), 1.0))


def passages(batch: Batch) -> Passages:
    """Split each document into passages. Call it through `Batch.once`, which caches it.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "Flu is a virus that spreads in winter. Rest and drink water. "
    >>> once, twice = passages(Batch([document_of_text(text), document_of_text(text * 2)])).columns
    >>> bool((once == twice).all())
    True
    """
    return _passages(batch)


# A field of at most this many words without final punctuation is an item of a list, or a heading.
_MOST_ITEM_WORDS = 12
# A document is read a second time without its items if they have these shares of its words, and if
# it is short: on longer pages, lists have passages of their own.
_FEWEST_ITEMS, _MOST_ITEMS, _MOST_WORDS = 0.05, 0.5, 600


def passages_without_lists(batch: Batch) -> Passages:
    r"""Split documents into passages, leaving out headings and list items.

    Documents that are long, have hardly any items, or have little else get no passages. Call it
    through `Batch.once`, which caches it.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "Flu is a virus that spreads in winter. Rest and drink water."
    >>> documents = [document_of_text(text), document_of_text(f"{text}\n\nMilk\n\nBread")]
    >>> passages_without_lists(Batch(documents)).totals.tolist()
    [0.0, 12.0]
    """
    first, lengths = batch.first_sentences, sizes_between(batch.word_bounds)
    is_item = np.asarray(batch.is_open & (lengths <= _MOST_ITEM_WORDS))
    items, words = sum_segments(np.column_stack([is_item * lengths, lengths]), first).T
    has_items = (items >= _FEWEST_ITEMS * words) & (items <= _MOST_ITEMS * words)
    is_read = has_items & (words <= _MOST_WORDS)
    return _passages(batch, ~is_item & np.repeat(is_read, sizes_between(first)))


@dataclass(frozen=True)
class _Sentences:
    """The sentences of some documents, before they are cut into passages.

    Attributes:
        document: The index of the document of each sentence.
        lengths: The number of words of each sentence.
        once: A mask of the sentences with words that have not occurred in their document before.
        prose: A mask of the sentences that count as prose.
        prose_shares, repeated, foreign, cut, disordered: By document, as in `Passages`, where the
            first is called `prose`.
    """

    document: NDArray[np.int64]
    lengths: Floats
    once: NDArray[np.bool_]
    prose: NDArray[np.bool_]
    prose_shares: Floats
    repeated: Floats
    foreign: Floats
    cut: NDArray[np.bool_]
    disordered: NDArray[np.bool_]


def _sentences(batch: Batch) -> _Sentences:
    """Describe the sentences of documents. Called through `Batch.once`, which caches it."""
    first, is_open = batch.first_sentences, batch.is_open
    document = np.repeat(np.arange(len(batch.documents)), sizes_between(first))
    lengths = sizes_between(batch.word_bounds).astype(np.float64)
    statistics = batch.once(read_sentences)
    once = statistics[:, _SENTENCE["is_first"]] > 0
    has_verb = statistics[:, _SENTENCE["VERB"]] > 0
    sentences = (lengths >= MIN_SENTENCE_WORDS) & has_verb
    whole = sentences & ~(is_open & (lengths < _LONG_FIELD))
    verbal = sentences | (has_verb & ~is_open & (lengths > 1))  # "Do not smoke." too
    foreign_counts = sum_segments(batch.word_values(_is_foreign), batch.word_bounds)
    foreign = foreign_counts > _MAX_FOREIGN_SHARE * lengths
    masks = {
        "whole": whole,
        "sentences": sentences,
        "once": once,
        "verbal": once & verbal,
        "foreign": once & foreign,
    }
    per_sentence = {
        **{name: mask * lengths for name, mask in masks.items()},
        "all": lengths,
        **{
            name: statistics[:, _SENTENCE[name]] * once
            for name in ("pair_scores", "pairs", "is_cut", "has_end")
        },
    }
    sums = sum_segments(np.column_stack(list(per_sentence.values())), first)
    total = dict(zip(per_sentence, sums.T, strict=True))
    words, words_once = (np.where(total[n] > 0, total[n], np.nan) for n in ("all", "once"))
    is_mostly_whole = total["whole"] >= _MIN_WHOLE_SHARE * total["sentences"]
    return _Sentences(
        document,
        lengths,
        once & (lengths > 0),
        np.where(is_mostly_whole[document], whole, sentences),
        total["verbal"] / words_once,
        1 - total["once"] / words,
        total["foreign"] / words_once,
        (total["has_end"] >= _MIN_ENDS) & (total["is_cut"] > _MAX_CUT_SHARE * total["has_end"]),
        (total["pairs"] >= _MIN_PAIRS) & (total["pair_scores"] < _MIN_ORDER * total["pairs"]),
    )


def _passages(batch: Batch, chosen: NDArray[np.bool_] | None = None) -> Passages:
    """Split the `chosen` sentences of documents (by default all) into passages."""
    count = len(batch.documents)
    sentences = batch.once(_sentences)
    selected = np.flatnonzero(sentences.once if chosen is None else sentences.once & chosen)
    begins, words = _parts(sentences.document[selected], sentences.lengths[selected], count)
    begins, ends = begins[:-1], begins[1:]
    documents = sentences.document[selected[begins]]
    spans = np.stack([selected[begins], selected[ends - 1] + 1], axis=1)
    statistics = batch.once(read_sentences)
    return Passages(
        np.searchsorted(documents, np.arange(count + 1)),
        _columns(batch, statistics, selected, sentences.prose[selected], begins, ends),
        words,
        spans - batch.first_sentences[documents][:, None],
        sentences.prose_shares,
        sentences.repeated,
        sentences.foreign,
        sentences.cut,
        sentences.disordered,
    )


def _parts(
    documents: NDArray[np.int64], lengths: Floats, count: int
) -> tuple[NDArray[np.int64], Floats]:
    """Cut documents between sentences, as close as possible to equal parts of about `WORDS` words.

    Three sentences of 90, 20 and 90 words make two parts: their middles, at 45, 100 and 155 of 200
    words, are in the first half, at the start of the second, and in the second.

    Args:
        documents: The document of each sentence, ascending.
        lengths: The number of words of each sentence, above 0.
        count: The number of documents.

    Returns:
        The sentence that begins each part, with the number of sentences at the end; and the number
        of words of each part.
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


# -- word order ------------------------------------------------------------------------------------

STEP = 0.05  # the unit of the scores in the table, which are whole numbers
# Ordinary text has a mean score of 0.5 to 1.1 per pair; shuffled words have -0.6 to -0.1.
_MIN_ORDER = 0.15
_MIN_PAIRS = 30
# A sentence is cut if its last word has a lower score as an end. In ordinary text fewer than one
# sentence in ten is.
_MIN_END_SCORE = -1.8
_MAX_CUT_SHARE = 0.15
_MIN_ENDS = 4


@cache
def _order_table() -> tuple[dict[str, int], NDArray[np.int8]]:
    """Return the indexes of the frequent words, and the scores of pairs in units of `STEP`."""
    arrays = resource_arrays("word_order.npz")
    words = bytes(arrays["words"]).decode().split()
    return dict(zip(words, range(len(words)), strict=True)), arrays["scores"]


# Words that end a sentence if what they need was said before: "Ask what it is.", "Yes, you can.",
# "Tell us who you live with.", "She is taller than you are."
_ELLIPTIC = frozenset(
    """am is are was were be been being 'm 's 're do does did done have has had can could will would
    shall should may might must need not n't to for from with without about at in of on by into
    through like it you they we i he she that this there your my""".split()  # noqa: SIM905
)
_SAID_BEFORE = frozenset(
    """what who whom whose which where when how why whatever whoever wherever whenever however
    whether if than as that so until till unless because once while since before after
    though""".split()  # noqa: SIM905
)
_ANSWERS = frozenset({"yes", "no", "so", "neither", "nor", "yeah", "ok"})
_QUESTION_STARTS = frozenset({"what", "who", "whom", "which", "where", "when", "how", "why"})


def _ends_in_ellipsis(tokens: list[str]) -> bool:
    """Return True if a sentence may omit its end because that was said before, as in "Ask what it
    is."

    >>> _ends_in_ellipsis("Ask what it is .".split()), _ends_in_ellipsis("The dose is .".split())
    (True, False)
    """
    words = [token.lower() for token in tokens if any(map(str.isalnum, token))]
    if len(words) < 2 or words[-1] not in _ELLIPTIC:
        return False
    if words[0] in _ANSWERS or words[0] in _QUESTION_STARTS:
        return True
    return not _SAID_BEFORE.isdisjoint(words[1:-1])


def read_sentences(batch: Batch) -> Floats:
    """Compute the statistics of `layout.SENTENCE` for each sentence, as a table (sentences,
    columns).

    | columns | |
    |---|---|
    | `tags` | the number of tokens of each of the twelve tags |
    | `pair_scores`, `pairs` | the sum of the scores of its pairs of words; the number of pairs |
    | `is_cut`, `has_end` | 1 if it ends with a word that ends no sentence; 1 if it has an end |
    | `is_first` | 1 if the sentence did not occur in its document before |

    >>> from understandability.text.analysis import document_of_text
    >>> texts = "The cat was cold and it wanted milk from the kitchen.", "The cat was cold and the."
    >>> batch = Batch([document_of_text(text) for text in texts])
    >>> read_sentences(batch)[:, -4:].tolist()
    [[10.0, 0.0, 1.0, 1.0], [5.0, 1.0, 1.0, 1.0]]
    """
    ids = batch.token_ids  # before the column below, because this may add types
    statistics = np.empty((batch.first_sentences[-1], len(_SENTENCE)))
    _core.read_sentences(
        batch.token_types.column(of_tokens),
        ids,
        batch.token_bounds,
        TO_TWELVE.take(batch.tags),
        batch.first_sentences,
        _order_table()[1],
        round(_MIN_END_SCORE / STEP),
        statistics,
    )
    statistics[:, _SENTENCE["pair_scores"]] *= STEP
    for sentence in np.flatnonzero(statistics[:, _SENTENCE["is_cut"]]).tolist():
        start, end = batch.token_bounds[sentence : sentence + 2]
        if _ends_in_ellipsis([batch.token_types.strings[type_] for type_ in ids[start:end]]):
            statistics[sentence, _SENTENCE["is_cut"]] = 0
    for name in ("is_cut", "has_end"):  # an open field has no end
        statistics[batch.is_open, _SENTENCE[name]] = 0
    return statistics


# -- columns ---------------------------------------------------------------------------------------


def _columns(
    batch: Batch,
    statistics: Floats,
    selected: NDArray[np.int64],
    prose: NDArray[np.bool_],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Floats:
    """Compute `passage_columns` for each passage; NaN where a passage has nothing to measure.

    Passage ``i`` consists of the sentences ``selected[begins[i]:ends[i]]``, and `prose` is a mask
    of the selected sentences.
    """
    columns = np.empty((len(begins), len(passage_columns())))
    _, vectors, scale = words_and_vectors()
    _core.read_passages(
        batch.token_types.column(of_tokens),
        batch.token_ids,
        batch.token_bounds,
        batch.word_types.column(_counts_of_words),
        batch.word_ids,
        batch.word_bounds,
        batch.is_name.view(np.uint8),
        statistics,
        vectors,
        scale,
        _columns_per_sentence(),
        selected,
        prose.view(np.uint8),
        begins,
        ends,
        columns,
    )
    return columns


@cache
def _columns_per_sentence() -> NDArray[np.int32]:
    """Return pairs of column indexes: a mean over words or tokens, and the mean per sentence."""
    names, suffix = passage_columns(), "_per_sentence"
    return np.array(
        [
            (names.index(name.removesuffix(suffix)), index)
            for index, name in enumerate(names)
            if name.endswith(suffix)
        ],
        np.int32,
    )
