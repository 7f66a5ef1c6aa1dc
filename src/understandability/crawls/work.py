"""Pages of any origin to rows of any kind: in memory, in a file, in a crawl folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
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
from understandability.crawls.workers import Limits, cores
from understandability.errors import OptionError, WrongTypeError, check_choice, check_range
from understandability.inputs.frames import is_frame, wrong_type
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.page_tables import TableColumns, media_type_of
from understandability.inputs.sources import Sources, is_path
from understandability.inputs.streams import is_url
from understandability.inputs.tables import SETTINGS_KEY, table_format
from understandability.inputs.writing import check_is_no_input
from understandability.prompt import AtPrompt
from understandability.scoring import RowMaker, Settings
from understandability.text.page import Failure, Page
from understandability.wording import kind_of

if TYPE_CHECKING:
    import pandas as pd

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
    runner: Annotated[str | None, AtPrompt(choices="crawls.work:RUNNERS")] = None
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
            check_range(1, workers=self.workers)
        check_range(0.001, 1_000_000, limit_mb=self.limit_mb)
        if self.runner is not None:
            check_choice("runner", self.runner, RUNNERS)
        if self.address is not None and self.runner != "ray":
            raise OptionError("--address is that of a Ray cluster; give --runner ray as well")


R = TypeVar("R", bound=Rows)


def rows_of(
    kind: type[R],
    inputs: Any,
    maker: RowMaker,
    output: str | Path | None,
    work: Work,
    remark: str = "",
) -> R:
    """Make the rows of inputs: in memory, in a file, or in a crawl folder; `remark` is told."""
    plan = make_plan(_sources(inputs, work, output), maker)
    if remark:
        plan.source.remarks.append(remark)
    tables, into = [plan.schema.empty_table()], work.into or InMemory()
    with ExitStack() as stack:
        if fills_folder(output, work):
            every = _folder_filled(plan, str(output), work)
        else:
            if output is not None:
                files = (file.path for each in plan.inputs for file in each.files)
                check_is_no_input(str(output), files)
                into = stack.enter_context(TableFile(str(output), plan.described))
            every = make_rows(
                plan, plan.inputs, into, workers=work.workers or 1, limits=work.limits
            )
        for progress in every:
            if work.progress is not None:
                work.progress(progress)
    if isinstance(into, InMemory):
        tables += into.tables
    metadata = {SETTINGS_KEY: json.dumps(dict(plan.described))}
    table = pa.concat_tables(tables).replace_schema_metadata(metadata)
    return kind(table, tuple(into.failures), progress.skipped, progress.made, progress.failed)


def _folder_filled(plan: Plan, path: str, work: Work) -> Iterator[Progress]:
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

        return fill_folder_on_ray(
            folder, plan, inputs, workers=work.workers or 1, limits=limits, address=work.address
        )
    return fill_folder(folder, plan, inputs, workers=work.workers or cores(), limits=limits)


def choices_of(choices: Mapping[str, Any]) -> tuple[Settings, Work]:
    """Keywords as settings and as work; another is told by the error of `Settings`."""
    choices = {"table_columns" if k == "columns" else k: v for k, v in choices.items()}
    names = {each.name for each in fields(Work)}
    work = Work(**{name: value for name, value in choices.items() if name in names})
    return Settings(**{name: value for name, value in choices.items() if name not in names}), work


def fills_folder(output: str | Path | None, work: Work) -> bool:
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


def _sources(inputs: Any, work: Work, output: str | Path | None) -> Sources:
    """The pages that a call names; files that the crawl in `output` has given up may be gone."""
    folder = CrawlFolder(str(output)) if fills_folder(output, work) else None
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
