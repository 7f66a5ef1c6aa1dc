"""Where sentences start, by rules on a piece and its right neighbour."""

from __future__ import annotations

import re
from collections.abc import Sequence

from understandability.language.cache import BoundedCache

# How a piece may end a sentence (one character each, so that a text is a string of them).
NEVER, ALWAYS, WORD, MAYBE, INITIAL, NUMBER, DOTS, ALONE = "-!.a1#~c"

# Before a name, a number or a unit; these do not end sentences.
_TITLES = frozenset(
    "dr mr mrs ms prof st rev sen rep gen gov lt col sgt capt cmdr messrs mme mlle pres hon "
    "vs v viz cf e.g eg i.e ie fig figs eq eqs ref refs no nos vol vols pp p ch sec approx ca "
    "esp incl resp al mt ft dept univ ed eds trans nr art tab max min".split()
)
# Within a sentence or at its end; the next piece decides.
_ABBREVIATIONS = frozenset(
    "etc inc ltd co corp jr sr bros ph.d m.d d.c u.s u.k e.u u.n a.m p.m am pm b.c a.d jan feb "
    "mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun ave blvd rd "
    "assn dist est tel ext lb lbs oz hr hrs min mins sec secs wk wks yr yrs mo mos tab tabs cap "
    "caps inj susp sol soln b.i.d t.i.d q.i.d q.d q.h p.o p.r.n b.d o.d i.v i.m s.c bid tid qid "
    "var spp sp subsp".split()
)
# Capitalised, these begin sentences rather than go on with a name.
_STARTERS = frozenset(
    "a an the this that these those it its he she they we you i his her their our your my there "
    "here if when while where what who why how which in on at for from with by after before as "
    "although though because since but and so or yet however some many most all each both one no "
    "not do does did is are was were can could will would should may might please use take to "
    "among during under until also then thus therefore other others".split()
)

_CLOSERS = "\"'”’»)]}*"
_OPENERS = "\"'“‘«([{*¿¡"
_REFERENCE = re.compile(r"(?<=[.?!…])(?:\[[\w, –-]{1,9}\])+$")
_END = re.compile(r"^(.*?)([.?!…]+)$", re.DOTALL)
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")


def _end_kind(piece: str) -> str:
    bare = _REFERENCE.sub("", piece)
    closed = bare.rstrip(_CLOSERS)
    match = _END.match(closed)
    if match is None:
        return ALONE if not closed else NEVER
    body, marks = match.groups()
    if "?" in marks or "!" in marks:
        return ALWAYS
    if len(marks) > 1 or marks == "…":
        return DOTS
    word = body.lstrip(_OPENERS)
    lower = word.lower()
    if lower in _TITLES:
        return INITIAL if len(bare) == len(closed) else WORD
    if lower in _ABBREVIATIONS or _DOTTED.fullmatch(word):
        return MAYBE
    if len(word) == 1 and word.isalpha():
        return INITIAL
    if word.isdigit() and len(word) <= 2:
        return NUMBER
    return WORD


_LOWER, _UPPER, _STARTER, _OTHER = "luso"


def _start_kind(piece: str) -> str:
    word = piece.lstrip(_OPENERS)
    first = word[:1]
    if first.islower():
        return _LOWER
    if first.isupper():
        return _STARTER if word.rstrip(".,;:'\"").lower() in _STARTERS else _UPPER
    return _OTHER


_ENDS = BoundedCache(_end_kind)
_STARTS = BoundedCache(_start_kind)
_CANDIDATES = re.compile(rf"[^{NEVER}{ALONE}]{ALONE}*")


def _ends(kind: str, following: str, first: bool) -> bool:
    """Whether a sentence ends at a piece of this kind before a piece of that kind."""
    if kind == ALWAYS:
        return following != _LOWER
    if kind == WORD:
        return True
    if kind == NUMBER:
        return not first and following != _LOWER
    if kind == DOTS:
        return following in (_UPPER, _STARTER)
    if kind == MAYBE:
        return following == _STARTER
    return False


def sentence_starts(pieces: Sequence[str]) -> list[int]:
    """The indexes of the pieces that begin a sentence; the first is 0, none for no pieces.

    >>> sentence_starts("Ask Dr. Lee. Take 2.5 mg b.i.d. with food, e.g. bread. Rest!".split())
    [0, 3, 11]
    """
    if not pieces:
        return []
    starts = [0]
    last = len(pieces)
    kinds = "".join(map(_ENDS.__getitem__, pieces))
    for match in _CANDIDATES.finditer(kinds):
        end = match.end()
        if end < last and _ends(
            match.group()[0], _STARTS[pieces[end]], match.start() == starts[-1]
        ):
            starts.append(end)
    return starts
