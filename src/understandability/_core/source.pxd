from cpython.array cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING

from understandability._core.utf8 cimport Bytes

cdef enum:
    SLOTS = 512  # of a table of the tags of a page, where most are found without making an object

cdef struct Slot:
    bint names
    Py_ssize_t start  # of the name in the source, and its size
    Py_ssize_t size
    Py_ssize_t number


cdef class Tape:
    cdef readonly list names
    cdef bytearray written  # all texts
    cdef array tags, ends  # the name of each tag; where each text ends, the one before all first
    cdef Py_ssize_t filled, size  # bytes of text; tags

    cdef int start(self, Py_ssize_t room, Py_ssize_t tags) except -1
    cdef int reserve(self, Py_ssize_t room) except -1
    cdef int write(self, bytes text) except -1
    cdef int end_text(self) except -1
    cdef int add_tag(self, Py_ssize_t number) except -1
    cdef str text(self, Py_ssize_t place)


cdef inline unsigned char* bytes_of(Tape tape) noexcept:
    return <unsigned char*>PyByteArray_AS_STRING(tape.written)


cdef inline int step(Tape tape, Py_ssize_t place, Py_ssize_t* start, Py_ssize_t* end) noexcept:
    """The number of a tag, and where the text behind it stands; behind the last -1 and none."""
    start[0] = tape.ends.data.as_ints[place]
    end[0] = tape.ends.data.as_ints[place + 1] if place < tape.size else start[0]
    return tape.tags.data.as_ints[place] if place < tape.size else -1


cdef inline Py_ssize_t text_start(Tape tape, Py_ssize_t place) noexcept:
    return tape.ends.data.as_ints[place - 1] if place else 0


cdef Py_ssize_t behind_comment(Bytes s, Py_ssize_t size, Py_ssize_t place) noexcept
cdef int add_text(
    Tape tape, Bytes s, Py_ssize_t place, Py_ssize_t end, object resolve, bint is_of_tree
) except -1
