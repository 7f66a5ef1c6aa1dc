"""Read medical vocabularies and word lists in the formats in which they are distributed.

Each reader yields the terms of one file, whose format it detects, and raises `InputError` for other
formats.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from understandability.errors import InputError, needing
from understandability.inputs.streams import bounded_lines
from understandability.wording import counted

DISEASE, SYMPTOM, STOP = "disease", "symptom", "stop"
_MOST_OF_A_LINE = 10_000_000


@dataclass(frozen=True, slots=True)
class Term:
    """A name of a concept in a vocabulary. `value` is its score or depth, or None."""

    text: str
    concept: str = ""
    value: float | None = None
    group: str = ""


def lines_of(stream: io.BufferedReader) -> Iterator[str]:
    """Yield lines without their ends, decoded as UTF-8 (with or without BOM), otherwise
    windows-1252.
    """
    for number, line in enumerate(bounded_lines(stream, _MOST_OF_A_LINE)):
        if number == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text = line.decode("windows-1252", "replace")
        yield text.rstrip("\r\n")


def named_columns(lines: Iterable[str], columns: Sequence[str], name: str) -> Iterator[list[str]]:
    """Yield the named columns of a tab-separated table whose first line is a header."""
    lines = iter(lines)
    header = next(lines, "").split("\t")
    if missing := [column for column in columns if column not in header]:
        raise InputError(
            f"{name} lacks the column {missing[0]!r}; its first line names {', '.join(header)}"
        )
    indices = [header.index(column) for column in columns]
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) != len(header):
            fields = next(csv.reader([line], delimiter="\t"), [])  # a tab between quotes
        if len(fields) != len(header):
            raise InputError(
                f"line {number} of {name} has {counted(len(fields), 'column')}; "
                f"its first line names {len(header)}"
            )
        yield [fields[index].strip() for index in indices]


def _unknown(name: str, expected: str) -> InputError:
    return InputError(f"{name} is not in a known format; expected {expected}")


def start_of(stream: io.BufferedReader) -> str:
    """Return the first line of a stream without consuming it."""
    first = stream.peek(1 << 12).removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return first.decode("utf-8", "replace").strip()


# A word list, with what hunspell and Indri add: affix flags, a count, elements around words.
_INDRI_WORD = re.compile(r"<word>([^<]*+)</word>", re.IGNORECASE)
_MARKED_UP = re.compile(r"\s*<")


def read_words(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read a list of words: one per line, hunspell's ``.dic`` (affix flags are dropped), or
    Indri's.
    """
    for number, line in enumerate(lines_of(stream)):
        if _MARKED_UP.match(line):
            yield from map(Term, map(str.strip, _INDRI_WORD.findall(line)))
            continue
        word = line.split("/", 1)[0].strip()
        if not word or line.startswith("#") or (number == 0 and word.isdigit()):
            continue
        if len(word) > 200 or "\0" in word:
            raise InputError(
                f"line {number + 1} of {name} is not a word; each line must hold one word"
            )
        yield Term(word)


_CHV_OFFICIAL = 15
_CUI = re.compile(r"C\d{7}")


def read_chv(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read terms of the Consumer Health Vocabulary with their combo score, or its stop concepts.

    The terms may be the official flat file (15 columns, no header; 2011) or the TSV with a header;
    a score that is not a number from 0 to 1 counts as missing. Stop concepts, which are too general
    to be health terms, form the group `STOP`.
    """
    lines = lines_of(stream)
    first = next(lines, "")
    columns = len(first.split("\t"))
    lines = chain([first], lines)
    if first.startswith("cui\t"):
        for cui, text, score in named_columns(lines, ("cui", "term", "combo_score"), name):
            yield Term(text, cui, _score(score))
    elif columns >= _CHV_OFFICIAL - 2:
        for number, line in enumerate(lines, start=1):
            fields = line.split("\t")
            if len(fields) < _CHV_OFFICIAL - 2 or not _CUI.fullmatch(fields[0]):
                raise InputError(f"line {number} of {name} is not a line of a CHV flat file")
            yield Term(fields[1].strip(), fields[0], _score(fields[11]))
    else:
        has_match = False
        for line in lines:
            cui, _, title = line.replace("\t", " ").partition(" ")
            if _CUI.fullmatch(cui):
                has_match = True
                yield Term(title.strip(), cui, group=STOP)
        if not has_match:
            raise _unknown(name, "CHV_concepts_terms_flatfile_20110204.tsv, stop_concepts_flat_*")


def _score(text: str) -> float | None:
    try:
        score = float(text)
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None


_ICD_ORDER = re.compile(r"\d{5} ([A-Z]\w{2,6})\s+[01] ")
_ICD_CODES = re.compile(r"([A-Z]\d\w{1,5})\s+(\S.*)")
_UNSPECIFIED = re.compile(r",? (?:unspecified|not elsewhere classified|NOS|NEC)$")


def read_icd10cm(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read descriptions and inclusion terms of ICD-10-CM; a final "unspecified" or NOS is
    dropped.
    """
    for code, text in _icd_texts(stream, name):
        if text := _UNSPECIFIED.sub("", text.strip()):
            yield Term(text, code)


def _icd_texts(stream: io.BufferedReader, name: str) -> Iterator[tuple[str, str]]:
    """Yield codes and texts from the tabular XML, a TSV with a header, or the order or codes
    file.
    """
    start = start_of(stream)
    if start.startswith("<"):
        # Categories nest; their texts are in <diag><name/><desc/><inclusionTerm><note/>...</diag>.
        for diagnosis in xml_elements(stream, name, "diag"):
            for path in ("desc", "inclusionTerm/note", "includes/note"):
                for text in diagnosis.iterfind(path):
                    yield diagnosis.findtext("name") or "", text.text or ""
    elif start.startswith("code\t"):
        columns = ("code", "description", "inclusion_terms")
        for code, description, inclusions in named_columns(lines_of(stream), columns, name):
            for text in (description, *inclusions.split(" | ")):
                yield code, text
    elif _ICD_ORDER.match(start) or _ICD_CODES.fullmatch(start):
        for number, line in enumerate(lines_of(stream), start=1):
            if match := _ICD_ORDER.match(line):
                yield match[1], line[77:]
            elif match := _ICD_CODES.fullmatch(line.rstrip()):
                yield match[1], match[2]
            elif line.strip():
                raise InputError(f"line {number} of {name} is not a line of an ICD-10-CM file")
    else:
        raise _unknown(name, "icd10cm_order_20xx.txt, icd10cm_codes_20xx.txt or the tabular XML")


def xml_elements(stream: io.BufferedReader, name: str, tag: str) -> Iterator[Any]:
    """Yield each XML element with this tag when it ends; entities are not expanded or fetched."""
    with needing("a vocabulary in XML needs lxml", ".[reference]"):
        from lxml import etree

    try:
        inside = 0
        for event, element in etree.iterparse(
            stream, ("start", "end"), resolve_entities=False, load_dtd=False, no_network=True
        ):
            if event == "start":
                inside += element.tag == tag
                continue
            if element.tag == tag:
                inside -= 1
                yield element
            elif inside:
                continue
            # What has been read is let go, or a file of a gigabyte would stay in memory.
            element.clear()
            parent = element.getparent()
            while parent is not None and (before := element.getprevious()) is not None:
                if inside and before.tag != tag:
                    break
                parent.remove(before)
    except etree.XMLSyntaxError as error:
        raise InputError(f"{name} is damaged XML: {error}") from error


_DRUGBANK_OFFICIAL = ("DrugBank ID", "Common name", "Synonyms")


def read_drugbank(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read names and synonyms of drugs from DrugBank's vocabulary CSV, or a TSV with a header."""
    start, lines = start_of(stream), lines_of(stream)
    if start.startswith("drugbank_id\t"):
        rows = named_columns(lines, ("drugbank_id", "name", "aliases"), name)
    elif start.startswith("DrugBank ID,"):
        rows = _drugbank_csv(lines, name)
    else:
        raise _unknown(name, "drugbank vocabulary.csv")
    for identity, title, synonyms in rows:
        for text in dict.fromkeys((title, *map(str.strip, synonyms.split("|")))):
            if text:
                yield Term(text, identity)


def _drugbank_csv(lines: Iterable[str], name: str) -> Iterator[list[str]]:
    reader = csv.DictReader(lines)
    if missing := set(_DRUGBANK_OFFICIAL) - set(reader.fieldnames or ()):
        raise InputError(f"{name} lacks the column {min(missing)!r}")
    try:
        for row in reader:
            yield [row[column] or "" for column in _DRUGBANK_OFFICIAL]
    except csv.Error as error:
        raise InputError(f"line {reader.line_num} of {name} is damaged: {error}") from error


def read_adam(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read abbreviations of ADAM with their variants, in its own format or a TSV with a header."""
    lines = (line for line in lines_of(stream) if not line.startswith("##") and line[:2] != "# ")
    first = next(lines, "")
    if first.startswith("abbreviation\t"):
        for (text,) in named_columns(chain([first], lines), ("abbreviation",), name):
            yield Term(text)
        return
    for number, line in enumerate(chain([first], lines), start=1):
        fields = line.split("\t")
        if len(fields) != 5:
            raise InputError(f"record {number} of {name} has {len(fields)} columns; ADAM's have 5")
        for variant in (fields[0], *fields[1].split("|")):
            yield Term(re.sub(r":\d+$", "", variant))


def read_disease_ontology(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read names and exact synonyms of diseases, and the UMLS concepts they correspond to.

    The format is OBO (``doid.obo``), or TSV files of names and of cross references.
    """
    start = start_of(stream)
    if start.startswith("format-version"):
        yield from _read_obo(stream, DISEASE)
    elif start.endswith("\ttype"):
        for identity, text, type_ in named_columns(
            lines_of(stream), ("doid", "name", "type"), name
        ):
            if type_ in ("name", "exact-synonym"):
                yield Term(text, identity, group=DISEASE)
    elif start.endswith("\tresource_id"):
        columns = ("name", "resource", "resource_id")
        for text, source, identity in named_columns(lines_of(stream), columns, name):
            if source == "UMLS":
                yield Term(text, identity, group=DISEASE)
    else:
        raise _unknown(name, "doid.obo")


def read_symptom_ontology(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read names and synonyms of symptoms, and the UMLS concepts they correspond to: OBO or TSV."""
    start = start_of(stream)
    if start.startswith("format-version"):
        yield from _read_obo(stream, SYMPTOM)
    elif start.startswith("symp_id\t"):
        columns = ("symp_id", "name", "synonyms", "umls_cuis")
        for identity, title, synonyms, cuis in named_columns(lines_of(stream), columns, name):
            for text in filter(None, (title, *synonyms.split("|"))):
                yield Term(text, identity, group=SYMPTOM)
            for cui in filter(None, cuis.split("|")):
                yield Term(title, cui, group=SYMPTOM)
    else:
        raise _unknown(name, "symp.obo")


_OBO_SYNONYM = re.compile(r'"((?:[^"\\]|\\.)*)" EXACT')
_OBO_CUI = re.compile(r"(?:UMLS(?:_CUI)?|umls(?:_cui)?):(C\d{7})")


def _read_obo(stream: io.BufferedReader, group: str) -> Iterator[Term]:
    """Yield the terms of an ontology in the OBO format, without obsolete ones."""
    stanza: list[tuple[str, str]] = []
    for line in chain(lines_of(stream), ["["]):
        if line.startswith("["):
            yield from _obo_terms(stanza, group)
            stanza = [("kind", line)]
        elif ": " in line:
            key, _, value = line.partition(": ")
            stanza.append((key, value))


def _obo_terms(stanza: list[tuple[str, str]], group: str) -> Iterator[Term]:
    tags = dict(stanza)
    title, identity = tags.get("name"), tags.get("id")
    if tags.get("kind") != "[Term]" or not title or not identity or "is_obsolete" in tags:
        return
    yield Term(title, identity, group=group)
    for key, value in stanza:
        if key == "synonym" and (match := _OBO_SYNONYM.match(value)):
            yield Term(match[1].replace('\\"', '"'), identity, group=group)
        elif key == "xref" and (match := _OBO_CUI.match(value)):
            yield Term(title, match[1], group=group)


def depth(tree_numbers: Sequence[str]) -> float:
    """Return the mean depth of a MeSH descriptor in the trees; the root of a tree has depth 1.

    >>> depth(["C14.280.647", "C14.907"])
    2.5
    """
    return sum(number.count(".") + 1 for number in tree_numbers) / len(tree_numbers)


def group_of(tree_numbers: Sequence[str]) -> str:
    """Return the group of a MeSH descriptor: symptoms are under C23.888, diseases elsewhere under
    C.

    >>> group_of(["C14.280.647"]), group_of(["C23.888.646"]), group_of(["A07.541"])
    ('disease', 'symptom', '')
    """
    if any(f"{number}.".startswith("C23.888.") for number in tree_numbers):
        return SYMPTOM
    return DISEASE if any(number.startswith("C") for number in tree_numbers) else ""


def read_mesh(stream: io.BufferedReader, name: str) -> Iterator[Term]:
    """Read the headings and entry terms of MeSH, with their mean tree depth and their group.

    The ASCII file (``d20xx.bin``) and the XML (``desc20xx.xml``) have entry terms. The trees
    (``mtrees20xx.bin``), or a TSV of descriptors and tree numbers, have only headings. Descriptors
    without a tree number (Male, Female) are left out, and so are qualifiers.
    """
    start = start_of(stream)
    if start.startswith("<"):
        records = _xml_records(stream, name)
    elif start.startswith("*NEWRECORD"):
        records = _ascii_records(lines_of(stream))
    elif "tree_number" in start:
        columns = ("descriptor", "tree_number")
        records = _records_of_pairs(named_columns(lines_of(stream), columns, name))
    elif ";" in start:
        records = _records_of_pairs(_tree_lines(lines_of(stream), name))
    else:
        raise _unknown(name, "d20xx.bin, desc20xx.xml or mtrees20xx.bin of the NLM")
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
            # Qualifiers have another type of heading (SH) and are not terms.
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


# UMLS semantic types: sign or symptom (T184), disease or syndrome (T047).
_GROUP_OF_TYPE = {"sosy": SYMPTOM, "dsyn": DISEASE}

# An occurrence is start/length; square brackets hold one that is split.
_OCCURRENCE = re.compile(r"\[[^\[\]]*+\]|(?<!\d)\d++/\d++(?:\^\d++/\d++)*+")


@dataclass(frozen=True, slots=True)
class Mapping:
    """A concept that MetaMap found in a document, with its number of occurrences.

    `depth` is its mean depth in MeSH's trees, or None.
    """

    docno: str
    concept: str
    occurrences: int
    group: str
    depth: float | None


def read_mmi(stream: io.BufferedReader, name: str) -> Iterator[Mapping]:
    """Read the output of MetaMap (MMI): the concepts of each document, in the order of the file.

    Lines of abbreviations (AA, UA) are skipped. A concept without positions, as written before
    2012, counts once.

    >>> line = b'd1|MMI|5.18|Fever|C0015967|[sosy]|["fever"-tx-1-"fever"-noun-0]|TX|0/5;9/5|C23.888'
    >>> next(read_mmi(io.BufferedReader(io.BytesIO(line)), "example"))
    Mapping(docno='d1', concept='C0015967', occurrences=2, group='symptom', depth=2.0)
    """
    for number, line in enumerate(lines_of(stream), start=1):
        fields = line.split("|")
        line_type = fields[1] if len(fields) > 1 else ""
        if line_type in ("AA", "UA") or not line.strip():
            continue
        if line_type != "MMI" or len(fields) < 8:
            raise InputError(
                f"line {number} of {name} is not fielded MetaMap output; write it with metamap -N"
            )
        # Older versions have no positions: the trees follow the location.
        *positions, trees = fields[8:10] or [""]
        types = fields[5].strip("[]").split(",")
        yield Mapping(
            docno=fields[0],
            concept=fields[4],
            occurrences=len(_OCCURRENCE.findall("".join(positions))) or 1,
            group=next((_GROUP_OF_TYPE[type_] for type_ in types if type_ in _GROUP_OF_TYPE), ""),
            depth=depth(trees.strip(";").split(";")) if trees else None,
        )
