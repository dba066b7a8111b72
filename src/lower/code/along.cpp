// SPDX-License-Identifier: MIT
#include "lower/code/along.hpp"

#include "code/build.hpp"
#include "support/diagnostics.hpp"

#include <cstdlib>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;
using recurrence::Affine;

Along along(const Affine& formula, const Here& here) {
  Along result{build::number(0), 0, 1};
  const auto add = [&](const Expr& value, std::int64_t factor) {
    const bool less = factor < 0;
    const Expr term = build::mul(build::number(less ? -factor : factor), value);
    result.base = less ? build::sub(result.base, term) : build::add(result.base, term);
  };
  for (const auto& [name, c] : formula.terms) {
    if (name == lanes::place_name) {
      add(here.first_place, c);
      result.step = c * here.place_step;
      continue;
    }
    const auto known = here.names.find(name);
    add(known != here.names.end() ? known->second : build::variable(name), c);
  }
  result.base = build::add(result.base, build::number(formula.constant));
  return result;
}

Coordinates::Coordinates(const lanes::Program& program, int space)
    : names_(program.flow.spaces[static_cast<std::size_t>(space)].coordinates) {
  auto found = lanes::coordinates_at(program, space);
  if (!found) bug("two points of a space have one time and place");
  found_ = std::move(*found);
}

Along Coordinates::at(const Affine& formula, const Here& here) const {
  const lanes::Coordinate reduced = lanes::formula_at(formula, names_, found_);
  Along result = along(reduced.numerator, here);
  result.divisor = reduced.divisor;
  return result;
}

bool is_uniform(const Along& value) { return value.step == 0; }

Expr number_of(const Along& value) { return build::floor_div(value.base, build::number(value.divisor)); }

Expr vector_of(const Along& value) {
  if (is_uniform(value)) return build::spread(number_of(value));
  Expr steps = build::convert(code::Scalar::i64, build::lane());
  if (value.step != 1) steps = build::mul(steps, build::spread(build::number(value.step)));
  const Expr all = build::add(build::spread(value.base), steps);
  return value.divisor == 1 ? all : build::floor_div(all, build::spread(build::number(value.divisor)));
}

Expr lanes_between(const Expr& first, const Expr& last, std::int64_t lanes, code::Scalar small) {
  const Expr lane = build::convert(small, build::lane());
  const auto bound = [&](const Expr& value) {
    return build::spread(build::convert(small, build::max(build::min(value, build::number(lanes)), build::number(-1))));
  };
  Expr mask;
  if (first) mask = build::less_equal(bound(first), lane);
  return last ? build::logical_and(mask, build::less_equal(lane, bound(last))) : mask;
}

// 0 <= (base + step * lane) / divisor < extent, solved for the lane.
Expr inside_of(const Along& index, const Expr& extent, std::int64_t lanes) {
  if (is_uniform(index)) {
    const Expr value = number_of(index);
    return build::logical_and(build::less_equal(build::number(0), value), build::less(value, extent));
  }
  const Expr step = build::number(std::abs(index.step));
  const Expr below_end =
      build::sub(build::sub(build::mul(extent, build::number(index.divisor)), index.base), build::number(1));
  const auto rounded_up = [&](const Expr& value) {
    return build::floor_div(build::add(value, build::number(std::abs(index.step) - 1)), step);
  };
  const auto negated = [](const Expr& value) { return build::sub(build::number(0), value); };
  const Expr first = rounded_up(negated(index.step > 0 ? index.base : below_end));
  const Expr last = build::floor_div(index.step > 0 ? below_end : index.base, step);
  return lanes_between(first, last, lanes, code::Scalar::i32);
}

Place place_in(const std::vector<Along>& indices, const std::vector<Expr>& extents) {
  bool uniform = true, whole = true;
  for (const Along& i : indices) {
    uniform &= is_uniform(i);
    whole &= is_uniform(i) || i.divisor == 1;
  }
  Expr at = build::number(0), step = build::number(0), vector;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!whole) {
      const Expr own = vector_of(indices[d]);
      vector = vector ? build::add(build::mul(vector, build::spread(extents[d])), own) : own;
      continue;
    }
    const Expr base = is_uniform(indices[d]) ? number_of(indices[d]) : indices[d].base;
    at = build::add(build::mul(at, extents[d]), base);
    step = build::add(build::mul(step, extents[d]), build::number(indices[d].step));
  }
  if (!whole) return {vector, {}, false};
  return {at, uniform ? Expr() : step, uniform};
}

Expr load_at(const std::string& memory, const Place& place, const Expr& mask) {
  if (!place.uniform) return Expr(code::Load{memory, place.index, place.stride, mask});
  if (mask) return Expr(code::Load{memory, place.index, build::number(0), mask});
  return build::spread(build::load(memory, place.index));
}

code::Statement store_at(const std::string& memory, const Place& place, const Expr& value, const Expr& mask) {
  // Only one of the lanes takes part.
  const Expr stride = place.uniform ? build::number(0) : place.stride;
  return {code::Store{memory, place.index, stride, value, mask}};
}

} // namespace cyclotron::lower
