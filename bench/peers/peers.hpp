#pragma once

#include <vector>

#include "../contender.hpp"

/// A function for each peer, which adds its contenders. All of them are compiled once for every instruction set, each
/// set in a module of its own.
namespace tally::bench {

void add_serial(std::vector<contender>& to);
void add_standard(std::vector<contender>& to);
void add_openmp_simd(std::vector<contender>& to);
void add_log_step(std::vector<contender>& to);
void add_onetbb(std::vector<contender>& to);
void add_thrust(std::vector<contender>& to);

void add_copy_limits(std::vector<contender>& to);
void add_read_limits(std::vector<contender>& to);

}  // namespace tally::bench
