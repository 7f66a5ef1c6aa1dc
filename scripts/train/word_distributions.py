"""What stands beside each word in the background corpora, as vectors of 64 numbers.

Words that take the same neighbours are the same part of speech, mostly; this is what the tagger
knows of words that its treebank does not have. Counts of the 1,500 commonest words at the four
places around a word, as positive pointwise mutual information, reduced by singular value
decomposition.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import svds
from scripts.shared import corpus
from scripts.train.conllu import Sentence

from understandability.feature.tagger import normal_form
from understandability.text.cache import BoundedCache
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces, tokenize

CORPORA = ("reddit_like", "consumer_nih", "wikipedia_med", "pubmed")
LEAST_COUNT = 8
CONTEXT_WORDS = 1500
DIMENSIONS = 64
PLACES = {-2: 0.4, -1: 1.0, 1: 1.0, 2: 0.4}  # and their weights
TREEBANK_WEIGHT = 3  # its text counts so many times
BOUNDARY = "<s>"


class Distributions(NamedTuple):
    """Words with unit vectors, and how often each is capitalised within sentences (0 … 4)."""

    words: list[str]
    counts: NDArray[np.int64]
    vectors: NDArray[np.float64]
    usual_case: NDArray[np.uint8]


def corpus_sentences(data: Path) -> Iterator[list[str]]:
    """The tokens of each sentence of the background corpora."""
    tokens_of = BoundedCache(tokenize, limit=1_000_000)
    for name in CORPORA:
        for record in corpus(data, name):
            pieces = split_pieces(record["text"])
            starts = sentence_starts(pieces)
            for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True):
                yield [token for piece in pieces[start:end] for token in tokens_of[piece]]


def distributions(data: Path, treebank: Iterable[Sentence]) -> Distributions:
    """Vectors of the words of the corpora and the treebank's text."""
    numbers = {BOUNDARY: 0}
    text: list[int] = []
    capitalised: Counter[str] = Counter()
    small: Counter[str] = Counter()

    def add(tokens: list[str]) -> None:
        text.append(0)
        for place, token in enumerate(tokens):
            word = normal_form(token)
            text.append(numbers.setdefault(word, len(numbers)))
            if place and token[:1].isalpha():
                (capitalised if token[:1].isupper() else small)[word] += 1
        text.append(0)

    for tokens in corpus_sentences(data):
        add(tokens)
    for sentence in treebank:
        for _ in range(TREEBANK_WEIGHT):
            add(sentence.tokens)

    everything = np.array(text, np.int32)
    counts = np.bincount(everything)
    order = np.argsort(-counts, kind="stable")[: int((counts >= LEAST_COUNT).sum())]
    rank = np.full(len(counts), -1)
    rank[order] = np.arange(len(order))
    words = [list(numbers)[number] for number in order]
    share = [capitalised[word] / max(1, capitalised[word] + small[word]) for word in words]
    return Distributions(
        words,
        counts[order],
        _vectors(rank[everything], len(order)),
        (np.array(share) * 4.99).astype(np.uint8),
    )


def _vectors(text: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    blocks = []
    for place, weight in PLACES.items():
        words, context = (
            (text[:-place], text[place:]) if place > 0 else (text[-place:], text[:place])
        )
        valid = (words >= 0) & (context >= 0) & (context < CONTEXT_WORDS)
        ones = np.ones(int(valid.sum()))
        shape = (size, CONTEXT_WORDS)
        block = sparse.csr_matrix((ones, (words[valid], context[valid])), shape)
        blocks.append((block, weight))
    counts = sparse.hstack([block for block, _ in blocks]).tocoo()
    of_words = np.asarray(counts.sum(axis=1)).ravel()
    of_contexts = np.asarray(counts.sum(axis=0)).ravel()
    total = of_words.sum()
    # Contexts smoothed by a power, so that rare ones do not stand out.
    expected = of_words[counts.row] * of_contexts[counts.col] ** 0.9 * total**0.1 / total
    information = np.maximum(0, np.log(counts.data / expected))
    weights = np.repeat([weight for _, weight in blocks], CONTEXT_WORDS)
    matrix = sparse.csr_matrix(
        (information * weights[counts.col], (counts.row, counts.col)), counts.shape
    )
    matrix.eliminate_zeros()
    left, strengths, _ = svds(matrix, k=DIMENSIONS, random_state=0)
    vectors = left * np.sqrt(strengths)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(norms, 1e-9)
