"""The complexity and meaning of words in other languages, estimated by their English equivalents.

Each common word of a language has an English equivalent (``resources/translations``). So ratings of
English words, and vectors learned from English texts, apply to other languages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from understandability.arrays import Floats
from understandability.feature.frequency import places_in
from understandability.model.word_columns import complexities, known_of
from understandability.resources import resource_arrays

ENGLISH = "en"
UNLISTED = 100  # hundredths of the Zipf scale: the frequency of a word that is not in its list


@dataclass(frozen=True, slots=True)
class Translations:
    """A dictionary from the words of a language to English equivalents, with their complexity and
    vectors.

    `equivalents` maps a word to the id of its equivalent. The id is an index into `complexity` (0
    to 1) and into the rows of `vectors`, which end with the weight of the word. `unknown` estimates
    the complexity of a word without an equivalent: a constant, and coefficients of its Zipf
    frequency (in hundredths) and of its number of letters.
    """

    equivalents: Mapping[str, int]
    complexity: Floats
    vectors: Floats
    unknown: tuple[float, ...]

    def complexity_of(self, word: str, zipf: int) -> tuple[float, int]:
        """Return the complexity of a lower-case word, and the id of its equivalent (-1 if it has
        none).
        """
        number = self.equivalents.get(word, -1)
        if number >= 0:
            return float(self.complexity[number]), number
        constant, per_zipf, per_letter = self.unknown
        return min(max(constant + per_zipf * zipf + per_letter * len(word), 0.0), 1.0), -1


@cache
def translations(language: str, frequencies: str) -> Translations:
    """Load the equivalents of a language. An English word with a vector is its own equivalent.

    >>> french = translations("fr", "large_fr")
    >>> french.complexity_of("chien", 0)[0] < french.complexity_of("néanmoins", 0)[0]
    True
    """
    name = "word_vectors.npz" if language == ENGLISH else f"translations/{language}.npz"
    arrays = resource_arrays(name)
    words = arrays["words"].tobytes().decode().split("\n")
    if language == ENGLISH:
        english, numbers = words, list(range(len(words)))
    else:
        english = arrays["english"].tobytes().decode().split("\n")
        numbers = arrays["equivalents"].tolist()
    complexity = complexities(english)
    listed = places_in(frequencies)
    rows = [(1, listed.get(word, UNLISTED), len(word)) for word in words]
    unknown = np.linalg.lstsq(np.array(rows, np.float64), complexity[numbers])[0]
    return Translations(
        dict(zip(words, numbers, strict=True)),
        complexity,
        known_of(english).vectors,
        tuple(unknown.tolist()),
    )
