#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tally.h"
#include "tally/detail/ranks/backend.hpp"
#include "tally/error.hpp"

namespace tally::c {

/// ranks_backend::adding_transport over functions of the caller's.
class callbacks {
public:
  explicit callbacks(tally_transport const& by) : by_(by), bytes_(static_cast<std::size_t>(by.ranks)) {}

  tally_transport const& functions() const { return by_; }
  int rank() const { return by_.rank; }
  int size() const { return by_.ranks; }

  void allgather(std::byte const* mine, std::byte* all, std::size_t bytes)
  {
    check(by_.allgather(by_.context, mine, all, bytes), "allgather");
  }
  void allgather(std::byte const* mine, std::byte* all, std::span<std::size_t const> counts, std::size_t size)
  {
    for (std::size_t r = 0; r < counts.size(); ++r) bytes_[r] = counts[r] * size;
    check(by_.allgatherv(by_.context, mine, all, bytes_.data()), "allgatherv");
  }
  void broadcast(std::byte* data, std::size_t bytes, int from)
  {
    check(by_.broadcast(by_.context, data, bytes, from), "broadcast");
  }
  void add_up(std::uint64_t* numbers, std::size_t count) { check(by_.add_up(by_.context, numbers, count), "add_up"); }
  void send(int to, std::byte const* data, std::size_t count, std::size_t size)
  {
    check(by_.send(by_.context, to, data, count * size), "send");
  }
  void receive(int from, std::byte* data, std::size_t count, std::size_t size)
  {
    check(by_.receive(by_.context, from, data, count * size), "receive");
  }
  bool wait()
  {
    std::int32_t all_came = 0;
    check(by_.wait(by_.context, &all_came), "wait");
    return all_came != 0;
  }

private:
  static void check(std::int32_t status, char const* function)
  {
    if (status != 0) throw error(std::string("the transport's ") + function + " returned " + std::to_string(status));
  }

  tally_transport by_;
  std::vector<std::size_t> bytes_;
};

using ranks = ranks_backend::execution<callbacks>;
using session = ranks_backend::session<callbacks>;

struct gpu_of_rank;
void destroy_gpu_of_rank(gpu_of_rank* gpu);

}  // namespace tally::c

template <>
inline constexpr bool tally::is_execution<tally::c::ranks> = true;

struct tally_ranks {
  tally::c::ranks all;
  tally::c::gpu_of_rank* gpu = nullptr;  ///< of tally_ranks_use_gpu
  std::int32_t device = -1;              ///< its number

  ~tally_ranks() { tally::c::destroy_gpu_of_rank(gpu); }
};
