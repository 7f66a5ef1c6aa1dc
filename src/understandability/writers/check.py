"""The command `check`: find texts that miss their target, and the passages that cost most."""

from __future__ import annotations

import io
import json
import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, cast

from cyclopts import Parameter

from understandability.errors import InputError, OptionError, PageError
from understandability.feature.table import batches, features_of
from understandability.flags import FlagName
from understandability.inputs.limits import DEFAULT_LIMIT, too_long
from understandability.inputs.office import OFFICE_SUFFIXES, read_office
from understandability.inputs.writing import write_text
from understandability.keywords import read_by
from understandability.model.readers import DEFAULT_READER, Reader, reader_names
from understandability.scoring import NOT_ENGLISH, Scorer, Settings, document_under, scorer_of
from understandability.text.decoding import decode
from understandability.text.document import Document
from understandability.text.page import HTML, TEXT, Failure, Page
from understandability.text.prose import Prose
from understandability.wording import share_in
from understandability.writers.levels import AIM, checked_aim, level_of

# Rule -> what it says of a place.
RULES: Mapping[str, str] = {
    "aim": "Fewer readers would understand the text than its target asks for.",
    "hard-sentence": "One of the hardest sentences of a text that misses its target.",
    "plain-term": "A term for which there is a plainer one.",
}
# File suffix -> suffix in `prose.MASKS`; '' if the whole file is prose.
_SUFFIXES = {
    ".md": ".md", ".markdown": ".md", ".mdx": ".md", ".rst": ".rst", ".txt": "", ".text": "",
    ".html": ".html", ".htm": ".html", ".xhtml": ".html", **dict.fromkeys(OFFICE_SUFFIXES, ""),
}  # fmt: skip
SHORT_TEXT = 20  # words, of fewer an estimate is a guess
_MOST = 5  # sentences, and terms, that are named
_TOLD = 0.005  # a gain that shows with two digits
_SLACK = 0.01  # by which a text may fall below its baseline
_TABLE = "understandability"
Before = Callable[[], bytes] | None  # reads what a file was; None: it was not there


@dataclass(frozen=True, slots=True)
class Finding:
    """A passage or term that keeps a text below its target: rule, position, and a replacement.

    Lines and columns count from 1; the end is after the last character. `gain` is the rise of
    P(U|d) if only this is changed, estimated by the model itself.
    """

    rule: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str = ""
    instead: tuple[str, ...] = ()
    gain: float = math.nan


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one file: P(U|d) compared with its target. `before` is P(U|d) at the earlier
    revision, if any.

    P(U|d) is NaN if there is no estimate; `error` is the reason why a file could not be read.
    `findings` are empty for texts in another language than English.
    """

    path: str
    aim: float
    p_understandable: float = math.nan
    difficulty: float = math.nan
    words: int = 0
    flags: tuple[FlagName, ...] = ()
    misses: bool = False
    before: float = math.nan
    error: str = ""
    findings: tuple[Finding, ...] = ()
    language: str = ""


@dataclass(frozen=True)
class Checks:
    """The results of `check`, file by file; `changed_from` is the earlier revision."""

    files: tuple[Checked, ...]
    changed_from: str = ""
    remarks: tuple[str, ...] = ()  # about the file of targets
    recorded: int = 0  # files that a new baseline records

    @property
    def misses(self) -> tuple[Checked, ...]:
        """The files that miss their target."""
        return tuple(file for file in self.files if file.misses)

    @property
    def errors(self) -> tuple[Checked, ...]:
        """The files that could not be read."""
        return tuple(file for file in self.files if file.error)


@dataclass(frozen=True)
class Aims:
    """The target of each file: the most specific folder or file wins, otherwise the general one."""

    general: float = AIM
    reader: str = DEFAULT_READER
    below: Mapping[Path, float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def target_of(self, path: str) -> float:
        """Return the target of a file."""
        here = Path(path).resolve()
        aims = (self.below[folder] for folder in (here, *here.parents) if folder in self.below)
        return next(aims, self.general)


def read_aims(folder: Path) -> Aims:
    """Read targets from the first ``understandability.toml`` or ``pyproject.toml``, from a folder
    upwards.

    Raises `InputError` for a file that is not TOML, and `OptionError` for unknown entries.
    """
    for home in (folder.resolve(), *folder.resolve().parents):
        for name in (f"{_TABLE}.toml", "pyproject.toml"):
            file = home / name
            if not file.is_file():
                continue
            try:
                table: Any = tomllib.loads(file.read_text("utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise InputError(f"{file} is no TOML: {error}") from error
            if name == "pyproject.toml":
                table = table.get("tool", {}).get(_TABLE)
            if table is None:
                continue
            if "tool" in table and name != "pyproject.toml":
                raise OptionError(
                    f"{file}: this file needs no [tool.{_TABLE}]; write aim = 0.8 at the top and "
                    "folders under [aims]"
                )
            below = table.get("aims", {}) if isinstance(table, dict) else None
            if not isinstance(below, dict) or not table.keys() <= {"aim", "aims", "reader"}:
                raise OptionError(f"{file} may have aim, reader, and a table aims of folders")
            absent = [
                f"{file}: there is no {folder}" for folder in below if not (home / folder).exists()
            ]
            return Aims(
                checked_aim(table.get("aim", AIM), str(file)),
                str(table.get("reader", DEFAULT_READER)),
                {
                    (home / folder).resolve(): checked_aim(aim, f"{file}: {folder}")
                    for folder, aim in below.items()
                },
                (f"targets are read from {file}", *absent),
            )
    return Aims()


def check(
    paths: Annotated[Sequence[str | Path], Parameter("PATH", metavar="PATH...")],
    *,
    aim: Annotated[float | None, read_by(share_in, metavar="SHARE")] = None,
    reader: Annotated[str | Reader | None, Parameter(completer=reader_names)] = None,
    changed_from: Annotated[str | None, Parameter(metavar="REV")] = None,
    baseline: Annotated[str | None, Parameter(metavar="FILE")] = None,
    write_baseline: bool = False,
) -> Checks:
    """Check texts against a target: report those that miss it, and their hardest passages and
    terms.

    Reads Markdown, reStructuredText, HTML, DOCX, ODT, PDF and plain text. It skips code, front
    matter, addresses and directives. Targets by folder are in understandability.toml, or in
    pyproject.toml under tool.understandability. The exit status is 1 if a file misses its target or
    cannot be read.

    Example: understand check docs README.md --aim 0.7

    Args:
        paths: Files, and folders with all that is below them.
        aim: The lowest acceptable P(U|d), such as 0.8 or 80%, instead of all configured targets.
            Default: as configured, else 0.8, eight in ten readers. A target of 0 turns the check
            off.
        reader: For whom, as for `score`. Default: as configured, else public.
        changed_from: Read only files that git lists as changed since this revision; compare them.
        baseline: File of known misses. A text that it lists is reported only if it gets harder.
        write_baseline: Write today's misses to that file.

    In Python:
        `reader` may also be a `Reader` or the result of `calibrate`.

        Raises `OptionError` for a target, a reader or a revision that does not exist, and
        `InputError` for a baseline or a configuration that cannot be read.

    >>> from understandability.resources import resource
    >>> [(file.path[-9:], file.misses) for file in check([resource("samples")], aim=0.5).files]
    [('easy.html', False), ('hard.html', True), ('dium.html', False)]
    """
    if write_baseline and not baseline:
        raise OptionError("--write-baseline needs a file to write: --baseline FILE")
    names = [str(path) for path in paths]
    aims = read_aims(Path.cwd())
    if aim is not None:
        aims = Aims(checked_aim(aim, "--aim"), aims.reader)
    unread = tuple(
        f"{Path(path, f'{_TABLE}.toml')} is not read; only one where you are, or above, is"
        for path in names
        if Path(path, f"{_TABLE}.toml").is_file() and Path(path).resolve() != Path.cwd()
    )
    scorer = scorer_of(Settings(reader=reader or aims.reader))
    who = f"{scorer.reader.name} on {scorer.scale}"
    previous = _baseline(baseline, who) if baseline and not write_baseline else {}
    sources: dict[str, Before] = dict(
        _changed(names, changed_from)
        if changed_from is not None
        else ((name, None) for path in names for name in _files(path))
    )
    files = tuple(_checked(sources, aims, previous, scorer))
    if baseline and write_baseline:
        chances = {file.path: round(file.p_understandable, 4) for file in files if file.misses}
        record = {"files": chances, "reader": who}
        write_text(baseline, json.dumps(record, indent=1, sort_keys=True) + "\n")
        files = tuple(_checked(sources, aims, chances, scorer))
    recorded = len(chances) if baseline and write_baseline else 0
    return Checks(files, changed_from or "", aims.remarks + unread, recorded)


def _files(path: str) -> Iterator[str]:
    """Yield the files that a path names, written with ``/`` on every system."""
    if not Path(path).is_dir():
        yield Path(path).as_posix()
        return
    is_empty = True
    for parent, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix.lower() in _SUFFIXES and not name.startswith("."):
                is_empty = False
                yield Path(parent, name).as_posix()
    if is_empty:
        yield Path(path).as_posix()  # reported, so that an empty input cannot pass


def _baseline(path: str, who: str) -> dict[str, float]:
    try:
        record = json.loads(Path(path).read_text("utf-8"))
        if record.get("reader", who) != who:
            raise ValueError(f"it is for the reader {record['reader']}, not {who}")
        return {str(name): float(chance) for name, chance in record["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is no baseline ({error}); make one with --write-baseline"
        ) from error


def _git(*words: str) -> bytes:
    import subprocess  # takes long to load

    try:
        done = subprocess.run(
            ["git", "--literal-pathspecs", *words], capture_output=True, check=True, timeout=120
        )
    except FileNotFoundError as error:
        raise OptionError("--changed-from needs git, which is not installed") from error
    except (subprocess.SubprocessError, ValueError) as error:
        message = (getattr(error, "stderr", b"") or b"").decode("utf-8", "replace").strip()
        raise OptionError(
            f"git {words[0]}: {message.splitlines()[0] if message else error}"
        ) from error
    return done.stdout


def _changed(paths: Sequence[str], revision: str) -> Iterator[tuple[str, Before]]:
    """Yield the files that differ from a revision, each with a function that reads the old content.

    The function is None for a new file.
    """
    try:
        commit = f"{revision}^{{commit}}"
        commit = (
            _git("rev-parse", "--verify", "--quiet", "--end-of-options", commit).decode().strip()
        )
    except OptionError as error:
        raise OptionError(f"--changed-from: git knows no revision {revision!r}") from error
    top = Path(os.fsdecode(_git("rev-parse", "--show-toplevel")).strip())
    said = _git("diff", "--name-status", "-z", "-M", "--diff-filter=AMR", commit, "--", *paths)
    words = iter(os.fsdecode(said).split("\0")[:-1])
    for status in words:
        old = next(words)
        new = next(words) if status[0] == "R" else old
        if Path(new).suffix.lower() in _SUFFIXES:
            before = partial(_git, "cat-file", "blob", f"{commit}:{old}")
            yield Path(os.path.relpath(top / new)).as_posix(), None if status[0] == "A" else before


def _read(path: str, docno: str, content: bytes, scorer: Scorer) -> tuple[Document, Prose]:
    """Return the document of a file's content, and its source; raise `PageError` if it has no
    text.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise PageError("read", f"unsupported file type; texts end in {', '.join(_SUFFIXES)}")
    if len(content) > DEFAULT_LIMIT:
        raise PageError("read", too_long(DEFAULT_LIMIT))
    suffix_read = _SUFFIXES[suffix]
    page: Page | Failure
    if suffix in OFFICE_SUFFIXES:
        stream = io.BufferedReader(io.BytesIO(content))
        page = read_office(suffix, cast(Any, stream), docno, path, DEFAULT_LIMIT)
        if isinstance(page, Failure):
            raise PageError("read", page.error)
        prose = Prose(str(page.content), suffix_read)
    else:
        prose = Prose(decode(content).text, suffix_read)
        is_page = suffix_read == ".html"
        page = Page(docno, path, prose.source if is_page else prose.text, HTML if is_page else TEXT)
    return document_under(page, scorer.settings), prose


def _checked(
    inputs: Mapping[str, Before], aims: Aims, previous: Mapping[str, float], scorer: Scorer
) -> Iterator[Checked]:
    """Yield the results file by file; only files that miss their target are explained."""
    waiting: dict[str, tuple[str, Prose]] = {}
    checked_files: dict[str, Checked] = {}
    before: dict[str, float] = {}

    def documents() -> Iterator[Document]:
        for path, old in inputs.items():
            for read in (old, partial(_content, path)) if old else (partial(_content, path),):
                docno = f"{'-' if read is old else '+'}{path}"
                try:
                    document, prose = _read(path, docno, read(), scorer)
                except (PageError, OSError, OptionError, RecursionError) as error:
                    if read is not old:
                        said = getattr(error, "strerror", None) or str(error)
                        checked_files[path] = Checked(path, aims.target_of(path), error=said)
                    continue
                waiting[docno] = path, prose
                yield document

    for batch in batches(documents()):
        if not len(batch):
            continue
        table = features_of(batch, ("words",))
        rows = zip(batch.documents, scorer.estimates(batch), table.values, table.flags, strict=True)
        for document, estimate, (words,), flags in rows:
            path, prose = waiting.pop(document.docno)
            chance, goal = estimate.p_understandable, aims.target_of(path)
            if document.docno[0] == "-":
                before[path] = chance
                continue
            misses = chance < min(goal, previous.get(path, goal + _SLACK) - _SLACK)
            checked_files[path] = Checked(
                path, goal, chance, estimate.difficulty, int(words),
                tuple(dict.fromkeys((*flags, *estimate.flags))), misses,
                before.get(path, math.nan), "",
                _findings(document, prose, scorer) if misses else (),
                document.language or "",
            )  # fmt: skip
    yield from (checked_files[path] for path in inputs)


def _content(path: str) -> bytes:
    if Path(path).is_dir():
        raise PageError("read", f"no text was found in {path}/")
    with Path(path).open("rb") as file:
        return file.read(DEFAULT_LIMIT + 1)


def _findings(document: Document, prose: Prose, scorer: Scorer) -> tuple[Finding, ...]:
    """Return the sentences, and the terms with a plainer one, whose change gains most."""
    # Without a miss these need not be loaded.
    from understandability.writers.explain import explain_document
    from understandability.writers.first_steps import gains, said_plainly

    explained = explain_document(document, scorer, steps=False)
    if NOT_ENGLISH in explained.estimate.flags:  # sentences and terms are known in English only
        return ()
    pieces, every, offered = document.pieces, explained.sentences, explained.offers
    of_sentences, of_terms = gains(
        document, explained.estimate, every, explained.findings, offered, scorer
    )

    def at(first: int, last: int, start: int = 0) -> tuple[int, int]:
        return prose.place_of(pieces[first:last], start) or (start, start)

    def finding(
        rule: str, message: str, span: tuple[int, int], gain: float, instead: tuple[str, ...] = ()
    ) -> Finding:
        ends = (*prose.line_and_column(span[0]), *prose.line_and_column(span[1]))
        text = " ".join(prose.source[slice(*span)].split())
        after = explained.estimate.p_understandable + gain
        gain_text = f" (if only this is changed: {100 * after:.0f} %)" if gain >= _TOLD else ""
        return Finding(rule, message + gain_text, *ends, text, instead, gain)

    findings = []
    for number, gain in nlargest(_MOST, of_sentences.items(), key=itemgetter(1)):
        sentence = every[number]
        level = level_of(sentence.level)
        why = "; ".join(sentence.reasons) or "hard words or a hard order of words"
        said = f"hard sentence ({level.name})" if level else "hard sentence"
        span = at(sentence.first, sentence.last)
        findings.append(finding("hard-sentence", f"{said}: {why}", span, gain))
    for term, gain in nlargest(_MOST, of_terms.items(), key=itemgetter(1)):
        first, *more = said_plainly(offered)[term]
        holder = next(
            sentence for sentence in every if sentence.first <= first.first < sentence.last
        )
        start, _ = at(holder.first, holder.last)
        times = f" ({len(more) + 1} times)" if more else ""
        message = f"“{first.term}”{times}: {first.how} {', or '.join(first.plain)}"
        span = at(first.first, first.last, start)
        findings.append(finding("plain-term", message, span, gain, first.texts))
    return tuple(findings)
