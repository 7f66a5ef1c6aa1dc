"""Fit a reader (a threshold and a noise scale) to answers of the form "understood" or "not
understood".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.crawls.rows import Rows
from understandability.errors import InputError, OptionError, check_range
from understandability.inputs.frames import read_records
from understandability.inputs.page_tables import ID_COLUMNS
from understandability.inputs.tables import settings_of
from understandability.inputs.writing import write_text
from understandability.model.calibration import EASIEST, HARDEST
from understandability.model.readers import Reader, probability
from understandability.training.agreement import (
    MARKS,
    StudyAgreement,
    agreement_of,
    score_answers,
)
from understandability.wording import counted

FEWEST_ANSWERS = 20
_FEWEST_TEXTS = 8  # of a study; with fewer, a remark says so
_THRESHOLDS = np.linspace(EASIEST, HARDEST, 201)
_NOISES = np.geomspace(1.0, HARDEST, 47)  # each 10 % above the last
_NO_SCALE = (
    "the scale of these difficulties is not stated, so every bundle accepts the reader: use it "
    "only with the bundle that estimated them, or calibrate with scores that `understand score` "
    "wrote (a .csv needs its .settings.json next to it)"
)
_HALF_CHI_SQUARE = 3.841 / 2  # one degree of freedom, 95 %


@dataclass(frozen=True, slots=True)
class FittedReader:
    """A reader fitted to answers, with 95 % intervals for its threshold and noise.

    `remarks` are sentences on the limits of the answers. `bundle` names the bundle that estimated
    the difficulties; it is empty if unknown. `agreement` compares the answers of `understand ask`
    with P(U|d); it is None for a table of answers. Any function that accepts a reader also accepts
    this object.
    """

    reader: Reader
    answers: int
    threshold_interval: tuple[float, float]
    noise_interval: tuple[float, float]
    remarks: tuple[str, ...] = ()
    bundle: str = ""
    agreement: StudyAgreement | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file for ``--reader FILE``."""
        return {
            **self.reader.to_json(),
            **({"bundle": self.bundle} if self.bundle else {}),
            "answers": self.answers,
            "threshold_interval": list(self.threshold_interval),
            "noise_interval": list(self.noise_interval),
            **({"agreement": self.agreement.to_json()} if self.agreement else {}),
        }

    def save(self, path: str | Path) -> None:
        """Write the reader as a JSON file, for ``reader=`` and ``--reader``."""
        if not str(path).endswith(".json"):
            raise OptionError(f"a reader is written as .json, not as {path}; name a FILE.json")
        write_text(str(path), json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")


class UnfittedError(InputError):
    """No reader could be fitted to the answers of a study; `agreement` still compares them."""

    def __init__(self, message: str, agreement: StudyAgreement) -> None:
        super().__init__(message)
        self.agreement = agreement


def calibrate(
    answers: Any,
    scores: Annotated[Any, Parameter(metavar="TABLE")] = None,
    *,
    texts: Annotated[str | None, Parameter("--texts", metavar="TEXTS")] = None,
    marks: Annotated[str | None, Parameter("--marks", metavar="TABLE")] = None,
    pass_share: float = 1.0,
    id: Annotated[str | None, Parameter("--id-column")] = None,  # noqa: A002 - its column
    understood: str = "understood",
    column: str = "difficulty",
    name: Annotated[str, Parameter(parse=False)] = "own",
) -> FittedReader:
    """Find the threshold and the noise of a reader, or a group, from about fifty answers.

    Fits P(U|d) to the answers (probit regression on difficulty), with 95 % intervals, and writes
    a reader for the option --reader. To give a bundle the scale of your labels, see
    `understand bundle rescale`.

    A folder of answers from `understand ask` is scored first: a participant understood a text if a
    person marked the main message so (--marks), or else if the answers to its questions are right.
    The answers are compared with P(U|d), text by text.

    Example: understand calibrate answers.csv --scores scores.parquet -o me.json

    Example: understand calibrate answers/ --texts texts.csv -o ours.json --plot plot.svg

    Args:
        answers: A table (CSV, TSV, JSON Lines, Parquet) with a document and a yes or no in each
            row, or a folder of answers.
        scores: Scores of the documents, from `understand score`. Default: a column of the answers;
            the texts of a study are scored.
        texts: For a folder: the texts and questions that `understand ask` made the page from.
        marks: For a folder: a table of the answers in own words, with a column understood to fill
            with 1 or 0. If it does not exist, it is written; new answers are added.
        pass_share: For a folder: the share of a text's questions that must be right.
        id: Column with the name of each document. Default: the first of id, docno, document_id,
            doc_id, warc_record_id, url.
        understood: Column of yes or no.
        column: Column with the difficulty.

    In Python:
        `answers` are a path, a frame or a dictionary of lists. `scores` may also be the result of
        `score`.

        Raises the errors of `fit_reader`, and `InputError` if a column is missing or an answer is
        neither yes nor no. For a folder, the errors of `fit_reader` are an `UnfittedError` with
        the agreement.

    >>> difficulties = list(range(10, 70))
    >>> answers = {"difficulty": difficulties, "understood": [d + d % 7 < 45 for d in difficulties]}
    >>> round(calibrate(answers).reader.threshold)
    42
    """
    if isinstance(answers, str | Path) and Path(answers).is_dir():
        return _calibrate_study(str(answers), scores, texts, marks, pass_share, column, name)
    for option, value in (("--texts", texts), ("--marks", marks)):
        if value is not None:
            raise OptionError(
                f"{option} belongs to a folder of answers from `understand ask`, and {answers} is "
                "no folder"
            )
    difficulties: dict[str, float] | None = None
    scale = bundle = ""
    records = read_records(answers)
    remarks: list[str] = []
    if scores is not None:
        rows, scale, bundle = _read_scores(scores, column)
        difficulties = {docno: row[column] for docno, row in rows.items()}
    else:
        scale = _scale_in(records)
    where = str(answers) if isinstance(answers, str | Path) else "the table of answers"
    values, understands, without = read_answers(
        records, where, difficulties, id=id, understood=understood, column=column
    )
    fitted = fit_reader(values, understands, name, scale=scale)
    if not scale:
        remarks.append(_NO_SCALE)
    if without:
        some = ", ".join(without[:3])
        remarks.append(f"{len(without)} answers have no difficulty and are ignored ({some})")
    return replace(fitted, remarks=(*remarks, *fitted.remarks), bundle=bundle)


def _calibrate_study(
    folder: str,
    scores: Any,
    texts: str | None,
    marks: str | None,
    pass_share: float,
    column: str,
    name: str,
) -> FittedReader:
    """Fit a reader to a folder of answers from `understand ask`."""
    if texts is None:
        raise OptionError(
            "a folder of answers needs the texts and the right answers to their questions: "
            "--texts TEXTS.csv, the table that `understand ask` made the page from"
        )
    check_range(0, 1, pass_share=pass_share)
    estimates: dict[str, Any] | None = None
    scale = bundle = ""
    if scores is not None:
        rows, scale, bundle = _read_scores(scores, column)
        estimates = {docno: {**row, "difficulty": row[column]} for docno, row in rows.items()}
    scored = score_answers(
        folder,
        texts,
        marks=marks,
        pass_share=pass_share,
        estimates=estimates,
        scale=scale,
        bundle=bundle,
    )
    agreement = agreement_of(scored)
    difficulties, understood = scored.pairs
    try:
        fitted = fit_reader(difficulties, understood, name, scale=scored.scale)
    except InputError as error:
        raise UnfittedError(str(error), agreement) from error
    remarks = fitted.remarks if scored.scale else (_NO_SCALE, *fitted.remarks)
    n_texts = len(np.unique(difficulties))
    if n_texts < _FEWEST_TEXTS:
        remarks += (
            f"the answers are on {counted(n_texts, 'text')} only, which says little about others: "
            f"ask about {_FEWEST_TEXTS} or more, from easy to hard",
        )
    return replace(fitted, remarks=remarks, bundle=scored.bundle, agreement=agreement)


def _read_scores(scores: Any, column: str) -> tuple[dict[str, dict[str, Any]], str, str]:
    """Return the rows of a table of scores by id, their scale, and the name of their bundle."""
    table = scores.to_arrow() if isinstance(scores, Rows) else scores
    rows = read_records(table)
    if not rows or "docno" not in rows[0] or column not in rows[0]:
        raise InputError(f"the scores have no docno and no column {column!r}")
    settings = settings_of(table)
    scale, bundle = (str(settings.get(name, "")) for name in ("scale", "bundle"))
    return {str(row["docno"]): row for row in rows}, scale or _scale_in(rows), bundle


def _scale_in(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the scale in the column ``scale`` of a table of scores, or '' without one."""
    scales = {str(row["scale"]) for row in rows if row.get("scale")}
    if len(scales) > 1:
        raise InputError(
            f"the difficulties are on several scales ({', '.join(sorted(scales))}); a threshold "
            "belongs to one: calibrate with the scores of one bundle"
        )
    return scales.pop() if scales else ""


def fit_reader(
    difficulties: Floats, understood: Sequence[bool], name: str = "own", *, scale: str = ""
) -> FittedReader:
    """Fit threshold and noise by maximum likelihood: ``P = Phi((threshold - d) / noise)``.

    This is a probit regression of answers on difficulty d (0 to 100), on a grid of thresholds
    (steps of half a point) and noise scales from 1 to 100. The intervals come from the profile
    likelihood, which assumes independent answers. Raises `InputError` for fewer than 20 answers,
    for answers that are all equal, or if understood documents are not easier than the other ones.

    >>> difficulties = np.linspace(10, 80, 50)
    >>> fitted = fit_reader(difficulties, [d < 45 + 12 * math.sin(3 * d) for d in difficulties])
    >>> 40 < fitted.reader.threshold < 50, fitted.threshold_interval[0] < fitted.reader.threshold
    (True, True)
    """
    values, answers = np.asarray(difficulties, np.float64), np.asarray(understood, np.bool_)
    if len(answers) < FEWEST_ANSWERS:
        raise InputError(
            f"there are {len(answers)} answers on documents with a difficulty; at least "
            f"{FEWEST_ANSWERS} are needed, about fifty are better"
        )
    if answers.all() or not answers.any():
        word, advice = ("yes", "harder") if answers.all() else ("no", "easier")
        raise InputError(
            f"all {len(answers)} answers are {word}, which does not show where understanding ends; "
            f"ask about {advice} documents too"
        )
    if values[answers].mean() >= values[~answers].mean():
        raise InputError(
            f"documents that were understood have a mean difficulty of "
            f"{values[answers].mean():.1f}, the others of {values[~answers].mean():.1f}: by these "
            "scores there is no threshold; check the answers, or whether yes and no are swapped"
        )
    likelihood = _log_likelihood(values, answers)
    best = likelihood.max()
    row, column = np.unravel_index(likelihood.argmax(), likelihood.shape)
    thresholds = _THRESHOLDS[likelihood.max(axis=1) >= best - _HALF_CHI_SQUARE]
    noises = _NOISES[likelihood.max(axis=0) >= best - _HALF_CHI_SQUARE]
    remarks = []
    if thresholds[0] == EASIEST or thresholds[-1] == HARDEST:
        end = "easier" if thresholds[0] == EASIEST else "harder"
        remarks.append(
            f"the answers leave the threshold open at one end; ask about {end} documents"
        )
    if column == 0:
        is_separated = values[answers].max() < values[~answers].min()
        reason = (
            "one difficulty separates all yes from all no"
            if is_separated
            else "no answers are on documents of nearly the threshold's difficulty"
        )
        remarks.append(f"{reason}, so the noise is as small as it can be")
    reader = Reader(
        name,
        f"a reader with {len(answers)} known answers",
        float(_THRESHOLDS[row]),
        f"probit regression on {len(answers)} answers",
        noise_scale=round(float(_NOISES[column]), 2),
        scale=scale,
    )
    least, most = float(thresholds[0]), float(thresholds[-1])
    noise = (round(float(noises[0]), 2), round(float(noises[-1]), 2))
    return FittedReader(reader, len(answers), (least, most), noise, tuple(remarks))


def _log_likelihood(values: Floats, answers: Any) -> Floats:
    """Return the log-likelihood of the answers for each threshold and noise scale of a grid."""
    distinct, index = np.unique(np.round(values, 1), return_inverse=True)
    yes = np.bincount(index, answers, len(distinct))
    no = np.bincount(index, ~answers, len(distinct))
    result = np.empty((len(_THRESHOLDS), len(_NOISES)))
    for row, threshold in enumerate(_THRESHOLDS.tolist()):
        likelihood = probability(
            distinct, threshold, "calibrated", noise_scale=_NOISES[:, None] + 0 * distinct
        )
        likelihood = np.clip(likelihood, 1e-9, 1 - 1e-9)
        result[row] = np.log(likelihood) @ yes + np.log1p(-likelihood) @ no
    return result


def read_answers(
    records: Sequence[Mapping[str, Any]],
    where: str,
    scores: Mapping[str, float] | None = None,
    *,
    id: str | None = None,  # noqa: A002 - as the option of the command is called
    understood: str = "understood",
    column: str = "difficulty",
) -> tuple[Floats, list[bool], list[str]]:
    """Return difficulties and answers, and the ids of the records without a difficulty.

    Difficulties are looked up in `scores` by id, or read from the `column` of the records.
    """
    names = tuple(dict.fromkeys(name for record in records for name in record))
    identity = id or next((name for name in ID_COLUMNS if name in names), None)
    scored = "name a table of scores (--scores), from understand score PAGES -o TABLE"
    for name, advice in (
        (understood, "name yours with --understood"),
        (id, "name yours with --id-column"),
        (column if scores is None else None, scored),
    ):
        if name is not None and name not in names:
            raise InputError(
                f"{where} has no column {name!r}; it has {', '.join(names) or 'none'}; {advice}"
            )
    if scores is not None and identity is None:
        raise InputError(
            f"{where} has no column of ids ({', '.join(ID_COLUMNS)}) to look scores up by; name "
            "yours with --id-column"
        )
    values, answers, without = [], [], []
    for number, record in enumerate(records, 1):
        docno = str(record.get(identity) if identity else number)
        stated = str(record.get(understood)).strip()
        answer = MARKS.get(stated.lower())
        if answer is None:
            raise InputError(
                f"{where}, record {number}: {understood!r} is {stated[:40]!r}, "
                "not yes or no (1 or 0, true or false)"
            )
        difficulty = record.get(column) if scores is None else scores.get(docno)
        try:
            value = math.nan if difficulty is None else float(difficulty)
        except (TypeError, ValueError):
            value = math.nan
        if EASIEST <= value <= HARDEST:
            values.append(value)
            answers.append(answer)
        else:
            without.append(docno)
    return np.array(values, np.float64), answers, without
