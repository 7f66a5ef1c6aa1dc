"""Read a Universal Dependencies treebank: its sentences, paragraphs and raw text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scripts.shared import lines_of


@dataclass
class Sentence:
    """A sentence of a treebank: its tokens with their universal tags, and its text."""

    text: str
    new_document: bool
    new_paragraph: bool
    space_after: bool = True
    tokens: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a gzipped CoNLL-U file, in order."""
    for block in "".join(lines_of(path)).split("\n\n"):
        if block.strip():
            yield _sentence(block.strip("\n").split("\n"))


def _sentence(lines: list[str]) -> Sentence:
    comments = [line for line in lines if line.startswith("#")]
    text = next(line[len("# text = ") :] for line in comments if line.startswith("# text = "))
    new_document = any(line.startswith("# newdoc") for line in comments)
    new_paragraph = any(line.startswith("# newpar") for line in comments)
    sentence = Sentence(text, new_document, new_document or new_paragraph)
    for line in lines[len(comments) :]:
        columns = line.split("\t")
        if columns[0].isdigit():
            sentence.tokens.append(columns[1])
            sentence.tags.append(columns[3])
    sentence.space_after = "SpaceAfter=No" not in lines[-1].split("\t")[9]
    return sentence


def paragraphs(
    sentences: Iterator[Sentence], whole_documents: bool = False
) -> list[list[Sentence]]:
    """Group sentences by paragraph, or by document."""
    groups: list[list[Sentence]] = []
    for sentence in sentences:
        starts = sentence.new_document if whole_documents else sentence.new_paragraph
        if starts or not groups:
            groups.append([])
        groups[-1].append(sentence)
    return groups


def raw_text(sentences: list[Sentence]) -> str:
    """Restore the original text: join sentences, with a space where the original has one."""
    return "".join(s.text + (" " if s.space_after else "") for s in sentences).rstrip()
