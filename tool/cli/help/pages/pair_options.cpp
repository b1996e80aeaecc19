#include "help/pages/pages.hpp"

namespace tally::cli {

option_page weights_option()
{
  return {"--weights", "COLUMN",
          "The sum or the mean of the other columns, weighted by this one: sum(w x), and sum(w x) / sum(w). COLUMN is "
          "chosen as one of --column (see Two columns)."};
}

section pairs_section()
{
  return {
      "Two columns",
      {"covariance and correlation are of two columns of a table, `--column X,Y`, and go with no operation of one. "
       "--weights goes with sum and mean, of any number of columns. A row in which one of the two cells is missing "
       "(--missing skip) is left out.",
       "A weighted sum of integers is exact, as a sum is; a weighted mean of integers is the quotient of two exact "
       "sums. Other products are rounded to doubles before they are added up, in the order of all sums. Weights may "
       "be negative; if they add up to 0, the mean is nan or infinite. The covariance has the divisor n - 1; "
       "covariance and correlation are nan of fewer than two rows, and a correlation is nan if all values of a "
       "column are equal."}};
}

}  // namespace tally::cli
