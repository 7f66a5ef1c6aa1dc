# cython: language_level=3, wraparound=False
"""From a tape to blocks of text: the walks of the four extractors.

Each walk visits the tags of a tape once, in order, with the text after each. What a tag does is
looked up per name before the walk (`layout`: MainAction and so on), so the loops see whole numbers.

- `stack` has the open elements of a walk, `top` is the index of the innermost. Entry 0 is the body
  and is never removed. A stack has room for all tags of the tape.
- `Text` collects the text of the current block. It has room for all texts of the tape and a space
  per tag, so the loops need not grow it; only the Python texts of frames may exceed that, and
  `Text.add_str` makes room for them. Where a tape is walked in parts, `Text.add` still checks.
- A block is written when a tag ends it, and only if it has text.

`main` keeps a tree of sections besides. Sections are numbered as they open, so a parent has a
smaller number than its children, and the sections inside one are the numbers that follow it. So sums
over sections take one loop from the last section to the first (`PageLayout.sums`), and the sections
inside the main section are a range.
"""

from collections import Counter

from cpython.array cimport array, clone
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcpy

from understandability._core.source cimport Tape, bytes_of, step, text_start
from understandability._core.utf8 cimport (
    Bytes, Py_UNICODE_ISALNUM, Py_UNICODE_ISDECIMAL, PyUnicode_DATA, PyUnicode_IS_ASCII,
    character_at, count_characters, find_byte, is_ink, is_letter, look_up, white_at,
)

cdef array _INTS = array("i"), _LONGS = array("q")
cdef unsigned char[256] IS_INK  # `is_ink` as a table
cdef int _c
for _c in range(256):
    IS_INK[_c] = is_ink(<unsigned char>_c)

include "layout.pxi"


cdef bint is_blank_text(Bytes s, Py_ssize_t offset, Py_ssize_t end) noexcept:
    """Return True if a text is all white space."""
    cdef Py_ssize_t length
    while offset < end:
        length = white_at(s, offset, end)
        if not length:
            return False
        offset += length
    return True


cdef class Text:
    """A text under construction, in which each run of white space becomes one space.

    White space is the space and what is beyond ASCII or, with `of_all`, all that `str.isspace` has.
    """

    cdef bytearray written
    cdef unsigned char* out
    cdef Py_ssize_t filled, room
    cdef bint of_all
    cdef bint is_indented  # white space before the text was dropped

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

    cdef bint end_line(self) noexcept:
        """Add a line feed, where the block is cut later; return False at the start of a text."""
        if not self.filled or self.filled >= self.room:
            return False
        if self.out[self.filled - 1] == 32:
            self.filled -= 1
        self.out[self.filled] = 10
        self.filled += 1
        return True

    cdef int add(self, Bytes s, Py_ssize_t offset, Py_ssize_t end) except -1:
        cdef Py_ssize_t at = self.filled, length
        cdef unsigned char* out = self.out
        cdef unsigned char c
        cdef bint of_all = self.of_all
        if at + end - offset > self.room:
            raise IndexError("more text than there was room for")
        while offset < end:
            c = s[offset]
            if IS_INK[c]:
                out[at] = c
                at += 1
                offset += 1
                continue
            if c == 32:
                length = 1
            elif c > 32 or of_all:
                length = white_at(s, offset, end)
            else:
                length = 0
            if not length:
                out[at] = c
                at += 1
                offset += 1
                continue
            if not at:
                self.is_indented = True
            elif out[at - 1] != 32:
                out[at] = 32
                at += 1
            offset += length
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
        """Return True if the last three characters are letters."""
        cdef Py_ssize_t start = max(0, self.filled - 12)  # at most 12 bytes
        cdef str end = (<const char*>self.out)[start : self.filled].decode("utf-8", "ignore")
        end = end[max(0, len(end) - 3) :]
        return end.isalpha() and (len(end) == 3 or not self.is_indented)

    cdef str end(self):
        """Return the text without white space at its ends, and start a new one."""
        cdef Py_ssize_t size = self.filled
        cdef str text
        self.filled, self.is_indented = 0, False
        if size and self.out[size - 1] == 32:
            size -= 1
        if not size:
            return ""
        text = PyUnicode_DecodeUTF8(<const char*>self.out, size, NULL)
        if self.out[0] < 32 or self.out[size - 1] < 32:  # a control character that was a reference
            return text.strip()
        return text


cdef array counterparts_of(list names):
    """Return for each tag its end tag, and for each end tag its start tag; -1 for none."""
    cdef dict numbers = {name: number for number, name in enumerate(names)}
    return array("i", [numbers.get(("/" + name).removeprefix("//"), -1) for name in names])


cdef str NOT_SHOWN = "not shown"  # the hint of an element that its attributes hide


cdef Py_ssize_t count_byte(str text, unsigned char c) noexcept:
    """Return the number of times that a character occurs in a text of ASCII."""
    cdef Bytes s = <Bytes>PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), count = 0, offset = find_byte(s, size, c, 0)
    while offset < size:
        count += 1
        offset = find_byte(s, size, c, offset + 1)
    return count


cdef bint has_ascii_letter(str text) noexcept:
    """Return True if a text of ASCII has a letter."""
    cdef Bytes s = <Bytes>PyUnicode_DATA(text)
    cdef Py_ssize_t i
    for i in range(len(text)):
        if is_letter(s[i]):
            return True
    return False


cdef bint is_data(str text):
    """Return True if a text contains data or code of a program."""
    return any([len(run) > MAX_RUN and ("{" in run or '":' in run) for run in text.split()])


cdef class PageLayout:
    """A page as blocks in a tree of sections (0 is the root; parents come before children)."""

    cdef list texts
    cdef list elements
    cdef list reasons  # why each block is dropped; "" for a block that is kept
    cdef array numbers  # the memory of the columns below
    cdef int* section_of
    cdef int* linked  # characters in links
    cdef int* length  # characters
    cdef int* bits  # BlockBit and the level of a heading
    cdef int* prose  # the length of a block of prose; 0 for others
    cdef int* parent_of  # one entry per section, all others have one per block
    cdef dict kinds  # the labels of sections, by their names
    cdef Py_ssize_t size, last_section
    cdef bint is_thread
    cdef bint has_items  # list items that only a line break separates

    def __cinit__(self, Py_ssize_t tags):
        cdef Py_ssize_t room = tags + 1
        self.texts, self.elements, self.kinds, self.size = [], [], {}, 0
        self.numbers = clone(_INTS, 6 * room, False)
        self.section_of = self.numbers.data.as_ints
        self.linked = self.section_of + room
        self.length = self.linked + room
        self.bits = self.length + room
        self.prose = self.bits + room
        self.parent_of = self.prose + room

    cdef int add(self, str text, str element, int bits, int section, int linked) except -1:
        self.texts.append(text)
        self.elements.append(element)
        linked = min(linked, <int>len(text))  # it counts white space that is collapsed in the text
        if len(text) > MAX_RUN and ("{" in text or '":' in text) and is_data(text):
            linked = 2 * <int>len(text)  # so that it is dropped like a block of links
        self.section_of[self.size] = section
        self.linked[self.size] = linked
        self.length[self.size] = <int>len(text)
        self.bits[self.size] = bits
        self.size += 1
        return 0

    cdef inline double links(self, Py_ssize_t index) noexcept:
        """Return the share of a block's characters that are in links."""
        return <double>self.linked[index] / self.length[index]

    cdef inline int level(self, Py_ssize_t index) noexcept:
        """Return the level of a heading; 0 for another block."""
        return self.bits[index] & BLOCK_HEADING if self.length[index] <= MAX_HEADING else 0

    cdef int find_prose(self) except -1:
        """Set `prose` to the length of each block of prose, and to 0 for other blocks."""
        cdef Py_ssize_t index
        cdef long long total
        cdef int shortest
        cdef bint is_prose
        for shortest in PROSE_LENGTHS:
            total = 0
            for index in range(self.size):
                is_prose = (
                    self.length[index] >= shortest
                    and self.links(index) <= MAX_PROSE_LINKS
                    and not self.bits[index] & BLOCK_HIDDEN
                )
                self.prose[index] = self.length[index] if is_prose else 0
                total += self.prose[index]
            if total >= MIN_PROSE:
                break
        return 0

    cdef array sums(self, bint is_left):
        """Return the prose in each section, with the sections inside it.

        With `is_left`, only blocks that are not yet dropped count.
        """
        cdef array memory = clone(_LONGS, self.last_section + 1, True)
        cdef long long* sums = memory.data.as_longlongs
        cdef Py_ssize_t index
        for index in range(self.size):
            if not (is_left and self.reasons[index]):
                sums[self.section_of[index]] += self.prose[index]
        for index in range(self.last_section, 0, -1):
            sums[self.parent_of[index]] += sums[index]
        return memory

    cdef list inherited(self, dict kinds):
        """Return the label of the outermost labelled section around each, or its own; else ''."""
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
        """Drop sections by their labels, and set the first reasons."""
        cdef array sums = self.sums(False)
        cdef long long whole = sums.data.as_longlongs[0]
        cdef dict kinds = {}, lengths = {}
        cdef list dropped
        cdef Py_ssize_t index, section
        cdef double share
        cdef str kind
        cdef set wrong
        for section, kind in self.kinds.items():
            share = <double>sums.data.as_longlongs[section] / (whole or 1)
            if kind == "thread":
                self.is_thread |= share > MAX_SHARE
            elif kind == NOT_SHOWN or share <= (
                MAX_SIDEBAR_SHARE if kind == "sidebar"
                else MAX_CONSENT_SHARE if kind == "cookies"
                else MAX_SHARE
            ):
                kinds[section] = kind
        if not self.is_thread and "comments" in self.kinds.values():
            self.is_thread = is_forum()
        dropped = self.inherited(kinds)
        for index in range(self.size):
            if self.prose[index]:
                kind = dropped[self.section_of[index]]
                lengths[kind] = lengths.get(kind, 0) + self.prose[index]
        # Many small sections of one label may together be most of the text.
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
        self.reasons = [dropped[self.section_of[index]] for index in range(self.size)]
        return 0

    cdef Py_ssize_t common_section(self, Py_ssize_t index) noexcept:
        """Return the smallest section that contains a block and the next one."""
        cdef Py_ssize_t section = self.section_of[index]
        cdef Py_ssize_t other = self.section_of[min(index + 1, self.size - 1)]
        while section != other:
            if section > other:
                section = self.parent_of[section]
            else:
                other = self.parent_of[other]
        return section

    cdef int drop_endings(self, object closing, object is_ended) except -1:
        cdef Py_ssize_t index, section, newest = 0, around = 0, beside = -1, before = 0, least, i
        cdef int ended = 0, level
        cdef bint begun = False, is_beside
        cdef object group
        for index in range(self.size):
            section, level = self.section_of[index], self.level(index)
            if ended:
                least = around
                for i in range(newest + 1, section + 1):
                    least = min(least, self.parent_of[i])
                is_beside = self.parent_of[section] == beside and self.bits[index] == BLOCK_PARAGRAPH
                if min(section, least) < around or 0 < level <= ended or (
                    is_beside and self.prose[index]
                ):
                    ended = 0
            newest = max(newest, section)
            if self.reasons[index]:
                continue
            if level and begun and not ended:
                group = closing(self.texts[index])
                if group is not None and not (
                    (group and before < MIN_PROSE) or (group == "posts" and self.is_thread)
                ):
                    ended = level
                    around = self.common_section(index) if group != "posts" else 0
                    beside = self.parent_of[section] if group == "links" else -1
            if not begun and self.length[index] >= MIN_SENTENCE:
                begun = is_ended(self.texts[index])
            if ended:
                self.reasons[index] = "under a heading that ends the text"
            else:
                before += self.prose[index]
        return 0

    cdef int drop_outside(self, object is_ended) except -1:
        """Drop blocks outside the main section, and blocks in it that are not text.

        The main section is the smallest that contains nearly all prose. A
        question may be short compared with its answers.
        """
        cdef array sums = self.sums(True)
        cdef double least = (1.0 if self.is_thread else MAIN_SHARE) * sums.data.as_longlongs[0]
        cdef Py_ssize_t index, section, main = 0, parent, last
        cdef object times = Counter(self.texts)
        cdef set seen = set()
        if NOT_SHOWN in self.kinds.values():
            times = Counter(
                [
                    self.texts[index] for index in range(self.size)
                    if not self.bits[index] & BLOCK_HIDDEN
                ]
            )
        if sums.data.as_longlongs[0]:
            # Parents come before children, and two separate sections cannot both have that much.
            for section in range(1, self.last_section + 1):
                parent = self.parent_of[section]
                if parent > main and sums.data.as_longlongs[parent] >= least:
                    main = parent
        last = main  # of the sections in it, which are consecutive
        while last < self.last_section and self.parent_of[last + 1] >= main:
            last += 1
        for index in range(self.size):
            if not self.reasons[index]:
                if not main <= self.section_of[index] <= last:
                    self.reasons[index] = "outside the main section"
                    continue
                text = self.texts[index]
                self.reasons[index] = self.reason_to_drop(
                    index, times[text] > MAX_REPEATED and text in seen, is_ended
                )
                seen.add(text)
        for index in range(self.size - 1):
            if (
                self.level(index)
                and self.reasons[index] == "mostly links"
                and not self.reasons[index + 1]
                and not self.level(index + 1)
            ):
                self.reasons[index] = ""  # the title of a card whose text is kept
        return 0

    cdef str reason_to_drop(self, Py_ssize_t index, bint is_repeated, object is_ended):
        """Return the reason to drop a block of the main section; '' to keep it."""
        cdef str text = self.texts[index]
        cdef Py_ssize_t bars = 0
        cdef bint has_letter = False
        cdef Py_UCS4 c, before = 0
        if self.links(index) > MAX_LINKS and not (
            # A card of a grid, or a long link: a sentence to read.
            WHOLLY_LINKED <= self.links(index) <= 1
            and self.length[index] >= MIN_LINKED_SENTENCE
            and is_ended(text)
        ):
            return "mostly links" if self.links(index) <= 1 else "data of a program"
        if PyUnicode_IS_ASCII(text):  # most texts, where two searches are enough
            bars = count_byte(text, c"|") + count_byte(text, c">")
            has_letter = has_ascii_letter(text)
        else:
            for c in text:
                if c == 0xA9 and self.length[index] <= MAX_COPYRIGHT:
                    return "copyright line"
                if c == c"|" or c == c">" or c == 0xBB or c == 0x203A:
                    bars += 1
                elif (c == 0x2022 or c == 0xB7) and before and before != 10:
                    bars += 1  # at the start of a line, a bullet begins a list item
                before = c
                if not has_letter:
                    has_letter = Py_UNICODE_ISALNUM(c) and not Py_UNICODE_ISDECIMAL(c)
        if not self.bits[index] & BLOCK_CELL:
            if is_repeated and not self.level(index):
                return "stands on the page three times"
            if not has_letter:
                return "no words"
        if (
            bars * CHARACTERS_PER_BAR > len(text) + CHARACTERS_PER_BAR
            and self.elements[index] != "pre"
        ):
            return "labels between bars"
        return ""

    cdef bint is_title(self, Py_ssize_t index, object is_ended) except -1:
        """Return True for a heading that is directly followed by a sentence that is kept."""
        return (
            index + 1 < self.size
            and self.level(index) > 0
            and not self.level(index + 1)
            and not self.reasons[index + 1]
            and is_ended(self.texts[index + 1])
        )

    cdef int drop_edge(self, list indexes, int left, object is_ended) except -1:
        """Drop short blocks before the first prose, except those with bits in `left`."""
        cdef Py_ssize_t size = 0, index, beside
        cdef int* parent_of = self.parent_of
        cdef str text
        while size < len(indexes) and not self.prose[<Py_ssize_t>indexes[size]]:
            size += 1
        beside = indexes[size] if size < len(indexes) else -1
        for index in indexes[:size]:
            text = self.texts[index]
            if (
                not self.bits[index] & left
                and not (beside >= 0 and self.elements[index] == self.elements[beside]
                    and parent_of[self.section_of[index]] == parent_of[self.section_of[beside]])
                and not (" " in text and is_ended(text))
                and not self.is_title(index, is_ended)
                and not self.reasons[index]
            ):
                self.reasons[index] = "short, before or after the text"
        return 0

    cdef int drop_bare_headings(self) except -1:
        """Drop headings without text before the next heading of the same or a higher rank."""
        cdef Py_ssize_t index
        cdef int level, deepest = 0  # of the kept blocks that follow; text is 7
        for index in range(self.size - 1, -1, -1):
            level = self.level(index) or 7
            if not self.reasons[index]:
                if level < 7 and deepest <= level:
                    self.reasons[index] = "heading of nothing that is kept"
                else:
                    deepest = level
        return 0


def main_blocks(
    Tape tape, object rules, dict hints, object is_forum, object closing, object is_ended, str kept_as
) -> tuple:
    cdef PageLayout page = main_walk(tape, rules, hints)
    cdef list kept
    cdef Py_ssize_t index, length = 0
    page.find_prose()
    page.drop_named(is_forum)
    page.drop_endings(closing, is_ended)
    page.drop_outside(is_ended)
    kept = [index for index in range(page.size) if not page.reasons[index]]
    page.drop_edge(kept, BLOCK_ITEM | BLOCK_HEADING, is_ended)
    page.drop_edge(kept[::-1], BLOCK_ITEM, is_ended)
    page.drop_bare_headings()
    kept = [False] * page.size
    for index in range(page.size):
        if not page.reasons[index]:
            kept[index], page.reasons[index] = True, kept_as
            length += page.length[index]
    if page.has_items:
        return *cut_at_items(page, kept), length
    return page.texts, page.elements, kept, page.reasons, length


cdef tuple cut_at_items(PageLayout page, list kept):
    """The columns of the blocks, each list item after a line break a block of its own."""
    cdef list texts = [], elements = [], are_kept = [], reasons = []
    cdef Py_ssize_t index
    for index in range(page.size):
        for text in page.texts[index].split("\n"):
            text = text.strip(" ")
            if text:
                texts.append(text)
                elements.append(page.elements[index])
                are_kept.append(kept[index])
                reasons.append(page.reasons[index])
    return texts, elements, are_kept, reasons


cdef bint begins_item(Bytes s, Py_ssize_t start, Py_ssize_t end) noexcept:
    """Return True if a text begins with the mark of a list item: "2. ", "2) ", "• ", "- "."""
    cdef Py_ssize_t i = start, length
    while i < end:
        length = white_at(s, i, end)
        if not length:
            break
        i += length
    start = i
    while i < end and i < start + 2 and 48 <= s[i] <= 57:
        i += 1
    if i > start:
        if i >= end or (s[i] != c"." and s[i] != c")"):
            return False
        i += 1
    elif i < end and (s[i] == c"-" or s[i] == c"*"):
        i += 1
    elif i + 2 < end and s[i] == 0xE2 and s[i + 1] == 0x80 and (s[i + 2] == 0xA2 or s[i + 2] == 0x93):
        i += 3  # a bullet, a dash
    else:
        return False
    return i < end and white_at(s, i, end) > 0


cdef struct Rule:  # of a tag's name
    int action, other, bit, ends, element, are_open


cdef bint is_closed(Tape tape, Rule* rule, Py_ssize_t index) noexcept:
    """Return True if the link that a tag opens is closed before the next one is opened."""
    cdef int action
    for index in range(index + 1, tape.size):
        action = rule[tape.tags.data.as_ints[index]].action
        if action == MAIN_LINK or action == MAIN_END_LINK:
            return action == MAIN_END_LINK
    return False


cdef Py_ssize_t end_of_hidden(Tape tape, int other, Py_ssize_t start) noexcept:
    """Return the index of the end tag of an element of a line; -1 if it is nowhere near.

    `other` is the number of the end tag.
    """
    cdef Py_ssize_t index, depth = 0
    cdef int tag = tape.tags.data.as_ints[start]
    if other < 0:
        return -1
    for index in range(start, min(tape.size, start + MAX_TAGS_HIDDEN)):
        if tape.tags.data.as_ints[index] == tag:
            depth += 1
        elif tape.tags.data.as_ints[index] == other:
            depth -= 1
            if not depth:
                return index
    return -1


cdef PageLayout main_walk(Tape tape, object rules, dict hints):
    cdef PageLayout page = PageLayout(tape.size + 1)
    cdef list names = tape.names if "body" in tape.names else [*tape.names, "body"]
    cdef list kind_of = [None] * len(names)
    cdef dict numbers = {name: number for number, name in enumerate(names)}
    cdef array rules_of_names = clone(_INTS, len(names) * (sizeof(Rule) // sizeof(int)), True)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef Rule* rule = <Rule*>rules_of_names.data.as_ints  # per name
    cdef int* stack = open_elements.data.as_ints  # at most as deep as the number of tags
    cdef int* parent_of = page.parent_of  # at most one per tag, and the root
    cdef Bytes s = bytes_of(tape)
    cdef Text block = Text(tape.filled + tape.size + 1)
    cdef Py_ssize_t index, start, end, section = 0, last_section = 0, linked = 0, top = 0, hinted
    cdef Py_ssize_t hidden = 0, skipped_to = -1  # the section that is not shown; the end of a line's
    cdef bint in_link = False, ends_with_block = False, after_break = False
    cdef int action, tag, skipped = -1, ended, body = numbers["body"]
    cdef str text, end_tag
    cdef object kind, hint_indexes = iter(hints)
    for tag in range(len(names)):
        (
            rule[tag].action, end_tag, rule[tag].bit, rule[tag].ends, rule[tag].element, kind_of[tag]
        ) = look_up(rules, names[tag])
        rule[tag].other = numbers.get(end_tag, -1)
        if rule[tag].action == MAIN_SKIP and rule[tag].other < 0:
            rule[tag].action = MAIN_SPACE
    hinted = next(hint_indexes, -1)
    stack[0], rule[body].are_open, parent_of[0] = body, 1, 0
    block.add(s, 0, tape.ends.data.as_ints[0])
    for index in range(tape.size + 1):
        tag = step(tape, index, &start, &end)
        action = rule[tag].action if tag >= 0 else MAIN_CLOSE
        while hinted >= 0 and hinted < index:
            hinted = next(hint_indexes, -1)
        if index <= skipped_to:
            if index < skipped_to:
                continue
        elif skipped >= 0:
            if tag != skipped:
                continue
            skipped = -1
            action = MAIN_SPACE
        elif hinted == index and action <= MAIN_LINK and hints[index] == NOT_SHOWN:
            skipped_to = end_of_hidden(tape, rule[tag].other, index)
            if skipped_to >= 0:
                block.add_space()
                continue
        if action < MAIN_BREAK or (action == MAIN_BREAK and not after_break):
            if action == MAIN_LINK:
                in_link = True
                ends_with_block = not is_closed(tape, rule, index)
            elif action == MAIN_END_LINK:
                in_link = False
            elif action:
                if action == MAIN_BREAK and begins_item(s, start, end):
                    page.has_items |= block.end_line()
                else:
                    block.add_space()
                after_break = action == MAIN_BREAK
            if end > start:
                block.add(s, start, end)
                if in_link:
                    linked += count_characters(s, start, end)
                if after_break and not is_blank_text(s, start, end):
                    after_break = False
            continue
        if action == MAIN_SKIP:
            skipped = rule[tag].other
            continue
        text = block.end()
        if text:
            ended = stack[top]
            page.add(
                text, names[ended], rule[ended].element | (BLOCK_HIDDEN if hidden else 0), <int>section,
                <int>linked,
            )
        linked = 0
        if ends_with_block:
            in_link = ends_with_block = False
        if end > start:
            block.add(s, start, end)
            if in_link:
                linked = count_characters(s, start, end)
        after_break = False
        if tag < 0:
            break
        if action == MAIN_OPEN:
            while rule[stack[top]].bit & rule[tag].ends:
                rule[stack[top]].are_open -= 1
                top -= 1  # never below 0: the body has no bit
                section = parent_of[section]
            if section < hidden:
                hidden = 0
            last_section += 1
            parent_of[last_section] = <int>section
            section = last_section
            top += 1
            stack[top] = tag
            rule[tag].are_open += 1
            kind = (hints[index] if hinted == index else None) or kind_of[tag]
            if kind:
                page.kinds[section] = kind
                if not hidden and kind == NOT_SHOWN:
                    hidden = section
        elif action == MAIN_CLOSE:
            tag = rule[tag].other
            while section and tag >= 0 and rule[tag].are_open:
                section = parent_of[section]
                ended = stack[top]
                top -= 1
                rule[ended].are_open -= 1
                if ended == tag:
                    break
            if section < hidden:
                hidden = 0
    page.last_section = last_section
    return page


def naive_walk(Tape tape, dict actions, object unparsed) -> tuple:
    cdef list fields = [], elements = [], names = tape.names
    cdef array action_of = array("i", [actions.get(name, 0) for name in names])
    cdef array other_of = counterparts_of(names)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef int* stack = open_elements.data.as_ints  # open tags; the first is the body
    cdef Bytes s = bytes_of(tape)
    cdef Text field = Text(tape.filled + tape.size + 1, True)
    cdef Py_ssize_t index, start, end, top = 0
    cdef int action, tag, dropped = -1, last = -1
    cdef bint was_empty = True
    cdef str text, name
    field.add(s, 0, tape.ends.data.as_ints[0])
    for index in range(tape.size + 1):
        tag = step(tape, index, &start, &end)
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
                field.add_str(unparsed(tape.text(index + 1)))
            else:
                field.add(s, start, end)
            if name[0] == "/":
                top -= top > 0
            elif not name.endswith("/"):
                top += 1
                stack[top] = tag
        elif action == NAIVE_DROP:
            dropped = other_of.data.as_ints[tag]
            if dropped < 0:  # it is never closed
                break
        else:
            if action == NAIVE_SPACE or (
                action == NAIVE_LINK
                and was_empty
                and last >= 0
                and last == other_of.data.as_ints[tag]
                and field.ends_in_letters()
                and tape.text(index + 1)[:3].isalpha()
            ):
                field.add_space()
            field.add(s, start, end)
        last, was_empty = tag, start == end
    return fields, elements
cdef Py_ssize_t words_in(Bytes s, Py_ssize_t size, Bytes kinds) noexcept:
    """Return the number of words. `kinds`: 1 for bytes of words, 2 for bytes to ignore."""
    cdef Py_ssize_t number = 0, index = 0
    cdef Py_UCS4 c
    cdef bint in_word = False, is_word
    while index < size:
        c = character_at(s, size, &index)
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
    cdef int* stack = open_elements.data.as_ints  # open tags; the first is the body
    cdef Bytes s = bytes_of(tape)
    cdef Text block = Text(tape.filled + tape.size + 1), linked = Text(block.room)
    cdef bytes kind_of = bytes([  # per ASCII byte: 1 in words, 2 ignored, 0 between words
        1 if chr(code).isalnum() else 2 if chr(code) in marks else 0 for code in range(128)
    ])
    cdef Bytes kinds = <Bytes>PyBytes_AS_STRING(kind_of)
    cdef Py_ssize_t index, start, end, top = 0, ignored = 0, number, number_linked
    cdef int action, tag
    cdef bint in_link = False
    cdef str text, content
    block.add(s, 0, tape.ends.data.as_ints[0])
    for index in range(tape.size + 1):
        tag = step(tape, index, &start, &end)
        action = action_of.data.as_ints[tag] if tag >= 0 else BOILERPIPE_CLOSE
        if index == without:
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
                content = unparsed(tape.text(index + 1))
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
    cdef array other_of = counterparts_of(names)
    cdef array open_elements = clone(_INTS, tape.size + 1, False)
    cdef int* stack = open_elements.data.as_ints  # open tags; the first is the body
    cdef Bytes s = bytes_of(tape)
    cdef Text block = Text(tape.filled + tape.size + 1, True), link = Text(block.room, True)
    cdef bytearray since = bytearray(tape.filled + 1)  # the text since the last tag that counts
    cdef unsigned char* chunk = <unsigned char*>PyByteArray_AS_STRING(since)
    cdef Py_ssize_t index, start, end, size = 0, top = 0, linked = 0, killed_depth = 0
    cdef Py_ssize_t heading_depth = 0, select_depth = 0
    cdef int action, tag, killed = -1, end_of_link = names.index("/a") if "/a" in names else -2
    cdef bint in_link = False, after_break = False, in_heading = False, in_select = False
    cdef str text
    if not 0 <= first <= last <= tape.size:
        raise IndexError(f"a tape of {tape.size} tags has none from {first} to {last}")
    for index in range(first - 1, last + 1):
        if index < first:  # the text before the first tag
            start, end = text_start(tape, first), tape.ends.data.as_ints[first]
            tag, action = -1, JUSTEXT_UNWRAP
        elif index < last:
            tag = tape.tags.data.as_ints[index]  # one of the names
            action = action_of.data.as_ints[tag]
            start, end = tape.ends.data.as_ints[index], tape.ends.data.as_ints[index + 1]
        else:  # the end
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
                linked += count_characters(link.out, 0, link.filled) + link.is_indented
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
