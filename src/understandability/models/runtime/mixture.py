"""The model of the default bundle: experts for kinds of text, a gate between them, boosted trees.

People judged sentences by CEFR level, school books by comparison, news by the level they were
rewritten for. One *domain* is a group of texts that were judged in one way. A text goes

1. into columns: the catalogue's, those of `style`, and the mean of its word vectors;
2. to the expert of each domain: sums of Gaussian bells around texts of that domain (kernel ridge
   regression, Nyström approximation: Williams & Seeger 2001), and in some of what the `letters` of
   words are worth;
3. with the experts' estimates, into boosted trees (XGBoost) of each domain;
4. and to a gate: how likely it is of each domain (logistic regression).

One more domain is for texts of any kind, which is what most are: its expert, of wide bells, learned
from all domains, so that it holds where none of them does. Its trees also saw passages of known
origin, which stand for such texts at the gate.

The raw output is the mean over the domains, as likely as they are, of expert and trees; its scale
is that of CEFR levels, 1 (A1) to 6 (C2). Nobody tells it which set a text is from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.features import CATALOGUE, Batch, features_of
from understandability.features.feature import DOCUMENT
from understandability.models.runtime.forest import Forest
from understandability.models.runtime.letters import Spelling
from understandability.models.runtime.model import check_features
from understandability.models.runtime.predictors import Kernel, Network, Prepared
from understandability.models.runtime.style import STYLE_COLUMNS, style
from understandability.models.runtime.weights import array_bytes, arrays_of, predictor_of
from understandability.models.runtime.word_vectors import dimensions, mean_word_vectors

# The domain of texts that are of no other.
ANY = "any"
# Groups of the catalogue that describe a text of any length, whatever page it stood on.
_GROUPS = (
    "readability",
    "components",
    "medical vocabulary",
    "natural language",
    "word frequency",
    "language model",
)


def text_columns() -> tuple[str, ...]:
    """The columns of the catalogue that the mixture reads: ratios that need nothing installed."""
    return tuple(
        row.column(per)
        for row in CATALOGUE
        if row.group in _GROUPS
        if not row.needs and not row.name.endswith("_readcalc")
        for per in row.per
        if (per != DOCUMENT or len(row.per) == 1) and row.name != "sentences"
    )


def inputs_of(batch: Batch, columns: Sequence[str]) -> Floats:
    """What a mixture reads of each document: catalogue, style, word vectors, side by side."""
    return np.hstack(
        [
            features_of(batch, columns).values,
            batch.once(style),
            batch.once(mean_word_vectors),
        ]
    )


def input_names(columns: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns of `inputs_of`."""
    vectors = (f"word_vector_{number}" for number in range(dimensions()))
    return (*columns, *STYLE_COLUMNS, *vectors)


@dataclass(frozen=True, slots=True)
class MixtureModel:
    """Experts, gate and trees, fitted; see the module.

    `experts` are by domain, in the order of the outputs of `gate` and `trees`. `shares` is what the
    trees of a domain weigh against its expert, and `common` what the last domain weighs in each:
    short texts do not tell well what they are.
    """

    columns: tuple[str, ...]
    experts: Mapping[str, Prepared]
    spelling: Spelling
    gate: Prepared
    trees: Forest
    shares: Floats
    common: Floats

    def __post_init__(self) -> None:
        inputs = len(input_names(self.columns))
        if not (
            self.trees.start.shape == (len(self.experts),)
            and self.spelling.typical.shape == (len(self.experts),)
            and all(
                share.shape == (len(self.experts),) and bool(((share >= 0) & (share <= 1)).all())
                for share in (self.shares, self.common)
            )
            and all(made.inputs == inputs for made in (self.gate, *self.experts.values()))
            and self.trees.inputs == inputs + len(self.experts)
        ):
            raise InputError("its features, its experts and its trees do not fit together")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of `inputs`."""
        return (*input_names(self.columns), *(f"letters_{domain}" for domain in self.experts))

    @property
    def typical(self) -> Floats:
        """The mean of the texts it learned from."""
        return np.append(self.gate.center, self.spelling.typical)

    def inputs(self, batch: Batch) -> Floats:
        """For each document the columns of `inputs_of`, and its letters' worth in each domain."""
        return np.hstack([inputs_of(batch, self.columns), self.spelling(batch)])

    def predict(self, inputs: Floats) -> Floats:
        """The raw output for each row of `inputs`."""
        inputs, letters = np.split(inputs, [self.gate.inputs], axis=1)
        estimates = np.hstack([expert(inputs) for expert in self.experts.values()]) + letters
        prepared = self.gate.prepared(inputs)
        rows = tree_inputs(prepared, estimates)
        outputs = estimates + self.shares * (self.trees(rows) - estimates)
        outputs += self.common * (outputs[:, -1:] - outputs)
        return np.asarray((self.gate.predictor(prepared) * outputs).sum(axis=1), np.float64)

    def raw(self, batch: Batch) -> Floats:
        """The raw output for each document."""
        return self.predict(self.inputs(batch))

    def to_parts(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Vectors as float16, as `from_parts` reads them and training used them."""
        model = {
            "kind": "mixture",
            "features": list(self.columns),
            "domains": list(self.experts),
            "shares": self.shares.tolist(),
            "common": self.common.tolist(),
        }
        weights = {
            "gate.npz": array_bytes(self.gate.to_arrays()),
            "trees.npz": array_bytes(self.trees.to_arrays()),
            "letters.npz": array_bytes(self.spelling.to_arrays()),
        }
        for domain, expert in self.experts.items():
            arrays = expert.to_arrays()
            arrays["vectors"] = arrays["vectors"].astype(np.float16)
            weights[f"expert-{domain}.npz"] = array_bytes(arrays)
        return model, weights

    @classmethod
    def from_parts(cls, model: Mapping[str, Any], weights: Mapping[str, bytes]) -> MixtureModel:
        """The model that `to_parts` gave."""
        columns = check_features(model.get("features"))
        domains = _list_of(str, model.get("domains"), "domains")
        shares, common = (
            np.array(_list_of(float, model.get(name), name), np.float64)
            for name in ("shares", "common")
        )
        gate = _read(weights, "gate", Prepared)
        if not (
            isinstance(gate.predictor, Network)
            and gate.predictor.link == "softmax"
            and len(gate.predictor.biases[-1]) == len(domains)
        ):
            raise InputError("its gate does not fit its domains")
        experts = {domain: _read(weights, f"expert-{domain}", Prepared) for domain in domains}
        if not all(
            isinstance(expert.predictor, Kernel)
            and expert.predictor.link == "identity"
            and len(expert.predictor.biases) == 1
            for expert in experts.values()
        ):
            raise InputError("one of its experts gives no estimate")
        trees = _read(weights, "trees", Forest)
        if trees.link != "identity":
            raise InputError("its trees give no estimate")
        spelling = Spelling.from_arrays(arrays_of(weights, "letters.npz"))
        return cls(columns, experts, spelling, gate, trees, shares, common)


def _list_of(kind: type, values: object, name: str) -> list[Any]:
    if not isinstance(values, list) or not values or any(type(v) is not kind for v in values):
        raise InputError(f"it states no {name}")
    return values


_Part = TypeVar("_Part", Prepared, Forest)


def _read(weights: Mapping[str, bytes], stem: str, kind: type[_Part]) -> _Part:
    predictor = predictor_of(weights, stem)
    if not isinstance(predictor, kind):
        raise InputError(f"its part {stem[:40]} is not what a mixture has there")
    return predictor


def tree_inputs(rows: Floats, estimates: Floats) -> Floats:
    """What the trees read; rounded, so that the last digits of a sum cannot turn a branch."""
    return np.asarray(np.round(np.hstack([rows, estimates]), 6), np.float64)
