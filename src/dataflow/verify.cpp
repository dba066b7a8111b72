// SPDX-License-Identifier: MIT
// Checks with isl, for all sizes, and shows the smallest point where something is wrong.
#include "dataflow/timing.hpp"

#include <fmt/format.h>

namespace cyclotron::dataflow {

using namespace recurrence;

namespace {

class Verifier {
public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::optional<Problem> run() {
    for (std::size_t r = 0; r < program_.rules.size(); ++r) {
      isl_ctx_reset_operations(program_.context->get().get());
      if (auto problem = problem_of_rule(r)) return problem;
    }
    for (const Export& e : program_.exports) {
      const Reference own{e.space, e.value, own_point(space(e.space))};
      if (auto problem = problem_of_read(e.space, e.domain, own, e.span)) return problem;
    }
    return program_.timing ? problem_of_timing(*program_.timing) : std::nullopt;
  }

private:
  const Space& space(int s) const { return program_.spaces[static_cast<std::size_t>(s)]; }
  std::string name(int s, const std::string& value) const {
    return fmt::format("`{}` of space `{}`", value, space(s).name);
  }

  std::optional<Problem> problem_of_rule(std::size_t r) const {
    const Rule& rule = program_.rules[r];
    const auto at = [&](const isl::set& set) { return where(set, space(rule.space)); };
    if (!rule.domain.is_subset(space(rule.space).domain))
      return Problem{rule.span,
                     fmt::format("a rule of {} reaches outside its space: {}", name(rule.space, rule.value),
                                 at(rule.domain.subtract(space(rule.space).domain))),
                     ""};
    for (std::size_t q = 0; q < r; ++q) {
      const Rule& other = program_.rules[q];
      if (other.space == rule.space && other.value == rule.value && !other.domain.is_disjoint(rule.domain))
        return Problem{rule.span,
                       fmt::format("two rules give {} a value at the same point: {}", name(rule.space, rule.value),
                                   at(rule.domain.intersect(other.domain))),
                       "say where each holds, after a colon: `(i, j)_A <- … : 1 <= j`"};
    }
    std::optional<Problem> problem;
    ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      const auto ref = a ? reference_of(*a, program_) : std::nullopt;
      if (ref && !problem)
        problem = problem_of_read(rule.space, rule.domain, *ref, e->span.known() ? e->span : rule.span);
    });
    return problem;
  }

  // Every point of the domain reads a value that is defined.
  std::optional<Problem> problem_of_read(int reader, const isl::set& domain, const Reference& ref, Span span) const {
    const Space& from = space(reader);
    const isl::map readers = map_to(*program_.context, *program_.source, from.coordinates, ref.point).reverse();
    isl::set missing = domain;
    for (const Rule& r : program_.rules)
      if (r.space == ref.space && r.value == ref.value)
        missing = missing.subtract(isl::manage(isl_set_apply(r.domain.copy(), readers.copy())));
    if (missing.is_empty()) return std::nullopt;
    return Problem{span,
                   fmt::format("{} is read by space `{}` where it has no value: {}", name(ref.space, ref.value),
                               from.name, where(missing, from)),
                   "give it a rule there, or say where this one holds, after a colon"};
  }

  std::optional<Problem> problem_of_timing(const Timing& timing) const {
    isl_ctx_reset_operations(program_.context->get().get());
    const auto flows =
        flows_in_pass(program_, [&](int s) { return timing.steps[static_cast<std::size_t>(s)].has_value(); });
    if (const auto late = late_operand(program_, flows, timing)) {
      const std::int64_t needed = steps_needed(program_, *late->flow);
      return Problem{late->flow->span.known() ? late->flow->span : program_.timing_span,
                     fmt::format("by the timing `{}`, {} comes too late for space `{}`: {}", print(timing),
                                 name(late->flow->producer, late->flow->value), space(late->flow->reader).name,
                                 where(late->readers, space(late->flow->reader))),
                     fmt::format("the step of the reader must be at least {} after that of the value: {}", needed,
                                 "one for each link between their places, and one where the value stays")};
    }
    if (const auto crowd = crowded_place(program_, timing)) {
      const std::string &one = space(crowd->other).name, &other = space(crowd->space).name;
      const std::string what = one == other ? fmt::format("two points of space `{}`", one)
                                            : fmt::format("points of the spaces `{}` and `{}`", one, other);
      return Problem{program_.timing_span,
                     fmt::format("by the timing `{}`, one PE has {} in the same step: {}", print(timing), what,
                                 where(crowd->pairs.domain(), space(crowd->space))),
                     "place and step together must tell all points apart"};
    }
    return std::nullopt;
  }

  std::string where(const isl::set& set, const Space& of) const {
    const auto witness = find_witness(set, *program_.source, of.coordinates);
    return witness ? witness->describe() : to_string(set);
  }

  const Program& program_;
};

} // namespace

std::optional<Problem> find_problem(const Program& program) { return Verifier(program).run(); }

std::string problem_of(const Program& program) {
  const auto problem = find_problem(program);
  return problem ? problem->message : "";
}

} // namespace cyclotron::dataflow
