/// Calls of Tally with many types and operators, as users write them. Headers that users include by plain -I must give
/// no warning. This file is compiled and not run.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include <tally/algorithms.hpp>
#include <tally/tally.hpp>

namespace in_a_program {

/// An operator without traits.
struct last {
  template <class T>
  T operator()(T const&, T const& b) const
  {
    return b;
  }
};
struct least {
  template <class T>
  T operator()(T const& a, T const& b) const
  {
    return b < a ? b : a;
  }
  template <class T>
  T identity() const
  {
    return T{};
  }
};
struct same {
  template <class T>
  T const& operator()(T const& x) const
  {
    return x;
  }
};
struct mixed {
  float number;
  char letter;
};

/// Every way to call: with default and given threads, by random access and not, with and without an initial value, in
/// pieces.
template <class T, class Op>
void call(T const* x, std::size_t n, T* out, Op op)
{
  tally::cpu const on{.threads = 2};
  std::list<T> const linked(x, x + n);
  out[0] = tally::reduce(x, x + n, T{}, op);
  out[1] = tally::reduce(on, x, x + n, T{}, op);
  out[2] = tally::reduce(linked, T{}, op);
  out[3] = tally::transform_reduce(x, x + n, T{}, op, same{});
  out[4] = tally::transform_reduce(x, x + n, x, T{}, op, op);
  if constexpr (tally::has_identity<Op, T>) out[5] = tally::reduce(on, linked, op);
  tally::inclusive_scan(x, x + n, out, op);
  tally::inclusive_scan(on, x, x + n, out, op, T{});
  tally::inclusive_scan(linked, out, op);
  tally::exclusive_scan(on, x, x + n, out, T{}, op);
  tally::exclusive_scan(linked, out, T{}, op);
  tally::transform_inclusive_scan(on, x, x + n, out, op, same{});
  tally::transform_exclusive_scan(x, x + n, out, T{}, op, same{});
  tally::running<T, Op> sums(op);
  sums.reduce(x, n);
  sums.inclusive_scan(x, out, n);
  out[6] = sums.value().value_or(T{});
}

using three_bytes = std::array<unsigned char, 3>;

template void call(bool const*, std::size_t, bool*, last);
template void call(unsigned char const*, std::size_t, unsigned char*, last);
template void call(float const*, std::size_t, float*, least);
template void call(mixed const*, std::size_t, mixed*, last);
template void call(tally::indexed<char> const*, std::size_t, tally::indexed<char>*, tally::argmin);
#ifndef __OPTIMIZE__  // the code of these has never given a warning that those above do not give
template void call(short const*, std::size_t, short*, least);
template void call(three_bytes const*, std::size_t, three_bytes*, last);
template void call(std::string const*, std::size_t, std::string*, std::plus<>);
template void call(unsigned char const*, std::size_t, unsigned char*, tally::plus);
template void call(double const*, std::size_t, double*, tally::plus);
template void call(bool const*, std::size_t, bool*, tally::logical_and);
template void call(tally::half const*, std::size_t, tally::half*, tally::plus);
template void call(tally::affine<float> const*, std::size_t, tally::affine<float>*, tally::compose);
template void call(tally::moments<float> const*, std::size_t, tally::moments<float>*, tally::mean_and_variance);
template void call(tally::flagged<std::uint8_t> const*, std::size_t, tally::flagged<std::uint8_t>*,
                   tally::segmented<last>);
#endif

}  // namespace in_a_program
