// SPDX-License-Identifier: MIT
// Expressions whose values are tiles: reads with fewer indices than dimensions, kernels, sums and multiples of those.
#include "naive_program.hpp"

namespace cyclotron::fuzz {

using namespace recurrence;

Tile NaiveProgram::zero_tile(const Expr& expr) const {
  Tile t{types_.shape_of(expr), {}};
  std::size_t count = 1;
  for (std::int64_t d : t.dims) count *= static_cast<std::size_t>(d);
  t.values.assign(count, 0.0);
  return t;
}

double NaiveProgram::number(const Expr& expr) {
  const NaiveValue v = value(expr);
  return tensor::is_float(types_.of(expr).type) ? v.real : static_cast<double>(v.whole);
}

Tile NaiveProgram::tile_binary(const Binary& b) {
  const bool left = !types_.shape_of(b.lhs).empty(), right = !types_.shape_of(b.rhs).empty();
  Tile result = tile(left ? b.lhs : b.rhs);
  if (left && right) {
    const Tile other = tile(b.rhs);
    for (std::size_t i = 0; i < other.values.size(); ++i)
      result.values[i] += b.op == BinaryOp::sub ? -other.values[i] : other.values[i];
    return result;
  }
  const double factor = number(left ? b.rhs : b.lhs);
  for (double& v : result.values) v = b.op == BinaryOp::div ? v / factor : v * factor;
  return result;
}

Tile NaiveProgram::tile(const Expr& expr) {
  if (const KernelCall* k = as<KernelCall>(expr)) {
    std::vector<Tile> arguments;
    for (const Expr& a : k->arguments) arguments.push_back(tile(a));
    return kernel_named(k->kernel)->compute(arguments);
  }
  if (const Binary* b = as<Binary>(expr)) return tile_binary(*b);
  if (const Select* s = as<Select>(expr)) return tile(value(s->condition).whole ? s->then_value : s->else_value);
  Tile result = zero_tile(expr);
  if (const Unary* u = as<Unary>(expr)) {
    const Tile operand = tile(u->operand);
    for (std::size_t i = 0; i < operand.values.size(); ++i) result.values[i] = -operand.values[i];
  } else if (const Reduce* r = as<Reduce>(expr)) {
    each_point(*r, [&] {
      const Tile term = tile(r->body);
      for (std::size_t i = 0; i < term.values.size(); ++i) result.values[i] += term.values[i];
    });
  } else {
    const Access& a = *as<Access>(expr);
    Point at = point_of(a);
    const std::size_t given = at.size();
    at.resize(given + result.dims.size(), 0);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      std::size_t rest = i;
      for (std::size_t d = result.dims.size(); d-- > 0; rest /= static_cast<std::size_t>(result.dims[d]))
        at[given + d] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(result.dims[d]));
      const NaiveValue v = element(a.tensor, at);
      result.values[i] = tensor::is_float(program_.tensor(a.tensor)->type) ? v.real : static_cast<double>(v.whole);
    }
  }
  return result;
}

} // namespace cyclotron::fuzz
