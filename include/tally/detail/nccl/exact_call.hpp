#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/exact/fixed_point.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/operators/traits.hpp"

/// Exact sums of a sequence whose parts lie in the memory of several devices. Each rank shares the sum of its part
/// whole, and every rank adds those that it needs and rounds once.
namespace tally::nccl_backend {

template <class T>
using exact_sum = detail::exact::sum_of<T>;

template <class T>
TALLY_HD double as_term(T const& value)
{
  return static_cast<double>(static_cast<working_type<T>>(value));
}

template <class T>
struct add_term {
  exact_sum<T>* to;
  double term;
  TALLY_HD void operator()(std::size_t) const { to->add(term); }
};
template <class T>
struct store_term {
  exact_sum<T>* to;
  detail::optional_value<double> term;
  TALLY_HD void operator()(std::size_t) const
  {
    *to = exact_sum<T>();
    if (term.is_present) to->add(term.value);
    *to = to->carried();
  }
};
/// Adds up the sums of `ranks` ranks.
template <class T>
struct add_sums {
  std::byte const* first;
  std::size_t bytes;  ///< from one to the next
  int ranks;

  TALLY_HD exact_sum<T> operator()() const
  {
    exact_sum<T> all;
    for (int r = 0; r < ranks; ++r)
      all.add(*reinterpret_cast<exact_sum<T> const*>(first + static_cast<std::size_t>(r) * bytes));
    return all;
  }
};
template <class T>
struct store_sum {
  add_sums<T> sums;
  exact_sum<T>* to;
  TALLY_HD void operator()(std::size_t) const { *to = sums().carried(); }
};
template <class T, class Result>
struct store_nearest {
  add_sums<T> sums;
  Result* result;
  TALLY_HD void operator()(std::size_t) const { *result = sums().template nearest<T>(); }
};
template <class Result, class T>
struct store_value {
  Result* result;
  T value;
  TALLY_HD void operator()(std::size_t) const { *result = value; }
};

/// An exact call on all ranks, from the sizes of all parts on.
template <class T, class Machine, class I, class Transform>
class exact_call {
public:
  using work = typename Machine::work;

  exact_call(group<Machine>& all, work& on, I first, std::size_t size, std::optional<T> const& init,
             Transform& transform)
      : all_(&all),
        work_(&on),
        first_(std::move(first)),
        size_(size),
        init_(&init),
        transform_(&transform)
  {
  }

  std::size_t bytes() const { return (ranks() + 2) * each + work::template exact_scratch<T>(); }

  void share_totals()
  {
    std::byte* const memory = work_->memory();
    work_->template exact_total<T>(first_, size_, sum_at(ranks()), memory + (ranks() + 2) * each, *transform_);
    if (rank() == 0 && *init_) work_->for_each(1, add_term<T>{sum_at(ranks()), as_term(**init_)});
    all_->ranks.by.gather(memory + ranks() * each, memory, each);
  }

  std::uint64_t elements() const { return all_->ranks.offsets.back(); }

  template <class Result>
  void reduce(Result* result, T const& nothing)
  {
    if (elements() == 0 && !*init_)
      work_->for_each(1, store_value<Result, T>{result, nothing});
    else
      work_->for_each(1, store_nearest<T, Result>{sums(static_cast<int>(ranks())), result});
  }

  template <class Out>
  void scan(Out out, detail::direction shift)
  {
    if (size_ == 0) return;
    exact_sum<T>* const before = sum_at(ranks() + 1);
    if (rank() == 0)
      work_->for_each(1, store_term<T>{before, {*init_ ? as_term(**init_) : 0.0, init_->has_value()}});
    else
      work_->for_each(1, store_sum<T>{sums(rank()), before});
    work_->template exact_scan<T>(first_, size_, out, before, *transform_, shift);
  }

private:
  static constexpr std::size_t each = (sizeof(exact_sum<T>) + 255) / 256 * 256;

  int rank() const { return all_->ranks.by.rank(); }
  std::size_t ranks() const { return static_cast<std::size_t>(all_->ranks.by.size()); }
  exact_sum<T>* sum_at(std::size_t k) const { return reinterpret_cast<exact_sum<T>*>(work_->memory() + k * each); }
  /// The sums of the first `count` ranks. That of rank 0 has the initial value too.
  add_sums<T> sums(int count) const { return {work_->memory(), each, count}; }

  group<Machine>* all_;
  work* work_;
  I first_;
  std::size_t size_;
  std::optional<T> const* init_;
  Transform* transform_;
};

/// Runs body(call, work, session) on this rank's elements, after all ranks have met.
template <class T, class Machine, class I, class Transform, class Prepare, class Body>
void run_exact_call(execution<Machine> const& on, char const* function, I first, std::size_t size,
                    std::optional<T> const& init, Transform& transform, Prepare const& prepare, Body const& body)
{
  group<Machine>& all = on.all();
  ranks_backend::call_name const name(function, " of ", ranks_backend::type_name<T>(), " (", sizeof(T),
                                      " bytes), operator tally::exact_plus", init ? ", with an initial value" : "");
  typename Machine::work work(all.machine, function);
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  begin_call(all, by, size, [&] { prepare(work); });
  exact_call<T, Machine, I, Transform> own(all, work, std::move(first), size, init, transform);
  take_memory(all, by, work, own.bytes());
  own.share_totals();
  body(own, work, by);
}

}  // namespace tally::nccl_backend
