"""The lists in ``resources/words`` equal the originals in other packages.

A failure after an upgrade means that upstream changed a list. Decide whether to follow: if so, run
`python -m scripts.train.word_lists`, and freeze the scores again.
"""

import pytest
from scripts.train import word_lists

from understandability.feature.frequency import places_in
from understandability.resources import resource_lines


@pytest.mark.parametrize("name", word_lists.FREQUENCIES)
def test_frequencies_are_those_of_wordfreq(name: str) -> None:
    """The msgpack module is needed to read its files; wordfreq itself requires it."""
    pytest.importorskip("wordfreq", reason="needs the extra reference")
    original = word_lists.frequencies(name)
    ours = places_in(name)
    assert ours.words == len(original)
    assert all(ours.get(word, -1) == number for word, number in original.items())


def test_frequencies_are_what_the_functions_of_wordfreq_return() -> None:
    wordfreq = pytest.importorskip("wordfreq", reason="needs the extra reference")
    for language, words in (("en", ["heart", "myocardial", "xqzzzy"]), ("ru", ["сердце", "и"])):
        ours = [max(places_in(f"large_{language}").get(word, 0), 0) / 100 for word in words]
        assert ours == [
            pytest.approx(wordfreq.zipf_frequency(word, language, "large")) for word in words
        ]


@pytest.mark.parametrize(
    ("package", "file", "make"),
    [
        ("textstat", "dale_chall.txt", word_lists.dale_chall),
        ("sklearn", "stop_words.txt", word_lists.stop_words),
        ("vaderSentiment", "polarity.tsv", word_lists.polarities),
    ],
)
def test_lists_are_those_of_their_packages(
    package: str, file: str, make: word_lists.MakeLines
) -> None:
    pytest.importorskip(package, reason="needs the extra reference")
    assert resource_lines(f"words/{file}") == make()


@pytest.mark.parametrize("language", word_lists.STOP_LISTS)
def test_stop_lists_are_those_of_justext(language: str) -> None:
    pytest.importorskip("justext", reason="needs the extra reference")
    assert resource_lines(f"words/stop_lists/{language}.txt") == word_lists.stop_list(language)
