// SPDX-License-Identifier: MIT
#include "dataflow/ir.hpp"

#include <fmt/format.h>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

class Verifier {
public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::string run() {
    for (std::size_t r = 0; r < program_.rules.size(); ++r) {
      const Rule& rule = program_.rules[r];
      if (!rule.domain.is_subset(space(rule.space).domain))
        return fmt::format("a rule of {} reaches outside its space", name(rule.space, rule.value));
      for (std::size_t q = 0; q < r; ++q) {
        const Rule& other = program_.rules[q];
        if (other.space == rule.space && other.value == rule.value && !other.domain.is_disjoint(rule.domain))
          return fmt::format("two rules give {} a value at the same point", name(rule.space, rule.value));
      }
      std::string problem;
      ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        const auto ref = a ? reference_of(*a, program_) : std::nullopt;
        if (ref && problem.empty()) problem = problem_of_read(rule.space, rule.domain, *ref);
      });
      if (!problem.empty()) return problem;
    }
    for (const Export& e : program_.exports) {
      const std::string problem = problem_of_read(e.space, e.domain, {e.space, e.value, own_point(space(e.space))});
      if (!problem.empty()) return problem;
    }
    return "";
  }

private:
  const Space& space(int s) const { return program_.spaces[static_cast<std::size_t>(s)]; }
  std::string name(int s, const std::string& value) const {
    return fmt::format("`{}` of space {}", value, space(s).name);
  }

  // Every point of the domain reads a value that is defined.
  std::string problem_of_read(int reader, const isl::set& domain, const Reference& ref) const {
    const Space& from = space(reader);
    const isl::map at = map_to(*program_.context, *program_.source, from.coordinates, ref.point);
    const isl::map readers = at.reverse();
    isl::set defined = domain.subtract(domain);
    for (const Rule& r : program_.rules)
      if (r.space == ref.space && r.value == ref.value)
        defined = defined.unite(isl::manage(isl_set_apply(r.domain.copy(), readers.copy())));
    if (domain.is_subset(defined)) return "";
    return fmt::format("{} is read by space {} where it has no value: {}", name(ref.space, ref.value), from.name,
                       to_string(domain.subtract(defined)));
  }

  const Program& program_;
};

} // namespace

std::string problem_of(const Program& program) { return Verifier(program).run(); }

} // namespace cyclotron::dataflow
