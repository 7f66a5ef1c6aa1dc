"""Score documents in one process: the settings, and the steps from bytes to rows of P(U|d)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypedDict, Unpack

from cyclopts import Parameter

from understandability._version import __version__
from understandability.errors import OptionError, PageError, WrongTypeError, check_choice
from understandability.feature.batch import Batch
from understandability.feature.catalogue import COLUMNS
from understandability.feature.table import batches, features_of, name_missing
from understandability.flags import FlagName
from understandability.keywords import keywords_of, read_by
from understandability.model.bundle import (
    DEFAULT_BUNDLE,
    Bundle,
    Estimate,
    bundle_of,
    load_bundle,
    stored_folder,
)
from understandability.model.bundle_files import read_bundle
from understandability.model.limits import within_limits
from understandability.model.readers import (
    DEFAULT_READER,
    READINGS,
    USERS,
    Reader,
    reader_names,
    reader_of,
)
from understandability.text.analysis import (
    DEFAULT_EXTRACTOR,
    DEFAULT_SENTENCE_ENDS,
    ENGINES,
    EXTRACTORS,
    document_of_page,
    require_extractor,
)
from understandability.text.document import Document
from understandability.text.language import NO_LANGUAGE, UNDETERMINED, language_subtag
from understandability.text.page import HTML, TEXT, Failure, Page
from understandability.text.sentences import SENTENCE_ENDS
from understandability.wording import kind_of, number_or_pi

if TYPE_CHECKING:
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
# Columns that are fields of the estimate.
ESTIMATES = ("p_understandable", "difficulty", "spread", "level", "level_error", "raw")
TEXTS = ("docno", "path", "url", "language", "encoding", "extractor", "scale", "flags")
# Columns of the formula designed for the language of a text that is not English.
LANGUAGE_FORMULA = ("language_formula", "language_formula_value")
NOT_ENGLISH: Final = "not_english"
SMOG_EXTRAPOLATED: Final = "smog_extrapolated"
# The bundle of other languages than English, loaded when a page has one of them.
LANGUAGES_BUNDLE = "languages"


@dataclass(frozen=True)
class Extraction:
    """Settings for finding the text of a page and its sentences.

    >>> Extraction("justext").sentence_ends
    'force-period'

    Args:
        extractor: How to find the text of a page: main, naive, boilerpipe, justext, trafilatura
            (extra).
        sentence_ends: How sentences end at the end of a block of text: none, force-period,
            force-period-always.
        engine: Our own code (fast), or the libraries that it reproduces (reference).
        language: The language of the texts, as a tag such as de; it is believed unless the script
            contradicts it. Default: that of the column, header or page, otherwise detected.
    """

    extractor: Annotated[str, Parameter(choices=EXTRACTORS)] = DEFAULT_EXTRACTOR
    sentence_ends: Annotated[str, Parameter(choices=SENTENCE_ENDS)] = DEFAULT_SENTENCE_ENDS
    engine: Annotated[str, Parameter(choices=ENGINES)] = "fast"
    language: str | None = None

    def __post_init__(self) -> None:
        tag = str(self.language or "und").lower()
        if language_subtag(tag) is None and tag not in NO_LANGUAGE:
            raise OptionError(
                f"expected the tag of a language such as en, de or pt-BR, found {self.language!r}"
            )
        check_choice("extractor", self.extractor, EXTRACTORS)
        check_choice("sentence ends", self.sentence_ends, SENTENCE_ENDS)
        check_choice("engine", self.engine, ENGINES)
        require_extractor(self.extractor, self.engine)


@dataclass(frozen=True)
class Settings(Extraction):
    """All choices that affect scores; equal settings give equal rows.

    Raises `OptionError` where a choice does not exist, and `MissingExtraError` for an extractor
    that is an extra and not installed.

    >>> Settings(threshold=50, user="step").bundle
    'open'

    Args:
        bundle: Name or folder of the model that estimates difficulty.
        reader: For whom the estimate is: public, assessor-2016, plain-language, well-read,
            health-student, or the file of a reader of your own. A reader sets the three below.
            Default: the bundle's own reader, if it has one, else public.
        threshold: The difficulty (0 to 100) below which the reader understands; overrides the
            reader's.
        user: How sharp the threshold is: calibrated, step or arctan; overrides the reader's.
        noise_scale: Scale of the user's noise, a number or `pi`; overrides the reader's. Without
            one, each user model has its own.
        features: Add every feature of the catalogue to the row.
        any_language: Let the bundle estimate every page, whatever its language.
    """

    bundle: str = DEFAULT_BUNDLE
    reader: Annotated[str | Reader | None, Parameter(completer=reader_names)] = None
    threshold: float | None = None
    user: Annotated[str | None, Parameter(choices=USERS)] = None
    noise_scale: Annotated[float | None, read_by(number_or_pi, metavar="NUMBER")] = None
    features: bool = False
    any_language: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bundle", stored_folder(self.bundle))
        object.__setattr__(self, "reader", _reader_given(self.reader))
        for name in ("threshold", "noise_scale"):
            if isinstance(getattr(self, name), int):
                # 30 and 30.0 are equal, so that a cache gives one for the other.
                object.__setattr__(self, name, float(getattr(self, name)))
        who = self.who
        if not 0 <= who.threshold <= 100:
            raise OptionError(
                f"the threshold must be a difficulty from 0 to 100, not {who.threshold:g}"
            )
        check_choice("user", who.user, USERS)
        who.understands(50.0, 1.0)  # reject an invalid noise here, not for every page

    @property
    def who(self) -> Reader:
        """The chosen reader, changed by the other settings; the public if none is chosen."""
        return self.who_for(None)

    def who_for(self, bundle: Bundle | None) -> Reader:
        """Return the reader for a bundle: the chosen one, otherwise the bundle's own, otherwise the
        public.
        """
        if isinstance(self.reader, Reader):
            reader = self.reader
        elif self.reader is None and bundle is not None and bundle.reader is not None:
            reader = bundle.reader
        else:
            reader = reader_of(self.reader or DEFAULT_READER)
        changes = {
            name: getattr(self, name)
            for name in ("threshold", "user", "noise_scale")
            if getattr(self, name) not in (None, getattr(reader, name))
        }
        if not changes:
            return reader
        words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in changes.items())
        changes.setdefault("curve", ())
        description = f"{reader.description}, but {words}"
        if (
            self.reader is None
            and bundle is not None
            and reader.scale_of(bundle.scale) != (reader.scale or bundle.scale)
        ):
            # A reader of the package says nothing about a custom scale.
            description = f"a reader with {words}"
            changes |= {"name": "own", "scale": ""}
        return replace(reader, description=description, **changes)


class ExtractionOptions(TypedDict, total=False):
    """The fields of `Extraction`, as keywords."""

    extractor: str
    sentence_ends: str
    engine: str
    language: str | None


class SettingsOptions(ExtractionOptions, total=False):
    """The fields of `Settings`, as keywords."""

    bundle: Any  # a name, a folder, a Bundle, or the result of `train` or `rescale`
    reader: Any  # a name, a file, a Reader, or the result of `calibrate`
    threshold: float | None
    user: str | None
    noise_scale: float | str | None
    features: bool
    any_language: bool


def _reader_given(reader: Any) -> str | Reader | None:
    """Return the reader itself if `reader` is an object that has one, such as a result of
    `calibrate`.

    Names are returned unchanged.
    """
    if isinstance(reader, Path):
        return str(reader)
    held = reader if isinstance(reader, str | Reader | None) else getattr(reader, "reader", None)
    if (held is None and reader is not None) or not isinstance(held, str | Reader | None):
        raise WrongTypeError(
            "reader takes the name or file of a reader, a Reader, or what calibrate returned, not "
            f"{kind_of(reader)}"
        )
    return held


class RowMaker(Protocol):
    """An object that computes rows of documents, and can be pickled for other processes.

    `settings` are used to turn pages into documents. `described` holds the settings that are stored
    with the rows. `schema` lists the columns of the tables that `rows` returns; one is ``docno``.
    """

    @property
    def settings(self) -> Settings: ...

    @property
    def described(self) -> dict[str, Any]: ...

    @property
    def schema(self) -> pa.Schema: ...

    def rows(self, documents: Sequence[Document]) -> pa.Table:
        """Return a table of the rows of the documents, in the same order."""


def names_of(documents: Sequence[Document]) -> dict[str, list[str | None]]:
    """Return the columns that identify rows: docno, path, and URL (None if it is unknown)."""
    return {
        "docno": [document.docno for document in documents],
        "path": [document.path for document in documents],
        "url": [document.url for document in documents],
    }


def document_under(page: Page, settings: Settings) -> Document:
    """Convert a page to a document under these settings.

    Raises `PageError` if the page cannot be used.
    """
    if settings.language and not page.language:
        page = replace(page, language=settings.language)
    return document_of_page(
        page,
        extractor=settings.extractor,
        sentence_ends=settings.sentence_ends,
        engine=settings.engine,
    )


def document_or_failure(page: Page, settings: Settings) -> Document | Failure:
    """Convert a page to a document under these settings; return a failure in the case of any
    error.
    """
    try:
        return document_under(page, settings)
    except PageError as error:
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from None
        return Failure(page.docno, page.path, error.stage, str(error))
    except MemoryError:
        raise  # no fault of the page
    except Exception as error:
        # A parser that fails on an unforeseen page must not end a crawl.
        message = f"{type(error).__name__}: {error}"
        return Failure(page.docno, page.path, "extract", message)


def documents_of(pages: Iterable[Page | Failure], settings: Settings) -> Iterator[Document]:
    """Yield the documents of pages, without unreadable pages and repeated docnos."""
    seen: set[str] = set()
    for page in pages:
        if isinstance(page, Page) and page.docno not in seen:
            seen.add(page.docno)
            document = document_or_failure(page, settings)
            if isinstance(document, Document):
                yield document


class Scorer:
    """Compute rows of scores under fixed settings. The bundle is loaded once.

    >>> from understandability.text.analysis import document_of_text
    >>> table = Scorer().rows([document_of_text("You should rest, and drink water.")])
    >>> table["words"].to_pylist(), table["p_understandable"][0].as_py() > 0.5
    ([6], True)
    """

    def __init__(self, settings: Settings | None = None, bundle: Bundle | None = None) -> None:
        self.settings = settings or Settings()
        self.bundle = bundle or load_bundle(self.settings.bundle)
        self.reader = who = self.settings.who_for(self.bundle)
        self.scale = who.scale_of(self.bundle.scale)
        self.bundle.calibration_for(self.scale)  # reject another scale here, not for every page
        if self.remark and self.settings.reader is not None:
            raise OptionError(self.remark)
        self.columns: tuple[str, ...] = (*FORMULAS, *COUNTS)
        if self.settings.features:
            self.columns += tuple(name for name in COLUMNS if name not in self.columns)

    def __reduce__(self) -> tuple[type[Scorer], tuple[Settings]]:
        """Pickle the settings only, so that another process loads the bundle itself."""
        return Scorer, (self.settings,)

    @property
    def remark(self) -> str:
        """A sentence that explains why P(U|d) is missing; '' if the threshold fits the bundle."""
        chosen, who = self.settings, self.reader
        if chosen.threshold is not None or who.scale in ("", self.scale):
            return ""
        return (
            f"the threshold {who.threshold:g} of the reader {who.name} is on the scale "
            f"{who.scale} and means nothing on {self.scale}, the scale of bundle "
            f"{self.bundle.name}, so there is no P(U|d): train it with --threshold-label, "
            "find a reader with `understand calibrate`, or give --threshold"
        )

    @property
    def described(self) -> dict[str, Any]:
        """The settings and the versions that the rows depend on, to be stored with the rows."""
        who = self.reader
        return {
            "understandability": __version__,
            **asdict(self.settings),
            "reader": self.settings.reader if isinstance(self.settings.reader, str) else who.name,
            "threshold": who.threshold,
            "user": who.user,
            "noise_scale": who.noise_scale,
            "reader_description": "" if self.remark else who.description,
            "bundle": self.bundle.name,
            "bundle_checksum": self.bundle.checksum,
            "bundle_licence": self.bundle.licence,
            "model": self.bundle.label,
            **({"languages_model": _languages_label()} if self._asks_languages else {}),
            "scale": self.scale,
        }

    @property
    def _asks_languages(self) -> bool:
        """True if documents in other languages than English are estimated by `LANGUAGES_BUNDLE`."""
        return self.bundle.scale == READINGS and not self.settings.any_language

    @cached_property
    def schema(self) -> pa.Schema:
        """The names and types of the columns of `rows`.

        Also warns the user about columns that can have no values.
        """
        import pyarrow as pa

        name_missing(COLUMNS[name][0] for name in self.columns)
        types = {
            **dict.fromkeys((*TEXTS, LANGUAGE_FORMULA[0]), pa.string()),
            **dict.fromkeys(COUNTS, pa.int64()),
        }
        more = self.columns[len(FORMULAS) + len(COUNTS) :]
        names = (*TEXTS[:3], *ESTIMATES, *FORMULAS, *COUNTS, *LANGUAGE_FORMULA, *TEXTS[3:], *more)
        return pa.schema([(name, types.get(name, pa.float64())) for name in names])

    def rows(self, documents: Sequence[Document]) -> pa.Table:
        """Return one row for each document: docno, path, URL, P(U|d), difficulty, formulas,
        counts.
        """
        return self._table(Batch(documents)) if documents else self.schema.empty_table()

    def _table(self, batch: Batch) -> pa.Table:
        import pyarrow as pa

        rows = list(zip(*self._columns(batch).values(), strict=True))
        # For one document a call for each column would take three times as long.
        structs = pa.array(rows, pa.struct(self.schema))
        return pa.Table.from_batches([pa.RecordBatch.from_struct_array(structs)])

    def _columns(self, batch: Batch) -> dict[str, list[Any]]:
        """Compute the columns of `rows`, in the order of `schema`."""
        documents = batch.documents
        table = features_of(batch, self.columns)
        values = dict(zip(table.names, table.values.T.tolist(), strict=True))
        estimates = self.estimates(batch)
        flags = [
            " ".join(dict.fromkeys((*filter(self._is_shown, row), *estimate.flags)))
            for row, estimate in zip(table.flags, estimates, strict=True)
        ]

        return {
            **names_of(documents),
            **{name: [getattr(e, name) for e in estimates] for name in ESTIMATES},
            **{name: values[name] for name in FORMULAS},
            **{name: list(map(int, values[name])) for name in COUNTS},
            **dict(zip(LANGUAGE_FORMULA, _language_formulas(documents), strict=True)),
            "language": [document.language for document in documents],
            "encoding": [document.encoding for document in documents],
            "extractor": [document.extractor for document in documents],
            "scale": [self.scale] * len(documents),
            "flags": flags,
            **{name: values[name] for name in self.columns[len(FORMULAS) + len(COUNTS) :]},
        }

    def _is_shown(self, flag: str) -> bool:
        """Return True if a row should show this flag.

        Flags that nearly all texts have are hidden, unless all features are requested.
        """
        return self.settings.features or flag != SMOG_EXTRAPOLATED

    def estimates(self, batch: Batch) -> tuple[Estimate, ...]:
        """Estimate each document with the bundle for its language.

        English documents are estimated by the chosen bundle. If that bundle has the scale of
        readings, documents in the languages of `LANGUAGES_BUNDLE` are estimated by the latter;
        values that it does not compute are NaN. A document in any other language has the flag
        ``not_english`` and only NaN, unless `any_language` is chosen. P(U|d) is missing if the
        threshold of the reader is on another scale than the bundle (`remark`).
        """
        estimates = self.own_estimates(batch)
        if self.settings.any_language:
            return tuple(
                replace(estimate, flags=(*estimate.flags, *_remarks_on(document.language)))
                for estimate, document in zip(estimates, batch.documents, strict=True)
            )
        flagged = [(document.language or "en") != "en" for document in batch.documents]
        if not (self._asks_languages and any(flagged)):
            return estimates
        others = load_languages().estimate(batch, self.reader)
        return tuple(
            other if foreign and not math.isnan(other.level) else estimate
            for foreign, estimate, other in zip(flagged, estimates, others, strict=True)
        )

    def own_estimates(self, batch: Batch) -> tuple[Estimate, ...]:
        """Estimate documents with the chosen bundle: only English ones, unless `any_language` is
        chosen.
        """
        languages = [
            "en" if self.settings.any_language else document.language or "en"
            for document in batch.documents
        ]
        if "en" not in languages:
            return tuple(
                _no_estimate(document.docno, language)
                for document, language in zip(batch.documents, languages, strict=True)
            )
        estimates = self.bundle.estimate(batch, self.reader)
        if self.bundle.scale == READINGS:
            estimates = within_limits(batch, estimates)
        if self.remark:
            estimates = tuple(replace(e, p_understandable=math.nan) for e in estimates)
        return tuple(
            estimate if language == "en" else _no_estimate(estimate.docno, language, estimate.flags)
            for language, estimate in zip(languages, estimates, strict=True)
        )

    def score_page(self, page: Page) -> dict[str, Any]:
        """Return the row of one page, for example while a search engine indexes it.

        Raises `PageError` if the page cannot be used.

        >>> scorer = Scorer(Settings(extractor="naive"))
        >>> scorer.score_page(Page("flu", "", b"<p>You have flu. Rest and drink."))["words"]
        6
        """
        document = document_under(page, self.settings)
        return {name: column[0] for name, column in self._columns(Batch([document])).items()}

    def score_all(self, documents: Iterable[Document]) -> Iterator[pa.Table]:
        """Yield tables of bounded size with the rows of many documents; at least one table."""
        for batch in batches(documents):
            yield self._table(batch) if len(batch) else self.schema.empty_table()


def _language_formulas(documents: Sequence[Document]) -> Iterator[list[Any]]:
    """Yield the names, then the values, of the formula designed for the language of each document.

    English documents have the name '' and the value None.
    """
    formulas: list[tuple[str, float | None]] = []
    for document in documents:
        if (document.language or "en") == "en":
            formulas.append(("", None))
            continue
        from understandability.feature.formulas_of_languages import language_formula

        formulas.append(language_formula(document))
    yield [name for name, _ in formulas]
    yield [value for _, value in formulas]


def _remarks_on(language: str | None) -> tuple[FlagName, ...]:
    """Return the flag ``not_english`` for a document in another language.

    If the language is uncertain, another flag says so already, and there is none here.
    """
    flags: tuple[FlagName, ...] = ()
    if language not in (None, "en", UNDETERMINED):
        flags = (NOT_ENGLISH,)
    return flags


def _no_estimate(docno: str, language: str, flags: tuple[FlagName, ...] = ()) -> Estimate:
    """Return an estimate of NaN for a document in a language that the bundle does not support."""
    none = math.nan
    return Estimate(docno, none, none, none, none, flags=(*flags, *_remarks_on(language)))


@cache
def load_languages() -> Bundle:
    """Load `LANGUAGES_BUNDLE`, the bundle for languages other than English; cached."""
    return load_bundle(LANGUAGES_BUNDLE)


@cache
def _languages_label() -> str:
    """Return the name and the checksum of `LANGUAGES_BUNDLE`, without loading the model."""
    return f"{LANGUAGES_BUNDLE}@{read_bundle(LANGUAGES_BUNDLE).checksum[:12]}"


@lru_cache(maxsize=4)
def scorer_of(settings: Settings) -> Scorer:
    """Return the scorer for these settings; it is cached together with its bundle."""
    return Scorer(settings)


@lru_cache(maxsize=4)
def _scorer_with(choices: frozenset[tuple[str, Any]]) -> Scorer:
    return scorer_of(Settings(**dict(choices)))


@keywords_of(Settings)
def scorer_with(**choices: Unpack[SettingsOptions]) -> Scorer:
    """Return the cached scorer for settings with these fields; equal fields are checked only
    once.
    """
    if not isinstance(choices.get("bundle", ""), str | Path):
        others = {name: value for name, value in choices.items() if name != "bundle"}
        return Scorer(Settings(**others), bundle_of(choices["bundle"]))  # type: ignore[arg-type]  # checked there
    try:
        return _scorer_with(frozenset(choices.items()))
    except TypeError:  # a value without a hash: `Settings` raises an error that explains it
        return scorer_of(Settings(**choices))  # type: ignore[arg-type]  # checked there


def _wrong_type(takes: str, value: object) -> WrongTypeError:
    """Return the error for an argument of the wrong type; `takes` says what the function
    accepts.
    """
    from understandability.inputs.frames import wrong_type  # which imports Arrow

    return wrong_type(takes, value)


@keywords_of(Settings)
def score_text(text: str, **settings: Unpack[SettingsOptions]) -> dict[str, Any]:
    """Score a plain text and return its row: P(U|d), difficulty, formulas, counts, flags.

    `settings` are fields of `Settings`, such as ``threshold=40``. Raises `PageError` where the text
    cannot be used.

    >>> row = score_text("You have flu. Rest, and drink water.")
    >>> row["words"], row["p_understandable"] > 0.5
    (7, True)
    """
    if not isinstance(text, str):
        raise _wrong_type("score_text takes a text (str)", text)
    return scorer_with(**settings).score_page(Page("text", "", text, TEXT))


@keywords_of(Settings)
def score_html(
    html: str | bytes, url: str | None = None, **settings: Unpack[SettingsOptions]
) -> dict[str, Any]:
    """Score one HTML page and return its row; `settings` are fields of `Settings`.

    Raises `PageError` where the page cannot be used.

    >>> score_html("<p>You have flu.<p>Rest, and drink water.", extractor="naive")["sentences"]
    2
    """
    if not isinstance(html, str | bytes):
        raise _wrong_type("score_html takes HTML (str or bytes)", html)
    scorer = scorer_with(**settings)
    return scorer.score_page(Page(url or "page", url or "", html, HTML, url=url))
