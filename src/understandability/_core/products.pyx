# cython: language_level=3, wraparound=False
"""Products of rows with a matrix; the result of a row depends on that row only.

BLAS adds in an order that depends on the shapes. Here each output is a sum in the order of the
inputs. The matrix is stored in blocks of `WIDTH` columns, and six rows are multiplied at once: six
rows times two vectors are twelve sums in registers, and each weight is fetched once for six rows.
If fewer than six rows remain, the last one is read again and its results are dropped.

With GCC on x86-64, the inner function is compiled for vectors of three sizes, and the processor
decides which of them is called. A process calls one of them only, so the same row has the same bits
in any batch.
"""

from libc.string cimport memset

ctypedef void (*OfFloats)(const float* const*, Py_ssize_t, const float*, float*) noexcept
ctypedef void (*OfDoubles)(const double* const*, Py_ssize_t, const double*, double*) noexcept

cdef extern from *:
    """
    #define PRODUCT_WIDTH 32

    #if defined(__GNUC__)
    #define PRODUCT(NUMBER, BYTES, TARGET)                                                         \\
        typedef NUMBER NUMBER##_vector_##BYTES                                                     \\
            __attribute__((vector_size(BYTES), aligned(sizeof(NUMBER)), may_alias));               \\
        TARGET static void multiply_##NUMBER##_##BYTES(                                            \\
            const NUMBER* const* rows, Py_ssize_t inputs, const NUMBER* block, NUMBER* out)        \\
        {                                                                                          \\
            enum { LANES = BYTES / sizeof(NUMBER) };                                               \\
            const NUMBER *row_0 = rows[0], *row_1 = rows[1], *row_2 = rows[2];                     \\
            const NUMBER *row_3 = rows[3], *row_4 = rows[4], *row_5 = rows[5];                     \\
            for (int first = 0; first < PRODUCT_WIDTH; first += 2 * LANES) {                       \\
                NUMBER##_vector_##BYTES left[6] = {{0}}, right[6] = {{0}};                         \\
                const NUMBER* weights = block + first;                                             \\
                for (Py_ssize_t i = 0; i < inputs; i++, weights += PRODUCT_WIDTH) {                \\
                    NUMBER##_vector_##BYTES one = *(const NUMBER##_vector_##BYTES*)weights;        \\
                    NUMBER##_vector_##BYTES two =                                                  \\
                        *(const NUMBER##_vector_##BYTES*)(weights + LANES);                        \\
                    left[0] += one * row_0[i], right[0] += two * row_0[i];                         \\
                    left[1] += one * row_1[i], right[1] += two * row_1[i];                         \\
                    left[2] += one * row_2[i], right[2] += two * row_2[i];                         \\
                    left[3] += one * row_3[i], right[3] += two * row_3[i];                         \\
                    left[4] += one * row_4[i], right[4] += two * row_4[i];                         \\
                    left[5] += one * row_5[i], right[5] += two * row_5[i];                         \\
                }                                                                                  \\
                for (int row = 0; row < 6; row++) {                                                \\
                    NUMBER* sums = out + row * PRODUCT_WIDTH + first;                              \\
                    *(NUMBER##_vector_##BYTES*)sums = left[row];                                   \\
                    *(NUMBER##_vector_##BYTES*)(sums + LANES) = right[row];                        \\
                }                                                                                  \\
            }                                                                                      \\
        }
    #else
    #define PRODUCT(NUMBER, BYTES, TARGET)                                                         \\
        static void multiply_##NUMBER##_##BYTES(                                                   \\
            const NUMBER* const* rows, Py_ssize_t inputs, const NUMBER* block, NUMBER* out)        \\
        {                                                                                          \\
            for (int row = 0; row < 6; row++) {                                                    \\
                NUMBER sums[PRODUCT_WIDTH] = {0};                                                  \\
                for (Py_ssize_t i = 0; i < inputs; i++)                                            \\
                    for (int column = 0; column < PRODUCT_WIDTH; column++)                         \\
                        sums[column] += block[i * PRODUCT_WIDTH + column] * rows[row][i];          \\
                for (int column = 0; column < PRODUCT_WIDTH; column++)                             \\
                    out[row * PRODUCT_WIDTH + column] = sums[column];                              \\
            }                                                                                      \\
        }
    #endif

    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
    PRODUCT(float, 64, __attribute__((target("avx512f"))))
    PRODUCT(double, 64, __attribute__((target("avx512f"))))
    PRODUCT(float, 32, __attribute__((target("avx2,fma"))))
    PRODUCT(double, 32, __attribute__((target("avx2,fma"))))
    #define PRODUCT_SELECT(NUMBER)                                                                 \\
        __builtin_cpu_supports("avx512f") ? multiply_##NUMBER##_64                                 \\
        : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")                          \\
            ? multiply_##NUMBER##_32 : multiply_##NUMBER##_16
    #else
    #define PRODUCT_SELECT(NUMBER) multiply_##NUMBER##_16
    #endif
    PRODUCT(float, 16, )
    PRODUCT(double, 16, )
    """
    enum:
        WIDTH "PRODUCT_WIDTH"
    OfFloats select_floats "PRODUCT_SELECT(float)"
    OfDoubles select_doubles "PRODUCT_SELECT(double)"

ctypedef fused number:
    float
    double

PRODUCT_WIDTH = WIDTH
cdef OfFloats of_floats = select_floats
cdef OfDoubles of_doubles = select_doubles


def multiply(
    const number[:, ::1] rows, const number[:, :, ::1] blocks, const double[::1] biases,
    double least, double[:, ::1] out,
) -> None:
    cdef Py_ssize_t row, column, first, block, count, width
    cdef const number* six[6]
    cdef number sums[6 * WIDTH]
    cdef double value, *written
    cdef const double* added
    if (
        rows.shape[1] != blocks.shape[1] or blocks.shape[2] != WIDTH
        or rows.shape[0] != out.shape[0] or blocks.shape[0] * WIDTH < out.shape[1]
        or biases.shape[0] != out.shape[1]
    ):
        raise ValueError("the rows, the matrix and the output do not fit together")
    for block in range((out.shape[1] + WIDTH - 1) // WIDTH):
        width = min(WIDTH, out.shape[1] - block * WIDTH)
        added = &biases[block * WIDTH]
        for first in range(0, rows.shape[0], 6):
            count = min(6, rows.shape[0] - first)
            if rows.shape[1]:
                for row in range(6):
                    six[row] = &rows[first + min(row, count - 1), 0]
                if number is float:
                    of_floats(six, rows.shape[1], &blocks[block, 0, 0], sums)
                else:
                    of_doubles(six, rows.shape[1], &blocks[block, 0, 0], sums)
            else:
                memset(sums, 0, sizeof(sums))
            for row in range(count):
                written = &out[first + row, block * WIDTH]
                for column in range(width):
                    value = sums[row * WIDTH + column] + added[column]
                    written[column] = least if value < least else value  # NaN stays NaN
