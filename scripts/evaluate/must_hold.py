"""Every figure that the number has to reach, beside formulas and two other models.

Fills in ``results/number.md``.

    python -m scripts.train.teacher WHEEL states.npz
    python -m scripts.evaluate.must_hold --states states.npz --cache FOLDER

Readings are judged by models that saw nothing of a text's group (five folds) or of its kind (ten);
pairs by one that saw nothing of their kinds and studies; sets of people by models that saw nothing
of them (CEFR-SP and OneStop out of fold, and left out whole). Whole pages, the awkward list and
edited texts are judged by the bundle that ships. The *model without readings* learns by the same
code from people's labels alone; its difficulty is its level. A text without an estimate counts as
difficulty 50 and P .5; intervals resample groups. With one thread the texts take three minutes, the
models forty; ``--cache`` keeps both, the models as long as the code that learns them is the same.
*Version 0.2* is what its last commit says of the same texts:

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
# It learned from these. What its own pages print: out of fold, and left out whole.
_OLD_PRINTED = {"cefr_sp_wiki": (".816", ".556"), "onestop": (".744", ".594")}
# The formulas that stand in the table.
FORMULAS = ("flesch_kincaid", "flesch_reading_ease", "dale_chall")
HEAD = ("wanted", *FORMULAS, "version 0.2", "without readings", "`open`")
# Of each set of people, which number is judged, what it has to reach, and left out whole.
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
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Estimates:
    """What a system says of texts; all are (texts,), NaN where it says nothing.

    `flags` are words between blanks, '' for none.
    """

    difficulty: Floats
    level: Floats
    spread: Floats
    chance: Floats
    level_error: Floats
    flags: NDArray[np.str_]

    def chances(self) -> Floats:
        """P(U|d), .5 where there is none."""
        return np.where(np.isfinite(self.chance), self.chance, 0.5)


@dataclass(frozen=True)
class Shipped(Estimates):
    """What the bundle says, and the formulas, (texts, `BASELINES`), higher for harder."""

    formulas: Floats


@dataclass(frozen=True)
class Judged:
    """The texts, with labels turned so that higher is harder; all are (texts,)."""

    keys: NDArray[np.str_]
    sets: NDArray[np.str_]
    kinds: NDArray[np.str_]
    labels: Floats
    understand: Floats
    groups: NDArray[np.str_]

    @classmethod
    def of(cls, texts: Sequence[Text], table: Table) -> Judged:
        """Texts of the training table are in its groups, which near-duplicates join."""
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
        """The texts of a set."""
        return np.asarray(self.sets == name)

    def readings(self) -> Iterator[tuple[str, Mask]]:
        """The parts of the readings: passages of two sorts, then single sentences."""
        awkward = np.char.startswith(self.kinds, OWN)
        yield "sources", self.at(READINGS) & ~awkward
        yield "awkward kinds", self.at(READINGS) & awkward
        yield "single sentences", self.at(READ_SENTENCES)


def key_of(text: Text) -> str:
    """The name of a text, over all sets."""
    return f"{text.set}/{text.id}"


def _keys(table: Table) -> list[str]:
    return [f"{name}/{text}" for name, text in zip(table.sets, table.ids, strict=True)]


# -- what systems say ------------------------------------------------------------------------------


def shipped(texts: Sequence[Text], bundle: Bundle) -> Shipped:
    """What the bundle says of each text, as users get it."""
    scorer, found, errors, formulas = Scorer(bundle=bundle), {}, {}, {}

    def documents() -> Iterator[Document]:
        for text in texts:
            try:
                yield replace(text.document(), docno=key_of(text))
            except PageError as error:
                print(f"{key_of(text)}: {error}")

    for batch in batches(documents()):
        values = features_of(batch, BASELINES).values
        levels = bundle.model.read(batch).level_error
        for estimate, row, error in zip(scorer.estimates(batch), values, levels, strict=True):
            found[estimate.docno], formulas[estimate.docno] = estimate, row
            errors[estimate.docno] = error
    rows = [found.get(key_of(text)) for text in texts]

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
    """Keep of the rows of version 0.2 what is judged, rounded; not of sets that it learned from."""
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
    """What version 0.2 says of the texts."""
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
    """What models say of the texts of the training table that saw nothing of them.

    `difficulty` to `message` are those of `open` in five folds; `without` are levels of the model
    without readings; `kinds` is the difficulty by models that saw no text of a kind;
    `without_set` the level of each of CEFR-SP and OneStop by models that were learned without that
    set, and `without_both` by those that were learned without readings, too. `of_pairs` is the
    difficulty of the pairs, (pairs,), by a model that saw nothing of their kinds nor of their
    studies.
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
        cls, table: Table, recipe: Recipe, states: Path, ships: PassageModel, asked: Table
    ) -> Learned:
        """All fits, about forty minutes; `asked` are the pairs."""
        teacher = Teacher(table, states)
        own, usable = np.isin(table.sets, recipe.sets), unseen_by(table, recipe)
        fold = folds_of_texts(table)
        found, without = np.zeros((5, len(table))), np.zeros(len(table))
        for number in range(FOLDS):
            used = usable & (fold != number)
            fit = Fitted.of(table, recipe, used, teacher)
            errors = [ships.difficulty_error, ships.level_error]
            said = model_of(fit, recipe, errors, ships.hardenings).read_passages(
                fit.difficulty.passages
            )
            values = np.stack([said.raw, said.error, said.level, said.level_error, said.message])
            here = own & (fold == number)
            found[:, here] = values[:, here]
            found[:, ~own] += values[:, ~own] / FOLDS
            levels = _levels(table, recipe, used)
            without[here] = levels[here]
            without[~own] += levels[~own] / FOLDS
        left_out = np.full((2, len(table)), np.nan)
        for name in ("cefr_sp_wiki", "onestop"):
            here = table.sets == name
            fewer, used = _without_set(table, recipe, name)
            left_out[0, here] = Fitted.of(table, fewer, used, teacher).levels[here]
            left_out[1, here] = LevelFit(table, fewer, used).levels[here]
        whole = ships.hardenings[0]
        without_kinds = kinds_left_out(table, recipe, teacher).difficulties
        kinds = whole.of(without_kinds, table.passages.equal_parts)
        of_pairs = _without_pairs(table, recipe, teacher, asked)
        of_pairs = whole.of(of_pairs, asked.passages.equal_parts)
        return cls(*found, without, kinds, *left_out, of_pairs)


def _without_pairs(table: Table, recipe: Recipe, teacher: Teacher, asked: Table) -> Floats:
    """The difficulty of pairs, by a model that learned from none of their kinds and studies."""
    own = left_out_with(table.kinds, [kind for kinds in PAIRS.values() for kind in kinds])
    used = unseen_by(table, recipe) & ~own & ~np.isin(table.groups, table.groups[own])
    fit = DifficultyFit(table, used, teacher.taught(used))
    found = fit.read(asked)
    return found.means(fit.network(found.columns.astype(np.float64))[:, 0])


def _levels(table: Table, recipe: Recipe, used: Mask) -> Floats:
    """Levels by people's labels alone, moved as those of `open` are."""
    levels = LevelFit(table, recipe, used).levels
    return levels + recipe.moved(table, levels)


def _without_set(table: Table, recipe: Recipe, name: str) -> tuple[Recipe, Mask]:
    """A recipe without a set that `open` learns from, and the texts that it may learn from."""
    labels = {each: weight for each, weight in recipe.labels.items() if each != name}
    kinds = {each: weight for each, weight in recipe.kinds.items() if each != name}
    # Where the one set of levels is left out, the other stands for it.
    labels, kinds = (labels, kinds) if labels else (kinds, labels)
    fewer = replace(recipe, labels=labels, kinds=kinds)
    copies = np.isin(table.groups, table.groups[table.sets == name])
    return fewer, unseen_by(table, fewer) & ~copies


# -- caches ----------------------------------------------------------------------------------------


def _kept(kind: type[Kept], path: Path | None, make: Callable[[], Kept]) -> Kept:
    """Arrays that were made before, or are made and kept."""
    if path and path.exists():
        with np.load(path, allow_pickle=False) as arrays:
            return kind(**arrays)
    made = make()
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **vars(made))
    return made


# -- figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Systems:
    """What is compared: of each, a number that orders texts, by the number that is judged."""

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
        wanted: str,
        where: Mask,
        of: str = "difficulty",
        *,
        ours: Floats | None = None,
        without: Floats | None = None,
        old: str = "",
    ) -> list[str]:
        """Correlation (or ROC AUC) of each system with labels; `old` is what 0.2 printed itself."""
        judged = self.judged
        name = str(judged.sets[where][0])
        by_origin = name in PAIRS or (name in SETS and SETS[name].by_origin)
        measure = auc if by_origin else pearson
        fill_in = name in (READINGS, PAGES, READ_SENTENCES)

        def cell(values: Floats, filling: float = 50.0) -> str:
            values = np.where(np.isfinite(values), values, filling) if fill_in else values
            if not np.isfinite(values[where]).any():
                return ""
            return str(measured(measure, values[where], judged.labels[where], judged.groups[where]))

        plain = self.without if without is None else without
        own = getattr(self.ours, of) if ours is None else ours
        cells = [
            *(cell(self.formulas[each]) for each in FORMULAS),
            old or cell(getattr(self.old, of)),
            cell(plain, float(np.nanmean(plain[where]))),
            cell(own),
        ]
        return [f"{label} ({int(where.sum()):,})", wanted, *cells]


def orders(systems: Systems) -> str:
    """Correlations and areas under ROC curves."""
    judged, rows = systems.judged, []
    for (name, where), wanted in zip(judged.readings(), ("≥ .93", "≥ .89", ""), strict=True):
        rows.append(systems.row(f"readings, {name}, groups left out", wanted, where))
    # No kind was left out for single sentences, the last part.
    for (name, where), wanted in zip(judged.readings(), ("≥ .89", "≥ .85"), strict=False):
        row = systems.row(f"readings, {name}, kinds left out", wanted, where, ours=systems.kinds)
        rows.append(row)
    web = np.char.startswith(judged.kinds, "web")
    pages = judged.at(PAGES)
    rows.append(systems.row("whole pages, health", "≥ .94", pages & ~web))
    rows.append(systems.row("whole pages, modern web", "≥ .82", pages & web))
    for name, (of, least, left_out) in _PEOPLE.items():
        own = "" if left_out is None else ", out of fold"
        where, (old, old_left_out) = judged.at(name), _OLD_PRINTED.get(name, ("", ""))
        wanted = f"≥ {short(least, 2)}"
        rows.append(systems.row(f"{name}, {of}{own}", wanted, where, of, old=old))
        if left_out is not None:
            rows.append(
                systems.row(
                    f"{name}, level, left out whole",
                    f"≥ {short(left_out, 2)}",
                    where,
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
    """How well the readings do themselves: one beside the other, and on kinds of the pairs."""
    read = list(records(path_of(data, READINGS)))
    kinds = np.array([row["kind"] for row in read])
    groups = np.array([str(row["group"]) for row in read])
    one, two = np.array([[each[0] for each in row["readings"]] for row in read], float).T
    awkward, rows = np.char.startswith(kinds, OWN), []
    for name, where in (("sources", ~awkward), ("awkward kinds", awkward)):
        found = measured(pearson, one[where], two[where], groups[where])
        label = f"one reading with the other, {name} ({found.n:,})"
        rows.append([label, "Pearson", str(found)])
    for technical, plain in PAIRS.values():
        where = np.isin(kinds, (technical, plain))
        of_technical = (kinds[where] == technical).astype(float)
        found = measured(auc, ((one + two) / 2)[where], of_technical, groups[where])
        label = f"passages, {technical} over {plain} ({found.n})".replace("_", " ")
        rows.append([label, "ROC AUC", str(found)])
    return markdown(["", "measure", "readings"], rows)


def _distance(chances: Floats, understand: Floats) -> float:
    return float(abs(chances - understand).mean())


def _biases(judged: Judged, where: Mask, chance: Floats) -> dict[str, tuple[int, float]]:
    away, kinds = (chance - judged.understand)[where], judged.kinds[where]
    return {
        kind: (int((kinds == kind).sum()), float(away[kinds == kind].mean()))
        for kind in np.unique(kinds).tolist()
    }


def _named(biases: Mapping[str, tuple[int, float]], most: float) -> str:
    far = [(n, kind, bias) for kind, (n, bias) in biases.items() if abs(bias) > most]
    return "; ".join(f"{kind} ({n}) {bias:+.2f}" for n, kind, bias in sorted(far)) or "none"


def chances(systems: Systems) -> Iterator[tuple[str, str]]:
    """How near P(U|d) comes to the share that readings give."""
    judged = systems.judged
    of = {"version 0.2": systems.old.chances(), "`open`": systems.ours.chances()}
    rows: list[list[str]] = []
    for (name, where), wanted in zip(judged.readings(), ("≤ .08", "≤ .12", ""), strict=True):
        cells = [
            str(measured(_distance, values[where], judged.understand[where], judged.groups[where]))
            for values in of.values()
        ]
        rows.append([f"mean distance of P from the share, {name}", wanted, *cells])
    read, pages = judged.at(READINGS), judged.at(PAGES)
    large, small = [], []
    for values in of.values():
        far = [n for n, bias in _biases(judged, read, values).values() if abs(bias) > _MOST_BIAS]
        large.append(str(sum(n >= _LEAST_OF_KIND for n in far)))
        small.append(str(sum(n < _LEAST_OF_KIND for n in far)))
    rows.append([f"kinds of {_LEAST_OF_KIND} texts or more off by over {_MOST_BIAS}", "0", *large])
    rows.append([f"smaller kinds off by over {_MOST_BIAS}", "≤ 5", *small])
    for name, wanted, ends in (
        ("median P where 98 or more understand", "≥ .95", read & (judged.understand >= 0.98)),
        ("median P where 5 or fewer understand", "≤ .10", read & (judged.understand <= 0.05)),
    ):
        cells = [short(float(np.median(values[ends])), 2) for values in of.values()]
        rows.append([name, wanted, *cells])
    off = [
        str(sum(abs(bias) > 0.08 for _, bias in _biases(judged, pages, values).values()))
        for values in of.values()
    ]
    count = len(_biases(judged, pages, systems.ours.chances()))
    rows.append([f"of {count} kinds of whole pages, those off by over .08", "0", *off])
    missing = [
        f"{np.mean(~np.isfinite(each.difficulty[read])):.1%}"
        for each in (systems.old, systems.ours)
    ]
    rows.append(["readings without an estimate", "≤ 3 %", *missing])
    where = judged.at(AWKWARD)
    for within, least in ((0.15, 28), (0.25, 36)):
        cells = [
            str(int((abs(values - judged.understand)[where] <= within).sum()))
            for values in of.values()
        ]
        rows.append([f"awkward list, within {short(within, 2)}", f"≥ {least} of 40", *cells])
    for edit in EDITS:
        for pages_too, label in ((False, "passages"), (True, "pages")):
            cells = [
                str(_held(judged, each, edit, pages=pages_too))
                for each in (systems.old, systems.ours)
            ]
            wanted = "" if edit == "easy words" else "≥ 36 of 40"
            rows.append([f"not fooled by {edit}, hard {label}", wanted, *cells])
    yield "chances", markdown(["", "wanted", *of], rows)
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


def _held(judged: Judged, said: Estimates, edit: str, *, pages: bool) -> int:
    """How many edited texts rise by .05 at most, or have a flag that they had not."""
    before, after = (
        {key.partition("/")[2]: row for row, key in enumerate(judged.keys) if key.startswith(name)}
        for name in ("edit_unedited/", f"edit_{edit}/")
    )
    chance, held = said.chances(), 0
    of_pages = {key.partition("/")[2] for key in judged.keys[judged.at(PAGES)].tolist()}
    for name, row in after.items():
        if (name in of_pages) == pages:
            first = before[name]
            new = set(said.flags[row].split()) - set(said.flags[first].split())
            held += bool(chance[row] - chance[first] <= 0.05 or new)
    return held


def certainty(systems: Systems) -> str:
    """How often labels lie within the stated errors, and how high levels are."""
    judged, ours, rows = systems.judged, systems.ours, []
    for name, where in [("all passages", judged.at(READINGS)), *judged.readings()]:
        away = abs(ours.difficulty - judged.labels)[where]
        known = np.isfinite(away)
        inside = float(np.mean(away[known] <= ours.spread[where][known]))
        wanted = "" if name == "single sentences" else "66 to 70 %"
        row = [f"readings, {name}: within one spread", wanted, f"{inside:.1%}"]
        rows.append([*row, f"{np.nanmean((ours.difficulty - judged.labels)[where]):+.1f}", ""])
    for name in LEVELLED:
        where = judged.at(name) & np.isfinite(ours.level)
        away = (ours.level - judged.labels)[where]
        inside = float(np.mean(abs(away) <= _WITHIN * ours.level_error[where]))
        old = (systems.old.level - judged.labels)[where]
        known = f"{np.nanmean(old):+.2f}" if np.isfinite(old).any() else ""
        row = [f"{name}, level: within {_WITHIN} errors", "93 to 97 %", f"{inside:.1%}"]
        rows.append([*row, f"{away.mean():+.2f}", known])
    return markdown(["", "wanted", "inside", "bias", "bias of version 0.2"], rows)


def compared(arguments: argparse.Namespace) -> tuple[Systems, Bundle]:
    """All that systems say of all texts."""
    bundle = load_bundle(ROOT / "resources" / "bundles" / "open")
    assert isinstance(bundle.model, PassageModel)
    ships, cache = bundle.model, arguments.cache
    table = training_table(arguments.data, cache)
    texts = list(judged_texts(arguments.data))
    judged = Judged.of(texts, table)

    def path(name: str) -> Path | None:
        return cache / f"{name}.npz" if cache else None

    code = b"".join((ROOT / "scripts" / "train" / name).read_bytes() for name in _CODE)
    stamp = bundle.checksum[:12]
    ours = _kept(Shipped, path(f"estimates_{stamp}"), lambda: shipped(texts, bundle))
    learned = _kept(
        Learned,
        path(f"learned_{zlib.crc32(code):08x}_{stamp}"),
        lambda: Learned.of(
            table,
            RECIPES["open"],
            arguments.states,
            ships,
            Table.of(text for text in texts if text.set in PAIRS),
        ),
    )
    ships_not = ours.difficulty.copy()
    ships_not[np.isin(judged.sets, list(PAIRS))] = learned.of_pairs
    place = {key: row for row, key in enumerate(_keys(table))}
    rows = np.array([place.get(key, -1) for key in judged.keys.tolist()])

    def from_table(values: Floats, others: Floats) -> Floats:
        """Those of models that saw nothing of a text; those that ship for texts of no set."""
        return np.where(rows >= 0, values[rows], others)

    # As users get it: no estimate where the language is another.
    silent = ~np.isfinite(ours.difficulty)
    difficulty, spread, level, level_error = (
        np.where(silent, np.nan, from_table(values, others))
        for values, others in (
            (learned.difficulty, ships_not),
            (learned.spread, ours.spread),
            (learned.level, ours.level),
            (learned.level_error, ours.level_error),
        )
    )
    read = READERS["public"].understands(learned.message, learned.spread)
    chance = np.where(silent, np.nan, from_table(read, ours.chance))
    seen_nothing = Estimates(difficulty, level, spread, chance, level_error, ours.flags)
    without = np.where(
        silent, np.nan, from_table(learned.without, _plain(texts, rows, table, ships))
    )
    kinds, without_set, without_both = (
        np.where(silent, np.nan, from_table(values, np.full(len(rows), np.nan)))
        for values in (learned.kinds, learned.without_set, learned.without_both)
    )
    by_name = dict(zip(BASELINES, ours.formulas.T, strict=True))
    old = version_0_2(judged.keys.tolist())
    left_out = kinds, without_set, without_both
    return Systems(judged, by_name, old, without, seen_nothing, *left_out), bundle


def _plain(
    texts: Sequence[Text], rows: NDArray[np.int64], table: Table, ships: PassageModel
) -> Floats:
    """What the model without readings, learned from all it has, says of texts of no set."""
    others = [text for text, row in zip(texts, rows, strict=True) if row < 0]
    recipe = RECIPES["open"]
    fit = LevelFit(table, recipe, np.isin(table.sets, recipe.sets))
    plain = replace(ships, kernel=fit.kernel, level=fit.network, difficulty_in_level=0.0)
    found = Table.of(others).passages
    columns = found.columns.astype(np.float64)
    levels = found.means(plain.levels(columns, np.zeros(len(columns)))[:, 0])
    said = np.full(len(texts), np.nan)
    said[rows < 0] = levels
    return said


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--cache", type=Path, help="keep texts and models in this folder")
    parser.add_argument("--states", type=Path, help="what scripts.train.teacher made")
    parser.add_argument("--ceilings", action="store_true", help="of readings, and nothing more")
    parser.add_argument("--write-texts", type=Path, help="write the texts, and nothing more")
    parser.add_argument("--version-0-2", type=Path, help="keep these scores, and nothing more")
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
