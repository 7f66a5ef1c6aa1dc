"""What a sentence and a passage are described by: sums over tokens and words."""

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
