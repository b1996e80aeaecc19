#pragma once

#include <string>
#include <string_view>

/// Files of other formats are known by their first bytes, so that a message names them instead of a byte in them.
namespace tally::io {

/// What bytes are the beginning of, and how Tally can read what is in them.
struct signature {
  std::string_view what;    ///< as a message says it: "data compressed by gzip"
  std::string_view remedy;  ///< "decompress it first: zcat FILE | tally ..."
};

/// The format that begins with these bytes; null if it is none that is known. None of them is a text of numbers or a
/// table, and no signature holds white space: so what a text reader is given first holds a whole one.
signature const* signature_of(std::string_view first_bytes);

/// Throws data_error, "found ..., expected `expected` (...)", if the bytes at the beginning of `source` have another
/// format.
void refuse_other_formats(std::string_view first_bytes, std::string const& source, std::string const& expected);

}  // namespace tally::io
