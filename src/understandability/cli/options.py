"""Arguments and options that several commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.errors import OptionError

if TYPE_CHECKING:
    from understandability.formats.sources import Sources

_INPUTS = typer.Argument(
    metavar="INPUT...",
    help="HTML, text and DOCX files, folders, WARC and WET, JSONL and Parquet with id and html or "
    "text, TREC web text, tar archives, - for standard input; also .gz and .zst.",
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
Extractor = Annotated[
    str,
    typer.Option(
        help="What is text on a page: main, naive, boilerpipe, justext, trafilatura (extra)."
    ),
]
SentenceEnds = Annotated[
    str,
    typer.Option(
        help="Where text blocks end, sentences end: none, force-period, force-period-always."
    ),
]
Engine = Annotated[
    str,
    typer.Option(help="Our extraction (fast), or the libraries it reproduces (reference)."),
]
LimitMb = Annotated[
    float,
    typer.Option(
        min=0.001,
        max=1e6,
        help="Longest document in MB of decoded bytes; longer ones are errors.",
    ),
]
Bundle = Annotated[str, typer.Option(help="Name or folder of the model.")]
Threshold = Annotated[
    float,
    typer.Option(min=0, max=100, help="The difficulty (0 to 100) below which the reader understands."),
]
User = Annotated[str, typer.Option(help="How sharp the threshold is: calibrated, step, arctan.")]
NoiseScale = Annotated[
    str | None, typer.Option(help="Scale of the user's noise; `pi` is a number here.")
]
AnyLanguage = Annotated[
    bool, typer.Option("--any-language", help="Estimate pages that are not English, too.")
]
Docnos = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Only the documents of a list, a qrels file or a run.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="End with status 1 if there was an error row.")
]


def sources(inputs: list[str], docnos: Path | None, limit_mb: float) -> Sources:
    """The pages that the shared arguments name."""
    from understandability.formats.docnos import read_docnos
    from understandability.formats.sources import Sources

    wanted = read_docnos(str(docnos)) if docnos else None
    return Sources(inputs, docnos=wanted, limit=int(limit_mb * 1e6))


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
