"""Codes, limits and column layouts that Python and the compiled core share, each defined once.

`hatch_build.py` runs this file and writes `as_cython` to ``layout.pxi``, which the modules of the
core include. So C and Python cannot disagree, and a column that is added or moved here moves in
both. A core that was compiled from another version of this file is refused when it is imported
(`FINGERPRINT`).

| here | in the core |
|---|---|
| ``MainAction.END_LINK`` | ``MAIN_END_LINK``, see `CODES` |
| ``PASSAGE["vector"]``, a group of columns | ``PASSAGE_VECTOR``, the offset of its first column |
| all columns of ``PASSAGE`` | ``PASSAGE_COLUMNS``, their number |
| ``TOKEN_FIELDS`` | the struct ``Token`` |
| ``SHORT_TEXT`` in `INTEGERS`, ``ZIPF_LIMITS`` in `ARRAYS` | the same name |

This module imports nothing of the package, because it runs before the package is built.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import accumulate, chain
from zlib import crc32

Columns = dict[str, tuple[str, ...]]


def columns(*groups: str | tuple[str, tuple[str, ...]]) -> Columns:
    """Return the names of columns by group, in order. A string is a group of one column.

    >>> columns("words", ("tags", ("NOUN", "VERB")))
    {'words': ('words',), 'tags': ('NOUN', 'VERB')}
    """
    return {
        group if isinstance(group, str) else group[0]: (
            (group,) if isinstance(group, str) else group[1]
        )
        for group in groups
    }


def names_of(table: Columns) -> tuple[str, ...]:
    """Return the names of all columns of a table, in order."""
    return tuple(chain.from_iterable(table.values()))


def slices_of(table: Columns) -> dict[str, slice]:
    """Return the columns of each group as a slice.

    >>> slices_of(columns("words", ("tags", ("NOUN", "VERB"))))
    {'words': slice(0, 1, None), 'tags': slice(1, 3, None)}
    """
    ends = accumulate(map(len, table.values()))
    return {
        group: slice(end - len(names), end)
        for (group, names), end in zip(table.items(), ends, strict=True)
    }


# --- Trees (`text.tape`)


class Content(IntEnum):
    """The content model of an element."""

    MARKUP = 0
    NOTHING = 1
    RAW = 2  # text up to the end tag
    RAW_WITH_REFERENCES = 3
    SCRIPT = 4  # raw text in which a comment may hide the end tag
    PLAIN_TEXT = 5  # text up to the end of the page


class Role(IntEnum):
    """The role of an element in the structure of a page."""

    NONE = 0
    HTML = 1
    HEAD = 2
    BODY = 3
    IN_HEAD = 4  # opens a head if none is open
    WITHOUT_BODY = 5  # opens no body: frames


# The rule of an element is a tuple of these. `bit` is its bit among the elements that a start tag
# can close, or 0, and `closes` the bits of those that its own start tag closes. An end tag closes
# no element of a higher level (0 to 7).
ELEMENT_RULE = columns("bit", "closes", "level", "content", "role")


# --- Walks of the extractors (`text.extract`): the effect of a tag


class MainAction(IntEnum):
    """The effect of a tag on the block that `main` reads. Actions up to BREAK leave it open."""

    NOTHING = 0
    SPACE = 1
    LINK = 2
    END_LINK = 3
    BREAK = 4
    OPEN = 5
    CLOSE = 6
    EMPTY = 7
    SKIP = 8


class NaiveAction(IntEnum):
    """The effect of a tag on the field that `naive` reads."""

    END = 0
    NOTHING = 1
    SPACE = 2
    LINK = 3
    DROP = 4


class BoilerpipeAction(IntEnum):
    """The effect of a tag on the block that `boilerpipe` reads. Actions from CLOSE on end it."""

    NOTHING = 0
    SPACE = 1
    LINK = 2
    END_LINK = 3
    CLOSE = 4
    END_IGNORED = 5
    OPEN = 6
    EMPTY = 7
    SKIP = 8
    IGNORE = 9
    UNPARSED = 10


class JustextAction(IntEnum):
    """The effect of a tag on the paragraph that `justext` reads.

    Actions up to BREAK end it; from UNWRAP on the tag is treated as if it were not there.
    """

    OPEN = 0
    CLOSE = 1
    EMPTY = 2
    BREAK = 3
    LINK = 4
    END_LINK = 5
    INLINE = 6
    END_INLINE = 7
    UNWRAP = 8
    KILL = 9


# --- Blocks of the extractor main


class BlockBit(IntEnum):
    """The type of a block, in addition to its level as a heading: 1 to 6 in the lowest bits."""

    HEADING = 7  # a mask
    ITEM = 8
    CELL = 16
    PARAGRAPH = 32
    HIDDEN = 64  # its element is not shown


# Lengths are in characters. All were chosen on half of the pages of a gold set, each from the
# middle of the range that did best (scripts/evaluate/extraction.py).
PROSE_LENGTHS = (75, 25, 1)  # the fewest of a block of prose; the next if a page has too little
MIN_PROSE = 200  # of a page, for the first of these lengths
MAX_BEFORE_COMMENTS = 900  # with more text before them, comments are not what the page is about
MAX_HEADING = 150  # a longer heading is text in large letters
MAX_REPEATED = 2  # a text that a page repeats more often is not part of its main text
MAX_COPYRIGHT = 150  # a longer text with a copyright sign is prose
MAX_TAGS_HIDDEN = 500  # within an inline element that is not shown; with more it is text
MIN_LINKED_SENTENCE = 40  # a shorter block of links is no text, even if it ends as a sentence does
MIN_SENTENCE = 40
CHARACTERS_PER_BAR = 36  # with fewer between them, bars separate labels
MAX_RUN = 150  # the longest run without a space in a text; longer ones are data of a program
MAX_PROSE_LINKS = 0.35  # the share of the characters of a block of prose that may be in links
MAX_LINKS = 0.5  # the same of any block in the main section
WHOLLY_LINKED = 0.6  # the same of a sentence that is a link as a whole, as in a card
MAIN_SHARE = 0.9  # the share of the prose that the main section has
# A section whose name says that it is no text is kept if it has more of the prose than this. Names
# of side bars and of consents are seldom wrong.
MAX_SHARE = 0.3
MAX_SIDEBAR_SHARE = 0.85
MAX_CONSENT_SHARE = 0.95


# --- Sentences (`text.sentences`)

# How a piece may end a sentence, one character each.
PIECE_ENDS = {
    "NONE": "-",
    "ALONE": "c",
    "EXCLAIMED": "!",
    "QUOTED": "q",
    "STOPPED": ".",
    "ABBREVIATED": "a",
    "NUMBER": "#",
    "UNIT": "u",  # a number before it makes it the end of a sentence
    "LETTER": "l",  # a single letter
    "LABEL": "n",  # belongs to a number that follows: "art."
    "DOTS": "~",
}


# --- Tags (`feature.tagger`)

UNIVERSAL_TAGS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
TWELVE_TAGS = (
    "VERB", "NOUN", "PRON", "ADJ", "ADV", "ADP", "CONJ", "DET", "NUM", "PRT", "X", "PUNCT",
)  # fmt: skip


# --- Sentences and passages (`model.passages`)

VECTOR_SIZE = 100  # dimensions of a word vector
MIN_SENTENCE_WORDS = 5  # a shorter field is no sentence
SHORT_TEXT = 60  # words; no text of this many is short
ZIPF_LIMITS = (3.0, 4.0, 5.0)
RARE_ZIPF = 4.0  # rare words are below
RARITY_ZIPF = 5.0  # the weight of a word's vector among rare words is its distance below this
COMPLEXITY_LIMITS = (0.3, 0.4)
LONG_SENTENCES = (10, 20, 30)  # words
ZIPF_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5)  # which quantiles are columns
COMPLEXITY_SHARES = (0.5, 0.75, 0.9, 0.95, 0.99)


class TokenFlag(IntEnum):
    """The bits of a token's `flags`."""

    HAS_LETTER = 1
    CAPITALISED = 2
    IN_CAPITALS = 4
    COUNTED = 8  # it is among the words of the frequency list


# A token type: name, type in numpy, and number of values. `difficulty` is what the type adds to the
# difficulty of a text, `weight` that of its vector. `vector` and `frequent` are indexes among the
# words with a vector and the frequent words, -1 for none. `kinds` are indexes into the token
# kinds of `PASSAGE`, NO_KIND at the end.
TOKEN_FIELDS = (
    ("zipf", "f4", 1),
    ("complexity", "f4", 1),
    ("difficulty", "f4", 1),
    ("logs", "f4", 4),
    ("weight", "f4", 1),
    ("vector", "i4", 1),
    ("frequent", "i2", 1),
    ("flags", "u1", 1),
    ("kinds", "u1", 8),
)
NO_KIND = 255

# The counts of a word type that a passage sums up, and whether it is all in capitals.
WORD_KINDS = (
    "difficult_words", "characters", "words_longer_6", "words_longer_10", "syllables",
    "polysyllables", "words_over_3_syllables", "medical_prefixes", "medical_suffixes",
    "medical_acronyms", "stop_words", "oov",
)  # fmt: skip
WORD = columns(*WORD_KINDS, "in_capitals")

STYLE_KINDS = (
    "comma", "colon", "bracket", "quote", "dash", "exclamation", "percent", "symbol", "period",
    "first_person", "second_person", "third_person", "it_they", "past_be", "be", "modal",
    "relative", "connective", "of", "article", "and", "cause", "preposition", "negation",
    "ending_tion", "ending_ity", "ending_ment", "ending_ence", "ending_ance", "ending_ness",
    "ending_ism", "ending_ical", "ending_ive", "ending_ous", "ending_ing", "ending_ed",
    "ending_ly", "number", "capitals", "capitalised",
)  # fmt: skip

# The statistics of a sentence. A sentence is cut if its last word does not usually end one; it has
# an end if it has a word at all. `is_first` is 1 unless the document had the same sentence before.
SENTENCE = columns(
    ("tags", TWELVE_TAGS),
    "pair_scores",
    "pairs",
    "is_cut",
    "has_end",
    "is_first",
)

_VECTOR = range(VECTOR_SIZE)
# The columns of a passage. Counts of words and tokens are means over words or tokens; columns that
# end in ``_per_sentence`` are means over sentences of prose. The columns from `rare_vector` on are
# only for the model of difficulty.
PASSAGE = columns(
    ("word_kinds", WORD_KINDS),
    "characters_squared",
    ("words_per_sentence", ("syllables_per_sentence", "polysyllables_per_sentence")),
    ("token_kinds", (*STYLE_KINDS, "not_in_wordfreq")),
    ("zipf_under", tuple(f"zipf_under_{limit:g}" for limit in ZIPF_LIMITS)),
    ("zipf_below", tuple(f"share_zipf_below_{limit:g}" for limit in ZIPF_LIMITS)),
    (
        "logs",
        (
            "log_probability_merged",
            "pubmed_over_reddit",
            "pubmed_over_wikipedia",
            "wikipedia_over_reddit",
        ),
    ),
    "towards_pubmed",
    "far_towards_pubmed",
    "towards_wikipedia",
    "complexity",
    ("complexity_over", tuple(f"complexity_over_{limit:g}" for limit in COMPLEXITY_LIMITS)),
    (
        "complexity_above",
        tuple(f"share_complexity_above_{limit:g}" for limit in COMPLEXITY_LIMITS),
    ),
    ("odd_tokens", ("code", "single_letters", "no_letters")),
    (
        "tokens_per_sentence",
        tuple(
            f"{name}_per_sentence"
            for name in ("comma", "relative", "complexity_over_0.3", "complexity_over_0.4")
        ),
    ),
    ("vector", tuple(f"word_vector_{number}" for number in _VECTOR)),
    ("tags", tuple(f"tag_{tag}" for tag in TWELVE_TAGS)),
    "tag_VERB_per_sentence",
    ("zipf_quantiles", tuple(f"zipf_at_{share:g}" for share in ZIPF_SHARES)),
    ("complexity_quantiles", tuple(f"complexity_at_{share:g}" for share in COMPLEXITY_SHARES)),
    "complexity_not_names",
    "complexity_over_0.3_not_names",
    "without_vector",
    "names",
    "rare_words",
    "rare_words_again",
    "rare_word_times",
    "sentence_words",
    "sentence_log_words",
    ("longer", tuple(f"sentence_words_over_{length}" for length in LONG_SENTENCES)),
    ("in_longer", tuple(f"words_in_sentences_over_{length}" for length in LONG_SENTENCES[1:])),
    "sentence_hardest_word",
    "sentence_log_words_deviation",
    "prose",
    "short_fields",
    ("rare_vector", tuple(f"rare_word_vector_{number}" for number in _VECTOR)),
    "word_order",
    "cut_sentences",
    "difficulty_by_words",
    "shortness",
)
# A token's `kinds` count from the first of these columns.
FIRST_TOKEN_KIND = slices_of(PASSAGE)["token_kinds"].start


# --- Sums over the first tokens of a document, see `model.sense`

MAX_READ_TOKENS = 400
FIT_WINDOW = 3  # content words on either side that a content word is compared with
COHERENCE = columns(
    "gains",  # the attested pairs of neighbouring words, minus those attested in reverse
    "pairs",
    "fit",  # the sum of the highest cosine of each content word
    "content",  # the number of content words
    "distinct_pairs",  # of neighbouring tokens
    "token_pairs",
)

# --- The same for the compiled core

CODES: dict[str, type[IntEnum]] = {
    "CONTENT": Content,
    "ROLE": Role,
    "MAIN": MainAction,
    "NAIVE": NaiveAction,
    "BOILERPIPE": BoilerpipeAction,
    "JUSTEXT": JustextAction,
    "BLOCK": BlockBit,
    "TOKEN": TokenFlag,
}
TABLES = {
    "ELEMENT": ELEMENT_RULE,
    "WORD": WORD,
    "SENTENCE": SENTENCE,
    "PASSAGE": PASSAGE,
    "COHERENCE": COHERENCE,
}
INTEGERS = (
    "MIN_PROSE", "MAX_BEFORE_COMMENTS", "MAX_HEADING", "MAX_REPEATED", "MAX_COPYRIGHT",
    "MAX_TAGS_HIDDEN", "MIN_LINKED_SENTENCE", "MIN_SENTENCE",
    "CHARACTERS_PER_BAR", "MAX_RUN", "VECTOR_SIZE", "MIN_SENTENCE_WORDS", "SHORT_TEXT", "NO_KIND",
    "MAX_READ_TOKENS", "FIT_WINDOW",
)  # fmt: skip
# Zipf frequencies are float32, as those of tokens, so that differences are rounded alike.
ARRAYS = {
    "PROSE_LENGTHS": "int",
    "LONG_SENTENCES": "int",
    "ZIPF_LIMITS": "float",
    "COMPLEXITY_LIMITS": "double",
    "ZIPF_SHARES": "double",
    "COMPLEXITY_SHARES": "double",
}
NUMBERS = {
    "RARE_ZIPF": "float",
    "RARITY_ZIPF": "float",
    "MAX_PROSE_LINKS": "double",
    "MAX_LINKS": "double",
    "WHOLLY_LINKED": "double",
    "MAIN_SHARE": "double",
    "MAX_SHARE": "double",
    "MAX_SIDEBAR_SHARE": "double",
    "MAX_CONSENT_SHARE": "double",
}
_C_TYPES = {"f4": "float", "i4": "int", "i2": "short", "u1": "unsigned char"}


def as_cython() -> str:
    """Return this module as Cython's ``layout.pxi``."""
    constants = {
        f"{prefix}_{name}": int(code)
        for prefix, codes in CODES.items()
        for name, code in codes.__members__.items()
    }
    for prefix, table in TABLES.items():
        for group, span in slices_of(table).items():
            constants[f"{prefix}_{group.upper().replace('.', '_')}"] = span.start
        constants[f"{prefix}_COLUMNS"] = len(names_of(table))
    constants |= {f"END_{name}": ord(end) for name, end in PIECE_ENDS.items()}
    constants |= {name: globals()[name] for name in INTEGERS}
    constants["TAGS"], constants["TWELVE"] = len(UNIVERSAL_TAGS), len(TWELVE_TAGS)
    constants["TWELVE_PUNCTUATION"] = TWELVE_TAGS.index("PUNCT")
    values = {name: globals()[name] for name in (*NUMBERS, *ARRAYS)}
    written = {
        name: f"{{{', '.join(map(repr, value))}}}" if name in ARRAYS else repr(value)
        for name, value in values.items()
    }
    declared = {
        name: f"{type_} {name}" + (f"[{len(values[name])}]" if name in ARRAYS else "")
        for name, type_ in (NUMBERS | ARRAYS).items()
    }
    fields = [
        f"    {_C_TYPES[type_]} {name}" if count == 1 else f"    {_C_TYPES[type_]}[{count}] {name}"
        for name, type_, count in TOKEN_FIELDS
    ]
    lines = [
        "# Written by hatch_build.py from layout.py.",
        "cdef enum:",
        *(f"    {name} = {value}" for name, value in constants.items()),
        "",
        "cdef extern from *:",
        '    """',
        "    #if defined(__GNUC__)",
        "    #define UNUSED __attribute__((unused))  /* no module of the core needs them all */",
        "    #else",
        "    #define UNUSED",
        "    #endif",
        *(
            f"    UNUSED static const {declared[name]} = {value};"
            for name, value in written.items()
        ),
        '    """',
        *(f"    const {declaration}" for declaration in declared.values()),
        "",
        "cdef struct Token:",
        *fields,
        "",
    ]
    return "\n".join(lines)


# The version of the layout that a core was compiled from.
FINGERPRINT = crc32(as_cython().encode())
