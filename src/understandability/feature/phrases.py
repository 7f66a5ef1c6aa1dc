"""Compute the height of a sentence's chunk tree with a small cascaded grammar of tags.

The cascade (Abney 1996) builds, from the bottom up:

1. noun phrases: an article or pronoun, adjectives and numbers, nouns (*the two sick children*);
2. prepositional phrases: a preposition and a noun phrase (*of the heart*);
3. noun phrases with the prepositional phrases after them (*a disease of the heart*);
4. verb phrases: auxiliaries, a verb, and the phrases after it (*may have hurt the child*);
5. clauses: they start with a subordinating word, a relative pronoun or the *to* of an infinitive,
   contain a verb phrase, and end at a punctuation mark, a conjunction or the end of the sentence.
   A clause that starts within another clause is part of it (*if you think that it hurts*).

The height is the number of nodes on the longest path from the sentence to a token, both included,
as in NLTK's ``Tree.height``: a sentence without any phrase has height 2, and each phrase around a
token adds 1. This is the height of the chunk tree, not of a full parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.text.cache import BoundedCache

# One letter per tag, in the order ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT
# SCONJ SYM VERB X. A sentence is encoded as a line of these letters.
_LETTERS = np.frombuffer(b"jpracdinutoe.syvx", np.uint8)
_BREAK = ord("\n")

# A phrase is one character too: its upper bits are the label, its lower bits the height. So each
# step of the cascade is one substitution over all sentences of a batch.
_LEVELS = 0x1F
_NOUN, _PREPOSITIONAL, _VERB, _CLAUSE = 0x100, 0x120, 0x140, 0x160


def _any(*labels: int) -> str:
    """Return a part of a character class that matches phrases with any of these labels."""
    return "".join(f"{chr(label)}-{chr(label + _LEVELS)}" for label in labels)


_N, _NP = _any(_NOUN), _any(_NOUN, _PREPOSITIONAL)
_NOUN_1, _PREPOSITIONAL_2, _NOUN_3 = chr(_NOUN + 1), chr(_PREPOSITIONAL + 2), chr(_NOUN + 3)
# Repetitions are bounded, so that a very long sentence cannot cause excessive backtracking.
_NOUNS = re.compile("[do]?(?:r?[ju]){0,20}[ne]+(?:t(?:r?[ju]){0,20}[ne]+)*|[do]|u+")
_COMPLEMENTED = re.compile(f"{_NOUN_1}{_PREPOSITIONAL_2}+")
_VERBS = re.compile(f"(?:v|a[atr]*v?|rr{{0,4}}v)[rj{_NP}]*")
# If a clause contains another clause, the inner one must be matched first: the lookahead rejects a
# match that is followed by the start of a clause.
_CLAUSES = re.compile(
    f"(?:[st]|(?<=[{_N}])[{_N}])[r{_NP}]{{0,40}}+[{_any(_VERB)}]"
    f"[rj{_any(_NOUN, _PREPOSITIONAL, _VERB, _CLAUSE)}]{{0,60}}+(?![st])"
)
_CLAUSES_IN_CLAUSES = 16


def _levels(part: str) -> int:
    return ord(part) & _LEVELS if ord(part) >= _NOUN else 0


def _phrase(label: int) -> Callable[[re.Match[str]], str]:
    """Return a replacement function that turns the tags of a match into one phrase.

    The phrase is one level above its highest part.
    """
    # A cache pays, because most phrases have one of few sequences of parts.
    phrases = BoundedCache(lambda parts: chr(label + min(_LEVELS, 1 + max(map(_levels, parts)))))
    return lambda match: phrases[match[0]]


_VERB_PHRASE, _CLAUSE_PHRASE = _phrase(_VERB), _phrase(_CLAUSE)


def chunk_heights(tags: NDArray[Any], sentence_starts: NDArray[Any]) -> NDArray[np.int64]:
    """Return the height of each sentence's chunk tree; at least 2.

    `tags` are indexes into `UNIVERSAL`, one per token. Every sentence must have a token.

    >>> from understandability.feature.tagger import UNIVERSAL
    >>> tags = ["DET", "NOUN", "AUX", "DET", "NOUN", "PUNCT", "INTJ", "PUNCT"]
    >>> chunk_heights(np.array([UNIVERSAL.index(tag) for tag in tags]), np.array([0, 6]))
    array([4, 2])
    """
    if not len(sentence_starts):
        return np.zeros(0, np.int64)
    letters = np.empty(len(tags) + len(sentence_starts), np.uint8)
    breaks = sentence_starts + np.arange(len(sentence_starts))
    is_letter = np.ones(len(letters), bool)
    is_letter[breaks] = False
    letters[is_letter] = _LETTERS.take(tags)
    letters[breaks] = _BREAK
    lines = letters.tobytes().decode("ascii")
    lines = _NOUNS.sub(_NOUN_1, lines)
    lines = lines.replace("p" + _NOUN_1, _PREPOSITIONAL_2)
    lines = _COMPLEMENTED.sub(_NOUN_3, lines)
    lines = _VERBS.sub(_VERB_PHRASE, lines)
    for _ in range(_CLAUSES_IN_CLAUSES):
        lines, replacements = _CLAUSES.subn(_CLAUSE_PHRASE, lines)
        if not replacements:
            break
    parts = np.frombuffer(lines.encode("utf-16-le"), np.uint16)
    levels = np.where(parts >= _NOUN, parts & _LEVELS, 0).astype(np.int64)
    return 2 + np.maximum.reduceat(levels, np.flatnonzero(parts == _BREAK))
