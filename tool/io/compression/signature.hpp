#pragma once

#include <string>
#include <string_view>

/// Recognises files of other formats by their first bytes, so that a message names the format instead of a byte.
namespace tally::io {

/// A format that Tally does not read, and how to read such a file all the same.
struct signature {
  std::string_view what;    ///< for messages: "data compressed by gzip"
  std::string_view remedy;  ///< "decompress it first: zcat FILE | tally ..."
};

/// The format that begins with these bytes, or null. No such file is a text of numbers or a table. No signature
/// contains white space, so the first piece that a text reader sees holds a whole one.
signature const* signature_of(std::string_view first_bytes);

/// Throws data_error, "found ..., expected `expected` (...)", if the first bytes of `source` are those of another
/// format.
void refuse_other_formats(std::string_view first_bytes, std::string const& source, std::string const& expected);

}  // namespace tally::io
