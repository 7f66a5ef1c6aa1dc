# Characters of UTF-8 texts, read byte by byte. The modules of the core share these C functions,
# which are compiled into each module that uses them.
#
# A text is a pointer `s` to its first byte and its size, or an offset and an end. Functions look at
# s[offset] only where offset < size, or where the caller has checked that.

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport PyObject
from libc.string cimport memchr

cdef extern from "Python.h":
    void* PyUnicode_DATA(object string)
    bint PyUnicode_IS_ASCII(object string)
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


cdef inline object look_up(object cache, object key):
    """Return the entry of a `BoundedCache`, which computes it if it is missing."""
    cdef PyObject* known = PyDict_GetItem(cache, key)
    return <object>known if known is not NULL else cache[key]


cdef inline bint is_space(unsigned char c) noexcept:
    return c == 32 or 9 <= c <= 13


cdef inline bint is_ink(unsigned char c) noexcept:
    """Return True if no character of white space begins with a byte."""
    return 32 < c < 0xC2 or c > 0xE3


cdef inline bint is_letter(unsigned char c) noexcept:
    return 97 <= (c | 32) <= 122


cdef inline bint is_digit(unsigned char c) noexcept:
    return 48 <= c <= 57


cdef inline bint is_word(unsigned char c) noexcept:
    return is_letter(c) or is_digit(c) or c == c"_"


cdef inline unsigned char lowered(unsigned char c) noexcept:
    return c | 32 if 65 <= c <= 90 else c


cdef inline Py_ssize_t find_byte(Bytes s, Py_ssize_t size, unsigned char c, Py_ssize_t start) noexcept:
    """Return the offset of the first byte `c` from `start` on; `size` if there is none."""
    cdef Bytes offset
    if start >= size:
        return size
    offset = <Bytes>memchr(s + start, c, size - start)
    return size if offset == NULL else offset - s


cdef inline bint matches_name(
    Bytes s, Py_ssize_t size, Py_ssize_t offset, Bytes name, Py_ssize_t length
) noexcept:
    """Return True if a name, given in lower case, is at an offset, in any case."""
    cdef Py_ssize_t i
    if offset + length > size:
        return False
    for i in range(length):
        if lowered(s[offset + i]) != name[i]:
            return False
    return True


cdef inline Py_ssize_t blank_at(Bytes s, Py_ssize_t offset, Py_ssize_t end) noexcept:
    """Return the size in bytes of the non-ASCII white-space character at an offset; 0 for none."""
    cdef unsigned char c = s[offset], d, e
    if c == 0xC2:
        d = s[offset + 1] if offset + 1 < end else 0
        return 2 if d == 0x85 or d == 0xA0 else 0
    if c < 0xE1 or c > 0xE3 or offset + 2 >= end:
        return 0
    d, e = s[offset + 1], s[offset + 2]
    if c == 0xE2 and d == 0x80:
        return 3 if e <= 0x8A or e == 0xA8 or e == 0xA9 or e == 0xAF else 0
    return 3 if (c << 16 | d << 8 | e) in (0xE19A80, 0xE2819F, 0xE38080) else 0


cdef inline Py_ssize_t white_at(Bytes s, Py_ssize_t offset, Py_ssize_t end) noexcept:
    """Return the size in bytes of the character at an offset if `str.isspace` is True; else 0."""
    cdef unsigned char c = s[offset]
    if c < 0x80:
        return is_space(c) or 28 <= c <= 31
    return blank_at(s, offset, end)


cdef inline Py_ssize_t count_characters(Bytes s, Py_ssize_t offset, Py_ssize_t end) noexcept:
    """Return the number of characters of a text."""
    cdef Py_ssize_t number = 0, i
    for i in range(offset, end):
        number += (s[i] & 0xC0) != 0x80
    return number


cdef inline Py_UCS4 character_at(Bytes s, Py_ssize_t size, Py_ssize_t* offset) noexcept:
    """Return the character at an offset, and advance the offset past it."""
    cdef unsigned int c = s[offset[0]]
    cdef int more = 0 if c < 0x80 else 1 + (c >= 0xE0) + (c >= 0xF0)
    offset[0] += 1
    if more:
        c = c & (0x1F >> (more - 1))
    while more and offset[0] < size:
        c = (c << 6) | (s[offset[0]] & 0x3F)
        offset[0] += 1
        more -= 1
    return <Py_UCS4>c
