"""How far the reader, and how little the text, decided what people understood of news articles.

    python -m scripts.evaluate.readers [--data ../shared/data]

Fills in a part of ``results/number.md``. In `onestop_readers` people answered three questions, each
with four choices, on an article in one of two versions. Nothing is learned from them. `shift` says
how much harder texts are for readers of a proficiency, for two rates of guessing: one right answer
of four, and what people have right who did not read the article.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scripts.evaluate.intervals import of_groups, short
from scripts.shared import ROOT, fill, markdown, parser_of, records

import understandability as ud
from understandability.arrays import Floats
from understandability.model.readers import READERS

PROFICIENCIES = ("Native", "Near Native", "Advanced", "Intermediate", "Beginner")
_CHOICES, _QUESTIONS = 4, 3


@dataclass(frozen=True)
class Answers:
    """One row for each reading: the share of questions answered right, who, of which text."""

    right: Floats
    person: NDArray[np.str_]
    proficiency: NDArray[np.str_]
    text: NDArray[np.str_]
    level: NDArray[np.str_]
    difficulty: Floats
    read: NDArray[np.bool_]

    @classmethod
    def of(cls, data: Path) -> Answers:
        """All readings, with the difficulty that `open` gives to each text."""
        rows = []
        for row in records(data / "labelled" / "onestop_readers.jsonl.gz"):
            difficulty = ud.score_text(row["text"])["difficulty"]
            for person, proficiency, _, _, read, score, _ in row["answers"]:
                told = (score / _QUESTIONS, str(person), proficiency, row["id"], row["level"])
                rows.append((*told, difficulty, read == "read"))
        return cls(*map(np.array, zip(*rows, strict=True)))

    def __getitem__(self, rows: NDArray[np.int64]) -> Answers:
        return Answers(*(values[rows] for values in vars(self).values()))


def explained(right: Floats, kinds: NDArray[np.str_]) -> float:
    """The share of variance that the means of kinds explain, less what chance would (epsilon²).

    >>> explained(np.array([0.0, 0.0, 1.0, 1.0]), np.array(["a", "a", "b", "b"]))
    1.0
    """
    names, number = np.unique(kinds, return_inverse=True)
    means = np.bincount(number, right) / np.bincount(number)
    left = float(((right - means[number]) ** 2).sum()) / (len(right) - len(names))
    return 1 - left / float(right.var(ddof=1))


def shift(share: float, native: float, difficulty: float, guessing: float) -> float:
    """By how many points texts are harder for such readers than for native ones; NaN if unknown.

    What is right beyond guessing is taken as a part, the same for all readers, of the share of the
    public that understands; native readers are the public. NaN where so few are right that any
    shift would do.

    >>> shift(0.5, 0.5, 30.0, 0.25)
    0.0
    """
    known = (share - guessing) / (native - guessing) * _understood(difficulty)
    shifts = np.arange(np.floor(-difficulty), 100 - difficulty, 0.5)
    shares = np.array([_understood(difficulty + each) for each in shifts])
    if not shares.min() <= known <= shares.max():
        return float("nan")
    return float(shifts[np.argmin(abs(shares - known))]) + 0.0


def _understood(difficulty: float) -> float:
    return float(READERS["public"].understands(difficulty, 0.0))


def _told(answers: Answers, value: Callable[[Answers], float], digits: int = 3) -> str:
    """A value with its interval, by drawing persons."""
    return of_groups(lambda rows: value(answers[rows]), answers.person).formatted(digits)


def page(answers: Answers) -> str:
    """The part of the document."""
    read, blind = answers[np.flatnonzero(answers.read)], answers[np.flatnonzero(~answers.read)]

    def mean(of: Answers) -> float:
        return float(of.right.mean())

    def by(kinds: Callable[[Answers], NDArray[np.str_]]) -> Callable[[Answers], float]:
        return lambda of: explained(of.right, kinds(of))

    causes: Sequence[tuple[str, Callable[[Answers], float]]] = (
        ("the version of the text, elementary or advanced", by(lambda of: of.level)),
        (
            "the difficulty by `open`, along a line",
            lambda of: float(np.corrcoef(of.right, of.difficulty)[0, 1] ** 2),
        ),
        ("the reader's proficiency, five classes", by(lambda of: of.proficiency)),
    )
    rows = [[name, _told(read, value)] for name, value in causes]
    # Drawing persons twice makes thirty small classes seem to explain more, so without an interval.
    rows.append(
        ["the text with its questions, 30 of them", short(explained(read.right, read.text))]
    )
    parts = [markdown(["variance explained by", "share"], rows)]
    rows = []
    native = read[np.flatnonzero(read.proficiency == PROFICIENCIES[0])]
    difficulty, gone = float(np.median(read.difficulty)), mean(blind)
    for name in PROFICIENCIES:
        own = read[np.flatnonzero(read.proficiency == name)]
        shifts = [shift(mean(own), mean(native), difficulty, g) for g in (1 / _CHOICES, gone)]
        cells = ["beyond the scale" if np.isnan(each) else f"{each:+.0f}" for each in shifts]
        rows.append([f"{name} ({len(own.right)})", _told(own, mean, 2), *cells])
    head = ["who read it", "right"]
    head += [f"shift if {short(each, 2)} are guessed" for each in (1 / _CHOICES, gone)]
    parts.append(markdown(head, rows))
    parts.append(
        f"{len(read.right)} readings by people who read the article, {len(blind.right)} by people "
        f"who did not, who have {_told(blind, mean, 2)} right."
    )
    return "\n".join(parts)


def main() -> None:
    parser = parser_of(__doc__)
    answers = Answers.of(parser.parse_args().data)
    fill(ROOT / "results" / "number.md", {"readers": page(answers)})


if __name__ == "__main__":
    main()
