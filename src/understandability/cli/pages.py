"""Views of commands that read pages: rows on the terminal, in a file or in a crawl folder."""

from __future__ import annotations

import json
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from understandability.cli.progress import ProgressLine, duration
from understandability.cli.results import (
    MOST_NAMED,
    File,
    Quiet,
    Strict,
    say,
    show,
)
from understandability.errors import OptionError
from understandability.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from understandability.crawls.merge import Merged
    from understandability.crawls.rows import Rows
    from understandability.crawls.status import Status
    from understandability.text.page import Failure

_MOST_SHOWN = 1000
_LONGEST_NAME = 120  # bytes; file systems allow 255, and a file is written under a longer name
# Column of the rows -> its heading on a terminal.
_SCORES = {
    "docno": "docno",
    "p_understandable": "P(U|d)",
    "difficulty": "difficulty",
    "dale_chall": "Dale-Chall",
    "gunning_fog": "FOG",
    "words": "words",
    "flags": "flags",
}


def rows(
    call: Callable[..., Rows],
    *,
    output: str | None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Show rows of documents on the terminal, or write them to a file or crawl folder."""
    from understandability.crawls.folder import CrawlFolder
    from understandability.crawls.options import is_folder
    from understandability.crawls.outputs import InMemory, errors_of
    from understandability.crawls.status import status_of

    started = time.monotonic()
    with ProgressLine(quiet) as line, _sigterm_raises():
        try:
            result = call(
                progress=line.show_progress, into=None if output else InMemory(_MOST_SHOWN)
            )
        except KeyboardInterrupt as stop:
            is_terminated = isinstance(stop, _Terminated)
            if not is_folder(output) and not is_terminated:
                raise
            advice = "; run the same command again to continue" if is_folder(output) else ""
            say(f"stopped{advice}")
            raise SystemExit(143 if is_terminated else 130) from None
    if not quiet and output not in (None, "-"):
        report_failures(line.first_failure())  # the file has the others
    unread = _unread_files(result.skipped)
    if output is not None and is_folder(output):
        folder = CrawlFolder(output)
        status = status_of(folder)
        if not quiet:
            seconds = time.monotonic() - started
            documents = result.made + result.failed.total()
            rate = f" ({documents / seconds:.0f}/s)" if documents else ""
            say(_title(result))
            say(f"{counted(documents, 'document')} now, in {duration(seconds)}{rate}")
            for remark in summary(folder.path, status):
                say(remark)
        else:
            _say_passed_over(unread)
        return end(status.facts.scored, status.facts.failed, strict, quiet, unread.total())
    if output is None and result.made:
        columns = _columns(result)
        print(_title(result))
        cells = result.table.to_pylist()
        for row in cells if columns is _SCORES else ():
            if row["language"] not in ("en", "", None):  # these formulas are made for English
                row.update(dale_chall=None, gunning_fog=None)
        show(cells, columns)
        if result.made > _MOST_SHOWN and len(result) == _MOST_SHOWN:
            print("... and more; write them with -o FILE")
    report_failures(result.failures)
    if not quiet:
        if output is not None:
            say(_title(result))
        failed = result.failed.total()
        where = f" (in {errors_of(output)})" if output not in (None, "-") and failed else ""
        say(f"{counted(result.made, 'document')}, {counted(failed, 'error')}{where}")
    _say_passed_over(unread if quiet else result.skipped)
    return end(result.made, result.failed, strict, quiet, unread.total())


class _Terminated(KeyboardInterrupt):
    """Raised when the process receives SIGTERM."""


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    """Raise an exception at SIGTERM, so that workers end and temporary files are removed."""

    def stop(*_: object) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield  # signals belong to the main thread
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def features_written(
    call: Callable[..., Rows],
    *,
    inputs: Sequence[str],
    inputs_from: str | None,
    columns: Sequence[str] | None,
    groups: Sequence[str],
    output: str | None,
    list_: Annotated[bool, Parameter("--list")] = False,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Show rows of features, or list the available features.

    Args:
        list_: List the features; read no pages.
    """
    if list_:
        from understandability.feature.catalogue import COLUMNS, describe, select_columns

        names = select_columns(columns or (), groups)
        descriptions = [describe(COLUMNS[name][0]) for name in names]
        if output:
            import pyarrow as pa

            from understandability.inputs.tables import write_table

            write_table(pa.Table.from_pylist(descriptions), output)
        else:
            show(descriptions, {name: name for name in descriptions[0]})
    elif not (inputs or inputs_from):
        raise OptionError("no input given; name pages, folders or archives, or --list")
    else:
        if left_out := _features_left_out(columns, groups):
            say(
                f"{counted(len(left_out), 'feature')} left out (pip install '.[reference]' in the "
                f"source folder adds them): {', '.join(left_out)}"
            )
        rows(call, output=output, strict=strict, quiet=quiet)


def _features_left_out(columns: Sequence[str] | None, groups: Sequence[str]) -> list[str]:
    """Return the features of the groups, or of all, whose optional packages are missing."""
    from understandability.feature.catalogue import catalogue

    if columns and not groups:
        return []
    return [
        row.name
        for row in catalogue()
        if (not groups or row.group in groups) and not row.is_available()
    ]


def text_extracted(
    call: Callable[..., Rows],
    *,
    output: str | None,
    explain: bool,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Print extracted texts, write them to a folder, or write rows to a file."""
    from understandability.crawls.options import is_folder

    if output and not is_folder(output):
        return rows(call, output=output, strict=strict, quiet=quiet)
    texts = _Texts(output, explain)
    with ProgressLine(quiet) as line:
        result = call(output=None, progress=line.show_progress, into=texts)
    report_failures(texts.failures)
    unread = _unread_files(result.skipped)
    _say_passed_over(unread)
    return end(result.made, result.failed, strict, quiet, unread.total())


class _Texts:
    """Prints the text of each document, or writes it to its own file in a folder."""

    def __init__(self, folder: str | None, explain: bool) -> None:
        self._folder, self._explain = folder, explain
        self._names = _FileNames()
        self.failures: list[Failure] = []

    def write(self, rows: pa.Table, failures: Sequence[Failure]) -> None:
        """Print or write the texts of some rows, and remember the failures."""
        from understandability.inputs.writing import open_folder

        self.failures += failures
        for row in rows.to_pylist():
            text = _explained(row["blocks"]) if self._explain else row["text"]
            if self._folder is None:
                print(f"== {row['docno']}\n{text}")
            else:
                open_folder(self._folder).write(self._names.name_for(row["docno"]), [text.encode()])


def _explained(blocks: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        ("keep" if block["kept"] else "drop", block["reason"], block["tag"], block["text"])
        for block in blocks
    ]
    return "".join("\t".join(row) + "\n" for row in rows)


class _FileNames:
    """Chooses file names for documents; no two are the same, even if capitals do not count."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._same: Counter[str] = Counter()

    def name_for(self, docno: str) -> str:
        """Return a file name for a document; the part of the docno before a slash is a folder.

        >>> names = _FileNames()
        >>> [names.name_for(docno) for docno in ("a b", "A_b", "a_b-2", "../c", "a_b.txt/d", "//")]
        ['a_b.txt', 'A_b-2.txt', 'a_b-2-2.txt', 'c.txt', 'a_b.txt_/d.txt', '_.txt']
        """
        parts = [
            re.sub(r"[^\w.+=@-]+", "_", part).encode()[-_LONGEST_NAME:].decode("utf-8", "ignore")
            for part in docno.split("/")
        ]
        *folders, last = [part for part in parts if part.strip(".")] or ["_"]
        # A folder may not have the name of a file.
        name = "/".join([*(part + "_" * part.endswith(".txt") for part in folders), last])
        unique = name
        while unique.lower() in self._names:
            self._same[name.lower()] += 1
            unique = f"{name}-{self._same[name.lower()] + 1}"
        self._names.add(unique.lower())
        return f"{unique}.txt"


def status_shown(call: Callable[..., Status], *, folder: str) -> None:
    """Show the state of a crawl folder."""
    from understandability.crawls.folder import CrawlFolder

    status = call()
    for line in summary(CrawlFolder(folder).path, status):
        print(line)
    unfinished = [input_ for input_ in status.inputs if not input_.is_complete]
    for input_ in unfinished[:MOST_NAMED]:
        records = counted(input_.facts.records, "document")
        print(f"not complete: {input_.name} ({records} so far)")
    if len(unfinished) > MOST_NAMED:
        print(f"and {len(unfinished) - MOST_NAMED} more")


def merged(call: Callable[..., Merged], *, output: File, quiet: Quiet = False) -> None:
    """Show the result of merging crawl folders.

    Args:
        output: Write .parquet, .jsonl, .csv or .tsv.
        quiet: Show no remarks.
    """
    from understandability.crawls.outputs import errors_of

    result = call(output=output)
    if not quiet:
        where = f" (in {errors_of(output)})" if result.failed and output != "-" else ""
        say(f"{counted(result.scored, 'document')}, {counted(result.failed, 'error')}{where}")
        if result.repeated:
            say(f"{counted(result.repeated, 'document')} came a second time")
        for path in result.without[:MOST_NAMED]:
            say(f"given up: {path}")


def looked_up(call: Callable[..., dict[str, Any]], *, folder: str, docnos: Sequence[str]) -> None:
    """Print the row of each document as a line of JSON; exit with status 1 if one is missing."""
    from understandability.crawls.folder import CrawlFolder

    # Names that are not UTF-8 are stored in a crawl folder as they are escaped here.
    names = [docno.encode("utf-8", "backslashreplace").decode() for docno in docnos]
    rows = call(docnos=names)
    for docno, row in rows.items():
        if row is None:
            say(f"{docno} is not in {CrawlFolder(folder).path}")
        else:
            print(json.dumps(row, ensure_ascii=False, default=str))
    if None in rows.values():
        raise SystemExit(1)


def _unread_files(skipped: Counter[str]) -> Counter[str]:
    """Return how many files of each type were not read because of their type."""
    from understandability.inputs.sources import is_skipped_file

    return Counter({label: count for label, count in skipped.items() if is_skipped_file(label)})


def _say_passed_over(skipped: Counter[str]) -> None:
    from understandability.inputs.sources import in_words

    for label, count in skipped.most_common():
        say(in_words(label, count))


def end(n_rows: int, failed: Counter[str], strict: bool, quiet: bool, unread: int = 0) -> None:
    """Exit with status 1 if no document has a row, or if the machine lacked memory or disk.

    With `strict`, also exit with status 1 if a document failed or a file was not read.
    """
    if lacking := failed["environment"]:
        say(
            f"understand: the machine or the network failed for {counted(lacking, 'document')}; "
            "see the errors, then run the same command again"
        )
        raise SystemExit(1)
    if failed and not n_rows:
        if not quiet:
            say("understand: no document could be used; see the errors")
        raise SystemExit(1)
    if strict and (failed or unread):
        raise SystemExit(1)


def report_failures(failures: Iterable[Failure]) -> None:
    """Print failures on standard error, if no file holds them."""
    for failure in failures:
        say(f"{failure.path}: {failure.stage}: {failure.error}")


def summary(path: str, status: Status) -> Iterator[str]:
    """Yield lines that describe the state of a crawl folder: documents, errors, skipped files."""
    from understandability.crawls.status import text_histogram
    from understandability.inputs.sources import in_words

    facts = status.facts
    yield (
        f"{path}: {counted(facts.records, 'document')} of {status.complete} of "
        f"{counted(len(status.inputs), 'input')}, {facts.scored:,} scored, "
        f"{counted(facts.failed.total(), 'error')}"
    )
    for stage, count in facts.failed.most_common():
        yield f"errors in {stage}: {count:,}"
    for label, count in (facts.skipped + status.skipped).most_common():
        yield in_words(label, count)
    for given_up in status.without[:MOST_NAMED]:
        yield f"given up: {given_up}"
    if any(facts.difficulties):
        yield "difficulty (0 very easy to 100 very hard) and documents:"
        yield from text_histogram(facts.difficulties)


def _title(result: Rows) -> str:
    """Return the title of a table of rows: its settings in a few words."""
    chosen = result.settings
    text = f"{chosen['extractor']}, {chosen['sentence_ends']}"
    if "reader_description" in chosen:
        by_it = "languages_model" in chosen and any(
            row["language"] not in (None, "en") and row["level"] is not None for row in result
        )
        bundles = f"{chosen['bundle']}{' and languages' * by_it}, {text}"
        who = chosen["reader_description"]
        return f"{f'for {who}' if who else 'for no reader'}; bundle {bundles}"
    if "tagger" in chosen:
        return f"{counted(len(chosen['columns']), 'feature')}, {text}"
    return f"the words that features count, {text}" if "columns" in chosen else text


def _columns(result: Rows) -> Mapping[str, str]:
    """Return the columns to show on the terminal, with their headings."""
    if "reader_description" in result.settings:
        return _SCORES
    return {name: name for name in result.table.column_names if name not in ("path", "url")}
