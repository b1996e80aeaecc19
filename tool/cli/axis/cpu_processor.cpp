#include "axis/sequence_calls.hpp"

namespace tally::cli {

namespace {

class cpu_processor final : public sequence_processor {
public:
  explicit cpu_processor(int threads) : on_{.threads = threads} {}

  void reduce(operation op, io::element_type type, sequences const& of, void const* in, initial_values init,
              void* out) override
  {
    reduce_by_calls(on_, op, type, of, in, init, out);
  }

  void scan(operation op, io::element_type type, scan_kind kind, sequences const& of, void const* in,
            initial_values init, void* out) override
  {
    scan_by_calls(on_, op, type, kind, of, in, init, out);
  }

private:
  cpu on_;
};

}  // namespace

std::unique_ptr<sequence_processor> make_cpu_processor(int threads)
{
  return std::make_unique<cpu_processor>(threads);
}

}  // namespace tally::cli
