"""What to make of one sentence: cut it, turn it round, say "you", make a list, use plain terms.

Each proposal is made by a rule of grammar, and tried on the whole text: one that makes the text
less likely to be understood is not shown. A rule that is not sure of a sentence says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from understandability.feature.batch import Batch
from understandability.feature.inflection import (
    BASE,
    PARTICIPLE,
    PAST,
    THIRD,
    is_participle,
    verb_form,
)
from understandability.scoring import Scorer
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.writers.hard_sentences import LONG_SENTENCE, Findings
from understandability.writers.plain_terms.english import article_before, in_english
from understandability.writers.plain_terms.offers import Offer
from understandability.writers.plain_terms.tagged_sentences import TaggedSentence, tagged_sentences
from understandability.writers.plain_terms.term_tables import abbreviations, word_list
from understandability.writers.rebuilding import rebuilt, replaced, spans

PLAIN, CUT, ACTIVE, YOU, LIST, IN_FULL = "plain", "cut", "active", "you", "list", "in full"
_ACTIONS = {
    PLAIN: "Use plain terms",
    CUT: "Cut the sentence here",
    ACTIVE: "Say who does it",
    YOU: "Speak to the reader",
    LIST: "Make a list of the parts",
    IN_FULL: "Say the abbreviation in full",
}
_LEAST_PART = 4  # words of each part of a sentence that is cut
_VERBS = frozenset(("VERB", "AUX"))
_SCOPES = frozenset(("sometimes", "often", "usually", "rarely", "generally", "normally", "mostly"))
_BEHIND_AGENTS = frozenset(
    ("'s", "(", "in", "of", "at", "on", "from", "with", "that", "which", "who", "whose")
) | {"called", "named", "known"}
# Words in whose sentences an abbreviation may name a gene, not the illness.
_OF_GENES = frozenset(("gene", "genes", "mutation", "mutations"))
_LEAST_ITEMS, _MOST_WORDS = 4, 7  # of a list, and of an item in it
_SUBJECTS = frozenset(("i", "you", "he", "she", "it", "we", "they", "this", "these", "there"))
_OBJECTS = {"he": "him", "she": "her", "we": "us", "they": "them", "i": "me"}
_YOURS = {"they": "you", "them": "you", "their": "your", "theirs": "yours",
          "themselves": "yourself", "themself": "yourself"}  # fmt: skip
_ARTICLES = frozenset(("the", "a", "an", "our", "your", "their", "this", "each", "every"))
# In the full names of bodies and laws, which have "the" before them.
_BODIES = frozenset(
    (
        "Act", "Administration", "Agency", "Authority", "Centers", "Commission", "Department",
        "Institute", "Institutes", "Office", "Organization", "Program", "Scheme", "Service",
    )
)  # fmt: skip
_BE = {"is": THIRD, "are": THIRD, "was": PAST, "were": PAST}
_MODALS = frozenset(("will", "can", "may", "must", "should", "could", "might", "would"))
_ADVICE = re.compile(
    r"^(?:(?:Patients|All patients|You) (?:are|is) (?:strongly )?(?:advised|recommended|requested|"
    r"asked|encouraged) to|It is (?:recommended|advised|advisable|suggested) that (?:you|patients)|"
    r"Patients should) (?P<rest>\w.*)$"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What could stand in the place of a sentence, and by how much the text gets easier with it.

    `points` is the fall of the text's difficulty, `p_understandable` its chance afterwards.
    """

    kind: str
    action: str
    text: str
    points: float
    p_understandable: float


def proposals(
    document: Document, number: int, found: Findings, offered: Sequence[Offer], scorer: Scorer,
    english: str,
) -> tuple[Proposal, ...]:  # fmt: skip
    """The proposals for a sentence of a document, the largest gain first.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.writers.hard_sentences import findings
    >>> document = document_of_text("Patients are advised to avoid alcohol. Rest well.")
    >>> found = findings(Batch([document]))
    >>> [each.text for each in proposals(document, 0, found, (), Scorer(), "british")]
    ['You should avoid alcohol.']
    """
    first, last = spans(document)[number]
    batch = Batch([document])
    parts = [document.pieces[a:b] for a, b in spans(document)]
    (sentence,) = tagged_sentences(batch, [number], parts)
    pieces = list(parts[number])
    tried = list(changes(sentence, pieces, first, last, found, offered, english))
    if not tried:
        return ()
    whole = [[list(each)] for each in parts]
    changed = [
        rebuilt(document, [*whole[:number], [line.split() for line in lines], *whole[number + 1 :]])
        for _, lines, _ in tried
    ]
    before, *after = scorer.estimates(Batch([document, *changed]))
    fall = before.difficulty
    made = [
        Proposal(kind, _ACTIONS[kind], text, fall - each.difficulty, each.p_understandable)
        for (kind, _, text), each in zip(tried, after, strict=True)
        if not each.difficulty > before.difficulty + 0.05
        and not each.p_understandable < before.p_understandable
    ]
    return tuple(sorted(made, key=lambda each: -each.points))


def changes(
    sentence: TaggedSentence, pieces: list[str], first: int, last: int, found: Findings,
    offered: Sequence[Offer], english: str,
) -> Iterator[tuple[str, list[str], str]]:  # fmt: skip
    """Kind, sentences and text of each change that a rule finds."""
    hard = {*found.hard}  # all terms at once would change what is easy enough
    terms = {
        o.first: (o.last, o.texts[0])
        for o in offered
        if first <= o.first < last and o.texts and not hard.isdisjoint(range(o.first, o.last))
    }
    if terms:
        text = " ".join(replaced(pieces, first, terms))
        yield PLAIN, [text], text
    if len(pieces) > LONG_SENTENCE * 0.7 and (cut := _cut(sentence, pieces)):
        yield CUT, list(cut), " ".join(cut)
    if active := _active(sentence, pieces):
        yield ACTIVE, [active], active
    if addressed := _addressed(sentence, pieces):
        yield YOU, [addressed], addressed
    if listed := _listed(sentence, pieces):
        intro, *items = listed
        lines = [f"{intro}:", *(f"{each}." for each in items)]
        yield LIST, lines, "\n".join([f"{intro}:", *(f"- {each}" for each in items)])
    if full := _in_full(pieces, first, found, english):
        yield IN_FULL, [full], full


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str, tag: str) -> str:
    """A word that begins a sentence no more; names and abbreviations keep their letters."""
    stays = tag == "PROPN" or text == "I" or text[1:2].isupper()
    return text if stays else text[:1].lower() + text[1:]


def _is_clause(sentence: TaggedSentence, at: int) -> bool:
    """Whether a subject and its verb begin there: "you can", "the new dose is"."""
    if sentence.word(at) in _SUBJECTS:
        place = at + 1
    else:
        place = at
        while sentence.tag(place) in ("DET", "ADJ", "NUM", "NOUN", "PROPN"):
            place += 1
            if sentence.tag(place) == "DET":
                return False  # "obesity – the body becomes": two phrases
        if sentence.tag(at) not in ("DET", "PRON", "NOUN", "PROPN") or place == at:
            return False
        if sentence.tag(place - 1) not in ("NOUN", "PROPN"):
            return False
    word, tag = sentence.word(place), sentence.tag(place)
    # "the lining called ..." is none
    return tag == "AUX" or (tag == "VERB" and not is_participle(word) and not word.endswith("ing"))


def _cut(sentence: TaggedSentence, pieces: list[str]) -> tuple[str, str] | None:
    """The sentence as two: at a semicolon, or at "and", "but", "so" before a clause."""
    if re.search(r"; (?:and|or)\b", " ".join(pieces)):
        return None  # parts of a list, which would be torn
    best = None
    for place, token in enumerate(sentence.tokens):
        after = place + 1
        if token == ";":
            start, keep = after, ""
        elif token.lower() in ("and", "but") and sentence.tag(place) == "CCONJ":
            start, keep = after, "But " if token.lower() == "but" else ""
        else:
            continue
        left, right = sentence.tokens[:place], sentence.tokens[start:]
        if min(len(left), len(right)) < _LEAST_PART or not _is_clause(sentence, start):
            continue
        has_verb = not _VERBS.isdisjoint(sentence.tags[:place])
        is_tied = not word_list("ties").isdisjoint(word.lower() for word in left)
        inside = left.count("(") != left.count(")") or ":" in left or sentence.is_quoted[place]
        # "kale and broccoli are good": what is joined may be two nouns, no clauses
        is_bare = token != ";" and sentence.tag(start) not in ("DET", "PRON")
        is_bare = is_bare and (left[-1] != "," or "," in left[-8:-1])
        is_order = sentence.tag(0) == "VERB" and "will" in right[:3]  # "Rest, and you will be well"
        # "Sometimes a scan is enough and a biopsy is not needed": both parts are sometimes
        is_scoped = left[0].lower() in _SCOPES or (sentence.tag(0) == "ADP" and "," in left[:8])
        # "the head is wide, the middle is long, and the tail is narrow"
        commas = [n for n, word in enumerate(left[:-1]) if word == ","] if left[-1] == "," else []
        is_series = any(
            not _VERBS.isdisjoint(sentence.tags[:n])
            and not _VERBS.isdisjoint(sentence.tags[n:place])
            for n in commas
        )
        # "may spread to the bone and the bone is weak, or to the skin": "or" goes with the first
        is_left_open = any(
            right[n : n + 2] == [",", "or"] and sentence.tag(start + n + 2) in ("ADP", "PART")
            for n in range(len(right))
        )
        # "remove it and a new one should be applied every day": both are done every day
        is_timed = any(word.lower() in word_list("interval words") for word in right[2:])
        is_timed = is_timed and token != ";"
        # "a nurse or a doctor will call and you ...": what stands before must be whole
        if (
            not has_verb
            or is_left_open
            or is_timed
            or "means" in left  # of a definition, both parts say what a word means
            or is_tied
            or is_scoped
            or is_series
            or inside
            or is_bare
            or is_order
            or pieces[sentence.pieces[place - 1]].rstrip(";").endswith(".")
            or sentence.pieces[start] == sentence.pieces[place - 1]
        ):
            continue
        if best is None or abs(place - len(pieces) / 2) < abs(best[0] - len(pieces) / 2):
            best = place, start, keep
    if best is None:
        return None
    place, start, keep = best
    end = sentence.pieces[place] + (sentence.tokens[place] == ";")
    one = " ".join(pieces[:end]).rstrip(" ,;:–—") + "."
    rest = pieces[sentence.pieces[start] :]
    two = " ".join([_lower(rest[0], sentence.tag(start)) if keep else _upper(rest[0]), *rest[1:]])
    return one, keep + two


def _participle_base(word: str) -> str:
    """The verb whose participle a word is, as far as rules and the irregular table tell."""
    if not word.endswith("ed"):
        return _irregular_participles().get(word, "")
    stems = [word[:-2], word[:-1], word[:-3] + "y" if word.endswith("ied") else ""]
    if len(word) > 4 and word[-3] == word[-4]:
        stems.insert(0, word[:-3])
    known = (stem for stem in stems if stem in word_list("verbs"))
    return next((stem for stem in known if verb_form(stem, PARTICIPLE) == word), "")


@cache
def _irregular_participles() -> Mapping[str, str]:
    return {verb_form(verb, PARTICIPLE): verb for verb in sorted(word_list("verbs"))}


def _passive(sentence: TaggedSentence) -> tuple[int, int] | None:
    """Where the first form of "be" and its participle stand, where a subject is all before it."""
    for place, token in enumerate(sentence.tokens):
        if sentence.tag(place) == "AUX" and (token.lower() in _BE or token.lower() == "be"):
            verb = place + 1
            if sentence.tag(verb) == "VERB" and _participle_base(sentence.word(verb)):
                return place, verb
            return None
        if sentence.tag(place) in ("VERB", "PUNCT", "SCONJ", "CCONJ", "ADV"):
            return None
    return None


def _active(sentence: TaggedSentence, pieces: list[str]) -> str:
    """ "The dose is checked by a nurse" the other way round; '' where that is not sure."""
    found = _passive(sentence)
    if not found or not found[0]:
        return ""
    be, verb = found
    modal = be - 1 if sentence.word(be - 1) in _MODALS else be
    form = _BE.get(sentence.word(be), "")
    if (modal == be) != bool(form) or modal == 0 or sentence.word(verb + 1) != "by":
        return ""
    end = verb + 2
    while sentence.tag(end) in ("DET", "ADJ", "NOUN", "PROPN") or (
        sentence.tag(end) == "PRON" and sentence.word(end) in ("your", "our", "their", "its")
    ):
        end += 1
    head = sentence.word(end - 1)
    if not {head, head.removesuffix("s")} & word_list("agents"):
        return ""
    # "TSH is made by the gland in the brain": what follows says which agent it is
    if sentence.tag(end) in ("CCONJ", "PART") or sentence.word(end) in _BEHIND_AGENTS:
        return ""
    if end == verb + 2:
        return ""
    several = head.endswith("s") and not head.endswith(("us", "ss", "is"))
    several = several or head in ("people", "staff", "bacteria", "children")
    base = _participle_base(sentence.word(verb))
    if modal != be:
        said = f"{sentence.word(modal)} {base}"
    else:
        said = verb_form(base, PAST if form == PAST else BASE if several else THIRD)
    at = sentence.pieces
    subject = [_lower(pieces[0], sentence.tag(0)), *pieces[1 : at[modal]]]
    if len(subject) == 1:
        subject = [_OBJECTS.get(subject[0].lower(), subject[0])]
    last = at[end - 1]
    agent = " ".join(pieces[at[verb + 2] : last + 1])
    mark = agent[len(agent.rstrip(".,;:!?")) :]
    rest = pieces[last + 1 :]
    if mark.startswith(",") or (rest and mark):
        return ""
    made = " ".join([_upper(agent.rstrip(".,;:!?")), said, *subject, *rest])
    return made if rest else made + (mark or ".")


def _addressed(sentence: TaggedSentence, pieces: list[str]) -> str:
    """Advice said to the reader: "Take the tablets" for "Tablets should be taken"."""
    if advice := _ADVICE.match(" ".join(pieces)):
        rest = _of_reader(sentence, advice["rest"]) if "atients" in advice[0] else advice["rest"]
        return rest and f"You should {rest}"
    found = _passive(sentence)
    if not found or found[0] < 2 or sentence.word(found[0]) != "be":
        return ""
    be, verb = found
    negative = sentence.word(be - 1) == "not"
    modal = be - 1 - negative
    base = _participle_base(sentence.word(verb))
    if sentence.word(modal) not in ("should", "must") or base not in word_list("taken"):
        return ""
    if sentence.word(verb + 1) == "by" or sentence.word(0) in ("it", "he", "she", "they", "you"):
        return ""
    if sentence.tag(0) == "PROPN" or sentence.word(0) == "caution":
        return ""  # "Guavas", perhaps no name; one does not take caution
    # "should be used once and thrown away", "should be removed and a new one should be applied"
    if _has_second_clause(sentence, verb):
        return ""
    subject = [_lower(pieces[0], sentence.tag(0)), *pieces[1 : sentence.pieces[modal]]]
    if sentence.tag(0) not in ("DET", "PRON") and subject[-1].endswith("s"):
        subject.insert(0, "the")  # "take the tablets", but "avoid alcohol"
    must = "You must " if sentence.word(modal) == "must" else ""
    no = ("not " if must else "Do not ") if negative else ""
    said = f"{must}{no}{base if must or no else _upper(base)}"
    done = pieces[sentence.pieces[verb]]
    mark = done[len(done.rstrip(".,;:!?")) :]
    return " ".join([said, *subject[:-1], subject[-1] + mark, *pieces[sentence.pieces[verb] + 1 :]])


def _has_second_clause(sentence: TaggedSentence, verb: int) -> bool:
    """Return True if "and", "or", "but" after a verb joins another verb to it."""
    joints = [n for n in range(verb, len(sentence.tags)) if sentence.tag(n) == "CCONJ"]
    if not joints:
        return False
    rest = range(joints[0], len(sentence.tags))
    ties = (n for n in rest if sentence.word(n) in word_list("ties"))
    end = next(ties, rest.stop)  # "with bread and milk if you have been sick"
    return any(
        sentence.tag(n) == "AUX"
        or (sentence.tag(n) == "VERB" and not sentence.word(n).endswith("ing"))
        for n in range(joints[0], end)
    )


def _of_reader(sentence: TaggedSentence, rest: str) -> str:
    """Advice to patients with "your" for "their"; '' where that may be said of others."""
    words = [token.lower() for token in sentence.tokens]
    found = [place for place, word in enumerate(words) if word in _YOURS]
    first = words.index("patients") + 1 if "patients" in words else 0
    for place in range(first, max(found, default=0)):
        name = words[place]
        several = name.endswith("s") or name in ("people", "children", "women", "men", "staff")
        is_agent = sentence.tag(place) == "PROPN" or name in word_list("agents")
        if sentence.tag(place) in ("NOUN", "PROPN") and (several or is_agent):
            return ""  # "contact their nurse if they ...": the nurse?
    return re.sub(rf"\b({'|'.join(_YOURS)})\b", lambda word: _YOURS[word[0]], rest)


def _listed(sentence: TaggedSentence, pieces: list[str]) -> list[str]:
    """What leads in, and the parts: "You may have a, b, c or d" at the end of a sentence."""
    commas = [n for n, piece in enumerate(pieces[:-1]) if piece.endswith(",")]
    if len(commas) < _LEAST_ITEMS - 2 or any(piece[0] in "([" for piece in pieces):
        return []
    joints = [n for n in range(commas[-1] + 1, len(pieces) - 1) if pieces[n] in ("and", "or")]
    start = next((n + 1 for n in range(commas[0]) if pieces[n].lower() in word_list("leads")), 0)
    if len(joints) != 1 or not 2 <= start <= commas[0]:
        return []
    (joint,) = joints
    ends = [*commas, *[joint - 1] * (joint - 1 not in commas), len(pieces) - 1]
    parts, at = [], start
    for end in ends:
        at += at == joint
        parts.append(pieces[at : end + 1])
        at = end + 1
    tags = dict(zip(sentence.pieces, sentence.tags, strict=True))  # the last token of a piece
    tags |= {n: t for n, t in zip(sentence.pieces, sentence.tags, strict=True) if t != "PUNCT"}
    are_nouns = all(tags.get(end) in ("NOUN", "PROPN") for end in ends)
    are_short = all(1 <= len(part) <= _MOST_WORDS for part in parts)
    if start not in sentence.pieces:
        return []  # a hyphen: a list already
    inside = sentence.tags[sentence.pieces.index(start) :]
    is_clear = {"VERB", "AUX", "SCONJ", "PRON"}.isdisjoint(inside)
    # "traces of wheat, milk or soy": traces of all three; "swelling, pain or redness of the leg"
    is_clear = is_clear and "ADP" not in [tags.get(n) for n in range(start, len(pieces))]
    is_clear = is_clear and {"no", "not", "without", "usually", "often"}.isdisjoint(pieces)
    is_clear = is_clear and {"such", "including", "like"}.isdisjoint(pieces[start:])
    is_one = not any(word in ("and", "or") for part in parts for word in part)
    # "stomach, kidney and blood problems": problems of all three
    is_shared = {len(part) for part in parts[:-1]} == {1} and len(parts[-1]) > 1
    is_shared = is_shared and parts[-1][0].lower() not in _ARTICLES
    is_clear = is_clear and is_one and not is_shared
    if len(parts) < _LEAST_ITEMS or not (are_nouns and are_short and is_clear):
        return []
    items = [" ".join(part).rstrip(".,;:") for part in parts]
    items[-2] += " or" if pieces[joint] == "or" else ""
    return [" ".join(pieces[:start]).rstrip(":"), *items]


def _in_full(pieces: list[str], first: int, found: Findings, english: str) -> str:
    """The sentence with each abbreviation said in full where it stands first."""
    made = list(pieces)
    words = [word_of(piece).lower() for piece in pieces]
    if not _OF_GENES.isdisjoint(words):
        return ""
    for name, places in found.abbreviations.items():
        place = places[0] - first
        full = abbreviations().get(name, ("",))[0]
        if not full[:1].isupper():  # a name is spelled one way everywhere
            full = in_english(full, english)
        is_explained = any(piece[0] == "(" for piece in pieces[place + 1 : place + 3])
        if is_explained or full.split(" ")[0].lower() in words:
            continue
        if full and 0 <= place < len(pieces) and word_of(pieces[place]) == name:
            before = words[place - 1] if place else ""
            if before in ("a", "an"):  # "an MRI"
                made[place - 1] = article_before(full, pieces[place - 1])
            if before not in _ARTICLES and not _BODIES.isdisjoint(full.split()):
                full = f"the {full}"
            said = _upper(full) if place == 0 else full
            made[place] = pieces[place].replace(name, f"{said} ({name})")
    return " ".join(made) if made != pieces else ""
