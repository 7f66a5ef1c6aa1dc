"""`understand index`: an inverted index of pages, and runs from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from understandability.cli.options import Docnos, Inputs, LimitMb, Quiet, Strict, sources
from understandability.cli.ranking import QueryFile, RunOutput, Tag
from understandability.wording import counted

if TYPE_CHECKING:
    from understandability.cli.progress import ProgressLine
    from understandability.text.page import Failure, Page

app = typer.Typer(help="Index pages, and search them.", no_args_is_help=True)

IndexFolder = Annotated[
    str, typer.Argument(metavar="INDEX", help="The folder of an index.", show_default=False)
]


@app.command("build")
def build(
    inputs: Inputs,
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FOLDER", help="The new index.", show_default=False),
    ],
    extractor: Annotated[
        str, typer.Option(help="How to find the text of a page: main, naive, boilerpipe, justext.")
    ] = "naive",
    stop_words: Annotated[
        str, typer.Option(help="Words to leave out: english (scikit-learn's list), none.")
    ] = "english",
    stemmer: Annotated[str, typer.Option(help="porter, none.")] = "porter",
    docnos: Docnos = None,
    limit_mb: LimitMb = 10.0,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Index pages: how often each term occurs in their titles and bodies.

    irds:NAME names the documents of a data set of ir_datasets (extra ir). Documents that cannot
    be indexed go to FOLDER.errors.jsonl.

    Example: understand index build crawl.warc.gz -o crawl-index/
    """
    from understandability.cli.progress import ProgressLine
    from understandability.crawls.outputs import write_failures
    from understandability.inputs.datasets import dataset_pages, is_dataset
    from understandability.study.index import Analyzer, build_index, save_index

    analyzer = Analyzer(stop_words, stemmer)
    folder = output.rstrip("/") or "/"
    named = [name for name in inputs if is_dataset(name)]
    files = [name for name in inputs if name not in named]
    pages = chain(sources(files, docnos, limit_mb) if files else (), *map(dataset_pages, named))
    with ProgressLine(quiet) as progress:
        index, failures = build_index(_counted(pages, progress), analyzer, extractor)
    save_index(index, folder)
    write_failures(failures, folder)
    if not quiet:
        where = f" (in {folder}.errors.jsonl)" if failures else ""
        typer.echo(
            f"{counted(len(index), 'document')}, {counted(len(index.terms), 'term')}, "
            f"{counted(len(failures), 'error')}{where}",
            err=True,
        )
    if strict and failures:
        raise typer.Exit(1)


def _counted(pages: Iterable[Page | Failure], progress: ProgressLine) -> Iterator[Page | Failure]:
    from understandability.text.page import Failure

    errors = 0
    for page in pages:
        errors += isinstance(page, Failure)
        progress.update(1, errors)
        yield page


@app.command("search")
def search(
    index: IndexFolder,
    queries: QueryFile,
    model: Annotated[
        str,
        typer.Option(
            help="bm25 (Lucene's), or as Terrier: bm25_terrier, tf_idf, pl2, dph, inl2, "
            "dirichlet_lm, jelinek_mercer_lm, hiemstra_lm."
        ),
    ] = "bm25",
    field: Annotated[str, typer.Option(help="title, body, or page (both).")] = "page",
    depth: Annotated[int, typer.Option(help="How many documents to return for a query.")] = 1000,
    tag: Tag = None,
    output: RunOutput = "-",
) -> None:
    """Rank the documents of an index for each query, by BM25 (k1 = 1.2, b = 0.75) or another model.

    Example: understand index search crawl-index/ --queries topics.xml -o bm25.run.gz
    """
    from understandability.inputs.runs import write_run
    from understandability.study.index import load_index
    from understandability.study.queries import read_queries
    from understandability.study.retrieval import search as search_index

    asked = read_queries(queries)
    run = search_index(load_index(index), asked, model, field, depth)
    write_run(replace(run, name=tag or run.name), output)
