/// Pi as the area of half a disc: a map and a sum, in double and in float.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>

#include <tally/algorithms/integrate.hpp>

struct half_circle {
  template <class T>
  T operator()(T x) const
  {
    return std::sqrt(1 - x * x);
  }
};

template <class T>
void print(char const* name, T pi)
{
  double const value = static_cast<double>(pi);
  std::printf("%-34s %.10f  %+.1e\n", name, value, value - std::numbers::pi);
}

int main()
{
  constexpr std::size_t n = std::size_t{1} << 20;
  half_circle const f;

  // One sum over a stencil: the areas of trapezoids, each from two values of f.
  auto const areas = tally::elements_from(tally::trapezoids(f, -1.0f, 1.0f, n));
  float serially = 0;
  for (std::size_t k = 0; k < n; ++k) serially += areas[static_cast<std::ptrdiff_t>(k)];
  print("trapezoids, float, one by one", 2 * serially);
  print("trapezoids, float, tally::reduce", 2 * tally::reduce(tally::cpu{}, areas, areas + std::ptrdiff_t{n}));

  print("trapezoids, double", 2 * tally::integrate(tally::cpu{}, f, -1.0, 1.0, n, tally::trapezoidal{}));
  print("Simpson's rule, double", 2 * tally::integrate(tally::cpu{}, f, -1.0, 1.0, n));
}
