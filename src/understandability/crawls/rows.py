"""Compute rows for pages of any origin: into memory, a file, or a crawl folder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from understandability.crawls.folder import CrawlFolder
from understandability.crawls.local import fill_folder, fill_table
from understandability.crawls.options import Work, fills_folder
from understandability.crawls.outputs import InMemory, TableFile
from understandability.crawls.page_process import Limits
from understandability.crawls.plan import (
    FILES_TOGETHER,
    GivenPages,
    Plan,
    Progress,
    begin_in_folder,
    make_plan,
    shard_of,
)
from understandability.crawls.processes import physical_cores
from understandability.errors import OptionError, WrongTypeError, needing
from understandability.inputs.frames import is_frame, wrong_type
from understandability.inputs.page_tables import media_type_of
from understandability.inputs.sources import Sources, is_path, read_paths
from understandability.inputs.streams import is_url
from understandability.inputs.tables import SETTINGS_KEY
from understandability.inputs.writing import check_is_no_input
from understandability.scoring import RowMaker
from understandability.text.page import Failure, Page
from understandability.wording import kind_of

if TYPE_CHECKING:
    import pandas as pd

_TAKES_PAGES = "score takes paths, pages or a dictionary of texts"
# Smaller inputs are scored before worker processes have started.
_WORTH_WORKERS = 20_000_000  # bytes


@dataclass(frozen=True)
class Rows:
    """A `table` with a row for each document, and the `failures` of those without one.

    Unknown values are null. `skipped` counts files and records that are not documents, by type,
    `made` the documents with rows, and `failed` the documents without a row, by stage. If the rows
    went to a file or a folder, `table` is empty and only has the columns; the failures are then in
    a file next to the rows.
    """

    table: pa.Table
    failures: tuple[Failure, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)
    made: int = 0
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, with versions and checksums of everything they name."""
        metadata = self.table.schema.metadata or {}
        return dict(json.loads(metadata[SETTINGS_KEY]))

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__}, documents: {len(self)}, failures: {len(self.failures)}; "
            ".to_pandas() or .to_arrow() gives the rows, [docno] one of them>"
        )

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dictionary."""
        yield from self.table.to_pylist()

    def __getitem__(self, docno: str) -> dict[str, Any]:
        """Return the row of a document as a dictionary; raise `KeyError` for an unknown docno."""
        index = self.table["docno"].index(docno).as_py()
        if index < 0:
            raise KeyError(docno)
        return dict(self.table.slice(index, 1).to_pylist()[0])

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table; its metadata hold the settings."""
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame; requires pandas."""
        with needing("data frames need pandas", ".[pandas]"):
            return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return the rows as a polars data frame; requires polars."""
        with needing("polars frames need polars", "polars"):
            import polars as pl
        return pl.from_arrow(self.table)


R = TypeVar("R", bound=Rows)


def rows_of(
    rows_class: type[R],
    inputs: Any,
    maker: RowMaker,
    output: str | Path | None,
    work: Work,
    remark: str = "",
) -> R:
    """Compute the rows of inputs in memory, in a file, or in a crawl folder.

    `remark` is shown to the user.
    """
    plan = make_plan(_sources(inputs, work, output), maker)
    if remark:
        plan.source.remarks.append(remark)
    tables, into = [plan.schema.empty_table()], work.into or InMemory()
    with ExitStack() as stack:
        if fills_folder(output, work):
            reports = _fill_folder(plan, str(output), work)
        else:
            if output is not None:
                paths = (file.path for input_ in plan.inputs for file in input_.files)
                check_is_no_input(str(output), paths)
                into = stack.enter_context(TableFile(str(output), plan.described))
            workers = work.workers or _default_workers(plan, output)
            reports = fill_table(plan, into, workers=workers, limits=work.limits)
        for progress in reports:
            if work.progress is not None:
                work.progress(progress)
    if isinstance(into, InMemory):
        tables += into.tables
    metadata = {SETTINGS_KEY: json.dumps(dict(plan.described))}
    table = pa.concat_tables(tables).replace_schema_metadata(metadata)
    return rows_class(table, tuple(into.failures), progress.skipped, progress.made, progress.failed)


def _default_workers(plan: Plan, output: str | Path | None) -> int:
    """Return the default number of workers: for large inputs one per physical core, otherwise 1."""
    is_large = sum(input_.bytes for input_ in plan.inputs) >= _WORTH_WORKERS
    return physical_cores() if output is not None and is_large else 1


def _fill_folder(plan: Plan, path: str, work: Work) -> Iterator[Progress]:
    """Begin or continue a crawl in a folder, and yield the progress."""
    if any(file.path == "-" for input_ in plan.inputs for file in input_.files):
        raise OptionError(
            "a crawl folder takes files, which can be read again, and not standard input; save it "
            "to a file, or write the scores to a file"
        )
    shard_of(plan.inputs, work.shard)  # raises an error for a malformed shard
    limits = work.limits or Limits()
    recorded_limits = {"seconds": limits.seconds, "megabytes": limits.megabytes}
    folder = CrawlFolder(path, plan.described, recorded_limits)
    plan, numbers = begin_in_folder(plan, folder)
    named = set(numbers)
    inputs = [input_ for input_ in shard_of(plan.inputs, work.shard) if input_.number in named]
    shards = int(work.shard.partition("/")[2]) if work.shard else 1
    if len(plan.inputs) < shards:
        plan.source.remarks.append(
            f"there are fewer inputs ({len(plan.inputs)}) than shards ({shards}), so some shards "
            f"have nothing to do; up to {FILES_TOGETHER} single files of a folder are one input"
        )
    parts = folder.parts() if plan.kept else []
    if parts:  # files added or given up may change the types
        columns = list(folder.scores(parts[0]).schema)[len(plan.maker.schema) :]
        plan = replace(plan, kept=pa.schema(columns))
    if work.runner == "ray":
        from understandability.crawls.ray import fill_folder_on_ray

        return fill_folder_on_ray(
            folder,
            plan,
            inputs,
            tasks=work.workers,
            limits=limits,
            address=work.address,
            retried_stages=work.retried_stages,
        )
    return fill_folder(
        folder,
        plan,
        inputs,
        workers=work.workers or physical_cores(),
        limits=limits,
        retried_stages=work.retried_stages,
    )


def _sources(inputs: Any, work: Work, output: str | Path | None) -> Sources:
    """Return the pages that the arguments name.

    Files that the crawl in `output` has given up may be missing.
    """
    if work.inputs_from is not None:
        inputs = [*_as_paths(inputs), *read_paths(work.inputs_from)]
    elif isinstance(inputs, tuple) and not inputs:
        raise OptionError(
            "no input given; name pages, folders or archives, or a file with --inputs-from"
        )
    folder = CrawlFolder(str(output)) if fills_folder(output, work) else None
    without = {_recorded_path(path) for path in work.without}
    without |= {*(folder.given_up() if folder else ())}
    if folder is None or not without:
        return _pages_in(inputs, work)
    files = folder.files()
    unknown = sorted(without - {file.path for file in files})
    if unknown:
        raise OptionError(
            f"--without {unknown[0]}: the crawl in {folder.path} has no such file; it has "
            f"{', '.join(file.path for file in files[:3])}{', ...' if files[3:] else ''}"
        )
    paths = [inputs] if isinstance(inputs, str | Path) else inputs
    if isinstance(paths, Sequence):
        paths = [path for path in paths if _recorded_path(path) not in without]
    sources = _pages_in(paths, work)
    if not isinstance(sources, GivenPages):
        sources.give_up(without, files)
    return sources


def _as_paths(inputs: Any) -> list[str | Path]:
    paths = [inputs] if isinstance(inputs, str | Path) else inputs
    if isinstance(paths, Sequence) and all(isinstance(path, str | Path) for path in paths):
        return list(paths)
    raise OptionError("inputs_from (--inputs-from) adds to paths, and not to pages or texts")


def _recorded_path(path: Any) -> str:
    """Return a path in the form in which a crawl folder stores it."""
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
    for path in inputs:
        if isinstance(path, str) and not is_path(path) and any(map(str.isspace, path)):
            raise WrongTypeError(
                f"{path[:40]!r} is not a path, and looks like text; use score_text(text), or "
                "score({docno: text, ...}) for several"
            )
    if all(isinstance(path, str | Path) for path in inputs):
        return Sources(
            [str(path) for path in inputs],
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
