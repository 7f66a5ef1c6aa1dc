"""The labelled sets of ``../shared/data``, as the scripts that train and evaluate read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from understandability.arrays import Floats
from understandability.documents import document_of_text
from understandability.evaluation.validation import BASELINES
from understandability.features import batches, features_of
from understandability.formats.jsonl import read_objects
from understandability.models.runtime.letters import letters
from understandability.models.runtime.mixture import inputs_of
from understandability.models.training.mixture import JudgedTexts
from understandability.records import Document


@dataclass(frozen=True)
class LabelledSource:
    """A labelled set: how its label becomes a CEFR level, what it weighs, who may use it.

    A level is ``start + step * label``. Sets of one `family` share texts, so that their groups are
    the same groups.
    """

    name: str
    start: float
    step: float
    weight: float
    licence: str
    family: str
    expert_weight: float = 1.0


# CLEAR and OneStop are brought to levels by where a model of the other sets sees them; within a
# set the step and the start change no correlation.
SOURCES = (
    LabelledSource("medreadme", 0, 1, 1, "none stated", "medreadme"),
    LabelledSource("medreadme_docs", 0, 1, 3, "none stated", "medreadme", 3.0),
    LabelledSource("readmepp_en", 0, 1, 1, "research, non-commercial", "readmepp"),
    LabelledSource("clear", 3.0, -0.6, 1, "CC BY-NC-SA 4.0", "clear"),
    LabelledSource("onestop", 2.4, 0.6, 3, "CC BY-SA 4.0", "onestop"),
    LabelledSource("wiki_simple_pairs", 3.7, 0.8, 0.3, "MIT", "wiki", 0.1),
)
_SOURCE = {source.name: source for source in SOURCES}
# By the origin of a text, not by judgement: the measure is how often the harder comes out harder.
BY_ORIGIN = ("cochrane_pls", "wiki_simple_pairs")
HARDER = {"clear": -1.0}  # the sets whose label says easier

# Passages of corpora as weak labels, levels by who they are written for: corpus -> level, how
# many, licence. Of pubmed only what is under the MIT licence.
ORIGINS = {
    "consumer_nih": (3.3, 1500, "CC BY 4.0"),
    "wikipedia_med": (4.3, 700, "CC BY-SA"),
    "pubmed": (5.3, 2200, "MIT"),
}
_NOT_OPEN = ("ncbi_disease", "hoc_cancer")


@dataclass(frozen=True)
class Texts:
    """The texts of some sets as columns of numbers and of names, one row each."""

    sets: NDArray[Any]
    ids: NDArray[Any]
    labels: Floats
    groups: NDArray[np.int64]
    splits: NDArray[Any]
    words: NDArray[np.int64]
    inputs: Floats
    letters: Any
    formulas: Floats

    def where(self, chosen: NDArray[np.bool_]) -> Texts:
        """Some of the rows."""
        return Texts(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def records(data: Path, name: str) -> list[dict[str, Any]]:
    return list(read_objects(str(data / "labelled" / f"{name}.jsonl.gz")))


def joined_groups(rows: Sequence[tuple[str, str, str]]) -> NDArray[np.int64]:
    """Numbers of groups from (family, group, text); equal texts join their groups."""
    parent: dict[object, object] = {}

    def find(key: object) -> object:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for family, group, text in rows:
        parent[find((family, group))] = find(" ".join(text.lower().split()))
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(find(row[:2]), len(numbers)) for row in rows])


def load_texts(data: Path, names: Sequence[str], columns: Sequence[str]) -> Texts:
    """All records of some sets, turned to harder = higher, with the columns of a mixture."""
    families = {source.name: source.family for source in SOURCES}
    found = [(name, record) for name in names for record in records(data, name)]
    documents = [document_of_text(record["text"], record["id"]) for _, record in found]
    words, inputs, spelled, formulas = [], [], [], []
    for batch in batches(documents):
        words.append(batch.words)
        inputs.append(inputs_of(batch, columns))
        spelled.append(letters(batch))
        formulas.append(features_of(batch, BASELINES).values)
    return Texts(
        sets=np.array([name for name, _ in found]),
        ids=np.array([record["id"] for _, record in found]),
        labels=np.array([HARDER.get(name, 1.0) * record["label"] for name, record in found]),
        groups=joined_groups(
            [
                (families.get(name, name), str(record["group"]), record["text"])
                for name, record in found
            ]
        ),
        splits=np.array([record.get("split") or "" for _, record in found]),
        words=np.concatenate(words),
        inputs=np.concatenate(inputs),
        letters=vstack(spelled, "csr"),
        formulas=np.concatenate(formulas),
    )


@dataclass(frozen=True)
class Passages:
    """Passages of corpora as columns of numbers, one row each."""

    corpora: NDArray[Any]
    inputs: Floats
    letters: Any


def load_passages(data: Path, columns: Sequence[str]) -> Passages:
    """Those of `passages`, with the columns of a mixture."""
    documents = list(passages(data))
    inputs, spelled = [], []
    for batch in batches(documents):
        inputs.append(inputs_of(batch, columns))
        spelled.append(letters(batch))
    return Passages(
        np.array([document.path for document in documents]),
        np.concatenate(inputs),
        vstack(spelled, "csr"),
    )


def judged(
    texts: Texts, domain_of: Mapping[str, str], passages: Passages, origin_weight: float
) -> JudgedTexts:
    """The records of the sets in `domain_of` with their levels, and the passages behind them.

    Passages that weigh nothing are left out.
    """
    domains = list(dict.fromkeys(domain_of.values()))
    chosen = np.isin(texts.sets, list(domain_of)) & np.isfinite(texts.inputs).all(axis=1)
    of = [_SOURCE[name] for name in texts.sets[chosen]]
    weak = len(passages.corpora) if origin_weight else 0
    return JudgedTexts(
        inputs=np.concatenate([texts.inputs[chosen], passages.inputs[:weak]]),
        letters=vstack([texts.letters[chosen], passages.letters[:weak]], "csr"),
        levels=np.concatenate(
            [levels_of(texts, chosen), [ORIGINS[corpus][0] for corpus in passages.corpora[:weak]]]
        ),
        domains=np.array(
            [domains.index(domain_of[source.name]) for source in of] + [len(domains)] * weak
        ),
        groups=np.concatenate([texts.groups[chosen], -1 - np.arange(weak)]),
        weights=np.array([source.weight for source in of] + [origin_weight] * weak),
        expert_weights=np.array([source.expert_weight for source in of] + [1.0] * weak),
    )


def levels_of(texts: Texts, chosen: NDArray[np.bool_]) -> Floats:
    """The CEFR levels of chosen records; a label was turned to harder = higher, so is the step."""
    of = [_SOURCE[name] for name in texts.sets[chosen]]
    steps = np.array([abs(source.step) for source in of])
    return np.array([source.start for source in of]) + steps * texts.labels[chosen]


def weights_of(sets: NDArray[Any]) -> Floats:
    """What each record weighs, by its set."""
    return np.array([_SOURCE[name].weight for name in sets])


def passages(data: Path, random_state: int = 0) -> Iterator[Document]:
    """Runs of sentences of 70 to 600 words from documents of each corpus of `ORIGINS`."""
    rng = np.random.default_rng(random_state)
    for corpus, (_, count, _) in ORIGINS.items():
        every = [
            record
            for record in read_objects(str(data / "corpora" / f"{corpus}.jsonl.gz"))
            if record["source"] not in _NOT_OPEN
        ]
        for number in np.sort(rng.permutation(len(every))[:count]):
            document = document_of_text(every[number]["text"], every[number]["id"])
            size = int(np.exp(rng.uniform(np.log(70), np.log(600))))
            starts = np.append(document.sentence_starts, len(document.pieces))
            latest = np.searchsorted(starts, max(0, len(document.pieces) - size), "right")
            first = int(rng.integers(0, max(1, latest)))
            last = min(int(np.searchsorted(starts, starts[first] + size)), len(starts) - 1)
            if starts[last] - starts[first] >= 40:
                yield Document(
                    document.docno,
                    corpus,
                    document.pieces[starts[first] : starts[last]],
                    tuple((starts[first:last] - starts[first]).tolist()),
                )
