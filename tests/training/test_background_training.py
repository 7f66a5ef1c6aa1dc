"""Background models: LSA as the exact decomposition has it, the same for a seed."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from understandability.errors import InputError, MissingExtraError
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.training.train_background import train_background

WORDS = {
    1.0: "my legs hurt and i feel sick so what should i do doctor please help me today",
    2.0: "influenza is an infectious disease of the lungs caused by a virus in winter months",
    3.0: "randomised trials of statins were pooled and hazard ratios estimated by cox models",
}


def texts(label: float, size: int) -> Iterator[Document]:
    """Texts of some of the words of a label."""
    rng, words = np.random.default_rng(int(label)), WORDS[label].split()
    for number in range(size):
        yield document_of_text(" ".join(rng.choice(words, 12)), f"{label}-{number}")


def corpora(size: int = 40) -> dict[float, Iterator[Document]]:
    """One of each label, to be read once."""
    return {label: texts(label, size) for label in WORDS}


def test_the_space_is_that_of_the_exact_decomposition() -> None:
    """Compare with the ten largest singular vectors of the normalised TF-IDF matrix."""
    pytest.importorskip("gensim")
    model = train_background(corpora(), "linear-regressor").model
    words, space = model.vocabulary.words, model.space
    numbers = {word: number for number, word in enumerate(words)}
    rows = []
    for documents in corpora().values():
        for document in documents:
            row = np.zeros(len(words))
            for piece in document.pieces:
                row[numbers[piece.removesuffix(".")]] += 1
            rows.append(row * space.weights)
    worth = np.array(rows)
    worth /= np.linalg.norm(worth, axis=1, keepdims=True)
    in_documents = (worth > 0).sum(axis=0)
    in_vocabulary = in_documents > 0
    np.testing.assert_allclose(
        space.weights[in_vocabulary], np.log2(120 / in_documents[in_vocabulary])
    )
    exact = np.linalg.svd(worth, full_matrices=False)[2][:10].T
    assert np.degrees(subspace_angles(exact, space.projection)).max() < 0.01
    largest = np.abs(space.projection).argmax(axis=0)
    assert (space.projection[largest, np.arange(10)] > 0).all()


@pytest.mark.parametrize("estimator", ["linear-regressor", "naive-bayes-classifier"])
def test_the_same_corpora_give_the_same_bundle(estimator: str) -> None:
    """Whatever was drawn before."""
    pytest.importorskip("gensim")
    first = train_background(corpora(), estimator, random_state=3)
    np.random.default_rng().random()
    second = train_background(corpora(), estimator, random_state=3)
    assert first.model.to_parts()[1] == second.model.to_parts()[1]
    assert first.card["figures"][0]["value"] > 0.9
    assert [entry["records"] for entry in first.card["training"]] == [40, 40, 40]


def test_too_few_documents_or_words_are_told() -> None:
    pytest.importorskip("gensim")
    with pytest.raises(InputError, match="corpus 1 has 20 documents with words; at least 30"):
        train_background(corpora(20))
    with pytest.raises(InputError, match="share too few words for 90 dimensions"):
        train_background(corpora(), dimensions=90)


def test_without_gensim_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """gensim has no wheels for some versions of Python; scoring works without it."""
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.corpora", None)
    with pytest.raises(MissingExtraError, match="needs gensim, which has no wheels yet for"):
        train_background(corpora())
