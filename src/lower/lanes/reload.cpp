// SPDX-License-Identifier: MIT
#include "lower/lanes/reload.hpp"

#include "lanes/copies.hpp"

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Reference;
using lanes::Copy;
using lanes::Flow;

namespace {

Expr element_of(const dataflow::Program& program, const Copy& copy, const Reference& at) {
  const auto& names = program.spaces[static_cast<std::size_t>(at.space)].coordinates;
  std::map<std::string, Affine> by;
  for (std::size_t c = 0; c < names.size(); ++c) by[names[c]] = at.point[c];
  Access access{copy.tensor, std::nullopt, {}};
  for (const Affine& index : copy.element)
    access.indices.push_back(expression_of(substitute(index, by), *program.source));
  return Expr(std::move(access));
}

bool same(const Reference& a, const Reference& b) {
  return a.space == b.space && a.value == b.value && a.point == b.point;
}

} // namespace

void drop_what_nobody_reads(dataflow::Program& program) {
  for (bool dropped = true; dropped;) {
    std::vector<bool> wanted(program.values.size(), false);
    const auto want = [&](int space, const std::string& value) {
      wanted[lanes::number_of_value(program, space, value)] = true;
    };
    for (const dataflow::Export& e : program.exports) want(e.space, e.value);
    for (const dataflow::Rule& r : program.rules)
      ir::walk<ExprNode>(r.expr, [&](const Expr& e) {
        const Access* a = as<Access>(e);
        const auto ref = a ? dataflow::reference_of(*a, program) : std::nullopt;
        if (ref && !(ref->space == r.space && ref->value == r.value)) want(ref->space, ref->value);
      });
    const auto unwanted = [&](const auto& x, const std::string& name) {
      return !wanted[lanes::number_of_value(program, x.space, name)];
    };
    dropped = std::erase_if(program.rules, [&](const dataflow::Rule& r) { return unwanted(r, r.value); }) > 0;
    std::vector<dataflow::Value> kept;
    for (const dataflow::Value& v : program.values)
      if (!unwanted(v, v.name)) kept.push_back(v);
    dropped |= kept.size() != program.values.size();
    program.values = std::move(kept);
  }
}

void reload(dataflow::Program& program, const std::vector<std::optional<Copy>>& copies,
            const std::function<bool(const Flow&)>& which) {
  const std::vector<Flow> flows = lanes::flows_of(program);
  for (const Flow& f : flows) {
    const auto& copy = copies[lanes::number_of_value(program, f.what.space, f.what.value)];
    if (!copy || !which(f)) continue;
    Expr& expr = program.rules[f.rule].expr;
    const std::function<Expr(const Expr&)> replaced = [&](const Expr& e) -> Expr {
      const Access* a = as<Access>(e);
      const auto ref = a ? dataflow::reference_of(*a, program) : std::nullopt;
      if (!ref) return ir::map_children<ExprNode>(e, replaced);
      return same(*ref, f.what) ? element_of(program, *copy, *ref) : e;
    };
    expr = replaced(expr);
  }
  drop_what_nobody_reads(program);
}

} // namespace cyclotron::lower
