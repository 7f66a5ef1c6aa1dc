"""Find the language of a text: a stated language is believed unless the text contradicts it.

Without a statement, `detect_language` detects the language. English, which most pages are in, is
recognised by its function words within microseconds. Everything else is compared with profiles of
byte n-grams in 80 languages (py3langid: Lui & Baldwin 2012, Barbaresi 2021), which are loaded when
they are first needed. The profiles are right for whole sentences but not for lists of names, drugs
or code, so a language other than English also has to outweigh the English words in the text.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understandability import _core
from understandability._core import Places
from understandability.resources import resource_arrays

# A text in no language that could be detected; it has no estimate.
UNDETERMINED = "und"
# Hindi in Latin letters, as people type it; it has no estimate.
ROMANISED_HINDI = "hi-Latn"

LONGEST = 6  # bytes of an n-gram
STEP = 17.0  # units of a stored weight in one nat


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Function words of English that are rare in other languages; a text is plainly English if they make
# up this share of its words, and this many distinct ones occur.
_FUNCTION_WORDS = _words(
    """the of and that for with are this you your have from which were they their not what
    when been has would should could about there who can be it if she we our but these
    those than into may must does did how why where while is them only any some other
    such because before after between"""
)
_FEW_WORDS, _PLAIN_SHARE, _DISTINCT = 25, 0.2, 4
# The same where a page claims to be English: only texts with fewer are compared with the profiles.
_CLAIMED_SHARE, _CLAIMED_DISTINCT = 0.1, 8
_START = 1_500  # characters in which English is looked for first, at the start and after it

# Three windows of a long text are compared with the profiles.
_WINDOW, _WINDOWS = 600, 3
SAMPLE = 20_000  # characters of a text among which the windows lie

# Letters of Arabic in the shape that they have in a word, which PDF files hold.
_SHAPED = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

# The least lead of a language over English in log-probability, in nats. Names, drugs and species
# look like Latin and Welsh, so a language of few pages needs a larger lead.
_LEAD, _LEAD_OF_RARE = 4.0, 22.0
_RARE = _words("""cy eo eu ga ha ku la mt so sq sw tl uz yo""")
# Nats that English gains by each function word, by all words being distinctly English, and at most
# by each of these.
_NATS_OF_FUNCTION_WORD, _NATS_OF_ENGLISH_WORDS, _NATS_OF_ENGLISH_WORD = 6.0, 60.0, 8.0
# The share of letters in another script than Latin that settles the language.
_SCRIPT_SHARE = 0.25
# What English has to lead the next language by in shorthand and code.
_LEAD_OF_ENGLISH = 2.5
# Where few words, but some, are in small letters, these are also compared alone.
_FEWEST_SMALL, _MOST_SMALL = 3, 0.6
# A text of one or two words has to win by more.
_SHORT, _LEAD_OF_SHORT = 3, 7.0
# The mean length of the n-grams that match, in bytes, which ciphers and codes seldom reach: a text
# below it is in no language that its n-grams could show. The second is for texts of few words.
_LEAST_MATCH, _LEAST_MATCH_OF_FEW, _FEW = 2.8, 2.5, 10
# The share of distinctly English words that texts in other languages seldom exceed.
_FOREIGN_SHARE = 0.15
# The share of English function words that other languages and ciphers seldom exceed.
_FUNCTION_SHARE = 0.1
# Nats that languages with many readers gain on their neighbours: Hindi on Nepali and Marathi,
# Russian on Bulgarian.
_COMMON = _words("ar de el en es fr it nl pl pt sv tr")
_GAINS = dict.fromkeys(_COMMON, 7.0) | {"hi": 12.0, "ru": 10.0}

_ROMANISED_HINDI = _words(
    """hai ki ke mein se ko ka aur nahi ho hain bhi kar par ek yeh ye tha thi kya raha rahe
    rahi liye kuch gaya gayi koi bahut apne mujhe hum tum aap woh wo jo jab tak toh
    kaise kahan kyun kyunki lekin phir baat karo karna karne kiya hua hui hoga hota hoti
    haan saath sab mera meri mere uska unka iska isliye achha achhi theek ghar chahiye
    kal abhi bas yaar bhai"""
)
_ROMANISED_SHARE = 0.25
_LETTERS = re.compile(r"[^\W\d_]")
_NOT_LATIN = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2c80-\ud7ff\uf900-\ufeff]")
# Scripts other than Latin, and the languages that are written in them.
_SCRIPTS = tuple(
    (re.compile(f"[{letters}]"), frozenset(languages.split()))
    for letters, languages in (
        ("\u0370-\u03ff\u1f00-\u1fff", "el"),
        ("\u0400-\u052f", "az ba be bg ce cv kk ky mk mn ru sr tg tk tt udm uk uz"),
        ("\u0530-\u058f", "hy"),
        ("\u0590-\u05ff", "he iw yi"),
        ("\u0600-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefe", "ar az fa ku ps sd ug ur"),
        ("\u0900-\u097f", "bho hi mai mr ne sa"),
        ("\u0980-\u09ff", "as bn"),
        ("\u0a00-\u0a7f", "pa"),
        ("\u0a80-\u0aff", "gu"),
        ("\u0b00-\u0b7f", "or"),
        ("\u0b80-\u0bff", "ta"),
        ("\u0c00-\u0c7f", "te"),
        ("\u0c80-\u0cff", "kn"),
        ("\u0d00-\u0d7f", "ml"),
        ("\u0d80-\u0dff", "si"),
        ("\u0e00-\u0e7f", "th"),
        ("\u0e80-\u0eff", "lo"),
        ("\u0f00-\u0fff", "bo dz"),
        ("\u1000-\u109f", "my"),
        ("\u10a0-\u10ff", "ka"),
        ("\u1200-\u139f", "am ti"),
        ("\u1780-\u17ff", "km"),
        ("\u1100-\u11ff\uac00-\ud7af", "ko"),
        ("\u3040-\u30ff\u3400-\u9fff", "ja ko yue zh"),
    )
)
# Languages that are also written in Latin letters.
_ALSO_LATIN = _words("""az ku mn sr tg tk tt ug uz""")
_ONLY_OTHER_SCRIPTS = frozenset().union(*(tags for _, tags in _SCRIPTS)) - _ALSO_LATIN

# A claim of a page holds unless another language is more probable by this many nats.
_CONTRADICTION = 30.0

# Tags of ISO 639-2 and 639-3, where ISO 639-1 has a shorter one, and tags of no language.
_SHORTER = dict(
    pair.split(":")
    for pair in _words(
        """afr:af alb:sq sqi:sq amh:am ara:ar arb:ar arm:hy hye:hy aze:az baq:eu eus:eu bel:be
    ben:bn bos:bs bul:bg bur:my mya:my cat:ca ces:cs cze:cs chi:zh zho:zh cmn:zh cym:cy
    wel:cy dan:da deu:de ger:de dut:nl nld:nl ell:el gre:el eng:en epo:eo est:et fas:fa
    per:fa pes:fa fin:fi fil:tl fra:fr fre:fr gle:ga glg:gl geo:ka kat:ka guj:gu hau:ha
    heb:he hin:hi hrv:hr hun:hu ice:is isl:is ind:id ita:it jpn:ja kan:kn kaz:kk khm:km
    kor:ko kur:ku lao:lo lat:la lav:lv lit:lt mac:mk mkd:mk mal:ml mar:mr may:ms msa:ms
    mlt:mt mon:mn nep:ne nno:nn nob:no nor:no ori:or pan:pa pol:pl por:pt pus:ps ron:ro
    rum:ro rus:ru sin:si slk:sk slo:sk slv:sl som:so spa:es srp:sr swa:sw swe:sv tam:ta
    tel:te tgl:tl tha:th tur:tr ukr:uk urd:ur uzb:uz vie:vi yor:yo zul:zu in:id iw:he
    nb:no ji:yi"""
    )
)
NO_LANGUAGE = frozenset(["und", "mul", "zxx", "mis", "art", "x", "i"])
_SUBTAG = re.compile(r"\s*([a-zA-Z]{1,8})(?![^\s_\-,;])")


def english_hash(word: str) -> int:
    """Return the 32-bit hash by which a distinctly English word is stored.

    >>> english_hash("sneeze") == english_hash("sneezes")
    False
    """
    return zlib.crc32(word.encode())


@dataclass(frozen=True, eq=False)
class Profiles:
    """Profiles of many languages: the weights of byte n-grams.

    `ngrams` holds, for each length from 1, the sorted n-grams as big-endian integers; `weights` has
    a row for each n-gram, in the order of lengths, and a column for each of `languages`, in units
    of 1/`STEP` negative nats; `english` the sorted hashes of distinctly English words.
    """

    ngrams: tuple[NDArray[np.uint64], ...]
    weights: NDArray[np.uint8]
    priors: NDArray[np.float32]
    languages: tuple[str, ...]
    english: NDArray[np.uint32]

    def compare(self, text: str) -> tuple[NDArray[np.float32], float]:
        """Return the log-probability of a text in each language, up to a constant, and the mean
        match.

        At each byte, only the longest n-gram that ends there is used. Repetitions of an n-gram
        count less than its first occurrence. The mean match is the mean length of these n-grams in
        bytes.
        """
        rows = self._longest(text.encode("utf-8", "replace").ljust(LONGEST))
        rows, counts = np.unique(rows[rows >= 0], return_counts=True)
        gains = np.log1p(counts.astype(np.float32)) / np.float32(-STEP)
        scores: NDArray[np.float32] = np.asarray(
            gains @ self.weights[rows].astype(np.float32) + self.priors, np.float32
        )
        lengths = np.searchsorted(np.cumsum([*map(len, self.ngrams)]), rows, side="right") + 1
        return scores, float((lengths * counts).sum() / max(counts.sum(), 1))

    def _longest(self, text: bytes) -> NDArray[np.intp]:
        """Return the row of the longest n-gram that ends at each byte; -1 without one."""
        letters = np.frombuffer(text, np.uint8).astype(np.uint64)
        ends = [letters]  # the n-gram of each length that ends at each byte
        for length in range(2, LONGEST + 1):
            shift = np.uint64(8 * (length - 1))
            longer = np.zeros_like(letters)
            first = length - 1
            longer[first:] = letters[:-first] << shift | ends[-1][first:]
            ends.append(longer)
        rows = np.full(len(letters), -1, np.intp)
        last_row = len(self.weights)
        for length in range(LONGEST, 0, -1):
            table = self.ngrams[length - 1]
            last_row -= len(table)
            open_ends = np.flatnonzero(rows[length - 1 :] < 0) + length - 1
            keys = ends[length - 1][open_ends]
            index = np.minimum(np.searchsorted(table, keys), len(table) - 1)
            matches = table[index] == keys
            rows[open_ends[matches]] = index[matches] + last_row
        return rows

    def english_share(self, words: list[str]) -> float:
        """Return the share of the words of three letters or more that are distinctly English."""
        longer = [word for word in words if len(word) > 2] or words
        if not longer:
            return 0.0
        hashes = np.array([english_hash(word) for word in longer], np.uint32)
        index = np.minimum(np.searchsorted(self.english, hashes), len(self.english) - 1)
        return float(np.mean(self.english[index] == hashes))


@cache
def profiles() -> Profiles:
    """Load the profiles that come with the package; cached."""
    arrays = resource_arrays("languages.npz")
    lengths = range(1, LONGEST + 1)
    languages = tuple(arrays["languages"].tolist())
    gains = [_GAINS.get(language, 0.0) for language in languages]
    return Profiles(
        tuple(np.cumsum(arrays[f"steps{length}"], dtype=np.uint64) for length in lengths),
        arrays["weights"],
        arrays["priors"] + np.array(gains, np.float32),
        languages,
        np.cumsum(arrays["english"], dtype=np.uint32),
    )


def detect_language(text: str) -> str | None:
    """Detect the language of a text, and return it as a subtag such as ``de``.

    Returns `UNDETERMINED` where the text could be in several languages, and None for a text without
    letters.

    >>> detect_language("Nimm eine Tablette am Tag."), detect_language("Take one tablet a day.")
    ('de', 'en')
    >>> detect_language("1 + 1 = 2") is None
    True
    """
    text = text[:SAMPLE]
    if is_plainly_english(text[:_START]) or is_plainly_english(text[_START : 2 * _START]):
        return "en"
    sample = _sample(text)
    words = [match.lower() for match in _WORD.findall(sample)]
    if not words:
        return None
    return _detect(sample, words)


def is_plainly_english(
    text: str, share: float = _PLAIN_SHARE, least_distinct: int = _DISTINCT
) -> bool:
    """Return True if the function words of a text show that it is English.

    Args:
        text: Any text; with fewer than 25 words the result is False.
        share: The share of the words that have to be function words.
        least_distinct: The number of distinct function words that have to occur.

    >>> is_plainly_english("You have the flu, and you should rest. " * 4)
    True
    """
    words, matches, distinct = _core.count_listed(text, _listed_function_words())
    return words >= _FEW_WORDS and matches >= share * words and distinct >= least_distinct


@cache
def _listed_function_words() -> Places:
    words = sorted(_FUNCTION_WORDS)
    packed = b"".join(b"\0" + word.encode() for word in words)
    return Places(np.frombuffer(packed, np.uint8), np.arange(len(words), dtype=np.uint16))


def language_subtag(tag: str) -> str | None:
    """Return the two or three letters of the language in a tag; None if the tag names no language.

    Accepts the tags of HTML and of ISO 639-1, 639-2 and 639-3.

    >>> language_subtag("en-GB"), language_subtag("deu"), language_subtag("pt_BR")
    ('en', 'de', 'pt')
    >>> language_subtag("und") is language_subtag("x-klingon") is language_subtag("German") is None
    True
    """
    match = _SUBTAG.match(tag)
    subtag = match[1].lower() if match else ""
    if len(subtag) not in (2, 3) or subtag in NO_LANGUAGE:
        return None
    return _SHORTER.get(subtag, subtag)


def languages_of_script(text: str, share: float = 0.5) -> frozenset[str] | None:
    """Return the languages that are written in the script of a text; None for the Latin script.

    >>> sorted(languages_of_script("Η γρίπη") or ()), languages_of_script("the flu")
    (['el'], None)
    """
    others = 0 if text.isascii() else len(_NOT_LATIN.findall(text))
    if others == 0:
        return None
    letters = len(_LETTERS.findall(text))
    if others <= share * letters:
        return None
    for script, languages in _SCRIPTS:
        if len(script.findall(text)) > share * letters:
            return languages
    return None


def is_in_other_script(text: str, language: str) -> bool:
    """Return True if most of a text is in a script in which the language is not written.

    >>> is_in_other_script("У меня есть собака.", "en"), is_in_other_script("Мы спим.", "ru")
    (True, False)
    >>> is_in_other_script("Mujhe bukhar hai.", "hi")
    True
    """
    languages = languages_of_script(text)
    if languages is not None:
        return language not in languages
    return language in _ONLY_OTHER_SCRIPTS and _LETTERS.search(text) is not None


def contradicting_language(text: str, claim: str, least_words: int = 50) -> str | None:
    """Return the language of a text if it is plainly not the claimed one; None otherwise.

    Texts shorter than `least_words` can only contradict the claim by their script.

    >>> contradicting_language("Sie haben die Grippe und sollen viel trinken. " * 8, "en")
    'de'
    >>> contradicting_language("You have the flu. " * 8, "en") is None
    True
    """
    if is_in_other_script(text, claim):
        return detect_language(text)
    if claim == "en" and is_plainly_english(text, _CLAIMED_SHARE, _CLAIMED_DISTINCT):
        return None
    if text.count(" ") < least_words:
        return None
    models = profiles()
    if claim not in models.languages:
        return None
    language = detect_language(text)
    if language in (None, UNDETERMINED, claim):
        return None
    if language in models.languages:
        scores, _ = models.compare(_sample(text))
        columns = [models.languages.index(tag) for tag in (language, claim)]
        best, claimed = scores[columns]
        if best - claimed < _CONTRADICTION:
            return None
    return language


def _sample(text: str) -> str:
    """Return windows of a long text, spread evenly over it."""
    if len(text) <= _WINDOW * _WINDOWS:
        return text
    step = (len(text) - _WINDOW) // (_WINDOWS - 1)
    return " ".join(text[start : start + _WINDOW] for start in range(0, step * _WINDOWS, step))


def _detect(sample: str, words: list[str]) -> str:
    all_profiles = profiles()
    if _SHAPED.search(sample):
        sample = unicodedata.normalize("NFKC", sample)
    # Numbers look like any language.
    text = _DIGITS.sub(" ", sample.lower() if sample.isupper() else sample)
    scores, match = all_profiles.compare(text)
    of_script = languages_of_script(sample, _SCRIPT_SHARE)
    for column, tag in enumerate(all_profiles.languages):
        if tag in _ONLY_OTHER_SCRIPTS if of_script is None else tag not in of_script:
            scores[column] = -np.inf
    best = int(scores.argmax())
    language = all_profiles.languages[best]
    if of_script is not None:
        return language if np.isfinite(scores[best]) else UNDETERMINED
    if sum(word in _ROMANISED_HINDI for word in words) >= max(_ROMANISED_SHARE * len(words), 3):
        return ROMANISED_HINDI
    share = all_profiles.english_share(words)
    function_words = sum(word in _FUNCTION_WORDS for word in words)
    is_english = share > _FOREIGN_SHARE or function_words > _FUNCTION_SHARE * len(words)
    is_prose = match > (_LEAST_MATCH_OF_FEW if len(words) < _FEW else _LEAST_MATCH)
    evidence = _NATS_OF_FUNCTION_WORD * function_words
    english_words = _NATS_OF_ENGLISH_WORD * share * len(words)
    evidence += min(_NATS_OF_ENGLISH_WORDS * max(0.0, share - _FOREIGN_SHARE), english_words)
    lead = scores[best] - scores[all_profiles.languages.index("en")] - evidence
    least = _LEAD_OF_SHORT if len(words) < _SHORT else _LEAD
    # Shorthand and code are written with digits; that no language leads is a sign of English there.
    is_shorthand = _DIGITS.search(sample) is not None
    is_english |= len(words) >= _SHORT and lead <= least and (is_prose or is_shorthand)
    least = max(least, _LEAD_OF_RARE) if language in _RARE else least
    is_foreign = language != "en" and is_prose and lead > least
    if is_foreign and not _is_led_by_names(sample, best, all_profiles):
        return language
    lead_of_english = scores[best] - np.partition(scores, -2)[-2]
    if is_english or (language == "en" and (is_prose or lead_of_english > _LEAD_OF_ENGLISH)):
        return "en"
    return UNDETERMINED


def _is_led_by_names(sample: str, column: int, all_profiles: Profiles) -> bool:
    """Return True if only the names in a text seem to be in a language, and its other words are
    English.

    >>> text = "Born in San Miguel de Tucumán, Mercedes Sosa sang with Milton Nascimento."
    >>> _is_led_by_names(text, profiles().languages.index("es"), profiles())
    True
    """
    words = _WORD.findall(sample)
    small = [word for word in words if word[0].islower()]
    if len(small) < _FEWEST_SMALL or len(small) > _MOST_SMALL * len(words):
        return False
    scores, _ = all_profiles.compare(" ".join(small))
    return bool(scores[column] < scores[all_profiles.languages.index("en")])
