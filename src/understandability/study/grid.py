"""Pages under each way of taking text from them and ending its sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from understandability.arrays import Floats
from understandability.direction import Direction
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
from understandability.model.bundle import Bundle, load_bundle
from understandability.model.bundle_files import embedded_bundles
from understandability.prompt import AtPrompt
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
BEST = "The best of each category, * by which coefficient"
_PERCENTILES = (5, 25, 50, 75, 95, 100)
PIPELINES = tuple((extractor, ends) for extractor in METHODS for ends in SENTENCE_ENDS)


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
    `failures` are pages that cannot be read; `settings` say what was compared.
    """

    pages: int
    cells: tuple[GridCell, ...]
    agreements: tuple[GridAgreement, ...]
    unlabelled: tuple[str, ...]
    absent: tuple[str, ...]
    failures: tuple[Failure, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

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
        return best

    def spread(self, coefficient: str = "spearman") -> Mapping[str, Floats]:
        """The sizes of the correlations of all scores under each pipeline: the study's Figure 2."""
        sizes: dict[str, list[float]] = {}
        for cell in self.cells:
            sizes.setdefault(cell.pipeline, []).append(_size(cell, coefficient))
        return {pipeline: np.array(each)[np.isfinite(each)] for pipeline, each in sizes.items()}

    def tables(self) -> Mapping[str, ResultTable]:
        """What there is to see, by its title; a star marks which coefficient a score leads by."""
        names = tuple(name.capitalize() for name in CORRELATIONS)
        tables = {}
        if self.agreements:
            agreed = tuple(
                (" and ".join(each.assessors), each.n, each.pearson, each.spearman, each.kendall)
                for each in self.agreements
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
        tables[BEST] = ResultTable(columns, tuple(rows), marks, texts=3)
        spread = tuple(
            (pipeline, *np.percentile(sizes, _PERCENTILES).tolist())
            for pipeline, sizes in self.spread().items()
            if len(sizes)
        )
        columns = ("extractor, sentence ends", *(f"{each} %" for each in _PERCENTILES))
        tables["The size of Spearman's correlation over all scores, by percentile"] = ResultTable(
            columns, spread
        )
        return {title: replace(table, digits=3) for title, table in tables.items()}

    def as_dict(self) -> dict[str, object]:
        """The experiment as plain data, for JSON."""
        return {
            "settings": dict(self.settings),
            "pages": self.pages,
            "unlabelled": list(self.unlabelled),
            "absent": list(self.absent),
            "failures": [asdict(failure) for failure in self.failures],
            "assessors": [asdict(agreement) for agreement in self.agreements],
            "best": {
                group: [asdict(each) for each in cells] for group, cells in self.best().items()
            },
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


def grid(
    pages: Annotated[Sequence[str], AtPrompt(list[str], value="INPUT...")],
    *,
    labels: Annotated[Sequence[str], AtPrompt(list[str], "--labels", value="FILE[:COLUMN]")],
    direction: Annotated[str, AtPrompt(str, "--direction")],
    bundles: Annotated[Sequence[str], AtPrompt(list[str], "--bundle")] = (),
    limit_mb: float = DEFAULT_LIMIT / 1e6,
    progress: Annotated[Callable[[int, int], None] | None, AtPrompt(None)] = None,
) -> StudyGrid:
    """Compare every feature and bundle with labels of pages, under each way of reading them.

    The main experiment of Palotti, Zuccon & Hanbury (2019): three extractors, three kinds of
    sentence ends. Shows how assessors agree, the best of each category, and the spread of all.

    Example: understand grid pages/ --labels judged.csv --direction harder -o grid.json

    Args:
        pages: Pages as `understand score` takes them.
        labels: Labels by docno, a table or a TREC label file; each column of numbers and each
            file is an assessor. May be repeated.
        direction: What a higher label means: higher-harder or higher-easier.
        bundles: An estimator; all that come with the package by default. May be repeated.
        limit_mb: Longest document, in MB once decoded; longer ones become errors.
        progress: Called with the pages and the errors so far.
    """
    assessors = assessors_in(labels)
    models = [load_bundle(name) for name in bundles or embedded_bundles()]
    read = with_progress(Sources(pages, limit=int(limit_mb * 1e6)), progress)
    found = run_grid(read, assessors, models, direction=direction)
    settings = {
        "pages": list(pages),
        "labels": list(assessors),
        "direction": direction,
        "bundles": {model.name: model.checksum for model in models},
    }
    return replace(found, settings=settings)


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
    agreements = []
    for pair in combinations(assessors, 2):
        both = [[given[each] for each in pair] for given in labels.values() if {*pair} <= {*given}]
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
