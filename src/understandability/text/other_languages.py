"""Rules for languages other than English: syllables, and abbreviations that end no sentence.

This is all that readability formulas need. A syllable is counted by its nucleus, a vowel or a group
of vowels that are spoken as one. Hyphenation patterns (pyphen) miss syllables at the edges of
words, where no hyphen is allowed; ``scripts/evaluate/formulas.py`` compares both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from understandability.errors import OptionError
from understandability.text.cache import BoundedCache

_SILENT_U = (re.compile(r"(?<=[gq])[uü](?=[aeioáàâãéèêíìóòôõ])"), "")  # guerra, qui, agua
_CONSONANT_Y = (re.compile(r"y(?=[aeiouáéó])"), "j")  # voyage, mayo
_MUTE_E = (
    re.compile(r"(?<=[aàâæeéèêëiîïoôœuùûüy])([b-df-hj-np-tv-xzç]*)es?$"),
    r"\1",
)  # tables, vie


@dataclass(frozen=True, slots=True)
class OtherLanguage:
    """The rules of a language other than English, for counting syllables and finding sentence ends.

    Attributes:
        tag: its subtag.
        name: its English name.
        nuclei: a pattern that matches once per syllable of a lower-case word, after `changes`.
        abbreviations: words that do not end a sentence.
        frequencies: wordfreq's list of its words.
        changes: patterns and their replacements.
        has_ordinals: True if a number with a full stop is an ordinal, and does not end a sentence.
        questions: the marks that end a question.
        letters: changes of single characters by which a word is looked up; see `key`.
    """

    tag: str
    name: str
    nuclei: re.Pattern[str]
    abbreviations: frozenset[str]
    frequencies: str
    changes: tuple[tuple[re.Pattern[str], str], ...] = ()
    has_ordinals: bool = False
    questions: str = "?"
    letters: Mapping[int, str | None] = field(default_factory=dict)

    def key(self, word: str) -> str:
        """Return a word as the word lists of the language spell it, in small letters.

        Greek words end in σ there, not in ς; Turkish I becomes ı; Arabic has no vowel marks.

        >>> LANGUAGES["el"].key("Πόνος"), LANGUAGES["tr"].key("ILIK"), LANGUAGES["ar"].key("كَتَبَ")
        ('πόνοσ', 'ılık', 'كتب')
        """
        return (word.translate(self.letters) if self.letters else word).lower()


def _language(
    tag: str,
    name: str,
    nuclei: str,
    abbreviations: str,
    changes: tuple[tuple[re.Pattern[str], str], ...] = (),
    *,
    frequencies: str,
    has_ordinals: bool = False,
    questions: str = "?",
    letters: Mapping[str, str | None] | None = None,
) -> OtherLanguage:
    words = frozenset(abbreviations.split())
    return OtherLanguage(
        tag,
        name,
        re.compile(nuclei),
        words,
        frequencies,
        changes,
        has_ordinals,
        questions,
        MappingProxyType(str.maketrans(dict(letters or {}))),
    )


# Longer groups that are spoken as one syllable come first. In Spanish, Italian and Portuguese each
# strong vowel (a, e, o) is a syllable, and weak vowels (i, u) belong to it unless they have an
# accent. "zio" and "lua" have two.
_SHORT = r"\b[^\W\d_aeiou]?[iu](?=[aeo]\b)"
# Marks of short vowels, of doubled consonants, and the line that widens a word.
_ARABIC_MARKS = dict.fromkeys([*map(chr, range(0x64B, 0x653)), "\u0640", "\u0670"])
# A consonant; و and ي are vowels, except at the beginning and before another vowel.
_ARABIC_LETTER = "(?:[^اويىةآ]|^[اوي]|[وي](?=[اويىآة]))"
_ALL = (
    _language(
        "ar",
        "Arabic",
        # Short vowels are not written, so this is an estimate: a consonant with its long vowel; one
        # that is followed by another has a short vowel, and two before a third one are closed.
        rf"^[وفبك]?ال(?=..)|^لل|آ|{_ARABIC_LETTER}(?:[اى]|[وي](?![اىآةوي])|(?=ي?ة))"
        rf"|{_ARABIC_LETTER}{_ARABIC_LETTER}(?={_ARABIC_LETTER}.)|^{_ARABIC_LETTER}{{2}}(?={_ARABIC_LETTER}$)"
        rf"|{_ARABIC_LETTER}(?=.)",
        "أ.د د أ م ص.ب ص هـ ق.م إلخ ت ط ج س",
        frequencies="large_ar",
        questions="?؟",
        letters=_ARABIC_MARKS,
    ),
    _language(
        "de",
        "German",
        "aa|äu|ai|au|ay|ee|ei|eu|ey|ie|oo|[aeiouyäöü]|[àâáéèêëíîïóôû]",
        """abb abs allg anm art aufl bd best betr bspw bzgl bzw ca dgl dr evtl exkl fa fr ggf
            hr inkl insb jh kap max min mind mio mrd mwst nr pkt prof ref s sog st std str tab tel
            u.a usw vgl vol z.b zit ziff zzgl""",
        (_SILENT_U, _CONSONANT_Y),
        has_ordinals=True,
        frequencies="large_de",
    ),
    _language(
        "el",
        "Greek",
        # Two letters for one vowel, unless the first has an accent (νεράιδα, πλάι) or the second a
        # diaeresis. An unaccented ι before most vowels is spoken with them (παιδιά).
        "(?:(?<!^)ι|[εο]ι)(?:[αωάόώ]|ού)|οιο|αι|αί|ει|εί|οι|οί|ου|ού|υι|υί|αυ|αύ|ευ|εύ|ηυ|ηύ"
        "|ά[ιηυ]|[αεηιουωάέήίόύώϊϋΐΰ]",
        "αγ αρ βλ δηλ δρ εκ εκατ κ κα κεφ κλπ κ.λπ κ.ά κ.α κος λ.χ μ.μ μ.χ ν.δ π.μ π.χ σελ σημ στρ "
        "τηλ τ.κ υποσ χιλ",
        frequencies="small_el",
        questions="?;\u037e",
        letters={"Σ": "σ", "ς": "σ"},
    ),
    _language(
        "es",
        "Spanish",
        "[iuü]?[aeoáéó][iuy]?|[iuü]+|[íúy]",
        "aprox art avda cap cía dir dr dra dras dres ed ee.uu ej etc excmo fig gral ing lic "
        "máx mín núm p pág págs párr prof prov sr sra sras sres srta sta sto tel ud uds vol",
        (_SILENT_U, _CONSONANT_Y),
        frequencies="large_es",
    ),
    _language(
        "fr",
        "French",
        "eau|œui?|oeu|eui|uei|oui|ieu|ai|aî|aou|aoû|au|ei|eu|oi|oî|ou|où|oû"
        "|ia|ie|iè|ié|io|ui|[aeiouyàâæéèêëîïôœùûü]",
        "art av bd cf chap dr éd env ex fig hab m max me min mlle mme mm mgr n no p pl pp "
        "prof réf s.a st ste tél vol",
        (_SILENT_U, _CONSONANT_Y, _MUTE_E),
        frequencies="large_fr",
    ),
    _language(
        "hi",
        "Hindi",
        # A vowel, or a consonant that keeps its inherent vowel: one without a virama, and not last.
        "[ऄ-औ]|[क-ह]़?[ा-ौ]|[क-ह]़?(?![़्ा-ौ])(?=.)",
        "कि.ग्रा ई.पू डॉ पं पृ प्रो रु श्री सं सु",
        frequencies="small_hi",
    ),
    _language(
        "it",
        "Italian",
        rf"{_SHORT}|[iu]?[aeoàèéìòóù][iu]?|[iuíú]+|y",
        "art avv ca cap cfr dott dott.ssa dr ecc ed egr es fig geom gen ing max min n nr p pag "
        "pagg par prof prof.ssa rag sig sig.ra sigg sig.na tab tel vol",
        (_SILENT_U, _CONSONANT_Y),
        frequencies="large_it",
    ),
    _language(
        "nl",
        "Dutch",
        "aai|ooi|oei|eeu|ieu|aa|ai|au|ee|ei|eu|ie|oe|oi|oo|ou|ui|uu|[aeiouyáàéèêëíïóöúü]",
        "afb art bijv blz bv ca dhr dr drs enz evt excl fig gem hfdst incl ing ir jl max mej "
        "mevr min mr mw nl nr nrs o.a p pag par prof st tel vgl vnl z.g zgn",
        (_SILENT_U, _CONSONANT_Y),
        frequencies="large_nl",
    ),
    _language(
        "pl",
        "Polish",
        "i?(?:au|eu|[aeouóąę])|[iy]",
        "al art ds dr ew gen godz hab im in inż itd itp jw ks lek m.in max mgr min mjr nast np "
        "nr o.o ok os p pkt pl płk por proc prof r rys s św str tab tel tj tys tzn tzw ul ust "
        "ww wyd zł zob",
        frequencies="large_pl",
    ),
    _language(
        "pt",
        "Portuguese",
        rf"{_SHORT}|ã[oe]|õe|[iuü]?[aeoáàâéêóôãõ][iuy]?|[iuü]+|[íúy]",
        "aprox art av cap cf cia dr dra drs ed eng etc ex excl fig gen inc máx mín n nº p pág "
        "págs prof profa s sr sra sras sres srta tel vol",
        (_SILENT_U, _CONSONANT_Y),
        frequencies="large_pt",
    ),
    _language(
        "ru",
        "Russian",
        "[аеёиоуыэюя]",
        "акад в вв г гг гл гр д др доц ед им инж кв корп м макс мин млн млрд напр нач обл о "
        "п пер пл пр просп проф р рис с св см ср ст стр т табл тел тыс ул ч чел",
        frequencies="large_ru",
    ),
    _language(
        "sv",
        "Swedish",
        "[aeiouyåäöéàüè]",
        "avd bl.a ca dr d.v.s dvs e.d el enl etc ev exkl f.d f.n forts fr.o.m fröken inkl jfr kap "
        "kl kr m.a.o m.fl m.m max min mm nr o.d obs osv o.s.v p.g.a resp s.k sid st t.ex t.o.m tel "
        "tr uppl vol",
        ((re.compile("(?<=a)u|(?<=e)u(?!m)|(?<=[st])i(?=on)"), ""),),  # museum, station
        frequencies="large_sv",
    ),
    _language(
        "tr",
        "Turkish",
        "[aeıioöuüâîû]",
        "alb av bkz bşk cad çev dk doç dr fak gen haz hz krş kg mah md mrk müd no ör öğr örn prof "
        "sf sn sok s st şb tel uzm vb vd vs yrd yy yüzb",
        has_ordinals=True,
        frequencies="small_tr",
        letters={"İ": "i", "I": "ı"},
    ),
)
# By subtag.
LANGUAGES = MappingProxyType({language.tag: language for language in _ALL})


def other_language(language: str) -> OtherLanguage:
    """Return the language of a tag such as ``de`` or ``pt-BR``; raise `OptionError` for others.

    >>> other_language("pt-BR").name
    'Portuguese'
    """
    rules = LANGUAGES.get(language.partition("-")[0].lower())
    if rules is None:
        raise OptionError(
            f"there are no formulas for the language {language!r}; choose en, "
            f"{', '.join(LANGUAGES)}"
        )
    return rules


def syllables_of(words: Sequence[str], language: OtherLanguage) -> NDArray[np.int64]:
    """Count the syllables of each word; at least 1, even for a number or "w".

    >>> syllables_of(["Ideen", "Krankheit", "5"], LANGUAGES["de"])
    array([2, 2, 1])
    """
    syllables = _known_syllables(language.tag)
    return np.fromiter((syllables[word] for word in words), np.int64)


@cache
def _known_syllables(tag: str) -> BoundedCache[int]:
    return BoundedCache(partial(_syllables, language=LANGUAGES[tag]))


def _syllables(word: str, language: OtherLanguage) -> int:
    word = language.key(word)
    for pattern, replacement in language.changes:
        word = pattern.sub(replacement, word)
    return max(1, len(language.nuclei.findall(word)))
