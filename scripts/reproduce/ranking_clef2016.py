"""Re-rank and fuse runs of CLEF eHealth 2016 by understandability, in the layout of Table 5.

Palotti, Zuccon & Hanbury (2019) re-ranked and fused these runs by estimates from the text of pages,
which is not public. Here the estimates come from 23 counts of HTML elements: boosted trees learn
the mean label over topics, in 10 folds by document. Documents without a label have no estimate, and
keep their rank. "Oracle" orders by the human labels, which is an upper bound for any estimate.

Re-ranking orders the first k documents by the estimate alone. Fusion merges them with the same
documents in the order of the estimate (reciprocal rank, k = 60). Starred measures ignore documents
without labels. † marks a significant difference from the base run, ⋄ from the best of the column
(paired t-test over the topics, p < .05). ▲n ▼n are the numbers of runs that are significantly
better or worse than their base.

    python -m scripts.reproduce.ranking_clef2016 [--data ../shared/data] [--runs NAME ...]
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scripts.reproduce.study2018 import html_counts, mean_labels
from scripts.shared import markdown, parser_of
from xgboost import XGBRegressor

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.evaluation.comparison import paired_t
from understandability.evaluation.criteria import Criterion
from understandability.evaluation.evaluate import Evaluation, evaluate
from understandability.evaluation.fuse import fuse
from understandability.evaluation.options import Dimension
from understandability.evaluation.rerank import rerank
from understandability.evaluation.scales import parse_scale
from understandability.inputs.run import Labels, Run
from understandability.inputs.runs import read_labels, read_run
from understandability.training.validation import correlations

FOLDS = 10
TOPS = (15, 20, 50)
# Heading -> measure. For Judged@10, 1 minus the value is shown.
COLUMNS = {
    "RBP": "RBP(p=0.8)@10",
    "res.": "residual(RBP(p=0.8)@10)",
    "uRBP": "uRBP(p=0.8)@10",
    "res. ": "residual(uRBP(p=0.8)@10)",
    "uRBP*": "uRBP(p=0.8,judged_only=True)@10",
    "RBPu": "RBPu(p=0.8)@10",
    "HRBP": "HRBP(p=0.8)@10",
    "unj.": "Judged@10",
    "RBP*": "RBP(p=0.8,judged_only=True)@10",
    "RBPu*": "RBPu(p=0.8,judged_only=True)@10",
    "HRBP*": "HRBP(p=0.8,judged_only=True)@10",
}
UNJUDGED = "unj."


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--runs", nargs="*", default=["terrier.BM25.concat_EN_Run1", "ecnu_EN_Run1"]
    )
    arguments = parser.parse_args()
    folder = arguments.data / "clef" / "clef2016"
    qrels = read_labels(folder / "task2.qrels.gz")
    qunder = read_labels(folder / "task2.qunder.gz", "understandability")
    _, counts = html_counts(folder / "html_features.tsv.gz")
    estimates = estimate(counts, mean_labels(qunder))
    dimensions = {"u": Dimension(qunder, parse_scale("lower-easier:40:0..100"))}
    criteria = {
        "estimate": Criterion(estimates, Direction.HARDER),
        "oracle": Criterion(qunder, Direction.HARDER),
    }
    evaluations: dict[str, Evaluation] = {}
    for path in sorted((folder / "runs_t2").glob("*.run.gz")):
        run = read_run(path)
        evaluations[run.name] = evaluate(
            variants(run, criteria), qrels, measures=COLUMNS.values(), dimensions=dimensions
        )
    for name in arguments.runs:
        show_run(name, evaluations[name])
    show_means(list(evaluations.values()))


def estimate(counts: dict[str, Floats], labels: dict[str, float]) -> Labels:
    """Estimate labels from HTML counts, out of fold, and print the correlations."""
    docnos = [docno for docno in counts if docno in labels]
    rows = np.array([counts[docno] for docno in docnos])
    judged = np.array([labels[docno] for docno in docnos])
    fold = np.random.default_rng(0).permutation(np.arange(len(docnos)) % FOLDS)
    estimated = np.empty(len(docnos))
    for held_out in range(FOLDS):
        model = XGBRegressor(n_estimators=300, max_depth=5, learning_rate=0.05, n_jobs=1)
        model.fit(rows[fold != held_out], judged[fold != held_out])
        estimated[fold == held_out] = model.predict(rows[fold == held_out])
    figures = (f"{name} {value:.3f}" for name, value in correlations(estimated, judged).items())
    print(f"{len(docnos):,} judged documents; out of fold: {', '.join(figures)}")
    return Labels.of_documents("estimate", dict(zip(docnos, estimated.tolist(), strict=True)))


def variants(run: Run, criteria: dict[str, Criterion]) -> Iterator[Run]:
    """Yield the run as it is, re-ranked, and fused."""
    yield replace(run, name="as it is", oddities=())
    for source, criterion in criteria.items():
        for top in TOPS:
            yield rerank(run, criterion, top=top, name=f"{source}, re-ranked {top}")
        for top in TOPS:
            yield fuse([run, criterion], top=top, name=f"{source}, fused {top}")


def show_run(name: str, evaluation: Evaluation) -> None:
    """Print the table of one base run."""
    marked = evaluation.compare(tests=["t"]).marks()
    rows = []
    for variant in evaluation.runs:
        cells = [
            f"{value(column, evaluation.means[variant][index]):.4f}"
            + ("" if is_share(column) else marked.get((evaluation.measures[index], variant), ""))
            for index, column in enumerate(COLUMNS)
        ]
        rows.append([variant, *cells])
    print(f"\n{name}\n\n{markdown(['', *COLUMNS], rows)}")


def show_means(evaluations: list[Evaluation]) -> None:
    """Print the table of means over all runs, with counts of runs that differ from their base."""
    rows = []
    for variant in evaluations[0].runs:
        cells = []
        for index, column in enumerate(COLUMNS):
            mean = np.mean([evaluation.means[variant][index] for evaluation in evaluations])
            cell = f"{value(column, float(mean)):.4f}"
            if variant != "as it is" and not is_share(column):
                better, worse = changes(evaluations, variant, index)
                cell += f" ▲{better} ▼{worse}"
            cells.append(cell)
        rows.append([variant, *cells])
    print(f"\nMeans of {len(evaluations)} runs\n\n{markdown(['', *COLUMNS], rows)}")


def changes(evaluations: list[Evaluation], variant: str, measure: int) -> tuple[int, int]:
    """Count the runs that a variant makes significantly better, and worse.

    `measure` is the index of the measure.
    """
    better = worse = 0
    for evaluation in evaluations:
        differences = evaluation.values[variant][measure] - evaluation.values["as it is"][measure]
        t, p = paired_t(differences)
        better += p < 0.05 and t > 0
        worse += p < 0.05 and t < 0
    return better, worse


def is_share(column: str) -> bool:
    """Return True for columns on missing labels, which are not tested for significance."""
    return column.startswith("res.") or column == UNJUDGED


def value(column: str, mean: float) -> float:
    return 1 - mean if column == UNJUDGED else mean


if __name__ == "__main__":
    main()
