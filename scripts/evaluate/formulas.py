"""Compare our formulas with those of textstat, py-readability-metrics and textdescriptives.

    python -m scripts.evaluate.formulas [--data ../shared/data] [--texts 50]

The texts are the first of each corpus with at least 30 sentences. A cell has the median difference
(theirs minus ours) with the 5th and the 95th percentile, and Spearman's correlation with ours. The
last table has the share of words with the right number of syllables, from lists counted by hand.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyphen
from scripts.shared import ROOT, corpus, markdown, parser_of

from understandability.evaluation.correlation import spearman
from understandability.feature.formulas_of_languages import readability
from understandability.text.other_languages import LANGUAGES, syllables_of
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces

CORPORA = ("reddit_like", "consumer_nih", "wikipedia_med", "pubmed")
MOST_WORDS = 2_000
LEAST_SENTENCES = 30

# Our name -> the names in the packages, in the order of `PACKAGES`; '' if a package has none.
NAMES = {
    "ari": ("automated_readability_index", "ari", "automated_readability_index"),
    "coleman_liau": ("coleman_liau_index", "coleman_liau", "coleman_liau_index"),
    "dale_chall_above_5": ("dale_chall_readability_score", "dale_chall", ""),
    "dale_chall": ("dale_chall_readability_score_v2", "", ""),
    "flesch_kincaid": ("flesch_kincaid_grade", "flesch_kincaid", "flesch_kincaid_grade"),
    "flesch_reading_ease": ("flesch_reading_ease", "flesch", "flesch_reading_ease"),
    "gunning_fog": ("gunning_fog", "gunning_fog", ""),
    "gunning_fog_plain": ("", "", "gunning_fog"),
    "lix": ("lix", "", "lix"),
    "smog": ("smog_index", "smog", "smog"),
    "eflaw": ("mcalpine_eflaw", "", ""),
    "linsear_write": ("linsear_write_formula", "linsear_write", ""),
    "rix": ("rix", "", "rix"),
    "spache_dale_chall": ("spache_readability", "spache", ""),
    "text_standard": ("text_standard", "", ""),
    "reading_minutes": ("reading_time", "", ""),
}
Formulas = Callable[[str], Mapping[str, float]]


def textstat_formulas() -> Formulas:
    """Return the formulas of textstat; seconds become minutes."""
    import textstat

    def compute(text: str) -> dict[str, float]:
        values = {name: getattr(textstat, name)(text) for name, _, _ in NAMES.values() if name}
        values["text_standard"] = textstat.text_standard(text, float_output=True)
        values["reading_time"] /= 60
        return values

    return compute


def py_readability_formulas() -> Formulas:
    """Return the formulas of py-readability-metrics, with SMOG over all sentences."""
    from readability import Readability

    def compute(text: str) -> dict[str, float]:
        formulas = Readability(text)
        names = [name for _, name, _ in NAMES.values() if name not in ("", "smog")]
        values = {name: getattr(formulas, name)().score for name in names}
        return {**values, "smog": formulas.smog(all_sentences=True).score}

    return compute


def textdescriptives_formulas() -> Formulas:
    """Return the formulas of textdescriptives, with spaCy's rules for words and sentences."""
    import spacy
    import textdescriptives  # noqa: F401  # adds its components to spaCy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("textdescriptives/readability")

    def compute(text: str) -> Any:
        return pipeline(text)._.readability

    return compute


PACKAGES = {
    "textstat": textstat_formulas,
    "py-readability-metrics": py_readability_formulas,
    "textdescriptives": textdescriptives_formulas,
}


def texts_of(data: Path, name: str) -> Iterator[str]:
    """Yield the texts of a corpus with enough sentences, as one line truncated to `MOST_WORDS`."""
    for record in corpus(data, name):
        pieces = split_pieces(record["text"])[:MOST_WORDS]
        if len(sentence_starts(pieces)) >= LEAST_SENTENCES:
            yield " ".join(pieces)


def compare(texts: list[str]) -> str:
    """Return a table with a row for each of our formulas."""
    ours = [readability(text) for text in texts]
    theirs: dict[str, list[Mapping[str, float]]] = {}
    for package, load in PACKAGES.items():
        try:
            compute = load()
        except ImportError:
            print(f"{package} is not installed, so it is skipped")
            continue
        theirs[package] = [compute(text) for text in texts]
    rows = []
    for name, names in NAMES.items():
        own, cells = np.array([values[name] for values in ours]), [f"`{name}`"]
        for their_name, package in zip(names, PACKAGES, strict=True):
            if package in theirs:
                values = [row[their_name] for row in theirs[package]] if their_name else None
                cells.append("" if values is None else cell(own, np.array(values), their_name))
        rows.append(cells)
    return markdown(["ours", *theirs], rows)


def cell(own: np.ndarray, theirs: np.ndarray, name: str) -> str:
    """Format a package's name of a formula, the differences from ours, and the correlation."""
    low, middle, high = np.percentile(theirs - own, [5, 50, 95])
    return f"`{name}` {middle:+.2f} ({low:+.2f} to {high:+.2f}), {spearman(own, theirs):.3f}"


def syllables() -> Iterator[list[str]]:
    """Yield rows per language: the share of words with the right number of syllables."""
    lines = (ROOT / "tests/text/syllables_of_languages.txt").read_text("utf-8").splitlines()
    for tag, language in LANGUAGES.items():
        hyphens = pyphen.Pyphen(lang=tag) if tag in pyphen.LANGUAGES else None
        for part in ("seen", "unseen"):
            cells = next(line for line in lines if line.startswith(f"{tag} {part} ")).split()[2:]
            words = [cell[:-1] for cell in cells]
            counts = np.array([int(cell[-1]) for cell in cells])
            ours, theirs = np.mean(syllables_of(words, language) == counts), ""
            if hyphens:
                hyphenated = [len(hyphens.positions(word.lower())) + 1 for word in words]
                theirs = f"{np.mean(np.array(hyphenated) == counts):.0%}"
            yield [f"{language.name}, {part}", str(len(words)), f"{ours:.0%}", theirs]


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--texts", type=int, default=50, help="texts per corpus")
    arguments = parser.parse_args()
    import nltk.data

    nltk.data.path.insert(0, str(arguments.data / "nltk_data"))
    texts = [
        text for name in CORPORA for text in islice(texts_of(arguments.data, name), arguments.texts)
    ]
    print(f"{len(texts)} texts\n")
    print(compare(texts))
    print(markdown(["language", "words", "ours", "pyphen"], syllables()))


if __name__ == "__main__":
    main()
