"""Texts, pages, files and tables in; rows of scores, features and reports out."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understandability.crawls.engine import fill_folder, make_rows
from understandability.crawls.folder import CrawlFolder
from understandability.crawls.merge import Merged, merged_rows
from understandability.crawls.merge import merge as merge_folder
from understandability.crawls.outputs import InMemory
from understandability.crawls.plan import GivenPages, Plan, check_can_go_on, make_plan, shard_of
from understandability.crawls.status import Status, status_of
from understandability.crawls.workers import Limits, cores
from understandability.errors import WrongTypeError
from understandability.feature.catalogue import select_columns
from understandability.feature.formulas_of_languages import readability_of
from understandability.inputs.frames import in_kind_of, is_frame, table_of
from understandability.inputs.page_tables import (
    TableColumns,
    kept_names,
    media_type_of,
    remarks_on_kept,
)
from understandability.inputs.remote import is_url
from understandability.inputs.sources import DEFAULT_LIMIT, Sources
from understandability.inputs.tables import SETTINGS_KEY
from understandability.inputs.writing import write_text
from understandability.rows import FeatureRows
from understandability.scoring import Scorer, Settings, document_under
from understandability.text.page import HTML, TEXT, Failure, Page
from understandability.writers.explanation import Explanation
from understandability.writers.explanation import explain as explain_document
from understandability.writers.page_report import page_report

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_log = logging.getLogger(__name__)

Inputs = str | Path | Sequence[str | Path] | Mapping[str, str] | Iterable[Page | Failure]


@dataclass(frozen=True)
class Rows:
    """A `table` with a row for each document, and the `failures` of those without one.

    Unknown values are null. `skipped` counts what is not a document, by kind.
    """

    table: pa.Table
    failures: tuple[Failure, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}, documents: {len(self)}, failures: {len(self.failures)}; "
            ".to_pandas() or .to_arrow() gives the rows, [docno] one of them>"
        )

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each row."""
        yield from self.table.to_pylist()

    def __getitem__(self, docno: str) -> dict[str, Any]:
        """The row of one document; raises `KeyError`."""
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

    def to_polars(self) -> Any:
        """The rows as a polars data frame, where polars is installed."""
        import polars as pl

        return pl.from_arrow(self.table)


class Scores(Rows):
    """What `score` gives: rows of scores by docno, and the failures."""


class PageExplanation(Explanation):
    """What `explain` gives: what makes a page hard. A notebook displays it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.document.docno}, {self.words} words, difficulty "
            f"{self.estimate.difficulty:.1f}; .to_html(path) writes the report, .terms and "
            ".hard_words are what to replace>"
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one HTML file that needs no network; written to a `path`, if any."""
        text = page_report([self])
        if path is not None:
            write_text(str(path), text)
        return text

    def _repr_html_(self) -> str:
        from html import escape

        # In a frame of its own, the notebook's styles and the report's do not mix.
        source = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{source}" width="100%" height="700" style="border:0"></iframe>'


def score_text(text: str, **settings: Any) -> dict[str, Any]:
    """The row of scores of a plain text: P(U|d), difficulty, formulas, counts, flags.

    `settings` are fields of `Settings`, such as ``threshold=40``. Raises `PageError` where the
    text cannot be used.

    >>> row = score_text("You have flu. Rest, and drink water.")
    >>> row["words"], row["p_understandable"] > 0.5
    (7, True)
    """
    if not isinstance(text, str):
        raise WrongTypeError(f"score_text takes a text (str), not {_kind(text)}; {_advice(text)}")
    return _scorer(Settings(**settings)).score_page(Page("text", "", text, TEXT))


def score_html(html: str | bytes, url: str | None = None, **settings: Any) -> dict[str, Any]:
    """The row of scores of one HTML page; `settings` are fields of `Settings`.

    Raises `PageError` where the page cannot be used.

    >>> score_html("<p>You have flu.<p>Rest, and drink water.", extractor="naive")["sentences"]
    2
    """
    if not isinstance(html, str | bytes):
        raise WrongTypeError(
            f"score_html takes HTML (str or bytes), not {_kind(html)}; {_advice(html)}"
        )
    scorer = _scorer(Settings(**settings))
    return scorer.score_page(Page(url or "page", url or "", html, HTML, url=url))


def score(
    inputs: Inputs,
    *,
    workers: int = 1,
    docnos: Collection[str] | None = None,
    limit_mb: float = DEFAULT_LIMIT / 1e6,
    columns: TableColumns | None = None,
    **settings: Any,
) -> Scores:
    """Score pages: a path, several, pages as from `read_pages`, or a dictionary of texts.

    A path is a file or a folder of any kind that the command takes, or a URL; a dictionary has
    docnos and texts, or HTML. `docnos` are the documents to score, `limit_mb` is the length of the
    longest document, `columns` says what columns of tables hold, `settings` are fields of
    `Settings`. With `workers` above 1, processes share the work, and a page that hangs or crashes
    its process becomes a failure.

    >>> from understandability.resources import resource
    >>> scores = score(resource("samples"), threshold=40)
    >>> scores["easy.html"]["difficulty"] < scores["hard.html"]["difficulty"]
    True
    >>> score({"a": "You have flu.", "b": "Rest."}).table["docno"].to_pylist()
    ['a', 'b']
    """
    scorer = _scorer(Settings(**settings))
    plan = make_plan(_sources(inputs, docnos, limit_mb, columns), scorer)
    return Scores(*_made(plan, workers))


def score_table(
    frame: Any,
    *,
    text: str | None = None,
    html: str | None = None,
    id: str | None = None,  # noqa: A002 - as the option of the command and the column are called
    url: str | None = None,
    keep: Sequence[str] = (),
    workers: int = 1,
    **settings: Any,
) -> Any:
    """Score the rows of a table of pandas, polars, Arrow or lists; the same kind comes out.

    `text` or `html` is the column with the content, `id` the one with names (else ``docno`` is
    the number of the row), `url` that with addresses; `keep` are columns to copy into the result,
    one that meets a column of ours as ``input_`` and its name.
    The result has the rows of the table in the same order; if a document cannot be scored, the
    column ``error`` says why and the scores are null. A step for Ray's ``map_batches``, Spark's
    ``mapInPandas`` and their like: equal columns in, equal columns out.

    >>> table = {"url": ["a", "b"], "body": ["You have flu.", None]}
    >>> rows = score_table(table, text="body", id="url")
    >>> rows["docno"], rows["words"], rows["error"]
    (['a', 'b'], [3, None], [None, "the row has no 'body'"])
    """
    import pyarrow as pa

    if not isinstance(frame, Mapping) and not is_frame(frame):
        raise WrongTypeError(
            "score_table takes a table of pandas, polars or Arrow, or a dictionary of lists, not "
            f"{_kind(frame)}; {_advice(frame)}"
        )
    table = table_of(frame)
    content = text or html
    if content is None or (text and html):
        raise WrongTypeError(
            "score_table takes the name of one column, text= or html=; the table has "
            f"{', '.join(table.column_names)}"
        )
    for name in (content, id, url, *keep):
        if name is not None and name not in table.column_names:
            raise WrongTypeError(
                f"the table has no column {name!r}; it has {', '.join(table.column_names)}"
            )
    scorer = _scorer(Settings(**settings))
    media_type = TEXT if text else HTML
    names = table[id].to_pylist() if id else list(range(table.num_rows))
    addresses = table[url].to_pylist() if url else [None] * table.num_rows
    errors: list[str | None] = [None] * table.num_rows
    pages: list[Page | Failure] = []
    for place, (value, address) in enumerate(
        zip(table[content].to_pylist(), addresses, strict=True)
    ):
        if isinstance(value, str | bytes):
            address = None if address is None else str(address)
            pages.append(Page(str(place), "", value, media_type, url=address))
        else:
            errors[place] = f"the row has no {content!r}"
    made, failures, _ = _made(make_plan(GivenPages(pages), scorer), workers)
    for failure in failures:
        errors[int(failure.docno)] = f"{failure.stage}: {failure.error}"
    place_of = {int(docno): row for row, docno in enumerate(made["docno"].to_pylist())}
    order = pa.array([place_of.get(place) for place in range(table.num_rows)], pa.int64())
    scored = made.take(order)
    result = {
        "docno": pa.array([None if each is None else str(each) for each in names], pa.string())
    }
    if url:
        result["url"] = pa.array([None if each is None else str(each) for each in addresses])
    ours = [name for name in scored.column_names if name not in ("docno", "path", "url")]
    kept = kept_names(keep, {*result, *ours, "error"})
    for remark in remarks_on_kept(kept):
        _say_once(remark)
    result |= {new: table[name] for name, new in kept.items()}
    result |= {name: scored[name] for name in ours}
    result["error"] = pa.array(errors, pa.string())
    return in_kind_of(frame, pa.table(result))


def readability(text: str, language: str = "en") -> dict[str, float]:
    """Every readability formula of a plain text, by name; NaN without words.

    For another `language` than English (``de``, ``es``, ``fr``, ``it``, ``nl``, ``pl``, ``pt``,
    ``ru``) those made for it, from its own syllables and sentences. What each means, and the
    direction: ``docs/readability_formulas.md``. Raises `OptionError` for a language without
    formulas.

    >>> round(readability("The cat sat on the mat.")["flesch_reading_ease"], 1)
    116.1
    >>> values = readability("Ruhen Sie sich aus. Trinken Sie viel Wasser.", language="de")
    >>> round(values["amstad"], 1), round(values["lix"], 1)
    (95.6, 16.5)
    """
    if not isinstance(text, str):
        raise WrongTypeError(f"readability takes a text (str), not {_kind(text)}; {_advice(text)}")
    return readability_of(text, str(language))


def features(
    texts: Sequence[str] | Mapping[str, str],
    columns: Sequence[str] | None = None,
    *,
    workers: int = 1,
    **settings: Any,
) -> Rows:
    """Features of texts by name; all of the catalogue if none are named.

    `texts` are a dictionary by docno, or a list, whose documents are numbered from 0. A text with
    tags in it is read as HTML.

    >>> features(["You have flu.", "Rest."], ["words", "gunning_fog_plain"]).to_arrow().to_pydict()
    {'docno': ['0', '1'], 'words': [3.0, 1.0], 'gunning_fog_plain': [1.2000000000000002, 0.4]}
    """
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise WrongTypeError(
            f"features takes a list of texts or a dictionary by docno, not {_kind(texts)}; "
            "put it in a list: features([text])"
        )
    by_docno = texts if isinstance(texts, Mapping) else dict(enumerate(texts))
    named = {str(docno): text for docno, text in by_docno.items()}
    maker = FeatureRows(Settings(**settings), tuple(select_columns(columns or (), ())))
    table, failures, skipped = _made(make_plan(GivenPages(_pages_of(named)), maker), workers)
    return Rows(table.drop_columns(["path", "url"]), failures, skipped)


def explain(
    content: str | bytes | Path, url: str | None = None, **settings: Any
) -> PageExplanation:
    """What makes a text or a page hard: `content` is plain text, HTML, or the `Path` of a file.

    Raises `PageError` where it cannot be used.

    >>> explanation = explain("He had a myocardial infarction.")
    >>> [(each.term, each.plain[0]) for each in explanation.terms]
    [('myocardial infarction', 'heart attack')]
    >>> explanation.to_html()[:15]
    '<!DOCTYPE html>'
    """
    if isinstance(content, Path):
        (page,) = Sources([content])
        if isinstance(page, Failure):
            raise WrongTypeError(f"{page.path}: {page.error}")
    elif isinstance(content, str | bytes):
        kind = HTML if isinstance(content, bytes) else media_type_of(content)
        if isinstance(content, str) and _is_path(content):
            raise WrongTypeError(
                f"explain takes text, HTML or a Path, and {content!r} is the name of a file; "
                f"give Path({content!r})"
            )
        page = Page(url or "text", url or "", content, kind, url=url)
    else:
        raise WrongTypeError(f"explain takes text, HTML or a Path, not {_kind(content)}")
    scorer = _scorer(Settings(**settings))
    found = explain_document(document_under(page, scorer.settings), scorer)
    return PageExplanation(*(getattr(found, each.name) for each in fields(found)))


def crawl(
    inputs: str | Path | Sequence[str | Path],
    folder: str | Path,
    *,
    workers: int | None = None,
    limits: Limits | None = None,
    shard: str | None = None,
    docnos: Collection[str] | None = None,
    limit_mb: float = DEFAULT_LIMIT / 1e6,
    columns: TableColumns | None = None,
    **settings: Any,
) -> Status:
    """Score inputs into a crawl folder, or continue it; returns the status of the folder.

    It may be killed at any moment; the same call continues where it stopped. `workers` is by
    default the number of cores; `limits` say how long a page may take and how much memory; `shard`
    is ``"i/n"`` for every n-th input from the i-th. The others are those of `score`.

    >>> import tempfile
    >>> from understandability.resources import resource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = crawl(resource("samples"), f"{folder}/scores", workers=1, extractor="naive")
    >>> status.facts.scored
    3
    """
    plan = make_plan(_sources(inputs, docnos, limit_mb, columns), _scorer(Settings(**settings)))
    check_can_go_on(plan)
    there = CrawlFolder(str(folder), plan.described)
    there.begin(plan.description)
    some = shard_of(plan.inputs, shard)
    for _ in fill_folder(there, plan, some, workers=workers or cores(), limits=limits or Limits()):
        pass
    return status_of(there)


def merge(
    folder: str | Path, output: str | Path | None = None, *, partial: bool = False
) -> Scores | Merged:
    """The rows of a crawl folder as one table: in memory, or written to an `output`.

    Errors go to ``<output>.errors.jsonl``; `Merged` counts what was written. Raises `InputError` if
    the crawl is not finished, unless `partial` is true.

    >>> import tempfile
    >>> from understandability.resources import resource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = crawl(resource("samples"), f"{folder}/scores", workers=1, extractor="naive")
    ...     merge(f"{folder}/scores").table["docno"].to_pylist()
    ['easy.html', 'hard.html', 'medium.html']
    """
    there = CrawlFolder(str(folder))
    if output is not None:
        return merge_folder(there, str(output), partial=partial)
    import pyarrow as pa

    tables: list[pa.Table] = []
    failures: list[Failure] = []
    for table, failed, _ in merged_rows(there, partial=partial):
        tables.append(table)
        failures += failed
    return Scores(pa.concat_tables(tables), tuple(failures))


@cache
def _say_once(remark: str) -> None:
    _log.warning(remark)


@lru_cache(maxsize=4)
def _scorer(settings: Settings) -> Scorer:
    """A scorer that is kept, with its bundle."""
    return Scorer(settings)


def _made(plan: Plan, workers: int) -> tuple[pa.Table, tuple[Failure, ...], Counter[str]]:
    """The rows of a plan in memory, the failures, and what was passed over."""
    import pyarrow as pa

    output = InMemory()
    for progress in make_rows(plan, plan.inputs, output, workers=workers):
        skipped = progress.skipped
    table = pa.concat_tables([plan.schema.empty_table(), *output.tables])
    metadata = {SETTINGS_KEY: json.dumps(dict(plan.described))}
    return table.replace_schema_metadata(metadata), tuple(output.failures), skipped


def _sources(
    inputs: Inputs, docnos: Collection[str] | None, limit_mb: float, columns: TableColumns | None
) -> Sources | GivenPages:
    """The pages that a call names; raises `WrongTypeError` with the call that takes them."""
    if isinstance(inputs, Sources):
        return inputs
    if isinstance(inputs, str | Path):
        inputs = [inputs]
    elif isinstance(inputs, Mapping):
        return GivenPages(_pages_of(inputs))
    if isinstance(inputs, bytes | Page) or not isinstance(inputs, Iterable) or is_frame(inputs):
        raise WrongTypeError(
            f"score takes paths, pages or a dictionary of texts, not {_kind(inputs)}; "
            f"{_advice(inputs)}"
        )
    if not isinstance(inputs, Sequence):
        return GivenPages(_checked(inputs))
    for each in inputs:
        if isinstance(each, str) and not _is_path(each) and any(map(str.isspace, each)):
            raise WrongTypeError(
                f"{each[:40]!r} is not a path, and looks like text; use score_text(text), or "
                "score({docno: text, ...}) for several"
            )
    if all(isinstance(each, str | Path) for each in inputs):
        limit = int(limit_mb * 1e6)
        return Sources([str(each) for each in inputs], docnos=docnos, limit=limit, columns=columns)
    return GivenPages(_checked(inputs))


def _checked(pages: Iterable[Any]) -> Iterator[Page | Failure]:
    for page in pages:
        if not isinstance(page, Page | Failure):
            raise WrongTypeError(
                f"score takes paths, pages or a dictionary of texts; there is {_kind(page)} among "
                f"what was given; {_advice(page)}"
            )
        yield page


def _pages_of(texts: Mapping[str, Any]) -> Iterator[Page]:
    for docno, text in texts.items():
        if not isinstance(text, str | bytes):
            raise WrongTypeError(
                f"the text of {docno!r} is {_kind(text)}; a dictionary has docnos and texts, "
                "and score_table takes tables"
            )
        yield Page(str(docno), "", text, media_type_of(text))


def _is_path(text: str) -> bool:
    if is_url(text) or text == "-":
        return True
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # longer than any name, or with a null character
        return False


def _kind(value: object) -> str:
    """What a value is, as a sentence has it."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _advice(value: object) -> str:
    """Which call takes a value."""
    if isinstance(value, bytes):
        return "use score_html for a page"
    if isinstance(value, Page):
        return "put it in a list: score([page])"
    if isinstance(value, Path):
        return "use score for files and folders"
    if is_frame(value):
        return "use score_table, with text= or html= and the name of a column"
    if isinstance(value, list | tuple | dict):
        return "use score for several documents: score({docno: text, ...})"
    return "use score_text for a text, score for files, score_table for tables"
