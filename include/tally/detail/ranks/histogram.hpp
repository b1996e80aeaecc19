#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

#include "tally/algorithms/histogram.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/transport.hpp"

/// Histograms of values that are divided among ranks.
namespace tally::ranks_backend {

template <class I, class Bins>
call_name name_of_histogram(Bins const& bins)
{
  return call_name("histogram of ", type_name<std::iter_value_t<I>>(), ", ", bins.slots(), " slots of ",
                   type_name<Bins>());
}

template <transport Transport, class I, class S, class Bins, class Out>
Out backend_histogram(execution<Transport> const& on, I first, S last, Bins const& bins, Out counts)
{
  static_assert(adding_transport<Transport>, "tally: a histogram needs ranks whose transport adds up numbers");
  namespace impl = detail::histogram;
  std::size_t const slots = bins.slots();
  call_name const name = name_of_histogram<I>(bins);
  auto& all = on.ranks();
  session<Transport> by(all, name);
  std::vector<std::uint64_t> sums;
  by.attempt([&] {
    sums.resize(slots);
    auto const count = [&](auto const& local) {
      impl::count(local, impl::plain_iterator(first), static_cast<std::size_t>(last - first), bins, sums.data());
    };
    if (all.on)
      count(*all.on);
    else
      count(impl::default_execution<I, Bins>());
  });
  by.meet({.may_fail = !std::contiguous_iterator<Out>});
  all.by.add_up(sums.data(), slots);
  by.attempt([&] {
    for (std::uint64_t const sum : sums) *counts++ = static_cast<std::iter_value_t<Out>>(sum);
  });
  by.finish();
  return counts;
}

}  // namespace tally::ranks_backend
