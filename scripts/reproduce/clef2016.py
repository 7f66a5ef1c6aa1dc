"""The organisers' evaluation of CLEF eHealth 2016, IR task 2: five measures of 46 runs.

Their means (joaopalotti/clef_eheath_2016_task3_evaluation on GitHub, results.t2.csv) are in
`published/clef2016_task2_organisers.tsv`.
"""

from pathlib import Path

import numpy as np
from scripts.reproduce.clef import agreement, evaluated, published_means, runs_of
from scripts.reproduce.verdicts import Row, Table

from understandability.evaluation.scales import parse_scale

# The published scale runs from 0 (easiest) to 100 (hardest). The organisers' tool used it in the
# opposite direction: pages were understandable (and trustworthy) from 50 on.
AS_ORGANISERS = parse_scale("higher-easier:50:0..100")
AS_PUBLISHED = parse_scale("lower-easier:<=40:0..100")


def tables(data: Path, published: Path) -> list[Table]:
    """Return the means over the runs, and the number of runs with equal values."""
    folder = data / "clef" / "clef2016"
    measures, means = published_means("clef2016_task2_organisers.tsv")
    runs = list(runs_of(folder / "runs_t2"))
    rows, equal = [], []
    for scale, preset, why in (
        (AS_ORGANISERS, "ubire", "--preset ubire, --scale higher-easier:50:0..100"),
        (AS_ORGANISERS, None, "the same, labels keyed on pairs instead of documents"),
        (AS_PUBLISHED, "ubire", "the scale as published: --scale lower-easier:<=40:0..100"),
    ):
        scales = {"u": scale, "trust": AS_ORGANISERS}
        result = evaluated(folder, runs, measures, scales, task="task2.", preset=preset)
        agree, largest = agreement(result, means, means)
        note = f"{why}; largest difference {largest:.4f}"
        equal.append(Row(f"runs equal in all measures: {why}", str(len(means)), agree, note))
        if not rows:
            for index, measure in enumerate(measures):
                theirs = f"{np.mean([values[index] for values in means.values()]):.4f}"
                ours = float(result.column(measure).mean())
                rows.append(Row(f"mean of {measure} over 46 runs", theirs, ours))
    return [Table("CLEF eHealth 2016, task 2, the organisers' means", (*rows, *equal))]
