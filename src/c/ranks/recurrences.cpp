#include <cstddef>
#include <cstdint>

#include "src/c/ranks/arguments.hpp"
#include "src/c/ranks/calls.hpp"
#include "src/c/recurrence.hpp"
#include "tally/detail/ranks/recurrences.hpp"

namespace tally::c {

namespace {

template <class T>
void run(ranks const& on, std::size_t sequences, detail::batch::layout const& steps, coefficients const& c)
{
  ranks_backend::recur<T>(on, sequences, reinterpret_cast<T const*>(c.a.data), reinterpret_cast<T const*>(c.b.data),
                          reinterpret_cast<T*>(c.out.data),
                          [&](detail::batch::layout& where, detail::batch::ends<T>& ends) {
                            where = steps;
                            ends = c.ends<T>();
                          });
}

}  // namespace

void run_recurrence_on_ranks(char const* function, ranks const& on, tally_array const* a, tally_array const* b,
                             std::int32_t axis, tally_array const* out, tally_options const* options)
{
  ranks_backend::call_name name(function);
  session by(on.ranks(), name);
  recurrence_arguments call;
  coefficients c;
  detail::batch::layout where;
  std::size_t sequences = 1;
  by.attempt([&] {
    call = checked_recurrence(a, b, axis, out, options);
    refuse_gpu(call.b);
    if ((call.options.flags & TALLY_REVERSE) != 0)
      throw not_supported("TALLY_REVERSE on ranks: it needs ranks in the other order, each with its part turned round");
    for (std::size_t d = 0; d < call.across.size(); ++d) sequences *= static_cast<std::size_t>(call.across[d]);
    c = in_type_of_states(call);
    where = ranks_backend::numbered_layout(function, c.along(call.axis), call.across, c.across(call.axis));
    name = ranks_backend::call_name(function, " of ", sequences, " sequences of ", std::string_view(shown(call.type)));
  });
  by.meet({});
  if (sequences == 0) return;
  on.ranks().on = cpu{call.options.threads};
  auto const work = call.type.code == TALLY_UINT ? run<std::uint64_t> : call.type.bits == 32 ? run<float> : run<double>;
  work(on, sequences, where, c);
  deliver(c, call);
}

}  // namespace tally::c
