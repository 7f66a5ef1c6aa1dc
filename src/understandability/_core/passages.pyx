# cython: language_level=3, wraparound=False
"""What a sentence and a passage are described by: sums over tokens and words."""

from cpython.array cimport array, clone
from libc.math cimport NAN, log1p, rint, sqrt
from libc.string cimport memcpy, memset

from understandability._core.utf8 cimport prefetch

cdef array _INTS = array("i")

# --- Sentences and passages, as `understandability.model.passages` reads them

cdef struct Token:  # as `passages.TOKEN` has it
    float zipf
    float complexity
    float difficulty  # what it adds where it stands
    float[4] logs
    float weight  # of the vector
    int vector  # -1 for none
    short frequent  # which of the frequent words; -1 for none
    unsigned char flags
    unsigned char[8] kinds  # which columns of tokens it counts in; 255 for none

cdef enum:
    HAS_LETTER = 1, CAPITALISED = 2, IN_CAPITALS = 4, IS_COUNTED = 8  # flags of a token
    TWELVE = 12, PUNCTUATION = 11  # tags
    # Of a sentence behind them: the sum of its pairs' scores, their number; whether it ends where
    # none can, whether it has an end; whether it is the first of its kind.
    PAIRS = 12, ENDING = 14, IS_FIRST = 16, SENTENCE = 17
    # Of a passage, in the order of `passages.passage_columns`.
    DIFFICULT = 0, CHARACTERS = 1, WORD_KINDS = 12, OF_TOKENS = 15, ZIPF_UNDER = 56, ZIPF_BELOW = 59
    LOGS = 62, TOWARDS = 66, COMPLEXITY = 69, OVER = 70, ABOVE = 72, BY_SENTENCE = 77, VECTOR = 81
    OF_TAGS = 181, QUANTILES = 194, NOT_NAMES = 204, NAMES = 207, RARE = 208, LENGTH = 211
    LONGER = 213, HARDEST = 218, DEVIATION = 219, PROSE = 220, SHORT = 221, RARE_VECTOR = 222
    ORDER = 322, BY_WORDS = 324, SHORTNESS = 325, COLUMNS = 326
    DIMENSIONS = 100, LEAST_WORDS = 5

cdef double[10] SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 0.95, 0.99]


def read_sentences(
    const unsigned char[:, ::1] types, const int[::1] ids, const long long[::1] bounds,
    const unsigned char[::1] tags, const long long[::1] firsts, const signed char[:, ::1] scores,
    int no_end, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t document, sentence, place, before, own, size
    cdef Py_ssize_t words = scores.shape[0] - TWELVE - 1
    cdef double* row
    cdef bytes held = bytes(ids)
    cdef set seen
    if (
        types.shape[1] != sizeof(Token) or words < 0 or scores.shape[1] != scores.shape[0]
        or out.shape[1] != SENTENCE
    ):
        raise ValueError("the tables of sentences do not fit together")
    for document in range(firsts.shape[0] - 1):
        seen = set()
        for sentence in range(firsts[document], firsts[document + 1]):
            row = &out[sentence, 0]
            memset(row, 0, SENTENCE * sizeof(double))
            before = -1
            for place in range(bounds[sentence], bounds[sentence + 1]):
                if place + 8 < ids.shape[0]:  # what is needed soon; memory takes as long as many tokens
                    prefetch(&types[ids[place + 8], 0])
                own = (<const Token*>&types[ids[place], 0]).frequent
                if tags[place] >= TWELVE:
                    raise IndexError("there is no such tag")
                row[tags[place]] += 1
                if own < 0:
                    if tags[place] == PUNCTUATION:
                        continue
                    own = words + tags[place]
                if before >= 0:
                    row[PAIRS] += scores[before, own]
                    row[PAIRS + 1] += 1
                before = own
            if before >= 0:
                row[ENDING] = scores[before, words + TWELVE] < no_end
                row[ENDING + 1] = 1
            size = len(seen)
            seen.add(held[bounds[sentence] * sizeof(int) : bounds[sentence + 1] * sizeof(int)])
            row[IS_FIRST] = len(seen) > size


cdef inline void add_vector(float* sums, const signed char* vector, float weight, float rarity) noexcept:
    """Add a vector to the sum over tokens, and to that over rare ones behind it."""
    cdef int i
    for i in range(DIMENSIONS):
        sums[i] += weight * vector[i]
    for i in range(DIMENSIONS if rarity else 0):
        sums[DIMENSIONS + i] += rarity * (weight * vector[i])


cdef inline void divide(double* row, int start, int end, double by) noexcept:
    cdef int i
    for i in range(start, end):
        row[i] /= by


cdef void sort(int* values, Py_ssize_t size) noexcept:
    """Batcher's merge exchange (Knuth 5.2.2 M), without a branch that nobody can guess."""
    cdef Py_ssize_t most = 1, part, half, start, step, at
    cdef int one, two, exchanged
    while 2 * most < size:
        most *= 2
    part = most
    while part:
        half, start, step = most, 0, part
        while True:
            while start < size - step:
                for at in range(start, min(start + part, size - step)):
                    one, two = values[at], values[at + step]
                    exchanged = (one ^ two) & -(two < one)
                    values[at], values[at + step] = one ^ exchanged, two ^ exchanged
                start += 2 * part
            if half == part:
                break
            start, step, half = part, half - part, half // 2
        part //= 2


cdef void add_token(double* row, const Token* token) noexcept:
    """Add what a token is in the columns of tokens."""
    cdef int i
    cdef double over = token.logs[1]
    for i in range(8):
        if token.kinds[i] != 255:
            row[OF_TOKENS + token.kinds[i]] += 1
    if token.flags & HAS_LETTER:
        for i in range(3):
            if token.zipf < 3 + i:
                row[ZIPF_UNDER + i] += 3 + i - token.zipf
                row[ZIPF_BELOW + i] += 1
    for i in range(4):
        row[LOGS + i] += token.logs[i]
    row[TOWARDS] += max(over, 0)
    row[TOWARDS + 1] += max(over - 1, 0)
    row[TOWARDS + 2] += max(token.logs[3], 0)
    row[COMPLEXITY] += token.complexity
    for i in range(2):
        over = token.complexity - (0.3 if i == 0 else 0.4)
        if over > 0:
            row[OVER + i] += over
            row[ABOVE + i] += 1


def read_passages(
    const unsigned char[:, ::1] types, const int[::1] ids, const long long[::1] bounds,
    const int[:, ::1] kinds, const int[::1] word_ids, const long long[::1] word_bounds,
    const unsigned char[::1] names, const double[:, ::1] sentences,
    const signed char[:, ::1] vectors, const float[::1] scale, const int[:, ::1] by_sentence,
    const long long[::1] numbers, const unsigned char[::1] prose,
    const long long[::1] begins, const long long[::1] ends, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t passage, place, sentence, at, size, rare, different, again
    cdef Py_ssize_t length, words, counted, with_letter, tokens, in_prose, met_first
    cdef array bits = clone(_INTS, 2 * ids.shape[0] + 1, False)  # numbers from 0 up ascend as theirs
    cdef array of_rare = clone(_INTS, ids.shape[0] + 1, False)
    cdef array times = clone(_INTS, types.shape[0] + 1, True)  # of each rare word in a passage
    cdef array met = clone(_INTS, types.shape[0] + 1, True)  # the last passage of each word, from 1
    cdef int *zipf = bits.data.as_ints, *complexity = zipf + ids.shape[0]  # of what is no name
    cdef double *row, before[16]
    cdef double weight, rarity, of_all_rarity, squares, pairs, ended, hardest, log
    cdef const int* kind
    cdef const Token* token
    cdef float quantile, sums[2 * DIMENSIONS]  # of vectors
    cdef int i, is_name
    if (
        types.shape[1] != sizeof(Token) or kinds.shape[1] != WORD_KINDS + 1
        or sentences.shape[1] != SENTENCE or vectors.shape[1] != DIMENSIONS
        or scale.shape[0] != DIMENSIONS or by_sentence.shape[0] > 16 or by_sentence.shape[1] != 2
        or out.shape[1] != COLUMNS
    ):
        raise ValueError("the tables of passages do not fit together")
    for passage in range(begins.shape[0]):
        row = &out[passage, 0]
        memset(row, 0, COLUMNS * sizeof(double))
        memset(sums, 0, sizeof(sums))
        size = rare = different = again = length = counted = with_letter = tokens = in_prose = 0
        weight = of_all_rarity = squares = pairs = ended = met_first = 0
        for place in range(begins[passage], ends[passage]):
            sentence = numbers[place]
            for i in range(<int>by_sentence.shape[0]):
                before[i] = out[passage, by_sentence[i, 0]]
            words = word_bounds[sentence + 1] - word_bounds[sentence]
            for at in range(word_bounds[sentence], word_bounds[sentence + 1]):
                if at + 8 < word_ids.shape[0]:
                    prefetch(&kinds[word_ids[at + 8], 0])
                kind = &kinds[word_ids[at], 0]
                for i in range(WORD_KINDS):
                    row[i] += kind[i]
                row[WORD_KINDS] += <double>kind[CHARACTERS] * kind[CHARACTERS]
                if names[at] and not kind[WORD_KINDS]:
                    row[DIFFICULT] -= kind[DIFFICULT]
            tokens += max(bounds[sentence + 1] - bounds[sentence], 0)
            if tokens > ids.shape[0]:
                raise IndexError("a passage has more tokens than there are")
            hardest = 0
            for at in range(bounds[sentence], bounds[sentence + 1]):
                if at + 8 < ids.shape[0]:  # what is needed soon; memory takes as long as ten tokens
                    prefetch(&types[ids[at + 8], 0])
                    token = <const Token*>&types[ids[at + 4], 0]
                    if token.vector >= 0:
                        prefetch(&vectors[token.vector, 0])
                        prefetch(&vectors[token.vector, 64])
                token = <const Token*>&types[ids[at], 0]
                add_token(row, token)
                counted += (token.flags & IS_COUNTED) > 0
                hardest = max(hardest, token.complexity)
                weight += token.weight
                rarity = 0
                if token.flags & HAS_LETTER:
                    with_letter += 1
                    if met.data.as_ints[ids[at]] != passage + 1:
                        met.data.as_ints[ids[at]] = <int>passage + 1
                        met_first += 1
                        row[BY_WORDS] += token.difficulty
                    is_name = token.flags & CAPITALISED and not token.flags & IN_CAPITALS
                    if not (is_name and at > bounds[sentence]):
                        memcpy(zipf + size, &token.zipf, sizeof(float))
                        memcpy(complexity + size, &token.complexity, sizeof(float))
                        size += 1
                        row[NOT_NAMES] += token.complexity
                        row[NOT_NAMES + 1] += max(token.complexity - 0.3, 0)
                        row[NOT_NAMES + 2] += token.vector < 0
                        if token.zipf < 4 and not token.flags & CAPITALISED:
                            of_rare.data.as_ints[rare] = ids[at]
                            times.data.as_ints[ids[at]] += 1
                            rare += 1
                        rarity = max(5 - token.zipf, 0)
                        of_all_rarity += rarity
                if token.vector >= 0:
                    add_vector(sums, &vectors[token.vector, 0], token.weight, rarity)
            for i in range(TWELVE):
                row[OF_TAGS + i] += sentences[sentence, i]
            row[ORDER] += sentences[sentence, PAIRS]
            pairs += sentences[sentence, PAIRS + 1]
            row[ORDER + 1] += sentences[sentence, ENDING]
            ended += sentences[sentence, ENDING + 1]
            length += words
            row[SHORT] += words < LEAST_WORDS
            if prose[place]:
                in_prose += 1
                for i in range(<int>by_sentence.shape[0]):
                    out[passage, by_sentence[i, 1]] += out[passage, by_sentence[i, 0]] - before[i]
                log = log1p(words)
                squares += log * log
                row[LENGTH] += words
                row[LENGTH + 1] += log
                for i in range(3):
                    if words > 10 * (i + 1):
                        row[LONGER + i] += words - 10 * (i + 1)
                        row[LONGER + 2 + i] += words if i else 0
                row[HARDEST] += hardest

        row[PROSE] = row[LENGTH] / max(length, 1)
        divide(row, 0, WORD_KINDS + 1, max(length, 1))
        divide(row, OF_TOKENS, BY_SENTENCE, max(counted, 1))
        divide(row, OF_TAGS, OF_TAGS + TWELVE, max(tokens, 1))
        divide(row, LENGTH, HARDEST + 1, in_prose or NAN)
        for i in range(<int>by_sentence.shape[0]):
            out[passage, by_sentence[i, 1]] /= in_prose or NAN
        for i in range(DIMENSIONS):
            row[VECTOR + i] = sums[i] * scale[i] / max(weight, 0.5)
            row[RARE_VECTOR + i] = sums[DIMENSIONS + i] * scale[i] / max(of_all_rarity, 1)
        sort(zipf, size)
        sort(complexity, size)
        for i in range(10):
            at = <Py_ssize_t>rint(max(size - 1, 0) * SHARES[i])
            memcpy(&quantile, (zipf if i < 5 else complexity) + at, sizeof(float))
            row[QUANTILES + i] = quantile if size else NAN
        divide(row, NOT_NAMES, NAMES, max(size, 1))
        row[NAMES] = 1 - size / <double>max(with_letter, 1)
        for at in range(rare):
            i = of_rare.data.as_ints[at]
            different += times.data.as_ints[i] > 0
            again += times.data.as_ints[i] if times.data.as_ints[i] > 1 else 0
            times.data.as_ints[i] = 0
        row[RARE] = different / <double>max(with_letter, 1)
        row[RARE + 1] = again / <double>max(with_letter, 1)
        row[RARE + 2] = (rare + 1) / <double>(different + 1)
        squares = squares / (in_prose or NAN) - row[LENGTH + 1] * row[LENGTH + 1]
        row[DEVIATION] = sqrt(squares) if squares > 0 else 0 * squares  # NaN stays NaN
        row[SHORT] /= max(ends[passage] - begins[passage], 1)
        row[ORDER] /= max(pairs, 1)
        row[ORDER + 1] /= max(ended, 1)
        row[BY_WORDS] /= max(met_first, 1)
        row[SHORTNESS] = max(1 - length / 60.0, 0)  # no text of so many words is short
