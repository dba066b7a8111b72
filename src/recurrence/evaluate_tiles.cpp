// SPDX-License-Identifier: MIT
// The part of the evaluator whose values are tiles. Tiles compute in f64 and are rounded when they are stored.
#include "recurrence/evaluate.hpp"

#include "support/diagnostics.hpp"

namespace cyclotron::recurrence {

using tensor::is_float;

namespace {

Tile zero_tile(const Code& code) {
  Tile t{code.dims, {}};
  std::int64_t count = 1;
  for (std::int64_t d : t.dims) count *= d;
  t.values.assign(static_cast<std::size_t>(count), 0.0);
  return t;
}

} // namespace

Tile Evaluator::tile_access(const Code& code) {
  const Storage& s = storage_[static_cast<std::size_t>(code.tensor)];
  const std::size_t given = code.coordinates.size() - (s.stepped && !code.last_step ? 1 : 0);
  Tile result;
  result.dims.assign(s.dims.begin() + static_cast<std::ptrdiff_t>(given), s.dims.end());
  const std::int64_t count = s.tile_size(given);
  result.values.resize(static_cast<std::size_t>(count));
  if (count == 0) return result;
  const std::int64_t at = offset(s, code.coordinates, code.last_step);
  if (at < 0) return result;
  for (std::int64_t i = 0; i < count; ++i) {
    const Word w = s.input ? input_value(s, at + i) : element(s, at + i);
    result.values[static_cast<std::size_t>(i)] = is_float(s.type) ? w.real : static_cast<double>(w.whole);
  }
  return result;
}

Tile Evaluator::tile_reduce(const Code& code) {
  Tile total = zero_tile(code);
  each_point(code, 0, [&] {
    const Tile x = tile(code.operands[0]);
    for (std::size_t i = 0; i < x.values.size(); ++i) total.values[i] += x.values[i];
  });
  return total;
}

Tile Evaluator::tile(const Code& code) {
  const auto scaled = [&](Tile t, const auto& f) {
    for (double& v : t.values) v = f(v);
    return t;
  };
  switch (code.op) {
  case Code::Op::access: return tile_access(code);
  case Code::Op::convert: return tile(code.operands[0]); // tiles compute in f64 and round when stored
  case Code::Op::negate: return scaled(tile(code.operands[0]), [](double v) { return -v; });
  case Code::Op::reduce: return tile_reduce(code);
  case Code::Op::select: {
    const std::size_t before = missing.size();
    const Word condition = number(code.operands[0]);
    if (missing.size() != before) return zero_tile(code);
    return tile(code.operands[condition.whole != 0 ? 1 : 2]);
  }
  case Code::Op::kernel: {
    const std::size_t before = missing.size();
    std::vector<Tile> arguments;
    for (const Code& c : code.operands) arguments.push_back(tile(c));
    if (missing.size() != before) return zero_tile(code);
    return code.kernel->compute(arguments, &failure);
  }
  case Code::Op::binary: break;
  default: bug("this operation makes no tile");
  }
  const Code& lhs = code.operands[0];
  const Code& rhs = code.operands[1];
  const auto as_real = [&](const Code& c) {
    const Word w = number(c);
    return is_float(c.type) ? w.real : static_cast<double>(w.whole);
  };
  if (!lhs.is_tile) {
    const double factor = as_real(lhs);
    return scaled(tile(rhs), [&](double v) { return factor * v; });
  }
  Tile a = tile(lhs);
  if (!rhs.is_tile) {
    const double factor = as_real(rhs);
    if (code.binary == BinaryOp::div && factor == 0 && failure == Failure::none) failure = Failure::divides_by_zero;
    return scaled(std::move(a), [&](double v) { return code.binary == BinaryOp::div ? v / factor : v * factor; });
  }
  const Tile b = tile(rhs);
  const double sign = code.binary == BinaryOp::sub ? -1 : 1;
  for (std::size_t i = 0; i < b.values.size(); ++i) a.values[i] += sign * b.values[i];
  return a;
}

} // namespace cyclotron::recurrence
