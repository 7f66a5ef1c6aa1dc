# cython: language_level=3, wraparound=False
"""Tags, syllables, hashes and sums over tokens and words.

The functions read tables that Python code prepares (`feature.tagger`, `feature.syllables`,
`feature.batch`), and write into arrays that it allocates.

- Typed memory views check every index (Cython's `boundscheck`), so an id outside its table raises
  `IndexError`. Negative ids are refused too, because `wraparound` is off.
- Plain pointers are used only within one row, whose width was compared with the shapes first.
- Numbers in tables may be damaged; they can make a result wrong, never an access out of bounds.
- All sums of tags and hashes are of whole numbers, so they do not depend on order or machine.
"""

from cpython.array cimport array, clone
from cpython.bytes cimport PyBytes_AS_STRING
from libc.string cimport memset

from understandability._core.utf8 cimport Bytes, find_byte, prefetch

cdef extern from "Python.h":
    Py_UCS4 PyUnicode_READ_CHAR(object string, Py_ssize_t index)

cdef array _INTS = array("i"), _SHORTS = array("h")

# --- Tags of tokens

def add_rows(
    const signed char[:, ::1] weights, const int[::1] rows, short[:, ::1] table
) -> None:
    cdef Py_ssize_t index, column, columns = weights.shape[1]
    cdef const signed char* own
    cdef short* sums
    if table.shape[1] != columns + 1 or not columns or rows.shape[0] != table.shape[0]:
        raise ValueError("the tables of the tagger do not fit together")
    for index in range(table.shape[0]):
        if rows[index] >= 0:
            own, sums = &weights[rows[index], 0], &table[index, 0]
            for column in range(columns):
                sums[column] += own[column]


include "layout.pxi"


cdef inline int best_of(const short* score) noexcept:
    """Return the first tag with the highest score, without branches that would be mispredicted."""
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
    cdef Py_ssize_t size = ids.shape[0], index, sentence, start, end, at, offset, tag, word_class
    cdef Py_ssize_t side = TAGS + 1, columns
    cdef array first_pass = clone(_INTS, size + 4, False)
    cdef int* first = first_pass.data.as_ints
    cdef array memory = clone(_SHORTS, size * TAGS, False)
    cdef short *scores = memory.data.as_shorts, *score
    cdef const short *row, *rows_around[5]
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
        for index in range(start, end):
            score = scores + index * TAGS
            if index + 6 < size:
                for offset in range(0, columns, 32):
                    prefetch(&rows[ids[index + 6], offset])
            for offset in range(5):
                at = index + offset - 2
                row = &rows[ids[at], 0] if start <= at < end else &boundary[0]
                rows_around[offset] = row + offset * TAGS
            for tag in range(TAGS):  # a sum of about twenty bytes at most, so it fits
                score[tag] = (
                    rows_around[0][tag] + rows_around[1][tag] + rows_around[2][tag]
                    + rows_around[3][tag] + rows_around[4][tag]
                )
            first[index] = best_of(score)
        for index in range(start, end):
            score = scores + index * TAGS
            far_left = first[index - 2] if index - 2 >= start else TAGS
            left = first[index - 1] if index - 1 >= start else TAGS
            right = first[index + 1] if index + 1 < end else TAGS
            far_right = first[index + 2] if index + 2 < end else TAGS
            by_left = &before[far_left * side + left, 0]
            by_both = &around[(left * side + first[index]) * side + right, 0]
            by_right = &after[right * side + far_right, 0]
            word_class = rows[ids[index], columns]
            by_word = &word_around[(word_class * side + left) * side + right, 0]
            for tag in range(TAGS):
                score[tag] += by_left[tag] + by_both[tag] + by_right[tag] + by_word[tag]
            tags[index] = <unsigned char>best_of(score)


# --- Letters of words

cdef inline bint is_nucleus(Bytes s, Py_ssize_t index) noexcept:
    """Return True if a letter of a word between `^` and `$` may be the nucleus of a syllable."""
    cdef unsigned char c = s[index], before = s[index - 1], after = s[index + 1]
    if c == c"m":
        return before in b"sh" and after not in b"aeiouy"
    if c == c"'":
        return before in b"sxzh" and after == c"s"
    if c == c"c":
        return before == c"m" and s[index - 2] == c"^" and after not in b"aeiouyhk"
    return c in b"aeiouy"


def nuclei(
    list words, const int[::1] firsts, const unsigned char[::1] letters, const int[::1] codes,
    const long long[::1] roots, const short[::1] weights,
) -> list:
    cdef Py_ssize_t nucleus, before, index, node, step, end
    cdef long long evidence
    cdef unsigned char code
    cdef bytes marked
    cdef Bytes s
    cdef list heavy, nuclei_of_words = []
    for word in words:
        marked = b"^" + word.encode() + b"$"
        s, heavy = <Bytes>PyBytes_AS_STRING(marked), []
        for nucleus in range(1, len(marked) - 1):
            if not is_nucleus(s, nucleus):
                continue
            evidence = 0
            for before in range(min(nucleus + 1, roots.shape[0])):
                node = roots[before]
                for index in range(nucleus - before, len(marked)):
                    step, end = firsts[node], firsts[node + 1]
                    if not 0 <= step <= end <= letters.shape[0]:
                        raise IndexError("a pattern continues at a node that does not exist")
                    code = <unsigned char>codes[min(s[index], 128)]
                    step = find_byte(&letters[0], end, code, step)
                    if step == end:
                        break
                    node = step + 2
                    evidence += weights[node]
            if evidence > 0:
                heavy.append(nucleus)
        nuclei_of_words.append(heavy)
    return nuclei_of_words


def hash_runs(list words, unsigned int[::1] out) -> None:
    cdef Py_ssize_t at = 0, size, length, start, index
    cdef unsigned int hashed, power, knuth = 2654435761U  # Knuth's multiplier
    cdef Py_UCS4 c
    cdef str word
    for word in words:
        size = len(word)
        for length in range(3, 7 if size > 5 else 6):
            length = size if length == 6 else length  # a longer word is a run of its own
            for start in range(size - length + 1):
                hashed, power = 0, 1
                for index in range(start, start + length):
                    c = PyUnicode_READ_CHAR(word, index)
                    hashed += (63 if 0xD800 <= c < 0xE000 else <unsigned int>c) * power
                    power *= knuth
                hashed = (hashed ^ hashed >> 16) * knuth
                out[at] = (hashed ^ hashed >> 13) * knuth
                at += 1
# --- Sums over segments

def sum_rows(
    const int[:, :] table, const int[::1] ids, const long long[::1] starts, double[:, ::1] out
) -> None:
    cdef Py_ssize_t width = table.shape[1], segment, index, column
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
        for index in range(starts[segment], starts[segment + 1]):
            if index + 8 < ids.shape[0]:
                prefetch(&table[ids[index + 8], 0])
            row = &table[ids[index], 0]
            for column in range(width):
                sums[column] += row[column]
