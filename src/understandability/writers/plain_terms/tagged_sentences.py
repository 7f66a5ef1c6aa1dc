"""Sentences as terms are looked for in them: their words with tags, without hyphens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from understandability.feature.batch import Batch
from understandability.feature.tagger import UNIVERSAL
from understandability.writers.plain_terms.term_tables import HYPHENS, Rule

BE = frozenset(("be", "is", "are", "was", "were", "been", "being", "am"))
_NEAR = 10  # words on each side
_ENDINGS = (
    ("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"),
    ("'s", ""), ("ses", "sis"),
)  # fmt: skip


@lru_cache(1 << 16)
def stems(word: str) -> frozenset[str]:
    """What a word may be a form of: rough, for comparing only."""
    word = word.lower()
    found = {word}
    for end, new in _ENDINGS:
        if word.endswith(end) and len(word) > len(end) + 2:
            found.add(word[: -len(end)] + new)
    if word in BE:
        found.add("be")
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """Tokens without hyphens, their tags, the piece of each; hyphens and genitives are passed over.

    `begins` and `ends` are where a token stands in its piece.
    """

    tokens: list[str]
    tags: list[str]
    pieces: list[int]
    begins: list[int]
    ends: list[int]

    def tag(self, place: int) -> str:
        """The tag there; the end of the sentence counts as punctuation."""
        return self.tags[place] if 0 <= place < len(self.tags) else "PUNCT"

    def word(self, place: int) -> str:
        """The word there in small letters, '' outside."""
        return self.tokens[place].lower() if 0 <= place < len(self.tokens) else ""

    def stems(self, place: int) -> frozenset[str]:
        """What the word there may be a form of."""
        return stems(self.tokens[place]) if 0 <= place < len(self.tokens) else frozenset()

    def is_in_compound(self, start: int, end: int) -> bool:
        """Whether a hyphen ties the words at ``start:end`` to another: "anti-proliferative"."""
        return self._are_tied(start - 1) or self._are_tied(end - 1)

    def _are_tied(self, place: int) -> bool:
        """Whether one hyphen is all that stands between the tokens at a place and behind it."""
        return (
            0 <= place < len(self.tokens) - 1
            and self.pieces[place] == self.pieces[place + 1]
            and self.begins[place + 1] == self.ends[place] + 1
            and self.tags[place] != "PUNCT" != self.tags[place + 1]
        )

    def holds(self, rule: Rule, start: int, end: int) -> bool:
        """Whether a rule holds for the term at ``start:end``."""
        if rule.place == "near":
            low, high = max(0, start - _NEAR), min(len(self.tokens), end + _NEAR)
            places = [*range(low, start), *range(end, high)]
            return any(self.stems(place) & rule.words for place in places) != rule.negative
        place = end if rule.place == "before" else start - 1
        if not 0 <= place < len(self.tokens):
            edge = "PUNCT" in rule.words or (place < 0 and "START" in rule.words)
            return edge != rule.negative
        found = self.tags[place] in rule.words or bool(self.stems(place) & rule.words)
        return found != rule.negative

    def abbreviated(self, end: int) -> int | None:
        """Where the words begin that an abbreviation in brackets at `end` stands for, if any.

        >>> words = "a false discovery rate ( FDR )".split()
        >>> TaggedSentence(words, ["X"] * 7, list(range(7)), [0] * 7, [0] * 7).abbreviated(4)
        1
        """
        if self.word(end) not in ("(", "[") or end + 1 >= len(self.tokens):
            return None
        short = self.tokens[end + 1].rstrip("s")
        first = end - len(short)
        if len(short) > 1 and short.isupper() and first >= 0:
            return first if self.tokens[first][0].upper() == short[0] else None
        return None


def tagged_sentences(
    batch: Batch, numbers: Sequence[int], parts: Sequence[tuple[str, ...]]
) -> Iterator[TaggedSentence]:
    """The sentences of a batch with these numbers; `parts` are the pieces of all its sentences."""
    _, sizes = batch.pieces.tokens(batch.piece_ids)
    ends = np.cumsum([0, *map(len, parts)])
    starts = batch.token_sentence_starts
    strings = batch.token_types.strings
    for number in numbers:
        sentence = TaggedSentence([], [], [], [], [])
        token = int(starts[number])
        for place, piece in enumerate(parts[number]):
            small, at = piece.lower(), 0
            for _ in range(int(sizes[ends[number] + place])):
                text = strings[batch.token_ids[token]]
                at = max(small.find(text.lower(), at), at) + len(text)
                if text not in HYPHENS:
                    sentence.tokens.append(text)
                    sentence.tags.append(UNIVERSAL[batch.tags[token]])
                    sentence.pieces.append(place)
                    sentence.begins.append(at - len(text))
                    sentence.ends.append(at)
                token += 1
        yield sentence
