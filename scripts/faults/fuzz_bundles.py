"""Load damaged and crafted bundles: each must be refused in one sentence, or estimate.

    python -m scripts.faults.fuzz_bundles [--count 100000] [--seed 0]

Description and weights of small bundles are altered, and checksums set right again, as a forger
would. The seed of each case that ends otherwise, or takes more than `SLOW` or `MEMORY`, is told.
"""

import copy
import hashlib
import io
import json
import random
import resource
import struct
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scripts.shared import damaged, parser_of

from understandability.errors import InputError
from understandability.feature.batch import Batch
from understandability.model.blend import BlendModel, Prior, blend_columns
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.calibration import Calibration
from understandability.model.card import card
from understandability.model.estimators import ESTIMATORS
from understandability.model.feature_model import JudgedModel
from understandability.model.model import ColumnModel
from understandability.model.passage_model import ErrorModel, Hardening, PassageModel
from understandability.model.passages import passage_columns
from understandability.model.predictors import Combined, Kernel, Network, Prepared
from understandability.model.readers import AssessorScale, Reader, ReadingScale
from understandability.model.spelling import Spelling
from understandability.model.word_columns import RUNS
from understandability.text.analysis import document_of_text
from understandability.training.portable import portable
from understandability.training.train_background import train_background

SLOW = 10.0
MEMORY = 3_000_000_000
COLUMNS = ("syllables_per_word", "words_per_sentence", "dale_chall")
EASY, HARD = "We sat on the mat and it was hot.", "Pharmacokinetic extrapolation is complicated."


@dataclass
class Parts:
    """A bundle's folder in memory: the text of ``bundle.json`` less its files, the weights."""

    description: Any
    weights: dict[str, bytes]
    text: bytes | None = None  # in the place of the description

    def write(self, folder: Path) -> None:
        """Write the folder anew, with checksums that are right."""
        for path in folder.iterdir():
            path.unlink()
        for name, content in self.weights.items():
            (folder / name).write_bytes(content)
        if isinstance(self.description, dict):
            self.description["files"] = {
                name: {"sha256": hashlib.sha256(content).hexdigest()}
                for name, content in self.weights.items()
            }
        text = self.text if self.text is not None else json.dumps(self.description).encode()
        (folder / "bundle.json").write_bytes(text)


def bundles() -> dict[str, Bundle]:
    """A small bundle of each kind of model and of weights."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, len(COLUMNS)))
    calibration = Calibration((0.0, 100.0), (0.0, 100.0), (5.0, 5.0))
    result = {"column": Bundle("c", "CC0-1.0", ColumnModel("dale_chall"), calibration)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a network has not converged
        for name, row in ESTIMATORS.items():
            if row.on_counts:
                continue
            labels = np.digitize(rows[:, 0], [-0.5, 0.5]) if row.classifies else rows[:, 0]
            estimator = row.make(0)
            last = getattr(estimator, "steps", [("", estimator)])[-1][1]
            if hasattr(last, "n_estimators"):
                last.set_params(n_estimators=5)
            model = JudgedModel(
                name,
                COLUMNS,
                portable(estimator.fit(rows, labels)),
                (0.0,) * len(COLUMNS),
                (10.0, 50.0, 90.0) if row.classifies else (),
            )
            result[f"judged {name}"] = Bundle("j", "CC0-1.0", model, calibration)
    for name in ("linear-regressor", "naive-bayes-classifier"):
        texts = {
            float(label): [document_of_text(f"{text} {number % 7}") for number in range(40)]
            for label, text in enumerate((EASY, HARD))
        }
        result[f"background {name}"] = train_background(texts, name, dimensions=2)
    scale = AssessorScale(40.0, 25.0, 0.5, 4.0, 0.5, 3.0)
    base = passages(rng)
    result["passages"] = Bundle("p", "CC0-1.0", base, ReadingScale(), assessors=scale)
    reader = Reader("own", "a reader", 40.0, "labels", noise_scale=10.0, scale="labels.v1")
    result["blend"] = Bundle("b", "CC0-1.0", blend(rng, base), calibration, reader=reader)
    member = Network((rng.normal(size=(len(COLUMNS), 1)),), (np.zeros(1),))
    mean = Network((np.full((2, 1), 0.5),), (np.zeros(1),))
    vote = Combined((member, member), np.arange(2), mean)
    means = (0.0,) * len(COLUMNS)
    voting = JudgedModel("linear-regressor", COLUMNS, vote, means, ())
    result["combined"] = Bundle("v", "CC0-1.0", voting, calibration)
    return result


def passages(rng: np.random.Generator) -> PassageModel:
    """A model of passages with few units, few landmarks and one kind."""
    columns = len(passage_columns())
    zeros, ones = np.zeros(columns), np.ones(columns)
    weights = rng.normal(size=(columns, 4)), rng.normal(size=(4, 2))
    network = Network(weights, (np.zeros(4), np.zeros(2)), "percent")
    starts = np.array([0.1, 0.0])
    kernel = Kernel(rng.normal(size=(8, columns)), rng.normal(size=(8, 2)), starts, 0.001)
    level = Network((weights[0], weights[1][:, :1]), (np.zeros(4), np.array([3.5])))
    error = ErrorModel(0.1, 1.0, 1.0, 1.0, 3.0)
    prepared = [Prepared(zeros, zeros, ones, predictor, 4.0) for predictor in (network, kernel)]
    harder = Hardening(50.0, 0.3)
    return PassageModel(*prepared, level, error, error, 0.1, 0.01, 0.8, (harder, harder))


def blend(rng: np.random.Generator, base: PassageModel) -> BlendModel:
    """A blend with a learner of labels, a learner of corrections, and spelling."""
    columns = len(blend_columns())
    direct, correction = (
        Network((rng.normal(size=(columns, 1)) / columns,), (np.zeros(1),)) for _ in range(2)
    )
    return BlendModel(
        "blend",
        base,
        Prior(5.0, 0.5, 1.0),
        (direct,),
        (correction,),
        0.5,
        (0.0,) * (columns + 1),
        (0.4, 0.4, 0.2),
        spelling=Spelling(rng.normal(size=RUNS).astype(np.float32).astype(float), 30.0),
    )


@cache
def samples() -> tuple[tuple[str, Parts], ...]:
    with tempfile.TemporaryDirectory() as temporary:
        result = []
        for name, bundle in bundles().items():
            folder = Path(temporary, name)
            bundle.save(folder)
            weights = {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix != ".json"}
            result.append((name, Parts(json.loads((folder / "bundle.json").read_text()), weights)))
    return tuple(result)


ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**400, 1e308, float("nan"), float("inf")),
    *("\x1b[2J\x9b31m", "<script>alert(1)</script>", "\u202etxt", "](javascript:x)", "a\r\nb"),
    *("", "x", "../../etc/passwd", "\ud800", "\x00", "a" * 100_000, "passages", "background"),
    *([], {}, [[]], [None], ["x"], {"x": 1}, [float("nan")], [10**400], ["dale_chall"] * 3),
)


def alter_value(parts: Parts, chance: random.Random) -> None:
    """An odd value somewhere in the description."""
    positions: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            positions.append((node, key))
            if isinstance(node[key], dict | list):
                collect(node[key])

    collect(parts.description)
    node, key = chance.choice(positions)
    if chance.random() < 0.2:
        del node[key]
    else:
        node[key] = chance.choice(ODD)


def alter_text(parts: Parts, chance: random.Random) -> None:
    """Damage to ``bundle.json``, or an endless nest in its place."""
    if chance.random() < 1 / 3:
        nest = chance.choice([b"[", b'{"a":', b'"\\ud800'])
        parts.text = nest * chance.choice([10, 1000, 200_000])
    else:
        parts.text = damaged(json.dumps({**parts.description, "files": {}}).encode(), chance)


def alter_bytes(parts: Parts, chance: random.Random) -> None:
    """Weights with some damage."""
    name = chance.choice(list(parts.weights))
    parts.weights[name] = damaged(parts.weights[name], chance)


def alter_number(array: np.ndarray[Any, Any], chance: random.Random) -> Any:
    """An array with other numbers, another shape, or another type."""
    action = chance.randrange(6)
    flat = array.copy().reshape(-1)
    if action <= 2 and len(flat) and array.dtype.kind in "iuf":
        numbers = [-1, 0, 1, 2, len(flat), 2**31 - 1, -(2**31), chance.randrange(100)]
        if array.dtype.kind == "f":
            numbers += [float("nan"), float("inf"), 1e308, -1e38]
        for _ in range(chance.randint(1, 3)):
            with np.errstate(all="ignore"):
                number = np.array(chance.choice(numbers)).astype(array.dtype)
            flat[chance.randrange(len(flat))] = number
        return flat.reshape(array.shape)
    if action == 3:
        shapes = [(-1,), (-1, 1), (1, -1), (1, 1, -1)]
        return flat.reshape(chance.choice(shapes)) if len(flat) else flat
    if action == 4:
        types = ["float16", "float64", "int8", "int64", "uint64", "complex128", "bool", "U3", "S3"]
        source = np.zeros(array.shape) if array.dtype.kind == "U" else array
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return source.astype(chance.choice(types))
    return flat[: chance.randrange(len(flat) + 1)]


def alter_arrays(parts: Parts, chance: random.Random) -> None:
    """One array of the weights made otherwise, the file well formed."""
    name = chance.choice(list(parts.weights))
    with np.load(io.BytesIO(parts.weights[name])) as file:
        arrays = dict(file)
    key = chance.choice(list(arrays))
    action = chance.randrange(8)
    if action == 0:
        del arrays[key]
    elif action == 1:
        arrays[key] = np.array([{"a": 1}, None], dtype=object)
    elif action == 2:
        arrays["more"] = arrays.pop(key)
    else:
        arrays[key] = np.asarray(alter_number(arrays[key], chance))
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    parts.weights[name] = stream.getvalue()


def npy(shape: str, descr: str = "'<f8'", data: bytes = b"", order: str = "False") -> bytes:
    """An array file with any header."""
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(header)) + header + data


@cache
def hostile_zips() -> tuple[bytes, ...]:
    """Zips whose members ask for more than they hold, by every way to compress."""
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return tuple(
        zipped(members, method)
        for members in hostile_members()
        for method in methods
        if method == zipfile.ZIP_DEFLATED or sum(map(len, members.values())) < 1_000_000
    )


def zipped(members: Mapping[str, bytes], method: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def hostile_members() -> Iterator[dict[str, bytes]]:
    yield from (
        {"bias_0.npy": npy("(1000000000000,)")},
        {"bias_0.npy": npy("(-1,)", data=b"\0" * 8)},
        {"bias_0.npy": npy("(4294967296, 4294967296)")},
        {"bias_0.npy": npy("(0, 1000000000000000)")},
        {"bias_0.npy": npy("((((1,),),),)")},
        {"bias_0.npy": npy("(" * 5000 + ")" * 5000)},
        {"bias_0.npy": npy("(2,)", "[('a', '<f8'), ('b', '|O')]", b"\0" * 32)},
        {"bias_0.npy": npy("(2,)", "'|O'", b"cos\nsystem\n(S'true'\ntR.")},
        {"bias_0.npy": npy("(1,)", "'|V4000000000'")},
        {"bias_0.npy": npy("(1,)", "'<U500000000'")},
        {"bias_0.npy": npy("__import__('os').system('true')")},
        {"bias_0.npy": b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + b" " * 50},
        {"bias_0.npy": b"\x80\x04cos\nsystem\n."},
        {f"{number}.npy": npy("(1,)", data=b"\0" * 8) for number in range(3000)},
        {"../../evil.npy": npy("(1,)", data=b"\0" * 8)},
        {"bias_0.npy": npy("(40000000,)", data=b"\0" * 320_000_000)},
    )


def hostile_zip(parts: Parts, chance: random.Random) -> None:
    """Zip bombs, sizes that lie, headers that ask for everything."""
    content = bytearray(chance.choice(hostile_zips()))
    at = content.rfind(b"PK\x01\x02")
    if chance.random() < 0.4:  # the directory states sizes that are too small
        content[at + 24 : at + 28] = struct.pack("<I", chance.choice([0, 10, 10**6, 2**32 - 1]))
    if chance.random() < 0.1:  # encrypted
        content[at + 8] |= 1
    parts.weights[chance.choice(list(parts.weights))] = bytes(content)


# How bundles are altered, and how often: most of the hostile ones are few in kind.
ALTERATIONS: Mapping[Callable[[Parts, random.Random], None], float] = {
    alter_value: 25,
    alter_text: 5,
    alter_bytes: 25,
    alter_arrays: 42,
    hostile_zip: 3,
}


def copied(sample: Parts) -> Parts:
    return Parts(copy.deepcopy(sample.description), dict(sample.weights))


def altered(seed: int) -> tuple[str, Parts]:
    """The bundle of one seed: its kind with what was done to it, and its parts."""
    chance = random.Random(seed)
    name, sample = chance.choice(samples())
    parts = copied(sample)
    alter = chance.choices(list(ALTERATIONS), list(ALTERATIONS.values()))[0]
    if not parts.weights and alter is not alter_text:
        alter = alter_value
    alter(parts, chance)
    return f"{name}, {alter.__name__}", parts


def outcome(parts: Parts, folder: Path) -> str:
    """``refused`` or ``estimates``; anything else that it does is raised."""
    parts.write(folder)
    try:
        bundle = load_bundle(folder)
    except InputError as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            raise AssertionError(f"more than a sentence: {str(error)[:200]!r}") from error
        return "refused"
    batch = Batch([document_of_text(text) for text in (EASY, HARD, "")])
    for estimate in bundle.estimate(batch)[:2]:
        if not 0 <= estimate.difficulty <= 100 or not 0 <= estimate.p_understandable <= 1:
            raise AssertionError(f"an estimate that cannot be: {estimate}")
    for text in (card(bundle), card(bundle, markdown=True), repr(bundle)):
        text.encode()
        if any(not (sign.isprintable() or sign == "\n") for sign in text):
            raise AssertionError(f"control characters in {text[:200]!r}")
    if "<script" in card(bundle, markdown=True):
        raise AssertionError("markup in a page")
    return "estimates"


def main() -> None:
    arguments = parser_of(__doc__, data=False, count=100_000, seed=0).parse_args()
    samples(), hostile_zips()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("error")
    ends: Counter[str] = Counter()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            what, parts = altered(seed)
            start = time.process_time()
            try:
                end = outcome(parts, Path(temporary))
            except Exception:
                end = "failed"
                print(f"seed {seed}: {what}\n{traceback.format_exc()}", flush=True)
            seconds = time.process_time() - start
            if seconds > SLOW:
                end = "failed"
                print(f"seed {seed}: {what} took {seconds:.1f} s", flush=True)
            slowest = max(slowest, seconds)
            ends[end] += 1
            if (seed + 1) % 5000 == 0:
                print(seed + 1, dict(ends), f"slowest {slowest:.2f} s", flush=True)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{dict(ends)}, slowest {slowest:.2f} s, {most:.0f} MB at most")
    raise SystemExit(ends["failed"] > 0)


if __name__ == "__main__":
    main()
