#include "help/pages/pages.hpp"

namespace tally::cli {

std::vector<choice> const& notation_choices()
{
  static std::vector<choice> const all = {
      {"si", "K (or k) is 1000, M 1000^2, G, T, P, E, Z, Y, R, Q"},
      {"iec", "K or Ki is 1024, M or Mi 1024^2, ... (as du -h and ls -h print)"},
      {"auto", "K is 1000, Ki 1024, M 1000^2, Mi 1024^2, ..."},
      {"hex", "hexadecimal integers, with 0x or without"},
  };
  return all;
}

std::vector<choice> const& scale_choices()
{
  static std::vector<choice> const all = {
      {"si", "1.5K for 1500"},
      {"iec", "1.5K for 1536"},
      {"iec-i", "1.5Ki for 1536"},
      {"hex", "0x1f for the integer 31"},
  };
  return all;
}

std::vector<option_page> number_reading_options()
{
  return {
      {"--from", "NOTATION",
       "The notation of the numbers of text: suffixes such as 1.5K, also with a blank before and a B behind (1.5 KB), "
       "or hexadecimal digits. A product with its suffix that is whole is an integer.",
       completes::choices, notation_choices()},
      {"--thousands", "CHARACTER",
       "The numbers of text may have this character (or `space`) between groups of three digits: `--thousands ,` reads "
       "1,234,567 and 1234567, and refuses 12,34. With `space` a table is CSV, not one with blanks."},
      {"--decimal-point", "CHARACTER",
       "The character before decimals, `.` or `,`, in the numbers of text and in results of `reduce` and `scan`: "
       "`--decimal-point ,` reads and writes 0,5."},
      {"--unit", "UNIT[,UNIT...]",
       "The numbers of text may have one of these before them, and one behind: `--unit '$,%'` reads $5, -$5, $-5 and "
       "7 %, as 5, -5 and 7. The unit `()` stands for negative numbers as in accounts: (2.50) is -2.50."},
  };
}

std::vector<option_page> number_style_options()
{
  return {
      {"--precision", "N",
       "Write results with N decimals, rounded to the nearest, ties to even. Positions and counts have none."},
      {"--to", "NOTATION",
       "Write results with a suffix: three significant digits, or --precision decimals. Or write integers in "
       "hexadecimal.",
       completes::choices, scale_choices()},
      {"--grouping", "CHARACTER", "Write this character (or `space`) between groups of three digits of results."},
  };
}

}  // namespace tally::cli
