# Characters of UTF-8 texts, read byte by byte. Shared by the modules of the core: C functions that are
# compiled into each module that uses them.
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


cdef inline object looked_up(object cache, object key):
    """What a `BoundedCache` has or makes."""
    cdef PyObject* known = PyDict_GetItem(cache, key)
    return <object>known if known is not NULL else cache[key]


cdef inline bint is_space(unsigned char c) noexcept:
    return c == 32 or 9 <= c <= 13


cdef inline bint is_ink(unsigned char c) noexcept:
    """Whether a byte cannot begin a character of white space."""
    return 32 < c < 0xC2 or c > 0xE3


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


cdef inline Py_ssize_t white_at(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """How many bytes a character has at a place that `str.isspace` calls white space; else 0."""
    cdef unsigned char c = s[place]
    if c < 0x80:
        return is_space(c) or 28 <= c <= 31
    return blank_at(s, place, end)


cdef inline Py_ssize_t characters(Bytes s, Py_ssize_t place, Py_ssize_t end) noexcept:
    """How many characters a text has."""
    cdef Py_ssize_t number = 0, i
    for i in range(place, end):
        number += (s[i] & 0xC0) != 0x80
    return number


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
