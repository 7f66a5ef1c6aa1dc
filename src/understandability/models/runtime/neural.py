"""The model of neural bundles: a page model, and beside it what an encoder says of each sentence.

The encoder reads words in their order, which no column does. A straight line over its numbers gives
the level of a sentence; a passage is the mean of its sentences, weighted by their words, as its
columns are. The level of a passage is the mean of that and of what the page model says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.features.batch import Batch
from understandability.models.runtime.encoder import Encoder, installed_encoder
from understandability.models.runtime.pages import PageModel, kernel_and_error
from understandability.models.runtime.passages import read_sentences
from understandability.models.runtime.weights import array_bytes, arrays_of
from understandability.vocabularies.minilm import STATES


def sentences_read(batch: Batch) -> list[str]:
    """The sentences that the passages of a batch hold: what a page model reads, and no other.

    >>> from understandability.documents import document_of_text
    >>> text = "Contents. Flu spreads in the winter. Flu spreads in the winter."
    >>> sentences_read(Batch([document_of_text(text)]))
    ['Flu spreads in the winter.']
    """
    every = [" ".join(each) for document in batch.documents for each in document.sentences]
    return [every[number] for number in batch.once(read_sentences).numbers]


@dataclass(frozen=True, eq=False)
class NeuralModel(PageModel):
    """A page model and a line over the states of an encoder, `share` of the whole.

    `weights` (2304,) and `bias` give the level of a sentence from `Encoder.states`; `usual_level`
    is that of a typical sentence. `encoder` is the SHA-256 of the model that they were fitted to:
    no other gives sensible numbers.
    """

    weights: Floats
    bias: float
    usual_level: float
    share: float
    encoder: str

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = (*self.weights.ravel(), self.bias, self.usual_level)
        if self.weights.shape != (STATES,) or not np.isfinite(numbers).all():
            raise InputError(f"its line over an encoder's states is not {STATES} numbers and two")
        if not 0 <= self.share <= 1:
            raise InputError("the share of its encoder is not between 0 and 1")

    @property
    def names(self) -> tuple[str, ...]:
        """The level by the encoder, and the columns of a passage."""
        return ("encoder_level", *super().names)

    @property
    def typical(self) -> Floats:
        """Those of a typical text."""
        return np.append(self.usual_level, super().typical)

    def of_passages(self, batch: Batch) -> Floats:
        """The level by the encoder and the columns of each passage."""
        encoder = self._encoder()
        # Summed sentence by sentence, so that none moves another's digits.
        levels = [
            float(encoder.states(sentence) @ self.weights) + self.bias
            for sentence in sentences_read(batch)
        ]
        of_encoder = batch.once(read_sentences).means(np.array(levels, np.float64))
        return np.column_stack([of_encoder, super().of_passages(batch)])

    def predict(self, inputs: Floats) -> Floats:
        """The level for each row: the two, weighted by `share`."""
        of_columns = super().predict(inputs[:, 1:])
        return np.asarray(self.share * inputs[:, 0] + (1 - self.share) * of_columns)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Those of the page model, the line, and the encoder's checksum."""
        model, files = super().to_parts()
        line = np.concatenate([self.weights, [self.bias, self.usual_level]])
        model |= {"kind": "neural", "encoder": self.encoder, "share": self.share}
        return model, {**files, "line.npz": array_bytes({"line": line})}

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> Self:
        """The model that `to_parts` gave."""
        line = arrays_of(weights, "line.npz").get("line")
        encoder, share = model.get("encoder"), model.get("share")
        if line is None or line.shape != (STATES + 2,) or line.dtype != np.float64:
            raise InputError(f"line.npz holds no line of {STATES + 2} 64-bit floats")
        if not isinstance(encoder, str) or not isinstance(share, float):
            raise InputError("it names no encoder, or no share of it")
        *_, bias, usual = line.tolist()
        kernel, error = kernel_and_error(model, weights)
        return cls(kernel, error, line[:STATES], bias, usual, share, encoder)

    def _encoder(self) -> Encoder:
        encoder = installed_encoder()
        if encoder.checksum != self.encoder:
            raise InputError(
                f"the bundle was fitted to the encoder {self.encoder[:12]}, and this version runs "
                f"{encoder.checksum[:12]}; get a bundle of this version"
            )
        return encoder
