#include "help/pages/pages.hpp"

namespace tally::cli {

std::vector<option_page> table_options()
{
  return {
      {"--column", "COLUMN[,COLUMN...]",
       "The columns of numbers in a table; the first one if not given; `--op count` then counts "
       "rows, whatever their cells are. A COLUMN is the name of a column in the header "
       "line; or its number, the first being 1; or a range, `2-4` or `from:to`; or a pattern of names with *, ? or "
       "[...], as in a shell (see Tables). A name that holds a comma stands in quotes: `--column '\"a,b\",c'`."},
      {"--all", "", "Read all columns of a table but those of --by."},
      {"--by", "COLUMN[,COLUMN...]",
       "Group the rows of a table by these columns, which are chosen as those of --column: the rows with equal keys "
       "are "
       "a sequence of their own."},
      {"--delimiter", "CHARACTER", "The separator of the fields of a CSV table: a single character, or `tab`."},
      {"--widths", "N[,N...]", "Read a table whose columns have these widths, in bytes, with nothing between them."},
      {"--header", "",
       "The table's first line names its columns, even if a name is a number. Without this option a column whose name "
       "is a number is an error, since the line may be data."},
      {"--no-header", "", "The table's first line is data; its columns have numbers, not names."},
      {"--missing", "RULE",
       "The fate of a row whose cell is missing: one that is empty, blank, or among --na-strings, or that a short row "
       "of a table with blanks does not have. RULE is `error`, which is the rule if this option is not given; `skip`, "
       "which leaves the row out of the column; `zero` or `nan`, or a number that stands in for it, written as those "
       "of the input are.",
       completes::choices, missing_choices()},
      {"--na-strings", "TEXT[,TEXT...]",
       "Cells that are missing besides empty ones, for instance `NA,-`. In text they are words between the numbers."},
      {"--comment", "TEXT",
       "Skip lines that begin with this text, such as `#`, in tables and in text. Empty lines are always skipped, "
       "except "
       "within quotes."},
      {"--count-missing", "", "Print the number of missing cells of each column on standard error."},
  };
}

std::vector<choice> const& missing_choices()
{
  static std::vector<choice> const all = {
      {"error", "stop there"}, {"skip", "leave the row out"}, {"zero", "take it as 0"}, {"nan", "take it as nan"}};
  return all;
}

section tables_section()
{
  return {"Tables",
          {"The format of a table follows from the file's ending or from --input-format. With --column, --all or --by, "
           "standard input and files without a known ending are tables too, and their first line decides: if it has a "
           "comma they are CSV, else if it has a tab they are TSV, else their cells stand between blanks.",
           "CSV and TSV: the first line names the columns, unless --no-header says that it is data. Every row has as "
           "many fields as the first one. Where tabs in the first line have decided the format and all columns are "
           "chosen by numbers, the first line is data if it has numbers there: so `du -h` needs no option.",
           "Blanks: cells stand between blanks and tabs, as many as there are; quotes have no meaning. Lines without "
           "any cell are no rows. A row may be short, and then lacks cells. If a column is chosen by a name or a "
           "pattern the first line is the header. If all columns are chosen by numbers, it is a heading, which is "
           "skipped, if one of the columns of numbers has no cell there, or one that is no number: so `ls -l`, `df` "
           "and `ps` need no option. --header and --no-header say otherwise.",
           "Fixed width: as in CSV the first line names the columns, unless --no-header says that it is data. Blanks "
           "around a cell are no part of it, a line may end early, and lines that are blank are no rows.",
           "Columns: the name of a column goes before its number, and both before a range and a pattern. An end that a "
           "range leaves out (`3-`, `:to`) is that of the table. Ranges, patterns and --all leave out the columns of "
           "--by, the one of --weights, and those chosen before."}};
}

}  // namespace tally::cli
