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
  for_each_file([&]<class Case, class T>() {
    std::string const path = std::string(argv[1]) + "/" + file_name<Case, T>();
    std::ofstream file(path, std::ios::binary);
    file << header<Case, T>() << rows<Case, T>(by_reference{});
    if (!file.flush()) {
      std::cerr << path << ": cannot be written\n";
      status = 1;
    }
  });
  return status;
}
