/* Tally in C: reductions and scans of arrays, with the bits and at the speed of the C++ library.
 *
 *     float values[4] = {1, 2, 3, 4}, sums[4];
 *     int64_t shape[1] = {4};
 *     tally_array in = {values, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, shape, NULL, 0};
 *     tally_array out = in;
 *     out.data = sums;
 *     if (tally_scan(&in, 0, &out, TALLY_PLUS, NULL) != TALLY_OK) puts(tally_last_message());
 *
 * Each sequence has the bits of a call on it alone, whatever the number of threads, and whatever else shares the call.
 *
 * Every function returns TALLY_OK or another tally_status, and may be called from several threads at once. A call that
 * is refused has written nothing; tally_last_message() then says what is wrong, where, and what would be right.
 *
 * This interface only grows: a program that was linked with libtally.so.1 runs with every later libtally.so.1. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

/* major * 10000 + minor * 100 + patch of this header; tally_version() has that of the library. */
#define TALLY_VERSION 200

#if defined(__GNUC__)
#define TALLY_API __attribute__((visibility("default")))
#else
#define TALLY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tally_status {
  TALLY_OK = 0,
  TALLY_WRONG_ARGUMENT = 1, /* the call breaks its contract */
  TALLY_NOT_SUPPORTED = 2,  /* a type, an operator or a device that this library has no code for */
  TALLY_NO_MEMORY = 3,
  TALLY_FAILED = 4          /* anything else; the message has the details */
} tally_status;

/* The message of the last call of this thread that did not return TALLY_OK; "" if there was none. It is valid until
 * the thread's next call that fails. */
TALLY_API const char* tally_last_message(void);

/* The version of the library: TALLY_VERSION of the header that it was built with. */
TALLY_API int32_t tally_version(void);

/* ---- Arrays ---------------------------------------------------------------------------------------------------- */

/* The layout and the numbers of these types are DLPack's: a DLTensor may be passed where a tally_array is asked for. */

enum { TALLY_CPU = 1, TALLY_CUDA = 2 };

typedef struct tally_device {
  int32_t type; /* TALLY_CPU */
  int32_t number;
} tally_device;

enum {
  TALLY_INT = 0,
  TALLY_UINT = 1,
  TALLY_FLOAT = 2,
  TALLY_OPAQUE = 3, /* bytes that only an operator of the caller's understands */
  TALLY_BFLOAT = 4,
  TALLY_COMPLEX = 5,
  TALLY_BOOL = 6
};

/* An element has `lanes` values of `bits` bits. Elements of n bytes for an operator of the caller's may be called
 * {TALLY_OPAQUE, 8, n}. */
typedef struct tally_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} tally_type;

/* Initialisers: tally_type type = TALLY_FLOAT32; */
#define TALLY_INT8 {TALLY_INT, 8, 1}
#define TALLY_INT16 {TALLY_INT, 16, 1}
#define TALLY_INT32 {TALLY_INT, 32, 1}
#define TALLY_INT64 {TALLY_INT, 64, 1}
#define TALLY_UINT8 {TALLY_UINT, 8, 1}
#define TALLY_UINT16 {TALLY_UINT, 16, 1}
#define TALLY_UINT32 {TALLY_UINT, 32, 1}
#define TALLY_UINT64 {TALLY_UINT, 64, 1}
#define TALLY_FLOAT16 {TALLY_FLOAT, 16, 1}
#define TALLY_BFLOAT16 {TALLY_BFLOAT, 16, 1}
#define TALLY_FLOAT32 {TALLY_FLOAT, 32, 1}
#define TALLY_FLOAT64 {TALLY_FLOAT, 64, 1}
#define TALLY_BOOL8 {TALLY_BOOL, 8, 1}
#define TALLY_BYTES(n) {TALLY_OPAQUE, 8, (n)}

/* The element with indices (i, j, ...) lies i * strides[0] + j * strides[1] + ... elements behind the one at
 * data + byte_offset. There are at most 16 axes; an array of no axes is one element. */
typedef struct tally_array {
  void* data;
  tally_device device;
  int32_t ndim;
  tally_type dtype;
  const int64_t* shape;
  const int64_t* strides; /* NULL: row-major without gaps. They may be negative, and in an input 0 */
  uint64_t byte_offset;
} tally_array;

/* ---- Operators ------------------------------------------------------------------------------------------------- */

typedef enum tally_operation_flags {
  TALLY_ON_THREADS = 1 /* `combine` may be called from several threads at once */
} tally_operation_flags;

/* An operator of the caller's: *result = *left op *right. It is associative (up to rounding), and need not be
 * commutative: operands are combined in the order of their indices. `result` may be `left` or `right`. It must
 * return: no exception and no longjmp leave it. */
typedef struct tally_operation {
  size_t size; /* sizeof(tally_operation) */
  void (*combine)(void* context, const void* left, const void* right, void* result);
  void* context;        /* the first argument of `combine` */
  const void* identity; /* an element e with e op x = x; or NULL */
  uint32_t flags;       /* of tally_operation_flags */
} tally_operation;

/* Operators of the library; NULL is TALLY_PLUS. Sums and products of integers wrap. Minimum and maximum are those of
 * IEEE 754-2019: a NaN makes the result NaN, and -0.0 is less than +0.0. The last three take integers and bools. Of
 * bools, plus and maximum are `or`, times and minimum are `and`. */
#define TALLY_PLUS ((const tally_operation*)1)
#define TALLY_TIMES ((const tally_operation*)2)
#define TALLY_MINIMUM ((const tally_operation*)3)
#define TALLY_MAXIMUM ((const tally_operation*)4)
#define TALLY_BIT_AND ((const tally_operation*)5)
#define TALLY_BIT_OR ((const tally_operation*)6)
#define TALLY_BIT_XOR ((const tally_operation*)7)

/* ---- Options --------------------------------------------------------------------------------------------------- */

typedef enum tally_flags {
  TALLY_REVERSE = 1,        /* each sequence from its last element to its first */
  TALLY_EXCLUSIVE = 2,      /* scans: a result is of the elements before its own */
  TALLY_INCLUDE_INITIAL = 4 /* inclusive scans: n elements have n + 1 results, the first of which is the initial value */
} tally_flags;

/* What a call can be told. All zeros but `size` say nothing; so does NULL instead of options. */
typedef struct tally_options {
  size_t size;                /* sizeof(tally_options): the struct grows at its end */
  uint32_t flags;             /* of tally_flags */
  int32_t threads;            /* at most so many; 0: as many as make the call quicker. No bit depends on it */
  const tally_array* initial; /* the value before the first element: an array of no axes, one for all sequences; or
                                 one for each, in the shape of the array without the axis. NULL: none */
  const tally_array* last;    /* scans: takes the inclusive result of each last element (of an empty sequence its initial
                                 value), in the shape of the array without the axis. NULL: not wanted */
  tally_type accumulator;     /* the type in which elements are combined; {0, 0, 0}: that of the output, and float for
                                 an output of two-byte floats */
} tally_options;

/* ---- Calls ----------------------------------------------------------------------------------------------------- */

/* Writes the reduction of each sequence of `in` along `axis`: initial op in[0] op ... op in[n-1].
 *
 * Requires  `axis` is one of in's; a negative one counts from the end. `out` has the shape of `in` without the axis, and
 *           overlaps nothing else. Elements convert to the accumulator's type, and it converts to the output's: integers
 *           to integers (they wrap), and to floats; floats to floats; bools to all. `op` is NULL, one of the operators
 *           above, or the address of an operation. For an operation of the caller's, all arrays have elements of one
 *           size.
 * Result    of an empty sequence the initial value, else the operator's identity (+0.0 for sums). The bits do not depend
 *           on strides, on the number of threads, nor on the machine.
 * Memory    as the C++ library's `reduce`; and a copy of each array whose type is not the accumulator's, of the elements
 *           of an operation of the caller's too.
 * Returns   TALLY_WRONG_ARGUMENT, TALLY_NOT_SUPPORTED (complex numbers, bit operations on floats, devices other than
 *           TALLY_CPU), TALLY_NO_MEMORY. */
TALLY_API int32_t tally_reduce(const tally_array* in, int32_t axis, const tally_array* out, const tally_operation* op,
                               const tally_options* options);

/* Writes the running results of each sequence of `in` along `axis`: out[k] = initial op in[0] op ... op in[k].
 *
 * Requires  as tally_reduce; `out` has the shape of `in`, and one more place along the axis with TALLY_INCLUDE_INITIAL.
 *           `out` may be `in`, with the same strides; otherwise nothing overlaps. With TALLY_EXCLUSIVE or
 *           TALLY_INCLUDE_INITIAL there is an initial value, or the operator has an identity, which is taken then.
 * Result    with TALLY_REVERSE out[k] is of in[n-1], ..., in[k], combined in this order; with TALLY_INCLUDE_INITIAL too
 *           the last place of `out` has the initial value. The last result has the bits of tally_reduce.
 * Memory, Returns  as tally_reduce. */
TALLY_API int32_t tally_scan(const tally_array* in, int32_t axis, const tally_array* out, const tally_operation* op,
                             const tally_options* options);

/* Writes the reduction of each segment: out[s] = initial op values[offsets[s]] op ... op values[offsets[s + 1] - 1].
 *
 * Requires  `values` and `offsets` have one axis. There is one offset more than segments, of any integer type; offsets do
 *           not decrease, and end within the values. `out` has one place for each segment. `op` has an identity, or
 *           there is an initial value: one, or one for each segment.
 * Otherwise as tally_reduce; operations of the caller's take elements of up to 256 bytes, and no TALLY_REVERSE. */
TALLY_API int32_t tally_reduce_segments(const tally_array* values, const tally_array* offsets, const tally_array* out,
                                        const tally_operation* op, const tally_options* options);

/* Writes the running results of each segment, at the places that the elements have in `values`.
 *
 * Requires  as tally_reduce_segments; `out` has the shape of `values`, and may be `values`. Its places outside all
 *           segments are not written. An inclusive scan without options->last needs no identity.
 * Otherwise as tally_scan, without TALLY_INCLUDE_INITIAL. */
TALLY_API int32_t tally_scan_segments(const tally_array* values, const tally_array* offsets, const tally_array* out,
                                      const tally_operation* op, const tally_options* options);

/* Writes the states of linear recurrences along `axis`: out[k] = a[k] * out[k-1] + b[k], where out[-1] is the initial
 * value, or 0.
 *
 * Requires  `b` and `out` have one shape, and `a` has it too, or no axes: then it is one factor for all steps. A stride of
 *           0 repeats `a` or `b` along an axis. `out` may be `a` or `b`, with the same strides. States are floats of 32
 *           or 64 bits, or integers; types convert as for tally_reduce. With TALLY_REVERSE out[k] is of out[k+1].
 * Result    the bits of the C++ library's `linear_recurrence`: integers are those of a loop, floats differ from it by
 *           rounding.
 * Memory, Returns  as tally_reduce. */
TALLY_API int32_t tally_linear_recurrence(const tally_array* a, const tally_array* b, int32_t axis,
                                          const tally_array* out, const tally_options* options);

#ifdef __cplusplus
}
#endif

#endif
