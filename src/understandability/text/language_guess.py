"""A cheap guess of the language of a text, from its script and its most frequent words.

It stands in for a missing ``lang`` attribute. What it has to be good at is to tell English from
the rest; of closely related languages it may take one for the other. Measured
(scripts/evaluate/page_language.py): of English texts from lay to expert 1 in 320 is taken for
another language by its first 20 words, 1 in 950 by 30, 1 in 9,000 by 50; of runs of 20 words
or more in 31 other languages none is taken for English.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache, lru_cache

import msgpack

from understandability._core import Places, count_known
from understandability.resources import package_text

# Language subtag: the name of its stop list in jusText, whose words go by falling frequency.
STOP_LISTS = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch", "no": "Norwegian_Bokmal",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "tl": "Tagalog",
    "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese",
}  # fmt: skip

_FREQUENT = 100  # words of a language that are compared
# Characters of a text that are looked at, if its start is not plainly English.
_START, SAMPLE = 3_000, 20_000
_MIN_WORDS = 12
_MIN_SHARE = 0.08  # of the words that have to be frequent ones of the language
# Another language than English needs more, as shorthand ("po", "na", "s/p") has words of many: the
# words of each language that are compared, the share of the text's that have to be among them, and
# how many different ones of so many letters. Where few of the most frequent words are there, as in
# orders, more are compared.
_ROUNDS = ((_FREQUENT, 0.15, 3, 2), (600, 0.4, 2, 4))
# What a page claims of its language holds where it has this share of the words of the best one.
_CLAIM = 0.7
# A text is English if it has at least this share of the frequent words that the best language
# has: names, lists and the "i" of chats look like words of many languages.
_ENGLISH_SHARE = 0.75
# Or if it has so many times as many different ones: "What do I do?", again and again in a poem,
# looks like Croatian.
_MORE_DISTINCT = 1.5

# Frequent words of Hindi in Latin letters, as people write it who type; it has no estimate.
ROMANISED_HINDI = "hi-Latn"
_ROMANISED = """
    hai ki ke mein se ko ka aur nahi ho hain bhi kar par ek yeh ye tha thi kya raha rahe rahi
    liye kuch gaya gayi koi bahut apne mujhe hum tum aap woh wo jo jab tak toh kaise kahan kyun
    kyunki lekin phir baat karo karna karne kiya hua hui hoga hota hoti haan saath sab mera meri
    mere uska unka iska isliye achha achhi theek ghar chahiye kal abhi bas yaar bhai
"""

# Scripts that settle the question where this share of the text is written in them, in this order:
# Japanese is written with kana and Han.
_SCRIPT_SHARE = 0.1
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
# Letters of one language among those that share a script, and which language has the script
# alone where none of them is there. Hindi is the language of the script in which we know most.
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_DEVANAGARI = re.compile("[\u0904-\u0939]")
# Hindi by its small words; Marathi, Nepali and Sanskrit have others.
_HINDI = re.compile(
    r"(?<![\u0900-\u0963])(?:है|हैं|हूँ|हूं|का|के|की|में|से|को|और|ने|नहीं|था|थी|थे|यह|मैं|भी|तुम|हम|मेरा|मेरी"
    r"|मेरे|रहा|रही|रहे|गया|गई)(?![\u0900-\u0963])"
)
# A text of another script than Latin is none of English, though nobody knows what it is.
UNDETERMINED = "und"
_NOT_LATIN = re.compile("[\u0370-\u1dff\u2c80-\ud7ff]")
_OTHER_SCRIPT = 0.3
_OWN_SHARE = 0.005
_OWN_LETTERS = (
    (UNDETERMINED, re.compile("[әғқңөүұһўҕҗҙҡҫҷӑӗӯӳ]")),  # Kazakh, Tatar, Belarusian and others
    ("uk", re.compile("[іїєґ]")),
    ("sr", re.compile("[ђћџљњј]")),
    ("ru", re.compile("[ыэё]")),
)


def _ranked(language: str, most: int = -1) -> tuple[str, ...]:
    """A language's stop words by falling frequency, as jusText ships them; of all, so many."""
    text = package_text("justext", f"stoplists/{STOP_LISTS[language]}.txt")
    words = text.split(None, most)
    return tuple(word.lower() for word in (words[:most] if most >= 0 else words))


@cache
def frequent_words_of(language: str) -> frozenset[str]:
    """The most frequent words of a language, with which a sentence often begins.

    >>> "sie" in frequent_words_of("de"), "max" in frequent_words_of("de")
    (True, False)
    """
    return frozenset(_ranked(language, _FREQUENT))


@cache
def own_words_of(language: str) -> frozenset[str]:
    """Stop words of a language that are none of English, unless they are frequent ones of both.

    jusText counted its lists in web pages, so that "the" is in many.

    >>> "the" in own_words_of("de"), "und" in own_words_of("de"), "in" in own_words_of("de")
    (False, True, True)
    """
    english, frequent = frozenset(_ranked("en")), frequent_words_of(language)
    return frozenset(_ranked(language)) - (english - frequent) - {"the", "of", "and"}


@cache
def stop_words_of(language: str) -> frozenset[str] | None:
    """jusText's stop words of a language, in lower case; None where it has no list.

    >>> "the" in stop_words_of("en"), stop_words_of("zh")
    (True, None)
    """
    return frozenset(_ranked(language)) if language in STOP_LISTS else None


@cache
def _speakers(frequent: int = _FREQUENT) -> dict[str, tuple[str, ...]]:
    """The languages that each frequent word belongs to."""
    speakers: dict[str, tuple[str, ...]] = {}
    lists = {language: _ranked(language, frequent) for language in STOP_LISTS}
    lists[ROMANISED_HINDI] = tuple(_ROMANISED.split())
    for language, words in lists.items():
        for word in dict.fromkeys(words):
            speakers[word] = (*speakers.get(word, ()), language)
    return speakers


@cache
def _places(frequent: int) -> tuple[Places, list[tuple[str, tuple[str, ...]]]]:
    """The frequent words and, by their numbers, each with its languages."""
    rows = list(_speakers(frequent).items())
    packed = b"".join(msgpack.packb([word]) for word, _ in reversed(rows))
    return Places(packed, 0, len(rows) - 1), rows


@lru_cache
def _are_of(language: str, frequent: int) -> list[bool]:
    """Which of the words of `_places` are a language's."""
    return [language in languages for _, languages in _places(frequent)[1]]


@cache
def only_foreign() -> frozenset[str]:
    """Frequent words of other languages that are none of English.

    >>> "und" in only_foreign(), "the" in only_foreign()
    (True, False)
    """
    return frozenset(
        word
        for word, of in _speakers().items()
        if "en" not in of and of != (ROMANISED_HINDI,) and word.isalpha() and word[1:]
    )


def guess_language(text: str, declared: str = "") -> str | None:
    """The language in which a text is most probably written; None if that cannot be told.

    `declared` is what it claims, which is plainly wrong before another language is taken.

    >>> guess_language("The flu is caused by a virus, and it spreads from one person to another "
    ...                "when they cough or when they talk with each other in a closed room.")
    'en'
    >>> guess_language("Home News Contact") is None
    True
    """
    start = _guess(text[:_START], declared)
    return start if start == "en" or len(text) <= _START else _guess(text[:SAMPLE], declared)


def is_in_other_script(text: str, language: str) -> bool:
    """Whether most of a text is in another script than Latin, of a language that is written in it.

    >>> is_in_other_script("У меня есть собака.", "en"), is_in_other_script("Мы спим.", "ru")
    (True, False)
    """
    is_latin = not any(map(_NOT_LATIN.search, frequent_words_of(language)))
    return is_latin and len(_NOT_LATIN.findall(text)) > sum(map(str.isalpha, text)) / 2


def _guess(sample: str, declared: str = "") -> str | None:
    lower = sample.lower()
    enough = _SCRIPT_SHARE * len(sample)
    if len(sample) - len(sample.encode("ascii", "ignore")) > enough:
        for language, script in _SCRIPTS:
            if len(script.findall(sample)) > enough:
                return language
        if len(_DEVANAGARI.findall(sample)) > enough:
            hindi = len(_HINDI.findall(sample))
            return "hi" if hindi > _MIN_SHARE * sample.count(" ") / 2 else UNDETERMINED
        if len(_CYRILLIC.findall(sample)) > len(sample) / 2:
            owned = Counter({language: len(own.findall(lower)) for language, own in _OWN_LETTERS})
            if owned[UNDETERMINED] > _OWN_SHARE * len(sample):
                return UNDETERMINED
            ((language, number),) = owned.most_common(1)
            if number > _OWN_SHARE * len(sample):
                return language
    for frequent, least, distinct, letters in _ROUNDS:
        places, rows = _places(frequent)
        words, met = count_known(lower, places)
        of_claim = sum(map(_are_of(declared, frequent).__getitem__, met)) if declared else 0
        if declared and of_claim >= max(_CLAIM * len(met), 1):
            return declared  # no language has more than all of them
        counts = Counter(met)
        votes: defaultdict[str, int] = defaultdict(int)
        for place, times in counts.items():
            for language in rows[place][1]:
                votes[language] += times
        best, number = max(votes.items(), key=lambda vote: vote[1], default=("", 0))
        if declared and votes[declared] >= max(_CLAIM * number, 1):
            return declared
        if words < _MIN_WORDS:
            break
        if number < _MIN_SHARE * words:
            continue
        of_best = [rows[place][0] for place in counts if best in rows[place][1]]
        of_english = sum("en" in rows[place][1] for place in counts)
        if votes["en"] >= _ENGLISH_SHARE * number or of_english >= _MORE_DISTINCT * len(of_best):
            if frequent == _FREQUENT:
                return "en"
            break
        longer = sum(len(word) >= letters for word in of_best)
        if number >= least * words and longer >= distinct:
            return best
    is_other_script = len(_NOT_LATIN.findall(sample)) > _OTHER_SCRIPT * len(sample)
    return UNDETERMINED if is_other_script else None
