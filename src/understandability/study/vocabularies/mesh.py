"""Readers of the Medical Subject Headings (MeSH) in the formats of the NLM."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from understandability.errors import InputError
from understandability.study.vocabularies.lists import (
    DISEASE,
    SYMPTOM,
    Term,
    lines_of,
    read_table,
    start_of,
    xml_elements,
)

SYMPTOM_TREE = "C23.888"
DISEASE_TREE = "C"


def depth(tree_numbers: Sequence[str]) -> float:
    """The mean depth of a descriptor's places in the trees; a tree's own heading has depth 1.

    >>> depth(["C14.280.647", "C14.907"])
    2.5
    """
    return sum(number.count(".") + 1 for number in tree_numbers) / len(tree_numbers)


def group_of(tree_numbers: Sequence[str]) -> str:
    """A symptom has a place under C23.888 (signs and symptoms), a disease elsewhere under C.

    >>> group_of(["C14.280.647"]), group_of(["C23.888.646"]), group_of(["A07.541"])
    ('disease', 'symptom', '')
    """
    if any(f"{number}.".startswith(f"{SYMPTOM_TREE}.") for number in tree_numbers):
        return SYMPTOM
    if any(number.startswith(DISEASE_TREE) for number in tree_numbers):
        return DISEASE
    return ""


def read_mesh(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Headings and entry terms, with their mean tree depth and their group.

    The ASCII file (``d20xx.bin``) or the XML (``desc20xx.xml``) with entry terms; the trees
    (``mtrees20xx.bin``) or a TSV of descriptors and tree numbers without them. Descriptors
    without a tree number (Male, Female) are left out, and so are qualifiers.
    """
    start = start_of(stream)
    if start.startswith("<"):
        records = _xml_records(stream, name)
    elif start.startswith("*NEWRECORD"):
        records = _ascii_records(lines_of(stream))
    elif "tree_number" in start:
        columns = ("descriptor", "tree_number")
        records = _records_of_pairs(read_table(lines_of(stream), columns, name))
    elif ";" in start:
        records = _records_of_pairs(_tree_lines(lines_of(stream), name))
    else:
        raise InputError(
            f"{name} is not in a known format; expected d20xx.bin, desc20xx.xml or "
            "mtrees20xx.bin of the NLM"
        )
    for concept, texts, trees in records:
        if trees:
            for text in dict.fromkeys(texts):
                yield Term(text, concept, depth(trees), group_of(trees))


Record = tuple[str, Sequence[str], Sequence[str]]


def _records_of_pairs(pairs: Iterable[Sequence[str]]) -> Iterator[Record]:
    trees: dict[str, list[str]] = {}
    for heading, number in pairs:
        if number:
            trees.setdefault(heading, []).append(number)
    for heading, numbers in trees.items():
        yield heading, [heading], numbers


def _tree_lines(lines: Iterable[str], name: str) -> Iterator[Sequence[str]]:
    for number, line in enumerate(lines, start=1):
        heading, separator, tree = line.rpartition(";")
        if line.strip() and not separator:
            raise InputError(f"line {number} of {name} is not 'heading;tree number'")
        yield heading.strip(), tree.strip()


def _ascii_records(lines: Iterable[str]) -> Iterator[Record]:
    fields: dict[str, list[str]] = {}
    for line in chain(lines, ["*NEWRECORD"]):
        if line.startswith("*NEWRECORD"):
            # Qualifiers have a heading of another kind (SH) and are no terms.
            if "MH" in fields and "UI" in fields:
                entries = (
                    entry.partition("|")[0]
                    for key in ("ENTRY", "PRINT ENTRY")
                    for entry in fields.get(key, ())
                )
                yield fields["UI"][0], [*fields["MH"], *entries], fields.get("MN", [])
            fields = {}
        else:
            key, _, value = line.partition(" = ")
            fields.setdefault(key.strip(), []).append(value.strip())


def _xml_records(stream: io.BufferedReader, name: str) -> Iterator[Record]:
    for record in xml_elements(stream, name, "DescriptorRecord"):
        texts = [record.findtext("DescriptorName/String") or ""]
        texts += [node.text or "" for node in record.iterfind(".//TermList/Term/String")]
        trees = [node.text or "" for node in record.iterfind("TreeNumberList/TreeNumber")]
        yield record.findtext("DescriptorUI") or "", list(filter(None, texts)), trees
