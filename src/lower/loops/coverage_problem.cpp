// SPDX-License-Identifier: MIT
#include "lower/loops/coverage_problem.hpp"

#include "loops/origin.hpp"
#include "lower/contains.hpp"
#include "lower/loops/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;
using loops::Origin;
using loops::Statement;

namespace {

using Around = std::vector<const Loop*>;

class CoverageCheck {
public:
  CoverageCheck(const loops::Nest& nest, const frontend::Checked& checked)
      : nest_(nest), checked_(checked), program_(checked.program()),
        parts_(make_parts(program_, checked.types, checked.domains, {}, {})) {}

  std::optional<NestProblem> run() {
    loops::each_statement(nest_.body, [&](const Statement& s, const Around& around) {
      if (problem_) return;
      std::string message;
      for (const Origin& origin : loops::origins_of(s, around, program_)) {
        if (origin.equation != s.equation) continue;
        message = problem_of(s, around, origin);
        if (message.empty()) return;
      }
      problem_ = {message, &s};
    });
    return problem_;
  }

private:
  std::string problem_of(const Statement& s, const Around& around, const Origin& origin) const {
    const Part& part = part_of(origin);
    const isl::map points = points_of(s, around, part, origin);
    const isl::set runs = points.range(), needed = part.domain;
    if (const isl::set missing = needed.subtract(runs); !missing.is_empty())
      return fmt::format("`{}` does not run everywhere{}", loops::print(s), where(missing, part));
    if (const isl::set more = runs.subtract(needed); !more.is_empty())
      return fmt::format("`{}` runs where its equation has nothing{}", loops::print(s), where(more, part));
    if (s.reducer && !points.is_injective())
      return fmt::format("`{}` adds the same term more than once", loops::print(s));
    return "";
  }

  std::string where(const isl::set& set, const Part& part) const {
    const auto witness = find_witness(set, program_, part.variables);
    return witness ? fmt::format(" ({})", witness->describe()) : "";
  }

  const Part& part_of(const Origin& origin) const {
    for (const Part& p : parts_.parts)
      if (p.equation == origin.equation &&
          (origin.reduction ? p.reduction && p.reduction.same_as(origin.reduction) : !p.reduction))
        return p;
    bug("a statement is no part of its equation");
  }

  // { [loops] -> [variables of the part] }. A variable that its expressions do not mention is that of a loop left over.
  isl::map points_of(const Statement& s, const Around& around, const Part& part, const Origin& origin) const {
    isl_map* map = isl_map_from_domain(loops::domain_of(s, around, *checked_.domains.context, program_).release());
    map = isl_map_add_dims(map, isl_dim_out, static_cast<unsigned>(part.variables.size()));
    std::vector<std::string> taken;
    for (const auto& [own, placed] : origin.names) taken.push_back(placed);
    for (std::size_t v = 0; v < part.variables.size(); ++v) {
      const auto named = origin.names.find(part.variables[v]);
      const auto at = std::find_if(around.begin(), around.end(), [&](const Loop* loop) {
        return named != origin.names.end() ? loop->variable == named->second : !contains(taken, loop->variable);
      });
      if (at == around.end()) continue;
      taken.push_back((*at)->variable);
      map = isl_map_equate(map, isl_dim_in, static_cast<int>(at - around.begin()), isl_dim_out, static_cast<int>(v));
    }
    return isl::manage(map);
  }

  const loops::Nest& nest_;
  const frontend::Checked& checked_;
  const Program& program_;
  Parts parts_;
  std::optional<NestProblem> problem_;
};

} // namespace

std::optional<NestProblem> coverage_problem(const loops::Nest& nest, const frontend::Checked& checked) {
  return CoverageCheck(nest, checked).run();
}

} // namespace cyclotron::lower
