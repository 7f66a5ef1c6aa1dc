# cython: language_level=3, wraparound=False
"""From the bytes of a page to the tape of its tree, as libxml2 builds it."""

from cpython.array cimport array
from cpython.bytes cimport PyBytes_AS_STRING
from libc.string cimport memcmp, memset

from understandability._core.source cimport SLOTS, Slot, Tape, add_text, behind_comment
from understandability._core.utf8 cimport Bytes, found, is_letter, stands

include "layout.pxi"

# The fields of an element, after those of its rule.
cdef enum:
    LAST = ELEMENT_COLUMNS  # its index on the stack, where it was opened last; -1 if it is not open
    OPENING  # the ids of its tags on the tape; -1 for a tag that the tape does not have yet
    CLOSING
    EMPTY
    FIELDS

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
            self.fields.extend(array("q", rule[:ELEMENT_COLUMNS] + (-1, -1, -1, -1)))
            if len(self.fields) != (number + 1) * FIELDS or not 0 <= rule[ELEMENT_LEVEL] < LEVELS:
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
        top.before_on_level = self.last_on_level[field[ELEMENT_LEVEL]]
        field[LAST] = self.last_on_level[field[ELEMENT_LEVEL]] = self.depth
        self.depth += 1
        self.had_head |= field[ELEMENT_ROLE] == ROLE_HEAD or field[ELEMENT_ROLE] == ROLE_BODY
        self.had_body |= field[ELEMENT_ROLE] == ROLE_BODY
        self.add(name, OPENING)
        self.opened = self.tape.size
        return 0

    cdef int close(self) except -1:
        """Close the last open element; there is one."""
        cdef Open* top = &self.stack[self.depth - 1]
        cdef long long* field = self.field(top.name)
        self.depth -= 1
        field[LAST] = top.before
        self.last_on_level[field[ELEMENT_LEVEL]] = top.before_on_level
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
        return <int>self.field(self.stack[self.depth - 1].name)[ELEMENT_ROLE] if self.depth else -1

    cdef int start(self, Py_ssize_t name) except -1:
        """Close what the start of an element closes, and open what it implies."""
        cdef long long ends = self.field(name)[ELEMENT_CLOSES]
        cdef int role = <int>self.field(name)[ELEMENT_ROLE]
        while self.depth and self.field(self.stack[self.depth - 1].name)[ELEMENT_BIT] & ends:
            self.close()
        if role == ROLE_HTML:
            return 0
        if not self.depth:
            self.open(self.number_of("html"))
        if role == ROLE_BODY or role == ROLE_HEAD:
            return 0
        if role == ROLE_IN_HEAD and self.depth <= 1:
            if not self.had_head:
                self.open(self.number_of("head"))
        elif role != ROLE_WITHOUT_BODY:
            self.imply_body()
        return 0

    cdef int start_text(self) except -1:
        """Make room for text that is not blank."""
        return self.start(self.number_of("p")) if self.role() == ROLE_HEAD else self.imply_body()

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
        for level in range(<int>self.field(name)[ELEMENT_LEVEL] + 1, LEVELS):
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
        if self.role() <= ROLE_HEAD and self.role() != 0:  # none, <html> or <head>
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
        role = tree.field(name)[ELEMENT_ROLE]
        if closes:
            if end >= size:
                break
            if ROLE_HTML <= role <= ROLE_BODY and ignored:
                ignored -= 1  # of an element that was not opened
            else:
                tree.end(name)
            continue
        tree.start(name)
        is_kept = end < size
        if (
            (role == ROLE_HTML and tree.depth > 0)
            or (role == ROLE_HEAD and tree.depth != 1)
            or (role == ROLE_BODY and tree.field(name)[LAST] >= 0)
        ):
            is_kept = False
            ignored += 1
        if is_kept:
            if role == ROLE_HTML and not tree.tape.size:
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
        content = <int>tree.field(name)[ELEMENT_CONTENT]
        if content == CONTENT_NOTHING:
            tree.close()
        elif content != CONTENT_MARKUP:
            end = size
            if content != CONTENT_PLAIN_TEXT:
                end = end_of_raw(s, size, place, tree.names[name].encode(), content == CONTENT_SCRIPT)
            add_text(tree.tape, s, place, end, resolve if content == CONTENT_RAW_WITH_REFERENCES else None, True)
            place = end
    if tree.is_too_deep:
        return None
    while tree.depth:
        tree.close()
    tree.tape.end_text()
    return tree.tape, attributes
