"""Train the tagger on UD English EWT; write ``resources/tagger.npz``.

The first pass is multinomial logistic regression with a ridge penalty, over the features of five
tokens; the features of a word include its vector by `word_distributions`. The second pass is
trained on out-of-fold tags of the first pass (two folds of documents), because it will see tags of
unseen text. Then the vectors are multiplied out to a row of weights per word, small weights are
dropped, and the others are rounded to integers.

`python -m scripts.train.tagger --evaluate` trains on nine tenths of the training documents and
prints the accuracy on the others. `scripts.evaluate.language` uses the treebank's dev part.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scripts.shared import parser_of
from scripts.train.conllu import Sentence, read_sentences
from scripts.train.syllables import incidence
from scripts.train.word_distributions import Distributions, distributions

from understandability.arrays import Floats
from understandability.feature.tagger import (
    BOUNDARY_FEATURE,
    BOUNDARY_TAG,
    CONTEXT,
    OFFSETS,
    TAGS,
    UNIVERSAL,
    Tagger,
    features_of,
    normal_form,
)

RIDGE = 3.0
STEPS = 80
FOLDS = 2
SECOND_RIDGE = 3.0
SECOND_STEPS = 60
CLASSES = 100  # words with tables of their own in the second pass
SCALE = 16  # weights are multiplied by it and rounded
LEAST_WEIGHT = 1.5  # smaller scaled weights are dropped

Array = NDArray[Any]


class Text:
    """Sentences as arrays: the type ids at five offsets around each token, and the tags."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.tokens = [token for sentence in sentences for token in sentence.tokens]
        self.tags = np.array([UNIVERSAL.index(t) for s in sentences for t in s.tags])
        sizes = [len(sentence.tokens) for sentence in sentences]
        self.starts = np.cumsum([0, *sizes[:-1]])
        self.sentence = np.repeat(np.arange(len(sizes)), sizes)
        numbers = {"": 0}  # the boundary
        ids = np.array([numbers.setdefault(token, len(numbers)) for token in self.tokens])
        self.types = list(numbers)
        self.around = {offset: self.neighbours(ids, offset, 0) for offset in OFFSETS}

    def neighbours(self, values: Array, offset: int, outside: int) -> Array:
        """Return the value at an offset from each token; `outside` beyond its sentence."""
        shifted = np.roll(values, -offset)
        other = np.roll(self.sentence, -offset) != self.sentence
        positions = np.arange(len(values)) + offset
        shifted[other | (positions < 0) | (positions >= len(values))] = outside
        return shifted


class FirstPass:
    """The first pass: the weights of features at each offset."""

    def __init__(self, text: Text, vectors: Distributions) -> None:
        self._distributions = vectors
        self._ranks = {word: rank for rank, word in enumerate(vectors.words)}
        counts = np.bincount(text.around[0], minlength=len(text.types))
        counts[0] = len(text.starts)
        own: Counter[str] = Counter()
        context: Counter[str] = Counter()
        for token, count in zip(text.types, counts.tolist(), strict=True):
            for feature in self._own(token):
                own[feature] += count
            for feature in self._context(token):
                context[feature] += count
        self.own = {f: n for n, f in enumerate(f for f, count in own.items() if count > 1)}
        self.context = {f: n for n, f in enumerate(f for f, count in context.items() if count > 1)}
        self.weights = self._fit(text)

    def usual_case(self, token: str) -> str:
        rank = self._ranks.get(normal_form(token))
        return "N" if rank is None else str(self._distributions.usual_case[rank])

    def _context(self, token: str) -> list[str]:
        if not token:
            return [BOUNDARY_FEATURE]
        return self._features(token)[:CONTEXT]

    def _own(self, token: str) -> list[str]:
        return list(filter(None, self._features(token)[CONTEXT:])) if token else []

    def _features(self, token: str) -> list[str]:
        features = features_of([token], [normal_form(token)], [self.usual_case(token)])
        return list(chain.from_iterable(features))

    def _matrices(self, types: Sequence[str]) -> dict[int, sparse.csr_matrix]:
        """Return the matrix (types, features) of each offset."""
        vectors = np.zeros((len(types), self._distributions.vectors.shape[1]))
        for row, token in enumerate(types):
            rank = self._ranks.get(normal_form(token)) if token else None
            if rank is not None:
                vectors[row] = self._distributions.vectors[rank]
        context = incidence(map(self._context, types), self.context)
        shared = sparse.hstack([context, sparse.csr_matrix(vectors)]).tocsr()
        own = incidence(map(self._own, types), self.own)
        full = sparse.hstack([shared, own]).tocsr()
        return {offset: full if offset == 0 else shared for offset in OFFSETS}

    def _fit(self, text: Text) -> dict[int, Floats]:
        matrices = self._matrices(text.types)
        transposed = {offset: matrix.T.tocsr() for offset, matrix in matrices.items()}
        count = len(text.tags)
        every = np.arange(count)
        gather = {
            offset: sparse.csr_matrix(
                (np.ones(count), (text.around[offset], every)), (len(text.types), count)
            )
            for offset in OFFSETS
        }
        sizes = [matrices[offset].shape[1] * TAGS for offset in OFFSETS]
        ends = np.cumsum(sizes)[:-1]

        def unpack(flat: Floats) -> dict[int, Floats]:
            parts = np.split(flat, ends)
            return {o: part.reshape(-1, TAGS) for o, part in zip(OFFSETS, parts, strict=True)}

        def objective(flat: Floats) -> tuple[float, Floats]:
            weights = unpack(flat)
            scores = np.zeros((count, TAGS))
            for offset in OFFSETS:
                scores += (matrices[offset] @ weights[offset])[text.around[offset]]
            loss, slope = _logistic(scores, text.tags)
            gradient = np.concatenate(
                [(transposed[o] @ (gather[o] @ slope)).ravel() for o in OFFSETS]
            )
            return loss + RIDGE / 2 * float(flat @ flat), gradient + RIDGE * flat

        start = np.zeros(sum(sizes))
        options = {"maxiter": STEPS}
        return unpack(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x)

    def scores(self, text: Text) -> Floats:
        """Return the scores (tokens, tags)."""
        matrices = self._matrices(text.types)
        return sum(
            (matrices[offset] @ self.weights[offset])[text.around[offset]] for offset in OFFSETS
        )

    def rows(self) -> dict[str, Floats]:
        """Return the weights (offsets, tags) of each feature; vectors become weights of words."""
        rows: dict[str, Floats] = {}
        width = self._distributions.vectors.shape[1]
        shared = len(self.context)
        by_offset = np.stack([self.weights[o][:shared] for o in OFFSETS], axis=1)
        for feature, number in self.context.items():
            rows[feature] = by_offset[number]
        of_vectors = np.stack([self.weights[o][shared : shared + width] for o in OFFSETS], axis=1)
        words = np.einsum("wd,dot->wot", self._distributions.vectors, of_vectors)
        for word, row in zip(self._distributions.words, words, strict=True):
            feature = "w=" + word
            rows[feature] = rows.get(feature, 0) + row
        for feature, number in self.own.items():
            rows[feature] = np.zeros((len(OFFSETS), TAGS))
            rows[feature][OFFSETS.index(0)] = self.weights[0][shared + width + number]
        return rows


def _logistic(scores: Floats, tags: Array) -> tuple[float, Floats]:
    """Return the loss and its gradient with respect to the scores. Overwrites the scores."""
    every = np.arange(len(tags))
    scores -= scores.max(axis=1, keepdims=True)
    right = scores[every, tags].copy()
    np.exp(scores, out=scores)
    totals = scores.sum(axis=1)
    scores /= totals[:, None]
    scores[every, tags] -= 1
    return float(np.log(totals).sum() - right.sum()), scores


class SecondPass:
    """The second pass: tables of weights, indexed by the first-pass tags around a token.

    `before` is indexed by the tags of the two preceding tokens, `after` by the tags of the two
    following tokens, and `around` by the tags of the preceding token, the token and the following
    token. `word_around`, for a few words only, is indexed by the word and the tags of the preceding
    and the following token.
    """

    def __init__(self, text: Text, first_scores: Floats) -> None:
        self.words = _ambiguous_words(text)
        first = first_scores.argmax(axis=1)
        codes = self._codes(text, first)
        matrix = sparse.hstack(list(codes.values())).tocsr()
        transposed = matrix.T.tocsr()

        def objective(flat: Floats) -> tuple[float, Floats]:
            weights = flat[1:].reshape(-1, TAGS)
            loss, slope = _logistic(flat[0] * first_scores + matrix @ weights, text.tags)
            gradient = (transposed @ slope).ravel() + SECOND_RIDGE * flat[1:]
            penalty = SECOND_RIDGE / 2 * float(flat[1:] @ flat[1:])
            return loss + penalty, np.concatenate([[np.sum(slope * first_scores)], gradient])

        start = np.zeros(1 + matrix.shape[1] * TAGS)
        start[0] = 1
        options = {"maxiter": SECOND_STEPS}
        solution = minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x
        # The weights of the first pass stay as they are, so scale the tables instead.
        weights = solution[1:].reshape(-1, TAGS) / solution[0]
        ends = np.cumsum([code.shape[1] for code in codes.values()])[:-1]
        self._tables = dict(zip(codes, np.split(weights, ends), strict=True))

    def _codes(self, text: Text, tags: Array) -> dict[str, sparse.csr_matrix]:
        """Return, per table, a matrix that selects the row of each token.

        There are tables of one or two tags, and tables of their combinations; `tables` adds the
        former to the latter.
        """
        side = TAGS + 1
        at = {offset: text.neighbours(tags, offset, BOUNDARY_TAG) for offset in OFFSETS}
        word = np.array([self.words.get(normal_form(token), 0) for token in text.tokens])
        sides = at[-1] * side + at[1]
        codes = {
            "before": (at[-2] * side + at[-1], side**2),
            "after": (at[1] * side + at[2], side**2),
            "sides": (sides, side**2),
            "left": (at[-1] * side + at[0], side**2),
            "right": (at[0] * side + at[1], side**2),
            "around": ((at[-1] * side + at[0]) * side + at[1], side**3),
            "word_left": (word * side + at[-1], (CLASSES + 1) * side),
            "word_right": (word * side + at[1], (CLASSES + 1) * side),
            "word_sides": (word * side**2 + sides, (CLASSES + 1) * side**2),
        }
        every = np.arange(len(tags))
        special = (word > 0).astype(float)
        return {
            name: sparse.csr_matrix(
                (special if name.startswith("word") else np.ones(len(tags)), (every, code)),
                (len(tags), size),
            )
            for name, (code, size) in codes.items()
        }

    def tables(self) -> dict[str, Floats]:
        """Return the tables of combinations, with the simple tables added to them."""
        side, simple = TAGS + 1, self._tables
        square = {name: simple[name].reshape(side, side, TAGS) for name in ("left", "right")}
        around = simple["around"].reshape(side, side, side, TAGS)
        around = around + simple["sides"].reshape(side, 1, side, TAGS)
        around += square["left"][:, :, None] + square["right"][None]
        word = simple["word_sides"].reshape(CLASSES + 1, side, side, TAGS)
        word = word + simple["word_left"].reshape(CLASSES + 1, side, 1, TAGS)
        word += simple["word_right"].reshape(CLASSES + 1, 1, side, TAGS)
        return {
            "before": simple["before"],
            "around": around.reshape(-1, TAGS),
            "after": simple["after"],
            "word_around": word.reshape(-1, TAGS),
        }


def _ambiguous_words(text: Text) -> dict[str, int]:
    """Return the words with the most tokens that do not have the word's commonest tag.

    They are numbered from 1.
    """
    counts: dict[str, Counter[int]] = {}
    for token, tag in zip(text.tokens, text.tags.tolist(), strict=True):
        counts.setdefault(normal_form(token), Counter())[tag] += 1
    exceptions = {word: tags.total() - max(tags.values()) for word, tags in counts.items()}
    most = sorted(exceptions, key=lambda word: (-exceptions[word], word))[:CLASSES]
    return {word: number for number, word in enumerate(most, 1)}


def train(sentences: Sequence[Sentence], vectors: Distributions) -> dict[str, Array]:
    """Train both passes, and return the arrays of a `Tagger`."""
    text = Text(sentences)
    document = np.cumsum([sentence.new_document for sentence in sentences])
    scores = np.zeros((len(text.tags), TAGS))
    for fold in range(FOLDS):
        inside = document % FOLDS == fold
        learned = Text([s for s, held_out in zip(sentences, inside, strict=True) if not held_out])
        tested = Text([s for s, held_out in zip(sentences, inside, strict=True) if held_out])
        scores[inside[text.sentence]] = FirstPass(learned, vectors).scores(tested)
        print(f"fold {fold + 1} of {FOLDS} done", flush=True)
    second = SecondPass(text, scores)
    first = FirstPass(text, vectors)
    rows = {feature: _whole(row) for feature, row in first.rows().items()}
    rows = {feature: row for feature, row in sorted(rows.items()) if row.any()}
    tables = {name: _whole(table) for name, table in second.tables().items()}
    return {
        "features": _joined(list(rows)),
        "weights": np.stack([row.ravel() for row in rows.values()]),
        "usual_case_words": _joined(vectors.words),
        "usual_case": vectors.usual_case,
        "word_classes": _joined(list(second.words)),
        **tables,
    }


def _whole(weights: Floats) -> NDArray[np.int8]:
    scaled = weights * SCALE
    scaled[np.abs(scaled) < LEAST_WEIGHT] = 0
    return np.clip(np.round(scaled), -127, 127).astype(np.int8)


def _joined(texts: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(texts).encode("utf-8"), np.uint8)


def accuracy(arrays: dict[str, Array], sentences: Sequence[Sentence]) -> float:
    """Return the share of tokens that get the treebank's tag."""
    text = Text(sentences)
    return float((Tagger(arrays).tag(text.tokens, text.starts) == text.tags).mean())


def main() -> None:
    """Evaluate, or write the resource."""
    parser = parser_of(__doc__, output="resources/tagger.npz")
    parser.add_argument("--evaluate", action="store_true", help="hold out a tenth; write nothing")
    arguments = parser.parse_args()
    sentences = list(read_sentences(arguments.data / "ud_english_ewt/en_ewt-ud-train.conllu.gz"))
    vectors = distributions(arguments.data, sentences)
    if arguments.evaluate:
        document = np.cumsum([sentence.new_document for sentence in sentences])
        inside = [s for s, number in zip(sentences, document, strict=True) if number % 10 != 5]
        outside = [s for s, number in zip(sentences, document, strict=True) if number % 10 == 5]
        arrays = train(inside, vectors)
        print(f"accuracy on held-out documents: {accuracy(arrays, outside):.4f}")
    else:
        arrays = train(sentences, vectors)
        np.savez(arguments.output, **arrays)  # not compressed, because every process reads it
        print(f"{len(arrays['weights']):,} features: {arguments.output}")


if __name__ == "__main__":
    main()
