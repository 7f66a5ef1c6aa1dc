"""Weights as bytes and back: ``.npz`` without pickles."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.model.forest import Forest
from understandability.model.predictors import Network, Predictor, Prepared

# Headers of arrays are read by Python's parser, and those of the first version by its tokenizer.
NO_PLAIN_ARRAYS = (
    OSError,
    ValueError,
    EOFError,
    LookupError,
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
)
DAMAGED_ARRAYS = (zlib.error, RuntimeError, MemoryError, OverflowError)


# What the arrays of one file may unfold to, and how many there may be.
_MAX_BYTES = 256_000_000
_MAX_ARRAYS = 200


def array_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Named arrays as a compressed ``.npz``; the same arrays give the same bytes."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # no name is that of an option
    return stream.getvalue()


def arrays_of(weights: Mapping[str, bytes], name: str) -> dict[str, NDArray[Any]]:
    """The arrays of one file of a bundle."""
    stream = io.BytesIO(file_of(weights, name))
    try:
        with zipfile.ZipFile(stream) as archive:
            sizes = [entry.file_size for entry in archive.infolist()]
            if len(sizes) > _MAX_ARRAYS or sum(sizes) > _MAX_BYTES:
                raise InputError(f"{name} expands to more than {_MAX_BYTES // 1_000_000} MB")
        with np.load(stream, allow_pickle=False) as arrays:
            read = {key: arrays[key] for key in arrays.files}
    except NO_PLAIN_ARRAYS as error:
        raise InputError(f"{name} holds no plain arrays, perhaps a pickle") from error
    except DAMAGED_ARRAYS as error:
        raise InputError(f"{name} is damaged") from error
    if not all(isinstance(array, np.ndarray) for array in read.values()):
        raise InputError(f"{name} holds more than arrays")
    return read


def file_of(weights: Mapping[str, bytes], name: str) -> bytes:
    """The content of one file of a bundle."""
    if name not in weights:
        raise InputError(f"it has no file {name[:60]}")
    return weights[name]


def predictor_files(predictor: Predictor) -> dict[str, bytes]:
    """A predictor as one file of weights."""
    if isinstance(predictor, Prepared | Network | Forest):
        return {"estimator.npz": array_bytes(predictor.to_arrays())}
    raise TypeError(f"{type(predictor).__name__} is not a model that a bundle can hold")


def predictor_of(weights: Mapping[str, bytes], stem: str = "estimator") -> Predictor:
    """The predictor in the file of that name; `predictor_files` gives ``estimator.npz``."""
    arrays = arrays_of(weights, f"{stem}.npz")
    if "fill" in arrays:
        return Prepared.from_arrays(arrays)
    return (Forest if "roots" in arrays else Network).from_arrays(arrays)
