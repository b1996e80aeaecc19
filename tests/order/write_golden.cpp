#include <fstream>
#include <iostream>
#include <string>

#include "golden_files.hpp"

/// Rewrites the golden files in a folder from the reference implementation. This changes the contract, and must be
/// recorded in the change log.
int main(int argc, char** argv)
{
  using namespace tally::test::golden;
  if (argc != 2) {
    std::cerr << "usage: write_golden FOLDER\n";
    return 2;
  }
  int status = 0;
  auto const write = [&](std::string const& name, std::string const& text) {
    std::string const path = std::string(argv[1]) + "/" + name;
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) {
      std::cerr << path << ": cannot be written\n";
      status = 1;
    }
  };
  for_each_file(
      [&]<class Case, class T>() { write(file_name<Case, T>(), header<Case, T>() + rows<Case, T>(by_reference{})); });
  for_each_recurrence_file([&]<class T>() {
    write(recurrence_file_name<T>(), recurrence_header<T>() + recurrence_rows<T>(recurrences_by_reference{}));
  });
  return status;
}
