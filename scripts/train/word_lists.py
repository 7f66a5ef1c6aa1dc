"""Copy the word lists that scores depend on from other packages into ``resources/words``.

    pip install 'wordfreq==3.1.1' 'textstat==0.7.13' 'scikit-learn==1.9.1' \\
        'vaderSentiment==3.3.2' 'jusText==3.0.2' msgpack
    python -m scripts.train.word_lists [--output resources/words]

The package reads these copies only, so that an upgrade of another package does not change scores.
``tests/feature/test_original_lists.py`` compares them with the installed originals, and so reports
changes.
"""

import gzip
import os
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.shared import parser_of

from understandability.text.other_languages import LANGUAGES
from understandability.text.stop_words import STOP_LISTS

MakeLines = Callable[[], list[str]]
FREQUENCIES = ("large_en", *(row.frequencies for row in LANGUAGES.values()))
# The Zipf frequency of the first list of wordfreq's file, in hundredths.
_HIGHEST = 900
_MOST_SHARED = 31  # a byte below 32 says how many bytes two words share


def frequencies(name: str) -> dict[str, int]:
    """Return the words of one of wordfreq's lists, with their Zipf frequencies in hundredths."""
    import msgpack

    packed = files("wordfreq").joinpath(f"data/{name}.msgpack.gz").read_bytes()
    header, *lists = msgpack.unpackb(gzip.decompress(packed))
    assert header == {"format": "cB", "version": 1}
    # List i holds the words of frequency 10^(-i / 100).
    return {word: _HIGHEST - index for index, words in enumerate(lists) for word in words}


def packed(words: Iterable[bytes]) -> Iterator[bytes]:
    """Yield words without the prefix that they share with the preceding word.

    A byte before each word is the length of that prefix. `understandability._core.Places` reads
    this format.

    >>> list(packed([b"heart", b"hearts", b"heat"]))
    [b'\\x00heart', b'\\x05s', b'\\x03t']
    """
    before = b""
    for word in words:
        shared = len(os.path.commonprefix([word, before])[:_MOST_SHARED])  # noqa: RUF071  # no paths
        yield bytes([shared]) + word[shared:]
        before = word


def packed_frequencies(name: str) -> dict[str, NDArray[np.generic]]:
    """Return a list of frequencies as the arrays of its file, words in alphabetical order."""
    words = sorted((word.encode(), number) for word, number in frequencies(name).items())
    return {
        "words": np.frombuffer(b"".join(packed(word for word, _ in words)), np.uint8),
        "numbers": np.array([number for _, number in words], np.uint16),
    }


def save_frequencies(name: str, output: Path) -> None:
    """Write a list of frequencies into the folder of the word lists."""
    np.savez_compressed(output / "frequencies" / f"{name}.npz", **packed_frequencies(name))


def dale_chall() -> list[str]:
    """Return the familiar words of the Dale-Chall formula, in lower case."""
    text = files("textstat").joinpath("resources/en/easy_words.txt").read_text("utf-8")
    return sorted(set(text.lower().split()))


def stop_words() -> list[str]:
    """Return the English stop words of scikit-learn."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return sorted(ENGLISH_STOP_WORDS)


def polarities() -> list[str]:
    """Return VADER's words with their signs: a word, a tab, 1 or -1.

    Words with a valence of 0 are dropped, and so are tokens with capitals, because lookups are in
    lower case.
    """
    text = files("vaderSentiment").joinpath("vader_lexicon.txt").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines()]
    signs = {word: int(np.sign(float(valence))) for word, valence, *_ in rows}
    return sorted(
        f"{word}\t{sign}" for word, sign in signs.items() if sign and word == word.lower()
    )


def stop_list(language: str) -> list[str]:
    """Return jusText's stop words of a language in lower case, by descending frequency."""
    path = f"stoplists/{STOP_LISTS[language]}.txt"
    return files("justext").joinpath(path).read_text("utf-8").lower().split()


def lists() -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the lines of each text file."""
    yield "dale_chall.txt", dale_chall()
    yield "stop_words.txt", stop_words()
    yield "polarity.tsv", polarities()
    for language in STOP_LISTS:
        yield f"stop_lists/{language}.txt", stop_list(language)


def main() -> None:
    output: Path = parser_of(__doc__, data=False, output="resources/words").parse_args().output
    for folder in ("frequencies", "stop_lists"):
        (output / folder).mkdir(parents=True, exist_ok=True)
    for name in FREQUENCIES:
        save_frequencies(name, output)
    for file, lines in lists():
        (output / file).write_text("\n".join(lines) + "\n", "utf-8", newline="\n")


if __name__ == "__main__":
    main()
