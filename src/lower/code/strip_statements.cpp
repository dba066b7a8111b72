// SPDX-License-Identifier: MIT
#include "lower/code/strip_statements.hpp"

#include "code/build.hpp"
#include "lanes/copies.hpp"
#include "lower/code/expressions.hpp"
#include "recurrence/isl_limit.hpp"

#include <isl/ctx.h>

#include <algorithm>
#include <cstdlib>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;
using code::Scalar;
using recurrence::Affine;
using Value = Operations::Value;

StripStatements::StripStatements(const Surroundings& of, const KernelNames& called, FreshNames& names)
    : of_(of), program_(of.program), flow_(of.program.flow), called_(called), names_(names), slots_(of.program),
      registers_(of.program, of.reads, of.arithmetic, names), edges_(of, names), tables_(of, names),
      held_(of.program, called, names), shared_(of, called, names), operations_(true, of.arithmetic, names) {
  for (std::size_t s = 0; s < flow_.spaces.size(); ++s) coordinates_.emplace_back(program_, static_cast<int>(s));
  for (const dataflow::Rule& r : flow_.rules) slots_of_rules_.push_back(slots_.written_by(r));
}

std::vector<code::Memory> StripStatements::memories() const {
  std::vector<code::Memory> all = edges_.memories();
  all.insert(all.end(), tables_.memories().begin(), tables_.memories().end());
  all.insert(all.end(), shared_.memories().begin(), shared_.memories().end());
  return all;
}

// At this moment; or, of a read, at the moment from which it takes the value: nothing where there is no such iteration.
// The numbers of iterations that are written out are known there.
std::optional<std::size_t> StripStatements::slot_at(const Moment& now, const lanes::Flow* read) const {
  const auto names = lanes::time_names(program_);
  std::vector<std::int64_t> time(names.size(), 0);
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (!program_.time[c].unrolled) continue;
    const auto number = build::known(now.at(names[c]));
    if (!number) bug("an iteration that is written out has no number");
    time[c] = *number - (read ? *read->steps[c] : 0);
  }
  return slots_.of(time);
}

StripStatements::Vector StripStatements::vector_at(const StripVisit& part, std::int64_t number, const Moment& now,
                                                   code::Body& to) {
  const lanes::Shape& shape = program_.shape;
  const bool striped = shape.layout == lanes::Layout::striped;
  const std::int64_t first = striped ? number * shape.lanes : number;
  Vector result{number, {now, {}, striped ? 1 : shape.per_lane}, {}};
  for (const auto& [size, name] : called_.sizes) result.here.names[size] = build::variable(name);
  const Expr strip = build::mul(now.at(strip_name), build::number(shape.elements()));
  result.here.first_place = build::add(build::add(strip, along(program_.from, result.here).base), build::number(first));
  if (part.all) return result;
  const std::string live = names_("live");
  to.push_back(build::declare(live, {Scalar::boolean, true}, elements_taking_part(part, number, now)));
  result.mask = build::variable(live);
  return result;
}

Expr StripStatements::elements_taking_part(const StripVisit& part, std::int64_t number, const Moment& now) const {
  if (part.conditions) {
    Expr any = build::spread(build::truth(false));
    for (const auto& conditions : *part.conditions) any = build::logical_or(any, by_bounds(conditions, number, now));
    return any;
  }
  const lanes::Shape& shape = program_.shape;
  const bool striped = shape.layout == lanes::Layout::striped;
  const std::int64_t first = striped ? number * shape.lanes : number;
  Meanings meanings = called_.meanings;
  for (const auto& [name, expr] : now) meanings[name] = {expr, false};
  Expr element = build::convert(Scalar::i64, build::lane());
  if (!striped && shape.per_lane > 1) element = build::mul(element, build::spread(build::number(shape.per_lane)));
  if (first > 0) element = build::add(element, build::spread(build::number(first)));
  meanings[element_name] = {element, true};
  const Meaning test = test_of(*part.elements, meanings);
  return test.lanes ? test.expr : build::spread(test.expr);
}

// The first lane and the last one: small numbers, whatever the sizes are. A condition on the element e of lane l, which
// is e = first + step * l, bounds l from one side; one without the element holds for all lanes or none.
Expr StripStatements::by_bounds(const std::vector<recurrence::Condition>& conditions, std::int64_t number,
                                const Moment& now) const {
  using Kind = recurrence::Condition::Kind;
  const lanes::Shape& shape = program_.shape;
  const bool striped = shape.layout == lanes::Layout::striped;
  const Affine element =
      striped ? Affine{{{"lane'", 1}}, number * shape.lanes} : Affine{{{"lane'", shape.per_lane}}, number};
  Here here{now, {}, 1};
  for (const auto& [size, name] : called_.sizes) here.names[size] = build::variable(name);
  Expr everywhere, differs; // conditions without the element; those that single lanes must not meet
  std::vector<Expr> from, to;
  const auto bound = [&](const Affine& formula) { // formula >= 0
    Affine rest = formula;
    rest.terms.erase("lane'");
    const std::int64_t c = formula.coefficient("lane'");
    if (c > 0) from.push_back(build::floor_div(along(-1 * rest + Affine{{}, c - 1}, here).base, build::number(c)));
    else to.push_back(build::floor_div(along(rest, here).base, build::number(-c)));
  };
  for (const recurrence::Condition& condition : conditions) {
    const Affine formula = substitute(condition.affine, {{element_name, element}});
    if (formula.coefficient("lane'") == 0) {
      const Expr value = along(formula, here).base, zero = build::number(0);
      const Expr holds = condition.kind == Kind::nonnegative ? build::less_equal(zero, value)
                         : condition.kind == Kind::zero      ? build::equal(value, zero)
                                                             : build::not_equal(value, zero);
      everywhere = build::logical_and(everywhere, holds);
    } else if (condition.kind == Kind::nonzero) {
      const Expr value = build::add(
          build::spread(along(formula - formula.coefficient("lane'") * Affine{{{"lane'", 1}}, 0}, here).base),
          build::mul(build::convert(Scalar::i64, build::lane()),
                     build::spread(build::number(formula.coefficient("lane'")))));
      differs = build::logical_and(differs, build::not_equal(value, build::spread(build::number(0))));
    } else {
      bound(formula);
      if (condition.kind == Kind::zero) bound(-1 * formula);
    }
  }
  Expr mask = everywhere ? build::spread(everywhere) : Expr();
  const auto tightest = [](const std::vector<Expr>& of, Expr (*pick)(const Expr&, const Expr&)) {
    Expr best = of.empty() ? Expr() : of[0];
    for (std::size_t i = 1; i < of.size(); ++i) best = pick(best, of[i]);
    return best;
  };
  const Scalar small = of_.arithmetic.narrow ? Scalar::i16 : Scalar::i32;
  mask = build::logical_and(mask, lanes_between(tightest(from, build::max), {}, shape.lanes, small));
  mask = build::logical_and(mask, lanes_between({}, tightest(to, build::min), shape.lanes, small));
  mask = build::logical_and(mask, differs);
  return mask ? mask : build::spread(build::truth(true));
}

Scalar StripStatements::memory_scalar(const std::string& tensor) const { return called_.scalars.at(tensor); }

// Whether a rule must leave lanes alone that it does not compute: another rule computes them, or they hold a value.
bool StripStatements::keeps_others(const StripVisit& part, std::size_t value, std::size_t slot) {
  const lanes::Keep& keep = of_.reads.keeps[value];
  int writers = 0;
  for (std::size_t r = 0; r < flow_.rules.size(); ++r)
    writers += lanes::number_of_value(flow_, flow_.rules[r].space, flow_.rules[r].value) == value &&
               slots_of_rules_[r].count(slot);
  if (writers == 1 && !(keep.held && keep.slots.count(slot))) return false;
  if (!of_.visits.strips_are_workers()) return true; // most is done in whole strips, and to find out would take long
  if (!part.others_idle) {                           // where it is hard to know, they are not
    isl_ctx* const isl = flow_.context->get().get();
    isl_ctx_reset_operations(isl);
    part.others_idle = recurrence::unless_too_hard([&] { return others_are_idle(part); }).value_or(false);
    isl_ctx_reset_operations(isl);
  }
  return !*part.others_idle;
}

bool StripStatements::others_are_idle(const StripVisit& part) {
  const Happening& rule = of_.rules[part.happening];
  auto& elements = elements_[rule.space];
  if (!elements) elements = of_.visits.elements_of(rule.space, of_.rules);
  return of_.visits.others_are_idle(part, rule, *elements);
}

void StripStatements::compute(const StripVisit& part, std::size_t rule, const Moment& now, code::Body& to) {
  const dataflow::Rule& r = flow_.rules[rule];
  const std::size_t value = lanes::number_of_value(flow_, r.space, r.value);
  const std::size_t slot = *slot_at(now, nullptr);
  operations_.body = &to;
  // All vectors first, then all registers: a vector may read what another one replaces.
  std::vector<Vector> vectors;
  std::vector<Expr> made;
  const bool keeps = !part.all && keeps_others(part, value, slot);
  for (std::int64_t u = 0; u < program_.shape.per_lane; ++u) {
    vectors.push_back(vector_at(part, u, now, to));
    operations_.mask = vectors.back().mask;
    Expr what = value_of_rule(rule, vectors.back(), now);
    if (keeps) what = build::select(vectors.back().mask, what, build::variable(registers_.now(value, {u, slot})));
    made.push_back(program_.shape.per_lane == 1 ? what : operations_.named({what, of_.scalar_of(value)}).expr);
  }
  std::vector<std::string> names;
  for (std::size_t u = 0; u < made.size(); ++u)
    names.push_back(registers_.now(value, {static_cast<std::int64_t>(u), slot}));
  for (std::size_t u = 0; u < made.size(); ++u) { // what is a register that gets its own value first
    const auto* variable = ir::as<code::Variable>(made[u]);
    if (variable && std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(u), variable->name) !=
                        names.begin() + static_cast<std::ptrdiff_t>(u))
      made[u] = operations_.copied({made[u], of_.scalar_of(value)}).expr;
  }
  for (std::size_t u = 0; u < made.size(); ++u) {
    to.push_back(build::assign(names[u], made[u]));
    if (tables_.has(value))
      to.push_back(tables_.store(value, coordinates_[static_cast<std::size_t>(r.space)], vectors[u].here,
                                 build::variable(names[u]), vectors[u].mask));
  }
  edges_.store(value, names, now, to);
}

void StripStatements::leave(const StripVisit& part, std::size_t which, const Moment& now, code::Body& to) {
  const dataflow::Export& e = flow_.exports[which];
  const std::size_t value = lanes::number_of_value(flow_, e.space, e.value), slot = *slot_at(now, nullptr);
  for (std::int64_t u = 0; u < program_.shape.per_lane; ++u) {
    const Vector vector = vector_at(part, u, now, to);
    const std::vector<Along> indices = along_vector(e.indices, e.space, vector);
    const Scalar to_type = memory_scalar(e.tensor);
    operations_.body = &to;
    operations_.mask = vector.mask;
    const Value what =
        operations_.converted({build::variable(registers_.now(value, {u, slot})), of_.scalar_of(value)}, to_type);
    to.push_back(store_at(called_.memories.at(e.tensor), place_in(indices, called_.extents.at(e.tensor)), what.expr,
                          vector.mask));
  }
}

Expr StripStatements::value_of_rule(std::size_t rule, const Vector& vector, const Moment& now) {
  const dataflow::Rule& r = flow_.rules[rule];
  const Coordinates& coordinates = coordinates_[static_cast<std::size_t>(r.space)];
  const auto read_access = [&](const recurrence::Access& a) { return read(rule, a, vector, now); };
  const auto index = [&](const std::string& name) {
    return vector_of(coordinates.at(Affine{{{name, 1}}, 0}, vector.here));
  };
  Expressions expressions(operations_, *flow_.source, read_access, index);
  return expressions.of(r.expr, of_.scalar_of(lanes::number_of_value(flow_, r.space, r.value)));
}

Value StripStatements::read(std::size_t rule, const recurrence::Access& access, const Vector& vector,
                            const Moment& now) {
  if (const auto what = dataflow::reference_of(access, flow_)) return read_value(rule, *what, vector, now);
  recurrence::Point indices;
  for (const recurrence::Expr& e : access.indices) indices.push_back(accepted_affine(e, *flow_.source));
  const int space = flow_.rules[rule].space;
  if (held_.has(access.tensor)) {
    const bool by_worker = lanes::changes_in_worker(program_, {rule, indices});
    return {held_.element(access.tensor, along_vector(indices, space, vector), by_worker),
            memory_scalar(access.tensor)};
  }
  return {element(access.tensor, indices, space, vector, build::logical_and(vector.mask, operations_.inside)),
          memory_scalar(access.tensor)};
}

std::vector<Along> StripStatements::along_vector(const recurrence::Point& indices, int space,
                                                 const Vector& vector) const {
  std::vector<Along> along;
  for (const Affine& i : indices) along.push_back(coordinates_[static_cast<std::size_t>(space)].at(i, vector.here));
  return along;
}

Expr StripStatements::element(const std::string& tensor, const recurrence::Point& indices, int space,
                              const Vector& vector, const Expr& mask) const {
  if (shared_.has(tensor))
    return shared_.element(tensor, along_vector(shared_.in_box(tensor, indices), space, vector), mask);
  const Place place = place_in(along_vector(indices, space, vector), called_.extents.at(tensor));
  // What is the same for all elements of the strip, one of them needs; else the strip would do nothing now.
  const bool needed = place.uniform && mask == vector.mask;
  return load_at(called_.memories.at(tensor), place, needed ? Expr() : mask);
}

Value StripStatements::read_value(std::size_t rule, const dataflow::Reference& what, const Vector& vector,
                                  const Moment& now) {
  const std::size_t value = lanes::number_of_value(flow_, what.space, what.value);
  const Scalar scalar = of_.scalar_of(value);
  const lanes::Read& read = of_.reads.of(rule, what);
  switch (read.fetch) {
  case lanes::Fetch::here:
    return {build::variable(registers_.now(value, {vector.number, *slot_at(now, nullptr)})), scalar};
  case lanes::Fetch::registers:
  case lanes::Fetch::held: return {from_registers(value, read, vector, now), scalar};
  case lanes::Fetch::table:
    return {tables_.load(value, what.point, coordinates_[static_cast<std::size_t>(flow_.rules[rule].space)],
                         vector.here, build::logical_and(vector.mask, operations_.inside)),
            scalar};
  }
  bug("unknown fetch");
}

Expr StripStatements::from_registers(std::size_t value, const lanes::Read& read, const Vector& vector,
                                     const Moment& now) {
  const auto slot = slot_at(now, &read.flow);
  if (!slot) return build::spread(build::zero(of_.scalar_of(value))); // no lane reads it now
  const bool leaves = registers_.leaves_strip(vector.number, read.distance);
  Expr beyond;
  if (leaves && read.edge == lanes::Edge::memory) beyond = edges_.load(read, value, vector.number, now);
  const bool loads = leaves && read.edge == lanes::Edge::load;
  if (loads) beyond = one_loaded_again(value, read, vector);
  const Expr shifted = registers_.read(value, {vector.number, *slot}, read.back, read.distance, beyond);
  return loads && !beyond ? loaded_again(value, read, vector, shifted) : shifted;
}

std::int64_t StripStatements::lanes_moved(const lanes::Read& read, const Vector& vector) const {
  const lanes::Shape& shape = program_.shape;
  return shape.layout == lanes::Layout::striped ? read.distance
                                                : -recurrence::floor_div(vector.number - read.distance, shape.per_lane);
}

// Where a single lane has its element in another strip, and that lane is not switched off: the input that the value is
// a copy of, loaded as one number. Else nothing.
Expr StripStatements::one_loaded_again(std::size_t value, const lanes::Read& read, const Vector& vector) {
  const std::int64_t moved = lanes_moved(read, vector);
  if (vector.mask || std::abs(moved) != 1) return {};
  const lanes::Copy& copy = *program_.copies[value];
  const Coordinates& coordinates = coordinates_[static_cast<std::size_t>(flow_.rules[read.flow.rule].space)];
  Here here = vector.here;
  const std::int64_t lane = moved > 0 ? 0 : program_.shape.lanes - 1;
  here.first_place = build::add(here.first_place, build::number(lane * here.place_step));
  std::vector<Along> indices;
  for (const Affine& i : lanes::element_again(program_, copy, read.flow.what)) {
    indices.push_back(coordinates.at(i, here));
    indices.back().step = 0; // of this lane alone
  }
  const Expr one = load_at(called_.memories.at(copy.tensor), place_in(indices, called_.extents.at(copy.tensor)), {});
  return operations_.converted({one, memory_scalar(copy.tensor)}, of_.scalar_of(value)).expr;
}

// Lanes whose element is in another strip load the input that the value is a copy of.
Expr StripStatements::loaded_again(std::size_t value, const lanes::Read& read, const Vector& vector,
                                   const Expr& shifted) {
  const lanes::Shape& shape = program_.shape;
  const std::int64_t moved = lanes_moved(read, vector);
  const auto number = [](std::int64_t n) { return build::spread(build::number(n, Scalar::i32)); };
  const Expr edge = moved > 0 ? build::less(build::lane(), number(moved))
                              : build::less_equal(number(shape.lanes + moved), build::lane());
  const lanes::Copy& copy = *program_.copies[value];
  const int space = flow_.rules[read.flow.rule].space;
  const Scalar scalar = of_.scalar_of(value);
  const Value again = operations_.converted({element(copy.tensor, lanes::element_again(program_, copy, read.flow.what),
                                                     space, vector, build::logical_and(vector.mask, edge)),
                                             memory_scalar(copy.tensor)},
                                            scalar);
  return build::select(edge, again.expr, shifted);
}

} // namespace cyclotron::lower
