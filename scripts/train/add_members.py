"""Add a second ensemble to the difficulty of `open`, trained on readings alone.

    python -m scripts.train.pages --states states.npz --output first
    python -m scripts.train.add_members --bundle first/open [--cache FOLDER]

The difficulty of `open` is a mean of two ensembles of twelve networks; the second counts for
`_SHARE`. `scripts.train.pages`
trains the first on readings and on the teacher's estimates for passages without a reading. It is
better on human ratings and on pages, because it learned the order of words from the teacher. This
script trains the second on readings alone, including those of further kinds
(`readings/kinds.jsonl.gz`). It is better on texts of new kinds, above all on hard ones. Where the
ensembles disagree, the spread is wider.

The spread and the hardenings are fitted to estimates for texts whose kind was held out, so they
apply to texts of new kinds. Texts of the further kinds, which the first ensemble never saw, are
estimated by both ensembles, and all other readings by the second alone. The level and the
difficulty of words remain unchanged; the second ensemble reads the latter on its own scale. The
script trains six times, for a minute of one core each.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.linalg import block_diag
from scripts.shared import ROOT, parser_of
from scripts.train.page_fit import DIFFICULTY, RECIPES, DifficultyFit, KindsLeftOut, kinds_left_out
from scripts.train.page_texts import READ_KINDS, UNREAD, Mask, Table, message_of, training_table
from scripts.train.pages import (
    difficulty_error,
    hardening_of_difficulty,
    hardening_of_message,
    origin,
    spreads_of,
)
from scripts.train.teacher import Taught

from understandability.arrays import Floats
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.passage_model import MUST_BE_UNDERSTOOD, PassageModel, apart
from understandability.model.passages import passage_columns
from understandability.model.predictors import Network, Prepared
from understandability.model.readers import READERS

BUNDLE = ROOT / "resources" / "bundles" / "open"
# The weight of the second ensemble. On the further kinds, held out, the correlation with readings
# rises with it (.905 at .5, .910 at .65, .913 at 1); on the passages of CLEAR, which people rated,
# it falls (.752, .750, .743).
_SHARE = 0.65


@dataclass(frozen=True)
class ReadingsAlone:
    """A replacement for the teacher that knows readings only."""

    table: Table

    def taught(self, learned_from: Mask) -> Taught:
        """Return the difficulty and the message difficulty of each text; NaN without a reading."""
        return Taught(self.table.labels, message_of(self.table.understand))


def by_words_line(table: Table, second: DifficultyFit) -> tuple[float, float]:
    """Fit the line from the published column ``difficulty_by_words`` to the second ensemble's own.

    Returns constant and slope. The passages are from sets that neither was trained on.
    """
    column = passage_columns().index("difficulty_by_words")
    judged = np.isin(table.sets, ["clear", "medreadme_docs", "cochrane_pls", "pdq_pages"])
    chosen = judged[table.text]
    shipped = table.passages.columns[chosen, column].astype(np.float64)
    own = second.by_words.of(table)[chosen]
    slope, constant = np.polyfit(shipped, own, 1)
    return float(constant), float(slope)


def on_other_scales(network: Network, constants: Floats, slopes: Floats) -> Network:
    """Rewrite a network for `other` inputs; its own inputs are ``constants + slopes * other``."""
    first, last = network.weights
    weights = (first * slopes[:, None]).astype(np.float16).astype(np.float64)
    return Network(
        (weights, last),
        (network.biases[0] + constants @ first, network.biases[1]),
        network.link,
    )


def joined(first: Prepared, second: Prepared, line: tuple[float, float]) -> Prepared:
    """Join two ensembles; the outputs are the means over both, then those of all members.

    The inputs are standardised as in the first. `line` is the result of `by_words_line`.
    """
    one, two = first.predictor, second.predictor
    assert isinstance(one, Network)
    assert isinstance(two, Network)
    constants = (first.center - second.center) / second.scale
    slopes = first.scale / second.scale
    if one.weights[1].shape[1] > 2 + len(DIFFICULTY.shares):
        sys.exit(
            "the bundle has a second ensemble already; start from the bundle that "
            "scripts.train.pages wrote (--bundle)"
        )
    column = passage_columns().index("difficulty_by_words")
    constant, slope = line
    center = constant + slope * first.center[column]
    constants[column] = (center - second.center[column]) / second.scale[column]
    slopes[column] *= slope
    two = on_other_scales(two, constants, slopes)
    weighted = [(one, 1 - _SHARE), (two, _SHARE)]
    means = np.vstack([network.weights[1][:, :2] * share for network, share in weighted])
    members = block_diag(one.weights[1][:, 2:], two.weights[1][:, 2:])
    (start_one, end_one), (start_two, end_two) = one.biases, two.biases
    mean_ends = (1 - _SHARE) * end_one[:2] + _SHARE * end_two[:2]
    ends = [mean_ends, end_one[2:], end_two[2:]]
    network = Network(
        (np.hstack([one.weights[0], two.weights[0]]), np.hstack([means, members])),
        (np.concatenate([start_one, start_two]), np.concatenate(ends)),
        one.link,
    )
    return Prepared(first.fill, first.center, first.scale, network, first.cut)


def elsewhere(model: PassageModel, table: Table, second: KindsLeftOut) -> KindsLeftOut:
    """Return estimates by both ensembles for the further kinds, and by the second for other texts.

    `model` is the first ensemble, which learned from all texts but the further kinds. `second`
    holds estimates of the second by models that saw nothing of the kind of a text.
    """
    passages = table.passages
    outputs = model.network(passages.columns)
    first = passages.means(outputs)
    messages = passages.hardest(outputs[:, 1], MUST_BE_UNDERSTOOD)
    # The deviation over all members, from the mean and the deviation of each half.
    halves = (apart(first[:, 2:]) ** 2 + second.apart**2) / 2
    between = (first[:, 0] - second.difficulties) / 2
    both = KindsLeftOut(
        (1 - _SHARE) * first[:, 0] + _SHARE * second.difficulties,
        (1 - _SHARE) * messages + _SHARE * second.messages,
        np.sqrt(halves + between**2),
        second.squares,
    )
    is_further = table.sets == READ_KINDS
    return KindsLeftOut(
        *(
            np.where(is_further, by_both, by_second)
            for by_both, by_second in zip(astuple(both), astuple(second), strict=True)
        )
    )


def with_second(
    bundle: Bundle, table: Table, second: DifficultyFit, left_out: KindsLeftOut
) -> Bundle:
    """Return the bundle with the members, the spread and the hardenings of the second ensemble."""
    model = bundle.model
    assert isinstance(model, PassageModel)
    public = READERS["public"]
    left_out = elsewhere(model, table, left_out)
    harder = hardening_of_difficulty(table, left_out)
    error = difficulty_error(table, left_out, harder)
    spreads = spreads_of(table, left_out, error)
    model = replace(
        model,
        network=joined(model.network, second.network, by_words_line(table, second)),
        difficulty_error=error,
        hardenings=(harder, hardening_of_message(table, left_out, spreads, public)),
    )
    return replace(bundle, model=model, card=MappingProxyType(card_of(bundle.card, table)))


def card_of(card: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Return the card with the further kinds among the training data, and a note on the figures."""
    entry = {
        "name": READ_KINDS,
        "use": "difficulty",
        "records": int((table.sets == READ_KINDS).sum()),
        **origin(Path(), READ_KINDS),
    }
    rows = [row for row in card["training"] if row["name"] != READ_KINDS]
    index = [row["name"] for row in rows].index(UNREAD)
    note = (
        "The figures are those of the first ensemble of the difficulty; the second, trained on "
        "readings alone, is the other half of the mean. "
    )
    figures_note = note + str(card["figures_note"]).removeprefix(note)
    training = [*rows[:index], entry, *rows[index:]]
    return {**card, "training": training, "figures_note": figures_note}


def main() -> None:
    parser = parser_of(__doc__, cache=True)
    parser.add_argument("--bundle", type=Path, required=True, help="of scripts.train.pages")
    parser.add_argument("--output", type=Path, default=BUNDLE)
    arguments = parser.parse_args()
    table = training_table(arguments.data, arguments.cache)
    readings = ReadingsAlone(table)
    used = np.ones(len(table), bool)
    second = DifficultyFit(table, used, readings.taught(used))
    left_out = kinds_left_out(table, RECIPES["open"], readings)
    with_second(load_bundle(arguments.bundle), table, second, left_out).save(arguments.output)


if __name__ == "__main__":
    main()
