// SPDX-License-Identifier: MIT
#include "dataflow/check_types.hpp"

namespace cyclotron::dataflow {

using namespace recurrence;

void check_types(const Program& program, Diagnostics& diagnostics) {
  recurrence::Program equations = *program.source;
  for (const Value& v : program.values) {
    const Space& space = program.spaces[static_cast<std::size_t>(v.space)];
    TensorDecl decl{{key_of(space, v.name), {}}, {}, v.type, {}, {}};
    decl.dims.assign(space.coordinates.size(), Expr(Number{1, 1})); // only their number matters
    for (const Affine& extent : v.tile) decl.dims.push_back(expression_of(extent, *program.source));
    equations.tensors.push_back(std::move(decl));
  }
  const auto add = [&](const Expr& target, const Expr& value, Span span) {
    equations.equations.push_back({target, value, {}, span});
  };
  const auto element = [&](const std::string& tensor, const Point& indices) {
    Access access{tensor, std::nullopt, {}};
    for (const Affine& a : indices) access.indices.push_back(expression_of(a, *program.source));
    return access;
  };
  for (const Rule& r : program.rules) {
    const Space& space = program.spaces[static_cast<std::size_t>(r.space)];
    add(Expr(element(key_of(space, r.value), own_point(space)), r.span), r.expr, r.span);
  }
  for (const Export& e : program.exports) {
    const Space& space = program.spaces[static_cast<std::size_t>(e.space)];
    const Expr value(element(key_of(space, e.value), own_point(space)), e.span);
    add(Expr(element(e.tensor, e.indices), e.span), value, e.span);
  }
  for (const Constant& c : program.constants) add(Expr(element(c.tensor, c.indices), c.span), c.expr, c.span);
  infer_types(equations, diagnostics);
}

} // namespace cyclotron::dataflow
