#pragma once

/// Every macro of Tally.
///
/// TALLY_HD            before a function that CUDA code may call on the device too
/// TALLY_VERSION       major * 10000 + minor * 100 + patch

#define TALLY_VERSION 100

#ifdef __CUDACC__
#define TALLY_HD __host__ __device__
#else
#define TALLY_HD
#endif
