"""Text to the terms that an inverted index counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from understandability.errors import OptionError
from understandability.feature.word_lists import stop_words as english_stop_words

# Longer runs of letters and digits are no words but what crawls hold beside them.
LONGEST = 64
_WORD = re.compile(r"[^\W_]+")


def porter_stemmer() -> Callable[[str], str]:
    """The stemmer of Porter (1980), as NLTK has it."""
    from nltk.stem.porter import PorterStemmer

    stemmer = PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM)
    return lambda word: str(stemmer.stem(word, to_lowercase=False))


def no_stemmer() -> Callable[[str], str]:
    """Words as they are."""
    return lambda word: word


STOP_WORDS: Mapping[str, Callable[[], frozenset[str]]] = MappingProxyType(
    {"english": english_stop_words, "none": frozenset}
)
STEMMERS: Mapping[str, Callable[[], Callable[[str], str]]] = MappingProxyType(
    {"porter": porter_stemmer, "none": no_stemmer}
)


def split_words(text: str) -> list[str]:
    """The runs of letters and digits of a text, in lower case."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class Analyzer:
    """What becomes of a word: dropped if it is a stop word, else stemmed.

    `stop_words` is one of `STOP_WORDS`, `stemmer` one of `STEMMERS`.

    >>> Analyzer().terms("The heart's failing valves")
    ['heart', 'fail', 'valv']
    >>> Analyzer(stop_words="none", stemmer="none").terms("The flu")
    ['the', 'flu']
    """

    stop_words: str = "english"
    stemmer: str = "porter"

    def __post_init__(self) -> None:
        if self.stop_words not in STOP_WORDS:
            raise OptionError(
                f"there is no list of stop words {self.stop_words!r}; "
                f"choose one of {', '.join(STOP_WORDS)}"
            )
        if self.stemmer not in STEMMERS:
            raise OptionError(
                f"there is no stemmer {self.stemmer!r}; choose one of {', '.join(STEMMERS)}"
            )

    def term(self, word: str) -> str:
        """The term that a word in lower case stands for; '' where it stands for none."""
        if len(word) > LONGEST or word in self._dropped:
            return ""
        return self._stem(word)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in order."""
        return [term for word in split_words(text) if (term := self.term(word))]

    @cached_property
    def _dropped(self) -> frozenset[str]:
        return STOP_WORDS[self.stop_words]()

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        return STEMMERS[self.stemmer]()
