# cython: language_level=3, wraparound=False
"""From the bytes of a page to its tape: texts and the tags between them.

A tape has one text more than tags: text 0, tag 0, text 1, tag 1, ..., the last text. All texts are
in one buffer, in UTF-8; ``ends[i]`` is the end of text `i` in it, and so the start of text `i + 1`.
Tags are ids of names. Only `Tape.add_tag` and `Tape.end_text` write them: while a page is read, the
last text is open, from ``ends[size - 1]`` to `filled`, and `end_text` closes it.

`cut` reads the source once, from the left:

- `offset` is at a "<", and `start` is the end of the last tag; text between them is not written.
- A byte is read only where its offset was compared with the size before. One byte more may be read:
  Python puts a NUL after the last byte of `bytes`, and no test here is true for it.
- A missing quote would make the search for the end of a tag read on to the end of the page, at each
  tag again. All these bytes are counted, and `MAX_READ` of them end the reading.
- `cut` returns None where the source needs to be mended first (`text.tape`): that is decided here,
  because the tags are read here anyway.

Texts are written with room to spare, and `room` is compared before each byte. A reference may mean
more bytes than it has, so `write_reference` compares too.
"""

from collections import Counter

from cpython.array cimport array, clone, resize_smart
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcmp, memcpy, memset

from understandability._core.utf8 cimport (
    Bytes, count_characters, find_byte, is_digit, is_letter, is_space, is_word, look_up, lowered,
    matches_name,
)

# --- The source before it is parsed

def has_controls(bytes content) -> bool:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(content)
    cdef Py_ssize_t i
    cdef unsigned char controls = 0
    for i in range(len(content)):
        controls |= (s[i] < 32) & (s[i] != 9) & (s[i] != 10) & (s[i] != 13)
    return controls != 0


def is_utf8(bytes content) -> bool:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(content)
    cdef Py_ssize_t size = len(content), offset = 0, start
    cdef unsigned long long eight
    while offset < size:
        start = offset
        while offset < size and s[offset] >= 0x80:
            offset += 1
        try:
            PyUnicode_DecodeUTF8(<const char*>s + start, offset - start, NULL)
        except UnicodeDecodeError:
            return False
        while offset < size and s[offset] < 0x80:
            offset += 1
            while offset + 8 <= size:
                memcpy(&eight, s + offset, 8)
                if eight & 0x8080808080808080ULL:
                    break
                offset += 8
    return True


def may_combine(bytes content) -> bool:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(content)
    cdef Py_ssize_t size = len(content), offset = 0
    cdef unsigned long long eight
    cdef unsigned char c, d
    while offset < size:
        while offset + 8 <= size:
            memcpy(&eight, s + offset, 8)
            if eight & 0x8080808080808080ULL:
                break
            offset += 8
        if offset == size:
            break
        c, d = s[offset], s[offset + 1]  # the second may be the final NUL
        if (
            c == 0xCC or c == 0xCD
            or (c == 0xD9 and 0x93 <= d <= 0x95)
            or (c == 0xE1 and 0x85 <= d <= 0x87)
            or (c == 0xE3 and d == 0x82 and (s[offset + 2] == 0x99 or s[offset + 2] == 0x9A))
        ):
            return True
        offset += 1
    return False


def values(bytes source, bytes quote, Py_ssize_t length) -> list:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), start = 0, end, late
    cdef unsigned char c = quote[0]
    cdef list stretches = []
    while start < size:
        late = start + length - LATE
        if start < late < size:  # there nearly always is one, so a page takes a few long steps
            end = find_byte(s, min(size, late + LATE), c, late)
            if end < min(size, late + LATE):
                start = end + 1
                continue
        end = find_byte(s, size, c, start)
        if (end - start >= length or end == size) and start > 1 and s[start - 2] == c"=":
            stretches.append((start, end))
        start = end + 1
    return stretches


def start_tags(bytes source, tuple names) -> list:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), offset = find_byte(s, size, c"<", 0), start
    cdef char[256] firsts
    cdef list tags = []
    cdef bytes name
    memset(firsts, 0, 256)
    for name in names:
        firsts[<unsigned char>name[0]] = 1
    while offset < size:
        if firsts[lowered(s[offset + 1])]:  # may be the final NUL
            for name in names:
                start = offset + 1 + len(name)
                if matches_name(s, size, offset + 1, name, len(name)) and ENDS_NAME[s[start]]:
                    tags.append((name.decode(), source[start : find_bracket(s, size, start)]))
        offset = find_byte(s, size, c"<", offset + 1)
    return tags


# --- Source to tags and texts

cdef enum:
    LATE = 128  # bytes
    # The limit of bytes read to find the ends of tags: half a second, and fifty times the largest
    # page. Only unbalanced quotes get there, see above.
    MAX_READ = 200_000_000
    MAX_REFERENCES = 10_000
cdef dict _SPACES = dict.fromkeys(map(ord, "\n\t\r\xa0"), " ")
cdef bytes _SPACE_BYTES = bytes.maketrans(b"\n\t\r", b"   ")
# Caches of references: as written, and what they mean, in UTF-8. A tree has other rules.
cdef dict _references = {}, _references_of_trees = {}

# Tables by byte: bytes that a text copies, bytes that end a tag's name, and what `end_of_tag` does.
cdef unsigned char[256] IS_PLAIN, ENDS_NAME, IN_TAG

cdef enum:
    ENDS_ATTRIBUTE = 1  # a name of attributes
    OF_HIDDEN = 2  # one letter of "hidden", and one of "style", that few other names have
    OF_STYLE = 4


cdef int _c
for _c in range(256):
    IS_PLAIN[_c] = _c != 0xC2 and _c not in b"&\n\t\r"  # 0xC2 begins a no-break space
    ENDS_NAME[_c] = is_space(<unsigned char>_c) or _c in b"<>/"
    IN_TAG[_c] = (
        ENDS_ATTRIBUTE if _c in b"<>=" else OF_HIDDEN if _c in b"dD" else OF_STYLE if _c in b"yY" else 0
    )


cdef inline Py_ssize_t length_of_code_name(Bytes s, Py_ssize_t size, Py_ssize_t offset) noexcept:
    """Return the length of the name "script" or "style" at an offset; 0 for another."""
    if matches_name(s, size, offset, b"script", 6):
        return 6
    return 5 if matches_name(s, size, offset, b"style", 5) else 0


cdef inline Py_ssize_t find_bracket(Bytes s, Py_ssize_t size, Py_ssize_t offset) noexcept:
    """Return the offset of the first "<" or ">" from an offset on; `size` if there is none."""
    while offset < size and s[offset] != c"<" and s[offset] != c">":
        offset += 1
    return offset


cdef Py_ssize_t end_of_comment(Bytes s, Py_ssize_t size, Py_ssize_t offset) noexcept:
    """Return the end of a comment, given the offset after its "<!--"."""
    if offset < size and s[offset] == c">":
        return offset + 1
    if offset + 1 < size and s[offset] == c"-" and s[offset + 1] == c">":
        return offset + 2
    while True:
        offset = find_byte(s, size, c"-", offset)
        if offset + 2 >= size:
            return size
        if s[offset + 1] == c"-":
            if s[offset + 2] == c">":
                return offset + 3
            if offset + 3 < size and s[offset + 2] == c"!" and s[offset + 3] == c">":
                return offset + 4
        offset += 1


cdef Py_ssize_t end_of_code(Bytes s, Py_ssize_t size, Py_ssize_t offset) noexcept:
    """Return the end of a script or style, given the end of its name; -1 if the name is longer."""
    cdef Py_ssize_t end, length
    cdef unsigned char c = s[offset] if offset < size else 0
    if is_word(c):
        return -1
    offset = find_bracket(s, size, offset)
    if offset >= size or s[offset] != c">":
        return -1
    offset += 1
    while True:
        offset = find_byte(s, size, c"<", offset)
        if offset + 1 >= size:
            return size
        if s[offset + 1] == c"/":
            length = length_of_code_name(s, size, offset + 2)
            if length:
                end = find_bracket(s, size, offset + 2 + length)
                if end < size and s[end] == c">":
                    return end + 1
        offset += 1


cdef bint has_word(
    Bytes s, Py_ssize_t start, Py_ssize_t end, Bytes word, Py_ssize_t length
) noexcept:
    """Return True if bytes hold a word (of small letters), in letters of any size."""
    cdef Py_ssize_t i
    for i in range(start, end - length + 1):
        if s[i] | 32 == word[0] and s[i + 1] | 32 == word[1] and matches_name(s, end, i, word, length):
            return True
    return False


cdef Py_ssize_t end_of_tag(
    Bytes s, Py_ssize_t size, Py_ssize_t offset, Py_ssize_t* read, bint* may_hide
) noexcept:
    """Return the offset of the ">" of a tag, given the end of its name; -1 if there is none.

    The number of bytes read is added to `read`. `may_hide` is set to True if the attributes may
    hide the element.
    """
    cdef Py_ssize_t start = offset, end, names, style = -1
    cdef unsigned char letters
    may_hide[0] = False
    while True:
        names = offset
        letters = 0
        while offset < size and not IN_TAG[s[offset]] & ENDS_ATTRIBUTE:
            letters |= IN_TAG[s[offset]]
            offset += 1
        if letters and offset - names >= 5:
            if letters & OF_HIDDEN and has_word(s, names, offset, b"hidden", 6):
                may_hide[0] = True
            if letters & OF_STYLE and style < 0 and has_word(s, names, offset, b"style", 5):
                style = offset
        if offset >= size or s[offset] != c"=":
            read[0] += offset - start
            if style >= 0 and not may_hide[0]:
                may_hide[0] = has_word(s, style, offset, b"display", 7) or has_word(
                    s, style, offset, b"visibility", 10
                )
            return offset if offset < size and s[offset] == c">" else -1
        offset += 1  # past the "="
        while offset < size and is_space(s[offset]):
            offset += 1
        if offset < size and (s[offset] == c'"' or s[offset] == c"'"):
            end = find_byte(s, size, s[offset], offset + 1)
            if end < size:
                offset = end + 1
            else:  # it is not a quote
                read[0] += size - offset


cdef Py_ssize_t write_reference(
    Bytes s, Py_ssize_t end, Py_ssize_t offset, object resolve, dict known_references,
    unsigned char* out, Py_ssize_t room, Py_ssize_t* written,
) except -2:
    """Write what the reference at an offset means; return its end, or -1 if that is unclear."""
    cdef Py_ssize_t start = offset, last
    cdef PyObject* known
    cdef bytes reference, meant
    offset += 1
    last = min(end, offset + 32)
    if offset < last and s[offset] == c"#":
        offset += 1
        last = min(end, offset + 7)
    elif offset >= last or is_space(s[offset]) or s[offset] in b"<&;":
        if not room:
            return -1
        out[0] = c"&"
        written[0] = 1
        return offset
    while offset < last and (is_letter(s[offset]) or is_digit(s[offset])):
        offset += 1
    if offset >= end or s[offset] != c";":
        return -1
    offset += 1
    reference = (<const char*>s)[start:offset]
    known = PyDict_GetItem(known_references, reference)
    if known is not NULL:
        meant = <bytes>known
    else:
        meant = resolve(reference.decode()).translate(_SPACES).encode()
        if len(known_references) >= MAX_REFERENCES:
            known_references.clear()
        known_references[reference] = meant
    if len(meant) > room:
        return -1
    memcpy(out, PyBytes_AS_STRING(meant), len(meant))
    written[0] = len(meant)
    return offset


cdef class Tape:
    """Texts in UTF-8, one after another, and the tags between them as ids of names."""

    def __init__(self, list pieces=[""]):
        cdef Py_ssize_t index
        cdef dict numbers = {}
        self.start(sum(map(len, pieces)), len(pieces) // 2)
        for index in range(len(pieces)):
            if index % 2:
                self.add_tag(numbers.setdefault(pieces[index], len(numbers)))
            else:
                self.write(pieces[index].encode())
        self.names = list(numbers)
        self.end_text()

    cdef int start(self, Py_ssize_t room, Py_ssize_t tags) except -1:
        self.written = bytearray()
        PyByteArray_Resize(self.written, room + 64)  # the new bytes are arbitrary
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

    cdef int add_tag(self, Py_ssize_t id_) except -1:
        self.end_text()
        self.tags.data.as_ints[self.size] = <int>id_  # it has the same size as `ends`
        self.size += 1
        return 0

    cdef str text(self, Py_ssize_t index):
        """Return the text before a tag; at `size`, the text after the last tag."""
        cdef Py_ssize_t start = text_start(self, index)
        cdef Py_ssize_t length = self.ends.data.as_ints[index] - start
        return PyUnicode_DecodeUTF8(<const char*>bytes_of(self) + start, length, NULL)

    def pieces(self) -> list:
        cdef list pieces = []
        cdef Py_ssize_t index
        for index in range(self.size):
            pieces += self.text(index), self.names[self.tags.data.as_ints[index]]
        return [*pieces, self.text(self.size)]

    def counts(self) -> object:
        cdef array counts = clone(_INTS, len(self.names) + 1, True)
        cdef Py_ssize_t index
        for index in range(self.size):
            counts.data.as_ints[self.tags.data.as_ints[index]] += 1
        return Counter({tag: id_ for tag, id_ in zip(self.names, counts) if id_})

    def place_of(self, str tag) -> int:
        cdef Py_ssize_t index
        cdef int id_ = self.names.index(tag) if tag in self.names else -1
        for index in range(self.size):
            if self.tags.data.as_ints[index] == id_:
                return index
        return -1

    def text_behind(self, Py_ssize_t index) -> str:
        self.tag(index)  # raises if there is none
        return self.text(index + 1)

    def tag(self, Py_ssize_t index) -> str:
        if not 0 <= index < self.size:
            raise IndexError(f"a tape of {self.size} tags has no tag {index}")
        return self.names[self.tags.data.as_ints[index]]

    def __len__(self) -> int:
        return self.size

    def long_texts(self, Py_ssize_t least, Py_ssize_t enough, frozenset without) -> str:
        cdef list texts = [], wanted = [name not in without for name in self.names]
        cdef Py_ssize_t index, id_, length = 0
        for index in range(1, self.size + 1):
            if (
                self.ends.data.as_ints[index] - self.ends.data.as_ints[index - 1] >= least
                and wanted[self.tags.data.as_ints[index - 1]]
            ):
                id_ = count_characters(
                    bytes_of(self), self.ends.data.as_ints[index - 1], self.ends.data.as_ints[index]
                )
                if id_ >= least:
                    texts.append(self.text(index))
                    length += id_
                    if length >= enough:
                        break
        return " ".join(texts)


cdef array _INTS = array("i")


cdef inline bint may_be_special(unsigned long long eight) noexcept:
    """Return True if one of eight bytes is below 32, "&" or 0xC2, and seldom else."""
    cdef unsigned long long ones = 0x0101010101010101, highs = 0x8080808080808080
    cdef unsigned long long ampersands = eight ^ 0x26 * ones, blanks = eight ^ 0xC2 * ones
    return (
        (eight - 32 * ones & ~eight)
        | (ampersands - ones & ~ampersands)
        | (blanks - ones & ~blanks)
    ) & highs != 0


cdef int add_text(
    Tape tape, Bytes s, Py_ssize_t offset, Py_ssize_t end, object resolve, bint is_of_tree
) except -1:
    """Add a text, with spaces instead of other white space.

    `resolve` gives a text with its references resolved, or is None. In a tree, a return before a
    line feed is none.
    """
    cdef Py_ssize_t start = offset, at = tape.filled, room, written = 0, stop
    cdef unsigned char* out
    cdef unsigned char c
    cdef bytes whole
    cdef bint has_references = resolve is not None
    cdef unsigned long long eight
    tape.reserve(end - offset)
    out, room = bytes_of(tape), len(tape.written)
    while 0 <= offset < end and at < room:
        while offset + 8 <= end and at + 8 <= room:
            memcpy(&eight, s + offset, 8)
            if may_be_special(eight):
                break
            memcpy(out + at, &eight, 8)
            at += 8
            offset += 8
        stop = min(end, offset + 8)
        while offset < stop and at < room:
            c = s[offset]
            if IS_PLAIN[c]:
                out[at] = c
                at += 1
                offset += 1
            elif c == c"&" and has_references:
                offset = write_reference(
                    s, end, offset, resolve, _references_of_trees if is_of_tree else _references,
                    out + at, room - at, &written,
                )
                if offset < 0:
                    break
                at += written
            elif c == 0xC2 and offset + 1 < end and s[offset + 1] == 0xA0:
                out[at] = c" "  # for a no-break space
                at += 1
                offset += 2
            elif c == 13 and is_of_tree and offset + 1 < end and s[offset + 1] == 10:
                offset += 1
            else:
                out[at] = c" " if c == c"\n" or c == c"\t" or c == c"\r" else c
                at += 1
                offset += 1
    if offset == end:
        tape.filled = at
        return 0
    # There was no room, or a reference depends on the text after it: resolve the text as a whole.
    whole = (<const char*>s)[start:end]
    if is_of_tree:
        whole = whole.replace(b"\r\n", b"\n")
    if has_references:
        whole = resolve(whole.decode()).translate(_SPACES).encode()
    return tape.write(whole)


cdef str class_and_id(Bytes s, Py_ssize_t offset, Py_ssize_t end):
    """Return the values of class and id among the attributes of a tag."""
    cdef Py_ssize_t start = offset, at, after, length
    cdef unsigned char quote
    cdef str names = "", value
    while offset < end:
        length = 0
        if (s[offset] | 32 == c"c" or s[offset] | 32 == c"i") and (
            offset == start or is_space(s[offset - 1])
        ):
            length = 5 if matches_name(s, end, offset, b"class", 5) else 0
            length = length or 2 * matches_name(s, end, offset, b"id", 2)
        at = offset = offset + length if length else offset + 1
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
            after = find_byte(s, end, quote, at)
            if after == end:
                continue
        else:
            after = at
            while after < end and not (is_space(s[after]) or s[after] in b"\"'"):
                after += 1
            if after == at:
                continue
        offset = after
        value = PyUnicode_DecodeUTF8(<const char*>s + at, after - at, NULL)
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
        if matches_name(s, end, i, b"href", 4) or matches_name(s, end, i, b"role", 4):
            c = s[i + 4] if i + 4 < end else 0
            if not (is_word(c) or c == c"-" or c == c":" or c == c"."):
                return True
        elif matches_name(s, end, i, b"onclick", 7) or matches_name(s, end, i, b"data-", 5):
            return True
    return False


def cut(
    bytes source, object normal, object unescape, frozenset sections, object hints_of,
    frozenset claiming, tuple mended, object hides, str hidden,
) -> tuple | None:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source)
    cdef Tape tape = Tape.__new__(Tape)
    cdef Slot[SLOTS] slots
    cdef Slot* slot
    cdef dict numbers = {}, hints = {}
    cdef list claims = []
    cdef set opened = set()  # names of elements that are still open
    cdef char[256] firsts, seconds  # their first two letters, which few other tags share
    cdef array kinds = array("q")  # per name: what is read of its attributes
    cdef Py_ssize_t offset, next_offset, comment = -1, start = 0, end, after, number, length, read = 0
    cdef unsigned int code
    cdef unsigned char c
    cdef bint is_comment, may_hide
    cdef str tag, hint, attributes
    cdef bytes name
    tape.start(size, size // 32)
    tape.names = []
    memset(slots, 0, sizeof(slots))
    memset(firsts, 0, 256)
    memset(seconds, 0, 256)
    for name in mended:
        firsts[<unsigned char>name[0]] = seconds[<unsigned char>name[1]] = 1
    next_offset = find_byte(s, size, c"<", 0)
    while next_offset < size and read <= MAX_READ:
        offset = next_offset
        next_offset = find_byte(s, size, c"<", offset + 1)
        after = offset + 1 + (s[offset + 1] == c"/")  # may be at the final NUL
        if after < size and firsts[lowered(s[after])] and seconds[lowered(s[after + 1])]:
            for name in mended:
                if matches_name(s, size, after, name, len(name)):
                    if after == offset + 2:
                        opened.discard(name)
                    elif not is_word(s[after + len(name)]):
                        opened.add(name)
        is_comment = s[offset + 1] == c"!" and s[offset + 2] == c"-" and s[offset + 3] == c"-"
        comment = offset if is_comment else comment
        if offset < start:  # inside a comment, script or tag
            continue
        c = s[offset + 1]  # or the final NUL
        after = offset + 1  # the end of the name, if there is one
        end = -1  # of the tag, element or comment
        code = 0
        may_hide = False
        if is_letter(c) or (c == c"/" and is_letter(s[offset + 2])):
            length = length_of_code_name(s, size, offset + 1)
            if length:
                end = end_of_code(s, size, offset + 1 + length)
            if end < 0:
                after = offset + 2
                code = c * 31
                while after < size and not ENDS_NAME[s[after]]:
                    code = (code + s[after]) * 31
                    after += 1
                end = end_of_tag(s, size, after, &read, &may_hide) + 1
        elif is_comment:
            end = end_of_comment(s, size, offset + 4)
        elif c == c"!" or c == c"?":
            end = find_bracket(s, size, offset + 2)
            end = end + 1 if end < size and s[end] == c">" else -1
        if end <= 0:  # not a tag
            continue

        length = after - offset - 1
        slot = &slots[(code ^ code >> 12) % SLOTS]
        if slot.names and slot.size == length and not memcmp(s + slot.start, s + offset + 1, length):
            number = slot.number
        else:
            name = source[offset + 1 : after]
            tag = normal(name)
            if tag not in numbers:
                numbers[tag] = len(tape.names)
                tape.names.append(tag)
                kinds.append(
                    1 if tag in sections else 2 if tag in claiming else 3 if tag == "a" else 0
                )
            number = numbers[tag]
            slot.start, slot.size, slot.number, slot.names = offset + 1, length, number, True
        if kinds.data.as_longlongs[number] == 3:
            if not (end - 1 > after and is_link(s, after, end - 1)):
                if "a/" not in numbers:
                    numbers["a/"] = len(tape.names)
                    tape.names.append("a/")
                    kinds.append(0)
                number = numbers["a/"]
        elif kinds.data.as_longlongs[number] and end - 1 > after:  # `number` is one of the names
            if kinds.data.as_longlongs[number] == 2:
                claims.append((tape.names[number], source[after : end - 1].translate(_SPACE_BYTES)))
            else:
                attributes = class_and_id(s, after, end - 1)
                if attributes:
                    hint = look_up(hints_of, attributes)
                    if hint:
                        hints[tape.size] = hint
        if may_hide and is_letter(c):
            if look_up(hides, source[after : end - 1].decode()):
                hints[tape.size] = hidden
        if offset > start:
            add_text(tape, s, start, offset, unescape, False)
        tape.add_tag(number)
        start = end
    if read > MAX_READ or not (
        comment < 0 or source.find(b"-->", comment) >= 0 or source.find(b"--!>", comment) >= 0
    ):
        return None
    for name in opened:
        if name in (b"script", b"style") or name.decode() in numbers:
            return None
    if size > start:
        add_text(tape, s, start, size, unescape, False)
    tape.end_text()
    return tape, hints, claims
