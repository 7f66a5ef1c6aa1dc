"""Build ``resources/translations``: the English equivalents of words in other languages.

    pip install simplemma
    python -m scripts.train.translations

A language model wrote the equivalents of lemmas (``readings/equivalents/TAG.tsv``: lemma, tab,
English word; "-" for names and non-words). This script assigns to each form in wordfreq's list the
equivalent of its lemma, by simplemma, and stores the `_FORMS` most frequent forms. For Arabic,
which simplemma does not know, the equivalents are of frequent forms, and other forms of the same
stem share theirs (`stem`). The result is deterministic and takes a minute per language.
"""

import csv
import re
from pathlib import Path

import numpy as np
import simplemma
from scripts.shared import parser_of
from scripts.train.languages import EQUIVALENTS
from wordfreq import iter_wordlist

from understandability.text.other_languages import LANGUAGES

_FORMS = 40_000
_NONE = "-"
_ALIKE = re.compile("[أإآ]|ى$")
_BEFORE = re.compile("^و?(?:ال|بال|كال|فال|لل)(?=...)|^و(?=....)|^[بلف](?=.....)")
_AFTER = re.compile("(?<=...)(?:هما|ها|هم|هن|نا|كم|ات|ان|ون|ين|ية|وا|تي|ته|ت|ه|ة|ي|ك|ا)$")


def stem(word: str) -> str:
    """Return an Arabic word without conjunction, article, preposition and endings.

    These are the affixes of light stemming (Larkey, Ballesteros & Connell 2007), with letters that
    are often confused made equal. What remains has at least three letters.

    >>> stem("والمدرسة") == stem("مدرسه") == stem("مدرستنا") == "مدرس"
    True
    """
    word = _ALIKE.sub(lambda match: "ا" if match[0] in "أإآ" else "ي", word)
    word = _BEFORE.sub("", word, count=1)
    shorter = _AFTER.sub("", word)
    return shorter if shorter == word else _AFTER.sub("", shorter)


def lemma_of(form: str, language: str) -> str:
    """Return the lemma of a form in wordfreq's spelling, which has σ for ς; Arabic: the stem."""
    if language == "ar":
        return stem(form)
    if language == "el" and form.endswith("σ"):
        form = form[:-1] + "ς"
    return LANGUAGES[language].key(simplemma.lemmatize(form, lang=language))


def forms_of(language: str) -> dict[str, str]:
    """Return the English equivalent of each form, most frequent forms first."""
    key = LANGUAGES[language].key
    with (EQUIVALENTS / f"{language}.tsv").open(encoding="utf-8") as lines:
        equivalents = {
            key(lemma): english for lemma, english in csv.reader(lines, "excel-tab", quoting=3)
        }
    forms: dict[str, str] = {}
    listed = list(iter_wordlist(language, LANGUAGES[language].frequencies.split("_")[0]))
    if language == "ar":
        by_stem: dict[str, str] = {}
        for form in listed:
            if equivalents.get(form, _NONE) != _NONE:
                by_stem.setdefault(stem(form), equivalents[form])
        equivalents = by_stem | equivalents
    for form in listed:
        english = equivalents.get(form) or equivalents.get(lemma_of(form, language))
        if english and english != _NONE:
            forms[form] = english
            if len(forms) == _FORMS:
                break
    return forms


def words_of(language: str, count: int) -> list[str]:
    """Return the most frequent lemmas of a language, which need an equivalent."""
    key = LANGUAGES[language].key
    listed = iter_wordlist(language, LANGUAGES[language].frequencies.split("_")[0])
    # In Arabic it is forms that have equivalents.
    lemmas = (form if language == "ar" else lemma_of(form, language) for form in listed)
    words = dict.fromkeys(word for word in map(key, lemmas) if word.isalpha())
    return list(words)[:count]


def save(forms: dict[str, str], path: Path) -> None:
    """Write the forms, the distinct equivalents, and the index of each form's equivalent."""
    path.parent.mkdir(exist_ok=True)
    english = sorted(set(forms.values()))
    numbers = {word: number for number, word in enumerate(english)}
    np.savez_compressed(
        path,
        words=np.frombuffer("\n".join(forms).encode(), np.uint8),
        english=np.frombuffer("\n".join(english).encode(), np.uint8),
        equivalents=np.array([numbers[word] for word in forms.values()], np.uint16),
    )


def main() -> None:
    arguments = parser_of(__doc__, output="resources/translations").parse_args()
    for path in sorted(EQUIVALENTS.glob("*.tsv")):
        forms = forms_of(path.stem)
        save(forms, arguments.output / f"{path.stem}.npz")
        print(f"{path.stem}: {len(forms)} forms, {len(set(forms.values()))} equivalents")


if __name__ == "__main__":
    main()
