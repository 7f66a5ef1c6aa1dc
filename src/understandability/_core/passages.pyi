"""The statistics of sentences and the columns of passages, as sums over tokens and words."""

from typing import Any

from numpy.typing import NDArray

LAYOUT: int
"""The `layout.FINGERPRINT` of the version that the core was compiled from."""

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
    """Write the statistics of `layout.SENTENCE` of each sentence to `out`.

    Args:
        types: (types, bytes), uint8: a `layout.TOKEN_FIELDS` struct per token type.
        ids: (tokens,), int32: the types of the tokens.
        bounds: int64: the first token of each sentence, and the number of tokens.
        tags: (tokens,), uint8: indexes into `layout.TWELVE_TAGS`.
        firsts: int64: the first sentence of each document, and the number of sentences.
        scores: int8, square: scores of pairs of frequent words, then tags, then the boundary.
        no_end: A sentence with a lower score at its end is cut.
        out: (sentences, columns), float64.

    Raises:
        ValueError: The shapes do not match.
        IndexError: An id is outside its table.
    """

def hash_pairs(pairs: NDArray[Any], slots: NDArray[Any]) -> None:
    """Fill a hash table with the values of some pairs plus 1; empty slots are 0.

    Args:
        pairs: uint32, below ``2 ** 32 - 1``.
        slots: uint32, zeros: at least twice as many, a power of two.

    Raises:
        ValueError: The number of slots is not a power of two, or too small.
    """

def read_coherence(
    ids: NDArray[Any],
    starts: NDArray[Any],
    bounds: NDArray[Any],
    numbers: NDArray[Any],
    ranks: NDArray[Any],
    attested: NDArray[Any],
    words: int,
    vectors: NDArray[Any],
    scale: NDArray[Any],
    first_content: int,
    wants_fit: NDArray[Any],
    out: NDArray[Any],
) -> None:
    """Write the sums of `layout.COHERENCE` of each document to `out`, see `model.sense`.

    Args:
        ids: (tokens,), int32: the types of the tokens.
        starts: int64: the first token of each document, and the number of tokens.
        bounds: int64: the first token of each sentence, and the number of tokens.
        numbers: (types,), int32: the id of each type in a vocabulary; negative for none.
        ranks: (types,), int32: the row of each type in `vectors`; negative for none.
        attested: uint32: the pairs of words a, b that follow each other, as ``a * words + b``, in
            the hash table of `hash_pairs`.
        words: The size of the vocabulary.
        vectors: (words with a vector, dimensions), int8.
        scale: (dimensions,), float32: the unit of each dimension.
        first_content: The rank from which words are content words.
        wants_fit: (documents,), uint8: 0 for a document whose content words need not be compared.
        out: (documents, columns), float64.

    Raises:
        ValueError: The shapes do not match.
        IndexError: An id is outside its table.
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
    """Write the columns of `layout.PASSAGE` of each passage to `out`.

    Passage ``i`` consists of the sentences ``numbers[begins[i]:ends[i]]``.

    Args:
        types, ids, bounds: As in `read_sentences`.
        kinds: (types, columns), int32: the counts of `layout.WORD` per word type.
        word_ids, word_bounds: The types and bounds of words, as those of tokens.
        names: (words,), uint8: 1 for names.
        sentences: The output of `read_sentences`.
        vectors: (words with a vector, dimensions), int8.
        scale: (dimensions,), float32: the unit of each dimension.
        by_sentence: (pairs, 2), int32: a column, and the column of its mean per sentence of prose.
        numbers: int64: the sentences that passages consist of.
        prose: uint8: 1 for each of these that is prose.
        begins, ends: (passages,), int64.
        out: (passages, columns), float64.

    Raises:
        ValueError: The shapes do not match.
        IndexError: An id is outside its table.
    """
