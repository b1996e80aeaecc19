#include "soak/scan.hpp"

namespace tally::soak {

outcome floats_try(choices& of, std::string const& family)
{
  std::string const type = of.word("type", {"f32", "f32", "f64", "f16", "bf16"});
  if (type == "f32") return float_try<float>(of, family, "float");
  if (type == "f64") return float_try<double>(of, family, "double");
  if (type == "f16") return float_try<half>(of, family, "tally::half");
  return float_try<bfloat16>(of, family, "tally::bfloat16");
}

}  // namespace tally::soak
