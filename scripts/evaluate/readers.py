"""Compare the effects of the reader and of the text on the understanding of news articles.

    python -m scripts.evaluate.readers [--data ../shared/data]

Fills in a part of ``results/number.md``. In `onestop_readers`, people read an article in one of two
versions and answered three questions with four choices each. The data are not used for training.
`shift` estimates how much harder texts are for readers of a proficiency, for two rates of guessing:
one right answer in four, and the rate of people who did not read the article.
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
    """One entry per person and article: the share of right answers, the reader, and the text."""

    right: Floats
    person: NDArray[np.str_]
    proficiency: NDArray[np.str_]
    text: NDArray[np.str_]
    level: NDArray[np.str_]
    difficulty: Floats
    read: NDArray[np.bool_]

    @classmethod
    def of(cls, data: Path) -> Answers:
        """Read all answers, and add the difficulty of each text by `open`."""
        rows = []
        for row in records(data / "labelled" / "onestop_readers.jsonl.gz"):
            difficulty = ud.score_text(row["text"])["difficulty"]
            for person, proficiency, _, _, read, score, _ in row["answers"]:
                answer = (score / _QUESTIONS, str(person), proficiency, row["id"], row["level"])
                rows.append((*answer, difficulty, read == "read"))
        return cls(*map(np.array, zip(*rows, strict=True)))

    def __getitem__(self, rows: NDArray[np.int64]) -> Answers:
        return Answers(*(values[rows] for values in vars(self).values()))


def explained(right: Floats, classes: NDArray[np.str_]) -> float:
    """Return the share of variance explained by class means, corrected for chance (epsilon²).

    >>> explained(np.array([0.0, 0.0, 1.0, 1.0]), np.array(["a", "a", "b", "b"]))
    1.0
    """
    names, number = np.unique(classes, return_inverse=True)
    means = np.bincount(number, right) / np.bincount(number)
    unexplained = float(((right - means[number]) ** 2).sum()) / (len(right) - len(names))
    return 1 - unexplained / float(right.var(ddof=1))


def shift(share: float, native: float, difficulty: float, guessing: float) -> float:
    """Estimate by how many points a text is harder for a group of readers than for native readers.

    `share` and `native` are the shares of right answers. The part beyond guessing is assumed to be
    proportional to the share of the public that understands; native readers represent the public.
    Returns NaN if no shift within the scale explains the difference.

    >>> shift(0.5, 0.5, 30.0, 0.25)
    0.0
    """
    understood = (share - guessing) / (native - guessing) * _understood(difficulty)
    shifts = np.arange(np.floor(-difficulty), 100 - difficulty, 0.5)
    shares = np.array([_understood(difficulty + points) for points in shifts])
    if not shares.min() <= understood <= shares.max():
        return float("nan")
    return float(shifts[np.argmin(abs(shares - understood))]) + 0.0


def _understood(difficulty: float) -> float:
    return float(READERS["public"].understands(difficulty, 0.0))


def _formatted(answers: Answers, value: Callable[[Answers], float], digits: int = 3) -> str:
    """Format a value with its interval, from resampled persons."""
    return of_groups(lambda rows: value(answers[rows]), answers.person).formatted(digits)


def page(answers: Answers) -> str:
    """Return the part of the document."""
    read, blind = answers[np.flatnonzero(answers.read)], answers[np.flatnonzero(~answers.read)]

    def mean(sample: Answers) -> float:
        return float(sample.right.mean())

    def by(classes: Callable[[Answers], NDArray[np.str_]]) -> Callable[[Answers], float]:
        return lambda sample: explained(sample.right, classes(sample))

    causes: Sequence[tuple[str, Callable[[Answers], float]]] = (
        ("the version of the text, elementary or advanced", by(lambda sample: sample.level)),
        (
            "the difficulty by `open`, along a line",
            lambda sample: float(np.corrcoef(sample.right, sample.difficulty)[0, 1] ** 2),
        ),
        ("the reader's proficiency, five classes", by(lambda sample: sample.proficiency)),
    )
    rows = [[name, _formatted(read, value)] for name, value in causes]
    # No interval: resampled persons occur repeatedly, so thirty small classes seem to explain more.
    rows.append(
        ["the text with its questions, 30 of them", short(explained(read.right, read.text))]
    )
    parts = [markdown(["variance explained by", "share"], rows)]
    rows = []
    native = read[np.flatnonzero(read.proficiency == PROFICIENCIES[0])]
    difficulty, guessing_rates = float(np.median(read.difficulty)), (1 / _CHOICES, mean(blind))
    for name in PROFICIENCIES:
        own = read[np.flatnonzero(read.proficiency == name)]
        shifts = [shift(mean(own), mean(native), difficulty, rate) for rate in guessing_rates]
        cells = ["beyond the scale" if np.isnan(points) else f"{points:+.0f}" for points in shifts]
        rows.append([f"{name} ({len(own.right)})", _formatted(own, mean, 2), *cells])
    head = ["who read it", "right"]
    head += [f"shift if {short(rate, 2)} are guessed" for rate in guessing_rates]
    parts.append(markdown(head, rows))
    parts.append(
        f"{len(read.right)} readings by people who read the article, {len(blind.right)} by people "
        f"who did not, who have {_formatted(blind, mean, 2)} right."
    )
    return "\n".join(parts)


def main() -> None:
    parser = parser_of(__doc__)
    answers = Answers.of(parser.parse_args().data)
    fill(ROOT / "results" / "number.md", {"readers": page(answers)})


if __name__ == "__main__":
    main()
