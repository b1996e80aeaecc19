#pragma once

// The overloads of as_std.hpp with an execution policy. Sequenced policies run on the calling thread, parallel ones on
// all threads.

namespace tally::as_std {

template <class Policy>
concept policy = std::is_execution_policy_v<std::remove_cvref_t<Policy>>;

template <policy Policy>
constexpr cpu on(Policy const&)
{
  using namespace std::execution;
  return cpu{.threads = std::is_same_v<Policy, parallel_policy> || std::is_same_v<Policy, parallel_unsequenced_policy>
                            ? 0
                            : 1};
}

template <policy Policy, class I>
value_of<I> reduce_by_tally(Policy&& how, I first, I last)
{
  return tally::reduce<value_of<I>>(on(how), first, last, value_of<I>{});
}
template <policy Policy, class I, class T>
T reduce_by_tally(Policy&& how, I first, I last, T init)
{
  return tally::reduce<T>(on(how), first, last, std::move(init), std::plus<>{});
}
template <policy Policy, class I, class T, class Op>
T reduce_by_tally(Policy&& how, I first, I last, T init, Op op)
{
  return tally::reduce<T>(on(how), first, last, std::move(init), op);
}

template <policy Policy, class I1, class I2, class T>
T transform_reduce_by_tally(Policy&& how, I1 first1, I1 last1, I2 first2, T init)
{
  return tally::transform_reduce<T>(on(how), first1, last1, first2, std::move(init), std::plus<>{},
                                    std::multiplies<>{});
}
template <policy Policy, class I1, class I2, class T, class Op, class Transform>
T transform_reduce_by_tally(Policy&& how, I1 first1, I1 last1, I2 first2, T init, Op op, Transform transform)
{
  return tally::transform_reduce<T>(on(how), first1, last1, first2, std::move(init), op, transform);
}
template <policy Policy, class I, class T, class Op, class Transform>
T transform_reduce_by_tally(Policy&& how, I first, I last, T init, Op op, Transform transform)
{
  return tally::transform_reduce<T>(on(how), first, last, std::move(init), op, transform);
}

template <policy Policy, class I, class Out>
Out inclusive_scan_by_tally(Policy&& how, I first, I last, Out out)
{
  return tally::inclusive_scan<value_of<I>>(on(how), first, last, out);
}
template <policy Policy, class I, class Out, class Op>
Out inclusive_scan_by_tally(Policy&& how, I first, I last, Out out, Op op)
{
  return tally::inclusive_scan<value_of<I>>(on(how), first, last, out, op);
}
template <policy Policy, class I, class Out, class Op, class T>
Out inclusive_scan_by_tally(Policy&& how, I first, I last, Out out, Op op, T init)
{
  return tally::inclusive_scan<T>(on(how), first, last, out, op, std::move(init));
}

template <policy Policy, class I, class Out, class T>
Out exclusive_scan_by_tally(Policy&& how, I first, I last, Out out, T init)
{
  return tally::exclusive_scan<T>(on(how), first, last, out, std::move(init), std::plus<>{});
}
template <policy Policy, class I, class Out, class T, class Op>
Out exclusive_scan_by_tally(Policy&& how, I first, I last, Out out, T init, Op op)
{
  return tally::exclusive_scan<T>(on(how), first, last, out, std::move(init), op);
}

template <policy Policy, class I, class Out, class Op, class Transform>
Out transform_inclusive_scan_by_tally(Policy&& how, I first, I last, Out out, Op op, Transform transform)
{
  return tally::transform_inclusive_scan(on(how), first, last, out, op, transform);
}
template <policy Policy, class I, class Out, class Op, class Transform, class T>
Out transform_inclusive_scan_by_tally(Policy&& how, I first, I last, Out out, Op op, Transform transform, T init)
{
  return tally::transform_inclusive_scan<T>(on(how), first, last, out, op, transform, std::move(init));
}
template <policy Policy, class I, class Out, class T, class Op, class Transform>
Out transform_exclusive_scan_by_tally(Policy&& how, I first, I last, Out out, T init, Op op, Transform transform)
{
  return tally::transform_exclusive_scan<T>(on(how), first, last, out, std::move(init), op, transform);
}

}  // namespace tally::as_std
