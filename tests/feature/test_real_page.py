"""A real page counted by hand: its ten sentences as boilerpipe gives them with forced periods."""

import math
from pathlib import Path

import pytest

from understandability.feature.table import compute_features
from understandability.inputs.sources import Sources
from understandability.text.analysis import document_of_page

# Of each sentence: words, letters and digits, syllables, words of more than 4 and of more than 6
# letters and digits, words off the Dale-Chall list. The date is read "zero eight, twenty-eight,
# two thousand eight".
SENTENCES = [
    (2, 9, 2, 1, 0, 0),
    (4, 21, 6, 2, 1, 0),  # all but its first word are names: they have capitals
    (8, 39, 11, 4, 1, 2),
    (18, 90, 26, 11, 3, 6),
    (7, 38, 12, 5, 2, 2),
    (22, 102, 32, 11, 3, 4),
    (28, 137, 42, 15, 5, 8),
    (15, 73, 21, 10, 3, 7),
    (19, 95, 31, 11, 3, 4),
    (4, 25, 16, 3, 2, 0),
]
WORDS, CHARACTERS, SYLLABLES, LONGER_4, LONGER_6, DIFFICULT = map(sum, zip(*SENTENCES, strict=True))
COUNTS = {
    "words": WORDS,
    "sentences": len(SENTENCES),
    "characters": CHARACTERS,
    "syllables": SYLLABLES,
    "words_longer_4": LONGER_4,
    "words_longer_6": LONGER_6,
    "words_longer_10": 3,  # fast-growing reproductive cytoprotective
    "words_longer_13": 1,  # cytoprotective
    # fast-growing affected follicles digestive reproductive medicines cytoprotective Medical, date
    "polysyllables": 9,
    "words_over_3_syllables": 3,  # reproductive cytoprotective, date
    "difficult_words": DIFFICULT,
    "html_a": 41,
    "html_div": 16,
    "html_p": 3,
    "html_span": 3,
    "html_table": 14,
    "html_headings": 0,
    "html_lists": 0,
}
FORMULAS = {
    "ari": 4.71 * 629 / 127 + 0.5 * 127 / 10 - 21.43,
    "coleman_liau": 0.0588 * (62900 / 127) - 0.296 * (1000 / 127) - 15.8,
    "dale_chall": 0.1579 * (3300 / 127) + 0.0496 * 127 / 10 + 3.6365,
    "flesch_kincaid": 0.39 * 127 / 10 + 11.8 * 199 / 127 - 15.59,
    "flesch_reading_ease": 206.835 - 1.015 * 127 / 10 - 84.6 * 199 / 127,
    "gunning_fog": 0.4 * (127 / 10 + 600 / 127),  # no name, compound or -ed: 6 of the 9
    "gunning_fog_plain": 0.4 * (127 / 10 + 900 / 127),
    "lix": 127 / 10 + 2300 / 127,
    "smog": 1.043 * math.sqrt(9 * 30 / 10) + 3.1291,
}


def test_a_real_page_has_the_counts_of_a_reader(shared_data: Path) -> None:
    """Check every count and formula of a page on side effects of cancer drugs, from its bytes."""
    pages = shared_data / "html" / "health_pages" / "health_pages.tar.gz"
    (page,) = Sources([pages], docnos={"sondhi/reliable-137.html"})
    document = document_of_page(page, extractor="boilerpipe")
    expected = COUNTS | FORMULAS
    table = compute_features([document], list(expected))
    assert dict(zip(table.names, table.values[0], strict=True)) == pytest.approx(expected)
    assert [len(sentence) for sentence in document.sentences] == [row[0] for row in SENTENCES]
