"""Build ``resources/word_complexity.npz``: a model of how complex people find words.

    python -m scripts.train.word_complexity [--data ../shared/data]

A ridge regression learns mean human ratings, scaled to 0 to 1, of 15,180 frequent words
(``word_complexity_lexicon``, MIT) and of the single words of CompLex (LCP 2021, CC BY 4.0). The
raters of CompLex saw words in sentences and used the scale differently, so an extra column marks
these words. The result is deterministic and takes about a minute.
"""

import csv
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scripts.shared import lines_of, parser_of

from understandability.arrays import Floats
from understandability.model.word_columns import (
    _CUT,
    RUNS,
    WordComplexity,
    runs_of_letters,
    word_inputs,
)

RIDGE, LETTERS_RIDGE = 100.0, 3.0
_IN_CONTEXT = 3.0


def ratings(data: Path) -> tuple[list[str], Floats, Floats]:
    """Return words, their mean complexity (0 to 1), and 1 for those rated in a sentence, else 0."""
    lexicons = data / "lexicons"
    rows: list[tuple[str, float, int]] = []
    lines = lines_of(lexicons / "word_complexity_lexicon.tsv.gz")
    for row in csv.DictReader(lines, delimiter="\t"):
        rows.append((row["word"], (float(row["complexity"]) - 1) / 5, 0))
    in_context: dict[str, list[float]] = {}
    lines = lines_of(lexicons / "complex_words_in_context.tsv.gz")
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        word = row["token"].strip().lower()
        if word and " " not in word:
            in_context.setdefault(word, []).append(float(row["complexity"]))
    rows += [(word, float(np.mean(of_word)), 1) for word, of_word in in_context.items()]
    words, values, has_context = zip(*rows, strict=True)
    return list(words), np.array(values), np.array(has_context, float)


def fit(words: list[str], values: Floats, in_context: Floats) -> WordComplexity:
    """Fit the complexity of words by ridge regression, solved in closed form."""
    rows = word_inputs(words)
    center, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    rows = np.clip((rows - center) / scale, -_CUT, _CUT)
    runs = runs_of_letters(words)
    spelled = csr_array((runs.values, (runs.words, runs.numbers)), shape=(len(words), RUNS))
    freedom = np.sqrt(RIDGE / LETTERS_RIDGE)
    context = _IN_CONTEXT * (in_context - in_context.mean())
    columns = np.hstack([rows, context[:, None], freedom * spelled.toarray()])
    mean = columns.mean(axis=0)
    columns -= mean
    products = columns.T @ columns
    products[np.diag_indices(len(products))] += RIDGE
    solved = np.linalg.solve(products, columns.T @ (values - values.mean()))
    inputs = rows.shape[1]
    return WordComplexity(
        center,
        scale,
        solved[:inputs],
        freedom * solved[inputs + 1 :],
        float(values.mean() - mean @ solved),
    )


def save(model: WordComplexity, path: Path) -> None:
    """Write the arrays that `word_columns.word_complexity` reads."""
    np.savez_compressed(
        path,
        center=model.center.astype(np.float32),
        scale=model.scale.astype(np.float32),
        weights=model.weights.astype(np.float32),
        letters=model.letters.astype(np.float16),
        bias=np.array(model.bias),
    )


def main() -> None:
    parser = parser_of(__doc__, output="resources/word_complexity.npz")
    parser.add_argument("--check", action="store_true", help="print correlations on held-out words")
    arguments = parser.parse_args()
    words, values, in_context = ratings(arguments.data)
    fold = np.random.default_rng(0).integers(0, 5, len(words))
    if arguments.check:
        used, held_out = np.flatnonzero(fold), np.flatnonzero(fold == 0)
        model = fit([words[i] for i in used], values[used], in_context[used])
        estimates, labels = model([words[i] for i in held_out]), values[held_out]
        for name, context in (("alone", 0), ("in context", 1)):
            mask = in_context[held_out] == context
            r = np.corrcoef(estimates[mask], labels[mask])[0, 1]
            print(name, "held-out r", round(r, 3))
    save(fit(words, values, in_context), arguments.output)
    print(len(words), "words,", arguments.output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
