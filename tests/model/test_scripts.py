"""Scripts that train and evaluate models work with the package's current classes."""

import ast
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scripts.evaluate.must_hold import shipped
from scripts.shared import ROOT
from scripts.train.page_texts import Text
from scripts.train.word_complexity import fit, save
from scripts.train.word_pairs import neighbours

from understandability.feature.batch import Batch
from understandability.model.bundle import load_bundle
from understandability.model.word_columns import WordComplexity
from understandability.text.analysis import document_of_text
from understandability.training.validation import BASELINES

SCRIPTS = sorted((ROOT / "scripts").rglob("*.py"))


def _exists(module: str, name: str) -> bool:
    """Return True if a module has a name, or is a package with a module of that name."""
    if hasattr(import_module(module), name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True


def test_the_package_has_every_name_that_scripts_import() -> None:
    imports = {
        (node.module, alias.name)
        for path in SCRIPTS
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("understandability")
        for alias in node.names
    }
    # Modules of integrations need extras.
    names = sorted(name for name in imports if ".integrations" not in name[0])
    assert [name for name in names if not _exists(*name)] == []


def test_pairs_of_words_do_not_cross_the_end_of_a_sentence() -> None:
    batch = Batch([document_of_text("Rest at home. Drink water."), document_of_text("Rest.")])
    assert len(neighbours(batch)) == 3
    assert len(neighbours(Batch([document_of_text("")]))) == 0


def test_a_complexity_of_words_can_be_saved_and_read(tmp_path: Path) -> None:
    words = ["dog", "water", "house", "anaesthesia", "immunoglobulin", "thrombosis"]
    model = fit(words, np.array([0.0, 0.0, 0.1, 0.8, 0.9, 0.7]), np.array([0.0, 1.0] * 3))
    save(model, tmp_path / "words.npz")
    with np.load(tmp_path / "words.npz") as arrays:
        fields = (arrays[name].astype(float) for name in ("center", "scale", "weights", "letters"))
        read = WordComplexity(*fields, float(arrays["bias"]))
    np.testing.assert_allclose(read(words), model(words), atol=1e-3)
    assert read(["dog"]) < read(["immunoglobulin"])


def test_texts_of_all_sets_are_estimated_by_their_keys() -> None:
    """Two sets may have texts with the same id."""
    leaflet = "Drink a lot of water. Rest at home, and call us if you feel worse after two days."
    texts = [
        Text("one", "1", leaflet),
        Text("two", "1", f"{leaflet} {leaflet}"),
        Text("one", "2", ""),
    ]
    estimates = shipped(texts, load_bundle("open"))
    assert np.isfinite(estimates.difficulty).tolist() == [True, True, False]
    assert estimates.formulas.shape == (3, len(BASELINES))
