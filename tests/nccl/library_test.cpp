#include <string>

#include <gtest/gtest.h>

#include "tally/detail/nccl/library.hpp"

// An NCCL that is part of the program, as one that the program is linked to.
extern "C" {
char const* ncclGetErrorString(int code)
{
  return code == 3 ? "internal error" : "another error";
}
char const* ncclGetLastError(ncclComm*)
{
  return "the program's own NCCL";
}
int ncclGetUniqueId(tally::nccl_backend::unique_id*)
{
  return 0;
}
int ncclCommInitRank(ncclComm**, int, tally::nccl_backend::unique_id, int)
{
  return 0;
}
int ncclCommDestroy(ncclComm*)
{
  return 0;
}
int ncclCommCount(ncclComm*, int* count)
{
  return *count = 5, 0;
}
int ncclCommUserRank(ncclComm*, int*)
{
  return 0;
}
int ncclCommGetAsyncError(ncclComm*, int*)
{
  return 0;
}
int ncclAllGather(void const*, void*, std::size_t, int, ncclComm*, CUstream_st*)
{
  return 3;
}
int ncclAllReduce(void const*, void*, std::size_t, int, int, ncclComm*, CUstream_st*)
{
  return 0;
}
int ncclBroadcast(void const*, void*, std::size_t, int, int, ncclComm*, CUstream_st*)
{
  return 0;
}
int ncclSend(void const*, std::size_t, int, int, ncclComm*, CUstream_st*)
{
  return 0;
}
int ncclRecv(void*, std::size_t, int, int, ncclComm*, CUstream_st*)
{
  return 0;
}
int ncclGroupStart()
{
  return 0;
}
int ncclGroupEnd()
{
  return 0;
}
}

namespace tally::test {
namespace {

TEST(nccl_library, is_that_of_the_program)
{
  auto const& nccl = nccl_backend::library::get();
  int count = 0;
  EXPECT_EQ(nccl.CommCount(nullptr, &count), nccl_backend::nccl_success);
  EXPECT_EQ(count, 5);
}

TEST(nccl_library, errors_become_exceptions)
{
  int const code = nccl_backend::library::get().AllGather(nullptr, nullptr, 0, 0, nullptr, nullptr);
  try {
    nccl_backend::check(code, nullptr, 4, "ncclAllGather");
    FAIL() << "no exception";
  } catch (nccl_error const& e) {
    EXPECT_EQ(e.code(), 3);
    EXPECT_EQ(e.what(), std::string("tally: ncclAllGather failed on rank 4: internal error (the program's own NCCL)"));
  }
}

}  // namespace
}  // namespace tally::test
