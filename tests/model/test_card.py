"""Model cards as text and as Markdown."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from understandability.feature.batch import Batch
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.bundle_files import embedded_bundles
from understandability.model.card import card
from understandability.study.install import install
from understandability.text.analysis import document_of_text
from understandability.training.train import train_judged

RNG = np.random.default_rng(8)
ROWS = RNG.normal(size=(60, 2))
SET = {"name": "site a|b", "records": 60, "licence": "CC0", "texts_sha256": "0" * 64}


@pytest.fixture
def needing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    """A bundle that reads a vocabulary, which is installed."""
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path / "installed"))
    (tmp_path / "mesh.tsv").write_text(
        "descriptor\ttree_number\nMyocardial Infarction\tC14.907\nHeart\tA07.541\n"
    )
    install("mesh", [str(tmp_path / "mesh.tsv")])
    columns = ("smog", "mesh_depth")
    groups = [str(n) for n in range(60)]
    labels = 50 + 10 * ROWS[:, 0]
    bundle, _ = train_judged(ROWS, columns, labels, groups, "linear-regressor")
    return replace(bundle, card={"intended_use": "leaflets", "training": [SET]})


def test_a_missing_vocabulary_is_said_in_each_row(
    needing: Bundle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    batch = Batch([document_of_text("He had a heart attack."), document_of_text("...")])
    assert [row.flags for row in needing.estimate(batch)] == [(), ("no_words",)]
    monkeypatch.setenv("UNDERSTANDABILITY_RESOURCES", str(tmp_path))
    assert needing.missing_vocabularies == ("mesh",)
    assert [row.flags for row in needing.estimate(batch)] == [
        ("missing_vocabulary",), ("no_words",),
    ]  # fmt: skip
    assert any("Not installed" in line and "mesh" in line for line in card(needing).splitlines())


def test_the_markdown_card_has_use_data_licence_figures_and_limits(needing: Bundle) -> None:
    text = card(needing, markdown=True)
    for part in ("## Intended use\n\nleaflets.", "| site a\\|b | 60 | CC0 |", "## Limits"):
        assert part in text
    assert "0000" not in text


def test_it_says_what_to_pin_and_where_it_is() -> None:
    """The whole checksum, the label that rows have, and the folder, by any name of the bundle."""
    bundle = load_bundle("open")
    for name in ("open", "default"):
        _, model, folder, scale = card(name).splitlines()[:4]
        assert model == f"model {bundle.label}, checksum {bundle.checksum}"
        assert load_bundle(folder.removeprefix("folder ")).checksum == bundle.checksum
        assert scale == "scale readings.v1"


@pytest.mark.parametrize("name", embedded_bundles())
def test_every_bundle_has_a_card_in_both_forms(name: str) -> None:
    bundle = load_bundle(name)
    text = card(bundle, markdown=True)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings[:5] == [
        f"# Model card: {name}", "## Model", "## Intended use", "## Training data", "## Figures",
    ]  # fmt: skip
    assert bundle.label in text
    assert f"scale {bundle.scale}" in card(bundle).splitlines()
    assert bundle.missing_vocabularies == ()
    # A model on the scale of readings maps nothing, so nothing is said of it.
    maps = bool(bundle.calibration.examples())
    told = card(bundle), text
    assert ["Difficulty by the model's output" in each for each in told] == [maps, maps]
