"""`understand extract`: pages to text, and what was dropped on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understandability._version import __version__
from understandability.cli.options import (
    Docnos,
    Engine,
    Extractor,
    Inputs,
    LimitMb,
    Quiet,
    SentenceEnds,
    Strict,
    sources,
)
from understandability.errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa

    from understandability.formats.sources import Sources
    from understandability.records import Document, Failure
    from understandability.scoring import Documents

_ROWS = 200
_LONGEST_NAME = 120  # bytes; file systems allow 255, and a file is written under a longer name


def extract(
    inputs: Inputs,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER/ or FILE",
            help="A folder (ends in /) gets a text file for each document; a file one row for "
            "each: .jsonl, .csv, .tsv (also .gz, .zst), .parquet; - is JSON Lines.",
            show_default=False,
        ),
    ] = None,
    extractor: Extractor = "main",
    sentence_ends: SentenceEnds = "force-period",
    engine: Engine = "fast",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every block, kept or dropped, and why.")
    ] = False,
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Count words and sentences under every method and policy."),
    ] = False,
    docnos: Docnos = None,
    limit_mb: LimitMb = 10.0,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Extract the text of pages, one line for each field that ends a sentence.

    With --explain, one line for each block: kept or not, why, its element, its text. A folder
    or a file also gets the blocks, as JSON.

    Example: understand extract page.html --explain
    """
    from understandability.cli.rows import report_failures, write_rows
    from understandability.scoring import Documents, Settings

    if stats and (output or explain):
        raise OptionError(
            "--stats prints a table for all documents; leave out "
            f"{'--output' if output else '--explain'}"
        )
    pages = sources(inputs, docnos, limit_mb)
    settings = Settings(extractor=extractor, sentence_ends=sentence_ends, engine=engine)
    documents = Documents(pages, settings)
    if output and not output.endswith("/"):
        write_rows(
            documents,
            _tables(documents, explain),
            output,
            settings={
                "understandability": __version__,
                "extractor": extractor,
                "sentence_ends": sentence_ends,
                "engine": engine,
            },
            title=f"{extractor}, {sentence_ends}",
            shown={},
            strict=strict,
            quiet=quiet,
        )
        return
    if stats:
        failures = _show_statistics(pages, engine)
    else:
        _write_texts(documents, output, explain)
        failures = documents.failures
    report_failures(failures, None)
    if strict and failures:
        raise typer.Exit(1)


def _text(document: Document) -> str:
    from understandability.extraction import fields

    return "".join(f"{field}\n" for field in fields(document.blocks, document.sentence_ends))


def _explained(document: Document) -> str:
    return "".join(
        f"{'keep' if block.kept else 'drop'}\t{block.reason}\t{block.tag}\t{block.text}\n"
        for block in document.blocks
    )


def _write_texts(documents: Documents, folder: str | None, explain: bool) -> None:
    """Write each document to the terminal, or to a file of its own in the folder."""
    from understandability.storage.folders import open_folder

    names = _FileNames()
    for document in documents:
        text = _explained(document) if explain else _text(document)
        if folder is None:
            typer.echo(f"== {document.docno}\n{text}")
        else:
            open_folder(folder).write(names.of(document.docno), [text.encode()])


class _FileNames:
    """Names for files of documents, which differ even where a file system ignores case."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._same: Counter[str] = Counter()

    def of(self, docno: str) -> str:
        """The name for a document; what stands before a slash is a folder.

        >>> names = _FileNames()
        >>> [names.of(docno) for docno in ("a b", "A_b", "a_b-2", "../c", "a_b.txt/d", "//")]
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
        while unique.lower() in self._given:
            self._same[name.lower()] += 1
            unique = f"{name}-{self._same[name.lower()] + 1}"
        self._given.add(unique.lower())
        return f"{unique}.txt"


def _tables(documents: Documents, explain: bool) -> Iterator[pa.Table]:
    """Rows of documents, some hundred at a time; at least one table."""
    import pyarrow as pa

    schema = pa.schema(
        [
            (name, pa.string())
            for name in ("docno", "source", "title", "language", "encoding", "flags", "text")
        ]
    )
    if explain:
        block = pa.struct(
            [
                ("text", pa.string()),
                ("tag", pa.string()),
                ("kept", pa.bool_()),
                ("reason", pa.string()),
            ]
        )
        schema = schema.append(pa.field("blocks", pa.list_(block)))
    rows: list[dict[str, Any]] = []
    for document in documents:
        rows.append(
            {
                "docno": document.docno,
                "source": document.source,
                "title": document.title,
                "language": document.language,
                "encoding": document.encoding,
                "flags": " ".join(document.flags),
                "text": _text(document),
                "blocks": [asdict(block) for block in document.blocks] if explain else None,
            }
        )
        if len(rows) == _ROWS:
            yield pa.Table.from_pylist(rows, schema)
            rows = []
    yield pa.Table.from_pylist(rows, schema)


def _show_statistics(pages: Sources, engine: str) -> list[Failure]:
    """Print words and sentences per document of every method and policy; what failed."""
    from understandability.cli.outputs import print_table
    from understandability.documents import document_of
    from understandability.errors import PageError
    from understandability.extraction import SENTENCE_ENDS, extract, installed_extractors
    from understandability.language.tokens import word_of
    from understandability.pages import parse_page
    from understandability.records import Failure

    failures: list[Failure] = []
    totals: dict[tuple[str, str], Counter[str]] = {
        (method, policy): Counter() for method in installed_extractors() for policy in SENTENCE_ENDS
    }
    for page in pages:
        if isinstance(page, Failure):
            failures.append(page)
            continue
        try:
            parsed = parse_page(page)
            blocks = {method: extract(parsed, method, engine) for method, _ in totals}
        except PageError as error:
            failures.append(Failure(page.docno, page.source, error.stage, str(error)))
            continue
        for (method, policy), total in totals.items():
            document = document_of(parsed, blocks[method], extractor=method, sentence_ends=policy)
            words = sum(map(bool, map(word_of, document.pieces)))
            total.update(
                documents=int(words > 0), words=words, sentences=len(document.sentence_starts)
            )
    print_table(
        ["extractor, sentence ends", "documents", "words", "sentences", "words per sentence"],
        (
            [
                f"{method}, {policy}",
                f"{total['documents']}",
                f"{total['words'] / max(1, total['documents']):.1f}",
                f"{total['sentences'] / max(1, total['documents']):.1f}",
                f"{total['words'] / max(1, total['sentences']):.1f}",
            ]
            for (method, policy), total in totals.items()
        ),
    )
    return failures
