// SPDX-License-Identifier: MIT
// Types and shapes of computed values, by the rules of the language: a register is a tensor whose dimensions are those
// of its table and of its tile, and what is computed is an equation for a part of it.
#include "pe/verify.hpp"
#include "recurrence/kernels.hpp"
#include "recurrence/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::pe {

using namespace recurrence;

namespace {

Expr whole(std::int64_t value) { return Expr(Number{static_cast<double>(value), value}); }

TensorDecl as_tensor(const Register& r) {
  TensorDecl decl;
  decl.name.name = r.name;
  decl.type = r.type;
  for (const Register::Extent& e : r.table) decl.dims.push_back(whole(e.count));
  for (const std::int64_t extent : r.tile) decl.dims.push_back(whole(extent));
  decl.format = tensor::dense_format(static_cast<int>(decl.dims.size()));
  return decl;
}

// A literal must come back from the text as it was: a sign is an operator there.
bool reads_back(const Number& n) { return !std::isnan(n.value) && !std::signbit(n.value); }

std::string problem_of_access(const Access& a, const Program& program) {
  const Register* r = program.find_register(a.tensor);
  if (!r) return fmt::format("`{}` is no register", a.tensor);
  if (a.step) return fmt::format("`{}` has a superscript", a.tensor);
  if (a.indices.size() != r->table.size())
    return fmt::format("`{}` has {} indices, expected {}", a.tensor, a.indices.size(), r->table.size());
  return "";
}

std::string problem_of_node(const Expr& e, const Step& step, const Program& program) {
  if (as<Reduce>(e)) return "a value has a reduction";
  if (const Number* n = as<Number>(e); n && !reads_back(*n)) return "a literal has a sign of its own";
  if (const Access* a = as<Access>(e)) return problem_of_access(*a, program);
  if (const KernelCall* k = as<KernelCall>(e)) {
    const Kernel* kernel = kernel_named(k->kernel);
    if (!kernel || kernel->arguments.size() != k->arguments.size())
      return fmt::format("`{}` is no kernel of {} tiles", k->kernel, k->arguments.size());
  }
  const Name* name = as<Name>(e);
  if (!name) return "";
  const bool known = name->kind == NameKind::index &&
                     std::any_of(step.coordinates.begin(), step.coordinates.end(),
                                 [&](const auto& coordinate) { return coordinate.first == name->id; });
  return known ? "" : fmt::format("`{}` is no coordinate", name->id);
}

} // namespace

std::string problem_of_value(const Compute& compute, const Step& step, const Program& program) {
  if (!compute.value) return "a value is missing";
  std::string problem;
  ir::walk<ExprNode>(compute.value, [&](const Expr& e) {
    if (problem.empty()) problem = problem_of_node(e, step, program);
  });
  if (!problem.empty()) return problem;
  recurrence::Program one;
  for (const Register& r : program.registers) one.tensors.push_back(as_tensor(r));
  Access target{compute.to.name, {}, {}};
  for (const Affine& a : compute.to.at) target.indices.push_back(expression_of(a, one));
  one.equations.push_back({Expr(target), compute.value, {}, {}});
  const Sources no_text;
  Diagnostics diagnostics(no_text);
  infer_types(one, diagnostics);
  if (!diagnostics.failed()) return "";
  const Remark& main = diagnostics.all()[0].main;
  return main.label.empty() ? main.message : fmt::format("{}: {}", main.message, main.label);
}

} // namespace cyclotron::pe
