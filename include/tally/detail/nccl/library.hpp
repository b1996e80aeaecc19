#pragma once

#include <cstddef>
#include <string>

#include <dlfcn.h>

#include "tally/cuda_execution.hpp"
#include "tally/error.hpp"

struct ncclComm;  // and an ncclComm_t

namespace tally {

/// A function of NCCL failed, or a communicator has an error. The ranks may be out of step then: the communicator is of
/// no further use (ncclCommAbort).
class nccl_error : public error {
public:
  nccl_error(int code, std::string const& what) : error(what), code_(code) {}
  int code() const { return code_; }  ///< an ncclResult_t

private:
  int code_;
};

/// The part of NCCL that is used. It is loaded when a program first asks for it, so that neither its header nor the
/// library is needed to build.
namespace nccl_backend {

// From NCCL's documentation; they are the same in every version 2.
inline constexpr int nccl_success = 0;
inline constexpr int nccl_in_progress = 7;
inline constexpr int nccl_char = 0;  // an ncclDataType_t: a byte
inline constexpr int nccl_uint64 = 5;
inline constexpr int nccl_sum = 0;  // an ncclRedOp_t

/// An ncclUniqueId: what ranks that make a communicator have in common.
struct unique_id {
  char bytes[128];
};

/// The functions, by their names without "nccl".
struct library {
  char const* (*GetErrorString)(int);
  char const* (*GetLastError)(ncclComm*);
  int (*GetUniqueId)(unique_id*);
  int (*CommInitRank)(ncclComm**, int, unique_id, int);
  int (*CommDestroy)(ncclComm*);
  int (*CommCount)(ncclComm*, int*);
  int (*CommUserRank)(ncclComm*, int*);
  int (*CommGetAsyncError)(ncclComm*, int*);
  int (*AllGather)(void const*, void*, std::size_t, int, ncclComm*, CUstream_st*);
  int (*AllReduce)(void const*, void*, std::size_t, int, int, ncclComm*, CUstream_st*);
  int (*Broadcast)(void const*, void*, std::size_t, int, int, ncclComm*, CUstream_st*);
  int (*Send)(void const*, std::size_t, int, int, ncclComm*, CUstream_st*);
  int (*Recv)(void*, std::size_t, int, int, ncclComm*, CUstream_st*);
  int (*GroupStart)();
  int (*GroupEnd)();

  /// The NCCL of this process: the one that the program has loaded already, else libnccl.so.2 as the system finds it.
  static library const& get()
  {
    static library const all = load();
    return all;
  }

private:
  static library load()
  {
    // A communicator works with the NCCL that made it alone.
    void* from = RTLD_DEFAULT;  // which may be a null pointer
    if (dlsym(from, "ncclAllGather") == nullptr) {
      from = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
      if (from == nullptr) {
        char const* const why = dlerror();
        throw error(std::string("tally::nccl: NCCL cannot be loaded: ") + (why != nullptr ? why : "libnccl.so.2"));
      }
    }
    library all{};
    find(from, "ncclGetErrorString", all.GetErrorString);
    find(from, "ncclGetLastError", all.GetLastError);
    find(from, "ncclGetUniqueId", all.GetUniqueId);
    find(from, "ncclCommInitRank", all.CommInitRank);
    find(from, "ncclCommDestroy", all.CommDestroy);
    find(from, "ncclCommCount", all.CommCount);
    find(from, "ncclCommUserRank", all.CommUserRank);
    find(from, "ncclCommGetAsyncError", all.CommGetAsyncError);
    find(from, "ncclAllGather", all.AllGather);
    find(from, "ncclAllReduce", all.AllReduce);
    find(from, "ncclBroadcast", all.Broadcast);
    find(from, "ncclSend", all.Send);
    find(from, "ncclRecv", all.Recv);
    find(from, "ncclGroupStart", all.GroupStart);
    find(from, "ncclGroupEnd", all.GroupEnd);
    return all;
  }
  template <class Function>
  static void find(void* in, char const* name, Function*& function)
  {
    function = reinterpret_cast<Function*>(dlsym(in, name));
    if (function == nullptr)
      throw error(std::string("tally::nccl: this NCCL has no ") + name + "; 2.13 and later have it");
  }
};

/// Throws nccl_error, with NCCL's own text, unless `code` is success.
inline void check(int code, ncclComm* communicator, int rank, char const* function)
{
  if (code == nccl_success) return;
  library const& nccl = library::get();
  char const* const detail = nccl.GetLastError(communicator);
  std::string text =
      std::string("tally: ") + function + " failed on rank " + std::to_string(rank) + ": " + nccl.GetErrorString(code);
  if (detail != nullptr && detail[0] != '\0') text += std::string(" (") + detail + ")";
  throw nccl_error(code, text);
}

}  // namespace nccl_backend

}  // namespace tally
