// error: tally: counted elements are reached by index: give a range or an iterator with random access
#include <list>
#include <vector>

#include "tally/counted.hpp"
#include "tally/reduce.hpp"

#ifdef RIGHT
using numbers = std::vector<int>;
#else
using numbers = std::list<int>;
#endif

int sum(numbers const& x, int count)
{
  return tally::reduce(tally::counted(x, tally::count_at(&count, x.size())));
}
