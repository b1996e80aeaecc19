/// Compaction keeps the particles of a simulation that are still inside; runs give the cells that they are in.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tally/algorithms/compact.hpp>
#include <tally/algorithms/run_lengths.hpp>

int main()
{
  std::vector<std::uint32_t> particles(1'000'000);
  for (std::uint32_t k = 0; k < particles.size(); ++k) particles[k] = k * 2654435761u >> 16;

  auto const inside = [](std::uint32_t x) { return x % 10 != 0; };
  std::vector<std::uint32_t> alive(particles.size());
  auto const end = tally::copy_if(tally::cpu{}, particles.begin(), particles.end(), alive.begin(), inside);
  alive.erase(end, alive.end());
  std::printf("%zu of %zu are inside\n", alive.size(), particles.size());

  std::vector<std::uint32_t> ordered(particles.size());
  auto const border =
      tally::stable_partition_copy(tally::cpu{}, particles.begin(), particles.end(), ordered.begin(), inside);
  std::printf("the others begin at %td: %u, %u, ...\n", border - ordered.begin(), border[0], border[1]);

  std::vector<char> const row = {'.', '.', '.', '#', '#', '.', '.', '.', '.', '#'};
  std::vector<char> pixels(row.size());
  std::vector<int> lengths(row.size());
  std::size_t const runs = tally::run_length_encode(row.begin(), row.end(), pixels.begin(), lengths.begin());
  for (std::size_t r = 0; r < runs; ++r) std::printf("%d%c ", lengths[r], pixels[r]);
  std::printf("\n");
}
