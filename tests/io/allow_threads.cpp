#include <oneapi/tbb/global_control.h>

/// Four threads even where there is one processor: what is read and written must not depend on them.
static oneapi::tbb::global_control const four_threads(oneapi::tbb::global_control::max_allowed_parallelism, 4);
