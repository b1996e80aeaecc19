#pragma once

/// Every macro of Tally except those that define overloads (detail/contract.hpp).
///
/// TALLY_HD            before a function that CUDA code may call on the device too
/// TALLY_HD_AS_GIVEN   before a template of such a function that calls a function of the caller's: nvcc then does not
///                     warn if that is for the host only
/// TALLY_HEADER_ONLY   defined by a program of one source file that compiles the library with it (docs/install.md)
/// TALLY_VERSION       major * 10000 + minor * 100 + patch

#define TALLY_VERSION 200

#ifdef __CUDACC__
#define TALLY_HD __host__ __device__
#else
#define TALLY_HD
#endif

#ifdef __NVCC__
#define TALLY_HD_AS_GIVEN _Pragma("nv_exec_check_disable")
#else
#define TALLY_HD_AS_GIVEN
#endif
