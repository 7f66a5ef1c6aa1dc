"""Add a language that has a row in `LANGUAGES` of ``text/other_languages.py``.

    pip install wordfreq simplemma msgpack
    python -m scripts.train.add_language TAG PACKAGES [--data ../shared/data]

The first call writes the word frequencies of the language into ``resources/words``, and its 10,500
most frequent words into ``readings/equivalents/TAG.tsv``, each with "?" for its English equivalent.
Fill these in (one word; "-" for names and non-words). The second call writes the translations of
word forms (`scripts.train.translations`), maps the columns of the language to English by the
translated texts in PACKAGES (`scripts.train.parallel` says which), and trains the bundle with its
level. With 60 rows of the language in ``readings/languages.jsonl.gz``, it has a difficulty, too.
"""

from pathlib import Path

from scripts.shared import ROOT, parser_of
from scripts.train.languages import EQUIVALENTS, Learned, bundle_of
from scripts.train.parallel import parallel_texts
from scripts.train.translations import forms_of, save, words_of
from scripts.train.word_lists import save_frequencies

from understandability.text.other_languages import other_language

_WORDS = 10_500
_OPEN = "?"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("tag")
    parser.add_argument("packages", type=Path)
    arguments = parser.parse_args()
    row = other_language(arguments.tag)
    resources = ROOT / "resources"
    equivalents = EQUIVALENTS / f"{row.tag}.tsv"
    if not equivalents.exists():
        save_frequencies(row.frequencies, resources / "words")
        lines = [f"{word}\t{_OPEN}\n" for word in sorted(words_of(row.tag, _WORDS))]
        equivalents.write_text("".join(lines), "utf-8", newline="\n")
    open_words = equivalents.read_text("utf-8").count(f"\t{_OPEN}\n")
    if open_words:
        raise SystemExit(
            f"{equivalents}: {open_words:,} words have no English equivalent yet; replace each "
            f'"{_OPEN}" by one word, or by "-", and run this again'
        )
    save(forms_of(row.tag), resources / "translations" / f"{row.tag}.npz")
    learned = Learned(arguments.data, list(parallel_texts(arguments.packages)))
    bundle_of(arguments.data, learned).save(resources / "bundles" / "languages")


if __name__ == "__main__":
    main()
