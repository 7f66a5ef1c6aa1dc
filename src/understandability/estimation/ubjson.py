"""Universal Binary JSON, as far as XGBoost writes it: a strict reader and a writer.

Arrays of one type of number become numpy arrays, everything else what `json` would give.
Whatever the bytes, reading ends with a value or a `ValueError`, and never makes more than a small
multiple of their size.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

# Marker -> big-endian numpy type; of whole numbers `L` is the widest.
_NUMBERS = {
    marker: np.dtype(name)
    for marker, name in {
        b"i": ">i1",
        b"U": ">u1",
        b"I": ">i2",
        b"l": ">i4",
        b"L": ">i8",
        b"d": ">f4",
        b"D": ">f8",
    }.items()
}
_MARKERS = {dtype.newbyteorder("="): marker for marker, dtype in _NUMBERS.items()}
# One number by itself: `struct` is ten times as quick as numpy.
_SINGLE = {
    marker: struct.Struct(f">{code}") for marker, code in zip(_NUMBERS, "bBhiqfd", strict=True)
}
_CONSTANTS = {b"T": True, b"F": False, b"Z": None}
_MAX_DEPTH = 16


def decode(content: bytes) -> Any:
    """The value of a whole document.

    >>> decode(encode({"name": "gbtree", "left": np.array([1, -1], np.int32), "trees": [1, True]}))
    {'name': 'gbtree', 'left': array([ 1, -1], dtype=int32), 'trees': [1, True]}
    """
    reader = _Reader(content)
    value = reader.value(reader.take(1), 0)
    if reader.at != len(content):
        raise ValueError("there is more behind the end")
    return value


def encode(value: Any) -> bytes:
    """The bytes of a value: dict, list, array, str, int, float, bool or None."""
    parts: list[bytes] = []
    _write(value, parts)
    return b"".join(parts)


class _Reader:
    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.content):
            raise ValueError("it is truncated")
        self.at += size
        return self.content[self.at - size : self.at]

    def value(self, marker: bytes, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ValueError("it is nested too deeply")
        if marker in _SINGLE:
            single = _SINGLE[marker]
            return single.unpack(self.take(single.size))[0]
        if marker == b"S":
            return self.string()
        if marker in _CONSTANTS:
            return _CONSTANTS[marker]
        if marker == b"{":
            return self.mapping(depth)
        if marker == b"[":
            return self.array(depth)
        raise ValueError(f"{marker!r} is no type of value")

    def size(self) -> int:
        size = self.value(self.take(1), _MAX_DEPTH)
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            raise ValueError("a length is no number from 0 up")
        return size

    def string(self) -> str:
        return self.take(self.size()).decode()

    def mapping(self, depth: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while self.content[self.at : self.at + 1] != b"}":
            key = self.string()
            if key in items:
                raise ValueError(f"{key!r} stands twice")
            items[key] = self.value(self.take(1), depth + 1)
        self.at += 1
        return items

    def array(self, depth: int) -> Any:
        marker = self.take(1)
        if marker == b"$":
            kind = self.take(1)
            if kind not in _NUMBERS or self.take(1) != b"#":
                raise ValueError("an array is of no type of number")
            dtype = _NUMBERS[kind]
            numbers = np.frombuffer(self.take(self.size() * dtype.itemsize), dtype)
            return numbers.astype(dtype.newbyteorder("="))
        if marker == b"#":
            # Each value takes a byte at least, so a false count ends in "truncated" at once.
            return [self.value(self.take(1), depth + 1) for _ in range(self.size())]
        values: list[Any] = []
        while marker != b"]":
            values.append(self.value(marker, depth + 1))
            marker = self.take(1)
        return values


def _write(value: Any, parts: list[bytes]) -> None:
    if isinstance(value, dict):
        parts.append(b"{")
        for key, item in value.items():
            parts.append(_string(key))
            _write(item, parts)
        parts.append(b"}")
    elif isinstance(value, np.ndarray):
        parts.append(b"[$" + _MARKERS[value.dtype] + b"#" + _size(len(value)))
        parts.append(value.astype(value.dtype.newbyteorder(">")).tobytes())
    elif isinstance(value, list):
        parts.append(b"[#" + _size(len(value)))
        for item in value:
            _write(item, parts)
    elif isinstance(value, str):
        parts.append(b"S" + _string(value))
    elif isinstance(value, bool) or value is None:
        parts.append({True: b"T", False: b"F", None: b"Z"}[value])
    elif isinstance(value, int):
        parts.append(b"L" + struct.pack(">q", value))
    else:
        parts.append(b"D" + struct.pack(">d", value))


def _size(size: int) -> bytes:
    return b"L" + struct.pack(">q", size)


def _string(text: str) -> bytes:
    content = text.encode()
    return _size(len(content)) + content
