"""The command `features`: features of each page, or the words that they count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Unpack

from cyclopts import Parameter

from understandability.crawls.options import (
    Destination,
    ReadOptions,
    Work,
    fills_folder,
    split_choices,
)
from understandability.crawls.rows import Rows, rows_of
from understandability.errors import OptionError, WrongTypeError, check_choice
from understandability.feature.catalogue import select_columns
from understandability.inputs.frames import is_frame, texts_in
from understandability.inputs.sources import Sources
from understandability.keywords import keywords_of, read_by
from understandability.model.bundle import AnyBundle, stored_folder
from understandability.rows import TAGGERS, FeatureRows, WordRows
from understandability.scoring import Extraction, RowMaker
from understandability.wording import kind_of, names_in


@keywords_of(Extraction, Work)
def features(
    inputs: Annotated[
        Sequence[str] | Mapping[str, str] | Sources,
        Parameter("INPUT", metavar="INPUT...", converter=as_paths),
    ] = (),
    columns: Annotated[
        Sequence[str] | None, read_by(names_in, name="--only", metavar="NAME,...")
    ] = None,
    output: Destination = None,
    *,
    groups: Annotated[Sequence[str], read_by(names_in, metavar="GROUP,...")] = (),
    per: Annotated[Sequence[str], read_by(names_in, metavar="word,sentence")] = (),
    words: bool = False,
    bundles: Annotated[Sequence[str] | Sequence[AnyBundle], Parameter("--bundle")] = (),
    tagger: Annotated[str, Parameter(choices=TAGGERS)] = "built-in",
    **choices: Unpack[ReadOptions],
) -> Rows:
    """Compute features of pages: formulas, counts of words, vocabulary, grammar and markup.

    One row for each document: docno, path, url and the values. With --words, one row for each
    word that a feature counts. Documents that cannot be read go to FILE.errors.jsonl.

    Example: understand features crawl.warc.gz --only dale_chall,gunning_fog_plain -o fog.tsv

    Args:
        inputs: Pages as `understand score` takes them.
        columns: Features by name, such as dale_chall,smog.
        output: Write .jsonl, .csv, .tsv (also with .gz or .zst) or .parquet, here or at a URL; -
            is standard output; FOLDER/ is a crawl folder.
        groups: All features of these groups.
        per: Add the values by word, by sentence or both.
        words: Write the words that are counted, and how often each occurs.
        bundles: A background model; its estimate becomes a feature. May be repeated.
        tagger: Parts of speech and named entities: our own, or NLTK's with its data.

    In Python:
        `inputs` are texts: a dictionary by docno, a list, whose documents are numbered from 0, or a
        frame with a column of texts; a text with tags is read as HTML. `Sources` are pages of any
        origin.

    >>> features(["You have flu.", "Rest."], ["words", "gunning_fog_plain"]).to_arrow().to_pydict()
    {'docno': ['0', '1'], 'words': [3.0, 1.0], 'gunning_fog_plain': [1.2000000000000002, 0.4]}
    """
    settings, work = split_choices(choices)
    if isinstance(inputs, str | bytes) or not isinstance(inputs, Iterable):
        raise WrongTypeError(
            f"features takes a list of texts or a dictionary by docno, not {kind_of(inputs)}; "
            "put it in a list: features([text])"
        )
    check_choice("tagger", tagger, TAGGERS)
    maker: RowMaker
    if words:
        keep = work.table_columns is not None and work.table_columns.keep
        if keep or fills_folder(output, work):
            option = "--keep" if keep else "a crawl folder"
            raise OptionError(
                f"--words writes many rows for each document; it cannot be combined with {option}"
            )
        maker = WordRows(settings, tuple(columns or ()))
    else:
        names = select_columns(columns or (), groups, per, only_available=True)
        maker = FeatureRows(settings, tuple(names), tuple(map(stored_folder, bundles)), tagger)
    maker.rows([])  # raises an error for unknown columns at once
    if not isinstance(inputs, Sources) and is_frame(inputs):
        inputs = texts_in(inputs, "features")
    if work.inputs_from is not None and not inputs:
        inputs = _Paths()
    are_texts = not isinstance(inputs, Sources | _Paths)
    if are_texts:
        by_docno: Mapping[Any, Any] = (
            inputs if isinstance(inputs, Mapping) else dict(enumerate(inputs))
        )
        inputs = {str(docno): text for docno, text in by_docno.items()}
    rows = rows_of(Rows, inputs, maker, output, work)
    if are_texts and not words:
        rows = replace(rows, table=rows.table.drop_columns(["path", "url"]))
    return rows


class _Paths(tuple[str, ...]):
    """A tuple of paths; its type distinguishes it from a list of texts."""

    __slots__ = ()


def as_paths(_: Any, tokens: Sequence[Any]) -> Sequence[str]:
    """Convert the arguments of the command to `_Paths`, because Python callers pass texts
    instead.
    """
    return _Paths(token.value for token in tokens)
