"""What a small contextual encoder holds of each sentence, one run of the model for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError, MissingExtraError, in_one_line
from understandability.neural.minilm import LONGEST, installed_encoder_files
from understandability.neural.word_pieces import WordPieces
from understandability.study.installed import ENCODER, installed

States = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoder:
    """Turns sentences into numbers by a session of onnxruntime.

    What comes out for a sentence depends on that sentence alone, not on those beside it.
    """

    pieces: WordPieces
    session: Any

    def states(self, sentence: str) -> States:
        """Means and deviations of layers 2, 3 and 4 over the tokens of a sentence; (2304,).

        A sentence of more than 126 tokens is read in runs of 126, of which the mean by tokens is
        taken. One without tokens is read as one unknown word.
        """
        ids = self.pieces.ids(sentence) or [self.pieces.unknown]
        runs = [ids[start : start + LONGEST] for start in range(0, len(ids), LONGEST)]
        states = [self._run(run) for run in runs]
        return np.average(states, axis=0, weights=[len(run) for run in runs]).astype(np.float32)

    def _run(self, ids: Sequence[int]) -> States:
        marked = np.array([self.pieces.start, *ids, self.pieces.end], np.int64)
        states: States = self.session.run(None, {"ids": marked})[0][0]
        return states


def installed_encoder() -> Encoder:
    """The installed encoder, opened once in a process, ready to run on one core.

    Raises `MissingExtraError` or `InputError` in one sentence that says what to install.
    """
    return _opened(repr(installed(ENCODER)))


@lru_cache(maxsize=1)
def _opened(manifest: str) -> Encoder:
    """The encoder of one installation; another manifest is another installation."""
    model, vocabulary = installed_encoder_files()
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError(
            "the encoder needs an optional package: pip install '.[neural]' in the source folder"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised as an error
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no other class
        raise InputError(f"the encoder cannot be run ({in_one_line(error)})") from error
    return Encoder(WordPieces(vocabulary), session)
