"""`understand score` into a run folder: its options, its progress and its summary."""

from __future__ import annotations

import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.errors import OptionError
from understandability.storage.remote import is_url
from understandability.storage.tables import table_format

if TYPE_CHECKING:
    from understandability.crawl.folder import RunFolder
    from understandability.crawl.local import CrawlProgress
    from understandability.crawl.plan import Input, Plan
    from understandability.crawl.status import Status
    from understandability.formats.sources import Sources
    from understandability.scoring import Scorer

_PANEL = "Run folder (-o FOLDER/): killed at any moment, the same command goes on"
RUNNERS = ("local", "ray")
_EVERY_ON_TERMINAL, _EVERY = 0.2, 60.0

Workers = Annotated[
    int | None,
    typer.Option(
        min=1, help="Processes that score; as many as there are cores.", rich_help_panel=_PANEL
    ),
]
LimitSeconds = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        max=1e6,
        help="Longest processor time for a page (10); longer ones are errors.",
        rich_help_panel=_PANEL,
    ),
]
WorkerMb = Annotated[
    float | None,
    typer.Option(min=1, help="Most memory of a worker in MB (2000).", rich_help_panel=_PANEL),
]
Shard = Annotated[
    str | None,
    typer.Option(
        metavar="I/N",
        help="Only every N-th input from the I-th; for job arrays.",
        rich_help_panel=_PANEL,
    ),
]
Runner = Annotated[
    str | None,
    typer.Option(
        help="Where workers run: local, or ray (extra) on a cluster.", rich_help_panel=_PANEL
    ),
]
Address = Annotated[
    str | None,
    typer.Option(help="Address of the Ray cluster; auto finds it.", rich_help_panel=_PANEL),
]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run folder; None where they were not given."""

    workers: int | None = None
    limit_seconds: float | None = None
    worker_mb: float | None = None
    shard: str | None = None
    runner: str | None = None
    address: str | None = None

    @property
    def given(self) -> list[str]:
        """Those that were, as they are written."""
        return [
            f"--{each.name.replace('_', '-')}"
            for each in fields(self)
            if getattr(self, each.name) is not None
        ]


def run_folder(output: str | None, options: RunOptions) -> str | None:
    """The run folder that is asked for; None where it is a single table."""
    is_table = output is None or output == "-" or _is_table(output)
    if output is None or is_table:
        if options.given:
            raise OptionError(
                f"{options.given[0]} belongs to a run folder, which {output or 'the terminal'} is "
                "not; name one, such as -o run/"
            )
        return None
    if options.runner not in (None, *RUNNERS):
        raise OptionError(
            f"runner {options.runner!r} does not exist; choose one of {', '.join(RUNNERS)}"
        )
    if options.address is not None and options.runner != "ray":
        raise OptionError("--address is that of a Ray cluster; give --runner ray as well")
    if options.given or output.endswith("/") or is_url(output) or Path(output).is_dir():
        return output
    return None


def score_into_folder(
    path: str,
    pages: Sources,
    scorer: Scorer,
    options: RunOptions,
    *,
    title: str,
    strict: bool,
    quiet: bool,
) -> None:
    """Score what is left of a run into its folder, telling how it goes.

    Ends the command with status 1 where `strict` and there is an error row, with 130 where it
    is interrupted.
    """
    from understandability.crawl.folder import RunFolder
    from understandability.crawl.plan import make_plan, shard_of
    from understandability.crawl.status import status_of

    plan = make_plan(pages, scorer)
    inputs = shard_of(plan.inputs, options.shard)
    folder = RunFolder(path)
    folder.begin(plan.description)
    begun = time.monotonic()
    shown = _Display(quiet)
    documents = 0
    try:
        for progress in _runner(folder, plan, inputs, options):
            shown.update(progress)
            documents = progress.documents
    except KeyboardInterrupt:
        shown.clear()
        typer.echo("stopped; give the same command again to go on", err=True)
        raise typer.Exit(130) from None
    shown.clear()
    status = status_of(folder)
    if not quiet:
        seconds = time.monotonic() - begun
        rate = f" ({documents / seconds:.0f}/s)" if documents else ""
        typer.echo(title, err=True)
        typer.echo(f"{documents:,} documents now, in {_duration(seconds)}{rate}", err=True)
        for line in summary(folder.path, status, plan.skipped):
            typer.echo(line, err=True)
    if strict and status.facts.failed:
        raise typer.Exit(1)


def _runner(
    folder: RunFolder, plan: Plan, inputs: list[Input], options: RunOptions
) -> Iterator[CrawlProgress]:
    from understandability.crawl.local import run_local
    from understandability.crawl.ray import run_on_ray
    from understandability.crawl.workers import Limits

    defaults = Limits()
    limits = Limits(
        options.limit_seconds or defaults.seconds, options.worker_mb or defaults.megabytes
    )
    if options.runner == "ray":
        workers = options.workers or 1
        return run_on_ray(
            folder, plan, inputs, workers=workers, limits=limits, address=options.address
        )
    workers = options.workers or _cores()
    return run_local(folder, plan, inputs, workers=workers, limits=limits)


def _cores() -> int:
    """The processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def summary(path: str, status: Status, skipped: Mapping[str, int]) -> Iterator[str]:
    """What a run folder holds, as lines of text; `skipped` are files that were no inputs."""
    from understandability.crawl.status import histogram

    facts = status.facts
    yield (
        f"{path}: {facts.records:,} documents of {status.complete} of {len(status.inputs)} inputs, "
        f"{facts.scored:,} scored, {facts.failed.total():,} errors"
    )
    for stage, count in facts.failed.most_common():
        yield f"errors in {stage}: {count:,}"
    for kind, count in (facts.skipped + Counter(skipped)).most_common():
        yield f"passed over: {count:,} {kind}"
    if facts.scored:
        yield "difficulty (0 very easy to 100 very hard) and documents:"
        yield from histogram(facts.difficulties)


class _Display:
    """How a run goes: one line on a terminal, elsewhere a line a minute; on standard error."""

    def __init__(self, quiet: bool) -> None:
        self._terminal = sys.stderr.isatty()
        self._every = math.inf if quiet else _EVERY_ON_TERMINAL if self._terminal else _EVERY
        self._begun = self._last = time.monotonic()

    def update(self, progress: CrawlProgress) -> None:
        """Tell, if it is time to."""
        now = time.monotonic()
        if now - self._last < self._every:
            return
        self._last = now
        line = _in_words(progress, now - self._begun)
        if self._terminal:
            sys.stderr.write(f"\r{line} \x1b[K")
        else:
            sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave the line empty."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")


def _in_words(progress: CrawlProgress, seconds: float) -> str:
    rate = progress.documents / seconds
    failed = progress.failed.total()
    stages = ", ".join(f"{stage} {count:,}" for stage, count in progress.failed.most_common())
    line = f"{progress.documents:,} documents, {rate:.0f}/s, {failed:,} errors"
    line += f" ({stages})" if failed else ""
    number = min(progress.inputs_done + 1, progress.inputs)
    line += f", input {number} of {progress.inputs}: {progress.input}"
    now = progress.bytes_done - progress.bytes_passed
    if now > 0 and progress.documents:
        left = (progress.bytes - progress.bytes_done) * seconds / now
        line += f", about {_duration(left)} left"
    return line


def _duration(seconds: float) -> str:
    """A time in words.

    >>> _duration(7.2), _duration(3700)
    ('7 s', '1 h 2 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _is_table(output: str) -> bool:
    try:
        table_format(output)
    except OptionError:
        return False
    return not output.endswith("/")
