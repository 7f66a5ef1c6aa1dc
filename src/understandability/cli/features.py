"""`understand features`: pages to numbers, and the list of what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.groups import PageOptions, TextOptions, with_groups
from understandability.cli.options import InputsIfAny, RowsOutput, names_in
from understandability.cli.work import FolderWork, make
from understandability.wording import counted


@with_groups
def features(
    inputs: InputsIfAny = None,
    output: RowsOutput = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Features by name, such as dale_chall,smog."),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="GROUP,...", help="All features of these groups.")
    ] = None,
    per: Annotated[
        str | None,
        typer.Option(metavar="word,sentence", help="Add the values by word, by sentence or both."),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the features; read no pages.")
    ] = False,
    words: Annotated[
        bool,
        typer.Option(
            "--words", help="Write the words behind the counts, and how often each occurs."
        ),
    ] = False,
    bundles: Annotated[
        list[str] | None,
        typer.Option(
            "--bundle",
            metavar="BUNDLE",
            help="A background model; its estimate becomes a feature. May be repeated.",
            show_default=False,
        ),
    ] = None,
    tagger: Annotated[
        str,
        typer.Option(
            metavar="built-in|nltk",
            help="Parts of speech and named entities: our own, or NLTK's with its data.",
        ),
    ] = "built-in",
    *,
    text: TextOptions,
    pages: PageOptions,
    work: FolderWork,
) -> None:
    """Compute features of pages: formulas, counts of words, vocabulary, grammar and markup.

    One row a document: docno, path, url and the values. With --words, one row for each word behind
    a count. Documents that cannot be read go to FILE.errors.jsonl.

    Example: understand features crawl.warc.gz --only dale_chall,gunning_fog_plain -o fog.tsv
    """
    from understandability.errors import OptionError
    from understandability.feature.catalogue import select_columns
    from understandability.rows import TAGGERS, FeatureRows, WordRows
    from understandability.scoring import RowMaker, Settings

    names, chosen_groups = names_in(only), names_in(groups)
    if list_:
        _show_list(names, chosen_groups, output)
        return
    if not inputs:
        raise OptionError("there is nothing to read; name pages, folders or archives, or --list")
    if tagger not in TAGGERS:
        raise OptionError(f"--tagger {tagger!r} does not exist; choose from {', '.join(TAGGERS)}")
    settings = Settings(**text.chosen)
    maker: RowMaker
    if words:
        if pages.keep or work.fills_folder(output):
            what = "--keep" if pages.keep else "a crawl folder"
            raise OptionError(
                f"--words writes many rows for each document; it cannot be combined with {what}"
            )
        maker = WordRows(settings, tuple(names))
        shown: tuple[str, ...] = ("docno", "feature", "word", "count")
        title = f"the words that features count, {text.title}"
    else:
        columns = tuple(select_columns(names, chosen_groups, names_in(per)))
        maker = FeatureRows(settings, columns, tuple(bundles or ()), tagger)
        shown = ("docno", *columns)
        title = f"{counted(len(columns), 'feature')}, {text.title}"
    maker.rows([])  # tells at once what cannot be
    shown_as = {name: name for name in shown}
    make(pages.sources(inputs), maker, output, work, title=title, shown=shown_as)


def _show_list(names: list[str], groups: list[str], output: str | None) -> None:
    import pyarrow as pa

    from understandability.cli.tables import show
    from understandability.feature.catalogue import COLUMNS, describe, select_columns
    from understandability.inputs.tables import write_table

    rows = [describe(COLUMNS[name][0]) for name in select_columns(names, groups)]
    if output:
        write_table(pa.Table.from_pylist(rows), output)
    else:
        show(rows, {name: name for name in rows[0]})
