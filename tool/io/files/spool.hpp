#pragma once

#include "io/files/input.hpp"
#include "io/files/output.hpp"

namespace tally::io {

/// A file without a name for bytes that wait until they can be written, in the folder that TMPDIR names, else in /tmp.
/// It vanishes with the process however that ends.
class spool {
public:
  /// Throws file_error.
  spool();
  ~spool();
  spool(spool const&) = delete;
  spool& operator=(spool const&) = delete;

  /// Writes from the beginning on.
  output out() const { return output::descriptor(descriptor_, "(temporary file)"); }
  /// Reads from the beginning on.
  input in() const;

  int descriptor() const { return descriptor_; }
  /// The descriptor, which is the caller's from then on.
  int release();

private:
  int descriptor_;
};

}  // namespace tally::io
