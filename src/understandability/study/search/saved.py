"""Indexes and rankers to folders and back; what is read is checked before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from understandability._version import __version__
from understandability.errors import InputError, OptionError
from understandability.model.bundle_files import read_bundle, write_bundle
from understandability.model.forest import Forest
from understandability.model.weights import array_bytes, arrays_of
from understandability.study.index_files import read_index, write_index
from understandability.study.learn import Ranker
from understandability.study.search.index_terms import Analyzer
from understandability.study.search.inverted_index import BODY, TITLE, Field, Index

RANKER = "ranker"
_TREES = "ranker.npz"
_PARTS = ("counts", "documents", "starts")


def save_index(index: Index, folder: str | Path) -> None:
    """Write an index as a folder; the same index gives the same bytes."""
    header = {
        "toolkit": __version__,
        "documents": len(index.docnos),
        "terms": len(index.terms),
        "extractor": index.extractor,
        "analyzer": asdict(index.analyzer),
    }
    arrays = {"docnos": _packed(index.docnos), "terms": _packed(index.terms)}
    for name in (TITLE, BODY):
        postings = index.field(name).postings
        columns = (postings.data, postings.indices, postings.indptr)
        for part, column in zip(_PARTS, columns, strict=True):
            arrays[f"{name}_{part}"] = column.astype(np.int64 if part == "starts" else np.int32)
    write_index(folder, header, arrays)


def load_index(folder: str | Path) -> Index:
    """Read an index; raises `InputError` where it is no index, damaged, or of another version."""
    header, arrays = read_index(folder)
    try:
        return _index(header, arrays)
    except (LookupError, TypeError, ValueError, OptionError) as error:
        raise InputError(f"the index {folder} is damaged ({error}); build it again") from error


def _index(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Index:
    docnos, terms = _unpacked(arrays["docnos"]), _unpacked(arrays["terms"])
    title, body = (_field(arrays, name, len(terms), len(docnos)) for name in (TITLE, BODY))
    return Index(
        docnos, terms, title, body, Analyzer(**header["analyzer"]), str(header["extractor"])
    )


def _field(arrays: Mapping[str, NDArray[Any]], name: str, terms: int, documents: int) -> Field:
    columns = [arrays[f"{name}_{part}"] for part in _PARTS]
    if any(column.ndim != 1 or column.dtype.kind != "i" for column in columns):
        raise ValueError(f"the postings of the {name} are not whole numbers")
    counts, numbers, starts = columns
    if len(starts) != terms + 1 or starts[0] != 0 or starts[-1] != len(numbers):
        raise ValueError(f"the postings of the {name} do not fit its terms")
    if (np.diff(starts) < 0).any() or not _ascending(numbers, starts):
        raise ValueError(f"the postings of the {name} are not in order")
    if len(counts) != len(numbers) or (counts < 1).any():
        raise ValueError(f"the postings of the {name} have no counts")
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= documents):
        raise ValueError(f"the postings of the {name} are of unknown documents")
    return Field(csr_matrix((counts, numbers, starts), shape=(terms, documents)))


def _ascending(numbers: NDArray[Any], starts: NDArray[Any]) -> bool:
    """Whether the documents of each term are in order, none of them twice."""
    first = np.zeros(len(numbers), dtype=bool)
    first[starts[:-1][np.diff(starts) > 0]] = True
    return bool((first[1:] | (np.diff(numbers) > 0)).all())


def _packed(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Names, which hold no line breaks, as bytes."""
    return np.frombuffer("\n".join(names).encode(), dtype=np.uint8)


def _unpacked(content: NDArray[Any]) -> tuple[str, ...]:
    if content.dtype != np.uint8:
        raise ValueError("its names are not text")
    names = tuple(content.tobytes().decode().split("\n")) if len(content) else ()
    if len(set(names)) != len(names):
        raise ValueError("it holds a name twice")
    return names


def save_ranker(ranker: Ranker, folder: str | Path) -> None:
    """Write a ranker as a bundle; the same ranker gives the same bytes."""
    description = {
        "kind": RANKER,
        "name": Path(folder).name,
        "toolkit": __version__,
        **ranker.card,
        "features": list(ranker.features),
    }
    write_bundle(folder, description, {_TREES: array_bytes(ranker.trees.to_arrays())})


def load_ranker(folder: str | Path) -> Ranker:
    """Read a ranker; raises `InputError` where it is none, damaged, unsafe, or newer."""
    files = read_bundle(folder)
    card = dict(files.description)
    if card.pop("kind", None) != RANKER:
        raise InputError(
            f"{files.where} is an estimator, not a ranker; learn one with `understand rank learn`"
        )
    features = card.pop("features", None)
    for name in ("files", "format", "toolkit", "name"):
        card.pop(name, None)
    try:
        trees = Forest.from_arrays(arrays_of(files.weights, _TREES))
        if not isinstance(features, list) or not all(isinstance(name, str) for name in features):
            raise InputError("its features are not a list of names")
        if len(features) != trees.inputs:
            raise InputError(f"it names {len(features)} features for trees over {trees.inputs}")
    except InputError as error:
        raise InputError(f"{files.where} is refused: {error}") from error
    return Ranker(tuple(features), trees, MappingProxyType(card))
