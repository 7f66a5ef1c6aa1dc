"""Pages to rows: what one process does, from bytes to P(U|d)."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from understandability._version import __version__
from understandability.documents import (
    DEFAULT_EXTRACTOR,
    DEFAULT_SENTENCE_ENDS,
    document_of_page,
    document_of_text,
)
from understandability.errors import OptionError, PageError
from understandability.extraction import ENGINES, EXTRACTORS, SENTENCE_ENDS, require_extractor
from understandability.features import COLUMNS, Batch, batches, features_of
from understandability.models import DEFAULT_BUNDLE, load_bundle
from understandability.models.readers import USERS
from understandability.records import SEEN_BEFORE, Document, Estimate, Failure, Page
from understandability.storage.tables import SETTINGS_KEY

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FORMULAS = (
    "ari",
    "coleman_liau",
    "dale_chall",
    "flesch_kincaid",
    "flesch_reading_ease",
    "gunning_fog",
    "gunning_fog_plain",
    "lix",
    "smog",
)
COUNTS = ("words", "sentences")
TEXTS = ("docno", "source", "language", "encoding", "extractor", "flags")
NOT_ENGLISH = "not_english"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is chosen for a run; two runs with equal settings give equal rows.

    Raises `OptionError` where a choice does not exist, and `MissingExtraError` for an extractor
    that is an extra and not installed.

    >>> Settings(threshold=50, user="step").bundle
    'default'

    `extractor`, `sentence_ends`, `engine`
        How text is taken from pages (`EXTRACTORS`, `SENTENCE_ENDS`, `ENGINES`).
    `bundle`
        The name or folder of the model that estimates difficulty.
    `threshold`, `user`, `noise_scale`
        The reader: copes with a difficulty below `threshold` (0 to 100); see `USERS`. Without
        a `noise_scale` each user has its own.
    `features`
        Whether every feature of the catalogue stands in the row.
    `any_language`
        Whether pages in other languages than English are estimated too.
    """

    extractor: str = DEFAULT_EXTRACTOR
    sentence_ends: str = DEFAULT_SENTENCE_ENDS
    engine: str = "fast"
    bundle: str = DEFAULT_BUNDLE
    threshold: float = 40.0
    user: str = "calibrated"
    noise_scale: float | None = None
    features: bool = False
    any_language: bool = False

    def __post_init__(self) -> None:
        for name, chosen, allowed in (
            ("extractor", self.extractor, EXTRACTORS),
            ("sentence_ends", self.sentence_ends, SENTENCE_ENDS),
            ("engine", self.engine, ENGINES),
            ("user", self.user, USERS),
        ):
            if chosen not in allowed:
                raise OptionError(
                    f"{name.replace('_', ' ')} {chosen!r} does not exist; "
                    f"choose one of {', '.join(allowed)}"
                )
        require_extractor(self.extractor)


class Documents:
    """Documents of pages, one after another; what cannot be one stands in `failures`.

    `count` is how many there have been. A docno that came before is a failure: the first of
    two wins.
    """

    def __init__(self, pages: Iterable[Page | Failure], settings: Settings) -> None:
        self._pages, self._settings = pages, settings
        self._seen: set[str] = set()
        self.failures: list[Failure] = []
        self.count = 0
        # What `Sources` pass over, by kind; other iterables of pages pass nothing over.
        skipped: Counter[str] | None = getattr(pages, "skipped", None)
        self.skipped = Counter() if skipped is None else skipped

    def __iter__(self) -> Iterator[Document]:
        for page in self._pages:
            result = self._document(page)
            if isinstance(result, Failure):
                self.failures.append(result)
            else:
                self.count += 1
                yield result

    def _document(self, page: Page | Failure) -> Document | Failure:
        if isinstance(page, Failure):
            return page
        if page.docno in self._seen:
            return Failure(page.docno, page.source, "read", SEEN_BEFORE)
        self._seen.add(page.docno)
        return document_or_failure(page, self._settings)


def document_or_failure(page: Page, settings: Settings) -> Document | Failure:
    """The document of a page under the settings; what goes wrong with it becomes a failure."""
    try:
        return document_of_page(
            page,
            extractor=settings.extractor,
            sentence_ends=settings.sentence_ends,
            engine=settings.engine,
        )
    except PageError as error:
        return Failure(page.docno, page.source, error.stage, str(error))
    except Exception as error:
        # What a parser does on a page that nobody foresaw must not end a crawl.
        message = f"{type(error).__name__}: {error}"
        return Failure(page.docno, page.source, "extract", message)


class Scorer:
    """Estimates documents under fixed settings; loads its bundle once.

    >>> table = Scorer().score([document_of_text("You should rest, and drink water.")])
    >>> table["words"].to_pylist(), table["p_understandable"][0].as_py() > 0.5
    ([6], True)
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.bundle = load_bundle(self.settings.bundle)
        self.columns: tuple[str, ...] = (*FORMULAS, *COUNTS)
        if self.settings.features:
            self.columns += tuple(name for name in COLUMNS if name not in self.columns)

    @property
    def described(self) -> dict[str, Any]:
        """What was chosen, with the versions it depends on, to stand beside the rows."""
        return {
            "understandability": __version__,
            **asdict(self.settings),
            "bundle": self.bundle.name,
            "bundle_checksum": self.bundle.checksum,
            "bundle_licence": self.bundle.licence,
        }

    @cached_property
    def schema(self) -> pa.Schema:
        """The names and the types of the columns that `score` gives."""
        import pyarrow as pa

        types = {
            **dict.fromkeys(TEXTS, pa.string()),
            **dict.fromkeys(COUNTS, pa.int64()),
        }
        names = self._columns(Batch([document_of_text("A text.")]))
        return pa.schema([(name, types.get(name, pa.float64())) for name in names])

    def score(self, documents: Sequence[Document]) -> pa.Table:
        """One row for each document: `docno`, `source`, P(U|d), difficulty, formulas, counts."""
        return self._table(Batch(documents)) if documents else self.schema.empty_table()

    def _table(self, batch: Batch) -> pa.Table:
        import pyarrow as pa

        rows = list(zip(*self._columns(batch).values(), strict=True))
        # For one document a call for each column would take three times as long.
        structs = pa.array(rows, pa.struct(self.schema))
        return pa.Table.from_batches([pa.RecordBatch.from_struct_array(structs)])

    def _columns(self, batch: Batch) -> dict[str, list[Any]]:
        """The columns of `score`."""
        documents = batch.documents
        table = features_of(batch, self.columns)
        values = dict(zip(table.names, table.values.T.tolist(), strict=True))
        estimates = self.estimates(batch)
        flags = [
            " ".join(dict.fromkeys((*row, *estimate.flags)))
            for row, estimate in zip(table.flags, estimates, strict=True)
        ]

        return {
            "docno": [document.docno for document in documents],
            "source": [document.source for document in documents],
            "p_understandable": [estimate.p_understandable for estimate in estimates],
            "difficulty": [estimate.difficulty for estimate in estimates],
            "spread": [estimate.spread for estimate in estimates],
            "level": [estimate.level for estimate in estimates],
            "raw": [estimate.raw for estimate in estimates],
            **{name: values[name] for name in FORMULAS},
            **{name: list(map(int, values[name])) for name in COUNTS},
            "language": [document.language for document in documents],
            "encoding": [document.encoding for document in documents],
            "extractor": [document.extractor for document in documents],
            "flags": flags,
            **{name: values[name] for name in self.columns[len(FORMULAS) + len(COUNTS) :]},
        }

    def estimates(self, batch: Batch) -> tuple[Estimate, ...]:
        """The estimate of each document.

        Of one in another language than English, unless `any_language` is chosen, it is NaN, with
        the flag ``not_english``.
        """
        estimates = self.bundle.estimate(
            batch,
            threshold=self.settings.threshold,
            user=self.settings.user,
            noise_scale=self.settings.noise_scale,
        )
        return tuple(
            replace(
                estimate,
                p_understandable=math.nan,
                difficulty=math.nan,
                spread=math.nan,
                raw=math.nan,
                level=math.nan,
                flags=(*estimate.flags, NOT_ENGLISH),
            )
            if document.language not in (None, "en") and not self.settings.any_language
            else estimate
            for document, estimate in zip(batch.documents, estimates, strict=True)
        )

    def score_page(self, page: Page) -> dict[str, Any]:
        """The row of one page, as when a search engine indexes it; raises `PageError`.

        >>> scorer = Scorer(Settings(extractor="naive"))
        >>> scorer.score_page(Page("flu", "", b"<p>You have flu. Rest and drink."))["words"]
        6
        """
        document = document_of_page(
            page,
            extractor=self.settings.extractor,
            sentence_ends=self.settings.sentence_ends,
            engine=self.settings.engine,
        )
        return {name: column[0] for name, column in self._columns(Batch([document])).items()}

    def score_all(self, documents: Iterable[Document]) -> Iterator[pa.Table]:
        """The rows of many documents, in tables of a bounded size; at least one, if empty."""
        for batch in batches(documents):
            yield self._table(batch) if len(batch) else self.schema.empty_table()


@dataclass(frozen=True)
class Scores:
    """What `score` gives: a table with one row a document, and the failures beside it."""

    table: pa.Table
    failures: tuple[Failure, ...]
    skipped: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __getitem__(self, docno: str) -> dict[str, Any]:
        """The row of one document."""
        import pyarrow.compute as pc

        index = pc.index(self.table["docno"], docno).as_py()
        if index < 0:
            raise KeyError(docno)
        return dict(self.table.slice(index, 1).to_pylist()[0])

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table; its metadata hold the settings."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame, where pandas is installed."""
        return self.table.to_pandas()


def score(
    pages: Iterable[Page | Failure], settings: Settings | None = None, **changes: Any
) -> Scores:
    """Score pages, as from `read_pages`; `changes` are fields of `Settings`.

    >>> from understandability import read_pages, score
    >>> from understandability.storage.resources import resource
    >>> scores = score(read_pages(resource("samples")), threshold=40)
    >>> scores["easy.html"]["difficulty"] < scores["hard.html"]["difficulty"]
    True
    """
    scorer = Scorer(replace(settings or Settings(), **changes))
    documents = Documents(pages, scorer.settings)
    import pyarrow as pa

    table = pa.concat_tables(scorer.score_all(documents))
    metadata = {SETTINGS_KEY: json.dumps(scorer.described)}
    return Scores(
        table.replace_schema_metadata(metadata), tuple(documents.failures), documents.skipped
    )
