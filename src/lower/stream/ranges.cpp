// SPDX-License-Identifier: MIT
#include "lower/stream/ranges.hpp"

#include "recurrence/code.hpp"

#include <algorithm>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

bool is_index(const Expr& expr, const std::string& name) {
  const Name* n = as<Name>(expr);
  return n && n->kind == NameKind::index && n->id == name;
}

// The first dimension that an index has to itself.
std::optional<Affine> dimension_alone(const Access& access, const std::string& name, const Program& program) {
  for (std::size_t d = 0; d < access.indices.size(); ++d)
    if (is_index(access.indices[d], name)) return accepted_affine(program.tensor(access.tensor)->dims[d], program);
  return std::nullopt;
}

std::optional<Affine> dimension_alone(const Expr& body, const std::string& name, const Program& program) {
  std::optional<Affine> found;
  ir::walk<ExprNode>(body, [&](const Expr& e) {
    if (const Access* access = as<Access>(e); access && !found) found = dimension_alone(*access, name, program);
  });
  return found;
}

bool names_size(const Expr& expr, const Program& program) {
  const Affine affine = accepted_affine(expr, program);
  return std::ranges::any_of(affine.terms, [&](const auto& term) { return program.is_size(term.first); });
}

} // namespace

StreamRanges::StreamRanges(const Equation& equation, const frontend::Checked& checked,
                           const std::map<std::string, std::int64_t>& sizes)
    : equation_(equation), checked_(checked), program_(checked.program()), sizes_(sizes) {
  for (const auto& [name, size] : sizes) numbers_[name] = Affine{{}, size};
}

Affine StreamRanges::at_sizes(const Affine& affine) const { return substitute(affine, numbers_); }

bool StreamRanges::equal(const Affine& a, const Affine& b) const { return at_sizes(a) == at_sizes(b); }

std::optional<StreamRange> StreamRanges::of_output(const std::string& index) const {
  if (const auto alone = dimension_alone(equation_.access(), index, program_)) return StreamRange{*alone, 0};
  const auto own = std::ranges::find(checked_.domains.equations, &equation_, &EquationDomain::equation);
  const auto place = std::ranges::find(own->indices, index) - own->indices.begin();
  return range_in(own->domain, static_cast<std::size_t>(place));
}

std::optional<StreamRange> StreamRanges::of_reduced(const Expr& reduce, const std::string& variable) const {
  const Reduce& r = *as<Reduce>(reduce);
  if (const auto alone = dimension_alone(r.body, variable, program_)) return StreamRange{*alone, 0};
  const ReductionDomain& own = checked_.domains.reduction(reduce);
  const auto place = std::ranges::find(r.variables, variable, &Binder::name) - r.variables.begin();
  return range_in(own.domain, own.variables.size() - r.variables.size() + static_cast<std::size_t>(place));
}

std::optional<StreamRange> StreamRanges::range_in(const isl::set& domain, std::size_t dimension) const {
  const auto box = checked_.domains.context->bounded([&] { return box_of(domain, program_, sizes_); });
  if (!box) return std::nullopt;
  if (!*box) return StreamRange{}; // it has no point
  const auto [least, most] = (**box)[dimension];
  const std::int64_t first = std::min<std::int64_t>(least, 0);
  return StreamRange{Affine{{}, most - first + 1}, first};
}

bool StreamRanges::need_sizes(const Equation& equation, const Program& program) {
  bool needed = false;
  for (const Constraint& c : equation.constraints)
    for (const Expr& operand : c.operands) needed |= names_size(operand, program);
  std::set<std::string> outputs;
  for (const Expr& index : equation.access().indices) {
    const Name* name = as<Name>(index);
    needed |= !name || name->kind != NameKind::index || !outputs.insert(name->id).second;
  }
  ir::walk<ExprNode>(equation.value, [&](const Expr& e) {
    if (const Access* access = as<Access>(e))
      for (const Expr& index : access->indices) needed |= names_size(index, program);
    if (const Reduce* reduce = as<Reduce>(e))
      for (const Binder& b : reduce->variables) needed |= !dimension_alone(reduce->body, b.name, program);
  });
  return needed;
}

} // namespace cyclotron::lower
