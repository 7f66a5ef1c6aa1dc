"""Pages under each way of taking text from them and ending its sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from understandability.arrays import Floats
from understandability.direction import Direction
from understandability.errors import InputError, PageError
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches, features_of
from understandability.inputs.run import Labels
from understandability.inputs.runs import numeric_columns, read_labels
from understandability.model.background import BackgroundModel
from understandability.model.bundle import Bundle
from understandability.scoring import Scorer, document_or_failure
from understandability.text.analysis import document_of, extract
from understandability.text.document import Document
from understandability.text.page import SEEN_BEFORE, Failure, Page
from understandability.text.parsed import parse_page
from understandability.text.sentences import SENTENCE_ENDS
from understandability.training.labelled import LEAST_RECORDS
from understandability.training.validation import CORRELATIONS, correlations
from understandability.wording import counted

ESTIMATORS = "estimators"  # the group of the bundles
METHODS = ("naive", "boilerpipe", "justext")
PIPELINES = tuple((extractor, ends) for extractor in METHODS for ends in SENTENCE_ENDS)
# What `compare_methods` measures.
MEASURED = ("words", "sentences", "dale_chall", "gunning_fog", "flesch_reading_ease", "difficulty")


@dataclass(frozen=True, slots=True)
class MethodValues:
    """What one method under one policy makes of some pages: a row a page with text.

    `values` has a column for each of `MEASURED`; (pages, columns), float64.
    """

    method: str
    sentence_ends: str
    values: Floats

    @property
    def name(self) -> str:
        """The method and the policy, as tables call them."""
        return f"{self.method}, {self.sentence_ends}"

    def column(self, name: str) -> Floats:
        """The values of one of `MEASURED`."""
        return self.values[:, MEASURED.index(name)]

    def medians(self) -> list[float]:
        """The median of each column, NaN where no page has text."""
        if not len(self.values):
            return [np.nan] * len(MEASURED)
        return [float(value) for value in np.nanmedian(self.values, axis=0)]


def compare_methods(pages: Iterable[Page | Failure], scorer: Scorer) -> list[MethodValues]:
    """The values of pages under each of `PIPELINES` (Palotti, Zuccon & Hanbury 2015)."""
    readable = [page for page in pages if isinstance(page, Page)]
    found = []
    for method, policy in PIPELINES:
        settings = replace(scorer.settings, extractor=method, sentence_ends=policy)
        results = [document_or_failure(page, settings) for page in readable]
        documents = [each for each in results if not isinstance(each, Failure) and each.pieces]
        table = pa.concat_tables(t.select(list(MEASURED)) for t in scorer.score_all(documents))
        columns = [table[name].to_numpy().astype(np.float64) for name in MEASURED]
        found.append(MethodValues(method, policy, np.column_stack(columns)))
    return found


@dataclass(frozen=True, slots=True)
class GridCell:
    """One score under one pipeline against the labels, harder = higher.

    `n` is how many labelled pages have the score; a correlation is NaN where it does not vary.
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
        """The group of a feature, the name of a bundle."""
        return self.name if self.group == ESTIMATORS else self.group

    @property
    def pipeline(self) -> str:
        """Extractor and sentence ends, as in ``naive, none``."""
        return f"{self.extractor}, {self.sentence_ends}"


@dataclass(frozen=True, slots=True)
class GridAgreement:
    """Two assessors on the `n` pages that both judged."""

    assessors: tuple[str, str]
    n: int
    pearson: float
    spearman: float
    kendall: float


@dataclass(frozen=True)
class StudyGrid:
    """The whole experiment.

    `unlabelled` are docnos of pages without a label, `absent` labelled ones without a page;
    `failures` are pages that cannot be read.
    """

    pages: int
    cells: tuple[GridCell, ...]
    agreements: tuple[GridAgreement, ...]
    unlabelled: tuple[str, ...]
    absent: tuple[str, ...]
    failures: tuple[Failure, ...]

    def best(self) -> Mapping[str, tuple[GridCell, ...]]:
        """The scores of each category that lead by a coefficient, whatever its sign.

        The study's Table 3; each bundle is a category of its own. What less than half of the
        pages have is no candidate.
        """
        categories: dict[str, list[GridCell]] = {}
        for cell in self.cells:
            if 2 * cell.n >= self.pages:
                categories.setdefault(cell.category, []).append(cell)
        best = {}
        for category, cells in categories.items():
            winners: dict[GridCell, None] = {}
            for coefficient in CORRELATIONS:
                known = [cell for cell in cells if np.isfinite(_size(cell, coefficient))]
                if known:
                    winners[max(known, key=lambda cell: _size(cell, coefficient))] = None
            if winners:
                best[category] = tuple(winners)
        return MappingProxyType(best)

    def spread(self, coefficient: str = "spearman") -> Mapping[str, Floats]:
        """The sizes of the correlations of all scores under each pipeline: the study's Figure 2."""
        sizes: dict[str, list[float]] = {}
        for cell in self.cells:
            sizes.setdefault(cell.pipeline, []).append(_size(cell, coefficient))
        return MappingProxyType(
            {pipeline: np.array(each)[np.isfinite(each)] for pipeline, each in sizes.items()}
        )


def _size(cell: GridCell, coefficient: str) -> float:
    return abs(float(getattr(cell, coefficient)))


def assessors_in(labels: Sequence[str]) -> dict[str, Labels]:
    """The labels of each column of numbers of tables, and of each label file, by docno.

    Each of `labels` is a FILE, or FILE:COLUMN. Raises `InputError` for a table without numbers.
    """
    found: dict[str, Labels] = {}
    for text in labels:
        path, _, column = text.rpartition(":") if not Path(text).exists() else (text, "", "")
        path = path or text
        columns = [column] if column else numeric_columns(path)
        if columns is None:
            found[text] = read_labels(path)
        elif not columns:
            raise InputError(f"{path} has no column of numbers other than docno")
        else:
            found |= {f"{path}:{name}": read_labels(path, column=name) for name in columns}
    return found


def run_grid(
    pages: Iterable[Page | Failure],
    assessors: Mapping[str, Labels],
    bundles: Sequence[Bundle] = (),
    *,
    direction: str = Direction.HARDER,
) -> StudyGrid:
    """Score pages by everything there is under all `PIPELINES`, and compare with the labels.

    `assessors` are labels by who gave them, on one scale, whose `direction` says what a higher one
    means; a page's label is the mean of its assessors, an assessor's that of its lines. The
    columns of features whose resource is not installed have no value, and no correlation. (The
    main experiment of Palotti, Zuccon & Hanbury 2019.)

    Raises `InputError` where less than 30 pages have a label, or all have the same.
    """
    labels = _labels(assessors, Direction.of(direction).sign)
    if len(labels) < LEAST_RECORDS:  # known before any page is read
        raise InputError(
            f"the labels are of {counted(len(labels), 'document')}; "
            f"at least {LEAST_RECORDS} are needed"
        )
    if len({label for given in labels.values() for label in given.values()}) < 2:
        raise InputError("all labels are the same; they must differ")
    docnos: dict[str, None] = {}
    unlabelled: list[str] = []
    failures: list[Failure] = []
    documents = _documents(pages, labels, docnos, unlabelled, failures)
    rows = np.concatenate([_scores(batch, bundles) for batch in batches(documents)])
    if len(docnos) < LEAST_RECORDS:
        raise InputError(
            f"{len(docnos)} of the pages have a label; at least {LEAST_RECORDS} are needed, "
            "so check that docnos and labels name the same documents"
        )
    truth = np.array([np.mean(list(labels[docno].values())) for docno in docnos])
    if np.ptp(truth) == 0:
        raise InputError("all labels of the pages are the same; they must differ")
    scores = [(name, COLUMNS[name][0].group) for name in COLUMNS]
    scores += [(bundle.name, ESTIMATORS) for bundle in bundles]
    cells = [
        GridCell(name, group, extractor, sentence_ends, *_correlations(column, truth))
        for place, (extractor, sentence_ends) in enumerate(PIPELINES)
        for (name, group), column in zip(scores, rows[place :: len(PIPELINES)].T, strict=True)
    ]
    seen = {*docnos, *(failure.docno for failure in failures)}
    return StudyGrid(
        len(docnos),
        tuple(cells),
        tuple(_agreements(labels, list(assessors))),
        tuple(unlabelled),
        tuple(docno for docno in labels if docno not in seen),
        tuple(failures),
    )


def _scores(batch: Batch, bundles: Sequence[Bundle]) -> Floats:
    """(documents, columns and bundles)."""
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
    """The documents of the labelled pages; where each page went is told in the last three."""
    for page in pages:
        if isinstance(page, Failure):
            failures.append(page)
        elif page.docno not in labels:
            unlabelled.append(page.docno)
        elif page.docno in docnos:
            failures.append(Failure(page.docno, page.path, "read", SEEN_BEFORE))
        else:
            try:
                documents = _documents_of(page)
            except PageError as error:
                failures.append(Failure(page.docno, page.path, error.stage, str(error)))
                continue
            docnos[page.docno] = None
            yield from documents


def _documents_of(page: Page) -> list[Document]:
    """The document of a page under each pipeline; it is parsed once."""
    parsed = parse_page(page)
    blocks = {method: extract(parsed, method) for method in METHODS}
    return [
        document_of(parsed, blocks[extractor], extractor=extractor, sentence_ends=sentence_ends)
        for extractor, sentence_ends in PIPELINES
    ]


def _labels(assessors: Mapping[str, Labels], sign: float) -> dict[str, dict[str, float]]:
    """Document to assessor to label; the mean where an assessor has several lines for it."""
    by_document: dict[str, dict[str, float]] = {}
    for assessor, labels in assessors.items():
        counts = np.bincount(labels.docno_ids, minlength=len(labels.docnos))
        sums = np.bincount(labels.docno_ids, labels.values, minlength=len(labels.docnos))
        for docno, count, total in zip(labels.docnos.to_pylist(), counts, sums, strict=True):
            if count:
                by_document.setdefault(docno, {})[assessor] = sign * float(total / count)
    return by_document


def _correlations(values: Floats, labels: Floats) -> tuple[int, float, float, float]:
    """How many values there are, and the three coefficients."""
    known = np.isfinite(values)
    pearson, spearman, kendall = correlations(values[known], labels[known]).values()
    return int(known.sum()), pearson, spearman, kendall


def _agreements(
    labels: Mapping[str, Mapping[str, float]], assessors: Sequence[str]
) -> Iterator[GridAgreement]:
    for one, other in combinations(assessors, 2):
        both = [
            (given[one], given[other]) for given in labels.values() if {one, other} <= set(given)
        ]
        if both:
            yield GridAgreement((one, other), *_correlations(*np.array(both).T))


def report(grid: StudyGrid) -> dict[str, object]:
    """The experiment as plain data, for JSON."""
    return {
        "pages": grid.pages,
        "unlabelled": list(grid.unlabelled),
        "absent": list(grid.absent),
        "failures": [asdict(failure) for failure in grid.failures],
        "assessors": [asdict(agreement) for agreement in grid.agreements],
        "best": {group: [asdict(cell) for cell in cells] for group, cells in grid.best().items()},
        "spread": {
            coefficient: {
                pipeline: np.percentile(sizes, [5, 25, 50, 75, 95]).tolist()
                for pipeline, sizes in grid.spread(coefficient).items()
                if len(sizes)
            }
            for coefficient in CORRELATIONS
        },
        "correlations": [asdict(cell) for cell in grid.cells],
    }
