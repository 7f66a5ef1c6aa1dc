# cython: language_level=3
"""The hot path from bytes to text, in C. `_core.pyi` says what each function takes and gives.

Pages come from anywhere, so: a byte or character is read only where the lines around it have
compared its place with the size; memory is of Python's objects and linear in the page; nothing
recurses. Behind the last byte of `bytes` stands a NUL, which may be read.
"""

from collections import Counter

from cpython.array cimport array, clone
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memchr, memcmp, memcpy, memset

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t index)
    void PyUnicode_WRITE(int kind, void* data, Py_ssize_t index, Py_UCS4 value)
    bint Py_UNICODE_ISALNUM(Py_UCS4 character)
    bint Py_UNICODE_ISSPACE(Py_UCS4 character)

ctypedef const unsigned char* Bytes


# --- A source, before it is read

def has_controls(bytes content) -> bool:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(content)
    cdef Py_ssize_t i
    cdef int number = 0
    for i in range(len(content)):
        number |= (s[i] < 32) & (s[i] != 9) & (s[i] != 10) & (s[i] != 13)
    return number != 0


def gaps(bytes source, bytes byte, Py_ssize_t start, Py_ssize_t length) -> list:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), place, end
    cdef unsigned char wanted = byte[0]
    cdef list gaps = []
    while start < size:
        place = min(start + length, size)
        while place > start and s[place - 1] != wanted:
            place -= 1
        if place > start:  # behind the last
            start = place
            continue
        end = found(s, size, wanted, start + length)
        gaps.append((start, end))
        start = end + 1
    return gaps


def swallowing(bytes source) -> int:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), place = 0, number = 0, end
    cdef unsigned char quote
    while True:
        place = found(s, size, c"=", place) + 1
        if place >= size:
            return number
        end = place
        while end < size and is_space(s[end]):
            end += 1
        quote = s[end]  # or the NUL behind the last
        if quote == c'"' or quote == c"'":
            end += 1
            while end < size and s[end] != quote and s[end] != c"<":
                end += 1
            if end < size and s[end] == c"<":
                number += 1
                place = end + 1


# --- A source into its tags and texts

cdef enum:
    SLOTS = 512  # of a table of the tags of a page, where most are found without making an object
    MOST_REFERENCES = 10_000

cdef struct Slot:
    bint names
    Py_ssize_t start  # of the name in the source, and its size
    Py_ssize_t size
    Py_ssize_t number

cdef dict _SPACES = dict.fromkeys(map(ord, "\n\t\r\xa0"), " ")
cdef bytes _SPACE_BYTES = bytes.maketrans(b"\n\t\r", b"   ")
cdef dict _references = {}  # as written, and what they mean, in UTF-8


cdef inline bint is_space(unsigned char c) noexcept:
    return c == 32 or 9 <= c <= 13


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
    if place < size and small(s[place]) == c"s":
        if stands(s, size, place, b"script", 6):
            return 6
        if stands(s, size, place, b"style", 5):
            return 5
    return 0


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


cdef Py_ssize_t end_of_tag(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept:
    """Where the ">" of a tag stands, from the end of its name; -1 if it has none."""
    cdef Py_ssize_t end
    cdef unsigned char c
    while place < size:
        c = s[place]
        if c == c">":
            return place
        if c == c"<":
            return -1
        place += 1
        if c == c"=":
            while place < size and is_space(s[place]):
                place += 1
            if place < size and (s[place] == c'"' or s[place] == c"'"):
                end = found(s, size, s[place], place + 1)
                if end < size:  # else it is no quote
                    place = end + 1
    return -1


cdef Py_ssize_t meaning(
    Bytes s, Py_ssize_t end, Py_ssize_t place, object unescape,
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
    known = PyDict_GetItem(_references, reference)
    if known is not NULL:
        meant = <bytes>known
    else:
        meant = unescape(reference.decode()).translate(_SPACES).encode()
        if len(_references) >= MOST_REFERENCES:
            _references.clear()
        _references[reference] = meant
    if len(meant) > room:
        return -1
    memcpy(out, PyBytes_AS_STRING(meant), len(meant))
    written[0] = len(meant)
    return place


cdef bint is_open(Bytes s, Py_ssize_t size, tuple names, list opened):
    """Put those names into `opened` of which the last element is never closed."""
    cdef Py_ssize_t place = -1, number, at
    cdef bytes name
    cdef char begins[256]
    cdef list states = [False] * len(names)
    memset(begins, 0, 256)
    for name in names:
        begins[<unsigned char>name[0]] = 1
    while True:
        place = found(s, size, c"<", place + 1)
        if place >= size:
            break
        at = place + 1 + (s[place + 1] == c"/")  # what stands there may be the NUL behind the last
        if at >= size or not begins[small(s[at])]:
            continue
        for number, name in enumerate(names):
            if stands(s, size, at, name, len(name)):
                if at == place + 2:
                    states[number] = False
                elif not is_word(s[at + len(name)]):
                    states[number] = True
    for number, name in enumerate(names):
        if states[number]:
            opened.append(name.decode())
    return bool(opened)


cdef class Tape:
    """Texts in UTF-8, one behind the other, and the tags between them, by the numbers of names."""

    cdef readonly list names
    cdef bytearray written  # all texts
    cdef array tags, ends  # the name of each tag; where each text ends, the one before all first
    cdef Py_ssize_t filled, size  # bytes of text; tags

    def __init__(self, list pieces=[""]):
        cdef Py_ssize_t place
        cdef dict numbers = {}
        cdef bytes text
        self.start(sum(map(len, pieces)), len(pieces) // 2)
        self.names = []
        for place in range(len(pieces)):
            if place % 2:
                if pieces[place] not in numbers:
                    numbers[pieces[place]] = len(self.names)
                    self.names.append(pieces[place])
                self.add_tag(numbers[pieces[place]])
            else:
                text = pieces[place].encode()
                self.reserve(len(text))
                memcpy(self.out() + self.filled, PyBytes_AS_STRING(text), len(text))
                self.filled += len(text)
        self.end_text()

    cdef int start(self, Py_ssize_t room, Py_ssize_t tags) except -1:
        self.written = bytearray(room + room // 4 + 64)
        self.tags = clone(_INTS, tags, False)
        self.ends = clone(_INTS, tags + 1, False)
        self.filled = self.size = 0
        return 0

    cdef inline unsigned char* out(self) noexcept:
        return <unsigned char*>PyByteArray_AS_STRING(self.written)

    cdef int reserve(self, Py_ssize_t room) except -1:
        if self.filled + room > len(self.written):
            PyByteArray_Resize(self.written, 2 * self.filled + room)
        return 0

    cdef inline int end_text(self) except -1:
        if self.size >= len(self.ends):
            raise IndexError("more tags than there was room for")
        self.ends.data.as_ints[self.size] = <int>self.filled
        return 0

    cdef inline int add_tag(self, Py_ssize_t number) except -1:
        self.end_text()
        if self.size >= len(self.tags):
            raise IndexError("more tags than there was room for")
        self.tags.data.as_ints[self.size] = <int>number
        self.size += 1
        return 0

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
            pieces.append(self.text(place))
            pieces.append(self.names[self.tags.data.as_ints[place]])
        pieces.append(self.text(self.size))
        return pieces

    def counts(self) -> object:
        cdef array counts = clone(_INTS, len(self.names), True)
        cdef Py_ssize_t place
        counted = Counter()
        for place in range(self.size):
            counts.data.as_ints[self.tags.data.as_ints[place]] += 1
        for place, tag in enumerate(self.names):
            counted[tag] += counts.data.as_ints[place]
        return counted

    def place_of(self, str tag) -> int:
        cdef Py_ssize_t place
        cdef int number
        cdef list numbers = [number for number, name in enumerate(self.names) if name == tag]
        if numbers:
            for place in range(self.size):
                if self.tags.data.as_ints[place] in numbers:
                    return place
        return -1

    def text_behind(self, Py_ssize_t place) -> str:
        if not 0 <= place < self.size:
            raise IndexError(f"a tape of {self.size} tags has no tag {place}")
        return self.text(place + 1)

    def long_texts(self, Py_ssize_t least, frozenset without) -> list:
        cdef list texts = [], wanted = [name not in without for name in self.names]
        cdef Py_ssize_t place
        cdef str text
        for place in range(1, self.size + 1):
            if (
                self.ends.data.as_ints[place] - self.ends.data.as_ints[place - 1] >= least
                and wanted[self.tags.data.as_ints[place - 1]]
            ):
                text = self.text(place)
                if len(text) >= least:
                    texts.append(text)
        return texts


cdef array _INTS = array("i")


cdef int add_text(
    Tape tape, Bytes s, Py_ssize_t place, Py_ssize_t end, object unescape
) except -1:
    """A text with references resolved, and spaces in the place of other white space."""
    cdef Py_ssize_t start = place, at = tape.filled, room, written = 0
    cdef unsigned char* out
    cdef unsigned char c
    cdef bytes whole
    tape.reserve(end - place)
    out, room = tape.out(), len(tape.written)
    while place < end and at < room:
        c = s[place]
        if c == c"&":
            place = meaning(s, end, place, unescape, out + at, room - at, &written)
            if place < 0:
                break
            at += written
        elif c == 0xC2 and place + 1 < end and s[place + 1] == 0xA0:
            out[at] = c" "  # for a space that no line is broken at
            at += 1
            place += 2
        else:
            out[at] = c" " if c == c"\n" or c == c"\t" or c == c"\r" else c
            at += 1
            place += 1
    if place == end:
        tape.filled = at
        return 0
    # There was no room, or only the whole text tells what a reference means.
    whole = unescape((<const char*>s)[start:end].decode()).translate(_SPACES).encode()
    tape.reserve(len(whole))
    memcpy(tape.out() + tape.filled, PyBytes_AS_STRING(whole), len(whole))
    tape.filled += len(whole)
    return 0


def cut(
    bytes source, object normal, object unescape, frozenset sections, object hint_of, tuple mended
) -> tuple | None:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source)
    cdef Tape tape = Tape.__new__(Tape)
    cdef Slot[SLOTS] slots
    cdef Slot* slot
    cdef dict numbers = {}, hints = {}
    cdef list roots = [], opened = []
    cdef array kinds = array("q")  # of each name
    cdef Py_ssize_t place = 0, start = 0, end, behind, number, length, i
    cdef unsigned int code
    cdef unsigned char c
    cdef str tag, hint
    cdef bytes written, name
    if is_open(s, size, mended, opened) and ("script" in opened or "style" in opened):
        return None
    tape.start(size, source.count(b"<"))
    tape.names = []
    memset(slots, 0, sizeof(slots))
    while True:
        place = found(s, size, c"<", place)
        if place >= size:
            break
        c = s[place + 1]  # or the NUL behind the last
        behind = place + 1  # the name, if there is one
        end = -1  # behind the whole
        if is_letter(c) or (c == c"/" and is_letter(s[place + 2])):
            length = code_name(s, size, place + 1)
            if length:
                end = behind_code(s, size, place + 1 + length)
            if end < 0:
                behind = place + 2
                while behind < size and not (
                    is_space(s[behind]) or s[behind] == c"<" or s[behind] == c">"
                    or s[behind] == c"/"
                ):
                    behind += 1
                end = end_of_tag(s, size, behind) + 1
        elif c == c"!" and s[place + 2] == c"-" and s[place + 3] == c"-":
            end = behind_comment(s, size, place + 4)
        elif c == c"!" or c == c"?":
            end = no_bracket(s, size, place + 2)
            end = end + 1 if end < size and s[end] == c">" else -1
        if end <= 0:  # no tag
            place += 1
            continue

        length = behind - place - 1
        code = 0
        for i in range(place + 1, behind):
            code = code * 31 + s[i]
        slot = &slots[code % SLOTS]
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
            written = source[behind : end - 1]
            if b"\n" in written or b"\t" in written or b"\r" in written:
                written = written.translate(_SPACE_BYTES)
            if kinds.data.as_longlongs[number] == 2:
                roots.append(written)
            else:
                hint = hint_of(written)
                if hint:
                    hints[tape.size] = hint
        if place > start:
            add_text(tape, s, start, place, unescape)
        tape.add_tag(number)
        place = start = end
    if size > start:
        add_text(tape, s, start, size, unescape)
    tape.end_text()
    for tag in opened:
        if tag in numbers:
            return None
    return tape, hints, roots


# --- Tags and texts into blocks

cdef inline bint is_blank(Py_UCS4 c) noexcept:
    """Whether a character is made a space: of ASCII, only the space itself still is one."""
    return c == 32 or (c > 127 and Py_UNICODE_ISSPACE(c))


cdef str collapsed(list parts, bint of_all=False):
    """Texts as one, in which each run of white space is one space, and none at the ends.

    White space is what `is_blank` says or, with `of_all`, what `str.split` takes for it.
    """
    cdef Py_ssize_t size = 0, at = 0, i
    cdef Py_UCS4 c
    cdef unsigned int largest = 0
    cdef bint after_space = True
    cdef int kind, kind_of_whole
    cdef void* data
    cdef void* whole_data
    cdef str part, whole
    if len(parts) == 1:
        part = parts[0]
        if part.isascii() and "  " not in part and not of_all:
            return part.strip()
    for part in parts:
        kind, data = PyUnicode_KIND(part), PyUnicode_DATA(part)
        for i in range(len(part)):
            c = PyUnicode_READ(kind, data, i)
            if is_blank(c) or (of_all and Py_UNICODE_ISSPACE(c)):
                size += not after_space
                after_space = True
            else:
                size += 1
                after_space = False
                largest |= <unsigned int>c
    if not size:
        return ""
    # The bits of all characters together are no less than any of them.
    whole = PyUnicode_New(size, min(largest | 32, 0x10FFFF))
    kind_of_whole, whole_data = PyUnicode_KIND(whole), PyUnicode_DATA(whole)
    after_space = True
    for part in parts:
        kind, data = PyUnicode_KIND(part), PyUnicode_DATA(part)
        for i in range(len(part)):
            c = PyUnicode_READ(kind, data, i)
            if is_blank(c) or (of_all and Py_UNICODE_ISSPACE(c)):
                if after_space:
                    continue
                c = 32
            after_space = c == 32
            if at < size:  # as it is, by the count above
                PyUnicode_WRITE(kind_of_whole, whole_data, at, c)
                at += 1
    return whole.strip()


def inherited(list parents, dict kinds) -> list:
    cdef list inherited = [""] * len(parents)
    cdef Py_ssize_t section, parent
    for section, parent in enumerate(parents):
        inherited[section] = inherited[parent] or kinds.get(section, "")
    return inherited


def section_sums(list parents, list sections, list lengths) -> list:
    cdef array sums = array("q", bytes(8 * len(parents)))
    cdef long long[::1] places = sums
    cdef Py_ssize_t section, place
    for place in range(len(sections)):
        section = sections[place]
        places[section] += <long long>lengths[place]
    for section in range(len(parents) - 1, 0, -1):
        place = parents[section]
        places[place] += places[section]
    return sums.tolist()


# What a tag does, as in the modules of the extractors.
cdef enum:
    MAIN_SPACE = 1
    MAIN_LINK = 2
    MAIN_END_LINK = 3
    MAIN_BREAK = 4
    MAIN_OPEN = 5
    MAIN_CLOSE = 6
    MAIN_SKIP = 8
    NAIVE_END = 0
    NAIVE_SPACE = 2
    NAIVE_LINK = 3
    NAIVE_DROP = 4
    BOILERPIPE_SPACE = 1
    BOILERPIPE_LINK = 2
    BOILERPIPE_CLOSE = 4
    BOILERPIPE_END_IGNORED = 5
    BOILERPIPE_OPEN = 6
    BOILERPIPE_EMPTY = 7
    BOILERPIPE_SKIP = 8
    BOILERPIPE_IGNORE = 9
    BOILERPIPE_UNPARSED = 10
    JUSTEXT_OPEN = 0
    JUSTEXT_CLOSE = 1
    JUSTEXT_BREAK = 3
    JUSTEXT_LINK = 4
    JUSTEXT_END_LINK = 5
    JUSTEXT_INLINE = 6
    JUSTEXT_UNWRAP = 8
    JUSTEXT_KILL = 9


cdef inline Py_ssize_t blank_at(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """How many bytes a white-space character beyond ASCII has at a place; 0 if none is there."""
    cdef unsigned char c = s[place], d, e
    if c == 0xC2:
        d = s[place + 1] if place + 1 < end else 0
        return 2 if d == 0x85 or d == 0xA0 else 0
    if c < 0xE1 or c > 0xE3 or place + 2 >= end:
        return 0
    d, e = s[place + 1], s[place + 2]
    if c == 0xE1:
        return 3 if d == 0x9A and e == 0x80 else 0
    if c == 0xE3:
        return 3 if d == 0x80 and e == 0x80 else 0
    if d == 0x80:
        return 3 if e <= 0x8A or e == 0xA8 or e == 0xA9 or e == 0xAF else 0
    return 3 if d == 0x81 and e == 0x9F else 0


cdef bint is_blank_text(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """Whether a text is all white space."""
    cdef Py_ssize_t length
    while place < end:
        if s[place] < 0x80:
            if not (is_space(s[place]) or 28 <= s[place] <= 31):
                return False
            place += 1
        else:
            length = blank_at(s, place, end)
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


cdef class Text:
    """A text that is put together, in which each run of white space is one space.

    White space is the space itself and what is beyond ASCII.
    """

    cdef bytearray written
    cdef unsigned char* out
    cdef Py_ssize_t filled, room

    def __cinit__(self, Py_ssize_t room):
        self.written, self.filled, self.room = bytearray(room + 1), 0, room
        self.out = <unsigned char*>PyByteArray_AS_STRING(self.written)

    cdef void add_space(self) noexcept:
        if self.filled and self.filled < self.room and self.out[self.filled - 1] != 32:
            self.out[self.filled] = 32
            self.filled += 1

    cdef int add(self, Bytes s, Py_ssize_t place, Py_ssize_t end) except -1:
        cdef Py_ssize_t at = self.filled, length
        cdef unsigned char* out = self.out
        cdef unsigned char c
        if at + end - place > self.room:
            raise IndexError("more text than there was room for")
        while place < end:
            c = s[place]
            length = 1
            if c >= 0xC2 and c <= 0xE3:
                length = blank_at(s, place, end)
                if length:
                    c = 32
                else:
                    length = 1
            if c != 32 or (at and out[at - 1] != 32):
                out[at] = c
                at += 1
            place += length
        self.filled = at
        return 0

    cdef str end(self):
        """The text, and nothing is left of it."""
        cdef Py_ssize_t size = self.filled
        cdef str text
        self.filled = 0
        if size and self.out[size - 1] == 32:
            size -= 1
        if not size:
            return ""
        text = PyUnicode_DecodeUTF8(<const char*>self.out, size, NULL)
        if self.out[0] < 32 or self.out[size - 1] < 32:  # a form feed that was a reference
            return text.strip()
        return text


def main_walk(
    Tape tape, dict actions, dict hints, dict ends, frozenset paragraph, dict named
) -> tuple:
    cdef list texts = [], elements = [], sections = [], linked_lengths = []
    cdef list names = tape.names if "body" in tape.names else [*tape.names, "body"]
    cdef list kind_of = [named.get(name) for name in names]
    cdef dict kinds = {}, numbers = {name: number for number, name in enumerate(names)}
    cdef dict bits = {name: 1 << number for number, name in enumerate(paragraph.union(*ends.values()))}
    cdef array action_of = array("i", [actions.get(name, MAIN_CLOSE) for name in names])
    cdef array other_of = array("i", [  # the end tag of a tag, the tag of an end tag
        numbers.get(name[1:] if name[:1] == "/" else "/" + name, -1) for name in names
    ])
    cdef array bit_of = array("Q", [bits.get(name, 0) for name in names])
    cdef array ended_by = array("Q", [
        sum([bits[other] for other in ends.get(name, paragraph)]) for name in names
    ])
    cdef array number_open = clone(_INTS, len(names), True)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef array parents = clone(_INTS, tape.size + 1, False)
    cdef int* stack = open_elements.data.as_ints  # as deep as there are tags, at most
    cdef int* parent_of = parents.data.as_ints  # as many as there are tags, and the root
    cdef int* are_open = number_open.data.as_ints
    cdef Bytes s = tape.out()
    cdef Text block = Text(tape.filled + tape.size + 1)
    cdef Py_ssize_t place, start, end, section = 0, last_section = 0, linked = 0, top = 0
    cdef Py_ssize_t hinted
    cdef bint in_link = False, after_break = False
    cdef int action, tag, skipped = -1, ended, body = numbers["body"]
    cdef str text
    cdef object kind, hint_places = iter(sorted(hints))
    hinted = next(hint_places, -1)
    stack[0], are_open[body], parent_of[0] = body, 1, 0
    block.add(s, 0, tape.ends.data.as_ints[0])
    for place in range(tape.size + 1):
        if place < tape.size:
            tag = tape.tags.data.as_ints[place]  # one of the names
            action = action_of.data.as_ints[tag]
            start, end = tape.ends.data.as_ints[place], tape.ends.data.as_ints[place + 1]
        else:  # ends the last block
            tag, action, start, end = -1, MAIN_CLOSE, 0, 0
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
            skipped = other_of.data.as_ints[tag]
            continue
        text = block.end()
        if text:
            texts.append(text)
            elements.append(names[stack[top]])
            sections.append(section)
            linked_lengths.append(linked)
        linked = 0
        if end > start:
            block.add(s, start, end)
            if in_link:
                linked = characters(s, start, end)
        after_break = False
        if tag < 0:
            break
        if action == MAIN_OPEN:
            while bit_of.data.as_ulonglongs[stack[top]] & ended_by.data.as_ulonglongs[tag]:
                are_open[stack[top]] -= 1
                top -= 1  # the first is no paragraph or item
                section = parent_of[section]
            last_section += 1
            parent_of[last_section] = <int>section
            section = last_section
            top += 1
            stack[top] = tag
            are_open[tag] += 1
            kind = (hints[place] if hinted == place else None) or kind_of[tag]
            if kind:
                kinds[section] = kind
        elif action == MAIN_CLOSE:
            tag = other_of.data.as_ints[tag]
            while section and tag >= 0 and are_open[tag]:
                section = parent_of[section]
                ended = stack[top]
                top -= 1
                are_open[ended] -= 1
                if ended == tag:
                    break
    return texts, elements, sections, linked_lengths, parents[: last_section + 1].tolist(), kinds


cdef bint is_all_space(list parts):
    """Whether there is nothing but white space in texts."""
    cdef str part
    for part in parts:
        if part and not part.isspace():
            return False
    return True


cdef str last_three(list parts):
    """The last three characters of texts of which none is empty."""
    return "".join(parts[-3:])[-3:]


def naive_walk(list tape, dict actions, object unparsed) -> tuple:
    cdef list fields = [], elements = [], open_elements = ["body"], field = []
    cdef str dropped = "", last_tag = "", last_text = "", tag, text
    cdef Py_ssize_t place, tags = len(tape) // 2
    cdef int action
    if tape[0]:
        field.append(tape[0])
    for place in range(tags + 1):
        if place < tags:
            tag, text = tape[2 * place + 1], tape[2 * place + 2]
            action = actions[tag]
        else:  # ends the last
            tag, text, action = "/body", "", NAIVE_END
        if dropped:
            if tag == dropped:
                dropped = ""
                if text:
                    field.append(text)
        elif action == NAIVE_END:
            if field and not is_all_space(field):
                fields.append(collapsed(field, True))
                elements.append(open_elements[-1])
            field = []
            if tag == "noframes":
                text = unparsed(text)
                if text:
                    field.append(text)
            elif text:
                field.append(text)
            if tag[0] == "/":
                if len(open_elements) > 1:
                    open_elements.pop()
            elif tag[-1] != "/":
                open_elements.append(tag)
        elif action == NAIVE_DROP:
            dropped = "/" + tag
        else:
            if action == NAIVE_SPACE or (
                action == NAIVE_LINK
                and not last_text
                and last_tag == "/" + tag
                and last_three(field).isalpha()
                and text[:3].isalpha()
            ):
                field.append(" ")
            if text:
                field.append(text)
        last_tag, last_text = tag, text
    return fields, elements


def boilerpipe_walk(list tape, dict actions, object unparsed) -> tuple:
    cdef list texts = [], linked_texts = [], elements = [], open_elements = ["body"]
    cdef list text = [], linked = []
    cdef str tag, content
    cdef bint in_link = False
    cdef Py_ssize_t place, tags = len(tape) // 2, ignored = 0
    cdef int action
    if tape[0]:
        text.append(tape[0])
    for place in range(tags + 1):
        if place < tags:
            tag, content = tape[2 * place + 1], tape[2 * place + 2]
            action = actions[tag]
        else:  # ends the last block
            tag, content, action = "/html", "", BOILERPIPE_CLOSE
        if ignored:
            ignored += (action == BOILERPIPE_IGNORE) - (action == BOILERPIPE_END_IGNORED)
            if ignored:
                continue
        if action < BOILERPIPE_CLOSE:
            if action:
                text.append(" ")
                linked.append(" ")
                if action != BOILERPIPE_SPACE:
                    in_link = action == BOILERPIPE_LINK
            if content:
                text.append(content)
                if in_link:
                    linked.append(content)
            continue
        if text and not is_all_space(text):
            texts.append(text[0] if len(text) == 1 else "".join(text))
            linked_texts.append("".join(linked))
            elements.append(open_elements[-1])
        if action < BOILERPIPE_OPEN:
            if len(open_elements) > 1:
                open_elements.pop()
        elif action != BOILERPIPE_EMPTY:
            open_elements.append(tag)
            if action == BOILERPIPE_SKIP:
                content = ""
            elif action == BOILERPIPE_IGNORE:
                content = ""
                ignored = 1
            elif action == BOILERPIPE_UNPARSED:
                content = unparsed(content)
        text = [content] if content else []
        linked = [content] if content and in_link else []
    return texts, linked_texts, elements


def count_words(str text, str marks) -> list:
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t number = 0, i
    cdef Py_UCS4 c
    cdef bint in_word = False
    cdef list numbers = []
    for i in range(len(text)):
        c = PyUnicode_READ(kind, data, i)
        if Py_UNICODE_ISALNUM(c):
            number += not in_word
            in_word = True
        elif c == 10:
            numbers.append(number)
            number = 0
            in_word = False
        elif c not in marks:  # these are as if not there
            in_word = False
    numbers.append(number)
    return numbers


cdef Py_ssize_t size_collapsed(str text):
    """The number of characters, of which a run of white space is one."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = 0, i
    cdef bint is_space, after_space = False
    for i in range(len(text)):
        is_space = Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, i))
        size += not (is_space and after_space)
        after_space = is_space
    return size


def justext_walk(
    list tape, dict actions, dict headings, dict selects, object paragraph
) -> list:
    cdef list paragraphs = [], open_elements = ["body"], text = [], chunk = []
    cdef str tag, content, whole, killed = ""
    cdef bint in_link = False, after_break = False, in_heading = False, in_select = False
    cdef Py_ssize_t place, tags = len(tape) // 2, linked = 0, killed_depth = 0
    cdef Py_ssize_t heading_depth = 0, select_depth = 0
    cdef int action
    if tape[0]:
        chunk.append(tape[0])
    for place in range(tags + 1):
        if place < tags:
            tag, content = tape[2 * place + 1], tape[2 * place + 2]
            action = actions[tag]
        else:  # ends all
            tag, content, action = "/body", "", JUSTEXT_CLOSE
        if killed:
            killed_depth += (tag == killed) - (tag[1:] == killed)
            if not killed_depth:
                killed = ""
                if content:
                    chunk.append(content)
            continue
        if action >= JUSTEXT_UNWRAP:
            if action == JUSTEXT_KILL:
                killed, killed_depth = tag, 1
            elif content:
                chunk.append(content)
            continue
        if chunk:
            if not is_all_space(chunk):
                whole = chunk[0] if len(chunk) == 1 else "".join(chunk)
                text.append(whole)
                if in_link:
                    linked += size_collapsed(whole)
                after_break = False
            chunk = []
        if content:
            chunk.append(content)
        if headings and tag in headings:
            heading_depth += headings[tag]
        if selects and tag in selects:
            select_depth += selects[tag]
        if action >= JUSTEXT_LINK:
            if action == JUSTEXT_LINK:
                in_link, after_break = True, False
            elif action == JUSTEXT_END_LINK:
                in_link, after_break = False, after_break and tag == "/a"
            elif action == JUSTEXT_INLINE:
                after_break = False
            continue
        if action == JUSTEXT_BREAK and not after_break:
            after_break = True
            text.append(" ")
            continue
        if text:
            whole = collapsed(text, True)
            if whole:
                paragraphs.append(
                    paragraph(whole, open_elements[-1], linked, in_heading, in_select)
                )
            text, linked = [], 0
        if action == JUSTEXT_OPEN:
            open_elements.append(tag)
        elif action == JUSTEXT_CLOSE and len(open_elements) > 1:
            open_elements.pop()
        in_heading, in_select = heading_depth > 0, select_depth > 0
    return paragraphs


def nearest(list classes, frozenset wanted) -> list:
    cdef list nearest = []
    cdef str last = "bad", own
    for own in classes:
        nearest.append(last)
        if own in wanted:
            last = own
    return nearest


# --- Pieces into sentences

cdef enum:  # how a piece ends, as in `text.sentences`
    NONE = 45  # -
    ALONE = 99  # c
    NUMBER = 35  # #


cdef inline Py_UCS4 last_of(str piece) except? 0:
    return piece[len(piece) - 1]


cdef Py_UCS4 end_of(list pieces, Py_ssize_t place, str marks, object ends_of) except? 0:
    """How a piece ends."""
    if last_of(pieces[place]) not in marks:
        return NONE
    return ends_of[pieces[place]]


cdef list starts_of_sentences(
    str marks, dict before, list pieces, object ends_of, object starts_of
):
    """Where sentences start; there is a piece."""
    cdef list starts = [0]
    cdef Py_ssize_t size = len(pieces), place = 0, next_place
    cdef Py_UCS4 end
    while place < size - 1:
        end = end_of(pieces, place, marks, ends_of)
        if end == NONE:
            place += 1
            continue
        next_place = place + 1  # behind what stands alone and belongs to it
        while next_place < size and end_of(pieces, next_place, marks, ends_of) == ALONE:
            next_place += 1
        if next_place == size:
            break
        if end == NUMBER and (
            place == starts[-1] or last_of(pieces[place - 1]) in ":;,"
        ):
            pass  # it counts an item
        elif starts_of[pieces[next_place]] in before.get(chr(end), "us"):
            starts.append(next_place)
        place = next_place
    return starts


def sentence_starts(
    list pieces, object ends_of, object starts_of, str marks, dict before
) -> list:
    return starts_of_sentences(marks, before, pieces, ends_of, starts_of)


def cut_up(
    list texts, object ends_of, object starts_of, str marks, dict before, object split_pieces
) -> tuple:
    cdef list pieces = [], starts = [], numbers = [], more
    cdef Py_ssize_t size, start, number
    cdef str text
    for text in texts:
        size, number = len(pieces), 0
        more = text.split() if text.isascii() and "--" not in text else split_pieces(text)
        if more:
            for start in starts_of_sentences(marks, before, more, ends_of, starts_of):
                starts.append(size + start)
                number += 1
            pieces += more
        numbers.append(number)
    return pieces, starts, numbers


def ended(list texts, str marks, str closing, Py_ssize_t most) -> list:
    cdef list ended = []
    cdef Py_ssize_t place, first
    cdef str text
    for text in texts:
        place = len(text) - 1
        first = max(0, len(text) - most)
        while place >= first and text[place] in closing:
            place -= 1
        ended.append(place >= first and text[place] in marks)
    return ended
