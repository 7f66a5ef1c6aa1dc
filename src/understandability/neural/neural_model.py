"""The model of neural bundles: a page model, and beside it what an encoder says of each sentence.

The encoder reads words in their order, which no column does. A straight line over its numbers gives
the level of a sentence; a passage is the mean of its sentences, weighted by their words, as its
columns are. A kind of passages with a function of its own in the page model has a line of its own
here. The level of a passage is the mean of that and of what the page model says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.pages import PageModel, parts_of, with_kinds
from understandability.model.passages import read_sentences
from understandability.model.weights import array_bytes, arrays_of
from understandability.neural.encoder import Encoder, installed_encoder
from understandability.neural.minilm import STATES


def sentences_read(batch: Batch) -> list[str]:
    """The sentences that the passages of a batch hold: what a page model reads, and no other.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "Contents. Flu spreads in the winter. Flu spreads in the winter."
    >>> sentences_read(Batch([document_of_text(text)]))
    ['Flu spreads in the winter.']
    """
    every = [" ".join(each) for document in batch.documents for each in document.sentences]
    return [every[number] for number in batch.once(read_sentences).numbers]


@dataclass(frozen=True, eq=False)
class NeuralModel(PageModel):
    """A page model and lines over the states of an encoder, `share` of the whole.

    `weights` (2304, lines) and `biases` (lines,) give the level of a sentence from
    `Encoder.states`, then what is added for each kind; `usual` are those of a typical sentence.
    `encoder` is the SHA-256 of the model that they were fitted to: no other gives sensible numbers.
    """

    weights: Floats
    biases: Floats
    usual: Floats
    share: float
    encoder: str

    def __post_init__(self) -> None:
        super().__post_init__()
        lines = self.functions
        shapes = self.weights.shape, self.biases.shape, self.usual.shape
        numbers = np.concatenate([self.weights.ravel(), self.biases, self.usual])
        if shapes != ((STATES, lines), (lines,), (lines,)) or not np.isfinite(numbers).all():
            raise InputError(
                f"it has not {lines} lines of {STATES} numbers over an encoder's states"
            )
        if not 0 <= self.share <= 1:
            raise InputError("the share of its encoder is not between 0 and 1")

    @property
    def names(self) -> tuple[str, ...]:
        """The levels by the encoder, and the columns of a passage."""
        kinds = (f"encoder_level_of_kind_{number}" for number in range(1, len(self.biases)))
        return ("encoder_level", *kinds, *super().names)

    @property
    def typical(self) -> Floats:
        """Those of a typical text."""
        return np.append(self.usual, super().typical)

    def of_passages(self, batch: Batch) -> Floats:
        """The levels by the encoder and the columns of each passage."""
        encoder, lines = self._encoder(), len(self.biases)
        # Summed sentence by sentence, so that none moves another's digits.
        levels = np.empty((len(batch.once(read_sentences).numbers), lines))
        for number, sentence in enumerate(sentences_read(batch)):
            levels[number] = encoder.states(sentence) @ self.weights + self.biases
        means = batch.once(read_sentences).means
        of_encoder = [means(levels[:, line]) for line in range(lines)]
        return np.column_stack([*of_encoder, super().of_passages(batch)])

    def predict(self, inputs: Floats) -> Floats:
        """The level for each row: the two, weighted by `share`."""
        lines, columns = np.split(inputs, [len(self.biases)], axis=1)
        functions, of_kinds = self.read(columns)
        of_encoder, of_columns = with_kinds(lines, of_kinds), with_kinds(functions, of_kinds)
        return np.asarray(self.share * of_encoder + (1 - self.share) * of_columns)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Those of the page model, the lines, and the encoder's checksum."""
        model, files = super().to_parts()
        model |= {"kind": "neural", "encoder": self.encoder, "share": self.share}
        line = np.vstack([self.weights, self.biases, self.usual])
        return model, {**files, "line.npz": array_bytes({"line": line})}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """The model that `to_parts` gave."""
        line = arrays_of(weights, "line.npz").get("line")
        encoder, share = model.get("encoder"), model.get("share")
        if line is not None and line.ndim == 1:  # one line, as bundles of version 1.0 may have it
            line = line[:, None]
        if line is None or line.shape[:1] != (STATES + 2,) or line.dtype != np.float64:
            raise InputError(f"line.npz holds no lines of {STATES + 2} 64-bit floats")
        if not isinstance(encoder, str) or not isinstance(share, float):
            raise InputError("it names no encoder, or no share of it")
        parts = parts_of(model, weights)
        return cls(*parts, line[:STATES], line[STATES], line[STATES + 1], share, encoder)

    def _encoder(self) -> Encoder:
        encoder = installed_encoder()
        if encoder.checksum != self.encoder:
            raise InputError(
                f"the bundle was fitted to the encoder {self.encoder[:12]}, and this version runs "
                f"{encoder.checksum[:12]}; get a bundle of this version"
            )
        return encoder
