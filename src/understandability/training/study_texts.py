"""The texts and questions of a study with readers, as `understand ask` shows them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understandability.errors import InputError, OptionError, PageError
from understandability.inputs.frames import read_records
from understandability.inputs.limits import DEFAULT_LIMIT
from understandability.inputs.page_tables import CONTENT_COLUMNS, ID_COLUMNS, Tables, page_of
from understandability.inputs.sources import Sources
from understandability.inputs.study_answers import MOST_TEXTS
from understandability.inputs.tables import table_format
from understandability.scoring import Settings, document_under
from understandability.text.document import Document
from understandability.text.page import Failure, Page

FILE_COLUMNS = ("file", "path")  # of a table that names files in place of texts
_COLUMN = re.compile(r"(question|choices)_([1-9][0-9]?)")
_MISSPELT = re.compile(r"(?:question|choice)s?[ _-]?[0-9]*", re.IGNORECASE)
_BULLET = re.compile(r"^[-*\u2022]\s+")
_MOST_CHOICES = 20


@dataclass(frozen=True, slots=True)
class Question:
    """A multiple-choice question. `right` is the index of the right choice."""

    text: str
    choices: tuple[str, ...]
    right: int


@dataclass(frozen=True, slots=True)
class StudyText:
    """A document that participants of a study read, with the questions that they answer."""

    id: str
    page: Page
    document: Document
    questions: tuple[Question, ...] = ()

    @property
    def blocks(self) -> list[tuple[str, str]]:
        """The tag and the text of each block that the estimate is about."""
        blocks = [(block.tag, block.text) for block in self.document.blocks if block.kept]
        return [(tag, _BULLET.sub("", text) if tag == "li" else text) for tag, text in blocks]


def read_study_texts(path: str) -> tuple[list[StudyText], list[str]]:
    """Read the texts of a study, and remarks on the columns that were guessed.

    `path` is a table with an id and a text in each row, and perhaps ``question_1`` and
    ``choices_1`` (separated by ``|``, the right one after a ``*``), ``question_2`` and so on; or
    any input of `understand score`, such as a folder. A table may have a column ``file`` in place
    of texts, with names that are relative to the folder of the table.

    Raises `InputError` for the first text or question that cannot be used.
    """
    texts: list[StudyText] = []
    remarks: list[str] = []
    for page, questions, where in _pages(path, remarks.append):
        if isinstance(page, Failure):
            raise InputError(f"{where}: {page.error}")
        try:
            document = document_under(page, Settings())
        except PageError as error:
            raise InputError(f"{where}: {error}") from error
        texts.append(StudyText(page.docno, page, document, questions))
        if len(texts) > MOST_TEXTS:
            raise InputError(f"{path} has more than {MOST_TEXTS:,} texts; name fewer")
    if not texts:
        raise InputError(f"{path} has no texts")
    ids: set[str] = set()
    for text in texts:
        if text.id in ids:
            raise InputError(f"{path} has two texts with the id {text.id!r}; ids must differ")
        ids.add(text.id)
    return texts, remarks


def study_digest(texts: Sequence[StudyText]) -> str:
    """Return 16 hexadecimal digits that identify what participants see.

    The right answers are not part of it, so an author can still correct them.
    """
    content = [
        [
            text.id,
            text.page.content
            if isinstance(text.page.content, str)
            else hashlib.sha256(text.page.content).hexdigest(),
            [[question.text, question.choices] for question in text.questions],
        ]
        for text in texts
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


_Row = tuple[Page | Failure, tuple[Question, ...], str]


def _pages(path: str, remark: Callable[[str], None]) -> Iterator[_Row]:
    """Yield each page with its questions and its position in the input."""
    if not _is_table(path):
        sources = Sources([path])
        for page in sources:
            yield page, (), page.path
        return
    # Excel in Europe writes CSV in Windows-1252, which `understand score` reads as well.
    records = read_records(path, fallback="windows-1252")
    if not records:
        return
    names = list(dict.fromkeys(name for record in records for name in record))
    _check_columns(path, names)
    tables = Tables()
    file_column = next((name for name in FILE_COLUMNS if name in names), None)
    has_texts = any(name in names for name in CONTENT_COLUMNS)
    layout = None if file_column and not has_texts else tables.layout(path, names)
    for text in tables.remarks:
        remark(text)
    for number, record in enumerate(records, 1):
        where = f"{path}, record {number}"
        if layout is not None:
            page = page_of(record, where, DEFAULT_LIMIT, layout)
        else:
            page = _page_of_file(path, record, str(file_column), where)
        yield page, tuple(_questions(record, names, where)), where


def _is_table(path: str) -> bool:
    if Path(path).is_dir():
        return False
    try:
        table_format(path)
    except OptionError:
        return False
    return path != "-"


def _page_of_file(
    table: str, record: Mapping[str, Any], file_column: str, where: str
) -> Page | Failure:
    """Read the page of a row that names a file; the row's id, if any, is the id of the page."""
    name = record.get(file_column)
    if not isinstance(name, str):
        return Failure(where, where, "read", f"the record has no {file_column!r}")
    path = Path(table).parent / name
    pages = list(Sources([path]))
    if len(pages) != 1:
        return Failure(where, where, "read", f"{path} holds {len(pages)} pages, expected one")
    (page,) = pages
    if isinstance(page, Failure):
        return page
    identity = next((record[column] for column in ID_COLUMNS if record.get(column)), name)
    return Page(
        str(identity), page.path, page.content, page.media_type, page.charset, flags=page.flags
    )


def _check_columns(path: str, names: Sequence[str]) -> None:
    """Raise `InputError` for a misspelt column of questions, or a question without its choices."""
    for name in names:
        match = _COLUMN.fullmatch(name)
        if match is None and _MISSPELT.fullmatch(name):
            raise InputError(
                f"{path} has a column {name!r}; columns of questions are named question_1 and "
                "choices_1, question_2 and choices_2, and so on"
            )
        if match is not None:
            partner = f"{'choices' if match[1] == 'question' else 'question'}_{match[2]}"
            if partner not in names:
                raise InputError(f"{path} has a column {name!r} but no column {partner!r}")


def _questions(record: Mapping[str, Any], names: Sequence[str], where: str) -> Iterator[Question]:
    """Yield the questions of a row, in the order of their numbers."""
    numbers = sorted(
        int(m[2]) for name in names if (m := _COLUMN.fullmatch(name)) and m[1][0] == "q"
    )
    for number in numbers:
        question = str(record.get(f"question_{number}") or "").strip()
        written = str(record.get(f"choices_{number}") or "").strip()
        if not question and not written:
            continue
        if not question or not written:
            missing = "choices" if question else "question"
            raise InputError(f"{where}: {missing}_{number} is empty; fill both or neither")
        choices = [choice.strip() for choice in written.split("|")]
        right = [index for index, choice in enumerate(choices) if choice.startswith("*")]
        if len(right) != 1:
            raise InputError(
                f"{where}: choices_{number} has {len(right)} right answers, expected one: write a "
                "* in front of it, as in 'at night | *in the morning | at noon'"
            )
        choices = [choice.removeprefix("*").strip() for choice in choices]
        if not 2 <= len(choices) <= _MOST_CHOICES:
            raise InputError(
                f"{where}: choices_{number} has {len(choices)} choices, expected 2 to "
                f"{_MOST_CHOICES}, separated by |"
            )
        if "" in choices or len(set(choices)) < len(choices):
            raise InputError(f"{where}: choices_{number} has an empty choice, or one twice")
        yield Question(question, tuple(choices), right[0])
