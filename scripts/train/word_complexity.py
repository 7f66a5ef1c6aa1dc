"""Build ``resources/word_complexity.npz``: how complex people find words.

    python -m scripts.train.word_complexity [--data ../shared/data]

Learned from the means of human ratings, brought to 0 to 1: 15,180 frequent words
(``word_complexity_lexicon``, MIT) and the single words of CompLex (LCP 2021, CC BY 4.0), whose
raters saw the word in a sentence and used the scale in another way, which a column of its own takes
up. Ridge regression; deterministic, about a minute.
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
    """Words, their mean complexity from 0 to 1, and whether it was judged in a sentence."""
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
    rows += [(word, float(np.mean(found)), 1) for word, found in in_context.items()]
    words, values, kinds = zip(*rows, strict=True)
    return list(words), np.array(values), np.array(kinds, float)


def fit(words: list[str], values: Floats, in_context: Floats) -> WordComplexity:
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


def main() -> None:
    parser = parser_of(__doc__, output="resources/word_complexity.npz")
    parser.add_argument("--check", action="store_true", help="correlation on held-out words first")
    arguments = parser.parse_args()
    words, values, in_context = ratings(arguments.data)
    fold = np.random.default_rng(0).integers(0, 5, len(words))
    if arguments.check:
        kept, left = np.flatnonzero(fold), np.flatnonzero(fold == 0)
        model = fit([words[i] for i in kept], values[kept], in_context[kept])
        found = model([words[i] for i in left])
        for name, here in (("alone", in_context[left] == 0), ("in context", in_context[left] == 1)):
            print(name, "held-out r", round(np.corrcoef(found[here], values[left][here])[0, 1], 3))
    model = fit(words, values, in_context)
    np.savez_compressed(
        arguments.output,
        center=model.center.astype(np.float32),
        scale=model.scale.astype(np.float32),
        weights=model.predictors.astype(np.float32),
        letters=model.word_columns.astype(np.float16),
        bias=np.array(model.bias),
    )
    print(len(words), "words,", arguments.output.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
