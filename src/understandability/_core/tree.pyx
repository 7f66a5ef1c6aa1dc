# cython: language_level=3, wraparound=False
"""From the bytes of a page to the tape of its tree, as libxml2 2.14 builds it.

libxml2 repairs markup by a few rules, and this follows them: a start tag closes the elements that
its rule names, an end tag closes everything up to its element unless something of a higher level is
open in between, and ``html``, ``head`` and ``body`` are opened where they are missing.

- `stack` has the open elements, the outermost first, and `depth` is their number. It has a fixed
  size: a deeper page is not read as a tree.
- `fields` has a row of `FIELDS` numbers per name: the rule, the index on the stack of the last open
  element of that name (LAST), and the ids of its tags.
- Elements of one name are a chain: LAST, then `before` of that entry, and so on. Elements of one
  level are a chain in the same way (`last_on_level`, `before_on_level`). So an end tag does not
  search the stack: it compares LAST with the last index of each higher level.
- Each element is opened and closed once, so the time is linear in the page.
- An element that closes right after it was opened becomes one empty tag: `opened` is the size of
  the tape after the last opening tag.
"""

from cpython.array cimport array
from cpython.bytes cimport PyBytes_AS_STRING
from libc.string cimport memcmp, memset

from understandability._core.source cimport SLOTS, Slot, Tape, add_text, end_of_comment
from understandability._core.utf8 cimport Bytes, find_byte, is_letter, matches_name

include "layout.pxi"

# The fields of an element, after those of its rule.
cdef enum:
    LAST = ELEMENT_COLUMNS  # its index on the stack, where it was opened last; -1 if it is not open
    OPENING  # the ids of its tags on the tape; -1 for a tag that the tape does not have yet
    CLOSING
    EMPTY
    FIELDS

    LEVELS = 8
    MAX_DEPTH = 2048  # nested elements
    MAX_NAME = 100  # bytes


cdef struct Open:
    Py_ssize_t name
    Py_ssize_t before  # the index of the open element of this name before it; -1 for none
    Py_ssize_t before_on_level


cdef inline bint is_blank_byte(unsigned char c) noexcept:
    return c == 32 or c == 9 or c == 10 or c == 12 or c == 13


cdef class Tree:
    """The stack of open elements, and the tape to which they are written."""

    cdef Tape tape
    cdef object rule_of
    cdef dict numbers  # the ids of names
    cdef list names
    cdef array fields  # FIELDS numbers per name
    cdef Open[MAX_DEPTH + 1] stack
    cdef Py_ssize_t[LEVELS] last_on_level
    cdef Py_ssize_t depth
    cdef Py_ssize_t opened  # the size of the tape after the last opening tag; -1 before
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
                raise ValueError(f"{name!r} has a rule of another form than layout.ELEMENT_RULE: {rule}")
        return number

    cdef int add(self, Py_ssize_t name, int form) except -1:
        """Write the tag of a name: OPENING, CLOSING or EMPTY."""
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
        if self.depth >= MAX_DEPTH:
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
        """Close the innermost element. There must be one."""
        cdef Open* top = &self.stack[self.depth - 1]
        cdef long long* field = self.field(top.name)
        self.depth -= 1
        field[LAST] = top.before
        self.last_on_level[field[ELEMENT_LEVEL]] = top.before_on_level
        if (
            self.opened == self.tape.size
            and self.tape.filled == self.tape.ends.data.as_ints[self.tape.size - 1]
        ):
            self.tape.size -= 1  # it is empty: its opening tag becomes an empty tag
            self.add(top.name, EMPTY)
            self.opened = -1
        else:
            self.add(top.name, CLOSING)
        return 0

    cdef inline int role(self) noexcept:
        """Return the role of the innermost element; -1 if none is open."""
        return <int>self.field(self.stack[self.depth - 1].name)[ELEMENT_ROLE] if self.depth else -1

    cdef int start(self, Py_ssize_t name) except -1:
        """Close the elements that a start tag closes, and open those that it implies."""
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
        """Open the elements that text which is not blank implies."""
        return self.start(self.number_of("p")) if self.role() == ROLE_HEAD else self.imply_body()

    cdef int imply_body(self) except -1:
        if not self.depth:
            self.open(self.number_of("html"))
        if not self.had_body and self.field(self.number_of("head"))[LAST] < 0:
            self.open(self.number_of("body"))
        return 0

    cdef int end(self, Py_ssize_t name) except -1:
        """Close an element and those inside it, unless one of those has a higher level."""
        cdef Py_ssize_t last = self.field(name)[LAST]
        cdef int level
        for level in range(<int>self.field(name)[ELEMENT_LEVEL] + 1, LEVELS):
            if self.last_on_level[level] > last:
                return 0
        if last >= 0:
            while self.depth > last:
                self.close()
        return 0

    cdef int add_text(self, Bytes s, Py_ssize_t offset, Py_ssize_t end, object resolve) except -1:
        """Add text to the innermost element. Text that is not blank may open elements first."""
        cdef Py_ssize_t after = offset
        cdef bytes resolved
        if self.role() <= ROLE_HEAD and self.role() != 0:  # none, <html> or <head>
            while after < end and is_blank_byte(s[after]):
                after += 1
            if after < end and s[after] == c"&":  # the reference may mean a blank
                resolved = resolve((<const char*>s)[offset:end].decode()).encode()
                s, offset, end, resolve = <Bytes>PyBytes_AS_STRING(resolved), 0, len(resolved), None
            after = offset
            while after < end and is_blank_byte(s[after]):
                after += 1
            if self.depth:
                add_text(self.tape, s, offset, after, None, True)
            offset = after
            if offset < end:
                self.start_text()
        if offset < end:
            add_text(self.tape, s, offset, end, resolve, True)
        return 0


cdef Py_ssize_t end_of_attributes(Bytes s, Py_ssize_t size, Py_ssize_t offset) noexcept:
    """Return the offset of a tag's ">" or "/>", given the end of its name; or `size`."""
    while True:
        while offset < size and is_blank_byte(s[offset]):
            offset += 1
        if offset >= size or s[offset] == c">":
            return offset
        if s[offset] == c"/":
            if s[offset + 1] == c">":  # or the final NUL
                return offset
            offset += 1
            continue
        offset += 1  # a name may begin with any byte
        while offset < size and not (
            is_blank_byte(s[offset]) or s[offset] == c"/" or s[offset] == c">" or s[offset] == c"="
        ):
            offset += 1
        while offset < size and is_blank_byte(s[offset]):
            offset += 1
        if offset < size and s[offset] == c"=":
            offset += 1
            while offset < size and is_blank_byte(s[offset]):
                offset += 1
            if offset < size and (s[offset] == c'"' or s[offset] == c"'"):
                offset = min(size, find_byte(s, size, s[offset], offset + 1) + 1)
            else:
                while offset < size and s[offset] != c">" and not is_blank_byte(s[offset]):
                    offset += 1


cdef bint ends_name(
    Bytes s, Py_ssize_t size, Py_ssize_t offset, Bytes name, Py_ssize_t length
) noexcept:
    """Return True if a tag's name, given in lower case, is at an offset and ends there."""
    cdef unsigned char c = s[offset + length] if offset + length < size else 0
    return (
        matches_name(s, size, offset, name, length)
        and (c == c">" or c == c"/" or is_blank_byte(c))
    )


cdef Py_ssize_t end_of_raw(
    Bytes s, Py_ssize_t size, Py_ssize_t offset, bytes written, bint is_script
) noexcept:
    """Return the offset of the end tag of an element with raw text; `size` if there is none.

    A comment inside a script may contain scripts with end tags of their own.
    """
    cdef Bytes name = <Bytes>PyBytes_AS_STRING(written)
    cdef Py_ssize_t length = len(written)
    cdef int in_comment = 0  # 1 in a comment inside a script, 2 in a script inside that comment
    while offset < size:
        if s[offset] == c"<":
            if is_script and not in_comment and s[offset + 1] == c"!":
                if offset + 3 < size and s[offset + 2] == c"-" and s[offset + 3] == c"-":
                    in_comment = 1
            elif s[offset + 1] == c"/" and ends_name(s, size, offset + 2, name, length):
                if in_comment < 2:
                    return offset
                in_comment = 1
            elif in_comment == 1 and ends_name(s, size, offset + 1, name, length):
                in_comment = 2
        elif (
            in_comment and s[offset] == c"-" and offset + 2 < size
            and s[offset + 1] == c"-" and s[offset + 2] == c">"
        ):
            in_comment = 0
        if in_comment:
            offset += 1
        else:
            offset = find_byte(s, size, c"<", offset + 1)
    return size


def read_tree(bytes source, object rule_of, object resolve) -> tuple | None:
    cdef Bytes s = <Bytes>PyBytes_AS_STRING(source)
    cdef Py_ssize_t size = len(source), offset = 0, start, end, after, name, length, i
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
        offset = 3  # the byte order mark, which libxml2 takes for text on a page without tags
    while offset < size and not tree.is_too_deep:
        if s[offset] != c"<":
            end = find_byte(s, size, c"<", offset)
            tree.add_text(s, offset, end, resolve)
            offset = end
            continue
        c = s[offset + 1]  # or the final NUL
        closes = c == c"/"
        if c == c"!" and offset + 3 < size and s[offset + 2] == c"-" and s[offset + 3] == c"-":
            offset = end_of_comment(s, size, offset + 4)
            continue
        start = offset + 1 + closes
        if c == c"!" or c == c"?" or (closes and start < size and not is_letter(s[start])):
            offset = min(size, find_byte(s, size, c">", offset + 2) + 1)
            continue
        if not (start < size and is_letter(s[start])):
            end = min(size, offset + 1 + closes)
            tree.start_text()
            add_text(tree.tape, s, offset, end, None, True)
            offset = end
            continue

        after = start
        code = 0
        while after < size and not (
            is_blank_byte(s[after]) or s[after] == c">" or s[after] == c"/"
        ):
            code = code * 31 + s[after]
            after += 1
        length = after - start
        slot = &slots[code % SLOTS]
        if slot.names and slot.size == length and not memcmp(s + slot.start, s + start, length):
            name = slot.number
        else:
            name = tree.number_of(
                source[start : min(after, start + MAX_NAME)].lower().decode("utf-8", "ignore")
            )
            slot.start, slot.size, slot.number, slot.names = start, length, name, True
        end = end_of_attributes(s, size, after)
        offset = min(size, end + 1 + (end < size and s[end] == c"/"))
        role = tree.field(name)[ELEMENT_ROLE]
        if closes:
            if end >= size:
                break
            if ROLE_HTML <= role <= ROLE_BODY and ignored:
                ignored -= 1  # the end tag of an element that was not opened
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
                attributes = source[after:end]
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
                end = end_of_raw(
                    s, size, offset, tree.names[name].encode(), content == CONTENT_SCRIPT
                )
            add_text(
                tree.tape, s, offset, end,
                resolve if content == CONTENT_RAW_WITH_REFERENCES else None, True,
            )
            offset = end
    if tree.is_too_deep:
        return None
    while tree.depth:
        tree.close()
    tree.tape.end_text()
    return tree.tape, attributes
