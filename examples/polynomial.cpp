/// A polynomial of a million coefficients at one point, by Horner's rule as a reduction; and a short polynomial at many
/// points, by a map.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tally/algorithms/polynomial.hpp>

int main()
{
  // 1 + x + x^2 + ... is 1 / (1 - x).
  std::vector<double> const ones(1'000'000, 1.0);
  std::printf("1/(1 - 0.999) is nearly %.10f\n",
              tally::polynomial_value(tally::cpu{}, ones.begin(), ones.end(), 0.999));

  // A text as a number in base 256, modulo 2^32: the coefficients are its letters.
  char const text[] = "ylla";
  std::printf("%08x\n", tally::polynomial_value(text, text + 4, std::uint32_t{256}));

  std::vector<double> const cubic = {-6, 11, -6, 1};  // (x - 1)(x - 2)(x - 3)
  std::vector<double> points = {0, 1, 1.5, 2, 3, 4};
  tally::polynomial_values(cubic.begin(), cubic.end(), points.begin(), points.end(), points.begin());
  std::printf("(x - 1)(x - 2)(x - 3):");
  for (double value : points) std::printf(" %g", value);

  std::vector<std::uint64_t> powers(12);
  tally::powers(std::uint64_t{3}, powers.size(), powers.begin());
  std::printf("\n3^11 = %d\n", static_cast<int>(powers.back()));
}
