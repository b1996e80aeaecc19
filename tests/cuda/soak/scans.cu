// The soak test on a GPU: scans and reductions at random sizes.
//
// Exact results are checked on the device, element by element: an inclusive scan is right if its first result is, and
// every other one is that before it combined with its element. Rounded results are compared in bits with a loop in the
// documented order.
#include "cuda/soak/device.cuh"
#include "soak/documented_order.hpp"
#include "soak/loops.hpp"
#include "tally/operators.hpp"

namespace tally::soak {

namespace {

/// Says how many results are wrong, and which is the first.
struct found {
  unsigned long long wrong;
  unsigned long long first;
};

template <class T>
TALLY_HD bool same_value(T const& a, T const& b)
{
  if constexpr (is_float<T>)
    return static_cast<float>(a) == static_cast<float>(b);
  else
    return a == b;
}

/// Result k from result k - 1; `shift` is 1 for an exclusive scan.
template <class T, class Op, class Values>
__global__ void check_steps(T const* out, std::size_t n, Values values, T init, bool with_init, std::size_t shift,
                            found* result)
{
  Op op;
  for (std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; k < n;
       k += std::size_t{gridDim.x} * blockDim.x) {
    T right{};
    if (k > 0)
      right = static_cast<T>(op(out[k - 1], values(k - shift)));
    else if (shift == 1)
      right = init;
    else
      right = with_init ? static_cast<T>(op(init, values(0))) : values(0);
    if (same_value(out[k], right)) continue;
    atomicAdd(&result->wrong, 1ull);
    atomicMin(&result->first, static_cast<unsigned long long>(k));
  }
}

template <class T, class Values>
__global__ void fill(T* to, std::size_t n, Values values)
{
  for (std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; k < n;
       k += std::size_t{gridDim.x} * blockDim.x)
    to[k] = values(k);
}

template <class T, class Op, class Values>
std::string wrong_steps(gpu& on, T const* out, std::size_t n, Values const& values, T init, bool with_init,
                        std::size_t shift)
{
  if (n == 0) return {};
  found const none{0, ~0ull};
  auto* const result = on.memory(3).template of<found>(1, 0);
  test::check_cuda(cudaMemcpyAsync(result, &none, sizeof none, cudaMemcpyDefault, on.stream()));
  check_steps<T, Op><<<1024, 256, 0, on.stream()>>>(out, n, values, init, with_init, shift, result);
  test::check_cuda(cudaGetLastError());
  found const all = on.value_at(result);
  if (all.wrong == 0) return {};
  return "out[" + std::to_string(all.first) + "] does not follow from the result before it; " +
         std::to_string(all.wrong) + " of " + std::to_string(n) + " do not";
}

/// The oracle of a type and an operator: every result is exact, or is rounded in a known order.
enum class results { exact, rounded };

template <results Results, class T, class Op, class Values>
outcome scanned(choices& of)
{
  constexpr std::size_t most = Results == results::exact ? std::size_t{1} << 28 : std::size_t{1} << 22;
  std::string const form =
      of.word("form", {"inclusive", "inclusive", "inclusive_init", "exclusive", "exclusive", "reduce", "reduce"});
  std::size_t const n = of.size(sizeof(T), most);
  bool const in_place = of.word("place", {"another", "another", "same"}) == "same";
  std::size_t const lanes = 128 / sizeof(T);
  // Half of the arrays begin where a vector does: the ring takes no others.
  bool const aligned = of.word("aligned", {"yes", "no"}) == "yes";
  std::size_t const in_phase = aligned ? 0 : of.number("in", 0, lanes - 1),
                    out_phase = aligned ? 0 : of.number("out", 0, lanes - 1);
  auto const seed = static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff));
  gpu& on = gpu::of_this_process();
  cuda const here = on.chosen(of);

  Values const values{{seed, n}};
  T const init = values(n);
  bool const with_init = form == "inclusive_init" || form == "exclusive" || form == "reduce";
  T* const out = on.memory(0).template of<T>(n, out_phase);
  T* const in = in_place ? out : on.memory(1).template of<T>(n, in_phase);
  if (n > 0) fill<<<1024, 256, 0, on.stream()>>>(in, n, values);
  test::check_cuda(cudaGetLastError());
  T reduced = init;
  if (form == "reduce") reduced = tally::reduce(here, in, in + n, init, Op{});
  // A reduction is the last result of a scan, which is checked.
  if (form == "inclusive")
    tally::inclusive_scan(here, in, in + n, out, Op{});
  else if (form == "exclusive")
    tally::exclusive_scan(here, in, in + n, out, init, Op{});
  else
    tally::inclusive_scan(here, in, in + n, out, Op{}, init);

  std::string wrong;
  if constexpr (Results == results::exact) {
    wrong = wrong_steps<T, loop<Op>>(on, out, n, values, init, with_init, form == "exclusive" ? 1 : 0);
    if (wrong.empty() && form == "reduce" && n > 0 && !same_value(reduced, on.value_at(out + n - 1)))
      wrong = "the reduction is not the scan's last result";
  } else {
    std::vector<T> const got = on.values(out, n);
    documented_order<T, Op, Values> expected(values, with_init ? std::optional<T>(init) : std::nullopt);
    for (std::size_t k = 0; k < n && wrong.empty(); ++k) {
      expected.take(k);
      T const right = form == "exclusive" ? expected.exclusive() : expected.inclusive();
      if (std::memcmp(&got[k], &right, sizeof(T)) != 0)
        wrong = "out[" + std::to_string(k) + "] is " + shown(got[k]) + ", expected " + shown(right);
    }
    T const last = n > 0 ? expected.inclusive() : init;
    if (wrong.empty() && form == "reduce" && std::memcmp(&reduced, &last, sizeof(T)) != 0)
      wrong = "the result is " + shown(reduced) + ", expected " + shown(last);
  }
  if (wrong.empty()) wrong = on.memory(0).beside(n * sizeof(T));
  return {wrong, ""};
}

template <class T>
outcome of_integers(choices& of)
{
  constexpr auto exact = results::exact;
  std::string const op =
      of.word("op", {"plus", "plus", "plus", "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"});
  if (op == "plus") return scanned<exact, T, plus, any_bits<T>>(of);
  if (op == "multiplies") return scanned<exact, T, multiplies, odd_numbers<T>>(of);
  if (op == "minimum") return scanned<exact, T, minimum, falling<T>>(of);
  if (op == "maximum") return scanned<exact, T, maximum, rising<T>>(of);
  if (op == "bit_and") return scanned<exact, T, bit_and, rare_gaps<T>>(of);
  if (op == "bit_or") return scanned<exact, T, bit_or, rare_bits<T>>(of);
  return scanned<exact, T, bit_xor, any_bits<T>>(of);
}

template <class T>
outcome of_floats(choices& of)
{
  std::string const op =
      of.word("op", {"plus", "multiplies", "minimum", "maximum", "plus_rounded", "plus_rounded", "multiplies_rounded"});
  // Halves round sums of small numbers, too.
  constexpr auto small = sizeof(T) == 2 ? results::rounded : results::exact;
  if (op == "plus") return scanned<small, T, plus, small_numbers<T>>(of);
  if (op == "multiplies") return scanned<results::exact, T, multiplies, powers_of_two<T>>(of);
  if (op == "minimum") return scanned<results::exact, T, minimum, falling<T>>(of);
  if (op == "maximum") return scanned<results::exact, T, maximum, rising<T>>(of);
  if (op == "plus_rounded") return scanned<results::rounded, T, plus, fractions<T>>(of);
  return scanned<results::rounded, T, multiplies, near_one<T>>(of);
}

outcome builtin_try(choices& of)
{
  std::string const type =
      of.word("type", {"i32", "u8", "i8", "u16", "u32", "i64", "u64", "f32", "f32", "f64", "f16", "bf16"});
  if (type == "u8") return of_integers<std::uint8_t>(of);
  if (type == "i8") return of_integers<std::int8_t>(of);
  if (type == "u16") return of_integers<std::uint16_t>(of);
  if (type == "u32") return of_integers<std::uint32_t>(of);
  if (type == "i64") return of_integers<std::int64_t>(of);
  if (type == "u64") return of_integers<std::uint64_t>(of);
  if (type == "f32") return of_floats<float>(of);
  if (type == "f64") return of_floats<double>(of);
  if (type == "f16") return of_floats<half>(of);
  if (type == "bf16") return of_floats<bfloat16>(of);
  return of_integers<std::int32_t>(of);
}

/// Operators of the caller's, which are compiled here: exactly associative or not, elements of 4, 6 and 16 bytes.
outcome own_operators_try(choices& of)
{
  constexpr auto exact = results::exact;
  std::string const op = of.word("op", {"last_nonzero", "maps", "matrices"});
  if (op == "maps") return scanned<exact, map_of<std::uint16_t>, compose_maps, odd_maps<std::uint16_t>>(of);
  if (op == "matrices") return scanned<exact, test::matrix, test::exact_matrix_product, unimodular>(of);
  return scanned<exact, std::int32_t, test::last_nonzero, sparse>(of);
}

/// Elements that a function gives: any alignment, and no memory that is read.
outcome transformed_try(choices& of)
{
  std::size_t const n = of.size(4, std::size_t{1} << 28);
  bool const exclusive = of.word("form", {"inclusive", "exclusive"}) == "exclusive";
  auto const out_phase = static_cast<std::size_t>(of.number("out", 0, 31));
  auto const seed = static_cast<std::uint32_t>(of.number("values", 0, 0xffffffff));
  gpu& on = gpu::of_this_process();
  cuda const here = on.chosen(of);
  any_bits<std::uint32_t> const values{{seed, n}};
  std::uint32_t const init = values(n);
  auto const elements = elements_from(values);
  auto* const out = on.memory(0).of<std::uint32_t>(n, out_phase);
  auto const last = elements + static_cast<std::ptrdiff_t>(n);
  if (exclusive)
    tally::exclusive_scan(here, elements, last, out, init);
  else
    tally::inclusive_scan(here, elements, last, out, plus{}, init);
  std::string wrong = wrong_steps<std::uint32_t, loop<plus>>(on, out, n, values, init, true, exclusive ? 1 : 0);
  if (wrong.empty()) wrong = on.memory(0).beside(n * 4);
  return {wrong, ""};
}

}  // namespace

std::vector<family> const& families()
{
  static std::vector<family> const all{
      {"scan", builtin_try},        {"own_operators", own_operators_try}, {"transformed", transformed_try},
      {"compact", compact_try},     {"run_lengths", run_lengths_try},     {"by_key", by_key_try},
      {"histogram", histogram_try}, {"radix_sort", radix_sort_try},       {"recurrence", recurrence_try},
  };
  return all;
}

}  // namespace tally::soak
