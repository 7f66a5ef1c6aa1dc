"""NLTK's tagger and chunker in the form of our own."""

from pathlib import Path

import numpy as np
import pytest

from understandability.errors import InputError
from understandability.feature.tagger import TO_TWELVE, TWELVE, UNIVERSAL
from understandability.study.nltk_backend import _PENN, NltkTagger

TOKENS = ["Mary", "Smith", "lives", "in", "Boston", ".", "She", "is", "well", "."]
STARTS = np.array([0, 6])


@pytest.fixture
def nltk_data(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk.data

    monkeypatch.setattr(nltk.data, "path", [str(shared_data / "nltk_data")])


@pytest.mark.usefixtures("nltk_data")
def test_tags_and_entities_where_the_data_is_installed() -> None:
    """Indexes into the universal tags, and where named entities begin."""
    from nltk.tag.mapping import map_tag

    tagger = NltkTagger()
    tags = " ".join(UNIVERSAL[tag] for tag in tagger.tag(TOKENS, STARTS))
    assert tags == "PROPN PROPN VERB ADP PROPN PUNCT PRON VERB ADV PUNCT"
    starts = np.flatnonzero(tagger.entity_starts(TOKENS, STARTS)).tolist()
    assert 4 in starts  # Boston
    assert set(starts) <= {0, 1, 4}
    # On to the twelve tags every Penn tag is mapped as by NLTK's universal tag set.
    names = {".": "PUNCT"}
    for tag, penn_tags in _PENN.items():
        twelve = TWELVE[TO_TWELVE[UNIVERSAL.index(tag)]]
        for penn in penn_tags.split():
            theirs = map_tag("en-ptb", "universal", penn)
            assert names.get(theirs, theirs) == twelve, penn


def test_missing_data_is_named_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is downloaded."""
    import nltk.data

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(InputError, match=r"averaged_perceptron_tagger_eng.*NLTK_DATA"):
        NltkTagger().tag(TOKENS, STARTS)
