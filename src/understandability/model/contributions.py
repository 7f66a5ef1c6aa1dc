"""Explain an estimate: the points of difficulty that each theme of a text adds."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import NDArray

from understandability.arrays import Floats
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.row import SENTENCE
from understandability.model.bundle import Bundle
from understandability.model.model import Reading
from understandability.model.passage_model import PassageModel
from understandability.model.passages import passage_columns, passages

# Theme -> its most informative columns, of the catalogue and of passages. Long words and rare words
# are one theme: they are mostly the same words, so points would be split between them by chance.
THEMES: dict[str, tuple[str, ...]] = {
    "length of sentences": ("words_per_sentence", "sentence_words"),
    "difficulty of words": ("difficult_words_per_word", "difficult_words"),
    "medical words": ("medical_suffixes_per_word", "medical_suffixes"),
    "readability formulas": ("flesch_kincaid",),
    "grammar and style": (),
    "length of the text": (),
    "markup": (),
    "subject and choice of words": (),
}
_THEME_OF_GROUP = {
    "readability": "readability formulas",
    "components": "difficulty of words",
    "lexical diversity": "difficulty of words",
    "medical vocabulary": "medical words",
    "consumer vocabulary": "medical words",
    "expert vocabulary": "medical words",
    "natural language": "grammar and style",
    "html": "markup",
    "word frequency": "difficulty of words",
    "language model": "difficulty of words",
    "background models": "subject and choice of words",
    "other formulas": "readability formulas",
}
# Features whose theme differs from the theme of their group.
_THEME_OF_NAME = {
    "oov": "difficulty of words",
    "oov_aspell": "difficulty of words",
    "words": "length of the text",
    "sentences": "length of the text",
}
# Themes of columns of passages: beginnings and endings of names. The first match wins.
_THEMES_OF_PASSAGES = (
    (
        ("sentence_", "words_in_sentences_", "prose", "short_fields"),
        ("_per_sentence",),
        "length of sentences",
    ),
    (("medical_", "pubmed_", "towards_", "far_towards_", "wikipedia_"), (), "medical words"),
    (
        ("word_vector_", "rare_word_vector_", "difficulty_by_words"),
        (),
        "subject and choice of words",
    ),
    (("shortness",), (), "length of the text"),
    (
        ("rare_", "without_vector", "code", "single_letters", "difficult_", "characters", "words_",
         "syllables", "polysyllables", "oov", "not_in_", "zipf_", "share_", "log_probability_",
         "complexity"),
        (),
        "difficulty of words",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contribution:
    """The points of difficulty that a theme adds to a text; negative if it makes the text easier.

    `own` and `typical` are the values of the theme's main column (`THEMES`) for this text and for a
    typical text; NaN if the model does not read the column.
    """

    theme: str
    points: float
    own: float
    typical: float


@dataclass(frozen=True, slots=True)
class Contributions:
    """The difficulty of one document as the sum of `typical` and the points of its themes.

    `typical` is the difficulty of a text whose inputs are all at their mean over the training
    texts. `parts` are sorted by the size of their points, largest first.
    """

    docno: str
    typical: float
    difficulty: float
    parts: tuple[Contribution, ...]


def contributions(bundle: Bundle, batch: Batch) -> tuple[Contributions, ...]:
    """Explain the estimate of each document; documents without words are skipped.

    The points of a theme are its Shapley value (Shapley 1953; for the inputs of models: Lundberg &
    Lee 2017). This is the change of the difficulty when the theme's columns change from the values
    of a typical text to the document's own, averaged over all orders of the themes. The points add
    up exactly, and the method works for any model: trees, kernels, networks, and the map to
    difficulty.

    >>> from understandability.text.analysis import document_of_text
    >>> from understandability.model.bundle import load_bundle
    >>> why, = contributions(load_bundle("open"), Batch([document_of_text("Rest and drink.")]))
    >>> abs(why.typical + sum(part.points for part in why.parts) - why.difficulty) < 1e-6
    True
    """
    model = bundle.model
    themes = np.array([theme_of(name) for name in model.names])
    present = [theme for theme in THEMES if theme in themes]
    players = np.array([themes == theme for theme in present])
    result = []
    for index, own in enumerate(model.inputs(batch)):
        if not batch.words[index]:
            continue
        masks = _coalitions(len(present)) @ players
        if isinstance(model, PassageModel):
            raw = _raw_of_page(model, batch, index, masks)
        else:
            raw = model.predict(np.where(masks, own, model.typical))
        words = np.full(len(raw), batch.words[index])
        difficulty, _ = bundle.calibration.apply(Reading.of(raw, words))
        parts = [
            Contribution(theme, points, *_main_column(theme, model.names, own, model.typical))
            for theme, points in zip(present, shapley_values(difficulty).tolist(), strict=True)
        ]
        parts.sort(key=lambda part: -abs(part.points))
        result.append(
            Contributions(
                batch.documents[index].docno,
                float(difficulty[0]),
                float(difficulty[-1]),
                tuple(parts),
            )
        )
    return tuple(result)


def _raw_of_page(model: PassageModel, batch: Batch, index: int, masks: NDArray[np.bool_]) -> Floats:
    """Return the model's output for a page under each mask.

    Columns where the mask is True keep the page's values; the others get those of a typical text.
    """
    read = batch.once(passages)
    start, end = read.starts[index], read.starts[index + 1]
    columns, words = read.columns[start:end], read.words[start:end]
    if not len(words):
        return np.full(len(masks), np.nan)
    return np.array(
        [
            np.average(model.predict(np.where(mask, columns, model.typical)), weights=words)
            for mask in masks
        ]
    )


def theme_of(name: str) -> str:
    """Return the theme to which a column belongs.

    >>> theme_of("verbs_per_sentence"), theme_of("oov_per_word"), theme_of("word_vector_3")
    ('length of sentences', 'difficulty of words', 'subject and choice of words')
    """
    if name in COLUMNS:
        feature, per = COLUMNS[name]
        if per == SENTENCE:
            return "length of sentences"
        return _THEME_OF_NAME.get(feature.name) or _THEME_OF_GROUP[feature.group]
    if name in passage_columns():
        for beginnings, endings, theme in _THEMES_OF_PASSAGES:
            if name.startswith(beginnings) or name.endswith(endings):
                return theme
        return "grammar and style"
    return "subject and choice of words"


def _coalitions(players: int) -> NDArray[np.bool_]:
    """Return a Boolean table of all coalitions of players; shape (2^players, players).

    Player ``i`` belongs to a coalition if bit ``i`` of the row number is set. The rows for two
    players are: nobody, player 0, player 1, both.
    """
    return (np.arange(2**players)[:, None] >> np.arange(players)) & 1 > 0


def shapley_values(worth: Floats) -> Floats:
    """Return the Shapley values: each player's mean gain over all orders in which players can join.

    `worth` has the value of each coalition. Player ``i`` belongs to it if bit ``i`` of its index is
    set. The values add up to the last entry minus the first (Shapley 1953).

    Two players who are worth 1 each alone, and 4 together:

    >>> shapley_values(np.array([0.0, 1.0, 1.0, 4.0])).tolist()
    [2.0, 2.0]
    """
    players = len(worth).bit_length() - 1
    members = _coalitions(players)
    sizes = members.sum(axis=1)
    probabilities = np.array(
        [
            factorial(size) * factorial(players - size - 1) / factorial(players)
            for size in range(players)
        ]
    )
    values = np.empty(players)
    for player in range(players):
        without = np.flatnonzero(~members[:, player])
        gains = worth[without + 2**player] - worth[without]
        values[player] = (probabilities[sizes[without]] * gains).sum()
    return values


def _main_column(
    theme: str, names: tuple[str, ...], own: Floats, typical: Floats
) -> tuple[float, float]:
    """Return the value of a theme's main column for a text and for a typical text; NaN if not
    read.
    """
    for column in THEMES[theme]:
        if column in names:
            index = names.index(column)
            return float(own[index]), float(typical[index])
    return np.nan, np.nan
