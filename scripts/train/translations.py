"""Build ``resources/translations``: the English equivalents of words in other languages.

    pip install simplemma
    python -m scripts.train.translations

A language model wrote the equivalents of lemmas (``readings/equivalents/TAG.tsv``: lemma, tab,
English word; "-" for names and non-words). This script assigns to each form in wordfreq's list the
equivalent of its lemma, by simplemma, and stores the `_FORMS` most frequent forms. The result is
deterministic and takes a minute per language.
"""

import csv
from pathlib import Path

import numpy as np
import simplemma
from scripts.shared import parser_of
from scripts.train.languages import EQUIVALENTS
from wordfreq import iter_wordlist

from understandability.text.other_languages import LANGUAGES

_FORMS = 40_000
_NONE = "-"


def forms_of(language: str) -> dict[str, str]:
    """Return the English equivalent of each form, most frequent forms first."""
    with (EQUIVALENTS / f"{language}.tsv").open(encoding="utf-8") as lines:
        equivalents = {
            lemma.lower(): english for lemma, english in csv.reader(lines, "excel-tab", quoting=3)
        }
    forms: dict[str, str] = {}
    for form in iter_wordlist(language, LANGUAGES[language].frequencies.split("_")[0]):
        lemma = simplemma.lemmatize(form, lang=language).lower()
        english = equivalents.get(form) or equivalents.get(lemma)
        if english and english != _NONE:
            forms[form] = english
            if len(forms) == _FORMS:
                break
    return forms


def save(forms: dict[str, str], path: Path) -> None:
    """Write the forms, the distinct equivalents, and the index of each form's equivalent."""
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
    arguments.output.mkdir(exist_ok=True)
    for path in sorted(EQUIVALENTS.glob("*.tsv")):
        forms = forms_of(path.stem)
        save(forms, arguments.output / f"{path.stem}.npz")
        print(f"{path.stem}: {len(forms)} forms, {len(set(forms.values()))} equivalents")


if __name__ == "__main__":
    main()
