"""Weighting models: BM25 as Lucene has it, and eight as Terrier has them.

Terrier's are those of the study's features for learning to rank (logarithms to base 2).

A model says what the occurrences of one query term are worth to one document. A document's score
is the sum over the query terms that it holds; terms that it lacks add nothing, in the language
models too (there what they would add depends on the length of the document alone).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from understandability.arrays import Floats

K1, B, K3 = 1.2, 0.75, 8.0
MU = 2500.0
COLLECTION_WEIGHT = 0.1
HIEMSTRA_LAMBDA = 0.15


@dataclass(frozen=True, slots=True)
class TermMatches:
    """Pairs of a document and a query term that occurs in it, as columns, and the collection.

    `tf` is how often the document has the term, `length` how many terms it has in all,
    `documents_with` how many documents have the term, `occurrences` how often all documents
    have it, `in_query` how often the query has it. The collection has `documents` documents
    of `tokens` terms.
    """

    tf: Floats
    length: Floats
    documents_with: Floats
    occurrences: Floats
    in_query: Floats
    documents: float
    tokens: float

    @property
    def relative_length(self) -> Floats:
        """The length of each document in average lengths."""
        return self.length * self.documents / self.tokens


@dataclass(frozen=True, slots=True)
class WeightingModel:
    """A row of `MODELS`: the function, its parameters in words, who published it."""

    weigh: Callable[[TermMatches], Floats]
    parameters: str
    source: str


def tf_idf(match: TermMatches) -> Floats:
    """Robertson's tf times Spärck Jones' idf: ``k1 tf / (tf + K) * log(N / n + 1)``."""
    saturated = K1 * match.tf / (match.tf + _length_factor(match))
    return match.in_query * saturated * np.log2(match.documents / match.documents_with + 1)


def bm25(match: TermMatches) -> Floats:
    """``qtf * ln(1 + (N - n + .5) / (n + .5)) * tf / (tf + K)``, as Lucene since version 8.

    The idf is above 0 for every term, also for one that most documents have. Lucene rounds the
    lengths of documents to one byte; here they are exact.
    """
    absent = match.documents - match.documents_with
    idf = np.log1p((absent + 0.5) / (match.documents_with + 0.5))
    weight: Floats = match.in_query * idf * match.tf / (match.tf + _length_factor(match))
    return weight


def bm25_terrier(match: TermMatches) -> Floats:
    """``log((N - n + .5) / (n + .5)) * (k1 + 1) tf / (tf + K) * (k3 + 1) qtf / (k3 + qtf)``.

    A term that more than half of the documents have weighs less than nothing: in a collection on
    health a page is punished for the word "symptoms". `bm25` has no such terms.
    """
    absent = match.documents - match.documents_with
    idf = np.log2((absent + 0.5) / (match.documents_with + 0.5))
    saturated = (K1 + 1) * match.tf / (match.tf + _length_factor(match))
    return idf * saturated * ((K3 + 1) * match.in_query / (K3 + match.in_query))


def pl2(match: TermMatches) -> Floats:
    """Divergence from randomness: Poisson, Laplace after-effect, second normalisation."""
    tf = _second_normalisation(match)
    mean = match.occurrences / match.documents
    surprise = (
        tf * np.log2(tf / mean) + (mean - tf) * math.log2(math.e) + 0.5 * np.log2(2 * math.pi * tf)
    )
    weight: Floats = match.in_query * surprise / (tf + 1)
    return weight


def dph(match: TermMatches) -> Floats:
    """Divergence from randomness: hypergeometric, Popper's normalisation; no parameter."""
    # A share of 1 (a title of one word) has no finite weight.
    share = np.where(match.tf < match.length, match.tf / match.length, 0.99999)
    ratio = match.tf / match.relative_length * (match.documents / match.occurrences)
    surprise = match.tf * np.log2(ratio) + 0.5 * np.log2(2 * math.pi * match.tf * (1 - share))
    weight: Floats = match.in_query * (1 - share) ** 2 / (match.tf + 1) * surprise
    return weight


def inl2(match: TermMatches) -> Floats:
    """Divergence from randomness: inverse document frequency, Laplace, second normalisation."""
    tf = _second_normalisation(match)
    idf = np.log2((match.documents + 1) / (match.documents_with + 0.5))
    weight: Floats = match.in_query * tf / (tf + 1) * idf
    return weight


def dirichlet_lm(match: TermMatches) -> Floats:
    """A language model smoothed by mu terms drawn from the collection.

    ``log(1 + tf / (mu F / T)) + log(mu / (l + mu))``, for terms of the document only.
    """
    expected = MU * match.occurrences / match.tokens
    surprise = np.log2(1 + match.tf / expected) + np.log2(MU / (match.length + MU))
    weight: Floats = match.in_query * surprise
    return weight


def jelinek_mercer_lm(match: TermMatches) -> Floats:
    """A language model mixed with the collection's: ``log(1 + (1 - w) tf T / (w l F))``."""
    return _mixture(match, 1 - COLLECTION_WEIGHT)


def hiemstra_lm(match: TermMatches) -> Floats:
    """Hiemstra's mixture, in which the document's own model weighs little (lambda = .15)."""
    return _mixture(match, HIEMSTRA_LAMBDA)


def _length_factor(match: TermMatches) -> Floats:
    return K1 * (1 - B + B * match.relative_length)


def _second_normalisation(match: TermMatches) -> Floats:
    return match.tf * np.log2(1 + 1 / match.relative_length)


def _mixture(match: TermMatches, document_weight: float) -> Floats:
    odds = document_weight / (1 - document_weight)
    in_document, in_collection = match.tf / match.length, match.occurrences / match.tokens
    return match.in_query * np.log2(1 + odds * in_document / in_collection)


MODELS = MappingProxyType(
    {
        "tf_idf": WeightingModel(tf_idf, "k1=1.2 b=0.75", "Spärck Jones 1972; Robertson's tf"),
        "bm25": WeightingModel(
            bm25, "k1=1.2 b=0.75", "Robertson et al. 1994 (TREC-3); Kamphuis et al. 2020 on Lucene"
        ),
        "bm25_terrier": WeightingModel(
            bm25_terrier, "k1=1.2 b=0.75 k3=8", "Robertson et al. 1994 (TREC-3)"
        ),
        "pl2": WeightingModel(pl2, "c=1", "Amati & van Rijsbergen 2002"),
        "dph": WeightingModel(dph, "none", "Amati 2006; Amati et al. 2008 (TREC 2007)"),
        "inl2": WeightingModel(inl2, "c=1", "Amati & van Rijsbergen 2002"),
        "dirichlet_lm": WeightingModel(dirichlet_lm, "mu=2500", "Zhai & Lafferty 2004"),
        "jelinek_mercer_lm": WeightingModel(jelinek_mercer_lm, "w=0.1", "Zhai & Lafferty 2004"),
        "hiemstra_lm": WeightingModel(hiemstra_lm, "lambda=0.15", "Hiemstra 2001"),
    }
)
# The models of the study's 24 features.
TERRIER_MODELS = MappingProxyType({name: model for name, model in MODELS.items() if name != "bm25"})
