"""What `score`, `features` and `extract` share: their options, and the way to their rows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability.cli.groups import OptionGroup
from understandability.cli.options import Quiet, Strict
from understandability.cli.progress import ProgressLine, duration
from understandability.errors import OptionError
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.crawls.engine import Progress
    from understandability.crawls.outputs import Output
    from understandability.crawls.plan import Plan
    from understandability.crawls.status import Status
    from understandability.inputs.sources import Sources
    from understandability.scoring import RowMaker
    from understandability.text.page import Failure

_WORKERS = "Many processes"
_FOLDER = "Crawl folder (-o FOLDER/): killed at any moment, the same command goes on"
RUNNERS = ("local", "ray")
_MOST_SHOWN = 1000

Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Worker processes. Default: 1; for a crawl folder, one for each core.",
        rich_help_panel=_WORKERS,
    ),
]
LimitSeconds = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        max=1_000_000,
        help="Processor seconds allowed for a page (10); a page that needs more becomes an error.",
        rich_help_panel=_WORKERS,
    ),
]
WorkerMb = Annotated[
    float | None,
    typer.Option(
        min=1, help="Memory allowed for a worker, in MB (2000).", rich_help_panel=_WORKERS
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        metavar="I/N",
        help="Take every N-th input, starting at the I-th; for job arrays.",
        rich_help_panel=_FOLDER,
    ),
]
Runner = Annotated[
    str | None,
    typer.Option(
        help="Where workers run: local, or ray (extra) on a cluster.", rich_help_panel=_FOLDER
    ),
]
Address = Annotated[
    str | None,
    typer.Option(help="Address of the Ray cluster; auto finds it.", rich_help_panel=_FOLDER),
]


@dataclass(frozen=True, slots=True)
class Work(OptionGroup):
    """How rows are made, as the options say; None where one was not given."""

    strict: Strict = False
    quiet: Quiet = False
    workers: Workers = None
    limit_seconds: LimitSeconds = None
    worker_mb: WorkerMb = None

    @property
    def limits(self) -> Any:
        """The limits of workers; None where none was given."""
        from understandability.crawls.workers import Limits

        if self.limit_seconds is None and self.worker_mb is None:
            return None
        usual = Limits()
        return Limits(self.limit_seconds or usual.seconds, self.worker_mb or usual.megabytes)


@dataclass(frozen=True, slots=True)
class FolderWork(Work):
    """The same, where crawl folders are filled too."""

    shard: Shard = None
    runner: Runner = None
    address: Address = None

    def fills_folder(self, output: str | None) -> bool:
        """Whether rows go to a crawl folder; raises `OptionError` where options do not fit."""
        of_folders = {"shard": self.shard, "runner": self.runner, "address": self.address}
        given = [f"--{name}" for name, value in of_folders.items() if value is not None]
        is_one = is_folder(output)
        if given and not is_one:
            raise OptionError(
                f"{given[0]} belongs to a crawl folder, which {output or 'the terminal'} is "
                "not; name one, such as -o scores/"
            )
        if self.runner not in (None, *RUNNERS):
            raise OptionError(
                f"runner {self.runner!r} does not exist; choose one of {', '.join(RUNNERS)}"
            )
        if self.address is not None and self.runner != "ray":
            raise OptionError("--address is that of a Ray cluster; give --runner ray as well")
        return is_one


def make(
    sources: Sources,
    maker: RowMaker,
    destination: str | None,
    work: Work,
    *,
    title: str,
    shown: Mapping[str, str],
) -> None:
    """Make the rows of pages, telling how it goes; `shown` are the columns for a terminal.

    Ends the command with status 1 where nothing had a row, and where `strict` and there was an
    error; with 130 where it was interrupted in a crawl folder.
    """
    from understandability.crawls.plan import make_plan

    folder_work = work if isinstance(work, FolderWork) and work.fills_folder(destination) else None
    plan = make_plan(sources, maker)
    if folder_work is not None:
        _fill(plan, str(destination), folder_work, title)
        return
    from understandability.cli.tables import show
    from understandability.crawls.outputs import InMemory, TableFile, errors_of

    _check_output(sources, destination)
    with ExitStack() as stack:
        output: InMemory | TableFile
        if destination is None:
            output = InMemory(_MOST_SHOWN)
        else:
            output = stack.enter_context(TableFile(destination, plan.described))
        progress = run(plan, output, work)
    if isinstance(output, InMemory) and progress.made:
        import pyarrow as pa

        rows = pa.concat_tables(output.tables)
        typer.echo(title)
        show(rows.select(list(shown)).to_pylist(), shown)
        if progress.made > _MOST_SHOWN and rows.num_rows == _MOST_SHOWN:
            typer.echo("... and more; write them with -o FILE")
    tell_failures(output.failures)
    if not work.quiet:
        if destination is not None:
            typer.echo(title, err=True)
        failed = progress.failed.total()
        in_file = destination not in (None, "-") and failed
        where = f" (in {errors_of(str(destination))})" if in_file else ""
        told = f"{counted(progress.made, 'document')}, {counted(failed, 'error')}{where}"
        typer.echo(told, err=True)
        for kind, count in progress.skipped.most_common():
            typer.echo(f"passed over: {kind}: {count:,}", err=True)
    end(progress.made, progress.failed, work)


def run(plan: Plan, output: Output, work: Work) -> Progress:
    """Make the rows of a plan into an output that is no folder; how it went."""
    from understandability.crawls.engine import make_rows

    every = make_rows(plan, plan.inputs, output, workers=work.workers or 1, limits=work.limits)
    return _follow(every, work.quiet)


def end(made: int, failed: Counter[str], work: Work) -> None:
    """End the command with status 1 where nothing has a row, or where errors are to tell."""
    if failed and not made:
        if not work.quiet:
            typer.echo("understand: no document could be used; see the errors", err=True)
        raise typer.Exit(1)
    if work.strict and failed:
        raise typer.Exit(1)


def tell_failures(failures: list[Failure]) -> None:
    """Failures that go to no file."""
    for failure in failures:
        typer.echo(f"{failure.path}: {failure.stage}: {failure.error}", err=True)


def summary(path: str, status: Status, skipped: Mapping[str, int]) -> Iterator[str]:
    """What a crawl folder holds, as lines of text; `skipped` are files that were no inputs."""
    from understandability.crawls.status import histogram

    facts = status.facts
    yield (
        f"{path}: {counted(facts.records, 'document')} of {status.complete} of "
        f"{counted(len(status.inputs), 'input')}, {facts.scored:,} scored, "
        f"{counted(facts.failed.total(), 'error')}"
    )
    for stage, count in facts.failed.most_common():
        yield f"errors in {stage}: {count:,}"
    for kind, count in (facts.skipped + Counter(skipped)).most_common():
        yield f"passed over: {kind}: {count:,}"
    if any(facts.difficulties):
        yield "difficulty (0 very easy to 100 very hard) and documents:"
        yield from histogram(facts.difficulties)


def _fill(plan: Plan, path: str, work: FolderWork, title: str) -> None:
    """Do what is left to do in a crawl folder."""
    from understandability.crawls.engine import fill_folder
    from understandability.crawls.folder import CrawlFolder
    from understandability.crawls.plan import FILES_TOGETHER, check_can_go_on, shard_of
    from understandability.crawls.status import status_of
    from understandability.crawls.workers import Limits, cores

    check_can_go_on(plan)
    inputs = shard_of(plan.inputs, work.shard)
    shards = int(work.shard.partition("/")[2]) if work.shard else 1
    if len(plan.inputs) < shards and not work.quiet:
        typer.echo(
            f"there are fewer inputs ({len(plan.inputs)}) than shards ({shards}), so some shards "
            f"have nothing to do; up to {FILES_TOGETHER} single files of a folder are one input",
            err=True,
        )
    folder = CrawlFolder(path, plan.described)
    folder.begin(plan.description)
    limits = work.limits or Limits()
    begun = time.monotonic()
    try:
        if work.runner == "ray":
            from understandability.crawls.ray import fill_folder_on_ray

            every = fill_folder_on_ray(
                folder,
                plan,
                inputs,
                workers=work.workers or 1,
                limits=limits,
                address=work.address,
            )
        else:
            every = fill_folder(
                folder, plan, inputs, workers=work.workers or cores(), limits=limits
            )
        progress = _follow(every, work.quiet)
    except KeyboardInterrupt:
        typer.echo("stopped; run the same command again to go on", err=True)
        raise typer.Exit(130) from None
    status = status_of(folder)
    if not work.quiet:
        seconds = time.monotonic() - begun
        rate = f" ({progress.documents / seconds:.0f}/s)" if progress.documents else ""
        typer.echo(title, err=True)
        told = f"{counted(progress.documents, 'document')} now, in {duration(seconds)}{rate}"
        typer.echo(told, err=True)
        for line in summary(folder.path, status, plan.skipped):
            typer.echo(line, err=True)
    end(status.facts.scored, status.facts.failed, work)


def _follow(every: Iterator[Progress], quiet: bool) -> Progress:
    """Tell how it goes until the end; the last of it."""
    told = 0
    with ProgressLine(quiet) as line:
        for progress in every:
            for remark in progress.remarks[told:]:
                told += 1
                if not quiet:
                    line.clear()
                    typer.echo(remark, err=True)
            line.tell(progress)
    return progress


def _check_output(sources: Sources, output: str | None) -> None:
    from understandability.inputs.writing import check_is_no_input

    check_is_no_input(output, (file.path for file in sources.files))


def is_folder(output: str | None) -> bool:
    """Whether a path is that of a crawl folder; raises `OptionError` where it names no output."""
    from understandability.inputs.streams import is_url
    from understandability.inputs.tables import table_format

    if output in (None, "-"):
        return False
    if output.endswith("/") or (not is_url(output) and Path(output).is_dir()):
        return True
    try:
        table_format(output)
    except OptionError as error:
        raise OptionError(f"{error}; a crawl folder ends in /") from None
    return False
