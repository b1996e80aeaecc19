#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "tally/detail/contract.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/exact/kernels.hpp"
#include "tally/detail/exact/running_sum.hpp"
#include "tally/detail/path.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/order.hpp"

namespace tally::order {

/// An exact sum has no order: its carry is the sum itself.
template <class T>
class carry<T, exact_plus> {
public:
  using element = T;
  using working = working_type<T>;
  using sum = detail::exact::sum_of<T>;

  carry() = default;
  explicit carry(working const& init) : some_(true) { sum_.add(static_cast<double>(init)); }

  std::optional<working> last() const
  {
    return some_ ? std::optional<working>(static_cast<working>(sum_.template nearest<T>())) : std::nullopt;
  }
  sum& terms()
  {
    some_ = true;
    return sum_;
  }
  sum const& terms() const { return sum_; }

private:
  sum sum_;
  bool some_ = false;
};

}  // namespace tally::order

/// Exact sums and their scans on a CPU.
namespace tally::cpu_backend {

/// Elements that a thread draws at a time.
inline constexpr std::size_t exact_chunk = std::size_t{1} << 15;

/// Whether the elements lie in memory as values of T.
template <class T, class Iterator, class Transform>
inline constexpr bool exact_in_memory =
    std::contiguous_iterator<Iterator> && std::is_same_v<std::iter_value_t<Iterator>, T> &&
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<Iterator>>> &&
    std::is_same_v<Transform, std::identity>;

/// Copies up to `most` elements, and moves `first` behind them.
template <class T, class Iterator, class End, class Transform>
std::size_t copy_elements(Iterator& first, End const& last, Transform& transform, T* to, std::size_t most)
{
  std::size_t n = 0;
  for (; n < most && first != last; ++first, ++n) to[n] = static_cast<T>(transform(*first));
  return n;
}

/// Adds [first, last) to `sum` on this thread.
template <class T, class Iterator, class End, class Transform>
void add_elements(Iterator first, End last, Transform& transform, detail::exact::sum_of<T>& sum)
{
  if constexpr (exact_in_memory<T, Iterator, Transform> && std::sized_sentinel_for<End, Iterator>) {
    detail::exact::add_all(std::to_address(first), static_cast<std::size_t>(last - first), sum);
  } else {
    constexpr std::size_t most = 2048;
    T block[most];
    while (std::size_t const n = copy_elements(first, last, transform, block, most))
      detail::exact::add_all(block, n, sum);
  }
}

/// The number of threads for a call, one unless its elements can be reached by index.
template <class T, class Iterator, class End, class Transform>
int exact_members(std::optional<cpu> const& on, [[maybe_unused]] Iterator const& first,
                  [[maybe_unused]] End const& last)
{
  if constexpr (std::random_access_iterator<Iterator> && std::sized_sentinel_for<End, Iterator>) {
    constexpr bool in_memory = exact_in_memory<T, Iterator, Transform>;
    int const wanted = on ? on->threads : in_memory ? 0 : 1;
    auto const n = static_cast<std::size_t>(last - first);
    return team_size(wanted, n * (in_memory ? sizeof(T) : 32), (n + exact_chunk - 1) / exact_chunk);
  } else {
    return 1;
  }
}

/// Calls work(chunk, begin, end) for chunks of [0, n), which `members` threads draw.
template <class Work>
void draw_chunks(std::size_t n, std::size_t chunk, int members, Work const& work)
{
  std::atomic<std::size_t> next{0};
  auto body = [&](int member) {
    for (;;) {
      std::size_t const number = next.fetch_add(1, std::memory_order_relaxed);
      if (number >= (n + chunk - 1) / chunk) return;
      work(member, number, number * chunk, std::min(n, (number + 1) * chunk));
    }
  };
  run_team(members, body);
}

template <class T, class Iterator, class End, class Transform>
void reduce_exactly(std::optional<cpu> const& on, Iterator first, End last, Transform& transform,
                    order::carry<T, exact_plus>& before)
{
  if (!(first != last)) return;
  auto& sum = before.terms();
  int const members = exact_members<T, Iterator, End, Transform>(on, first, last);
  if constexpr (std::random_access_iterator<Iterator> && std::sized_sentinel_for<End, Iterator>) {
    if (members > 1) {
      detail::took("exact: a sum on several threads");
      using distance = std::iter_difference_t<Iterator>;
      std::vector<detail::exact::sum_of<T>> own(static_cast<std::size_t>(members));
      draw_chunks(static_cast<std::size_t>(last - first), exact_chunk, members,
                  [&](int member, std::size_t, std::size_t begin, std::size_t end) {
                    add_elements<T>(first + static_cast<distance>(begin), first + static_cast<distance>(end), transform,
                                    own[static_cast<std::size_t>(member)]);
                  });
      for (auto const& each : own) sum.add(each);
      return;
    }
  }
  detail::took("exact: a sum on one thread");
  add_elements<T>(std::move(first), std::move(last), transform, sum);
}

/// Scans [first, last) on top of `sum` on this thread, block by block: `out` may be `first`.
template <class T, class Iterator, class End, class Out, class Transform>
Out scan_blocks_exactly(Iterator first, End last, Out out, Transform& transform, detail::exact::sum_of<T>& sum,
                        direction shift)
{
  constexpr std::size_t most = detail::exact::running_sum<T>::most;
  T block[most], results[most];
  detail::exact::running_sum<T> now(sum);
  while (std::size_t const n = copy_elements(first, last, transform, block, most)) {
    now.scan(block, n, results, sum, shift == direction::inclusive);
    for (std::size_t k = 0; k < n; ++k, ++out) *out = static_cast<T>(results[k]);
  }
  return out;
}

template <class T, class Iterator, class End, class Out, class Transform>
Out scan_exactly(std::optional<cpu> const& on, Iterator first, End last, Out out, Transform& transform,
                 order::carry<T, exact_plus>& before, direction shift)
{
  if (!(first != last)) return out;
  auto& sum = before.terms();
  [[maybe_unused]] int const members = exact_members<T, Iterator, End, Transform>(on, first, last);
  if constexpr (std::random_access_iterator<Iterator> && std::random_access_iterator<Out> &&
                std::sized_sentinel_for<End, Iterator>) {
    if (members > 1) {
      detail::took("exact: a scan on several threads");
      using distance = std::iter_difference_t<Iterator>;
      auto const n = static_cast<std::size_t>(last - first);
      // A chunk's sum takes as long as a few hundred elements: chunks are large enough, and eight for a thread.
      std::size_t const chunk = std::max(exact_chunk / 8, n / (8 * static_cast<std::size_t>(members)) + 1);
      std::vector<detail::exact::sum_of<T>> sums((n + chunk - 1) / chunk);
      draw_chunks(n, chunk, members, [&](int, std::size_t number, std::size_t begin, std::size_t end) {
        add_elements<T>(first + static_cast<distance>(begin), first + static_cast<distance>(end), transform,
                        sums[number]);
      });
      for (auto& each : sums) {
        auto const own = each;
        each = sum;
        sum.add(own);
      }
      draw_chunks(n, chunk, members, [&](int, std::size_t number, std::size_t begin, std::size_t end) {
        scan_blocks_exactly<T>(first + static_cast<distance>(begin), first + static_cast<distance>(end),
                               out + static_cast<std::iter_difference_t<Out>>(begin), transform, sums[number], shift);
      });
      return out + static_cast<std::iter_difference_t<Out>>(n);
    }
  }
  detail::took("exact: a scan on one thread");
  return scan_blocks_exactly<T>(std::move(first), std::move(last), std::move(out), transform, sum, shift);
}

}  // namespace tally::cpu_backend
