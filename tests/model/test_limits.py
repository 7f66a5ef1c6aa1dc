"""Texts that no estimate fits: nonsense, signs, sums, repetitions, other languages."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from tests.conftest import PANEL, ROOT

import understandability as ud
from understandability.feature.batch import Batch
from understandability.model.sense import sense
from understandability.text.analysis import document_of_text

LEAFLET = (
    "Take one tablet in the morning with a glass of water. Do not take more than four tablets in "
    "one day. Call your doctor if you feel sick or if the pain gets worse."
)
NOT_JUDGED = {
    "too_short",
    "no_sense",
    "words_without_order",
    "repeated",
    "not_english",
    "language_uncertain",
}


def test_texts_that_a_layperson_would_laugh_at() -> None:
    """At least 54 of 60 texts are withheld, flagged, or within .25 of a layperson's estimate."""
    lines = (ROOT / "readings" / "nonsense.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line) for line in lines]
    assert Counter(Counter(text["kind"] for text in texts).values()) == {6: 10}
    right = 0
    for text in texts:
        row = ud.score_text(text["text"])
        p, flags = row["p_understandable"], set(row["flags"].split())
        right += bool(math.isnan(p) or flags & NOT_JUDGED or abs(p - text["share"]) <= 0.25)
    assert right >= 54


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        (" ".join(LEAFLET.split()[::-1]), "no_sense"),
        (". ".join(" ".join(part.split()[::-1]) for part in LEAFLET.split(". ")), "no_sense"),
        ("the " * 30, "repeated"),
        ("Buy now! " * 12, "repeated"),
        ("EXIT", "too_short"),
        ("2 + 2 = 4.", "too_short"),
        ("The old man the boat.", "too_short"),
    ],
)
def test_flags(text: str, flag: str) -> None:
    """Each flag comes with a spread that shows the uncertainty."""
    row = ud.score_text(text)
    assert flag in row["flags"].split()
    assert row["spread"] >= 15


@pytest.mark.parametrize(
    "text", ["EXIT", "Wet floor", "2 + 2 = 4.", " ".join(LEAFLET.split()[::-1])]
)
def test_no_share_of_readers_is_named_for_a_sign_or_nonsense(text: str) -> None:
    assert math.isnan(ud.score_text(text)["p_understandable"])


def test_texts_of_the_panel_make_sense() -> None:
    """Poems, statutes, patents and children's stories alike."""
    paths = sorted(PANEL.glob("*.txt"))
    documents = [document_of_text(path.read_text("utf-8"), path.name) for path in paths]
    measured = sense(Batch(documents))
    assert not measured.is_reversed.any()
    assert measured.is_disordered.sum() <= len(documents) / 50
    flags = [ud.score_text(Path(path).read_text("utf-8"))["flags"] for path in paths]
    assert sum("no_sense" in row for row in flags) <= len(paths) / 50


def test_a_text_is_measured_alike_in_any_batch() -> None:
    documents = [document_of_text(text) for text in (LEAFLET, "Rest.", LEAFLET[::-1])]
    together = sense(Batch(documents))
    for index, document in enumerate(documents):
        alone = sense(Batch([document]))
        for name in ("order", "pairs", "fit", "content"):
            one, all_ = getattr(alone, name)[0], getattr(together, name)[index]
            assert one == pytest.approx(all_, rel=1e-6, nan_ok=True)
