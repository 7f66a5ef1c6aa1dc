# cython: language_level=3, wraparound=False
"""From the bytes of a page to its tape: texts and the tags between them."""

from collections import Counter

from cpython.array cimport array, clone, resize_smart
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, memcpy, memset

from understandability._core.utf8 cimport (
    Bytes, characters, found, is_digit, is_letter, is_space, is_word, looked_up, small, stands
)

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
    MOST_REFERENCES = 10_000
cdef dict _SPACES = dict.fromkeys(map(ord, "\n\t\r\xa0"), " ")
cdef bytes _SPACE_BYTES = bytes.maketrans(b"\n\t\r", b"   ")
# References as written and what they mean, in UTF-8: of a source, and of a tree.
cdef dict _references = {}, _references_of_trees = {}


# Tables by the byte: of a text, of a tag's name, and its attributes.
cdef unsigned char[256] IS_PLAIN, ENDS_NAME, ENDS_ATTRIBUTE


cdef int _c
for _c in range(256):
    IS_PLAIN[_c] = _c != 0xC2 and _c not in b"&\n\t\r"  # 0xC2: a char of C may be signed
    ENDS_NAME[_c] = is_space(<unsigned char>_c) or _c in b"<>/"
    ENDS_ATTRIBUTE[_c] = _c in b"<>="


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

    cdef int reserve(self, Py_ssize_t room) except -1:
        if self.filled + room > len(self.written):
            PyByteArray_Resize(self.written, 2 * self.filled + room)
        return 0

    cdef int write(self, bytes text) except -1:
        self.reserve(len(text))
        memcpy(bytes_of(self) + self.filled, PyBytes_AS_STRING(text), len(text))
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

    cdef str text(self, Py_ssize_t place):
        """The text before a tag; behind the last that of `size`."""
        cdef Py_ssize_t start = text_start(self, place)
        cdef Py_ssize_t length = self.ends.data.as_ints[place] - start
        return PyUnicode_DecodeUTF8(<const char*>bytes_of(self) + start, length, NULL)

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
                    bytes_of(self), self.ends.data.as_ints[place - 1], self.ends.data.as_ints[place]
                )
                if number >= least:
                    texts.append(self.text(place))
                    found += number
                    if found >= enough:
                        break
        return " ".join(texts)
cdef array _INTS = array("i")


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
    out, room = bytes_of(tape), len(tape.written)
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


cdef bint is_link(Bytes s, Py_ssize_t start, Py_ssize_t end) noexcept:
    """Return True if an ``a`` has an address or is for a script, and is not closed at once."""
    cdef Py_ssize_t i
    cdef unsigned char c
    if s[end - 1] == c"/" and end - 1 > start:
        c = s[end - 2]
        if is_space(c) or c == c'"' or c == c"'":
            return False
    for i in range(start + 1, end - 3):
        c = s[i] | 32
        if c != c"h" and c != c"o" and c != c"d" and c != c"r":
            continue
        c = s[i - 1]
        if not (is_space(c) or c == c'"' or c == c"'" or c == c"/"):
            continue
        if stands(s, end, i, b"onclick", 7) or stands(s, end, i, b"data-", 5):
            return True
        if stands(s, end, i, b"href", 4) or stands(s, end, i, b"role", 4):
            c = s[i + 4] if i + 4 < end else 0
            if not (is_word(c) or c == c"-" or c == c":" or c == c"."):
                return True
    return False


cdef class Hiding:
    """The next offset in a source at which a word occurs that may hide an element."""

    cdef bytes source
    cdef Py_ssize_t[4] offsets
    cdef Py_ssize_t next

    def __cinit__(self, bytes source):
        self.source = source
        self.offsets[:] = [-1, -1, -1, -1]
        self.next = -1
        self.move_to(0)

    cdef int move_to(self, Py_ssize_t start) except -1:
        """Find the first offset from `start` on; the size of the source if there is none."""
        cdef Py_ssize_t size = len(self.source), i, offset
        self.next = size
        for i in range(4):
            if self.offsets[i] < start:
                offset = self.source.find((b"idden", b"isplay", b"IDDEN", b"ISPLAY")[i], start)
                self.offsets[i] = size if offset < 0 else offset
            self.next = min(self.next, self.offsets[i])
        return 0


def cut(
    bytes source, object normal, object unescape, frozenset sections, object hints_of, tuple mended,
    object hides, str hidden,
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
    cdef Hiding hiding = Hiding(source)
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
                kinds.append(
                    1 if tag in sections else 2 if tag == "html" else 3 if tag == "a" else 0
                )
            number = numbers[tag]
            slot.start, slot.size, slot.number, slot.names = place + 1, length, number, True
        if kinds.data.as_longlongs[number] == 3:
            if not (end - 1 > behind and is_link(s, behind, end - 1)):
                if "a/" not in numbers:
                    numbers["a/"] = len(tape.names)
                    tape.names.append("a/")
                    kinds.append(0)
                number = numbers["a/"]
        elif kinds.data.as_longlongs[number] and end - 1 > behind:  # `number` is one of the names
            if kinds.data.as_longlongs[number] == 2:
                roots.append(source[behind : end - 1].translate(_SPACE_BYTES))
            else:
                attributes = names_in(s, behind, end - 1)
                if attributes:
                    hint = looked_up(hints_of, attributes)
                    if hint:
                        hints[tape.size] = hint
        if hiding.next < end and behind > place + 1:
            if hiding.next < behind:
                hiding.move_to(behind)
            if hiding.next < end and is_letter(c):
                if looked_up(hides, source[behind : end - 1].decode()):
                    hints[tape.size] = hidden
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
