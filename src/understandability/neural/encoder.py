"""What a small contextual encoder holds of each sentence, one run of the model for each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError, MissingExtraError, in_one_line
from understandability.neural.minilm import LONGEST, installed_encoder_files
from understandability.study.installed import ENCODER, installed
from understandability.text.cache import BoundedCache

States = NDArray[np.float32]
# Words are cut into the pieces that BERT knows (WordPiece; Devlin et al. 2019, uncased).
START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_LONGEST_WORD = 100
# Ideographs stand alone, as does punctuation, to which BERT counts all that ASCII prints beside
# letters and digits.
_ALONE = re.compile(
    "([!-/:-@\\[-`{-~\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf"
    "\U0002f800-\U0002fa1f])"
)


def _simplified(text: str) -> str:
    """Lower case without accents and without what cannot be seen."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return "".join(
        " " if char.isspace() else char
        for char in decomposed
        if (kind := unicodedata.category(char)) != "Mn"
        if char in "\t\n\r" or (kind not in ("Cc", "Cf", "Co", "Cs") and char != "\ufffd")
    )


def _separated(text: str) -> list[str]:
    """The words and marks of a text."""
    if not text.isascii():
        text = "".join(
            f" {char} " if unicodedata.category(char).startswith("P") else char for char in text
        )
    return _ALONE.sub(r" \1 ", text).split()


class WordPieces:
    """A vocabulary of pieces; those that continue a word begin with ``##``.

    >>> pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", "un", "##believ", "##able", "!"])
    >>> pieces.ids("Unbelievable!")
    [3, 4, 5, 6]
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._id_of = {piece: number for number, piece in enumerate(vocabulary)}
        missing = [mark for mark in (START, END, UNKNOWN) if mark not in self._id_of]
        if missing:
            raise InputError(f"the vocabulary of the encoder lacks {missing[0]}; install it again")
        self.start, self.end = self._id_of[START], self._id_of[END]
        self.unknown = self._id_of[UNKNOWN]
        self._ids_of_part = BoundedCache(self._cut)

    def ids(self, text: str) -> list[int]:
        """The numbers of a text's pieces, without marks of its start and end."""
        return [number for part in text.split() for number in self._ids_of_part[part]]

    def _cut(self, part: str) -> tuple[int, ...]:
        """What stands between white space, cut."""
        words = _separated(_simplified(part))
        return tuple(number for word in words for number in self._pieces(word))

    def _pieces(self, word: str) -> list[int]:
        """The longest pieces from the left; a word that is not made of pieces is unknown."""
        found: list[int] = []
        place = 0
        while place < len(word) <= _LONGEST_WORD:
            prefix = "##" if place else ""
            for end in range(len(word), place, -1):
                number = self._id_of.get(prefix + word[place:end])
                if number is not None:
                    found.append(number)
                    place = end
                    break
            else:
                break
        return found if word and place == len(word) else [self.unknown]


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
