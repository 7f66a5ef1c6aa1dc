"""A cheap guess of the language of a text, from its script and its most frequent words.

It stands in for a missing ``lang`` attribute. What it has to be good at is to tell English from
the rest; of closely related languages it may take one for the other. Measured
(scripts/evaluate/page_language.py): of English texts from lay to expert 1 in 320 is taken for
another language by its first 20 words, 1 in 950 by 30, 1 in 9,000 by 50; of runs of 20 words
or more in 31 other languages none is taken for English.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from understandability.resources import package_text

# Different ones that a text may have until one pattern for all is faster.
MANY_CHARACTERS = 100

_ASCII = bytes(range(0x80))


def not_ascii(text: str) -> set[str]:
    """The characters of a text that are not ASCII.

    >>> sorted(not_ascii("naïve – it’s naïve"))
    ['ï', '–', '’']
    """
    return set() if text.isascii() else set(text.encode().translate(None, _ASCII).decode())


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
_SAMPLE = 20_000  # characters of a text that are looked at
_MIN_WORDS = 20
_MIN_SHARE = 0.08  # of the words that have to be frequent ones of the language
# A text is English if it has at least this share of the frequent words that the best language
# has: names, lists and the "i" of chats look like words of many languages.
_ENGLISH_SHARE = 0.75
# Or if it has so many times as many different ones: "What do I do?", again and again in a poem,
# looks like Croatian.
_MORE_DISTINCT = 1.5

_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = bytes(
    byte if byte >= 0x80 or chr(byte).isalpha() else 0x20 for byte in range(256)
)  # ASCII that is in no word is white space

# Scripts that settle the question where this share of the text is written in them, in this order:
# Japanese is written with kana and Han.
_SCRIPT_SHARE = 0.1
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)


def _ranked(language: str, most: int = -1) -> tuple[str, ...]:
    """A language's stop words by falling frequency, as jusText ships them; of all, so many."""
    text = package_text("justext", f"stoplists/{STOP_LISTS[language]}.txt")
    words = text.split(None, most)
    return tuple(word.lower() for word in (words[:most] if most >= 0 else words))


@cache
def stop_words_of(language: str) -> frozenset[str] | None:
    """jusText's stop words of a language, in lower case; None where it has no list.

    >>> "the" in stop_words_of("en"), stop_words_of("zh")
    (True, None)
    """
    return frozenset(_ranked(language)) if language in STOP_LISTS else None


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """The languages that each frequent word belongs to."""
    speakers: dict[str, tuple[str, ...]] = {}
    for language in STOP_LISTS:
        for word in dict.fromkeys(_ranked(language, _FREQUENT)):
            speakers[word] = (*speakers.get(word, ()), language)
    return speakers


@cache
def only_foreign() -> frozenset[str]:
    """Frequent words of other languages that are none of English.

    >>> "und" in only_foreign(), "the" in only_foreign()
    (True, False)
    """
    return frozenset(
        word for word, of in _speakers().items() if "en" not in of and word.isalpha() and word[1:]
    )


def _words(text: str) -> list[str]:
    """What `_WORD` finds.

    >>> _words("it’s 3.5 mg/l – naïve")
    ['it', 's', 'mg', 'l', 'naïve']
    """
    marks = [other for other in not_ascii(text) if other.isdecimal() or not other.isalnum()]
    if len(marks) > MANY_CHARACTERS:
        return _WORD.findall(text)
    for mark in marks:
        text = text.replace(mark, " ")
    return text.encode().translate(_LETTERS).decode().split()


def guess_language(text: str) -> str | None:
    """The language in which a text is most probably written; None if that cannot be told.

    >>> guess_language("The flu is caused by a virus, and it spreads from one person to another "
    ...                "when they cough or when they talk with each other in a closed room.")
    'en'
    >>> guess_language("Home News Contact") is None
    True
    """
    sample = text[:_SAMPLE]
    enough = _SCRIPT_SHARE * len(sample)
    if len(sample) - len(sample.encode("ascii", "ignore")) > enough:
        for language, script in _SCRIPTS:
            if len(script.findall(sample)) > enough:
                return language
    words = _words(sample.lower())
    if len(words) < _MIN_WORDS:
        return None
    votes: Counter[str] = Counter()
    distinct: Counter[str] = Counter()
    speakers = _speakers()
    for word, number in Counter(filter(speakers.__contains__, words)).items():
        for language in speakers[word]:
            votes[language] += number
            distinct[language] += 1
    best, number = max(votes.items(), key=lambda vote: vote[1], default=("", 0))
    if number < _MIN_SHARE * len(words):
        return None
    if distinct["en"] >= _MORE_DISTINCT * distinct[best]:
        return "en"
    return "en" if votes["en"] >= _ENGLISH_SHARE * number else best
