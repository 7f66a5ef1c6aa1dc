"""Named entities, as maximal runs of proper nouns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.feature.tagger import UNIVERSAL

_PROPER_NOUN = UNIVERSAL.index("PROPN")


def entity_starts(tags: NDArray[Any], sentence_starts: NDArray[Any]) -> NDArray[np.bool_]:
    """Where an entity begins: a proper noun whose left neighbour in the sentence is none.

    `tags` are indexes into `UNIVERSAL`, one for each token.

    >>> tags = [UNIVERSAL.index(tag) for tag in ("PROPN", "PROPN", "VERB", "PROPN", "PROPN")]
    >>> entity_starts(np.array(tags), np.array([0, 4])).tolist()
    [True, False, False, True, True]
    """
    proper: NDArray[np.bool_] = np.asarray(tags) == _PROPER_NOUN
    continues = np.zeros(len(proper), bool)
    continues[1:] = proper[:-1]
    continues[sentence_starts] = False
    proper[continues] = False
    return proper
