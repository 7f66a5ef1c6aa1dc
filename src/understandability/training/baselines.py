"""A baseline for leaderboards: ridge regression on TF-IDF, which knows only the words of a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.errors import needing
from understandability.text.tokens import word_of
from understandability.training.folds import Alignment
from understandability.training.labelled import LabelledTexts, all_documents

_MOST_TEXTS = 50_000
_MOST_WORDS = 50_000
_LEAST_TEXTS_OF_WORD = 2


def tfidf_out_of_fold(sets: Sequence[LabelledTexts], fold: NDArray[np.int64]) -> Floats | None:
    """Estimate each text by a TF-IDF ridge trained on the other folds; NaN outside all folds.

    Returns None for more than 50,000 texts, or if no word occurs in two texts.
    """
    if len(fold) > _MOST_TEXTS:
        return None
    with needing("a TF-IDF ridge needs scikit-learn", ".[train]"):
        from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
        from sklearn.linear_model import Ridge
    targets = np.concatenate([labelled.targets for labelled in sets])
    words = (
        [word.lower() for word in map(word_of, document.pieces) if word]
        for document in all_documents(sets)
    )
    vectorizer = CountVectorizer(
        analyzer=list, min_df=_LEAST_TEXTS_OF_WORD, max_features=_MOST_WORDS, dtype=np.float64
    )
    try:
        counts = vectorizer.fit_transform(words)
    except ValueError:  # no word occurs in two texts
        return None
    estimates = np.full(len(fold), np.nan)
    chosen = np.flatnonzero(fold >= 0)
    alignment = Alignment(targets[chosen], np.ones(len(chosen)))
    reference = counts[chosen[alignment.rows]]
    for number in range(int(fold.max()) + 1):
        own, others = fold == number, (fold >= 0) & (fold != number)
        weighting = TfidfTransformer(sublinear_tf=True).fit(counts[others])
        ridge = Ridge(solver="sparse_cg", tol=1e-6)
        ridge.fit(weighting.transform(counts[others]), targets[others])
        shift = alignment.shift(ridge.predict(weighting.transform(reference)))
        estimates[own] = ridge.predict(weighting.transform(counts[own])) + shift
    return estimates
