"""Split text into pieces, words and tokens. All three are functions of a single piece.

A *piece* is a run of characters between white space. A *word* is a piece without its outer
punctuation, if a letter or digit remains (Flesch's word: ``don't``, ``well-being`` and ``3.5`` are
one word each). *Tokens* are parts of pieces as in the UD English Web Treebank: punctuation and
clitics are split off.
"""

from __future__ import annotations

import re
import string
import unicodedata
from itertools import chain

from understandability import _core

# Soft hyphen, grapheme joiner, zero-width space, marks of direction, word joiner, byte order mark,
# variation selectors.
_INVISIBLE = dict.fromkeys(
    (
        *map(ord, "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\ufeff"),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
    )
)
# Other forms of letters and hyphens: ligatures, letters and digits in bold type or full width.
_FORMS = {
    **{
        code: unicodedata.normalize("NFKC", chr(code))
        for code in (*range(0xFB00, 0xFB07), *range(0x1D400, 0x1D800))
    },
    **{
        ord(unicodedata.lookup(f"FULLWIDTH {name}")): character
        for name, character in (
            *((unicodedata.name(digit), digit) for digit in string.digits),
            *((unicodedata.name(letter), letter) for letter in string.ascii_letters),
        )
    },
    **dict.fromkeys((0x2010, 0x2011, 0xFE63, 0xFF0D), "-"),
    ord("—"): " — ",
    ord("―"): " ― ",
}
_TABLE = _INVISIBLE | _FORMS
_JOINERS = re.compile(r"(?<=[A-Za-zÀ-ɏ])[\u200c\u200d]+")  # other scripts need them
_COMBINING = re.compile("[\u0300-\u037f\u0653-\u0655\u1140-\u11ff\u3099\u309a]")
# Marks that are meant as an apostrophe or a hyphen between letters: "don´t", "don‘t", "well−known".
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])[`´′ʹʻʼʽˈˊˋ‘‛՚ꞌ＇](?=[^\W\d_])")
_MINUS = re.compile(r"(?<=[^\W\d_])[−‒](?=[^\W\d_])")
# Marks in full width between Latin letters and digits.
_WIDE_MARK = re.compile(r"(?<=[A-Za-zÀ-ɏ0-9])[．，！？：；）]")
_WIDE_MARKS = {ord(mark): unicodedata.normalize("NFKC", mark) for mark in "．，！？：；）"}
# The first bytes of forms that make letters look like those of another language: ligatures, full
# width, bold type.
_OTHER_FORMS = (b"\xef\xac", b"\xef\xbc", b"\xef\xbd", b"\xf0\x9d")
_DOUBLE_HYPHEN = re.compile(r"(?<=[^\s-])(--+)(?=[^\s-])")


def spaced(text: str) -> str:
    """Normalise a text: put white space between its pieces, and replace unusual forms of letters.

    Invisible marks (soft hyphens, zero-width spaces) are dropped. Ligatures, full-width letters,
    combining accents and other apostrophes are replaced.

    >>> spaced("oﬃce, don´t, in­fec­tion—well‑being")
    "office, don't, infection — well-being"
    """
    if not text.isascii():
        text = _JOINERS.sub("", text.translate(_TABLE))
        if _COMBINING.search(text):
            text = unicodedata.normalize("NFC", text)
        text = _MINUS.sub("-", text)
        text = _WIDE_MARK.sub(lambda mark: mark[0].translate(_WIDE_MARKS), text)
    text = _APOSTROPHE.sub("'", text)
    return _DOUBLE_HYPHEN.sub(r" \1 ", text) if "--" in text else text


def in_usual_form(text: str) -> str:
    """Return a text for the detection of its language; white space may differ.

    >>> in_usual_form("ｆｌｕ"), in_usual_form("grippe")
    ('flu', 'grippe')
    """
    if text.isascii():
        return text
    utf8 = text.encode("utf-8", "replace")  # a pattern would take ten times as long
    has_others = _core.may_combine(utf8) or any(form in utf8 for form in _OTHER_FORMS)
    return spaced(text) if has_others else text


def split_pieces(text: str) -> list[str]:
    """Split a text at white space. A dash between words is a piece of its own.

    Invisible marks (soft hyphens, zero-width spaces) are dropped.

    >>> split_pieces("Rest helps--mostly. See a doctor—soon.")
    ['Rest', 'helps', '--', 'mostly.', 'See', 'a', 'doctor', '—', 'soon.']
    """
    return spaced(text).split()


_REFERENCES = r"(?:\[[\w, –-]{1,9}\]){1,9}+"
_TRAILING = re.compile(rf"(?:\((?:s|es)\)|{_REFERENCES})(?=\W{{0,20}}+$)")
_WORD = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)


def word_of(piece: str) -> str:
    """Return the word in a piece: from its first letter or digit to its last; ``''`` without any.

    A plural in brackets and the number of a reference do not belong to the word.

    >>> pieces = ['"Well-being,"', "3.5%", "don't", "tumour(s)", "flu.[12]", "-"]
    >>> [word_of(piece) for piece in pieces]
    ['Well-being', '3.5', "don't", 'tumour', 'flu', '']
    """
    if piece.isalnum():
        return piece
    if piece[:-1].isalnum():  # as most others are
        return piece[:-1]
    if piece[0] not in "([" and ("(" in piece or "[" in piece):
        piece = _TRAILING.sub("", piece)
    match = _WORD.search(piece)
    return match.group() if match else ""


_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|Inc|Co|Corp|Ltd|Mt|No|Sen|Rep|Gen|Gov|Lt|Col|Sgt|Capt|al|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|approx|Fig|Figs|Eq|cf|etc"
)
_PREFIXES = "non|pre|post|anti|multi|ex|re|co|e|pro|mid|semi|un|sub|inter"
# Tokens that may hold punctuation, in order of precedence.
_WHOLE = re.compile(
    rf"""
      (?:https?|ftp)://\S*[\w/]                      # addresses
    | www\.\S*[\w/]
    | [\w.+%-]++@[\w-]+(?:\.[\w-]+)+                 # mail
    | [\w-]++(?:\.[\w-]++)*\.(?:com|org|net|edu|gov|uk|html?|pdf|docx?|xls)\b(?:/\S*[\w/])?
    | [<>]?[:;=]['-]?[)(DPp](?!\w)                   # smileys
    | \d+(?:[.,:/]\d+)+                              # 1,200.5  7:30  11/28/2000
    | \d+(?:-\d+){{2,}}                              # telephone numbers
    | (?:[^\W\d_]\.){{2,}}                           # U.S.  e.g.  b.i.d.
    | (?:{_ABBREVIATIONS})\.
    | [A-Z]\.(?=$)                                   # initials
    | [^\W\d_]+(?=(?i:['’](?:s|m|d|re|ve|ll))(?!\w))     # words before a clitic
    | (?i:ca|wo|sha|ai|do|does|did|is|are|was|were|have|has|had|would|could|should|must|need|might)
        (?=n['’]t\b)
    | (?i:n['’]t|['’](?:s|m|d|re|ve|ll))(?!\w)       # clitics
    | (?i:{_PREFIXES})-\w+
    | \w+(?:['’]\w+)*
    | \.{{2,}} | -{{2,}} | ([^\w\s])\1+ | [^\w\s]
    | \S
    """,
    re.VERBOSE,
)


# The pattern is slow, so the most frequent pieces are split without it: a word and a mark; a word
# or number between marks, with an optional genitive and numbers of references; two words with a
# hyphen; and pieces that clearly consist of words, numbers and marks.
_FRAMED = re.compile(
    r"""([(\["“]?)([^\W_]++|\d+(?:[.,:/]\d+)++)(['’]s)?([^\w\s]{0,2}?)"""
    r"""(?:((?:\[\d++\]){1,9}+)([.,]?))?"""
)
_MAY_BE_MORE = re.compile(r"['’@_-]|[^\W\d_]\.|\.[^\W\d_]|[:;=][)(DPp]|([^\w\s])\1")
_PLAIN = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+|[^\w\s]")
_MARKS = '.,!?)]"”'
_BEHIND = {"", *_MARKS, *":;", *(a + b for a in _MARKS for b in _MARKS + ":;" if a != b)}
_WITH_STOP = {*_ABBREVIATIONS.split("|"), *"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_WITH_HYPHEN = set(_PREFIXES.split("|"))

# Longer pieces are no writing. They are split, because the time of patterns is quadratic in the
# length.
_LONGEST = 200


def tokenize(piece: str) -> tuple[str, ...]:
    """Return the tokens of one piece, split as in the UD English Web Treebank.

    >>> tokenize("(don't")
    ('(', 'do', "n't")
    >>> tokenize("well-being."), tokenize("e.g."), tokenize("$3.50,")
    (('well', '-', 'being', '.'), ('e.g.',), ('$', '3.50', ','))
    """
    if len(piece) > _LONGEST:
        parts = (piece[start : start + _LONGEST] for start in range(0, len(piece), _LONGEST))
        return tuple(chain.from_iterable(map(tokenize, parts)))
    if piece.isalnum():
        return (piece,)
    word, mark = piece[:-1], piece[-1]
    if word.isalnum() and mark in _BEHIND and not (mark == "." and word in _WITH_STOP):
        return word, mark
    framed = _FRAMED.fullmatch(piece)
    if framed:
        before, word, genitive, behind, references, stop = framed.groups("")
        is_whole = behind[:1] == "." and word in _WITH_STOP
        if behind in _BEHIND and not is_whole and (not genitive or word.isalpha()):
            numbers = references.replace("[", " [ ").replace("]", " ] ").split()
            return tuple(filter(None, (before, word, genitive, *behind, *numbers, stop)))
    word, hyphen, other = piece.partition("-")
    if word.isalnum() and other.isalnum() and piece.isascii():
        return (piece,) if word.lower() in _WITH_HYPHEN else (word, hyphen, other)
    if not _MAY_BE_MORE.search(piece):
        return tuple(_PLAIN.findall(piece))
    return tuple(match.group() for match in _WHOLE.finditer(piece))
