// SPDX-License-Identifier: MIT
#include "frontend/check.hpp"

#include "frontend/describe.hpp"
#include "frontend/isl_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace cyclotron::frontend {

using namespace recurrence;

namespace {

class BoundsChecker {
public:
  BoundsChecker(const Checked& checked, Diagnostics& diagnostics)
      : checked_(checked), program_(checked.program()), diagnostics_(diagnostics) {}

  void run(const ReadDomain& read, const EquationDomain& equation) {
    equation_ = &equation;
    const Access& access = *as<Access>(read.expr);
    const TensorDecl& decl = *program_.tensor(access.tensor);
    if (access.step) check_step(read);
    if (read.elements.range().is_subset(box_of_tensor(access.tensor))) return;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Affine index = accepted_affine(access.indices[d], program_);
      const Affine size = accepted_affine(decl.dims[d], program_);
      check_side(read, d, condition_of({}, Relation::less_equal, index));
      check_side(read, d, condition_of(index, Relation::less, size));
    }
  }

private:
  // { Tensor[step, indices] } with any step and every index inside.
  const isl::set& box_of_tensor(const std::string& name) {
    const auto found = boxes_.find(name);
    if (found != boxes_.end()) return found->second;
    std::vector<std::string> names;
    std::vector<Condition> inside;
    if (program_.is_stepped(name)) names.push_back("step'");
    for (const Expr& dim : program_.tensor(name)->dims) {
      names.push_back(fmt::format("i{}'", names.size()));
      add_index_inside(names.back(), accepted_affine(dim, program_), inside);
    }
    isl_set* box = set_where(*checked_.domains.context, program_, names, inside).release();
    return boxes_.emplace(name, isl::manage(isl_set_set_tuple_name(box, isl_name(name).c_str()))).first->second;
  }

  void check_side(const ReadDomain& read, std::size_t dimension, const Condition& inside) {
    const isl::set violated =
        read.domain.intersect(set_where(*checked_.domains.context, program_, read.variables, {negated(inside)}));
    if (violated.is_empty()) return;
    const auto witness = find_witness(violated, program_, read.variables);
    if (!witness) bug("a read is out of bounds, but there is no witness");
    const Access& access = *as<Access>(read.expr);
    const Expr& dim = program_.tensor(access.tensor)->dims[dimension];
    const std::int64_t index = accepted_affine(access.indices[dimension], program_).evaluate([&](const std::string& n) {
      return witness->value_of(n);
    });
    diagnostics_.error(read.expr->span, fmt::format("`{}` reads outside `{}`", print(read.expr), access.tensor))
        .label(fmt::format("index {} of a dimension of size {}{}", index, describe_size(dim, *witness),
                           witness->describe().empty() ? "" : ", when " + witness->describe()))
        .note(program_.tensor(access.tensor)->span, "it is declared here")
        .with_hint(remedy(inside, access.indices[dimension], dim));
  }

  std::string describe_size(const Expr& dim, const Witness& witness) const {
    const Affine size = accepted_affine(dim, program_);
    const std::int64_t value = size.evaluate([&](const std::string& n) { return witness.value_of(n); });
    return size.is_constant() ? std::to_string(value) : fmt::format("`{}` = {}", print(dim), value);
  }

  // The constraint that keeps the read inside; where only sizes are involved, the assumption.
  std::string remedy(const Condition& inside, const Expr& index, const Expr& dim) const {
    const auto is_size = [&](const auto& term) { return program_.is_size(term.first); };
    const auto& terms = inside.affine.terms;
    if (const Name* name = as<Name>(index);
        name && name->kind == NameKind::size && accepted_affine(dim, program_) == accepted_affine(index, program_))
      return fmt::format("`{}` is a size in this program, so it is no index: use another name for the index", name->id);
    if (terms.empty()) return "no size makes this read legal: use another index, or a larger tensor";
    if (std::all_of(terms.begin(), terms.end(), is_size))
      return fmt::format("if smaller sizes are not meant, write `assume {}`", describe_condition(inside));
    const bool above =
        inside.affine == accepted_affine(dim, program_) - accepted_affine(index, program_) - Affine{{}, 1};
    const std::string constraint = above ? print_index(index) + " < " + print_index(dim) : describe_condition(inside);
    const auto is_reduced = [&](const auto& term) {
      const auto& own = equation_->indices;
      return !is_size(term) && std::find(own.begin(), own.end(), term.first) == own.end();
    };
    if (std::any_of(terms.begin(), terms.end(), is_reduced)) return fmt::format("add the constraint `{}`", constraint);
    return fmt::format("add the constraint `{}`, and another equation for the elements that it leaves out", constraint);
  }

  void check_step(const ReadDomain& read) {
    const Access& access = *as<Access>(read.expr);
    const auto steps = checked_.domains.steps.find(access.tensor);
    if (steps == checked_.domains.steps.end()) bug("a stepped tensor has no steps");
    const unsigned rank = static_cast<unsigned>(program_.tensor(access.tensor)->dims.size());
    isl_map* to_step = isl_map_project_out(read.elements.copy(), isl_dim_out, 1, rank);
    to_step = isl_map_subtract_range(isl_map_reset_tuple_id(to_step, isl_dim_out), steps->second.copy());
    const isl::map undefined = isl::manage(to_step);
    if (undefined.is_empty()) return;
    const auto witness = find_witness(undefined.domain(), program_, read.variables);
    if (!witness) bug("a step is undefined, but there is no witness");
    const auto value = [&](const std::string& n) { return witness->value_of(n); };
    const std::int64_t step = accepted_affine(*access.step, program_).evaluate(value);
    const std::string base =
        fmt::format("{}^{}", access.tensor, step < 0 ? fmt::format("({})", step) : std::to_string(step));
    diagnostics_.error(read.expr->span, fmt::format("`{}` reads a step that no equation defines", print(read.expr)))
        .label(fmt::format("step {}, when {}", step, witness->describe()))
        .with_hint(fmt::format("define that step by an equation of its own, `{}{} = …`, or constrain the step", base,
                               rank == 0 ? "" : "(…)"));
  }

  const Checked& checked_;
  const Program& program_;
  Diagnostics& diagnostics_;
  const EquationDomain* equation_ = nullptr;
  std::map<std::string, isl::set> boxes_;
};

} // namespace

Checked check_bounds(const Checked& checked, Diagnostics& diagnostics) {
  if (!checked.domains.context) return checked; // no domains were found
  Question asked{{}, "", simpler_constraints};
  const auto done = within_isl_limit(asked, diagnostics, [&] {
    BoundsChecker checker(checked, diagnostics);
    for (const EquationDomain& e : checked.domains.equations)
      for (const ReadDomain& read : e.reads) {
        asked.span = read.expr->span;
        asked.what = fmt::format("whether `{}` is always inside `{}`", print(read.expr), as<Access>(read.expr)->tensor);
        checker.run(read, e);
      }
    return true;
  });
  return done ? checked : without_domains(checked);
}

} // namespace cyclotron::frontend
