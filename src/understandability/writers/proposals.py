"""Propose changes to a sentence: split it, make it active, say "you", make a list, use plain terms.

A rule of grammar makes each proposal, which is then tried on the whole text; a proposal that lowers
P(U|d) is dropped. A rule that does not clearly apply to a sentence proposes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from understandability.feature.batch import Batch
from understandability.scoring import Scorer
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.text.tokens import word_of
from understandability.writers.cutting import cut, lower_first, upper_first
from understandability.writers.direct_speech import direct, without_frame
from understandability.writers.facts import check_facts
from understandability.writers.hard_sentences import LONG_SENTENCE, Findings, findings
from understandability.writers.inflection import (
    BASE,
    PARTICIPLE,
    PAST,
    THIRD,
    one_spelling,
    verb_form,
)
from understandability.writers.plain_terms.english import article_before, in_english
from understandability.writers.plain_terms.offers import Offer, offers
from understandability.writers.plain_terms.tagged_sentences import TaggedSentence, tagged_sentences
from understandability.writers.plain_terms.term_tables import abbreviations, word_list
from understandability.writers.sentence_edits import rebuilt, replaced, spans

PLAIN, CUT, ACTIVE, YOU, LIST, IN_FULL = "plain", "cut", "active", "you", "list", "in full"
TOGETHER, DIRECT = "together", "direct"
_ACTIONS = {
    TOGETHER: "Rewrite the sentence",
    PLAIN: "Use plain terms",
    CUT: "Cut the sentence here",
    ACTIVE: "Say who does it",
    YOU: "Speak to the reader",
    DIRECT: "Say it directly",
    LIST: "Make a list of the parts",
    IN_FULL: "Say the abbreviation in full",
}
_AFTER_AGENTS = frozenset(
    ("'s", "(", "in", "of", "at", "on", "from", "with", "that", "which", "who", "whose")
) | {"called", "named", "known"}
# Words in whose sentences an abbreviation may name a gene, not the illness.
_OF_GENES = frozenset(("gene", "genes", "mutation", "mutations"))
_DOSE = re.compile(
    r"\d\s?(?:mg|g|mcg|µg|ml|mL|IU|units?|tablets?|capsules?|milligrams?|micrograms?|grams?|"
    r"millilit(?:er|re)s?)\b"
)
_HANDS = frozenset(("change", "flush", "remove", "replace", "take"))
_MOST_CHANGES = 4  # of one sentence, before it is cut
_LEAST_ITEMS, _MOST_WORDS = 4, 7  # of a list, and of an item in it
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
    r"Patients should) (?P<rest>(?!(?:not )?be\b)\w.*)$"
)
_DUTY = re.compile(
    r"^(?:(?:Patients|All patients|You) are required to|(?:Patients|All patients) must|"
    r"It is (?:essential|mandatory|imperative) that (?:you|patients)) (?P<rest>(?!be\b)\w.*)$"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A replacement for a sentence, and its effect on the whole text.

    `points` is the decrease of the difficulty, and `p_understandable` is P(U|d) with the
    replacement.
    """

    kind: str
    action: str
    text: str
    points: float
    p_understandable: float


def proposals(
    document: Document, number: int, issues: Findings, offered: Sequence[Offer], scorer: Scorer,
    english: str,
) -> tuple[Proposal, ...]:  # fmt: skip
    """Return the proposals for one sentence of a document, the largest gain first.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.writers.hard_sentences import findings
    >>> document = document_of_text("Patients are advised to avoid alcohol. Rest well.")
    >>> issues = findings(Batch([document]))
    >>> [each.text for each in proposals(document, 0, issues, (), Scorer(), "british")]
    ['You should avoid alcohol.']
    """
    first, last = spans(document)[number]
    batch = Batch([document])
    parts = [document.pieces[a:b] for a, b in spans(document)]
    (sentence,) = tagged_sentences(batch, [number], parts)
    pieces = list(parts[number])
    candidates = list(changes(sentence, pieces, first, last, issues, offered, english))
    if not candidates:
        return ()
    if whole := together(pieces, english):
        candidates.append((TOGETHER, *whole))
    original = [[list(part)] for part in parts]
    changed = [
        rebuilt(
            document,
            [*original[:number], [line.split() for line in lines], *original[number + 1 :]],
        )
        for _, lines, _ in candidates
    ]
    before, *after = scorer.estimates(Batch([document, *changed]))
    fall = before.difficulty
    useful = [
        Proposal(
            category,
            _ACTIONS[category],
            text,
            fall - estimate.difficulty,
            estimate.p_understandable,
        )
        for (category, _, text), estimate in zip(candidates, after, strict=True)
        if not estimate.difficulty > before.difficulty + 0.05
        and not estimate.p_understandable < before.p_understandable
    ]
    return tuple(sorted(useful, key=lambda proposal: -proposal.points))


def together(pieces: Sequence[str], english: str) -> tuple[list[str], str] | None:
    """Apply all changes that clearly apply to a sentence; None if there are fewer than two.

    Returns the new sentences, and their text. First the sentence is made to address the reader, or
    made active. Then it is split or made a list, and finally plain terms are used. Nothing is
    proposed if a number, a time, a condition, a negation or an obligation would be lost on the way.

    >>> text = "Patients are advised to avoid all alcohol and tobacco prior to surgery; "
    >>> text += "they may drink tea before that."
    >>> print(together(text.split(), "british")[1])
    You should avoid all alcohol and tobacco before surgery. You may drink tea before that.
    """
    before, used, lines = " ".join(pieces), 0, [" ".join(pieces)]
    listed = ""
    for allowed in ((DIRECT, YOU, ACTIVE), (LIST, CUT), (DIRECT, YOU, ACTIVE)):
        changed: list[str] = []
        for line in lines:
            said, text, times = _followed(line, allowed, english)
            changed += said
            used += times
            if text.startswith(f"{said[0]}\n"):
                listed = text
        lines = changed
        if listed:
            break
    text = listed or " ".join(lines)
    if check_facts(without_frame(before), text).lost:
        return None
    said = [_with_plain_terms(line, english) for line in lines]
    used += said != lines
    if used < 2:
        return None
    if text.startswith(f"{lines[0]}\n"):  # a list
        return said, "\n".join([said[0], *(f"- {item.rstrip('.')}" for item in said[1:])])
    return said, " ".join(said)


def _followed(line: str, kinds: Sequence[str], english: str) -> tuple[list[str], str, int]:
    """Apply the first possible change of each kind; return the new lines, their text, and the
    count.
    """
    lines, text = [line], line
    for times in range(_MOST_CHANGES):
        possible = [change for change in _changes_of(text, english) if change[0] in kinds]
        if not possible:
            return lines, text, times
        _, lines, text = min(possible, key=lambda change: kinds.index(change[0]))
        if len(lines) > 1:
            return lines, text, times + 1
    return lines, text, _MOST_CHANGES


def _changes_of(text: str, english: str) -> list[tuple[str, list[str], str]]:
    """Return the changes that rules find for a text of one sentence."""
    document = document_of_text(text)
    if len(document.sentence_starts) != 1:
        return []
    batch = Batch([document])
    (sentence,) = tagged_sentences(batch, [0], [document.pieces])
    pieces = list(document.pieces)
    return list(changes(sentence, pieces, 0, len(pieces), findings(batch), (), english))


def _with_plain_terms(text: str, english: str) -> str:
    document = document_of_text(text)
    (offered,) = offers(Batch([document]), english)
    terms = {offer.first: (offer.last, offer.texts[0]) for offer in offered if offer.texts}
    if not terms:
        return text
    said = " ".join(replaced(document.pieces, 0, terms))
    return said.removesuffix(".") if text.endswith(":") else said


def changes(
    sentence: TaggedSentence, pieces: list[str], first: int, last: int, issues: Findings,
    offered: Sequence[Offer], english: str,
) -> Iterator[tuple[str, list[str], str]]:  # fmt: skip
    """Yield each change that a rule finds for a sentence: its type, the new sentences, and their
    text.
    """
    terms = {
        offer.first: (offer.last, offer.texts[0])
        for offer in offered
        if first <= offer.first < last and offer.texts
    }
    if terms:
        text = " ".join(replaced(pieces, first, terms))
        yield PLAIN, [text], text
    two = cut(sentence, pieces) if len(pieces) > LONG_SENTENCE * 0.7 else None
    if two and not check_facts(" ".join(pieces), " ".join(two)).lost:
        yield CUT, list(two), " ".join(two)
    if active := _active(sentence, pieces):
        yield ACTIVE, [active], active
    if addressed := _addressed(sentence, pieces):
        yield YOU, [addressed], addressed
    said = _directly(sentence, pieces, english)
    if said and not check_facts(without_frame(" ".join(pieces)), said).lost:
        yield DIRECT, [said], said
    if listed := _listed(sentence, pieces):
        intro, *items = listed
        lines = [f"{intro}:", *(f"{item}." for item in items)]
        yield LIST, lines, "\n".join([f"{intro}:", *(f"- {item}" for item in items)])
    if full := _in_full(pieces, first, issues, english):
        yield IN_FULL, [full], full


def _directly(sentence: TaggedSentence, pieces: list[str], english: str) -> str:
    """Return the sentence said directly; an introduction is removed if the rest addresses the
    reader.

    "Patients should be advised that alcohol should be avoided" becomes "Avoid alcohol".
    """
    text = " ".join(pieces)
    rest = without_frame(text)
    if rest != text:
        said = [new for kind, _, new in _changes_of(rest, english) if kind in (DIRECT, YOU)]
        if said:
            return said[0]
    return direct(sentence, pieces)


def _participle_base(word: str) -> str:
    """Return the base form of a participle; '' for a verb that is not in the lists."""
    if not word.endswith("ed"):
        return _irregular_participles().get(word, "")
    stems = [word[:-2], word[:-1], word[:-3] + "y" if word.endswith("ied") else ""]
    if len(word) > 4 and word[-3] == word[-4]:
        stems.insert(0, word[:-3])
    bases = (stem for stem in stems if stem in word_list("verbs"))
    return next((stem for stem in bases if verb_form(stem, PARTICIPLE) == word), "")


@cache
def _irregular_participles() -> Mapping[str, str]:
    return {verb_form(verb, PARTICIPLE): verb for verb in sorted(word_list("verbs"))}


def _passive(sentence: TaggedSentence) -> tuple[int, int] | None:
    """Return the positions of the first form of "be" and its participle, if only a subject
    precedes.
    """
    for position, token in enumerate(sentence.tokens):
        if sentence.tag(position) == "AUX" and (token.lower() in _BE or token.lower() == "be"):
            verb = position + 1
            if sentence.tag(verb) == "VERB" and _participle_base(sentence.word(verb)):
                return position, verb
            return None
        if sentence.tag(position) in ("VERB", "PUNCT", "SCONJ", "CCONJ", "ADV"):
            return None
    return None


def _active(sentence: TaggedSentence, pieces: list[str]) -> str:
    """Make a sentence active: "The dose is checked by a nurse"; '' if that is not clearly right."""
    passive = _passive(sentence)
    if not passive or not passive[0]:
        return ""
    be, verb = passive
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
    if sentence.tag(end) in ("CCONJ", "PART") or sentence.word(end) in _AFTER_AGENTS:
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
    subject = [lower_first(pieces[0], sentence.tag(0)), *pieces[1 : at[modal]]]
    if len(subject) == 1:
        subject = [_OBJECTS.get(subject[0].lower(), subject[0])]
    last = at[end - 1]
    agent = " ".join(pieces[at[verb + 2] : last + 1])
    mark = agent[len(agent.rstrip(".,;:!?")) :]
    rest = pieces[last + 1 :]
    if mark.startswith(",") or (rest and mark):
        return ""
    text = " ".join([upper_first(agent.rstrip(".,;:!?")), said, *subject, *rest])
    return text if rest else text + (mark or ".")


def _addressed(sentence: TaggedSentence, pieces: list[str]) -> str:
    """Address advice to the reader: "Take the tablets" for "Tablets should be taken"."""
    if _DOSE.search(" ".join(pieces)) and "atients" in " ".join(pieces[:2]):
        return ""  # what patients in general take is no order to the reader
    if advice := _ADVICE.match(" ".join(pieces)):
        rest = _of_reader(sentence, advice["rest"]) if "atients" in advice[0] else advice["rest"]
        return rest and f"You should {rest}"
    if duty := _DUTY.match(" ".join(pieces)):
        rest = _of_reader(sentence, duty["rest"]) if "atients" in duty[0] else duty["rest"]
        return rest and f"You must {rest}"
    place = _duty(sentence)
    if not place:
        return ""
    modal, negative, verb = place
    base = _participle_base(sentence.word(verb))
    if base not in word_list("taken"):
        return ""
    if sentence.word(verb + 1) == "by" or sentence.word(0) in ("it", "he", "she", "they", "you"):
        return ""
    if sentence.tag(0) == "PROPN" or sentence.word(0) == "caution":
        return ""  # "Guavas", perhaps no name; one does not take caution
    # "should be used once and thrown away", "should be removed and a new one should be applied"
    if _has_second_clause(sentence, verb):
        return ""
    subject = [lower_first(pieces[0], sentence.tag(0)), *pieces[1 : sentence.pieces[modal]]]
    said = {word_of(piece).lower() for piece in subject}
    if not said.isdisjoint(word_list("others")) or (
        base in _HANDS and not said.isdisjoint(word_list("left to nurses"))
    ):
        return ""  # "Patients should be informed", "Stitches should be removed"
    is_bare = sentence.tag(0) not in ("DET", "PRON") and subject[-1].endswith("s")
    if is_bare and base in word_list("taken with the"):
        subject.insert(0, "the")  # "take the tablets", but "avoid alcohol"
    must = "You must " if sentence.word(modal) == "must" else ""
    no = ("not " if must else "Do not ") if negative else ""
    verb_said = f"{must}{no}{base if must or no else upper_first(base)}"
    done = pieces[sentence.pieces[verb]]
    mark = done[len(done.rstrip(".,;:!?")) :]
    return " ".join(
        [verb_said, *subject[:-1], subject[-1] + mark, *pieces[sentence.pieces[verb] + 1 :]]
    )


def _duty(sentence: TaggedSentence) -> tuple[int, bool, int] | None:
    """Find an obligation in the passive: its position, True if it is negative, and the position of
    its verb.

    Examples are "should be taken", "must not be taken" and "are to be avoided".
    """
    passive = _passive(sentence)
    if passive and passive[0] > 1 and sentence.word(passive[0]) == "be":
        be, verb = passive
        negative = sentence.word(be - 1) == "not"
        modal = be - 1 - negative
        return (modal, negative, verb) if sentence.word(modal) in ("should", "must") else None
    for position in range(1, len(sentence.tokens)):
        if sentence.word(position) in ("is", "are"):
            negative = sentence.word(position + 1) == "not"
            to = position + 1 + negative
            if (sentence.word(to), sentence.word(to + 1)) == ("to", "be"):
                is_verb = bool(_participle_base(sentence.word(to + 2)))
                return (position, negative, to + 2) if is_verb else None
        if sentence.tag(position) in ("VERB", "AUX", "PUNCT", "SCONJ", "CCONJ", "ADV"):
            return None
    return None


def _has_second_clause(sentence: TaggedSentence, verb: int) -> bool:
    """Return True if "and", "or" or "but" after a verb joins another verb to it."""
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
    """Replace "their" by "your" in advice to patients; '' if "their" may refer to others."""
    words = [token.lower() for token in sentence.tokens]
    pronouns = [position for position, word in enumerate(words) if word in _YOURS]
    first = words.index("patients") + 1 if "patients" in words else 0
    for position in range(first, max(pronouns, default=0)):
        name = words[position]
        several = name.endswith("s") or name in ("people", "children", "women", "men", "staff")
        is_agent = sentence.tag(position) == "PROPN" or name in word_list("agents")
        if sentence.tag(position) in ("NOUN", "PROPN") and (several or is_agent):
            return ""  # "contact their nurse if they ...": the nurse?
    return re.sub(rf"\b({'|'.join(_YOURS)})\b", lambda word: _YOURS[word[0]], rest)


def _listed(sentence: TaggedSentence, pieces: list[str]) -> list[str]:
    """Split a series into its introduction and items: "You may have a, b, c or d"; [] if there is
    none.
    """
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
    if parts[0][0].lower() in _ARTICLES and not all(part[0].lower() in _ARTICLES for part in parts):
        return []  # "the heart, lungs, liver and spleen"
    items = [" ".join(part).rstrip(".,;:") for part in parts]
    items[-2] += " or" if pieces[joint] == "or" else ""
    return [" ".join(pieces[:start]).rstrip(":"), *items]


def _in_full(pieces: list[str], first: int, issues: Findings, english: str) -> str:
    """Write out each unexplained abbreviation of a sentence at its first use."""
    words_out = list(pieces)
    words = [word_of(piece).lower() for piece in pieces]
    if not _OF_GENES.isdisjoint(words):
        return ""
    for name, positions in issues.abbreviations.items():
        position = positions[0] - first
        full = abbreviations().get(name, ("",))[0]
        if not full[:1].isupper():  # a name is spelled one way everywhere
            full = in_english(full, english)
        is_explained = any(piece[0] == "(" for piece in pieces[position + 1 : position + 3])
        spelled = {one_spelling(word) for word in words}
        if is_explained or one_spelling(full.split(" ")[0]) in spelled or name in full:
            continue
        if full and 0 <= position < len(pieces) and word_of(pieces[position]) == name:
            before = words[position - 1] if position else ""
            if before in ("a", "an"):  # "an MRI"
                words_out[position - 1] = article_before(full, pieces[position - 1])
            if before not in _ARTICLES and not _BODIES.isdisjoint(full.split()):
                full = f"the {full}"
            said = upper_first(full) if position == 0 else full
            words_out[position] = pieces[position].replace(name, f"{said} ({name})")
    return " ".join(words_out) if words_out != pieces else ""
