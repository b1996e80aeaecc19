// tally app compare, lex and tree.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "run_application.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

class app_compare : public in_folder {
protected:
  void expect_difference(std::string const& expected, std::string const& found, std::string const& message)
  {
    std::string const first = file("first", expected), second = file("second", found);
    outcome const result = app({"compare", first, second});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, second + message + " as in " + first + "\n");
  }
};

TEST_F(app_compare, says_where_files_differ)
{
  expect_difference("abc\ndef\n", "abc\ndxf\n", ":2:2: found 'x' at byte 5, counted from 0, expected 'e'");
  expect_difference("x", "y", ":1:1: found 'y' at byte 0, counted from 0, expected 'x'");
  expect_difference("a\nb", "a", ":1:2: found the end of the file at byte 1, counted from 0, expected a line's end");
  expect_difference("", "\x01", ":1:1: found byte 0x01 at byte 0, counted from 0, expected the end of the file");
  std::string const many(3'000'000, '\n');
  expect_difference(many + "ab", many + "ac", ":3000001:2: found 'c' at byte 3000001, counted from 0, expected 'b'");
}

TEST_F(app_compare, says_nothing_of_equal_ones)
{
  std::string const one = file("one", "same\n");
  EXPECT_EQ(app({"compare", one, file("two", "same\n")}).status, 0);
  outcome const piped = app({"compare", one, "-"}, "same\n");
  EXPECT_EQ(piped.status, 0);
  EXPECT_EQ(piped.out + piped.err, "");
  EXPECT_EQ(app({"compare", file("e", ""), file("f", "")}).status, 0);
  EXPECT_EQ(app({"compare", "-", one}, "some\n").err,
            one + ":1:2: found 'a' at byte 1, counted from 0, expected 'o' as in (standard input)\n");
}

TEST_F(app_compare, takes_two_files)
{
  expect_usage_error({"compare"}, "app compare takes two files, not 0");
  expect_usage_error({"compare", "a", "b", "c"}, "app compare takes two files, not 3");
  expect_usage_error({"compare", "-", "-"}, "only one of the files can be standard input");
  outcome const none = app({"compare", path("none"), path("none")});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "tally: " + path("none") + ": cannot read: No such file or directory\n");
}

class app_lex : public in_folder {};

TEST_F(app_lex, lists_tokens)
{
  EXPECT_EQ(app({"lex", file("x.json", "{\"a\\t\": [1,\n -2.5e3, true]}")}).out,
            "1\t1\tpunctuation\t{\n1\t2\tstring\t\"a\\\\t\"\n1\t7\tpunctuation\t:\n1\t9\tpunctuation\t[\n"
            "1\t10\tnumber\t1\n1\t11\tpunctuation\t,\n2\t2\tnumber\t-2.5e3\n2\t8\tpunctuation\t,\n2\t10\tword\ttrue\n"
            "2\t14\tpunctuation\t]\n2\t15\tpunctuation\t}\n");
  EXPECT_EQ(app({"lex", "--language", "c"}, "x <<= 'a'; /* b\n\tc */").out,
            "1\t1\tidentifier\tx\n1\t3\toperator\t<<=\n1\t7\tcharacter\t'a'\n1\t10\toperator\t;\n"
            "1\t12\tcomment\t/* b\\n\\tc */\n");
  EXPECT_EQ(app({"lex", file("x.cpp", "\x7f")}).err, path("x.cpp") + ":1:1: found '\\x7f', expected a token of C\n");
  EXPECT_EQ(app({"lex", file("none.json", "")}).out, "");
}

TEST_F(app_lex, counts_tokens)
{
  std::string text = "[";
  for (int k = 0; k < 50'000; ++k) text += "{\"k\": [true, 17]},\n";
  EXPECT_EQ(app({"lex", "--counts", file("x.json", text)}).out,
            "punctuation\t350001\nstring\t50000\nnumber\t50000\nword\t50000\n");
  EXPECT_EQ(app({"lex", "--counts", "-o", path("counts"), "--language", "json"}, "[]").status, 0);
  EXPECT_EQ(read("counts"), "punctuation\t2\nstring\t0\nnumber\t0\nword\t0\n");
}

TEST_F(app_lex, says_what_is_no_token)
{
  outcome const bad = app({"lex", "--language", "json", "-o", path("out")}, "[1,\n 2, tru, 01]");
  EXPECT_EQ(bad.status, 1);
  EXPECT_EQ(bad.err, "(standard input):2:5: found 'tru', expected a token of JSON\n");
  EXPECT_EQ(listing(), "");
  EXPECT_EQ(app({"lex", "--language", "json"}, "\"" + std::string(100, 'a')).err,
            "(standard input):1:1: found '\"" + std::string(39, 'a') + "...', expected a token of JSON\n");
  EXPECT_EQ(app({"lex", "--language", "json", "--keep-bad"}, "tru 1").out, "1\t1\tbad\ttru\n1\t5\tnumber\t1\n");
  EXPECT_EQ(app({"lex", "--language", "json", "--keep-bad", "--counts"}, "tru 1").out,
            "punctuation\t0\nstring\t0\nnumber\t1\nword\t0\nbad\t1\n");
}

TEST_F(app_lex, is_told_the_language)
{
  expect_usage_error({"lex", "notes.txt"},
                     "the language of notes.txt does not follow from its name; give --language json or c");
  expect_usage_error({"lex"},
                     "the language of (standard input) does not follow from its name; give --language json or c");
  expect_usage_error({"lex", "a.c", "b.c"}, "app lex takes one file, not 2");
  EXPECT_EQ(app({"lex", "--language", "cobol", "x"}).status, 2);
}

class app_tree : public in_folder {
protected:
  app_tree()
  {
    for (char const* const folder : {"t", "t/b", "t/b/deep", "t/a", "t/empty"})
      std::filesystem::create_directory(folder_ / folder);
    file("t/b/x", std::string(5000, 'x'));
    file("t/b/deep/y", std::string(77, 'y'));
    file("t/a/z", "z");
    file("t/top", std::string(100'000, 't'));
    std::filesystem::create_hard_link(folder_ / "t/b/x", folder_ / "t/a/again");
    std::filesystem::create_symlink("nowhere", folder_ / "t/link");
    std::filesystem::create_directory_symlink("b", folder_ / "t/to_b");
  }

  /// The output of both, in the same order.
  void expect_as(std::string const& tree, std::string const& du)
  {
    outcome const expected = run_shell(du + " | sort", folder_);
    outcome const found = run_shell("tally app tree " + tree + " | sort", folder_);
    EXPECT_NE(expected.out, "");
    EXPECT_EQ(found.out, expected.out) << tree;
  }
};

TEST_F(app_tree, sums_folders_as_du_does)
{
  expect_as("t/b", "du -b t/b");
  expect_as("--all t/b", "du -b -a t/b");
  expect_as("--disk t/b", "du -B1 t/b");
  expect_as("--depth 0 t", "du -b -s t");
  expect_as("--depth 1 t/b", "du -b -d 1 t/b");
  expect_as("--disk --all t/b", "du -B1 -a t/b");
  outcome const here = run_shell("cd t/b && tally app tree", folder_);
  EXPECT_EQ(here.out, run_shell("cd t/b && du -b", folder_).out);
}

TEST_F(app_tree, prints_in_the_order_of_names)
{
  outcome const result = run_shell("tally app tree t | cut -f 2", folder_);
  EXPECT_EQ(result.out, "t/a\nt/b/deep\nt/b\nt/empty\nt\n");
}

TEST_F(app_tree, numbers_nodes)
{
  EXPECT_EQ(app({"tree", "--parents"}, "2 2 -1 1\n0\n").out,
            "node\tdepth\tsize\tpreorder\tpostorder\n0\t1\t2\t1\t1\n1\t1\t2\t3\t3\n2\t0\t5\t0\t4\n3\t2\t1\t4\t2\n4\t2\t"
            "1\t2\t0\n");
  EXPECT_EQ(app({"tree", "--parents", "--column", "parent", file("p.csv", "node,parent\n0,0\n1,0\n")}).out,
            "node\tdepth\tsize\tpreorder\tpostorder\n0\t0\t2\t0\t1\n1\t1\t1\t1\t0\n");
  EXPECT_EQ(app({"tree", "--parents"}, "").out, "node\tdepth\tsize\tpreorder\tpostorder\n");
}

TEST_F(app_tree, says_what_is_wrong)
{
  auto const error_of = [&](std::string const& parents) {
    outcome const result = app({"tree", "--parents"}, parents);
    EXPECT_EQ(result.status, 1) << parents;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(error_of("0 0\n9"),
            "(standard input):2:1: found the parent 9 of node 2, expected 0 to 2, or -1 for the root\n");
  std::string const parents = file("p.txt", "0 0\n0 9\n");
  EXPECT_EQ(app({"tree", "--parents", parents}).err,
            parents + ":2:3: found the parent 9 of node 3, expected 0 to 3, or -1 for the root\n");
  EXPECT_EQ(error_of("-2"),
            "(standard input):1:1: found the parent -2 of node 0, expected 0 to 0, or -1 for the root\n");
  EXPECT_EQ(error_of("1 0"), "tally: tree: no node is a root; the root is its own parent\n");
  EXPECT_EQ(error_of("0 -1"),
            "tally: tree: nodes 0 and 1 are both roots; a tree has one node that is its own parent\n");
  EXPECT_EQ(error_of("0 2 1"),
            "tally: tree: node 1 is its own ancestor: its parent is 2, whose ancestors lead back to it\n");
  EXPECT_EQ(error_of("0 x").substr(0, 21), "(standard input):1:3:");
  EXPECT_EQ(app({"tree", path("none")}).err, "tally: " + path("none") + ": cannot read: No such file or directory\n");
  EXPECT_EQ(app({"tree", path("t/top")}).err, "tally: " + path("t/top") + ": cannot read: Not a directory\n");
  expect_usage_error({"tree", "a", "b"}, "app tree takes one directory, not 2");
  expect_usage_error({"tree", "--parents", "--all"},
                     "--all, --disk and --depth are for directories; --parents reads numbers");
  expect_usage_error({"tree", "--column", "1"},
                     "options that say how numbers are read are for --parents; a directory has none");
}

}  // namespace
}  // namespace tally::test
