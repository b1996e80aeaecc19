#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "tally.h"

namespace {

constexpr int version_of_c = TALLY_VERSION;

}  // namespace

#undef TALLY_VERSION
#include "tally/config.hpp"

namespace {

static_assert(version_of_c == TALLY_VERSION, "both headers define TALLY_VERSION");

static_assert(sizeof(tally_array) == 48 && offsetof(tally_array, ndim) == 16 && offsetof(tally_array, dtype) == 20 &&
                  offsetof(tally_array, shape) == 24 && offsetof(tally_array, byte_offset) == 40,
              "the layout of DLPack's DLTensor");

/// Arguments of a call that is right, of which a case makes one wrong.
struct arguments {
  float values[6] = {1, 2, 3, 4, 5, 6}, results[6] = {}, start = 0;
  std::int64_t shape[2] = {2, 3}, other[2] = {3, 2}, row[1] = {2};
  tally_array in = {values, {TALLY_CPU, 0}, 2, TALLY_FLOAT32, shape, nullptr, 0};
  tally_array out = {results, {TALLY_CPU, 0}, 2, TALLY_FLOAT32, shape, nullptr, 0};
  tally_array initial = {&start, {TALLY_CPU, 0}, 0, TALLY_FLOAT32, nullptr, nullptr, 0};
  tally_options options = [] {
    tally_options none{};
    none.size = sizeof none;
    return none;
  }();
  std::int32_t axis = 1;
  tally_operation const* op = TALLY_PLUS;
  tally_operation own = {sizeof(tally_operation), [](void*, void const*, void const*, void*) {}, nullptr, nullptr, 0};
};

struct mistake {
  std::function<void(arguments&)> make;
  std::int32_t code;
  char const* message;  ///< a part of it
};

TEST(c_errors, each_mistake_is_refused_and_named)
{
  static std::int64_t const zero_strides[2] = {3, 0};
  static std::int64_t const negative[2] = {2, -3};
  mistake const mistakes[] = {
      {[](arguments& a) { a.axis = 2; }, TALLY_WRONG_ARGUMENT, "axis 2"},
      {[](arguments& a) { a.axis = -3; }, TALLY_WRONG_ARGUMENT, "axis -3"},
      {[](arguments& a) { a.out.shape = a.other; }, TALLY_WRONG_ARGUMENT, "out is 3 x 2; it should be 2 x 3"},
      {[](arguments& a) { a.out.strides = zero_strides; }, TALLY_WRONG_ARGUMENT, "cannot repeat an axis"},
      {[](arguments& a) { a.in.shape = negative; }, TALLY_WRONG_ARGUMENT, "in has a negative extent"},
      {[](arguments& a) { a.in.data = nullptr; }, TALLY_WRONG_ARGUMENT, "in.data is a null pointer"},
      {[](arguments& a) { a.in.byte_offset = 1; }, TALLY_WRONG_ARGUMENT, "in is not aligned"},
      {[](arguments& a) { a.in.ndim = 17; }, TALLY_WRONG_ARGUMENT, "in has 17 axes"},
      {[](arguments& a) { a.in.ndim = -1; }, TALLY_WRONG_ARGUMENT, "in has -1 axes"},
      {[](arguments& a) { a.in.device.type = 3; }, TALLY_NOT_SUPPORTED, "in lies on a device of type 3"},
      {[](arguments& a) { a.in.device.type = TALLY_CUDA; }, TALLY_WRONG_ARGUMENT,
       "out lies in the memory of the CPU, the elements in that of GPU 0"},
      {[](arguments& a) { a.options.stream = &a; }, TALLY_WRONG_ARGUMENT, "are for arrays on a GPU"},
      {[](arguments& a) { a.out.dtype = TALLY_INT32; }, TALLY_WRONG_ARGUMENT, "float32 does not convert to int32"},
      {[](arguments& a) { a.in.dtype = {TALLY_COMPLEX, 32, 1}; }, TALLY_WRONG_ARGUMENT, "complex32"},
      {[](arguments& a) { a.in.dtype = a.out.dtype = {TALLY_COMPLEX, 32, 1}; }, TALLY_NOT_SUPPORTED, "complex32"},
      {[](arguments& a) { a.in.dtype.bits = 0; }, TALLY_WRONG_ARGUMENT, "elements of no bytes"},
      {[](arguments& a) { a.op = TALLY_BIT_XOR; }, TALLY_NOT_SUPPORTED, "TALLY_BIT_XOR"},
      {[](arguments& a) { a.op = reinterpret_cast<tally_operation const*>(99); }, TALLY_WRONG_ARGUMENT, "operator 99"},
      {[](arguments& a) { a.options.accumulator = TALLY_FLOAT16; }, TALLY_NOT_SUPPORTED, "accumulator be float32"},
      {[](arguments& a) { a.options.threads = -1; }, TALLY_WRONG_ARGUMENT, "threads is -1"},
      {[](arguments& a) { a.options.flags = 64; }, TALLY_WRONG_ARGUMENT, "flags is 64"},
      {[](arguments& a) { a.options.flags = TALLY_EXCLUSIVE | TALLY_INCLUDE_INITIAL; }, TALLY_WRONG_ARGUMENT,
       "TALLY_EXCLUSIVE and"},
      {[](arguments& a) { a.options.size = 0; }, TALLY_WRONG_ARGUMENT, "options->size is 0"},
      {[](arguments& a) { a.options.last = &a.initial; }, TALLY_WRONG_ARGUMENT,
       "options->last is a single value; it should be 2"},
      {[](arguments& a) {
         a.initial.ndim = 2;
         a.initial.shape = a.other;
         a.options.initial = &a.initial;
       },
       TALLY_WRONG_ARGUMENT, "options->initial is 3 x 2; it should be 2"},
      {[](arguments& a) {
         a.own.size = 1;
         a.op = &a.own;
       },
       TALLY_WRONG_ARGUMENT, "op->size is 1"},
      {[](arguments& a) {
         a.own.combine = nullptr;
         a.op = &a.own;
       },
       TALLY_WRONG_ARGUMENT, "op->combine is a null pointer"},
      {[](arguments& a) {
         a.op = &a.own;
         a.out.dtype = TALLY_FLOAT64;
         a.out.data = nullptr;
         a.in.shape = a.out.shape = a.other;
         a.other[0] = 0;
       },
       TALLY_WRONG_ARGUMENT, "out has elements of 8 bytes"},
      {[](arguments& a) {
         a.op = &a.own;
         a.options.flags = TALLY_EXCLUSIVE;
       },
       TALLY_WRONG_ARGUMENT, "no identity"},
  };
  for (mistake const& m : mistakes) {
    SCOPED_TRACE(m.message);
    arguments a;
    m.make(a);
    EXPECT_EQ(tally_scan(&a.in, a.axis, &a.out, a.op, &a.options), m.code);
    EXPECT_NE(std::strstr(tally_last_message(), m.message), nullptr) << tally_last_message();
    EXPECT_EQ(std::strncmp(tally_last_message(), "tally", 5), 0) << tally_last_message();
    for (float const result : a.results) EXPECT_EQ(result, 0);
  }
  arguments a;
  EXPECT_EQ(tally_scan(&a.in, a.axis, &a.out, a.op, &a.options), TALLY_OK) << tally_last_message();
  EXPECT_EQ(tally_scan(nullptr, 0, &a.out, a.op, &a.options), TALLY_WRONG_ARGUMENT);
}

TEST(c_errors, a_message_belongs_to_its_thread)
{
  arguments a;
  a.axis = 5;
  EXPECT_NE(tally_scan(&a.in, a.axis, &a.out, a.op, nullptr), TALLY_OK);
  std::string const here = tally_last_message();
  std::thread([] { EXPECT_STREQ(tally_last_message(), ""); }).join();
  EXPECT_EQ(tally_last_message(), here);
}

TEST(c_errors, options_may_be_shorter_or_longer)
{
  arguments a;
  struct {
    tally_options known;
    char more[16];
  } longer = {{}, {}};
  longer.known.size = sizeof longer;
  EXPECT_EQ(tally_scan(&a.in, 1, &a.out, a.op, &longer.known), TALLY_OK) << tally_last_message();
  longer.more[3] = 1;
  EXPECT_EQ(tally_scan(&a.in, 1, &a.out, a.op, &longer.known), TALLY_WRONG_ARGUMENT);
  // Of a struct that ends before `initial`, nothing behind its end is read.
  a.options.size = offsetof(tally_options, initial);
  a.options.initial = reinterpret_cast<tally_array const*>(1);
  EXPECT_EQ(tally_scan(&a.in, 1, &a.out, a.op, &a.options), TALLY_OK) << tally_last_message();
}

TEST(c_errors, the_version_is_the_library_s)
{
  EXPECT_EQ(tally_version(), TALLY_VERSION);
}

}  // namespace
