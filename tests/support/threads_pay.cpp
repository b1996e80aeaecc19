// Part of every test program: the threads that a call names are taken however small its input is, and on any machine.
// Otherwise no small test would see more than one.
#include "tally/detail/cpu/tuning.hpp"

namespace {

[[maybe_unused]] bool const done = [] {
  tally::cpu_backend::tuning& sizes = tally::cpu_backend::tuning_in_use();
  sizes.serial_bytes = sizes.bytes_a_thread = 0;
  sizes.processors = 16;
  return true;
}();

}  // namespace
