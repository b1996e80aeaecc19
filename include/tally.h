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
  TALLY_FAILED = 4,         /* anything else; the message has the details */
  TALLY_RANK_FAILED = 5     /* of calls on ranks, on all of them: one has failed; the message says which, and why */
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
  int32_t type;   /* TALLY_CPU or TALLY_CUDA */
  int32_t number; /* of the GPU */
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
#define TALLY_COMPLEX64 {TALLY_COMPLEX, 64, 1}   /* two float32: the real part, the imaginary part */
#define TALLY_COMPLEX128 {TALLY_COMPLEX, 128, 1} /* two float64 */
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
 * IEEE 754-2019: a NaN makes the result NaN, and -0.0 is less than +0.0. Bit operators take integers and bools. Of
 * bools, plus and maximum are `or`, times and minimum are `and`. Complex numbers have sums and products.
 *
 * TALLY_EXACT_PLUS is the exact sum of floats, rounded once, to nearest, ties to even: the same for every order of the
 * terms. TALLY_LOG_SUM_EXP is log(exp(x) + exp(y)) of float32 and float64, without overflow. */
#define TALLY_PLUS ((const tally_operation*)1)
#define TALLY_TIMES ((const tally_operation*)2)
#define TALLY_MINIMUM ((const tally_operation*)3)
#define TALLY_MAXIMUM ((const tally_operation*)4)
#define TALLY_BIT_AND ((const tally_operation*)5)
#define TALLY_BIT_OR ((const tally_operation*)6)
#define TALLY_BIT_XOR ((const tally_operation*)7)
#define TALLY_EXACT_PLUS ((const tally_operation*)8)
#define TALLY_LOG_SUM_EXP ((const tally_operation*)9)

/* ---- Options --------------------------------------------------------------------------------------------------- */

typedef enum tally_flags {
  TALLY_REVERSE = 1,         /* each sequence from its last element to its first */
  TALLY_EXCLUSIVE = 2,       /* scans: a result is of the elements before its own */
  TALLY_INCLUDE_INITIAL = 4, /* inclusive scans: n elements have n + 1 results, the first of which is the initial value */
  TALLY_DESCENDING = 8,      /* sorts: the greatest element first */
  TALLY_COPY_OTHERS = 16     /* scans of segments: elements of no segment are copied to their places in the output */
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
                                 an output of two-byte floats, unless the operator is TALLY_EXACT_PLUS */
  void* stream;               /* of arrays on a GPU: the cudaStream_t in whose order the call runs. NULL: the default one */
  void* workspace;            /* memory of that GPU, at a multiple of 128, which nothing else uses until the call has run;
                                 NULL: the library's own, one for each stream and each graph */
  size_t workspace_bytes;     /* at least tally_workspace_bytes */
} tally_options;

/* ---- GPUs ------------------------------------------------------------------------------------------------------ */

/* All calls but those of exact sums take arrays on a GPU, {TALLY_CUDA, number}: all of a call on one, but for an initial
 * value without axes, which may be the CPU's, and the edges of a histogram, which are. Reductions, scans, recurrences, calls
 * on segments and histograms with bins of one width return when the work is in the stream. They take no memory but the
 * workspace, and wait only while the library's own grows. While a stream is being captured the library's own is the
 * graph's, which keeps it; such a graph runs once at a time. Sorts, selections, calls on runs and histograms with edges wait for the GPU,
 * take memory from a pool of the driver, and are refused while the stream is being captured; they have up to 2^32 - 1
 * elements. The first of these calls loads libtally_cuda.so.1, from the folder of libtally.so.1, or as the system finds
 * libraries; without it they return TALLY_NOT_SUPPORTED.
 *
 * Arrays have the type of the accumulator: a GPU's calls convert nothing, and two-byte floats are to be converted to float32.
 * Recurrences have states of float32 and float64, on GPUs from sm_90 on. Segments, and the values of runs, are float32,
 * float64, int64 or uint64, from the front; their arrays are without gaps, offsets are int64, and are not checked. Sums of
 * exponentials take rows without gaps, from the front. Histograms count float32, float64 and int64, side by side. Bits are
 * those of the CPU. */

/* Writes how many bytes of workspace a call on `in` along `axis` needs. */
TALLY_API int32_t tally_workspace_bytes(const tally_array* in, int32_t axis, size_t* bytes);

/* Waits until the work in a stream of a GPU is done. */
TALLY_API int32_t tally_synchronize(int32_t device, void* stream);

/* ---- Calls ----------------------------------------------------------------------------------------------------- */

/* Writes the reduction of each sequence of `in` along `axis`: initial op in[0] op ... op in[n-1].
 *
 * Requires  `axis` is one of in's; a negative one counts from the end. `out` has the shape of `in` without the axis, and
 *           overlaps nothing else. Elements convert to the accumulator's type, and it converts to the output's: integers
 *           to integers (they wrap), and to floats; floats to floats; bools to all; all to complex numbers. `op` is NULL, one of the operators
 *           above, or the address of an operation. For an operation of the caller's, all arrays have elements of one
 *           size.
 * Result    of an empty sequence the initial value, else the operator's identity (+0.0 for sums). The bits do not depend
 *           on strides, on the number of threads, nor on the machine.
 * Memory    as the C++ library's `reduce`; and a copy of each array whose type is not the accumulator's, of the elements
 *           of an operation of the caller's too.
 * Returns   TALLY_WRONG_ARGUMENT, TALLY_NOT_SUPPORTED (extremes of complex numbers, bit operations on floats; on a GPU
 *           what it has no code for), TALLY_NO_MEMORY. */
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
 * Otherwise as tally_reduce; operations of the caller's take elements of up to 256 bytes. */
TALLY_API int32_t tally_reduce_segments(const tally_array* values, const tally_array* offsets, const tally_array* out,
                                        const tally_operation* op, const tally_options* options);

/* Writes the running results of each segment, at the places that the elements have in `values`.
 *
 * Requires  as tally_reduce_segments; `out` has the shape of `values`, and may be `values`. Its places outside all
 *           segments are not written, unless TALLY_COPY_OTHERS is set. An inclusive scan without options->last needs no
 *           identity.
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

/* ---- Runs of equal keys ---------------------------------------------------------------------------------------- */

/* Writes, for each run of equal keys, the key to `keys_out`, and the reduction of its values to `out`; and the number of
 * runs to *runs.
 *
 * Requires  arrays have one axis; there are as many values as keys. Keys are integers, floats or bools; those that are
 *           equal but not adjacent are different runs (sort them first), and so is every NaN. `keys_out` has the type of
 *           `keys`; `keys_out` and `out` have room for all runs, and are not written behind them. `keys_out` may be NULL.
 *           An initial value is one for all runs.
 * Memory    8 bytes for each run, besides copies.
 * Otherwise as tally_reduce_segments: each run has the bits of tally_reduce of it alone. */
TALLY_API int32_t tally_reduce_by_key(const tally_array* keys, const tally_array* values, const tally_array* keys_out,
                                      const tally_array* out, int64_t* runs, const tally_operation* op,
                                      const tally_options* options);

/* Writes the running results of the values within each run of equal keys.
 *
 * Requires  as tally_reduce_by_key; `out` has the shape of `values`, and may be `values`.
 * Otherwise as tally_scan_segments, without options->last. */
TALLY_API int32_t tally_scan_by_key(const tally_array* keys, const tally_array* values, const tally_array* out,
                                    const tally_operation* op, const tally_options* options);

/* Writes the first element of each run of equal elements to `out`, and the lengths of runs to `lengths`; and the number
 * of runs to *runs. The first elements of sorted ones are the distinct ones.
 *
 * Requires  as keys of tally_reduce_by_key. `lengths` has elements of int64. `out` or `lengths`, or both, may be NULL. */
TALLY_API int32_t tally_unique(const tally_array* in, const tally_array* out, const tally_array* lengths, int64_t* runs,
                               const tally_options* options);

/* ---- Selection and order --------------------------------------------------------------------------------------- */

/* Writes the elements whose element of `mask` is not 0, side by side and in their order; and their number to *count.
 *
 * Requires  arrays have one axis; `mask` has as many elements as `in`, bools or integers. `out` has room for the selected
 *           elements, and is not written behind them; it overlaps nothing else. `in` and `out` have one type, whatever
 *           it is. If `out` is NULL the elements are counted alone. */
TALLY_API int32_t tally_compact(const tally_array* in, const tally_array* mask, const tally_array* out, int64_t* count,
                                const tally_options* options);

/* Sorts each sequence along `axis`, stably: writes the elements in order to `out`, and to `places` where each of them was.
 *
 * Requires  elements are integers, floats or bools. `out` and `places` have the shape of `in`; `out` has its type, and may
 *           be `in`; `places` has elements of int64. Either of both may be NULL.
 * Result    ascending, or descending with TALLY_DESCENDING; equal elements keep their order in both. -0.0 is less than
 *           +0.0. NaNs come last in both.
 * Memory    twice the elements of the sequences that are sorted at a time, and 16 bytes for each of them with `places`.
 * Source    as the C++ library's `radix_sort`. */
TALLY_API int32_t tally_sort(const tally_array* in, int32_t axis, const tally_array* out, const tally_array* places,
                             const tally_options* options);

/* Sorts keys, and moves with each its value.
 *
 * Requires  arrays have one axis, and as many elements; outputs have the types of their inputs, and may be them. Keys as
 *           elements of tally_sort; values of any type.
 * Result    as tally_sort. */
TALLY_API int32_t tally_sort_by_key(const tally_array* keys, const tally_array* values, const tally_array* keys_out,
                                    const tally_array* values_out, const tally_options* options);

/* Counts values by bins of one width: counts[k] becomes the number of values x with
 * lower + k w <= x < lower + (k + 1) w, w = (upper - lower) / n, for n = counts->shape[0]; the last bin has `upper` too.
 *
 * Requires  `values` has any shape, and integers, floats or bools; they are compared as float64. `weights` is NULL, or has
 *           the shape of `values`: then the sums of weights are written instead. `counts` has one axis; its elements are
 *           int64, or float64 with weights. Values outside, and NaNs, are not counted.
 * Result    a value on an edge is counted above it; one that is below it by at most 2^-49 of its distance from `lower` may
 *           be. Sums of weights have the same bits for every number of threads. */
TALLY_API int32_t tally_histogram(const tally_array* values, const tally_array* weights, double lower, double upper,
                                  const tally_array* counts, const tally_options* options);

/* The same between neighbours of `edges`, which are sorted: counts[k] is of edges[k] <= x < edges[k + 1].
 *
 * Requires  `edges` has one axis, and one element more than `counts`, and the type of `values` or float64; then values are
 *           compared as float64. */
TALLY_API int32_t tally_histogram_of_edges(const tally_array* values, const tally_array* weights,
                                           const tally_array* edges, const tally_array* counts,
                                           const tally_options* options);

/* ---- Exact sums ------------------------------------------------------------------------------------------------ */

/* An exact sum of floats that is not finished: numbers are added in any order, sums are merged, and rounded when they
 * are asked for. One thread at a time changes it. */
typedef struct tally_exact_sum tally_exact_sum;

/* The bytes of a saved sum. */
#define TALLY_EXACT_SUM_BYTES 283

/* Makes a sum of nothing. NULL without memory. */
TALLY_API tally_exact_sum* tally_exact_sum_create(void);
TALLY_API void tally_exact_sum_destroy(tally_exact_sum* sum);

/* Adds or subtracts each element: floats of 16 to 64 bits, or integers of up to 32, in an array of any shape. */
TALLY_API int32_t tally_exact_sum_add(tally_exact_sum* sum, const tally_array* values);
TALLY_API int32_t tally_exact_sum_subtract(tally_exact_sum* sum, const tally_array* values);

/* Adds or subtracts another sum. */
TALLY_API int32_t tally_exact_sum_merge(tally_exact_sum* sum, const tally_exact_sum* other);
TALLY_API int32_t tally_exact_sum_remove(tally_exact_sum* sum, const tally_exact_sum* other);

/* Writes the number nearest to the sum, ties to even, rounded once, to an array of no axes, of any type of floats. Of
 * nothing it is +0.0. Infinities and NaN add as IEEE 754 says; a sum overflows only if the rounded one does. */
TALLY_API int32_t tally_exact_sum_round(const tally_exact_sum* sum, const tally_array* out);

/* Writes TALLY_EXACT_SUM_BYTES bytes: the same for equal sums of the same kinds of terms, on every machine. Loading them
 * replaces a sum; bytes that are no sum are TALLY_WRONG_ARGUMENT. */
TALLY_API int32_t tally_exact_sum_save(const tally_exact_sum* sum, void* bytes);
TALLY_API int32_t tally_exact_sum_load(tally_exact_sum* sum, const void* bytes);

/* ---- Ranks ----------------------------------------------------------------------------------------------------- */

/* Ranks are processes, or threads, of which each has a part of one sequence: the sequence is their parts in the order
 * of ranks, of any length, none too. All ranks make the same call, each on its part, and get the bits of one machine's
 * call on the whole. Bytes travel by functions of the caller's: over MPI, sockets, memory. All ranks are machines of
 * one kind. */

/* The functions that carry bytes between ranks. Each returns 0; another number ends the call with TALLY_FAILED, and the
 * ranks are of no further use. They are called by the thread that makes the call. All ranks call the first four in the
 * same order. Between two calls of `wait` a rank sends at most one message to each other one, and receives at most one
 * from each; the memory of messages stays until `wait`. */
typedef struct tally_transport {
  size_t size;   /* sizeof(tally_transport) */
  void* context; /* the first argument of all functions */
  int32_t rank;  /* of the caller, from 0 on */
  int32_t ranks; /* their number */
  /* Gives `bytes` bytes to all ranks, and takes those of all, in the order of ranks. */
  int32_t (*allgather)(void* context, const void* mine, void* all, size_t bytes);
  /* The same for bytes[r] bytes of rank r. */
  int32_t (*allgatherv)(void* context, const void* mine, void* all, const size_t* bytes);
  /* Gives the bytes of rank `from` to all ranks. */
  int32_t (*broadcast)(void* context, void* data, size_t bytes, int32_t from);
  /* Replaces each number by its sum over all ranks, modulo 2^64. */
  int32_t (*add_up)(void* context, uint64_t* numbers, size_t count);
  /* Begins to send a message, perhaps of no bytes. */
  int32_t (*send)(void* context, int32_t to, const void* data, size_t bytes);
  /* Begins to receive one, which has as many bytes, or none. */
  int32_t (*receive)(void* context, int32_t from, void* data, size_t bytes);
  /* Waits until all messages are sent and received. *all_came is 0 if one to be received had no bytes, else 1. */
  int32_t (*wait)(void* context, int32_t* all_came);
} tally_transport;

/* The ranks of a transport, as one of them sees them. One thread at a time makes a call on them. */
typedef struct tally_ranks tally_ranks;

/* Makes them. `by` is copied; what its context points to stays until tally_ranks_destroy. */
TALLY_API int32_t tally_ranks_create(const tally_transport* by, tally_ranks** ranks);
TALLY_API void tally_ranks_destroy(tally_ranks* ranks);

/* If one rank's call fails, or ranks make different calls, the call returns TALLY_RANK_FAILED on all ranks, and all
 * have the same message. Outputs are unspecified then, and the next call can be made. This is the rank that failed or
 * differs, of the last such call of this thread; -1 if there was none. */
TALLY_API int32_t tally_last_failed_rank(void);

/* A round in which ranks tell each other whether they have failed: with a text that says why, or with NULL. A rank that
 * cannot make the call of the others takes part in it so. */
TALLY_API int32_t tally_ranks_agree(tally_ranks* ranks, const char* failure);

/* Lets arrays of later calls lie in the memory of GPUs: a call of all ranks, each with a GPU of its own. From then on it
 * is the rank's GPU. A call takes either arrays of the CPU or of that GPU, on all ranks alike.
 *
 * Elements travel by NCCL, from GPU to GPU; the transport carries what ranks tell each other of sizes and failures.
 * libnccl.so.2 is the one that the program has loaded, or as the system finds libraries; the communicator is made here,
 * and given back by tally_ranks_destroy.
 *
 * Returns   TALLY_RANK_FAILED if a rank has no such GPU, no NCCL or no libtally_cuda.so.1, or two have one GPU. */
TALLY_API int32_t tally_ranks_use_gpu(tally_ranks* ranks, int32_t device);

/* As the functions without `ranks_` in their names, of a sequence, or of sequences along `axis`, whose parts lie on
 * ranks.
 *
 * Requires  as there, with these differences. All arrays are the CPU's, or lie on the rank's GPU (tally_ranks_use_gpu).
 *           All extents but that of `axis` are the same on all ranks. The initial value is that of rank 0; the others
 *           give one too. Flags are TALLY_EXCLUSIVE, and of segments TALLY_REVERSE. Operations of the caller's take
 *           elements of up to 256 bytes; there are up to 9 axes.
 * Result    of scans and recurrences, those of the rank's own part. Reductions, last values and counts on every rank; a
 *           rank whose out->data is NULL gets no reductions. By key: a run goes on where the next rank's part begins
 *           with the same key; reductions, and their number, are those of the runs that begin in the rank's part. Of
 *           segments: a rank gives those that begin in its part, by offsets that are places in the whole, one more than
 *           its segments, or none; the last one may end in a later part. Reductions, initial and last values are those
 *           of the rank's own segments, also with TALLY_REVERSE.
 * Cost      docs/distributed.md has messages and bytes as formulas; there is a round more, of 128 bytes a rank.
 * Memory    as there. Sequences with gaps between their elements are copied, and so are segments with TALLY_REVERSE;
 *           integers of fewer than 64 bits are combined in 64.
 * GPUs      All but the histograms take arrays of a GPU. Elements are float32, float64, int64 or uint64, of recurrences
 *           float32 or float64, and are converted to no other type; they lie side by side along `axis`, but for
 *           recurrences. Keys are int64 or float64, offsets int64. Exact sums are those of one sequence; segments go
 *           from the front. Work is queued in the order of options->stream, and results are there for what is queued
 *           later; the call waits for the other ranks, and may wait for the stream.
 * Returns   TALLY_RANK_FAILED whatever fails on a rank; TALLY_FAILED if the transport or NCCL does. */
TALLY_API int32_t tally_ranks_reduce(tally_ranks* ranks, const tally_array* in, int32_t axis, const tally_array* out,
                                     const tally_operation* op, const tally_options* options);
TALLY_API int32_t tally_ranks_scan(tally_ranks* ranks, const tally_array* in, int32_t axis, const tally_array* out,
                                   const tally_operation* op, const tally_options* options);
TALLY_API int32_t tally_ranks_linear_recurrence(tally_ranks* ranks, const tally_array* a, const tally_array* b,
                                                int32_t axis, const tally_array* out, const tally_options* options);
TALLY_API int32_t tally_ranks_reduce_by_key(tally_ranks* ranks, const tally_array* keys, const tally_array* values,
                                            const tally_array* keys_out, const tally_array* out, int64_t* runs,
                                            const tally_operation* op, const tally_options* options);
TALLY_API int32_t tally_ranks_scan_by_key(tally_ranks* ranks, const tally_array* keys, const tally_array* values,
                                          const tally_array* out, const tally_operation* op,
                                          const tally_options* options);
TALLY_API int32_t tally_ranks_reduce_segments(tally_ranks* ranks, const tally_array* values,
                                              const tally_array* offsets, const tally_array* out,
                                              const tally_operation* op, const tally_options* options);
TALLY_API int32_t tally_ranks_scan_segments(tally_ranks* ranks, const tally_array* values, const tally_array* offsets,
                                            const tally_array* out, const tally_operation* op,
                                            const tally_options* options);
TALLY_API int32_t tally_ranks_histogram(tally_ranks* ranks, const tally_array* values, double lower, double upper,
                                        const tally_array* counts, const tally_options* options);
TALLY_API int32_t tally_ranks_histogram_of_edges(tally_ranks* ranks, const tally_array* values,
                                                 const tally_array* edges, const tally_array* counts,
                                                 const tally_options* options);

#ifdef __cplusplus
}
#endif

#endif
