#include "io/errors.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace tally::io {

std::string to_string(location const& where)
{
  std::string text = where.source;
  if (where.line != 0) text += ':' + std::to_string(where.line);
  if (where.line != 0 && where.column != 0) text += ':' + std::to_string(where.column);
  return text;
}

data_error::data_error(location where, std::string found, std::string expected)
    : error(to_string(where) + ": found " + found + ", expected " + expected),
      where_(std::move(where)),
      found_(std::move(found)),
      expected_(std::move(expected))
{
}

file_error::file_error(std::string path, std::string const& attempt, int error_number)
    : error(path + ": " + attempt + ": " + std::generic_category().message(error_number)),
      path_(std::move(path)),
      error_number_(error_number)
{
}

void throw_file_error(std::string const& path, std::string const& attempt, int error_number)
{
  switch (error_number) {
    case EPIPE: throw broken_pipe(path, attempt, error_number);
    case ENOSPC:
    case EDQUOT:
    case EFBIG: throw disk_full(path, attempt, error_number);
    default: throw file_error(path, attempt, error_number);
  }
}

}  // namespace tally::io
