"""The commands `score` and `crawl`, and `score_table` for tables in memory."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa

from understandability.crawls.folder import CrawlFolder
from understandability.crawls.options import Destination, Inputs, ScoreOptions, Work, split_choices
from understandability.crawls.plan import GivenPages
from understandability.crawls.rows import Rows, rows_of
from understandability.crawls.status import Status, status_of
from understandability.errors import WrongTypeError
from understandability.inputs.frames import in_kind_of, is_frame, table_of, wrong_type
from understandability.inputs.page_tables import LANGUAGE_COLUMNS, kept_names
from understandability.keywords import keywords_of
from understandability.scoring import Settings, SettingsOptions, scorer_of, scorer_with
from understandability.text.page import HTML, TEXT, Failure, Page, stated_language

_log = logging.getLogger(__name__)


class Scores(Rows):
    """The result of `score`: rows of scores, which can be looked up by docno, and failures."""


@keywords_of(Settings, Work)
def score(
    inputs: Inputs = (), output: Destination = None, **choices: Unpack[ScoreOptions]
) -> Scores:
    """Score pages: how likely a reader is to understand each of them.

    Each document gets a row: docno, path, url, P(U|d), difficulty (0 to 100, higher is harder) with
    its spread, the readability formulas, words, sentences, language, encoding, extractor, flags.
    Documents that cannot be scored go to FILE.errors.jsonl.

    With -o FOLDER/, worker processes fill a crawl folder, one for each physical core. Stop them at
    any time; run the same command again to continue. New inputs are added to the folder.

    Examples: understand score crawl.warc.gz -o scores.parquet

    understand score pages.parquet --id-column url --html-column content --keep lang -o s.parquet

    understand score crawl/*.warc.gz -o scores/

    Args:
        inputs: HTML, text and DOCX files, folders, WARC and WET, tables (JSONL, Parquet, CSV,
            TSV, Arrow), TREC web text, tar and zip archives, URLs, - for standard input; also .gz
            and .zst.
        output: Write .jsonl, .csv, .tsv (also with .gz or .zst) or .parquet, here or at a URL; -
            is standard output; FOLDER/ is a crawl folder.

    In Python:
        `inputs` may also be pages as from `read_pages`, or a dictionary of docnos and texts or
        HTML; `choices` are fields of `Settings` and `Work`.

    >>> from understandability.resources import resource
    >>> scores = score(resource("samples"), threshold=40)
    >>> scores["easy.html"]["difficulty"] < scores["hard.html"]["difficulty"]
    True
    >>> score({"a": "You have flu.", "b": "Rest."}).table["docno"].to_pylist()
    ['a', 'b']
    """
    settings, work = split_choices(choices)
    scorer = scorer_of(settings)
    return rows_of(Scores, inputs, scorer, output, work, scorer.remark)


@keywords_of(Settings, Work)
def crawl(inputs: Inputs, folder: str | Path, **choices: Unpack[ScoreOptions]) -> Status:
    """Score inputs into a crawl folder, or continue it; returns the status of the folder.

    The process may be killed at any moment; the same call continues where it stopped. Inputs that
    the folder does not have yet are added to it. `choices` are fields of `Settings` and `Work`, as
    for `score`.

    >>> import tempfile
    >>> from understandability.resources import resource
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     status = crawl(resource("samples"), f"{folder}/scores", workers=1, extractor="naive")
    >>> status.facts.scored
    3
    """
    score(inputs, f"{folder}/", **choices)
    return status_of(CrawlFolder(str(folder)))


@keywords_of(Settings)
def score_table(
    frame: Any,
    *,
    text: str | None = None,
    html: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option of the command
    url: str | None = None,
    lang: str | None = None,
    keep: Sequence[str] = (),
    workers: int = 1,
    **settings: Unpack[SettingsOptions],
) -> Any:
    """Score the rows of a table of pandas, polars, Arrow or lists, and return such a table.

    `text` or `html` is the column with the content, `id` the column with names (default: the number
    of the row), `url` the column with addresses. `lang` is the column with the language of each
    text, such as de (default: language or lang, if the table has one); it counts more than
    `language`, which is that of all texts. `keep` are columns to copy into the result; one with the
    name of an output column gets ``input_`` in front. The result has the rows of the table in the
    same order. If a document cannot be scored, the column ``error`` says why, and the scores are
    null. Equal input columns give equal output columns, as Ray's ``map_batches``, Spark's
    ``mapInArrow`` and similar functions require.

    >>> table = {"url": ["a", "b"], "body": ["You have flu.", None]}
    >>> rows = score_table(table, text="body", id="url")
    >>> rows["docno"], rows["words"], rows["error"]
    (['a', 'b'], [3, None], [None, "the row has no 'body'"])
    >>> score_table({"body": ["Mi casa."], "lang": ["es"]}, text="body")["language"]
    ['es']
    """
    if not isinstance(frame, Mapping) and not is_frame(frame):
        takes = "score_table takes a table of pandas, polars or Arrow, or a dictionary of lists"
        raise wrong_type(takes, frame)
    table = table_of(frame)
    content = text or html
    if content is None or (text and html):
        raise WrongTypeError(
            "score_table takes the name of one column, text= or html=; the table has "
            f"{', '.join(table.column_names)}"
        )
    if lang is None:
        lang = next((name for name in LANGUAGE_COLUMNS if name in table.column_names), None)
    for name in (content, id, url, lang, *keep):
        if name is not None and name not in table.column_names:
            raise WrongTypeError(
                f"the table has no column {name!r}; it has {', '.join(table.column_names)}"
            )
    scorer = scorer_with(**settings)
    media_type = TEXT if text else HTML

    def texts(name: str) -> list[str | None]:
        return [None if value is None else str(value) for value in table[name].to_pylist()]

    addresses = texts(url) if url else [None] * table.num_rows
    languages = texts(lang) if lang else [None] * table.num_rows
    errors: list[str | None] = [None] * table.num_rows
    pages: list[Page | Failure] = []
    for row, value in enumerate(table[content].to_pylist()):
        if isinstance(value, str | bytes):
            language = stated_language(languages[row])
            pages.append(
                Page(str(row), "", value, media_type, url=addresses[row], language=language)
            )
        else:
            errors[row] = f"the row has no {content!r}"
    scores = rows_of(Scores, GivenPages(pages), scorer, None, Work(workers))
    for failure in scores.failures:
        errors[int(failure.docno)] = f"{failure.stage}: {failure.error}"
    index_of = {int(docno): index for index, docno in enumerate(scores.table["docno"].to_pylist())}
    order = pa.array([index_of.get(row) for row in range(table.num_rows)], pa.int64())
    scored = scores.table.take(order)
    names = texts(id) if id else [str(row) for row in range(table.num_rows)]
    result = {"docno": pa.array(names, pa.string())}
    if url:
        result["url"] = pa.array(addresses)
    score_columns = [name for name in scored.column_names if name not in ("docno", "path", "url")]
    new_names, remarks = kept_names(keep, {*result, *score_columns, "error"})
    for remark in remarks:
        _log_once(remark)
    result |= {new: table[name] for name, new in new_names.items()}
    result |= {name: scored[name] for name in score_columns}
    result["error"] = pa.array(errors, pa.string())
    return in_kind_of(frame, pa.table(result))


@cache
def _log_once(remark: str) -> None:
    _log.warning(remark)
