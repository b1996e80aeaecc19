#include <string>

#include <gtest/gtest.h>

#include "tool.hpp"

/// Files as input: folders, patterns, compressed tables, files that grow.
namespace tally::test {
namespace {

class files : public in_folder {
protected:
  outcome run(words const& arguments)
  {
    surroundings around;
    around.directory = folder_;
    return run_tool(arguments, around);
  }
};

TEST_F(files, folders_and_patterns_stand_for_files_in_the_order_of_bytes)
{
  std::filesystem::create_directories(path("days/more"));
  file("days/b.txt", "2\n");
  file("days/A.txt", "1\n");
  file("days/c.csv", "x\n3\n");
  file("days/.hidden", "no number");
  file("days/more/d.txt", "4\n");
  file("[x]*.txt", "7\n");
  EXPECT_EQ(run({"scan", "days"}).out, "1\n3\n6\n");
  EXPECT_EQ(run({"scan", "days/*.txt"}).out, "1\n3\n");
  EXPECT_EQ(run({"scan", "da?s"}).out, "1\n3\n6\n") << "a folder that matches";
  EXPECT_EQ(run({"scan", "[x]*.txt"}).out, "7\n") << "a file of that name goes first";
  EXPECT_EQ(run({"app", "sort", "days/[Ab].txt", "days/more"}).out, "1\n2\n4\n");
  EXPECT_EQ(run({"reduce", "days/*.tsv"}).err, "days/*.tsv: found no such file, expected files that match it\n");
  std::filesystem::create_directories(path("empty/folder"));
  EXPECT_EQ(run({"reduce", "empty"}).err, "empty: found a folder without files, expected files\n");
  EXPECT_EQ(run({"reduce", "empty"}).status, 1);
}

TEST_F(files, a_compressed_table_has_the_places_of_its_rows_and_the_format_of_its_name)
{
  file("t.csv", "a,b\n1,2\n3,x\n");
  file("u.TSV", "a\tb\n1\t2\n3\t4\n");
  outcome const wrong = run_shell("gzip t.csv; tally reduce --column b t.csv.gz", folder_);
  EXPECT_EQ(wrong.err, "t.csv.gz:3:3: found 'x', expected a number\n");
  EXPECT_EQ(run_shell("gzip -c u.TSV > u.TSV.Gz; tally scan --column b u.TSV.Gz", folder_).out, "2\n6\n");
  EXPECT_EQ(run_shell("tally reduce --op product u.TSV.Gz - < u.TSV.Gz --column b --input-format tsv", folder_).out,
            "64\n");
  // An error that needs the input again: where an integer outgrows 128 bits.
  file("n.txt", "1\n170141183460469231731687303715884105727\n");
  EXPECT_EQ(run_shell("gzip n.txt; tally scan n.txt.gz", folder_).err.find("n.txt.gz:2:1: found"), 0U);
  EXPECT_EQ(
      run_shell("head -c 20 u.TSV.Gz > cut.raw; tally reduce --type u8 --no-decompress cut.raw > /dev/null", folder_)
          .err,
      "");
}

TEST_F(files, following_prints_results_as_they_come)
{
  file("log", "1\n2\n");
  outcome const result = run_shell(
      "mkfifo out; tally scan --follow log > out & exec 3< out; read a <&3; read b <&3; echo 3 >> log; read c <&3; "
      "echo 4 >> log; rm log; read d <&3; wait $!; echo $a $b $c $d $?",
      folder_);
  EXPECT_EQ(result.out, "1 3 6 10 0\n") << result.err;
  file("x", "1");
  EXPECT_EQ(run({"reduce", "--follow", "x", "x"}).status, 2);
  EXPECT_EQ(run({"reduce", "--follow"}).err,
            "tally: --follow is for a single file: a pipe lasts as long as its writer\nSee 'tally reduce --help'.\n");
  EXPECT_EQ(run({"reduce", "--follow", "x.npy"}).status, 2);
}

}  // namespace
}  // namespace tally::test
