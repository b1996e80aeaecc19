#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tally/algorithms/histogram.hpp"
#include "tally/config.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/ranks/histogram.hpp"

/// Histograms of values in the memory of several devices: each counts its part, and counts are added up.
namespace tally::nccl_backend {

template <class Out>
struct store_count {
  std::uint64_t const* sums;
  Out out;
  TALLY_HD void operator()(std::size_t k) const
  {
    out[static_cast<std::iter_difference_t<Out>>(k)] = static_cast<std::iter_value_t<Out>>(sums[k]);
  }
};

template <class Machine, class I, class S, class Bins, class Out>
Out backend_histogram(execution<Machine> const& on, I first, S last, Bins const& bins, Out counts)
{
  static_assert(std::random_access_iterator<Out>, "tally: a histogram on several GPUs takes a random-access output");
  namespace impl = detail::histogram;
  auto const values = impl::plain_iterator(first);
  auto const to = impl::plain_iterator(counts);
  using out = std::remove_const_t<decltype(to)>;
  auto const size = static_cast<std::size_t>(last - first);
  std::size_t const slots = bins.slots();
  ranks_backend::call_name const name = ranks_backend::name_of_histogram<I>(bins);
  group<Machine>& all = on.all();
  typename Machine::work work(all.machine, "tally::histogram");
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  begin_call(all, by, size, [&] {
    work.template check<std::uint64_t>(size, values);
    work.template check<std::uint64_t>(slots, to);
  });
  take_memory(all, by, work, slots * sizeof(std::uint64_t));
  auto* const sums = reinterpret_cast<std::uint64_t*>(work.memory());
  by.attempt([&] { impl::count(all.machine.local(), values, size, bins, sums); });  // which may need memory
  agree(all, by);
  all.ranks.by.add_up(sums, slots);
  work.for_each(slots, store_count<out>{sums, to});
  return counts + static_cast<std::iter_difference_t<Out>>(slots);
}

}  // namespace tally::nccl_backend
