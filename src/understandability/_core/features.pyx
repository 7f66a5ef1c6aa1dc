# cython: language_level=3, wraparound=False
"""What is read of tokens and words one by one: tags, syllables, hashes, sums of rows."""

from cpython.array cimport array, clone
from cpython.bytes cimport PyBytes_AS_STRING
from libc.string cimport memset

from understandability._core.utf8 cimport Bytes, found, prefetch

cdef extern from "Python.h":
    Py_UCS4 PyUnicode_READ_CHAR(object string, Py_ssize_t place)

cdef array _INTS = array("i"), _SHORTS = array("h")

# --- Tags of tokens

def add_rows(
    const signed char[:, ::1] weights, const int[::1] rows, short[:, ::1] table
) -> None:
    cdef Py_ssize_t place, column, columns = weights.shape[1]
    cdef const signed char* own
    cdef short* sums
    if table.shape[1] != columns + 1 or not columns or rows.shape[0] != table.shape[0]:
        raise ValueError("the tables of the tagger do not fit together")
    for place in range(table.shape[0]):
        if rows[place] >= 0:
            own, sums = &weights[rows[place], 0], &table[place, 0]
            for column in range(columns):
                sums[column] += own[column]


include "layout.pxi"


cdef inline int best_of(const short* score) noexcept:
    """The first of the tags with the highest score, without a branch that nobody can guess."""
    cdef int best = -1 << 30, tag, own
    for tag in range(TAGS):
        own = score[tag] * 32 + 31 - tag
        best = own if own > best else best
    return 31 - (best & 31)


def best_tags(
    const short[:, ::1] rows, const long long[::1] ids, const long long[::1] starts,
    const short[::1] boundary, const signed char[:, ::1] before,
    const signed char[:, ::1] around, const signed char[:, ::1] after,
    const signed char[:, ::1] word_around, unsigned char[::1] tags,
) -> None:
    cdef Py_ssize_t size = ids.shape[0], place, sentence, start, end, at, offset, tag, word_class
    cdef Py_ssize_t side = TAGS + 1, columns
    cdef array first_pass = clone(_INTS, size + 4, False)
    cdef int* first = first_pass.data.as_ints
    cdef array memory = clone(_SHORTS, size * TAGS, False)
    cdef short *scores = memory.data.as_shorts, *score
    cdef const short *row, *each[5]
    cdef const signed char *by_left, *by_both, *by_right, *by_word
    cdef int far_left, left, right, far_right
    columns = 5 * TAGS
    if (
        rows.shape[1] != columns + 1 or boundary.shape[0] < columns or tags.shape[0] != size
        or before.shape[0] != side * side or after.shape[0] != side * side
        or around.shape[0] != side * side * side or word_around.shape[0] % (side * side)
        or before.shape[1] != TAGS or around.shape[1] != TAGS or after.shape[1] != TAGS
        or word_around.shape[1] != TAGS
    ):
        raise ValueError("the tables of the tagger do not fit together")
    for sentence in range(starts.shape[0]):
        start = starts[sentence]
        end = starts[sentence + 1] if sentence + 1 < starts.shape[0] else size
        if not 0 <= start <= end <= size:
            raise IndexError("sentences are out of order")
        for place in range(start, end):
            score = scores + place * TAGS
            if place + 6 < size:
                for offset in range(0, columns, 32):
                    prefetch(&rows[ids[place + 6], offset])
            for offset in range(5):
                at = place + offset - 2
                row = &rows[ids[at], 0] if start <= at < end else &boundary[0]
                each[offset] = row + offset * TAGS
            for tag in range(TAGS):  # sums of some twenty bytes at most
                score[tag] = each[0][tag] + each[1][tag] + each[2][tag] + each[3][tag] + each[4][tag]
            first[place] = best_of(score)
        for place in range(start, end):
            score = scores + place * TAGS
            far_left = first[place - 2] if place - 2 >= start else TAGS
            left = first[place - 1] if place - 1 >= start else TAGS
            right = first[place + 1] if place + 1 < end else TAGS
            far_right = first[place + 2] if place + 2 < end else TAGS
            by_left = &before[far_left * side + left, 0]
            by_both = &around[(left * side + first[place]) * side + right, 0]
            by_right = &after[right * side + far_right, 0]
            word_class = rows[ids[place], columns]
            by_word = &word_around[(word_class * side + left) * side + right, 0]
            for tag in range(TAGS):
                score[tag] += by_left[tag] + by_both[tag] + by_right[tag] + by_word[tag]
            tags[place] = <unsigned char>best_of(score)


# --- The letters of words

cdef inline bint is_nucleus(Bytes s, Py_ssize_t place) noexcept:
    """Whether a letter of a word, between `^` and `$`, may carry a syllable."""
    cdef unsigned char c = s[place], before = s[place - 1], after = s[place + 1]
    if c == c"m":
        return before in b"sh" and after not in b"aeiouy"
    if c == c"'":
        return before in b"sxzh" and after == c"s"
    if c == c"c":
        return before == c"m" and s[place - 2] == c"^" and after not in b"aeiouyhk"
    return c in b"aeiouy"


def nuclei(
    list words, const int[::1] firsts, const unsigned char[::1] letters, const int[::1] codes,
    const long long[::1] roots, const short[::1] weights,
) -> list:
    cdef Py_ssize_t nucleus, before, place, node, step, end
    cdef long long evidence
    cdef bytes marked
    cdef Bytes s
    cdef list heavy, found_in = []
    for word in words:
        marked = b"^" + word.encode() + b"$"
        s, heavy = <Bytes>PyBytes_AS_STRING(marked), []
        for nucleus in range(1, len(marked) - 1):
            if not is_nucleus(s, nucleus):
                continue
            evidence = 0
            for before in range(min(nucleus + 1, roots.shape[0])):
                node = roots[before]
                for place in range(nucleus - before, len(marked)):
                    step, end = firsts[node], firsts[node + 1]
                    if not 0 <= step <= end <= letters.shape[0]:
                        raise IndexError("a pattern goes on where no node is")
                    step = found(&letters[0], end, <unsigned char>codes[min(s[place], 128)], step)
                    if step == end:
                        break
                    node = step + 2
                    evidence += weights[node]
            if evidence > 0:
                heavy.append(nucleus)
        found_in.append(heavy)
    return found_in


def hash_runs(list words, unsigned int[::1] out) -> None:
    cdef Py_ssize_t at = 0, size, length, start, place
    cdef unsigned int hashed, power, knuth = 2654435761U  # his multiplier
    cdef Py_UCS4 c
    cdef str word
    for word in words:
        size = len(word)
        for length in range(3, 7 if size > 5 else 6):
            length = size if length == 6 else length  # a longer word is a run itself
            for start in range(size - length + 1):
                hashed, power = 0, 1
                for place in range(start, start + length):
                    c = PyUnicode_READ_CHAR(word, place)
                    hashed += (63 if 0xD800 <= c < 0xE000 else <unsigned int>c) * power
                    power *= knuth
                hashed = (hashed ^ hashed >> 16) * knuth
                out[at] = (hashed ^ hashed >> 13) * knuth
                at += 1
# --- Sums over words, and over what they are parts of

def sum_rows(
    const int[:, :] table, const int[::1] ids, const long long[::1] starts, double[:, ::1] out
) -> None:
    cdef Py_ssize_t width = table.shape[1], segment, place, column
    cdef const int* row
    cdef double* sums
    if (
        out.shape[0] != starts.shape[0] - 1 or out.shape[1] != width
        or (width > 1 and table.strides[1] != sizeof(int))
    ):
        raise ValueError("the rows and their sums do not fit together")
    for segment in range(out.shape[0] if width else 0):
        sums = &out[segment, 0]
        memset(sums, 0, width * sizeof(double))
        for place in range(starts[segment], starts[segment + 1]):
            if place + 8 < ids.shape[0]:
                prefetch(&table[ids[place + 8], 0])
            row = &table[ids[place], 0]
            for column in range(width):
                sums[column] += row[column]
