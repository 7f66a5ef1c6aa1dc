"""Find the terms of a text that have plain words: at each word the longest term, by the first row
of the tables whose rules match.

If a plain term fits the sentence and is trusted, the offer can replace the term. Otherwise the
offer of a medical term has plain words for rewriting the sentence, and that of a general term only
a note, if any.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain

from understandability.feature.batch import Batch
from understandability.model.word_columns import complexities
from understandability.writers.inflection import BASE, PLURAL, one_spelling
from understandability.writers.plain_terms.english import AMERICAN, english_of, in_english
from understandability.writers.plain_terms.fitting import (
    changes_sense,
    fits,
    in_form,
    is_of_a_kind,
    placed,
    plain_of,
    term_in,
)
from understandability.writers.plain_terms.tagged_sentences import (
    BE,
    NAMES,
    NOUNS,
    Match,
    TaggedSentence,
    stems,
    tagged_sentences,
)
from understandability.writers.plain_terms.term_tables import (
    MEDICAL,
    PlainTerm,
    TermForm,
    abbreviations,
    earned_terms,
    index,
    is_medicine,
    plain_terms,
    recommended_words,
    trusted_terms,
    word_list,
)
from understandability.writers.sentence_edits import remembered, spans

# Tags that a term of each kind may have; taggers err on words that they have not seen.
_TAGS: Mapping[str, frozenset[str]] = {
    "noun": frozenset(("NOUN", "PROPN", "X")),
    "verb": frozenset(("VERB", "AUX")),
    "adjective": frozenset(("ADJ", "NOUN", "VERB", "PROPN", "ADV", "X")),
    "adverb": frozenset(("ADV", "ADJ", "SCONJ", "CCONJ", "NOUN", "ADP")),
}
_BEFORE_VERB = frozenset(("NOUN", "PROPN", "PRON", "AUX", "PART", "ADV"))
_OF_NAMES = frozenset(("noun", "adjective"))
_CAPTIONS = frozenset(("fig", "fig.", "figure", "table"))
_LEAST_IN_FULL = 3  # letters; shorter abbreviations have too many senses
_OF_GENES = frozenset(("gene", "genes", "mutation", "mutations", "allele", "alleles"))
_SMALL_WORDS = frozenset(("the", "our", "your", "their", "this", "each", "every"))
# In the full names of bodies and laws, which have "the" before them.
_BODIES = frozenset(
    (
        "Act", "Administration", "Agency", "Association", "Authority", "Bureau", "Centers",
        "Commission", "Department", "Institute", "Institutes", "Office", "Organization", "Program",
        "Scheme", "Service", "Services",
    )
)  # fmt: skip
_OPENS = frozenset((".", ":", ";", "?", "!", "(", "[", "“", "•", "‘", "-", "–", "—"))
EXPLAINED = "the text says what it means"
# Words before and after a term that may not say the same as its meaning, and as a click.
_DIRECTLY, _NEXT = 2, 5
_BESIDE = 12  # words before and after a term, which may explain it
_STEM = 5  # letters; words that share them count as related
_EMPTY = frozenset(
    ("and", "for", "the", "that", "with", "from", "which", "such", "into", "their", "than", "body")
)
_HARD_TERM = 0.44  # complexity; easier terms need no explanation in brackets
_MOST_IN_BRACKETS = 12  # words
_ENDS_NOUN = frozenset(
    ("PUNCT", "VERB", "AUX", "ADP", "CCONJ", "SCONJ", "ADV", "PRON", "DET", "PART")
)
# Words and signs that belong to the term before them, and may not follow a bracket.
_TIED = frozenset(("of", "to", ":", "(", "[", "'s", "’s", "-", "/"))
_NEVER_SEVERAL = frozenset(("damages", "hearings", "sights", "visions", "weaknesses"))
_RELATIVE = frozenset(("that", "where", "which", "who", "whose"))
_RELATIVES = frozenset((("in", "which"), ("by", "which"), ("for", "which"), ("of", "which")))
_CLASSES = frozenset(("a", "an", "medicine", "medicines", "drug", "drugs"))
_SEVERAL_SENSES = (", or ", ";")  # in a note
_KNOWN = 0.3  # complexity; a word of less has no note
_MARKED = 0.39  # complexity; a meaning without a click is marked for words of more
_EASY = 0.39  # complexity; general words of less are nearly as well known as what explains them
_IN_BRACKETS = re.compile(r"\w [(\[](\w[^()\[\]]{1,40})[)\]]")
_SYMBOL = re.compile("[A-Z][A-Z0-9]{2,7}")
_LONGEST_NAME = 6  # words of a term and after it, before an abbreviation in brackets


@dataclass(frozen=True, slots=True)
class Offer:
    """A term in a text, ``pieces[first:last]``, with suggestions of what to say instead, the best
    first.

    Each of `plain` has a replacement for these pieces in `texts`, with the right articles, capitals
    and punctuation. If no plain term fits the sentence, `texts` is empty and `plain` says what the
    term means, for a rewrite of the sentence. If one fits, `plain` holds only those that fit. If
    only `note` explains the term, `plain` and `texts` are empty.

    `in_brackets` is a replacement at the first use of a medical term for which no plain term fits:
    the term, followed by its meaning in brackets. It is '' if that would not read well.

    `marked` is True if a page should highlight the term. It is False for a well-known term without
    a replacement, and for later uses of a term that `in_brackets` explains.
    """

    first: int
    last: int
    term: str
    plain: tuple[str, ...]
    texts: tuple[str, ...]
    note: str
    kind: str
    in_brackets: str = ""
    marked: bool = True

    @property
    def is_explained(self) -> bool:
        """True if the text itself explains the term."""
        return self.note == EXPLAINED

    @property
    def how(self) -> str:
        """The label of the plain terms: "say" if they fit, otherwise "in plain words"."""
        return "say" if self.texts else "in plain words"


def covered(offered: Iterable[Offer]) -> set[int]:
    """Return the positions of all words that belong to a term with an offer."""
    return {position for offer in offered for position in range(offer.first, offer.last)}


# The offers of sentences that were looked through before, counted from their first piece.
_OFFERED: dict[tuple[str, tuple[str, ...]], tuple[Offer, ...]] = {}


def offers(batch: Batch, english: str | None = None) -> tuple[tuple[Offer, ...], ...]:
    """Return the offers for each document, in order: its terms with a plain term or a note.

    `english` is ``american`` or ``british``; by default it follows the spelling of the text.

    >>> from understandability.text.analysis import document_of_text
    >>> text = "She takes medication. He had a hernia."
    >>> document = document_of_text(text)
    >>> for offer in offers(Batch([document]))[0]:
    ...     print(offer.term, offer.plain, offer.texts)
    medication ('medicine',) ('medicine.',)
    hernia ('bulge through a muscle wall',) ()
    """
    starts: list[tuple[int, int]] = []  # document and first piece of each sentence
    keys: list[tuple[str, tuple[str, ...]]] = []
    for number, document in enumerate(batch.documents):
        spelled = english or english_of(document.pieces)
        for first, last in spans(document):
            starts.append((number, first))
            keys.append((spelled, document.pieces[first:last]))
    parts = [pieces for _, pieces in keys]

    def offers_of(numbers: Sequence[int]) -> Iterator[tuple[Offer, ...]]:
        for number, sentence in zip(numbers, tagged_sentences(batch, numbers, parts), strict=True):
            spelled, pieces = keys[number]
            of_terms = list(
                chain.from_iterable(term_offers for _, term_offers in _offers_in(sentence, pieces))
            )
            within = covered(of_terms)
            others = (
                offer for offer in _of_abbreviations(sentence, pieces) if offer.first not in within
            )
            in_order = sorted((*of_terms, *others), key=lambda offer: offer.first)
            yield tuple(said for offer in in_order for said in _in_english(offer, spelled))

    texts = (" ".join(document.pieces).lower() for document in batch.documents)
    in_brackets = [frozenset(_IN_BRACKETS.findall(text)) for text in texts]
    of_documents: list[list[Offer]] = [[] for _ in batch.documents]
    seen: list[dict[str, Offer]] = [{} for _ in batch.documents]
    for (number, start), offered in zip(starts, remembered(_OFFERED, keys, offers_of), strict=True):
        for offer in offered:
            if offer.term.lower() in in_brackets[number]:  # "body mass index (BMI)"
                offer = replace(offer, plain=(), texts=(), note=EXPLAINED, in_brackets="")
            first_use = seen[number].setdefault(one_spelling(offer.term), offer)
            if not first_use.is_explained and not first_use.texts and not first_use.in_brackets:
                # a heading, for example, has no place for an explanation
                seen[number][one_spelling(offer.term)] = offer
            elif first_use is not offer:
                offer = _later(offer, first_use)
            of_documents[number].append(
                replace(offer, first=offer.first + start, last=offer.last + start)
            )
    return tuple(map(tuple, of_documents))


def _later(offer: Offer, first_use: Offer) -> Offer:
    """Return the offer for a later use of a term, which is explained at its first use only."""
    if first_use.is_explained and not offer.texts:
        return replace(offer, plain=(), note=EXPLAINED, in_brackets="")
    is_enough = bool(first_use.in_brackets) and not offer.texts
    return replace(offer, in_brackets="", marked=offer.marked and not is_enough)


def _of_abbreviations(sentence: TaggedSentence, pieces: Sequence[str]) -> Iterator[Offer]:
    """Yield offers with the meaning of abbreviations and genes, unless the text explains them in
    brackets.
    """
    names = abbreviations()
    for position, token in enumerate(sentence.tokens):
        name = token if token in names else token.removesuffix("s")
        if sentence.is_in_compound(position, position + 1):
            continue  # "as-pi-RA-shun"
        if name == "IV" and (sentence.tag(position - 1) in NOUNS or "III" in sentence.tokens):
            continue  # a numeral: "stage IV", "stage I, II, III or IV"
        in_full = ""
        if name in names and "(" not in (sentence.word(position - 1), sentence.word(position + 1)):
            full, meaning = names[name]
            note = ": ".join(filter(None, (full, meaning)))
            if name == token and full:
                in_full = _in_full(sentence, position, full)
                if in_full:
                    piece = pieces[sentence.pieces[position]]
                    begin, end = sentence.begins[position], sentence.ends[position]
                    is_owner = piece[end:].startswith(("'", "’"))
                    in_full = "" if is_owner else piece[:begin] + in_full + piece[end:]
        elif _SYMBOL.fullmatch(name) and sentence.word(position + 1) in ("gene", "genes"):
            note = "the name of a gene"
        else:
            continue
        first = sentence.pieces[position]
        yield Offer(first, first + 1, name, (), (), note, MEDICAL, in_full)


def _in_full(sentence: TaggedSentence, position: int, full: str) -> str:
    """Return "urinary tract infection (UTI)" for "UTI"; '' if that would not read well."""
    name, before = sentence.tokens[position], sentence.word(position - 1)
    words = [word for word in full.split() if word[0].isalpha()]
    if len(name) < _LEAST_IN_FULL or len(words) < 2 or name in word_list("everyday"):
        return ""
    if _is_title(sentence) or {"VERB", "AUX"}.isdisjoint(sentence.tags):
        return ""
    is_inside = sentence.tokens[:position].count("(") > sentence.tokens[:position].count(")")
    is_pair = "/" in (before, sentence.word(position + 1))
    is_of_gene = not _OF_GENES.isdisjoint(map(sentence.word, range(len(sentence.tokens))))
    if is_inside or is_pair or is_of_gene or before in ("a", "an") or sentence.is_quoted[position]:
        return ""
    own = {one_spelling(word) for word in words}
    said = {one_spelling(token) for token in sentence.tokens}
    if sentence.tag(position - 1) == "PROPN" or one_spelling(words[0]) in said or name in full:
        return ""
    if len(own & said) > 1:
        return ""
    if before not in _SMALL_WORDS and not _BODIES.isdisjoint(words):
        full = f"the {full}"
    if position == 0:
        full = full[:1].upper() + full[1:]
    return f"{full} ({name})"


def _in_english(offer: Offer, english: str) -> Iterator[Offer]:
    """Yield the offer in the requested English, unless its only plain term is then the term
    itself.
    """
    if english == AMERICAN:
        yield offer
        return
    plain = [in_english(text, english) for text in offer.plain]
    others = [index for index, text in enumerate(plain) if text != offer.term.lower()]
    texts = [in_english(text, english) for text in offer.texts]
    if others or not plain:
        yield replace(
            offer,
            plain=tuple(plain[index] for index in others),
            texts=tuple(texts[index] for index in others) if texts else (),
            note=in_english(offer.note, english),
            in_brackets=_explained_in(offer, english),
        )


def _has_several_senses(row: PlainTerm, meaning: str, *, is_note: bool) -> bool:
    """Return True if the term may have another meaning, as shown by rules or by an "or" in its
    meaning.
    """
    if is_note and any(sign in meaning for sign in _SEVERAL_SENSES):
        return True
    return (not is_note and " or " in meaning and " " not in row.term) or row.term in _ambiguous()


@cache
def _ambiguous() -> frozenset[str]:
    """Return the terms with several rows for nouns."""
    sure = {row.term for row in plain_terms() if row.is_sure}
    # The row of a sure term without rules is only left for where the term is not sure.
    senses = {
        (row.term, row.plain[:1])
        for row in plain_terms()
        if row.part == "noun" and (row.is_sure or row.rules or row.term not in sure)
    }
    counts = Counter(term for term, _ in senses)
    return frozenset(term for term, count in counts.items() if count > 1)


def _explained_in(offer: Offer, english: str) -> str:
    """Return the term with its meaning in brackets, in the requested English."""
    if f" ({offer.term})" in offer.in_brackets:  # an abbreviation in full
        return in_english(offer.in_brackets, english)
    term, bracket, meaning = offer.in_brackets.partition(" (")
    return term + bracket + in_english(meaning, english)


def _offer(match: Match, pieces: Sequence[str]) -> Iterator[Offer]:
    """Yield at most one offer for a term; `pieces` are the pieces of its sentence."""
    row, sentence = match.form.row, match.sentence
    first, last = sentence.pieces[match.start], sentence.pieces[match.end - 1] + 1
    plain, texts, note = in_form(match, match.plain), tuple[str, ...](), row.note
    trusted = trusted_terms().get((row.term, row.part), frozenset())
    if match.is_defined or _is_said_nearby(match, row.note):
        plain, note = (), EXPLAINED
    elif fitting := [
        text
        for text in match.plain
        if (row.is_sure or text in trusted)
        and fits(match, text)
        and not _repeats(match, text, _NEXT)
    ]:
        first, last, plain, texts = placed(match, fitting, pieces)
        if texts[0] == " ".join(pieces[first:last]):
            return  # "side effects" for "side-effects"
    elif _is_recommended(row.term):
        return
    elif match.is_one_word and _complexity(row.term) < _KNOWN:
        return  # it can be said more plainly, but needs no help
    elif _is_well_known(row):
        return  # such words have many senses, and few readers need help with them
    else:
        plain = tuple(text for text in plain if not _says_little(match, text))
    if plain or note:
        term = term_in(match, pieces)
        explained = "" if texts or note == EXPLAINED else _in_brackets(match, pieces, plain)
        is_hard = _complexity(row.term) >= _MARKED and not is_medicine(row.term)
        is_marked = bool(texts or explained) or is_hard
        yield Offer(first, last, term, plain, texts, note, row.vocabulary, explained, is_marked)


def _in_brackets(match: Match, pieces: Sequence[str], plain: Sequence[str]) -> str:
    """Return the term with its meaning in brackets: "a hernia (bulge through a muscle wall)".

    The result is '' for easy terms and for terms that are not nouns. It is '' in headings, inside
    brackets or a longer name, and before words that belong to the term: "infarction of the brain".
    """
    row, sentence, end = match.form.row, match.sentence, match.end
    is_plural = match.form.name == PLURAL
    meaning = plain[0] if plain else row.note
    if row.part != "noun" or row.vocabulary != MEDICAL or _complexity(row.term) < _HARD_TERM:
        return ""
    if match.stays or not meaning or len(meaning.split()) > _MOST_IN_BRACKETS:
        return ""
    if not plain and is_plural and meaning.startswith(("a ", "an ", "the ", "one ")):
        return ""
    if _has_several_senses(row, meaning, is_note=not plain):
        return ""
    if is_plural and meaning in row.plain:
        is_clause = not {"VERB", "AUX", "PRON", "DET"}.isdisjoint(plain_of(meaning).tags)
        if is_clause or plain_of(meaning).head.endswith("ing"):
            return ""  # "a tube that carries"
        meaning = row.plurals[row.plain.index(meaning)]
    if match.is_one_word and any(word in row.term for word in meaning.split() if len(word) > 3):
        return ""  # "subtype (type)"
    if match.next_word == "," and sentence.word(end + 1) in ("a", "an", "the"):
        return ""  # "the placenta, the organ that feeds an unborn baby"
    is_end = sentence.tag(end) in _ENDS_NOUN and match.next_word not in _TIED
    is_inside = sentence.tokens[:end].count("(") > sentence.tokens[:end].count(")")
    has_verb = not {"VERB", "AUX"}.isdisjoint(sentence.tags)
    is_in_name = match.tag_before == "PROPN" or (match.is_one_word and match.tag_before == "NOUN")
    if not is_end or is_inside or not has_verb or is_in_name or match.last_word == ")":
        return ""
    if match.next_word == "," and sentence.word(end + 1) == "or":
        return ""  # "dysphagia, or trouble swallowing,"
    if match.next_word == "or" and "".join(sentence.tokens[end + 1 : end + 2]).isupper():
        return ""  # "alpha-synuclein or SNCA"
    if (match.next_word, sentence.word(end + 1)) in _RELATIVES or match.next_word in _RELATIVE:
        return ""  # "a meningocele in which the nerves stay inside"
    if match.next_word.endswith("ing") or (is_plural and meaning.split()[-1] in _NEVER_SEVERAL):
        return ""  # "adverse event reporting", "visual impairments (poor sights)"
    if _repeats(match, meaning, _NEXT) or _is_circular(row.term, meaning):
        return ""
    if match.tag_before == "CCONJ" and sentence.tag(match.start - 2) == "ADJ":
        return ""  # "renal and hepatic function"
    if match.tag_before == "ADJ" and match.is_one_word and is_of_a_kind(match):
        return ""  # "orbital cellulitis"
    before_words = {sentence.word(position) for position in range(match.start - 12, match.start)}
    if meaning.split()[0] in _CLASSES and {"such", "as"} <= before_words:
        return ""  # "antibiotics such as doxycycline (a medicine against bacteria)"
    if match.tag_before == "ADJ" and meaning.split()[0].endswith("ing"):
        return ""  # "neurohormonal activation (switching on)"
    before = pieces[sentence.pieces[match.start] : sentence.pieces[end - 1] + 1]
    last = before[-1]
    at = sentence.ends[end - 1]
    return " ".join((*before[:-1], f"{last[:at]} ({meaning}){last[at:]}"))


def _is_circular(term: str, meaning: str) -> bool:
    """Return True if half of a meaning repeats the term: "risk-reducing surgery"."""
    own = {word[:_STEM] for word in re.findall("[a-z]{3,}", term.lower())}
    said = [word[:_STEM] for word in re.findall("[a-z]{4,}", meaning) if word not in _EMPTY]
    return bool(said) and 2 * sum(word in own for word in said) >= len(said)


@lru_cache(1 << 14)
def _is_recommended(term: str) -> bool:
    """Return True for a term that plain terms themselves use: "painkiller", "blood thinners"."""
    return all(word.lower() in recommended_words() for word in term.split())


def _is_well_known(row: PlainTerm) -> bool:
    """Return True for a general term that is nearly as well known as the words that would explain
    it.
    """
    is_easy = row.vocabulary != MEDICAL and _complexity(row.term) < _EASY
    return is_easy and row.term not in earned_terms()


@lru_cache(1 << 14)
def _complexity(term: str) -> float:
    """Return the complexity of the hardest word of a term, from 0 to 1."""
    return float(max(complexities(term.split())))


def _is_said_nearby(match: Match, note: str) -> bool:
    """Return True if two words of a note occur near the term: "platelets are cells that help
    clotting".
    """
    said = frozenset(re.findall("[a-z]{4,}", note)) - _EMPTY
    return len(match.sentence.said_beside(said, match.start, match.end, _BESIDE)) > 1


def _says_little(match: Match, plain: str) -> bool:
    """Return True for a plain term that repeats the term or the words around it: "transplant"."""
    own, said = (
        {word[:_STEM] for word in re.findall("[a-z]{3,}", text) if word not in _EMPTY}
        for text in (match.form.row.term, plain)
    )
    return said <= own or _is_said_nearby(match, plain)


def _offers_in(
    sentence: TaggedSentence, pieces: Sequence[str]
) -> Iterator[tuple[Match, tuple[Offer, ...]]]:
    """Yield the longest term that begins at each word, without overlaps, and the offers for it.

    If a term has no offer, a medical term within it may have one: "glucose" in "blood glucose".
    General terms within it have too many senses: "confidence" in "confidence interval". In a
    reference to a paper ("Kramer MS, et al.") nothing is offered.
    """
    if {"et", "al", "al."}.intersection(sentence.tokens) > {"et"}:
        return
    is_title, (forms, longest) = _is_title(sentence), index()
    words = [one_spelling(token) for token in sentence.tokens]
    at = within = 0  # up to there goes a term that nothing is offered for
    while at < len(words):
        for size in range(min(longest.get(words[at], 0), len(words) - at), 0, -1):
            candidates = forms.get(tuple(words[at : at + size]))
            match = _chosen(candidates, sentence, at, at + size, is_title) if candidates else None
            if match is None or (at < within and match.form.row.vocabulary != MEDICAL):
                continue
            offered = tuple(_offer(match, pieces))
            if offered or at >= within:
                yield match, offered
            if offered:
                at += size - 1
                break
            within = max(within, at + size)
        at += 1


def _is_title(sentence: TaggedSentence) -> bool:
    """Return True for a title or a caption: "Looking At It", "Zinc, Lactose", "Figure 1. Eye"."""
    if sentence.word(0) in _CAPTIONS and any(map(str.isdigit, sentence.word(1))):
        return True
    letters = [token for token in sentence.tokens if token.isalpha()]
    if len(letters) > 2 and all(token[0].isupper() for token in letters):
        return True
    words = [token for token in letters if len(token) > 3]
    capital = sum(token[0].isupper() for token in words)
    return len(words) > 2 and capital > 0.8 * len(words)


def _chosen(
    forms: Sequence[TermForm], sentence: TaggedSentence, start: int, end: int, is_title: bool
) -> Match | None:
    """Return the first candidate whose part of speech and rules match; None if there is none.

    In a title, a name, a quotation (the words of somebody else), a pair ("cancer/tumor") or an
    abbreviation, words must not be replaced. The match then `stays` and only gets a note; in a name
    only if it is medical.
    """
    word = sentence.tokens[start]
    if end - start == 1 and word.isupper() and len(word) > 1:
        return None  # an abbreviation, a gene or a heading
    is_name = not is_title and _is_name(sentence, start, end)
    if sentence.is_in_compound(start, end) or _is_figurative(sentence, start, end):
        return None
    is_infinitive = sentence.is_infinitive(end - 1)
    parts = {form.row.part for form in forms}
    stays = (
        is_title
        or is_name
        or sentence.is_quoted[start]
        or (_is_before_name(sentence, end) and parts <= _OF_NAMES)
        or "/" in (sentence.word(start - 1), sentence.word(end))
        or _is_in_abbreviated(sentence, start, end)
    )
    for form in forms:
        row = form.row
        if _has_part(form, parts, sentence, start, end) and all(
            sentence.holds(rule, start, end) for rule in row.rules
        ):
            if stays:
                has_note = row.note and (row.vocabulary == MEDICAL or not is_name)
                return Match(form, (), sentence, start, end, True) if has_note else None
            match = Match(form, row.plain, sentence, start, end)
            plain = tuple(
                text
                for text in row.plain
                if not changes_sense(match, text)
                and not _repeats(match, text, _DIRECTLY)
                and not (is_infinitive and plain_of(text).tags[-1] in ("ADP", "SCONJ"))
            )
            if plain or row.note or match.is_defined:
                return replace(match, plain=plain)
    return None


def _is_figurative(sentence: TaggedSentence, start: int, end: int) -> bool:
    """Return True if a medical word is not about a body or an illness here.

    Examples are "a haemorrhage of staff" and "chronic liar".
    """
    if end - start > 1:
        return False
    ordinary = word_list("without a body")
    if sentence.tag(start) == "ADJ" or sentence.tag(end) in NOUNS:
        return not ordinary.isdisjoint(sentence.stems(end))
    at = end + 1
    if sentence.word(end) not in ("of", "for", "over"):
        return False
    while sentence.tag(at) in ("DET", "ADJ", "NUM", "PRON") and at < end + 4:
        at += 1
    return not ordinary.isdisjoint(sentence.stems(at))


def _is_name(sentence: TaggedSentence, start: int, end: int) -> bool:
    """Return True for words in a name: "the American Academy of Pediatrics"."""
    if not sentence.tokens[start][0].isupper():
        return False
    if end < len(sentence.tokens) and sentence.tokens[end].istitle() and sentence.tag(end) in NAMES:
        return True  # "Endometrial Cancer Prevention"
    return start > 0 and (sentence.word(start - 1) not in _OPENS or sentence.word(end) == ",")


def _is_before_name(sentence: TaggedSentence, end: int) -> bool:
    """Return True for a term before a name: "recurrent Hodgkin lymphoma", "hepatitis B"."""
    name = sentence.tokens[end] if end < len(sentence.tokens) else ""
    is_letter = len(name) == 1 and name.isupper() and name not in "AI"
    return is_letter or (name.istitle() and len(name) > 1 and sentence.tag(end) in NOUNS)


def _is_in_abbreviated(sentence: TaggedSentence, start: int, end: int) -> bool:
    """Return True if the words belong to a full form whose abbreviation follows in brackets.

    "Familial medullary thyroid cancer (FMTC)" is a name; none of its words can be replaced.
    """
    for position in range(end, min(end + _LONGEST_NAME, len(sentence.tokens) - 1)):
        first = sentence.abbreviated(position)
        if first is not None and first <= start:
            return (first, position) != (start, end)
    return False


def _has_part(
    form: TermForm, parts: set[str], sentence: TaggedSentence, start: int, end: int
) -> bool:
    """Return True if the words at ``start:end`` can have the part of speech of the form.

    `parts` are the parts of speech of all candidate terms there.

    "are present" and "had advanced cancer" have no verb; a noun before "syndrome" or "disease" is a
    part of its name.
    """
    part, before, following = form.row.part, sentence.tag(start - 1), sentence.tag(end)
    if part == "verb":
        if form.name == BASE and sentence.word(start - 1) in BE:
            return False
        if "adjective" in parts and following in NAMES and before not in _BEFORE_VERB:
            return False
    if part == "noun" and sentence.word(end) in ("syndrome", "disease") and following in NOUNS:
        return False
    if part == "phrase" or end - start > 1:
        return True
    tag = sentence.tag(start)
    as_noun = (
        part == "noun" and tag == "ADJ" and ("adjective" not in parts or following not in NAMES)
    )
    return tag in _TAGS[part] or as_noun


def _repeats(match: Match, plain: str, within: int) -> bool:
    """Return True if a word of the plain term already precedes or follows: "supporting tissue
    tissue".
    """
    own = [stems(word) for word in re.split("[ -]", plain) if len(word) > 3]
    return bool(match.sentence.said_beside(frozenset().union(*own), match.start, match.end, within))
