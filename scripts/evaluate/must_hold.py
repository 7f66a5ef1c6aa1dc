"""Evaluate `open` against its targets, compared with formulas and two other models.

Fills in ``results/number.md``.

    python -m scripts.train.teacher WHEEL states.npz
    python -m scripts.evaluate.must_hold --states states.npz --cache FOLDER

Texts are estimated by models that did not learn from them:

- Readings: by models that learned neither from the text's group (five folds) nor, in a second
  evaluation, from its kind (ten folds).
- Pairs: by a model that learned nothing from their kinds and studies.
- Human labels: by models that learned nothing from the set. CEFR-SP and OneStop are training data,
  so they are estimated out of fold and, in addition, by models without the set.
- Whole pages, the awkward list and edited texts: by the published bundle.

The *model without readings* learns from human labels only, by the same code; its difficulty is its
level. A text without an estimate counts as difficulty 50 and P .5. Intervals resample groups. With
one thread, reading the texts takes three minutes and training forty; ``--cache`` stores both, and
the models are trained again if the training code changes.

*Version 0.2* has the estimates of its last commit for the same texts:

    python -m scripts.evaluate.must_hold --write-texts texts.jsonl
    git worktree add ../version-0.2 5a712c5 && cd ../version-0.2
    PYTHONPATH=src python -m understandability score texts.jsonl -o scores.csv
    python -m scripts.evaluate.must_hold --version-0-2 scores.csv  # writes version_0_2.csv.gz
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scripts.evaluate.intervals import auc, harder, measured, short
from scripts.evaluate.judged_texts import (
    AWKWARD,
    EDITS,
    PAGES,
    PAIRS,
    judged_texts,
)
from scripts.shared import ROOT, fill, markdown, parser_of, records, stamp
from scripts.train.page_fit import (
    LEVELLED,
    RECIPES,
    DifficultyFit,
    Fitted,
    LevelFit,
    Recipe,
    folds_of_texts,
    kinds_left_out,
    unseen_by,
)
from scripts.train.page_texts import (
    FOLDS,
    OWN,
    READ_SENTENCES,
    READINGS,
    SETS,
    Mask,
    Table,
    Text,
    left_out_with,
    path_of,
    training_table,
)
from scripts.train.pages import model_of
from scripts.train.teacher import Teacher

from understandability.arrays import Floats
from understandability.errors import PageError
from understandability.evaluation.correlation import pearson
from understandability.feature.table import batches, features_of
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.passage_model import PassageModel
from understandability.model.readers import READERS
from understandability.scoring import Scorer
from understandability.text.document import Document
from understandability.training.validation import BASELINES

PAGE = ROOT / "results" / "number.md"
OLD = Path(__file__).parent / "version_0_2.csv.gz"
_OLD_COLUMNS = ("difficulty", "level", "p_understandable")
# Sets that version 0.2 learned from, with the figures of its own documentation: out of fold, and
# without the set.
_OLD_PRINTED = {"cefr_sp_wiki": (".816", ".556"), "onestop": (".744", ".594")}
# The formulas in the table.
FORMULAS = ("flesch_kincaid", "flesch_reading_ease", "dale_chall")
HEAD = ("wanted", *FORMULAS, "version 0.2", "without readings", "`open`")
# Sets with human labels -> the evaluated output, its target, and its target without the set.
_PEOPLE: Mapping[str, tuple[str, float, float | None]] = {
    "medreadme": ("level", 0.79, None),
    "medreadme_docs": ("level", 0.86, None),
    "readmepp_en": ("level", 0.81, None),
    "clear": ("difficulty", 0.74, None),
    "cochrane_pls": ("difficulty", 0.89, None),
    "cefr_sp_wiki": ("level", 0.81, 0.70),
    "onestop": ("level", 0.76, 0.65),
}
_MOST_BIAS, _LEAST_OF_KIND = 0.12, 15
_WITHIN = 1.96
_CODE = ("page_fit.py", "page_texts.py", "teacher.py", "networks.py", "word_difficulty.py")
Cached = TypeVar("Cached")


@dataclass(frozen=True)
class Estimates:
    """The estimates of a system; arrays have one entry per text, NaN without an estimate.

    `chance` is P(U|d). `flags` are separated by spaces.
    """

    difficulty: Floats
    level: Floats
    spread: Floats
    chance: Floats
    level_error: Floats
    flags: NDArray[np.str_]

    def chances(self) -> Floats:
        """P(U|d), or .5 without an estimate."""
        return np.where(np.isfinite(self.chance), self.chance, 0.5)


@dataclass(frozen=True)
class Shipped(Estimates):
    """The estimates of the published bundle, and the values of `BASELINES`.

    `formulas` has the shape (texts, formulas); higher is harder.
    """

    formulas: Floats


@dataclass(frozen=True)
class Judged:
    """The evaluated texts with their labels (higher is harder); arrays have one entry per text."""

    keys: NDArray[np.str_]
    sets: NDArray[np.str_]
    kinds: NDArray[np.str_]
    labels: Floats
    understand: Floats
    groups: NDArray[np.str_]

    @classmethod
    def of(cls, texts: Sequence[Text], table: Table) -> Judged:
        """Collect the texts. Texts of the training table are in the merged groups of the table."""
        joined = dict(zip(_keys(table), table.groups.tolist(), strict=True))
        return cls(
            np.array([key_of(text) for text in texts]),
            np.array([text.set for text in texts]),
            np.array([text.kind for text in texts]),
            np.array([text.label for text in texts]),
            np.array([text.understand for text in texts]),
            np.array([str(joined.get(key_of(text), text.group)) for text in texts]),
        )

    def at(self, name: str) -> Mask:
        """Return a mask of the texts of a set."""
        return np.asarray(self.sets == name)

    def readings(self) -> Iterator[tuple[str, Mask]]:
        """Yield the parts of the readings with their masks: passages of two sorts, sentences."""
        awkward = np.char.startswith(self.kinds, OWN)
        yield "sources", self.at(READINGS) & ~awkward
        yield "awkward kinds", self.at(READINGS) & awkward
        yield "single sentences", self.at(READ_SENTENCES)


def key_of(text: Text) -> str:
    """Return a key that identifies a text among all sets."""
    return f"{text.set}/{text.id}"


def _keys(table: Table) -> list[str]:
    return [f"{name}/{text}" for name, text in zip(table.sets, table.ids, strict=True)]


# -- estimates -------------------------------------------------------------------------------------


def shipped(texts: Sequence[Text], bundle: Bundle) -> Shipped:
    """Estimate each text with the published bundle, as for users."""
    scorer, by_key, errors, formulas = Scorer(bundle=bundle), {}, {}, {}

    def documents() -> Iterator[Document]:
        for text in texts:
            try:
                yield text.document().replace(docno=key_of(text))
            except PageError as error:
                print(f"{key_of(text)}: {error}")

    for batch in batches(documents()):
        values = features_of(batch, BASELINES).values
        levels = bundle.model.read(batch).level_error
        for estimate, row, error in zip(scorer.estimates(batch), values, levels, strict=True):
            by_key[estimate.docno], formulas[estimate.docno] = estimate, row
            errors[estimate.docno] = error
    rows = [by_key.get(key_of(text)) for text in texts]

    def column(name: str) -> Floats:
        return np.array([getattr(row, name) if row else np.nan for row in rows])

    nothing = np.full(len(BASELINES), np.nan)
    return Shipped(
        column("difficulty"),
        column("level"),
        column("spread"),
        column("p_understandable"),
        np.array([errors.get(key_of(text), np.nan) for text in texts]),
        np.array([" ".join(row.flags) if row else "" for row in rows]),
        harder(np.array([formulas.get(key_of(text), nothing) for text in texts])),
    )


def keep_old(scores: Path) -> None:
    """Store the evaluated columns of version 0.2, rounded, without sets that it learned from."""
    with scores.open(encoding="utf-8", newline="") as lines:
        rows = [
            row
            for row in csv.DictReader(lines)
            if row["docno"].partition("/")[0] not in _OLD_PRINTED
        ]
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["text", *_OLD_COLUMNS, "flags"])
    for row in rows:
        values = [f"{float(row[name]):.3f}" if row[name] else "" for name in _OLD_COLUMNS]
        out.writerow([row["docno"], *values, row["flags"]])
    OLD.write_bytes(gzip.compress(text.getvalue().encode(), 9, mtime=0))
    print(f"{len(rows)} texts, {OLD.stat().st_size:,} bytes")


def version_0_2(keys: Sequence[str]) -> Estimates:
    """Read the estimates of version 0.2 for the texts."""
    with gzip.open(OLD, "rt", encoding="utf-8") as lines:
        rows = {row["text"]: row for row in csv.DictReader(lines)}

    def column(name: str) -> Floats:
        return np.array(
            [float(rows[key][name] or "nan") if key in rows else np.nan for key in keys]
        )

    difficulty, level, chance = map(column, _OLD_COLUMNS)
    flags = np.array([rows[key]["flags"] if key in rows else "" for key in keys])
    unknown = np.full(len(keys), np.nan)
    return Estimates(difficulty, level, unknown, chance, unknown, flags)


@dataclass(frozen=True)
class Learned:
    """Estimates for the training table, by models that did not learn from the estimated text.

    Attributes:
        difficulty: By `open`, in five folds; so are `spread`, `level`, `level_error` and `message`.
        without: The level by the model without readings.
        kinds: The difficulty by models that saw no text of the same kind.
        without_set: The level of CEFR-SP and OneStop by models trained without the set.
        without_both: The same by models trained without the set and without readings.
        of_pairs: The difficulty of the pairs, (pairs,), by a model that learned nothing from their
            kinds and studies.
    """

    difficulty: Floats
    spread: Floats
    level: Floats
    level_error: Floats
    message: Floats
    without: Floats
    kinds: Floats
    without_set: Floats
    without_both: Floats
    of_pairs: Floats

    @classmethod
    def of(
        cls, table: Table, recipe: Recipe, states: Path, ships: PassageModel, pairs: Table
    ) -> Learned:
        """Train all models, in about forty minutes. `ships` is the published model."""
        teacher = Teacher(table, states)
        own, usable = np.isin(table.sets, recipe.sets), unseen_by(table, recipe)
        fold = folds_of_texts(table)
        estimates, without = np.zeros((5, len(table))), np.zeros(len(table))
        for number in range(FOLDS):
            used = usable & (fold != number)
            fit = Fitted.of(table, recipe, used, teacher)
            errors = [ships.difficulty_error, ships.level_error]
            model = model_of(fit, recipe, errors, ships.hardenings)
            read = model.read_passages(fit.difficulty.passages)
            values = np.stack([read.raw, read.error, read.level, read.level_error, read.message])
            held_out = own & (fold == number)
            estimates[:, held_out] = values[:, held_out]
            estimates[:, ~own] += values[:, ~own] / FOLDS
            levels = _levels(table, recipe, used)
            without[held_out] = levels[held_out]
            without[~own] += levels[~own] / FOLDS
        without_set = np.full((2, len(table)), np.nan)
        for name in ("cefr_sp_wiki", "onestop"):
            held_out = table.sets == name
            fewer, used = _without_set(table, recipe, name)
            without_set[0, held_out] = Fitted.of(table, fewer, used, teacher).levels[held_out]
            without_set[1, held_out] = LevelFit(table, fewer, used).levels[held_out]
        hardening = ships.hardenings[0]
        by_kind = kinds_left_out(table, recipe, teacher).difficulties
        by_kind = hardening.of(by_kind, table.passages.equal_parts)
        of_pairs = _without_pairs(table, recipe, teacher, pairs)
        of_pairs = hardening.of(of_pairs, pairs.passages.equal_parts)
        return cls(*estimates, without, by_kind, *without_set, of_pairs)


def _without_pairs(table: Table, recipe: Recipe, teacher: Teacher, pairs: Table) -> Floats:
    """Estimate the difficulty of pairs, without training on their kinds and studies."""
    own = left_out_with(
        table.kinds, [text_kind for pair_kinds in PAIRS.values() for text_kind in pair_kinds]
    )
    used = unseen_by(table, recipe) & ~own & ~np.isin(table.groups, table.groups[own])
    fit = DifficultyFit(table, used, teacher.taught(used))
    passages = fit.read(pairs)
    return passages.means(fit.network(passages.columns.astype(np.float64))[:, 0])


def _levels(table: Table, recipe: Recipe, used: Mask) -> Floats:
    """Estimate levels by a model of human labels only, shifted like the levels of `open`."""
    levels = LevelFit(table, recipe, used).levels
    return levels + recipe.moved(table, levels)


def _without_set(table: Table, recipe: Recipe, name: str) -> tuple[Recipe, Mask]:
    """Return a recipe without one of its sets, and a mask of the texts that it may learn from."""
    labels = {set_: weight for set_, weight in recipe.labels.items() if set_ != name}
    with_function = {set_: weight for set_, weight in recipe.kinds.items() if set_ != name}
    # Without the only set for the level, the network learns the other set instead.
    labels, with_function = (labels, with_function) if labels else (with_function, labels)
    fewer = replace(recipe, labels=labels, kinds=with_function)
    copies = np.isin(table.groups, table.groups[table.sets == name])
    return fewer, unseen_by(table, fewer) & ~copies


# -- caches ----------------------------------------------------------------------------------------


def _cached(type_: type[Cached], path: Path | None, make: Callable[[], Cached]) -> Cached:
    """Load a dataclass of arrays from a file; compute it and save it if the file is missing."""
    if path and path.exists():
        with np.load(path, allow_pickle=False) as arrays:
            return type_(**arrays)
    computed = make()
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **vars(computed))
    return computed


# -- figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Systems:
    """The compared systems, with one score or estimate per text of `judged`."""

    judged: Judged
    formulas: Mapping[str, Floats]
    old: Estimates
    without: Floats
    ours: Estimates
    kinds: Floats
    without_set: Floats
    without_both: Floats

    def row(
        self,
        label: str,
        target: str,
        mask: Mask,
        output: str = "difficulty",
        *,
        ours: Floats | None = None,
        without: Floats | None = None,
        old: str = "",
    ) -> list[str]:
        """Return a row: the correlation, or ROC AUC, of each system with the labels of a mask.

        `ours`, `without` and `old` replace the values of these systems; `old` is a cell of the
        documentation of version 0.2.
        """
        judged = self.judged
        name = str(judged.sets[mask][0])
        by_origin = name in PAIRS or (name in SETS and SETS[name].by_origin)
        measure = auc if by_origin else pearson
        fill_in = name in (READINGS, PAGES, READ_SENTENCES)

        def cell(values: Floats, filling: float = 50.0) -> str:
            values = np.where(np.isfinite(values), values, filling) if fill_in else values
            if not np.isfinite(values[mask]).any():
                return ""
            return str(measured(measure, values[mask], judged.labels[mask], judged.groups[mask]))

        plain = self.without if without is None else without
        own = getattr(self.ours, output) if ours is None else ours
        cells = [
            *(cell(self.formulas[formula]) for formula in FORMULAS),
            old or cell(getattr(self.old, output)),
            cell(plain, float(np.nanmean(plain[mask]))),
            cell(own),
        ]
        return [f"{label} ({int(mask.sum()):,})", target, *cells]


def orders(systems: Systems) -> str:
    """Return the table of correlations and areas under ROC curves."""
    judged, rows = systems.judged, []
    for (name, mask), target in zip(judged.readings(), ("≥ .93", "≥ .89", ""), strict=True):
        rows.append(systems.row(f"readings, {name}, groups left out", target, mask))
    # The last part, single sentences, has no evaluation by kinds.
    for (name, mask), target in zip(judged.readings(), ("≥ .89", "≥ .85"), strict=False):
        row = systems.row(f"readings, {name}, kinds left out", target, mask, ours=systems.kinds)
        rows.append(row)
    web = np.char.startswith(judged.kinds, "web")
    pages = judged.at(PAGES)
    rows.append(systems.row("whole pages, health", "≥ .94", pages & ~web))
    rows.append(systems.row("whole pages, modern web", "≥ .82", pages & web))
    for name, (output, least, left_out) in _PEOPLE.items():
        own = "" if left_out is None else ", out of fold"
        mask, (old, old_left_out) = judged.at(name), _OLD_PRINTED.get(name, ("", ""))
        target = f"≥ {short(least, 2)}"
        rows.append(systems.row(f"{name}, {output}{own}", target, mask, output, old=old))
        if left_out is not None:
            rows.append(
                systems.row(
                    f"{name}, level, left out whole",
                    f"≥ {short(left_out, 2)}",
                    mask,
                    ours=systems.without_set,
                    without=systems.without_both,
                    old=old_left_out,
                )
            )
    for name, (technical, plain) in PAIRS.items():
        label = f"{technical} over {plain}, ROC AUC".replace("_", " ")
        rows.append(systems.row(label, "> Flesch Reading Ease", judged.at(name)))
    return markdown(["texts", *HEAD], rows)


def ceilings(data: Path) -> str:
    """Return the table of the readings' own agreement: with each other, and on pairs."""
    read = list(records(path_of(data, READINGS)))
    categories = np.array([row["kind"] for row in read])
    groups = np.array([str(row["group"]) for row in read])
    one, two = np.array([[reading[0] for reading in row["readings"]] for row in read], float).T
    awkward, rows = np.char.startswith(categories, OWN), []
    for name, mask in (("sources", ~awkward), ("awkward kinds", awkward)):
        result = measured(pearson, one[mask], two[mask], groups[mask])
        label = f"one reading with the other, {name} ({result.n:,})"
        rows.append([label, "Pearson", str(result)])
    for technical, plain in PAIRS.values():
        mask = np.isin(categories, (technical, plain))
        is_technical = (categories[mask] == technical).astype(float)
        result = measured(auc, ((one + two) / 2)[mask], is_technical, groups[mask])
        label = f"passages, {technical} over {plain} ({result.n})".replace("_", " ")
        rows.append([label, "ROC AUC", str(result)])
    return markdown(["", "measure", "readings"], rows)


def _distance(chances: Floats, understand: Floats) -> float:
    return float(abs(chances - understand).mean())


def _biases(judged: Judged, mask: Mask, chance: Floats) -> dict[str, tuple[int, float]]:
    """Return the number of texts of each kind, and the mean of P(U|d) minus the share."""
    differences, categories = (chance - judged.understand)[mask], judged.kinds[mask]
    return {
        name: (int((categories == name).sum()), float(differences[categories == name].mean()))
        for name in np.unique(categories).tolist()
    }


def _named(biases: Mapping[str, tuple[int, float]], most: float) -> str:
    """List the kinds with a larger bias."""
    far = [(n, name, bias) for name, (n, bias) in biases.items() if abs(bias) > most]
    return "; ".join(f"{name} ({n}) {bias:+.2f}" for n, name, bias in sorted(far)) or "none"


def chances(systems: Systems) -> Iterator[tuple[str, str]]:
    """Yield parts of the document: P(U|d) compared with the share of adults by readings."""
    judged = systems.judged
    by_system = {"version 0.2": systems.old.chances(), "`open`": systems.ours.chances()}
    rows: list[list[str]] = []
    for (name, mask), target in zip(judged.readings(), ("≤ .08", "≤ .12", ""), strict=True):
        cells = [
            str(measured(_distance, values[mask], judged.understand[mask], judged.groups[mask]))
            for values in by_system.values()
        ]
        rows.append([f"mean distance of P from the share, {name}", target, *cells])
    read, pages = judged.at(READINGS), judged.at(PAGES)
    large, small = [], []
    for values in by_system.values():
        far = [n for n, bias in _biases(judged, read, values).values() if abs(bias) > _MOST_BIAS]
        large.append(str(sum(n >= _LEAST_OF_KIND for n in far)))
        small.append(str(sum(n < _LEAST_OF_KIND for n in far)))
    rows.append([f"kinds of {_LEAST_OF_KIND} texts or more off by over {_MOST_BIAS}", "0", *large])
    rows.append([f"smaller kinds off by over {_MOST_BIAS}", "≤ 5", *small])
    for name, target, ends in (
        ("median P where 98 or more understand", "≥ .95", read & (judged.understand >= 0.98)),
        ("median P where 5 or fewer understand", "≤ .10", read & (judged.understand <= 0.05)),
    ):
        cells = [short(float(np.median(values[ends])), 2) for values in by_system.values()]
        rows.append([name, target, *cells])
    off = [
        str(sum(abs(bias) > 0.08 for _, bias in _biases(judged, pages, values).values()))
        for values in by_system.values()
    ]
    count = len(_biases(judged, pages, systems.ours.chances()))
    rows.append([f"of {count} kinds of whole pages, those off by over .08", "0", *off])
    missing = [
        f"{np.mean(~np.isfinite(system.difficulty[read])):.1%}"
        for system in (systems.old, systems.ours)
    ]
    rows.append(["readings without an estimate", "≤ 3 %", *missing])
    awkward = judged.at(AWKWARD)
    for within, least in ((0.15, 28), (0.25, 36)):
        cells = [
            str(int((abs(values - judged.understand)[awkward] <= within).sum()))
            for values in by_system.values()
        ]
        rows.append([f"awkward list, within {short(within, 2)}", f"≥ {least} of 40", *cells])
    for edit in EDITS:
        for are_pages, label in ((False, "passages"), (True, "pages")):
            cells = [
                str(_held(judged, system, edit, pages=are_pages))
                for system in (systems.old, systems.ours)
            ]
            target = "" if edit == "easy words" else "≥ 36 of 40"
            rows.append([f"not fooled by {edit}, hard {label}", target, *cells])
    yield "chances", markdown(["", "wanted", *by_system], rows)
    ours = systems.ours.chances()
    yield (
        "kinds",
        (
            f"Of `open`, kinds of readings off by more than {_MOST_BIAS} (P less the share): "
            f"{_named(_biases(judged, read, ours), _MOST_BIAS)}.\n\n"
            "Kinds of whole pages off by more than .08: "
            f"{_named(_biases(judged, pages, ours), 0.08)}."
        ),
    )


def _held(judged: Judged, estimates: Estimates, edit: str, *, pages: bool) -> int:
    """Count the edited texts whose P(U|d) rises by at most .05, or that get a new flag."""
    before, after = (
        {key.partition("/")[2]: row for row, key in enumerate(judged.keys) if key.startswith(name)}
        for name in ("edit_unedited/", f"edit_{edit}/")
    )
    chance, held = estimates.chances(), 0
    of_pages = {key.partition("/")[2] for key in judged.keys[judged.at(PAGES)].tolist()}
    for name, row in after.items():
        if (name in of_pages) == pages:
            first = before[name]
            new = set(estimates.flags[row].split()) - set(estimates.flags[first].split())
            held += bool(chance[row] - chance[first] <= 0.05 or new)
    return held


def certainty(systems: Systems) -> str:
    """Return the table of the share of labels within the estimated errors, and of biases."""
    judged, ours, rows = systems.judged, systems.ours, []
    for name, mask in [("all passages", judged.at(READINGS)), *judged.readings()]:
        errors = (ours.difficulty - judged.labels)[mask]
        estimated = np.isfinite(errors)
        inside = float(np.mean(abs(errors)[estimated] <= ours.spread[mask][estimated]))
        target = "" if name == "single sentences" else "66 to 70 %"
        row = [f"readings, {name}: within one spread", target, f"{inside:.1%}"]
        rows.append([*row, f"{np.nanmean(errors):+.1f}", ""])
    for name in LEVELLED:
        mask = judged.at(name) & np.isfinite(ours.level)
        errors = (ours.level - judged.labels)[mask]
        inside = float(np.mean(abs(errors) <= _WITHIN * ours.level_error[mask]))
        old = (systems.old.level - judged.labels)[mask]
        old_bias = f"{np.nanmean(old):+.2f}" if np.isfinite(old).any() else ""
        row = [f"{name}, level: within {_WITHIN} errors", "93 to 97 %", f"{inside:.1%}"]
        rows.append([*row, f"{errors.mean():+.2f}", old_bias])
    return markdown(["", "wanted", "inside", "bias", "bias of version 0.2"], rows)


def compared(arguments: argparse.Namespace) -> tuple[Systems, Bundle]:
    """Estimate all texts with all systems; returns these, and the published bundle."""
    bundle = load_bundle(ROOT / "resources" / "bundles" / "open")
    assert isinstance(bundle.model, PassageModel)
    ships, cache = bundle.model, arguments.cache
    table = training_table(arguments.data, cache)
    texts = list(judged_texts(arguments.data))
    judged = Judged.of(texts, table)

    def path(name: str) -> Path | None:
        return cache / f"{name}.npz" if cache else None

    code = b"".join((ROOT / "scripts" / "train" / name).read_bytes() for name in _CODE)
    version = bundle.checksum[:12]
    ours = _cached(Shipped, path(f"estimates_{version}"), lambda: shipped(texts, bundle))
    learned = _cached(
        Learned,
        path(f"learned_{zlib.crc32(code):08x}_{version}"),
        lambda: Learned.of(
            table,
            RECIPES["open"],
            arguments.states,
            ships,
            Table.of(text for text in texts if text.set in PAIRS),
        ),
    )
    other_difficulty = ours.difficulty.copy()
    other_difficulty[np.isin(judged.sets, list(PAIRS))] = learned.of_pairs
    row_of = {key: row for row, key in enumerate(_keys(table))}
    rows = np.array([row_of.get(key, -1) for key in judged.keys.tolist()])

    def from_table(values: Floats, others: Floats) -> Floats:
        """Select `values` for texts of the training table, and `others` for all other texts."""
        return np.where(rows >= 0, values[rows], others)

    # As for users, there is no estimate for texts in another language.
    silent = ~np.isfinite(ours.difficulty)
    difficulty, spread, level, level_error = (
        np.where(silent, np.nan, from_table(values, others))
        for values, others in (
            (learned.difficulty, other_difficulty),
            (learned.spread, ours.spread),
            (learned.level, ours.level),
            (learned.level_error, ours.level_error),
        )
    )
    read = READERS["public"].understands(learned.message, learned.spread)
    chance = np.where(silent, np.nan, from_table(read, ours.chance))
    unseen = Estimates(difficulty, level, spread, chance, level_error, ours.flags)
    without = np.where(
        silent, np.nan, from_table(learned.without, _plain(texts, rows, table, ships))
    )
    by_kind, without_set, without_both = (
        np.where(silent, np.nan, from_table(values, np.full(len(rows), np.nan)))
        for values in (learned.kinds, learned.without_set, learned.without_both)
    )
    by_name = dict(zip(BASELINES, ours.formulas.T, strict=True))
    old = version_0_2(judged.keys.tolist())
    left_out = by_kind, without_set, without_both
    return Systems(judged, by_name, old, without, unseen, *left_out), bundle


def _plain(
    texts: Sequence[Text], rows: NDArray[np.int64], table: Table, ships: PassageModel
) -> Floats:
    """Estimate texts outside the training table by the model without readings; else NaN."""
    others = [text for text, row in zip(texts, rows, strict=True) if row < 0]
    recipe = RECIPES["open"]
    fit = LevelFit(table, recipe, np.isin(table.sets, recipe.sets))
    plain = replace(ships, kernel=fit.kernel, level=fit.network, difficulty_in_level=0.0)
    passages = Table.of(others).passages
    columns = passages.columns.astype(np.float64)
    levels = passages.means(plain.levels(columns, np.zeros(len(columns)))[:, 0])
    result = np.full(len(texts), np.nan)
    result[rows < 0] = levels
    return result


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--cache", type=Path, help="keep texts and models in this folder")
    parser.add_argument("--states", type=Path, help="the output of scripts.train.teacher")
    parser.add_argument("--ceilings", action="store_true", help="update only the readings' own row")
    parser.add_argument("--write-texts", type=Path, help="only write the texts to this file")
    parser.add_argument("--version-0-2", type=Path, help="only store these scores of version 0.2")
    arguments = parser.parse_args()
    if arguments.ceilings:
        fill(PAGE, {"ceilings": ceilings(arguments.data)})
        return
    if arguments.write_texts:
        with arguments.write_texts.open("w", encoding="utf-8") as out:
            for text in judged_texts(arguments.data):
                out.write(json.dumps({"docno": key_of(text), "text": text.content}) + "\n")
        return
    if arguments.version_0_2:
        keep_old(arguments.version_0_2)
        return
    systems, bundle = compared(arguments)
    fill(
        PAGE,
        {
            "bundles": stamp(bundle.checksum),
            "orders": orders(systems),
            **dict(chances(systems)),
            "certainty": certainty(systems),
            "ceilings": ceilings(arguments.data),
        },
    )


if __name__ == "__main__":
    main()
