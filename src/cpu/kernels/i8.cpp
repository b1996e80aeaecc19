// The kernels on std::int8_t, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/kernels/i8.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#define TALLY_KERNELS_TYPE std::int8_t
#define TALLY_KERNELS_NAME kernels_on_i8
#include "src/cpu/kernels-inl.hpp"
