#include "explain/finding_record.hpp"

#include "explain/explanation.hpp"

namespace tally::cli {

json finding_of(model::finding const& of)
{
  return {{"fault", model::name(of.what)},
          {"kernel", of.kernel},
          {"launch", of.launch},
          {"block", of.block},
          {"step", of.step},
          {"thread", of.thread},
          {"other_thread", of.other},
          {"other_block", of.other_block},
          {"array", of.array},
          {"index", of.index},
          {"file", header_of(of.where)},
          {"line", of.where.line},
          {"times", of.times},
          {"text", of.text()}};
}

}  // namespace tally::cli
