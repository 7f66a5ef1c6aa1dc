"""Stop words of 38 languages, as counted in web pages by jusText; the most frequent come first."""

from __future__ import annotations

from functools import cache

from understandability.resources import resource_lines

# Subtag of a language, and its name in jusText.
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

_FREQUENT = 100


def _ranked(language: str, count: int | None = None) -> tuple[str, ...]:
    """Return the `count` most frequent stop words of a language; by default all."""
    return tuple(resource_lines(f"words/stop_lists/{language}.txt")[:count])


@cache
def stop_words_of(language: str) -> frozenset[str] | None:
    """Return the stop words of a language, in lower case; None if there is no list.

    >>> "the" in stop_words_of("en"), stop_words_of("zh")
    (True, None)
    """
    return frozenset(_ranked(language)) if language in STOP_LISTS else None


@cache
def frequent_words_of(language: str) -> frozenset[str]:
    """Return the hundred most frequent words of a language; sentences often begin with one.

    >>> "sie" in frequent_words_of("de"), "max" in frequent_words_of("de")
    (True, False)
    """
    return frozenset(_ranked(language, _FREQUENT))


@cache
def own_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language, without English words that are not frequent in the
    language.

    The lists were counted in web pages, so "the" is on many of them.

    >>> "the" in own_words_of("de"), "und" in own_words_of("de"), "in" in own_words_of("de")
    (False, True, True)
    """
    english = frozenset(_ranked("en"))
    return (
        frozenset(_ranked(language))
        - (english - frequent_words_of(language))
        - {
            "the",
            "of",
            "and",
        }
    )


@cache
def foreign_words() -> frozenset[str]:
    """Return the frequent words of other languages that are not frequent in English.

    >>> "und" in foreign_words(), "the" in foreign_words()
    (True, False)
    """
    others = (frequent_words_of(language) for language in STOP_LISTS if language != "en")
    words = frozenset[str]().union(*others) - frequent_words_of("en")
    return frozenset(word for word in words if word.isalpha() and len(word) > 1)
