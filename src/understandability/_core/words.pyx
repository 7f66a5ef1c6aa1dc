# cython: language_level=3, wraparound=False
"""Ids of strings, texts to pieces and sentences, and lists of words.

`Numbers` is a hash table with open addressing that gives each distinct string an id, in order of
first appearance.

- `text` has a copy of each string: its size, then its bytes. A slot has the hash, the id plus 1,
  and the offset in `text`; an id of 0 marks an empty slot.
- The number of slots is a power of two, and at most half of them are used, so a search ends.
- Two strings are equal only if their bytes are: a collision of hashes costs time, nothing else.
- Hashes are keyed with secret numbers, so a page cannot be crafted to cause collisions.
- While strings are added, `text` and `slots` may move. Pointers into them are taken anew for each
  string (`number_spans`).

`SentenceCutter` splits texts at white space into pieces, and pieces into sentences. `Span`s point
into the UTF-8 of the texts, which `held` keeps alive. An array of spans has room for half the size
of a text plus 1, because pieces are separated by at least one byte.

`Places` is such a table for a list of words that never changes, with a number per word.
"""

import os

from cpython.array cimport array, clone, resize_smart
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, memcpy, memset

from understandability._core.utf8 cimport (
    Bytes, Py_UNICODE_ISALNUM, Py_UNICODE_ISDECIMAL, PyUnicode_DATA, PyUnicode_IS_ASCII,
    character_at, is_digit, is_ink, is_letter,
    look_up, lowered, prefetch, white_at,
)

cdef array _LONGS = array("q")
cdef unsigned char[256] IS_INK  # `is_ink` as a table
cdef int _c
for _c in range(256):
    IS_INK[_c] = is_ink(<unsigned char>_c)

# --- Ids of strings

cdef enum:
    MAX_HASHED = 64  # bytes; Python hashes longer strings
    FACTORS = 19  # the start, the size, the last four bytes, and 16 groups of four bytes

cdef struct Span:  # a part of a text in UTF-8
    Bytes start
    Py_ssize_t size
    unsigned int hash

cdef struct Numbered:  # a slot of `Numbers`
    unsigned int hash
    unsigned int number  # the id plus 1; 0 for an empty slot
    Py_ssize_t start  # the offset in `text` of the size, after which the bytes follow

# Keyed multilinear hashing: the upper half of a sum of products of secret numbers with the size and
# with each four bytes (Lemire & Kaser 2014, "Strongly universal string hashing is fast"). Two
# strings collide with a probability of 2**-32, and a page cannot be crafted to cause collisions.
# Longer strings have Python's hash, which is keyed too.
cdef bytes _SECRETS = os.urandom(8 * FACTORS)
cdef unsigned long long[FACTORS] SECRETS
memcpy(SECRETS, PyBytes_AS_STRING(_SECRETS), sizeof(SECRETS))


cdef inline int hash_span(Span* span, Bytes start, Py_ssize_t size) except -1:
    cdef unsigned long long hashed = SECRETS[0] + SECRETS[1] * size
    cdef unsigned int four = 0, i
    if size > MAX_HASHED:
        hashed = <unsigned long long>hash((<const char*>start)[:size]) << 32
    elif size >= 4:
        for i in range(size // 4):
            memcpy(&four, start + 4 * i, 4)
            hashed += SECRETS[i + 3] * four
        memcpy(&four, start + size - 4, 4)
    elif size:
        four = start[0] | start[size // 2] << 8 | start[size - 1] << 16
    span.start, span.size, span.hash = start, size, <unsigned int>(hashed + SECRETS[2] * four >> 32)
    return 0


cdef Bytes utf8_of(str text, Py_ssize_t* size, list held) except NULL:
    """Return the bytes of a text. They are valid as long as the objects in `held`."""
    cdef object written = text
    size[0] = len(text)  # raises for None
    if not PyUnicode_IS_ASCII(text):
        written = text.encode("utf-8", "surrogatepass")
        size[0] = len(written)
    held.append(written)
    return <Bytes>(PyUnicode_DATA(text) if written is text else PyBytes_AS_STRING(written))


cdef class Numbers:
    """A hash table with open addressing: two reads of memory per lookup."""
    cdef readonly list strings
    cdef readonly Py_ssize_t characters
    cdef bytearray text, slots
    cdef unsigned int mask

    def __cinit__(self):
        self.strings, self.text = [], bytearray()
        self.slots, self.mask = bytearray(1024 * sizeof(Numbered)), 1023

    cdef int number_spans(self, Span* span, Py_ssize_t size, int* out, bint adds_new) except -1:
        cdef Py_ssize_t index
        cdef unsigned int at
        cdef Bytes text, known
        cdef Numbered* slots
        for index in range(size):
            text = <Bytes>PyByteArray_AS_STRING(self.text)
            slots = <Numbered*>PyByteArray_AS_STRING(self.slots)
            if index + 8 < size:  # fetch early: a read of memory takes as long as a few strings
                prefetch(slots + (span[8].hash & self.mask))
                prefetch(text + slots[span[4].hash & self.mask].start)
            at = span.hash & self.mask
            while slots[at].number:
                known = text + slots[at].start
                if slots[at].hash == span.hash and not (
                    memcmp(known, &span.size, sizeof(span.size))
                    or memcmp(known + sizeof(span.size), span.start, span.size)
                ):
                    break
                at = at + 1 & self.mask
            is_new = adds_new and not slots[at].number
            out[index] = self.add(span, slots + at) if is_new else <int>slots[at].number - 1
            span += 1
        return 0

    def number(self, list strings, int[::1] out, bint adds_new=True) -> None:
        cdef Py_ssize_t index, size, number = len(strings)
        cdef bytearray memory = bytearray(number * sizeof(Span))
        cdef Span* span = <Span*>PyByteArray_AS_STRING(memory)
        cdef list held = []
        cdef Bytes start
        if out.shape[0] != number:
            raise ValueError("there is not one place for each string")
        for index in range(number):
            start = utf8_of(strings[index], &size, held)
            hash_span(span + index, start, size)
        if number:
            self.number_spans(span, number, &out[0], adds_new)

    cdef int add(self, Span* span, Numbered* slot) except -1:
        """Add a new string in a slot, and return its id."""
        cdef Py_ssize_t start = len(self.text)
        cdef bytearray before = self.slots
        cdef unsigned int number = len(self.strings), at
        cdef str string = PyUnicode_DecodeUTF8(<const char*>span.start, span.size, "surrogatepass")
        self.text += (<char*>&span.size)[: sizeof(span.size)]
        self.text += (<char*>span.start)[: span.size]
        self.strings.append(string)
        self.characters += len(string)
        slot[0] = Numbered(span.hash, number + 1, start)
        if 2 * number > self.mask:  # double the slots
            self.slots, self.mask = bytearray(2 * len(before)), 2 * self.mask + 1
            slot = <Numbered*>PyByteArray_AS_STRING(self.slots)
            for old in (<Numbered*>PyByteArray_AS_STRING(before))[: self.mask // 2 + 1]:
                at = old.hash & self.mask
                while slot[at].number:
                    at = at + 1 & self.mask
                if old.number:
                    slot[at] = old
        return number


# --- Texts to pieces and sentences

include "layout.pxi"


cdef bint is_plain(str text):
    """Return True if `spaced` would not change a text."""
    cdef Py_UCS4 c, before = 0
    for c in text:
        if c == c"-" and before == c"-" or c == c"`":
            return False
        if c > 127 and (
            c in "\u00ad\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u02ca\u02cb\u055a\u061c\u180e"
            "\u200b\u200c\u200d\u200e\u200f\u2010\u2011\u2012\u2014\u2015\u2018\u201b\u2032"
            "\u2212\u3099\u309a\ua78c\ufe63\ufeff"
            or 0x300 <= c <= 0x37F or 0x653 <= c <= 0x655 or 0x1140 <= c <= 0x11FF
            or 0x202A <= c <= 0x202E or 0x2060 <= c <= 0x206F or 0xFB00 <= c <= 0xFB06
            or 0xFE00 <= c <= 0xFE0F or 0xFF01 <= c <= 0xFF5A or 0x1D400 <= c <= 0x1D7FF
        ):
            return False
        before = c
    return True


def words_of_each(object texts) -> list:
    cdef list counts = [], held = []
    cdef Py_ssize_t size, offset, words
    cdef Bytes s
    for text in texts:
        s, words = utf8_of(text, &size, held), 1
        for offset in range(size):
            words += s[offset] == c" "
        counts.append(words)
    return counts


cdef Py_ssize_t pieces_of(Span* span, Bytes s, Py_ssize_t size) except -1:
    """Write a span per piece between white space; return the number of pieces."""
    cdef Py_ssize_t number = 0, offset = 0, start
    while True:
        start = offset
        while offset < size and (IS_INK[s[offset]] or not white_at(s, offset, size)):
            offset += 1
        if offset > start:
            hash_span(span + number, s + start, offset - start)
            number += 1
        if offset == size:
            return number
        offset += white_at(s, offset, size)


cdef str OPENING = "\"'“‘«(["


cdef class SentenceCutter:
    cdef object ends_of, starts_of, letter_words, copulas, spaced
    cdef bytes may_end
    cdef dict before

    def __init__(
        self, object ends_of, object starts_of, bytes may_end not None, dict before not None,
        object letter_words, object copulas, object spaced,
    ):
        if len(may_end) != 256:
            raise ValueError("may_end needs 256 bytes")
        self.ends_of, self.starts_of, self.may_end = ends_of, starts_of, may_end
        self.before, self.letter_words, self.copulas = before, letter_words, copulas
        self.spaced = spaced

    def cut(
        self, list texts, list are_open, Numbers table, array pieces, list starts, list open_ends
    ) -> None:
        cdef object ends_of = self.ends_of, starts_of = self.starts_of, spaced = self.spaced
        cdef object letter_words = self.letter_words, copulas = self.copulas
        cdef dict before = self.before
        cdef list held = [], bounds = [], strings = table.strings
        cdef Py_ssize_t size, number = 0, first = len(pieces), start = 0, end, index, at, following
        cdef array memory = clone(_LONGS, 0, False)
        cdef bytearray ends
        cdef Span* span = NULL
        cdef int* ids
        cdef Bytes s, kinds = <Bytes>PyBytes_AS_STRING(self.may_end)
        cdef unsigned char last, kind
        cdef str previous
        if pieces.itemsize != sizeof(int):
            raise ValueError("pieces needs C integers")
        for text in texts:
            s = utf8_of(text if is_plain(text) else spaced(text), &size, held)
            resize_smart(memory, (number + size // 2 + 1) * sizeof(Span) // sizeof(long long))
            span = <Span*>memory.data.as_longlongs
            number += pieces_of(span + number, s, size)
            bounds.append(number)
        resize_smart(pieces, first + number)
        ids = pieces.data.as_ints + first
        table.number_spans(span, number, ids, True)
        ends = bytearray(number)
        for index in range(number):  # for most pieces, the last byte is enough
            last = span[index].start[span[index].size - 1]
            ends[index] = ord(look_up(ends_of, strings[ids[index]])) if kinds[last] else END_NONE
        for end, is_open in zip(bounds, are_open):
            index = start
            if end > start:
                starts.append(first + start)
            while index < end - 1:
                if ends[index] == END_NONE:
                    index += 1
                    continue
                following = index + 1  # after the marks that belong to the sentence
                while following < end and ends[following] == END_ALONE:
                    following += 1
                if following == end:
                    break
                kind = ends[index]
                is_first = first + index == starts[len(starts) - 1]
                if kind == END_ABBREVIATED and index > start and is_digit(span[index].start[0]):
                    if strings[ids[index - 1]].lower() in letter_words:
                        kind = END_NUMBER  # "Siehe Abb. 3. Weiter."
                counts_item = is_first and (
                    kind == END_NUMBER or kind == END_LETTER
                    or strings[ids[index]].lower() in letter_words  # "Question. Can I eat?"
                )
                if kind == END_NUMBER:
                    counts_item |= (
                        index > 0 and span[index - 1].start[span[index - 1].size - 1] in b":;,"
                    )
                    if first + index - 1 == starts[len(starts) - 1]:  # "Step 1. Wash your hands."
                        counts_item |= strings[ids[index - 1]].lower() in letter_words
                elif kind == END_UNIT:
                    kind = END_ABBREVIATED
                    if index > start and is_digit(span[index - 1].start[0]):
                        kind = END_NUMBER  # "20 mg."
                elif kind == END_LETTER:
                    kind = END_ABBREVIATED
                    at = index - 1
                    if at > start and strings[ids[at]].lower() in copulas:
                        at -= 1  # "Your blood group is O."
                    if at >= start:
                        previous = strings[ids[at]]
                        if previous.lower().lstrip(OPENING) in letter_words:
                            kind = END_NUMBER  # "vitamin C."
                begins = look_up(starts_of, strings[ids[following]])
                if not counts_item and begins in before[chr(kind)]:
                    starts.append(first + following)
                index = following
            if end > start and is_open:
                open_ends.append(len(starts) - 1)
            start = end


# --- A list of words with a number each

cdef class Places:
    cdef bytearray text  # the words, one after another
    cdef array slots  # a hash table: offset in `text`, 8 bits of length, 16 of the number; or 0
    cdef readonly Py_ssize_t words  # the number of distinct words
    cdef Py_ssize_t longest  # bytes of a word, at most 255
    cdef Py_ssize_t highest  # of the numbers
    cdef Py_ssize_t mask

    def __init__(self, const unsigned char[::1] packed, const unsigned short[::1] numbers):
        cdef Py_ssize_t size = packed.shape[0], at = 0, start = 1, length = 0, word, slot
        cdef char* text
        # The first offset is 1, so that the entry of an empty word is not 0.
        self.text = bytearray(1 + unpacked_size(packed, numbers.shape[0]))
        text = PyByteArray_AS_STRING(self.text)
        self.words, self.longest, self.highest, self.mask = 0, 0, 0, 1023
        while self.mask < 2 * numbers.shape[0]:
            self.mask = 2 * self.mask + 1
        self.slots = clone(_LONGS, self.mask + 1, True)
        for word in range(numbers.shape[0]):
            # The word begins with the first bytes of the word before it.
            memcpy(text + start + length, text + start, packed[at])
            start, length, at = start + length, packed[at], at + 1
            while at < size and packed[at] >= 32:
                text[start + length] = <char>packed[at]
                length, at = length + 1, at + 1
            slot = self.slot_of(<Bytes>text + start, length)
            if not self.slots.data.as_longlongs[slot]:
                self.words += 1
            self.longest, self.highest = max(self.longest, length), max(self.highest, numbers[word])
            self.slots.data.as_longlongs[slot] = start << 24 | length << 16 | numbers[word]

    cdef Py_ssize_t slot_of(self, Bytes word, Py_ssize_t length) noexcept:
        """Return the slot of a word, or the empty slot where it would be."""
        cdef Bytes s = <Bytes>PyByteArray_AS_STRING(self.text)
        cdef unsigned int mixed = 2166136261U  # FNV-1a
        cdef long long held
        cdef Py_ssize_t i, slot
        for i in range(length):
            mixed = (mixed ^ word[i]) * 16777619U
        slot = (mixed ^ mixed >> 15) & self.mask
        while True:
            held = self.slots.data.as_longlongs[slot]
            if not held or (held >> 16 & 255) == length and not memcmp(s + (held >> 24), word, length):
                return slot
            slot = (slot + 1) & self.mask

    def get(self, str word, int otherwise) -> int:
        cdef Py_ssize_t size
        cdef list held = []
        cdef Bytes s = utf8_of(word, &size, held)
        cdef long long entry = self.slots.data.as_longlongs[self.slot_of(s, size)] if size < 256 else 0
        return entry & 0xFFFF if entry else otherwise


def count_listed(str text, Places listed) -> tuple:
    cdef list held = []
    cdef Py_ssize_t size, offset = 0, start, i, words = 0, matches = 0, distinct = 0
    cdef Bytes s = utf8_of(text, &size, held)
    cdef unsigned char[256] word
    cdef unsigned char[65536] seen
    cdef long long entry
    memset(seen, 0, listed.highest + 1)
    while offset < size:
        start = offset
        while offset < size and (IS_INK[s[offset]] or not white_at(s, offset, size)):
            offset += 1
        if offset == start:
            offset += white_at(s, offset, size)
            continue
        words += 1
        if offset - start > listed.longest:
            continue
        for i in range(offset - start):
            word[i] = lowered(s[start + i])
        entry = listed.slots.data.as_longlongs[listed.slot_of(word, offset - start)]
        if entry:
            matches += 1
            distinct += not seen[entry & 0xFFFF]
            seen[entry & 0xFFFF] = 1
    return words, matches, distinct


cdef Py_ssize_t unpacked_size(const unsigned char[::1] packed, Py_ssize_t words) except -1:
    """Return the number of bytes of all words of a packed list, or raise `ValueError`."""
    cdef Py_ssize_t at, length = 0, total = 0
    for at in range(packed.shape[0]):
        if packed[at] < 32:
            if packed[at] > length:
                raise ValueError("a word shares more bytes than the word before it has")
            length, words = packed[at], words - 1
            total += length
        else:
            length, total = length + 1, total + 1
        if length > 255:
            raise ValueError("a word has more than 255 bytes")
        if not at and packed[at] >= 32:
            raise ValueError("no word begins at the first byte")
    if words:
        raise ValueError("the list has more words, or fewer, than numbers")
    return total
