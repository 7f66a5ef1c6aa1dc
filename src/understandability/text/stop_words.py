"""Stop words of 38 languages, most frequent first, as jusText counted them in web pages."""

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
    """The stop words of a language by falling frequency; at most `count` of them."""
    return tuple(resource_lines(f"words/stop_lists/{language}.txt")[:count])


@cache
def stop_words_of(language: str) -> frozenset[str] | None:
    """The stop words of a language, in lower case; None where there is no list.

    >>> "the" in stop_words_of("en"), stop_words_of("zh")
    (True, None)
    """
    return frozenset(_ranked(language)) if language in STOP_LISTS else None


@cache
def frequent_words_of(language: str) -> frozenset[str]:
    """The hundred most frequent words of a language; sentences often begin with one.

    >>> "sie" in frequent_words_of("de"), "max" in frequent_words_of("de")
    (True, False)
    """
    return frozenset(_ranked(language, _FREQUENT))


@cache
def own_words_of(language: str) -> frozenset[str]:
    """The stop words of a language without English ones, unless they are frequent in both.

    The lists were counted in web pages, so that "the" is in many.

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
    """The frequent words of the other languages that are not frequent in English.

    >>> "und" in foreign_words(), "the" in foreign_words()
    (True, False)
    """
    others = (frequent_words_of(language) for language in STOP_LISTS if language != "en")
    words = frozenset[str]().union(*others) - frequent_words_of("en")
    return frozenset(word for word in words if word.isalpha() and len(word) > 1)
