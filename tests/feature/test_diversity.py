"""Lexical diversity by hand, and against an independent implementation where it is installed."""

from itertools import cycle, islice
from math import comb, isnan

import numpy as np
import pytest

from understandability.feature.batch import Batch
from understandability.feature.diversity import (
    ROWS,
    drawn_ratio,
    factor_length,
    window_ratio,
)
from understandability.text.analysis import document_of_text


def test_by_hand() -> None:
    """Ten words repeated: each window of 50 has ten distinct words; a factor has 14 words."""
    words = list(islice(cycle("abcdefghij"), 140))
    assert window_ratio(words) == 10 / 50
    assert factor_length(words) == 14  # 10 of 14 are .714, 10 of 13 .769
    none = comb(126, 42) / comb(140, 42)  # each word stands there 14 times
    assert drawn_ratio(words) == pytest.approx(10 * (1 - none) / 42)
    assert factor_length(["a", "b"]) == 2  # never falls


def test_of_documents() -> None:
    """Small letters and capitals are one word; texts of no words have no value."""
    batch = Batch([document_of_text(text) for text in ("Rest. Then rest.", "", "One two.")])
    mattr, mtld, hdd = (row.compute for row in ROWS)
    assert mattr(batch)[[0, 2]].tolist() == [2 / 3, 1.0]
    assert mtld(batch)[2] == 2
    assert isnan(mattr(batch)[1])
    assert np.isnan(hdd(batch)).all()


def test_lexicalrichness_agrees() -> None:
    """The package of that name (Shen 2022)."""
    theirs = pytest.importorskip("lexicalrichness", reason="needs the package lexicalrichness")
    generator = np.random.default_rng(0)
    words = [f"w{number}" for number in generator.zipf(1.4, 400)]
    other = theirs.LexicalRichness(" ".join(words), preprocessor=None, tokenizer=str.split)
    assert window_ratio(words) == pytest.approx(other.mattr(window_size=50))
    assert factor_length(words) == pytest.approx(other.mtld(threshold=0.72))
    assert drawn_ratio(words) == pytest.approx(other.hdd(draws=42))
