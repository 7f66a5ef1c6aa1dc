"""What is read of tokens and words one by one: tags, syllables, hashes, sums of rows."""

from typing import Any

from numpy.typing import NDArray

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

def sum_rows(
    table: NDArray[Any], ids: NDArray[Any], starts: NDArray[Any], out: NDArray[Any]
) -> None:
    """``out[i]``: the sum of the rows ``ids[starts[i]:starts[i + 1]]`` of a table.

    The table and `ids` are int32, `starts` int64. Raises `IndexError` for a row that is not there.
    """
