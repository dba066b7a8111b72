// SPDX-License-Identifier: MIT
#include "lower/code/along.hpp"

#include "code/build.hpp"
#include "support/diagnostics.hpp"

#include <numeric>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;
using recurrence::Affine;

namespace {

Along quotient(const Affine& numerator, std::int64_t divisor, const Here& here) {
  std::int64_t common = std::gcd(divisor, numerator.constant);
  for (const auto& [name, c] : numerator.terms) common = std::gcd(common, c);
  Affine reduced{{}, numerator.constant / common};
  for (const auto& [name, c] : numerator.terms) reduced.terms[name] = c / common;
  Along result = along(reduced, here);
  result.divisor = divisor / common;
  return result;
}

} // namespace

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
  std::int64_t divisor = 1;
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (formula.coefficient(names_[k]) != 0) divisor = std::lcm(divisor, found_[k].divisor);
  Affine rest = formula;
  Affine sum;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const std::int64_t c = formula.coefficient(names_[k]);
    rest.terms.erase(names_[k]);
    if (c != 0) sum = sum + (c * (divisor / found_[k].divisor)) * found_[k].numerator;
  }
  return quotient(sum + divisor * rest, divisor, here);
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
