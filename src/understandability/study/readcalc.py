"""Reproduce the readability formulas as the code of the study of 2019 computed them.

The study used `readcalc` (joaopalotti/readability_calculator). It differs from our own formulas in
three ways. Words are NLTK's Treebank tokens, in lower case and without punctuation. The number of
syllables is the number of pyphen's hyphenation points, plus one. Some constants are not the
published ones. The study split sentences with NLTK's Punkt; here we use the document's own
sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.direction import Direction
from understandability.errors import needing
from understandability.feature.batch import Batch, FloatArray, starts_of, sum_segments
from understandability.feature.formulas import ari, flesch_kincaid, fog, lix, per_hundred, smog
from understandability.feature.row import Feature
from understandability.feature.syllables import Trie
from understandability.feature.word_counts import counts_of
from understandability.feature.word_lists import familiar_words

# Words on the list of the study's code that textstat's list lacks.
_MORE_FAMILIAR = frozenset(("bluejay", "cooky", "dalf", "ma", "tho", "tis"))
# The Treebank tokenizer cuts these in two; other words of letters alone stay whole.
_CUT = frozenset(("cannot", "gimme", "gonna", "gotta", "lemme", "wanna"))
_PLAIN = re.compile(r"([A-Za-z0-9]+)[.,:;!?)]*")
_IN_WORD, _NO_WORD = re.compile(r"\w"), re.compile(r"\W")
_MAY_BE_CUT = re.compile(r"'|wanna", re.IGNORECASE)
_LAST_PERIOD = re.compile(r"([^.])\.([])}>\"']*)$")
# Stands between pieces while they are cut together; no text has this code point.
_BETWEEN = "\ufdd0"
_FROM_EDGE = 2  # letters of a word before its first hyphen, and after its last
# Places of words that are looked at together: a word may have millions.
_AT_ONCE = 1 << 15

WORDS, CHARACTERS, SYLLABLES, POLYSYLLABLES, LONG, DIFFICULT = range(6)


def counts_of_pieces(pieces: Sequence[str]) -> NDArray[np.int32]:
    """Count words, characters, syllables, polysyllables, words over 6 characters, and difficult
    words.

    The shape is (pieces, 6). Pieces are treated as if they were in the middle of a text.

    >>> counts_of_pieces(["can't", "diagnose", "well-being."]).tolist()
    [[2, 4, 2, 0, 0, 2], [1, 8, 2, 0, 1, 1], [1, 9, 2, 0, 1, 1]]
    """
    plain = [_plain_word(piece) for piece in pieces]
    # A piece that consists of marks alone gives no word.
    is_cut = [
        not word and _IN_WORD.search(piece) for piece, word in zip(pieces, plain, strict=True)
    ]
    cut = iter(_cut(list(compress(pieces, is_cut))))
    words = [
        _without_marks(next(cut)) if cuts else [word] if word else []
        for word, cuts in zip(plain, is_cut, strict=True)
    ]
    numbers: dict[str, int] = {}
    of_word = np.array(
        [numbers.setdefault(word, len(numbers)) for of_piece in words for word in of_piece],
        np.int64,
    )
    counts = _counts_of_words(list(numbers))[of_word]
    return sum_segments(counts, starts_of(list(map(len, words)))).astype(np.int32)


def _plain_word(piece: str) -> str:
    """Return the only word of a simple piece, without calling the tokenizer; '' for other
    pieces.
    """
    match = _PLAIN.fullmatch(piece)
    word = match.group(1).lower() if match else ""
    return "" if word in _CUT else word


def _without_marks(tokens: Iterable[str]) -> list[str]:
    words = map(str.lower, tokens)
    bare = (word if word.isalnum() else _NO_WORD.sub("", word) for word in words)
    return [word for word in bare if word]


def _cut(pieces: Sequence[str]) -> list[list[str]]:
    """Tokenise all pieces in one call, by the Treebank rules for the middle of a text."""
    text = f" {_BETWEEN} ".join(["", *(piece.replace(_BETWEEN, "") for piece in pieces), ""])
    tokens: list[list[str]] = [[]]
    for token in _tokenizer().tokenize(text):
        if token == _BETWEEN:
            tokens.append([])
        else:
            tokens[-1].append(token)
    return tokens[1:-1]


def _counts_of_words(words: Sequence[str]) -> NDArray[np.int32]:
    sizes = np.fromiter(map(len, words), np.int32, len(words))
    syllables = count_hyphens(words) + 1
    familiar = [word in familiar_words() or word in _MORE_FAMILIAR for word in words]
    return np.stack(
        [
            np.ones_like(sizes),
            sizes,
            syllables,
            syllables >= 3,
            sizes > 6,
            ~np.array(familiar, bool),
        ],
        axis=1,
        dtype=np.int32,
        casting="unsafe",
    )


def count_hyphens(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of hyphens that ``pyphen.Pyphen(lang="en")`` inserts in each lower-case
    word.

    Hyphenation patterns assign levels to the positions between letters. The highest level counts,
    and an odd one allows a hyphen. We match all words at once, which is faster than pyphen's own
    search.

    >>> count_hyphens(["hyphenation", "flu"])
    array([3, 0])
    """
    trie, levels_of = _patterns()
    gives, longest = np.asarray(levels_of.any(axis=1)), levels_of.shape[1]
    codes = trie.encode("\n".join(f".{word}." for word in words))
    levels = np.zeros(len(codes) + longest, np.int8)
    for begin in range(0, len(codes), _AT_ONCE):
        starts = np.arange(begin, min(begin + _AT_ONCE, len(codes)))
        for walkers, nodes in trie.walk(codes, starts):
            giving = np.flatnonzero(gives[nodes])
            reached, heights = starts[walkers[giving]], levels_of[nodes[giving]]
            # At most one pattern of a length starts at a position, so no index occurs twice.
            for offset in range(longest):
                levels[reached + offset] = np.maximum(levels[reached + offset], heights[:, offset])
    odd_before = starts_of(levels & 1)
    sizes = np.fromiter(map(len, words), np.int64, len(words))
    # A level is stored before its letter; the first letter follows a dot.
    first = starts_of(sizes + 3)[:-1] + 1
    left = first + _FROM_EDGE
    right = first + sizes - _FROM_EDGE + 1
    hyphens: NDArray[np.int64] = odd_before[np.maximum(left, right)] - odd_before[left]
    return hyphens


@cache
def _patterns() -> tuple[Trie, NDArray[np.int8]]:
    """Return a tree of the hyphenation patterns, and for each node the levels of its pattern."""
    with needing("the *_readcalc rows need Pyphen", ".[reference]"):
        import pyphen

    patterns = pyphen.Pyphen(lang="en").hd.patterns
    trie = Trie(list(patterns))
    longest = max(offset + len(heights) for offset, heights in patterns.values())
    levels = np.zeros((trie.size, longest), np.int8)
    for node, (offset, heights) in zip(trie.nodes.tolist(), patterns.values(), strict=True):
        levels[node, offset : offset + len(heights)] = heights
    return trie, levels


@cache
def _tokenizer() -> Any:
    with needing("the *_readcalc rows need NLTK", ".[reference]"):
        from nltk.tokenize.treebank import TreebankWordTokenizer

    return TreebankWordTokenizer()


def study_counts(batch: Batch) -> FloatArray:
    """Compute the six counts of `counts_of_pieces` for each document; (documents, 6).

    NLTK's tokenizer splits a period off only at the end of a text: "don't." is two words there, and
    one word elsewhere.
    """
    counts = batch.pieces.column(counts_of_pieces)[batch.piece_ids]
    ends = {
        end - 1: _LAST_PERIOD.sub(r"\1 . \2", document.pieces[-1])
        for document, end in zip(batch.documents, batch.piece_starts[1:].tolist(), strict=True)
        if document.pieces and _MAY_BE_CUT.search(document.pieces[-1])
    }
    if ends:
        counts[list(ends)] = counts_of_pieces(list(ends.values()))
    return sum_segments(counts, batch.piece_starts)


def flesch_readcalc(syllables: FloatArray, words: FloatArray, sentences: FloatArray) -> FloatArray:
    """Flesch Reading Ease with the study's constant 85.6 instead of 84.6."""
    return 206.835 - 1.015 * words / sentences - 85.6 * syllables / words


def coleman_liau_readcalc(
    characters: FloatArray, words: FloatArray, sentences: FloatArray
) -> FloatArray:
    """The Coleman-Liau index with the study's constants 5.89 and 30.0 instead of 5.88 and 29.6."""
    return 5.89 * characters / words - 30.0 * sentences / words - 15.8


def dale_chall_readcalc(
    difficult: FloatArray, words: FloatArray, sentences: FloatArray
) -> FloatArray:
    """The Dale-Chall formula without the constant 3.6365, as in the study."""
    return 0.1579 * per_hundred(difficult, words) + 0.0496 * words / sentences


def smog_readcalc(
    polysyllables: FloatArray, words: FloatArray, sentences: FloatArray
) -> FloatArray:
    """SMOG, computed from the study's counts."""
    return smog(polysyllables, sentences)


def evaluate_readcalc(batch: Batch, formula: Callable[..., FloatArray], count: int) -> FloatArray:
    """Apply a formula to one of the six counts, to the words, and to the document's sentences."""
    counts = batch.once(study_counts)
    words = np.where(counts[:, WORDS] > 0, counts[:, WORDS], np.nan)
    return formula(counts[:, count], words, batch.once(counts_of)["sentences"])


# fmt: off
# Name, unit, meaning, formula, what it counts.
_TABLE = (
    ("ari", "grade", "ari of the study's counts", ari, CHARACTERS),
    ("coleman_liau", "grade",
        "5.89 characters/words - 30.0 sentences/words - 15.8 of the study's counts",
        coleman_liau_readcalc, CHARACTERS),
    ("dale_chall", "score", "dale_chall of the study's counts, without its 3.6365",
        dale_chall_readcalc, DIFFICULT),
    ("flesch_kincaid", "grade", "flesch_kincaid of the study's counts", flesch_kincaid, SYLLABLES),
    ("flesch_reading_ease", "score",
        "206.835 - 1.015 words/sentences - 85.6 syllables/words of the study's counts",
        flesch_readcalc, SYLLABLES),
    ("gunning_fog", "grade", "gunning_fog_plain of the study's counts", fog, POLYSYLLABLES),
    ("lix", "score", "lix of the study's counts", lix, LONG),
    ("smog", "grade", "smog of the study's counts", smog_readcalc, POLYSYLLABLES),
)
# fmt: on
ROWS: tuple[Feature, ...] = tuple(
    Feature(
        f"{name}_readcalc",
        "readability",
        unit,
        Direction.EASIER if name == "flesch_reading_ease" else Direction.HARDER,
        meaning,
        "joaopalotti/readability_calculator",
        partial(evaluate_readcalc, formula=formula, count=count),
        packages=("nltk", "pyphen"),
    )
    for name, unit, meaning, formula, count in _TABLE
)
