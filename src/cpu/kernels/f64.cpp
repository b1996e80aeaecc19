// The kernels on double, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/kernels/f64.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#define TALLY_KERNELS_TYPE double
#define TALLY_KERNELS_NAME kernels_on_f64
#include "src/cpu/kernels-inl.hpp"
