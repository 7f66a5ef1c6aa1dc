"""Extracted texts as `understand extract` shows them: one by one, or counted for every method."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from understandability.cli.results import print_table

if TYPE_CHECKING:
    import pyarrow as pa

    from understandability.crawls.folder import Part
    from understandability.inputs.sources import Sources
    from understandability.text.page import Failure

_LONGEST_NAME = 120  # bytes; file systems allow 255, and a file is written under a longer name


class Texts:
    """Prints each document, or writes it to a file of its own in a folder."""

    def __init__(self, folder: str | None, explain: bool) -> None:
        self._folder, self._explain = folder, explain
        self._names = _FileNames()
        self.failures: list[Failure] = []

    def commit(
        self, part: Part, rows: pa.Table, failures: Sequence[Failure], skipped: Counter[str]
    ) -> None:
        """Write the rows; keep the failures."""
        from understandability.inputs.writing import open_folder

        self.failures += failures
        for row in rows.to_pylist():
            text = _explained(row["blocks"]) if self._explain else row["text"]
            if self._folder is None:
                print(f"== {row['docno']}\n{text}")
            else:
                open_folder(self._folder).write(self._names.of(row["docno"]), [text.encode()])


def _explained(blocks: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        ("keep" if block["kept"] else "drop", block["reason"], block["tag"], block["text"])
        for block in blocks
    ]
    return "".join("\t".join(row) + "\n" for row in rows)


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


def show_statistics(pages: Sources, engine: str) -> list[Failure]:
    """Print words and sentences per document of every method and policy; what failed."""
    from understandability.errors import PageError
    from understandability.text.analysis import document_of, extract, installed_extractors
    from understandability.text.page import Failure
    from understandability.text.parsed import parse_page
    from understandability.text.sentences import SENTENCE_ENDS
    from understandability.text.tokens import word_of

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
            failures.append(Failure(page.docno, page.path, error.stage, str(error)))
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
