"""Build ``resources/word_kinds.npz``: precomputed counts of the words of the background corpora.

    python -m scripts.train.word_kinds [--output resources/word_kinds.npz]

The table has a row per word, with the columns of `word_counts.KINDS`. It saves a process from
looking up frequent words in every list.
"""

import numpy as np
from scripts.shared import parser_of

from understandability.feature.language_model import word_statistics
from understandability.feature.word_counts import computed_kinds


def main() -> None:
    chosen = parser_of(__doc__, output="resources/word_kinds.npz").parse_args()
    counts = computed_kinds(word_statistics().words)
    assert (counts == counts.astype(np.int8)).all()
    np.savez_compressed(chosen.output, kinds=counts.astype(np.int8))


if __name__ == "__main__":
    main()
