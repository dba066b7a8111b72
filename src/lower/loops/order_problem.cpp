// SPDX-License-Identifier: MIT
#include "lower/loops/order_problem.hpp"

#include <fmt/format.h>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;

namespace {

class OrderCheck {
public:
  OrderCheck(const NestFlow& flow, const Program& program) : flow_(flow), program_(program) {}

  std::string run() {
    for (const Flow& f : flow_.flows)
      if (std::string problem = problem_of(f); !problem.empty()) return problem;
    return "";
  }

private:
  std::string problem_of(const Flow& f) const {
    const NestStatement& to = flow_.statements[f.to];
    for (std::size_t d = 0; d < f.common; ++d) {
      const Loop& loop = *to.around[d];
      if (const isl::map early = f.backward(d, loop.rising); !early.is_empty()) return too_early(f, early);
      if (!loop.forall) continue;
      if (const isl::map carried = f.forward(d, loop.rising); !carried.is_empty())
        return fmt::format("`{}` is no forall: {}", loops::header(loop, program_),
                           describe(f, carried, "which another iteration writes in"));
    }
    if (f.from < f.to) return "";
    const isl::map same = f.within(f.common);
    return same.is_empty() ? "" : too_early(f, same);
  }

  std::string too_early(const Flow& f, const isl::map& pairs) const {
    return describe(f, pairs, "which is written only later, in");
  }

  std::string describe(const Flow& f, const isl::map& pairs, std::string_view how) const {
    const NestStatement &from = flow_.statements[f.from], &to = flow_.statements[f.to];
    std::vector<std::string> names;
    for (const Loop* loop : to.around) names.push_back(loop->variable);
    const auto witness = find_witness(pairs.range(), program_, names);
    const std::string when = witness ? witness->describe() : "";
    return fmt::format("`{}` reads `{}`, {} `{}`{}", loops::print(*to.statement), print(f.read), how,
                       loops::print(*from.statement), when.empty() ? "" : fmt::format(" ({})", when));
  }

  const NestFlow& flow_;
  const Program& program_;
};

} // namespace

std::string order_problem(const loops::Nest& nest, const Domains& domains) {
  const auto problem =
      domains.context->bounded([&] { return OrderCheck(find_flow(nest, domains), *domains.program).run(); });
  return problem.value_or("isl gave up on the order of this nest");
}

} // namespace cyclotron::lower
