# cython: language_level=3, wraparound=False
"""The statistics of sentences and the columns of passages, as sums over tokens and words.

`layout` has the columns; here each is PASSAGE_ or SENTENCE_ and its name. `model.passages` prepares
the tables, and one row per type is all that is looked up per token.

- ``bounds[s]`` to ``bounds[s + 1]`` are the tokens of sentence `s`, and ``word_bounds`` its words.
  Both are memory views, so a damaged bound raises `IndexError` when it is followed.
- A row is summed up first and divided at the end. Until then, columns that end in _PER_SENTENCE
  hold sums over sentences of prose: what each such sentence added to the column.
- `zipf` and `complexity` have the values of a passage's tokens that are not names, as the bits of
  floats. Floats from 0 up are ordered as their bits are, so whole numbers are sorted. Both have
  room for all tokens, and a passage with more tokens than that is refused.
- `times` counts each rare word, and is set back to 0 word by word, so the time is linear in the
  passage and not in the vocabulary. `last_seen` marks words with the number of the passage plus 1.
- Sums keep their order: the same passage has the same bits in any batch.
"""

from cpython.array cimport array, clone
from libc.math cimport NAN, log1p, rint, sqrt
from libc.string cimport memcpy, memset

from understandability._core.utf8 cimport prefetch

cdef array _INTS = array("i")

include "layout.pxi"

# All modules of the core are compiled together, so one fingerprint is enough.
LAYOUT = FINGERPRINT


def read_sentences(
    const unsigned char[:, ::1] types, const int[::1] ids, const long long[::1] bounds,
    const unsigned char[::1] tags, const long long[::1] firsts, const signed char[:, ::1] scores,
    int no_end, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t document, sentence, index, before, own, size
    cdef Py_ssize_t words = scores.shape[0] - TWELVE - 1
    cdef double* row
    cdef bytes held = bytes(ids)
    cdef set seen
    if (
        types.shape[1] != sizeof(Token) or words < 0 or scores.shape[1] != scores.shape[0]
        or out.shape[1] != SENTENCE_COLUMNS
    ):
        raise ValueError("the tables of sentences do not fit together")
    for document in range(firsts.shape[0] - 1):
        seen = set()
        for sentence in range(firsts[document], firsts[document + 1]):
            row = &out[sentence, 0]
            memset(row, 0, SENTENCE_COLUMNS * sizeof(double))
            before = -1
            for index in range(bounds[sentence], bounds[sentence + 1]):
                if index + 8 < ids.shape[0]:  # fetch early: memory is slow
                    prefetch(&types[ids[index + 8], 0])
                own = (<const Token*>&types[ids[index], 0]).frequent
                if tags[index] >= TWELVE:
                    raise IndexError(f"tag {tags[index]} of a token is not one of the twelve")
                row[SENTENCE_TAGS + tags[index]] += 1
                if own < 0:
                    if tags[index] == TWELVE_PUNCTUATION:
                        continue
                    own = words + tags[index]
                if before >= 0:
                    row[SENTENCE_PAIR_SCORES] += scores[before, own]
                    row[SENTENCE_PAIRS] += 1
                before = own
            if before >= 0:
                row[SENTENCE_IS_CUT] = scores[before, words + TWELVE] < no_end
                row[SENTENCE_HAS_END] = 1
            size = len(seen)
            seen.add(held[bounds[sentence] * sizeof(int) : bounds[sentence + 1] * sizeof(int)])
            row[SENTENCE_IS_FIRST] = len(seen) > size


cdef inline unsigned int slot_of(unsigned int pair, int shift) noexcept:
    """Return the first slot of a pair in a hash table of ``2 ** (32 - shift)`` slots."""
    return (pair * 2654435769U) >> shift  # Knuth's multiplier; the upper bits


cdef int shift_of(const unsigned int[::1] slots) except -1:
    """Return the shift for `slot_of`."""
    cdef int bits = 1
    while bits < 31 and (1U << bits) < slots.shape[0]:
        bits += 1
    if (1U << bits) != slots.shape[0]:
        raise ValueError("the number of slots is not a power of two")
    return 32 - bits


def hash_pairs(const unsigned int[::1] pairs, unsigned int[::1] slots) -> None:
    cdef int shift = shift_of(slots)
    cdef unsigned int at, last = slots.shape[0] - 1
    cdef Py_ssize_t index
    if 2 * pairs.shape[0] > slots.shape[0]:
        raise ValueError("less than half of the slots would be empty")
    for index in range(pairs.shape[0]):
        at = slot_of(pairs[index], shift)
        while slots[at] and slots[at] != pairs[index] + 1:
            at = (at + 1) & last
        slots[at] = pairs[index] + 1


cdef inline bint is_attested(
    const unsigned int* slots, unsigned int last, int shift, unsigned int pair
) noexcept:
    """Return True if a pair is in the hash table; its last slot is `last`."""
    cdef unsigned int at = slot_of(pair, shift), probes
    for probes in range(last):  # a table without an empty slot has to end, too
        if slots[at] == pair + 1:
            return True
        if not slots[at]:
            return False
        at = (at + 1) & last
    return False


cdef inline float dot(const float* one, const float* other) noexcept:
    """Return the dot product of two vectors, in eight sums that the processor adds at once."""
    cdef float[8] sums
    cdef float total = 0
    cdef int i, k
    for k in range(8):
        sums[k] = 0
    for i in range(0, VECTOR_SIZE - 7, 8):
        for k in range(8):
            sums[k] += one[i + k] * other[i + k]
    for i in range(VECTOR_SIZE - VECTOR_SIZE % 8, VECTOR_SIZE):
        total += one[i] * other[i]
    for k in range(8):
        total += sums[k]
    return total


cdef enum:
    PAIR_SLOTS = 1024  # of a hash table of pairs: more than twice `MAX_READ_TOKENS`


cdef Py_ssize_t distinct_pairs(const int* ids, Py_ssize_t size) noexcept:
    """Return the number of distinct pairs of neighbours among at most `MAX_READ_TOKENS` ids."""
    cdef unsigned long long[PAIR_SLOTS] slots
    cdef unsigned long long pair
    cdef Py_ssize_t index, distinct = 0
    cdef unsigned int at
    memset(slots, 0, sizeof(slots))
    for index in range(size - 1):
        pair = (<unsigned long long>ids[index] << 32 | <unsigned int>ids[index + 1]) + 1
        at = (pair * 11400714819323198485ULL) >> 54  # Knuth's multiplier; the upper ten bits
        while slots[at] and slots[at] != pair:
            at = (at + 1) % PAIR_SLOTS
        distinct += not slots[at]
        slots[at] = pair
    return distinct


def read_coherence(
    const int[::1] ids, const long long[::1] starts, const long long[::1] bounds,
    const int[::1] numbers, const int[::1] ranks, const unsigned int[::1] attested,
    unsigned int words, const signed char[:, ::1] vectors, const float[::1] scale,
    int first_content, const unsigned char[::1] wants_fit, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t document, sentence = 0, index, start, end, count, i
    cdef int one, two, rank, shift = shift_of(attested)
    cdef unsigned int last = attested.shape[0] - 1
    cdef float[FIT_WINDOW + 1][VECTOR_SIZE] units  # the vectors of the last content words, of length 1
    cdef double[FIT_WINDOW + 1] best
    cdef int[FIT_WINDOW + 1] last_ranks
    cdef float* unit
    cdef float length
    cdef double cosine
    cdef const signed char* vector
    if (
        out.shape[0] != starts.shape[0] - 1 or out.shape[1] != COHERENCE_COLUMNS
        or vectors.shape[1] != VECTOR_SIZE
        or scale.shape[0] != VECTOR_SIZE
    ):
        raise ValueError("the tables of coherence do not fit together")
    for document in range(out.shape[0]):
        start, end = starts[document], min(starts[document + 1], starts[document] + MAX_READ_TOKENS)
        if not 0 <= start <= end <= ids.shape[0]:
            raise IndexError("documents are out of order")
        for i in range(COHERENCE_COLUMNS):
            out[document, i] = 0
        count = 0
        for index in range(start, end):
            while sentence < bounds.shape[0] and bounds[sentence] <= index:
                sentence += 1  # the one after the token's own
            one = numbers[ids[index]]
            if one >= 0 and index + 1 < ids.shape[0] and not (
                sentence < bounds.shape[0] and bounds[sentence] == index + 1
            ):
                two = numbers[ids[index + 1]]
                if two >= 0:
                    out[document, COHERENCE_PAIRS] += 1
                    out[document, COHERENCE_GAINS] += is_attested(
                        &attested[0], last, shift, one * words + two
                    )
                    out[document, COHERENCE_GAINS] -= is_attested(
                        &attested[0], last, shift, two * words + one
                    )
            rank = ranks[ids[index]] if wants_fit[document] else -1
            if rank < 0 or rank < first_content:
                continue
            vector = &vectors[rank, 0]
            unit = units[count % (FIT_WINDOW + 1)]
            for i in range(VECTOR_SIZE):
                unit[i] = vector[i] * scale[i]
            length = 1 / (sqrt(dot(unit, unit)) + 1e-9)
            for i in range(VECTOR_SIZE):
                unit[i] *= length
            if count > FIT_WINDOW:  # the word that leaves the window has all its neighbours
                out[document, COHERENCE_FIT] += best[count % (FIT_WINDOW + 1)]
            best[count % (FIT_WINDOW + 1)] = 0
            last_ranks[count % (FIT_WINDOW + 1)] = rank
            for i in range(max(0, count - FIT_WINDOW), count):
                if last_ranks[i % (FIT_WINDOW + 1)] != rank:
                    cosine = dot(unit, units[i % (FIT_WINDOW + 1)])
                    best[i % (FIT_WINDOW + 1)] = max(best[i % (FIT_WINDOW + 1)], cosine)
                    best[count % (FIT_WINDOW + 1)] = max(best[count % (FIT_WINDOW + 1)], cosine)
            count += 1
        for i in range(max(0, count - FIT_WINDOW - 1), count):
            out[document, COHERENCE_FIT] += best[i % (FIT_WINDOW + 1)]
        out[document, COHERENCE_CONTENT] = count
        out[document, COHERENCE_TOKEN_PAIRS] = max(end - start - 1, 0)
        if end > start:
            out[document, COHERENCE_DISTINCT_PAIRS] = distinct_pairs(&ids[start], end - start)


cdef inline void add_vector(
    float* sums, const signed char* vector, float weight, float rarity
) noexcept:
    """Add a vector to the sum over tokens, and to the sum over rare words that follows it."""
    cdef int i
    for i in range(VECTOR_SIZE):
        sums[i] += weight * vector[i]
    for i in range(VECTOR_SIZE if rarity else 0):
        sums[VECTOR_SIZE + i] += rarity * (weight * vector[i])


cdef inline void divide(double* row, int start, int end, double by) noexcept:
    cdef int i
    for i in range(start, end):
        row[i] /= by


cdef void sort(int* values, Py_ssize_t size) noexcept:
    """Sort by Batcher's merge exchange (Knuth 5.2.2 M), without branches that are mispredicted."""
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
    """Add a token to the columns of tokens."""
    cdef int i
    cdef double over = token.logs[1]
    for i in range(8):
        if token.kinds[i] != NO_KIND:
            row[PASSAGE_TOKEN_KINDS + token.kinds[i]] += 1
    if token.flags & TOKEN_HAS_LETTER:
        for i in range(3):
            if token.zipf < ZIPF_LIMITS[i]:
                row[PASSAGE_ZIPF_UNDER + i] += ZIPF_LIMITS[i] - token.zipf
                row[PASSAGE_ZIPF_BELOW + i] += 1
    for i in range(4):
        row[PASSAGE_LOGS + i] += token.logs[i]
    row[PASSAGE_TOWARDS_PUBMED] += max(over, 0)
    row[PASSAGE_FAR_TOWARDS_PUBMED] += max(over - 1, 0)
    row[PASSAGE_TOWARDS_WIKIPEDIA] += max(token.logs[3], 0)
    row[PASSAGE_COMPLEXITY] += token.complexity
    for i in range(2):
        over = token.complexity - COMPLEXITY_LIMITS[i]
        if over > 0:
            row[PASSAGE_COMPLEXITY_OVER + i] += over
            row[PASSAGE_COMPLEXITY_ABOVE + i] += 1


cdef inline double quantile(const int* sorted_bits, Py_ssize_t size, double share) noexcept:
    """Return a quantile of sorted floats, given by their bits; NaN if there are none."""
    cdef float value
    if not size:
        return NAN
    memcpy(&value, sorted_bits + <Py_ssize_t>rint((size - 1) * share), sizeof(float))
    return value


def read_passages(
    const unsigned char[:, ::1] types, const int[::1] ids, const long long[::1] bounds,
    const int[:, ::1] kinds, const int[::1] word_ids, const long long[::1] word_bounds,
    const unsigned char[::1] names, const double[:, ::1] sentences,
    const signed char[:, ::1] vectors, const float[::1] scale, const int[:, ::1] by_sentence,
    const long long[::1] numbers, const unsigned char[::1] prose,
    const long long[::1] begins, const long long[::1] ends, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t passage, index, sentence, at, size, rare, distinct_rare, again
    cdef Py_ssize_t length, words, counted, with_letter, tokens, in_prose, distinct_words
    cdef array bits = clone(_INTS, 2 * ids.shape[0] + 1, False)  # see above
    cdef array of_rare = clone(_INTS, ids.shape[0] + 1, False)
    # How often each rare word occurs in a passage; the last passage with each word, counted from 1.
    cdef array times = clone(_INTS, types.shape[0] + 1, True)
    cdef array last_seen = clone(_INTS, types.shape[0] + 1, True)
    cdef int* zipf = bits.data.as_ints  # of tokens that are not names
    cdef int* complexity = zipf + ids.shape[0]
    cdef double *row, before[16]
    cdef double characters, weight, rarity, of_all_rarity, squares, pairs, ended, hardest, log
    cdef const int* kind
    cdef const Token* token
    cdef float sums[2 * VECTOR_SIZE]  # of vectors of all tokens, then of rare words
    cdef int i, is_name
    if (
        types.shape[1] != sizeof(Token) or kinds.shape[1] != WORD_COLUMNS
        or sentences.shape[1] != SENTENCE_COLUMNS or vectors.shape[1] != VECTOR_SIZE
        or scale.shape[0] != VECTOR_SIZE or by_sentence.shape[0] > 16 or by_sentence.shape[1] != 2
        or out.shape[1] != PASSAGE_COLUMNS
    ):
        raise ValueError("the tables of passages do not fit together")
    for passage in range(begins.shape[0]):
        row = &out[passage, 0]
        memset(row, 0, PASSAGE_COLUMNS * sizeof(double))
        memset(sums, 0, sizeof(sums))
        size = rare = distinct_rare = again = length = counted = with_letter = tokens = in_prose = 0
        weight = of_all_rarity = squares = pairs = ended = distinct_words = 0
        for index in range(begins[passage], ends[passage]):
            sentence = numbers[index]
            for i in range(<int>by_sentence.shape[0]):
                before[i] = out[passage, by_sentence[i, 0]]
            words = word_bounds[sentence + 1] - word_bounds[sentence]
            for at in range(word_bounds[sentence], word_bounds[sentence + 1]):
                if at + 8 < word_ids.shape[0]:
                    prefetch(&kinds[word_ids[at + 8], 0])
                kind = &kinds[word_ids[at], 0]
                for i in range(WORD_IN_CAPITALS):  # which is the last column of WORD
                    row[PASSAGE_WORD_KINDS + i] += kind[i]
                characters = kind[WORD_CHARACTERS]
                row[PASSAGE_CHARACTERS_SQUARED] += characters * characters
                if names[at] and not kind[WORD_IN_CAPITALS]:
                    row[PASSAGE_WORD_KINDS + WORD_DIFFICULT_WORDS] -= kind[WORD_DIFFICULT_WORDS]
            tokens += max(bounds[sentence + 1] - bounds[sentence], 0)
            if tokens > ids.shape[0]:
                raise IndexError("a passage has more tokens than there are")
            hardest = 0
            for at in range(bounds[sentence], bounds[sentence + 1]):
                if at + 8 < ids.shape[0]:  # fetch early: memory takes as long as ten tokens
                    prefetch(&types[ids[at + 8], 0])
                    token = <const Token*>&types[ids[at + 4], 0]
                    if token.vector >= 0:
                        prefetch(&vectors[token.vector, 0])
                        prefetch(&vectors[token.vector, 64])
                token = <const Token*>&types[ids[at], 0]
                add_token(row, token)
                counted += (token.flags & TOKEN_COUNTED) > 0
                hardest = max(hardest, token.complexity)
                weight += token.weight
                rarity = 0
                if token.flags & TOKEN_HAS_LETTER:
                    with_letter += 1
                    if last_seen.data.as_ints[ids[at]] != passage + 1:
                        last_seen.data.as_ints[ids[at]] = <int>passage + 1
                        distinct_words += 1
                        row[PASSAGE_DIFFICULTY_BY_WORDS] += token.difficulty
                    is_name = (
                        token.flags & TOKEN_CAPITALISED
                        and not token.flags & TOKEN_IN_CAPITALS
                    )
                    if not (is_name and at > bounds[sentence]):
                        memcpy(zipf + size, &token.zipf, sizeof(float))
                        memcpy(complexity + size, &token.complexity, sizeof(float))
                        size += 1
                        row[PASSAGE_COMPLEXITY_NOT_NAMES] += token.complexity
                        row[PASSAGE_COMPLEXITY_OVER_0_3_NOT_NAMES] += max(
                            token.complexity - COMPLEXITY_LIMITS[0], 0
                        )
                        row[PASSAGE_WITHOUT_VECTOR] += token.vector < 0
                        if token.zipf < RARE_ZIPF and not token.flags & TOKEN_CAPITALISED:
                            of_rare.data.as_ints[rare] = ids[at]
                            times.data.as_ints[ids[at]] += 1
                            rare += 1
                        rarity = max(RARITY_ZIPF - token.zipf, 0)
                        of_all_rarity += rarity
                if token.vector >= 0:
                    add_vector(sums, &vectors[token.vector, 0], token.weight, rarity)
            for i in range(TWELVE):
                row[PASSAGE_TAGS + i] += sentences[sentence, SENTENCE_TAGS + i]
            row[PASSAGE_WORD_ORDER] += sentences[sentence, SENTENCE_PAIR_SCORES]
            pairs += sentences[sentence, SENTENCE_PAIRS]
            row[PASSAGE_CUT_SENTENCES] += sentences[sentence, SENTENCE_IS_CUT]
            ended += sentences[sentence, SENTENCE_HAS_END]
            length += words
            row[PASSAGE_SHORT_FIELDS] += words < MIN_SENTENCE_WORDS
            if prose[index]:
                in_prose += 1
                for i in range(<int>by_sentence.shape[0]):
                    out[passage, by_sentence[i, 1]] += out[passage, by_sentence[i, 0]] - before[i]
                log = log1p(words)
                squares += log * log
                row[PASSAGE_SENTENCE_WORDS] += words
                row[PASSAGE_SENTENCE_LOG_WORDS] += log
                for i in range(3):
                    if words > LONG_SENTENCES[i]:
                        row[PASSAGE_LONGER + i] += words - LONG_SENTENCES[i]
                        if i:
                            row[PASSAGE_IN_LONGER + i - 1] += words
                row[PASSAGE_SENTENCE_HARDEST_WORD] += hardest

        row[PASSAGE_PROSE] = row[PASSAGE_SENTENCE_WORDS] / max(length, 1)
        divide(row, PASSAGE_WORD_KINDS, PASSAGE_WORDS_PER_SENTENCE, max(length, 1))
        divide(row, PASSAGE_TOKEN_KINDS, PASSAGE_TOKENS_PER_SENTENCE, max(counted, 1))
        divide(row, PASSAGE_TAGS, PASSAGE_TAGS + TWELVE, max(tokens, 1))
        divide(row, PASSAGE_SENTENCE_WORDS, PASSAGE_SENTENCE_LOG_WORDS_DEVIATION, in_prose or NAN)
        for i in range(<int>by_sentence.shape[0]):
            out[passage, by_sentence[i, 1]] /= in_prose or NAN
        for i in range(VECTOR_SIZE):
            row[PASSAGE_VECTOR + i] = sums[i] * scale[i] / max(weight, 0.5)
            row[PASSAGE_RARE_VECTOR + i] = sums[VECTOR_SIZE + i] * scale[i] / max(of_all_rarity, 1)
        sort(zipf, size)
        sort(complexity, size)
        for i in range(5):
            row[PASSAGE_ZIPF_QUANTILES + i] = quantile(zipf, size, ZIPF_SHARES[i])
            row[PASSAGE_COMPLEXITY_QUANTILES + i] = quantile(complexity, size, COMPLEXITY_SHARES[i])
        divide(row, PASSAGE_COMPLEXITY_NOT_NAMES, PASSAGE_NAMES, max(size, 1))
        row[PASSAGE_NAMES] = 1 - size / <double>max(with_letter, 1)
        for at in range(rare):
            i = of_rare.data.as_ints[at]
            distinct_rare += times.data.as_ints[i] > 0
            again += times.data.as_ints[i] if times.data.as_ints[i] > 1 else 0
            times.data.as_ints[i] = 0
        row[PASSAGE_RARE_WORDS] = distinct_rare / <double>max(with_letter, 1)
        row[PASSAGE_RARE_WORDS_AGAIN] = again / <double>max(with_letter, 1)
        row[PASSAGE_RARE_WORD_TIMES] = (rare + 1) / <double>(distinct_rare + 1)
        log = row[PASSAGE_SENTENCE_LOG_WORDS]
        squares = squares / (in_prose or NAN) - log * log
        # NaN stays NaN.
        row[PASSAGE_SENTENCE_LOG_WORDS_DEVIATION] = sqrt(squares) if squares > 0 else 0 * squares
        row[PASSAGE_SHORT_FIELDS] /= max(ends[passage] - begins[passage], 1)
        row[PASSAGE_WORD_ORDER] /= max(pairs, 1)
        row[PASSAGE_CUT_SENTENCES] /= max(ended, 1)
        row[PASSAGE_DIFFICULTY_BY_WORDS] /= max(distinct_words, 1)
        row[PASSAGE_SHORTNESS] = max(1 - length / <double>SHORT_TEXT, 0)
