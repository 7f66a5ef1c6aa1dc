"""Arguments and options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.inputs.page_tables import TableColumns
    from understandability.inputs.sources import Sources


Completion = Callable[[str], list[str]]


def one_of(names: Callable[[], Iterable[str]]) -> Completion:
    """What completes the value of an option that is one of some names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def names_of(module: str, table: str) -> Completion:
    """What completes the value of an option: the names in a table, loaded when the shell asks."""
    return one_of(lambda: getattr(import_module(f"understandability.{module}"), table))


_INPUTS = typer.Argument(
    metavar="INPUT...",
    help="HTML, text and DOCX files, folders, WARC and WET, tables (JSONL, Parquet, CSV, TSV, "
    "Arrow), TREC web text, tar archives, URLs, - for standard input; also .gz and .zst.",
    show_default=False,
)
Inputs = Annotated[list[str], _INPUTS]
InputsIfAny = Annotated[list[str] | None, _INPUTS]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write .jsonl, .csv, .tsv (also with .gz or .zst) or .parquet; - is standard output.",
    ),
]
RowsOutput = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE or FOLDER/",
        help="Write .jsonl, .csv, .tsv (also with .gz or .zst) or .parquet, here or at a URL; - is "
        "standard output; FOLDER/ is a crawl folder.",
    ),
]
_TABLES = "Tables of pages"
IdColumn = Annotated[
    str | None,
    typer.Option(
        help="Column with the name of each document. Default: the first of id, docno, "
        "document_id, doc_id, warc_record_id, url.",
        rich_help_panel=_TABLES,
    ),
]
HtmlColumn = Annotated[
    str | None,
    typer.Option(
        help="Column with HTML. Default: the first of html, content, raw_content, body, text.",
        rich_help_panel=_TABLES,
    ),
]
TextColumn = Annotated[
    str | None, typer.Option(help="Column with plain text.", rich_help_panel=_TABLES)
]
UrlColumn = Annotated[
    str | None, typer.Option(help="Column with addresses. Default: url.", rich_help_panel=_TABLES)
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="Columns of the input to copy into the rows; one that meets a column of ours becomes "
        "input_NAME.",
        rich_help_panel=_TABLES,
    ),
]
Extractor = Annotated[
    str,
    typer.Option(
        autocompletion=names_of("text.extract.extractors", "EXTRACTORS"),
        help="How to find the text of a page: main, naive, boilerpipe, justext, trafilatura "
        "(extra).",
    ),
]
SentenceEnds = Annotated[
    str,
    typer.Option(
        autocompletion=names_of("text.extract.sentence_ends", "SENTENCE_ENDS"),
        help="Whether a sentence ends where a block of text ends: none, force-period, "
        "force-period-always.",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        autocompletion=names_of("text.extract.extractors", "ENGINES"),
        help="Our own code (fast), or the libraries that it reproduces (reference).",
    ),
]
LimitMb = Annotated[
    float,
    typer.Option(
        min=0.001,
        max=1_000_000,
        help="Longest document, in MB once decoded; longer ones become errors.",
    ),
]
Bundle = Annotated[str, typer.Option(help="Name or folder of the model.")]
Reader = Annotated[
    str,
    typer.Option(
        autocompletion=names_of("model.readers", "READERS"),
        help="The reader: public, plain-language, well-read or health-student.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="The difficulty (0 to 100) below which the reader understands; overrides the reader's."
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        autocompletion=names_of("model.readers", "USERS"),
        help="How sharp the threshold is: calibrated, step or arctan; overrides the reader's.",
    ),
]
NoiseScale = Annotated[
    str | None,
    typer.Option(help="Scale of the user's noise, a number or `pi`; overrides the reader's."),
]
AnyLanguage = Annotated[
    bool, typer.Option("--any-language", help="Estimate pages in other languages than English too.")
]
Docnos = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Read only documents named in this list, qrels file or run.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no remarks.")]
Strict = Annotated[bool, typer.Option("--strict", help="End with status 1 if any document failed.")]


Fetch = Annotated[
    bool,
    typer.Option(
        "--fetch", help="Get pages from the network where http or https addresses are given."
    ),
]
FetchPrivate = Annotated[
    bool,
    typer.Option(
        "--fetch-private",
        help="With --fetch: also from this machine and its network, not only public ones.",
    ),
]


def sources(
    inputs: list[str],
    docnos: Path | None,
    limit_mb: float,
    *,
    columns: TableColumns | None = None,
) -> Sources:
    """The pages that the shared arguments name."""
    from understandability.inputs.sources import Sources
    from understandability.inputs.trec import read_docnos

    wanted = read_docnos(str(docnos)) if docnos else None
    return Sources(inputs, docnos=wanted, limit=int(limit_mb * 1e6), columns=columns)


def columns_of(
    id_column: str | None,
    html_column: str | None,
    text_column: str | None,
    url_column: str | None,
    keep: str | None,
) -> TableColumns:
    """What the shared options say of the columns of tables."""
    from understandability.inputs.page_tables import TableColumns

    return TableColumns(id_column, html_column, text_column, url_column, tuple(names_in(keep)))


def names_in(text: str | None) -> list[str]:
    """The names in a list with commas.

    >>> names_in("lang, date")
    ['lang', 'date']
    """
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def number(text: str | None, option: str) -> float | None:
    """The number that an option gives; ``pi`` is one.

    >>> number("pi", "--noise-scale")
    3.141592653589793
    """
    if text is None:
        return None
    try:
        return math.pi if text.lower() == "pi" else float(text)
    except ValueError:
        raise OptionError(f"{option} must be a number or pi, not {text!r}") from None
