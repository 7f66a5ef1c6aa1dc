# cython: language_level=3, wraparound=False
"""The hot path from bytes to text, in C. `_core.pyi` says what each function takes and gives.

Pages come from anywhere, so: a byte or character is read only where the lines around it have
compared its place with the size; memory is of Python's objects and linear in the page; nothing
recurses. Behind the last byte of `bytes` stands a NUL, which may be read. Numbers in tables may be
any: what is looked up by them raises where nothing is, before the first, too.
"""

import os
from collections import Counter

from cpython.array cimport array, clone, resize_smart
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.math cimport NAN, log1p, rint, sqrt
from libc.string cimport memchr, memcmp, memcpy, memset

cdef extern from "Python.h":
    void* PyUnicode_DATA(object string)
    bint PyUnicode_IS_ASCII(object string)
    Py_UCS4 PyUnicode_READ_CHAR(object string, Py_ssize_t place)
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character)

cdef extern from *:
    """
    #if !defined(__GNUC__)
    #define __builtin_prefetch(address) ((void)(address))
    #endif
    """
    void prefetch "__builtin_prefetch" (const void* address)

ctypedef const unsigned char* Bytes


cdef inline object looked_up(object cache, object key):
    """What a `BoundedCache` has or makes."""
    cdef PyObject* known = PyDict_GetItem(cache, key)
    return <object>known if known is not NULL else cache[key]


# --- A source, before it is read

def has_controls(bytes content) -> bool:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(content)
    cdef Py_ssize_t i
    cdef unsigned char controls = 0
    for i in range(len(content)):
        controls |= (s[i] < 32) & (s[i] != 9) & (s[i] != 10) & (s[i] != 13)
    return controls != 0


def is_utf8(bytes content) -> bool:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(content)
    cdef Py_ssize_t size = len(content), place = 0, start
    cdef unsigned long long eight
    while place < size:
        start = place
        while place < size and s[place] >= 0x80:
            place += 1
        try:
            PyUnicode_DecodeUTF8(<const char*>s + start, place - start, NULL)
        except UnicodeDecodeError:
            return False
        while place < size and s[place] < 0x80:
            place += 1
            while place + 8 <= size:
                memcpy(&eight, s + place, 8)
                if eight & 0x8080808080808080ULL:
                    break
                place += 8
    return True


def values(bytes source, bytes quote, Py_ssize_t length) -> list:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), start = 0, end, late
    cdef unsigned char c = quote[0]
    cdef list stretches = []
    while start < size:
        late = start + length - LATE
        if start < late < size:  # nearly always one is there, so a page takes a few long steps
            end = found(s, min(size, late + LATE), c, late)
            if end < min(size, late + LATE):
                start = end + 1
                continue
        end = found(s, size, c, start)
        if (end - start >= length or end == size) and start > 1 and s[start - 2] == c"=":
            stretches.append((start, end))
        start = end + 1
    return stretches


# --- A source into its tags and texts

cdef enum:
    LATE = 128  # bytes
    # In quotes that are a tangle, a search for the end begins anew at each tag within. At most so
    # many bytes are read, which is half a second, and fifty times the largest page.
    MOST_READ = 200_000_000
    SLOTS = 512  # of a table of the tags of a page, where most are found without making an object
    MOST_REFERENCES = 10_000

cdef struct Slot:
    bint names
    Py_ssize_t start  # of the name in the source, and its size
    Py_ssize_t size
    Py_ssize_t number

cdef dict _SPACES = dict.fromkeys(map(ord, "\n\t\r\xa0"), " ")
cdef bytes _SPACE_BYTES = bytes.maketrans(b"\n\t\r", b"   ")
# References as written and what they mean, in UTF-8: of a source, and of a tree.
cdef dict _references = {}, _references_of_trees = {}


cdef inline bint is_space(unsigned char c) noexcept:
    return c == 32 or 9 <= c <= 13


# Tables by the byte: of a text, of what begins no white space, of a tag's name, and its attributes.
cdef unsigned char[256] IS_PLAIN, IS_INK, ENDS_NAME, ENDS_ATTRIBUTE


cdef int _c
for _c in range(256):
    IS_PLAIN[_c] = _c != 0xC2 and _c not in b"&\n\t\r"  # 0xC2: a char of C may be signed
    IS_INK[_c] = 32 < _c < 0xC2 or _c > 0xE3
    ENDS_NAME[_c] = is_space(<unsigned char>_c) or _c in b"<>/"
    ENDS_ATTRIBUTE[_c] = _c in b"<>="


cdef inline bint is_letter(unsigned char c) noexcept:
    return 97 <= (c | 32) <= 122


cdef inline bint is_digit(unsigned char c) noexcept:
    return 48 <= c <= 57


cdef inline bint is_word(unsigned char c) noexcept:
    return is_letter(c) or is_digit(c) or c == c"_"


cdef inline unsigned char small(unsigned char c) noexcept:
    return c | 32 if 65 <= c <= 90 else c


cdef inline Py_ssize_t found(Bytes s, Py_ssize_t size, unsigned char c, Py_ssize_t start) noexcept:
    """Where a byte comes first from `start` on; `size` if nowhere."""
    cdef Bytes place
    if start >= size:
        return size
    place = <Bytes>memchr(s + start, c, size - start)
    return size if place == NULL else place - s


cdef inline bint stands(
    Bytes s, Py_ssize_t size, Py_ssize_t place, Bytes name, Py_ssize_t length
) noexcept:
    """Whether a name in small letters stands at a place, in letters of any size."""
    cdef Py_ssize_t i
    if place + length > size:
        return False
    for i in range(length):
        if small(s[place + i]) != name[i]:
            return False
    return True


cdef inline Py_ssize_t code_name(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept:
    """The length of the name "script" or "style", if one of them stands at a place; else 0."""
    if stands(s, size, place, b"script", 6):
        return 6
    return 5 if stands(s, size, place, b"style", 5) else 0


cdef inline Py_ssize_t no_bracket(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept:
    """Where the first "<" or ">" stands from a place on; `size` if nowhere."""
    while place < size and s[place] != c"<" and s[place] != c">":
        place += 1
    return place


cdef Py_ssize_t behind_comment(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept:
    """The end of a comment from what stands behind its "<!--"."""
    if place < size and s[place] == c">":
        return place + 1
    if place + 1 < size and s[place] == c"-" and s[place + 1] == c">":
        return place + 2
    while True:
        place = found(s, size, c"-", place)
        if place + 2 >= size:
            return size
        if s[place + 1] == c"-":
            if s[place + 2] == c">":
                return place + 3
            if place + 3 < size and s[place + 2] == c"!" and s[place + 3] == c">":
                return place + 4
        place += 1


cdef Py_ssize_t behind_code(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept:
    """The end of a script or style from the end of its name; -1 if that begins none."""
    cdef Py_ssize_t end, length
    cdef unsigned char c = s[place] if place < size else 0
    if is_word(c):
        return -1
    place = no_bracket(s, size, place)
    if place >= size or s[place] != c">":
        return -1
    place += 1
    while True:
        place = found(s, size, c"<", place)
        if place + 1 >= size:
            return size
        if s[place + 1] == c"/":
            length = code_name(s, size, place + 2)
            if length:
                end = no_bracket(s, size, place + 2 + length)
                if end < size and s[end] == c">":
                    return end + 1
        place += 1


cdef Py_ssize_t end_of_tag(Bytes s, Py_ssize_t size, Py_ssize_t place, Py_ssize_t* read) noexcept:
    """Where the ">" of a tag stands, from the end of its name; -1 if it has none.

    What was read for it is added to `read`.
    """
    cdef Py_ssize_t start = place, end
    while True:
        while place < size and not ENDS_ATTRIBUTE[s[place]]:
            place += 1
        if place >= size or s[place] != c"=":
            read[0] += place - start
            return place if place < size and s[place] == c">" else -1
        place += 1  # behind "="
        while place < size and is_space(s[place]):
            place += 1
        if place < size and (s[place] == c'"' or s[place] == c"'"):
            end = found(s, size, s[place], place + 1)
            if end < size:
                place = end + 1
            else:  # it is no quote
                read[0] += size - place


cdef Py_ssize_t meaning(
    Bytes s, Py_ssize_t end, Py_ssize_t place, object resolve, dict known_references,
    unsigned char* out, Py_ssize_t room, Py_ssize_t* written,
) except -2:
    """Write what the reference at a place means; its end, or -1 where that is not seen here."""
    cdef Py_ssize_t start = place, last
    cdef PyObject* known
    cdef bytes reference, meant
    place += 1
    last = min(end, place + 32)
    if place < last and s[place] == c"#":
        place += 1
        last = min(end, place + 7)
    elif place >= last or is_space(s[place]) or s[place] in b"<&;":
        if not room:
            return -1
        out[0] = c"&"
        written[0] = 1
        return place
    while place < last and (is_letter(s[place]) or is_digit(s[place])):
        place += 1
    if place >= end or s[place] != c";":
        return -1
    place += 1
    reference = (<const char*>s)[start:place]
    known = PyDict_GetItem(known_references, reference)
    if known is not NULL:
        meant = <bytes>known
    else:
        meant = resolve(reference.decode()).translate(_SPACES).encode()
        if len(known_references) >= MOST_REFERENCES:
            known_references.clear()
        known_references[reference] = meant
    if len(meant) > room:
        return -1
    memcpy(out, PyBytes_AS_STRING(meant), len(meant))
    written[0] = len(meant)
    return place


cdef class Tape:
    """Texts in UTF-8, one behind the other, and the tags between them, by the numbers of names."""

    cdef readonly list names
    cdef bytearray written  # all texts
    cdef array tags, ends  # the name of each tag; where each text ends, the one before all first
    cdef Py_ssize_t filled, size  # bytes of text; tags

    def __init__(self, list pieces=[""]):
        cdef Py_ssize_t place
        cdef dict numbers = {}
        self.start(sum(map(len, pieces)), len(pieces) // 2)
        for place in range(len(pieces)):
            if place % 2:
                self.add_tag(numbers.setdefault(pieces[place], len(numbers)))
            else:
                self.write(pieces[place].encode())
        self.names = list(numbers)
        self.end_text()

    cdef int start(self, Py_ssize_t room, Py_ssize_t tags) except -1:
        self.written = bytearray()
        PyByteArray_Resize(self.written, room + 64)  # which fills it with nothing
        self.tags = clone(_INTS, tags + 1, False)
        self.ends = clone(_INTS, tags + 1, False)
        self.filled = self.size = 0
        return 0

    cdef inline unsigned char* out(self) noexcept:
        return <unsigned char*>PyByteArray_AS_STRING(self.written)

    cdef int reserve(self, Py_ssize_t room) except -1:
        if self.filled + room > len(self.written):
            PyByteArray_Resize(self.written, 2 * self.filled + room)
        return 0

    cdef int write(self, bytes text) except -1:
        self.reserve(len(text))
        memcpy(self.out() + self.filled, PyBytes_AS_STRING(text), len(text))
        self.filled += len(text)
        return 0

    cdef int end_text(self) except -1:
        if self.size >= len(self.ends):
            resize_smart(self.tags, 2 * self.size + 1)
            resize_smart(self.ends, 2 * self.size + 1)
        self.ends.data.as_ints[self.size] = <int>self.filled
        return 0

    cdef int add_tag(self, Py_ssize_t number) except -1:
        self.end_text()
        self.tags.data.as_ints[self.size] = <int>number  # there is room for as many as for ends
        self.size += 1
        return 0

    cdef inline int step(self, Py_ssize_t place, Py_ssize_t* start, Py_ssize_t* end) noexcept:
        """The number of a tag, and where the text behind it stands; behind the last -1 and none."""
        start[0] = self.ends.data.as_ints[place]
        end[0] = self.ends.data.as_ints[place + 1] if place < self.size else start[0]
        return self.tags.data.as_ints[place] if place < self.size else -1

    cdef inline Py_ssize_t text_start(self, Py_ssize_t place) noexcept:
        return self.ends.data.as_ints[place - 1] if place else 0

    cdef str text(self, Py_ssize_t place):
        """The text before a tag; behind the last that of `size`."""
        cdef Py_ssize_t start = self.text_start(place)
        cdef Py_ssize_t length = self.ends.data.as_ints[place] - start
        return PyUnicode_DecodeUTF8(<const char*>self.out() + start, length, NULL)

    def pieces(self) -> list:
        cdef list pieces = []
        cdef Py_ssize_t place
        for place in range(self.size):
            pieces += self.text(place), self.names[self.tags.data.as_ints[place]]
        return [*pieces, self.text(self.size)]

    def counts(self) -> object:
        cdef array counts = clone(_INTS, len(self.names) + 1, True)
        cdef Py_ssize_t place
        for place in range(self.size):
            counts.data.as_ints[self.tags.data.as_ints[place]] += 1
        return Counter({tag: number for tag, number in zip(self.names, counts) if number})

    def place_of(self, str tag) -> int:
        cdef Py_ssize_t place
        cdef int number = self.names.index(tag) if tag in self.names else -1
        for place in range(self.size):
            if self.tags.data.as_ints[place] == number:
                return place
        return -1

    def text_behind(self, Py_ssize_t place) -> str:
        self.tag(place)  # raises where none is
        return self.text(place + 1)

    def tag(self, Py_ssize_t place) -> str:
        if not 0 <= place < self.size:
            raise IndexError(f"a tape of {self.size} tags has no tag {place}")
        return self.names[self.tags.data.as_ints[place]]

    def __len__(self) -> int:
        return self.size

    def long_texts(self, Py_ssize_t least, Py_ssize_t enough, frozenset without) -> str:
        cdef list texts = [], wanted = [name not in without for name in self.names]
        cdef Py_ssize_t place, number, found = 0
        for place in range(1, self.size + 1):
            if (
                self.ends.data.as_ints[place] - self.ends.data.as_ints[place - 1] >= least
                and wanted[self.tags.data.as_ints[place - 1]]
            ):
                number = characters(
                    self.out(), self.ends.data.as_ints[place - 1], self.ends.data.as_ints[place]
                )
                if number >= least:
                    texts.append(self.text(place))
                    found += number
                    if found >= enough:
                        break
        return " ".join(texts)


cdef array _INTS = array("i"), _LONGS = array("q"), _SHORTS = array("h")


cdef int add_text(
    Tape tape, Bytes s, Py_ssize_t place, Py_ssize_t end, object resolve, bint is_of_tree
) except -1:
    """Add a text, with spaces in the place of other white space.

    `resolve` gives a text with its references resolved, or is None. In a tree, a return before a
    line feed is none.
    """
    cdef Py_ssize_t start = place, at = tape.filled, room, written = 0
    cdef unsigned char* out
    cdef unsigned char c
    cdef bytes whole
    cdef bint has_references = resolve is not None
    tape.reserve(end - place)
    out, room = tape.out(), len(tape.written)
    while place < end and at < room:
        c = s[place]
        if IS_PLAIN[c]:
            out[at] = c
            at += 1
            place += 1
        elif c == c"&" and has_references:
            place = meaning(
                s, end, place, resolve, _references_of_trees if is_of_tree else _references,
                out + at, room - at, &written,
            )
            if place < 0:
                break
            at += written
        elif c == 0xC2 and place + 1 < end and s[place + 1] == 0xA0:
            out[at] = c" "  # for a space that no line is broken at
            at += 1
            place += 2
        elif c == 13 and is_of_tree and place + 1 < end and s[place + 1] == 10:
            place += 1
        else:
            out[at] = c" " if c == c"\n" or c == c"\t" or c == c"\r" else c
            at += 1
            place += 1
    if place == end:
        tape.filled = at
        return 0
    # There was no room, or only the whole text tells what a reference means.
    whole = (<const char*>s)[start:end]
    if is_of_tree:
        whole = whole.replace(b"\r\n", b"\n")
    if has_references:
        whole = resolve(whole.decode()).translate(_SPACES).encode()
    return tape.write(whole)


cdef str names_in(Bytes s, Py_ssize_t place, Py_ssize_t end):
    """The values of class and id among the attributes of a tag."""
    cdef Py_ssize_t start = place, at, behind, length
    cdef unsigned char quote
    cdef str names = "", value
    while place < end:
        length = 0
        if (s[place] | 32 == c"c" or s[place] | 32 == c"i") and (
            place == start or is_space(s[place - 1])
        ):
            length = 5 if stands(s, end, place, b"class", 5) else 2 * stands(s, end, place, b"id", 2)
        at = place = place + length if length else place + 1
        if not length:
            continue
        while at < end and is_space(s[at]):
            at += 1
        if at >= end or s[at] != c"=":
            continue
        at += 1
        while at < end and is_space(s[at]):
            at += 1
        quote = s[at] if at < end else 0
        if quote == c'"' or quote == c"'":
            at += 1
            behind = found(s, end, quote, at)
            if behind == end:
                continue
        else:
            behind = at
            while behind < end and not (is_space(s[behind]) or s[behind] in b"\"'"):
                behind += 1
            if behind == at:
                continue
        place = behind
        value = PyUnicode_DecodeUTF8(<const char*>s + at, behind - at, NULL)
        names = names + " " + value if names else value
    return names


def cut(
    bytes source, object normal, object unescape, frozenset sections, object hints_of, tuple mended
) -> tuple | None:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source)
    cdef Tape tape = Tape.__new__(Tape)
    cdef Slot[SLOTS] slots
    cdef Slot* slot
    cdef dict numbers = {}, hints = {}
    cdef list roots = []
    cdef set opened = set()  # names of elements that are to be closed yet
    cdef char[256] firsts, seconds  # letters of the names, which few other tags begin with
    cdef array kinds = array("q")  # of each name
    cdef Py_ssize_t place, next_place, comment = -1, start = 0, end, behind, number, length, read = 0
    cdef unsigned int code
    cdef unsigned char c
    cdef bint is_comment
    cdef str tag, hint, attributes
    cdef bytes name
    tape.start(size, size // 32)
    tape.names = []
    memset(slots, 0, sizeof(slots))
    memset(firsts, 0, 256)
    memset(seconds, 0, 256)
    for name in mended:
        firsts[<unsigned char>name[0]] = seconds[<unsigned char>name[1]] = 1
    next_place = found(s, size, c"<", 0)
    while next_place < size and read <= MOST_READ:
        place = next_place
        next_place = found(s, size, c"<", place + 1)
        behind = place + 1 + (s[place + 1] == c"/")  # what stands there may be the last NUL
        if behind < size and firsts[small(s[behind])] and seconds[small(s[behind + 1])]:
            for name in mended:
                if stands(s, size, behind, name, len(name)):
                    if behind == place + 2:
                        opened.discard(name)
                    elif not is_word(s[behind + len(name)]):
                        opened.add(name)
        is_comment = s[place + 1] == c"!" and s[place + 2] == c"-" and s[place + 3] == c"-"
        comment = place if is_comment else comment
        if place < start:  # in a comment, script or tag
            continue
        c = s[place + 1]  # or the NUL behind the last
        behind = place + 1  # the name, if there is one
        end = -1  # behind the whole
        code = 0
        if is_letter(c) or (c == c"/" and is_letter(s[place + 2])):
            length = code_name(s, size, place + 1)
            if length:
                end = behind_code(s, size, place + 1 + length)
            if end < 0:
                behind = place + 2
                code = c * 31
                while behind < size and not ENDS_NAME[s[behind]]:
                    code = (code + s[behind]) * 31
                    behind += 1
                end = end_of_tag(s, size, behind, &read) + 1
        elif is_comment:
            end = behind_comment(s, size, place + 4)
        elif c == c"!" or c == c"?":
            end = no_bracket(s, size, place + 2)
            end = end + 1 if end < size and s[end] == c">" else -1
        if end <= 0:  # no tag
            continue

        length = behind - place - 1
        slot = &slots[(code ^ code >> 12) % SLOTS]
        if slot.names and slot.size == length and not memcmp(s + slot.start, s + place + 1, length):
            number = slot.number
        else:
            name = source[place + 1 : behind]
            tag = normal(name)
            if tag not in numbers:
                numbers[tag] = len(tape.names)
                tape.names.append(tag)
                kinds.append(1 if tag in sections else 2 if tag == "html" else 0)
            number = numbers[tag]
            slot.start, slot.size, slot.number, slot.names = place + 1, length, number, True
        if kinds.data.as_longlongs[number] and end - 1 > behind:  # `number` is one of the names
            if kinds.data.as_longlongs[number] == 2:
                roots.append(source[behind : end - 1].translate(_SPACE_BYTES))
            else:
                attributes = names_in(s, behind, end - 1)
                if attributes:
                    hint = looked_up(hints_of, attributes)
                    if hint:
                        hints[tape.size] = hint
        if place > start:
            add_text(tape, s, start, place, unescape, False)
        tape.add_tag(number)
        start = end
    if read > MOST_READ or not (
        comment < 0 or source.find(b"-->", comment) >= 0 or source.find(b"--!>", comment) >= 0
    ):
        return None
    for name in opened:
        if name in (b"script", b"style") or name.decode() in numbers:
            return None
    if size > start:
        add_text(tape, s, start, size, unescape, False)
    tape.end_text()
    return tape, hints, roots


# --- A source into the tags and texts of its tree

cdef enum:  # of an element, by the number of its name
    BIT = 0  # among the elements that the start of another may end
    ENDS = 1  # the bits of those that its start ends
    LEVEL = 2  # an end tag ends no element of a higher level
    CONTENT = 3
    ROLE = 4
    RULES = 5  # how many of these are given
    LAST = 5  # where it was opened last on the stack; -1 if it is not open
    OPENING = 6, CLOSING, EMPTY  # numbers of its tags on the tape; -1 if it is not there yet
    FIELDS = 9

    MARKUP = 0, NOTHING, SCRIPT = 4  # what an element holds
    RAW = 2, RAW_REFERENCES, PLAIN = 5  # text up to its end tag, with references, up to the end
    HTML = 1, HEAD, BODY, OF_HEAD, OF_FRAMES  # what an element is to the tree

    LEVELS = 8
    DEEPEST = 2048  # elements in each other
    LONGEST_NAME = 100  # bytes


cdef struct Open:
    Py_ssize_t name
    Py_ssize_t before  # the last open element of this name
    Py_ssize_t before_on_level


cdef inline bint is_blank_byte(unsigned char c) noexcept:
    return c == 32 or c == 9 or c == 10 or c == 12 or c == 13


cdef class Tree:
    """The stack of open elements, and the tape that they are written on."""

    cdef Tape tape
    cdef object rule_of
    cdef dict numbers  # of names
    cdef list names
    cdef array fields  # of all names, see above
    cdef Open[DEEPEST + 1] stack
    cdef Py_ssize_t[LEVELS] last_on_level
    cdef Py_ssize_t depth, opened  # on the tape: the size right behind the last opening tag
    cdef bint is_too_deep, had_head, had_body

    def __cinit__(self, Py_ssize_t size, object rule_of):
        cdef int level
        self.tape = Tape.__new__(Tape)
        self.tape.start(size, 1024)
        self.tape.names = []
        self.rule_of, self.numbers, self.names, self.fields = rule_of, {}, [], array("q")
        self.depth, self.opened = 0, -1
        for level in range(LEVELS):
            self.last_on_level[level] = -1

    cdef inline long long* field(self, Py_ssize_t name) noexcept:
        return self.fields.data.as_longlongs + name * FIELDS

    cdef Py_ssize_t number_of(self, str name) except -1:
        cdef object number = self.numbers.get(name)
        cdef tuple rule
        if number is None:
            rule = self.rule_of(name)
            number = self.numbers[name] = len(self.names)
            self.names.append(name)
            self.fields.extend(array("q", rule[:RULES] + (-1, -1, -1, -1)))
            if len(self.fields) != (number + 1) * FIELDS or not 0 <= rule[LEVEL] < LEVELS:
                raise ValueError(f"the rule of {name!r} is none: {rule}")
        return number

    cdef int add(self, Py_ssize_t name, int form) except -1:
        """Write a tag in one of its forms."""
        cdef Py_ssize_t number = self.field(name)[form]
        if number < 0:
            number = len(self.tape.names)
            self.tape.names.append(
                "/" + self.names[name] if form == CLOSING
                else self.names[name] + "/" if form == EMPTY else self.names[name]
            )
            self.field(name)[form] = number
        self.tape.add_tag(number)
        return 0

    cdef int open(self, Py_ssize_t name) except -1:
        cdef long long* field = self.field(name)
        cdef Open* top
        if self.depth >= DEEPEST:
            self.is_too_deep = True
            return 0
        top = &self.stack[self.depth]
        top.name, top.before = name, field[LAST]
        top.before_on_level = self.last_on_level[field[LEVEL]]
        field[LAST] = self.last_on_level[field[LEVEL]] = self.depth
        self.depth += 1
        self.had_head |= field[ROLE] == HEAD or field[ROLE] == BODY
        self.had_body |= field[ROLE] == BODY
        self.add(name, OPENING)
        self.opened = self.tape.size
        return 0

    cdef int close(self) except -1:
        """Close the last open element; there is one."""
        cdef Open* top = &self.stack[self.depth - 1]
        cdef long long* field = self.field(top.name)
        self.depth -= 1
        field[LAST] = top.before
        self.last_on_level[field[LEVEL]] = top.before_on_level
        if (
            self.opened == self.tape.size
            and self.tape.filled == self.tape.ends.data.as_ints[self.tape.size - 1]
        ):
            self.tape.size -= 1  # it holds nothing: its opening tag becomes an empty one
            self.add(top.name, EMPTY)
            self.opened = -1
        else:
            self.add(top.name, CLOSING)
        return 0

    cdef inline int role(self) noexcept:
        """What the last open element is to the tree; -1 if none is open."""
        return <int>self.field(self.stack[self.depth - 1].name)[ROLE] if self.depth else -1

    cdef int start(self, Py_ssize_t name) except -1:
        """Close what the start of an element closes, and open what it implies."""
        cdef long long ends = self.field(name)[ENDS]
        cdef int role = <int>self.field(name)[ROLE]
        while self.depth and self.field(self.stack[self.depth - 1].name)[BIT] & ends:
            self.close()
        if role == HTML:
            return 0
        if not self.depth:
            self.open(self.number_of("html"))
        if role == BODY or role == HEAD:
            return 0
        if role == OF_HEAD and self.depth <= 1:
            if not self.had_head:
                self.open(self.number_of("head"))
        elif role != OF_FRAMES:
            self.imply_body()
        return 0

    cdef int start_text(self) except -1:
        """Make room for text that is not blank."""
        return self.start(self.number_of("p")) if self.role() == HEAD else self.imply_body()

    cdef int imply_body(self) except -1:
        if not self.depth:
            self.open(self.number_of("html"))
        if not self.had_body and self.field(self.number_of("head"))[LAST] < 0:
            self.open(self.number_of("body"))
        return 0

    cdef int end(self, Py_ssize_t name) except -1:
        """Close an element and those in it, unless one of a higher level is among them."""
        cdef Py_ssize_t last = self.field(name)[LAST]
        cdef int level
        for level in range(<int>self.field(name)[LEVEL] + 1, LEVELS):
            if self.last_on_level[level] > last:
                return 0
        if last >= 0:
            while self.depth > last:
                self.close()
        return 0

    cdef int add_text(self, Bytes s, Py_ssize_t place, Py_ssize_t end, object resolve) except -1:
        """Add text to the last open element; what is not blank may open others first."""
        cdef Py_ssize_t behind = place
        cdef bytes resolved
        if self.role() <= HEAD and self.role() != 0:  # none, <html> or <head>
            while behind < end and is_blank_byte(s[behind]):
                behind += 1
            if behind < end and s[behind] == c"&":  # which may be a blank, too
                resolved = resolve((<const char*>s)[place:end].decode()).encode()
                s, place, end, resolve = <Bytes>PyBytes_AS_STRING(resolved), 0, len(resolved), None
            behind = place
            while behind < end and is_blank_byte(s[behind]):
                behind += 1
            if self.depth:
                add_text(self.tape, s, place, behind, None, True)
            place = behind
            if place < end:
                self.start_text()
        if place < end:
            add_text(self.tape, s, place, end, resolve, True)
        return 0


cdef Py_ssize_t behind_attributes(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept:
    """Where the ">" of a tag stands, or the "/" before it, from the end of its name; or `size`."""
    while True:
        while place < size and is_blank_byte(s[place]):
            place += 1
        if place >= size or s[place] == c">":
            return place
        if s[place] == c"/":
            if s[place + 1] == c">":  # or the NUL behind the last
                return place
            place += 1
            continue
        place += 1  # the first byte of a name may be any
        while place < size and not (
            is_blank_byte(s[place]) or s[place] == c"/" or s[place] == c">" or s[place] == c"="
        ):
            place += 1
        while place < size and is_blank_byte(s[place]):
            place += 1
        if place < size and s[place] == c"=":
            place += 1
            while place < size and is_blank_byte(s[place]):
                place += 1
            if place < size and (s[place] == c'"' or s[place] == c"'"):
                place = min(size, found(s, size, s[place], place + 1) + 1)
            else:
                while place < size and s[place] != c">" and not is_blank_byte(s[place]):
                    place += 1


cdef bint names_end(
    Bytes s, Py_ssize_t size, Py_ssize_t place, Bytes name, Py_ssize_t length
) noexcept:
    """Whether a name in small letters stands at a place, and then the name of a tag is at its end."""
    cdef unsigned char c = s[place + length] if place + length < size else 0
    return stands(s, size, place, name, length) and (c == c">" or c == c"/" or is_blank_byte(c))


cdef Py_ssize_t end_of_raw(
    Bytes s, Py_ssize_t size, Py_ssize_t place, bytes written, bint is_script
) noexcept:
    """Where the end tag of an element begins that holds raw text; `size` if nowhere.

    Of a script, what stands in a comment may hold scripts with end tags of their own.
    """
    cdef Bytes name = <Bytes>PyBytes_AS_STRING(written)
    cdef Py_ssize_t length = len(written)
    cdef int in_comment = 0  # 1 in a comment of a script, 2 in a script within
    while place < size:
        if s[place] == c"<":
            if is_script and not in_comment and s[place + 1] == c"!":
                if place + 3 < size and s[place + 2] == c"-" and s[place + 3] == c"-":
                    in_comment = 1
            elif s[place + 1] == c"/" and names_end(s, size, place + 2, name, length):
                if in_comment < 2:
                    return place
                in_comment = 1
            elif in_comment == 1 and names_end(s, size, place + 1, name, length):
                in_comment = 2
        elif (
            in_comment and s[place] == c"-" and place + 2 < size
            and s[place + 1] == c"-" and s[place + 2] == c">"
        ):
            in_comment = 0
        if in_comment:
            place += 1
        else:
            place = found(s, size, c"<", place + 1)
    return size


def read_tree(bytes source, object rule_of, object resolve) -> tuple | None:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), place = 0, start, end, behind, name, length, i
    cdef Slot[SLOTS] slots
    cdef Slot* slot
    cdef Tree tree = Tree(size, rule_of)
    cdef bytes attributes = b""
    cdef int content, role, ignored = 0
    cdef unsigned int code
    cdef unsigned char c
    cdef bint closes, is_kept
    memset(slots, 0, sizeof(slots))
    if size > 3 and s[0] == 0xEF and s[1] == 0xBB and s[2] == 0xBF:
        place = 3  # a mark of the order of bytes, which libxml2 takes for text if it stands alone
    while place < size and not tree.is_too_deep:
        if s[place] != c"<":
            end = found(s, size, c"<", place)
            tree.add_text(s, place, end, resolve)
            place = end
            continue
        c = s[place + 1]  # or the NUL behind the last
        closes = c == c"/"
        if c == c"!" and place + 3 < size and s[place + 2] == c"-" and s[place + 3] == c"-":
            place = behind_comment(s, size, place + 4)
            continue
        start = place + 1 + closes
        if c == c"!" or c == c"?" or (closes and start < size and not is_letter(s[start])):
            place = min(size, found(s, size, c">", place + 2) + 1)
            continue
        if not (start < size and is_letter(s[start])):
            end = min(size, place + 1 + closes)
            tree.start_text()
            add_text(tree.tape, s, place, end, None, True)
            place = end
            continue

        behind = start
        code = 0
        while behind < size and not (
            is_blank_byte(s[behind]) or s[behind] == c">" or s[behind] == c"/"
        ):
            code = code * 31 + s[behind]
            behind += 1
        length = behind - start
        slot = &slots[code % SLOTS]
        if slot.names and slot.size == length and not memcmp(s + slot.start, s + start, length):
            name = slot.number
        else:
            name = tree.number_of(
                source[start : min(behind, start + LONGEST_NAME)].lower().decode("utf-8", "ignore")
            )
            slot.start, slot.size, slot.number, slot.names = start, length, name, True
        end = behind_attributes(s, size, behind)
        place = min(size, end + 1 + (end < size and s[end] == c"/"))
        role = tree.field(name)[ROLE]
        if closes:
            if end >= size:
                break
            if HTML <= role <= BODY and ignored:
                ignored -= 1  # of an element that was not opened
            else:
                tree.end(name)
            continue
        tree.start(name)
        is_kept = end < size
        if (
            (role == HTML and tree.depth > 0)
            or (role == HEAD and tree.depth != 1)
            or (role == BODY and tree.field(name)[LAST] >= 0)
        ):
            is_kept = False
            ignored += 1
        if is_kept:
            if role == HTML and not tree.tape.size:
                attributes = source[behind:end]
            tree.open(name)
        if end >= size:
            break
        if s[end] == c"/":
            if tree.depth:
                tree.close()
            continue
        if not is_kept:
            continue
        content = <int>tree.field(name)[CONTENT]
        if content == NOTHING:
            tree.close()
        elif content != MARKUP:
            end = size
            if content != PLAIN:
                end = end_of_raw(s, size, place, tree.names[name].encode(), content == SCRIPT)
            add_text(tree.tape, s, place, end, resolve if content == RAW_REFERENCES else None, True)
            place = end
    if tree.is_too_deep:
        return None
    while tree.depth:
        tree.close()
    tree.tape.end_text()
    return tree.tape, attributes


# --- Tags and texts into blocks

# What a tag does, as in the modules of the extractors.
cdef enum:
    MAIN_SPACE = 1, MAIN_LINK, MAIN_END_LINK, MAIN_BREAK, MAIN_OPEN, MAIN_CLOSE, MAIN_SKIP = 8
    NAIVE_END = 0, NAIVE_SPACE = 2, NAIVE_LINK, NAIVE_DROP
    BOILERPIPE_SPACE = 1, BOILERPIPE_LINK, BOILERPIPE_CLOSE = 4, BOILERPIPE_END_IGNORED
    BOILERPIPE_OPEN = 6, BOILERPIPE_EMPTY, BOILERPIPE_SKIP, BOILERPIPE_IGNORE, BOILERPIPE_UNPARSED
    JUSTEXT_OPEN = 0, JUSTEXT_CLOSE, JUSTEXT_BREAK = 3, JUSTEXT_LINK, JUSTEXT_END_LINK
    JUSTEXT_INLINE = 6, JUSTEXT_UNWRAP = 8, JUSTEXT_KILL


cdef inline Py_ssize_t blank_at(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """How many bytes a white-space character beyond ASCII has at a place; 0 if none is there."""
    cdef unsigned char c = s[place], d, e
    if c == 0xC2:
        d = s[place + 1] if place + 1 < end else 0
        return 2 if d == 0x85 or d == 0xA0 else 0
    if c < 0xE1 or c > 0xE3 or place + 2 >= end:
        return 0
    d, e = s[place + 1], s[place + 2]
    if c == 0xE2 and d == 0x80:
        return 3 if e <= 0x8A or e == 0xA8 or e == 0xA9 or e == 0xAF else 0
    return 3 if (c << 16 | d << 8 | e) in (0xE19A80, 0xE2819F, 0xE38080) else 0


cdef bint is_blank_text(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """Whether a text is all white space."""
    cdef Py_ssize_t length
    while place < end:
        length = white_at(s, place, end)
        if not length:
            return False
        place += length
    return True


cdef inline Py_ssize_t characters(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """How many characters a text has."""
    cdef Py_ssize_t number = 0, i
    for i in range(place, end):
        number += (s[i] & 0xC0) != 0x80
    return number


cdef inline Py_ssize_t white_at(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """How many bytes a character has at a place that `str.isspace` calls white space; else 0."""
    cdef unsigned char c = s[place]
    if c < 0x80:
        return is_space(c) or 28 <= c <= 31
    return blank_at(s, place, end)


cdef class Text:
    """A text that is put together, in which each run of white space is one space.

    White space is a space and what is beyond ASCII or, with `of_all`, all that Python calls so.
    """

    cdef bytearray written
    cdef unsigned char* out
    cdef Py_ssize_t filled, room
    cdef bint of_all, is_indented  # whether white space before the text was left out

    def __cinit__(self, Py_ssize_t room, bint of_all=False):
        self.written, self.filled, self.room = bytearray(), 0, room
        PyByteArray_Resize(self.written, room + 1)
        self.out = <unsigned char*>PyByteArray_AS_STRING(self.written)
        self.of_all, self.is_indented = of_all, False

    cdef void add_space(self) noexcept:
        if not self.filled:
            self.is_indented = True
        elif self.filled < self.room and self.out[self.filled - 1] != 32:
            self.out[self.filled] = 32
            self.filled += 1

    cdef int add(self, Bytes s, Py_ssize_t place, Py_ssize_t end) except -1:
        cdef Py_ssize_t at = self.filled, length
        cdef unsigned char* out = self.out
        cdef unsigned char c
        cdef bint of_all = self.of_all
        if at + end - place > self.room:
            raise IndexError("more text than there was room for")
        while place < end:
            c = s[place]
            length = 0 if IS_INK[c] or (c < 32 and not of_all) else white_at(s, place, end)
            if not length:
                out[at] = c
                at += 1
                place += 1
                continue
            if not at:
                self.is_indented = True
            elif out[at - 1] != 32:
                out[at] = 32
                at += 1
            place += length
        self.filled = at
        return 0

    cdef int add_str(self, str text) except -1:
        cdef bytes more = text.encode()
        if self.filled + len(more) > self.room:
            self.room = 2 * (self.filled + len(more))
            PyByteArray_Resize(self.written, self.room + 1)
            self.out = <unsigned char*>PyByteArray_AS_STRING(self.written)
        return self.add(<Bytes>PyBytes_AS_STRING(more), 0, len(more))

    cdef bint ends_in_letters(self):
        """Whether the last three characters are letters."""
        cdef Py_ssize_t start = max(0, self.filled - 12)  # three have as many bytes, at most
        cdef str end = (<const char*>self.out)[start : self.filled].decode("utf-8", "ignore")
        end = end[max(0, len(end) - 3) :]
        return end.isalpha() and (len(end) == 3 or not self.is_indented)

    cdef str end(self):
        """The text, and nothing is left of it."""
        cdef Py_ssize_t size = self.filled
        cdef str text
        self.filled, self.is_indented = 0, False
        if size and self.out[size - 1] == 32:
            size -= 1
        if not size:
            return ""
        text = PyUnicode_DecodeUTF8(<const char*>self.out, size, NULL)
        if self.out[0] < 32 or self.out[size - 1] < 32:  # a form feed that was a reference
            return text.strip()
        return text


cdef array others_of(list names):
    """For the number of each tag that of its end tag, for an end tag that of its start; else -1."""
    cdef dict numbers = {name: number for number, name in enumerate(names)}
    return array("i", [numbers.get(("/" + name).removeprefix("//"), -1) for name in names])


cdef enum:  # of main; what `understandability.text.extract.main` says of each
    SHORTEST_PROSE = 75, MIN_PROSE = 200, MAX_BEFORE_COMMENTS = 900, MAX_HEADING = 150
    MAX_REPEATED = 2, MIN_SENTENCE = 40, CHARACTERS_A_BAR = 36
    MAX_RUN = 150  # characters without a space that a program's data may be, and no text is
    ITEM = 8, CELL = 16, PARAGRAPH = 32  # bits of an element beside its level as a heading, 0 to 6

cdef dict _MAX_SHARES = {"sidebar": 0.85, "cookies": 0.95}


cdef bint is_data(str text):
    """Whether a program's data or code stands where text should."""
    return any([len(run) > MAX_RUN and ("{" in run or '":' in run) for run in text.split()])


cdef class Layout:
    """A page as blocks in a tree of sections (0 is the root; parents come before children)."""

    cdef list texts, elements, reasons
    cdef array numbers  # of which these are parts, and the last has one for each section
    cdef int *section_of, *linked, *length, *bits, *prose, *parent_of
    cdef dict kinds  # what the names of a section tell
    cdef Py_ssize_t size, last_section
    cdef bint is_thread

    def __cinit__(self, Py_ssize_t tags):
        cdef Py_ssize_t room = tags + 1
        self.texts, self.elements, self.kinds, self.size = [], [], {}, 0
        self.numbers = clone(_INTS, 6 * room, False)
        self.section_of = self.numbers.data.as_ints
        self.linked, self.length = self.section_of + room, self.section_of + 2 * room
        self.bits, self.prose = self.section_of + 3 * room, self.section_of + 4 * room
        self.parent_of = self.section_of + 5 * room

    cdef int add(self, str text, str element, int bits, int section, int linked) except -1:
        self.texts.append(text)
        self.elements.append(element)
        if len(text) > MAX_RUN and ("{" in text or '":' in text) and is_data(text):
            linked = 2 * <int>len(text)  # dropped as if there were nothing but links
        self.section_of[self.size] = section
        self.linked[self.size] = linked
        self.length[self.size] = <int>len(text)
        self.bits[self.size] = bits
        self.size += 1
        return 0

    cdef inline double links(self, Py_ssize_t place) noexcept:
        """The share of a block's characters in links."""
        return <double>self.linked[place] / self.length[place]

    cdef inline int level(self, Py_ssize_t place) noexcept:
        """The level of a block as a heading; 0 if it is none."""
        return self.bits[place] & 7 if self.length[place] <= MAX_HEADING else 0

    cdef int find_prose(self) except -1:
        """The length of each block that is prose, 0 of others."""
        cdef Py_ssize_t place
        cdef long long total
        cdef int shortest
        cdef bint is_prose
        for shortest in (SHORTEST_PROSE, 25, 1):
            total = 0
            for place in range(self.size):
                is_prose = self.length[place] >= shortest and self.links(place) <= 0.35
                self.prose[place] = self.length[place] if is_prose else 0
                total += self.prose[place]
            if total >= MIN_PROSE:
                break
        return 0

    cdef array sums(self, bint is_left):
        """The prose in each section and those within it; with `is_left` of what has no reason."""
        cdef array found = clone(_LONGS, self.last_section + 1, True)
        cdef long long* sums = found.data.as_longlongs
        cdef Py_ssize_t place
        for place in range(self.size):
            if not (is_left and self.reasons[place]):
                sums[self.section_of[place]] += self.prose[place]
        for place in range(self.last_section, 0, -1):
            sums[self.parent_of[place]] += sums[place]
        return found

    cdef list inherited(self, dict kinds):
        """The kind of each section, or of the outermost one around it that has one; else ''."""
        cdef list inherited = [""] * (self.last_section + 1)
        cdef Py_ssize_t section
        cdef str kind
        for section, kind in kinds.items():
            inherited[section] = kind
        for section in range(1, self.last_section + 1):
            kind = inherited[self.parent_of[section]]
            if kind:
                inherited[section] = kind
        return inherited

    cdef int drop_named(self, object is_forum) except -1:
        """What the names of sections tell, as the first reasons."""
        cdef array sums = self.sums(False)
        cdef long long whole = sums.data.as_longlongs[0]
        cdef dict kinds = {}, lengths = {}
        cdef list dropped
        cdef Py_ssize_t place, section
        cdef double share
        cdef str kind
        cdef set wrong
        for section, kind in self.kinds.items():
            share = <double>sums.data.as_longlongs[section] / (whole or 1)
            if kind == "thread":
                self.is_thread |= share > 0.3
            elif share <= <double>_MAX_SHARES.get(kind, 0.3):
                kinds[section] = kind
        if not self.is_thread and "comments" in self.kinds.values():
            self.is_thread = is_forum()
        dropped = self.inherited(kinds)
        for place in range(self.size):
            if self.prose[place]:
                kind = dropped[self.section_of[place]]
                lengths[kind] = lengths.get(kind, 0) + self.prose[place]
        # Many small sections together may be most of the text, too.
        wrong = {
            kind for kind, length in lengths.items()
            if kind not in ("", "comments", "cookies", "sidebar") and 2 * length > whole
        }
        if self.is_thread or lengths.get("", 0) < min(
            MAX_BEFORE_COMMENTS, lengths.get("comments", 0)
        ):
            wrong.add("comments")
        if wrong:
            kinds = {section: kind for section, kind in kinds.items() if kind not in wrong}
            dropped = self.inherited(kinds)
        self.reasons = [dropped[self.section_of[place]] for place in range(self.size)]
        return 0

    cdef Py_ssize_t around(self, Py_ssize_t place) noexcept:
        """The smallest section that holds the block at a place and the next one."""
        cdef Py_ssize_t section = self.section_of[place]
        cdef Py_ssize_t other = self.section_of[min(place + 1, self.size - 1)]
        while section != other:
            if section > other:
                section = self.parent_of[section]
            else:
                other = self.parent_of[other]
        return section

    cdef int drop_endings(self, object closing, object is_ended) except -1:
        cdef Py_ssize_t place, section, newest = 0, around = 0, beside = -1, before = 0, least, i
        cdef int ended = 0, level
        cdef bint begun = False, is_beside
        cdef object group
        for place in range(self.size):
            section, level = self.section_of[place], self.level(place)
            if ended:
                least = around
                for i in range(newest + 1, section + 1):
                    least = min(least, self.parent_of[i])
                is_beside = self.parent_of[section] == beside and self.bits[place] == PARAGRAPH
                if min(section, least) < around or 0 < level <= ended or (
                    is_beside and self.prose[place]
                ):
                    ended = 0
            newest = max(newest, section)
            if self.reasons[place]:
                continue
            if level and begun and not ended:
                group = closing(self.texts[place])
                if group is not None and not (
                    (group and before < MIN_PROSE) or (group == "posts" and self.is_thread)
                ):
                    ended = level
                    around = self.around(place) if group != "posts" else 0
                    beside = self.parent_of[section] if group == "links" else -1
            if not begun and self.length[place] >= MIN_SENTENCE:
                begun = is_ended(self.texts[place])
            if ended:
                self.reasons[place] = "under a heading that ends the text"
            else:
                before += self.prose[place]
        return 0

    cdef int drop_outside(self) except -1:
        """Drop what stands outside the main section, and what is no text in it.

        The main section is the smallest that holds nearly all prose, but no single block. A
        question may be short beside its answers.
        """
        cdef array sums = self.sums(True)
        cdef double least = (1.0 if self.is_thread else 0.9) * sums.data.as_longlongs[0]
        cdef Py_ssize_t place, section, main = 0, parent, last
        cdef object times = Counter(self.texts)
        if sums.data.as_longlongs[0]:
            # Children come after their parents, and two that lie apart cannot hold so much.
            for section in range(1, self.last_section + 1):
                parent = self.parent_of[section]
                if parent > main and sums.data.as_longlongs[parent] >= least:
                    main = parent
        last = main  # of those in it, which come one behind the other
        while last < self.last_section and self.parent_of[last + 1] >= main:
            last += 1
        for place in range(self.size):
            if not self.reasons[place]:
                self.reasons[place] = (
                    self.no_text(place, times[self.texts[place]])
                    if main <= self.section_of[place] <= last
                    else "outside the main section"
                )
        return 0

    cdef str no_text(self, Py_ssize_t place, Py_ssize_t times):
        """Why a block is dropped that stands in the main section; '' if it is kept."""
        cdef str text = self.texts[place]
        cdef Py_ssize_t bars = 0
        cdef bint has_letter = False
        cdef Py_UCS4 c
        if self.links(place) > 0.5:
            return "mostly links" if self.links(place) <= 1 else "data of a program"
        for c in text:
            if c == 0xA9:
                return "copyright line"
            bars += c == c"|" or c == c">" or c == 0xBB or c == 0x203A or c == 0x2022 or c == 0xB7
            if not has_letter:
                has_letter = Py_UNICODE_ISALNUM(c) and not Py_UNICODE_ISDECIMAL(c)
        if not self.bits[place] & CELL:
            if times > MAX_REPEATED:
                return "stands on the page three times"
            if not has_letter:
                return "no words"
        if bars * CHARACTERS_A_BAR > len(text) + CHARACTERS_A_BAR:
            return "labels between bars"
        return ""

    cdef int drop_edge(self, list places, int left, object is_ended) except -1:
        """Drop short blocks before the first prose of these; elements of some bits are left."""
        cdef Py_ssize_t size = 0, place, beside
        cdef int* parent_of = self.parent_of
        cdef str text
        while size < len(places) and not self.prose[<Py_ssize_t>places[size]]:
            size += 1
        beside = places[size] if size < len(places) else -1
        for place in places[:size]:
            text = self.texts[place]
            if (
                not self.bits[place] & left
                and not (beside >= 0 and self.elements[place] == self.elements[beside]
                    and parent_of[self.section_of[place]] == parent_of[self.section_of[beside]])
                and not (" " in text and is_ended(text))
                and not self.reasons[place]
            ):
                self.reasons[place] = "short, before or after the text"
        return 0

    cdef int drop_bare_headings(self) except -1:
        """Drop headings that are followed by no text before the next heading of their level."""
        cdef Py_ssize_t place
        cdef int level, deepest = 0  # of what is kept behind; text is deeper than any heading
        for place in range(self.size - 1, -1, -1):
            level = self.level(place) or 7
            if not self.reasons[place]:
                if level < 7 and deepest <= level:
                    self.reasons[place] = "heading of nothing that is kept"
                else:
                    deepest = level
        return 0


def main_blocks(
    Tape tape, object rules, dict hints, object is_forum, object closing, object is_ended, str kept_as
) -> tuple:
    cdef Layout page = main_walk(tape, rules, hints)
    cdef list kept
    cdef Py_ssize_t place, length = 0
    page.find_prose()
    page.drop_named(is_forum)
    page.drop_endings(closing, is_ended)
    page.drop_outside()
    kept = [place for place in range(page.size) if not page.reasons[place]]
    page.drop_edge(kept, ITEM | 7, is_ended)
    page.drop_edge(kept[::-1], ITEM, is_ended)
    page.drop_bare_headings()
    kept = [False] * page.size
    for place in range(page.size):
        if not page.reasons[place]:
            kept[place], page.reasons[place] = True, kept_as
            length += page.length[place]
    return page.texts, page.elements, kept, page.reasons, length


cdef struct Rule:  # of a name, in whole numbers alone
    int action, other, bit, ends, element, are_open


cdef Layout main_walk(Tape tape, object rules, dict hints):
    cdef Layout page = Layout(tape.size + 1)
    cdef list names = tape.names if "body" in tape.names else [*tape.names, "body"]
    cdef list kind_of = [None] * len(names)
    cdef dict numbers = {name: number for number, name in enumerate(names)}
    cdef array rules_of_names = clone(_INTS, len(names) * (sizeof(Rule) // sizeof(int)), True)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef Rule* rule = <Rule*>rules_of_names.data.as_ints  # of each name
    cdef int* stack = open_elements.data.as_ints  # as deep as there are tags, at most
    cdef int* parent_of = page.parent_of  # as many as there are tags, and the root
    cdef Bytes s = tape.out()
    cdef Text block = Text(tape.filled + tape.size + 1)
    cdef Py_ssize_t place, start, end, section = 0, last_section = 0, linked = 0, top = 0, hinted
    cdef bint in_link = False, after_break = False
    cdef int action, tag, skipped = -1, ended, body = numbers["body"]
    cdef str text, end_tag
    cdef object kind, hint_places = iter(hints)
    for tag in range(len(names)):
        (
            rule[tag].action, end_tag, rule[tag].bit, rule[tag].ends, rule[tag].element, kind_of[tag]
        ) = looked_up(rules, names[tag])
        rule[tag].other = numbers.get(end_tag, -1)
        if rule[tag].action == MAIN_SKIP and rule[tag].other < 0:
            rule[tag].action = MAIN_SPACE
    hinted = next(hint_places, -1)
    stack[0], rule[body].are_open, parent_of[0] = body, 1, 0
    block.add(s, 0, tape.ends.data.as_ints[0])
    for place in range(tape.size + 1):
        tag = tape.step(place, &start, &end)
        action = rule[tag].action if tag >= 0 else MAIN_CLOSE
        while hinted >= 0 and hinted < place:
            hinted = next(hint_places, -1)
        if skipped >= 0:
            if tag != skipped:
                continue
            skipped = -1
            action = MAIN_SPACE
        if action < MAIN_BREAK or (action == MAIN_BREAK and not after_break):
            if action == MAIN_LINK:
                in_link = True
            elif action == MAIN_END_LINK:
                in_link = False
            elif action:
                block.add_space()
                after_break = action == MAIN_BREAK
            if end > start:
                block.add(s, start, end)
                if in_link:
                    linked += characters(s, start, end)
                if after_break and not is_blank_text(s, start, end):
                    after_break = False
            continue
        if action == MAIN_SKIP:
            skipped = rule[tag].other
            continue
        text = block.end()
        if text:
            ended = stack[top]
            page.add(text, names[ended], rule[ended].element, <int>section, <int>linked)
        linked = 0
        if end > start:
            block.add(s, start, end)
            if in_link:
                linked = characters(s, start, end)
        after_break = False
        if tag < 0:
            break
        if action == MAIN_OPEN:
            while rule[stack[top]].bit & rule[tag].ends:
                rule[stack[top]].are_open -= 1
                top -= 1  # the first is no paragraph or item
                section = parent_of[section]
            last_section += 1
            parent_of[last_section] = <int>section
            section = last_section
            top += 1
            stack[top] = tag
            rule[tag].are_open += 1
            kind = (hints[place] if hinted == place else None) or kind_of[tag]
            if kind:
                page.kinds[section] = kind
        elif action == MAIN_CLOSE:
            tag = rule[tag].other
            while section and tag >= 0 and rule[tag].are_open:
                section = parent_of[section]
                ended = stack[top]
                top -= 1
                rule[ended].are_open -= 1
                if ended == tag:
                    break
    page.last_section = last_section
    return page


def naive_walk(Tape tape, dict actions, object unparsed) -> tuple:
    cdef list fields = [], elements = [], names = tape.names
    cdef array action_of = array("i", [actions.get(name, 0) for name in names])
    cdef array other_of = others_of(names)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef int* stack = open_elements.data.as_ints  # of tags; the first is the body
    cdef Bytes s = tape.out()
    cdef Text field = Text(tape.filled + tape.size + 1, True)
    cdef Py_ssize_t place, start, end, top = 0
    cdef int action, tag, dropped = -1, last = -1
    cdef bint was_empty = True
    cdef str text, name
    field.add(s, 0, tape.ends.data.as_ints[0])
    for place in range(tape.size + 1):
        tag = tape.step(place, &start, &end)
        action = action_of.data.as_ints[tag] if tag >= 0 else NAIVE_END
        if dropped >= 0:
            if tag == dropped:
                dropped = -1
                field.add(s, start, end)
        elif action == NAIVE_END:
            text = field.end()
            if text:
                fields.append(text)
                elements.append(names[stack[top]] if top else "body")
            if tag < 0:
                break
            name = names[tag]
            if name == "noframes":
                field.add_str(unparsed(tape.text(place + 1)))
            else:
                field.add(s, start, end)
            if name[0] == "/":
                top -= top > 0
            elif not name.endswith("/"):
                top += 1
                stack[top] = tag
        elif action == NAIVE_DROP:
            dropped = other_of.data.as_ints[tag]
            if dropped < 0:  # its end is nowhere
                break
        else:
            if action == NAIVE_SPACE or (
                action == NAIVE_LINK
                and was_empty
                and last >= 0
                and last == other_of.data.as_ints[tag]
                and field.ends_in_letters()
                and tape.text(place + 1)[:3].isalpha()
            ):
                field.add_space()
            field.add(s, start, end)
        last, was_empty = tag, start == end
    return fields, elements


cdef inline Py_UCS4 character_at(Bytes s, Py_ssize_t size, Py_ssize_t* place) noexcept:
    """The character at a place, which moves behind it."""
    cdef unsigned int c = s[place[0]]
    cdef int more = 0 if c < 0x80 else 1 + (c >= 0xE0) + (c >= 0xF0)
    place[0] += 1
    if more:
        c = c & (0x1F >> (more - 1))
    while more and place[0] < size:
        c = (c << 6) | (s[place[0]] & 0x3F)
        place[0] += 1
        more -= 1
    return <Py_UCS4>c


cdef Py_ssize_t words_in(Bytes s, Py_ssize_t size, Bytes kinds) noexcept:
    """How many runs of letters and digits a text has; `kinds` as `count_words` has them."""
    cdef Py_ssize_t number = 0, place = 0
    cdef Py_UCS4 c
    cdef bint in_word = False, is_word
    while place < size:
        c = character_at(s, size, &place)
        if c < 0x80:
            if kinds[c] == 2:
                continue
            is_word = kinds[c] == 1
        else:
            is_word = Py_UNICODE_ISALNUM(c)
        number += is_word and not in_word
        in_word = is_word
    return number


def boilerpipe_walk(Tape tape, dict actions, object unparsed, str marks, int without) -> tuple:
    cdef list texts = [], words = [], linked_words = [], elements = [], names = tape.names
    cdef array action_of = array("i", [actions.get(name, 0) for name in names])
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef int* stack = open_elements.data.as_ints  # of tags; the first is the body
    cdef Bytes s = tape.out()
    cdef Text block = Text(tape.filled + tape.size + 1), linked = Text(block.room)
    cdef bytes kind_of = bytes([  # of ASCII: in words, as if not there, between them
        1 if chr(code).isalnum() else 2 if chr(code) in marks else 0 for code in range(128)
    ])
    cdef Bytes kinds = <Bytes>PyBytes_AS_STRING(kind_of)
    cdef Py_ssize_t place, start, end, top = 0, ignored = 0, number, number_linked
    cdef int action, tag
    cdef bint in_link = False
    cdef str text, content
    block.add(s, 0, tape.ends.data.as_ints[0])
    for place in range(tape.size + 1):
        tag = tape.step(place, &start, &end)
        action = action_of.data.as_ints[tag] if tag >= 0 else BOILERPIPE_CLOSE
        if place == without:
            end = start
        if ignored:
            ignored += (action == BOILERPIPE_IGNORE) - (action == BOILERPIPE_END_IGNORED)
            if ignored:
                continue
        if action < BOILERPIPE_CLOSE:
            if action:
                block.add_space()
                linked.add_space()
                if action != BOILERPIPE_SPACE:
                    in_link = action == BOILERPIPE_LINK
            block.add(s, start, end)
            if in_link:
                linked.add(s, start, end)
            continue
        number = words_in(block.out, block.filled, kinds)
        text = block.end()
        number_linked = words_in(linked.out, linked.filled, kinds)
        linked.filled = 0
        if text:
            texts.append(text)
            words.append(number)
            linked_words.append(number_linked)
            elements.append(names[stack[top]] if top else "body")
        if tag < 0:
            break
        if action < BOILERPIPE_OPEN:
            top -= top > 0
        elif action != BOILERPIPE_EMPTY:
            top += 1
            stack[top] = tag
            if action >= BOILERPIPE_SKIP:
                end = start
            ignored = action == BOILERPIPE_IGNORE
            if action == BOILERPIPE_UNPARSED:
                content = unparsed(tape.text(place + 1))
                block.add_str(content)
                if in_link:
                    linked.add_str(content)
        block.add(s, start, end)
        if in_link:
            linked.add(s, start, end)
    return texts, words, linked_words, elements


def justext_walk(
    Tape tape, dict actions, dict headings, dict selects, object paragraph,
    Py_ssize_t first, Py_ssize_t last,
) -> list:
    cdef list paragraphs = [], names = tape.names
    cdef array action_of = array("i", [actions.get(name, 0) for name in names])
    cdef array heading_of = array("i", [headings.get(name, 0) for name in names])
    cdef array select_of = array("i", [selects.get(name, 0) for name in names])
    cdef array other_of = others_of(names)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef int* stack = open_elements.data.as_ints  # of tags; the first is the body
    cdef Bytes s = tape.out()
    cdef Text block = Text(tape.filled + tape.size + 1, True), link = Text(block.room, True)
    cdef bytearray since = bytearray(tape.filled + 1)  # the text since a tag that counts
    cdef unsigned char* chunk = <unsigned char*>PyByteArray_AS_STRING(since)
    cdef Py_ssize_t place, start, end, size = 0, top = 0, linked = 0, killed_depth = 0
    cdef Py_ssize_t heading_depth = 0, select_depth = 0
    cdef int action, tag, killed = -1, end_of_link = names.index("/a") if "/a" in names else -2
    cdef bint in_link = False, after_break = False, in_heading = False, in_select = False
    cdef str text
    if not 0 <= first <= last <= tape.size:
        raise IndexError(f"a tape of {tape.size} tags has none from {first} to {last}")
    for place in range(first - 1, last + 1):
        if place < first:  # the text before all
            start, end = tape.text_start(first), tape.ends.data.as_ints[first]
            tag, action = -1, JUSTEXT_UNWRAP
        elif place < last:
            tag = tape.tags.data.as_ints[place]  # one of the names
            action = action_of.data.as_ints[tag]
            start, end = tape.ends.data.as_ints[place], tape.ends.data.as_ints[place + 1]
        else:  # ends all
            tag, action, start, end = -1, JUSTEXT_CLOSE, 0, 0
        if killed >= 0:
            killed_depth += (tag == killed) - (tag >= 0 and tag == other_of.data.as_ints[killed])
            if not killed_depth:
                killed = -1
                memcpy(chunk + size, s + start, end - start)
                size += end - start
            continue
        if action >= JUSTEXT_UNWRAP:
            if action == JUSTEXT_KILL:
                killed, killed_depth = tag, 1
            else:
                memcpy(chunk + size, s + start, end - start)
                size += end - start
            continue
        if size and not is_blank_text(chunk, 0, size):
            block.add(chunk, 0, size)
            if in_link:
                link.filled, link.is_indented = 0, False
                link.add(chunk, 0, size)
                linked += characters(link.out, 0, link.filled) + link.is_indented
            after_break = False
        memcpy(chunk, s + start, end - start)
        size = end - start
        if tag >= 0:
            heading_depth += heading_of.data.as_ints[tag]
            select_depth += select_of.data.as_ints[tag]
        if action >= JUSTEXT_LINK:
            if action == JUSTEXT_LINK:
                in_link, after_break = True, False
            elif action == JUSTEXT_END_LINK:
                in_link, after_break = False, after_break and tag == end_of_link
            elif action == JUSTEXT_INLINE:
                after_break = False
            continue
        if action == JUSTEXT_BREAK and not after_break:
            after_break = True
            block.add_space()
            continue
        if block.filled:
            text = block.end()
            if text:
                paragraphs.append(
                    paragraph(
                        text, names[stack[top]] if top else "body", linked, in_heading, in_select
                    )
                )
            linked = 0
        if action == JUSTEXT_OPEN:
            top += 1
            stack[top] = tag
        elif action == JUSTEXT_CLOSE:
            top -= top > 0
        in_heading, in_select = heading_depth > 0, select_depth > 0
    return paragraphs


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

cdef enum:  # how a piece ends, as in `text.sentences`
    NONE = 45, ALONE = 99, NUMBER = 35  # -, c, #


cdef bint is_plain(str text):
    """Whether `spaced` leaves a text as it is."""
    cdef Py_UCS4 c, before = 0
    for c in text:
        if c == c"-" and before == c"-" or c > 127 and c in "\u00ad\u200b\u2014\u2015\u2060\ufeff":
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


def cut_up(
    object ends_of, object starts_of, bytes may_end, dict before, object spaced,
    list texts, list are_open, Numbers table, array pieces, list starts, list open_ends,
) -> None:
    cdef list held = [], bounds = [], strings = table.strings
    cdef Py_ssize_t size, number = 0, first = len(pieces), start = 0, end, place, following
    cdef array memory = clone(_LONGS, 0, False)
    cdef bytearray ends
    cdef Span* span = NULL
    cdef int* ids
    cdef Bytes s, kinds = <Bytes>PyBytes_AS_STRING(may_end)
    cdef unsigned char last
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
        ends[place] = ord(looked_up(ends_of, strings[ids[place]])) if kinds[last] else NONE
    for end, is_open in zip(bounds, are_open):
        place = start
        if end > start:
            starts.append(first + start)
        while place < end - 1:
            if ends[place] == NONE:
                place += 1
                continue
            following = place + 1  # behind what stands alone and belongs to it
            while following < end and ends[following] == ALONE:
                following += 1
            if following == end:
                break
            counts_item = ends[place] == NUMBER and (
                first + place == starts[len(starts) - 1]
                or span[place - 1].start[span[place - 1].size - 1] in b":;,"
            )
            begins = looked_up(starts_of, strings[ids[following]])
            if not counts_item and begins in before.get(chr(ends[place]), "us"):
                starts.append(first + following)
            place = following
        if end > start and is_open:
            open_ends.append(len(starts) - 1)
        start = end


# --- Tags of tokens

def add_rows(
    const signed char[:, ::1] weights, const int[::1] rows, short[:, ::1] table
) -> None:
    cdef Py_ssize_t place, column, columns = weights.shape[1]
    cdef const signed char* own
    cdef short* sums
    if table.shape[1] != columns + 1 or not columns or rows.shape[0] != table.shape[0]:
        raise ValueError("the tables of the tagger do not fit together")
    for place in range(table.shape[0]):
        if rows[place] >= 0:
            own, sums = &weights[rows[place], 0], &table[place, 0]
            for column in range(columns):
                sums[column] += own[column]


cdef enum:  # of `understandability.feature.tagger.UNIVERSAL`; a loop of known length is fast
    TAGS = 17


cdef inline int best_of(const short* score) noexcept:
    """The first of the tags with the highest score, without a branch that nobody can guess."""
    cdef int best = -1 << 30, tag, own
    for tag in range(TAGS):
        own = score[tag] * 32 + 31 - tag
        best = own if own > best else best
    return 31 - (best & 31)


def best_tags(
    const short[:, ::1] rows, const long long[::1] ids, const long long[::1] starts,
    const short[::1] boundary, const signed char[:, ::1] before,
    const signed char[:, ::1] around, const signed char[:, ::1] after,
    const signed char[:, ::1] word_around, unsigned char[::1] tags,
) -> None:
    cdef Py_ssize_t size = ids.shape[0], place, sentence, start, end, at, offset, tag, word_class
    cdef Py_ssize_t side = TAGS + 1, columns
    cdef array first_pass = clone(_INTS, size + 4, False)
    cdef int* first = first_pass.data.as_ints
    cdef array memory = clone(_SHORTS, size * TAGS, False)
    cdef short *scores = memory.data.as_shorts, *score
    cdef const short *row, *each[5]
    cdef const signed char *by_left, *by_both, *by_right, *by_word
    cdef int far_left, left, right, far_right
    columns = 5 * TAGS
    if (
        rows.shape[1] != columns + 1 or boundary.shape[0] < columns or tags.shape[0] != size
        or before.shape[0] != side * side or after.shape[0] != side * side
        or around.shape[0] != side * side * side or word_around.shape[0] % (side * side)
        or before.shape[1] != TAGS or around.shape[1] != TAGS or after.shape[1] != TAGS
        or word_around.shape[1] != TAGS
    ):
        raise ValueError("the tables of the tagger do not fit together")
    for sentence in range(starts.shape[0]):
        start = starts[sentence]
        end = starts[sentence + 1] if sentence + 1 < starts.shape[0] else size
        if not 0 <= start <= end <= size:
            raise IndexError("sentences are out of order")
        for place in range(start, end):
            score = scores + place * TAGS
            if place + 6 < size:
                for offset in range(0, columns, 32):
                    prefetch(&rows[ids[place + 6], offset])
            for offset in range(5):
                at = place + offset - 2
                row = &rows[ids[at], 0] if start <= at < end else &boundary[0]
                each[offset] = row + offset * TAGS
            for tag in range(TAGS):  # sums of some twenty bytes at most
                score[tag] = each[0][tag] + each[1][tag] + each[2][tag] + each[3][tag] + each[4][tag]
            first[place] = best_of(score)
        for place in range(start, end):
            score = scores + place * TAGS
            far_left = first[place - 2] if place - 2 >= start else TAGS
            left = first[place - 1] if place - 1 >= start else TAGS
            right = first[place + 1] if place + 1 < end else TAGS
            far_right = first[place + 2] if place + 2 < end else TAGS
            by_left = &before[far_left * side + left, 0]
            by_both = &around[(left * side + first[place]) * side + right, 0]
            by_right = &after[right * side + far_right, 0]
            word_class = rows[ids[place], columns]
            by_word = &word_around[(word_class * side + left) * side + right, 0]
            for tag in range(TAGS):
                score[tag] += by_left[tag] + by_both[tag] + by_right[tag] + by_word[tag]
            tags[place] = <unsigned char>best_of(score)


# --- The letters of words

cdef inline bint is_nucleus(Bytes s, Py_ssize_t place) noexcept:
    """Whether a letter of a word, between `^` and `$`, may carry a syllable."""
    cdef unsigned char c = s[place], before = s[place - 1], after = s[place + 1]
    if c == c"m":
        return before in b"sh" and after not in b"aeiouy"
    if c == c"'":
        return before in b"sxzh" and after == c"s"
    if c == c"c":
        return before == c"m" and s[place - 2] == c"^" and after not in b"aeiouyhk"
    return c in b"aeiouy"


def nuclei(
    list words, const int[::1] firsts, const unsigned char[::1] letters, const int[::1] codes,
    const long long[::1] roots, const short[::1] weights,
) -> list:
    cdef Py_ssize_t nucleus, before, place, node, step, end
    cdef long long evidence
    cdef bytes marked
    cdef Bytes s
    cdef list heavy, found_in = []
    for word in words:
        marked = b"^" + word.encode() + b"$"
        s, heavy = <Bytes>PyBytes_AS_STRING(marked), []
        for nucleus in range(1, len(marked) - 1):
            if not is_nucleus(s, nucleus):
                continue
            evidence = 0
            for before in range(min(nucleus + 1, roots.shape[0])):
                node = roots[before]
                for place in range(nucleus - before, len(marked)):
                    step, end = firsts[node], firsts[node + 1]
                    if not 0 <= step <= end <= letters.shape[0]:
                        raise IndexError("a pattern goes on where no node is")
                    step = found(&letters[0], end, <unsigned char>codes[min(s[place], 128)], step)
                    if step == end:
                        break
                    node = step + 2
                    evidence += weights[node]
            if evidence > 0:
                heavy.append(nucleus)
        found_in.append(heavy)
    return found_in


def hash_runs(list words, unsigned int[::1] out) -> None:
    cdef Py_ssize_t at = 0, size, length, start, place
    cdef unsigned int hashed, power, knuth = 2654435761U  # his multiplier
    cdef Py_UCS4 c
    cdef str word
    for word in words:
        size = len(word)
        for length in range(3, 7 if size > 5 else 6):
            length = size if length == 6 else length  # a longer word is a run itself
            for start in range(size - length + 1):
                hashed, power = 0, 1
                for place in range(start, start + length):
                    c = PyUnicode_READ_CHAR(word, place)
                    hashed += (63 if 0xD800 <= c < 0xE000 else <unsigned int>c) * power
                    power *= knuth
                hashed = (hashed ^ hashed >> 16) * knuth
                out[at] = (hashed ^ hashed >> 13) * knuth
                at += 1


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


# --- Sums over words, and over what they are parts of

def sum_rows(
    const int[:, :] table, const int[::1] ids, const long long[::1] starts, double[:, ::1] out
) -> None:
    cdef Py_ssize_t width = table.shape[1], segment, place, column
    cdef const int* row
    cdef double* sums
    if (
        out.shape[0] != starts.shape[0] - 1 or out.shape[1] != width
        or (width > 1 and table.strides[1] != sizeof(int))
    ):
        raise ValueError("the rows and their sums do not fit together")
    for segment in range(out.shape[0] if width else 0):
        sums = &out[segment, 0]
        memset(sums, 0, width * sizeof(double))
        for place in range(starts[segment], starts[segment + 1]):
            if place + 8 < ids.shape[0]:
                prefetch(&table[ids[place + 8], 0])
            row = &table[ids[place], 0]
            for column in range(width):
                sums[column] += row[column]


# --- Sentences and passages, as `understandability.model.passages` reads them

cdef struct Token:  # as `passages.TOKEN` has it
    float zipf
    float complexity
    float difficulty  # what it adds where it stands
    float[4] logs
    float weight  # of the vector
    int vector  # -1 for none
    short frequent  # which of the frequent words; -1 for none
    unsigned char flags
    unsigned char[8] kinds  # which columns of tokens it counts in; 255 for none

cdef enum:
    HAS_LETTER = 1, CAPITALISED = 2, IN_CAPITALS = 4, IS_COUNTED = 8  # flags of a token
    TWELVE = 12, PUNCTUATION = 11  # tags
    # Of a sentence behind them: the sum of its pairs' scores, their number; whether it ends where
    # none can, whether it has an end; whether it is the first of its kind.
    PAIRS = 12, ENDING = 14, IS_FIRST = 16, SENTENCE = 17
    # Of a passage, in the order of `passages.passage_columns`.
    DIFFICULT = 0, CHARACTERS = 1, WORD_KINDS = 12, OF_TOKENS = 15, ZIPF_UNDER = 56, ZIPF_BELOW = 59
    LOGS = 62, TOWARDS = 66, COMPLEXITY = 69, OVER = 70, ABOVE = 72, BY_SENTENCE = 77, VECTOR = 81
    OF_TAGS = 181, QUANTILES = 194, NOT_NAMES = 204, NAMES = 207, RARE = 208, LENGTH = 211
    LONGER = 213, HARDEST = 218, DEVIATION = 219, PROSE = 220, SHORT = 221, RARE_VECTOR = 222
    ORDER = 322, BY_WORDS = 324, SHORTNESS = 325, COLUMNS = 326
    DIMENSIONS = 100, LEAST_WORDS = 5

cdef double[10] SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 0.95, 0.99]


def read_sentences(
    const unsigned char[:, ::1] types, const int[::1] ids, const long long[::1] bounds,
    const unsigned char[::1] tags, const long long[::1] firsts, const signed char[:, ::1] scores,
    int no_end, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t document, sentence, place, before, own, size
    cdef Py_ssize_t words = scores.shape[0] - TWELVE - 1
    cdef double* row
    cdef bytes held = bytes(ids)
    cdef set seen
    if (
        types.shape[1] != sizeof(Token) or words < 0 or scores.shape[1] != scores.shape[0]
        or out.shape[1] != SENTENCE
    ):
        raise ValueError("the tables of sentences do not fit together")
    for document in range(firsts.shape[0] - 1):
        seen = set()
        for sentence in range(firsts[document], firsts[document + 1]):
            row = &out[sentence, 0]
            memset(row, 0, SENTENCE * sizeof(double))
            before = -1
            for place in range(bounds[sentence], bounds[sentence + 1]):
                if place + 8 < ids.shape[0]:  # what is needed soon; memory takes as long as many tokens
                    prefetch(&types[ids[place + 8], 0])
                own = (<const Token*>&types[ids[place], 0]).frequent
                if tags[place] >= TWELVE:
                    raise IndexError("there is no such tag")
                row[tags[place]] += 1
                if own < 0:
                    if tags[place] == PUNCTUATION:
                        continue
                    own = words + tags[place]
                if before >= 0:
                    row[PAIRS] += scores[before, own]
                    row[PAIRS + 1] += 1
                before = own
            if before >= 0:
                row[ENDING] = scores[before, words + TWELVE] < no_end
                row[ENDING + 1] = 1
            size = len(seen)
            seen.add(held[bounds[sentence] * sizeof(int) : bounds[sentence + 1] * sizeof(int)])
            row[IS_FIRST] = len(seen) > size


cdef inline void add_vector(float* sums, const signed char* vector, float weight, float rarity) noexcept:
    """Add a vector to the sum over tokens, and to that over rare ones behind it."""
    cdef int i
    for i in range(DIMENSIONS):
        sums[i] += weight * vector[i]
    for i in range(DIMENSIONS if rarity else 0):
        sums[DIMENSIONS + i] += rarity * (weight * vector[i])


cdef inline void divide(double* row, int start, int end, double by) noexcept:
    cdef int i
    for i in range(start, end):
        row[i] /= by


cdef void sort(int* values, Py_ssize_t size) noexcept:
    """Batcher's merge exchange (Knuth 5.2.2 M), without a branch that nobody can guess."""
    cdef Py_ssize_t most = 1, part, half, start, step, at
    cdef int one, two, exchanged
    while 2 * most < size:
        most *= 2
    part = most
    while part:
        half, start, step = most, 0, part
        while True:
            while start < size - step:
                for at in range(start, min(start + part, size - step)):
                    one, two = values[at], values[at + step]
                    exchanged = (one ^ two) & -(two < one)
                    values[at], values[at + step] = one ^ exchanged, two ^ exchanged
                start += 2 * part
            if half == part:
                break
            start, step, half = part, half - part, half // 2
        part //= 2


cdef void add_token(double* row, const Token* token) noexcept:
    """Add what a token is in the columns of tokens."""
    cdef int i
    cdef double over = token.logs[1]
    for i in range(8):
        if token.kinds[i] != 255:
            row[OF_TOKENS + token.kinds[i]] += 1
    if token.flags & HAS_LETTER:
        for i in range(3):
            if token.zipf < 3 + i:
                row[ZIPF_UNDER + i] += 3 + i - token.zipf
                row[ZIPF_BELOW + i] += 1
    for i in range(4):
        row[LOGS + i] += token.logs[i]
    row[TOWARDS] += max(over, 0)
    row[TOWARDS + 1] += max(over - 1, 0)
    row[TOWARDS + 2] += max(token.logs[3], 0)
    row[COMPLEXITY] += token.complexity
    for i in range(2):
        over = token.complexity - (0.3 if i == 0 else 0.4)
        if over > 0:
            row[OVER + i] += over
            row[ABOVE + i] += 1


def read_passages(
    const unsigned char[:, ::1] types, const int[::1] ids, const long long[::1] bounds,
    const int[:, ::1] kinds, const int[::1] word_ids, const long long[::1] word_bounds,
    const unsigned char[::1] names, const double[:, ::1] sentences,
    const signed char[:, ::1] vectors, const float[::1] scale, const int[:, ::1] by_sentence,
    const long long[::1] numbers, const unsigned char[::1] prose,
    const long long[::1] begins, const long long[::1] ends, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t passage, place, sentence, at, size, rare, different, again
    cdef Py_ssize_t length, words, counted, with_letter, tokens, in_prose, met_first
    cdef array bits = clone(_INTS, 2 * ids.shape[0] + 1, False)  # numbers from 0 up ascend as theirs
    cdef array of_rare = clone(_INTS, ids.shape[0] + 1, False)
    cdef array times = clone(_INTS, types.shape[0] + 1, True)  # of each rare word in a passage
    cdef array met = clone(_INTS, types.shape[0] + 1, True)  # the last passage of each word, from 1
    cdef int *zipf = bits.data.as_ints, *complexity = zipf + ids.shape[0]  # of what is no name
    cdef double *row, before[16]
    cdef double weight, rarity, of_all_rarity, squares, pairs, ended, hardest, log
    cdef const int* kind
    cdef const Token* token
    cdef float quantile, sums[2 * DIMENSIONS]  # of vectors
    cdef int i, is_name
    if (
        types.shape[1] != sizeof(Token) or kinds.shape[1] != WORD_KINDS + 1
        or sentences.shape[1] != SENTENCE or vectors.shape[1] != DIMENSIONS
        or scale.shape[0] != DIMENSIONS or by_sentence.shape[0] > 16 or by_sentence.shape[1] != 2
        or out.shape[1] != COLUMNS
    ):
        raise ValueError("the tables of passages do not fit together")
    for passage in range(begins.shape[0]):
        row = &out[passage, 0]
        memset(row, 0, COLUMNS * sizeof(double))
        memset(sums, 0, sizeof(sums))
        size = rare = different = again = length = counted = with_letter = tokens = in_prose = 0
        weight = of_all_rarity = squares = pairs = ended = met_first = 0
        for place in range(begins[passage], ends[passage]):
            sentence = numbers[place]
            for i in range(<int>by_sentence.shape[0]):
                before[i] = out[passage, by_sentence[i, 0]]
            words = word_bounds[sentence + 1] - word_bounds[sentence]
            for at in range(word_bounds[sentence], word_bounds[sentence + 1]):
                if at + 8 < word_ids.shape[0]:
                    prefetch(&kinds[word_ids[at + 8], 0])
                kind = &kinds[word_ids[at], 0]
                for i in range(WORD_KINDS):
                    row[i] += kind[i]
                row[WORD_KINDS] += <double>kind[CHARACTERS] * kind[CHARACTERS]
                if names[at] and not kind[WORD_KINDS]:
                    row[DIFFICULT] -= kind[DIFFICULT]
            tokens += max(bounds[sentence + 1] - bounds[sentence], 0)
            if tokens > ids.shape[0]:
                raise IndexError("a passage has more tokens than there are")
            hardest = 0
            for at in range(bounds[sentence], bounds[sentence + 1]):
                if at + 8 < ids.shape[0]:  # what is needed soon; memory takes as long as ten tokens
                    prefetch(&types[ids[at + 8], 0])
                    token = <const Token*>&types[ids[at + 4], 0]
                    if token.vector >= 0:
                        prefetch(&vectors[token.vector, 0])
                        prefetch(&vectors[token.vector, 64])
                token = <const Token*>&types[ids[at], 0]
                add_token(row, token)
                counted += (token.flags & IS_COUNTED) > 0
                hardest = max(hardest, token.complexity)
                weight += token.weight
                rarity = 0
                if token.flags & HAS_LETTER:
                    with_letter += 1
                    if met.data.as_ints[ids[at]] != passage + 1:
                        met.data.as_ints[ids[at]] = <int>passage + 1
                        met_first += 1
                        row[BY_WORDS] += token.difficulty
                    is_name = token.flags & CAPITALISED and not token.flags & IN_CAPITALS
                    if not (is_name and at > bounds[sentence]):
                        memcpy(zipf + size, &token.zipf, sizeof(float))
                        memcpy(complexity + size, &token.complexity, sizeof(float))
                        size += 1
                        row[NOT_NAMES] += token.complexity
                        row[NOT_NAMES + 1] += max(token.complexity - 0.3, 0)
                        row[NOT_NAMES + 2] += token.vector < 0
                        if token.zipf < 4 and not token.flags & CAPITALISED:
                            of_rare.data.as_ints[rare] = ids[at]
                            times.data.as_ints[ids[at]] += 1
                            rare += 1
                        rarity = max(5 - token.zipf, 0)
                        of_all_rarity += rarity
                if token.vector >= 0:
                    add_vector(sums, &vectors[token.vector, 0], token.weight, rarity)
            for i in range(TWELVE):
                row[OF_TAGS + i] += sentences[sentence, i]
            row[ORDER] += sentences[sentence, PAIRS]
            pairs += sentences[sentence, PAIRS + 1]
            row[ORDER + 1] += sentences[sentence, ENDING]
            ended += sentences[sentence, ENDING + 1]
            length += words
            row[SHORT] += words < LEAST_WORDS
            if prose[place]:
                in_prose += 1
                for i in range(<int>by_sentence.shape[0]):
                    out[passage, by_sentence[i, 1]] += out[passage, by_sentence[i, 0]] - before[i]
                log = log1p(words)
                squares += log * log
                row[LENGTH] += words
                row[LENGTH + 1] += log
                for i in range(3):
                    if words > 10 * (i + 1):
                        row[LONGER + i] += words - 10 * (i + 1)
                        row[LONGER + 2 + i] += words if i else 0
                row[HARDEST] += hardest

        row[PROSE] = row[LENGTH] / max(length, 1)
        divide(row, 0, WORD_KINDS + 1, max(length, 1))
        divide(row, OF_TOKENS, BY_SENTENCE, max(counted, 1))
        divide(row, OF_TAGS, OF_TAGS + TWELVE, max(tokens, 1))
        divide(row, LENGTH, HARDEST + 1, in_prose or NAN)
        for i in range(<int>by_sentence.shape[0]):
            out[passage, by_sentence[i, 1]] /= in_prose or NAN
        for i in range(DIMENSIONS):
            row[VECTOR + i] = sums[i] * scale[i] / max(weight, 0.5)
            row[RARE_VECTOR + i] = sums[DIMENSIONS + i] * scale[i] / max(of_all_rarity, 1)
        sort(zipf, size)
        sort(complexity, size)
        for i in range(10):
            at = <Py_ssize_t>rint(max(size - 1, 0) * SHARES[i])
            memcpy(&quantile, (zipf if i < 5 else complexity) + at, sizeof(float))
            row[QUANTILES + i] = quantile if size else NAN
        divide(row, NOT_NAMES, NAMES, max(size, 1))
        row[NAMES] = 1 - size / <double>max(with_letter, 1)
        for at in range(rare):
            i = of_rare.data.as_ints[at]
            different += times.data.as_ints[i] > 0
            again += times.data.as_ints[i] if times.data.as_ints[i] > 1 else 0
            times.data.as_ints[i] = 0
        row[RARE] = different / <double>max(with_letter, 1)
        row[RARE + 1] = again / <double>max(with_letter, 1)
        row[RARE + 2] = (rare + 1) / <double>(different + 1)
        squares = squares / (in_prose or NAN) - row[LENGTH + 1] * row[LENGTH + 1]
        row[DEVIATION] = sqrt(squares) if squares > 0 else 0 * squares  # NaN stays NaN
        row[SHORT] /= max(ends[passage] - begins[passage], 1)
        row[ORDER] /= max(pairs, 1)
        row[ORDER + 1] /= max(ended, 1)
        row[BY_WORDS] /= max(met_first, 1)
        row[SHORTNESS] = max(1 - length / 60.0, 0)  # no text of so many words is short
