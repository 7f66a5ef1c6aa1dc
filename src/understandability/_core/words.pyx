# cython: language_level=3, wraparound=False
"""Distinct strings and their numbers, texts into pieces and sentences, lists of words."""

import os

from cpython.array cimport array, clone, resize_smart
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, memcpy

from understandability._core.utf8 cimport (
    Bytes, Py_UNICODE_ISALNUM, Py_UNICODE_ISDECIMAL, PyUnicode_DATA, PyUnicode_IS_ASCII, character_at, is_ink, is_letter,
    looked_up, prefetch, white_at,
)

cdef array _LONGS = array("q")
cdef unsigned char[256] IS_INK  # what `is_ink` says, in a table
cdef int _c
for _c in range(256):
    IS_INK[_c] = is_ink(<unsigned char>_c)

# --- Distinct strings

cdef enum:
    LONGEST = 64  # bytes of a string that is hashed here
    FACTORS = 19  # of a start, the size, the last four bytes and each four before

cdef struct Span:  # a string, or a part of one, in UTF-8
    Bytes start
    Py_ssize_t size
    unsigned int hash

cdef struct Numbered:  # a string of `Numbers`
    unsigned int hash, number  # the number from 1 on; 0 where there is no string
    Py_ssize_t start  # in `text`: its size and its bytes

# The upper half of a sum of products with secret numbers, of the size and each four bytes: any two
# strings have the same by a chance of 2**-32, so no page can foresee which do (Lemire & Kaser,
# "Strongly universal string hashing is fast"). Python hashes what is longer, by a secret too.
cdef bytes _SECRETS = os.urandom(8 * FACTORS)
cdef unsigned long long[FACTORS] SECRETS
memcpy(SECRETS, PyBytes_AS_STRING(_SECRETS), sizeof(SECRETS))


cdef inline int measure(Span* span, Bytes start, Py_ssize_t size) except -1:
    cdef unsigned long long hashed = SECRETS[0] + SECRETS[1] * size
    cdef unsigned int four = 0, i
    if size > LONGEST:
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


cdef Bytes in_utf8(str text, Py_ssize_t* size, list held) except NULL:
    """The bytes of a text, which are there as long as what is `held`."""
    cdef object written = text
    size[0] = len(text)  # which None has not
    if not PyUnicode_IS_ASCII(text):
        written = text.encode("utf-8", "surrogatepass")
        size[0] = len(written)
    held.append(written)
    return <Bytes>(PyUnicode_DATA(text) if written is text else PyBytes_AS_STRING(written))


cdef class Numbers:
    """An open table in which a string is two reads away."""
    cdef readonly list strings
    cdef readonly Py_ssize_t characters
    cdef bytearray text, slots
    cdef unsigned int mask

    def __cinit__(self):
        self.strings, self.text = [], bytearray()
        self.slots, self.mask = bytearray(1024 * sizeof(Numbered)), 1023

    cdef int number_spans(self, Span* span, Py_ssize_t size, int* out, bint adds_new) except -1:
        cdef Py_ssize_t place
        cdef unsigned int at
        cdef Bytes text, known
        cdef Numbered* slots
        for place in range(size):
            text = <Bytes>PyByteArray_AS_STRING(self.text)
            slots = <Numbered*>PyByteArray_AS_STRING(self.slots)
            if place + 8 < size:  # what is needed soon; memory takes as long as a few strings
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
            out[place] = self.add(span, slots + at) if is_new else <int>slots[at].number - 1
            span += 1
        return 0

    def number(self, list strings, int[::1] out, bint adds_new=True) -> None:
        cdef Py_ssize_t place, size, number = len(strings)
        cdef bytearray memory = bytearray(number * sizeof(Span))
        cdef Span* span = <Span*>PyByteArray_AS_STRING(memory)
        cdef list held = []
        cdef Bytes start
        if out.shape[0] != number:
            raise ValueError("there is not one place for each string")
        for place in range(number):
            start = in_utf8(strings[place], &size, held)
            measure(span + place, start, size)
        if number:
            self.number_spans(span, number, &out[0], adds_new)

    cdef int add(self, Span* span, Numbered* slot) except -1:
        """The number of a new string, which goes into this slot."""
        cdef Py_ssize_t start = len(self.text)
        cdef bytearray before = self.slots
        cdef unsigned int number = len(self.strings), at
        cdef str string = PyUnicode_DecodeUTF8(<const char*>span.start, span.size, "surrogatepass")
        self.text += (<char*>&span.size)[: sizeof(span.size)]
        self.text += (<char*>span.start)[: span.size]
        self.strings.append(string)
        self.characters += len(string)
        slot[0] = Numbered(span.hash, number + 1, start)
        if 2 * number > self.mask:  # twice as many slots
            self.slots, self.mask = bytearray(2 * len(before)), 2 * self.mask + 1
            slot = <Numbered*>PyByteArray_AS_STRING(self.slots)
            for old in (<Numbered*>PyByteArray_AS_STRING(before))[: self.mask // 2 + 1]:
                at = old.hash & self.mask
                while slot[at].number:
                    at = at + 1 & self.mask
                if old.number:
                    slot[at] = old
        return number


# --- Texts into pieces and sentences

include "layout.pxi"


cdef bint is_plain(str text):
    """Whether `spaced` leaves a text as it is."""
    cdef Py_UCS4 c, before = 0
    for c in text:
        if c == c"-" and before == c"-" or c == c"`":
            return False
        if c > 127 and (
            c in "\u00ad\u00b4\u02b9\u02bc\u200b\u200c\u200d\u200e\u200f\u2010\u2011\u2014\u2015"
            "\u201b\u2032\u2060\ufeff"
            or 0x300 <= c <= 0x36F or 0xFB00 <= c <= 0xFB06 or 0xFF07 <= c <= 0xFF5A
        ):
            return False
        before = c
    return True


def words_of_each(object texts) -> list:
    cdef list found = [], held = []
    cdef Py_ssize_t size, place, words
    cdef Bytes s
    for text in texts:
        s, words = in_utf8(text, &size, held), 1
        for place in range(size):
            words += s[place] == c" "
        found.append(words)
    return found


cdef Py_ssize_t pieces_of(Span* span, Bytes s, Py_ssize_t size) except -1:
    """Describe what stands between white space; how many pieces that are."""
    cdef Py_ssize_t number = 0, place = 0, start
    while True:
        start = place
        while place < size and (IS_INK[s[place]] or not white_at(s, place, size)):
            place += 1
        if place > start:
            measure(span + number, s + start, place - start)
            number += 1
        if place == size:
            return number
        place += white_at(s, place, size)


cdef str OPENING = "\"'“‘«(["


cdef inline bint is_digit(unsigned char c) noexcept:
    return 48 <= c <= 57


def cut_up(
    object ends_of, object starts_of, bytes may_end, dict before, object letter_words,
    object spaced, list texts, list are_open, Numbers table, array pieces, list starts, list open_ends,
) -> None:
    cdef list held = [], bounds = [], strings = table.strings
    cdef Py_ssize_t size, number = 0, first = len(pieces), start = 0, end, place, following
    cdef array memory = clone(_LONGS, 0, False)
    cdef bytearray ends
    cdef Span* span = NULL
    cdef int* ids
    cdef Bytes s, kinds = <Bytes>PyBytes_AS_STRING(may_end)
    cdef unsigned char last, kind
    cdef str previous
    if len(may_end) != 256 or pieces.itemsize != sizeof(int):
        raise ValueError("the array or the table is for other numbers")
    for text in texts:
        s = in_utf8(text if is_plain(text) else spaced(text), &size, held)
        resize_smart(memory, (number + size // 2 + 1) * sizeof(Span) // sizeof(long long))
        span = <Span*>memory.data.as_longlongs
        number += pieces_of(span + number, s, size)
        bounds.append(number)
    resize_smart(pieces, first + number)
    ids = pieces.data.as_ints + first
    table.number_spans(span, number, ids, True)
    ends = bytearray(number)
    for place in range(number):  # most ends are told by their last byte
        last = span[place].start[span[place].size - 1]
        ends[place] = ord(looked_up(ends_of, strings[ids[place]])) if kinds[last] else END_NONE
    for end, is_open in zip(bounds, are_open):
        place = start
        if end > start:
            starts.append(first + start)
        while place < end - 1:
            if ends[place] == END_NONE:
                place += 1
                continue
            following = place + 1  # behind what stands alone and belongs to it
            while following < end and ends[following] == END_ALONE:
                following += 1
            if following == end:
                break
            kind = ends[place]
            is_first = first + place == starts[len(starts) - 1]
            counts_item = is_first and (kind == END_NUMBER or kind == END_LETTER)
            if kind == END_NUMBER:
                counts_item |= (
                    place > 0 and span[place - 1].start[span[place - 1].size - 1] in b":;,"
                )
            elif kind == END_UNIT:
                kind = END_ABBREVIATED
                if place > start and is_digit(span[place - 1].start[0]):
                    kind = END_NUMBER  # "20 mg."
            elif kind == END_LETTER:
                kind = END_ABBREVIATED
                if place > start:
                    previous = strings[ids[place - 1]]
                    if previous.lower().lstrip(OPENING) in letter_words:
                        kind = END_NUMBER  # "vitamin C."
            begins = looked_up(starts_of, strings[ids[following]])
            if not counts_item and begins in before[chr(kind)]:
                starts.append(first + following)
            place = following
        if end > start and is_open:
            open_ends.append(len(starts) - 1)
        start = end
# --- A list of words with a number each

cdef class Places:
    cdef bytearray text  # the words, one after another
    cdef array slots  # a hash table: offset in `text`, 8 bits of length, 16 of the number; or 0
    cdef readonly Py_ssize_t words  # the number of distinct words
    cdef Py_ssize_t mask

    def __init__(self, const unsigned char[::1] packed, const unsigned short[::1] numbers):
        cdef Py_ssize_t size = packed.shape[0], at = 0, start = 1, length = 0, word, slot
        cdef char* text
        # The first offset is 1, so that the entry of an empty word is not 0.
        self.text = bytearray(1 + unpacked_size(packed, numbers.shape[0]))
        text = PyByteArray_AS_STRING(self.text)
        self.words, self.mask = 0, 1023
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
            self.slots.data.as_longlongs[slot] = start << 24 | length << 16 | numbers[word]

    cdef Py_ssize_t slot_of(self, Bytes word, Py_ssize_t length) noexcept:
        """The slot of a word, or the empty one where it would be."""
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
        cdef Bytes s = in_utf8(word, &size, held)
        cdef long long found = self.slots.data.as_longlongs[self.slot_of(s, size)] if size < 256 else 0
        return found & 0xFFFF if found else otherwise


def count_known(str text, Places known) -> tuple:
    cdef list met = [], written = []
    cdef Py_ssize_t size, place = 0, start, end, words = 0
    cdef Bytes s = in_utf8(text, &size, written)
    cdef Py_UCS4 c
    cdef long long held
    while place < size:
        start = end = place
        while place < size:
            c = character_at(s, size, &place)
            if not (
                is_letter(<unsigned char>c) if c < 0x80
                else Py_UNICODE_ISALNUM(c) and not Py_UNICODE_ISDECIMAL(c)
            ):
                break
            end = place
        if end > start:
            words += 1
            if end - start <= 255:
                held = known.slots.data.as_longlongs[known.slot_of(s + start, end - start)]
                if held:
                    met.append(held & 0xFFFF)
    return words, met


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
