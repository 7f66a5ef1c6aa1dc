"""Whole pages: their order, P(U|d), length, and a panel of texts. Fills in ``docs/pages.md``.

    python -m scripts.evaluate.pages --teacher teacher.npz [--cache FOLDER] [--neural]

Bundles are judged as they stand in ``resources/bundles``. PDQ's pages and OneStop's texts are
learned from, so their levels are out of fold, by the recipes of ``scripts.train.page_fit``. Beside
them stand the formulas, the corpus ratio, and the default of the first version: its estimates of
the same texts, kept in ``first_version.json``. About ten minutes with one thread; the folder of
``--cache`` keeps the passages of all texts. ``--neural`` needs the encoder, as
``scripts.train.neural`` does, and a quarter of an hour more.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.evaluate.intervals import between, fill, markdown, pearson, short, spearman
from scripts.train.neural import (
    kept_states,
    levels_of_pages,
    out_of_fold_levels,
    states_of_training,
)
from scripts.train.page_fit import RECIPES, out_of_fold
from scripts.train.page_texts import (
    REFERENCE,
    Mask,
    Table,
    Text,
    cached,
    labelled_table,
    pages,
    training_table,
)
from scripts.train.pages import labels_2016
from understandability.model.pages import PageLevels, PageModel, PageScale
from understandability.neural.neural_model import NeuralModel

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.readers import READERS, probability
from understandability.text.analysis import document_of_text
from understandability.text.document import Document
from understandability.training.validation import BASELINES

ROOT = Path(__file__).parents[2]
PANEL = ROOT / "tests" / "panel"
FIRST = Path(__file__).with_name("first_version.json")
FIRST_NAME = "first version"
NEURAL = "neural-open"
READER = READERS["public"]

# Harder kind, easier kind, the least ROC AUC where the order is beyond doubt.
ORDERS: tuple[tuple[str, str, float | None], ...] = (
    ("pdq_professional", "pdq_patient", 0.99),
    ("cdc", "medlineplus", 0.98),
    ("cdc", "pdq_patient", 0.96),
    ("cdc", "forum", 0.97),
    ("cdc", "sondhi", 0.92),
    ("pmc_fulltext", "medlineplus", 0.99),
    ("pmc_fulltext", "forum", 0.99),
    ("wikipedia", "medlineplus", 0.98),
    ("ghr", "medlineplus", 0.98),
    ("onestop_advanced", "onestop_elementary", 0.97),
    ("cdc", "wikipedia", None),
    ("pmc_abstract", "wikipedia", None),
)
# What a member of the public is to be given: the median P(U|d) at most, or at least.
AT_MOST = {"cdc": 0.40, "pdq_professional": 0.30, "pmc_fulltext": 0.30}
AT_LEAST = {"pdq_patient": 0.50, "medlineplus": 0.60}
HEALTH = ("cdc", "sondhi", "schwarz", "wikipedia", "askdocs")
# Kinds of the panel that no member of the public understands at first reading.
TOO_HARD = ("statute", "abstract", "research consent form (conventional)")
LENGTHS = (150, 600, 2400)
_KINDS = {
    ("pdq_pages", 1.0): "pdq_professional",
    ("pdq_pages", 0.0): "pdq_patient",
    ("onestop", 3.0): "onestop_advanced",
    ("onestop", 1.0): "onestop_elementary",
}


@dataclass(frozen=True)
class Judged:
    """What a bundle says of texts, by kind: arrays with a row for each text."""

    kinds: NDArray[np.str_]
    level: Floats
    error: Floats
    unlike: Mask
    scale: PageScale

    def estimate(self, scale: PageScale | None = None) -> tuple[Floats, Floats, Floats]:
        """Difficulty, spread and P(U|d) of the default reader."""
        difficulty, spread = (scale or self.scale).apply(self.level, self.error)
        chance = probability(difficulty, READER.threshold, READER.user, noise_scale=spread)
        return difficulty, spread, chance

    def of(self, kind: str | Sequence[str], values: Floats) -> Floats:
        """Those values of one kind, or of several, that there are."""
        here = np.isin(self.kinds, kind) & np.isfinite(values)
        return values[here]


def kinds_of(table: Table) -> NDArray[np.str_]:
    """The kind of each text; of labelled sets it is that of the label, or none."""
    return np.array(
        [
            _KINDS.get((name, label), "" if np.isfinite(label) else name)
            for name, label in zip(table.sets.tolist(), table.labels.tolist(), strict=True)
        ]
    )


def model_of(bundle: Bundle) -> tuple[PageModel, PageScale]:
    """The two halves of a bundle of pages."""
    if not (isinstance(bundle.model, PageModel) and isinstance(bundle.calibration, PageScale)):
        raise SystemExit(f"{bundle.name} is no bundle of pages")
    return bundle.model, bundle.calibration


def levels_of(model: PageModel, table: Table) -> PageLevels:
    """What a model says of the texts of a table."""
    return model.levels_of(table.passages, model.predict(table.passages.columns))


def judged(bundle: Bundle, training: Table, seen: Table, unseen: Table) -> Judged:
    """A bundle's levels of unseen texts, and out of fold of those that it learned from.

    The texts of `seen` are the first of `training`.
    """
    model, scale = model_of(bundle)
    first, second = (levels_of(model, table) for table in (seen, unseen))
    return Judged(
        np.concatenate([kinds_of(seen), kinds_of(unseen)]),
        np.concatenate([out_of_fold(training, RECIPES[bundle.name])[: len(seen)], second.level]),
        np.concatenate([first.error, second.error]),
        np.array(["unlike_judged" in flags for flags in (*first.flags, *second.flags)]),
        scale,
    )


def neural_levels(
    data: Path, cache: Path | None, training: Table, seen: Table, unseen: Table
) -> Floats:
    """The same levels by `neural-open`, for the kinds whose order counts.

    Its encoder takes time, so it reads six passages of a page, and of most kinds one page in four.
    """
    model, _ = model_of(load_bundle(ROOT / "resources" / "bundles" / NEURAL))
    assert isinstance(model, NeuralModel)
    kinds = {kind for harder, easier, _ in ORDERS for kind in (harder, easier)}
    texts = (each for each in pages(data) if each.set in kinds)
    states = kept_states(unseen, texts, cache, "pages")
    of_unseen = levels_of_pages(unseen, states, model)
    of_training = states_of_training(data, training, cache)
    of_seen = out_of_fold_levels(training, of_training, "open")[: len(seen)]
    return np.append(of_seen, of_unseen)


def first_version(kind: str, ids: Sequence[str]) -> dict[str, Floats]:
    """Difficulty and P(U|d) of texts of a kind by the first version's default.

    None are given for a kind that is not kept. The identifiers are checked, so that the numbers are
    of the same texts.
    """
    of = json.loads(FIRST.read_text("utf-8"))["kinds"].get(kind)
    if of is None:
        return {name: np.full(len(ids), np.nan) for name in ("difficulty", "p_understandable")}
    if hashlib.sha256("\n".join(ids).encode()).hexdigest() != of["ids_sha256"]:
        raise SystemExit(f"{FIRST.name} was made of other texts of the kind {kind}")
    return {name: np.array(of[name], float) for name in ("difficulty", "p_understandable")}


def first_versions(table: Table) -> dict[str, Floats]:
    """The same of every text of a table; each of its sets is a run of rows."""
    names = dict.fromkeys(table.sets.tolist())
    found = [first_version(name, table.ids[table.sets == name].tolist()) for name in names]
    return {name: np.concatenate([of[name] for of in found]) for name in found[0]}


# -- the parts of the page -------------------------------------------------------------------------


def orders(bundles: Mapping[str, Judged], others: Mapping[str, Floats]) -> str:
    """How often a page of the harder kind has the higher value."""
    rows = []
    of_kind = next(iter(bundles.values())).of
    for harder, easier, least in ORDERS:
        row = [f"{harder} over {easier}", short(least, 2) if least else "in doubt"]
        row += [
            str(between(each.of(harder, each.level), each.of(easier, each.level)))
            for each in bundles.values()
        ]
        for values in others.values():
            pair = of_kind(harder, values), of_kind(easier, values)
            row.append(short(between(*pair).value) if len(pair[0]) else "")
        rows.append(row)
    return markdown(["pages", "at least", *bundles, *others], rows)


def chances(of: Judged, before: Floats) -> str:
    """Level, difficulty and P(U|d) by kind."""
    difficulty, spread, chance = of.estimate()
    rows = []
    for kind in dict.fromkeys(of.kinds[of.kinds != ""].tolist()):
        here = of.of(kind, chance)
        wanted = f"≤ {AT_MOST[kind]:.2f}" if kind in AT_MOST else ""
        wanted = f"≥ {AT_LEAST[kind]:.2f}" if kind in AT_LEAST else wanted
        old = of.of(kind, before)
        rows.append(
            [f"{kind} ({len(here)})"]
            + [f"{np.median(of.of(kind, of.level)):.2f}"]
            + [f"{np.median(of.of(kind, values)):.0f}" for values in (difficulty, spread)]
            + [_spread_of(here), wanted, f"{of.unlike[of.kinds == kind].mean():.0%}"]
            + [_spread_of(old) if len(old) else ""]
        )
    head = ["pages", "level", "difficulty", "spread", "P(U\\|d)", "wanted", "unlike", FIRST_NAME]
    health, reference = of.of(HEALTH, chance), of.of(REFERENCE, chance)
    within = ((health > 0.02) & (health < 0.98)).mean()
    sure = [f"{(values > 0.95).mean():.0%}" for values in (health, of.of(HEALTH, before))]
    return (
        f"{markdown(head, rows)}\nMean P(U|d) of {' and '.join(REFERENCE)} together: "
        f"{reference.mean():.2f} (wanted: .40 to .65). Of the {len(health)} health pages "
        f"{within:.1%} lie between .02 and .98 (wanted: 90 %), {sure[0]} above .95 "
        f"({FIRST_NAME}: {sure[1]}).\n"
    )


def neural_orders(of: Judged, levels: Floats) -> str:
    """The orders of `neural-open`, and of another bundle on the same pages."""
    checksum = load_bundle(ROOT / "resources" / "bundles" / NEURAL).checksum[:16]
    beside = replace(of, level=np.where(np.isfinite(levels), of.level, np.nan))
    table = orders({"open": beside, NEURAL: replace(of, level=levels)}, {})
    return f"Checksum: `{NEURAL}` {checksum}.\n\n{table}"


def _spread_of(values: Floats) -> str:
    low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
    return f"{short(middle, 2)} [{short(low, 2)}, {short(high, 2)}]"


def labels_of_2016(data: Path) -> str:
    """The share of easy labels, and how far those of one document for several topics differ."""
    labels: dict[str, list[float]] = {}
    with gzip.open(data / "clef/clef2016/task2.qunder.gz", "rt") as lines:
        for line in lines:
            _, _, document, label = line.split()
            labels.setdefault(document, []).append(float(label))
    pairs = [pair for of in labels.values() for pair in combinations(of, 2) if 50 not in pair]
    first, second = np.array(pairs).T
    every = np.array([label for of in labels.values() for label in of if label != 50])
    return (
        f"Of {len(every):,} labels other than 50, {(every < READER.threshold).mean():.0%} lie "
        f"below {READER.threshold:.0f}. "
        f"{len(pairs):,} pairs of labels of one document for two topics, neither of them 50: "
        f"median difference {np.median(abs(first - second)):.0f}, correlation "
        f"{short(pearson(first, second), 2)}.\n"
    )


def assumptions(data: Path, of: Judged) -> str:
    """How P(U|d) moves with what the scale assumes."""
    kinds = ("cdc", "pdq_professional", "pmc_fulltext", "wikipedia", "pdq_patient", "medlineplus")
    rows = []
    for unmoved in (False, True):
        mean, deviation = labels_2016(data, unmoved=unmoved)
        for correlation in (0.4, 0.5, 0.6):
            # Difficulty has to stay above 0, so the line bends a little earlier if it is steep.
            reach = min(of.scale.reach, mean / (correlation * deviation))
            scale = replace(
                of.scale, correlation=correlation, mean=mean, deviation=deviation, reach=reach
            )
            chance = of.estimate(scale)[2]
            rows.append(
                [f"{correlation:.1f}, {'all labels' if unmoved else 'without labels of 50'}"]
                + [short(float(np.median(of.of(kind, chance))), 2) for kind in kinds]
                + [short(float(of.of(REFERENCE, chance).mean()), 2)]
            )
    head = ["correlation, labels", *kinds, f"mean of {' and '.join(REFERENCE)}"]
    return f"{markdown(head, rows)}\n{labels_of_2016(data)}"


def readers(of: Judged, grades: Floats) -> str:
    """Thresholds of the readers, and the places on the scale that they stand for."""
    difficulty = of.estimate()[0]
    near = np.isin(of.kinds, (*HEALTH, "medlineplus")) & np.isfinite(difficulty)
    near &= (grades >= 5.5) & (grades < 8.5)
    places = {
        "plain-language": f"median of {near.sum()} pages (health pages, MedlinePlus) of "
        f"Flesch-Kincaid grades 6 to 8: {np.median(difficulty[near]):.1f}",
        "well-read": "90th percentile of Sondhi's pages: "
        f"{np.quantile(of.of('sondhi', difficulty), 0.9):.1f}",
        "health-student": "median of PDQ for professionals: "
        f"{np.median(of.of('pdq_professional', difficulty)):.1f}",
    }
    rows = [
        [name, reader.description, f"{reader.threshold:.0f}", reader.source, places.get(name, "")]
        for name, reader in READERS.items()
    ]
    return markdown(["reader", "who", "threshold", "source", "measured"], rows)


def difficulties(bundle: Bundle, documents: Sequence[Document]) -> Floats:
    """The difficulty of each document."""
    return np.array([e.difficulty for batch in batches(documents) for e in bundle.estimate(batch)])


def first_words(document: Document, words: int, start: int = 0) -> Document:
    """Whole sentences from the one that begins nearest to a piece, about so many pieces."""
    starts = [*document.sentence_starts, len(document.pieces)]
    first = min(range(len(starts) - 1), key=lambda index: abs(starts[index] - start))
    behind = next(
        (n for n in range(first + 1, len(starts)) if starts[n] - starts[first] >= words),
        len(starts) - 1,
    )
    return replace(
        document,
        pieces=document.pieces[starts[first] : starts[behind]],
        sentence_starts=tuple(s - starts[first] for s in starts[first:behind]),
        open_ends=tuple(n - first for n in document.open_ends if first <= n < behind),
    )


def lengths(bundle: Bundle, texts: Sequence[Text], each: int = 30) -> str:
    """One page cut short, against the whole."""
    by_kind: dict[str, list[Document]] = {}
    for text in texts:
        if len(of_kind := by_kind.setdefault(text.set, [])) < each:
            document = text.document()
            if len(document.pieces) >= 1.5 * LENGTHS[0]:
                of_kind.append(document)
    documents = [document for of_kind in by_kind.values() for document in of_kind]
    whole = difficulties(bundle, documents)
    sizes = np.array([len(document.pieces) for document in documents])
    rng = np.random.default_rng(0)
    rows = []
    for words in LENGTHS:
        long = np.flatnonzero(sizes >= 1.5 * words)
        for what, starts in (
            ("the first", np.zeros(len(long), int)),
            ("any", rng.integers(0, sizes[long] - words)),
        ):
            cut = [
                first_words(documents[index], words, start)
                for index, start in zip(long.tolist(), starts.tolist(), strict=True)
            ]
            change = difficulties(bundle, cut) - whole[long]
            rows.append(
                [
                    f"{what} {words:,} words",
                    str(len(long)),
                    f"{np.nanmedian(change):+.2f}",
                    f"{np.nanmedian(abs(change)):.2f}",
                ]
            )
    return markdown(["cut to", "pages", "median change", "median absolute change"], rows)


def whole_and_passages(bundle: Bundle, table: Table) -> str:
    """Where a page lies among its own passages."""
    found = levels_of(model_of(bundle)[0], table)
    starts, inside = table.passages.starts, []
    for page in np.flatnonzero(np.diff(starts) >= 8):
        of_page = found.of_passages[starts[page] : starts[page + 1]]
        low, high = np.quantile(of_page, [0.1, 0.9])
        inside.append(low <= found.level[page] <= high)
    return (
        f"Of the {len(inside):,} pages of eight passages or more {np.mean(inside):.1%} lie between "
        "the 10th and the 90th percentile of their own passages (wanted: 95 %).\n"
    )


ADDED: Mapping[str, Callable[[str], str]] = {
    "a heading before it": lambda text: f"What you need to know\n{text}",
    "a row of a table behind it": lambda text: f"{text}\nAdults 312 (45.2) 201 (29.1)",
    "the same again": lambda text: f"{text}\n{text}",
}


def additions(bundle: Bundle, texts: Mapping[str, str]) -> str:
    """By how much what is no sentence moves the texts of the panel."""

    def of(changed: Callable[[str], str]) -> Floats:
        return difficulties(
            bundle, [document_of_text(changed(text), name) for name, text in texts.items()]
        )

    plain = of(str)
    rows = []
    for what, change in ADDED.items():
        moved = abs(of(change) - plain)
        rows.append([what, f"{np.median(moved):.2f}", f"{moved.max():.2f}"])
    return markdown(["added to a text", "median change", "largest change"], rows)


def panel(bundles: Mapping[str, Bundle], texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The panel's figures, and the whole of it."""
    lines = [line.split("\t") for line in (PANEL / "panel.tsv").read_text("utf-8").splitlines()]
    place = {name: index for index, name in enumerate(lines[0])}
    ranks = {line[place["file"]]: float(line[place["rank"]]) for line in lines[1:]}
    kinds = {line[place["file"]]: line[place["kind"]] for line in lines[1:]}
    names = sorted(texts)
    first = first_version("panel", names)["difficulty"]
    expected = np.array([ranks[name] for name in names])
    agreements = {FIRST_NAME: spearman(first, expected)}
    found = {}
    for name, bundle in bundles.items():
        batch = Batch([document_of_text(texts[each], each) for each in names])
        found[name] = dict(zip(names, bundle.estimate(batch), strict=True))
        agreements[name] = spearman([found[name][each].raw for each in names], expected)
    rows = [[name, short(value)] for name, value in agreements.items()]
    yield "panel-figures", markdown(["", f"Spearman, {len(names)} texts"], rows)
    own = found["open"]
    rows = []
    for name in sorted(names, key=lambda name: ranks[name]):
        estimate, kind = own[name], kinds[name]
        too_easy = kind.startswith(TOO_HARD) and estimate.p_understandable > 0.5
        rows.append(
            [
                f"{ranks[name]:g}",
                name.removesuffix(".txt").replace("_", " "),
                kind,
                f"{estimate.level:.2f}",
                f"{estimate.difficulty:.0f}",
                short(estimate.p_understandable, 2),
                "above .5, and should not be" if too_easy else " ".join(estimate.flags),
            ]
        )
    yield (
        "panel",
        markdown(["people's rank", "text", "kind", "level", "difficulty", "P(U\\|d)", ""], rows),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, help="keep the passages of all texts in this folder")
    parser.add_argument(
        "--teacher", type=Path, required=True, help="what scripts.train.teacher made"
    )
    parser.add_argument("--neural", action="store_true", help=f"fill in the orders of {NEURAL} too")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "pages.md")
    arguments = parser.parse_args()
    bundles = {name: load_bundle(ROOT / "resources" / "bundles" / name) for name in RECIPES}
    seen = labelled_table(arguments.data, arguments.cache)
    unseen = cached(arguments.cache, "pages", lambda: Table.of(pages(arguments.data)))
    training = training_table(arguments.data, arguments.teacher, arguments.cache)
    found = {name: judged(bundle, training, seen, unseen) for name, bundle in bundles.items()}
    formulas = np.concatenate([seen.formulas, unseen.formulas])
    first, second = (first_versions(table) for table in (seen, unseen))
    before = {name: np.concatenate([first[name], second[name]]) for name in first}
    others = {FIRST_NAME: before["difficulty"]}
    for name, column in zip(BASELINES, formulas.T, strict=True):
        others[name] = column * (COLUMNS[name][0].direction or Direction.HARDER).sign
    default = bundles["open"]
    texts = {path.name: path.read_text("utf-8") for path in sorted(PANEL.glob("*.txt"))}
    files = "".join(f"`{name}` {bundle.checksum[:16]}, " for name, bundle in bundles.items())
    first_sum = json.loads(FIRST.read_text("utf-8"))["checksum"]
    parts = {
        "bundles": f"Checksums: {files}{FIRST_NAME}'s `default` {first_sum[:16]}.",
        "orders": orders(found, others),
        "chances": chances(found["open"], before["p_understandable"]),
        "assumptions": assumptions(arguments.data, found["open"]),
        "readers": readers(found["open"], others["flesch_kincaid"]),
        "lengths": lengths(default, list(pages(arguments.data))),
        "passages": whole_and_passages(default, unseen),
        "additions": additions(default, texts),
        **dict(panel(bundles, texts)),
    }
    if arguments.neural:
        levels = neural_levels(arguments.data, arguments.cache, training, seen, unseen)
        parts["neural"] = neural_orders(found["open"], levels)
    fill(arguments.output, parts)


if __name__ == "__main__":
    main()
