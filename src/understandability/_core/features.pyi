"""Tags, syllables, hashes and sums over tokens and words."""

from typing import Any

from numpy.typing import NDArray

def add_rows(weights: NDArray[Any], rows: NDArray[Any], table: NDArray[Any]) -> None:
    """Add a row of `weights` to each row of `table`, except to its last column.

    Args:
        weights: (features, columns), int8.
        rows: (tokens,), int32: the row for each token; -1 for none.
        table: (tokens, columns + 1), int16.

    Raises:
        ValueError: The shapes do not match.
        IndexError: A row does not exist.
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
    """Write the tag of each token to `tags` (uint8), see `feature.tagger`. There are T tags.

    Args:
        rows: (types, 5 T + 1), int16: what a type adds to the scores of the tags at the five
            offsets, and its word class.
        ids: (tokens,), int64: the types.
        starts: int64: the tokens that begin a sentence; the first is 0.
        boundary: (5 T,), int16: the same as `rows` for what is outside a sentence.
        before, after: ((T + 1)^2, T), int8: by the tags of the two tokens on one side.
        around: ((T + 1)^3, T), int8: by the tags of the token and its neighbours.
        word_around: (classes (T + 1)^2, T), int8: by its word class and the tags around it.
        tags: Output.

    Raises:
        ValueError: The shapes do not match.
        IndexError: An id is outside its table.
    """

def nuclei(
    words: list[str],
    firsts: NDArray[Any],
    letters: NDArray[Any],
    codes: NDArray[Any],
    roots: NDArray[Any],
    weights: NDArray[Any],
) -> list[list[int]]:
    """Return the offsets of the letters of each word that are nuclei of a syllable.

    A letter is one if the weights of all patterns that match around it sum to more than 0. Offsets
    count from the mark in ``^word$``. Letters that may be a nucleus are vowels, the m of *prism*,
    the c of *McDonald*, and the apostrophe of *Max's*.

    Args:
        words: Words in lower case.
        firsts: int32: the first step of each node of a `Trie`.
        letters: uint8: the code of each step's letter.
        codes: int32: the code of each ASCII character, and of all other characters.
        roots: int64: ``roots[i]`` is the root of the patterns that begin `i` bytes before a letter.
        weights: int16: the weight of each node.

    Raises:
        IndexError: A node does not exist.
    """

def hash_runs(words: list[str], out: NDArray[Any]) -> None:
    """Hash each run of 3, 4 and 5 characters, word by word, and each longer word as a whole.

    `out` is uint32. Raises `IndexError` if it is too short.
    """

def sum_rows(
    table: NDArray[Any], ids: NDArray[Any], starts: NDArray[Any], out: NDArray[Any]
) -> None:
    """Set ``out[i]`` to the sum of the rows ``ids[starts[i]:starts[i + 1]]`` of a table.

    The table and `ids` are int32, `starts` is int64, `out` float64. Raises `IndexError` for a row
    that does not exist.
    """
