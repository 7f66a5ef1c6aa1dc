"""Compare scores with labels, for each combination of text extractor and sentence splitting."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.distributions import ranks
from understandability.errors import InputError, PageError
from understandability.evaluation.result_table import ResultTable
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches, features_of
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.run import Labels
from understandability.inputs.runs import numeric_columns, read_labels
from understandability.inputs.sources import Sources, with_progress
from understandability.model.background import BackgroundModel
from understandability.model.bundle import AnyBundle, Bundle, bundle_of
from understandability.model.bundle_files import embedded_bundles
from understandability.text.analysis import document_of, extract
from understandability.text.document import Document
from understandability.text.page import SEEN_BEFORE, Failure, Page
from understandability.text.parsed import parse_page
from understandability.text.sentences import SENTENCE_ENDS
from understandability.training.validation import CORRELATIONS, correlations
from understandability.wording import counted

ESTIMATORS = "estimators"  # the group of the bundles
METHODS = ("naive", "boilerpipe", "justext")
BEST = "The best of each category, * by which coefficient"
_PERCENTILES = (5, 25, 50, 75, 95, 100)
# Correlations over fewer pages are too uncertain to compare thousands of scores by.
LEAST_PAGES = 10
_SHUFFLES = 200
PIPELINES = tuple((extractor, ends) for extractor in METHODS for ends in SENTENCE_ENDS)


@dataclass(frozen=True, slots=True)
class GridCell:
    """The correlations of one score with the labels under one pipeline; higher labels are harder.

    A pipeline is a text extractor and a way to end sentences. `n` is the number of labelled pages
    that have the score. A correlation is NaN if the score does not vary.
    """

    name: str
    group: str
    extractor: str
    sentence_ends: str
    n: int
    pearson: float
    spearman: float
    kendall: float

    @property
    def category(self) -> str:
        """The group of the feature, or the name of the bundle."""
        return self.name if self.group == ESTIMATORS else self.group

    @property
    def pipeline(self) -> str:
        """The extractor and the sentence ends, such as ``naive, none``."""
        return f"{self.extractor}, {self.sentence_ends}"


@dataclass(frozen=True, slots=True)
class GridAgreement:
    """The correlation of two assessors on the `n` pages that both judged."""

    assessors: tuple[str, str]
    n: int
    pearson: float
    spearman: float
    kendall: float


@dataclass(frozen=True)
class StudyGrid:
    """The result of `grid`: the correlations of all scores with the labels, under all pipelines.

    Args:
        pages: The number of pages with a label.
        cells: The correlations.
        agreements: The correlations between assessors.
        unlabelled: Docnos of pages without a label.
        absent: Docnos of labels without a page.
        failures: Pages that cannot be read.
        settings: What was compared.
        null: For each coefficient, the absolute correlation that the best of all scores reaches by
            chance: the 95th percentile over 200 shuffles of the labels.
    """

    pages: int
    cells: tuple[GridCell, ...]
    agreements: tuple[GridAgreement, ...]
    unlabelled: tuple[str, ...]
    absent: tuple[str, ...]
    failures: tuple[Failure, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    null: Mapping[str, float] = field(default_factory=dict)

    def best(self) -> Mapping[str, tuple[GridCell, ...]]:
        """Return, for each category, the scores with the largest absolute correlation by some
        coefficient.

        This is Table 3 of the study; each bundle is its own category. Scores that fewer than half
        of the pages have are ignored.
        """
        categories: dict[str, list[GridCell]] = {}
        for cell in self.cells:
            if 2 * cell.n >= self.pages:
                categories.setdefault(cell.category, []).append(cell)
        best = {}
        for category, cells in categories.items():
            winners: dict[GridCell, None] = {}
            for coefficient in CORRELATIONS:
                candidates = [cell for cell in cells if np.isfinite(_size(cell, coefficient))]
                if candidates:
                    winners[max(candidates, key=lambda cell: _size(cell, coefficient))] = None
            if winners:
                best[category] = tuple(winners)
        return best

    def spread(self, coefficient: str = "spearman") -> Mapping[str, Floats]:
        """Return the absolute values of all correlations, by pipeline: Figure 2 of the study."""
        sizes: dict[str, list[float]] = {}
        for cell in self.cells:
            sizes.setdefault(cell.pipeline, []).append(_size(cell, coefficient))
        return {pipeline: np.array(row)[np.isfinite(row)] for pipeline, row in sizes.items()}

    def tables(self) -> Mapping[str, ResultTable]:
        """Return the tables by title. A star marks the coefficient by which a score is the best."""
        names = tuple(name.capitalize() for name in CORRELATIONS)
        tables = {}
        if self.agreements:
            agreed = tuple(
                (" and ".join(pair.assessors), pair.n, pair.pearson, pair.spearman, pair.kendall)
                for pair in self.agreements
            )
            tables["How assessors agree"] = ResultTable(("assessors", "n", *names), agreed)
        columns = ("category", "score", "extractor, sentence ends", "n", *names)
        rows: list[tuple[Any, ...]] = []
        marks: dict[tuple[int, str], str] = {}
        for category, cells in self.best().items():
            for coefficient in CORRELATIONS:
                sizes = [_size(cell, coefficient) for cell in cells]
                marks[len(rows) + sizes.index(max(sizes)), coefficient.capitalize()] = "*"
            rows += [
                (category, c.name, c.pipeline, c.n, c.pearson, c.spearman, c.kendall) for c in cells
            ]
        if self.null:
            best_of = f"best of {len(self.cells):,}, 95 % of {_SHUFFLES} shuffles"
            by_chance = [self.null.get(coefficient, np.nan) for coefficient in CORRELATIONS]
            rows.append(("shuffled labels", best_of, "all", self.pages, *by_chance))
        tables[BEST] = ResultTable(columns, tuple(rows), marks, texts=3)
        spread = tuple(
            (pipeline, *np.percentile(sizes, _PERCENTILES).tolist())
            for pipeline, sizes in self.spread().items()
            if len(sizes)
        )
        columns = ("extractor, sentence ends", *(f"{percentile} %" for percentile in _PERCENTILES))
        tables["The size of Spearman's correlation over all scores, by percentile"] = ResultTable(
            columns, spread
        )
        return {title: replace(table, digits=3) for title, table in tables.items()}

    def as_dict(self) -> dict[str, object]:
        """Return the experiment as plain data, for JSON."""
        return {
            "settings": dict(self.settings),
            "pages": self.pages,
            "unlabelled": list(self.unlabelled),
            "absent": list(self.absent),
            "failures": [asdict(failure) for failure in self.failures],
            "assessors": [asdict(agreement) for agreement in self.agreements],
            "best": {
                group: [asdict(cell) for cell in cells] for group, cells in self.best().items()
            },
            "null": dict(self.null),
            "spread": {
                coefficient: {
                    pipeline: np.percentile(sizes, [5, 25, 50, 75, 95]).tolist()
                    for pipeline, sizes in self.spread(coefficient).items()
                    if len(sizes)
                }
                for coefficient in CORRELATIONS
            },
            "correlations": [asdict(cell) for cell in self.cells],
        }


def _size(cell: GridCell, coefficient: str) -> float:
    return abs(float(getattr(cell, coefficient)))


def assessors_in(labels: Sequence[str]) -> dict[str, Labels]:
    """Read the labels of several assessors: each numeric column of a table, or each label file, is
    one.

    Each of `labels` is a FILE, or FILE:COLUMN. Raises `InputError` for a table without numbers.
    """
    assessors: dict[str, Labels] = {}
    for text in labels:
        path, _, column = text.rpartition(":") if not Path(text).exists() else (text, "", "")
        path = path or text
        columns = [column] if column else numeric_columns(path)
        if columns is None:
            assessors[text] = read_labels(path)
        elif not columns:
            raise InputError(f"{path} has no column of numbers other than docno")
        else:
            assessors |= {f"{path}:{name}": read_labels(path, column=name) for name in columns}
    return assessors


def grid(
    pages: Annotated[Sequence[str], Parameter(metavar="INPUT...")],
    *,
    labels: Annotated[Sequence[str], Parameter("--labels", metavar="FILE[:COLUMN]")],
    direction: Annotated[str, Parameter("--direction")],
    bundles: Annotated[Sequence[str] | Sequence[AnyBundle], Parameter("--bundle")] = (),
    limit_mb: float = DEFAULT_LIMIT / 1e6,
    progress: Annotated[Callable[[int, int], None] | None, Parameter(parse=False)] = None,
) -> StudyGrid:
    """Compare every feature and bundle with labels of pages, under each way of reading them.

    This is the main experiment of Palotti, Zuccon & Hanbury (2019), with three extractors and three
    ways to split sentences. Shows how well assessors agree; for each category of features, the one
    that correlates best with the labels; the range of all correlations; and, as a level of chance,
    the highest correlation that any of them reaches with shuffled labels.

    Example: understand grid pages/ --labels judged.csv --direction harder -o grid.json

    Args:
        pages: Pages, as for `understand score`.
        labels: Labels by docno, a table or a TREC label file; each column of numbers and each
            file is an assessor. May be repeated.
        direction: The meaning of a higher label: higher-harder or higher-easier.
        bundles: An estimator; by default all that come with the package. May be repeated.
        limit_mb: Longest document, in MB once decoded; longer ones become errors.
        progress: Called with the pages and the errors so far.
    """
    assessors = assessors_in(labels)
    models = [*map(bundle_of, bundles or embedded_bundles())]
    read = with_progress(Sources(pages, limit=int(limit_mb * 1e6)), progress)
    result = run_grid(read, assessors, models, direction=direction)
    settings = {
        "pages": list(pages),
        "labels": list(assessors),
        "direction": direction,
        "bundles": {model.name: model.checksum for model in models},
    }
    return replace(result, settings=settings)


def run_grid(
    pages: Iterable[Page | Failure],
    assessors: Mapping[str, Labels],
    bundles: Sequence[Bundle] = (),
    *,
    direction: str = Direction.HARDER,
) -> StudyGrid:
    """Score pages with all features and bundles under all `PIPELINES`, and compare with labels.

    `assessors` are labels by assessor, on one scale, whose `direction` is the meaning of a higher
    label. The label of a page is the mean over its assessors, and the label of an assessor the mean
    over its lines. Features whose resource is not installed have no value and no correlation. This
    is the main experiment of Palotti, Zuccon & Hanbury (2019).

    Raises `InputError` if fewer than 10 pages have a label, or if all labels are equal.
    """
    labels = _labels(assessors, Direction.of(direction).sign)
    if len(labels) < LEAST_PAGES:  # known before any page is read
        raise InputError(
            f"the labels are of {counted(len(labels), 'document')}; "
            f"at least {LEAST_PAGES} are needed"
        )
    if len({label for by_assessor in labels.values() for label in by_assessor.values()}) < 2:
        raise InputError("all labels are the same; they must differ")
    docnos: dict[str, None] = {}
    unlabelled: list[str] = []
    failures: list[Failure] = []
    documents = _documents(pages, labels, docnos, unlabelled, failures)
    rows = np.concatenate([_scores(batch, bundles) for batch in batches(documents)])
    if len(docnos) < LEAST_PAGES:
        raise InputError(
            f"{len(docnos)} of the pages have a label; at least {LEAST_PAGES} are needed, "
            "so check that docnos and labels name the same documents"
        )
    truth = np.array([np.mean(list(labels[docno].values())) for docno in docnos])
    if np.ptp(truth) == 0:
        raise InputError("all labels of the pages are the same; they must differ")
    scores = [(name, COLUMNS[name][0].group) for name in COLUMNS]
    scores += [(bundle.name, ESTIMATORS) for bundle in bundles]
    # Each page has one row per pipeline, in order.
    by_pipeline = [rows[index :: len(PIPELINES)] for index in range(len(PIPELINES))]
    cells = [
        GridCell(name, group, extractor, sentence_ends, *_correlations(column, truth))
        for table, (extractor, sentence_ends) in zip(by_pipeline, PIPELINES, strict=True)
        for (name, group), column in zip(scores, table.T, strict=True)
    ]
    agreements = []
    for pair in combinations(assessors, 2):
        both = [
            [by_assessor[assessor] for assessor in pair]
            for by_assessor in labels.values()
            if {*pair} <= {*by_assessor}
        ]
        if both:
            agreements.append(GridAgreement(pair, *_correlations(*np.array(both).T)))
    seen = {*docnos, *(failure.docno for failure in failures)}
    return StudyGrid(
        len(docnos),
        tuple(cells),
        tuple(agreements),
        tuple(unlabelled),
        tuple(docno for docno in labels if docno not in seen),
        tuple(failures),
        null=null_sizes(np.concatenate(by_pipeline, axis=1), truth),
    )


def null_sizes(scores: Floats, truth: Floats, shuffles: int = _SHUFFLES) -> dict[str, float]:
    """Return the absolute correlation that the best score reaches by chance, by coefficient.

    Labels are shuffled, and the largest absolute correlation over all columns of `scores` (pages,
    scores) is taken. The result is the 95th percentile over the shuffles. With thousands of scores
    it is far above the critical value of a single correlation. Kendall's tau is left out, because
    it is slow.

    >>> noise = np.random.default_rng(0).random((40, 500))
    >>> {name: round(size, 1) for name, size in null_sizes(noise, np.arange(40.0)).items()}
    {'pearson': 0.6, 'spearman': 0.6}
    """
    generator = np.random.default_rng(0)
    # Columns with a value for fewer than half of the pages are no candidates for the best.
    scores = scores[:, 2 * np.isfinite(scores).sum(axis=0) >= len(truth)]
    return {
        "pearson": _null_size(scores, truth, shuffles, generator),
        "spearman": _null_size(_column_ranks(scores), ranks(truth), shuffles, generator),
    }


def _null_size(
    scores: Floats, truth: Floats, shuffles: int, generator: np.random.Generator
) -> float:
    has_score = np.isfinite(scores)
    count = has_score.sum(axis=0)
    centred = np.where(has_score, scores, 0.0)
    centred = np.where(has_score, centred - centred.sum(axis=0) / count, 0.0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    varies = lengths > 1e-12
    if not varies.any():
        return math.nan
    has_score, count, centred = (
        has_score[:, varies],
        count[varies],
        centred[:, varies] / lengths[varies],
    )
    largest = []
    for _ in range(shuffles):
        labels = generator.permutation(truth)
        # The variance of the labels over the pages that have the score.
        squares = labels**2 @ has_score - (labels @ has_score) ** 2 / count
        sizes = np.abs(labels @ centred) / np.sqrt(np.maximum(squares, 1e-12))
        largest.append(float(sizes.max()))
    return float(np.percentile(largest, 95))


def _column_ranks(scores: Floats) -> Floats:
    """Rank the finite values of each column; NaN stays NaN."""
    ranked = np.full(scores.shape, np.nan)
    for column in range(scores.shape[1]):
        has_score = np.isfinite(scores[:, column])
        ranked[has_score, column] = ranks(scores[has_score, column])
    return ranked


def _scores(batch: Batch, bundles: Sequence[Bundle]) -> Floats:
    """Compute the features of a batch and the raw outputs of bundles; (documents, features and
    bundles).
    """
    models = [bundle.model for bundle in bundles]
    raw = [model.read(batch).raw for model in models]
    backgrounds = [model for model in models if isinstance(model, BackgroundModel)]
    return np.column_stack([features_of(batch, tuple(COLUMNS), backgrounds).values, *raw])


def _documents(
    pages: Iterable[Page | Failure],
    labels: Collection[str],
    docnos: dict[str, None],
    unlabelled: list[str],
    failures: list[Failure],
) -> Iterator[Document]:
    """Yield the documents of labelled pages, one for each pipeline.

    The last three arguments are filled with the docnos read, docnos without a label, and failures.
    """
    for page in pages:
        if isinstance(page, Failure):
            failures.append(page)
        elif page.docno not in labels:
            unlabelled.append(page.docno)
        elif page.docno in docnos:
            failures.append(Failure(page.docno, page.path, "read", SEEN_BEFORE))
        else:
            try:
                parsed = parse_page(page)  # once for all pipelines
                blocks = {method: extract(parsed, method) for method in METHODS}
                documents = [
                    document_of(parsed, blocks[method], extractor=method, sentence_ends=ends)
                    for method, ends in PIPELINES
                ]
            except PageError as error:
                failures.append(Failure(page.docno, page.path, error.stage, str(error)))
                continue
            docnos[page.docno] = None
            yield from documents


def _labels(assessors: Mapping[str, Labels], sign: float) -> dict[str, dict[str, float]]:
    """Return labels by document and assessor; several labels of an assessor are averaged."""
    by_document: dict[str, dict[str, float]] = {}
    for assessor, labels in assessors.items():
        counts = np.bincount(labels.docno_ids, minlength=len(labels.docnos))
        sums = np.bincount(labels.docno_ids, labels.values, minlength=len(labels.docnos))
        for docno, count, total in zip(labels.docnos.to_pylist(), counts, sums, strict=True):
            if count:
                by_document.setdefault(docno, {})[assessor] = sign * float(total / count)
    return by_document


def _correlations(values: Floats, labels: Floats) -> tuple[int, float, float, float]:
    """Return the number of finite values, and their three correlations with the labels."""
    has_score = np.isfinite(values)
    pearson, spearman, kendall = correlations(values[has_score], labels[has_score]).values()
    return int(has_score.sum()), pearson, spearman, kendall
