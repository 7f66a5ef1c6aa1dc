"""NLTK's tagger and named-entity chunker as a replacement for ours, if NLTK's data is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError, needing
from understandability.feature.tagger import UNIVERSAL
from understandability.study.installed import nltk_folder

# The Penn Treebank's tags; mapped on to `TWELVE` they are as in NLTK's universal tag set.
_PENN = {
    "ADJ": "JJ JJR JJS",
    "ADP": "IN",
    "ADV": "RB RBR RBS WRB",
    "AUX": "MD",
    "CCONJ": "CC",
    "DET": "DT EX PDT WDT",
    "NOUN": "NN NNS",
    "NUM": "CD",
    "PART": "POS RP TO",
    "PRON": "PRP PRP$ WP WP$",
    "PROPN": "NNP NNPS",
    "PUNCT": "# $ '' ( ) , . : ``",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "INTJ": "UH",
    "SYM": "SYM",
    "X": "FW LS",
}
_UNIVERSAL_OF = {
    penn: UNIVERSAL.index(tag) for tag, several in _PENN.items() for penn in several.split()
}


class NltkTagger:
    """NLTK's perceptron tagger and binary chunker, with the interface of our own tagger.

    The data (``averaged_perceptron_tagger_eng``, ``maxent_ne_chunker_tab``, ``words``) must be in
    one of NLTK's folders (``NLTK_DATA``), or installed as the resource ``nltk-data``; nothing is
    ever downloaded.
    """

    def tag(self, tokens: Sequence[str], sentence_starts: NDArray[Any]) -> NDArray[np.uint8]:
        """Return the tag of each token, as an index into `UNIVERSAL`.

        `sentence_starts` are the indexes of the first token of each sentence.
        """
        tagged = self._tagged(tokens, sentence_starts)
        other = UNIVERSAL.index("X")
        tags = (_UNIVERSAL_OF.get(penn, other) for sentence in tagged for _, penn in sentence)
        return np.fromiter(tags, np.uint8, len(tokens))

    def entity_starts(
        self, tokens: Sequence[str], sentence_starts: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Return a mask of the tokens that start a named entity, by NLTK's chunker (trained on
        ACE).
        """
        starts = np.zeros(len(tokens), bool)
        position = 0
        for sentence in self._tagged(tokens, sentence_starts):
            for part in self._chunker.parse(sentence) if sentence else ():
                is_entity = hasattr(part, "label")
                starts[position] = is_entity
                position += len(part) if is_entity else 1
        return starts

    def _tagged(
        self, tokens: Sequence[str], sentence_starts: NDArray[Any]
    ) -> list[list[tuple[str, str]]]:
        ends = [*sentence_starts[1:], len(tokens)]
        sentences = zip(sentence_starts, ends, strict=True)
        return [self._perceptron.tag(list(tokens[start:end])) for start, end in sentences]

    @cached_property
    def _perceptron(self) -> Any:
        with needing("the tagger nltk needs NLTK", ".[reference]"):
            from nltk.tag.perceptron import PerceptronTagger

        return _loaded(PerceptronTagger, "tagger", "averaged_perceptron_tagger_eng")

    @cached_property
    def _chunker(self) -> Any:
        with needing("the tagger nltk needs NLTK", ".[reference]"):
            from nltk.chunk import ne_chunker

        return _loaded(lambda: ne_chunker("binary"), "chunker", "maxent_ne_chunker_tab")


def _loaded(make: Callable[[], Any], tool: str, package: str) -> Any:
    """Create a tool of NLTK, looking for its data also among the installed resources."""
    with needing("the tagger nltk needs NLTK", ".[reference]"):
        import nltk.data

    folder = nltk_folder()
    if folder is not None and str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))
    try:
        return make()
    except LookupError as error:
        raise InputError(
            f"NLTK's {tool} needs its data package {package!r}, which is in none of NLTK's "
            "folders; name its folder in NLTK_DATA, install it (understand resources install "
            "nltk-data), or use the built-in tagger"
        ) from error
