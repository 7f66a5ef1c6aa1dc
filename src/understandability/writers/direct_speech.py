"""Rewrite formal sentences directly: verbs for nouns of action, "if" for "where", no introductory
phrases.

    Avoidance of alcohol is recommended.           You should avoid alcohol.
    Adjustment of the dose is not permitted.       You must not change the dose.
    It should be noted that fever may be absent.   Fever may be absent.
    Where pain persists, advice should be sought.  If pain persists, advice should be sought.

A sentence is addressed to the reader only if the reader performs the action. A nurse does what
"removal of stitches is required" demands, but "removal of the patch should not be attempted"
applies to everybody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from understandability.resources import resource_lines
from understandability.writers.cutting import upper_first
from understandability.writers.plain_terms.tagged_sentences import TaggedSentence

# Adjective before a noun of action -> adverb after its object.
_ADVERBS: Mapping[str, str] = {
    "careful": "carefully",
    "close": "closely",
    "early": "early",
    "frequent": "often",
    "full": "in full",
    "immediate": "at once",
    "prompt": "promptly",
    "regular": "regularly",
    "strict": "strictly",
}
_BEFORE_VERB = frozenset(("carefully", "closely", "promptly", "regularly", "strictly"))
# What is said of the act -> how that is said to the reader.
_TO_READER: Mapping[str, str] = {
    "advisable": "should",
    "encouraged": "are encouraged to",
    "advised": "should",
    "compulsory": "must",
    "essential": "must",
    "indicated": "should",
    "mandatory": "must",
    "necessary": "must",
    "obligatory": "must",
    "recommended": "should",
    "required": "must",
}
_REFUSED: Mapping[str, str] = {
    "contraindicated": "must not",
    "forbidden": "must not",
    "inadvisable": "should not",
    "not advisable": "should not",
    "not advised": "should not",
    "not allowed": "must not",
    "not permissible": "must not",
    "not permitted": "must not",
    "not recommended": "should not",
    "prohibited": "must not",
}
_DONE = frozenset(("attempted", "carried out", "implemented", "performed", "undertaken"))
_MOST_TOLD = 6  # words of the name of a body

_ACT = re.compile(
    r"(?P<lead>(?:After|At|Before|During|Following|For|From|If|In|On|Once|Prior to|Unless|Until|"
    r"Upon|When)\b[^,;:]*, )?(?P<article>the )?(?:(?P<adjective>\w+) )?(?P<noun>\w+) "
    r"(?P<joint>at|for|from|in|of|to|with) (?P<object>.+?) "
    r"(?P<verb>is to|is|must|should)(?P<negative> not)?(?: (?P<adverb>also|generally|normally|"
    r"only|strongly|therefore|thus|usually))?(?: be)? (?P<what>carried out|\w+)"
    r"(?P<rest>(?=[ .,;:]).*|$)",
    re.IGNORECASE,
)
# Somebody else: the act may not be the reader's.
_OTHERS = re.compile(
    r"\b(?:adolescents?|adults?|babies|baby|child|children|cases|doctors?|he|her|him|his|infants?|"
    r"men|newborns?|participants?|patients?|people|person|persons|pregnancy|she|staff|subjects|"
    r"survivors|their|them|they|those|women|workers?)\b",
    re.IGNORECASE,
)
_CLAUSE_TAGS = frozenset(("AUX", "SCONJ"))
_RELATIVE = frozenset(("that", "which", "who", "whose", "whom", "by", "whether"))
_BY_SOMEBODY = re.compile(r" (?:given|issued|prescribed|provided|recommended|supplied) by .*")
# Bodies and people that can be told something.
_BODIES = frozenset(
    (
        "authority", "bank", "board", "center", "centre", "clinic", "clinician", "council",
        "dentist", "department", "doctor", "employer", "gp", "hospital", "hub", "insurer",
        "landlord", "midwife", "nurse", "office", "pharmacist", "physician", "practice", "school",
        "service", "staff", "surgery", "team", "unit", "ward",
    )
)  # fmt: skip
_READERS = (
    "applicants|carers|claimants|clients|customers|employees|householders|members|parents|"
    "participants|patients|people|recipients|residents|service users|students|tenants|travellers|"
    "travelers|visitors|you"
)
_FRAME = re.compile(
    rf"(?:(?P<should>(?:All )?(?:{_READERS}) should (?:also )?(?:be (?:advised|aware|informed|"
    r"reminded|warned)|note))|It (?:should|must) be (?:noted|remembered|stressed|emphasi[sz]ed)|"
    r"It is (?:important|worth) (?:to note|noting)|Please (?:note|be (?:aware|advised)))"
    r" that,? (?P<rest>.+)",
    re.IGNORECASE,
)
_THEY = re.compile(r"\b(?:their|they|them|themselves)\b", re.IGNORECASE)
_WHERE = re.compile(r"Where (?P<clause>[^,;:()]+), (?P<main>.+)")
_CONDITIONS = re.compile(
    r"\b(?:applies|apply|are|arise|arises|exist|exists|fails?|has|have|is|occurs?|persists?|"
    r"remains?|develops?|supervenes?|was|were)\b"
)
_PLACES = re.compile(r"\b(?:live|lives|located|situated|meet|meets|joins?|grows?|born|found)\b")
_BINDS = re.compile(r"\b(?:can|may|might|must|shall|should|will|is required|are required)\b")
_WHERE_INSIDE = re.compile(
    r"\b(only|even|except|indicated|required|needed|permitted|recommended|advised|allowed) where "
    r"(?=(?:\w+ ){1,8}(?:is|are|has|have|persists?|occurs?|exists?|cannot)\b)"
)


class Act(NamedTuple):
    """A row of ``acts.tsv``: the verb for a noun of action, and whether readers perform it
    themselves.
    """

    verb: str
    is_of_reader: bool


@cache
def acts() -> Mapping[tuple[str, str], Act]:
    """Return the acts, keyed by the noun of action and the word that joins its object.

    >>> acts()["adherence", "to"]
    Act(verb='follow', is_of_reader=True)
    """
    rows = (line.split("\t") for line in resource_lines("plain_terms/acts.tsv")[1:])
    return {(noun, joint): Act(verb, who == "reader") for noun, joint, verb, who in rows}


def without_frame(text: str) -> str:
    """Remove an introduction such as "It should be noted that" or "Patients should be advised
    that".

    >>> without_frame("It should be noted that fever may be absent.")
    'Fever may be absent.'
    """
    frame = _FRAME.fullmatch(text)
    return upper_first(frame["rest"]) if frame else text


def direct(sentence: TaggedSentence, pieces: Sequence[str]) -> str:
    """Return the sentence said directly; '' if no rule clearly applies."""
    text = " ".join(pieces)
    for rule in (_without_frame, _with_if):
        changed = rule(text)
        if changed != text:
            return changed
    changed = _to_reader(sentence, text)
    return changed if changed != text else ""


def _without_frame(text: str) -> str:
    """Remove "Patients should be advised that", unless the sentence goes on with "they"."""
    frame = _FRAME.fullmatch(text)
    if not frame:
        return text
    rest = frame["rest"]
    if frame["should"]:
        if _THEY.search(rest):
            return text
        return f"You should know that {rest}"
    return upper_first(rest)


def _with_if(text: str) -> str:
    """Replace "Where" by "If" in "Where pain persists, call us"; not for places: "Where the bones
    meet".
    """
    inside = _WHERE_INSIDE.sub(r"\1 if ", text)
    if inside != text:  # "is indicated where A, where B or where C"
        text = re.sub(r"(, |\bor )where (?=.*)", r"\1if ", inside)
    where = _WHERE.fullmatch(text)
    if (
        where
        and _CONDITIONS.search(where["clause"])
        and _BINDS.search(where["main"])
        and not _PLACES.search(where["clause"])
    ):
        return f"If {where['clause']}, {where['main']}"
    return text


def _to_reader(sentence: TaggedSentence, text: str) -> str:
    """Turn "Avoidance of alcohol is recommended" into "You should avoid alcohol"."""
    match = _ACT.fullmatch(text)
    if not match:
        return text
    adjective = (match["adjective"] or "").lower()
    act = acts().get((match["noun"].lower(), match["joint"].lower()))
    how = _how(match)
    if act is None or not how or _OTHERS.search(text):
        return text
    adverb = _ADVERBS.get(adjective, "")
    if adjective and (not adverb or match["article"]):
        return text
    if not act.is_of_reader and "not" not in how:
        return text
    object_, rest = match["object"], match["rest"]
    first = len(text[: match.start("object")].split())
    if not _is_one_object(sentence, object_, first) or _is_bound(rest):
        return text
    words = object_.lower().split()
    if act.verb == "tell" and (len(words) > _MOST_TOLD or _BODIES.isdisjoint(words)):
        return text  # "notification of changes": of whom?
    if "intake" in words or (" not " in rest and "not" in how):
        return text
    if re.search(rf"\b(?:and|or) {match['joint']}\b", object_):
        return text  # "from food for eight hours and from liquids for two"
    verb = "keep to" if act.verb == "follow" and "following" in words else act.verb
    before, after = (adverb, "") if adverb in _BEFORE_VERB else ("", adverb)
    lead = match["lead"] or ""
    said = ("you" if lead else "You", how, before, verb, object_, after)
    return re.sub(r",(?: ?,)+", ",", lead + " ".join(filter(None, said)) + rest)


def _how(match: re.Match[str]) -> str:
    """Return the verb for the reader, such as "should" for "is strongly advised"; '' if unclear."""
    verb, what = match["verb"].lower(), match["what"].lower()
    is_negative, adverb = bool(match["negative"]), (match["adverb"] or "").lower()
    if verb == "is":
        if adverb in ("generally", "normally", "usually") and not is_negative:
            return ""
        if is_negative:
            return "" if adverb else _REFUSED.get(f"not {what}", "")
        return _TO_READER.get(what, "") or _REFUSED.get(what, "")
    modal = "should" if verb == "should" else "must"
    if adverb in ("generally", "normally", "usually", "only"):
        return ""
    if what in _DONE:
        return f"{modal} not" if is_negative else modal
    return f"{modal} not" if what == "avoided" and not is_negative else ""


def _is_one_object(sentence: TaggedSentence, object_: str, first: int) -> bool:
    """Return True if the object is a plain noun phrase, without a clause, an agent or a noun of
    action.

    `first` is the index of the piece with which the object begins.
    """
    words = re.findall(r"[\w'’-]+", _BY_SOMEBODY.sub("", object_.lower()))
    if not _RELATIVE.isdisjoint(words) or any(sign in object_ for sign in ";:()"):
        return False
    inside = range(first, first + len(object_.split()))
    tags = {tag for tag, n in zip(sentence.tags, sentence.pieces, strict=True) if n in inside}
    nouns = {noun for noun, _ in acts()}
    return _CLAUSE_TAGS.isdisjoint(tags) and nouns.isdisjoint(words)


def _is_bound(rest: str) -> bool:
    """Return True if the rest of the sentence names an agent, a purpose or a second clause."""
    following = rest.lstrip().lower()
    if following.startswith(("by ", "to ", "in order", "for the ", "from ", "of ", ", which")):
        return True
    return bool(re.search(r"\b(?:and|but)\b(?=.*\b(?:is|are|should|must|may|will|can)\b)", rest))
