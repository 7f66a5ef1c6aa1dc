"""Tokens tagged per second, ours and NLTK's perceptron in turn, on UD English EWT dev.

Ours starts with an empty table of types each time: what types contribute is in its time.
NLTK's data are those of ``nltk_data`` in the folder of the data.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import process_time

import nltk.data
import numpy as np
from scripts.train.conllu import read_sentences

from understandability.feature.tagger import default_tagger
from understandability.study.nltk_backend import NltkTagger


def main() -> None:
    """Print the median rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    nltk.data.path.insert(0, str(arguments.data / "nltk_data"))
    dev = list(read_sentences(arguments.data / "ud_english_ewt/en_ewt-ud-dev.conllu.gz"))
    tokens = [token for sentence in dev for token in sentence.tokens]
    starts = np.cumsum([0, *(len(sentence.tokens) for sentence in dev[:-1])])
    tagger, theirs = default_tagger(), NltkTagger()
    types, ids = np.unique(tokens, return_inverse=True)
    contributions = tagger.contributions(types.tolist())

    def rate(tag: Callable[[], object]) -> float:
        begun = process_time()
        tag()
        return len(tokens) / (process_time() - begun)

    contenders: dict[str, Callable[[], object]] = {
        "ours, all types new": lambda: tagger.tag(tokens, starts),
        "ours, all types known": lambda: tagger.tag_ids(ids, starts, contributions),
        "NLTK's perceptron": lambda: theirs.tag(tokens, starts),
    }
    for tag in contenders.values():
        tag()
    rounds = [[rate(tag) for tag in contenders.values()] for _ in range(arguments.rounds)]
    medians = np.median(rounds, axis=0)
    for name, median in zip(contenders, medians, strict=True):
        print(f"{name}: {median:,.0f} tokens/s, {median / medians[-1]:.1f} times NLTK's")


if __name__ == "__main__":
    main()
