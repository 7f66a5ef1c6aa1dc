"""Compute word vectors (64 dimensions) from the neighbours of words in the background corpora.

Words with the same neighbours are mostly the same part of speech, so the vectors help the tagger
with words that its treebank lacks. A vector starts as counts of the 1,500 commonest words at four
offsets from the word. The counts become positive pointwise mutual information, which is reduced by
singular value decomposition.
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
OFFSETS = {-2: 0.4, -1: 1.0, 1: 1.0, 2: 0.4}  # and their weights
TREEBANK_WEIGHT = 3  # the text of the treebank is counted three times
BOUNDARY = "<s>"


class Distributions(NamedTuple):
    """Words with their unit vectors.

    `usual_case` is the share of capitalised occurrences inside sentences, in fifths (0 … 4).
    """

    words: list[str]
    counts: NDArray[np.int64]
    vectors: NDArray[np.float64]
    usual_case: NDArray[np.uint8]


def corpus_sentences(data: Path) -> Iterator[list[str]]:
    """Yield the tokens of each sentence of the background corpora."""
    tokens_of = BoundedCache(tokenize, limit=1_000_000)
    for name in CORPORA:
        for record in corpus(data, name):
            pieces = split_pieces(record["text"])
            starts = sentence_starts(pieces)
            for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True):
                yield [token for piece in pieces[start:end] for token in tokens_of[piece]]


def distributions(data: Path, treebank: Iterable[Sentence]) -> Distributions:
    """Compute vectors from the corpora and the text of the treebank."""
    numbers = {BOUNDARY: 0}
    text: list[int] = []
    capitalised: Counter[str] = Counter()
    small: Counter[str] = Counter()

    def add(tokens: list[str]) -> None:
        text.append(0)
        for position, token in enumerate(tokens):
            word = normal_form(token)
            text.append(numbers.setdefault(word, len(numbers)))
            if position and token[:1].isalpha():
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
    for offset, weight in OFFSETS.items():
        words, context = (
            (text[:-offset], text[offset:]) if offset > 0 else (text[-offset:], text[:offset])
        )
        valid = (words >= 0) & (context >= 0) & (context < CONTEXT_WORDS)
        ones = np.ones(int(valid.sum()))
        shape = (size, CONTEXT_WORDS)
        block = sparse.csr_matrix((ones, (words[valid], context[valid])), shape)
        blocks.append((block, weight))
    counts = sparse.hstack([block for block, _ in blocks]).tocoo()
    word_totals = np.asarray(counts.sum(axis=1)).ravel()
    context_totals = np.asarray(counts.sum(axis=0)).ravel()
    total = word_totals.sum()
    # Smooth the totals of contexts by a power, so that rare contexts do not dominate.
    expected = word_totals[counts.row] * context_totals[counts.col] ** 0.9 * total**0.1 / total
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
