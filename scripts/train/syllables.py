"""Learn syllable counts from the CMU Pronouncing Dictionary; write ``resources/syllables.npz``.

The dictionary has the number of syllables of a word, but not the letters that carry them. So each
possible nucleus has a probability, which is a logistic function of the letter patterns around it,
and the number of syllables is a sum of independent nuclei (a Poisson binomial distribution). The
weights maximise the likelihood of the dictionary's counts, with a small ridge penalty.
`scripts.evaluate.language` measures the accuracy on held-out words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scripts.shared import parser_of

from understandability.arrays import Floats
from understandability.feature.syllables import SyllableWeights, patterns

LEAST_COUNT = 4  # rarer patterns are ignored
RIDGE = 0.3
LEAST_WEIGHT = 0.2  # smaller weights are dropped
SCALE = 16  # of weights as whole numbers
ALL = SyllableWeights({(0, letter): 1 for letter in "aeiouymc'"})  # finds all possible nuclei
READ_OUT = {"mg": 3, "mcg": 3, "kg": 3, "ml": 4, "dl": 4, "cm": 4, "mm": 4, "km": 4}

Pattern = tuple[int, str]


def read_dictionary(path: Path) -> dict[str, int]:
    """Return the syllable counts of words (letters and apostrophes), by first pronunciation."""
    counts: dict[str, int] = {}
    for line in path.read_text(encoding="latin-1").splitlines():
        word, _, *phones = line.lower().split()
        if re.fullmatch("[a-z']+", word):
            counts.setdefault(word, sum(phone[-1].isdigit() for phone in phones))
    return counts


def learn(counts: dict[str, int]) -> dict[Pattern, int]:
    """Fit the weights of patterns, and round them to integers."""
    considered: Counter[Pattern] = Counter()
    for word in counts:
        for nucleus in ALL.nuclei([word])[0]:
            considered.update(patterns(f"^{word}$", nucleus))
    columns = {
        pattern: column
        for column, pattern in enumerate(
            pattern for pattern, count in considered.items() if count >= LEAST_COUNT
        )
    }
    possible = [word for word in counts if 1 <= counts[word] <= len(ALL.nuclei([word])[0])]
    matrix, sizes = _incidence(possible, columns)
    targets = np.array([counts[word] for word in possible])
    transposed = matrix.T.tocsr()

    def objective(weights: Floats) -> tuple[float, Floats]:
        likelihood, surprise = _likelihood(matrix @ weights, sizes, targets)
        return (
            -likelihood + RIDGE / 2 * float(weights @ weights),
            RIDGE * weights - transposed @ surprise,
        )

    # Start with vowels as likely nuclei; from a start of 0, all nuclei would look the same.
    start = np.array([float(text in "aiouy") for _, text in columns])
    options = {"maxiter": 100}
    solution = minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x
    return {
        pattern: int(np.clip(np.round(weight * SCALE), -127, 127))
        for pattern, weight in zip(columns, solution, strict=True)
        if abs(weight) > LEAST_WEIGHT
    }


def _incidence(
    words: Sequence[str], columns: dict[Pattern, int]
) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
    """Return the matrix (nuclei, patterns), and the number of possible nuclei of each word."""
    rows, sizes = [], []
    for word in words:
        [nuclei] = ALL.nuclei([word])
        sizes.append(len(nuclei))
        rows += [patterns(f"^{word}$", nucleus) for nucleus in nuclei]
    return incidence(rows, columns), np.array(sizes)


def incidence(features: Iterable[Iterable[Any]], columns: Mapping[Any, int]) -> sparse.csr_matrix:
    """Return a sparse matrix with a 1 for each feature of a row that is in `columns`."""
    indices: list[int] = []
    ends = [0]
    for row in features:
        indices.extend(columns[feature] for feature in row if feature in columns)
        ends.append(len(indices))
    return sparse.csr_matrix((np.ones(len(indices)), indices, ends), (len(ends) - 1, len(columns)))


def _likelihood(
    logits: Floats, sizes: NDArray[np.int64], targets: NDArray[np.int64]
) -> tuple[float, Floats]:
    """Return the log-likelihood of the counts, and its gradient with respect to the logits.

    The gradient at a nucleus is its posterior probability, given the count, minus its prior.
    """
    priors = 1 / (1 + np.exp(-logits))
    posteriors = np.empty_like(priors)
    firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    total = 0.0
    for size in np.unique(sizes):
        words = np.flatnonzero(sizes == size)
        rows = firsts[words][:, None] + np.arange(size)
        prior, target, every = priors[rows], targets[words], np.arange(len(words))
        left, right = _partial_sums(prior), _partial_sums(prior[:, ::-1])
        likelihood = left[size][every, target] + 1e-300
        total += float(np.log(likelihood).sum())
        for nucleus in range(size):
            # The count with this nucleus is: syllables before it, 1, syllables after it.
            joint = np.zeros(len(words))
            for before in range(nucleus + 1):
                after = target - 1 - before
                valid = after >= 0
                joint[valid] += (
                    left[nucleus][valid, before] * right[size - 1 - nucleus][valid, after[valid]]
                )
            posteriors[rows[:, nucleus]] = joint * prior[:, nucleus] / likelihood
    return total, posteriors - priors


def _partial_sums(probabilities: Floats) -> Floats:
    """Return ``[k, word, n]``: the probability that the first k nuclei make n syllables."""
    words, size = probabilities.shape
    sums = np.zeros((size + 1, words, size + 2))
    sums[0, :, 0] = 1
    for nucleus in range(size):
        sums[nucleus + 1] = sums[nucleus] * (1 - probabilities[:, nucleus, None])
        sums[nucleus + 1, :, 1:] += sums[nucleus, :, :-1] * probabilities[:, nucleus, None]
    return sums


def write(counts: dict[str, int], destination: Path) -> None:
    """Learn from all words, and store the words that the weights get wrong as exceptions."""
    weights = learn(counts)
    predicted = SyllableWeights(weights).count(list(counts)).tolist()
    wrong = {
        word: count
        for (word, count), prediction in zip(counts.items(), predicted, strict=True)
        if count and count != prediction
    }
    exceptions = dict(sorted((wrong | READ_OUT).items()))
    ordered = sorted(weights)
    np.savez_compressed(
        destination,
        before=np.array([before for before, _ in ordered], np.uint8),
        patterns=np.array([text for _, text in ordered], "S"),
        weights=np.array([weights[pattern] for pattern in ordered], np.int8),
        words=np.array(list(exceptions), "S"),
        counts=np.array(list(exceptions.values()), np.uint8),
        short_words=np.array(sorted(w for w in counts if w.isalpha() and len(w) <= 4), "S"),
    )
    print(f"{len(weights):,} patterns, {len(exceptions):,} exceptions: {destination}")


def main() -> None:
    arguments = parser_of(__doc__, output="resources/syllables.npz").parse_args()
    write(read_dictionary(arguments.data / "nltk_data/corpora/cmudict/cmudict"), arguments.output)


if __name__ == "__main__":
    main()
