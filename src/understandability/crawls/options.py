"""Options shared by commands that read pages: which pages, by how many workers, and the
destination.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypedDict

from cyclopts import Parameter

from understandability.crawls.outputs import Output
from understandability.crawls.page_process import Limits
from understandability.crawls.plan import Progress
from understandability.errors import OptionError, check_choice, check_range
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.page_tables import TableColumns
from understandability.inputs.streams import is_url
from understandability.inputs.tables import table_format
from understandability.keywords import read_by
from understandability.scoring import ExtractionOptions, Settings, SettingsOptions
from understandability.text.page import Failure, Page

RUNNERS = ("local", "ray")
# The stages of failures, for --retry-errors.
STAGES = ("read", "decode", "extract", "score", "time", "memory", "environment")
ALL_STAGES = "all"
Inputs = Annotated[
    Sequence[str | Path] | str | Path | Mapping[str, str] | Iterable[Page | Failure],
    Parameter("INPUT", metavar="INPUT..."),
]
Destination = Annotated[str | Path | None, Parameter(("--output", "-o"), metavar="FILE or FOLDER/")]


def docnos_in(path: str) -> Collection[str]:
    """Read the docnos from a list, a qrels file or a run."""
    from understandability.inputs.trec import read_docnos  # a third of the time that --help takes

    return read_docnos(path)


@dataclass(frozen=True, slots=True)
class Work:
    """The options for choosing pages and for the processes that score them.

    >>> Work(workers=4).limit_mb
    10.0

    Args:
        workers: Worker processes. Default: one for each physical core if the rows go to a crawl
            folder, or to a file and the inputs are large; else 1. A page that hangs or crashes
            its process becomes an error.
        limits: What a page may cost a worker. Without worker processes, there are no limits.
        shard: Take every N-th input, starting at the I-th; for job arrays that fill a crawl
            folder.
        runner: Where the workers of a crawl folder run: local, or ray (extra) on a cluster.
        address: Address of the Ray cluster; auto finds it.
        docnos: Read only documents named in this list, qrels file or run.
        inputs_from: Read the names of more inputs from a file or a URL, one a line, also
            compressed, such as warc.paths.gz of Common Crawl; - is standard input.
        limit_mb: Longest document, in MB once decoded; longer ones become errors. HTML and text
            are read up to 12 MB.
        without: Give up a file of a crawl that has begun, by the name that `understand crawl
            status` shows: it is no longer read and becomes an error. May be repeated.
        retry_errors: Score documents of a crawl folder again that are errors of this stage: read,
            decode, extract, score, time, memory, environment, or all.
        table_columns: What the columns of tables hold; `columns` for short in `score`.
        progress: Called repeatedly with the `Progress`.
        into: Where rows go if not to a file; None: into memory.
    """

    workers: int | None = None
    limits: Limits | None = None
    shard: Annotated[str | None, Parameter(metavar="I/N")] = None
    runner: Annotated[str | None, Parameter(choices=RUNNERS)] = None
    address: str | None = None
    docnos: Annotated[Collection[str] | None, read_by(docnos_in, metavar="FILE")] = None
    inputs_from: Annotated[str | None, Parameter(metavar="FILE")] = None
    limit_mb: float = DEFAULT_LIMIT / 1e6
    without: Annotated[Sequence[str | Path], Parameter(metavar="PATH")] = ()
    retry_errors: Annotated[str | None, Parameter(metavar="STAGE")] = None
    table_columns: TableColumns | None = None
    progress: Annotated[Callable[[Progress], None] | None, Parameter(parse=False)] = None
    into: Annotated[Output | None, Parameter(parse=False)] = None

    @property
    def limit(self) -> int:
        """The length of the longest document that is scored, in bytes."""
        return int(self.limit_mb * 1e6)

    @property
    def retried_stages(self) -> frozenset[str]:
        """The stages whose failures are tried again, from `retry_errors`."""
        if self.retry_errors is None:
            return frozenset()
        return frozenset(STAGES if self.retry_errors == ALL_STAGES else [self.retry_errors])

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_range(1, workers=self.workers)
        check_range(0.001, 1_000_000, limit_mb=self.limit_mb)
        if self.runner is not None:
            check_choice("runner", self.runner, RUNNERS)
        if self.retry_errors is not None:
            check_choice("stage", self.retry_errors, (*STAGES, ALL_STAGES))
        if self.address is not None and self.runner != "ray":
            raise OptionError("--address names a Ray cluster; give --runner ray as well")


class WorkOptions(TypedDict, total=False):
    """The fields of `Work`, as keywords."""

    workers: int | None
    limits: Limits | None
    shard: str | None
    runner: str | None
    address: str | None
    docnos: Collection[str] | None
    inputs_from: str | None
    limit_mb: float
    without: Sequence[str | Path]
    retry_errors: str | None
    table_columns: TableColumns | None
    progress: Callable[[Progress], None] | None
    into: Output | None


class ReadOptions(ExtractionOptions, WorkOptions, total=False):
    """The keywords of calls that read pages: the fields of `Extraction` and of `Work`."""


class ExtractOptions(ReadOptions, total=False):
    """The keywords of `extract`: those of `ReadOptions`, with `columns` as a short form of
    `table_columns`.
    """

    columns: TableColumns | None


class ScoreOptions(SettingsOptions, WorkOptions, total=False):
    """The keywords of calls that score pages: the fields of `Settings` and of `Work`.

    `columns` is short for `table_columns`.
    """

    columns: TableColumns | None


def split_choices(choices: Mapping[str, Any]) -> tuple[Settings, Work]:
    """Split keywords into `Settings` and `Work`; an unknown keyword is an error."""
    choices = {"table_columns" if k == "columns" else k: v for k, v in choices.items()}
    names = {field.name for field in fields(Work)}
    work = Work(**{name: value for name, value in choices.items() if name in names})
    return Settings(**{name: value for name, value in choices.items() if name not in names}), work


def fills_folder(output: str | Path | None, work: Work) -> bool:
    """Return True if the rows go to a crawl folder; raise `OptionError` if another option needs
    one.
    """
    fills = is_folder(output)
    folder_options = ("shard", "runner", "address", "without", "retry_errors")
    used = [f"--{name.replace('_', '-')}" for name in folder_options if getattr(work, name)]
    if used and not fills:
        raise OptionError(
            f"{used[0]} belongs to a crawl folder, which {output or 'the terminal'} is not; name "
            "one, such as -o scores/"
        )
    return fills


def is_folder(output: str | Path | None) -> bool:
    """Return True if a path names a crawl folder; raise `OptionError` if it cannot be an output."""
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
