from cpython.array cimport array
from cpython.bytearray cimport PyByteArray_AS_STRING

from understandability._core.utf8 cimport Bytes

cdef enum:
    SLOTS = 512  # of a table of the tags of a page: most lookups create no Python object

cdef struct Slot:
    bint names
    Py_ssize_t start  # the offset of the name in the source
    Py_ssize_t size
    Py_ssize_t number


cdef class Tape:
    cdef readonly list names
    cdef bytearray written  # all texts, one after another
    cdef array tags  # the id of each tag's name
    cdef array ends  # the end of each text in `written`; text i is before tag i
    cdef Py_ssize_t filled  # bytes of text
    cdef Py_ssize_t size  # tags

    cdef int start(self, Py_ssize_t room, Py_ssize_t tags) except -1
    cdef int reserve(self, Py_ssize_t room) except -1
    cdef int write(self, bytes text) except -1
    cdef int end_text(self) except -1
    cdef int add_tag(self, Py_ssize_t number) except -1
    cdef str text(self, Py_ssize_t index)


cdef inline unsigned char* bytes_of(Tape tape) noexcept:
    return <unsigned char*>PyByteArray_AS_STRING(tape.written)


cdef inline int step(Tape tape, Py_ssize_t index, Py_ssize_t* start, Py_ssize_t* end) noexcept:
    """Return the id of a tag, and write the span of the text after it.

    After the last tag, return -1, and write an empty span.
    """
    start[0] = tape.ends.data.as_ints[index]
    end[0] = tape.ends.data.as_ints[index + 1] if index < tape.size else start[0]
    return tape.tags.data.as_ints[index] if index < tape.size else -1


cdef inline Py_ssize_t text_start(Tape tape, Py_ssize_t index) noexcept:
    return tape.ends.data.as_ints[index - 1] if index else 0


cdef Py_ssize_t end_of_comment(Bytes s, Py_ssize_t size, Py_ssize_t offset) noexcept
cdef int add_text(
    Tape tape, Bytes s, Py_ssize_t offset, Py_ssize_t end, object resolve, bint is_of_tree
) except -1
