"""Pages of any origin to rows: scores, features, texts; in memory, in a file, in a crawl folder."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from understandability.crawls.engine import Progress, fill_folder, make_rows
from understandability.crawls.folder import CrawlFolder
from understandability.crawls.outputs import InMemory, Output, TableFile
from understandability.crawls.plan import (
    FILES_TOGETHER,
    GivenPages,
    Plan,
    make_plan,
    shard_of,
)
from understandability.crawls.status import Status, status_of
from understandability.crawls.workers import Limits, cores
from understandability.errors import OptionError, WrongTypeError, check_choice, check_least
from understandability.feature.catalogue import select_columns
from understandability.inputs.frames import in_kind_of, is_frame, table_of, wrong_type
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.page_tables import TableColumns, kept_names, media_type_of
from understandability.inputs.sources import Sources, is_path
from understandability.inputs.streams import is_url
from understandability.inputs.tables import SETTINGS_KEY, table_format
from understandability.inputs.writing import check_is_no_input
from understandability.prompt import AtPrompt
from understandability.rows import TAGGERS, FeatureRows, TextRows, WordRows
from understandability.scoring import Extraction, RowMaker, Settings, scorer_of, scorer_with
from understandability.text.page import HTML, TEXT, Failure, Page
from understandability.wording import kind_of

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger(__name__)

RUNNERS = ("local", "ray")
_TAKES_PAGES = "score takes paths, pages or a dictionary of texts"
Inputs = Annotated[
    str | Path | Sequence[str | Path] | Mapping[str, str] | Iterable[Page | Failure],
    AtPrompt(list[str], value="INPUT..."),
]
Destination = Annotated[str | Path | None, AtPrompt(str, "--output", "-o", value="FILE or FOLDER/")]


@dataclass(frozen=True)
class Rows:
    """A `table` with a row for each document, and the `failures` of those without one.

    Unknown values are null. `skipped` counts what is not a document, by kind, `made` the documents
    with rows, `failed` those without, by stage. Where the rows went to a file or a folder, `table`
    has its columns only; the failures of a file are next to it.
    """

    table: pa.Table
    failures: tuple[Failure, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)
    made: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, with versions and checksums of all that they name."""
        found: dict[str, Any] = json.loads((self.table.schema.metadata or {})[SETTINGS_KEY])
        return found

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
    """The result of `score`: rows of scores by docno, and the failures."""


@dataclass(frozen=True, slots=True)
class Work:
    """Which pages are read, and how their rows are made.

    >>> Work(workers=4).limit_mb
    10.0

    Args:
        workers: Worker processes. Default: 1; for a crawl folder, one for each core. A page that
            hangs or crashes its process becomes an error.
        limits: What a page may cost a worker. Without workers, there are no limits.
        shard: Take every N-th input, starting at the I-th; for job arrays that fill a crawl
            folder.
        runner: Where the workers of a crawl folder run: local, or ray (extra) on a cluster.
        address: Address of the Ray cluster; auto finds it.
        docnos: Read only documents named in this list, qrels file or run.
        limit_mb: Longest document, in MB once decoded; longer ones become errors. HTML and text
            are read up to 12 MB.
        without: Give up a file of a crawl that has begun, by the name that `understand crawl
            status` gives it: it is no longer read and becomes an error. May be repeated.
        table_columns: What the columns of tables hold; `columns` for short in `score`.
        progress: Called again and again with the `Progress`.
        into: Where rows go if not to a file; None: into memory.
    """

    workers: int | None = None
    limits: Limits | None = None
    shard: Annotated[str | None, AtPrompt(str, value="I/N")] = None
    runner: Annotated[str | None, AtPrompt(choices="crawls.score:RUNNERS")] = None
    address: str | None = None
    docnos: Annotated[
        Collection[str] | None, AtPrompt(str, value="FILE", convert="inputs.trec:read_docnos")
    ] = None
    limit_mb: float = DEFAULT_LIMIT / 1e6
    without: Annotated[Sequence[str | Path], AtPrompt(list[str], value="PATH")] = ()
    table_columns: TableColumns | None = None
    progress: Annotated[Callable[[Progress], None] | None, AtPrompt(None)] = None
    into: Annotated[Output | None, AtPrompt(None)] = None

    @property
    def limit(self) -> int:
        """The longest document, in bytes."""
        return int(self.limit_mb * 1e6)

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_least(1, workers=self.workers)
        if not 0.001 <= self.limit_mb <= 1_000_000:
            raise OptionError(
                "the longest document (--limit-mb) must be from 0.001 to 1,000,000 MB, not "
                f"{self.limit_mb:g}"
            )
        if self.runner is not None:
            check_choice("runner", self.runner, RUNNERS)
        if self.address is not None and self.runner != "ray":
            raise OptionError("--address is that of a Ray cluster; give --runner ray as well")


Choices = Annotated[Any, AtPrompt((Settings, Work))]


def score(inputs: Inputs, output: Destination = None, **choices: Choices) -> Scores:
    """Score pages: how likely a reader is to understand each of them.

    Each document gets a row: docno, path, url, P(U|d), difficulty (0 to 100, higher is harder) with
    its spread, the readability formulas, words, sentences, language, encoding, extractor, flags.
    Documents that cannot be scored go to FILE.errors.jsonl.

    With -o FOLDER/, worker processes fill a crawl folder. Stop them at any time; run the same
    command again to continue.

    Examples: understand score crawl.warc.gz -o scores.parquet

    understand score pages.parquet --id-column url --html-column content --keep lang -o s.parquet

    understand score crawl/*.warc.gz -o scores/

    In Python, `inputs` may also be pages as from `read_pages`, or a dictionary of docnos and texts
    or HTML; `choices` are fields of `Settings` and `Work`.

    Args:
        inputs: HTML, text and DOCX files, folders, WARC and WET, tables (JSONL, Parquet, CSV,
            TSV, Arrow), TREC web text, tar and zip archives, URLs, - for standard input; also .gz
            and .zst.
        output: Write .jsonl, .csv, .tsv (also with .gz or .zst) or .parquet, here or at a URL; -
            is standard output; FOLDER/ is a crawl folder.

    >>> from understandability.resources import resource
    >>> scores = score(resource("samples"), threshold=40)
    >>> scores["easy.html"]["difficulty"] < scores["hard.html"]["difficulty"]
    True
    >>> score({"a": "You have flu.", "b": "Rest."}).table["docno"].to_pylist()
    ['a', 'b']
    """
    settings, work = _chosen(choices)
    scorer = scorer_of(settings)
    plan = make_plan(_sources(inputs, work, output), scorer)
    if scorer.remark:
        plan.source.remarks.append(scorer.remark)
    return make(Scores, plan, output, work)


def crawl(inputs: Inputs, folder: str | Path, **choices: Choices) -> Status:
    """Score inputs into a crawl folder, or continue it; returns the status of the folder.

    It may be killed at any moment; the same call continues where it stopped. `choices` are fields
    of `Settings` and `Work`, as for `score`.

    >>> import tempfile
    >>> from understandability.resources import resource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = crawl(resource("samples"), f"{folder}/scores", workers=1, extractor="naive")
    >>> status.facts.scored
    3
    """
    settings, work = _chosen(choices)
    plan = make_plan(_sources(inputs, work, f"{folder}/"), scorer_of(settings))
    fill(plan, str(folder), work)
    return status_of(CrawlFolder(str(folder), plan.described))


def features(
    inputs: Annotated[
        Sequence[str] | Mapping[str, str] | Sources,
        AtPrompt(list[str], "INPUT", value="INPUT...", convert="crawls.score:paths"),
    ] = (),
    columns: Annotated[
        Sequence[str] | None, AtPrompt(str, "--only", value="NAME,...", convert="wording:names_in")
    ] = None,
    output: Destination = None,
    *,
    groups: Annotated[
        Sequence[str], AtPrompt(str, value="GROUP,...", convert="wording:names_in")
    ] = (),
    per: Annotated[
        Sequence[str], AtPrompt(str, value="word,sentence", convert="wording:names_in")
    ] = (),
    words: bool = False,
    bundles: Annotated[Sequence[str], AtPrompt(list[str], "--bundle")] = (),
    tagger: Annotated[str, AtPrompt(choices="rows:TAGGERS")] = "built-in",
    **choices: Annotated[Any, AtPrompt((Extraction, Work))],
) -> Rows:
    """Compute features of pages: formulas, counts of words, vocabulary, grammar and markup.

    One row for each document: docno, path, url and the values. With --words, one row for each
    word behind a count. Documents that cannot be read go to FILE.errors.jsonl.

    Example: understand features crawl.warc.gz --only dale_chall,gunning_fog_plain -o fog.tsv

    In Python, `inputs` are texts: a dictionary by docno, or a list, whose documents are numbered
    from 0; a text with tags in it is read as HTML. `Sources` are pages of any origin.

    Args:
        inputs: Pages as `understand score` takes them.
        columns: Features by name, such as dale_chall,smog.
        output: Write .jsonl, .csv, .tsv (also with .gz or .zst) or .parquet, here or at a URL; -
            is standard output; FOLDER/ is a crawl folder.
        groups: All features of these groups.
        per: Add the values by word, by sentence or both.
        words: Write the words behind the counts, and how often each occurs.
        bundles: A background model; its estimate becomes a feature. May be repeated.
        tagger: Parts of speech and named entities: our own, or NLTK's with its data.

    >>> features(["You have flu.", "Rest."], ["words", "gunning_fog_plain"]).to_arrow().to_pydict()
    {'docno': ['0', '1'], 'words': [3.0, 1.0], 'gunning_fog_plain': [1.2000000000000002, 0.4]}
    """
    settings, work = _chosen(choices)
    if isinstance(inputs, str | bytes) or not isinstance(inputs, Iterable):
        raise WrongTypeError(
            f"features takes a list of texts or a dictionary by docno, not {kind_of(inputs)}; "
            "put it in a list: features([text])"
        )
    check_choice("tagger", tagger, TAGGERS)
    maker: RowMaker
    if words:
        keep = work.table_columns is not None and work.table_columns.keep
        if keep or _is_folder(output, work):
            what = "--keep" if keep else "a crawl folder"
            raise OptionError(
                f"--words writes many rows for each document; it cannot be combined with {what}"
            )
        maker = WordRows(settings, tuple(columns or ()))
    else:
        names = select_columns(columns or (), groups, per)
        maker = FeatureRows(settings, tuple(names), tuple(bundles), tagger)
    maker.rows([])  # tells at once what cannot be
    given = not isinstance(inputs, Sources | _Paths)
    if given:
        by_docno: Mapping[Any, Any] = (
            inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
        )
        inputs = {str(docno): text for docno, text in by_docno.items()}
    made = make(Rows, make_plan(_sources(inputs, work, output), maker), output, work)
    if given and not words:
        made = replace(made, table=made.table.drop_columns(["path", "url"]))
    return made


def extract(
    inputs: Inputs,
    output: Destination = None,
    *,
    explain: bool = False,
    **choices: Annotated[Any, AtPrompt((Extraction, Work))],
) -> Rows:
    """Extract the text of pages: a line for each heading, paragraph or list item.

    With --explain, one line for each block: kept or not, why, its element, its text. With -o FILE,
    the rows also hold the blocks, as JSON.

    Example: understand extract page.html --explain

    Args:
        inputs: Pages as `understand score` takes them.
        output: A folder (ends in /) gets a text file for each document; a file one row for each:
            .jsonl, .csv, .tsv (also .gz, .zst), .parquet; - is JSON Lines.
        explain: Show every block, kept or dropped, and why.

    >>> extract({"flu": "<h1>Flu</h1><p>Rest."}).table["text"].to_pylist()
    ['Flu.\\nRest.\\n']
    """
    settings, work = _chosen(choices)
    plan = make_plan(_sources(inputs, work, output), TextRows(settings, explain))
    return make(Rows, plan, output, work)


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
    one with the name of an output column gets ``input_`` in front.
    The result has the rows of the table in the same order; if a document cannot be scored, the
    column ``error`` says why and the scores are null. A step for Ray's ``map_batches``, Spark's
    ``mapInPandas`` and their like: equal columns in, equal columns out.

    >>> table = {"url": ["a", "b"], "body": ["You have flu.", None]}
    >>> rows = score_table(table, text="body", id="url")
    >>> rows["docno"], rows["words"], rows["error"]
    (['a', 'b'], [3, None], [None, "the row has no 'body'"])
    """
    if not isinstance(frame, Mapping) and not is_frame(frame):
        takes = "score_table takes a table of pandas, polars or Arrow, or a dictionary of lists"
        raise wrong_type(takes, frame)
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
    scorer = scorer_with(**settings)
    media_type = TEXT if text else HTML

    def texts(name: str) -> list[str | None]:
        return [None if value is None else str(value) for value in table[name].to_pylist()]

    addresses = texts(url) if url else [None] * table.num_rows
    errors: list[str | None] = [None] * table.num_rows
    pages: list[Page | Failure] = []
    for place, value in enumerate(table[content].to_pylist()):
        if isinstance(value, str | bytes):
            pages.append(Page(str(place), "", value, media_type, url=addresses[place]))
        else:
            errors[place] = f"the row has no {content!r}"
    scores = make(Scores, make_plan(GivenPages(pages), scorer), None, Work(workers))
    for failure in scores.failures:
        errors[int(failure.docno)] = f"{failure.stage}: {failure.error}"
    place_of = {int(docno): row for row, docno in enumerate(scores.table["docno"].to_pylist())}
    order = pa.array([place_of.get(place) for place in range(table.num_rows)], pa.int64())
    scored = scores.table.take(order)
    names = texts(id) if id else [str(place) for place in range(table.num_rows)]
    result = {"docno": pa.array(names, pa.string())}
    if url:
        result["url"] = pa.array(addresses)
    ours = [name for name in scored.column_names if name not in ("docno", "path", "url")]
    kept, remarks = kept_names(keep, {*result, *ours, "error"})
    for remark in remarks:
        _say_once(remark)
    result |= {new: table[name] for name, new in kept.items()}
    result |= {name: scored[name] for name in ours}
    result["error"] = pa.array(errors, pa.string())
    return in_kind_of(frame, pa.table(result))


R = TypeVar("R", bound=Rows)


def make(rows: type[R], plan: Plan, output: str | Path | None, work: Work) -> R:
    """Make the rows of a plan: in memory, in a file, or in a crawl folder."""
    destination = None if output is None else str(output)
    tell = work.progress or (lambda progress: None)
    metadata = {SETTINGS_KEY: json.dumps(dict(plan.described))}
    table = plan.schema.empty_table().replace_schema_metadata(metadata)
    if _is_folder(output, work):
        progress = fill(plan, str(destination), work)
        return rows(table, (), progress.skipped, progress.made, progress.failed)
    check_is_no_input(destination, (file.path for each in plan.inputs for file in each.files))
    with ExitStack() as stack:
        into: Any = work.into or InMemory()
        if destination is not None:
            into = stack.enter_context(TableFile(destination, plan.described))
        made = make_rows(plan, plan.inputs, into, workers=work.workers or 1, limits=work.limits)
        for progress in made:
            tell(progress)
    if isinstance(into, InMemory):
        table = pa.concat_tables([table, *into.tables]).replace_schema_metadata(metadata)
    return rows(table, tuple(into.failures), progress.skipped, progress.made, progress.failed)


def fill(plan: Plan, path: str, work: Work) -> Progress:
    """Do what is left to do in a crawl folder."""
    if any(file.path == "-" for each in plan.inputs for file in each.files):
        raise OptionError(
            "a crawl folder takes files, which can be read again, and not standard input; save it "
            "to a file, or write the scores to a file"
        )
    inputs = shard_of(plan.inputs, work.shard)
    shards = int(work.shard.partition("/")[2]) if work.shard else 1
    if len(plan.inputs) < shards:
        plan.source.remarks.append(
            f"there are fewer inputs ({len(plan.inputs)}) than shards ({shards}), so some shards "
            f"have nothing to do; up to {FILES_TOGETHER} single files of a folder are one input"
        )
    folder = CrawlFolder(path, plan.described)
    folder.begin(plan.description)
    parts = folder.parts() if plan.source.without and plan.kept else []
    if parts:  # a file that is given up may have told the types
        columns = list(folder.scores(parts[0]).schema)[len(plan.maker.schema) :]
        plan = replace(plan, kept=pa.schema(columns))
    limits = work.limits or Limits()
    if work.runner == "ray":
        from understandability.crawls.ray import fill_folder_on_ray

        every = fill_folder_on_ray(
            folder, plan, inputs, workers=work.workers or 1, limits=limits, address=work.address
        )
    else:
        every = fill_folder(folder, plan, inputs, workers=work.workers or cores(), limits=limits)
    for progress in every:
        if work.progress is not None:
            work.progress(progress)
    return progress


def _chosen(choices: Mapping[str, Any]) -> tuple[Settings, Work]:
    """Keywords as settings and as work; another is told by the error of `Settings`."""
    choices = {"table_columns" if k == "columns" else k: v for k, v in choices.items()}
    names = {each.name for each in fields(Work)}
    work = Work(**{name: value for name, value in choices.items() if name in names})
    return Settings(**{name: value for name, value in choices.items() if name not in names}), work


def _is_folder(output: str | Path | None, work: Work) -> bool:
    """Whether rows go to a crawl folder; raises `OptionError` where options do not fit."""
    is_one = is_folder(output)
    of_folders = ("shard", "runner", "address", "without")
    given = [f"--{name}" for name in of_folders if getattr(work, name)]
    if given and not is_one:
        raise OptionError(
            f"{given[0]} belongs to a crawl folder, which {output or 'the terminal'} is not; name "
            "one, such as -o scores/"
        )
    return is_one


def is_folder(output: str | Path | None) -> bool:
    """Whether a path is that of a crawl folder; raises `OptionError` where it names no output."""
    if output is None or output == "-":
        return False
    path = str(output)
    if path.endswith("/") or (not is_url(path) and Path(path).is_dir()):
        return True
    try:
        table_format(path)
    except OptionError as error:
        raise OptionError(f"{error}; a crawl folder ends in /") from None
    return False


class _Paths(tuple[str, ...]):
    """Paths, where a list of texts could be given as well."""

    __slots__ = ()


def paths(given: Sequence[str]) -> Sequence[str]:
    """Mark what is given at the prompt as paths, not as texts."""
    return _Paths(given)


@cache
def _say_once(remark: str) -> None:
    _log.warning(remark)


def _sources(inputs: Any, work: Work, output: str | Path | None) -> Sources:
    """The pages that a call names; files that the crawl in `output` has given up may be gone."""
    folder = CrawlFolder(str(output)) if _is_folder(output, work) else None
    without = {_as_found(path) for path in work.without} | {*(folder.given_up() if folder else ())}
    if folder is None or not without:
        return _pages_in(inputs, work)
    before = folder.files()
    unknown = sorted(without - {file.path for file in before})
    if unknown:
        raise OptionError(
            f"--without {unknown[0]}: the crawl in {folder.path} has no such file; it has "
            f"{', '.join(file.path for file in before[:3])}{', ...' if before[3:] else ''}"
        )
    paths = [inputs] if isinstance(inputs, str | Path) else inputs
    if isinstance(paths, Sequence):
        paths = [path for path in paths if _as_found(path) not in without]
    found = _pages_in(paths, work)
    if not isinstance(found, GivenPages):
        found.give_up(without, before)
    return found


def _as_found(path: Any) -> str:
    """A path as a crawl folder has it."""
    return str(path) if is_url(str(path)) else Path(str(path)).as_posix()


def _pages_in(inputs: Any, work: Work) -> Sources:
    if isinstance(inputs, Sources):
        return inputs
    if isinstance(inputs, str | Path):
        inputs = [inputs]
    elif isinstance(inputs, Mapping):
        return GivenPages(_pages_of(inputs))
    if isinstance(inputs, bytes | Page) or not isinstance(inputs, Iterable) or is_frame(inputs):
        raise wrong_type(_TAKES_PAGES, inputs)
    if not isinstance(inputs, Sequence):
        return GivenPages(_checked(inputs))
    for each in inputs:
        if isinstance(each, str) and not is_path(each) and any(map(str.isspace, each)):
            raise WrongTypeError(
                f"{each[:40]!r} is not a path, and looks like text; use score_text(text), or "
                "score({docno: text, ...}) for several"
            )
    if all(isinstance(each, str | Path) for each in inputs):
        return Sources(
            [str(each) for each in inputs],
            docnos=work.docnos,
            limit=work.limit,
            columns=work.table_columns,
        )
    return GivenPages(_checked(inputs))


def _checked(pages: Iterable[Any]) -> Iterator[Page | Failure]:
    for page in pages:
        if not isinstance(page, Page | Failure):
            raise wrong_type(_TAKES_PAGES, page, among=True)
        yield page


def _pages_of(texts: Mapping[str, Any]) -> Iterator[Page]:
    for docno, text in texts.items():
        if not isinstance(text, str | bytes):
            raise WrongTypeError(
                f"the text of {docno!r} is {kind_of(text)}; a dictionary has docnos and texts, "
                "and score_table takes tables"
            )
        yield Page(str(docno), "", text, media_type_of(text))
