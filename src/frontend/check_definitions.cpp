// SPDX-License-Identifier: MIT
#include "frontend/check.hpp"

#include "frontend/describe.hpp"
#include "frontend/isl_limit.hpp"

#include <fmt/format.h>

namespace cyclotron::frontend {

using namespace recurrence;

Checked infer(const Unit& unit, Diagnostics& diagnostics) {
  Checked result;
  result.unit = std::make_shared<const Unit>(unit);
  result.types = infer_types(result.program(), diagnostics);
  if (diagnostics.failed()) return result;
  const Question asked{{}, "the index sets of this program", simpler_constraints};
  auto domains = within_isl_limit(asked, diagnostics, [&] { return find_domains(result.program(), diagnostics); });
  if (domains && !diagnostics.failed()) result.domains = std::move(*domains); // half would mislead further checks
  return result;
}

Checked check_schedules(const Checked& checked, Diagnostics& diagnostics) {
  schedule::check(checked.unit->schedules, checked.program(), diagnostics);
  return checked;
}

namespace {

void check_dimensions(const Checked& checked, Diagnostics& diagnostics) {
  const Program& program = checked.program();
  for (const TensorDecl& t : program.tensors)
    for (const Expr& dim : t.dims) {
      const Affine size = accepted_affine(dim, program);
      const isl::set negative =
          set_where(*checked.domains.context, program, {}, {condition_of(size, Relation::less, {})});
      if (const auto witness = find_witness(negative, program, {}))
        diagnostics
            .error(dim->span, fmt::format("dimension `{}` of `{}` {} negative", print(dim), t.name.name,
                                          size.is_constant() ? "is" : "can be"))
            .label(size.is_constant() ? "" : "when " + witness->describe())
            .with_hint(size.is_constant()
                           ? "a dimension is 0 or more"
                           : fmt::format("say which sizes are meant: `assume {}`", describe_condition({size})));
    }
}

// "by i = 0, j = 1 and by i = 1, j = 0, when n = 2": the second choice is under the names with a prime.
std::string describe_twins(const Witness& witness, const std::vector<std::string>& indices) {
  Witness first, second, sizes{witness.sizes, {}};
  for (const std::string& name : indices) {
    first.indices.emplace_back(name, witness.value_of(name));
    second.indices.emplace_back(name, witness.value_of(name + "'"));
  }
  const std::string when = witness.sizes.empty() ? "" : ", when " + sizes.describe();
  return fmt::format("by {} and by {}{}", first.describe(), second.describe(), when);
}

// Two values of the indices that define the same element.
void check_injective(const EquationDomain& e, const Checked& checked, Diagnostics& diagnostics) {
  if (e.defines.is_injective()) return;
  const Program& program = checked.program();
  const isl::map twins = isl::manage(isl_map_apply_range(e.defines.copy(), e.defines.reverse().release()));
  const isl::map different = twins.subtract(isl::manage(isl_map_identity(isl_map_get_space(twins.get()))));
  std::vector<std::string> names = e.indices;
  for (const std::string& n : e.indices) names.push_back(n + "'");
  const isl::set flat = isl::manage(isl_set_flatten(isl_map_wrap(different.copy())));
  const auto witness = find_witness(flat, program, names);
  if (!witness) bug("an equation is not injective, but has no witness");
  const auto value = [&](const std::string& n) { return witness->value_of(n); };
  diagnostics
      .error(e.equation->target->span, fmt::format("`{}` is defined more than once by this equation",
                                                   describe_element(e.equation->target, program, value)))
      .label(describe_twins(*witness, e.indices))
      .with_hint("add constraints so that each element is reached by one choice of the indices");
}

void check_overlap(const EquationDomain& first, const EquationDomain& second, const Checked& checked,
                   Diagnostics& diagnostics) {
  const Program& program = checked.program();
  const isl::set both = first.defines.range().intersect(second.defines.range());
  if (both.is_empty()) return;
  const isl::map to_second = second.defines.intersect_range(both);
  const auto witness =
      find_witness(isl::manage(isl_set_reset_tuple_id(to_second.domain().release())), program, second.indices);
  if (!witness) bug("two equations overlap, but there is no witness");
  const auto value = [&](const std::string& n) { return witness->value_of(n); };
  const std::string element = describe_element(second.equation->target, program, value);
  std::string sizes;
  for (const auto& [name, v] : witness->sizes) sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", name, v);
  diagnostics.error(second.equation->target->span, fmt::format("`{}` is defined by two equations", element))
      .label(sizes.empty() ? "here" : "here, when " + sizes)
      .note(first.equation->span, "and by this one",
            print(first.equation->target) == element ? "" : fmt::format("covers `{}` too", element))
      .with_hint("keep the two apart with a constraint on one of them");
}

void check_assumptions(const Checked& checked, Diagnostics& diagnostics) {
  const auto& assumptions = checked.program().assumptions;
  if (assumptions.empty() || !set_where(*checked.domains.context, checked.program(), {}, {}).is_empty()) return;
  diagnostics.error(cover(assumptions.front().span, assumptions.back().span), "no sizes satisfy these assumptions");
}

void check_elements(const Checked& checked, Question& asked, Diagnostics& diagnostics) {
  check_assumptions(checked, diagnostics);
  if (diagnostics.failed()) return;
  check_dimensions(checked, diagnostics);
  const auto& equations = checked.domains.equations;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    asked.span = equations[i].equation->span;
    asked.what = "whether this equation defines what is defined elsewhere";
    check_injective(equations[i], checked, diagnostics);
    if (equations[i].domain.is_empty())
      diagnostics.warning(equations[i].equation->span, "this equation defines nothing, whatever the sizes")
          .with_hint("its constraints contradict each other or the dimensions of the tensor");
    for (std::size_t j = 0; j < i; ++j)
      if (equations[i].equation->access().tensor == equations[j].equation->access().tensor)
        check_overlap(equations[j], equations[i], checked, diagnostics);
  }
}

} // namespace

Checked check_definitions(const Checked& checked, Diagnostics& diagnostics) {
  Question asked{{}, "whether there are sizes for this program", simpler_constraints};
  const auto done = within_isl_limit(asked, diagnostics, [&] {
    check_elements(checked, asked, diagnostics);
    return true;
  });
  return done ? checked : without_domains(checked);
}

} // namespace cyclotron::frontend
