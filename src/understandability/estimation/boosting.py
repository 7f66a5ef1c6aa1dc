"""Trees that XGBoost grew, read from its UBJSON format without trusting it.

XGBoost's native code believes the arrays of a file: a child that is out of range ends the
process. So a file is decoded here, its trees are checked, and XGBoost gets a document that is
written anew from what was checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understandability.errors import InputError
from understandability.estimation import ubjson
from understandability.estimation.users import Floats

MAX_DEPTH = 64
_NO_PARENT = 2**31 - 1

# Arrays of a tree that XGBoost reads, with their types in the file.
_WHOLE = ("left_children", "right_children", "parents", "split_indices")
_SMALL = ("default_left", "split_type")
_REAL = ("split_conditions", "base_weights", "loss_changes", "sum_hessian")


@dataclass(frozen=True, slots=True)
class Boosted:
    """Boosted regression trees for dense float32 input; a missing value is NaN."""

    booster: Any
    inputs: int

    def __call__(self, rows: Floats) -> Floats:
        """The sum of the trees for each row; (documents, 1)."""
        if not len(rows):
            return np.empty((0, 1))
        predicted = self.booster.inplace_predict(rows.astype(np.float32))
        return np.asarray(predicted, np.float64).reshape(-1, 1)

    def to_bytes(self) -> bytes:
        """The trees in UBJSON, without anything that depends on when or where they were grown."""
        return ubjson.encode(_checked(ubjson.decode(bytes(self.booster.save_raw("ubj")))))

    @classmethod
    def from_bytes(cls, content: bytes) -> Boosted:
        """The trees that `to_bytes` gave, and any other regression trees of XGBoost's format."""
        try:
            document = _checked(ubjson.decode(content))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            problem = f"{error}" if isinstance(error, ValueError) else "a part is missing"
            raise InputError(f"its trees are no XGBoost model in UBJSON: {problem}") from error
        import xgboost

        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(bytearray(ubjson.encode(document)))
        inputs = int(document["learner"]["learner_model_param"]["num_feature"])
        return cls(booster, inputs)


def _checked(document: dict[str, Any]) -> dict[str, Any]:
    """A document of the same trees, made of checked parts only."""
    learner = document["learner"]
    parameters = learner["learner_model_param"]
    inputs = _number(parameters["num_feature"])
    base = float(str(parameters["base_score"]).strip("[]"))
    booster = learner["gradient_booster"]
    if not 0 < inputs < 1_000_000 or not np.isfinite(base):
        raise ValueError("its parameters are not those of a regressor")
    if booster["name"] != "gbtree" or learner["objective"]["name"] != "reg:squarederror":
        raise ValueError("it is no regressor of trees under squared error")
    trees = [_tree(tree, index, inputs) for index, tree in enumerate(booster["model"]["trees"])]
    if not trees:
        raise ValueError("it has no trees")
    count = len(trees)
    return {
        "learner": {
            "attributes": {},
            "feature_names": [],
            "feature_types": [],
            "gradient_booster": {
                "model": {
                    "cats": {
                        "enc": [],
                        "feature_segments": np.empty(0, np.int32),
                        "sorted_idx": np.empty(0, np.int32),
                    },
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(count)},
                    "iteration_indptr": list(range(count + 1)),
                    "tree_info": [0] * count,
                    "trees": trees,
                },
                "name": "gbtree",
            },
            "learner_model_param": {
                "base_score": f"[{base!r}]",
                "boost_from_average": "0",
                "num_class": "0",
                "num_feature": str(inputs),
                "num_target": "1",
            },
            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [3, 0, 0],
    }


def _tree(tree: dict[str, Any], index: int, inputs: int) -> dict[str, Any]:
    nodes = _number(tree["tree_param"]["num_nodes"])
    arrays = {
        **{name: _array(tree[name], nodes, np.dtype(np.int32)) for name in _WHOLE},
        **{name: _array(tree[name], nodes, np.dtype(np.uint8)) for name in _SMALL},
        **{name: _array(tree[name], nodes, np.dtype(np.float32)) for name in _REAL},
    }
    left, right = arrays["left_children"], arrays["right_children"]
    feature = arrays["split_indices"]
    leaf = (left == -1) & (right == -1)
    inner = ~leaf
    own = np.arange(nodes)
    children = np.concatenate([left[inner], right[inner]])
    if not (
        bool(((left > own) & (right > own) & (left < nodes) & (right < nodes))[inner].all())
        # Each node but the root is the child of exactly one.
        and np.array_equal(np.sort(children), own[1:])
        and bool(((feature >= 0) & (feature < inputs))[inner].all())
    ):
        raise ValueError(f"tree {index} has a child or a feature that cannot be")
    if bool(arrays["split_type"].any()) or bool((arrays["default_left"] > 1).any()):
        raise ValueError(f"tree {index} splits by categories")
    if not all(bool(np.isfinite(arrays[name]).all()) for name in _REAL):
        raise ValueError(f"tree {index} has numbers that are not finite")
    if _depth(left, right) > MAX_DEPTH:
        raise ValueError(f"tree {index} is deeper than {MAX_DEPTH}")
    parents = np.full(nodes, _NO_PARENT, np.int32)
    parents[left[inner]] = parents[right[inner]] = own[inner]
    empty = np.empty(0, np.int32)
    return {
        **arrays,
        "parents": parents,
        "split_indices": np.where(leaf, 0, feature).astype(np.int32),
        "categories": empty,
        "categories_nodes": empty,
        "categories_segments": np.empty(0, np.int64),
        "categories_sizes": np.empty(0, np.int64),
        "id": index,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(inputs),
            "num_nodes": str(nodes),
            "size_leaf_vector": "1",
        },
    }


def _depth(left: NDArray[np.int32], right: NDArray[np.int32]) -> int:
    reached = np.zeros(1, np.int64)
    for depth in range(MAX_DEPTH + 1):
        reached = reached[left[reached] != -1]
        if not len(reached):
            return depth
        reached = np.concatenate([left[reached], right[reached]])
    return MAX_DEPTH + 1


def _array(values: Any, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != (size,) or array.dtype.kind not in ("f" if dtype.kind == "f" else "iu"):
        raise ValueError("an array of a tree is not what its name says")
    if array.dtype == dtype:
        return array
    if dtype.kind != "f" and size:
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise ValueError("a number of a tree is out of range")
    return array.astype(dtype)


def _number(text: Any) -> int:
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise ValueError("a count is no number")
    return int(text)
