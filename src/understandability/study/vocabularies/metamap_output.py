"""Reader of MetaMap's fielded output (MMI): which concepts it found in which document."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from understandability.errors import InputError
from understandability.study.vocabularies.lists import DISEASE, SYMPTOM, lines_of
from understandability.study.vocabularies.mesh import depth

# UMLS semantic types: sign or symptom (T184), disease or syndrome (T047).
GROUP_OF_TYPE = {"sosy": SYMPTOM, "dsyn": DISEASE}

# An occurrence is start/length; in square brackets one that lies in several places.
_OCCURRENCE = re.compile(r"\[[^\[\]]*+\]|(?<!\d)\d++/\d++(?:\^\d++/\d++)*+")


@dataclass(frozen=True, slots=True)
class Mapping:
    """A concept that MetaMap found in a document, so many times.

    `depth` is the mean depth of its places in MeSH's trees, None where it has none.
    """

    docno: str
    concept: str
    occurrences: int
    group: str
    depth: float | None


def read_mmi(stream: io.BufferedReader, name: str) -> Iterator[Mapping]:
    """The concepts of each document, in the order of the file.

    Lines of other kinds (AA, UA: the abbreviations that MetaMap defined) are passed over. A
    concept without positions, as written before 2012, counts once.

    >>> line = b'd1|MMI|5.18|Fever|C0015967|[sosy]|["fever"-tx-1-"fever"-noun-0]|TX|0/5;9/5|C23.888'
    >>> next(read_mmi(io.BufferedReader(io.BytesIO(line)), "example"))
    Mapping(docno='d1', concept='C0015967', occurrences=2, group='symptom', depth=2.0)
    """
    for number, line in enumerate(lines_of(stream), start=1):
        fields = line.split("|")
        kind = fields[1] if len(fields) > 1 else ""
        if kind in ("AA", "UA") or not line.strip():
            continue
        if kind != "MMI" or len(fields) < 8:
            raise InputError(
                f"line {number} of {name} is not fielded MetaMap output; write it with metamap -N"
            )
        # Older versions have no positions: the trees follow the location.
        positions = fields[8] if len(fields) > 9 else ""
        trees = [tree for tree in fields[9 if len(fields) > 9 else 8 :][:1] if tree]
        types = fields[5].strip("[]").split(",")
        yield Mapping(
            docno=fields[0],
            concept=fields[4],
            occurrences=len(_OCCURRENCE.findall(positions)) or 1,
            group=next((GROUP_OF_TYPE[kind] for kind in types if kind in GROUP_OF_TYPE), ""),
            depth=depth(trees[0].strip(";").split(";")) if trees else None,
        )
