"""How many documents a second get their features, beside textstat and NLTK; what memory it takes.

    python -m scripts.benchmark.features [--data ../shared/data] [--documents 3000]
    python -m scripts.benchmark.features --memory 200000

Documents are stretches of 600 words of the background corpora, all different, from plain text on.
In one process and in turns, batch by batch, so that noise falls on all alike: textstat's eight
formulas, NLTK's perceptron tagger on our tokens, our formulas and components, and all embedded
features but those of background models. ``--memory`` feeds so many documents of 150 words to all
features, every tenth word altered so that new words never end, and prints how the table of types
and the process grow.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from understandability.feature import batch
from understandability.feature.catalogue import catalogue, select_columns
from understandability.feature.table import compute_features
from understandability.text.document import Document
from understandability.text.sentences import sentence_starts
from understandability.text.tokens import split_pieces

CORPORA = ("reddit_like", "wikipedia_med", "pubmed")
WORDS = 600
MEMORY_WORDS = 150
BATCH = 64
TEXTSTAT = (
    "automated_readability_index",
    "coleman_liau_index",
    "dale_chall_readability_score",
    "flesch_kincaid_grade",
    "flesch_reading_ease",
    "gunning_fog",
    "lix",
    "smog_index",
)
FORMULAS = select_columns(groups=["readability", "components"], per=["word", "sentence"])
EMBEDDED = select_columns(
    [row.name for row in catalogue() if not row.needs and row.group != "background models"],
    per=["word", "sentence"],
)

Run = Callable[[list[str]], object]


def stretches(data: Path, size: int = WORDS) -> list[str]:
    """Texts of `size` words in a fixed order of chance; short texts of a corpus are joined."""
    found = []
    for corpus in CORPORA:
        words: list[str] = []
        with gzip.open(data / "corpora" / f"{corpus}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                words += json.loads(line)["text"].split()
                while len(words) >= size:
                    found.append(" ".join(words[:size]))
                    words = words[size:]
    random.Random(0).shuffle(found)
    return found


def documents_of(texts: list[str]) -> list[Document]:
    documents = []
    for text in texts:
        cut = split_pieces(text)
        documents.append(Document("", "", tuple(cut), tuple(sentence_starts(cut))))
    return documents


def contenders(data: Path) -> dict[str, Run]:
    """What is timed, by name: each takes a batch of texts."""
    os.environ["NLTK_DATA"] = str(data / "nltk_data")
    import textstat
    from nltk.tag.perceptron import PerceptronTagger

    formulas = [getattr(textstat, name) for name in TEXTSTAT]
    tagger = PerceptronTagger()

    def tag(texts: list[str]) -> None:
        from understandability.text.tokens import tokenize

        for document in documents_of(texts):
            for sentence in document.sentences:
                tagger.tag([token for piece in sentence for token in tokenize(piece)])

    return {
        "textstat, eight formulas": lambda texts: [[f(text) for f in formulas] for text in texts],
        "NLTK, tags alone": tag,
        f"formulas and components ({len(FORMULAS)} columns)": ours(FORMULAS),
        f"all embedded features ({len(EMBEDDED)} columns)": ours(EMBEDDED),
    }


def ours(columns: tuple[str, ...]) -> Run:
    """Compute the columns with a table of types of their own: none learns from another run."""
    table = batch.PieceTable()

    def run(texts: list[str]) -> None:
        batch._pieces = table
        compute_features(documents_of(texts), columns)

    return run


def benchmark(data: Path, count: int) -> None:
    """Print milliseconds a document, and how often textstat's formulas fit into them."""
    texts = stretches(data)[: count + BATCH]
    runs = contenders(data)
    seconds = dict.fromkeys(runs, 0.0)
    for start in range(0, len(texts), BATCH):
        for name, run in runs.items():
            begun = time.perf_counter()
            run(texts[start : start + BATCH])
            if start:  # the first batch loads what is loaded once
                seconds[name] += time.perf_counter() - begun
    timed = len(texts) - BATCH
    print(f"{timed} documents of {WORDS} words in batches of {BATCH}")
    for name, spent in seconds.items():
        times = seconds["textstat, eight formulas"] / spent
        print(f"{name:45}{1000 * spent / timed:8.2f} ms{timed / spent:8.0f}/s{times:8.1f} x")


def altered(texts: list[str]) -> Iterator[str]:
    """The texts again and again, every tenth word a new one."""
    chance = random.Random(1)
    while True:
        for text in texts:
            words = text.split()
            for index in range(0, len(words), 10):
                words[index] += "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=4))
            yield " ".join(words)


def memory(data: Path, count: int) -> None:
    """Print how the tables and the process grow with the documents."""
    texts = altered(stretches(data, MEMORY_WORDS))
    print(
        f"{'documents':>10}{'pieces':>10}{'words':>10}{'tokens':>10}{'MB now':>10}{'MB most':>10}"
    )
    for done in range(0, count, BATCH):
        compute_features(documents_of(list(islice(texts, BATCH))), EMBEDDED)
        if (done // BATCH) % (count // BATCH // 20) == 0:
            now = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            table = batch.pieces()
            sizes = map(len, (table, table.word_types, table.token_types))
            print(
                f"{done + BATCH:10}{''.join(f'{size:10}' for size in sizes)}"
                f"{now / 1e6:10.0f}{most / 1e6:10.0f}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--memory", type=int, metavar="DOCUMENTS")
    arguments = parser.parse_args()
    if arguments.memory:
        memory(arguments.data, arguments.memory)
    else:
        benchmark(arguments.data, arguments.documents)
