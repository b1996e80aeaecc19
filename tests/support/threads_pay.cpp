// Part of every test program. A call uses the threads that it names, however small its input is, on any machine.
// Otherwise no small test would use more than one thread.
#include "tally/detail/cpu/tuning.hpp"

namespace {

[[maybe_unused]] bool const done = [] {
  tally::cpu_backend::tuning& sizes = tally::cpu_backend::tuning_in_use();
  sizes.serial_bytes = sizes.bytes_a_thread = 0;
  sizes.processors = 16;
  return true;
}();

}  // namespace
