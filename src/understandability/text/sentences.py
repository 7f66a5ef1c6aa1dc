"""Sentence splitting by rules on the end of one piece and the beginning of the next.

Each distinct piece is classified once, as one character, and only if it may end a sentence at all.
``scripts/evaluate/language.py`` compares the result with Punkt.

Whether the end of an extracted field ends a sentence is a setting (`SENTENCE_ENDS`). Palotti,
Zuccon & Hanbury (2015) found that it changes readability scores more than the extractor does:
without a period at the end of a heading or list item, sentences run on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from understandability import _core
from understandability._core.layout import PIECE_ENDS
from understandability.errors import OptionError
from understandability.text.cache import BoundedCache
from understandability.text.document import Block, Uncut
from understandability.text.other_languages import LANGUAGES, other_language
from understandability.text.stop_words import frequent_words_of
from understandability.text.tokens import spaced

# Abbreviations that a name, a number or the rest of a comparison follows. They never end a
# sentence.
_NEVER_LAST = """
    dr mr mrs ms prof st rev sen gen gov lt col sgt capt cmdr messrs mme mlle hon attn mt
    vs v viz cf e.g eg i.e ie fig figs eq eqs ref refs nos vol vols pp p ch approx ca esp incl resp
    ver an dept univ para adm maj cpl pvt supt insp det bro eng abb abs nr zb bzw bspw
"""
# Abbreviations that may end a sentence: they do before a capitalised word that often begins one.
_MAY_BE_LAST = """
    al etc inc ltd co corp jr sr bros no ave blvd rd dist est tel ext
    inj susp sol soln tabs caps spp sp subsp var max
    ph.d pharm.d dir mgr asst natl intl treas exec
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
"""
_STARTERS = """
    a an the this that these those it its he she they we you i his her their our your my there
    here if when while where what who why how which in on at for from with by after before as
    although though because since but and so or yet however some many most all each both one no
    not do does did is are was were can could will would should may might please use take to
    among during under until also then thus therefore other others
    ask avoid bring call check come don't drink eat follow get give go keep let look make never put
    read remember rest see stop swallow talk tell try wait wash
"""
# Units: after a number they end a sentence before any capital ("Take 20 mg. Drink water.").
_UNITS = """
    g mg mcg µg μg kg lb lbs oz l L ml dl cl µl fl m cm mm km ft yd mi h hr hrs min mins s sec secs
    d wk wks yr yrs mo mos gal qt mph bpm rpm ppm mmol mol mmhg kcal cal kj iu kpa psi hz khz mhz w
    kw v mv std sek tsp tbsp gtt г мг мкг кг л мл м см мм км ч мин сек ед ккал
"""
# Words after which a letter is a name and may end a sentence ("You lack vitamin C. Eat fruit.").
# With a number they are a label at the start of a sentence ("Step 1. Wash your hands.").
_LETTER_WORDS = """
    vitamin vitamins hepatitis type types group groups grade class plan section part appendix annex
    factor protein strain influenza flu option figure fig table category stage step blood schedule
    unit ward team level point phase zone room gate terminal side column row chapter answer question
    block building floor line list item box form exhibit test sample streptococcus omega and or
    chapter rule tip example lesson day week schritt frage antwort kapitel regel tipp beispiel tag
    woche étape question réponse chapitre règle conseil exemple paso pregunta respuesta capítulo
    regla consejo ejemplo passo domanda risposta capitolo pergunta resposta stap vraag antwoord шаг
    вопрос ответ глава
    vitamine vitamina vitaminas vitamines hépatite hepatite epatite gruppe klasse
    abschnitt teil anhang stufe haus groupe classe partie annexe gruppo parte grupo clase sección
    tipo groep klas deel bijlage витамин витамина витамины гепатит гепатита тип типа группа группы
    класс раздел часть
    blutgruppe bloedgroep grade letter choice letra lettre buchstabe
"""
# Abbreviations before a number that ends a sentence even where numbers are ordinals ("Siehe Abb. 3.
# Weiter."), and labels of what follows ("Question. Can I eat?").
_NUMBER_LABELS = """
    abb. abs. art. nr. kap. tab. fig. no. s. p. pp. sect. §
    question. answer. frage. antwort. réponse. pregunta. respuesta. domanda. risposta. pergunta.
    resposta. vraag. antwoord. вопрос. ответ.
"""
# Words between one of `_LETTER_WORDS` and its letter ("Your blood group is O. Give blood.").
_COPULAS = frozenset(
    ("is", "was", "be", "are", "were", "ist", "war", "est", "es", "é", "è", "era", "är")
)
# Abbreviations that belong to a number after them.
_LABELS = """
    art sect reg regs cl app ex tab pt ser div ann sch abs § pg kap nr
"""
_NUMERAL = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}|[^\W\d_]\d{1,2}")
# The classes of beginnings of pieces. `_CONTINUED` cannot begin a sentence.
_LOWER, _UPPER, _STARTER, _OTHER, _DIGIT, _CONTINUED = "lusodx"
# The classes of ends of pieces, and the beginnings before which each ends a sentence.
_NONE, _ALONE, _EXCLAIMED = PIECE_ENDS["NONE"], PIECE_ENDS["ALONE"], PIECE_ENDS["EXCLAIMED"]
_QUOTED, _STOPPED, _DOTS = PIECE_ENDS["QUOTED"], PIECE_ENDS["STOPPED"], PIECE_ENDS["DOTS"]
_ABBREVIATED, _NUMBER = PIECE_ENDS["ABBREVIATED"], PIECE_ENDS["NUMBER"]
_UNIT, _LETTER, _LABEL = PIECE_ENDS["UNIT"], PIECE_ENDS["LETTER"], PIECE_ENDS["LABEL"]
_BEFORE = {
    _ALONE: _UPPER + _STARTER,
    _EXCLAIMED: _LOWER + _UPPER + _STARTER + _OTHER + _DIGIT,
    _QUOTED: _UPPER + _STARTER + _OTHER + _DIGIT,  # "Why?" she asked.
    _STOPPED: _LOWER + _UPPER + _STARTER + _OTHER + _DIGIT,
    _ABBREVIATED: _STARTER,
    _NUMBER: _UPPER + _STARTER + _OTHER + _DIGIT,
    _LABEL: _UPPER + _STARTER + _OTHER,
    _DOTS: _UPPER + _STARTER,
}

_OPENING = "\"'“‘«([{*¿¡"
_CLOSING = "\"'”’»)]}*"
_ROMAN = frozenset(("ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii"))  # of list items
_REFERENCE = re.compile(r"(?<=[.?!…])(?:\[[\w, –-]{1,9}\])+$")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_VOWELLESS = re.compile(r"[^\W\d_aeiouyAEIOUY]{2,}")
_ONLY_DOTS = frozenset(".…")
_WITHOUT_ANY_VOWEL = re.compile(r"[b-df-hj-np-tv-xzßçñśćźńłбвгджзйклмнпрстфхцчшщьъ]{2,}")
# Closing marks, stops and smileys between white space belong to the sentence before them.
_LONE = re.compile(r"[\"'”’»)\]}.?!…]+|[:;=]['-]?[()DPp]|\^_+\^")


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of a language for the ends of sentences."""

    never_last: frozenset[str]
    may_be_last: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    vowelless: re.Pattern[str] = _VOWELLESS
    number: str = _NUMBER
    opening: str = _OPENING
    closing: str = _CLOSING
    stops: tuple[str, ...] = ()  # other full stops
    exclaims: str = "?!"  # the marks of questions and exclamations
    units: frozenset[str] = frozenset(_UNITS.split())
    labels: frozenset[str] = frozenset(_LABELS.split())


_ENGLISH = _Rules(
    frozenset(_NEVER_LAST.split()), frozenset(_MAY_BE_LAST.split()), frozenset(_STARTERS.split())
)


def _end_of(piece: str, rules: _Rules = _ENGLISH) -> str:
    if not piece[-2:-1].isalnum() and _LONE.fullmatch(piece):
        return _ALONE
    closed = (_REFERENCE.sub("", piece) if piece.endswith("]") else piece).rstrip(rules.closing)
    body = closed.rstrip(".…" + rules.exclaims)
    marks = closed[len(body) :]
    if not marks:
        return _EXCLAIMED if closed.endswith(rules.stops) else _NONE
    if not _ONLY_DOTS.issuperset(marks):
        return _QUOTED if piece[-1] in rules.closing else _EXCLAIMED
    if len(marks) > 1 or marks == "…":
        return _DOTS
    word = body.lstrip(rules.opening)
    if word.lower() in rules.never_last:
        return _NONE
    if word in rules.units or (len(word) > 1 and word.lower() in rules.units):
        return _UNIT
    if len(word) == 1 and word.isalpha():
        return _LETTER
    if word.lower() in rules.labels and rules.may_be_last.isdisjoint((word, word.lower())):
        return _LABEL
    if not rules.may_be_last.isdisjoint((word, word.lower())) or _DOTTED.fullmatch(word):
        return _ABBREVIATED
    if _NUMERAL.fullmatch(word) or word.lower() in _ROMAN:
        return rules.number
    if rules.vowelless.fullmatch(word) and not word.isupper():
        return _ABBREVIATED
    return _STOPPED


def _start_of(piece: str, rules: _Rules = _ENGLISH) -> str:
    word = piece.lstrip(rules.opening)
    if word[:1].isupper():
        return _STARTER if word.rstrip(".,;:'\"").lower() in rules.starters else _UPPER
    if word[:1].isdecimal():
        return _DIGIT
    if piece[:1] in "&=,;" and len(piece) == 1:
        return _CONTINUED
    return _LOWER if word[:1].islower() and "://" not in word else _OTHER


# The last characters of the pieces that may end a sentence: for all others `_end_of` is _NONE.
_MARKS = ".?!…\"'”’»()]}*^DPp“‘«‹।॥|؟;\u037e"
_LAST_BYTES = {mark.encode()[-1] for mark in _MARKS}
_MAY_END = bytes(byte in _LAST_BYTES for byte in range(256))


@cache
def _classes(language: str) -> tuple[BoundedCache[str], BoundedCache[str]]:
    """Return two caches that classify pieces: by their end, and by their beginning."""
    if language == "en":
        rules = _ENGLISH
    else:
        other = other_language(language)
        rules = _Rules(
            frozenset(),
            other.abbreviations,  # "max." and "Max.", "art." and "Art."
            frequent_words_of(language),
            vowelless=_WITHOUT_ANY_VOWEL,
            number=_ABBREVIATED if other.has_ordinals else _NUMBER,
            opening=_OPENING + "„‚»›",
            closing=_CLOSING + "“‘«‹",
            stops=("।", "॥", "|") if language == "hi" else (),
            exclaims="!" + other.questions,
        )
    return BoundedCache(partial(_end_of, rules=rules)), BoundedCache(
        partial(_start_of, rules=rules)
    )


def sentence_starts(pieces: Sequence[str], language: str = "en") -> list[int]:
    """Return the indexes of the pieces that begin a sentence.

    The first is 0. A sentence ends at sentence punctuation, but not at abbreviations, initials,
    decimals, addresses and the numbers of a list. `language` is ``en`` or one of
    `other_languages.LANGUAGES`.

    >>> sentence_starts("Ask Dr. Lee. Take 2.5 mg b.i.d. with food, e.g. bread. Rest!".split())
    [0, 3, 11]
    """
    return list(_uncut(str, [" ".join(pieces)], [False], language).cut()[1])


def uncut(
    texts: list[str], are_open: list[bool], language: str | None, blocks: Iterable[Block] = ()
) -> Uncut:
    """Return an object that splits texts into sentences, by the rules of a language, when needed.

    No sentence runs across the end of a text. For a language that is not in
    `other_languages.LANGUAGES`, the rules of English apply.

    Args:
        texts: The texts.
        are_open: A mask of the texts that end without punctuation.
        language: The language of the texts.
        blocks: The blocks that the texts come from.

    >>> tuple(uncut(["Flu", "Rest. Drink water."], [True, False], "en").cut())
    (('Flu', 'Rest.', 'Drink', 'water.'), (0, 1, 2), (0,))
    """
    rules = language if language in LANGUAGES else None
    return _uncut(spaced, texts, are_open, rules or "en", blocks)


_BEFORE_LETTERS = frozenset((*_LETTER_WORDS.split(), *_NUMBER_LABELS.split()))


def _uncut(
    normalise: Callable[[str], str],
    texts: list[str],
    are_open: list[bool],
    language: str,
    blocks: Iterable[Block] = (),
) -> Uncut:
    cutter = _core.SentenceCutter(
        *_classes(language), _MAY_END, _BEFORE, _BEFORE_LETTERS, _COPULAS, normalise
    )
    return Uncut(texts, partial(cutter.cut, texts, are_open), blocks)


# Sentence punctuation, possibly followed by closing quotes and brackets.
_FIELD_MARKS, _AFTER_MARKS = ".!?…。．！？।॥؟\u037e", "\"'”’»)]"
_LAST = 8  # characters that are looked at


SENTENCE_ENDS = ("none", "force-period", "force-period-always")


def ended_fields(texts: list[str], sentence_ends: str) -> tuple[list[str], list[bool]]:
    """Apply a policy of `SENTENCE_ENDS`: return the texts, perhaps with periods added, and a mask.

    The mask marks the texts that end without punctuation. With ``none``, the end of a field is only
    white space. ``force-period`` adds a period to fields that end without sentence punctuation, and
    ``force-period-always`` to all fields, as the code of the study of 2015 did.
    """
    if sentence_ends not in SENTENCE_ENDS:
        raise OptionError(
            f"sentence ends {sentence_ends!r} do not exist; choose one of "
            f"{', '.join(SENTENCE_ENDS)}"
        )
    if sentence_ends == "none" and texts:
        texts = [" ".join(texts)]
    ends = [text[-_LAST:].rstrip(_AFTER_MARKS)[-1:] for text in texts]
    are_open = [not end or end not in _FIELD_MARKS for end in ends]
    if sentence_ends == "force-period":
        texts = [text + "." * is_open for text, is_open in zip(texts, are_open, strict=True)]
    elif sentence_ends == "force-period-always":
        texts = [text + "." for text in texts]
    return texts, are_open


def fields(blocks: Iterable[Block], sentence_ends: str = "force-period") -> list[str]:
    """Return the texts of kept blocks; no sentence extends over more than one of them.

    >>> blocks = (Block("Flu", "h1"), Block("Ads", "div", kept=False), Block("A virus.", "p"))
    >>> [fields(blocks, name) for name in SENTENCE_ENDS]
    [['Flu A virus.'], ['Flu.', 'A virus.'], ['Flu.', 'A virus..']]
    """
    return ended_fields([block.text for block in blocks if block.kept], sentence_ends)[0]
