"""Writes ONNX models node by node, without a library for them.

An ONNX file is a message of protocol buffers: fields with a number (onnx.proto of ONNX 1.16), a
kind and a value. The few that a model of matrices needs are written here.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_IR_VERSION, _OPSET = 10, 21
_TYPES = {"float32": 1, "int8": 3, "int64": 7}
# Type and shape of a value; None for a size that may vary.
Value = tuple[str, tuple[int | None, ...]]


class Graph:
    """A graph under construction: `constant` and `add` give the names of values.

    >>> graph = Graph()
    >>> twice = graph.add("Add", "x", "x", output="y")
    >>> model = graph.model({"x": ("float32", (None,))}, {"y": ("float32", (None,))})
    >>> b"understandability" in model
    True
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._tensors: list[bytes] = []

    def constant(self, array: NDArray[Any]) -> str:
        """An array of 32-bit floats, 8-bit or 64-bit whole numbers that the graph holds."""
        name = f"c{len(self._tensors)}"
        dims = ((1, int(size)) for size in array.shape)
        little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        kind = _TYPES[array.dtype.name]
        self._tensors.append(_message(*dims, (2, kind), (8, name), (9, little.tobytes())))
        return name

    def add(
        self, operator: str, *inputs: str, output: str = "", **attributes: float | Sequence[int]
    ) -> str:
        """A node with one output."""
        return self.add_several(operator, inputs, 1, output, **attributes)[0]

    def add_several(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: int,
        output: str = "",
        **attributes: float | Sequence[int],
    ) -> list[str]:
        """A node with so many outputs; the first is called `output` if that is given."""
        names = [f"v{len(self._nodes)}_{number}" for number in range(outputs)]
        names[0] = output or names[0]
        ends = ((1, name) for name in inputs), ((2, name) for name in names)
        stated = ((5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(_message(*ends[0], *ends[1], (4, operator), *stated))
        return names

    def model(self, inputs: Mapping[str, Value], outputs: Mapping[str, Value]) -> bytes:
        """The model as the content of a file; the same graph gives the same bytes."""
        graph = _message(
            *((1, node) for node in self._nodes),
            (2, "graph"),
            *((5, tensor) for tensor in self._tensors),
            *((11, _value(name, *kind)) for name, kind in inputs.items()),
            *((12, _value(name, *kind)) for name, kind in outputs.items()),
        )
        opset = _message((1, ""), (2, _OPSET))
        return _message((1, _IR_VERSION), (2, "understandability"), (7, graph), (8, opset))


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # negative numbers as their two's complement
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def _message(*entries: tuple[int, int | float | str | bytes]) -> bytes:
    """The fields of a message, by number: whole numbers, floats, texts and bytes."""
    out = []
    for number, value in entries:
        if isinstance(value, int):
            out.append(_varint(number << 3) + _varint(value))
        elif isinstance(value, float):
            out.append(_varint(number << 3 | 5) + struct.pack("<f", value))
        else:
            content = value.encode() if isinstance(value, str) else value
            out.append(_varint(number << 3 | 2) + _varint(len(content)) + content)
    return b"".join(out)


def _attribute(name: str, value: int | float | Sequence[int]) -> bytes:
    if isinstance(value, int | float):
        place, kind = (2, 1) if isinstance(value, float) else (3, 2)
        return _message((1, name), (place, value), (20, kind))
    return _message((1, name), *((8, one) for one in value), (20, 7))


def _value(name: str, kind: str, shape: Sequence[int | None]) -> bytes:
    dims = (_message((2, "n") if size is None else (1, size)) for size in shape)
    tensor = _message((1, _TYPES[kind]), (2, _message(*((1, dim) for dim in dims))))
    return _message((1, name), (2, _message((1, tensor))))
