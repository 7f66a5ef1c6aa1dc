"""Bundles: what is written is read again, and nothing else is trusted."""

import hashlib
import io
import json
import pickle
import random
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scripts.faults import fuzz_bundles as fuzz

from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.bundle_files import check_bundle_folder, embedded_bundles, write_bundle
from understandability.model.calibration import Calibration
from understandability.model.estimators import estimator_row
from understandability.model.feature_model import JudgedModel
from understandability.model.predictors import array_bytes, predictor_of
from understandability.text.analysis import document_of_text
from understandability.training.portable import portable

COLUMNS = ("syllables_per_word", "words_per_sentence", "dale_chall")
RNG = np.random.default_rng(3)
ROWS = RNG.normal(size=(120, 3))
LABELS = 50 + 10 * ROWS[:, 0]
TEXTS = ["Rest and drink water.", "", "Pharmacokinetic heterogeneity complicates extrapolation."]
GERMAN = "Ich habe einen Hund. Er ist klein. Wir gehen oft in den Wald. Dort ist es schön. "


@cache
def model(name: str) -> JudgedModel:
    fitted = portable(estimator_row(name).make(0).fit(ROWS, LABELS))
    return JudgedModel(name, COLUMNS, fitted, tuple(ROWS.mean(axis=0).tolist()))


@pytest.fixture(params=["xgboost-regressor", "random-forest-regressor", "linear-regressor"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    calibration = Calibration((0.0, 100.0), (0.0, 100.0), (5.0, 5.0))
    Bundle("mine", "CC0", model(request.param), calibration).save(tmp_path / "mine")
    return tmp_path / "mine"


def estimates(bundle: Bundle) -> list[tuple[float, float]]:
    batch = Batch([document_of_text(text) for text in TEXTS])
    return [(each.difficulty, each.p_understandable) for each in bundle.estimate(batch)]


def change(folder: Path, edit: Callable[[dict[str, object]], object]) -> None:
    """Edit the description of a bundle; checksums of its files are set right again."""
    path = folder / "bundle.json"
    description = json.loads(path.read_text())
    edit(description)
    for name in description.get("files", {}):
        if (folder / name).is_file():
            digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
            description["files"][name]["sha256"] = digest
    path.write_text(json.dumps(description))


def weights(folder: Path) -> Path:
    return next(path for path in folder.iterdir() if path.name != "bundle.json")


def test_a_bundle_is_read_as_it_was_written(folder: Path) -> None:
    bundle = load_bundle(folder)
    assert (bundle.name, bundle.licence) == ("mine", "CC0")
    again = folder.parent / "again"
    bundle.save(again)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in again.iterdir()
    }


@pytest.mark.parametrize("name", embedded_bundles())
def test_an_embedded_bundle_says_the_same_from_another_folder(name: str, tmp_path: Path) -> None:
    load_bundle(name).save(tmp_path / "again")
    batch = Batch([document_of_text(text) for text in (*TEXTS, GERMAN)])
    assert repr(load_bundle(tmp_path / "again").estimate(batch)) == repr(
        load_bundle(name).estimate(batch)
    )


def test_a_text_without_words_has_no_estimate(folder: Path) -> None:
    batch = Batch([document_of_text(text) for text in TEXTS])
    empty = load_bundle(folder).estimate(batch)[1]
    assert empty.flags == ("no_words",)
    assert np.isnan([empty.difficulty, empty.spread, empty.p_understandable]).all()


# That of languages reads no English; see `test_languages`.
ENGLISH = [name for name in embedded_bundles() if name != "languages"]


@pytest.mark.parametrize("name", ENGLISH)
def test_embedded_bundles_order_an_easy_and_a_hard_text(name: str) -> None:
    easy, _, hard = estimates(load_bundle(name))
    assert easy[0] < hard[0]
    assert easy[1] > hard[1]


@pytest.mark.parametrize("name", embedded_bundles())
def test_an_estimate_depends_on_its_own_document_only(name: str) -> None:
    """The same to the last digit alone, in a batch, and in another order."""
    bundle = load_bundle(name)
    texts = [*(" ".join(TEXTS) * n for n in (1, 2, 7)), "Rest now.", "", GERMAN, GERMAN * 3]
    documents = [document_of_text(text) for text in texts]
    together = bundle.estimate(Batch(documents))
    backwards = bundle.estimate(Batch(documents[::-1]))[::-1]
    alone = tuple(bundle.estimate(Batch([document]))[0] for document in documents)
    assert repr(together) == repr(backwards) == repr(alone)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda d: d.update(format=2), r"format 2, from a newer version .* upgrade"),
        (
            lambda d: d["model"]["features"].__setitem__(0, "charm"),
            "knows no feature 'charm'; upgrade it",
        ),
        *(
            (lambda d, n=name: d["files"].update({n: {}}), r"weights must be \.npz files next to")
            for name in ("../evil.npz", "/etc/passwd", "a/b.npz", "model.pkl", "..\\x.npz")
        ),
    ],
)
def test_a_description_that_cannot_be_is_refused(
    folder: Path, edit: Callable[[dict[str, object]], object], message: str
) -> None:
    """Newer formats, unknown features, and file names outside the folder or of other types."""
    change(folder, edit)
    with pytest.raises(InputError, match=message):
        load_bundle(folder)


def test_a_file_that_was_damaged_is_refused(folder: Path) -> None:
    """Altered or truncated; the description, too."""
    content = weights(folder).read_bytes()
    altered = bytearray(content)
    altered[len(content) // 2] ^= 1
    for damaged in (altered, content[:-1]):
        weights(folder).write_bytes(damaged)
        with pytest.raises(InputError, match="truncated or was altered"):
            load_bundle(folder)
    path = folder / "bundle.json"
    path.write_text(path.read_text()[:-20])
    with pytest.raises(InputError, match="not JSON, perhaps truncated"):
        load_bundle(folder)


def test_a_link_out_of_the_folder_is_refused(folder: Path) -> None:
    outside = folder.parent / "outside"
    weights(folder).rename(outside)
    (folder / json.loads((folder / "bundle.json").read_text())["files"].popitem()[0]).symlink_to(
        outside
    )
    with pytest.raises(InputError, match="has no file"):
        load_bundle(folder)


class _Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (pytest.fail, ("a pickle was executed",))


def _npz_of_objects() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, fill=np.array([_Bomb()], dtype=object))
    return stream.getvalue()


@pytest.mark.parametrize("content", [pickle.dumps(_Bomb()), _npz_of_objects(), b"", b"PK\3\4"])
def test_a_pickle_in_place_of_weights_is_refused_and_not_executed(
    folder: Path, content: bytes
) -> None:
    weights(folder).write_bytes(content)
    change(folder, lambda d: None)
    with pytest.raises(InputError, match="refused"):
        load_bundle(folder)


def arrays_of_trees() -> dict[str, np.ndarray]:
    arrays = model("xgboost-regressor").predictor.to_arrays()  # type: ignore[attr-defined]
    return {name: array.copy() for name, array in arrays.items()}


@pytest.mark.parametrize(
    ("array", "index", "value", "problem"),
    [
        ("feature", 0, 3, "do not fit"),
        ("feature", 0, -2, "do not fit"),
        ("feature", 0, -1, "not in order"),  # a root that is a leaf, with nodes behind it
        ("feature", -1, 0, "not in order"),  # an inner node with no place for children
        ("roots", 0, 1, "do not fit"),
        ("roots", 1, 0, "do not fit"),
        ("roots", 1, 2, "not in order"),
        ("roots", -1, 10**6, "do not fit"),
        ("threshold", 0, np.nan, "not all numbers"),
        ("values", 0, np.inf, "not all numbers"),
        ("start", 0, np.nan, "not all numbers"),
    ],
)
def test_crafted_trees_are_refused(array: str, index: int, value: float, problem: str) -> None:
    arrays = arrays_of_trees()
    arrays[array][index] = value
    with pytest.raises(InputError, match=problem):
        predictor_of({"estimator.npz": array_bytes(arrays)})


def test_trees_that_are_too_deep_are_refused() -> None:
    """A tree of 41 levels; the right child of every node is a leaf."""
    arrays = arrays_of_trees()
    feature = np.array([0, *[0, -1] * 40, -1, -1], np.int8)
    arrays |= {
        "roots": np.array([0]),
        "feature": feature,
        "threshold": np.zeros(len(feature), np.float32),
        "missing_left": np.zeros(len(feature), np.bool_),
        "values": np.ones((len(feature), 1)),
    }
    with pytest.raises(InputError, match="deeper than 32"):
        predictor_of({"estimator.npz": array_bytes(arrays)})


def test_a_header_that_does_not_end_is_refused() -> None:
    """numpy reads headers of its first version by Python's tokenizer, which has its own error."""
    header = b"{'descr'<sss"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        size = len(header).to_bytes(2, "little")
        archive.writestr("weight_0.npy", b"\x93NUMPY\x01\x00" + size + header)
    with pytest.raises(InputError, match="holds no plain arrays"):
        predictor_of({"estimator.npz": stream.getvalue()})


def test_a_name_without_end_is_cut() -> None:
    with pytest.raises(InputError) as refused:
        predictor_of({}, "x" * 100_000)
    assert len(str(refused.value)) < 200


def test_a_missing_bundle_names_those_there_are() -> None:
    with pytest.raises(InputError, match=r"bundle nowhere does not exist; .* llr"):
        load_bundle("nowhere")


def test_a_folder_of_other_things_is_never_replaced(tmp_path: Path) -> None:
    """The check before training raises the same error."""
    (tmp_path / "thesis.tex").write_text("years of work")
    for write in (check_bundle_folder, lambda folder: write_bundle(folder, {"name": "x"}, {})):
        with pytest.raises(InputError, match="holds other files and no bundle"):
            write(tmp_path)
    assert (tmp_path / "thesis.tex").exists()
    check_bundle_folder(tmp_path / "new")
    with pytest.raises(InputError, match="its folder does not exist; make it first"):
        check_bundle_folder(tmp_path / "not" / "there")


@pytest.mark.slow
def test_random_alterations(tmp_path: Path) -> None:
    """Some of the hundred thousand that the script tries, bombs left to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ends = set()
        for seed in range(200):
            chance = random.Random(seed)
            _, sample = chance.choice(fuzz.samples())
            parts = fuzz.copied(sample)
            alter = chance.choice([fuzz.alter_value, fuzz.alter_bytes, fuzz.alter_arrays])
            (alter if parts.weights else fuzz.alter_value)(parts, chance)
            ends.add(fuzz.outcome(parts, tmp_path))
    assert ends == {"refused", "estimates"}


@pytest.mark.slow
def test_every_member_that_asks_for_more_than_it_holds(tmp_path: Path) -> None:
    """Shapes of terabytes, objects, pickles, code, headers without end, names that climb."""
    name, sample = next(each for each in fuzz.samples() if "linear" in each[0])
    for members in fuzz.hostile_members():
        if sum(map(len, members.values())) < 1_000_000:
            parts = fuzz.copied(sample)
            parts.weights["estimator.npz"] = fuzz.zipped(members, 8)
            assert fuzz.outcome(parts, tmp_path) == "refused", name


@pytest.mark.slow
@pytest.mark.parametrize("nest", [b"[", b'{"a":', b'"\\ud800'])
def test_an_endless_description_is_refused(tmp_path: Path, nest: bytes) -> None:
    _, sample = fuzz.samples()[0]
    parts = fuzz.copied(sample)
    parts.text = nest * 200_000
    assert fuzz.outcome(parts, tmp_path) == "refused"
