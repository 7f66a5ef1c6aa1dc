"""Build ``resources/word_order.npz``: how strongly neighbouring words attract each other.

    python -m scripts.train.word_order [--data ../shared/data]

The scores are the smoothed pointwise mutual information of neighbours in openly licensed texts,
rounded to integers. Frequent words are counted as words, all other words by part of speech.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
from scripts.shared import parser_of, records

from understandability.feature.table import batches
from understandability.feature.tagger import TO_TWELVE, TWELVE
from understandability.model.passages import STEP
from understandability.text.analysis import document_of_text

FREQUENT = 200


def main() -> None:
    chosen = parser_of(__doc__, output="resources/word_order.npz").parse_args()
    rows = list(records(chosen.data / "open_texts" / "texts.jsonl.gz"))
    read = list(batches(document_of_text(row["text"], row["id"]) for row in rows))
    counter = Counter[str]()
    for batch in read:
        strings = batch.token_types.strings
        counter.update(strings[number].lower() for number in batch.token_ids.tolist())
    words = [word for word, _ in counter.most_common(400) if word.isalpha()][:FREQUENT]
    numbers = dict(zip(words, range(len(words)), strict=True))
    size = len(words) + len(TWELVE) + 1
    counts = np.zeros((size, size))
    for batch in read:
        strings = batch.token_types.strings
        frequent = np.array([numbers.get(s.lower(), -1) for s in strings])[batch.token_ids]
        classes = np.where(frequent >= 0, frequent, len(words) + TO_TWELVE[batch.tags])
        starts = np.append(batch.token_sentence_starts, len(classes))
        for start, end in pairwise(starts.tolist()):
            own = classes[start:end]
            own = own[own != len(words) + TWELVE.index("PUNCT")]
            if len(own):
                np.add.at(counts, (own, np.append(own[1:], size - 1)), 1)
    chance = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    scores = np.log((counts + 2) / (chance + 2))
    whole = np.clip(np.rint(scores / STEP), -127, 127).astype(np.int8)
    text = np.frombuffer(" ".join(words).encode(), np.uint8)
    np.savez_compressed(chosen.output, words=text, scores=whole)
    print(f"{len(words)} words, {chosen.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
