"""Split a long sentence in two: at a semicolon, or where a conjunction joins two whole clauses.

A joint is rejected if any rule of `REFUSED` applies, because a wrong split is worse than a long
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from understandability.resources import resource_lines
from understandability.writers.inflection import is_participle
from understandability.writers.plain_terms.tagged_sentences import TaggedSentence
from understandability.writers.plain_terms.term_tables import word_list

_LEAST_PART = 4  # words of each part
_VERBS = frozenset(("VERB", "AUX"))
_SUBJECTS = frozenset(("i", "you", "he", "she", "it", "we", "they", "this", "these", "there"))
_NOUN_PHRASE = frozenset(("DET", "ADJ", "NUM", "NOUN", "PROPN"))
_OF_AMOUNTS = frozenset(("fewer", "greater", "higher", "less", "lower", "more", "other", "rather"))
_SCOPES = frozenset(("sometimes", "often", "usually", "rarely", "generally", "normally", "mostly"))
# Joining word -> the word that opens the second sentence.
_JOINING: Mapping[str, str] = {"and": "", "but": "But ", "so": "So ", "whereas": "But "}
# Words after a semicolon that the second sentence keeps.
_LINKING = frozenset(("however", "therefore", "otherwise", "instead", "in"))
_CONCEDING = frozenset(("although", "though"))
_COMMAS_BEFORE = 7  # words; a comma so near before a joint may begin a series


@dataclass(frozen=True, slots=True)
class Joint:
    """A position at which a sentence could be split.

    It has the token that joins the two clauses, the first token after it, and a word to begin the
    second sentence with.
    """

    sentence: TaggedSentence
    pieces: Sequence[str]
    position: int
    start: int
    keep: str

    @property
    def word(self) -> str:
        return self.sentence.word(self.position)

    @property
    def left(self) -> list[str]:
        return self.sentence.tokens[: self.position]

    @property
    def right(self) -> list[str]:
        return self.sentence.tokens[self.start :]

    @property
    def is_semicolon(self) -> bool:
        return self.word == ";"


@cache
def _acts() -> frozenset[str]:
    return frozenset(line.split("\t")[0] for line in resource_lines("plain_terms/acts.tsv")[1:])


def is_act(word: str) -> bool:
    """Return True for a noun of action, such as "avoidance"."""
    return word in _acts()


def is_clause(sentence: TaggedSentence, at: int) -> bool:
    """Return True if a clause with subject and verb begins at a token: "you can", "the new dose
    is".
    """
    if sentence.word(at) in _SUBJECTS:
        position = at + 1
    else:
        position = at
        while sentence.tag(position) in _NOUN_PHRASE:
            position += 1
            if sentence.word(position) == "of" and position == at + 1 and is_act(sentence.word(at)):
                position += 1  # "avoidance of alcohol is advised"
            elif sentence.tag(position) == "DET":
                return False  # "obesity – the body becomes": two phrases
        if sentence.tag(at) not in ("DET", "PRON", "NOUN", "PROPN") or position == at:
            return False
        if sentence.tag(position - 1) not in ("NOUN", "PROPN"):
            return False
    word, tag = sentence.word(position), sentence.tag(position)
    # "the lining called ..." is no clause
    return tag == "AUX" or (tag == "VERB" and not is_participle(word) and not word.endswith("ing"))


def _is_without_verb(joint: Joint) -> bool:
    """Return True if the first part has no verb: "Nurse or doctor and you will ..."."""
    return _VERBS.isdisjoint(joint.sentence.tags[: joint.position])


def _is_tied(joint: Joint) -> bool:
    """Return True if the first part needs the second: "If you bleed and it does not stop, call
    us".
    """
    words = [word.lower() for word in joint.left]
    words = [
        word
        for before, word in pairwise(["", *words])
        if word != "than" or before not in _OF_AMOUNTS  # "less than 6 g"
    ]
    if joint.is_semicolon:
        words = words[:1]
    elif words[0] in _CONCEDING:
        words = words[1:]
    return not word_list("ties").isdisjoint(words)


def _is_inside(joint: Joint) -> bool:
    """Return True inside brackets or a series: "(rest and you will heal)", "such as: ..."."""
    left = joint.left
    is_open = left.count("(") != left.count(")") or ":" in left
    return is_open or joint.sentence.is_quoted[joint.position]


def _is_bare(joint: Joint) -> bool:
    """Return True if nouns rather than clauses may be joined: "Kale and broccoli are good"."""
    if joint.word not in ("and", "but"):
        return False
    is_bare = joint.sentence.tag(joint.start) not in ("DET", "PRON")
    return is_bare and (joint.left[-1] != "," or "," in joint.left[-_COMMAS_BEFORE - 1 : -1])


def _is_order(joint: Joint) -> bool:
    """Return True if the second part is the effect of the first: "Rest, and you will be well"."""
    return joint.sentence.tag(0) == "VERB" and "will" in joint.right[:3]


def _is_scoped(joint: Joint) -> bool:
    """Return True if an adverb applies to both: "Sometimes a scan is enough and a drug is not
    needed".
    """
    left = joint.left
    return left[0].lower() in _SCOPES or (joint.sentence.tag(0) == "ADP" and "," in left[:8])


def _is_series(joint: Joint) -> bool:
    """Return True in a series of clauses: "The head is wide, the body is long, and the tail is
    thin".
    """
    left, tags = joint.left, joint.sentence.tags
    if left[-1] != "," or left[0].lower() in _CONCEDING:
        return False
    commas = [position for position, word in enumerate(left[:-1]) if word == ","]
    return any(
        not _VERBS.isdisjoint(tags[:comma]) and not _VERBS.isdisjoint(tags[comma : joint.position])
        for comma in commas
    )


def _is_left_open(joint: Joint) -> bool:
    """Return True if a later "or" continues the first part.

    "It spreads to the bone and the bone is weak, or to the skin": "or" belongs to "spreads".
    """
    right, sentence = joint.right, joint.sentence
    return any(
        right[n : n + 2] == [",", "or"] and sentence.tag(joint.start + n + 2) in ("ADP", "PART")
        for n in range(len(right))
    )


def _is_timed(joint: Joint) -> bool:
    """Return True if a time applies to both: "Remove it and a new one should be applied every
    day".
    """
    words = (word.lower() for word in joint.right[2:])
    return not joint.is_semicolon and not word_list("interval words").isdisjoint(words)


def _is_definition(joint: Joint) -> bool:
    """Return True if both parts define a word: "This means that it is safe and you can go"."""
    return "means" in joint.left


def _is_torn(joint: Joint) -> bool:
    """Return True if the joint is only a part of a piece ("and/or") or follows a full stop ("U.S.;
    they").
    """
    pieces, sentence = joint.pieces, joint.sentence
    before = sentence.pieces[joint.position - 1]
    return pieces[before].rstrip(";,").endswith(".") or sentence.pieces[joint.start] == before


def _is_negated(joint: Joint) -> bool:
    """Return True if "not" may apply to both: "Do not eat so you can be tested", "not ...
    whereas".
    """
    return joint.word == "so" and not {"not", "n't", "never", "no"}.isdisjoint(
        word.lower() for word in joint.left
    )


REFUSED: tuple[Callable[[Joint], bool], ...] = (
    _is_without_verb, _is_tied, _is_inside, _is_bare, _is_order, _is_scoped, _is_series,
    _is_left_open, _is_timed, _is_definition, _is_torn, _is_negated,
)  # fmt: skip


def joints(sentence: TaggedSentence, pieces: Sequence[str]) -> Iterator[Joint]:
    """Yield the possible joints between two clauses of at least four words each."""
    for position, token in enumerate(sentence.tokens):
        keep = _kept_word(sentence, position)
        is_long = min(position, len(sentence.tokens) - position - 1) >= _LEAST_PART
        if keep is None or not is_long:
            continue
        start = position + 1
        is_linked = token == ";" and sentence.word(start) in _LINKING
        if is_clause(sentence, start) or (is_linked and sentence.word(start + 1) == ","):
            yield Joint(sentence, pieces, position, start, keep)


def _kept_word(sentence: TaggedSentence, position: int) -> str | None:
    """Return the word that should begin the second half of a sentence that is cut at `position`.

    The result is '' if the joining word is simply left out, and None if the token there does not
    join two clauses, so that the sentence cannot be cut.
    """
    word = sentence.word(position)
    if word == ";":
        return ""
    if word == ",":
        return "But " if sentence.word(0) in _CONCEDING else None
    is_joining = word in ("and", "but") and sentence.tag(position) == "CCONJ"
    if is_joining or (word in ("so", "whereas") and sentence.word(position - 1) == ","):
        return _JOINING[word]
    return None


def cut(sentence: TaggedSentence, pieces: Sequence[str]) -> tuple[str, str] | None:
    """Split a sentence in two at the joint nearest to its middle; None if no joint is safe.

    "Although it is safe, it can hurt" becomes "It is safe. But it can hurt".
    """
    if re.search(r"; (?:and|or)\b", " ".join(pieces)):
        return None  # parts of a list, which would be torn
    middle = len(pieces) / 2
    possible = [
        joint for joint in joints(sentence, pieces) if not any(rule(joint) for rule in REFUSED)
    ]
    is_conceding = sentence.word(0) in _CONCEDING
    if is_conceding:
        possible = [joint for joint in possible if joint.word == ","][:1]
    if not possible:
        return None
    best = min(possible, key=lambda joint: abs(joint.position - middle))
    end = sentence.pieces[best.position] + (best.word in (";", ","))
    first = [*pieces[:end]]
    if is_conceding:
        first = [upper_first(first[1]), *first[2:]]
    one = " ".join(first).rstrip(" ,;:–—") + "."
    rest = pieces[sentence.pieces[best.start] :]
    begins = lower_first(rest[0], sentence.tag(best.start)) if best.keep else upper_first(rest[0])
    return one, best.keep + " ".join([begins, *rest[1:]])


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def lower_first(text: str, tag: str) -> str:
    """Lower the first letter of a word that no longer begins a sentence, unless it is a name."""
    stays = tag == "PROPN" or text == "I" or text[1:2].isupper()
    return text if stays else text[:1].lower() + text[1:]
