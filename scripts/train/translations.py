"""Build ``resources/translations``: the English equivalents of words in other languages.

    pip install simplemma
    python -m scripts.train.translations

A language model wrote the equivalents of lemmas (``readings/equivalents/TAG.tsv``: lemma, tab,
English word, "-" of names and of what is no word). Here each form that wordfreq lists gets that of
its lemma, as simplemma finds it; the `_FORMS` most frequent forms are kept. Deterministic, a minute
a language.
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
    """The English equivalent of each form, most frequent first."""
    with (EQUIVALENTS / f"{language}.tsv").open(encoding="utf-8") as lines:
        known = {
            lemma.lower(): english for lemma, english in csv.reader(lines, "excel-tab", quoting=3)
        }
    found: dict[str, str] = {}
    for form in iter_wordlist(language, LANGUAGES[language].frequencies.split("_")[0]):
        english = known.get(form) or known.get(simplemma.lemmatize(form, lang=language).lower())
        if english and english != _NONE:
            found[form] = english
            if len(found) == _FORMS:
                break
    return found


def save(forms: dict[str, str], path: Path) -> None:
    """Words and their equivalents, each equivalent once."""
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
