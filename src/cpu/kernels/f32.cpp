// The kernels on float, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/kernels/f32.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#define TALLY_KERNELS_TYPE float
#define TALLY_KERNELS_NAME kernels_on_f32
#include "src/cpu/kernels-inl.hpp"
