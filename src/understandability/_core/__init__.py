"""The compiled core: the hot path from the bytes of a page to the columns of its passages.

The input is bytes, texts and arrays of numbers. The output is tapes (flat lists of tags and texts),
blocks, ids and arrays of numbers.

Each module is one stage. Its stub (``.pyi``) documents the functions, and the head of its source
(``.pyx``) explains what the code relies on.

- `source`: bytes to the tape of a page, its texts and tags as they are written
- `tree`: bytes to the tape of the tree that a parser would build
- `blocks`: a tape to blocks of text, one walk per extractor
- `words`: texts to pieces and sentences; the ids of strings; lists of words
- `features`: tags, syllables, hashes and sums over tokens and words
- `passages`: the columns of sentences and passages
- `products`: products of rows with a matrix
- `layout`: the codes, limits and columns that the compiled modules share with Python

All functions are pure unless their documentation says otherwise. They require time and memory
linear in their input. Pages come from anywhere, so no module recurses, and every index is compared
with a size before it is used.
"""

from understandability._core.blocks import boilerpipe_walk, justext_walk, main_blocks, naive_walk
from understandability._core.features import add_rows, best_tags, hash_runs, nuclei, sum_rows
from understandability._core.layout import FINGERPRINT
from understandability._core.passages import (
    LAYOUT,
    hash_pairs,
    read_coherence,
    read_passages,
    read_sentences,
)
from understandability._core.products import multiply
from understandability._core.source import (
    Tape,
    cut,
    has_controls,
    is_utf8,
    may_combine,
    start_tags,
    values,
)
from understandability._core.tree import read_tree
from understandability._core.words import (
    Numbers,
    Places,
    SentenceCutter,
    count_listed,
    words_of_each,
)

if LAYOUT != FINGERPRINT:
    raise ImportError(
        "understandability._core was compiled from another version of its layout.py; "
        "build it again: python hatch_build.py"
    )

__all__ = [
    "Numbers",
    "Places",
    "SentenceCutter",
    "Tape",
    "add_rows",
    "best_tags",
    "boilerpipe_walk",
    "count_listed",
    "cut",
    "has_controls",
    "hash_pairs",
    "hash_runs",
    "is_utf8",
    "justext_walk",
    "main_blocks",
    "may_combine",
    "multiply",
    "naive_walk",
    "nuclei",
    "read_coherence",
    "read_passages",
    "read_sentences",
    "read_tree",
    "start_tags",
    "sum_rows",
    "values",
    "words_of_each",
]
