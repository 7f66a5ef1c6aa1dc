"""Compare the answers of readers with P(U|d): which texts they understood, and how well the two
agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from understandability.arrays import Floats
from understandability.errors import InputError
from understandability.inputs.frames import read_records
from understandability.inputs.study_answers import read_answer_files
from understandability.inputs.tables import write_table
from understandability.scoring import Scorer
from understandability.training.study_texts import StudyText, read_study_texts, study_digest
from understandability.training.validation import interval
from understandability.wording import counted

# Answers of yes and no in tables, in small letters.
MARKS = {"yes": True, "y": True, "true": True, "1": True, "1.0": True}
MARKS |= {"no": False, "n": False, "false": False, "0": False, "0.0": False}
_RESAMPLES = 2_000
_FEWEST_TEXTS = 3  # for a correlation
_MARK_COLUMNS = ("text", "participant", "answer", "understood")


@dataclass(frozen=True, slots=True)
class TextAgreement:
    """The answers to one text next to its estimate.

    `participants` is the number of participants whose answer could be scored, and `understood` the
    number of those who understood. `interval` is the 95 % interval of their share (Wilson 1927).
    `right` is the mean share of right answers to its questions (NaN without questions or answers),
    `sure` the mean from 1 to 4, `seconds` the median. `p_understandable` and `difficulty` are the
    estimates (NaN if there is none).
    """

    text: str
    participants: int
    understood: int
    interval: tuple[float, float]
    p_understandable: float
    difficulty: float
    right: float
    sure: float
    seconds: float

    @property
    def share(self) -> float:
        """The share of participants who understood; NaN without any."""
        return self.understood / self.participants if self.participants else math.nan


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and its 95 % interval; NaN if it cannot be computed."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class StudyAgreement:
    """The shares of participants who understood, and their agreement with P(U|d).

    `correlation` is Pearson's r between P(U|d) and the share that understood, `distance` the mean
    of |P(U|d) - share|, both with texts weighted equally; `brier` is the mean of (P(U|d) -
    understood) ** 2 over answers (Brier 1950). Intervals come from resampling texts and
    participants together (Owen 2007). `chance` is the distance to expect if P(U|d) were exactly
    right, because a few participants give no exact share.

    `texts` has one entry per text. `remarks` report files and answers that do not count.
    """

    texts: tuple[TextAgreement, ...]
    participants: int
    answers: int
    correlation: Figure
    distance: Figure
    brier: Figure
    chance: float
    remarks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain data, without the texts."""
        figures = {
            name: {"value": figure.value, "interval": list(figure.interval)}
            for name in ("correlation", "distance", "brier")
            if not math.isnan((figure := getattr(self, name)).value)
        }
        return {"texts": len(self.texts), "participants": self.participants, **figures}


@dataclass(frozen=True, slots=True)
class ScoredAnswers:
    """Answers as two arrays (participants, texts), and the estimates of the texts.

    `understood` is 1 or 0: whether the participant understood the text. `right` is the share of the
    text's questions that the participant answered rightly, from 0 to 1. Both are NaN where there is
    no answer that can be scored. `difficulty` and
    `p_understandable` have one entry per text.
    """

    texts: tuple[str, ...]
    understood: Floats
    right: Floats
    sure: Floats
    seconds: Floats
    difficulty: Floats
    p_understandable: Floats
    scale: str
    bundle: str
    remarks: tuple[str, ...]

    @property
    def pairs(self) -> tuple[Floats, list[bool]]:
        """The difficulty of the text, and whether it was understood, for each scored answer."""
        is_scored = ~np.isnan(self.understood) & ~np.isnan(self.difficulty)
        rows, columns = np.nonzero(is_scored)
        return self.difficulty[columns], (self.understood[rows, columns] == 1).tolist()


def score_answers(
    folder: str,
    texts: str,
    *,
    marks: str | None = None,
    pass_share: float = 1.0,
    estimates: Mapping[str, Mapping[str, Any]] | None = None,
    scale: str = "",
    bundle: str = "",
) -> ScoredAnswers:
    """Score the answers in a folder, and estimate the texts.

    A participant understood a text if a person marked the main message so in the table `marks`;
    without a mark, if at least `pass_share` of the answers to its questions are right. If `marks`
    does not exist, it is written, with an empty column to fill; answers that it lacks are added.

    `estimates` has rows with difficulty and P(U|d) by id, on this `scale`, from this `bundle`.
    Without them, the texts are scored.

    Raises `InputError` if no answer can be scored.
    """
    read, remarks = read_study_texts(texts)
    answers, more = read_answer_files(folder, study_digest(read))
    remarks += more
    if not answers:
        reasons = f"; the first: {more[0]}" if more else ""
        raise InputError(f"{folder} holds no answers to the texts of {texts}{reasons}")
    right, sure, seconds = (np.full((len(answers), len(read)), np.nan) for _ in range(3))
    columns = {text.id: column for column, text in enumerate(read)}
    messages: dict[tuple[str, str], str] = {}
    for row, participant in enumerate(answers):
        for answer in participant.answers:
            column = columns.get(answer.text)
            questions = () if column is None else read[column].questions
            if column is None or len(answer.choices) != len(questions):
                remarks.append(
                    f"the answer of {participant.participant} to {answer.text[:80]!r} is ignored: "
                    f"{texts} has no such text, or another number of questions"
                )
                continue
            if questions:
                right[row, column] = np.mean(
                    [
                        c == question.right
                        for c, question in zip(answer.choices, questions, strict=True)
                    ]
                )
            sure[row, column] = math.nan if answer.sure is None else answer.sure
            seconds[row, column] = answer.seconds
            if answer.message.strip() or not questions:
                messages[answer.text, participant.participant] = answer.message.strip()
    understood = np.where(np.isnan(right), np.nan, right >= pass_share - 1e-9)
    marked = _marks(marks, messages) if marks is not None else {}
    rows = {participant.participant: row for row, participant in enumerate(answers)}
    for (text, name), mark in marked.items():
        understood[rows[name], columns[text]] = mark
    unmarked = [pair for pair in messages if pair not in marked]
    open_pairs = sum(
        bool(np.isnan(understood[rows[name], columns[text]])) for text, name in unmarked
    )
    if np.isnan(understood).all():
        own_words = f"{counted(len(unmarked), 'answer')} in own words"
        advice = (
            f"{marks} lists {own_words}: write 1 or 0 into its column understood"
            if marks
            else f"name a table for {own_words} (--marks marks.csv), mark them there"
        )
        raise InputError(f"no answer can be scored yet; {advice}, then run the same command again")
    if open_pairs:
        remarks.append(
            f"{counted(open_pairs, 'answer')} in own words without questions are not scored; "
            f"mark them in {marks or 'a table (--marks marks.csv)'}"
        )
    if estimates is None:
        estimates, scale, bundle = _estimates(read)
    difficulty, p_understandable = (
        np.array([_number(estimates.get(text.id, {}).get(name)) for text in read])
        for name in ("difficulty", "p_understandable")
    )
    for study_text, value in zip(read, difficulty.tolist(), strict=True):
        if math.isnan(value):
            remarks.append(f"{study_text.id} has no estimate and is not compared")
    return ScoredAnswers(
        tuple(text.id for text in read),
        understood,
        right,
        sure,
        seconds,
        difficulty,
        p_understandable,
        scale,
        bundle,
        tuple(remarks),
    )


def _number(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        return math.nan


def _estimates(texts: Sequence[StudyText]) -> tuple[dict[str, dict[str, Any]], str, str]:
    """Score the texts; return rows by id, the scale and the name of the bundle."""
    scorer = Scorer()
    tables = scorer.score_all(text.document for text in texts)
    rows = {row["docno"]: row for table in tables for row in table.to_pylist()}
    return rows, scorer.scale, scorer.bundle.name


def _marks(path: str, messages: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], bool]:
    """Read the marks of answers by text and participant; add the answers that the table lacks."""
    records = read_records(path, fallback="windows-1252") if Path(path).exists() else []
    # A spreadsheet shows texts that look like formulas after an apostrophe.
    pairs = {(text.lstrip("'"), name): (text, name) for text, name in messages}
    marks: dict[tuple[str, str], bool] = {}
    seen = set()
    for number, record in enumerate(records, 1):
        missing = [name for name in _MARK_COLUMNS if name not in record and name != "answer"]
        if missing:
            raise InputError(
                f"{path} has no column {missing[0]!r}; expected {', '.join(_MARK_COLUMNS)}"
            )
        pair = pairs.get((str(record["text"]).lstrip("'"), str(record["participant"])))
        stated = str(record["understood"] if record["understood"] is not None else "").strip()
        mark = MARKS.get(stated.lower())
        if stated and mark is None:
            raise InputError(
                f"{path}, record {number}: 'understood' is {stated[:40]!r}, expected 1 or 0, or "
                "nothing if it is not marked yet"
            )
        if pair is not None:
            seen.add(pair)
            if mark is not None:
                marks[pair] = mark
    missing_pairs = sorted(set(messages) - seen)
    if missing_pairs:
        import pyarrow as pa

        new = [
            {"text": text, "participant": name, "answer": messages[text, name]}
            for text, name in missing_pairs
        ]
        # The old cells have their apostrophes already; the writer would add another.
        rows = [*_plain(records), *new]
        names = dict.fromkeys((*_MARK_COLUMNS, *(name for row in rows for name in row)))
        columns = {name: [_text_of(row.get(name)) for row in rows] for name in names}
        write_table(pa.table({name: pa.array(c, pa.string()) for name, c in columns.items()}), path)
    return marks


def _text_of(value: Any) -> str | None:
    return None if value is None else str(value)


def _plain(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows of a text table without the apostrophes that its writer put in front."""
    for row in rows:
        yield {
            name: value[1:]
            if isinstance(value, str) and value[:1] == "'" and value.lstrip("'")[:1] in "=+-@\t\r"
            else value
            for name, value in row.items()
        }


def agreement_of(scored: ScoredAnswers, *, random_state: int = 0) -> StudyAgreement:
    """Compare scored answers with P(U|d).

    >>> understood = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> none = np.full((2, 2), np.nan)
    >>> scored = ScoredAnswers(
    ...     ("a", "b"), understood, none, none, none,
    ...     np.array([20.0, 60.0]), np.array([0.9, 0.5]), "", "", (),
    ... )
    >>> agreement = agreement_of(scored)
    >>> [(text.text, text.share) for text in agreement.texts]
    [('a', 1.0), ('b', 0.5)]
    >>> round(agreement.distance.value, 3), round(agreement.brier.value, 3)
    (0.05, 0.13)
    """
    understood, estimates = scored.understood, scored.p_understandable
    is_scored = ~np.isnan(understood)
    counts, sums = is_scored.sum(axis=0), np.where(is_scored, understood, 0.0).sum(axis=0)
    texts = tuple(
        TextAgreement(
            text,
            int(counts[column]),
            int(sums[column]),
            wilson(int(sums[column]), int(counts[column])),
            float(estimates[column]),
            float(scored.difficulty[column]),
            _mean(scored.right[:, column]),
            _mean(scored.sure[:, column]),
            _mean(scored.seconds[:, column], np.median),
        )
        for column, text in enumerate(scored.texts)
    )
    is_compared = (counts > 0) & ~np.isnan(estimates)
    compared = np.where(is_scored, understood, 0.0)[:, is_compared]
    mask, chances = is_scored[:, is_compared].astype(float), estimates[is_compared]
    participants, n_texts = mask.shape
    ones = np.ones(participants), np.ones(n_texts)
    values = _figures(compared, mask, chances, *ones)
    random = np.random.default_rng(random_state)
    resampled = np.array(
        [
            _figures(
                compared,
                mask,
                chances,
                random.multinomial(participants, ones[0] / participants).astype(float),
                random.multinomial(n_texts, ones[1] / n_texts).astype(float),
            )
            for _ in range(_RESAMPLES if n_texts > 1 else 0)
        ]
    ).reshape(-1, 3)
    correlation, distance, brier = (
        Figure(value, _interval(column)) for value, column in zip(values, resampled.T, strict=True)
    )
    chance = _mean(
        np.array(
            [
                _distance_by_chance(int(n), p)
                for n, p in zip(counts[is_compared], chances, strict=True)
            ]
        )
    )
    return StudyAgreement(
        texts,
        participants=int(is_scored.any(axis=1).sum()),
        answers=int(is_scored.sum()),
        correlation=correlation,
        distance=distance,
        brier=brier,
        chance=chance,
        remarks=scored.remarks,
    )


def _figures(
    understood: Floats, mask: Floats, chances: Floats, participants: Floats, texts: Floats
) -> tuple[float, float, float]:
    """Return correlation, mean distance and Brier score.

    Rows and columns count as often as `participants` and `texts` say.
    """
    counts = participants @ mask
    is_kept = (counts > 0) & (texts > 0)
    if not is_kept.any():
        return math.nan, math.nan, math.nan
    weights, probabilities = texts[is_kept], chances[is_kept]
    sums, counts = (participants @ understood)[is_kept], counts[is_kept]
    shares = sums / counts
    distance = float(weights @ np.abs(probabilities - shares) / weights.sum())
    # (P - 1)^2 where it was understood, P^2 where it was not.
    squares = sums * (probabilities - 1) ** 2 + (counts - sums) * probabilities**2
    brier = float(weights @ squares / (weights @ counts))
    correlation = math.nan
    if is_kept.sum() >= _FEWEST_TEXTS:
        x = probabilities - weights @ probabilities / weights.sum()
        y = shares - weights @ shares / weights.sum()
        scale = math.sqrt(float((weights @ x**2) * (weights @ y**2)))
        correlation = float(weights @ (x * y)) / scale if scale > 1e-12 else math.nan
    return correlation, distance, brier


def _interval(resampled: Floats) -> tuple[float, float]:
    finite = resampled[~np.isnan(resampled)]
    return interval(finite) if len(finite) else (math.nan, math.nan)


def _mean(values: Floats, mean: Callable[[Any], Any] = np.mean) -> float:
    finite = values[~np.isnan(values)]
    return float(mean(finite)) if len(finite) else math.nan


def _distance_by_chance(n: int, p: float) -> float:
    """Return the mean of |share - p| for `n` answers that are right with the probability p.

    This is the mean deviation of a binomial distribution (De Moivre 1730).

    >>> round(_distance_by_chance(1, 0.5), 6), round(_distance_by_chance(2, 0.5), 6)
    (0.5, 0.25)
    """
    if not 0 < p < 1:
        return 0.0
    v = math.floor(n * p) + 1
    log_choose = math.lgamma(n + 1) - math.lgamma(v + 1) - math.lgamma(n - v + 1)
    return 2 * v / n * math.exp(log_choose + v * math.log(p) + (n - v + 1) * math.log1p(-p))


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by the score method (Wilson 1927); NaN without trials.

    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    if trials == 0:
        return math.nan, math.nan
    z = 1.959964
    share = successes / trials
    middle = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = (
        z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2)) / (1 + z**2 / trials)
    )
    return max(middle - half, 0.0), min(middle + half, 1.0)
