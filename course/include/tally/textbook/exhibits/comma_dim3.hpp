#pragma once

#include "tally/textbook/exhibits/shmem_reduce.hpp"

namespace tally::textbook::exhibits {

/// dim3 as CUDA defines it.
struct dim3 {
  dim3(int x_size = 1, int y_size = 1, int z_size = 1) : x(x_size), y(y_size), z(z_size) {}
  int x, y, z;
};

/// Wrong on purpose. A size of a launch between parentheses: the commas are operators, and the value is the last of the
/// three, 1. (The voids silence -Wall, which finds this.) One block of one thread is launched.
///
/// Source    Reeves, AMS 148, chapter 5, the host code for pi.
/// Right     dim3_constructed, below.
struct comma_dim3 {
  template <class Device, class Array, class Op>
  void operator()(Device& device, Array d_out, Array d_in, int n, Op op) const
  {
    dim3 const block_dim = (void(1024), void(1), 1);
    dim3 const grid_dim = (void(n / block_dim.x), void(1), 1);
    device.launch_threads(grid_dim.x, block_dim.x, shmem_reduce{}, d_out, d_in, op);
  }
};

/// A constructor's arguments: here the commas separate.
struct dim3_constructed {
  template <class Device, class Array, class Op>
  void operator()(Device& device, Array d_out, Array d_in, int n, Op op) const
  {
    dim3 const block_dim(1024);
    dim3 const grid_dim(n / block_dim.x);
    device.launch_threads(grid_dim.x, block_dim.x, shmem_reduce{}, d_out, d_in, op);
  }
};

}  // namespace tally::textbook::exhibits
