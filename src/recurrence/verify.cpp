// SPDX-License-Identifier: MIT
// The structural invariants of a resolved program, checked after every pass: a failure is our bug, not the user's.
#include "recurrence/affine.hpp"
#include "recurrence/ir.hpp"
#include "recurrence/kernels.hpp"

#include <fmt/format.h>

#include <set>

namespace cyclotron::recurrence {

namespace {

using Names = std::set<std::string>;

std::string check_expr(const Expr& expr, const Program& program, Names bound) {
  std::string problem;
  if (const Name* n = as<Name>(expr)) {
    if (n->kind == NameKind::unresolved) return fmt::format("`{}` is not resolved", n->id);
    if (n->kind == NameKind::constant && !program.let(n->id)) return fmt::format("constant `{}` is not defined", n->id);
    if (n->kind == NameKind::size && !program.is_size(n->id)) return fmt::format("size `{}` is not known", n->id);
  }
  if (const Access* a = as<Access>(expr); a && !program.tensor(a->tensor))
    return fmt::format("tensor `{}` is not declared", a->tensor);
  if (const Number* n = as<Number>(expr); n && n->value < 0) return "a literal is negative";
  if (const KernelCall* k = as<KernelCall>(expr); k && !kernel_named(k->kernel))
    return fmt::format("`{}` is no kernel", k->kernel);
  if (const Reduce* r = as<Reduce>(expr)) {
    if (r->variables.empty()) return "a reduction has no variable";
    for (const Binder& b : r->variables)
      if (!bound.insert(b.name).second) return fmt::format("`{}` is bound twice", b.name);
  }
  ir::each_child<ExprNode>(expr, [&](const Expr& e) {
    if (problem.empty()) problem = check_expr(e, program, bound);
  });
  return problem;
}

} // namespace

std::string problem_of(const Program& program) {
  for (const Equation& e : program.equations) {
    if (!as<Access>(e.target)) return "a left-hand side is no access";
    for (const Expr& x : {e.target, e.value})
      if (std::string problem = check_expr(x, program, {}); !problem.empty()) return problem + " in `" + print(e) + "`";
    for (const Constraint& c : e.constraints)
      if (c.operands.size() != c.relations.size() + 1) return "a constraint has the wrong number of relations";
  }
  return "";
}

} // namespace cyclotron::recurrence
