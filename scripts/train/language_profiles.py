"""Pack the language model of py3langid, and distinctly English words, into one resource.

    pip install py3langid==0.4.0 wordfreq && python -m scripts.train.language_profiles

py3langid (BSD-3-Clause; Lui & Baldwin 2012, Barbaresi 2021) is a naive Bayes model of byte n-grams,
which an automaton recognises in the text. Its table has 142 languages in half precision; unpacking
takes seconds and 131 MB. Here the automaton becomes sorted lists of n-grams, one per length. Only
the languages in `KEPT` are stored, with 8 bits per log-probability.
"""

from collections import deque
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from understandability.feature.language_model import word_statistics
from understandability.resources import resource_folder
from understandability.text.extract.main import names
from understandability.text.language import LONGEST, STEP, english_hash

# Languages that have estimates, similar languages, and all languages with a fair number of web
# pages. Scottish Gaelic, Frisian and Occitan are detected as one of their neighbours.
KEPT = names(
    """af ar az be bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl gu ha he hi hr hu
    hy id is it ja ka kk km kn ko ku la lo lt lv mk ml mn mr ms mt my ne nl nn no pa pl
    ps pt ro ru si sk sl so sq sr sv sw ta te th tl tr uk ur uz vi yo zh"""
)
# The number of English words to consider, and the largest ratio of the frequency in another
# language to the frequency in English.
ENGLISH_WORDS, MOST_FOREIGN = 60_000, 1.0
LATIN_LISTS = names("""ca cs da de es fi fr hr hu id it lt lv ms nb nl pl pt ro sk sl sv tr vi""")


def ngrams(next_rows: np.ndarray, row_of: np.ndarray) -> dict[int, bytes]:
    """Return the n-gram that leads to each state of the automaton, by breadth-first search."""
    ngram_of = {0: b""}
    queue = deque([0])
    while queue:
        state = queue.popleft()
        for byte, target in enumerate(next_rows[row_of[state]].tolist()):
            if target not in ngram_of:
                ngram_of[target] = ngram_of[state] + bytes([byte])
                queue.append(target)
    return ngram_of


def english_words() -> list[str]:
    """Return English words that are not more frequent in another language with Latin script."""
    from wordfreq import get_frequency_dict

    english = get_frequency_dict("en", "best")
    others = [get_frequency_dict(language, "best") for language in LATIN_LISTS]
    frequent = sorted(english, key=lambda word: (-english[word], word))[:ENGLISH_WORDS]
    # Medical words of the background corpora, which general lists lack.
    medical = [word for word in word_statistics().words if len(word) >= 5]
    return [
        word
        for word in dict.fromkeys([*frequent, *medical])
        if word.isalpha()
        and max(other.get(word, 0.0) for other in others) <= MOST_FOREIGN * english.get(word, 0.0)
    ]


def main() -> None:
    """Write ``resources/languages.npz``."""
    from py3langid.modelio import load_model

    spec = find_spec("py3langid")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "data" / "model.npz.xz"
    weights, priors, names, next_states, row_of, output = load_model(path)
    columns = [index for index, name in enumerate(names) if name in KEPT]
    weights = np.asarray(weights, np.float32)[:, columns]
    rows = np.frombuffer(next_states, f"u{next_states.itemsize}").reshape(-1, 256)
    ngram_of = ngrams(rows, np.asarray(row_of))
    output = np.asarray(output)
    tables: list[np.ndarray] = []
    arrays: dict[str, np.ndarray] = {}
    for length in range(1, LONGEST + 1):
        states = [state for state, ngram in ngram_of.items() if len(ngram) == length]
        states.sort(key=lambda state: ngram_of[state])
        keys = [int.from_bytes(ngram_of[state], "big") for state in states]
        arrays[f"steps{length}"] = np.diff(np.array(keys, np.uint64), prepend=np.uint64(0))
        # A state without output is a proper prefix of an n-gram. It adds nothing, but it must be
        # listed, because the longest match hides shorter ones.
        table = np.where((output[states] >= 0)[:, None], weights[output[states]], 0.0)
        tables.append(np.round(-table * STEP))
    table = np.concatenate(tables)
    assert table.max() <= 255
    hashes = sorted({english_hash(word) for word in english_words()})
    arrays |= {
        "weights": table.astype(np.uint8),
        "priors": np.asarray(priors, np.float32)[columns],
        "languages": np.array([names[column] for column in columns]),
        "english": np.diff(np.array(hashes, np.uint32), prepend=np.uint32(0)),
    }
    target = resource_folder() / "languages.npz"
    np.savez_compressed(target, **arrays)
    print(
        f"{target.name}: {target.stat().st_size:,} bytes, {len(table):,} n-grams, "
        f"{len(columns)} languages, {len(hashes):,} English words"
    )


if __name__ == "__main__":
    main()
